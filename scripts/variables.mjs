// Numbers for the variables of functions, so that what is alike but for its variables becomes the same bytes.
import { numbers, numeral, Reader, rewritten } from "./instructions.mjs";

/**
 * Around a variable the code is alike if so many bytes before and behind it are the same, whatever variables are named in
 * them. More says more, and counts more; what is alike on one side alone may be the end of what is alike, or its beginning.
 */
const ALIKE = [
  { before: 12, behind: 12, weight: 2 },
  { before: 6, behind: 6, weight: 1 },
  { before: 4, behind: 4, weight: 0.5 },
  { before: 16, behind: 0, weight: 1 },
  { before: 8, behind: 0, weight: 1 },
  { before: 4, behind: 0, weight: 0.3 },
  { before: 0, behind: 16, weight: 1 },
  { before: 0, behind: 8, weight: 1 },
  { before: 0, behind: 4, weight: 0.3 },
];

/** It is the same if the variables named in it have the same numbers, too. */
const SAME = [
  { before: 12, behind: 12, weight: 2 },
  { before: 6, behind: 6, weight: 2 },
  { before: 8, behind: 0, weight: 2 },
  { before: 0, behind: 8, weight: 2 },
  { before: 4, behind: 0, weight: 1 },
  { before: 0, behind: 4, weight: 1 },
];

/** How often the variables of a function are numbered anew, by the numbers that all of them have by then. */
const N_ROUNDS = 2;

/**
 * A function declares the variables that it has of a type, and some more up to a multiple of this: then more of them can
 * have the number that they want. One without a use takes a word of the stack, and none once the engine has optimised.
 */
const MULTIPLE_OF_I32 = 8;
const MULTIPLE = 4;
const I32 = 0x7f;

const roomFor = (count, type) => {
  const multiple = type === I32 ? MULTIPLE_OF_I32 : MULTIPLE;
  return Math.ceil(count / multiple) * multiple;
};

/** Instructions are numbers: their bytes, behind those this for a variable of any number, and one more for each number. */
const VARIABLE = 256;

const BASE = 0x01000193;
const POWERS = new Int32Array(32);
POWERS.forEach((_, at) => (POWERS[at] = at === 0 ? 1 : Math.imul(POWERS[at - 1], BASE)));

/**
 * Calls `see(place, hash, width)` with the hash of what is around each place, which is not in it, in each of some widths.
 * What reaches beyond the end has none.
 */
function around(code, places, widths, see) {
  // The hashes of all beginnings, from which that of any part follows.
  const hashes = new Int32Array(code.length + 1);
  for (let at = 0; at < code.length; at++) hashes[at + 1] = Math.imul(hashes[at], BASE) + code[at] + 1;
  const part = (from, to) => hashes[to] - Math.imul(hashes[from], POWERS[to - from]);
  for (const place of places) {
    // Of what is not there, nothing is alike but by chance.
    if (place.at < 2) continue;
    widths.forEach(({ before, behind }, width) => {
      const end = place.at + 1 + behind;
      if (end > code.length) return;
      const hash = part(Math.max(0, place.at - before), place.at) ^ Math.imul(part(place.at + 1, end), 0x2c1b3c6d);
      const mixed = Math.imul(hash ^ (hash >>> 15) ^ (width << 24), 0x85ebca6b);
      see(place, mixed ^ (mixed >>> 13), width);
    });
  }
}

/** The variables of a body, by type, where they are named in its instructions, and those, with no number for any. */
function named({ body, nParams }) {
  const reader = new Reader(body);
  const groups = [];
  let [first, firstNumber] = [nParams, nParams];
  reader.vector(() => {
    const [count, type] = [reader.number(), reader.byte()];
    const room = roomFor(count, type);
    groups.push({ type, count, first, room, firstNumber });
    first += count;
    firstNumber += room;
  });
  const instructions = body.subarray(reader.at);
  const places = [];
  const code = [];
  let at = 0;
  numbers(instructions, (what, start, end, variable) => {
    if (what !== "local") return;
    for (; at < start; at++) code.push(instructions[at]);
    // A parameter has the number that it has.
    if (variable >= nParams) places.push({ variable, at: code.length });
    code.push(variable < nParams ? VARIABLE + 1 + variable : VARIABLE);
    at = end;
  });
  for (; at < instructions.length; at++) code.push(instructions[at]);
  const nUses = Array(first).fill(0);
  for (const { variable } of places) nUses[variable]++;
  return { groups, instructions, places, code: Uint16Array.from(code), nUses, nParams };
}

