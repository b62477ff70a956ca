// How nodes of the solver's graph look: their sizes, which never change, and what stands in them.
import type { GraphNodeView, NodeKindView } from "../../wasm/relish_wasm.js";

/** Of a letter, in the size that the style sheet gives the graph's text. */
const LETTER = 7.25;
const PADDING = 11;
const LEAST = 44;
/** Texts in the picture are cut here; the list below it has all of them. */
const LONGEST = 22;
export const LINE = 16;

export const cut = (text: string, length = LONGEST) => (text.length <= length ? text : `${text.slice(0, length - 1)}…`);

/** Of a variable there is a second line for what is known of it; the box has room for it from the beginning. */
export function sizeOf({ kind, label }: Pick<GraphNodeView, "kind" | "label">): { width: number; height: number } {
  const letters = kind === "variable" ? Math.max(cut(label).length, LONGEST - 4) : cut(label).length + 2;
  return { width: Math.max(LEAST, letters * LETTER + 2 * PADDING), height: kind === "variable" ? 2 * LINE + 8 : LINE + 14 };
}

/** The letters of the states in words; of a relation there are more than of a variable. */
export function stateInWords(kind: NodeKindView, letter: string): string {
  switch (letter) {
    case "?":
      return "unknown";
    case "k":
      return kind === "cluster" ? "all known" : "known";
    case "c":
      return kind === "relation" ? "ran in this step" : "changed by this step";
    case "-":
      return "not posted yet";
    case "p":
      return "queued";
    case "w":
      return "waits";
    case "s":
      return "solved";
    case "f":
      return kind === "cluster" ? "one of them failed" : "failed";
    case "q":
      return "generalised";
    default:
      return "";
  }
}

/** The same as a sign, so that nothing is said by colour alone. */
export const SIGNS: Readonly<Record<string, string>> = { "?": "?", k: "", c: "●", "-": "·", p: "…", w: "‖", s: "✓", f: "✗", q: "∀" };

/** As a class of the style sheet. */
export const CLASSES: Readonly<Record<string, string>> = {
  "?": "unknown",
  k: "known",
  c: "changed",
  "-": "absent",
  p: "queued",
  w: "waiting",
  s: "solved",
  f: "failed",
  q: "generalised",
};
