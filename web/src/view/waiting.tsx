// What a panel shows until it has something: what will appear there, or that the compiler is busy with a run; and what is
// said while a check takes long.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { stop } from "../action/engine.ts";
import { isFresh, state } from "../state.ts";

export function Waiting({ children }: { children: ComponentChildren }) {
  if (!state.running.value) return <p class="empty">{children}</p>;
  return (
    <div class="empty running">
      <p class="working" role="status">
        Waiting for the run to end …
      </p>
      <StopRun />
    </div>
  );
}

/** `isOlder`: whether anything is shown that an earlier text had. */
export const lateWords = (isOlder: boolean) => (isOlder ? "Checking … What is shown is older." : "Checking …");

/** Over a panel, whose rows stay where they are. */
export function Late() {
  const isOlder = !isFresh.value && state.checked.value.revision >= 0;
  if (state.late.value) return <p class="late">{lateWords(isOlder)}</p>;
  return isOlder && state.trap.value !== undefined ? <p class="late">Not checked. What is shown is older.</p> : null;
}

export function StopRun() {
  const button = useRef<HTMLButtonElement>(null);
  // Whoever stopped it by key goes on where it says how far it was.
  useLayoutEffect(
    () => () => {
      if (button.current !== document.activeElement) return;
      const panel = button.current?.closest<HTMLElement>("[role=tabpanel]");
      panel?.focus();
      requestAnimationFrame(() => panel?.querySelector<HTMLElement>(".outcome")?.focus());
    },
    [],
  );
  return (
    <button type="button" class="button stop" onClick={stop} ref={button}>
      Stop
    </button>
  );
}
