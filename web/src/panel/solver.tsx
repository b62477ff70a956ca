// The solver of the program: every step that it made, the graph it works on, its rounds, and why a type is what it is.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { state } from "../state.ts";

export function SolverPanel() {
  // A file of its own, which a visit that asks nothing does not need.
  const views = useSignal<typeof import("../view/solver/panel.tsx") | undefined>(undefined);
  useEffect(() => {
    import("../view/solver/panel.tsx").then(
      (loaded) => (views.value = loaded),
      () => {
        state.notice.value = { tone: "bad", text: "The panel could not be loaded. Reload the page to try again." };
      },
    );
  }, []);
  const View = views.value?.Solver;
  return View === undefined ? <p class="empty">What the solver does with the program, step by step, appears here.</p> : <View />;
}
