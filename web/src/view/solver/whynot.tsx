// Why a program has no types: what cannot hold together, where the fault most likely is, and what would mend it.
import { useSignal } from "@preact/signals";
import { mend } from "../../action/asking.ts";
import { copyText } from "../../action/clipboard.ts";
import { show } from "../../action/navigation.ts";
import { state } from "../../state.ts";
import { titlesOf } from "../../titles.ts";
import type { MendView, WhyNotView } from "../../wasm/relish_wasm.js";
import { TypeText } from "../code.tsx";
import { Icon } from "../icon.tsx";
import { Sentence } from "../markdown.tsx";
import { More } from "../more.tsx";
import { ToLine } from "../toline.tsx";
import { pointing, ToStep } from "./places.tsx";
import { Takeaway } from "./takeaway.tsx";
import { whyNotText } from "./text.ts";

/** As many places are shown at first. */
const FEW_PLACES = 3;

export function WhyNot({ view, isStale }: { view: WhyNotView; isStale: boolean }) {
  const { problem, core, n_behind, is_bounded, places, fixes } = view;
  const isWhole = useSignal(false);
  const text = state.text.value;
  const titles = titlesOf(fixes, state.checked.value.starts);
  const source = (start: number, end: number) => text.slice(start, end).replace(/\s+/g, " ").slice(0, 60);
  return (
    <div class={isStale ? "why-not stale" : "why-not"}>
      <h2 class="asked">
        <Icon name={problem.severity} />
        <button type="button" class="message" onClick={() => show(problem.span)}>
          <Sentence text={problem.message} />
        </button>
      </h2>
      {core.length > 0 && (
        <section aria-labelledby="core">
          <h2 id="core">
            These cannot hold together{is_bounded || core.length > 1 ? ": " : ""}
            <span class="figures">
              {is_bounded ? "the search was ended; some of them may not be needed" : core.length > 1 ? "leave out any one of them, and the others can" : ""}
            </span>
          </h2>
          <ol class="core">
            {core.map(({ sentence, span, line, stop }) => (
              <li {...pointing(span)}>
                <span>
                  <Sentence text={sentence} />
                </span>
                <span class="places">
                  <ToLine line={line} span={span} />
                  <ToStep stop={stop} />
                </span>
              </li>
            ))}
          </ol>
          {n_behind > 0 && <p class="note">These stand nearest to the problem; they follow from {n_behind.toLocaleString("en")} more.</p>}
        </section>
      )}
      {places.length > 0 && (
        <section aria-labelledby="places">
          <h2 id="places">
            Where the mistake may be: <span class="figures">the likeliest first</span>
          </h2>
          <ol class="ranked">
            {(isWhole.value ? places : places.slice(0, FEW_PLACES)).map(({ span, line, sentence }) => (
              <li {...pointing(span)}>
                <button type="button" class="place" onClick={() => show(span)}>
                  <span class="to-line">line {line}</span> {span.start < span.end && <code>{source(span.start, span.end)}</code>}
                </button>
                <span class="reason">
                  <Sentence text={sentence} />
                </span>
              </li>
            ))}
          </ol>
          {!isWhole.value && <More count={Math.max(places.length - FEW_PLACES, 0)} onMore={() => (isWhole.value = true)} />}
        </section>
      )}
      {fixes.length > 0 && (
        <section aria-labelledby="fixes">
          <h2 id="fixes">What would mend it</h2>
          <ul class="fixes">
            {fixes.map((fix, at) => (
              <Fix fix={fix} title={titles[at] ?? fix.title} isStale={isStale} />
            ))}
          </ul>
        </section>
      )}
      <Takeaway actions={[{ title: "Copy as text", icon: "copy", act: () => copyText(whyNotText(view, text)) }]} />
    </div>
  );
}

function Fix({ fix, title, isStale }: { fix: MendView; title: string; isStale: boolean }) {
  const { edits, types, n_left } = fix;
  return (
    <li {...pointing(edits[0]?.span)}>
      <button type="button" class="button small" disabled={isStale} onClick={() => mend(fix)}>
        <Icon name="fix" />
        <span>
          <Sentence text={title} />
        </span>
      </button>
      <p class="figures">{n_left === 0 ? "Then the program has types." : `Then ${n_left === 1 ? "one problem is" : `${n_left.toLocaleString("en")} problems are`} left.`}</p>
      {types.length > 0 && (
        <dl>
          {types.map(({ name, before, after }) => (
            <div>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>
                {before !== "" && (
                  <span class="before">
                    <TypeText text={before} />
                  </span>
                )}
                <span class="after">
                  {before !== "" && (
                    <>
                      <span aria-hidden="true">→</span>
                      <span class="unseen"> becomes </span>
                    </>
                  )}
                  <TypeText text={after} />
                </span>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}
