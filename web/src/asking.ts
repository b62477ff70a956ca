// *Why* and *why not*: what the Why tab is asked, and where its answer lies in the text.
import { batch } from "@preact/signals";
import { applyFix, goTo, openFile, solver } from "./actions.ts";
import { openSolver } from "./solving.ts";
import { type Answer, isFresh, state } from "./state.ts";
import type { DiagnosticView, MendView, SpanView } from "./wasm/relish_wasm.js";

/** Counts the questions; an answer to an older one is not shown. */
let last = 0;

/** Asks what the tab is about, of the text and the cursor as they are. */
export async function followQuestion(): Promise<void> {
  if (!isFresh.peek()) return;
  last += 1;
  const mine = last;
  const revision = state.revision.peek();
  const question = state.question.peek();
  let answer: Answer;
  if (question.kind === "type") {
    const view = await solver({ about: "why", offset: state.selection.peek().start, piece: question.piece });
    if (view === undefined) return;
    answer = { kind: "type", revision, view };
  } else {
    const view = await solver({ about: "why-not", diagnostic: question.index });
    if (view === undefined) return;
    answer = { kind: "problem", revision, view };
  }
  if (mine === last && revision === state.revision.peek()) state.answer.value = answer;
}

/** Asks why what stands at a place of the program has its type. */
export function askWhy(span: SpanView): void {
  openFile("user");
  goTo(span);
  batch(() => {
    // The editor follows when it is drawn next.
    state.selection.value = span;
    state.question.value = { kind: "type", piece: undefined };
    state.answer.value = undefined;
    openSolver("why");
  });
}

/** Asks about another piece of the same type. */
export function askPiece(piece: number): void {
  state.question.value = { kind: "type", piece };
}

export const askAtCursor = () => askWhy(state.selection.peek());

/** Which of the check's problems this is; the check alone knows why. */
export const problemIndex = (problem: DiagnosticView) => state.checked.value.view.diagnostics.indexOf(problem);

export function askWhyNot(problem: DiagnosticView): void {
  const index = state.checked.peek().view.diagnostics.indexOf(problem);
  if (index < 0) return;
  openFile("user");
  batch(() => {
    state.question.value = { kind: "problem", index };
    state.answer.value = undefined;
    openSolver("why");
  });
}

/** Changes the text as a fix says; undo brings the old text back. */
export function mend(fix: MendView): void {
  const isNarrowPanel = !state.editing.peek();
  applyFix(fix);
  batch(() => {
    state.question.value = { kind: "type", piece: undefined };
    state.answer.value = undefined;
    state.notice.value = { tone: "good", text: `${fix.title}: done. Undo in the editor takes it back.` };
    if (isNarrowPanel) state.editing.value = false;
  });
}
