// Everything that changes the state, by a person or by the compiler.
import { batch } from "@preact/signals";
import { type BuildName, DEFAULT_BUILD, isOffered } from "./builds.ts";
import { Compiler } from "./compiler.ts";
import { setAside, takeBack } from "./earlier.ts";
import { inLanguage, type Language } from "./language.ts";
import { lineStarts } from "./lines.ts";
import { type Linked, pack, unpack } from "./link.ts";
import type { ExportName, StepMove } from "./protocol.ts";
import { type Document, errorCount, isFused, isLayout, type LayoutName, state, target, type Target, type Theme } from "./state.ts";
import { type KeptOfTab, load, loadOfTab, save, saveOfTab } from "./storage.ts";
import type { DiagnosticView, EditView, FileName, FixView, Fused, SpanView } from "./wasm/relish_wasm.js";
import { isWelcome, WELCOME } from "./welcome.ts";

/** A run that a person asked for ends when they say so. */
const NO_LIMIT = 1e15;
/** A run that nobody asked for is small, or it is not made. */
const SMALL = 1e6;
const QUICK_MS = 50;
/** The first run waits for the browser, which compiles what it runs. */
const COLD_MS = 500;
const SETTLED_MS = 350;
/** A run that ends sooner than this never shows a Stop button that could not be hit anyway. */
const SHOW_STOP_MS = 16;

let settled: ReturnType<typeof setTimeout> | undefined;
let mending: ReturnType<typeof setTimeout> | undefined;
let showStop: ReturnType<typeof setTimeout> | undefined;
let saving: ReturnType<typeof setTimeout> | undefined;
/** The text was typed or chosen here and now; only then may it run by itself. */
let isFromHere = false;
/** The last run was quick, or there was none; only then may the text run by itself. */
let isQuick = true;
/** Whether there has been a run. */
let isWarm = false;
/** The hash of the link whose program is shown. */
let link: string | undefined;
/** Whether it runs by itself, with a limit, and whether somebody has asked for it since. */
let run: { start: number; alone: boolean; isAsked: boolean } | undefined;

