// Makes a WebAssembly module small for Brotli, which pays less for what repeats nearby. Nothing is computed in another
// way:
//
// - what fewer instructions do is done by these (`shorter.mjs`);
// - functions that are the same stay once;
// - the variables of a function are numbered by how often they are named;
// - how aligned an address is, which is a hint, and no engine on 64 bits takes it, is said nowhere;
// - each function stands behind some that it is like, above all the last: most neighbours are then instances of one
//   generic function;
// - in that order, variables have the numbers that stood last where the code is alike but for its variables, and a function
//   declares some more than it has, for numbers to choose from;
// - before all of them stand the few that are called most often, whose numbers are then bytes;
// - names, and what tools say of themselves, go; exports have short ones.
//
// wasm-opt's passes take more off the file, and add more to what is downloaded: they write what was alike in unlike
// ways.
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";
import { alike } from "./alike.mjs";
import { numbers, numeral, Reader, rewritten, sized } from "./instructions.mjs";
import { copiedSizes, copyOf, shorter } from "./shorter.mjs";
import { likeVariables } from "./variables.mjs";

/**
 * Where relaxed SIMD is on, LLVM takes `f32x4.relaxed_min` and `_max` for `f32x4.pmin` and `_pmax`, which may lose a NaN
 * on some processors. They are what they were again: as fast on those of Intel and AMD, and the same everywhere.
 */
const STRICT = new Map([[0x10d, 0xea], [0x10e, 0xeb]]);

const CUSTOM = 0;
const TYPES = 1;
const IMPORTS = 2;
const FUNCTIONS = 3;
const EXPORTS = 7;
const START = 8;
const ELEMENTS = 9;
const CODE = 10;

const FUNCTION = 0;

/**
 * By what functions are put behind those that they are like, and how many of those that are called most often stand in
 * front. Which is best is chance, since each call is written otherwise then, so all are tried, by a quality at which
 * Brotli is quick; the few that are best by it are tried as hosts send them.
 */
const LIKENESS = [
  [0.15, 0.2],
  [0.3, 0.3],
  [0.35, 0.2],
  [0.35, 0.3],
  [0.4, 0.3],
  [0.45, 0.2],
  [0.25, 0.3],
  [0.3, 0.25],
].map(([before, last]) => ({ before, last }));
const OFTEN = [50, 60, 70, 85];
const QUICK = 9;
const N_BEST = 12;

/**
 * A body whose variables, behind its parameters, stand by type, the most used first; those without a use are gone, and so
 * are alignments. Smaller and larger numbers are taken strictly.
 */
export function tidied(body, nParams) {
  const reader = new Reader(body);
  const types = [];
  reader.vector(() => {
    const count = reader.number();
    const type = reader.byte();
    for (let i = 0; i < count; i++) types.push(type);
  });
  const instructions = body.subarray(reader.at);
  const uses = new Map();
  numbers(instructions, (which, _start, _end, variable) => {
    if (which !== "local" || variable < nParams) return;
    uses.set(variable, (uses.get(variable) ?? 0) + 1);
  });
  const type = (variable) => types[variable - nParams];
  // A map has its keys in the order in which they came, and sorting keeps that of equals.
  const sorted = [...uses.keys()].sort((a, b) => type(b) - type(a) || uses.get(b) - uses.get(a));
  const rank = new Map(sorted.map((variable, place) => [variable, nParams + place]));
  const groups = [];
  for (const variable of sorted) {
    const last = groups.at(-1);
    if (last?.type === type(variable)) last.count++;
    else groups.push({ type: type(variable), count: 1 });
  }
  const rewrites = [
    ["local", (variable) => rank.get(variable) ?? variable],
    ["alignment", () => 0],
    ["vector", (operator) => STRICT.get(operator) ?? operator],
  ];
  const declared = groups.flatMap(({ count, type }) => [numeral(count), Buffer.of(type)]);
  return Buffer.concat([
    numeral(groups.length),
    ...declared,
    rewrites.reduce((instructions, [what, renumber]) => rewritten(instructions, what, renumber), instructions),
  ]);
}

/** What a body says of its variables, and its instructions. */
function partsOf(body) {
  const reader = new Reader(body);
  reader.vector(() => {
    reader.number();
    reader.byte();
  });
  return { head: body.subarray(0, reader.at), instructions: body.subarray(reader.at) };
}

