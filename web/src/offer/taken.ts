// Whether a name that is to be given to something stands for something else already where that is mentioned.
import type { Language } from "../language.ts";
import type { NameView } from "../wasm/relish_wasm.js";
import { type Token, tokensOf } from "./scan.ts";

/** Outside of all parts. */
const TOP = 0;

/**
 * In which part of a text each token is: a function, or what the weights of a node are. Names that are bound in one mean
 * nothing in another. What names such a part stands outside of it.
 */
function partsOf(tokens: readonly Token[]): number[] {
  let [part, depth, outside] = [TOP, 0, 0];
  return tokens.map(({ text }, index) => {
    const before = tokens[index - 1]?.text;
    if (before === "def" || before === "weights") {
      [part, outside] = [index, depth];
      return TOP;
    }
    const here = part;
    if (text === "{") depth += 1;
    if (text === "}") {
      depth -= 1;
      if (depth === outside) part = TOP;
    }
    return here;
  });
}

/**
 * Of the name of something in this text, where another name stands that it might be confused with, if anywhere. Where the
 * name is known in the whole program, or in the prelude too, that is anywhere.
 */
export function takenIn(text: string, language: Language, { binding, mentions }: NameView): (name: string) => number | undefined {
  const tokens = tokensOf(text, language);
  const parts = partsOf(tokens);
  const partAt = new Map(tokens.map(({ start }, index) => [start, parts[index] ?? TOP]));
  const own = new Set(mentions.map(({ start }) => partAt.get(start)));
  const isGlobal = partAt.get(binding.start) === TOP && text[binding.start] !== "%";
  return (name) => {
    const isTaken = (token: Token, index: number) => (isGlobal || own.has(parts[index])) && (token.text === name || token.text.startsWith(`${name}.`));
    return tokens.find(isTaken)?.start;
  };
}
