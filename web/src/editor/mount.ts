// Puts the editor into the page and keeps it and the state in step.
import { effect } from "@preact/signals";
import { edit } from "../actions.ts";
import { state } from "../state.ts";
import { registerFixes } from "./fixes.ts";
import { registerHover } from "./hover.ts";
import { registerLanguage } from "./language.ts";
import { LANGUAGE, monaco } from "./monaco.ts";
import { showProblems } from "./problems.ts";
import { rangeOf } from "./spans.ts";
import { followTheme } from "./theme.ts";
import { showValues } from "./values.ts";

export function mountEditor(element: HTMLElement): void {
  registerLanguage();
  registerHover();
  registerFixes();
  followTheme();

  const model = monaco.editor.createModel(state.text.peek(), LANGUAGE, monaco.Uri.parse("inmemory://relish/main.relay"));
  // Offsets count one unit for each line end, as they do in the text that the compiler gets.
  model.setEOL(monaco.editor.EndOfLineSequence.LF);
  const editor = monaco.editor.create(element, {
    model,
    ariaLabel: "Program",
    automaticLayout: true,
    bracketPairColorization: { enabled: false },
    fixedOverflowWidgets: true,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue("--mono"),
    fontLigatures: false,
    fontSize: 14,
    lineHeight: 21,
    lineNumbersMinChars: 3,
    minimap: { enabled: false },
    overviewRulerBorder: false,
    overviewRulerLanes: 2,
    padding: { top: 14, bottom: 14 },
    quickSuggestions: false,
    renderFinalNewline: "on",
    renderLineHighlightOnlyWhenFocus: true,
    scrollBeyondLastColumn: 0,
    scrollBeyondLastLine: false,
    scrollbar: { useShadows: false, verticalScrollbarSize: 10, horizontalScrollbarSize: 10 },
    tabSize: 2,
    wordBasedSuggestions: "off",
    wordWrap: matchMedia("(max-width: 720px)").matches ? "on" : "off",
  });

  model.onDidChangeContent(() => edit(model.getValue()));
  effect(() => {
    const text = state.text.value;
    if (text === model.getValue()) return;
    // An edit, not a new text, so that undo brings the old one back.
    model.pushStackElement();
    model.pushEditOperations([], [{ range: model.getFullModelRange(), text }], () => null);
    model.pushStackElement();
  });
  editor.onDidChangeCursorSelection(({ selection }) => {
    state.line.value = selection.positionLineNumber;
    state.selection.value = {
      start: model.getOffsetAt(selection.getStartPosition()),
      end: model.getOffsetAt(selection.getEndPosition()),
    };
  });
  effect(() => {
    const target = state.target.value;
    if (target === undefined) return;
    const range = rangeOf(model, target.span);
    editor.setSelection(range);
    editor.revealRangeInCenterIfOutsideViewport(range);
    if (target.focus) editor.focus();
  });
  showProblems(model);
  showValues(editor, model);
}