/** Bodies with fewer instructions that do the same, the functions that they call for that, and the types of all. */
function shortened(bodies, types, nImported, typeOfCopies) {
  const parts = bodies.map(partsOf);
  const sizes = typeOfCopies < 0 ? [] : copiedSizes(parts.map(({ instructions }) => instructions));
  const copies = new Map(sizes.map((size, at) => [size, nImported + bodies.length + at]));
  const short = parts.map(({ head, instructions }) => Buffer.concat([head, shorter(instructions, copies)]));
  // They have no variables.
  const added = sizes.map((size) => Buffer.concat([numeral(0), copyOf(size)]));
  return { bodies: [...short, ...added], types: [...types, ...sizes.map(() => typeOfCopies)] };
}

/** A body with the functions that it calls written anew. */
function withCalls(body, renumber) {
  const { head, instructions } = partsOf(body);
  const changed = rewritten(instructions, "call", renumber);
  return changed === instructions ? body : Buffer.concat([head, changed]);
}

/** The functions that a body calls, as often as it does. */
function calls(body) {
  const called = [];
  numbers(partsOf(body).instructions, (which, _start, _end, value) => {
    if (which === "call") called.push(value);
  });
  return called;
}

/** The functions that are called by some, by how often they are. What `called` does not know is called outside. */
function calledMost(functions, called) {
  const times = new Map();
  for (const function_ of functions) {
    for (const other of called(function_)) times.set(other, (times.get(other) ?? 0) + 1);
  }
  times.delete(undefined);
  return [...times.keys()].sort((a, b) => times.get(b) - times.get(a));
}

/** For each function the first that is the same, and the bodies that call only such. Callers of the same may be the same. */
export function withoutCopies(types, bodies, nImported) {
  const first = bodies.map((_, function_) => function_);
  for (;;) {
    const seen = new Map();
    let nFound = 0;
    bodies.forEach((body, function_) => {
      if (first[function_] !== function_) return;
      const key = `${types[function_]}:${body.toString("latin1")}`;
      const other = seen.get(key);
      if (other === undefined) seen.set(key, function_);
      else {
        first[function_] = other;
        nFound++;
      }
    });
    if (nFound === 0) return { first, bodies };
    first.forEach((other, function_) => (first[function_] = first[other]));
    const renumber = (called) => (called < nImported ? called : nImported + first[called - nImported]);
    bodies = bodies.map((body, function_) => (first[function_] === function_ ? withCalls(body, renumber) : body));
  }
}

function importedFunctions(section) {
  let count = 0;
  const limits = () => {
    const flags = section.byte();
    section.number();
    if (flags & 1) section.number();
  };
  section.vector(() => {
    section.sized();
    section.sized();
    const kind = section.byte();
    if (kind === FUNCTION) {
      section.number();
      count++;
    } else if (kind === 1) {
      section.byte();
      limits();
    } else if (kind === 2) limits();
    else section.take(2);
  });
  return count;
}

const parameters = (section) =>
  section.vector(() => {
    section.byte();
    const nParams = section.sized().length;
    section.sized();
    return nParams;
  });

/** Which type is that of a function of two places in memory that gives nothing; -1 if there is none. */
function typeOfCopies(section) {
  const types = section.vector(() => {
    section.byte();
    return { parameters: section.sized(), results: section.sized() };
  });
  return types.findIndex(({ parameters, results }) => parameters.equals(Buffer.of(0x7f, 0x7f)) && results.length === 0);
}

const vectorOf = (items) => Buffer.concat([numeral(items.length), ...items]);

/** The numbers of the functions in exports or in tables, written anew. */
function renumbered(id, bytes, renumber) {
  const section = new Reader(bytes);
  if (id === START) return numeral(renumber(section.number()));
  if (id === EXPORTS) {
    return vectorOf(
      section.vector(() => {
        const name = section.sized();
        const kind = section.byte();
        const number = section.number();
        return Buffer.concat([sized(name), Buffer.of(kind), numeral(kind === FUNCTION ? renumber(number) : number)]);
      }),
    );
  }
  return vectorOf(
    section.vector(() => {
      const start = section.at;
      const [flags, constant] = [section.number(), section.byte()];
      section.number();
      if (flags !== 0 || constant !== 0x41 || section.byte() !== 0x0b) throw new Error("such a table is not known");
      const head = bytes.subarray(start, section.at);
      return Buffer.concat([head, vectorOf(section.vector(() => numeral(renumber(section.number()))))]);
    }),
  );
}

