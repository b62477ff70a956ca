// A module is packed; what it does stays.
import assert from "node:assert/strict";
import { test } from "node:test";
import { numbers } from "../../scripts/instructions.mjs";
import { packed, tidied, withoutCopies, withShortNames } from "../../scripts/pack.mjs";
import { likeVariables } from "../../scripts/variables.mjs";

const bytes = (...parts) => Buffer.from(parts.join("").replaceAll(" ", ""), "hex");

const hex = (byte) => byte.toString(16).padStart(2, "0");

// (import "a" "f" (func)), then three functions of () -> i32: two that give 9, one that gives 7; one that adds the
// first, the second and the third; a table with all; exports of the second and the last; a name for the first.
const MODULE = bytes(
  "0061736d 01000000",
  "01 08 02 600000 60 00 01 7f",
  "02 07 01 0161 0166 00 00",
  "03 05 04 01 01 01 01",
  "04 04 01 70 00 04",
  "07 09 02 01 62 00 02 01 73 00 04",
  "09 0a 01 00 41 00 0b 04 01 02 03 04",
  "0a 1b 04 04 00 4109 0b 04 00 4109 0b 04 00 4107 0b 0a 00 1001 1002 6a 1003 6a 0b",
  "00 0a 04 6e616d65 01 03 01 01 00",
);

const instance = (module) => new WebAssembly.Instance(new WebAssembly.Module(module), { a: { f() {} } }).exports;

test("calls, exports and tables lead to the same functions as before", () => {
  const small = packed(MODULE);
  assert.ok(small.length < MODULE.length);
  for (const module of [MODULE, small]) {
    const { b, s } = instance(module);
    assert.deepEqual([b(), s()], [9, 25]);
  }
  assert.deepEqual(WebAssembly.Module.customSections(new WebAssembly.Module(small), "name"), []);
});

test("packing twice is packing once", () => {
  assert.deepEqual(packed(packed(MODULE)), packed(MODULE));
});

test("functions are the same whose callees are", () => {
  // Two that give 9, and a caller of each.
  const bodies = [bytes("00 4109 0b"), bytes("00 4109 0b"), bytes("00 1001 0b"), bytes("00 1002 0b")];
  const { first } = withoutCopies([1, 1, 1, 1], bodies, 1);
  assert.deepEqual(first, [0, 0, 2, 2]);
  // Not if their types differ.
  assert.deepEqual(withoutCopies([1, 2, 1, 1], bodies, 1).first, [0, 1, 2, 3]);
});

test("the most used variable of a type comes first, behind the parameters, and unused ones go", () => {
  // (param i32) (local i32 f64 i32): get 0, get 3, get 3, get 1, get 2.
  const body = bytes("03 01 7f 01 7c 01 7f", "2000 2003 2003 2001 2002 0b");
  assert.deepEqual(tidied(body, 1), bytes("02 02 7f 01 7c", "2000 2001 2001 2002 2003 0b"));
  assert.deepEqual(tidied(bytes("01 02 7f", "2002 0b"), 1), bytes("01 01 7f", "2001 0b"));
});

// (param i32) (local i32 i32 f64): 1 = 0 + 7; 2 = 1 * 9; 2 - 1, by the numbers of the two variables of one type.
const product = (a, b) => `2000 4107 6a 21${a} 20${a} 4109 6c 21${b} 20${b} 20${a} 6b 0b`;
const numbered = (instructions, order = instructions.map((_, place) => place)) =>
  likeVariables(instructions.map((body) => ({ body: bytes("02 02 7f 01 7c", body), nParams: 1 })))(order);

test("variables have the numbers that they have where the code is alike", () => {
  const both = numbered([product("01", "02"), product("02", "01")]);
  assert.deepEqual(both[0], both[1]);
  // Which they are is said by who comes first.
  for (const order of [[0, 1], [1, 0]]) {
    const [short, long] = numbered([product("02", "01"), `4105 1a ${product("01", "02")}`], order);
    assert.deepEqual(long.subarray(-product("01", "02").replaceAll(" ", "").length / 2), short.subarray(5));
  }
  // Parameters, and variables of other types, do not have their numbers: those of f64 begin behind all that there may be
  // of i32.
  const other = (number) => `2000 4107 6a 2100 2000 4109 6c 21${number} 20${number} 2000 6b 0b`;
  assert.deepEqual(numbered([product("02", "01"), other("03")])[1], bytes("02 08 7f 04 7c", other("09")));
});

