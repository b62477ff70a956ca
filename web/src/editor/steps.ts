// Where a run stands, marked in the program; and running on to the cursor.
import { effect } from "@preact/signals";
import { state } from "../state.ts";
import { runToCursor } from "../action/stepping.ts";
import { monaco } from "./monaco.ts";
import { revealStart } from "./reveal.ts";
import { rangeOf } from "./spans.ts";

export function showSteps(editor: monaco.editor.IStandaloneCodeEditor, model: monaco.editor.ITextModel): void {
  const decorations = editor.createDecorationsCollection();
  effect(() => {
    const stepping = state.stepping.value;
    const span = stepping?.view.span;
    if (stepping === undefined || span === undefined || stepping.revision !== state.revision.peek()) return decorations.clear();
    const range = rangeOf(model, span);
    const lineNumber = range.startLineNumber;
    decorations.set([
      { range, options: { className: "step-at" } },
      {
        range: { startLineNumber: lineNumber, startColumn: 1, endLineNumber: lineNumber, endColumn: 1 },
        options: { isWholeLine: true, linesDecorationsClassName: "step-line" },
      },
    ]);
    revealStart(editor, range);
  });
  editor.addAction({
    id: "relish.runToCursor",
    label: "Run to Cursor, Step by Step",
    contextMenuGroupId: "navigation",
    contextMenuOrder: 2,
    run: () => runToCursor(),
  });
}
