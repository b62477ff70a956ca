// The bytes of `write.rs` as an object.

const UNDEFINED = 0;
const FALSE = 1;
const TRUE = 2;
const NATURAL = 3;
const FLOAT = 4;
const STRING = 5;
const LIST = 6;
const OBJECT = 7;

/** A string of so few bytes is made of its characters in less time than a decoder needs to begin. */
const SHORT = 32;

const decoder = new TextDecoder();

/**
 * @param {Uint8Array} bytes
 * @returns {any}
 */
export function object(bytes) {
  let at = 0;
  /** The fields' names, each written where it first comes up. @type {string[]} */
  const names = [];

  function natural() {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = bytes[at++];
      if (byte < 128) return value + byte * unit;
      value += (byte - 128) * unit;
    }
  }

  function string() {
    const length = natural();
    const start = at;
    at += length;
    if (length > SHORT) return decoder.decode(bytes.subarray(start, at));
    let text = "";
    for (let place = start; place < at; place++) {
      if (bytes[place] > 127) return decoder.decode(bytes.subarray(start, at));
      text += String.fromCharCode(bytes[place]);
    }
    return text;
  }

  function name() {
    const number = natural();
    if (number === names.length) names.push(string());
    return names[number];
  }

  /** @returns {any} */
  function value() {
    switch (bytes[at++]) {
      case UNDEFINED:
        return undefined;
      case FALSE:
        return false;
      case TRUE:
        return true;
      case NATURAL:
        return natural();
      case FLOAT:
        at += 8;
        return new DataView(bytes.buffer, bytes.byteOffset + at - 8, 8).getFloat64(0, true);
      case STRING:
        return string();
      case LIST: {
        const items = new Array(natural());
        for (let place = 0; place < items.length; place++) items[place] = value();
        return items;
      }
      case OBJECT: {
        /** @type {Record<string, any>} */
        const fields = {};
        for (let left = natural(); left > 0; left--) {
          const key = name();
          fields[key] = value();
        }
        return fields;
      }
    }
    throw new Error("this is no view");
  }

  return value();
}
