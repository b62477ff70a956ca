// The programs that stood in the editor before the present one: the newest first, each once. All tabs share the list,
// so it is read anew each time.
import { load, save } from "./storage.ts";
import { WELCOME } from "./welcome.ts";

const MOST = 10;
/** A browser keeps some five million characters for a site. */
const MOST_CHARACTERS = 1_000_000;

/** Programs that are no one's own work, so that nothing is lost with them: those of the page, once it has loaded them. */
const ours = new Set<string>(Object.values(WELCOME));

/** The list, where storage would not have it. */
let unsaved: readonly string[] | undefined;

export function knowExamples(texts: Iterable<string>): void {
  for (const text of texts) ours.add(text);
}

export function earlierTexts(): readonly string[] {
  return (unsaved ?? parse(load("earlier"))).filter((text) => !ours.has(text));
}

/** Keeps a text that another one is about to replace. */
export function setAside(text: string): void {
  if (text.trim() === "" || ours.has(text)) return;
  keep([text, ...earlierTexts().filter((other) => other !== text)]);
}

/** A text that stands in the editor again is no earlier one. */
export function takeBack(text: string): void {
  const texts = earlierTexts();
  if (texts.includes(text)) keep(texts.filter((other) => other !== text));
}

function keep(texts: readonly string[]): void {
  let room = MOST_CHARACTERS;
  // A text that alone is too long does not cost the others their place.
  const kept = texts.slice(0, MOST).filter(({ length }) => {
    if (length > room) return false;
    room -= length;
    return true;
  });
  unsaved = save("earlier", JSON.stringify(kept)) ? undefined : kept;
}

/** Storage may hold anything. */
function parse(kept: string | undefined): readonly string[] {
  try {
    const texts: unknown = JSON.parse(kept ?? "[]");
    return Array.isArray(texts) ? texts.filter((text): text is string => typeof text === "string") : [];
  } catch {
    return [];
  }
}
