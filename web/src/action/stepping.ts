// A run step by step: one move at a time is asked for, and a sentence says what it did.
import { batch, effect } from "@preact/signals";
import { lineOf, lineStarts } from "../lines.ts";
import type { StepMove } from "../protocol.ts";
import { hasFlaws, isFresh, type LayoutName, state, type Stepping, target } from "../state.ts";
import { explain } from "../view/instructions.ts";
import type { BlockView, StepView } from "../wasm/relish_wasm.js";
import { openPanel } from "./navigation.ts";
import { step } from "./queries.ts";
import { setLayout } from "./settings.ts";

/** Between two steps of a run that plays. */
const BEAT_MS = 450;
/** How long a run is, is not looked for beyond this. */
const FAR = 20_000_000;
/** A move that takes longer says so. */
const PATIENCE_MS = 200;
/** As many blocks are named in a sentence. */
const NAMED = 3;

/** Counts the moves; one that was overtaken by a newer one is not shown. */
let last = 0;
/** The slider's newest place, while the answer about an older one is on its way. */
let wanted: number | undefined;
let isSeeking = false;
let patience: ReturnType<typeof setTimeout> | undefined;

/** Begins to look at the run of one of the expressions. */
export async function startStepping(expression = 0): Promise<void> {
  openPanel("run");
  if (await start(expression)) await measure();
  else sayNothingToStep();
}

function sayNothingToStep(): void {
  const text = "There is nothing to step through: the program needs an expression without errors.";
  state.notice.value = { tone: "bad", text, ofText: true };
}

async function start(expression: number): Promise<boolean> {
  const view = await ask({ to: "start", expression, target: target() });
  if (view !== undefined) set(expression, view, undefined, "Before the first instruction.", undefined);
  return view !== undefined;
}

export function endStepping(): void {
  if (state.stepping.peek() === undefined) return;
  leave();
  void step({ to: "end" });
}

function leave(): void {
  last += 1;
  wanted = undefined;
  pause();
  clearTimeout(patience);
  batch(() => {
    state.seeking.value = false;
    state.stepping.value = undefined;
  });
}

// A run of another text is none of this one.
effect(() => {
  const revision = state.revision.value;
  const stepping = state.stepping.peek();
  if (stepping !== undefined && stepping.revision !== revision) leave();
});

// Nor is one of another engine.
effect(() => {
  void state.build.value;
  if (state.stepping.peek() !== undefined) leave();
});

// Whoever runs the program wants to see its values.
effect(() => {
  void state.asked.value;
  endStepping();
});

export async function move(to: StepMove): Promise<void> {
  const before = state.stepping.peek();
  if (before === undefined) return;
  const view = await ask(to);
  if (view === undefined) return;
  const { said, ran } = tell(to, before.view, view);
  set(before.expression, view, before.view, said, ran);
}

/** Goes to a step; while the answer is awaited only the newest wish is kept. */
export async function seek(target: number): Promise<void> {
  wanted = target;
  if (isSeeking) return;
  isSeeking = true;
  for (let next: number | undefined = wanted; next !== undefined; next = wanted) {
    wanted = undefined;
    await move({ to: "step", step: next });
  }
  isSeeking = false;
}

/** On to the line of the cursor, in the run that is looked at unless another expression stands there. */
export async function runToCursor(): Promise<void> {
  const place: StepMove = { to: "line", offset: state.selection.peek().start };
  const now = state.stepping.peek()?.expression;
  const own = expressionAt(state.line.peek());
  if (now !== undefined && (own === undefined || own === now)) return move(place);
  openPanel("run");
  await (own === undefined ? startAnyTo(place) : startTo(own, place));
  await measure();
}

/** The expression on a line. Where there are errors, it is not known which of them are evaluated. */
function expressionAt(line: number): number | undefined {
  const { view, starts } = state.checked.peek();
  if (!isFresh.peek() || hasFlaws.peek()) return undefined;
  const found = view.expressions.findIndex(({ span, line: first }) => first <= line && line <= lineOf(starts, span.end));
  return found < 0 ? undefined : found;
}

