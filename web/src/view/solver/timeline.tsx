// The steps of the solver as a line in time: where one stands, what kind of step each is, and the ways to go on it.
import { computed } from "@preact/signals";
import type { ComponentChild } from "preact";
import {
  deciding,
  lastStop,
  moveBy,
  moveToEnd,
  moveToPosition,
  nextFailure,
  nextTouching,
  pauseSolver,
  playSolver,
  positionOf,
  stopNow,
  visible,
} from "../../action/solving.ts";
import { state } from "../../state.ts";
import type { TraceView } from "../../wasm/relish_wasm.js";
import { Icon, type IconName } from "../icon.tsx";
import { freeKey, type Keyed, shortcutsOf, withKeys } from "../keys.ts";
import { grouped } from "../units.ts";

interface Control extends Keyed {
  title: string;
  icon: IconName;
  way: "back" | "on";
  act: () => void;
}

const CONTROLS: readonly Control[] = [
  { title: "To the first step", icon: "first", keys: ["Home", "f"], shown: "Home", way: "back", act: () => moveToPosition(0) },
  { title: "One step back", icon: "back", keys: ["ArrowLeft", "b"], shown: "←", way: "back", act: () => moveBy(-1) },
  { title: "Play", icon: "run", keys: [" ", "p"], shown: "Space", way: "on", act: () => (state.solverPlaying.peek() ? pauseSolver() : playSolver()) },
  { title: "One step on", icon: "forward", keys: ["ArrowRight", "i"], shown: "→", way: "on", act: () => moveBy(1) },
  { title: "To the last step", icon: "last", keys: ["End", "l"], shown: "End", way: "on", act: moveToEnd },
];

const JUMPS: readonly { title: string; about: string; key: string; act: () => void; isFor: (trace: TraceView) => boolean }[] = [
  { title: "Failure", about: "Failure: on to the next step that failed", key: "n", act: nextFailure, isFor: ({ failures }) => failures.length > 0 },
  { title: "At cursor", about: "At cursor: on to the next step that tells something about the type at the cursor", key: "t", act: () => void nextTouching(), isFor: () => true },
  { title: "Decided here", about: "Decided here: to the step that decided the type at the cursor", key: "d", act: () => void deciding(), isFor: () => true },
];

export function onTimelineKey(event: KeyboardEvent): void {
  const key = freeKey(event);
  if (key === undefined) return;
  const act = CONTROLS.find(({ keys }) => keys.includes(key))?.act ?? JUMPS.find((jump) => jump.key === key)?.act;
  if (act === undefined) return;
  event.preventDefault();
  act();
}

export function Timeline({ trace }: { trace: TraceView }) {
  return (
    <div class="transport">
      <div class="toolbar">
        <Controls />
        <div class="jumps" role="toolbar" aria-label="Jumps">
          {JUMPS.map(({ title, about, key, act, isFor }) => (
            <button
              type="button"
              class="button small"
              aria-label={about}
              aria-keyshortcuts={key.toUpperCase()}
              title={`${about} (${key.toUpperCase()})`}
              aria-disabled={!isFor(trace)}
              onClick={act}
            >
              {title}
            </button>
          ))}
        </div>
      </div>
      <Slider trace={trace} />
    </div>
  );
}

function Controls() {
  const isPlaying = state.solverPlaying.value;
  const at = stopNow.value;
  const stops = visible.value;
  const isFirst = at <= (stops[0] ?? 0);
  const isLast = at >= (stops.at(-1) ?? 0);
  return (
    <div class="controls" role="toolbar" aria-label="Steps">
      {CONTROLS.map((control) => {
        const { title, icon, way, act } = control;
        const isPlay = icon === "run";
        const text = isPlay && isPlaying ? "Pause" : title;
        return (
          <button
            type="button"
            class="plain"
            aria-label={text}
            aria-keyshortcuts={shortcutsOf(control)}
            title={withKeys(text, control)}
            // The focus stays where it is when an end is reached.
            aria-disabled={isPlay ? undefined : way === "back" ? isFirst : isLast}
            onClick={act}
          >
            <Icon name={isPlay && isPlaying ? "pause" : icon} />
          </button>
        );
      })}
    </div>
  );
}

/** The letters of stops in words. */
const KINDS: Readonly<Record<string, string>> = {
  b: "the beginning",
  p: "relations were posted",
  s: "a relation was solved",
  w: "a relation waits",
  f: "a relation failed",
  q: "a group was generalised",
};

const legend = computed<ComponentChild>(() => {
  const stops = state.trace.value?.view.stops ?? "";
  const shown = visible.value;
  const counts = new Map<string, number>();
  for (const stop of shown) counts.set(stops[stop] ?? "", (counts.get(stops[stop] ?? "") ?? 0) + 1);
  const words: readonly [string, string][] = [["p", "posted"], ["s", "solved"], ["w", "waiting"], ["f", "failed"], ["q", "generalised"]];
  const hidden = stops.length - shown.length;
  return (
    <p class="stop-legend">
      {words.map(([letter, word]) => {
        const count = counts.get(letter) ?? 0;
        return count === 0 ? null : (
          <span>
            <span class={`stop-mark of-${letter}`} aria-hidden="true" />
            {grouped(count)} <span class="word">{word}</span>
          </span>
        );
      })}
      {hidden > 0 && (
        <span>
          {grouped(hidden)} left out{" "}
          <button type="button" class="link" onClick={() => (state.stepFilter.value = { hidesEquations: false, function: undefined, relation: undefined })}>
            show all
          </button>
        </span>
      )}
    </p>
  );
});

