// What can stand at a place of a Relay program: which variables are in scope there, and whether a type or a value is
// wanted.
import { IN_NAME, KEYWORDS } from "../language.ts";
import { advance, calleeAt, frame, type Frame, isName, type Token } from "./scan.ts";

const RELAY_KEYWORDS: ReadonlySet<string> = new Set(KEYWORDS.relay);

export const TYPES = [
  "Tensor",
  ...["bool", "bfloat16", ...["int8", "int16", "int32", "int64"].flatMap((int) => [int, `u${int}`]), "float16", "float32", "float64"],
];

export const KINDS = ["Type", "BaseType", "Shape", "Dim"];

interface Block extends Frame {
  isType: boolean;
  /** Names of types that are being bound: `[A, N: Dim]`. */
  bindsTypes: boolean;
  /** Variables by where they are bound. */
  names: Map<string, number>;
  isMatch: boolean;
  isPattern: boolean;
}

interface RelayPlace {
  frames: readonly Frame[];
  /** Each with the place where it is bound, the nearest last. */
  variables: Map<string, number>;
  typeParams: readonly string[];
  wants: "value" | "type" | "kind" | "pattern" | "nothing";
  /** A definition, or a statement, may begin here. */
  isStart: boolean;
}

/** Of brackets that bind none; nobody writes to it. */
const NO_NAMES: Map<string, number> = new Map();

const isVariable = (text: string) => text.length > 1 && text.startsWith("%");
/** Of what a bracket at once behind it belongs to. */
const CAN_BE_CALLED = new RegExp(`[${IN_NAME}>]$`, "u");
/** A new name comes behind these. */
const BINDS = new Set(["let", "def", "type", "data", "extern", "relation", "as", "free_var"]);

export function relayPlace(tokens: readonly Token[], text: string): RelayPlace {
  const open = (token: Token, index: number, more: Partial<Block>): Block => {
    const { callee, isPiped } = calleeAt(tokens, index, RELAY_KEYWORDS);
    const called = token.text === "(" && more.isType !== true ? callee : undefined;
    const rest = { isType: false, bindsTypes: false, names: NO_NAMES, isMatch: false, isPattern: false };
    return Object.assign(frame(token, index, called, isPiped), rest, more);
  };
  const whole = () => open({ text: "", start: 0, end: 0 }, -1, { names: new Map() });
  let top = whole();
  let frames: Block[] = [top];
  let typeParams: string[] = [];
  /** Of a function or a case whose body has not begun. */
  let params: Map<string, number> | undefined;
  let paramsAt = -1;
  /** `match`, before its braces; how many brackets were open there. */
  let matchAt = -1;
  /** `type T`, before its braces. */
  let declares = false;
  /** `fn` and `ref` are types where a type stands. */
  let isTypeWord = false;

  const wantsType = (at: number) => {
    const before = tokens[at - 1]?.text ?? "";
    return before === ":" || before === "->" || (top.isType && !top.bindsTypes);
  };

  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    const isAtLeft = token.start === 0 || text[token.start - 1] === "\n";
    const isFunction = token.text === "fn" || token.text === "ref";
    if (isAtLeft && /^(?:def|type|data|extern|relation)$/.test(token.text)) {
      // Whatever an earlier line has left open, a definition is not inside it.
      top = { ...whole(), names: frames[0]?.names ?? new Map() };
      frames = [top];
    }
    switch (token.text) {
      case "(":
      case "[": {
        const isAdjacent = before?.end === token.start && CAN_BE_CALLED.test(before.text);
        const binds = token.text === "[" && isAdjacent && (before.text === "fn" || tokens[index - 2]?.text === "def" || declares);
        const named = token.text === "[" && isAdjacent && !/^[%@]/.test(before.text);
        const isType = !binds && (named || wantsType(index) || (isTypeWord && (before?.text === "fn" || before?.text === "ref")));
        frames.push(open(token, index, { isType, bindsTypes: binds }));
        break;
      }
      case "{": {
        const isMatch = matchAt === frames.length;
        if (isMatch) matchAt = -1;
        const names = !isMatch && params !== undefined && paramsAt === frames.length ? params : new Map<string, number>();
        if (names === params) params = undefined;
        frames.push(open(token, index, { isMatch, isPattern: isMatch, names, isType: declares }));
        declares = false;
        break;
      }
      case "<":
        // `def @f<A, B>`, as papers write it.
        if (before?.end === token.start && (declares || tokens[index - 2]?.text === "def")) frames.push(open(token, index, { bindsTypes: true }));
        break;
      case ">":
        if (top.open === "<") frames.pop();
        break;
      case "=>":
        top.isPattern = false;
        break;
      default: {
        const closed = advance(frames, tokens, index);
        const now = frames.at(-1) ?? top;
        const endsArm = now.isMatch && ((token.text === "," && closed === undefined) || (closed?.open === "{" && isBody(tokens, closed)));
        if (endsArm) {
          now.isPattern = true;
          now.names = new Map();
        }
        if (frames.length === 0) frames.push(whole());
      }
    }
    top = frames.at(-1) ?? top;
    isTypeWord = isFunction && wantsType(index);
    if (token.text === "def" || token.text === "type" || token.text === "data") typeParams = [];
    if ((token.text === "def" || token.text === "fn" || token.text === "case") && !isTypeWord) {
      params = new Map();
      paramsAt = frames.length;
    }
    if (token.text === "type" || token.text === "data") declares = true;
    if (token.text === ";") declares = false;
    if (token.text === "match") matchAt = frames.length;
    if (top.bindsTypes && isName(token.text) && /^[[<,]$/.test(before?.text ?? "")) typeParams.push(token.text);
    if (isVariable(token.text)) {
      const block = frames.findLast(({ open }) => open === "{" || open === "") ?? top;
      const isParam = params !== undefined && frames.length > paramsAt;
      if (isParam) params?.set(token.text, token.start);
      else if (block.isPattern || before?.text === "let" || before?.text === "as" || tokens[index + 1]?.text === "=") {
        block.names.set(token.text, token.start);
      }
    }
  }

  const before = tokens.at(-1)?.text ?? "";
  const variables = new Map<string, number>();
  for (const { names } of frames) {
    for (const [name, at] of names) {
      variables.delete(name);
      variables.set(name, at);
    }
  }
  const block = frames.findLast(({ open }) => open === "{" || open === "") ?? top;
  const isParams = params !== undefined && frames.length > paramsAt && /^[(,]$/.test(before);
  const isPattern = block.isPattern || (params !== undefined && frames.length > paramsAt && tokens[paramsStart(tokens)]?.text === "case");
  const wants = ((): RelayPlace["wants"] => {
    if (BINDS.has(before) || (isParams && !top.isType)) return "nothing";
    if (top.bindsTypes) return before === ":" ? "kind" : "nothing";
    if (top.isType && top.open === "{") return before === ":" || before === "->" ? "type" : "nothing";
    if (wantsType(tokens.length)) return "type";
    return isPattern ? "pattern" : "value";
  })();
  const isStart = wants === "value" && (before === "" || /^[;}{]$/.test(before) || top.open === "");
  return { frames, variables, typeParams, wants, isStart };
}

/** Whether braces that have been closed were the body of an arm. */
const isBody = (tokens: readonly Token[], closed: Frame): boolean => tokens[closed.first - 2]?.text === "=>";

const paramsStart = (tokens: readonly Token[]) => tokens.findLastIndex(({ text }) => text === "def" || text === "fn" || text === "case");
