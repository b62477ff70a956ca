// Numbers for the variables of functions, so that what is alike but for its variables becomes the same bytes.
import { numbers, Reader, rewritten } from "./instructions.mjs";

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

/** Stands for any variable, and is no byte. */
const VARIABLE = 256;

/** Where in the instructions variables are named, and for each the hash of what is around it, by how much that is. */
function named(instructions) {
  const places = [];
  const code = [];
  let at = 0;
  numbers(instructions, (what, start, end, variable) => {
    if (what !== "local") return;
    for (; at < start; at++) code.push(instructions[at]);
    places.push({ variable, at: code.length });
    code.push(VARIABLE);
    at = end;
  });
  for (; at < instructions.length; at++) code.push(instructions[at]);
  for (const place of places) {
    place.around = ALIKE.map(({ before, behind }) => {
      // Of what is not there, nothing is alike but by chance.
      if (place.at < 2 || place.at + behind >= code.length) return undefined;
      let hash = Math.max(0, before - place.at);
      for (let at = Math.max(0, place.at - before); at <= place.at + behind; at++) {
        hash = Math.imul(hash ^ code[at], 0x01000193);
        hash ^= hash >>> 13;
      }
      return hash;
    });
  }
  return places;
}

/** Of some variables, which are all of one type, each to one of their own numbers: first what most wants its number. */
function assigned(variables, wanted, nUses) {
  const wishes = variables.flatMap((variable) =>
    [...wanted[variable]].map(([number, weight]) => ({ variable, number, weight })),
  );
  const free = new Set(variables);
  const to = new Map();
  for (const { variable, number } of wishes.sort((a, b) => b.weight - a.weight)) {
    if (to.has(variable) || !free.delete(number)) continue;
    to.set(variable, number);
  }
  // The others as before: the most used first.
  const left = variables.filter((variable) => !to.has(variable)).sort((a, b) => nUses[b] - nUses[a]);
  const numbers = [...free];
  left.forEach((variable, place) => to.set(variable, numbers[place]));
  return to;
}

/**
 * The same functions in the same order, in which a variable has the number, if it is one of its type and nobody wants it
 * more, that stood last where the code was alike.
 */
export function withLikeVariables(functions) {
  const last = ALIKE.map(() => new Map());
  return functions.map(({ body, nParams }) => {
    const reader = new Reader(body);
    const runs = reader.vector(() => [reader.number(), reader.byte()][0]);
    const head = body.subarray(0, reader.at);
    const instructions = body.subarray(reader.at);
    const places = named(instructions);

    const nVariables = runs.reduce((sum, count) => sum + count, nParams);
    const nUses = Array(nVariables).fill(0);
    const wanted = Array.from({ length: nVariables }, () => new Map());
    for (const { variable, around } of places) {
      nUses[variable]++;
      around.forEach((hash, which) => {
        const number = last[which].get(hash);
        if (number === undefined) return;
        wanted[variable].set(number, (wanted[variable].get(number) ?? 0) + ALIKE[which].weight);
      });
    }

    const to = new Map();
    let first = nParams;
    for (const count of runs) {
      const variables = Array.from({ length: count }, (_, place) => first + place);
      for (const [variable, number] of assigned(variables, wanted, nUses)) to.set(variable, number);
      first += count;
    }
    const numberOf = (variable) => to.get(variable) ?? variable;
    for (const { variable, around } of places) {
      around.forEach((hash, which) => hash !== undefined && last[which].set(hash, numberOf(variable)));
    }
    return Buffer.concat([head, rewritten(instructions, "local", numberOf)]);
  });
}
