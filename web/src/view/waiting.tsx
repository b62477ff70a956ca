// What a panel shows until it has something: what will appear there, or that the compiler is busy with a run.
import type { ComponentChildren } from "preact";
import { stop } from "../action/engine.ts";
import { state } from "../state.ts";

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

export const StopRun = () => (
  <button type="button" class="button stop" onClick={stop}>
    Stop
  </button>
);
