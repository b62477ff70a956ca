// What the program's top-level expressions come to, and what that took.
import { signal, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo } from "preact/hooks";
import { runNow } from "../action/engine.ts";
import { point, show } from "../action/navigation.ts";
import { lookAhead } from "../action/queries.ts";
import { setMeasures } from "../action/settings.ts";
import { startStepping } from "../action/stepping.ts";
import { errorCount, isFresh, type Ran, runDiagnostics, state } from "../state.ts";
import { Advice } from "../view/advice.tsx";
import { highlight, TypeText } from "../view/code.tsx";
import { isPaneNarrow } from "../view/appearance.ts";
import { EngineSwitch, EngineUsed } from "../view/engineswitch.tsx";
import { ErrorLines, errorLines, Place } from "../view/errorlines.tsx";
import { FusionSwitch } from "../view/fusionswitch.tsx";
import { diff } from "../view/diff.ts";
import { forgetChoices } from "../view/kept.ts";
import { LayoutPicker } from "../view/layoutpicker.tsx";
import { Sentence } from "../view/markdown.tsx";
import { DRAWN, More } from "../view/more.tsx";
import { Profile } from "../view/profile.tsx";
import { Stepper } from "../view/stepper.tsx";
import { tabPanelId } from "../view/tabs.tsx";
import { TensorPicture } from "../view/tensor.tsx";
import { FoldedText, ValueText } from "../view/valuetext.tsx";
import { StopRun } from "../view/waiting.tsx";
import { bytesOf, countOf } from "../view/units.ts";
import type { DiagnosticView, NeedsView, RunView, SpanView, ValueView } from "../wasm/relish_wasm.js";

/** The lines of a program that are its own: not a bracket, nor the line that says the language. */
const linesOf = (text: string) => text.split("\n").filter((line) => /[\p{L}\p{N}]/u.test(line) && !line.startsWith("#lang"));

/** Those of the program that was run last. */
let linesRun: readonly string[] = [];

/** Its values by their texts, and the names under which what is chosen for them is kept. */
let named: readonly { text: string; name: number }[] = [];
let nNames = 0;

/** A value has the name of the one before that has its text, or else stands where it does between such. */
function nameAgain(texts: readonly string[]): void {
  const free: number[] = [];
  const left = named.map(({ name }) => name);
  const next: { text: string; name: number }[] = [];
  for (const { mark, line } of diff(named, texts.map((text) => ({ text })))) {
    if (mark === "-") free.push(left.shift() ?? 0);
    else {
      const name = mark === " " ? left.shift() : free.shift();
      if (mark === " ") free.length = 0;
      next.push({ text: line.text, name: name ?? nNames++ });
    }
  }
  named = next;
}

/** Of a value of a run that is under way there may be none yet. */
const nameOf = (index: number) => `value ${named[index]?.name ?? `${index} of a run`}`;

/** The run that has the names. */
let ranLast: Ran | undefined;

/** How far down its values were seen. */
let top = 0;

/** What was chosen for another program is gone before this one is drawn. */
function follow(ran: Ran | undefined): void {
  if (ran === ranLast || ran?.kind !== "finished" || ran.revision !== state.revision.peek()) return;
  const text = state.text.peek();
  const lines = linesOf(text);
  // One line that is another was edited.
  if (lines.length + linesRun.length > 2 && !lines.some((line) => linesRun.includes(line))) {
    forgetChoices();
    top = 0;
  }
  nameAgain(ran.view.values.map(({ name, span }) => name || text.slice(span.start, span.end)));
  [ranLast, linesRun] = [ran, lines];
}

/** The values of another program are seen from their top, those of one that was edited from where one was. */
function useTop(ran: Ran | undefined) {
  const panel = () => document.getElementById(tabPanelId("run"));
  const isShown = !state.running.value && state.stepping.value === undefined && ran !== undefined;
  useLayoutEffect(() => {
    if (!isShown) return;
    panel()?.scrollTo(0, top);
    const keep = () => (top = panel()?.scrollTop ?? 0);
    panel()?.addEventListener("scroll", keep);
    return () => panel()?.removeEventListener("scroll", keep);
  }, [isShown]);
  useLayoutEffect(() => panel()?.scrollTo(0, top), [ran]);
}

