// What is shown of the program and beside it: the file, the place in it, the panel.
import { batch } from "@preact/signals";
import { state } from "../state.ts";
import { save } from "../storage.ts";
import type { FileName, SpanView } from "../wasm/relish_wasm.js";

/** Marks a place in the program, as long as something on the page is about it. */
export function point(span: SpanView | undefined): void {
  state.pointed.value = span;
}

/** Moves the cursor, and leaves the focus and what is shown as they are. */
export function goTo(span: SpanView): void {
  state.target.value = { file: "user", span, focus: false };
}

/** Goes where a problem or a definition is, which on a narrow screen means to the editor. */
export function show(span: SpanView, file: FileName = "user"): void {
  openFile(file);
  state.target.value = { file, span, focus: true };
}

/** What the entry of the browser's history says; the address is the same for both. */
const fileOfEntry = (): FileName => (history.state?.file === "prelude" ? "prelude" : "user");

/** Shows the program or the prelude. Going to the prelude is a step that the browser's Back undoes. */
export function openFile(file: FileName): void {
  batch(() => {
    state.file.value = file;
    state.editing.value = true;
  });
  if (file === fileOfEntry()) return;
  if (file === "prelude") history.pushState({ file }, "");
  else history.back();
}

/** Shows what the entry of the history says, after a step back or forth, or a reload. */
export function followHistory(): void {
  state.file.value = fileOfEntry();
}

export function openPanel(id: string): void {
  batch(() => {
    state.panel.value = id;
    state.editing.value = false;
  });
  save("panel", id);
}

/** Opens the page about an error code. */
export async function explain(code: string): Promise<void> {
  // A file of its own, which few visits need.
  const { default: pages } = await import("virtual:explanations");
  state.explained.value = { code, page: pages[code] };
}
