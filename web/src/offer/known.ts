// What can be called: operators, layers, functions and constructors, with what they take.
import layers from "virtual:layers";
import type Operators from "virtual:operators";
import { IN_NAME, STARTS_NAME } from "../language.ts";
import type { DefinitionView } from "../wasm/relish_wasm.js";
import { tokensOf } from "./scan.ts";

interface Param {
  /** As a hint shows it: `axis=0`, `%x: int32`. */
  text: string;
  /** The name by which it may be given, if it may. */
  name: string | undefined;
  /** Whether it is given by its place. */
  isPlaced: boolean;
}

export interface Signature {
  name: string;
  params: readonly Param[];
  /** ` -> T`, or nothing. */
  result: string;
  /** Markdown, possibly empty. */
  doc: string;
}

export const labelOf = ({ name, params, result }: Signature): string => `${name}(${params.map(({ text }) => text).join(", ")})${result}`;

export function operatorSignature(name: string, operators: typeof Operators): Signature | undefined {
  const found = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (found === undefined) return undefined;
  const attrs = found.attrs.filter((attr) => !found.args.includes(attr.name));
  const params = [
    ...found.args.map((arg) => ({ text: arg, name: undefined, isPlaced: true })),
    ...attrs.map((attr) => ({ text: attr.default === null ? `${attr.name}=…` : `${attr.name}=${attr.default}`, name: attr.name, isPlaced: false })),
  ];
  return { name, params, result: "", doc: found.doc };
}

interface Layer {
  /** What `use` names it from; `init` for what a weight begins with. */
  module: string;
  /** Whether it stands in `weights`, as the ones with a capital do. */
  isWeight: boolean;
  signature: Signature;
}

const paramOf = (name: string, value: string | null): string => (value === null ? name : `${name}=${value}`);

/** By name. */
export const LAYERS: ReadonlyMap<string, Layer> = new Map(
  layers.map(({ module, name, params }) => {
    const isWeight = /^[A-Z]/.test(name);
    const named = params.map((param) => ({ text: paramOf(param.name, param.default), name: param.name, isPlaced: false }));
    return [name, { module, isWeight, signature: { name: isWeight ? `${name}::new` : name, params: named, result: "", doc: "" } }];
  }),
);

interface Constructor {
  name: string;
  /** What it is a constructor of. */
  of: string;
  fields: readonly string[];
}

const CONSTRUCTOR = new RegExp(`^(${STARTS_NAME}[${IN_NAME}]*)\\s*(?:\\(([^]*)\\))?`, "u");

/** The constructors of `type List[A] { Cons(A, List[A]), Nil }`. */
export function constructorsOf(type: string): Constructor[] {
  const [, of = "", inside = ""] = /^\s*type\s+([^{]*?)\s*\{([\s\S]*)\}\s*$/.exec(type) ?? [];
  return split(inside).flatMap((text) => {
    const [, name = "", fields = ""] = CONSTRUCTOR.exec(text) ?? [];
    return name === "" ? [] : [{ name, of, fields: split(fields) }];
  });
}

/** The parts of a list between its commas, but not those inside brackets. */
function split(list: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (const { text, start, end } of tokensOf(list, "relay")) {
    if ("([{".includes(text)) depth += 1;
    else if (")]}".includes(text)) depth -= 1;
    else if (text === "," && depth === 0) {
      parts.push(list.slice(from, start).trim());
      from = end;
    }
  }
  return [...parts, list.slice(from).trim()].filter((part) => part !== "");
}

/** Of a function with this type, by the names that its text gives to its parameters. */
function functionSignature(name: string, type: string, names: readonly string[], doc: string): Signature | undefined {
  const tokens = tokensOf(type, "relay");
  const opening = tokens.findIndex(({ text }) => text === "(");
  const start = tokens[opening];
  if (tokens[0]?.text !== "fn" || start === undefined) return undefined;
  let depth = 0;
  const closing = tokens.slice(opening).find(({ text }) => {
    if ("([{".includes(text)) depth += 1;
    return ")]}".includes(text) && --depth === 0;
  });
  const types = split(type.slice(start.end, closing?.start));
  const params = types.map((type, at) => ({ text: names[at] === undefined ? type : `${names[at]}: ${type}`, name: undefined, isPlaced: true }));
  return { name, params, result: type.slice(closing?.end ?? type.length).trimEnd(), doc };
}

/** How a text names the parameters of one of its functions. */
function paramNames(text: string, name: string): string[] {
  const at = text.search(new RegExp(`\\bdef\\s+${name.replace(/[^\w@]/g, "\\$&")}\\s*[[(<]`));
  if (at < 0) return [];
  const found: string[] = [];
  let depth = 0;
  for (const { text: token } of tokensOf(text.slice(at, at + 4000), "relay")) {
    if (token === "(") depth += 1;
    else if (token === ")" && --depth === 0) break;
    else if (depth === 1 && token.startsWith("%")) found.push(token);
    else if (token === "{") break;
  }
  return found;
}

/** A top-level name of the library. */
export interface Library {
  name: string;
  type: string;
  doc: string;
}

let library: { text: string; items: readonly Library[] } | undefined;

/** What the prelude defines, each with its type as it is written there. */
export function libraryOf(text: string): readonly Library[] {
  if (library?.text === text) return library.items;
  const items: Library[] = [];
  for (const [, doc = "", word, head = ""] of text.matchAll(/((?:^\/\/\/.*\n)*)^(def|type) ([^{]+(?:\{[^{}\n]*\})?)/gm)) {
    const described = doc.replace(/^\/\/\/ ?/gm, "").trim();
    if (word === "type") {
      items.push({ name: /^\w+/.exec(head)?.[0] ?? "", type: `type ${head.trim()}`, doc: described });
      continue;
    }
    const signature = head.replace(/\{[\s\S]*$/, "").trim();
    const name = /^@[\w.]+/.exec(signature)?.[0] ?? "";
    items.push({ name, type: `fn${signature.slice(name.length)}`, doc: described });
  }
  library = { text, items };
  return items;
}

/** The signature of a function or constructor that a program can call. */
export function knownSignature(name: string, definitions: readonly DefinitionView[], text: string, prelude: string): Signature | undefined {
  const own = definitions.findLast((definition) => definition.name === name);
  if (own !== undefined && !own.type.startsWith("type ")) return functionSignature(name, own.type, paramNames(text, name), "");
  const library = libraryOf(prelude);
  const other = library.find((item) => item.name === name);
  if (other?.type.startsWith("fn")) return functionSignature(name, other.type, [], other.doc);
  for (const { type } of [...definitions, ...library]) {
    const found = type.startsWith("type ") ? constructorsOf(type).find((constructor) => constructor.name === name) : undefined;
    if (found === undefined) continue;
    const params = found.fields.map((text) => ({ text, name: undefined, isPlaced: true }));
    return { name, params, result: ` -> ${found.of}`, doc: "" };
  }
  return undefined;
}
