// How an editor goes to a place.
import { monaco } from "./monaco.ts";

/** As many letters of a place say which it is. */
const ENOUGH = 16;
/** Beside what is to be seen, the editor wants as many columns in view. */
const BESIDE = 2;

/** Shows where a place starts, with the beginning of its line where both have room beside each other. */
export function revealStart(editor: monaco.editor.IStandaloneCodeEditor, place: monaco.IRange): void {
  const { startLineNumber: line, startColumn: column, endLineNumber, endColumn } = place;
  const end = endLineNumber === line ? Math.min(endColumn, column + ENOUGH) : column;
  const hasRoom = end + BESIDE <= editor.getLayoutInfo().viewportColumn;
  editor.revealRangeInCenterIfOutsideViewport(new monaco.Range(line, hasRoom ? 1 : column, line, end));
}
