// A run step by step: the controls, the instruction, the frames and the heap.
import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { point } from "../action/navigation.ts";
import { endStepping, halt, hex, move, pause, play, runToCursor, seek, stepWithLayout } from "../action/stepping.ts";
import type { StepMove } from "../protocol.ts";
import { state, type Stepping } from "../state.ts";
import type { FrameView, StepView, VariableView } from "../wasm/relish_wasm.js";
import { highlight, TypeText } from "./code.tsx";
import { Heap, Pointer } from "./heap.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { IrLines, irTokens } from "./irtext.tsx";
import { freeKey, type Keyed, shortcutsOf, withKeys } from "./keys.ts";
import { LayoutPicker } from "./layoutpicker.tsx";
import { Sentence } from "./markdown.tsx";
import { tabPanelId } from "./tabs.tsx";
import { ToLine } from "./toline.tsx";

interface Control extends Keyed {
  title: string;
  icon: IconName;
  act: () => void;
  /** Whether it leads back, or on. */
  way: "back" | "on";
}

const go = (to: StepMove) => () => {
  pause();
  void move(to);
};

const CONTROLS: readonly Control[] = [
  { title: "To the first step", icon: "first", keys: ["Home", "f"], shown: "Home", way: "back", act: go({ to: "step", step: 0 }) },
  { title: "One step back", icon: "back", keys: ["ArrowLeft", "b"], shown: "←", way: "back", act: go({ to: "back" }) },
  { title: "Play", icon: "run", keys: [" ", "p"], shown: "Space", way: "on", act: () => (state.playing.peek() ? pause() : play()) },
  { title: "One step on, into calls", icon: "into", keys: ["ArrowRight", "i"], shown: "→", way: "on", act: go({ to: "into" }) },
  { title: "Over the call", icon: "over", keys: ["o"], shown: "O", way: "on", act: go({ to: "over" }) },
  { title: "Out of this function", icon: "out", keys: ["u"], shown: "U", way: "on", act: go({ to: "out" }) },
  { title: "To the end", icon: "last", keys: ["End", "l"], shown: "End", way: "on", act: go({ to: "last" }) },
];

