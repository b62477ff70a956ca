// The programs that greet who has none yet: one in each language.
import type { Language } from "./language.ts";
import refine from "./welcome.refine?raw";
import relay from "./welcome.relay?raw";
import tensorscript from "./welcome.trs?raw";

export const WELCOME: Readonly<Record<Language, string>> = { relay, refine, tensorscript };

const all = new Set(Object.values(WELCOME));

/** Whether nobody has changed it. */
export const isWelcome = (text: string): boolean => all.has(text);
