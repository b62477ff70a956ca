// From what the solver says to its place in the program, and to the step that decided it.
import { signal } from "@preact/signals";
import { point } from "../../action/navigation.ts";
import { showStop } from "../../action/solving.ts";
import type { SpanView } from "../../wasm/relish_wasm.js";

/** The class that something on the panel is about. */
export const pointedClass = signal<number | undefined>(undefined);

/** What a panel is pointed at by mouse or focus, marked in the program. */
export const pointing = (span: SpanView | undefined) => ({
  onPointerEnter: () => point(span),
  onPointerLeave: () => point(undefined),
  onFocusCapture: () => point(span),
  onBlurCapture: () => point(undefined),
});

export function ToStep({ stop }: { stop: number | undefined }) {
  if (stop === undefined) return null;
  return (
    <button type="button" class="to-line" onClick={() => showStop(stop)}>
      step {stop.toLocaleString("en")}
    </button>
  );
}
