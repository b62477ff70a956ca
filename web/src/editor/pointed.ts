// What a panel points at, marked in the program.
import { effect } from "@preact/signals";
import { state } from "../state.ts";
import { monaco } from "./monaco.ts";
import { rangeOf } from "./spans.ts";

export function showPointed(editor: monaco.editor.IStandaloneCodeEditor, model: monaco.editor.ITextModel): void {
  const decorations = editor.createDecorationsCollection();
  effect(() => {
    const span = state.pointed.value;
    if (span === undefined) return decorations.clear();
    decorations.set([{ range: rangeOf(model, span), options: { className: "pointed-at" } }]);
  });
}
