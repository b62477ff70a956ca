// The problems of a check with what was found out behind it: where each fault most likely is, and what would mend it.
// That comes while people read the list already, so the problems stay in the order of the check, and what was told
// first stays where it is.
import type { DiagnosticView, FixView, LabelView } from "./wasm/relish_wasm.js";

/** A problem as it is known now. */
export interface Problem extends DiagnosticView {
  /** As it was told first. */
  told: DiagnosticView;
}

export const asTold = (problem: DiagnosticView): Problem => ({ ...problem, told: problem });

export const words = ({ code, message }: DiagnosticView) => `${code} ${message}`;
const place = (problem: DiagnosticView) => `${words(problem)} ${problem.span.start} ${problem.span.end}`;

/** Faults of syntax are mended by the parser, which has said so by then. */
const OF_THE_TEXT = new Set([
  "bad-metadata",
  "bad-number",
  "bad-version",
  "nesting-too-deep",
  "other-lang",
  "syntax-error",
  "unknown-character",
  "unknown-lang",
  "unterminated-comment",
  "unterminated-string",
]);

/** Whether the text could not be read where it has an error of this code. */
export const isOfTheText = (code: string) => OF_THE_TEXT.has(code);

/** Whether edits may be found later for a problem of a check. */
export const mayBeMended = ({ severity, code }: DiagnosticView) => severity === "error" && !isOfTheText(code);

/** Puts the problems that were looked into in the order in which they were told. Their words are the same, not their places. */
export function inOrderOf(told: readonly DiagnosticView[], mended: readonly DiagnosticView[]): Problem[] {
  const atPlace = new Map(mended.map((problem) => [place(problem), problem]));
  const isMoved = new Set(mended);
  for (const problem of told) {
    const found = atPlace.get(place(problem));
    if (found !== undefined) isMoved.delete(found);
  }
  const moved = new Map<string, DiagnosticView[]>();
  for (const problem of isMoved) moved.set(words(problem), [...(moved.get(words(problem)) ?? []), problem]);
  return told.map((problem) => {
    const found = atPlace.get(place(problem)) ?? moved.get(words(problem))?.shift();
    return found === undefined ? asTold(problem) : { ...found, fixes: inPlace(problem.fixes, found.fixes), told: problem };
  });
}

const edits = (fix: FixView) => JSON.stringify(fix.edits);

/** The fixes that there are now, those that were told first where they were. */
function inPlace(told: readonly FixView[], now: readonly FixView[]): FixView[] {
  const first = told.flatMap((fix) => now.find((other) => other.title === fix.title || edits(other) === edits(fix)) ?? []);
  return [...new Set([...first, ...now])];
}

/** The places that were found later, but for those that a fix changes. */
export function laterLabels({ labels, fixes, told }: Problem): LabelView[] {
  const isTold = (label: LabelView) => told.labels.some(({ span, message }) => span.start === label.span.start && span.end === label.span.end && message === label.message);
  const isChanged = ({ span }: LabelView) => fixes.some(({ edits: [first] }) => first !== undefined && first.span.start >= span.start && first.span.end <= span.end);
  return labels.filter((label) => !isTold(label) && !isChanged(label));
}
