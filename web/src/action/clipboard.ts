// Taking text out of the page.
import { state } from "../state.ts";

/** Copies a text and says so; where the browser does not allow it, the text is shown to be copied by hand. */
export async function copyText(text: string, said = "Copied.", instead = "Copy this:"): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    state.notice.value = { tone: "good", text: said };
  } catch {
    state.notice.value = { tone: "good", text: instead, copy: text };
  }
}
