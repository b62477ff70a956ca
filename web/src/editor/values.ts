// The value of each top-level expression, at the end of its last line, cut where the edge is. Where there is no room for it, it
// goes on in the next row of a line that is wrapped; in one that is not it is a mark beside the line's number, which says the
// value when one points at it. It is gone as soon as that line is another one.
// On other lines it stays, faded, until the next run replaces it; if that does not come soon, as when the text has
// errors, it says of which run it is.
import { effect, signal } from "@preact/signals";
import { isTelling, runValues, state } from "../state.ts";
import { fenced } from "./hover.ts";
import { monaco } from "./monaco.ts";
import { rangeOf } from "./spans.ts";

/** Of a value that is not whole, as much is said when one points at it. */
const LONGEST_TOLD = 1000;
/** What the room at the end of a line allows, but within these bounds. */
const LONGEST = 80;
const SHORTEST = 6;
/** A line may be wrapped before its first space, so that the last word of the text stays where it is. */
const PREFIX = "\u00a0 = ";
const OLD = "  (last run)";
const VALUE = "value-after";
const MARK = "value-mark";
/** A run that nobody has to ask for has come by then. */
const OLD_MS = 900;

interface Shown {
  value: string;
  /** The line when it was run. */
  line: string;
  lineNumber: number;
}

export function showValues(editor: monaco.editor.IStandaloneCodeEditor, model: monaco.editor.ITextModel): void {
  const decorations = editor.createDecorationsCollection();
  /** What is said of a value that is cut short, where it stands. */
  const told = editor.createDecorationsCollection();
  const columns = signal(0);
  let shown: readonly Shown[] = [];
  let isOld = false;
  const isWrapped = () => editor.getOption(monaco.editor.EditorOption.wordWrap) === "on";
  /** The columns that a line takes in the last of the rows that it is wrapped into. */
  const widthOfLastRow = (lineNumber: number, column: number): number => {
    const top = (column: number) => editor.getTopForPosition(lineNumber, column);
    if (!isWrapped() || column === 1) return column;
    const bottom = top(column - 1);
    let [before, first] = [0, column - 1];
    while (first - before > 1) {
      const middle = (before + first) >> 1;
      if (top(middle) === bottom) first = middle;
      else before = middle;
    }
    // Those behind the first are indented like it.
    return column - first + (first > 1 ? model.getLineFirstNonWhitespaceColumn(lineNumber) : 1);
  };
  const measure = () => {
    const { typicalHalfwidthCharacterWidth } = editor.getOption(monaco.editor.EditorOption.fontInfo);
    columns.value = Math.floor(editor.getLayoutInfo().contentWidth / typicalHalfwidthCharacterWidth);
  };
  const draw = (values: readonly Shown[]) => {
    shown = values;
    const cut: monaco.editor.IModelDeltaDecoration[] = [];
    decorations.set(
      values.map(({ value, lineNumber }) => {
        const column = model.getLineMaxColumn(lineNumber);
        const row = columns.peek() - PREFIX.length - 1;
        const behind = row - 2 - widthOfLastRow(lineNumber, column) - insertedBefore(model, lineNumber);
        // What is wrapped has the next row, for what is whole there, or has no room here.
        const free = isWrapped() && (behind < SHORTEST || value.length <= row) ? row : behind;
        // Its colour says that it is old too.
        const suffix = isOld && free - OLD.length >= SHORTEST ? OLD : "";
        const room = Math.min(LONGEST, Math.max(SHORTEST, free - suffix.length));
        const isBehind = free < SHORTEST;
        const text = shorten(value, room);
        const hoverMessage = { value: fenced(`= ${shorten(value, LONGEST_TOLD)}`, "relay") };
        if (!isBehind && text.endsWith("…")) {
          const end = { startLineNumber: lineNumber, startColumn: column, endLineNumber: lineNumber, endColumn: column };
          cut.push({ range: end, options: { hoverMessage, showIfCollapsed: true } });
        }
        return {
          range: { startLineNumber: lineNumber, startColumn: 1, endLineNumber: lineNumber, endColumn: column },
          options: {
            ...(isBehind
              ? { linesDecorationsClassName: MARK, linesDecorationsTooltip: `= ${shorten(value, LONGEST)}`, hoverMessage }
              : { after: { content: PREFIX + text + suffix, inlineClassName: VALUE } }),
            // Gone with its line, when that is deleted or replaced.
            collapseOnReplaceEdit: true,
            showIfCollapsed: false,
            stickiness: monaco.editor.TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges,
          },
        };
      }),
    );
    told.set(cut);
  };
  /** Those whose lines are as they were, where these are now. */
  const stillThere = (): Shown[] => {
    const ranges = decorations.getRanges();
    return shown.flatMap((one, at) => {
      const range = ranges[at];
      if (range === undefined || range.isEmpty() || model.getLineContent(range.endLineNumber) !== one.line) return [];
      return [{ ...one, lineNumber: range.endLineNumber }];
    });
  };
  measure();
  // Not before its lines are wrapped anew.
  editor.onDidLayoutChange(() => queueMicrotask(measure));
  model.onDidChangeContent(() => {
    const values = stillThere();
    if (values.length < shown.length) draw(values);
  });
  effect(() => {
    const [ran, values] = [state.ran.value, runValues.value];
    isOld = false;
    if (!isTelling.peek() && ran?.revision !== state.revision.peek()) return draw([]);
    draw(
      values.flatMap(({ span, value }) => {
        if (value === undefined) return [];
        const lineNumber = rangeOf(model, span).endLineNumber;
        return [{ value, lineNumber, line: model.getLineContent(lineNumber) }];
      }),
    );
  });
  effect(() => {
    void columns.value;
    draw(stillThere());
  });
  effect(() => {
    const isStale = !isTelling.value && state.ran.value?.revision !== state.revision.value;
    editor.getContainerDomNode().classList.toggle("has-stale-values", isStale);
    if (!isStale || isOld) return;
    const timer = setTimeout(() => {
      isOld = true;
      draw(stillThere());
    }, OLD_MS);
    return () => clearTimeout(timer);
  });
}

/** The letters that other decorations show in a line, as the shapes behind the layers of TensorScript. */
function insertedBefore(model: monaco.editor.ITextModel, lineNumber: number): number {
  const shown = model.getLineDecorations(lineNumber).flatMap(({ options: { before, after } }) => [before, after]);
  return shown.reduce((sum, text) => sum + (text && text.inlineClassName !== VALUE ? text.content.length : 0), 0);
}

function shorten(value: string, room: number): string {
  const line = value.slice(0, 2 * Math.max(room, LONGEST)).replace(/\s+/g, " ");
  return line.length <= room ? line : `${line.slice(0, room - 1)}…`;
}
