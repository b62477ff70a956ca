// Keeps what is typed: the person's own text for later visits and for this tab, that of a link for this tab.
import { setAside } from "../earlier.ts";
import { state } from "../state.ts";
import { type KeptOfTab, load, loadOfTab, save, saveOfTab } from "../storage.ts";

/** After the last edit; then the text is written. */
const RESTED_MS = 200;

let saving: ReturnType<typeof setTimeout> | undefined;
/** The hash of the link whose program is shown. */
let link: string | undefined;

export function saveSoon(): void {
  clearTimeout(saving);
  saving = setTimeout(savePending, RESTED_MS);
}

/** Writes what is not yet in storage. */
export function savePending(): void {
  if (saving === undefined) return;
  clearTimeout(saving);
  saving = undefined;
  saveText();
}

export function saveText(): void {
  const text = state.text.value;
  if (state.document.value === "mine") {
    save("text", text);
    saveOfTab("text", text);
  }
  if (link !== undefined) saveOfTab(keyOf(link), text);
}

/** The page is left, maybe for good: what only this tab has is set aside, until the tab shows it again. */
export function leave(): void {
  savePending();
  const own = loadOfTab("text");
  if (own !== undefined && own !== load("text")) setAside(own);
  const edited = editedText();
  if (edited !== undefined && edited !== own) setAside(edited);
}

/** What the visitor has here: kept in this tab or from before; nothing on a first visit. */
export const keptText = (): string | undefined => loadOfTab("text") ?? load("text");

const keyOf = (link: string): KeptOfTab => `link ${link}`;

/** The text of the link with the edits made in this tab, if there are any. */
export const editedText = (): string | undefined => (link === undefined ? undefined : loadOfTab(keyOf(link)));

/** From here on the text is that of a link with this hash, or of none. */
export function setLink(hash: string | undefined): void {
  link = hash;
}

/** The edits of the link's program are not kept any longer, neither those on their way. */
export function forgetLink(): void {
  clearTimeout(saving);
  saving = undefined;
  if (link !== undefined) saveOfTab(keyOf(link), undefined);
  link = undefined;
}
