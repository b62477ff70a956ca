// The panels beside the editor, in the order of their tabs. A new panel is a file and a line here.
import type { ComponentType } from "preact";
import type { Language } from "./language.ts";
import { IrPanel } from "./panel/ir.tsx";
import { LayersPanel } from "./panel/layers.tsx";
import { LayoutPanel } from "./panel/layout.tsx";
import { MatchPanel } from "./panel/match.tsx";
import { RunPanel } from "./panel/run.tsx";
import { SolverPanel } from "./panel/solver.tsx";
import { TypesPanel } from "./panel/types.tsx";

interface Panel {
  id: string;
  title: string;
  view: ComponentType;
  /** The languages whose programs have anything to show in it, where those are not all. */
  of?: readonly Language[];
}

export const PANELS: readonly Panel[] = [
  { id: "types", title: "Types", view: TypesPanel },
  { id: "layers", title: "Layers", view: LayersPanel, of: ["tensorscript"] },
  { id: "solver", title: "Solver", view: SolverPanel },
  { id: "layout", title: "Layout", view: LayoutPanel },
  { id: "match", title: "Match", view: MatchPanel, of: ["relay", "refine"] },
  { id: "ir", title: "IR", view: IrPanel },
  { id: "run", title: "Run", view: RunPanel },
];
