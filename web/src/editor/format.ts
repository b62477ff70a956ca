// The layout of the program, when a person asks for it: by the keyboard, the editor's menu, or the page's button.
import { effect } from "@preact/signals";
import { layOut } from "../action/document.ts";
import { state } from "../state.ts";
import { ANY_LANGUAGE, monaco } from "./monaco.ts";
import { rangeOf } from "./spans.ts";

const FORMAT = "editor.action.formatDocument";

export function registerFormat(): void {
  // The editor's own keys are others on Linux.
  monaco.editor.addKeybindingRule({
    keybinding: monaco.KeyMod.Shift | monaco.KeyMod.Alt | monaco.KeyCode.KeyF,
    command: FORMAT,
    when: "editorTextFocus && !editorReadonly",
  });
  monaco.languages.registerDocumentFormattingEditProvider([...ANY_LANGUAGE], {
    displayName: "Relish",
    async provideDocumentFormattingEdits(model) {
      const version = model.getVersionId();
      const edits = await layOut(model.getValue());
      if (model.isDisposed() || model.getVersionId() !== version) return [];
      return edits.map(({ span, text }) => ({ range: rangeOf(model, span), text }));
    },
  });
}

/** Formats in this editor whenever the page asks for it. */
export function followFormatting(editor: monaco.editor.IStandaloneCodeEditor): void {
  let asked = state.formatting.peek();
  effect(() => {
    if (state.formatting.value === asked) return;
    asked = state.formatting.value;
    editor.getAction(FORMAT)?.run();
    // The page may have to show this editor first.
    requestAnimationFrame(() => editor.focus());
  });
}