export function RunPanel() {
  const ran = state.ran.value;
  follow(ran);
  useTop(ran);
  // What was pointed at goes with the panel.
  useSignalEffect(() => () => point(undefined));
  const stepping = state.stepping.value;
  if (stepping !== undefined) return <Stepper stepping={stepping} />;
  if (state.running.value) return <Running />;
  if (ran === undefined) {
    return (
      <div class="empty">
        <p>
          The value of each top-level expression appears here, and at the end of its line in the editor. {isEmpty() && <Suggestion />}
        </p>
        <FirstError />
        <Ahead />
        <p class="toolbar">
          <button type="button" class="button" disabled={state.engine.value !== "ready"} onClick={runNow}>
            Run the program
          </button>
          <button type="button" class="button" disabled={state.engine.value !== "ready"} onClick={() => void startStepping()}>
            Step through it
          </button>
        </p>
        <p class="toolbar options">
          <LayoutPicker />
          <FusionSwitch />
          <Measures />
          <EngineSwitch />
        </p>
        <EngineUsed />
      </div>
    );
  }
  const isStale = ran.revision !== state.revision.value;
  const found = ran.kind === "finished" ? ran.view.values : ran.kind === "stopped" ? (ran.view?.values ?? []) : [];
  const values = stillThere(found, isStale);
  const view = ran.kind === "finished" || ran.kind === "stopped" ? ran.view : undefined;
  // Whoever does not want them measured does not want to see them either.
  const profile = state.measures.value ? (view?.profile ?? []) : [];
  // Then there is nothing to say of what it took either.
  const isNothing = ran.kind === "finished" && values.length === 0;
  // What takes long, or was stopped, runs when somebody says so.
  const runAgain = () => ran.kind === "finished" && runNow();
  const controls = (
    <>
      <LayoutPicker onChange={runAgain} />
      <FusionSwitch onChange={runAgain} />
      <Measures onChange={() => ran.kind === "finished" && ran.view.profile.length === 0 && runNow()} />
    </>
  );
  const figures = ran.kind === "finished" && ran.view.steps > 0 && !isNothing && <Figures view={ran.view} isStale={isStale} hasProfile={profile.length > 0} />;
  return (
    <div class={`run ${isStale ? "stale" : ""}`}>
      <div class="toolbar">
        <Outcome ran={ran} isStale={isStale} isNothing={isNothing} />
        {!isPaneNarrow.value && <EngineUsed />}
        {((isStale && isNothing) || ran.kind === "long" || ran.kind === "outdated") && errorCount.value === 0 && (
          <button type="button" class="button small" onClick={runNow}>
            Run the program
          </button>
        )}
        {(isStale || ran.kind !== "finished") && (
          // The one that came to no end is behind those that have a value.
          <button type="button" class="button small" onClick={() => void startStepping(isStale ? 0 : found.length)}>
            Step through
          </button>
        )}
      </div>
      {isNothing && isEmpty() && (
        <p class="figures">
          <Suggestion />
        </p>
      )}
      {isStale && <FirstError />}
      {isPaneNarrow.value ? (
        <Folded>{controls}</Folded>
      ) : (
        <div class="toolbar options">
          {controls}
          <EngineSwitch />
        </div>
      )}
      {(ran.kind === "stopped" ? isStale : ran.kind !== "finished") && <Ahead />}
      {!isPaneNarrow.value && figures}
      <Values values={values} canStep={!isStale} />
      {isPaneNarrow.value && figures}
      {!isNothing && <Profile rows={profile} total={ran.kind === "finished" ? ran.milliseconds : undefined} isFresh={!isStale && !isOther(ran)} />}
    </div>
  );
}

/** Whether the visitor has unfolded the controls; a run leaves it so. */
const isUnfolded = signal(false);

/** Where there is little room the values come first, and how they are computed is one line until it is asked for. */
function Folded({ children }: { children: ComponentChildren }) {
  return (
    <details class="how" open={isUnfolded.value} onToggle={(event) => (isUnfolded.value = event.currentTarget.open)}>
      <summary>
        How it runs: {state.layout.value}, {state.fused.value === "on" ? "fused" : "not fused"}
        {state.build.value === "relaxed" && ", relaxed SIMD"}
      </summary>
      <div class="toolbar">{children}</div>
      <EngineSwitch />
      <EngineUsed />
    </details>
  );
}

