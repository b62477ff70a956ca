// The functions of a module are put in an order; what they do stays.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bestOrder, named } from "../../scripts/order.mjs";

// (import "a" "f" (func)) (func (result i32) i32.const 9) (func (result i32) i32.const 7) (func)
const MODULE = Buffer.from(
  [
    "0061736d01000000",
    "0108026000017f600000", // types: () -> i32, () -> ()
    "020701016101660001", // one imported function, of the second type
    "030403000001",
    "0a0e03040041090b040041070b02000b",
  ].join(""),
  "hex",
);

test("functions of one type stand by their code", () => {
  assert.deepEqual(bestOrder(MODULE), [1, 0, 2]);
});

test("the order is told by names, behind the imported functions", () => {
  const [section] = WebAssembly.Module.customSections(new WebAssembly.Module(named(MODULE, [1, 0, 2])), "name");
  assert.equal(
    Buffer.from(section).toString("latin1"),
    "\x01\x1f\x03\x01\x0800000001\x02\x0800000000\x03\x0800000002",
  );
});
