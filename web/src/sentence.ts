/** A sentence of the compiler where all of it is shown as it stands. */
export const plain = (sentence: string): string => sentence.replace(/`` (.+?) ``/g, "$1");

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

/** The same as Markdown, of which it has nothing but code in backticks: `fn[A](A)` is no link. */
export const asMarkdown = (sentence: string): string =>
  parts(sentence).map(({ text, isCode }) => (isCode ? text : text.replace(/[\\`*_{}[\]()<>#+\-.!|~&]/g, "\\$&"))).join("");

/** The first sentence of a documentation in Markdown, in one line. */
export function firstSentence(markdown: string): string {
  const paragraph = markdown.trim().split(/\n\s*\n|\n```/, 1)[0] ?? "";
  const flat = paragraph.replace(/\s+/g, " ");
  return /^.*?[.](?= |$)/.exec(flat)?.[0] ?? flat;
}
