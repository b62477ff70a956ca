// The page and the command line are one compiler: on every program of the test pages both print the same JSON.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { readPages } from "../../scripts/pages.mjs";
import { loadPlayground } from "./compiler.mjs";

const root = resolve(import.meta.dirname, "../..");
const relish = resolve(root, "target/debug/relish");
const LIMIT_MS = 30_000;

function native(command, text, options = []) {
  return new Promise((done, fail) => {
    const child = spawn(relish, [command, "--json", "-", ...options], { stdio: ["pipe", "pipe", "pipe"], timeout: LIMIT_MS });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (part) => (stdout += part));
    child.stderr.setEncoding("utf8").on("data", (part) => (stderr += part));
    child.on("error", fail);
    child.on("close", (code) =>
      code === 0 || code === 1 ? done(stdout) : fail(new Error(`relish ${command} ended with ${code}: ${stderr}`)),
    );
    child.stdin.on("error", () => {});
    child.stdin.end(text);
  });
}

/** A text after the edits of a view, which stand in source order. */
function edited(text, edits) {
  return edits.toReversed().reduce((text, { span, text: put }) => text.slice(0, span.start) + put + text.slice(span.end), text);
}

test("the page formats as the command line does", async () => {
  const playground = await loadPlayground();
  for (const page of readPages(resolve(root, "tests/pages"))) {
    for (const { heading, text } of page.programs) {
      const [file] = JSON.parse(await native("fmt", text)).files;
      const { edits, errors } = playground.format(text);
      assert.equal(errors, file.diagnostics.length, `mistakes in “${heading}”`);
      assert.equal(edited(text, edits), file.text ?? text, `“${heading}”`);
    }
  }
});

test("the page saves the trace that the command line prints", async () => {
  const playground = await loadPlayground();
  for (const text of ["let %x = 1 + 2.0;\n", "def @f(%a) { %a }\n@f(ones(shape=[2, 3])) + ones(shape=[4])\n"]) {
    playground.update(text);
    const found = JSON.stringify(playground.traceDocument(), (_, value) => value ?? null);
    assert.equal(found, (await native("trace", text)).trimEnd());
  }
});

/** What both are asked of every program, and of those of one language. */
const COMMANDS = [
  { command: "check" },
  { command: "run" },
  { command: "ir", options: { fusion: "off" } },
  { command: "layout", language: "refine" },
  { command: "summary", language: "tensorscript" },
  { command: "export", options: { to: "pytorch" }, language: "tensorscript" },
  { command: "export", options: { to: "relay" }, language: "tensorscript" },
];

test("the page and the command line print the same", async (t) => {
  assert.ok(existsSync(relish), "target/debug/relish is missing; build it with `cargo build --bin relish`");
  const playground = await loadPlayground({ commands: true });
  for (const page of readPages(resolve(root, "tests/pages"))) {
    await t.test(page.path, async () => {
      for (const { heading, language, text } of page.programs) {
        for (const { command, options = {}, language: only = language } of COMMANDS) {
          if (only !== language) continue;
          const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
          const expected = await native(command, text, flags);
          const found = playground.command(command, text, JSON.stringify(options));
          assert.equal(found.trimEnd(), expected.trimEnd(), `relish ${command} ${flags.join(" ")} of “${heading}”`);
        }
      }
    });
  }
  playground.free();
});

/** Numbers at which one of four bytes, and one of eight, come to their ends. */
const EXTREME = ["-1", "0", "65536", "2147483648", "4294967295", "4294967296", "4294967297", "9223372036854775807"];
const N_EXTREME = process.env.RELISH_SOAK === undefined ? 300 : 10_000;

/** A generator of numbers below another, the same every time (a linear congruence modulo 2^31). */
function seeded(state) {
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

test("in the page sizes have four bytes, and a run is the same", async () => {
  const playground = await loadPlayground({ commands: true });
  const below = seeded(1);
  const whole = /(?<![\w.%"@])\d+(?![\w.]*[a-z"])/g;
  const programs = readPages(resolve(root, "tests/pages")).flatMap((page) => page.programs);
  const texts = programs.map(({ text }) => text).filter((text) => text.length < 1500 && text.search(whole) >= 0);
  for (let n = 0; n < N_EXTREME; n++) {
    const text = texts[below(texts.length)];
    const places = [...text.matchAll(whole)];
    const { index, 0: digits } = places[below(places.length)];
    const changed = text.slice(0, index) + EXTREME[below(EXTREME.length)] + text.slice(index + digits.length);
    const expected = await native("run", changed);
    assert.equal(playground.command("run", changed, "{}").trimEnd(), expected.trimEnd(), changed);
  }
  playground.free();
});