test("a function declares more variables than it has, up to a multiple", () => {
  const [body] = numbered([product("01", "02")]);
  assert.deepEqual(body, bytes("02 08 7f 04 7c", product("01", "02")));
});

test("each variable has a number of its own, and of its type", () => {
  // Twelve of i32 and two of i64, of which each is set, behind code that is alike for all.
  const set = Array.from({ length: 12 }, (_, at) => `4107 4109 6a 21${hex(at)}`);
  const body = bytes("02 0c 7f 02 7e", ...set, "4207 210c 4209 210d 0b");
  for (const like of likeVariables([body, body].map((body) => ({ body, nParams: 0 })))([0, 1])) {
    const found = [];
    numbers(like.subarray(5), (what, _start, _end, variable) => what === "local" && found.push(variable));
    assert.equal(new Set(found).size, 14);
    assert.deepEqual(found.map((variable) => variable < 16), [...Array(12).fill(true), false, false]);
    assert.ok(found.every((variable) => variable < 20));
  }
});

test("no load or store says how aligned its place is", () => {
  // A number from memory, a vector, and one lane of it.
  const body = bytes("00", "4100 28 02 04", "4100 fd 00 04 08", "fd 54 00 08 03 0b");
  assert.deepEqual(tidied(body, 0), bytes("00", "4100 28 00 04", "4100 fd 00 00 08", "fd 54 00 08 03 0b"));
});

test("numbers are found behind instructions of every form", () => {
  const found = [];
  numbers(
    bytes(
      "41 a010 42 a010 43 20202020 44 2010201020102010", // constants that look like other instructions
      "0e 02 10 20 10 1c 01 7f d0 70 11 10 00 28 02 10", // br_table, select, ref.null, call_indirect, load
      "fc 0a 00 00 fc 10 01 fd 0c 20202020202020202020202020202020 fd 15 10 fd 54 00 20 10 fd ae01", // memory, tables, vectors
      "10 05 d2 06 22 8001",
    ),
    (what, _start, _end, value) => found.push([what, value]),
  );
  const vectors = [["vector", 0x0c], ["vector", 0x15], ["vector", 0x54], ["alignment", 0], ["vector", 0xae]];
  assert.deepEqual(found, [["alignment", 2], ...vectors, ["call", 5], ["call", 6], ["local", 128]]);
  assert.throws(() => numbers(bytes("fe 00"), () => {}), /0xfe/);
});

test("what LLVM takes for a relaxed maximum is the one that says what becomes of a NaN", () => {
  // Two functions of () -> f32: the larger one of NaN and 0, and of 0 and NaN, by f32x4.relaxed_max.
  const larger = (a, b) => `16 00 43${a} fd13 43${b} fd13 fd8e02 fd1f00 0b`;
  const [nan, zero] = ["0000c07f", "00000000"];
  const module = bytes(
    "0061736d 01000000",
    "01 05 01 60 00 01 7d",
    "03 03 02 00 00",
    "07 09 02 01 61 00 00 01 62 00 01",
    "0a 2f 02", larger(nan, zero), larger(zero, nan),
  );
  // In this form also an engine that does not know relaxed SIMD takes it.
  const { a, b } = new WebAssembly.Instance(new WebAssembly.Module(packed(module))).exports;
  assert.deepEqual([a(), b()], [NaN, 0]);
});

test("exports have short names, and lead to the same functions", () => {
  const { module, names } = withShortNames(packed(MODULE));
  const [before, after] = [MODULE, module].map(instance);
  assert.deepEqual([...names.keys()], ["b", "s"]);
  for (const [old, short] of names) assert.equal(after[short](), before[old]());
});
