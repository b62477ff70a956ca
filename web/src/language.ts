// The language of a text, which its first line says: `#lang refine`. The text alone knows; nothing else is kept.
export type Language = "relay" | "refine";

export const LANGUAGES: readonly { id: Language; title: string }[] = [
  { id: "relay", title: "Relay" },
  { id: "refine", title: "refine" },
];

const LANG_LINE = /^\uFEFF?#lang(?:[ \t]+(.*?))?[ \t\r]*(?:\n|$)/;

export const languageOf = (text: string): Language => (LANG_LINE.exec(text)?.[1]?.trim() === "refine" ? "refine" : "relay");

/** The text with a first line that says the language, or without one for Relay, which needs none. */
export function inLanguage(text: string, language: Language): string {
  const rest = text.replace(LANG_LINE, "");
  return language === "relay" ? rest : `#lang ${language}\n${rest}`;
}
