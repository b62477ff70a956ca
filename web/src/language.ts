// The language of a text, which its first line says: `#lang refine`. The text alone knows; nothing else is kept.
export type Language = "relay" | "refine" | "tensorscript";

export const LANGUAGES: readonly { id: Language; title: string }[] = [
  { id: "relay", title: "Relay" },
  { id: "refine", title: "refine" },
  { id: "tensorscript", title: "TensorScript" },
];

/** The words that are no names. */
export const KEYWORDS: Readonly<Record<Language, readonly string[]>> = {
  relay: "let fn def if else type data match case extern free_var ref ref_read ref_write relation where as true false".split(" "),
  refine: "let in match with as".split(" "),
  tensorscript: "use dim tsr node weights graph def if else self true false".split(" "),
};

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
