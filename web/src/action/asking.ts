// *Why* and *why not*: what the Why tab is asked, and where its answer lies in the text.
import { batch } from "@preact/signals";
import { plain } from "../sentence.ts";
import { type Answer, type Asked, isFresh, state } from "../state.ts";
import type { DiagnosticView, MendView, SpanView } from "../wasm/relish_wasm.js";
import { applyFix } from "./document.ts";
import { goTo, openFile } from "./navigation.ts";
import { solver } from "./queries.ts";
import { openSolver } from "./solving.ts";

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
    const { piece } = question;
    const { start, end } = state.selection.peek();
    let view = await solver({ about: "why", offset: start, piece });
    // Behind its last letter one is at a name too.
    if (view === null && start === end && start > 0) view = await solver({ about: "why", offset: start - 1, piece });
    if (view === undefined) return;
    answer = { kind: "type", revision, view };
  } else {
    const index = problemNow(question.problem);
    if (index < 0) {
      state.question.value = { kind: "type", piece: undefined };
      return;
    }
    const view = await solver({ about: "why-not", diagnostic: index });
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

/** Where types disagree, there are two sides to show. Of a name that nothing declares there is no more to say. */
const OF_TYPES = new Set([
  "broadcast-incompatible",
  "dtype-mismatch",
  "no-clause",
  "not-a-function",
  "not-a-tuple",
  "not-in-sum",
  "occurs-check",
  "rank-mismatch",
  "relation-check",
  "relation-not-assumed",
  "tuple-index-out-of-range",
  "type-mismatch",
  "under-constrained",
]);

/** Whether there may be an answer: of the problems of a run, and of the compiler's own, there is none. */
export const isAskable = (problem: DiagnosticView) =>
  problem.severity === "error" && OF_TYPES.has(problem.code) && state.checked.value.view.diagnostics.some(isSame(problem));

/** The list of problems may place one elsewhere than the check did; its words are the same. */
const isSame = (problem: Asked) => (other: DiagnosticView) => other.code === problem.code && other.message === problem.message;

/** The number of the problem that is asked about, among those of the text as it is now; it may be gone. */
function problemNow(asked: Asked): number {
  const now = state.checked.peek().view.diagnostics;
  const same = now.findIndex((other) => isSame(asked)(other) && other.span.start === asked.span.start);
  return same >= 0 ? same : now.findIndex(isSame(asked));
}

export function askWhyNot({ code, message, span }: DiagnosticView): void {
  openFile("user");
  batch(() => {
    state.question.value = { kind: "problem", problem: { code, message, span } };
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
    state.notice.value = { tone: "good", text: `${plain(fix.title)}: done. Undo in the editor takes it back.` };
    if (isNarrowPanel) state.editing.value = false;
  });
}
