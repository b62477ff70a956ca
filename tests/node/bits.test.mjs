// Results are the same to the bit: what the command line computes without SIMD, and what the page computes with it.
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import { run } from "../../scripts/house.mjs";
import { difference, inNode, native } from "../bits/engines.mjs";
import { madePrograms } from "../bits/programs.mjs";
import { loadPlayground } from "./compiler.mjs";

test("the page's engine computes the bits that the command line does", async (t) => {
  const playground = await loadPlayground();
  for (const program of madePrograms()) {
    await t.test(program.title, async () => {
      const expected = await native(program.text);
      assert.ok(expected.length > 0 && expected.every((value) => value !== null), "every expression has a value");
      const found = inNode(playground, program.text);
      assert.equal(difference(program, expected, found), undefined);
    });
  }
  playground.free();
});

test("a NaN has the same bits wherever it comes from", async () => {
  const playground = await loadPlayground();
  const canonical = { float32: "2143289344", float64: "9221120237041090560i64", float16: "32256i16", bfloat16: "32704i16" };
  for (const program of madePrograms()) {
    const dtype = /^NaN, (\w+)/.exec(program.title)?.[1];
    if (dtype === undefined) continue;
    // Any other NaN has the bits of the exponent set, as those of an infinity are.
    const width = { float32: 32, float64: 64, float16: 16, bfloat16: 16 }[dtype];
    const infinity = { float32: 0x7f800000n, float64: 0x7ff0000000000000n, float16: 0x7c00n, bfloat16: 0x7f80n }[dtype];
    const values = inNode(playground, program.text).flatMap((value) => value.match(/-?\d+(?:i\d+)?/g));
    const others = values.filter((value) => {
      const magnitude = BigInt(value.replace(/i\d+$/, "")) & ((1n << BigInt(width - 1)) - 1n);
      return magnitude > infinity && value !== canonical[dtype];
    });
    assert.deepEqual(others, [], program.title);
    assert.ok(values.filter((value) => value === canonical[dtype]).length > 100, `${program.title}: there are NaN`);
  }
  playground.free();
});

test("a difference in one bit is found and told", () => {
  const say = (expected, found) => difference({ title: "A program" }, expected, found);
  assert.equal(say(["1", "[1, 2, 3]"], ["1", "[1, 2, 3]"]), undefined);
  assert.equal(say(["1", "[1, 2, 3]"], ["1", "[1, 4, 3]"]), "A program, value 2, number 2: 4, 3] instead of 2, 3]");
  assert.equal(say(["1"], []), "A program: 0 values instead of 1");
});

test("of what relaxed SIMD leaves open, only the rounding of products and sums is used", async () => {
  const file = resolve(import.meta.dirname, "../../web/src/wasm/relish_relaxed.wasm");
  const { output } = await run("wasm-dis", [file, "--all-features"], { show: false });
  assert.deepEqual([...new Set(output.match(/[fi]\w+\.relaxed_\w+/g))], ["f32x4.relaxed_madd"]);
});
