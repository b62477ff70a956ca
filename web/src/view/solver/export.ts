// Taking what is shown of the solver out of the page, as a file.
import { solver } from "../../action/queries.ts";
import type { TraceDocument } from "../../wasm/relish_wasm.js";

export const savePicture = (name: string, svg: string) => save(name, "image/svg+xml", svg);

/** The whole trace, as the command line prints it. */
export async function saveTrace(): Promise<void> {
  const document = await solver({ about: "document" });
  if (document != null) save("trace.json", "application/json", traceText(document));
}

/** What is missing is `null` there. */
const traceText = (document: TraceDocument) => JSON.stringify(document, (_, value) => value ?? null);

function save(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser may read it only after this turn.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
