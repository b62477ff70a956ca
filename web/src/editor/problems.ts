// Problems as squiggles, each with its other causes.
import { effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Problem } from "../mended.ts";
import { asMarkdown, inLines, plain } from "../sentence.ts";
import { isFresh, problems } from "../state.ts";
import type { SeverityView } from "../wasm/relish_wasm.js";
import { monaco } from "./monaco.ts";
import { rangeOf } from "./spans.ts";

const SEVERITY: Record<SeverityView, monaco.MarkerSeverity> = {
  error: monaco.MarkerSeverity.Error,
  warning: monaco.MarkerSeverity.Warning,
  info: monaco.MarkerSeverity.Info,
};

/** A line of a message is not longer, however wide the editor. */
const MOST_COLUMNS = 80;
/** Nor is it broken into less than this. */
const FEWEST_COLUMNS = 20;
/** What the box that F8 opens has beside its text, in pixels. */
const BESIDE_TEXT = 52;

/** As many letters have room in a line of that box, which is as wide as the editor, and breaks no lines. */
function columnsOf(editor: monaco.editor.IStandaloneCodeEditor): ReadonlySignal<number> {
  const measured = () => {
    const { typicalHalfwidthCharacterWidth } = editor.getOption(monaco.editor.EditorOption.fontInfo);
    const columns = Math.floor((editor.getLayoutInfo().width - BESIDE_TEXT) / typicalHalfwidthCharacterWidth);
    return Math.min(MOST_COLUMNS, Math.max(FEWEST_COLUMNS, columns));
  };
  const columns = signal(measured());
  editor.onDidLayoutChange(() => (columns.value = measured()));
  return columns;
}

/** What is said of a problem, in lines that have room for its code, which the editor puts behind them. */
function messageOf({ message, help, code }: Problem, columns: number): string {
  const behind = `(${code})`;
  const text = help === undefined ? plain(message) : `${plain(message)}\nhelp: ${plain(help)}`;
  return inLines(`${text} ${behind}`, columns).slice(0, -behind.length);
}

export function showProblems(editor: monaco.editor.IStandaloneCodeEditor, model: monaco.editor.ITextModel): void {
  const columns = columnsOf(editor);
  let places: string[] = [];
  effect(() => {
    const found = problems.value;
    // Markers move with the text until the next check; those of an older text would land in wrong places.
    if (!isFresh.value) return;
    const markers = found.map((problem) => ({
      ...rangeOf(model, problem.span),
      severity: SEVERITY[problem.severity],
      code: problem.code,
      message: messageOf(problem, columns.value),
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