const duration = (milliseconds: number) =>
  milliseconds < 1000 ? `${Math.max(1, Math.round(milliseconds))} ms` : `${(milliseconds / 1000).toFixed(1)} s`;

/** Of the values of an older text, those whose line is not there any more are left out. */
function stillThere(values: readonly ValueView[], isStale: boolean): readonly ValueView[] {
  if (!isStale) return values;
  const nLines = state.text.value.trimEnd().split("\n").length;
  return state.text.value.trim() === "" ? [] : values.filter(({ line }) => line <= nLines);
}

interface OutcomeProps {
  ran: Ran;
  isStale: boolean;
  /** Whether there are no values to be shown, not even of what failed. */
  isNothing: boolean;
}

/** How the run went. What has an error is not run, nor what uses it. */
function Outcome({ ran, isStale, isNothing }: OutcomeProps) {
  const found = isStale ? [] : errorLines();
  if (ran.kind === "finished" && found.length > 0) {
    return (
      <p class="outcome" tabIndex={-1}>
        {isNothing ? "Not run:" : howFar(ran)} <ErrorLines found={found} />.
      </p>
    );
  }
  if (ran.kind === "stopped" && ran.view !== undefined) {
    const { span, line } = ran.view;
    return (
      <p class="outcome" tabIndex={-1}>
        {stoppedAfter(ran, isStale)} in <Place span={span} line={line} isStale={isStale} />, {soFar(ran.view)}.
      </p>
    );
  }
  return (
    <p class="outcome" tabIndex={-1}>
      {outcome({ ran, isStale, isNothing })}
    </p>
  );
}

/** Whether it was stopped, and programs are compiled or run otherwise now. */
const isOther = (ran: Ran) =>
  ran.kind === "stopped" &&
  (ran.target.layout !== state.layout.value || ran.target.fused !== state.fused.value || ran.build !== state.build.value);

const stoppedAfter = (ran: Ran & { kind: "stopped" }, isStale: boolean) =>
  `${isStale ? "From before the last edits: stopped" : isOther(ran) ? "With other settings: stopped" : "Stopped"} after ${duration(ran.milliseconds)}`;

/** What a run with an error has evaluated, up to the line of the error. */
function howFar(ran: Ran & { kind: "finished" }): string {
  const { expressions } = state.checked.value.view;
  const total = expressions.length;
  const found = ran.view.values.filter(({ value }) => value !== undefined);
  const took = duration(ran.milliseconds);
  if (found.length === 0) return `Failed after ${took}:`;
  // `@main` has a name, and is none of the expressions.
  const nRan = found.filter(({ name }) => name === "").length;
  if (nRan >= total) return `Ran in ${took}, but`;
  // What could not be read outside of these may be one more.
  const { diagnostics } = state.checked.value.view;
  const isIn = ({ span }: DiagnosticView) => expressions.some((one) => one.span.start <= span.start && span.end <= one.span.end);
  const isAll = diagnostics.every((found) => found.severity !== "error" || isIn(found));
  return `${nRan}${isAll ? ` of ${total}` : ""} ${!isAll && nRan === 1 ? "expression" : "expressions"} ran in ${took};`;
}

function outcome({ ran, isStale, isNothing }: OutcomeProps): string {
  if (ran.kind === "outdated") return "The run ended: the program was edited.";
  if (ran.kind === "stopped") return `${stoppedAfter(ran, isStale)}.`;
  if (ran.kind === "long") {
    return isStale ? "Not run since the last edits." : "This program takes a while, so it runs when you say so.";
  }
  if (isNothing) {
    return isStale ? "Not run since the last edits." : "There is no top-level expression whose value could be shown; a let is evaluated where it is used.";
  }
  if (isStale) return "From before the last edits.";
  // Waiting is not always for the machine.
  const rest = ran.whole - ran.milliseconds;
  const isLong = rest > WAITED_MS && rest > ran.milliseconds / 4;
  return `Ran in ${duration(ran.milliseconds)}${isLong ? `; to compile it and to show its values took ${duration(rest)}` : ""}.`;
}

/** A person notices. */
const WAITED_MS = 250;

/** How much has been run. */
const soFar = ({ fuel, steps }: { fuel: number; steps: number }) => `${countOf(fuel)} calls and match tests, ${countOf(steps)} steps of the machine`;

/** A value longer than this starts folded. */
const LONG = 1200;

