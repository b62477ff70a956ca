// Why a type is what it is, or why the program has none: the answer to what was asked last.
import { useSignalEffect } from "@preact/signals";
import { askAtCursor, askPiece, followQuestion } from "../../action/asking.ts";
import { copyText } from "../../action/clipboard.ts";
import { showStop } from "../../action/solving.ts";
import { state } from "../../state.ts";
import type { DerivationView, WhyView } from "../../wasm/relish_wasm.js";
import { highlight } from "../code.tsx";
import { Sentence } from "../markdown.tsx";
import { useQuestion } from "../rested.ts";
import { ToLine } from "../toline.tsx";
import { Waiting } from "../waiting.tsx";
import { pointing, ToStep } from "./places.tsx";
import { Takeaway } from "./takeaway.tsx";
import { whyText } from "./text.ts";
import { WhyNot } from "./whynot.tsx";

export function Why() {
  // A question about a problem is none about the cursor.
  useQuestion(() => [state.question.value, state.question.value.kind === "type" && state.selection.value.start], followQuestion);
  // A piece of one type is none of another.
  useSignalEffect(() => {
    const { start } = state.selection.value;
    const question = state.question.peek();
    const answer = state.answer.peek();
    if (question.kind !== "type" || question.piece === undefined || answer?.kind !== "type" || answer.view === null) return;
    const { span } = answer.view;
    if (start < span.start || start > span.end) state.question.value = { kind: "type", piece: undefined };
  });
  useSignalEffect(() => {
    const answer = state.answer.value;
    const isCurrent = answer !== undefined && answer.revision === state.revision.value;
    if (isCurrent && answer.view !== null) {
      state.lit.value =
        answer.kind === "type" ? { tone: "good", spans: [answer.view.span] } : { tone: "bad", spans: answer.view.core.map(({ span }) => span) };
    }
    return () => (state.lit.value = undefined);
  });
  const question = state.question.value;
  const answer = state.answer.value;
  if (question.kind === "problem") {
    return (
      <div class="why">
        <p class="toolbar">
          <button type="button" class="button small" onClick={askAtCursor}>
            Ask about the type at the cursor
          </button>
        </p>
        {answer?.kind !== "problem" ? (
          <p class="note working">Looking for what cannot hold together …</p>
        ) : answer.view === null ? (
          <p class="note">This problem is no disagreement of types, so there is nothing to take apart.</p>
        ) : (
          <WhyNot view={answer.view} isStale={answer.revision !== state.revision.value} />
        )}
      </div>
    );
  }
  if (answer?.kind !== "type") return <Waiting>Why the type at the cursor is what it is appears here.</Waiting>;
  if (answer.view === null) {
    return (
      <p class="empty">
        Put the cursor on a name or an expression of the program: why it has its type appears here. Every error in the list of problems has a
        button of its own, <em>Why not?</em>
      </p>
    );
  }
  return (
    <div class="why">
      <Answer view={answer.view} />
    </div>
  );
}

/** More of a piece of a type than three lines show. */
const LONGEST_PIECE = 400;
/** A type that is longer stands above, and a sentence around it could not be read. */
const LONGEST_QUOTED = 100;

function shortened(sentence: string, pieces: WhyView["pieces"]): string {
  const texts = pieces.map(({ text }) => text);
  const long = [texts.join(""), ...texts].filter(({ length }) => length > LONGEST_QUOTED);
  return long.reduce((said, text) => said.replaceAll(text, `${text.slice(0, LONGEST_QUOTED)}…`), sentence);
}

function Answer({ view }: { view: WhyView }) {
  const { of, pieces, asked, sentence, steps, stop, span } = view;
  return (
    <>
      <header {...pointing(span)}>
        <h2>
          Why is <Sentence text={of} /> what it is?
        </h2>
        <p class="pieces" role="group" aria-label="Its type, in pieces that can be asked about">
          {pieces.map(({ text, label, is_askable }, index) =>
            is_askable ? (
              <button type="button" class="piece-button" aria-pressed={index === asked} aria-label={label === "" ? text : `${text}, ${label}`} title={label} onClick={() => askPiece(index)}>
                <span>{highlight(text.length <= LONGEST_PIECE ? text : `${text.slice(0, LONGEST_PIECE)}…`)}</span>
              </button>
            ) : (
              <code>{highlight(text)}</code>
            ),
          )}
        </p>
      </header>
      <p class="why-sentence" role="status">
        <Sentence text={shortened(sentence, pieces)} />
      </p>
      {stop !== undefined && (
        <p>
          <button type="button" class="button small" onClick={() => showStop(stop)}>
            To the step that decided it ({stop.toLocaleString("en")})
          </button>
        </p>
      )}
      <Derivation steps={steps} />
      <Takeaway actions={[{ title: "Copy as text", icon: "copy", act: () => copyText(whyText(view, state.text.peek())) }]} />
    </>
  );
}

/** The tree: what holds, of what, by which rule; what it rests on stands below it, further in. */
function Derivation({ steps }: { steps: readonly DerivationView[] }) {
  if (steps.length === 0) return null;
  return (
    <>
      <h2 id="derivation">Where it comes from</h2>
      <ol class="derivation" aria-labelledby="derivation">
        {steps.map(({ depth, fact, of, by, span, line, stop }) => (
          <li style={{ "--depth": Math.min(depth, 8) }} {...pointing(span)}>
            <span class="unseen">level {depth + 1}: </span>
            <span class="fact">
              <code class="what">{highlight(fact)}</code>
              {of !== "" && (
                <span class="of">
                  {" "}
                  <Sentence text={of} />
                </span>
              )}
            </span>
            <span class="by">
              <Sentence text={by} />
            </span>
            <span class="places">
              <ToLine line={line} span={span} />
              <ToStep stop={stop} />
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
