// What is offered at a place of a program, as plain data.
import type Operators from "virtual:operators";
import { langLineEnd } from "../language.ts";
import { firstSentence } from "../sentence.ts";
import type { DefinitionView } from "../wasm/relish_wasm.js";
import { constructorsOf, labelOf, LAYERS, type Library, libraryOf, operatorSignature, type Signature } from "./known.ts";
import { KINDS, relayPlace, TYPES } from "./relay.ts";
import { givenAfter, type Place, tokensOf } from "./scan.ts";
import { declaredIn, scriptPlace } from "./script.ts";

export interface Offer {
  name: string;
  kind: "argument" | "variable" | "constructor" | "function" | "library" | "operator" | "keyword" | "type" | "module";
  /** What it is, beside it: a type, or a few words. */
  about: string;
  /** Its operands, behind its name. */
  takes?: string;
  /** All that it takes, and its name. */
  signature?: string;
  doc?: string;
  /** Where a variable is bound, at which the compiler knows its type. */
  at?: number;
  /** What else has to be written, and where: `use lin::Linear;`. */
  edit?: { at: number; text: string };
}

export interface Known {
  text: string;
  definitions: readonly DefinitionView[];
  prelude: string;
  operators: typeof Operators;
}

const keywords = (words: string): Offer[] => words.split(" ").map((name) => ({ name, kind: "keyword", about: "" }));
const kinds = KINDS.map((name): Offer => ({ name, kind: "type", about: "kind" }));
const types = TYPES.map((name): Offer => ({ name, kind: "type", about: name === "Tensor" ? "Tensor[(2, 3), float32]" : "" }));

const VALUE_WORDS = keywords("fn let if else match ref ref_read ref_write True False");
const TOP_WORDS = [...VALUE_WORDS, ...keywords("def type data extern relation where free_var")];
const TYPE_WORDS = [...types, ...keywords("fn ref")];
const TRUTHS = keywords("True False");

/** Its operands, and whether there is more. */
function takesOf({ params }: Signature): string {
  const operands = params.filter(({ isPlaced }) => isPlaced).map(({ text }) => text);
  return `(${[...operands, ...(operands.length < params.length ? ["…"] : [])].join(", ")})`;
}

const MADE = /contrib|_grad$|backward|internal|^(?:dyn|vm|memory|annotation|relay|auto_scheduler)\b/;

let operatorOffers: { of: typeof Operators; offers: Offer[] } | undefined;

function offersOf(operators: typeof Operators): Offer[] {
  if (operatorOffers?.of === operators) return operatorOffers.offers;
  // As they are listed, the common ones first, but none behind one that begins with it: who has written `max` means
  // that. And behind all of them what only a compiler writes.
  const names: string[] = [];
  for (const name of Object.keys(operators)) {
    const longer = names.findIndex((other) => other.startsWith(name));
    names.splice(longer < 0 ? names.length : longer, 0, name);
  }
  const sorted = [...names.filter((name) => !MADE.test(name)), ...names.filter((name) => MADE.test(name))];
  const offers = sorted.map((name): Offer => {
    const signature = operatorSignature(name, operators);
    const doc = firstSentence(signature?.doc ?? "");
    if (signature === undefined) return { name, kind: "operator", about: doc };
    return { name, kind: "operator", about: doc, doc, takes: takesOf(signature), signature: labelOf(signature) };
  });
  operatorOffers = { of: operators, offers };
  return offers;
}

