// What the page and the worker say to each other. What is said about a whole text carries its revision, so that an
// answer about an older text is recognised and dropped; questions about a place carry an id, by which the page knows
// them.
import type { Target } from "./state.ts";
import type {
  CheckView,
  ExportView,
  FileName,
  FormatView,
  GraphStateView,
  GraphView,
  HoverView,
  IrView,
  LaidValueView,
  LayoutsView,
  MatchView,
  MendedView,
  NameView,
  NeedsView,
  PlaceStopsView,
  Profile,
  ProgressView,
  RoundsView,
  RunView,
  SolverView,
  SpanView,
  StepView,
  StretchView,
  TraceDocument,
  TraceView,
  WhyNotView,
  WhyView,
} from "./wasm/relish_wasm.js";

/** What a TensorScript program can be written as. */
export type ExportName = "pytorch" | "relay";

/** Where to go in a run that is looked at step by step. */
export type StepMove =
  | { to: "start"; expression: number; target: Target }
  | { to: "step"; step: number }
  | { to: "into" | "over" | "out" | "back" | "last" }
  /** On to where as many calls and match tests have been made, and from there to a place of the program. */
  | { to: "like"; fuel: number; start: number; end: number }
  /** On to the next instruction of the line of an offset. */
  | { to: "line"; offset: number }
  /** Not at all, but finds out some more about how long the run is. */
  | { to: "measure" }
  | { to: "end" };

/** Which of the passes of the compiler; how many there are, the page learns with the answer. */
export type Pass = number | "last";

/** A question about what the solver did, for the last text. */
export type SolverQuestion =
  | { about: "trace" }
  | { about: "stop"; stop: number; firstClass: number; nClasses: number; nRelations: number }
  | { about: "graph"; open: string[] }
  /** Of the nodes of the graph that was asked for last. */
  | { about: "state"; stop: number }
  | { about: "rounds"; first: number; nRounds: number }
  | { about: "place"; offset: number }
  /** Why the type at a place, or a piece of it, is what it is. */
  | { about: "why"; offset: number; piece: number | undefined }
  /** Why one of the problems of the check is one, by its number there. */
  | { about: "why-not"; diagnostic: number }
  /** Where the problems most likely are, and what would mend them. */
  | { about: "mend" }
  /** How the operator that is called at a place stretches its operands. */
  | { about: "stretch"; span: SpanView }
  /** The trace as a document. */
  | { about: "document" };

export type SolverAnswer =
  | { about: "trace"; view: TraceView }
  | { about: "stop"; view: SolverView }
  | { about: "graph"; view: GraphView }
  | { about: "state"; view: GraphStateView }
  | { about: "rounds"; view: RoundsView }
  | { about: "place"; view: PlaceStopsView | undefined }
  | { about: "why"; view: WhyView | undefined }
  | { about: "why-not"; view: WhyNotView | undefined }
  | { about: "mend"; view: MendedView }
  | { about: "stretch"; view: StretchView | undefined }
  | { about: "document"; view: TraceDocument };

export type Request =
  | { kind: "start"; module: WebAssembly.Module }
  | { kind: "update"; revision: number; text: string }
  | { kind: "run"; revision: number; fuel: number; target: Target; profile: Profile; ahead: boolean }
  | { kind: "needs"; id: number; target: Target }
  | { kind: "hover"; id: number; file: FileName; offset: number }
  | { kind: "name"; id: number; file: FileName; offset: number }
  | { kind: "match"; id: number; offset: number }
  | { kind: "ir"; id: number; target: Target; pass: Pass; maxLines: number }
  | { kind: "step"; id: number; move: StepMove }
  | { kind: "solver"; id: number; question: SolverQuestion }
  | { kind: "layouts"; id: number }
  | { kind: "value"; id: number; entry: number; choices: string[] }
  | { kind: "export"; id: number; to: ExportName }
  | { kind: "format"; id: number; text: string };

export type Reply =
  | { kind: "ready"; prelude: string }
  | { kind: "checked"; revision: number; view: CheckView }
  /** Before a run that may be long: the memory that it will need. */
  | { kind: "begun"; revision: number; needs: NeedsView }
  | { kind: "progress"; revision: number; view: ProgressView }
  | { kind: "needed"; id: number; view: NeedsView }
  | { kind: "ran"; revision: number; view: RunView; milliseconds: number }
  | { kind: "hovered"; id: number; view: HoverView | undefined }
  | { kind: "named"; id: number; view: NameView | undefined }
  | { kind: "matched"; id: number; view: MatchView | undefined }
  | { kind: "compiled"; id: number; view: IrView | undefined }
  | { kind: "stepped"; id: number; view: StepView | undefined }
  | { kind: "solved"; id: number; answer: SolverAnswer }
  | { kind: "laid"; id: number; view: LayoutsView }
  | { kind: "valued"; id: number; view: LaidValueView | undefined }
  | { kind: "exported"; id: number; view: ExportView }
  | { kind: "formatted"; id: number; view: FormatView }
  | { kind: "trapped"; during: Request["kind"]; message: string };
