// The same check as rounds of information flow: in each round every operator runs that can, on what the round before
// has found out.
import { useSignal } from "@preact/signals";
import { solver } from "../../action/queries.ts";
import { litAmong } from "../../action/solving.ts";
import { language } from "../../state.ts";
import type { RoundView, SpanView } from "../../wasm/relish_wasm.js";
import { Advice } from "../advice.tsx";
import { TypeText } from "../code.tsx";
import { Nothing, unread } from "../errorlines.tsx";
import { useAnswer } from "../rested.ts";
import { ToLine } from "../toline.tsx";
import { grouped } from "../units.ts";
import { Waiting } from "../waiting.tsx";
import { More } from "../more.tsx";
import { pointing, ToStep } from "./places.tsx";

/** As many rounds are shown at first, and four times as many whenever more are asked for. */
const ROUNDS = 30;
/** The same for the relations of one round. */
const RESOLVED = 24;

export function Rounds() {
  const limit = useSignal(ROUNDS);
  const view = useAnswer(
    () => limit.value,
    async (nRounds) => (await solver({ about: "rounds", first: 0, nRounds })) ?? undefined,
  );
  if (view.value === undefined) return <Waiting>Which relations were solved in which round appears here.</Waiting>;
  const { rounds: all, n_more, n_unresolved } = view.value;
  if (all.length === 0) {
    return (
      <Nothing because={unread()}>
        Rounds show how {language.value === "tensorscript" ? "layers" : "operators"} are solved, and this program has none.{" "}
        {language.value !== "refine" && <Advice />}
      </Nothing>
    );
  }
  const isLit = litAmong(all.flatMap(({ resolved }) => resolved.map(({ span }) => span)));
  return (
    <div class="rounds">
      <p class="note">
        Information flows through the program in rounds: in each, every relation of an operator whose inputs the rounds before have made known
        enough is solved, and what it says of the result is what the next round begins with.
      </p>
      <ol>
        {all.map((round) => (
          <Round round={round} isLit={isLit} />
        ))}
      </ol>
      <More count={n_more} of="round" onMore={() => (limit.value *= 4)} />
      {n_unresolved > 0 && (
        <p class="note">
          {grouped(n_unresolved)} {n_unresolved === 1 ? "relation was" : "relations were"} never solved: they failed, or went into a type while they
          waited.
        </p>
      )}
    </div>
  );
}

function Round({ round, isLit }: { round: RoundView; isLit: (span: SpanView | undefined) => boolean }) {
  const shown = useSignal(RESOLVED);
  const { number: at, resolved, n_more, n_waiting } = round;
  const waiting = n_waiting === 0 ? "none waits any more" : `${grouped(n_waiting)} still ${n_waiting === 1 ? "waits" : "wait"}`;
  return (
    <li>
      <h2>
        Round {grouped(at)}{" "}
        <span class="figures">
          {grouped(resolved.length + n_more)} solved, {waiting}
        </span>
      </h2>
      <ul class="cards">
        {resolved.slice(0, shown.value).map(({ relation, layer, name, text, stop, span, line }) => (
          <li class={`card of-solved ${isLit(span) ? "lit" : ""}`} {...pointing(span)}>
            <div class="line-of-card">
              <code class="relation-id">r{relation}</code>
              <span>
                {layer && <code class="layer-name">{layer}</code>} <code class="relation-name">{name}</code> <TypeText text={text} />
              </span>
              <span class="places">
                <ToLine line={line} span={span} />
                <ToStep stop={stop} />
              </span>
            </div>
          </li>
        ))}
      </ul>
      <More count={Math.max(resolved.length - shown.value, 0)} which="of this round" onMore={() => (shown.value *= 4)} />
      {n_more > 0 && shown.value >= resolved.length && <p class="note">{grouped(n_more)} more of this round {n_more === 1 ? "is" : "are"} in the timeline of the steps.</p>}
    </li>
  );
}
