// The solver on the page: where in the trace it stands, one question about it at a time, and what is to be seen of it.
import { batch, computed, effect } from "@preact/signals";
import { place } from "../placing.ts";
import { FIRST_PART, isFresh, type SolverTab, state } from "../state.ts";
import { sizeOf } from "../view/solver/shape.ts";
import type { SpanView, TraceView } from "../wasm/relish_wasm.js";
import { openPanel } from "./navigation.ts";
import { solver } from "./queries.ts";

/** Between two steps that are played. */
const BEAT_MS = 450;
/** The relation that equates two types. */
const EQUATION = "Equal";

/** The stops that the filter lets through, the beginning among them; those of the trace that is shown. */
export const visible = computed<Uint32Array>(() => {
  const view = state.trace.value?.view;
  if (view === undefined) return new Uint32Array(1);
  const filter = state.stepFilter.value;
  const fn = view.functions.findIndex(({ name }) => name === filter.function);
  const relation = view.relations.indexOf(filter.relation ?? "");
  const equation = filter.hidesEquations ? view.relations.indexOf(EQUATION) : -1;
  const isShown = (stop: number) => {
    const ran = view.stop_relations[stop] ?? -1;
    if (filter.relation !== undefined && relation >= 0 && ran !== relation) return false;
    if (filter.function !== undefined && fn >= 0 && view.stop_functions[stop] !== fn) return false;
    // What failed is why one looks.
    return equation < 0 || ran !== equation || view.stops[stop] === "f";
  };
  const found = new Uint32Array(view.stops.length);
  let count = 1;
  for (let stop = 1; stop < view.stops.length; stop += 1) if (isShown(stop)) found[count++] = stop;
  return found.slice(0, count);
});

/** The last of the visible stops that is not behind `stop`. */
export function positionOf(stops: Uint32Array, stop: number): number {
  let [low, high] = [0, stops.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((stops[middle] ?? 0) <= stop) low = middle;
    else high = middle - 1;
  }
  return low;
}

export const lastStop = (view: TraceView) => Math.max(view.stops.length - 1, 0);

/** Where one stands, once there is a trace. */
export const stopNow = computed(() => {
  const view = state.trace.value?.view;
  return view === undefined ? 0 : Math.min(state.stop.value ?? beginning(view), lastStop(view));
});

/** Where one stands at first: at what failed, else where the first relations are in the queue. */
function beginning(view: TraceView): number {
  return view.failures[0] ?? Math.min(1, lastStop(view));
}

/** Asks for the trace of the text as it stands, unless it is there. */
export async function followTrace(): Promise<void> {
  const revision = state.checked.peek().revision;
  if (!isFresh.peek() || state.trace.peek()?.revision === revision) return;
  const view = await solver({ about: "trace" });
  if (view == null || state.revision.peek() !== revision) return;
  batch(() => {
    if (state.stop.peek() === undefined) state.stop.value = beginning(view);
    state.trace.value = { revision, view };
    state.solverPart.value = FIRST_PART;
  });
}

/** Counts the answers that are wanted; of several wishes only the newest is asked about. */
let wanted = 0;
let isAsking = false;

/** Brings what is shown of the solver to where one stands: one question is under way at a time, the newest wish goes next. */
export async function followStop(): Promise<void> {
  wanted += 1;
  if (isAsking) return;
  isAsking = true;
  for (let served = 0; served !== wanted; ) {
    served = wanted;
    await ask();
  }
  isAsking = false;
}

async function ask(): Promise<void> {
  const traced = state.trace.peek();
  if (traced === undefined || traced.revision !== state.revision.peek()) return;
  const stop = stopNow.peek();
  // The compiler knows one graph, the one that it was asked for last; another may be shown until that has its places.
  const isGraph = state.solverTab.peek() === "graph";
  const shown = isGraph ? state.placed.peek() : undefined;
  const placed = shown?.revision === asked.revision && shown.opened === asked.opened ? shown : undefined;
  const [view, graph] = await Promise.all([
    solver({ about: "stop", stop, ...(isGraph ? NO_LISTS : state.solverPart.peek()) }),
    placed === undefined ? undefined : solver({ about: "state", stop }),
  ]);
  if (state.revision.peek() !== traced.revision) return;
  batch(() => {
    if (view != null) state.solver.value = { revision: traced.revision, view };
    if (placed !== undefined && graph?.states.length === placed.graph.nodes.length) state.graphState.value = { placed, view: graph };
  });
}

/** Beside the graph the lists are not shown. */
const NO_LISTS: typeof FIRST_PART = { firstClass: 0, nClasses: 0, nRelations: 0 };

