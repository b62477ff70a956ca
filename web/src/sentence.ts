/** A sentence of the compiler where all of it is shown as it stands. */
export const plain = (sentence: string): string => sentence.replace(/`` (.+?) ``/g, "$1");

/** The same as Markdown, of which it has nothing but code in backticks: `fn[A](A)` is no link. */
export const asMarkdown = (sentence: string): string =>
  sentence.split(/(`` .+? ``|`[^`]*`)/).map((part, index) => (index % 2 === 1 ? part : part.replace(/[\\`*_{}[\]()<>#+\-.!|~&]/g, "\\$&"))).join("");

/** The first sentence of a documentation in Markdown, in one line. */
export function firstSentence(markdown: string): string {
  const paragraph = markdown.trim().split(/\n\s*\n|\n```/, 1)[0] ?? "";
  const flat = paragraph.replace(/\s+/g, " ");
  return /^.*?[.](?= |$)/.exec(flat)?.[0] ?? flat;
}
