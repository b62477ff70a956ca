// The value of each top-level expression, at the end of its last line. It stays, faded, until the next run replaces it.
import { effect } from "@preact/signals";
import { state } from "../state.ts";
import type { monaco } from "./monaco.ts";
import { rangeOf } from "./spans.ts";

const LONGEST = 56;

export function showValues(editor: monaco.editor.IStandaloneCodeEditor, model: monaco.editor.ITextModel): void {
  const decorations = editor.createDecorationsCollection();
  effect(() => {
    const ran = state.ran.value;
    if (ran?.kind !== "finished" || ran.revision !== state.revision.peek()) return decorations.clear();
    decorations.set(
      ran.view.values
        .filter(({ value }) => value !== undefined)
        .map(({ span, value }) => {
          const { endLineNumber } = rangeOf(model, span);
          const column = model.getLineMaxColumn(endLineNumber);
          return {
            range: { startLineNumber: endLineNumber, startColumn: column, endLineNumber, endColumn: column },
            options: {
              after: { content: `  = ${shorten(value ?? "")}`, inlineClassName: "value-after" },
              showIfCollapsed: true,
              stickiness: 1,
            },
          };
        }),
    );
  });
  effect(() => {
    const isStale = state.ran.value?.revision !== state.revision.value;
    editor.getContainerDomNode().classList.toggle("has-stale-values", isStale);
  });
}

function shorten(value: string): string {
  const line = value.replace(/\s+/g, " ");
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`;
}
