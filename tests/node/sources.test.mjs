// Rules about the text of our own code that no compiler checks.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { test } from "node:test";

const root = resolve(import.meta.dirname, "../..");
const LONGEST = 800;

/** Our own files below a folder; what is generated or installed is not ours. */
function files(folder, extension) {
  return readdirSync(resolve(root, folder), { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => extension.test(path) && !path.startsWith(join("web", "src", "wasm")));
}

// Whatever turns text into markup or code would let a link act on the page.
const SINKS = [
  /\binnerHTML\b/,
  /\bouterHTML\b/,
  /\binsertAdjacentHTML\b/,
  /\bdocument\.write/,
  /\beval\s*\(/,
  /\bnew Function\b/,
  /\bsrcdoc\b/,
  /\bcreateContextualFragment\b/,
  /\bsetHTML/,
  /\bDOMParser\b/,
];

test("no text of the page becomes markup or code", () => {
  for (const path of [...files("web/src", /\.(ts|tsx|mjs|js)$/), "web/index.html"]) {
    const text = readFileSync(resolve(root, path), "utf8");
    for (const sink of SINKS) assert.doesNotMatch(text, sink, `${path} uses ${sink.source}`);
  }
});

test(`no file is longer than ${LONGEST} lines`, () => {
  const ours = ["web", "scripts", "tests/node", "tests/e2e"].flatMap((folder) => files(folder, /\.(ts|tsx|mjs|css)$/));
  assert.ok(ours.length > 30);
  for (const path of ours) {
    const lines = readFileSync(resolve(root, path), "utf8").split("\n").length;
    assert.ok(lines <= LONGEST, `${path} has ${lines} lines`);
  }
});

test("panels do not import each other", () => {
  for (const path of files("web/src/panel", /\.tsx?$/)) {
    const text = readFileSync(resolve(root, path), "utf8");
    assert.doesNotMatch(text, /from "\.\/|from "\.\.\/panel/, relative(root, path));
  }
});

test("only the worker calls into the compiler", () => {
  for (const path of files("web/src", /\.tsx?$/)) {
    if (path === join("web", "src", "worker.ts")) continue;
    // An import may take several lines.
    const text = readFileSync(resolve(root, path), "utf8").replace(/\{[^{}]*\} from/g, "{} from");
    for (const line of text.split("\n")) {
      if (line.includes("wasm/relish_wasm.js")) assert.match(line, /^import type /, path);
    }
  }
});

test("the policy of the page is as strict as it was designed", () => {
  const index = readFileSync(resolve(root, "web/index.html"), "utf8");
  const policy = index.match(/http-equiv="Content-Security-Policy"\s+content="([^"]+)"/)?.[1];
  assert.equal(
    policy,
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; connect-src 'self'; worker-src 'self'; font-src 'self'; img-src 'self' data:",
  );
});
