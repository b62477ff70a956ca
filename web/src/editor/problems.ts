// Problems as squiggles, each with its other causes.
import { effect } from "@preact/signals";
import { asMarkdown, plain } from "../sentence.ts";
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
  let places: string[] = [];
  effect(() => {
    const found = problems.value;
    // Markers move with the text until the next check; those of an older text would land in wrong places.
    if (!isFresh.value) return;
    const markers = found.map((problem) => ({
      ...rangeOf(model, problem.span),
      severity: SEVERITY[problem.severity],
      code: problem.code,
      message: plain(problem.help === undefined ? problem.message : `${problem.message}\nhelp: ${problem.help}`),
      relatedInformation: problem.labels.map((label) => ({
        ...rangeOf(model, label.span),
        resource: model.uri,
        message: plain(label.message),
      })),
    }));
    monaco.editor.setModelMarkers(model, "relish", markers);
    // Where its cause was found elsewhere, the place at which a problem shows keeps a mark. It is not one more problem to go to.
    const moved = found.filter(({ span, told }) => span.end <= told.span.start || told.span.end <= span.start);
    places = model.deltaDecorations(
      places,
      moved.map(({ told }) => ({
        range: rangeOf(model, told.span),
        options: { className: "squiggly-info", hoverMessage: { value: `the problem shows here: ${asMarkdown(told.message)}` } },
      })),
    );
  });
}
