/** A text in lines of at most so many letters, broken at spaces; a word that is longer is a line. */
export const inLines = (text: string, most: number): string => text.split("\n").map((line) => broken(line, most)).join("\n");

function broken(line: string, most: number): string {
  if (line.length <= most) return line;
  const lines: string[] = [];
  for (const word of line.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length === 0 || longer.length > most) lines.push(word);
    else lines.splice(-1, 1, longer);
  }
  return lines.join("\n");
}

/** Code in backticks, or a sum type, ``[`A, `B(Tensor[(2), int32]) | r]``, whose backticks are its own. */
const PART = /(`` .+? ``|\[`(?:[^[\]]|\[(?:[^[\]]|\[[^[\]]*\])*\])*\]|`[^`\s][^`]*`)/;

/** A sentence in parts: what stands as it is, and code with the backticks around it. */
export const parts = (sentence: string): { text: string; isCode: boolean }[] =>
  sentence.split(PART).map((text, index) => ({ text, isCode: index % 2 === 1 && text.startsWith("`") }));

/** Code without the backticks that it is quoted in. */
export const unquoted = (code: string): string => code.replace(/^`+ ?| ?`+$/g, "");

/** A sentence of the compiler where all of it is shown as it stands. */
export const plain = (sentence: string): string => parts(sentence).map(({ text, isCode }) => (isCode ? unquoted(text) : text)).join("");

/** A sentence up to this length is shown whole. */
const SHORT = 300;
/** So is what is in brackets in a longer one. */
const SHORT_GROUP = 80;
/** As many brackets are looked into. */
const MOST_GROUPS = 20;

/**
 * A long sentence without the middle of its types, so that all of it is in sight: of what is in brackets the first item and
 * the last are left, as in `expected (int32, …, bool), found int32`.
 */
export const folded = (sentence: string): string => (sentence.length <= SHORT ? sentence : withoutMiddles(sentence, MOST_GROUPS));

function withoutMiddles(text: string, nGroups: number): string {
  const opening = text.search(/[([{]/);
  const group = opening < 0 || nGroups === 0 ? undefined : groupAt(text, opening);
  if (group === undefined) return text;
  const { items, end } = group;
  const inside = text.slice(opening + 1, end);
  const ends = items.length > 2 ? [items[0] ?? "", "…", items.at(-1) ?? ""] : items;
  const shown = inside.length <= SHORT_GROUP ? inside : ends.map((item) => withoutMiddles(item.trim(), nGroups - 1)).join(", ");
  return text.slice(0, opening + 1) + shown + withoutMiddles(text.slice(end), nGroups - 1);
}

/** What is in the bracket at a place, between its commas, and where it is closed, if it is. */
function groupAt(text: string, opening: number): { items: string[]; end: number } | undefined {
  const items: string[] = [];
  let [depth, start] = [0, opening + 1];
  for (let at = opening; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if ("([{".includes(char)) depth += 1;
    else if (")]}".includes(char)) depth -= 1;
    if (depth > 1 || (depth === 1 && char !== ",")) continue;
    items.push(text.slice(start, at));
    if (depth === 0) return { items, end: at };
    start = at + 1;
  }
  return undefined;
}

/** The same as Markdown, of which it has nothing but code in backticks: `fn[A](A)` is no link. */
export const asMarkdown = (sentence: string): string =>
  parts(sentence).map(({ text, isCode }) => (isCode ? text : text.replace(/[\\`*_{}[\]()<>#+\-.!|~&]/g, "\\$&"))).join("");

/** The first sentence of a documentation in Markdown, in one line. */
export function firstSentence(markdown: string): string {
  const paragraph = markdown.trim().split(/\n\s*\n|\n```/, 1)[0] ?? "";
  const flat = paragraph.replace(/\s+/g, " ");
  return /^.*?[.](?= |$)/.exec(flat)?.[0] ?? flat;
}
