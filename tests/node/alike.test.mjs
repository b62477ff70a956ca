// Things stand beside those that they have most in common with.
import assert from "node:assert/strict";
import { test } from "node:test";
import { alike } from "../../scripts/alike.mjs";

const order = (...texts) => alike(texts.map((text) => Buffer.from(text)))({ before: 0.4, last: 0.3 });

test("behind a thing comes the one that is most like it", () => {
  assert.deepEqual(order("the first of all", "something else", "the first of most", "the first of alls"), [0, 3, 2, 1]);
});

test("a thing within a much longer one is not like it", () => {
  const long = Array.from({ length: 100 }, (_, number) => `a thing in text ${number}, `).join("");
  assert.deepEqual(order("a thing", "other", long), [0, 1, 2]);
});

test("every thing has one place, however short or often it is", () => {
  assert.deepEqual(order("", "a", "", "a longer one", "a longer one").sort(), [0, 1, 2, 3, 4]);
  assert.deepEqual(alike([])({ before: 0.4, last: 0.3 }), []);
});
