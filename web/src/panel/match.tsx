// The match at the cursor: its arms, and the decision tree that finds the one to take.
import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { goTo, point, show } from "../action/navigation.ts";
import { matchAt } from "../action/queries.ts";
import { state } from "../state.ts";
import { highlight, TypeText } from "../view/code.tsx";
import { DecisionList, DecisionTree, type Pointed } from "../view/decision.tsx";
import { Nothing, unread } from "../view/errorlines.tsx";
import { useAnswer } from "../view/rested.ts";
import { ToLine } from "../view/toline.tsx";
import { Waiting } from "../view/waiting.tsx";
import type { MatchView, NodeView, SpanView } from "../wasm/relish_wasm.js";

export function MatchPanel() {
  const offset = useComputed(() => state.selection.value.start);
  // `undefined`: not known yet; `null`: there is none.
  const match = useAnswer(() => offset.value, matchAt);
  // What was pointed at goes with the panel.
  useSignalEffect(() => () => point(undefined));
  if (match.value === undefined) return <Waiting>The decision tree of a match appears here.</Waiting>;
  if (match.value === null) {
    return (
      <Nothing because={unread()}>
        The program has no <code>match</code>. Where it has one, its decision tree appears here, with the cases that it misses and the
        arms that are never taken.
      </Nothing>
    );
  }
  return <Match view={match.value} />;
}

function Match({ view }: { view: MatchView }) {
  const pointed = useSignal<Pointed | undefined>(undefined);
  const set = (next: Pointed | undefined) => {
    pointed.value = next;
    const node = next?.node === undefined ? undefined : view.nodes[next.node];
    point(next === undefined ? undefined : spanOf(view, node, next.arm));
  };
  const { nodes, arms, problem } = view;
  const node = pointed.value?.node === undefined ? undefined : nodes[pointed.value.node];
  const arm = node?.kind === "leaf" ? node.arm : pointed.value?.arm;
  return (
    <div class="match">
      <header>
        <p class="matched">
          <ToLine line={view.line} span={view.span} />
          <code>
            {highlight("match ")}
            {highlight(view.value)}
            {": "}
            <TypeText text={view.type} />
          </code>
        </p>
        {view.count > 1 && <Others view={view} />}
      </header>
      <h2 id="arms">Arms</h2>
      <ol class="arms" aria-labelledby="arms">
        {arms.map(({ pattern, span, unreached }, index) => (
          <li>
            <button
              type="button"
              class={`${unreached === undefined ? "" : "unreached"} ${arm === index ? "lit" : ""}`}
              onClick={() => show(span)}
              onPointerEnter={() => set({ arm: index })}
              onPointerLeave={() => set(undefined)}
              onFocus={() => set({ arm: index })}
              onBlur={() => set(undefined)}
            >
              <span class="number">{index + 1}</span>
              <span>
                <code>{highlight(pattern)}</code>
                {unreached !== undefined && <span class="reason">never taken: {unreached}</span>}
              </span>
            </button>
          </li>
        ))}
      </ol>
      <h2>Decision tree</h2>
      {problem !== undefined ? (
        <p class="note">{problem}</p>
      ) : (
        <>
          {view.is_sequence && <p class="note">The match is so large that the tree tries its arms one after the other.</p>}
          {view.n_more > 0 && (
            <p class="note">
              This is the first part of the tree; {view.n_more.toLocaleString("en")} more {view.n_more === 1 ? "node is" : "nodes are"} not
              drawn.
            </p>
          )}
          {view.is_partial && <p class="note">With <code>match?</code> a case without an arm is no mistake, but a run that meets it stops.</p>}
          <DecisionTree nodes={nodes} arms={arms} pointed={pointed.value} onPoint={set} onGo={(target) => show(spanOf(view, target) ?? view.span)} />
          <details>
            <summary>The tree as a list</summary>
            <DecisionList nodes={nodes} arms={arms} />
          </details>
        </>
      )}
    </div>
  );
}

/** Where the text says what is pointed at. */
function spanOf(view: MatchView, node: NodeView | undefined, arm?: number): SpanView | undefined {
  const index = node?.kind === "leaf" ? node.arm : arm;
  if (index !== undefined) return view.arms[index]?.span;
  return node === undefined ? undefined : view.span;
}

function Others({ view: { index, count, previous, next } }: { view: MatchView }) {
  // One that leads no further keeps the focus.
  const button = (title: string, text: string, span: SpanView | undefined) => (
    <button type="button" class="button small" aria-label={title} title={title} aria-disabled={!span} onClick={() => span && goTo(span)}>
      {text}
    </button>
  );
  return (
    <p class="others">
      {button("Previous match", "‹", previous)}
      <span>
        {index + 1} of {count}
      </span>
      {button("Next match", "›", next)}
    </p>
  );
}
