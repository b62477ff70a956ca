// The compiler at work on the program: it checks each text, and runs it when a person asks, or by itself when that is quick.
import { batch, effect } from "@preact/signals";
import { Compiler } from "../compiler.ts";
import { lineStarts } from "../lines.ts";
import type { Request } from "../protocol.ts";
import { errorCount, isChecking, state, type Target, target } from "../state.ts";
import type { DiagnosticView } from "../wasm/relish_wasm.js";
import { foldRoom } from "./room.ts";

/** A run that a person asked for ends when they say so. */
const NO_LIMIT = 1e15;
/** A run that nobody asked for is small, or it is not made. */
const SMALL = 1e6;
/** Far more than such a run takes, for a machine that does other things as well. */
const QUICK_MS = 200;
/** The first run waits for the browser, which compiles what it runs. */
const COLD_MS = 1500;
const SETTLED_MS = 350;
/** After a run that was not quick, and after a stop, the text runs by itself once it was left alone for longer. */
const PATIENT_MS = 3000;
/** A run that nobody asked for does not keep a processor busy for longer. */
const ALONE_MS = 2000;
/** Whoever types a word presses the next key before this. */
const RESTED_MS = 800;
/** A check that takes longer says so. */
const LATE_MS = 300;
/** A run that ends sooner than this never shows a Stop button that could not be hit anyway. */
const SHOW_STOP_MS = 16;

/**
 * Where a text comes from: it was edited here, chosen here in the place of another, or opened from a link or from storage,
 * which nobody has asked to run.
 */
type Origin = "edited" | "chosen" | "opened";

interface Run {
  start: number;
  /** Whether it runs by itself, with a limit. */
  alone: boolean;
  target: Target;
}

let settled: ReturnType<typeof setTimeout> | undefined;
let resting: ReturnType<typeof setTimeout> | undefined;
let mending: ReturnType<typeof setTimeout> | undefined;
let showStop: ReturnType<typeof setTimeout> | undefined;
let givingUp: ReturnType<typeof setTimeout> | undefined;
/** The text was typed or chosen here and now; only then may it run by itself. */
let isFromHere = false;
/** The last run was quick, or there was none. */
let isQuick = true;
/** Whether there has been a run. */
let isWarm = false;
let run: Run | undefined;

export const compiler = new Compiler({
  switched(build) {
    const wasAlone = run?.alone;
    const hasValues = state.ran.value?.kind === "finished" && state.ran.value.revision === state.revision.value;
    const isOther = build !== state.build.value;
    batch(() => {
      state.buildComing.value = undefined;
      state.build.value = build;
    });
    if (!isOther) return;
    endRun();
    // What was shown, or on its way, is computed anew.
    if (wasAlone !== undefined || hasValues) startRun(wasAlone ?? false);
  },
  missing(build, message) {
    const what = build === "relaxed" ? "The engine with relaxed SIMD" : "The default engine";
    batch(() => {
      state.buildComing.value = undefined;
      state.notice.value = { tone: "bad", text: `${what} could not be had: ${message}. Programs run with the other one.` };
    });
  },
  ready(prelude) {
    const isFirst = state.engine.peek() === "loading";
    batch(() => {
      state.prelude.value = prelude;
      state.engine.value = "ready";
    });
    if (isFirst && run !== undefined) send(run);
  },
  checked(revision, view) {
    // A text that brought the compiler down is checked once more by the next one.
    const isAgain = revision === state.checked.peek().revision;
    batch(() => {
      state.checked.value = { revision, view, starts: lineStarts(state.text.peek()) };
      if (!isAgain) state.trap.value = undefined;
    });
    clearTimeout(settled);
    clearTimeout(mending);
    if (errorCount.value > 0) mending = setTimeout(lookForMends, SETTLED_MS);
    if (isFromHere && !isAgain && run === undefined && errorCount.value === 0) settled = setTimeout(() => startRun(true), isQuick ? SETTLED_MS : PATIENT_MS);
  },
  begun(revision, view) {
    if (revision === state.revision.value) state.needs.value = { revision, view };
  },
  progress(revision, view) {
    if (run === undefined || revision !== state.revision.value) return;
    const before = state.progress.peek();
    // A word tells what is new.
    const values = joined(before.view?.values, view.values);
    const diagnostics = joined(before.view?.diagnostics, view.diagnostics);
    state.progress.value = { ...before, view: { ...view, values, diagnostics } };
  },
  ran(revision, view, whole) {
    const unfinished = run?.alone && view.fuel >= SMALL;
    endRun();
    isQuick = whole < (isWarm ? QUICK_MS : COLD_MS) && !unfinished;
    isWarm = true;
    if (revision !== state.revision.value) return;
    if (unfinished) state.ran.value = { kind: "long", revision };
    else state.ran.value = { kind: "finished", revision, view, milliseconds: view.milliseconds, whole, build: state.build.peek() };
  },
  trapped(during, message) {
    isQuick = false;
    // A text that brought the compiler down is not sent again by itself.
    clearTimeout(settled);
    endRun();
    if (during !== "start") state.trap.value = trapDiagnostic(during, message);
  },
  failed(message) {
    endRun();
    batch(() => {
      state.engine.value = "failed";
      state.buildComing.value = undefined;
      state.notice.value = {
        tone: "bad",
        text: `The compiler could not start: ${message}. The text is safe; reload the page to try again.`,
      };
    });
  },
});

