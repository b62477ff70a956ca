// Runs the programs of `programs.mjs` in one engine after the other, and finds where two of them differ. What an engine
// says of a program are its values as they print.
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const relish = resolve(root, "target/debug/relish");
export const assets = resolve(root, "dist/assets");

/** Enough for every program that ends. */
const FUEL = 1e9;
const LIMIT_MS = 60_000;

/** The values of a program as the command line says them: the engine without SIMD. */
export function native(text) {
  return new Promise((done, fail) => {
    const child = spawn(relish, ["run", "--json", "--fuel", String(FUEL), "-"], { stdio: ["pipe", "pipe", "ignore"], timeout: LIMIT_MS });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (part) => (output += part));
    child.on("error", (error) => fail(new Error(`${relish} cannot be started; build it with \`cargo build --bin relish\` (${error.message})`)));
    child.on("close", (code) => {
      if (code !== 0 && code !== 1) return fail(new Error(`relish run ended with ${code}`));
      done(JSON.parse(output).values.map(({ value }) => value));
    });
    child.stdin.on("error", () => {});
    child.stdin.end(text);
  });
}

/** The same as the page's compiler says them, in this process. */
export function inNode(playground, text) {
  playground.update(text);
  return playground.run(FUEL, "aligned", "on", "off").values.map(({ value }) => value ?? null);
}

/** The file of the site whose name begins so. */
function fileOf(start, end) {
  const found = readdirSync(assets).filter((name) => name.startsWith(start) && name.endsWith(end));
  if (found.length !== 1) throw new Error(`dist/assets has ${found.length} files ${start}…${end}; build the site with \`npm run build\``);
  return `assets/${found[0]}`;
}

/** What `inBrowser` needs of the site, for one of the two builds. */
export const siteFiles = (build) => ({
  worker: fileOf("worker-", ".js"),
  module: fileOf(build === "relaxed" ? "relish_relaxed-" : "relish_wasm_bg-", ".wasm"),
  fuel: FUEL,
});

/**
 * The values of each of some programs as the site's own worker says them. It runs in a page of the site, so it is made of
 * nothing but what stands in it.
 */
export async function inBrowser({ worker, module, fuel, texts }) {
  const compiled = await WebAssembly.compile(await (await fetch(module)).arrayBuffer());
  const compiler = new Worker(new URL(worker, location.href), { type: "module" });
  const replies = [];
  let wake = () => {};
  compiler.onmessage = ({ data }) => {
    replies.push(data);
    wake();
  };
  compiler.onerror = () => {
    replies.push({ kind: "trapped", during: "start", message: "the worker could not be loaded" });
    wake();
  };
  const reply = async (kind) => {
    for (;;) {
      while (replies.length === 0) await new Promise((done) => (wake = done));
      const next = replies.shift();
      if (next.kind === "trapped") throw new Error(`the compiler stopped in ${next.during}: ${next.message}`);
      if (next.kind === kind) return next;
    }
  };
  try {
    compiler.postMessage({ kind: "start", module: compiled });
    await reply("ready");
    const values = [];
    for (const [revision, text] of texts.entries()) {
      compiler.postMessage({ kind: "update", revision, text });
      compiler.postMessage({ kind: "run", revision, fuel, target: { layout: "aligned", fused: "on" }, profile: "off", ahead: false });
      const { view } = await reply("ran");
      values.push(view.values.map(({ value }) => value ?? null));
    }
    return values;
  } finally {
    compiler.terminate();
  }
}

/** In one sentence, the first value of a program that two engines do not agree on; nothing if they do. */
export function difference({ title }, expected, found) {
  if (expected.length !== found.length) return `${title}: ${found.length} values instead of ${expected.length}`;
  const index = expected.findIndex((value, index) => value !== found[index]);
  if (index < 0) return undefined;
  const [was, is] = [expected[index], found[index]].map((value) => String(value));
  let at = 0;
  while (at < was.length && was[at] === is[at]) at += 1;
  // Back to where the number begins in which they differ.
  const start = Math.max(was.lastIndexOf(" ", at), was.lastIndexOf("[", at), 0);
  const n = was.slice(0, start).split(",").length - 1;
  const cut = (text) => text.slice(start, start + 40).trim();
  return `${title}, value ${index + 1}, number ${n + 1}: ${cut(is)} instead of ${cut(was)}`;
}