const compiler = new Compiler({
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
    batch(() => {
      state.prelude.value = prelude;
      state.engine.value = "ready";
    });
  },
  checked(revision, view) {
    batch(() => {
      state.checked.value = { revision, view, starts: lineStarts(state.text.peek()) };
      state.trap.value = undefined;
    });
    clearTimeout(settled);
    clearTimeout(mending);
    if (errorCount.value > 0) mending = setTimeout(lookForMends, SETTLED_MS);
    if (isFromHere && isQuick && errorCount.value === 0) settled = setTimeout(() => startRun(true), SETTLED_MS);
  },
  begun(revision, view) {
    if (revision === state.revision.value) state.needs.value = { revision, view };
  },
  progress(_revision, fuel, steps) {
    state.progress.value = { ...state.progress.peek(), fuel, steps };
  },
  ran(revision, view, milliseconds) {
    const unfinished = run?.alone && view.fuel >= SMALL;
    const isAsked = run?.isAsked;
    endRun();
    isQuick = milliseconds < (isWarm ? QUICK_MS : COLD_MS) && !unfinished;
    isWarm = true;
    if (revision !== state.revision.value) return;
    if (unfinished && isAsked) startRun(false);
    if (!unfinished) state.ran.value = { kind: "finished", revision, view, milliseconds, build: state.build.peek() };
  },
  trapped(during, message) {
    isQuick = false;
    endRun();
    if (during === "update" || during === "run") state.trap.value = trapDiagnostic(during, message);
  },
  failed(message) {
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

/** Finds out what would mend the problems, once nobody types any more. */
async function lookForMends(): Promise<void> {
  const { revision } = state.checked.peek();
  const found = await compiler.solver({ about: "mend" });
  if (found != null && revision === state.revision.peek()) state.mended.value = { revision, diagnostics: found.diagnostics };
}

function trapDiagnostic(during: "update" | "run", message: string): DiagnosticView {
  const doing = during === "update" ? "checking" : "running";
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

/** Makes `text` the current one, wherever it comes from. */
function setText(text: string): void {
  clearTimeout(settled);
  clearTimeout(mending);
  batch(() => {
    state.text.value = text;
    state.revision.value += 1;
  });
  endRun();
  compiler.update(state.revision.value, text);
}

/** The person typed. */
export function edit(text: string): void {
  if (text === state.text.value) return;
  isFromHere = true;
  // What ran unasked will do so again.
  const isEnded = run?.alone === false;
  batch(() => {
    if (isEnded) state.ran.value = { kind: "outdated", revision: state.revision.value };
    setText(text);
  });
  keepSoon();
}

function keepSoon(): void {
  clearTimeout(saving);
  saving = setTimeout(keepNow, 200);
}

/** Writes what is not yet in storage. */
function keepNow(): void {
  if (saving === undefined) return;
  clearTimeout(saving);
  saving = undefined;
  keep();
}

/** The person's own text is kept for later visits and for this tab, that of a link for this tab. */
function keep(): void {
  const text = state.text.value;
  if (state.document.value === "mine") {
    save("text", text);
    saveOfTab("text", text);
  }
  if (link !== undefined) saveOfTab(keyOf(link), text);
}

const keyOf = (link: string): KeptOfTab => `link ${link}`;

/** The page is left, maybe for good: what only this tab has is set aside, until the tab shows it again. */
export function leave(): void {
  keepNow();
  const own = loadOfTab("text");
  if (own !== undefined && own !== load("text")) setAside(own);
  const edited = link === undefined ? undefined : loadOfTab(keyOf(link));
  if (edited !== undefined && edited !== own) setAside(edited);
}

/** An example replaces the text; the text before it is one click (or one undo) away. */
export function openExample(title: string, text: string): void {
  replaceText(text, `Opened “${title}”.`);
}

/** So does one of the texts that were there before. */
export function openEarlier(text: string): void {
  replaceText(text, "Opened your earlier program.");
}

function replaceText(text: string, said: string): void {
  const before = state.text.value;
  const wasShared = state.document.value;
  isFromHere = isQuick = true;
  batch(() => {
    state.examplesOpen.value = false;
    state.ran.value = undefined;
    forgetSteps();
    state.editing.value = true;
    if (text === before) return;
    state.notice.value = { tone: "good", text: said, action: { title: "Undo", act: () => restore(before, wasShared) } };
  });
  exchange(text);
  openFile("user");
  goTo({ start: 0, end: 0 });
}

/** Puts one program in the place of another, which is set aside. */
function exchange(text: string): void {
  if (text !== state.text.value) setAside(state.text.value);
  takeBack(text);
  setText(text);
  keepSoon();
}

/** A place in the steps of one program is none in those of another. */
function forgetSteps(): void {
  state.stop.value = undefined;
  state.question.value = { kind: "type", piece: undefined };
  state.stepFilter.value = { hidesEquations: false, function: undefined, relation: undefined };
}

function restore(text: string, document: Document): void {
  batch(() => {
    state.document.value = document;
    state.notice.value = undefined;
    state.ran.value = undefined;
  });
  exchange(text);
  openFile("user");
}

/** Runs the program as it stands, for as long as it takes. */
export function runNow(): void {
  clearTimeout(settled);
  batch(() => {
    state.panel.value = "run";
    state.editing.value = false;
  });
  startRun(false);
}

function startRun(alone: boolean): void {
  if (run?.alone && !alone && !run.isAsked) {
    run.isAsked = true;
    showStopSoon();
  }
  if (run !== undefined || state.engine.value === "failed") return;
  run = { start: performance.now(), alone, isAsked: false };
  state.trap.value = undefined;
  state.progress.value = { start: run.start, fuel: 0, steps: 0 };
  // In the place of the button by which one runs, so not for what nobody has asked for.
  if (!alone) showStopSoon();
  compiler.run(alone ? SMALL : NO_LIMIT, target(), state.measures.peek() ? "on" : "off", { ahead: !alone });
}

function showStopSoon(): void {
  showStop = setTimeout(() => (state.running.value = true), SHOW_STOP_MS);
}

/** Finds out what memory a run would need, before anybody runs it. */
export async function lookAhead(): Promise<void> {
  const revision = state.revision.peek();
  const view = await compiler.needs(target());
  if (view !== undefined) state.needs.value = { revision, view };
}

/** Whether runs measure each operator from now on. */
export function setMeasures(measures: boolean): void {
  state.measures.value = measures;
  save("measures", measures ? "on" : "off");
}

function endRun(): void {
  clearTimeout(showStop);
  run = undefined;
  state.running.value = false;
}

export function stop(): void {
  if (run === undefined) return;
  const milliseconds = performance.now() - run.start;
  isQuick = false;
  compiler.stop();
  batch(() => {
    endRun();
    state.ran.value = { kind: "stopped", revision: state.revision.value, milliseconds };
  });
}

export async function hover(file: FileName, offset: number) {
  const view = await compiler.hover(file, offset);
  if (view?.operator === undefined) return view;
  // A file of its own, which the first hover on an operator loads.
  const { default: operators } = await import("virtual:operators");
  return { ...view, doc: operators[view.operator]?.doc ?? "" };
}
export const name = (file: FileName, offset: number) => compiler.name(file, offset);
/** The match at a place of the program, `null` if it has none; no answer if the text changes meanwhile. */
export const matchAt = (offset: number) => compiler.matchAt(offset);
/** The layouts of the program's sum types; no answer if the text changes meanwhile. */
export const layouts = () => compiler.layouts();
/** How a value that consists of these choices is stored; `null` if there is none. */
export const layoutValue = (entry: number, choices: string[]) => compiler.layoutValue(entry, choices);

/** The program that the machine runs, before and after one pass; no answer if the text changes meanwhile. */
export const ir = (pass: number, maxLines: number) => compiler.ir(target(), pass, maxLines);

/** What is to be said of the solver's work; `null` if there is nothing at a place, no answer if the text changes meanwhile. */
export const solver: Compiler["solver"] = (question) => compiler.solver(question);

/** Where a run stands after a move; no answer if the text changes meanwhile, or there is no such run any more. */
export const step = (move: StepMove) => compiler.step(move);

/** Marks a place in the program, as long as something on the page is about it. */
export function point(span: SpanView | undefined): void {
  state.pointed.value = span;
}

/** Moves the cursor, and leaves the focus and what is shown as they are. */
export function goTo(span: SpanView): void {
  state.target.value = { file: "user", span, focus: false };
}

/** Goes where a problem or a definition is, which on a narrow screen means to the editor. */
export function show(span: SpanView, file: FileName = "user"): void {
  openFile(file);
  state.target.value = { file, span, focus: true };
}

/** What the entry of the browser's history says; the address is the same for both. */
const fileOfEntry = (): FileName => (history.state?.file === "prelude" ? "prelude" : "user");

/** Shows the program or the prelude. Going to the prelude is a step that the browser's Back undoes. */
export function openFile(file: FileName): void {
  batch(() => {
    state.file.value = file;
    state.editing.value = true;
  });
  if (file === fileOfEntry()) return;
  if (file === "prelude") history.pushState({ file }, "");
  else history.back();
}

/** Shows what the entry of the history says, after a step back or forth, or a reload. */
export function followHistory(): void {
  state.file.value = fileOfEntry();
}

export function applyFix(fix: FixView): void {
  openFile("user");
  let text = state.text.value;
  // From the last edit to the first, so that the earlier spans stay where they are.
  for (const { span, text: replacement } of fix.edits.toSorted((a, b) => b.span.start - a.span.start)) {
    text = text.slice(0, span.start) + replacement + text.slice(span.end);
  }
  edit(text);
  // The button may be gone with its problem; and what was done can be undone where the focus is then.
  const [first] = fix.edits.toSorted((a, b) => a.span.start - b.span.start);
  if (first === undefined) return;
  // At the first word that was written, which may stand on a line of its own.
  const start = first.span.start + (/^[\s,;]*(?=\S)/.exec(first.text)?.[0].length ?? 0);
  show({ start, end: start });
}

/** Says in the first line of the program what it is written in. A greeting that nobody has changed greets in that language. */
export function setLanguage(language: Language): void {
  if (!isWelcome(state.text.value)) return edit(inLanguage(state.text.value, language));
  batch(() => {
    state.ran.value = undefined;
    forgetSteps();
    edit(WELCOME[language]);
  });
  goTo({ start: 0, end: 0 });
}

/** Asks the editor to lay out the program anew; undo brings the old layout back. */
export function format(): void {
  openFile("user");
  state.formatting.value += 1;
}

/** The edits that lay out a text anew, or the reason why there are none. */
export async function layOut(text: string): Promise<readonly EditView[]> {
  // Whoever waits for the layout does not wait for an endless run.
  if (run?.alone === false) stop();
  const view = await compiler.format(text);
  if (view === undefined) return [];
  if (view.errors > 0) {
    const count = view.errors === 1 ? "a syntax error" : `${view.errors} syntax errors`;
    state.notice.value = { tone: "bad", text: `The program was left as it is: it has ${count}.` };
  } else if (view.edits.length === 0) {
    state.notice.value = { tone: "good", text: "The program is formatted already." };
  } else {
    state.notice.value = undefined;
  }
  return view.edits;
}

/** The program in another language, or why not. */
export const exportTo = (to: ExportName) => compiler.export(to);

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    state.notice.value = { tone: "good", text: `${what} copied.` };
  } catch {
    state.notice.value = { tone: "good", text: "Copy this:", copy: text };
  }
}

export async function explain(code: string): Promise<void> {
  // A file of its own, which few visits need.
  const { default: pages } = await import("virtual:explanations");
  state.explained.value = { code, page: pages[code] };
}

export function openPanel(id: string): void {
  batch(() => {
    state.panel.value = id;
    state.editing.value = false;
  });
  save("panel", id);
}

export function setLayout(layout: LayoutName): void {
  state.layout.value = layout;
  save("layout", layout);
}

/** Whether operators that feed each other element by element run as one from now on. */
export function setFused(fused: Fused): void {
  state.fused.value = fused;
  save("fused", fused);
}

/** Goes on with another build of the compiler, in this visit and later ones. */
export function setBuild(build: BuildName): void {
  save("build", build);
  useBuild(build);
}

function useBuild(build: BuildName): void {
  state.buildComing.value = build;
  void compiler.use(build);
}

function compileFor({ layout, fused }: Target): void {
  state.layout.value = layout;
  state.fused.value = fused;
}

/** How the visitor has programs compiled. */
const ownTarget = (): Target => {
  const [layout, fused] = [load("layout"), load("fused")];
  return { layout: isLayout(layout) ? layout : "aligned", fused: isFused(fused) ? fused : "on" };
};

const ownBuild = (): BuildName => {
  const kept = load("build");
  return isOffered(kept) ? kept : DEFAULT_BUILD;
};

export function setTheme(theme: Theme): void {
  state.theme.value = theme;
  save("theme", theme);
}

/** Copies a link that holds the program, the panel and the selection. */
export async function share(): Promise<void> {
  const { text, panel, selection, solverTab, stop, build } = state;
  const solving = panel.value === "solver" ? { tab: solverTab.value, stop: stop.value } : undefined;
  const packed = await pack({ text: text.value, panel: panel.value, selection: selection.value, solver: solving, build: build.value, target: target() });
  if (packed.kind === "too-large") {
    state.notice.value = { tone: "bad", text: packed.sentence };
    return;
  }
  const address = location.href.replace(/#.*$/, "") + packed.hash;
  try {
    await navigator.clipboard.writeText(address);
    const length = address.length.toLocaleString("en");
    state.notice.value = { tone: "good", text: `Link copied: ${length} characters that hold the whole program.` };
  } catch {
    state.notice.value = { tone: "good", text: "Copy this link:", copy: address };
  }
}

/** What the visitor has here: kept in this tab or from before; nothing on a first visit. */
const keptText = () => loadOfTab("text") ?? load("text");

/** The same, or the program that greets a first visit. */
const ownText = () => keptText() ?? WELCOME.relay;

/** Opens what the address asks for; the person's own text stays in storage, whatever comes. */
export async function openAddress(): Promise<void> {
  keepNow();
  const { hash } = location;
  const opened = await unpack(hash);
  // Somebody may have typed meanwhile.
  keepNow();
  link = opened.kind === "program" ? hash : undefined;
  if (opened.kind === "program") return openShared(opened.program, loadOfTab(keyOf(hash)));
  if (opened.kind === "bad") {
    state.notice.value = { tone: "bad", text: `This link cannot be opened: ${opened.reason}. Your own program is here as you left it.` };
  }
  openOwn();
}

/** Shows the program of a link, with the edits that were made here. */
function openShared(program: Linked, edited: string | undefined): void {
  const text = edited ?? program.text;
  isFromHere = false;
  isQuick = true;
  batch(() => {
    state.document.value = text === ownText() ? "mine" : "shared";
    state.ran.value = undefined;
    forgetSteps();
    if (program.panel !== undefined) state.panel.value = program.panel;
    if (program.solver !== undefined) {
      state.solverTab.value = program.solver.tab;
      state.stop.value = program.solver.stop;
    }
    compileFor({ ...ownTarget(), ...program.target });
  });
  useBuild(program.build ?? ownBuild());
  takeBack(text);
  setText(text);
  goTo(program.selection ?? { start: 0, end: 0 });
}

/** Shows the person's own text, as it was left. */
function openOwn(): void {
  batch(() => {
    state.document.value = "mine";
    state.ran.value = undefined;
    forgetSteps();
    compileFor(ownTarget());
  });
  // The first program is ours, so it may show at once what it does.
  const kept = keptText();
  isFromHere = kept === undefined;
  isQuick = true;
  useBuild(ownBuild());
  // Other tabs may write theirs to where this one came from.
  if (kept !== undefined) saveOfTab("text", kept);
  takeBack(ownText());
  setText(ownText());
}

/** The shared program becomes the person's own; theirs from before is set aside, not lost. */
export function keepShared(): void {
  const before = keptText();
  if (before !== undefined) setAside(before);
  leaveLink();
  state.document.value = "mine";
  takeBack(state.text.value);
  keep();
  state.notice.value = {
    tone: "good",
    text: "This program is yours now.",
    ...(before === undefined ? {} : { action: { title: "Bring back mine", act: () => restore(before, "mine") } }),
  };
}

export function backToMine(): void {
  setAside(state.text.value);
  leaveLink();
  openOwn();
}

/** From here on the link says what it said when it was made. */
function leaveLink(): void {
  clearTimeout(saving);
  saving = undefined;
  if (link !== undefined) saveOfTab(keyOf(link), undefined);
  link = undefined;
  // What it offers to undo may have been of the link.
  state.notice.value = undefined;
  history.replaceState(null, "", location.pathname + location.search);
  followHistory();
}
