// Files that are dropped onto the page: a text becomes the program, as an example does.
import { inLanguage, type Language, saysLanguage } from "../language.ts";
import { state } from "../state.ts";
import { openExample } from "./document.ts";

const MOST_BYTES = 2_000_000;

/** As the command line has it. */
const EXTENSIONS: Readonly<Record<string, Language>> = { refine: "refine", trs: "tensorscript" };

/** Before the editor, which would put the name of the file into the text. */
export function acceptFiles(): void {
  addEventListener("dragover", takeFiles, { capture: true });
  addEventListener("drop", (event) => void openFirst(takeFiles(event)), { capture: true });
}

/** What is dragged, if it is files; else the editor moves what was selected in it. */
function takeFiles(event: DragEvent): FileList | undefined {
  if (!event.dataTransfer?.types.includes("Files")) return undefined;
  event.preventDefault();
  event.stopPropagation();
  return event.dataTransfer.files;
}

async function openFirst(files: FileList | undefined): Promise<void> {
  const file = files?.[0];
  if (file === undefined) return;
  const { name, size } = file;
  const refuse = (why: string) => {
    state.notice.value = { tone: "bad", text: `“${name}” was not opened: ${why}. Your program is as it was.` };
  };
  if (size > MOST_BYTES) return refuse(`it has ${(size / 1e6).toFixed(1)} MB, and a program here has at most ${MOST_BYTES / 1e6} MB`);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()).replace(/\r\n?/g, "\n");
    const language = EXTENSIONS[name.slice(name.lastIndexOf(".") + 1)];
    openExample(name, language === undefined || saysLanguage(text) ? text : inLanguage(text, language));
  } catch (error) {
    refuse(error instanceof TypeError ? "it is no text in UTF-8" : "it could not be read");
  }
}