function Slider({ trace }: { trace: TraceView }) {
  const stops = visible.value;
  const stop = stopNow.value;
  const at = positionOf(stops, stop);
  const last = grouped(lastStop(trace));
  const where = `Step ${grouped(stop)} of ${last}`;
  return (
    <>
      <div class="stop-line">
        {strip.value}
        <label class="time">
          <span class="unseen">Time</span>
          <input
            type="range"
            min={0}
            max={stops.length - 1}
            step={1}
            value={at}
            aria-valuetext={`${where}: ${KINDS[trace.stops[stop] ?? ""] ?? ""}`}
            onInput={(event) => moveToPosition(Number(event.currentTarget.value))}
          />
        </label>
        {/* The slider keeps its width at every step. */}
        <span class="where" style={{ minWidth: `${`Step ${last} of ${last}`.length}ch` }}>
          {where}
        </span>
      </div>
      <div class="stop-foot">
        {legend.value}
        <Filters trace={trace} />
      </div>
    </>
  );
}

/** As many columns are drawn. The kinds of the stops in one have their shares of it, from below; a failure has all of it. */
const COLUMNS = 480;
const FROM_BELOW = "bpwsq";
/** How high each kind stands, of 12. */
const HEIGHTS: Readonly<Record<string, number>> = { f: 12, q: 10, w: 5, s: 8, p: 3, b: 2 };

/** The kinds of the stops in a row, above the slider; a path for each kind, so that ten thousand cost no more than ten. */
const strip = computed<ComponentChild>(() => {
  const letters = state.trace.value?.view.stops ?? "";
  const stops = visible.value;
  const columns = Math.min(stops.length, COLUMNS);
  const paths = new Map<string, string>();
  const width = 1000 / columns;
  for (let column = 0; column < columns; column += 1) {
    const [from, to] = [Math.floor((column * stops.length) / columns), Math.floor(((column + 1) * stops.length) / columns)];
    const kinds = Array.from(stops.slice(from, to), (stop) => letters[stop] ?? "b");
    const [x, gap] = [column * width, width > 6 ? 1 : 0];
    let y = 12;
    for (const letter of kinds.includes("f") ? "f" : FROM_BELOW) {
      const share = letter === "f" ? 1 : kinds.filter((kind) => kind === letter).length / kinds.length;
      if (share === 0) continue;
      const height = (HEIGHTS[letter] ?? 2) * share;
      y -= height;
      paths.set(letter, `${paths.get(letter) ?? ""}M${x.toFixed(1)} ${y.toFixed(2)}h${(width - gap).toFixed(2)}v${height.toFixed(2)}h${(gap - width).toFixed(2)}z`);
    }
  }
  return (
    <svg class="strip" viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true">
      {[...paths].map(([letter, path]) => (
        <path class={`of-${letter}`} d={path} />
      ))}
    </svg>
  );
});

const ANY = "";

function Filters({ trace }: { trace: TraceView }) {
  const filter = state.stepFilter.value;
  const set = (next: Partial<typeof filter>) => {
    state.stepFilter.value = { ...filter, ...next };
  };
  const isOn = filter.hidesEquations || filter.function !== undefined || filter.relation !== undefined;
  const here = trace.functions[trace.stop_functions[stopNow.peek()] ?? -1]?.name;
  return (
    <details
      class="filters"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !event.currentTarget.open) return;
        event.currentTarget.open = false;
        event.currentTarget.querySelector("summary")?.focus();
        event.preventDefault();
      }}
      onFocusOut={(event) => {
        const { currentTarget, relatedTarget } = event;
        if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) currentTarget.open = false;
      }}
    >
      <summary class={isOn ? "on" : ""}>Filter{isOn && <span class="unseen"> (on)</span>}</summary>
      <div class="choices">
        <label class="check">
          <input type="checkbox" checked={filter.hidesEquations} onChange={(event) => set({ hidesEquations: event.currentTarget.checked })} />
          <span>Hide plain unifications</span>
        </label>
        <label class="picker">
          <span>Function</span>
          <select aria-label="Function: only this one" value={filter.function ?? ANY} onChange={({ currentTarget: { value } }) => set({ function: value === ANY ? undefined : value })}>
            <option value={ANY}>all functions</option>
            {here !== undefined && <option value={here}>{here} (here)</option>}
            {functionOptions.value}
          </select>
        </label>
        <label class="picker">
          <span>Relation</span>
          <select aria-label="Relation: only this one" value={filter.relation ?? ANY} onChange={({ currentTarget: { value } }) => set({ relation: value === ANY ? undefined : value })}>
            <option value={ANY}>all relations</option>
            {trace.relations.map((name) => (
              <option value={name}>{name}</option>
            ))}
          </select>
        </label>
      </div>
    </details>
  );
}

/** Made once for a trace: there may be thousands. */
const functionOptions = computed<ComponentChild>(() =>
  (state.trace.value?.view.functions ?? []).map(({ name }) => <option value={name}>{name}</option>),
);
