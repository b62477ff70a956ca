// Taking things out of the page: to the clipboard, or as a file.
import { solver } from "../../actions.ts";
import { state } from "../../state.ts";

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    state.notice.value = { tone: "good", text: "Copied." };
  } catch {
    state.notice.value = { tone: "good", text: "Copy this text:", copy: text };
  }
}

export const savePicture = (name: string, svg: string) => save(name, "image/svg+xml", svg);

/** The whole trace, as the command line prints it. */
export async function saveTrace(): Promise<void> {
  const json = await solver({ about: "document" });
  if (json != null) save("trace.json", "application/json", json);
}

function save(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser may read it only after this turn.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