/** What the run took. */
function Figures({ view, isStale, hasProfile }: { view: RunView; isStale: boolean; hasProfile: boolean }) {
  const counted = (n: number, one: string, several: string) => `${n.toLocaleString("en")} ${n === 1 ? one : several}`;
  const { needs, values } = view;
  // What was open before a run is known once it has come to its end.
  const isKnown = needs.span === undefined || values.some(({ value }) => value === undefined);
  return (
    <p class="figures">
      {counted(view.fuel, "call or match test", "calls and match tests")}, {counted(view.steps, "step", "steps")} of the machine, {bytesOf(view.peak_bytes)} of memory used
      {isKnown && (needs.most !== 0 || needs.least > 0) && (
        <>
          ; <Needs needs={needs} isStale={isStale} />
        </>
      )}
      .
      {hasProfile && (
        <>
          {" "}
          <a
            class="plain-link"
            href="#profile"
            onClick={(event) => {
              // The address holds the program.
              event.preventDefault();
              document.getElementById("profile")?.scrollIntoView({ block: "start" });
              document.getElementById("profile")?.focus();
            }}
          >
            What its operators cost
          </a>
        </>
      )}
    </p>
  );
}

/** The memory that the program needs, and where that is decided. */
function Needs({ needs, isStale }: { needs: NeedsView; isStale: boolean }) {
  const { sentence, span, line } = needs;
  if (span === undefined || line === undefined) return <>it {sentence}</>;
  return (
    <>
      it {sentence} in <Place span={span} line={line} isStale={isStale} />
    </>
  );
}

const isEmpty = () => linesOf(state.text.value).length === 0;

/** Of something that has a value. */
const Suggestion = () => <Advice relay="ones(shape=[2, 3]) + 1f" />;

/** That there is an error, before a run says so. */
function FirstError() {
  const found = isFresh.value ? errorLines() : [];
  if (found.length === 0) return null;
  return (
    <p class="figures">
      <ErrorLines found={found} />: {found.length === 1 ? "it is not run, nor is what uses it" : "they are not run, nor is what uses them"}.
    </p>
  );
}

/** Until what nobody could tell, since the compiler was replaced, is asked again; and how often. */
const AGAIN_MS = 500;
const TRIES = 6;

/** What is known of a run before it. */
function Ahead() {
  const isReady = isFresh.value && errorCount.value === 0 && state.engine.value === "ready";
  const revision = state.revision.value;
  useEffect(() => {
    if (!isReady) return;
    let left = TRIES;
    let next: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      left -= 1;
      if ((await lookAhead()) === "unknown" && left > 0 && state.trap.peek() === undefined) next = setTimeout(look, AGAIN_MS);
    };
    void look();
    return () => {
      left = 0;
      clearTimeout(next);
    };
  }, [isReady, revision, state.fused.value]);
  const needs = state.needs.value;
  if (needs?.revision !== revision || !isReady || (needs.view.most === 0 && needs.view.least === 0)) return null;
  return (
    <p class="figures">
      Before a run: <Needs needs={needs.view} isStale={false} />.
    </p>
  );
}

function Measures({ onChange }: { onChange?: () => void }) {
  return (
    <label class="measures" title="Time, bytes and operations of each operator on tensors; a run of many small ones takes longer">
      <input
        type="checkbox"
        checked={state.measures.value}
        onChange={(event) => {
          setMeasures(event.currentTarget.checked);
          if (event.currentTarget.checked) onChange?.();
        }}
      />
      <span>
        Measure<span class="more"> operators</span>
      </span>
    </label>
  );
}

/** A run that is under way. */
function Running() {
  const { start, view } = state.progress.value;
  const now = useSignal(performance.now());
  useEffect(() => {
    const beat = setInterval(() => (now.value = performance.now()), 100);
    return () => clearInterval(beat);
  }, []);
  const isLoading = state.engine.value === "loading";
  const needs = state.needs.value;
  const seconds = Math.max(0, now.value - start) / 1000;
  return (
    <>
      <div class="empty running">
        <p class="working" role="status">
          {isLoading ? "Starting the compiler …" : "Running …"}
        </p>
        {!isLoading && (
          <p class="figures">
            {seconds.toFixed(1)} s
            {view && (
              <>
                , {soFar(view)} so far; now in <Place span={view.span} line={view.line} />
              </>
            )}
          </p>
        )}
        {needs?.revision === state.revision.value && needs.view.most !== 0 && (
          <p class="figures">
            It <NeedsSentence needs={needs.view} />.
          </p>
        )}
        <StopRun />
      </div>
      {view && (
        <div class="run">
          <Values values={view.values} canStep={false} />
          <Profile rows={view.profile} total={undefined} isFresh />
        </div>
      )}
    </>
  );
}

