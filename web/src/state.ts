// All that the page shows is in this one object. The files in `action/` change it; views read it, and change what is open
// or chosen in themselves.
import { computed, signal } from "@preact/signals";
import { type BuildName, DEFAULT_BUILD } from "./builds.ts";
import { type Language, languageOf, languageShown } from "./language.ts";
import { asTold, inOrderOf, mayBeMended, type Problem } from "./mended.ts";
import type {
  CheckView,
  DiagnosticView,
  MendedView,
  FileName,
  Fused,
  GraphStateView,
  GraphView,
  NeedsView,
  ProgressView,
  RunView,
  SolverView,
  SpanView,
  StepView,
  TraceView,
  ValueView,
  WhyNotView,
  WhyView,
} from "./wasm/relish_wasm.js";

export type Theme = "system" | "light" | "dark";

/** Whose text is in the editor: the visitor's own, or one that came with a link. */
export type Document = "mine" | "shared";

export interface Notice {
  /** A hint is neither: there was nothing to do. */
  tone: "good" | "bad" | "hint";
  text: string;
  action?: { title: string; act: () => void };
  /** Text to copy by hand, when the browser would not do it. */
  copy?: string;
  /** It is about the text as it is, and goes when that changes. */
  ofText?: boolean;
}

/** How values are laid out in memory. */
export type LayoutName = "packed" | "aligned" | "uniform";

export const LAYOUTS: readonly { id: LayoutName; title: string; about: string }[] = [
  { id: "packed", title: "packed", about: "to the bit: a tag, then the fields" },
  { id: "aligned", title: "aligned", about: "whole bytes, natural alignment, niches: as Rust does" },
  { id: "uniform", title: "uniform", about: "one word for every value, blocks behind pointers: as OCaml does" },
];

/** How a program is compiled. */
export interface Target {
  layout: LayoutName;
  fused: Fused;
}

export const isFused = (name: unknown): name is Fused => name === "on" || name === "off";

export const isLayout = (name: unknown): name is LayoutName => LAYOUTS.some(({ id }) => id === name);

export type Ran =
  /**
   * `revision` says which text the values belong to, `build` what computed them. The machine took so long, and to compile
   * the program and to describe its values took the rest of `whole`.
   */
  | { kind: "finished"; revision: number; view: RunView; milliseconds: number; whole: number; build: BuildName }
  /** `view` says how far it was, if anything was heard of that, `target` how the program was compiled, `build` what ran it. */
  | { kind: "stopped"; revision: number; milliseconds: number; view: ProgressView | undefined; target: Target; build: BuildName }
  /** One that nobody asked for, since it takes long. */
  | { kind: "long"; revision: number }
  /** By an edit; `revision` is that of the text edited. */
  | { kind: "outdated"; revision: number };

/** How far a run is. */
interface Progress {
  /** When it began, by `performance.now()`. */
  start: number;
  /** The last that was heard of it, with all values that it has told. */
  view: ProgressView | undefined;
}

/** A run that is looked at step by step. */
export interface Stepping {
  /** The text that it is a run of. */
  revision: number;
  /** Which of the expressions that a run evaluates. */
  expression: number;
  view: StepView;
  /** What was shown before; what is different now is marked. */
  before: StepView | undefined;
  /** What the last move did, and the instruction that it was. */
  said: string;
  ran: string | undefined;
}

/** What the Solver panel shows of the solver. */
export type SolverTab = "steps" | "graph" | "rounds" | "why";

export const SOLVER_TABS: readonly { id: SolverTab; title: string }[] = [
  { id: "steps", title: "Steps" },
  { id: "graph", title: "Graph" },
  { id: "rounds", title: "Rounds" },
  { id: "why", title: "Why" },
];

export const isSolverTab = (name: unknown): name is SolverTab => SOLVER_TABS.some(({ id }) => id === name);

/** Which steps the timeline leaves out; of functions and relations the names, which outlive an edit. */
interface StepFilter {
  hidesEquations: boolean;
  function: string | undefined;
  relation: string | undefined;
}

/** By what a problem is found again in another check. */
export type Asked = Pick<DiagnosticView, "code" | "message" | "span">;

/** What the Why tab is asked: a piece of the type at the cursor, or one of the problems that the check found. */
type Question = { kind: "type"; piece: number | undefined } | { kind: "problem"; problem: Asked };

export type Answer = { kind: "type"; revision: number; view: WhyView | null } | { kind: "problem"; revision: number; view: WhyNotView | null };

/** A graph of the solver with the place of each node, which it keeps. */
export interface Placed {
  revision: number;
  graph: GraphView;
  /** The clusters that are open. */
  opened: readonly string[];
  width: number;
  height: number;
  /** The middle of each node. */
  nodes: readonly { x: number; y: number }[];
  /** The bends of each edge: x and y in turn. */
  edges: readonly (readonly number[])[];
}

