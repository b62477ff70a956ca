// Problems as squiggles, each with its other causes.
import { effect } from "@preact/signals";
import { isFresh, problems } from "../state.ts";
import type { SeverityView } from "../wasm/relish_wasm.js";
import { monaco } from "./monaco.ts";
import { rangeOf } from "./spans.ts";

const SEVERITY: Record<SeverityView, monaco.MarkerSeverity> = {
  error: monaco.MarkerSeverity.Error,
  warning: monaco.MarkerSeverity.Warning,
  info: monaco.MarkerSeverity.Info,
};

export function showProblems(model: monaco.editor.ITextModel): void {
  effect(() => {
    const found = problems.value;
    // Markers move with the text until the next check; those of an older text would land in wrong places.
    if (!isFresh.value) return;
    const markers = found.map((problem) => ({
      ...rangeOf(model, problem.span),
      severity: SEVERITY[problem.severity],
      code: problem.code,
      message: problem.help === undefined ? problem.message : `${problem.message}\nhelp: ${problem.help}`,
      relatedInformation: problem.labels.map((label) => ({
        ...rangeOf(model, label.span),
        resource: model.uri,
        message: label.message,
      })),
    }));
    // Where its cause was found elsewhere, the place at which a problem shows keeps a mark.
    const moved = found.filter(({ span, told }) => span.end <= told.span.start || told.span.end <= span.start);
    const shown = moved.map(({ told }) => ({
      ...rangeOf(model, told.span),
      severity: monaco.MarkerSeverity.Info,
      code: told.code,
      message: `the problem shows here: ${told.message}`,
    }));
    monaco.editor.setModelMarkers(model, "relish", [...markers, ...shown]);
  });
}