const range = (from, count) => Array.from({ length: count }, (_, place) => from + place);

/** A number for each variable of a function: first for what most wants the one that it wants. */
function assigned({ groups, nUses, nParams }, wanted) {
  const to = nUses.map((_, variable) => (variable < nParams ? variable : undefined));
  for (const { count, first, room, firstNumber } of groups) {
    const variables = range(first, count);
    const free = new Set(range(firstNumber, room));
    const wishes = variables.flatMap((variable) => [...wanted[variable]].map((wish) => [variable, ...wish]));
    for (const [variable, number] of wishes.sort(([, , a], [, , b]) => b - a)) {
      if (to[variable] === undefined && free.delete(number)) to[variable] = number;
    }
    // The others as before: the most used first.
    const left = variables.filter((variable) => to[variable] === undefined).sort((a, b) => nUses[b] - nUses[a]);
    const numbers = [...free];
    left.forEach((variable, place) => (to[variable] = numbers[place]));
  }
  return to;
}

function wish(wanted, number, weight) {
  if (number !== undefined) wanted.set(number, (wanted.get(number) ?? 0) + weight);
}

/**
 * Finds for some functions, in an order of their places, the bodies in which a variable has the number, if it is one of its
 * type and nobody wants it more, that stood last where the code was alike. They are given by their places, too.
 */
export function likeVariables(functions) {
  const all = functions.map(named);
  // Numbers for all that is around more than one place: what has been seen once has none yet.
  const seen = new Map();
  let nSeen = 0;
  for (const { code, places } of all) {
    around(code, places, ALIKE, (_, hash) => seen.set(hash, seen.has(hash) ? (seen.get(hash) ?? nSeen++) : undefined));
  }
  for (const function_ of all) {
    const alike = [];
    around(function_.code, function_.places, ALIKE, ({ variable }, hash, width) => {
      const number = seen.get(hash);
      if (number !== undefined) alike.push(variable, number, width);
    });
    function_.alike = Uint32Array.from(alike);
  }
  seen.clear();

  return (order) => {
    const bodies = Array(all.length);
    const lastAlike = Array(nSeen);
    const lastSame = new Map();
    for (const place of order) {
      // Its code has the numbers of the order before, until it gets others.
      const { groups, instructions, places, alike, code, nUses } = all[place];
      const wanted = nUses.map(() => new Map());
      for (let at = 0; at < alike.length; at += 3) {
        wish(wanted[alike[at]], lastAlike[alike[at + 1]], ALIKE[alike[at + 2]].weight);
      }
      const numbered = (wanted) => {
        const to = assigned(all[place], wanted);
        for (const { variable, at } of places) code[at] = VARIABLE + 1 + to[variable];
        return to;
      };
      let to = numbered(wanted);
      for (let round = 0; round < N_ROUNDS; round++) {
        const more = wanted.map((numbers) => new Map(numbers));
        around(code, places, SAME, ({ variable }, hash, width) => wish(more[variable], lastSame.get(hash), SAME[width].weight));
        to = numbered(more);
      }
      for (let at = 0; at < alike.length; at += 3) lastAlike[alike[at + 1]] = to[alike[at]];
      around(code, places, SAME, ({ variable }, hash) => lastSame.set(hash, to[variable]));
      bodies[place] = Buffer.concat([
        numeral(groups.length),
        ...groups.flatMap(({ type, room }) => [numeral(room), Buffer.of(type)]),
        rewritten(instructions, "local", (variable) => to[variable]),
      ]);
    }
    return bodies;
  };
}