/** The graph that was asked for last. */
let asked: { revision: number; opened: readonly string[] } = { revision: -1, opened: [] };

/** Asks for the graph with these clusters open, and finds a place for each of its nodes. */
export async function followGraph(opened: readonly string[]): Promise<void> {
  const revision = state.trace.peek()?.revision;
  const had = state.placed.peek();
  if (revision === undefined || (had?.revision === revision && had.opened === opened)) return;
  const mine = { revision, opened };
  asked = mine;
  const graph = await solver({ about: "graph", open: [...opened] });
  if (graph == null || asked !== mine) return;
  const places = await place(graph.nodes.map(sizeOf), graph.edges);
  if (places === undefined || asked !== mine || state.revision.peek() !== revision) return;
  state.placed.value = { revision, graph, opened, ...places };
  void followStop();
}

/** Stands at a stop. */
function goToStop(stop: number): void {
  pauseSolver();
  setStop(stop);
}

function setStop(stop: number): void {
  if (stop === state.stop.peek()) return;
  batch(() => {
    state.stop.value = stop;
    if (state.solverPart.peek() !== FIRST_PART) state.solverPart.value = FIRST_PART;
  });
}

/** Shows a stop, from wherever on the page. */
export function showStop(stop: number): void {
  batch(() => {
    openPanel("solver");
    state.solverTab.value = "steps";
    goToStop(stop);
  });
}

export function openSolver(tab: SolverTab): void {
  batch(() => {
    state.solverTab.value = tab;
    openPanel("solver");
  });
}

/** So many of the visible stops on, or back. */
export function moveBy(count: number): void {
  const stops = visible.peek();
  const stop = stopNow.peek();
  const at = positionOf(stops, stop);
  // From a stop that the filter hides, one step back is the visible one before it.
  const isBetween = (stops[at] ?? 0) < stop;
  const next = Math.min(Math.max(at + count + (isBetween && count < 0 ? 1 : 0), 0), stops.length - 1);
  goToStop(stops[next] ?? 0);
}

export const moveToPosition = (position: number) => goToStop(visible.peek()[position] ?? 0);
export const moveToEnd = () => moveToPosition(visible.peek().length - 1);

export function playSolver(): void {
  // At the end there is nothing to play but all of it.
  if (stopNow.peek() >= (visible.peek().at(-1) ?? 0)) setStop(0);
  state.solverPlaying.value = true;
}

export function pauseSolver(): void {
  state.solverPlaying.value = false;
}

effect(() => {
  if (!state.solverPlaying.value) return;
  const timer = setInterval(() => {
    const stops = visible.peek();
    const next = stops[positionOf(stops, stopNow.peek()) + 1];
    if (next === undefined || state.panel.peek() !== "solver") pauseSolver();
    else setStop(next);
  }, BEAT_MS);
  return () => clearInterval(timer);
});

/** The next stop where something failed, from the beginning again after the last. */
export function nextFailure(): void {
  const failures = state.trace.peek()?.view.failures ?? [];
  const next = failures.find((stop) => stop > stopNow.peek()) ?? failures[0];
  if (next !== undefined) goToStop(next);
}

/** The next step that tells something about the type at the cursor, from the first one again after the last. */
export async function nextTouching(): Promise<void> {
  const place = await solver({ about: "place", offset: state.selection.peek().start });
  if (place === undefined) return;
  const next = place?.stops.find((stop) => stop > stopNow.peek()) ?? place?.stops[0];
  if (next === undefined) return say("No step touches what is at the cursor: put the cursor on a name or an expression.");
  goToStop(next);
}

/** The step that decided the type at the cursor. */
export async function deciding(): Promise<void> {
  const place = await solver({ about: "place", offset: state.selection.peek().start });
  if (place === undefined) return;
  if (place === null) return say("Nothing at the cursor has a type: put the cursor on a name or an expression.");
  goToStop(place.decided);
}

function say(text: string): void {
  state.notice.value = { tone: "hint", text };
}

/** Whether a place is what the cursor is at: the narrowest of these places that holds it, or any in the selection. */
export function litAmong(spans: Iterable<SpanView | undefined>): (span: SpanView | undefined) => boolean {
  const { start, end } = state.selection.value;
  let least = Infinity;
  const isIn = (span: SpanView) => (start === end ? false : start <= span.start && span.end <= end);
  const holds = (span: SpanView) => span.start <= start && end <= span.end;
  for (const span of spans) if (span !== undefined && holds(span)) least = Math.min(least, span.end - span.start);
  return (span) => span !== undefined && (isIn(span) || (holds(span) && span.end - span.start === least));
}
