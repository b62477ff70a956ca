// Spans are UTF-16 offsets everywhere but inside the editor, which speaks of lines and columns.
import type { SpanView } from "../wasm/relish_wasm.js";
import type { monaco } from "./monaco.ts";

export function rangeOf(model: monaco.editor.ITextModel, span: SpanView): monaco.IRange {
  const start = model.getPositionAt(span.start);
  const end = model.getPositionAt(span.end);
  return {
    startLineNumber: start.lineNumber,
    startColumn: start.column,
    endLineNumber: end.lineNumber,
    endColumn: end.column,
  };
}
