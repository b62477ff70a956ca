// What the editor says in words of its own where the page has others.

/** By their numbers in this version of Monaco, which says what is not here as it is. */
const WORDS: Readonly<Record<number, string>> = {
  // “No code actions available”: of the key for quick fixes.
  888: "No edit is known for this",
};

/** Has the editor say so: it looks for its words in this table whenever it needs them. */
export function setWords(): void {
  Object.assign(globalThis, { _VSCODE_NLS_MESSAGES: WORDS });
}
