// What to write so that an empty panel has something to show, in the language of the program.
import { language, state } from "../state.ts";
import { highlight } from "./code.tsx";

/** `relay`: in that language. */
export function Advice({ relay = "let %x = ones(shape=[2, 3]) + 1f;" }: { relay?: string }) {
  switch (language.value) {
    case "relay":
      return <>Try <code>{highlight(relay)}</code></>;
    case "refine":
      return <>Try <code>{highlight("let x = A in match x with | A -> B")}</code></>;
    case "tensorscript":
      return (
        <>
          Write a <code>node</code> with its <code>weights</code> and its <code>graph</code>;{" "}
          <button type="button" class="plain-link" onClick={() => (state.examplesOpen.value = true)}>
            the examples
          </button>{" "}
          have some.
        </>
      );
  }
}