/** Which part of the solver's lists is shown. */
interface SolverPart {
  firstClass: number;
  nClasses: number;
  /** Of the queue, and of those that wait. */
  nRelations: number;
}

export const FIRST_PART: SolverPart = { firstClass: 0, nClasses: 16, nRelations: 8 };

export const FIRST_PANEL = "types";

const NOTHING_CHECKED: CheckView = { diagnostics: [], definitions: [], expressions: [], nodes: [] };

export const state = {
  text: signal(""),
  /** Counts the texts; an answer about an older one is stale. */
  revision: signal(0),
  document: signal<Document>("mine"),
  /** Of the example that was opened, as long as it is there. */
  title: signal<string | undefined>(undefined),
  /** Whether nobody is typing: the last edit is a while ago, or something was asked for since. */
  rested: signal(true),
  /** Whether there is room for problems. */
  hasRoom: signal(false),
  /** Which text the editor shows: the program, or the prelude under it. */
  file: signal<FileName>("user"),
  /** Comes with the compiler. */
  prelude: signal<string | undefined>(undefined),
  engine: signal<"loading" | "ready" | "failed">("loading"),
  /** Whether the check of the text has taken long enough to say so. */
  late: signal(false),
  /** `starts` are the offsets at which the lines begin of the text that was checked. */
  checked: signal<{ revision: number; view: CheckView; starts: readonly number[] }>({ revision: -1, view: NOTHING_CHECKED, starts: [0] }),
  /** The problems of a check with where the fault most likely is, and what would mend it, which takes longer to find. */
  mended: signal<(MendedView & { revision: number }) | undefined>(undefined),
  ran: signal<Ran | undefined>(undefined),
  progress: signal<Progress>({ start: 0, view: undefined }),
  /** The memory for tensors that a run of a text will need. */
  needs: signal<{ revision: number; view: NeedsView } | undefined>(undefined),
  /** Whether runs measure each operator. */
  measures: signal(true),
  stepping: signal<Stepping | undefined>(undefined),
  /** Whether a move has taken long enough to say so. */
  seeking: signal(false),
  /** Whether steps are made one after the other without being asked for. */
  playing: signal(false),
  /** Counts how often a run was asked for. */
  asked: signal(0),
  /** A run that has taken long enough to offer the Stop button. */
  running: signal(false),
  /** What the compiler itself fell over, as a problem of the program. */
  trap: signal<DiagnosticView | undefined>(undefined),
  selection: signal<SpanView>({ start: 0, end: 0 }),
  /** From 1, where the cursor is. */
  line: signal(1),
  /** Where an editor should go next; a new object each time, so that the same place can be asked for twice. */
  target: signal<{ file: FileName; span: SpanView; focus: boolean } | undefined>(undefined),
  /** What a panel is pointing at in the program. */
  pointed: signal<SpanView | undefined>(undefined),
  /** What a panel is about as a whole, marked as long as it shows it. */
  lit: signal<{ tone: "good" | "bad"; spans: readonly SpanView[] } | undefined>(undefined),
  /** Counts how often the editor was asked to format. */
  formatting: signal(0),
  /** Counts how often the editor was asked to say more about what is at the cursor. */
  explaining: signal(0),
  panel: signal(FIRST_PANEL),
  /** On a narrow screen, whether the editor is shown instead of the panel. */
  editing: signal(true),
  /** How the machine lays out values. */
  layout: signal<LayoutName>("aligned"),
  /** Whether operators that feed each other run as one. */
  fused: signal<Fused>("on"),
  /** Which build of the compiler is at work, and the one that is on its way to replace it. */
  build: signal<BuildName>(DEFAULT_BUILD),
  buildComing: signal<BuildName | undefined>(undefined),
  /** What the solver did, step by step. */
  trace: signal<{ revision: number; view: TraceView } | undefined>(undefined),
  solverTab: signal<SolverTab>("steps"),
  /** Where in the trace one stands; unknown until there is a trace to choose a place in. */
  stop: signal<number | undefined>(undefined),
  stepFilter: signal<StepFilter>({ hidesEquations: false, function: undefined, relation: undefined }),
  /** The solver at the stop, or at the one before while that is on its way. */
  solver: signal<{ revision: number; view: SolverView } | undefined>(undefined),
  /** Whether the solver's steps are shown one after the other. */
  solverPlaying: signal(false),
  /** How much of the solver's lists is shown. */
  solverPart: signal<SolverPart>(FIRST_PART),
  placed: signal<Placed | undefined>(undefined),
  /** How the nodes of a graph stand. */
  graphState: signal<{ placed: Placed; view: GraphStateView } | undefined>(undefined),
  question: signal<Question>({ kind: "type", piece: undefined }),
  answer: signal<Answer | undefined>(undefined),
  theme: signal<Theme>("system"),
  notice: signal<Notice | undefined>(undefined),
  explained: signal<{ code: string; page: string | undefined } | undefined>(undefined),
  examplesOpen: signal(false),
};

