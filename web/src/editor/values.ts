// The value of each top-level expression, at the end of its last line. It stays, faded, until the next run replaces it.
import { effect, signal } from "@preact/signals";
import { state } from "../state.ts";
import { monaco } from "./monaco.ts";
import { rangeOf } from "./spans.ts";

/** What the room at the end of a line allows, but within these bounds. */
const LONGEST = 80;
const SHORTEST = 6;
const PREFIX = "  = ";

export function showValues(editor: monaco.editor.IStandaloneCodeEditor, model: monaco.editor.ITextModel): void {
  const decorations = editor.createDecorationsCollection();
  const columns = signal(0);
  const measure = () => {
    const { typicalHalfwidthCharacterWidth } = editor.getOption(monaco.editor.EditorOption.fontInfo);
    columns.value = Math.floor(editor.getLayoutInfo().contentWidth / typicalHalfwidthCharacterWidth);
  };
  measure();
  editor.onDidLayoutChange(measure);
  effect(() => {
    const ran = state.ran.value;
    if (ran?.kind !== "finished" || ran.revision !== state.revision.peek()) return decorations.clear();
    decorations.set(
      ran.view.values
        .filter(({ value }) => value !== undefined)
        .map(({ span, value }) => {
          const { endLineNumber } = rangeOf(model, span);
          const column = model.getLineMaxColumn(endLineNumber);
          const room = Math.min(LONGEST, Math.max(SHORTEST, columns.value - column - PREFIX.length - 3));
          return {
            range: { startLineNumber: endLineNumber, startColumn: 1, endLineNumber, endColumn: column },
            options: {
              after: { content: PREFIX + shorten(value ?? "", room), inlineClassName: "value-after" },
              // Gone with its line, when that is deleted or replaced.
              collapseOnReplaceEdit: true,
              showIfCollapsed: false,
              stickiness: monaco.editor.TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges,
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

function shorten(value: string, room: number): string {
  const line = value.slice(0, 2 * LONGEST).replace(/\s+/g, " ");
  return line.length <= room ? line : `${line.slice(0, room - 1)}…`;
}
