// In which order the functions of a WebAssembly module stand, for Brotli, which pays less for what repeats nearby: those of
// one type stand together, by their code. Most neighbours are then instances of one generic function.
import { readFileSync, writeFileSync } from "node:fs";
import { run } from "./house.mjs";

const CUSTOM = 0;
const IMPORTS = 2;
const TYPES_OF_FUNCTIONS = 3;
const CODE = 10;

/** Reads from a place of some bytes on. */
class Reader {
  constructor(bytes, at) {
    Object.assign(this, { bytes, at });
  }

  /** An unsigned LEB128. */
  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  }

  sized() {
    const length = this.number();
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  vector(item) {
    return Array.from({ length: this.number() }, item);
  }

  /** The smallest size, and the largest if there is one. */
  limits() {
    const hasMost = this.number() & 1;
    this.number();
    if (hasMost) this.number();
  }

  /** What an import is: a function, a table, a memory, a global or a tag, from 0. */
  imported() {
    this.sized();
    this.sized();
    const kind = this.number();
    if (kind === 1 || kind === 3 || kind === 4) this.at += 1;
    if (kind === 1 || kind === 2) this.limits();
    else this.number();
    return kind;
  }
}

/** The sections of a module: their numbers, and a reader of each. */
function* sections(module) {
  const reader = new Reader(module, 8);
  while (reader.at < module.length) {
    const id = module[reader.at++];
    yield [id, new Reader(reader.sized(), 0)];
  }
}

function numeral(value) {
  const bytes = [];
  for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128);
  return Buffer.from([...bytes, value]);
}

const sized = (bytes) => Buffer.concat([numeral(bytes.length), bytes]);

/** The numbers of a module's own functions in the order that they should have, the first being 0. */
export function bestOrder(module) {
  let types = [];
  let codes = [];
  for (const [id, section] of sections(module)) {
    if (id === TYPES_OF_FUNCTIONS) types = section.vector(() => section.number());
    if (id === CODE) codes = section.vector(() => section.sized());
  }
  return [...codes.keys()].sort((a, b) => types[a] - types[b] || Buffer.compare(codes[a], codes[b]));
}

/** The module with names for its own functions, whose alphabetical order is this one. The module has had no names. */
export function named(module, order) {
  // Node may not know all the instructions of the module, so it is not asked.
  let nImported = 0;
  for (const [id, section] of sections(module)) {
    if (id === IMPORTS) nImported = section.vector(() => section.imported()).filter((kind) => kind === 0).length;
  }
  const rank = order.map(() => 0);
  order.forEach((old, place) => (rank[old] = place));
  const names = rank.map((place, old) =>
    Buffer.concat([numeral(nImported + old), sized(Buffer.from(String(place).padStart(8, "0")))]),
  );
  const ofFunctions = Buffer.concat([Buffer.of(1), sized(Buffer.concat([numeral(names.length), ...names]))]);
  const section = sized(Buffer.concat([sized(Buffer.from("name")), ofFunctions]));
  return Buffer.concat([module, Buffer.of(CUSTOM), section]);
}

/** Puts the functions of a file in their best order. */
export async function orderFunctions(file, features) {
  const module = readFileSync(file);
  writeFileSync(file, named(module, bestOrder(module)));
  await run("wasm-opt", [file, "-o", file, "--reorder-functions-by-name", ...features], { show: false });
}