/** What the program is written in. */
export const language = computed(() => languageOf(state.text.value));

/** Whether the check is of the text as it stands. */
export const isFresh = computed(() => state.checked.value.revision === state.revision.value);

/** Whether a check of the text is to be expected. One over which the compiler fell is not repeated. */
export const isChecking = computed(() => !isFresh.value && state.engine.value === "ready" && state.trap.value === undefined);

/** Whether it is still being looked for what would mend the problems of the check. */
export const isMending = computed(
  () => isFresh.value && state.mended.value?.revision !== state.revision.value && state.checked.value.view.diagnostics.some(mayBeMended),
);

const key = (d: DiagnosticView) => `${d.code} ${d.span.start} ${d.span.end} ${d.message}`;

const NONE: readonly DiagnosticView[] = [];

/** Whether the run that is under way has been heard of. */
export const isTelling = computed(() => state.running.value && state.progress.value.view !== undefined);

const NO_VALUES: readonly ValueView[] = [];

/** What expressions have come to: in the run that is under way, once it is heard of, or in the last one, to its end or until it was stopped. */
export const runValues = computed<readonly ValueView[]>(() => {
  const ran = state.ran.value;
  if (isTelling.value) return state.progress.value.view?.values ?? NO_VALUES;
  return ((ran?.kind === "finished" || ran?.kind === "stopped") && ran.view?.values) || NO_VALUES;
});

/** Why expressions have no value: of the run that is under way, or of the last one, to its end or until it was stopped. */
export const runDiagnostics = computed<readonly DiagnosticView[]>(() => {
  const ran = state.ran.value;
  if (state.running.value) return state.progress.value.view?.diagnostics ?? NONE;
  return ((ran?.kind === "finished" || ran?.kind === "stopped") && ran.view?.diagnostics) || NONE;
});

/** What the check, the run of the same text, and the compiler's own accidents have to say. */
export const problems = computed<Problem[]>(() => {
  const found = new Map<string, Problem>();
  const trap = state.trap.value;
  if (trap !== undefined) found.set(key(trap), asTold(trap));
  // Then the check is of another text, and there may be none of this one.
  if (trap !== undefined && !isFresh.value) return [...found.values()];
  const { revision, view } = state.checked.value;
  const mended = state.mended.value;
  const checked = mended?.revision === revision ? inOrderOf(view.diagnostics, mended.diagnostics) : view.diagnostics.map(asTold);
  for (const problem of checked) found.set(key(problem), problem);
  if (state.running.value || state.ran.value?.revision === state.checked.value.revision) {
    // One place may fail for several expressions.
    const failures = new Map<string, DiagnosticView>();
    for (const diagnostic of runDiagnostics.value) {
      const known = failures.get(key(diagnostic));
      if (known === undefined) failures.set(key(diagnostic), { ...diagnostic, labels: [...diagnostic.labels] });
      else known.labels.push(...diagnostic.labels);
    }
    for (const [at, failure] of failures) {
      failure.labels.sort((a, b) => a.span.start - b.span.start);
      found.set(at, asTold(failure));
    }
  }
  return [...found.values()];
});

/** The problem that is likeliest the cause of others, where that is not the first one. */
export const likeliest = computed<Problem | undefined>(() => {
  const mended = state.mended.value;
  const first = mended?.diagnostics[0];
  if (first === undefined || !mended?.has_cause || mended.revision !== state.checked.value.revision) return undefined;
  const found = problems.value.findIndex((problem) => key(problem) === key(first));
  return found > 0 ? problems.value[found] : undefined;
});

export const errorCount = computed(() => problems.value.filter((d) => d.severity === "error").length);

/** Whether the check found errors: what has one of these has no code and no layout. A run may find others. */
export const hasFlaws = computed(() => state.checked.value.view.diagnostics.some(({ severity }) => severity === "error"));

/** The language that a program with errors looks like, where it is read in another; where the compiler says so, it offers it. */
export const looksLike = computed<Language | undefined>(() => {
  if (errorCount.value === 0 || !isFresh.value || problems.value.some(({ code }) => code === "other-lang")) return undefined;
  const shown = languageShown(state.text.value);
  return shown === language.value ? undefined : shown;
});

/** How programs are compiled now; who renders by it reads the signals. */
export const target = (): Target => ({ layout: state.layout.peek(), fused: state.fused.peek() });
