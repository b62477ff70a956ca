// The way out of the editor by keyboard: Tab indents, and leaves after Escape. Whoever comes in by Tab is told.
import { monaco } from "./monaco.ts";

const INDENTS = "Tab indents. Escape, then Tab leaves the editor.";
const LEAVES = "Tab leaves the editor.";

/** What Escape closes first. */
const OPEN = ".suggest-widget.visible, .parameter-hints-widget.visible, .find-widget.visible, .monaco-hover:not(.hidden), .action-widget, .rename-box";

/** The editor's name for screen readers with this word. */
export const withWayOut = (label: string) => `${label}. ${INDENTS}`;

export function letLeave(editor: monaco.editor.IStandaloneCodeEditor, element: HTMLElement): void {
  const said = document.createElement("p");
  said.className = "way-out";
  said.hidden = true;
  // The name of the editor says it too.
  said.ariaHidden = "true";
  element.append(said);
  const say = (text: string | undefined) => {
    said.hidden = text === undefined;
    said.textContent = text ?? "";
  };
  const leaveByTab = (leaves: boolean) => editor.updateOptions({ tabFocusMode: leaves });
  let isTabbed = false;
  document.addEventListener("keydown", ({ key }) => (isTabbed = key === "Tab"), { capture: true });
  document.addEventListener("pointerdown", () => (isTabbed = false), { capture: true });
  element.addEventListener("pointerdown", () => say(undefined));
  element.addEventListener(
    "keydown",
    ({ key }) => {
      if (key === "Shift" || key === "Tab") return;
      const isOut = key === "Escape" && element.querySelector(OPEN) === null;
      leaveByTab(isOut);
      say(isOut ? LEAVES : undefined);
    },
    { capture: true },
  );
  editor.onDidFocusEditorText(() => {
    if (isTabbed) say(INDENTS);
  });
  editor.onDidBlurEditorText(() => {
    leaveByTab(false);
    say(undefined);
  });
}
