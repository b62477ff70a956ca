// The views of the solver: its steps, the graph it works on, its rounds, and why a type is what it is.
import { useSignalEffect } from "@preact/signals";
import { point } from "../../action/navigation.ts";
import { followStop, followTrace, stopNow } from "../../action/solving.ts";
import { isSolverTab, SOLVER_TABS, state } from "../../state.ts";
import { Advice } from "../advice.tsx";
import { errors, Nothing } from "../errorlines.tsx";
import { useQuestion } from "../rested.ts";
import { tabId, tabPanelId, Tabs } from "../tabs.tsx";
import { Waiting } from "../waiting.tsx";
import { Graph } from "./graph.tsx";
import { Rounds } from "./rounds.tsx";
import { Caption, Steps } from "./steps.tsx";
import { onTimelineKey, Timeline } from "./timeline.tsx";
import { Why } from "./why.tsx";

const TABS = SOLVER_TABS.map(({ id, title }) => ({ id: `solver-${id}`, title }));

export function Solver() {
  useQuestion(() => undefined, followTrace);
  useSignalEffect(() => {
    void [state.trace.value, stopNow.value, state.solverPart.value, state.placed.value];
    const tab = state.solverTab.value;
    if (tab === "steps" || tab === "graph") void followStop();
  });
  // What was pointed at goes with the panel.
  useSignalEffect(() => () => point(undefined));
  const tab = state.solverTab.value;
  const select = (id: string) => {
    const chosen = id.replace("solver-", "");
    if (isSolverTab(chosen)) state.solverTab.value = chosen;
  };
  const id = `solver-${tab}`;
  return (
    <div class="solver">
      <Tabs label="Views of the solver" tabs={TABS} selected={id} onSelect={select} />
      <div class={`solver-tab of-${tab}`} role="tabpanel" id={tabPanelId(id)} aria-labelledby={tabId(id)}>
        {tab === "rounds" ? <Rounds /> : tab === "why" ? <Why /> : <AtStop isGraph={tab === "graph"} />}
      </div>
    </div>
  );
}

function AtStop({ isGraph }: { isGraph: boolean }) {
  const trace = state.trace.value?.view;
  if (trace === undefined) return <Waiting>What the solver does with the program, step by step, appears here.</Waiting>;
  if (trace.stops.length <= 1) {
    return (
      <Nothing because={errors()}>
        The program gave the solver nothing to do. <Advice />
      </Nothing>
    );
  }
  return (
    <section class="at-stop" aria-label="The solver, step by step" onKeyDown={onTimelineKey}>
      <Timeline trace={trace} />
      <Caption />
      {isGraph ? <Graph /> : <Steps />}
    </section>
  );
}
