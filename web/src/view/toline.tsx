// From what is said of a place in the program to that place.
import { show } from "../action/navigation.ts";
import type { SpanView } from "../wasm/relish_wasm.js";

export function ToLine({ line, span }: { line: number | undefined; span: SpanView | undefined }) {
  if (span === undefined) return null;
  return (
    <button type="button" class="to-line" onClick={() => show(span)}>
      {line === undefined ? "source" : `line ${line}`}
    </button>
  );
}
