// The editor's colours are the page's: read from the style sheet, which alone knows them.
import { effect } from "@preact/signals";
import { appearance } from "../view/appearance.ts";
import { monaco } from "./monaco.ts";

const TOKENS: Record<string, string> = {
  keyword: "--token-keyword",
  type: "--token-type",
  constructor: "--token-constructor",
  variant: "--token-variant",
  variable: "--token-variable",
  "variable.graph": "--token-variable",
  function: "--token-function",
  "operator.name": "--token-operator",
  attribute: "--token-quiet",
  number: "--token-number",
  string: "--token-string",
  comment: "--token-comment",
  annotation: "--token-comment",
  operator: "--token-quiet",
  delimiter: "--token-quiet",
  identifier: "--ink",
};

const COLORS: Record<string, string> = {
  "editor.background": "--paper",
  "editor.foreground": "--ink",
  "editorLineNumber.foreground": "--token-comment",
  "editorLineNumber.activeForeground": "--ink",
  "editorCursor.foreground": "--accent",
  "editor.selectionBackground": "--selection",
  "editor.inactiveSelectionBackground": "--selection",
  "editor.wordHighlightBackground": "--selection",
  "editor.wordHighlightStrongBackground": "--selection",
  "editor.lineHighlightBackground": "--current-line",
  "editor.lineHighlightBorder": "--current-line",
  "editor.rangeHighlightBackground": "--current-line",
  "editor.findMatchBackground": "--selection",
  "editor.findMatchBorder": "--accent",
  "editor.findMatchHighlightBackground": "--selection",
  "editorIndentGuide.background1": "--line",
  "editorBracketHighlight.foreground1": "--token-quiet",
  "editorBracketHighlight.foreground2": "--token-quiet",
  "editorBracketHighlight.foreground3": "--token-quiet",
  "editorBracketMatch.background": "--selection",
  "editorBracketMatch.border": "--accent",
  "editorError.foreground": "--error",
  "editorWarning.foreground": "--warning",
  "editorInfo.foreground": "--info",
  "editorLightBulb.foreground": "--warning",
  "editorLightBulbAutoFix.foreground": "--accent",
  "editorOverviewRuler.errorForeground": "--error",
  "editorOverviewRuler.warningForeground": "--warning",
  "editorOverviewRuler.infoForeground": "--info",
  "editorWidget.background": "--surface",
  "editorWidget.border": "--line",
  "editorWidget.foreground": "--ink",
  "editorSuggestWidget.foreground": "--ink",
  "editorSuggestWidget.selectedForeground": "--ink",
  "editorSuggestWidget.selectedIconForeground": "--ink",
  "editorSuggestWidget.selectedBackground": "--selection",
  "editorSuggestWidget.highlightForeground": "--accent",
  "editorSuggestWidget.focusHighlightForeground": "--accent",
  "editorHoverWidget.background": "--surface",
  "editorHoverWidget.border": "--line",
  "editorHoverWidget.foreground": "--ink",
  "editorHoverWidget.highlightForeground": "--accent",
  "textCodeBlock.background": "--surface",
  "input.background": "--paper",
  "input.border": "--line",
  "input.foreground": "--ink",
  "inputValidation.infoBackground": "--surface",
  "inputValidation.infoBorder": "--accent",
  focusBorder: "--accent",
  "list.hoverBackground": "--hover",
  "list.focusBackground": "--selection",
  "list.activeSelectionBackground": "--selection",
  "list.activeSelectionForeground": "--ink",
  "menu.background": "--surface",
  "menu.foreground": "--ink",
  "menu.selectionBackground": "--selection",
  "menu.selectionForeground": "--ink",
  "quickInput.background": "--surface",
  "quickInput.foreground": "--ink",
  "textLink.foreground": "--accent",
  "editorLink.activeForeground": "--accent",
  "peekView.border": "--accent",
  "peekViewTitle.background": "--surface",
  "peekViewTitleLabel.foreground": "--ink",
  "peekViewTitleDescription.foreground": "--quiet",
  "peekViewEditor.background": "--paper",
  "peekViewEditorGutter.background": "--paper",
  "peekViewEditor.matchHighlightBackground": "--selection",
  "peekViewResult.background": "--surface",
  "peekViewResult.fileForeground": "--ink",
  "peekViewResult.lineForeground": "--ink",
  "peekViewResult.matchHighlightBackground": "--selection",
  "peekViewResult.selectionBackground": "--selection",
  "peekViewResult.selectionForeground": "--ink",
};

export function followTheme(): void {
  effect(() => {
    const { isDark, isContrast } = appearance.value;
    const style = getComputedStyle(document.documentElement);
    const color = (name: string) => sixDigits(style.getPropertyValue(name).trim());
    const name = `relish-${isDark ? "dark" : "light"}${isContrast ? "-contrast" : ""}`;
    monaco.editor.defineTheme(name, {
      base: isContrast ? (isDark ? "hc-black" : "hc-light") : isDark ? "vs-dark" : "vs",
      inherit: true,
      rules: Object.entries(TOKENS).map(([token, variable]) => ({ token, foreground: color(variable).slice(1) })),
      colors: Object.fromEntries(Object.entries(COLORS).map(([key, variable]) => [key, color(variable)])),
    });
    monaco.editor.setTheme(name);
  });
}

const context = document.createElement("canvas").getContext("2d");

/** `#000` and `black` are fine in a style sheet; the editor wants `#000000`. */
function sixDigits(color: string): string {
  if (context === null) return color;
  context.fillStyle = color;
  return String(context.fillStyle);
}
