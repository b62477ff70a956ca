// The language of a text, which its first line that is not blank says: `#lang refine`. The text alone knows; nothing else is kept.
export type Language = "relay" | "refine" | "tensorscript";

export const LANGUAGES: readonly { id: Language; title: string }[] = [
  { id: "relay", title: "Relay" },
  { id: "refine", title: "refine" },
  { id: "tensorscript", title: "TensorScript" },
];

export const titleOf = (language: Language): string => LANGUAGES.find(({ id }) => id === language)?.title ?? "";

/** The words that are no names. */
export const KEYWORDS: Readonly<Record<Language, readonly string[]>> = {
  relay: "let fn def if else type data match case extern free_var ref ref_read ref_write relation where as true false".split(" "),
  refine: "let in match with as".split(" "),
  tensorscript: "use dim tsr node weights graph def if else self true false".split(" "),
};

/**
 * What names are of in Relay and TensorScript, inside brackets of a pattern with the flag `u`: letters, digits and marks of
 * all scripts. Those of refine are of ASCII.
 */
export const IN_NAME = "\\p{L}\\p{M}\\p{N}_";
/** Of what begins a name. */
export const STARTS_NAME = `(?!\\d)[${IN_NAME}]`;

/** Names with their sigils, operators with their dots, and numbers. */
export const WORDS: Readonly<Record<Language, string>> = {
  relay: `[%@\`]?${STARTS_NAME}[${IN_NAME}.]*|%?\\d[${IN_NAME}.]*`,
  refine: "'?[A-Za-z_]\\w*|\\d+",
  tensorscript: `${STARTS_NAME}[${IN_NAME}]*|\\d[${IN_NAME}.]*`,
};

/** A name without its sigil, by that. */
const NAMES: Readonly<Record<string, string>> = {
  "%": `${STARTS_NAME}[${IN_NAME}]*(?:/[${IN_NAME}]+)*`,
  "@": `${STARTS_NAME}[${IN_NAME}]*(?:\\.${STARTS_NAME}[${IN_NAME}]*)*`,
};
/** What reads like a name and is none, though nothing colours it. */
const NO_NAMES: Readonly<Record<Language, readonly string[]>> = {
  relay: "_ True False".split(" "),
  refine: [],
  tensorscript: "_ True False while for match enum let type".split(" "),
};
const REFINE_NAME = /^[A-Za-z]\w*$/;
const startsLarge = (name: string) => /^[A-Z]/.test(name);

/** Why something that has this sigil and this old name can't be called so. */
export function whyNoName(language: Language, sigil: string, name: string, old: string): string | undefined {
  if (name === "") return "it needs one";
  const shown = `${sigil}${name.replace(/\s+/g, " ")}`.slice(0, 40);
  const isRefine = language === "refine";
  const isName = isRefine ? REFINE_NAME.test(name) : new RegExp(`^${NAMES[sigil] ?? `${STARTS_NAME}[${IN_NAME}]*`}$`, "u").test(name);
  if (!isName) return `“${shown}” is no name`;
  if (sigil === "" && [...KEYWORDS[language], ...NO_NAMES[language]].includes(name)) return `${name} is a word of the language`;
  // The first letter tells variables from variants.
  if (isRefine && startsLarge(name) !== startsLarge(old)) return `${name} would be a ${startsLarge(name) ? "variant" : "variable"}`;
  return undefined;
}

const LANG_LINE = /^\s*#lang(?:[ \t]+(.*?))?[ \t\r]*(?:\n|$)/;

/** Where what a text says of its language ends. */
export const langLineEnd = (text: string): number => LANG_LINE.exec(text)?.[0].length ?? 0;

export function languageOf(text: string): Language {
  const name = LANG_LINE.exec(text)?.[1]?.trim();
  return LANGUAGES.find(({ id }) => id === name)?.id ?? "relay";
}

const COMMENTS = /\/\*[^]*?\*\/|(?:\/\/|#).*/g;

/** What only one of the languages has. */
const SIGNS: Readonly<Record<Language, RegExp>> = {
  relay: new RegExp(`[@%][${IN_NAME}]|^[ \\t]*(?:type|data|extern|relation)\\s`, "mu"),
  refine: /\bmatch\b[^;{}%]*\bwith\b|\blet\b[^;{}%]*\bin\b/,
  tensorscript: new RegExp(`^[ \\t]*(?:use\\s+\\w+::|(?:node|weights|graph)\\s+[${IN_NAME}]+\\s*<|(?:dim|tsr)\\s+[${IN_NAME}]+\\s*=)`, "mu"),
};

/** What is a sign of Relay where there is none of another language: an operator, an attribute that is a list, a float. */
const LIKE_RELAY = /\b(?:q?nn|image|vision|random|dyn)\.\w|\w=\[|\b\d[\d.]*f\b/;

/** As much of a text is looked at for signs. */
const BEGINNING = 20_000;

/** The language that a text shows itself to be in, if it has signs of one and of no other. */
export function languageShown(text: string): Language | undefined {
  const code = text.slice(0, BEGINNING).replace(COMMENTS, "");
  const [found, ...others] = LANGUAGES.filter(({ id }) => SIGNS[id].test(code));
  if (found === undefined && LIKE_RELAY.test(code)) return "relay";
  return others.length === 0 ? found?.id : undefined;
}

/** Whether a text says what it is written in, be it behind blank lines. */
export const saysLanguage = (text: string): boolean => LANG_LINE.test(text);

/** Whether a text says that, and nothing else. */
export const isLangLine = (text: string): boolean => text !== "" && text.replace(LANG_LINE, "") === "";

/** What takes the place of the whole text before it, in the language of that one unless it says or shows another. */
export function inPlaceOf(before: string, text: string): string {
  if (saysLanguage(text)) return text.trimStart();
  // Whoever clears a text of this line alone wants to be rid of it.
  if (text === "" && isLangLine(before)) return text;
  const language = languageOf(before);
  // Without a line before, none is written unasked.
  return language === "relay" ? text : inLanguage(text, languageShown(text) ?? language);
}

/** The text with a first line that says the language, or without one for Relay, which needs none. */
export function inLanguage(text: string, language: Language): string {
  const rest = text.replace(LANG_LINE, "");
  return language === "relay" ? rest : `#lang ${language}\n${rest}`;
}