export function relayOffers(place: Place, known: Known): Offer[] {
  const { text, definitions, prelude, operators } = known;
  const { prefix, tokens } = place;
  if (/^%?\d/.test(prefix) && !prefix.startsWith("%")) return [];
  const { frames, variables, typeParams, wants } = relayPlace(tokens, text);
  if (wants === "nothing") return [];
  if (wants === "kind") return kinds;
  if (prefix.startsWith("`")) return variantsIn(text, place);
  const own = new Set(definitions.map(({ name }) => name));
  const library = libraryOf(prelude).filter(({ name }) => !own.has(name));
  const named: readonly Library[] = [...definitions.map(({ name, type }) => ({ name, type, doc: "" })), ...library];
  const declared = named.filter(({ type }) => type.startsWith("type "));
  if (wants === "type") {
    if (/^[%@]/.test(prefix)) return [];
    const params = typeParams.map((name): Offer => ({ name, kind: "type", about: "type parameter" }));
    const nominal = declared.map(({ name, type }): Offer => ({ name, kind: "type", about: type.replace(/^type /, "") }));
    return [...params, ...nominal, ...TYPE_WORDS];
  }
  const constructors = declared.flatMap(({ type }) =>
    constructorsOf(type).map(({ name, of, fields }): Offer => {
      const signature = fields.length === 0 ? name : `${name}(${fields.join(", ")})`;
      return { name, kind: "constructor", about: of, signature: `${signature}: ${of}` };
    }),
  );
  if (wants === "pattern") return prefix.startsWith("%") || prefix.startsWith("@") ? [] : [...constructors, ...TRUTHS, ...keywords("case as")];

  const call = frames.at(-1);
  const before = tokens.at(-1)?.text;
  const callee = call?.callee === undefined ? undefined : operatorSignature(call.callee, operators);
  if (call !== undefined && callee !== undefined && call.argument !== undefined && before === "=") {
    const param = callee.params.find(({ name }) => name === call.argument);
    // Attributes are known before anything runs: no variable is one.
    return /=(?:True|False)$/.test(param?.text ?? "") ? TRUTHS : [];
  }
  const isFirst = before === "(" || before === ",";
  const given = callee === undefined || !isFirst ? [] : [...(call?.given ?? []), ...givenAfter(text, place.end, "relay")];
  const attributes = (isFirst ? (callee?.params ?? []) : [])
    .filter(({ name }) => name !== undefined && !given.includes(name))
    .map(({ name, text }): Offer => ({ name: `${name}=`, kind: "argument", about: text.slice(`${name}=`.length), doc: `Of ${callee?.name}` }));
  const locals = [...variables].reverse().map(([name, at]): Offer => ({ name, kind: "variable", about: "", at }));
  if (prefix.startsWith("%")) return locals;
  const functions = named
    .filter(({ name, type }) => name.startsWith("@") && !type.startsWith("type "))
    .map(({ name, type, doc }): Offer => ({ name, kind: own.has(name) ? "function" : "library", about: type, signature: `${name}: ${type}`, doc }));
  if (prefix.startsWith("@")) return functions;
  return [...attributes, ...locals, ...constructors, ...functions, ...offersOf(operators), ...(frames.length === 1 ? TOP_WORDS : VALUE_WORDS)];
}

/** Variants are declared nowhere; those that the text has are offered. */
function variantsIn(text: string, place: Place): Offer[] {
  const names = tokensOf(text, "relay").filter((token) => token.text.length > 1 && token.text.startsWith("`") && token.start !== place.start);
  return [...new Set(names.map(({ text }) => text))].map((name) => ({ name, kind: "constructor", about: "variant" }));
}

export function refineOffers(place: Place, { text, definitions }: Known): Offer[] {
  const { tokens, prefix } = place;
  const before = tokens.at(-1)?.text ?? "";
  if (before === "let" || before === "as") return [];
  const written = tokensOf(text, "refine").filter((token) => /^[A-Z]/.test(token.text) && token.start !== place.start);
  const variants = new Set(written.map(({ text }) => text));
  const names = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    if (!/^[a-z_]/.test(token.text)) continue;
    if (/^(?:let|as)$/.test(tokens[index - 1]?.text ?? "")) names.set(token.text, token.start);
  }
  const variables = [...names].reverse().map(([name, at]): Offer => {
    const type = definitions.findLast((definition) => definition.name === name)?.type ?? "";
    return { name, kind: "variable", about: type, at };
  });
  const ofVariants = [...variants].map((name): Offer => ({ name, kind: "constructor", about: "variant" }));
  const opening = tokens.findLast(({ text }) => "[]".includes(text))?.text;
  const isType = opening === "[";
  if (isType || /^[A-Z]/.test(prefix)) return ofVariants;
  return [...variables, ...ofVariants, ...keywords("let in match with as")];
}

const BLOCKS = keywords("use dim tsr node weights graph");

