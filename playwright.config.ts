import { defineConfig, devices } from "@playwright/test";
// @ts-expect-error The scripts are plain JavaScript, so that they run before anything is installed.
import { findChromium } from "./scripts/setup.mjs";

const port = 4179;
const executablePath: string | undefined = findChromium();

export default defineConfig({
  testDir: "tests/e2e",
  timeout: 60_000,
  // What a test expects is what comes to be shown; how soon is measured by `npm run bench`.
  expect: { timeout: 10_000 },
  fullyParallel: true,
  // Two cores are common where this runs; more would only wait for each other.
  workers: 2,
  // A trace takes a fifth of a test's time, so it is made when one that failed is repeated. It counts as failed all the same.
  retries: 1,
  reporter: [["list"]],
  // Only the test of it has the site kept: to keep it for each test anew would take longer than most of them.
  use: { baseURL: `http://127.0.0.1:${port}`, trace: "on-first-retry", serviceWorkers: "block" },
  webServer: {
    command: `node node_modules/vite/bin/vite.js preview --config web/vite.config.ts --host 127.0.0.1 --port ${port} --strictPort`,
    url: `http://127.0.0.1:${port}`,
    reuseExistingServer: false,
    timeout: 20_000,
  },
  projects: [
    {
      name: "chromium",
      use: {
        ...devices["Desktop Chrome"],
        viewport: { width: 1280, height: 800 },
        permissions: ["clipboard-read", "clipboard-write"],
        launchOptions: {
          ...(executablePath ? { executablePath } : {}),
          // Chromium refuses its sandbox to root, which is what containers run as.
          args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
        },
      },
    },
  ],
});
