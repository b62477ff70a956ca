// The language of a text, which its first line says: `#lang refine`. The text alone knows; nothing else is kept.
export type Language = "relay" | "refine" | "tensorscript";

export const LANGUAGES: readonly { id: Language; title: string }[] = [
  { id: "relay", title: "Relay" },
  { id: "refine", title: "refine" },
  { id: "tensorscript", title: "TensorScript" },
];

const LANG_LINE = /^\uFEFF?#lang(?:[ \t]+(.*?))?[ \t\r]*(?:\n|$)/;

export function languageOf(text: string): Language {
  const name = LANG_LINE.exec(text)?.[1]?.trim();
  return LANGUAGES.find(({ id }) => id === name)?.id ?? "relay";
}

/** The text with a first line that says the language, or without one for Relay, which needs none. */
export function inLanguage(text: string, language: Language): string {
  const rest = text.replace(LANG_LINE, "");
  return language === "relay" ? rest : `#lang ${language}\n${rest}`;
}
