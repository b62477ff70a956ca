// Another name for what is at the cursor: the old one is selected everywhere that it stands, and what is typed replaces
// all of them, or, with Escape, nothing. What stands for something else there, or is no name, is refused: as soon as it is
// left, the old one is back.
import { name } from "../action/queries.ts";
import { whyNoName } from "../language.ts";
import { lineOf, lineStarts } from "../lines.ts";
import { takenIn } from "../offer/taken.ts";
import { language, type Notice, state } from "../state.ts";
import type { SpanView } from "../wasm/relish_wasm.js";
import { OFFERING } from "./complete.ts";
import { monaco } from "./monaco.ts";

/** The names that there are can't be given, and what else looks like the old one is another. */
const MEANWHILE: monaco.editor.IEditorOptions = {
  occurrencesHighlight: "off",
  quickSuggestions: false,
  selectionHighlight: false,
  suggestOnTriggerCharacters: false,
};
const OTHERWISE: monaco.editor.IEditorOptions = {
  occurrencesHighlight: "singleFile",
  quickSuggestions: OFFERING.quickSuggestions,
  selectionHighlight: true,
  suggestOnTriggerCharacters: true,
};

interface Renaming {
  sigil: string;
  /** The old name, without its sigil. */
  old: string;
  /** As many letters stand elsewhere. */
  nOthers: number;
  /** Why it can't have a new name. */
  refusal: (name: string) => string | undefined;
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
    places.set(words.map((range) => ({ range, options: { stickiness, className: "lit-up" } })));
    editor.updateOptions(MEANWHILE);
    const taken = takenIn(text, language.peek(), found);
    const old = model.getValueInRange(wordOf(model, found.span));
    const sigil = text.slice(found.span.start, found.span.end).slice(0, -old.length);
    const refusal = (name: string) => {
      if (name === old) return undefined;
      const why = whyNoName(language.peek(), sigil, name, old);
      const offset = why === undefined ? taken(sigil + name) : undefined;
      return offset === undefined ? why : `${sigil}${name} stands for something else in line ${lineOf(lineStarts(text), offset)}`;
    };
    renaming = { sigil, old, nOthers: nOthers(), refusal };
    say("hint", "Type the new name; Escape keeps the old one.");
  };

  const nOthers = () => places.getRanges().reduce((n, range) => n - model.getValueLengthInRange(range), model.getValueLength());

  /** What was typed, without the sigil that stands before it already, and why it can't be the name. */
  const typed = ({ sigil, refusal }: Renaming) => {
    const place = places.getRange(0);
    const text = place === null ? "" : model.getValueInRange(place);
    const name = text.slice(text.startsWith(sigil) ? sigil.length : 0);
    return { name, why: refusal(name) };
  };

  /** Ends it, with this name. */
  const settle = (name: string) => {
    const ranges = places.getRanges().filter((range) => model.getValueInRange(range) !== name);
    drop();
    if (ranges.length === 0) return;
    // Undone with what was typed.
    model.popStackElement();
    editor.executeEdits("rename", ranges.map((range) => ({ range, text: name })));
  };

  const drop = () => {
    unsay();
    renaming = undefined;
    places.clear();
    editor.updateOptions(OTHERWISE);
  };

  const finish = () => {
    if (renaming === undefined) return;
    const { sigil, old } = renaming;
    const { name, why } = typed(renaming);
    settle(why === undefined ? name : old);
    if (why !== undefined) say("bad", `${sigil}${old} keeps its name: ${why}.`);
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
    if (renaming === undefined) return;
    // What changes elsewhere is no part of a name, and may be all of the program.
    if (nOthers() !== renaming.nOthers) return drop();
    const { why } = typed(renaming);
    if (why !== undefined) say("bad", `${why}: left like this, ${renaming.sigil}${renaming.old} keeps its name.`);
    else if (said?.tone === "bad") unsay();
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
    if (isEnter) finish();
    else settle(renaming.old);
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