/** Begins a run and goes on to a line, where it may stand already; whether there is such a run. */
async function startTo(expression: number, place: StepMove): Promise<boolean> {
  if (!(await start(expression))) return false;
  const first = state.stepping.peek()?.view.span;
  if (first === undefined || lineOf(lineStarts(state.text.peek()), first.start) !== state.line.peek()) await move(place);
  return true;
}

/** Finds the first of the runs that comes to a line. */
async function startAnyTo(place: StepMove): Promise<void> {
  for (let expression = 0; await startTo(expression, place); expression += 1) {
    const status = state.stepping.peek()?.view.status;
    // It came there, or somebody did not wait for it.
    if (status === undefined || status === "running") return;
  }
  const last = state.stepping.peek();
  if (last === undefined) sayNothingToStep();
  else if (last.expression > 0 && last.view.status === "done") state.stepping.value = { ...last, said: "None of the runs comes to this line." };
}

/** The same run with values laid out otherwise, as near as can be to where it stands. */
export async function stepWithLayout(layout: LayoutName): Promise<void> {
  setLayout(layout);
  const before = state.stepping.peek();
  if (before === undefined) return;
  pause();
  const { expression, view } = before;
  const begun = await ask({ to: "start", expression, target: target() });
  if (begun === undefined) return;
  const span = view.span ?? { start: 0, end: 0 };
  const there = view.status === "running" ? await ask({ to: "like", fuel: view.fuel, ...span }) : await ask({ to: "last" });
  set(expression, there ?? begun, undefined, `The same place with the layout ${layout}.`, undefined);
  await measure();
}

export function play(): void {
  state.playing.value = true;
}

export function pause(): void {
  state.playing.value = false;
}

// A pause ends its own round of steps for good, also while an answer is on its way.
effect(() => {
  if (!state.playing.value) return undefined;
  let isOver = false;
  let beat: ReturnType<typeof setTimeout> | undefined;
  const tick = async () => {
    await move({ to: "into" });
    if (isOver) return;
    if (state.stepping.peek()?.view.status === "running") beat = setTimeout(tick, BEAT_MS);
    else pause();
  };
  void tick();
  return () => {
    isOver = true;
    clearTimeout(beat);
  };
});

/** Gives up a move that takes long, and shows how far it came. */
export function halt(): void {
  wanted = undefined;
  void move({ to: "measure" });
}

/** Asks until the answer is whole, or another move is made. */
async function ask(to: StepMove): Promise<StepView | undefined> {
  last += 1;
  const mine = last;
  clearTimeout(patience);
  state.seeking.value = false;
  patience = setTimeout(() => {
    if (mine === last) state.seeking.value = true;
  }, PATIENCE_MS);
  const view = await askOn(to, mine);
  if (mine === last) {
    clearTimeout(patience);
    state.seeking.value = false;
  }
  return view;
}

async function askOn(to: StepMove, mine: number): Promise<StepView | undefined> {
  const { revision } = state;
  const asked = revision.peek();
  for (;;) {
    const view = await step(to);
    if (view === undefined) {
      // The compiler was replaced, and with it went the run.
      if (mine === last && revision.peek() === asked && to.to !== "start") leave();
      return undefined;
    }
    if (mine !== last) return undefined;
    if (!view.is_unfinished) return view;
  }
}

/** Finds out how long the run is, a slice at a time, as long as nothing else is asked for. */
async function measure(): Promise<void> {
  for (;;) {
    const stepping = state.stepping.peek();
    if (stepping === undefined || stepping.view.is_whole || stepping.view.known > FAR) return;
    const mine = last;
    const view = await step({ to: "measure" });
    const now = state.stepping.peek();
    if (view === undefined || now === undefined || now.revision !== stepping.revision) return;
    // A move that was made meanwhile has told of the length itself, but may not know all of it.
    const { known, is_whole } = view;
    if (mine === last || now.expression === stepping.expression) state.stepping.value = { ...now, view: { ...now.view, known, is_whole } };
  }
}

