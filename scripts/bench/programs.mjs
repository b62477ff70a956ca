// What the machine is measured on, and the same written by hand in JavaScript: both do the same steps on the same data,
// each in the style of its language. The last value of a Relay text is compared with what the JavaScript returns.
//
// Sums alternate in sign, so that no number leaves 32 bits and no compiler may reorder them.

/** Keys in an order that looks random: powers of a primitive root of the prime 524287, each of them another number. */
const ROOT = 1510;
const PRIME = 524287;

export const PROGRAMS = [
  {
    name: "a loop of 10 million",
    about: "one tail call a step",
    relay: `
def @loop(%n: int32, %sum: int32) -> int32 {
  if (%n == 0) { %sum } else { @loop(%n - 1, %n - %sum) }
}
@loop(10000000, 0)
`,
    javascript() {
      let sum = 0;
      for (let n = 10_000_000; n !== 0; n -= 1) sum = n - sum;
      return sum;
    },
  },
  {
    name: "fib(30)",
    about: "1.3 million calls",
    relay: `
def @fib(%n: int32) -> int32 {
  if (%n < 2) { %n } else { @fib(%n - 1) + @fib(%n - 2) }
}
@fib(30)
`,
    javascript() {
      const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2));
      return fib(30);
    },
  },
  {
    name: "a list of one million",
    about: "built, mapped and folded; JavaScript links objects too",
    relay: `
def @upto(%n: int32, %list: List[int32]) -> List[int32] {
  if (%n == 0) { %list } else { @upto(%n - 1, Cons(%n, %list)) }
}
let %offset = 3;
@foldl(fn(%sum, %x) { %x - %sum }, 0, @map(fn(%x) { %x + %offset }, @upto(1000000, Nil)))
`,
    javascript() {
      const upto = (n) => {
        let list = null;
        for (; n !== 0; n -= 1) list = { head: n, tail: list };
        return list;
      };
      // By recursion this would overflow JavaScript's stack.
      const map = (f, list) => {
        const first = { head: undefined, tail: null };
        let last = first;
        for (; list !== null; list = list.tail) {
          last.tail = { head: f(list.head), tail: null };
          last = last.tail;
        }
        return first.tail;
      };
      const foldl = (f, result, list) => {
        for (; list !== null; list = list.tail) result = f(result, list.head);
        return result;
      };
      const offset = 3;
      return foldl((sum, x) => x - sum, 0, map((x) => x + offset, upto(1_000_000)));
    },
  },
  {
    name: "a tree of 100,000 keys",
    about: "inserted in a random order; the path to a key is copied",
    relay: `
type Keys { Leaf, Branch(Keys, int32, Keys) }
def @insert(%keys: Keys, %key: int32) -> Keys {
  match (%keys) {
    Leaf => Branch(Leaf, %key, Leaf),
    Branch(%left, %here, %right) =>
      if (%key < %here) { Branch(@insert(%left, %key), %here, %right) }
      else { if (%key > %here) { Branch(%left, %here, @insert(%right, %key)) } else { %keys } },
  }
}
def @grown(%n: int32, %key: int32, %keys: Keys) -> Keys {
  if (%n == 0) { %keys } else { @grown(%n - 1, floor_mod(%key * ${ROOT}, ${PRIME}), @insert(%keys, %key)) }
}
def @sum(%keys: Keys) -> int32 {
  match (%keys) { Leaf => 0, Branch(%left, %key, %right) => %key - @sum(%left) - @sum(%right) }
}
@sum(@grown(100000, 1, Leaf))
`,
    javascript() {
      const insert = (keys, key) => {
        if (keys === null) return { left: null, key, right: null };
        if (key < keys.key) return { left: insert(keys.left, key), key: keys.key, right: keys.right };
        if (key > keys.key) return { left: keys.left, key: keys.key, right: insert(keys.right, key) };
        return keys;
      };
      const sum = (keys) => (keys === null ? 0 : keys.key - sum(keys.left) - sum(keys.right));
      let keys = null;
      let key = 1;
      for (let n = 100_000; n !== 0; n -= 1) {
        keys = insert(keys, key);
        key = (key * ROOT) % PRIME;
      }
      return sum(keys);
    },
  },
  {
    name: "two functions in turn",
    about: "10 million tail calls; JavaScript has none: each function returns the next, and a loop calls it",
    relay: `
def @add(%n: int32, %sum: int32) -> int32 { if (%n == 0) { %sum } else { @subtract(%n - 1, %sum + %n) } }
def @subtract(%n: int32, %sum: int32) -> int32 { if (%n == 0) { %sum } else { @add(%n - 1, %sum - %n) } }
@add(10000000, 0)
`,
    javascript() {
      let sum = 0;
      const add = (n) => {
        sum += n;
        return subtract;
      };
      const subtract = (n) => {
        sum -= n;
        return add;
      };
      let step = add;
      for (let n = 10_000_000; n !== 0; n -= 1) step = step(n);
      return sum;
    },
  },
  {
    name: "one million calls deep",
    about: "JavaScript's own stack overflows: it keeps the frames in an array",
    relay: `
def @alternating(%n: int32) -> int32 {
  if (%n == 0) { 0 } else { %n - @alternating(%n - 1) }
}
@alternating(1000000)
`,
    javascript() {
      const frames = [];
      for (let n = 1_000_000; n !== 0; n -= 1) frames.push(n);
      let sum = 0;
      while (frames.length > 0) sum = frames.pop() - sum;
      return sum;
    },
  },
];