export function Stepper({ stepping }: { stepping: Stepping }) {
  const { view, before, said, ran } = stepping;
  const lit = useSignal<number | undefined>(undefined);
  const place = useRef<HTMLElement>(null);
  // What was pointed at goes with the run.
  useSignalEffect(() => () => point(undefined));
  // Whoever begins by key goes on by key, as soon as it is seen; it is seen from its top, wherever the value was that it began with.
  useLayoutEffect(() => {
    place.current?.focus({ preventScroll: true });
    document.getElementById(tabPanelId("run"))?.scrollTo(0, 0);
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const key = freeKey(event);
    if (key === undefined) return;
    if (key === "Escape") return endStepping();
    const control = CONTROLS.find(({ keys }) => keys.includes(key));
    if (control === undefined) return;
    event.preventDefault();
    control.act();
  };
  return (
    <section class="stepper" aria-label="Step through" tabIndex={-1} ref={place} onKeyDown={onKeyDown}>
      <Transport view={view} />
      <p class="said" role="status">
        {/* The sentence names the operators that run as one. */}
        {ran !== undefined && <code>{irTokens(ran.replace(/\{ s.*\}/, "{ … }"))}</code>}{" "}
        <span class={view.status === "failed" ? "failed" : ""}>
          <Sentence text={said} />
        </span>
      </p>
      {view.value !== undefined && (
        <p class="comes-to">
          Value: <code>{highlight(view.value)}</code>
        </p>
      )}
      <Code view={view} />
      <h2>{view.frames.length === 1 ? "Frame" : `Frames, the innermost first`}</h2>
      {view.frames.length === 0 && <p class="note">No call is under way.</p>}
      <ol class="frames">
        {view.frames.map((frame, index) => (
          <Frame frame={frame} isInner={index === 0} old={before === undefined ? undefined : sameFrame(before, view, index)} lit={lit} />
        ))}
      </ol>
      {view.globals.length > 0 && <Globals now={view.globals} before={before?.globals} lit={lit} />}
      {view.n_more_frames > 0 && <p class="note">{view.n_more_frames.toLocaleString("en")} more frames are below these.</p>}
      <h2>
        Heap{" "}
        <span class="figures">
          {view.live_bytes.toLocaleString("en")} bytes are in use with the frames, at most {view.peak_bytes.toLocaleString("en")} so far
        </span>
      </h2>
      <Heap blocks={view.blocks} before={before?.blocks} isWhole={view.n_more_blocks === 0 && before?.n_more_blocks === 0} nMore={view.n_more_blocks} lit={lit} />
    </section>
  );
}

function Transport({ view }: { view: StepView }) {
  const isPlaying = state.playing.value;
  const isFirst = view.step === 0;
  const isEnd = view.status !== "running";
  const known = Math.max(view.known, view.step);
  const whereAt = (step: number) => `Step ${step.toLocaleString("en")} of ${view.is_whole ? "" : "at least "}${known.toLocaleString("en")}`;
  const where = whereAt(view.step);
  return (
    <div class="transport">
      <div class="toolbar">
        <div class="controls" role="toolbar" aria-label="Steps">
          {CONTROLS.map((control) => {
            const { title, icon, way, act } = control;
            const isPause = icon === "run" && isPlaying;
            const text = isPause ? "Pause" : title;
            return (
              <button
                type="button"
                class="plain"
                aria-label={text}
                aria-keyshortcuts={shortcutsOf(control)}
                title={withKeys(text, control)}
                // The focus stays where it is when the end is reached.
                aria-disabled={way === "back" ? isFirst : isEnd}
                onClick={act}
              >
                <Icon name={isPause ? "pause" : icon} />
              </button>
            );
          })}
        </div>
        <LayoutPicker onChange={(layout) => void stepWithLayout(layout)} />
        <button type="button" class="button small" title="On to the line of the editor's cursor" onClick={() => void runToCursor()}>
          To cursor
        </button>
        <button type="button" class="plain end" aria-label="Back to the values" title="Back to the values (Escape)" onClick={endStepping}>
          <Icon name="close" />
        </button>
      </div>
      <label class="time">
        <span class="unseen">Time</span>
        <input
          type="range"
          min={0}
          max={known}
          step={1}
          value={view.step}
          aria-valuetext={where}
          onInput={(event) => {
            pause();
            void seek(Number(event.currentTarget.value));
          }}
        />
        {/* The slider keeps its width on the way. */}
        <span class="where" style={{ minWidth: `${whereAt(known).length}ch` }}>
          {where}
        </span>
      </label>
      {state.seeking.value && (
        <p class="seeking">
          <span class="working">On the way …</span>
          <button type="button" class="button small" onClick={halt}>
            Stop here
          </button>
        </p>
      )}
    </div>
  );
}

/** As much of the source of an instruction is shown beside it. */
const SOURCE = 60;

function Code({ view }: { view: StepView }) {
  const { lines, current, n_above, n_below, function: name, span } = view;
  if (lines.length === 0) return null;
  const text = state.text.value;
  const source = span === undefined ? "" : text.slice(span.start, span.end).replace(/\s+/g, " ");
  const line = span === undefined ? 0 : text.slice(0, span.start).split("\n").length;
  return (
    <div class="function here">
      <p class="function-name">
        <code>{highlight(nameAt(name, line))}</code>
        <ToLine line={line} span={span} />
        <code class="source">{highlight(source.length <= SOURCE ? source : `${source.slice(0, SOURCE - 1)}…`)}</code>
        {n_above + n_below > 0 && <span class="size">{(n_above + n_below).toLocaleString("en")} more lines</span>}
      </p>
      <IrLines lines={lines} current={current} label={`Program of ${name}`} />
    </div>
  );
}

/** A function without a name is called by its line, which stands behind it already where the run is in that line. */
const nameAt = (name: string, line: number | undefined) => (name === `fn on line ${line}` ? "fn" : name);

/** The frame before that was as deep as this one, if it is of the same function. */
function sameFrame(before: StepView, now: StepView, index: number): FrameView | undefined {
  const depth = now.frames.length + now.n_more_frames - index;
  const old = before.frames[before.frames.length + before.n_more_frames - depth];
  return old?.function === now.frames[index]?.function ? old : undefined;
}

interface GlobalsProps {
  now: readonly VariableView[];
  before: readonly VariableView[] | undefined;
  lit: Signal<number | undefined>;
}

function Globals({ now, before, lit }: GlobalsProps) {
  const was = new Map(before?.map((one) => [one.name, one]));
  return (
    <section class="frame" aria-label="Top-level variables">
      <header>Top-level variables</header>
      <dl>
        {now.map((variable) => (
          <Variable variable={variable} isNew={before !== undefined && was.get(variable.name)?.bits !== variable.bits} lit={lit} />
        ))}
      </dl>
    </section>
  );
}

interface FrameProps {
  frame: FrameView;
  isInner: boolean;
  old: FrameView | undefined;
  lit: Signal<number | undefined>;
}

function Frame({ frame, isInner, old, lit }: FrameProps) {
  const { function: name, line, span, variables, n_more } = frame;
  const was = new Map(old?.variables.map((one) => [one.name, one]));
  return (
    <li class={isInner ? "frame inner" : "frame"}>
      <header>
        <code>{highlight(nameAt(name, line))}</code>
        {line !== undefined && <ToLine line={line} span={span} />}
      </header>
      {variables.length === 0 ? (
        <p class="note">No variables yet.</p>
      ) : (
        <dl>
          {variables.map((variable) => (
            <Variable variable={variable} isNew={old !== undefined && was.get(variable.name)?.bits !== variable.bits} lit={lit} />
          ))}
        </dl>
      )}
      {n_more > 0 && <p class="note">and {n_more} more</p>}
    </li>
  );
}

function Variable({ variable, isNew, lit }: { variable: VariableView; isNew: boolean; lit: Signal<number | undefined> }) {
  const { name, type, value, bits, pointers } = variable;
  return (
    <div class={isNew ? "variable changed" : "variable"}>
      <dt>
        <code>{highlight(name)}</code>
        {isNew && <span class="unseen"> changed</span>}
      </dt>
      <dd>
        {/* The button of a pointer says as much. */}
        {!(pointers.length === 1 && value === `→${hex(pointers[0] ?? 0)}`) && (
          <code title={bits === "" ? "takes no bits" : `bits 0x${bits}`}>{highlight(value)}</code>
        )}
        {pointers.map((to) => (
          <Pointer to={to} lit={lit} />
        ))}
        {type !== "" && <TypeText text={type} />}
      </dd>
    </div>
  );
}