export function scriptOffers(place: Place, known: Known): Offer[] {
  const { tokens, prefix } = place;
  if (/^\d/.test(prefix)) return [];
  const { frames, locals, part, node, module } = scriptPlace(tokens);
  const declared = declaredIn(tokensOf(known.text, "tensorscript"));
  const [beforeThat, before] = [tokens.at(-2)?.text ?? "", tokens.at(-1)?.text ?? ""];
  const weights = declared.weights.get(node) ?? new Map<string, string>();
  const top = frames.at(-1);

  const layer = (name: string, behind: string): Offer => {
    const { module, signature } = LAYERS.get(name) ?? { module: "", signature: { name, params: [], result: "", doc: "" } };
    const isUsed = declared.used.has(name);
    const line = declared.usedUpTo > 0 ? `\nuse ${module}::${name};` : `use ${module}::${name};\n`;
    const at = declared.usedUpTo > 0 ? declared.usedUpTo : langLineEnd(known.text);
    const offer: Offer = { name: name + behind, kind: "function", about: `${module}`, signature: labelOf(signature) };
    return isUsed || module === "init" ? offer : { ...offer, doc: `Adds \`use ${module}::${name};\`.`, edit: { at, text: line } };
  };
  const layers = (isWeight: boolean, behind: string) =>
    [...LAYERS].filter(([, found]) => found.isWeight === isWeight && found.module !== "init").map(([name]) => layer(name, behind));
  const initialisers = [...LAYERS].filter(([, { module }]) => module === "init").map(([name]) => layer(name, ""));
  const dims = [...declared.dims].map((name): Offer => ({ name, kind: "type", about: "size" }));
  const self: Offer = { name: "self", kind: "keyword", about: node };

  if (part === "use") {
    const modules = [...new Set([...LAYERS.values()].map(({ module }) => module))].filter((name) => name !== "init");
    if (module === undefined) return before === "use" ? modules.map((name): Offer => ({ name, kind: "module", about: "" })) : [];
    return [...LAYERS]
      .filter(([name, found]) => found.module === module && !declared.used.has(name))
      .map(([name, { signature }]): Offer => ({ name, kind: "function", about: "", signature: labelOf(signature) }));
  }
  if (/^(?:dim|tsr|node|def)$/.test(before) || top?.callee === "def") return before === "[" || before === "," && top?.open === "[" ? dims : [];
  if (before === "weights" || before === "graph") return [...declared.nodes].map((name): Offer => ({ name, kind: "type", about: "node" }));
  if (before === "::") return [{ name: "new", kind: "function", about: beforeThat }];
  if (before === ".") {
    if (beforeThat === "self") return [...(declared.methods.get(node) ?? [])].map((name): Offer => ({ name, kind: "function", about: node }));
    return weights.has(beforeThat) ? initialisers : [];
  }
  if (top?.open === "[") return dims;
  const called = top?.callee === undefined ? undefined : LAYERS.get(top.callee)?.signature;
  if (top !== undefined && called !== undefined) {
    if (before !== "(" && before !== ",") return dims;
    const given = [...top.given, ...givenAfter(known.text, place.end, "tensorscript")];
    return called.params
      .filter(({ name }) => name !== undefined && !given.includes(name))
      .map(({ name, text }): Offer => ({ name: `${name}=`, kind: "argument", about: text.slice(`${name}=`.length), doc: `Of ${called.name}` }));
  }
  if (part === "weights" && frames.length > 0) {
    if (before !== "=") return [];
    const behind = known.text.startsWith("::", place.end) ? "" : "::new";
    const others = [...declared.nodes].filter((name) => name !== node);
    const nodes = others.map((name): Offer => ({ name: name + behind, kind: "function", about: "node" }));
    return [...nodes, ...layers(true, behind)];
  }
  if (part === "graph" && frames.length > 0) {
    const ofWeights = [...weights].map(([name, madeOf]): Offer => ({ name, kind: "variable", about: madeOf }));
    const view: Offer = { name: "view", kind: "function", about: "another shape", signature: "view(…)" };
    const piped = [...ofWeights, ...layers(false, ""), view, self];
    if (before === "|>") return piped;
    const values = [...locals].map(([name, at]): Offer => ({ name, kind: "variable", about: "", at }));
    return [...values, ...piped, ...dims, ...keywords("def if else True False")];
  }
  if (part === "node" && frames.length > 0) return [...dims, ...keywords("dim tsr")];
  return frames.length === 0 ? BLOCKS : [];
}
