// Fewer instructions do what more did.
import assert from "node:assert/strict";
import { test } from "node:test";
import { integer, numeral, sized } from "../../scripts/instructions.mjs";
import { copiedSizes, copyOf, shorter } from "../../scripts/shorter.mjs";

const bytes = (...parts) => Buffer.from(parts.join("").replaceAll(" ", ""), "hex");
const section = (id, content) => Buffer.concat([Buffer.of(id), sized(content)]);

/** A module of a function of two numbers, `f`, and a memory, `m`; its one global is a number that can be set, `g`. */
function instance(instructions, result = "00") {
  const module = Buffer.concat([
    bytes("0061736d 01000000"),
    section(1, bytes("01 60 02 7f7f", result)),
    section(3, bytes("01 00")),
    section(5, bytes("01 00 01")),
    section(6, bytes("01 7f 01 41 80 08 0b")),
    section(7, bytes("03 01 66 00 00 01 6d 02 00 01 67 03 00")),
    section(10, Buffer.concat([numeral(1), sized(Buffer.concat([bytes("01 01 7f"), instructions]))])),
  ]);
  return new WebAssembly.Instance(new WebAssembly.Module(module)).exports;
}

test("a copy by loads and stores is the same, also where its two places overlap", () => {
  for (const size of [4, 12, 20, 32, 36, 40, 72, 128]) {
    for (const to of [200, 60, 61, 64, 68, 99, 100, 101, 104, 112, 131]) {
      const { f, m } = instance(copyOf(size));
      const memory = new Uint8Array(m.buffer);
      memory.forEach((_, at) => (memory[at] = (at * 37) % 251));
      const wanted = memory.slice().copyWithin(to, 100, 100 + size);
      f(to, 100);
      assert.deepEqual(memory, wanted, `${size} bytes from 100 to ${to}`);
    }
  }
});

test("what is copied beyond the memory is not copied in part", () => {
  const { f, m } = instance(copyOf(24));
  assert.throws(() => f(0, 65536 - 8), WebAssembly.RuntimeError);
  assert.throws(() => f(65536 - 8, 100), WebAssembly.RuntimeError);
  assert.ok(new Uint8Array(m.buffer).subarray(0, 65536 - 8).every((byte) => byte === 0));
});

test("sizes that are often copied have a function, and only those", () => {
  const copy = (size) => `2000 2001 41${size} fc0a0000`;
  const often = bytes(copy("0c").repeat(40), copy("18").repeat(30), copy("10").repeat(29), copy("0d").repeat(50), "0b");
  assert.deepEqual(copiedSizes([often]), [12, 24]);
  const copies = new Map([[12, 7], [24, 200]]);
  const short = shorter(bytes(copy("0c"), copy("18"), copy("10"), "0b"), copies);
  assert.deepEqual(short, bytes("2000 2001 1007 2000 2001 10c801", copy("10"), "0b"));
});

test("constants that are added one after the other are added once", () => {
  const sum = (...constants) => Buffer.concat([bytes("2000"), ...constants.map((one) => Buffer.concat([bytes("41"), integer(one), bytes("6a")])), bytes("0b")]);
  for (const constants of [[1, 2], [-5, 70], [2 ** 31 - 1, 1], [-(2 ** 31), -1], [64, 64, 64], [100000, -7, 3]]) {
    const short = shorter(sum(...constants), new Map());
    assert.ok(short.length < sum(...constants).length, `${constants}`);
    const [before, after] = [sum(...constants), short].map((instructions) => instance(instructions, "01 7f").f(40, 0));
    assert.equal(after, before, `${constants}`);
  }
  assert.deepEqual(shorter(sum(7), new Map()), sum(7));
});

// The frame is made of 16 bytes, its place is in the third variable, and what stands there is given.
const made = "2300 4110 6b 2202 2400";
const left = "2002 4110 6a 2400";

test("a frame is let go of by the top of the stack", () => {
  const body = bytes(made, "2002 2000 36 0204", "2002 28 0204", left, "0b");
  const short = shorter(body, new Map());
  assert.deepEqual(short, bytes(made, "2002 2000 36 0204", "2002 28 0204", "2300 4110 6a 2400", "0b"));
  for (const instructions of [body, short]) {
    const { f, g } = instance(instructions, "01 7f");
    assert.equal(f(42, 0), 42);
    assert.equal(g.value, 1024);
  }
});

test("where the top or the variable is set otherwise, it stays as it is", () => {
  const kept = [
    bytes(made, "2001 2102", left, "0b"),
    bytes(made, "2001 2400", left, "0b"),
    bytes(made, "2002 4120 6a 2400", "0b"),
    bytes(left, "0b"),
  ];
  for (const body of kept) assert.deepEqual(shorter(body, new Map()), body);
});
