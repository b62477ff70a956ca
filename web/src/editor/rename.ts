// Another name for what is at the cursor: the old one is selected everywhere that it stands, and what is typed replaces
// all of them. One that stands for something else there is refused: as soon as it is left, the old one is back.
import { name } from "../action/queries.ts";
import { lineOf, lineStarts } from "../lines.ts";
import { takenIn } from "../offer/taken.ts";
import { language, type Notice, state } from "../state.ts";
import type { SpanView } from "../wasm/relish_wasm.js";
import { monaco } from "./monaco.ts";

interface Renaming {
  sigil: string;
  /** The old name, without its sigil. */
  old: string;
  /** The line in which a new name stands for something else. */
  takenAt: (name: string) => number | undefined;
}

export function registerRename(editor: monaco.editor.IStandaloneCodeEditor, model: monaco.editor.ITextModel): void {
  const places = editor.createDecorationsCollection();
  let renaming: Renaming | undefined;

  const begin = async () => {
    finish();
    const found = await name("user", state.selection.peek().start);
    if (!found?.isGiven) return say("hint", "The program gives no name to what is here.");
    const text = model.getValue();
    // The first selection is the one that stays in sight.
    const spans = new Map([found.span, ...found.mentions].map((span) => [span.start, span]));
    const words = [...spans.values()].map((span) => wordOf(model, span));
    editor.setSelections(words);
    const stickiness = monaco.editor.TrackedRangeStickiness.AlwaysGrowsWhenTypingAtEdges;
    places.set(words.map((range) => ({ range, options: { stickiness } })));
    const taken = takenIn(text, language.peek(), found);
    const old = model.getValueInRange(wordOf(model, found.span));
    const sigil = text.slice(found.span.start, found.span.end).slice(0, -old.length);
    const takenAt = (name: string) => {
      const offset = name === sigil || name === sigil + old ? undefined : taken(name);
      return offset === undefined ? undefined : lineOf(lineStarts(text), offset);
    };
    renaming = { sigil, old, takenAt };
    say("hint", "Type the new name: it changes wherever it stands.");
  };

  /** What was typed, without the sigil that stands before it already. */
  const typed = () => {
    const place = places.getRange(0);
    if (renaming === undefined || place === null) return undefined;
    const text = model.getValueInRange(place);
    return { text, name: text.slice(text.startsWith(renaming.sigil) ? renaming.sigil.length : 0) };
  };

  /** It, if it is a name of something else. */
  const clash = () => {
    const found = typed();
    if (renaming === undefined || found === undefined) return undefined;
    const { sigil, old, takenAt } = renaming;
    const name = sigil + found.name;
    const line = takenAt(name);
    return line === undefined ? undefined : { old, kept: sigil + old, why: `${name} stands for something else in line ${line}` };
  };

  const finish = () => {
    const [found, name] = [clash(), typed()];
    const ranges = places.getRanges();
    if (renaming !== undefined) unsay();
    renaming = undefined;
    places.clear();
    if (found === undefined) {
      if (name !== undefined && name.text !== name.name && name.name !== "") editor.executeEdits("rename", ranges.map((range) => ({ range, text: name.name })));
      return;
    }
    // Undone with what was typed.
    model.popStackElement();
    editor.executeEdits("rename", ranges.map((range) => ({ range, text: found.old })));
    say("bad", `${found.kept} keeps its name: ${found.why}.`);
  };

  let said: Notice | undefined;
  const say = (tone: Notice["tone"], text: string) => {
    said = { tone, text };
    state.notice.value = said;
  };

  const unsay = () => {
    if (state.notice.peek() === said) state.notice.value = undefined;
  };

  model.onDidChangeContent(() => {
    const found = clash();
    if (found !== undefined) say("bad", `${found.why}: left like this, ${found.kept} keeps its name.`);
    else if (renaming !== undefined && said?.tone === "bad") unsay();
  });
  editor.onDidChangeCursorSelection(() => {
    const selections = editor.getSelections() ?? [];
    const isInside = selections.length === places.length && places.getRange(0)?.containsRange(selections[0] as monaco.Selection);
    // Not before the editor is done with this change.
    if (renaming !== undefined && !isInside) queueMicrotask(finish);
  });
  editor.onDidBlurEditorWidget(finish);
  editor.onKeyDown((event) => {
    const isEnter = event.keyCode === monaco.KeyCode.Enter;
    if (renaming === undefined || !(isEnter || event.keyCode === monaco.KeyCode.Escape)) return;
    finish();
    const cursor = editor.getPosition();
    if (cursor !== null) editor.setPosition(cursor);
    if (!isEnter) return;
    event.preventDefault();
    event.stopPropagation();
  });
  editor.addAction({
    id: "relish.rename",
    label: "Rename",
    keybindings: [monaco.KeyCode.F2],
    contextMenuGroupId: "1_modification",
    run: begin,
  });
}

/** A name without its sigil. */
function wordOf(model: monaco.editor.ITextModel, { start, end }: SpanView): monaco.Selection {
  const sigil = /[%@`]/.test(model.getValue().charAt(start)) ? 1 : 0;
  return monaco.Selection.fromPositions(model.getPositionAt(start + sigil), model.getPositionAt(end));
}
