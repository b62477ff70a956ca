// Whether Firefox computes the bits that the command line does, on the programs that are run in Node and in Chromium.
// It is apart from `npm test`, which asks for no second browser.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { difference, inBrowser, native, siteFiles } from "../tests/bits/engines.mjs";
import { madePrograms, pagePrograms } from "../tests/bits/programs.mjs";
import { main, Refusal, root, run, step } from "./house.mjs";
import { setup } from "./setup.mjs";

/** So many programs are asked for at a time. */
const BATCH = 20;
const LIMIT_MS = 300_000;

function findFirefox() {
  const found = [
    process.env.FIREFOX_PATH,
    "/usr/bin/firefox-esr",
    "/usr/bin/firefox",
    "/Applications/Firefox.app/Contents/MacOS/firefox",
  ].find((path) => path && existsSync(path));
  if (found !== undefined) return found;
  throw new Refusal("Firefox is missing; install it with `sudo apt-get install firefox-esr`, or set FIREFOX_PATH to one.");
}

/** Calls `work` with a page of Firefox that has the site open. */
async function inFirefox(executablePath, work) {
  const { preview } = await import("vite");
  const { default: puppeteer } = await import("puppeteer-core");
  const server = await preview({
    configFile: resolve(root, "web/vite.config.ts"),
    logLevel: "silent",
    preview: { host: "127.0.0.1", port: 4199 },
  });
  try {
    const browser = await puppeteer.launch({ browser: "firefox", executablePath, headless: true, protocolTimeout: LIMIT_MS });
    try {
      console.log(`  ${await browser.version()}`);
      const page = await browser.newPage();
      await page.goto(server.resolvedUrls.local[0]);
      return await work(page);
    } finally {
      await browser.close();
    }
  } finally {
    await server.close();
  }
}

await main(async () => {
  const firefox = findFirefox();
  if (!existsSync(resolve(root, "dist/index.html"))) throw new Refusal("There is no site yet; build it with `npm run build`.");
  await setup();
  await step("building the command line", () => run("cargo", ["build", "--quiet", "--bin", "relish"]));
  const programs = [...madePrograms(), ...pagePrograms()];
  const tally = { passed: 0, failed: 0 };
  await step("comparing Firefox with the command line", () =>
    inFirefox(firefox, async (page) => {
      for (let first = 0; first < programs.length; first += BATCH) {
        const some = programs.slice(first, first + BATCH);
        const found = await page.evaluate(inBrowser, { ...siteFiles("simd128"), texts: some.map(({ text }) => text) });
        for (const [index, program] of some.entries()) {
          const sentence = difference(program, await native(program.text), found[index]);
          tally[sentence === undefined ? "passed" : "failed"] += 1;
          if (sentence !== undefined) console.log(`  ${sentence}`);
        }
      }
    }),
  );
  console.log(tally.failed === 0 ? "All values are equal to the bit." : "Some values differ.");
  console.log(`${tally.passed} passed, ${tally.failed} failed`);
  return tally.failed === 0 ? 0 : 1;
});
