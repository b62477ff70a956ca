// In which order the functions of a WebAssembly module stand, for Brotli, which pays less for what repeats nearby: those of
// one type stand together, by their code. Most neighbours are then instances of one generic function.
import { readFileSync, writeFileSync } from "node:fs";
import { run } from "./house.mjs";

const CUSTOM = 0;
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
}

function numeral(value) {
  const bytes = [];
  for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128);
  return Buffer.from([...bytes, value]);
}

const sized = (bytes) => Buffer.concat([numeral(bytes.length), bytes]);

/** The numbers of a module's own functions in the order that they should have, the first being 0. */
export function bestOrder(module) {
  const reader = new Reader(module, 8);
  let types = [];
  let codes = [];
  while (reader.at < module.length) {
    const id = module[reader.at++];
    const section = new Reader(reader.sized(), 0);
    if (id === TYPES_OF_FUNCTIONS) types = section.vector(() => section.number());
    if (id === CODE) codes = section.vector(() => section.sized());
  }
  return [...codes.keys()].sort((a, b) => types[a] - types[b] || Buffer.compare(codes[a], codes[b]));
}

/** The module with names for its own functions, whose alphabetical order is this one. The module has had no names. */
export function named(module, order) {
  const imports = WebAssembly.Module.imports(new WebAssembly.Module(module));
  const nImported = imports.filter(({ kind }) => kind === "function").length;
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
