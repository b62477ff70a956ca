// The rule of an operator in words: the first sentence of its documentation, which is a file of its own.
import { signal } from "@preact/signals";

const docs = signal<Record<string, string | undefined> | undefined>(undefined);
let isAsked = false;

/** Nothing until the documentation has come. */
export function ruleOf(operator: string): string {
  if (!isAsked) {
    isAsked = true;
    void import("virtual:operators").then((loaded) => (docs.value = loaded.default));
  }
  return firstSentence(docs.value?.[operator] ?? "");
}

function firstSentence(markdown: string): string {
  const paragraph = markdown.trim().split(/\n\s*\n|\n```/, 1)[0] ?? "";
  const flat = paragraph.replace(/\s+/g, " ");
  return /^.*?[.](?= |$)/.exec(flat)?.[0] ?? flat;
}
