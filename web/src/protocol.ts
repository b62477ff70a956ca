// What the page and the worker say to each other. What is said about a whole text carries its revision, so that an
// answer about an older text is recognised and dropped; questions about a place carry an id, by which the page knows them.
import type { LayoutName } from "./state.ts";
import type {
  CheckView,
  FileName,
  FormatView,
  GraphStateView,
  GraphView,
  HoverView,
  IrView,
  LaidValueView,
  LayoutsView,
  MatchView,
  NameView,
  PlaceStopsView,
  RoundsView,
  RunView,
  SolverView,
  StepView,
  TraceView,
  WhyNotView,
  WhyView,
} from "./wasm/relish_wasm.js";

/** Where to go in a run that is looked at step by step. */
export type StepMove =
  | { to: "start"; expression: number; layout: LayoutName }
  | { to: "step"; step: number }
  | { to: "into" | "over" | "out" | "back" | "last" }
  /** On to where as many calls and match tests have been made, and from there to a place of the program. */
  | { to: "like"; fuel: number; start: number; end: number }
  /** On to the next instruction of the line of an offset. */
  | { to: "line"; offset: number }
  /** Not at all, but finds out some more about how long the run is. */
  | { to: "measure" }
  | { to: "end" };

/** Which part of the lists of a stop is wanted. */
export interface SolverPart {
  firstClass: number;
  classes: number;
  relations: number;
}

export type Request =
  | { kind: "start"; module: WebAssembly.Module }
  | { kind: "update"; revision: number; text: string }
  | { kind: "run"; revision: number; fuel: number; layout: LayoutName }
  | { kind: "hover"; id: number; file: FileName; offset: number }
  | { kind: "name"; id: number; file: FileName; offset: number }
  | { kind: "match"; id: number; offset: number }
  | { kind: "ir"; id: number; layout: LayoutName; pass: number; maxLines: number }
  | { kind: "step"; id: number; move: StepMove }
  | { kind: "layouts"; id: number }
  | { kind: "value"; id: number; entry: number; choices: string[] }
  | { kind: "format"; id: number; text: string }
  | { kind: "trace"; id: number }
  | { kind: "solver"; id: number; stop: number; part: SolverPart }
  | { kind: "graph"; id: number; open: string[] }
  | { kind: "graph-state"; id: number; stop: number }
  | { kind: "rounds"; id: number; first: number; count: number }
  | { kind: "place-stops"; id: number; offset: number }
  | { kind: "why"; id: number; offset: number; piece: number | undefined }
  | { kind: "why-not"; id: number; problem: number }
  | { kind: "trace-json"; id: number };

export type Reply =
  | { kind: "ready"; prelude: string }
  | { kind: "checked"; revision: number; view: CheckView }
  | { kind: "ran"; revision: number; view: RunView; milliseconds: number }
  | { kind: "hovered"; id: number; view: HoverView | undefined }
  | { kind: "named"; id: number; view: NameView | undefined }
  | { kind: "matched"; id: number; view: MatchView | undefined }
  | { kind: "compiled"; id: number; view: IrView | undefined }
  | { kind: "stepped"; id: number; view: StepView | undefined }
  | { kind: "laid"; id: number; view: LayoutsView }
  | { kind: "valued"; id: number; view: LaidValueView | undefined }
  | { kind: "formatted"; id: number; view: FormatView }
  | { kind: "traced"; id: number; view: TraceView | undefined }
  | { kind: "solver"; id: number; view: SolverView | undefined }
  | { kind: "graph"; id: number; view: GraphView | undefined }
  | { kind: "graph-state"; id: number; view: GraphStateView | undefined }
  | { kind: "rounds"; id: number; view: RoundsView | undefined }
  | { kind: "place-stops"; id: number; view: PlaceStopsView | undefined }
  | { kind: "why"; id: number; view: WhyView | undefined }
  | { kind: "why-not"; id: number; view: WhyNotView | undefined }
  | { kind: "trace-json"; id: number; text: string | undefined }
  | { kind: "trapped"; during: Request["kind"]; message: string };