function set(expression: number, view: StepView, before: StepView | undefined, said: string, ran: string | undefined): void {
  const stepping: Stepping = { revision: state.revision.peek(), expression, view, before, said, ran };
  const known = state.stepping.peek()?.view;
  batch(() => {
    // What is known of the length is not forgotten.
    if (known !== undefined && before !== undefined && known.known > view.known) {
      stepping.view = { ...view, known: known.known, is_whole: known.is_whole };
    }
    state.stepping.value = stepping;
  });
}

export const hex = (address: number) => `0x${address.toString(16).padStart(2, "0")}`;

const currentOf = ({ current, lines }: StepView) => (current === undefined ? undefined : lines[current]?.text.trim());

/** What a move did. */
function tell(to: StepMove, before: StepView, after: StepView): { said: string; ran: string | undefined } {
  const steps = after.step - before.step;
  // Of a heap that is not shown in whole, what is new is not known.
  const isWhole = before.n_more_blocks + after.n_more_blocks === 0;
  const heap = isWhole || steps === 1 ? tellHeap(before.blocks, after.blocks, isWhole) : "";
  const line = currentOf(before);
  if (after.status === "failed" && after.diagnostic !== undefined) {
    return { said: `The run ends here: ${after.diagnostic.message}.`, ran: currentOf(after) ?? line };
  }
  if (steps === 1 && line !== undefined) return { said: sentence(explain(`  ${line}`), heap), ran: line };
  if (to.to === "line" && after.status !== "running") {
    return { said: `The run ended without coming to this line${before.step > 0 ? " again" : ""}.`, ran: undefined };
  }
  if (steps === 0) return { said: "There is nothing further.", ran: undefined };
  const n = Math.abs(steps).toLocaleString("en");
  const way = `${n} ${n === "1" ? "step" : "steps"} ${steps > 0 ? "on" : "back"}.`;
  return { said: sentence(after.status === "done" ? `${way} The run is done.` : way, steps > 0 ? heap : ""), ran: undefined };
}

const sentence = (...parts: string[]) => parts.filter((part) => part !== "").join(" ");

/** What became of the heap between two views. */
function tellHeap(before: readonly BlockView[], after: readonly BlockView[], isWhole: boolean): string {
  const was = new Map(before.map((block) => [block.address, block]));
  const is = new Map(after.map((block) => [block.address, block]));
  const made = after.filter(({ address }) => isWhole && !was.has(address));
  const gone = before.filter(({ address }) => isWhole && !is.has(address));
  const kept = after.filter(({ address }) => was.has(address));
  const written = kept.filter((block) => bytesOf(was.get(block.address)) !== bytesOf(block));
  const other = kept.filter((block) => was.get(block.address)?.count !== block.count && !written.includes(block));
  const counted = other.filter(({ count }) => count !== undefined);
  // Of memory that nothing is in, nobody counts the owners.
  const emptied = other.filter(({ type }) => type === "");
  const list = (blocks: readonly BlockView[], one: string, many: string) => {
    if (blocks.length === 0) return "";
    if (blocks.length > NAMED) return `${blocks.length.toLocaleString("en")} blocks ${many}.`;
    return `${blocks.map(({ address }) => hex(address)).join(", ")} ${blocks.length === 1 ? one : many}.`;
  };
  return sentence(
    list(made, "is a new block", "are new"),
    list(written, "was written", "were written"),
    ...counted.slice(0, NAMED).map(({ address, count }) => `${hex(address)} has ${count} ${count === 1 ? "owner" : "owners"} now.`),
    list(emptied, "is kept to be used again", "are kept to be used again"),
    list(gone, "was freed", "were freed"),
  );
}

export const bytesOf = (block: BlockView | undefined) => block?.bytes.join(" ") ?? "";

