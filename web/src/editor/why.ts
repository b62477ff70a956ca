// *Why this type?*, from the program: by key, by the context menu, and from the hover.
import { askAtCursor, askWhy } from "../action/asking.ts";
import type { SpanView } from "../wasm/relish_wasm.js";
import { monaco } from "./monaco.ts";

const COMMAND = "relish.whyAt";

export function registerWhy(editor: monaco.editor.IStandaloneCodeEditor): void {
  editor.addAction({
    id: "relish.why",
    label: "Relish: Why This Type?",
    keybindings: [monaco.KeyMod.Alt | monaco.KeyCode.KeyY],
    contextMenuGroupId: "navigation",
    contextMenuOrder: 1,
    run: askAtCursor,
  });
}

/** The hover's link runs this; its argument comes from `whyLink` alone, and is checked all the same. */
export function registerWhyCommand(): void {
  monaco.editor.registerCommand(COMMAND, (_accessor, start: unknown, end: unknown) => {
    if (isOffset(start) && isOffset(end) && start <= end) askWhy({ start, end });
  });
}

const isOffset = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Markdown of our own words and two numbers. Nothing of the program is in it, and it may run this command and no other. */
export const whyLink = ({ start, end }: SpanView): monaco.IMarkdownString => ({
  value: `[Why this type?](command:${COMMAND}?${encodeURIComponent(JSON.stringify([start, end]))})`,
  isTrusted: { enabledCommands: [COMMAND] },
  supportHtml: false,
});
