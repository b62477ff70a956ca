// The layers that the page offers are those of the compiler: `layers.txt` says what the rows of `layers.rs` and `args.rs` say.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";

const root = resolve(import.meta.dirname, "../..");
const read = (path) => readFileSync(resolve(root, path), "utf8");

const PARAM = /\b(?:size\("(\w+)"|param\(\s*"(\w+)",\s*Takes::\w+(?:\([^)]*\)|\s*\{[^}]*\})?,\s*Default::(\w+)(?:\("?([^")]*)"?\))?|float\("(\w+)", ([^)]*)\)|name: "(\w+)")/g;

function params(source) {
  return [...source.matchAll(PARAM)].map(([, size, name, kind, value, float, start, required]) => {
    if (float !== undefined) return `${float}=${start}`;
    return value === undefined || kind === "Required" ? (size ?? name ?? required) : `${name}=${value}`;
  });
}

function compilerLayers() {
  const source = read("crate/hir/src/layers.rs");
  const shared = {
    "convolution!": /macro_rules! convolution \{([\s\S]*?)\n\}/.exec(source)[1],
    FEATURES: /const FEATURES: [^=]*=([\s\S]*?);/.exec(source)[1],
    AXIS: /const AXIS: [^=]*=([\s\S]*?);/.exec(source)[1],
    DROPPED: /const DROPPED: [^=]*=([\s\S]*?);/.exec(source)[1],
  };
  const table = /static LAYERS: [^=]*=([\s\S]*?)\n\];/.exec(source)[1];
  return table
    .split(/\blayer\(/)
    .slice(1)
    .map((row) => {
      const [, name, module] = /^\s*"(\w+)",\s*"(\w+)"/.exec(row);
      const whole = row.replace(/convolution!|\bFEATURES\b|\bAXIS\b|\bDROPPED\b/g, (known) => shared[known]);
      return `${module} ${name}(${params(whole).join(", ")})`;
    });
}

function compilerInitialisers() {
  const table = /INITIALISERS: [^=]*=([\s\S]*?)\n\];/.exec(read("crate/hir/src/lower/tensorscript/args.rs"))[1];
  return [...table.matchAll(/\("(init_\w+)", &\[(.*)\]\)/g)].map(([, name, inside]) => `init ${name}(${params(inside).join(", ")})`);
}

test("the page offers the layers of the compiler, with their arguments and defaults", () => {
  const known = [...compilerLayers(), ...compilerInitialisers()];
  assert.ok(known.length > 30, `only ${known.length} rows are found`);
  assert.deepEqual(read("web/src/offer/layers.txt").trim().split("\n"), known);
});
