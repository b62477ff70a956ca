// What is under the mouse, in the language's own words.
import { effect } from "@preact/signals";
import { hover } from "../action/queries.ts";
import { state } from "../state.ts";
import { fileOf } from "./files.ts";
import { ANY_LANGUAGE, monaco } from "./monaco.ts";
import { rangeOf } from "./spans.ts";
import { whyLink } from "./why.ts";

/** Code as Markdown. The fence is longer than any run of backticks inside, so that the code cannot end its own block. */
export function fenced(code: string, language: string): string {
  const fence = "`".repeat(3 + Math.max(0, ...[...code.matchAll(/`+/g)].map(([run]) => run.length)));
  return `${fence}${language}\n${code}\n${fence}`;
}

export function registerHover(): void {
  monaco.languages.registerHoverProvider([...ANY_LANGUAGE], {
    async provideHover(model, position) {
      const view = await hover(fileOf(model.uri), model.getOffsetAt(position));
      if (view === undefined || model.isDisposed()) return null;
      const contents: monaco.IMarkdownString[] = [{ value: fenced(view.code, model.getLanguageId()) }, { value: view.doc }]
        .filter(({ value }) => value !== "")
        .map((content) => ({ ...content, isTrusted: false, supportHtml: false }));
      if (fileOf(model.uri) === "user") contents.push(whyLink(view.span));
      return { range: rangeOf(model, view.span), contents };
    },
  });
}

/** Opens the hover at the cursor of this editor whenever the page asks for it. */
export function followExplaining(editor: monaco.editor.IStandaloneCodeEditor): void {
  let asked = state.explaining.peek();
  effect(() => {
    if (state.explaining.value === asked) return;
    asked = state.explaining.value;
    editor.trigger("page", "editor.action.showHover", { focus: "noAutoFocus" });
  });
}
