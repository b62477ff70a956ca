// What of a WebAssembly module one must read to number its functions and variables anew: its sections, and the numbers
// in its instructions. Everything that the compiler of this project makes is known; anything else is refused.

/** Reads from a place of some bytes on. */
export class Reader {
  constructor(bytes, at = 0) {
    Object.assign(this, { bytes, at });
  }

  get atEnd() {
    return this.at >= this.bytes.length;
  }

  byte() {
    return this.bytes[this.at++];
  }

  /** An unsigned LEB128, or where only its end matters a signed one. */
  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  }

  /** A signed LEB128 of 32 bits. */
  integer() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 127) << shift;
      if (byte < 128) return shift < 25 && byte & 64 ? value | (-1 << (shift + 7)) : value;
    }
  }

  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  sized() {
    return this.take(this.number());
  }

  vector(item) {
    return Array.from({ length: this.number() }, item);
  }
}

export function numeral(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}

/** A number as `Reader.integer` reads it. */
export function integer(value) {
  const bytes = [];
  for (;;) {
    const low = value & 127;
    value >>= 7;
    if (value === (low & 64 ? -1 : 0)) return Buffer.from([...bytes, low]);
    bytes.push(low | 128);
  }
}

export const sized = (bytes) => Buffer.concat([numeral(bytes.length), bytes]);

// Instructions by their first byte (https://webassembly.github.io/spec/core/binary/instructions.html).
const BR_TABLE = 0x0e;
const CALL = 0x10;
const CALL_INDIRECT = 0x11;
const SELECT_OF_TYPE = 0x1c;
const LOCAL_GET = 0x20;
const LOCAL_TEE = 0x22;
const FIRST_LOAD = 0x28;
const LAST_STORE = 0x3e;
const F32_CONST = 0x43;
const F64_CONST = 0x44;
const REF_NULL = 0xd0;
const REF_FUNC = 0xd2;
const MORE = 0xfc;
const VECTOR = 0xfd;

/** How many LEB128 follow an instruction of one byte that has nothing else: blocks, branches, globals, constants, sizes. */
const ONE_NUMBER = new Set([0x02, 0x03, 0x04, 0x0c, 0x0d, 0x23, 0x24, 0x25, 0x26, 0x3f, 0x40, 0x41, 0x42]);

/** The same for those behind `MORE`: conversions, then what is done to memories and tables. */
const NUMBERS_OF_MORE = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1];

/** The bytes of an instruction on vectors; `seen` reads its own number, and how aligned memory is said to be. */
function readVector(reader, seen) {
  const operator = seen("vector");
  const onLane = operator >= 84 && operator <= 91;
  if (operator <= 11 || operator === 92 || operator === 93 || onLane) {
    seen("alignment");
    reader.number();
  }
  if (operator === 12 || operator === 13) reader.take(16);
  if (onLane || (operator >= 21 && operator <= 34)) reader.byte();
}

/**
 * Calls `see("call" | "local" | "alignment" | "vector", start, end, value)` in a body, in order: for the numbers of
 * functions and of variables, for how aligned a load or a store says that its place is (the power of two), and for the
 * numbers of instructions on vectors. `began`, if it is given, is called with the place of each instruction.
 */
export function numbers(instructions, see, began = () => {}) {
  const reader = new Reader(instructions);
  const seen = (what) => {
    const start = reader.at;
    const value = reader.number();
    see(what, start, reader.at, value);
    return value;
  };
  while (!reader.atEnd) {
    began(reader.at);
    const operator = reader.byte();
    if (operator === CALL || operator === REF_FUNC) seen("call");
    else if (operator >= LOCAL_GET && operator <= LOCAL_TEE) seen("local");
    else if (ONE_NUMBER.has(operator)) reader.number();
    else if (operator === BR_TABLE) {
      reader.vector(() => reader.number());
      reader.number();
    } else if (operator === CALL_INDIRECT) {
      reader.number();
      reader.number();
    } else if (operator >= FIRST_LOAD && operator <= LAST_STORE) {
      seen("alignment");
      reader.number();
    } else if (operator === SELECT_OF_TYPE) reader.vector(() => reader.byte());
    else if (operator === F32_CONST) reader.take(4);
    else if (operator === F64_CONST) reader.take(8);
    else if (operator === REF_NULL) reader.byte();
    else if (operator === MORE) {
      for (let left = NUMBERS_OF_MORE[reader.number()]; left > 0; left--) reader.number();
    } else if (operator === VECTOR) readVector(reader, seen);
    else if (operator > 0xc4) throw new Error(`the instruction 0x${operator.toString(16)} is not known`);
  }
}

/** Instructions with the numbers of what is wanted written anew. */
export function rewritten(instructions, what, renumber) {
  const parts = [];
  let at = 0;
  numbers(instructions, (which, start, end, value) => {
    if (which !== what) return;
    parts.push(instructions.subarray(at, start), numeral(renumber(value)));
    at = end;
  });
  return at === 0 ? instructions : Buffer.concat([...parts, instructions.subarray(at)]);
}
