// What the program's top-level expressions come to.
import { runNow, show } from "../actions.ts";
import { errorCount, type Ran, state } from "../state.ts";
import { highlight, TypeText } from "../view/code.tsx";
import { startStepping } from "../stepping.ts";
import { EngineSwitch } from "../view/engineswitch.tsx";
import { LayoutPicker } from "../view/layoutpicker.tsx";
import { Stepper } from "../view/stepper.tsx";
import { TensorPicture } from "../view/tensor.tsx";
import type { RunView, ValueView } from "../wasm/relish_wasm.js";

export function RunPanel() {
  const ran = state.ran.value;
  const stepping = state.stepping.value;
  if (stepping !== undefined) return <Stepper stepping={stepping} />;
  if (state.running.value) return <p class="empty working">Running …</p>;
  if (ran === undefined) {
    return (
      <div class="empty">
        <p>The value of each top-level expression appears here, and at the end of its line in the editor.</p>
        <p class="toolbar">
          <button type="button" class="button" disabled={state.engine.value !== "ready"} onClick={runNow}>
            Run the program
          </button>
          <button type="button" class="button" disabled={state.engine.value !== "ready"} onClick={() => void startStepping()}>
            Step through it
          </button>
          <LayoutPicker />
        </p>
        <EngineSwitch />
      </div>
    );
  }
  const isStale = ran.revision !== state.revision.value;
  return (
    <div class={`run ${isStale ? "stale" : ""}`}>
      <div class="toolbar">
        <p class="outcome">{outcome(ran, isStale)}</p>
        <LayoutPicker onChange={runNow} />
        {isStale && errorCount.value === 0 && (
          <button type="button" class="button small" onClick={() => void startStepping()}>
            Step through
          </button>
        )}
      </div>
      <EngineSwitch />
      {ran.kind === "finished" && <Figures view={ran.view} />}
      {ran.kind === "finished" &&
        ran.view.values.map((value, index) => <Value value={value} onStep={isStale ? undefined : () => void startStepping(index)} />)}
    </div>
  );
}

const duration = (milliseconds: number) =>
  milliseconds < 1000 ? `${Math.max(1, Math.round(milliseconds))} ms` : `${(milliseconds / 1000).toFixed(1)} s`;

function outcome(ran: Ran, isStale: boolean): string {
  if (ran.kind === "stopped") return `Stopped after ${duration(ran.milliseconds)}.`;
  if (isStale) return errorCount.value > 0 ? "From before the last edits, which have errors." : "From before the last edits.";
  if (ran.view.values.length === 0) return "The program ran; it has no top-level expression whose value could be shown.";
  return `Ran in ${duration(ran.milliseconds)}.`;
}

/** A value longer than this starts folded. */
const LONG = 1200;

/** What the run took. */
function Figures({ view }: { view: RunView }) {
  const number = (n: number) => n.toLocaleString("en");
  return (
    <p class="figures">
      {number(view.fuel)} calls and match tests, {number(view.steps)} steps of the machine, at most {number(view.peak_bytes)} bytes
    </p>
  );
}

interface ValueProps {
  value: ValueView;
  onStep: (() => void) | undefined;
}

function Value({ value: { name, span, line, type, value, truncated, tensor }, onStep }: ValueProps) {
  return (
    <article class="value">
      <header>
        <button type="button" onClick={() => show(span)}>
          {name === "" ? `line ${line}` : name}
        </button>
        <TypeText text={type} />
        {onStep && (
          <button type="button" class="button small step" onClick={onStep}>
            Step through
          </button>
        )}
      </header>
      {value === undefined ? (
        <p class="failed">No value: see the problems below.</p>
      ) : tensor ? (
        <TensorPicture tensor={tensor} text={value} truncated={truncated} />
      ) : value.length <= LONG ? (
        <ValueText text={value} truncated={truncated} />
      ) : (
        <details>
          <summary>
            <code>{highlight(`${value.slice(0, 80)}…`)}</code>
          </summary>
          <ValueText text={value} truncated={truncated} />
        </details>
      )}
    </article>
  );
}

/** Colouring stops where reading does. */
const COLOURED = 4000;

function ValueText({ text, truncated }: { text: string; truncated: boolean }) {
  return (
    <>
      <pre tabIndex={0} role="group" aria-label="Value">
        <code>
          {highlight(text.slice(0, COLOURED))}
          {text.slice(COLOURED)}
        </code>
      </pre>
      {truncated && <p class="note">The value goes on; only its beginning is shown.</p>}
    </>
  );
}
