import base from "./playwright.config.ts";
const port = 4391;
export default {
  ...base,
  testDir: ".",
  timeout: 120_000,
  workers: 1,
  expect: { timeout: 40_000 },
  outputDir: "/tmp/try/pw-results",
  use: { ...base.use, trace: "off", baseURL: `http://127.0.0.1:${port}` },
  webServer: { ...(base.webServer as object), command: `node node_modules/vite/bin/vite.js preview --config web/vite.config.ts --outDir /tmp/try/dist --host 127.0.0.1 --port ${port} --strictPort`, url: `http://127.0.0.1:${port}` },
};
