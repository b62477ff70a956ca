// Puts the editors into the page and keeps them and the state in step.
import { effect } from "@preact/signals";
import { language, state } from "../state.ts";
import { registerOffers } from "./complete.ts";
import { createEditor } from "./create.ts";
import { modelOf, uriOf } from "./files.ts";
import { registerFixes } from "./fixes.ts";
import { followFormatting, registerFormat } from "./format.ts";
import { registerHints } from "./hints.ts";
import { followExplaining, registerHover } from "./hover.ts";
import { registerLanguages } from "./language.ts";
import { letLeave, withWayOut } from "./leave.ts";
import { monaco } from "./monaco.ts";
import { registerNames } from "./names.ts";
import { showPointed } from "./pointed.ts";
import { showProblems } from "./problems.ts";
import { registerRename } from "./rename.ts";
import { showSteps } from "./steps.ts";
import { followTheme } from "./theme.ts";
import { showStages } from "./stages.ts";
import { followText } from "./typed.ts";
import { showValues } from "./values.ts";
import { registerWhy, registerWhyCommand } from "./why.ts";
import { setWords } from "./words.ts";

export function mountProgram(element: HTMLElement): void {
  setWords();
  registerLanguages();
  registerHover();
  registerFixes();
  registerNames();
  registerFormat();
  registerOffers();
  registerHints();
  registerWhyCommand();
  followTheme();

  const model = monaco.editor.createModel(state.text.peek(), language.peek(), uriOf("user"));
  // Offsets count one unit for each line end, as they do in the text that the compiler gets.
  model.setEOL(monaco.editor.EndOfLineSequence.LF);
  const editor = createEditor(element, "user", model, { ariaLabel: withWayOut("Program") });

  followText(model);
  effect(() => {
    const text = state.text.value;
    if (text === model.getValue()) return;
    // An edit, not a new text, so that undo brings the old one back.
    model.pushStackElement();
    model.pushEditOperations([], [{ range: model.getFullModelRange(), text }], () => null);
    model.pushStackElement();
  });
  effect(() => monaco.editor.setModelLanguage(model, language.value));
  editor.onDidChangeCursorSelection(({ selection }) => {
    state.line.value = selection.positionLineNumber;
    state.selection.value = {
      start: model.getOffsetAt(selection.getStartPosition()),
      end: model.getOffsetAt(selection.getEndPosition()),
    };
  });
  // Room for problems is taken from the editor, and not from the line that one is typing.
  editor.onDidLayoutChange(() => {
    const position = editor.getPosition();
    if (position !== null && editor.hasTextFocus()) editor.revealLine(position.lineNumber);
  });
  letLeave(editor, element);
  followFormatting(editor);
  followExplaining(editor);
  registerWhy(editor);
  registerRename(editor, model);
  showProblems(editor, model);
  showPointed(editor, model);
  showSteps(editor, model);
  showValues(editor, model);
  showStages(editor, model);

  // The prelude is there for a look from the program before anyone opens it.
  effect(() => {
    const text = state.prelude.value;
    if (text !== undefined && modelOf("prelude") === null) monaco.editor.createModel(text, "relay", uriOf("prelude"));
  });
}

/** The prelude must have come. */
export function mountPrelude(element: HTMLElement): void {
  const model = modelOf("prelude");
  if (model === null) return;
  createEditor(element, "prelude", model, {
    ariaLabel: "Prelude, read-only",
    readOnly: true,
    // On a phone no keyboard comes up for what cannot be typed.
    domReadOnly: true,
    readOnlyMessage: { value: "The prelude cannot be edited. Define the same name in your program to replace it there." },
  });
}
