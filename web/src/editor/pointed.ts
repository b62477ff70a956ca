// What a panel points at, and what it is about as a whole, marked in the program.
import { effect } from "@preact/signals";
import { isFresh, state } from "../state.ts";
import { monaco } from "./monaco.ts";
import { rangeOf } from "./spans.ts";

export function showPointed(editor: monaco.editor.IStandaloneCodeEditor, model: monaco.editor.ITextModel): void {
  const decorations = editor.createDecorationsCollection();
  effect(() => {
    const span = state.pointed.value;
    if (span === undefined) return decorations.clear();
    decorations.set([{ range: rangeOf(model, span), options: { className: "pointed-at" } }]);
  });
  const lit = editor.createDecorationsCollection();
  effect(() => {
    const about = state.lit.value;
    // Of an older text they would be marked in wrong places.
    if (about === undefined || !isFresh.value) return lit.clear();
    const className = about.tone === "bad" ? "lit-up bad" : "lit-up";
    lit.set(about.spans.map((span) => ({ range: rangeOf(model, span), options: { className } })));
  });
}
