// What the compiler shows the page arrives as it was: `crate/object` says how the bytes are written.
import assert from "node:assert/strict";
import { test } from "node:test";
import { object } from "../../crate/object/src/object.js";

const [UNDEFINED, FALSE, TRUE, NATURAL, FLOAT, STRING, LIST, OBJECT] = Array(8).keys();

const read = (...bytes) => object(Uint8Array.from(bytes.flat(Infinity)));
const natural = (value) => (value < 128 ? [value] : [(value % 128) | 128, ...natural(Math.floor(value / 128))]);
const text = (value) => [...natural(Buffer.byteLength(value)), ...Buffer.from(value)];
const float = (value) => [FLOAT, ...new Uint8Array(new Float64Array([value]).buffer)];

test("numbers keep every bit", () => {
  for (const value of [0, 1, 127, 128, 300, 2 ** 31, 2 ** 32 - 1]) assert.equal(read(NATURAL, natural(value)), value);
  for (const value of [0.1, -0, Infinity, -Infinity, NaN, 2 ** 53 + 2]) assert.ok(Object.is(read(float(value)), value), value);
});

test("texts of any length and alphabet", () => {
  const texts = ["", "x", "ü", "→ λ 🦀", "y".repeat(32), "y".repeat(33), "é".repeat(16), "é".repeat(17), "z".repeat(20_000)];
  for (const value of texts) assert.equal(read(STRING, text(value)), value);
});

test("a name stands where it first comes up, for all objects behind it", () => {
  const first = [OBJECT, 2, 0, text("line"), NATURAL, 1, 1, text("inner"), OBJECT, 1, 0, TRUE];
  const second = [OBJECT, 2, 1, UNDEFINED, 0, FALSE];
  const wanted = [{ line: 1, inner: { line: true } }, { inner: undefined, line: false }];
  assert.deepEqual(read(LIST, 2, first, second), wanted);
});

test("what is no view is told", () => {
  assert.throws(() => read(99), /no view/);
});
