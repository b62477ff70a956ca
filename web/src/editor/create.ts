// An editor, as all of them here are.
import { effect } from "@preact/signals";
import { numberWidth } from "../lines.ts";
import { state } from "../state.ts";
import { isNarrow, isTouched } from "../view/appearance.ts";
import type { FileName } from "../wasm/relish_wasm.js";
import { OFFERING } from "./complete.ts";
import { monaco } from "./monaco.ts";
import { revealStart } from "./reveal.ts";
import { rangeOf } from "./spans.ts";

type Options = monaco.editor.IStandaloneEditorConstructionOptions;

/** Pixels in which most lines of a program have room. */
const ROOM = 560;

export function createEditor(
  element: HTMLElement,
  file: FileName,
  model: monaco.editor.ITextModel,
  options: Options,
): monaco.editor.IStandaloneCodeEditor {
  // The colours are inherited from here by the menus, which stand beside the editor.
  element.classList.add("monaco-component");
  const editor = monaco.editor.create(element, {
    model,
    automaticLayout: true,
    bracketPairColorization: { enabled: false },
    fixedOverflowWidgets: true,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue("--mono"),
    fontLigatures: false,
    fontSize: 14,
    // Above the program are the page's own buttons, which a finger can't bring back.
    hover: { above: !isTouched.peek() },
    lineHeight: 21,
    minimap: { enabled: false },
    overviewRulerBorder: false,
    overviewRulerLanes: 2,
    padding: { top: 14, bottom: 14 },
    renderFinalNewline: "on",
    renderLineHighlightOnlyWhenFocus: true,
    scrollBeyondLastColumn: 0,
    scrollBeyondLastLine: false,
    scrollbar: { useShadows: false, verticalScrollbarSize: 10, horizontalScrollbarSize: 10 },
    tabSize: 2,
    wordBasedSuggestions: "off",
    // As it is otherwise, without `|`, behind which a sign may go on: `|>`.
    wordWrapBreakAfterCharacters: monaco.editor.EditorOptions.wordWrapBreakAfterCharacters.defaultValue.replace("|", ""),
    ...OFFERING,
    ...options,
  });
  // Behind the menu the editor does not see that the mouse is let go, and would show no hover until it is pressed again.
  element.addEventListener("contextmenu", (event) => event.target?.dispatchEvent(new MouseEvent("mouseup", event)), { capture: true });
  // What is cut off at the right is seen by nobody who has little room.
  const wrap = () => {
    const hasRoom = editor.getLayoutInfo().width >= ROOM && !isNarrow.peek();
    editor.updateOptions({ wordWrap: hasRoom ? "off" : "on" });
  };
  wrap();
  editor.onDidLayoutChange(wrap);
  const fitNumbers = () => {
    const lineNumbersMinChars = numberWidth(model.getLineCount());
    if (editor.getOption(monaco.editor.EditorOption.lineNumbersMinChars) === lineNumbersMinChars) return;
    editor.updateOptions({ lineNumbersMinChars });
    // Where the bar at the bottom goes at the same time, the editor scrolls while it draws, and leaves the numbers as they were.
    editor.render(true);
  };
  fitNumbers();
  editor.onDidChangeModelContent(fitNumbers);
  effect(() => {
    const target = state.target.value;
    if (target?.file !== file) return;
    // The page may have to show this editor first.
    requestAnimationFrame(() => {
      if (state.target.peek() !== target) return;
      const range = rangeOf(model, target.span);
      editor.setSelection(range);
      revealStart(editor, range);
      if (target.focus) editor.focus();
    });
  });
  return editor;
}