effect(() => {
  if (!isChecking.value) return undefined;
  const timer = setTimeout(() => (state.late.value = true), LATE_MS);
  return () => {
    clearTimeout(timer);
    state.late.value = false;
  };
});

/** Where nothing is added, it is the same list, so that nothing is drawn anew. */
const joined = <Item>(known: Item[] = [], added: Item[]): Item[] => (added.length === 0 ? known : [...known, ...added]);

/** Finds out what would mend the problems, once nobody types any more. */
async function lookForMends(): Promise<void> {
  const { revision } = state.checked.peek();
  const found = await compiler.solver({ about: "mend" });
  if (found != null && revision === state.revision.peek()) state.mended.value = { ...found, revision };
}

function trapDiagnostic(during: Request["kind"], message: string): DiagnosticView {
  const doing = during === "update" ? "checking" : during === "run" ? "running" : "answering a question about";
  return {
    code: "compiler-stopped",
    severity: "error",
    message: `The compiler stopped while ${doing} this program and has been restarted: ${message}. Nothing you wrote is lost.`,
    span: { start: 0, end: 0 },
    line: 1,
    labels: [],
    help: undefined,
    fixes: [],
  };
}

/** Makes `text` the current one. */
export function setText(text: string, origin: Origin): void {
  isFromHere = origin !== "opened";
  // How long another program ran says nothing about this one.
  if (origin !== "edited") isQuick = true;
  clearTimeout(settled);
  clearTimeout(mending);
  clearTimeout(resting);
  if (origin === "edited") resting = setTimeout(() => (state.rested.value = true), RESTED_MS);
  batch(() => {
    state.text.value = text;
    if (state.notice.peek()?.ofText) state.notice.value = undefined;
    state.revision.value += 1;
    state.rested.value = origin !== "edited";
  });
  endRun();
  compiler.update(state.revision.value, text);
}

/** Whether a run is under way that somebody asked for, not one that the text makes by itself. */
export const isRunAsked = (): boolean => run?.alone === false;

/** Runs the program as it stands, for as long as it takes. */
export function runNow(): void {
  clearTimeout(settled);
  batch(() => {
    state.asked.value += 1;
    state.panel.value = "run";
    state.editing.value = false;
    state.rested.value = true;
    foldRoom();
  });
  startRun(false);
}

function startRun(alone: boolean): void {
  // One that is asked for has no limit, and says what it needs and how far it is: it does not go on from one that has.
  if (run?.alone && !alone) {
    compiler.stop();
    endRun();
  }
  if (run !== undefined || state.engine.value === "failed") return;
  run = { start: performance.now(), alone, target: target() };
  state.trap.value = undefined;
  // In the place of the button by which one runs, so not for what nobody has asked for.
  if (!alone) showStopSoon();
  else givingUp = setTimeout(giveUp, ALONE_MS);
  // What is asked for before the compiler has come waits for it.
  if (state.engine.value === "ready") send(run);
}

function send(run: Run): void {
  run.start = performance.now();
  run.target = target();
  state.progress.value = { start: run.start, view: undefined };
  compiler.run(run.alone ? SMALL : NO_LIMIT, run.target, state.measures.peek() ? "on" : "off", { ahead: !run.alone });
}

function showStopSoon(): void {
  showStop = setTimeout(() => (state.running.value = true), SHOW_STOP_MS);
}

/** Ends a run that nobody asked for. */
function giveUp(): void {
  isQuick = false;
  compiler.stop();
  batch(() => {
    endRun();
    state.ran.value = { kind: "long", revision: state.revision.value };
  });
}

function endRun(): void {
  clearTimeout(showStop);
  clearTimeout(givingUp);
  run = undefined;
  state.running.value = false;
}

export function stop(): void {
  if (run === undefined) return;
  const milliseconds = performance.now() - run.start;
  const { target } = run;
  const { view } = state.progress.peek();
  isQuick = false;
  compiler.stop();
  batch(() => {
    endRun();
    state.ran.value = { kind: "stopped", revision: state.revision.value, milliseconds, view, target, build: state.build.value };
  });
}
