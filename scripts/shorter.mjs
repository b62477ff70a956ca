// Instructions that are fewer and do the same:
//
// - a copy of so many bytes, which are as few as a value has, is a call of a function that loads and stores them: a browser
//   calls one of its own for the instruction, which takes four times as long;
// - of two constants that are added one after the other only the sum is;
// - where a function lets go of its frame, it is at the top of the stack: no variable has to be read for that.
import { integer, numbers, numeral, Reader } from "./instructions.mjs";

const END = 0x0b;
const CALL = 0x10;
const LOCAL_GET = 0x20;
const LOCAL_SET = 0x21;
const LOCAL_TEE = 0x22;
const GLOBAL_GET = 0x23;
const GLOBAL_SET = 0x24;
const LOADS = { 4: 0x28, 8: 0x29 };
const STORES = { 4: 0x36, 8: 0x37 };
const I32_CONST = 0x41;
const I32_ADD = 0x6a;
const I32_SUB = 0x6b;
const COPY = Buffer.of(0xfc, 0x0a, 0, 0);

/** Sizes of copies that are worth a function: in words, up to as many bytes as are stored sooner than a call is made. */
const MOST_BYTES = 128;
const LEAST_OFTEN = 30;
/** What is copied was often just written, word by word, and can't be read two at once before it has come to memory. */
const BY_WORDS = 32;

/** The number of an `i32.const` at a place. */
const constant = (instructions, at) => new Reader(instructions, at + 1).integer();

/** Where each instruction begins, and where the last one ends. */
function placesOf(instructions) {
  const places = [];
  numbers(instructions, () => {}, (at) => places.push(at));
  places.push(instructions.length);
  return places;
}

const isCopy = (instructions, at) => COPY.equals(instructions.subarray(at, at + COPY.length));

/** The sizes of the copies in some bodies that are worth a function, the most frequent first. */
export function copiedSizes(bodies) {
  const times = new Map();
  for (const instructions of bodies) {
    const places = placesOf(instructions);
    places.forEach((at, index) => {
      if (instructions[at] !== I32_CONST || !isCopy(instructions, places[index + 1])) return;
      const size = constant(instructions, at);
      times.set(size, (times.get(size) ?? 0) + 1);
    });
  }
  const isWorth = (size) => size % 4 === 0 && size <= MOST_BYTES && times.get(size) >= LEAST_OFTEN;
  return [...times.keys()].filter(isWorth).sort((a, b) => times.get(b) - times.get(a) || a - b);
}

/**
 * The body of a function that copies so many bytes from its second parameter to its first. All are loaded before one is
 * stored, as the instruction has it.
 */
export function copyOf(size) {
  const step = size > BY_WORDS && size % 8 === 0 ? 8 : 4;
  const offsets = Array.from({ length: size / step }, (_, at) => numeral(at * step));
  const loads = offsets.map((offset) => Buffer.concat([Buffer.of(LOCAL_GET, 0, LOCAL_GET, 1, LOADS[step], 0), offset]));
  const stores = offsets.toReversed().map((offset) => Buffer.concat([Buffer.of(STORES[step], 0), offset]));
  return Buffer.concat([...loads, ...stores, Buffer.of(END)]);
}

/**
 * The same instructions, where a frame is let go of by the top of the stack instead of the variable that holds its place:
 * they are the same, if that is set once, where the frame is made, and so is the top.
 */
function byTop(instructions) {
  const places = placesOf(instructions);
  const is = (index, ...operators) => operators.every((operator, at) => instructions[places[index + at]] === operator);
  const variable = (index) => new Reader(instructions, places[index] + 1).number();
  const sizeAt = (index) => constant(instructions, places[index]);
  const made = places.findIndex((_, index) => is(index, GLOBAL_GET, I32_CONST, I32_SUB, LOCAL_TEE, GLOBAL_SET));
  if (made < 0) return instructions;
  const [frame, size] = [variable(made + 3), sizeAt(made + 1)];
  const isLeft = (index) => is(index, LOCAL_GET, I32_CONST, I32_ADD, GLOBAL_SET) && variable(index) === frame && sizeAt(index + 1) === size;
  const left = [];
  for (let index = 0; index < places.length - 1; index++) {
    if (isLeft(index)) left.push(index);
    const isSet = is(index, LOCAL_SET) || is(index, LOCAL_TEE);
    if (isSet && variable(index) === frame && index !== made + 3) return instructions;
    if (is(index, GLOBAL_SET) && index !== made + 4 && left.at(-1) !== index - 3) return instructions;
  }
  const parts = [];
  let kept = 0;
  for (const index of left) {
    parts.push(instructions.subarray(kept, places[index]), Buffer.of(GLOBAL_GET, 0));
    kept = places[index + 1];
  }
  return Buffer.concat([...parts, instructions.subarray(kept)]);
}

/** The same instructions, shorter; `copies` are the functions by the size that they copy. */
export function shorter(given, copies) {
  const instructions = byTop(given);
  const places = placesOf(instructions);
  const parts = [];
  let [kept, index] = [0, 0];
  const put = (from, to, ...bytes) => {
    parts.push(instructions.subarray(kept, from), ...bytes);
    kept = to;
  };
  const isAdded = (index) => instructions[places[index]] === I32_CONST && instructions[places[index + 1]] === I32_ADD;
  while (index < places.length - 1) {
    const [at, next] = [places[index], places[index + 1]];
    if (instructions[at] === I32_CONST && isCopy(instructions, next) && copies.has(constant(instructions, at))) {
      put(at, places[index + 2], Buffer.of(CALL), numeral(copies.get(constant(instructions, at))));
      index += 2;
    } else if (isAdded(index) && isAdded(index + 2)) {
      let sum = 0;
      while (isAdded(index)) {
        sum = (sum + constant(instructions, places[index])) | 0;
        index += 2;
      }
      put(at, places[index], Buffer.of(I32_CONST), integer(sum), Buffer.of(I32_ADD));
    } else index++;
  }
  return kept === 0 ? instructions : Buffer.concat([...parts, instructions.subarray(kept)]);
}
