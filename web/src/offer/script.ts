// What can stand at a place of a TensorScript program.
import { KEYWORDS } from "../language.ts";
import { advance, calleeAt, frame, type Frame, isName, type Token } from "./scan.ts";

const SCRIPT_KEYWORDS: ReadonlySet<string> = new Set(KEYWORDS.tensorscript);

/** What a text declares, wherever that stands. */
interface Declared {
  dims: Set<string>;
  nodes: Set<string>;
  /** Of each node, what its weights are made of, and its methods. */
  weights: Map<string, Map<string, string>>;
  methods: Map<string, Set<string>>;
  /** What `use` names, and where its last line ends. */
  used: Set<string>;
  usedUpTo: number;
}

interface ScriptPlace {
  frames: readonly Frame[];
  locals: Map<string, number>;
  part: "use" | "weights" | "graph" | "node" | undefined;
  node: string;
  /** In a `use`, the module that is named already. */
  module: string | undefined;
}

export function scriptPlace(tokens: readonly Token[]): ScriptPlace {
  let frames: Frame[] = [];
  let part: ScriptPlace["part"];
  let node = "";
  let locals = new Map<string, number>();
  let usedAt = -1;
  for (const [index, token] of tokens.entries()) {
    const { text } = token;
    const before = tokens[index - 1]?.text;
    if (text === "use" || text === "weights" || text === "graph" || text === "node") {
      // Whatever an earlier part has left open, the next one is not inside it.
      [part, node, frames] = [text, "", []];
      usedAt = text === "use" ? index : -1;
    } else if (before === part && part !== "use" && node === "") node = text;
    if (text === ";" && part === "use") part = undefined;
    if (text === "def") locals = new Map();
    if (text === "=" && isName(before) && frames.at(-1)?.open !== "(") locals.set(before, tokens[index - 1]?.start ?? 0);
    if (isName(text) && frames.at(-1)?.callee === "def" && (before === "(" || before === ",")) locals.set(text, token.start);
    if ("([{".includes(text)) {
      const isDef = tokens[index - 2]?.text === "def";
      const { callee, isPiped } = calleeAt(tokens, index, SCRIPT_KEYWORDS);
      frames.push(frame(token, index, isDef ? "def" : text === "(" ? callee : undefined, isPiped));
    } else advance(frames, tokens, index);
  }
  const module = part === "use" && tokens[usedAt + 2]?.text === "::" ? tokens[usedAt + 1]?.text : undefined;
  return { frames, locals, part, node, module };
}

export function declaredIn(tokens: readonly Token[]): Declared {
  const found: Declared = { dims: new Set(), nodes: new Set(), weights: new Map(), methods: new Map(), used: new Set(), usedUpTo: 0 };
  let part = "";
  let node = "";
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    const { text } = token;
    const next = tokens[index + 1]?.text;
    if ("([{".includes(text)) depth += 1;
    if (")]}".includes(text)) depth = Math.max(0, depth - 1);
    if (/^(?:use|node|weights|graph)$/.test(text)) {
      [part, node, depth] = [text, next ?? "", 0];
      if (text === "node" && isName(next)) found.nodes.add(next);
    } else if ((text === "dim" || text === "tsr") && isName(next)) found.dims.add(next);
    else if (part === "use" && isName(text)) found.used.add(text);
    else if (part === "use" && text === ";") [part, found.usedUpTo] = ["", token.end];
    else if (part === "weights" && depth === 1 && next === "=" && isName(text)) {
      of(found.weights, node, () => new Map<string, string>()).set(text, tokens[index + 2]?.text ?? "");
    } else if (part === "graph" && text === "def" && isName(next)) of(found.methods, node, () => new Set()).add(next);
  }
  return found;
}

function of<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
