// What is out of sight follows the slider late, so that each step costs what is seen of it.
import { signal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { state } from "../../state.ts";
import type { SolverView } from "../../wasm/relish_wasm.js";

/** So long after the last step all of the panel shows it. */
const RESTED_MS = 120;
/** As far out of sight something is drawn as if it were seen. */
const MARGIN = "60px";

/** The lists of the solver are on the screen; while they are not, and the slider moves, they are not asked for. */
export const listsInSight = signal(true);

/** The solver as a box shows it: at once where it is in sight, else as soon as the slider rests. */
export function useInSight() {
  const box = useRef<HTMLDivElement>(null);
  const shown = useSignal<SolverView | undefined>(state.solver.peek()?.view);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new IntersectionObserver((entries) => (listsInSight.value = entries.at(-1)?.isIntersecting ?? true), { rootMargin: MARGIN });
    observer.observe(element);
    return () => {
      observer.disconnect();
      listsInSight.value = true;
    };
  }, []);
  useSignalEffect(() => {
    const now = state.solver.value?.view;
    // The graph asks for no lists; they are on their way.
    if (now === undefined || (now.classes.length === 0 && now.n_classes_above + now.n_classes_below > 0)) return;
    if (listsInSight.value) {
      shown.value = now;
      return;
    }
    const timer = setTimeout(() => (shown.value = now), RESTED_MS);
    return () => clearTimeout(timer);
  });
  return { box, shown };
}
