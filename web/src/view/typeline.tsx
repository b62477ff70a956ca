// What the name at the cursor is, in one line above the program: on a touch screen nothing can be pointed at without a
// tap, which puts the cursor there. It stands above, since a keyboard covers what is below.
import { useSignal } from "@preact/signals";
import { hover } from "../action/queries.ts";
import { state } from "../state.ts";
import { highlight } from "./code.tsx";
import { Icon } from "./icon.tsx";
import { useAnswer } from "./rested.ts";

export function TypeLine() {
  // `null`: there is nothing to say.
  const found = useAnswer(
    () => state.selection.value,
    async ({ start }) => (await hover("user", start)) ?? null,
  );
  const dismissed = useSignal<unknown>(null);
  const view = found.value;
  if (view == null || view === dismissed.value) return <p class="type-line">Tap a name for its type.</p>;
  return (
    <>
      <button type="button" class="type-line" title="More about it" onClick={() => (state.explaining.value += 1)}>
        <code>{highlight(inTwoLines(view.code.replace(/\s+/g, " ")))}</code>
      </button>
      {/* Where it has all of the line, this brings back what stands there otherwise. */}
      <button type="button" class="plain" aria-label="Dismiss the type" onClick={() => (dismissed.value = view)}>
        <Icon name="close" />
      </button>
    </>
  );
}

/** What a function gives stands below what it takes, so that it is in view however much that is. */
function inTwoLines(code: string): string {
  const arrow = code.lastIndexOf(" -> ");
  return arrow < 0 ? code : `${code.slice(0, arrow)}\n${code.slice(arrow + 1)}`;
}
