// Where the cursor is in a text that may be half-written: the tokens before it, and the brackets that are open there.
// The compiler knows what a program means; this is what it cannot know, which word is being typed and what it is a part
// of.
import { IN_NAME, type Language, STARTS_NAME, WORDS } from "../language.ts";

export interface Token {
  text: string;
  start: number;
  end: number;
}

/** An open bracket. */
export interface Frame {
  open: string;
  start: number;
  /** What is called, if it is a call. */
  callee: string | undefined;
  /** Whether the first operand comes through a pipe. */
  isPiped: boolean;
  /** How many arguments are complete. */
  commas: number;
  /** The argument at the cursor has this name: `axis=`. */
  argument: string | undefined;
  /** The names of all arguments that are given by name, before the cursor. */
  given: string[];
  /** Which token begins the argument at the cursor. */
  first: number;
}

export interface Place {
  /** The word in front of the cursor, its sigil included, and where it begins. */
  prefix: string;
  start: number;
  /** The end of the word that the cursor is in. */
  end: number;
  /** What stands in front of it. */
  tokens: readonly Token[];
}

const COMMENT = { relay: "//.*|#(?!\\[).*", refine: "#.*", tensorscript: "//.*|#lang.*" };
/** What is quoted ends with its line at the latest, so that a lost quote does not hide the rest. */
const STRING = '"(?:[^"\\\\\\n]|\\\\.)*"?';
const REST = "->|=>|\\|>|:=|:-|::|[=<>!]=|#\\[[^\\]]*\\]?|/\\*|[^\\s]";
const PATTERNS = Object.fromEntries(
  (["relay", "refine", "tensorscript"] as const).map((language) => [
    language,
    new RegExp(`(${COMMENT[language]})|(${STRING})|${WORDS[language]}|${REST}`, "uy"),
  ]),
) as Record<Language, RegExp>;

const PREFIX = new RegExp(`^[%@\`']?[${IN_NAME}.]*$`, "u");
/** What of a word is behind the cursor. */
const BEHIND = { relay: new RegExp(`^[${IN_NAME}.]*`, "u"), refine: /^\w*/, tensorscript: new RegExp(`^[${IN_NAME}]*`, "u") };

/** The tokens of a text up to an offset, and whether that is in a comment or a string. */
function tokensUpTo(text: string, offset: number, language: Language): { tokens: Token[]; isQuiet: boolean } {
  const pattern = PATTERNS[language];
  const before = text.slice(0, offset);
  const tokens: Token[] = [];
  let isQuiet = false;
  let at = 0;
  for (;;) {
    while (/\s/.test(before[at] ?? "")) at += 1;
    pattern.lastIndex = at;
    const found = pattern.exec(before);
    if (found === null) return { tokens, isQuiet };
    const [token, comment, string] = found;
    const start = at;
    at += token.length;
    isQuiet = false;
    if (token === "/*" && language === "relay") {
      at = endOfComment(before, at);
      isQuiet = at > before.length;
    } else if (comment !== undefined || token.startsWith("#[")) {
      isQuiet = at === offset && !token.endsWith("]");
    } else {
      isQuiet = string !== undefined && at === offset && !/^"(?:[^"\\]|\\.)*"$/.test(token);
      tokens.push({ text: token, start, end: at });
    }
  }
}

/** Past the end of the text if it has no end. Comments nest. */
function endOfComment(text: string, from: number): number {
  let depth = 1;
  const mark = /\/\*|\*\//g;
  mark.lastIndex = from;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    depth += found[0] === "/*" ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return text.length + 1;
}

/** Nothing in comments and strings, where nothing is to be offered. */
export function placeAt(text: string, offset: number, language: Language): Place | undefined {
  const { tokens, isQuiet } = tokensUpTo(text, offset, language);
  if (isQuiet) return undefined;
  const last = tokens.at(-1);
  const isWord = last !== undefined && last.end === offset && PREFIX.test(last.text) && last.text !== ".";
  const rest = BEHIND[language].exec(text.slice(offset, offset + 100))?.[0] ?? "";
  if (!isWord) return { prefix: "", start: offset, end: offset, tokens };
  return { prefix: last.text, start: last.start, end: offset + rest.length, tokens: tokens.slice(0, -1) };
}

/** The tokens of a whole text. */
export const tokensOf = (text: string, language: Language): readonly Token[] => tokensUpTo(text, text.length, language).tokens;

const CLOSES: Record<string, string> = { ")": "(", "]": "[", "}": "{" };

export const frame = (token: Token, index: number, callee: string | undefined, isPiped: boolean): Frame => ({
  open: token.text,
  start: token.start,
  callee,
  isPiped,
  commas: 0,
  argument: undefined,
  given: [],
  first: index + 1,
});

/** Goes on by a token that opens no bracket. What nothing has opened closes nothing. */
export function advance<F extends Frame>(frames: F[], tokens: readonly Token[], index: number): F | undefined {
  const text = tokens[index]?.text ?? "";
  const top = frames.at(-1);
  const opener = CLOSES[text];
  if (opener !== undefined) {
    const found = frames.findLastIndex(({ open }) => open === opener);
    return found < 0 ? undefined : frames.splice(found)[0];
  }
  if (top === undefined) return undefined;
  if (text === ",") {
    top.commas += 1;
    top.argument = undefined;
    top.first = index + 1;
  } else if (text === "=" && top.first === index - 1) {
    top.argument = tokens[index - 1]?.text;
    if (top.argument !== undefined) top.given.push(top.argument);
  }
  return undefined;
}

/** The names of the arguments behind the cursor, up to the end of a call that is open at it. */
export function givenAfter(text: string, offset: number, language: Language): string[] {
  const tokens = tokensOf(text.slice(offset, offset + 2000), language);
  const given: string[] = [];
  let depth = 0;
  for (const [index, { text }] of tokens.entries()) {
    if ("([{".includes(text)) depth += 1;
    else if (")]}".includes(text) && --depth < 0) break;
    else if (text === "=" && depth === 0) given.push(tokens[index - 1]?.text ?? "");
  }
  return given;
}

const WORD = new RegExp(`^[%@\`]?${STARTS_NAME}`, "u");
const isWordToken = (text: string | undefined): text is string => text !== undefined && WORD.test(text);

const NAME = new RegExp(`^${STARTS_NAME}[${IN_NAME}]*$`, "u");
/** Whether it is a name without a sigil. */
export const isName = (text: string | undefined): text is string => text !== undefined && NAME.test(text);

/** What a bracket at this token calls, if anything, and whether it stands behind a pipe. */
export function calleeAt(tokens: readonly Token[], index: number, keywords: ReadonlySet<string>): { callee: string | undefined; isPiped: boolean } {
  let at = index - 1;
  let callee = tokens[at]?.text;
  // `Conv2d::new(…)`, and with its type, `Conv2d::<[?, 1] -> [?, 2]>::new(…)`.
  if (callee === "new" && tokens[at - 1]?.text === "::") {
    at -= 2;
    if (tokens[at]?.text === ">") {
      while (at > 0 && tokens[at]?.text !== "<") at -= 1;
      at -= 2;
    }
    callee = tokens[at]?.text;
  }
  if (!isWordToken(callee) || keywords.has(callee)) return { callee: undefined, isPiped: false };
  return { callee, isPiped: tokens[at - 1]?.text === "|>" };
}
