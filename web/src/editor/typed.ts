// What a person types becomes the text of the page. What they put in the place of the whole text, as by pasting, stays
// in the language that was chosen for it, where it does not look like another.
import { edit, forgetResults } from "../action/document.ts";
import { inPlaceOf, isLangLine, saysLanguage } from "../language.ts";
import { state } from "../state.ts";
import type { monaco } from "./monaco.ts";

type Model = monaco.editor.ITextModel;
type Change = monaco.editor.IModelContentChangedEvent;

export function followText(model: Model): void {
  model.onDidChangeContent((event) => {
    const before = state.text.peek();
    const text = model.getValue();
    if (text !== before && isWhole(event, before)) forgetResults();
    const put = isReplaced(event, before) ? text : hasFollowed(event, before) ? text.slice(before.length) : undefined;
    const wanted = put === undefined ? text : inPlaceOf(before, put);
    if (text === before || wanted === text) edit(text);
    // Not before the editor is done with this change; what is changed then becomes the text.
    else queueMicrotask(() => changeStart(model, text, wanted));
  });
}

/** Whether another text took the place of all that there was. */
function isWhole({ changes: [change, ...others] }: Change, before: string): boolean {
  return others.length === 0 && change?.rangeOffset === 0 && change.rangeLength === before.length;
}

/** Whether a person put it there. */
const isReplaced = (event: Change, before: string): boolean => isWhole(event, before) && !event.isUndoing && !event.isRedoing;

/** Whether all that there was is the line that says the language, and the change is behind it. */
function hasFollowed({ changes: [change], isUndoing, isRedoing }: Change, before: string): boolean {
  return change?.rangeOffset === before.length && !isUndoing && !isRedoing && isLangLine(before) && saysLanguage(change.text);
}

/** The texts end alike. This is undone with the change before it. */
function changeStart(model: Model, text: string, wanted: string): void {
  const added = wanted.length - text.length;
  const { lineNumber, column } = model.getPositionAt(Math.max(0, -added));
  const range = { startLineNumber: 1, startColumn: 1, endLineNumber: lineNumber, endColumn: column };
  model.popStackElement();
  model.pushEditOperations(null, [{ range, text: wanted.slice(0, Math.max(0, added)), forceMoveMarkers: true }], () => null);
  model.pushStackElement();
}
