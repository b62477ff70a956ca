// The rule of an operator in words: the first sentence of its documentation, which is a file of its own.
import { signal } from "@preact/signals";
import type Operators from "virtual:operators";
import { firstSentence } from "../../sentence.ts";

const operators = signal<typeof Operators | undefined>(undefined);
let isAsked = false;

/** Nothing until the documentation has come. */
export function ruleOf(operator: string): string {
  if (!isAsked) {
    isAsked = true;
    void import("virtual:operators").then((loaded) => (operators.value = loaded.default));
  }
  return firstSentence(operators.value?.[operator]?.doc ?? "");
}
