// What is out of sight follows the slider late, so that a step costs what is seen of it.
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { state } from "../../state.ts";
import type { SolverView } from "../../wasm/relish_wasm.js";
import { onceRested } from "../rested.ts";

/** As far out of sight something is drawn as if it were seen. */
const MARGIN = "60px";

/** Nothing of an answer without lists, which the graph asks for: they are on their way. */
function withLists(view: SolverView | undefined): SolverView | undefined {
  if (view === undefined) return undefined;
  return view.classes.length === 0 && view.n_classes_above + view.n_classes_below > 0 ? undefined : view;
}

/** The solver as a box shows it: at once where it is in sight, else as soon as the slider rests. */
export function useInSight() {
  const box = useRef<HTMLDivElement>(null);
  const isInSight = useSignal(true);
  const shown = useSignal(withLists(state.solver.peek()?.view));
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new IntersectionObserver((entries) => (isInSight.value = entries.at(-1)?.isIntersecting ?? true), { rootMargin: MARGIN });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useSignalEffect(() => {
    const now = withLists(state.solver.value?.view);
    if (now === undefined) return;
    if (isInSight.value) {
      shown.value = now;
      return;
    }
    return onceRested(() => (shown.value = now));
  });
  return { box, shown };
}
