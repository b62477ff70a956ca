// The text in the editor: how a person changes it, and what another program takes the place of.
import { batch } from "@preact/signals";
import { setAside, takeBack } from "../earlier.ts";
import { inLanguage, type Language } from "../language.ts";
import { type Document, state } from "../state.ts";
import type { EditView, FixView } from "../wasm/relish_wasm.js";
import { isWelcome, WELCOME } from "../welcome.ts";
import { saveSoon } from "./autosave.ts";
import { compiler, isRunAsked, setText, stop } from "./engine.ts";
import { goTo, openFile, show } from "./navigation.ts";

/** The person typed. */
export function edit(text: string): void {
  if (text === state.text.value) return;
  batch(() => {
    // What ran unasked will do so again.
    if (isRunAsked()) state.ran.value = { kind: "outdated", revision: state.revision.value };
    // What it offers would undo this edit as well.
    if (state.notice.value?.action !== undefined) state.notice.value = undefined;
    setText(text, "edited");
  });
  saveSoon();
}

/** An example, or a file, replaces the text; the text before it is one click (or one undo) away. */
export function openExample(title: string, text: string): void {
  replaceText(text, `Opened “${title}”.`);
  state.title.value = title;
}

/** So does one of the texts that were there before. */
export function openEarlier(text: string): void {
  replaceText(text, "Opened your earlier program.");
}

function replaceText(text: string, said: string): void {
  const before = state.text.value;
  const wasShared = state.document.value;
  batch(() => {
    state.examplesOpen.value = false;
    forgetResults();
    state.editing.value = true;
    if (text === before) return;
    state.notice.value = { tone: "good", text: said, action: { title: "Undo", act: () => restore(before, wasShared) } };
  });
  exchange(text, "chosen");
  goTo({ start: 0, end: 0 });
}

/** Brings back a text that another one has replaced. */
export function restore(text: string, document: Document): void {
  batch(() => {
    state.document.value = document;
    state.notice.value = undefined;
    forgetResults();
  });
  exchange(text, "edited");
}

/** Puts one program in the place of another, which is set aside. */
function exchange(text: string, origin: "edited" | "chosen"): void {
  if (text !== state.text.value) setAside(state.text.value);
  takeBack(text);
  setText(text, origin);
  saveSoon();
  openFile("user");
}

/** The values of one program are none of another, nor its title, nor is a place in its steps one in those of the other. */
export function forgetResults(): void {
  state.title.value = undefined;
  state.ran.value = undefined;
  state.stop.value = undefined;
  state.question.value = { kind: "type", piece: undefined };
  state.stepFilter.value = { hidesEquations: false, function: undefined, relation: undefined };
}

export function applyFix(fix: FixView): void {
  openFile("user");
  let text = state.text.value;
  // From the last edit to the first, so that the earlier spans stay where they are.
  for (const { span, text: replacement } of fix.edits.toSorted((a, b) => b.span.start - a.span.start)) {
    text = text.slice(0, span.start) + replacement + text.slice(span.end);
  }
  edit(text);
  // The button may be gone with its problem; and what was done can be undone where the focus is then.
  const [first] = fix.edits.toSorted((a, b) => a.span.start - b.span.start);
  if (first === undefined) return;
  // At the first word that was written, which may stand on a line of its own.
  const start = first.span.start + (/^[\s,;]*(?=\S)/.exec(first.text)?.[0].length ?? 0);
  show({ start, end: start });
}

/** Says in the first line of the program what it is written in. A greeting that nobody has changed greets in that language. */
export function setLanguage(language: Language): void {
  if (!isWelcome(state.text.value)) return edit(inLanguage(state.text.value, language));
  batch(() => {
    forgetResults();
    edit(WELCOME[language]);
  });
  goTo({ start: 0, end: 0 });
}

/** Asks the editor to lay out the program anew; undo brings the old layout back. */
export function format(): void {
  openFile("user");
  state.formatting.value += 1;
}

/** The edits that lay out a text anew; why there are none is said on the page. */
export async function layOut(text: string): Promise<readonly EditView[]> {
  // Whoever waits for the layout does not wait for an endless run.
  if (isRunAsked()) stop();
  const view = await compiler.format(text);
  if (view === undefined) return [];
  if (view.errors > 0) {
    const count = view.errors === 1 ? "a syntax error" : `${view.errors} syntax errors`;
    state.notice.value = { tone: "bad", text: `The program was left as it is: it has ${count}.`, ofText: true };
  } else if (view.edits.length === 0) {
    state.notice.value = { tone: "good", text: "The program is formatted already." };
  } else {
    state.notice.value = undefined;
  }
  return view.edits;
}