const NeedsSentence = ({ needs }: { needs: NeedsView }) => (
  <>
    {needs.sentence}
    {needs.line !== undefined && ` in line ${needs.line}`}
  </>
);

function Values({ values, canStep }: { values: readonly ValueView[]; canStep: boolean }) {
  const drawn = useSignal(DRAWN);
  return (
    <>
      {values.slice(0, drawn.value).map((value, index) => (
        <Value value={value} index={index} canStep={canStep} />
      ))}
      <More count={Math.max(values.length - drawn.value, 0)} of="value" onMore={() => (drawn.value += DRAWN)} />
    </>
  );
}

interface ValueProps {
  value: ValueView;
  /** Among those of the run. */
  index: number;
  canStep: boolean;
}

/** A run that is under way is told of many times a second, and the values that it has stay as they are. */
const Value = ({ value, index, canStep }: ValueProps) =>
  useMemo(() => <ToldValue value={value} index={index} canStep={canStep} />, [value, index, canStep]);

/** Why the expression at `of` has no value. */
function problemOf(of: SpanView): DiagnosticView | undefined {
  const isOf = ({ span, labels }: DiagnosticView) =>
    (of.start <= span.start && span.end <= of.end) || labels.some(({ span }) => span.start === of.start && span.end === of.end);
  return runDiagnostics.value.find(isOf);
}

function Failure({ problem, isStale }: { problem: DiagnosticView | undefined; isStale: boolean }) {
  if (problem === undefined) return <p class="failed">No value.</p>;
  return (
    <p class="failed">
      No value: <Sentence text={problem.message} /> (<Place span={problem.span} line={problem.line} isStale={isStale} />).
    </p>
  );
}

/** Nobody has given the inputs of a function that a run calls by itself. */
function MadeUp({ name }: { name: string }) {
  const { definitions } = state.checked.value.view;
  const type = definitions.find((definition) => definition.name === name)?.type;
  if (name === "" || type?.startsWith("fn()")) return null;
  return (
    <p class="note">
      What <code>{name}</code> is given is made up: numbers by chance, the same in every run, and small sizes where its type leaves them open.
    </p>
  );
}

/** Of a long value. No name is cut in two, nor broken: a line may end behind each bracket. */
const beginningOf = (value: string) => (/^.{0,79}[,(]/.exec(value)?.[0] ?? value.slice(0, 80)).replaceAll("(", "(\u200b");

function ToldValue({ value: { name, span, line, type, value, truncated, tensor, parts, has_more_parts }, index, canStep }: ValueProps) {
  const problem = value === undefined ? problemOf(span) : undefined;
  return (
    <article class="value">
      <header>
        <button type="button" onClick={() => show(span)}>
          {name === "" ? `line ${line}` : name}
        </button>
        <TypeText text={type} />
        {canStep && problem?.code !== "input-error" && (
          <button type="button" class="button small step" onClick={() => void startStepping(index)}>
            Step through
          </button>
        )}
      </header>
      {value !== undefined && <MadeUp name={name} />}
      {value === undefined ? (
        <Failure problem={problem} isStale={!canStep} />
      ) : tensor ? (
        <TensorPicture name={nameOf(index)} tensor={tensor} text={value} type={type} truncated={truncated} />
      ) : value.length <= LONG ? (
        <ValueText text={value} truncated={truncated} />
      ) : (
        <FoldedText summary={<code>{highlight(`${beginningOf(value)}…`)}</code>} text={value} truncated={truncated} />
      )}
      {parts.map(({ path, tensor }) => (
        <section class="tensor-part">
          <h2>
            <code>{path}</code> {tensor.dtype}
          </h2>
          <TensorPicture name={`${nameOf(index)} ${path}`} tensor={tensor} />
        </section>
      ))}
      {parts.length > 0 && has_more_parts && <p class="note">The first {parts.length} tensors of the value are drawn.</p>}
    </article>
  );
}
