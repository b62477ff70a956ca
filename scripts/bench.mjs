// How fast and how large Relish is, here and now. Figures go to the terminal and nowhere else.
//   1. the compiler natively, and Relay
//   2. the same programs in WebAssembly
//   3. programs that run for long, beside JavaScript
//   4. operators where there is little to compute, and what an element of each dtype costs
//   5. from a key press to its diagnostics, in Chromium
//   6. from one step of the solver to the next, in Chromium
//   7. the size of the site
import { readdirSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { dtypeRows } from "./bench/dtypes.mjs";
import { littleRows } from "./bench/little.mjs";
import { machineRows } from "./bench/machine.mjs";
import { scrub } from "./bench/solver.mjs";
import { main, root, run, step } from "./house.mjs";
import { findChromium, setup } from "./setup.mjs";
import { build } from "./site.mjs";
import { isDefault, isRelaxed, measure } from "./size.mjs";

const programsFolder = resolve(root, "target/bench");
const SAMPLES = 30;
const MOST_MS = 2000;

/** The programs that the native benchmark wrote, the shortest first; `page-…` are what people write. */
function programs() {
  return readdirSync(programsFolder)
    .filter((name) => name.endsWith(".relay"))
    .map((name) => {
      const text = readFileSync(resolve(programsFolder, name), "utf8");
      return { name: basename(name, ".relay"), text, lines: text.trimEnd().split("\n").length };
    })
    .sort((a, b) => a.lines - b.lines);
}

function quantiles(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(1).padStart(8);
  return `median ${at(0.5)} ms, p95 ${at(0.95)} ms`;
}

const print = (name, figures) => console.log(`  ${name.padEnd(34)} ${figures}`);

async function webAssembly() {
  const { loadPlayground } = await import("../tests/node/compiler.mjs");
  for (const { name, text, lines } of programs()) {
    const playground = await loadPlayground();
    const samples = [];
    const begin = performance.now();
    while (samples.length < 3 || (samples.length < SAMPLES && performance.now() - begin < MOST_MS)) {
      const start = performance.now();
      playground.update(text);
      samples.push(performance.now() - start);
    }
    print(`${name} (${lines} lines)`, `first ${samples[0].toFixed(1).padStart(8)} ms, then ${quantiles(samples.slice(1))}`);
    playground.free();
  }
}

async function machine() {
  const { loadPlayground } = await import("../tests/node/compiler.mjs");
  machineRows(await loadPlayground());
}

async function little() {
  const { loadPlayground } = await import("../tests/node/compiler.mjs");
  littleRows(await loadPlayground());
  dtypeRows(await loadPlayground());
}

/** The site in a browser. */
async function inBrowser(work) {
  const { preview } = await import("vite");
  const { chromium } = await import("@playwright/test");
  const server = await preview({
    configFile: resolve(root, "web/vite.config.ts"),
    preview: { host: "127.0.0.1", port: 4181 },
    logLevel: "error",
  });
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  try {
    await work(browser, server.resolvedUrls.local[0]);
  } finally {
    await browser.close();
    await server.close();
  }
}

/** Types a stray bracket and takes it back, and times each until the number of problems on the page says so. */
async function page(browser, address) {
  for (const program of programs().filter(({ name }) => name.startsWith("page-"))) {
    const tab = await browser.newPage();
    await tab.addInitScript((text) => localStorage.setItem("relish.text", text), program.text);
    await tab.goto(address);
    await tab.locator(".header .primary:enabled").waitFor();
    await tab.locator(".editor .monaco-editor").first().click();
    await tab.keyboard.press("Control+End");
    await tab.evaluate(watchProblems);
    const samples = [];
    for (let round = 0; round < SAMPLES; round += 1) {
      for (const key of [")", "Backspace"]) {
        const time = tab.evaluate(() => globalThis.nextProblems());
        await tab.keyboard.press(key);
        samples.push(await time);
      }
    }
    print(`${program.name} (${program.lines} lines)`, quantiles(samples.slice(2)));
    await tab.close();
  }
}

async function solver(browser, address) {
  for (const { view, nSteps, times, own } of await scrub(browser, address)) {
    print(`${view}, ${nSteps.toLocaleString("en")} steps`, `${quantiles(times)} a frame, of which the page works ${own.toFixed(1)} ms`);
  }
}

/** Runs inside the page: `nextProblems` resolves to the time from the next key press to the next change of the count. */
function watchProblems() {
  let pressed = 0;
  addEventListener("keydown", () => (pressed = performance.now()), { capture: true });
  globalThis.nextProblems = () =>
    new Promise((done) => {
      const observer = new MutationObserver(() => {
        observer.disconnect();
        done(performance.now() - pressed);
      });
      const count = document.querySelector(".problems .count");
      observer.observe(count, { characterData: true, childList: true, subtree: true });
    });
}

function sizes() {
  const kilobytes = ({ raw, gzip, brotli }) =>
    [raw, gzip, brotli].map((bytes) => `${(bytes / 1000).toFixed(0)} kB`.padStart(9)).join("");
  print("", "      raw     gzip   brotli");
  print("the compiler", kilobytes(measure(resolve(root, "dist"), isDefault)));
  print("with relaxed SIMD", kilobytes(measure(resolve(root, "dist"), isRelaxed)));
  print("the site, with one", kilobytes(measure(resolve(root, "dist"), (name) => !isRelaxed(name))));
}

await main(async () => {
  await setup({ browser: true });
  await build();
  await step("the compiler, natively", () => run("cargo", ["run", "--release", "--quiet", "-p", "tests", "--bin", "bench"]));
  await step("the compiler, in WebAssembly", webAssembly);
  await step("programs that run for long, beside JavaScript", machine);
  await step("operators where there is little to compute", little);
  await step("from a key press to its diagnostics", () => inBrowser(page));
  await step("from one step of the solver to the next", () => inBrowser(solver));
  await step("the size of the site", sizes);
});