/** The same module, smaller with Brotli. */
export function packed(module) {
  const sections = sectionsOf(module);
  const section = (id) => new Reader(sections.find((section) => section.id === id)?.bytes ?? Buffer.of(0));

  const nImported = importedFunctions(section(IMPORTS));
  const nParams = parameters(section(TYPES));
  const functions = section(FUNCTIONS);
  const code = section(CODE);
  const typesGiven = functions.vector(() => functions.number());
  const bodiesGiven = code.vector(() => code.sized());
  const { bodies: short, types } = shortened(bodiesGiven, typesGiven, nImported, typeOfCopies(section(TYPES)));
  const given = short.map((body, at) => tidied(body, nParams[types[at]]));

  const { first, bodies } = withoutCopies(types, given, nImported);
  const sorted = [...bodies.keys()]
    .filter((function_) => first[function_] === function_)
    .sort((a, b) => types[a] - types[b] || Buffer.compare(bodies[a], bodies[b]));
  const kept = sections.filter(({ id }) => id !== CUSTOM);

  const inOrder = (order, numbered) => {
    const rank = new Map(order.map((function_, place) => [function_, place]));
    const renumber = (function_) =>
      function_ < nImported ? function_ : nImported + rank.get(first[function_ - nImported]);
    const written = ({ id, bytes }) => {
      if (id === FUNCTIONS) return vectorOf(order.map((function_) => numeral(types[function_])));
      if (id === CODE) return vectorOf(order.map((function_) => sized(withCalls(numbered.get(function_), renumber))));
      return id === EXPORTS || id === START || id === ELEMENTS ? renumbered(id, bytes, renumber) : bytes;
    };
    return Buffer.concat([
      module.subarray(0, 8),
      ...kept.flatMap((section) => [Buffer.of(section.id), sized(written(section))]),
    ]);
  };
  const called = (function_) => calls(bodies[function_]).map((called) => first[called - nImported]);
  const most = calledMost(sorted, called);
  const distinct = sorted.map((function_) => ({ body: bodies[function_], nParams: nParams[types[function_]] }));
  const numberedIn = likeVariables(distinct);
  // Functions with like variables are more alike, so an order of those that have them is better.
  const firstOrder = alike(distinct.map(({ body }) => body))(LIKENESS[0]);
  const orderOf = alike(numberedIn(firstOrder));
  const tries = LIKENESS.flatMap((likeness) => {
    const places = orderOf(likeness);
    const numbered = new Map(numberedIn(places).map((body, place) => [sorted[place], body]));
    const similar = places.map((place) => sorted[place]);
    return OFTEN.map((count) => {
      const often = most.slice(0, count);
      return () => inOrder([...often, ...similar.filter((function_) => !often.includes(function_))], numbered);
    });
  });
  const smallest = (tries, quality) => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
    const sizes = new Map(tries.map((written) => [written, brotliCompressSync(written(), { params }).length]));
    return tries.toSorted((a, b) => sizes.get(a) - sizes.get(b));
  };
  const few = smallest(tries, QUICK).slice(0, N_BEST);
  return smallest(few, constants.BROTLI_MAX_QUALITY)[0]();
}

const sectionsOf = (module) => {
  const reader = new Reader(module, 8);
  const sections = [];
  while (!reader.atEnd) sections.push({ id: reader.byte(), bytes: reader.sized() });
  return sections;
};

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** The same module, which exports under short names, and by what it exported what that is called now. */
export function withShortNames(module) {
  const names = new Map();
  const written = ({ id, bytes }) => {
    if (id !== EXPORTS) return bytes;
    const section = new Reader(bytes);
    return vectorOf(
      section.vector(() => {
        const at = names.size;
        const short = (LETTERS[Math.floor(at / LETTERS.length) - 1] ?? "") + LETTERS[at % LETTERS.length];
        names.set(section.sized().toString(), short);
        return Buffer.concat([sized(Buffer.from(short)), Buffer.of(section.byte()), numeral(section.number())]);
      }),
    );
  };
  const sections = sectionsOf(module).flatMap((section) => [Buffer.of(section.id), sized(written(section))]);
  return { module: Buffer.concat([module.subarray(0, 8), ...sections]), names };
}

export function pack(file) {
  writeFileSync(file, packed(readFileSync(file)));
}

/** Packs a module and gives its exports short names, by which the JavaScript that loads it asks for them then. */
export function packWithGlue(file, glue) {
  const { module, names } = withShortNames(readFileSync(file));
  const asked = (all, name) => (names.has(name) ? `wasm.${names.get(name)}` : all);
  writeFileSync(glue, readFileSync(glue, "utf8").replace(/\bwasm\.(\w+)/g, asked));
  writeFileSync(file, packed(module));
}
