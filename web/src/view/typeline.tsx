// What the name at the cursor is, in one line above the program: on a touch screen nothing can be pointed at without a
// tap, which puts the cursor there. It stands above, since a keyboard covers what is below.
import { useSignal, useSignalEffect } from "@preact/signals";
import { hover } from "../actions.ts";
import { isFresh, state } from "../state.ts";
import type { HoverView } from "../wasm/relish_wasm.js";
import { highlight } from "./code.tsx";

/** A cursor that moves on at once, as under a finger that drags it, is not asked about. */
const RESTING_MS = 80;

export function TypeLine() {
  const found = useSignal<HoverView | undefined>(undefined);
  useSignalEffect(() => {
    const { start, end } = state.selection.value;
    if (!isFresh.value) return;
    let isAsked = true;
    const timer = setTimeout(async () => {
      // Behind the last letter of a name is at the name too.
      const view = (await hover("user", start)) ?? (start === end && start > 0 ? await hover("user", start - 1) : undefined);
      if (isAsked) found.value = view;
    }, RESTING_MS);
    return () => {
      isAsked = false;
      clearTimeout(timer);
    };
  });
  const view = found.value;
  if (view === undefined) return <p class="type-line">Tap a name for its type.</p>;
  return (
    <button type="button" class="type-line" title="More about it" onClick={() => (state.explaining.value += 1)}>
      <code>{highlight(view.code.replace(/\s+/g, " "))}</code>
    </button>
  );
}
