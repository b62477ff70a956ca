// The program as the machine runs it: after lowering, and before and after each pass.
import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { point } from "../action/navigation.ts";
import { ir } from "../action/queries.ts";
import type { Pass } from "../protocol.ts";
import { state } from "../state.ts";
import { Advice } from "../view/advice.tsx";
import { highlight } from "../view/code.tsx";
import { type Change, diff } from "../view/diff.ts";
import { errors, Nothing } from "../view/errorlines.tsx";
import { INSTRUCTIONS, wordOf } from "../view/instructions.ts";
import { type IrLine, IrLines, type Tables, unfolded } from "../view/irtext.tsx";
import { FusionSwitch } from "../view/fusionswitch.tsx";
import { LayoutPicker } from "../view/layoutpicker.tsx";
import { More } from "../view/more.tsx";
import { useAnswer } from "../view/rested.ts";
import { grouped, plural } from "../view/units.ts";
import { Waiting } from "../view/waiting.tsx";
import type { IrFunctionView, IrLineView, IrView, PassView, SpanView } from "../wasm/relish_wasm.js";

/** As many lines are shown at first, and as many more each time that more are asked for. */
const LINES = 2000;

type Shape = "marked" | "beside";

export function IrPanel() {
  const pass = useSignal<Pass>("last");
  const maxLines = useSignal(LINES);
  const view = useAnswer(
    () => [pass.value, maxLines.value, state.layout.value, state.fused.value] as const,
    ([chosen, limit]) => ir(chosen, limit),
  );
  useSignalEffect(() => () => point(undefined));
  if (view.value === undefined) return <Waiting>The program that the machine runs appears here.</Waiting>;
  return (
    <Program
      view={view.value}
      onPass={(chosen) => (pass.value = chosen === (view.value?.passes.length ?? 0) - 1 ? "last" : chosen)}
      onMore={() => (maxLines.value += LINES)}
    />
  );
}

interface ProgramProps {
  view: IrView;
  onPass: (pass: number) => void;
  onMore: () => void;
}

function Program({ view, onPass, onMore }: ProgramProps) {
  const shape = useSignal<Shape>("marked");
  const withLibrary = useSignal(false);
  const spans = useComputed(() => litSpans(view));
  const isLit = (span: SpanView) => spans.value.has(`${span.start} ${span.end}`);
  const { passes, after } = view;
  const changes = compare(view.before, after, view.pass > 0);
  const own = changes.filter(({ isLibrary }) => !isLibrary);
  const library = changes.filter(({ isLibrary }) => isLibrary);
  const current = passes[view.pass];
  if (after.length === 0) {
    return (
      <div class="ir">
        <Diagnostics view={view} />
        <Nothing because={errors()}>
          {state.checked.value.view.definitions.length > 0
            ? "There is nothing to run yet: a definition for all types has no code until it is called, or until its types are written."
            : "There is nothing to run yet: give the program a definition or an expression."}{" "}
          <Advice />
        </Nothing>
      </div>
    );
  }
  const functions = (list: readonly FunctionChanges[]) =>
    list.map((one) => (
      <FunctionText one={one} isOpen={!one.isLibrary && one.lines.length > 0} shape={shape.value} tables={view} isLit={isLit} withMarks={view.pass > 0} />
    ));
  return (
    <div class="ir">
      <header class="toolbar">
        <LayoutPicker />
        <FusionSwitch />
        <label class="picker">
          <span>Show</span>
          <select value={shape.value} onChange={(event) => (shape.value = event.currentTarget.value as Shape)}>
            <option value="marked">changes marked</option>
            <option value="beside">before and after</option>
          </select>
        </label>
      </header>
      <Diagnostics view={view} />
      <h2 id="passes">Passes</h2>
      <Passes passes={passes} current={view.pass} onPass={onPass} />
      <h2>
        {view.pass === 0 ? "The program as it comes from the text" : <>What the pass <code>{current?.name}</code> changes</>}
      </h2>
      {view.pass > 0 && current?.is_changed === false && <p class="note">{isLeftOut(current) ? "Nothing: operators are not fused now." : "Nothing: the program was like this already."}</p>}
      {functions(own)}
      {library.length > 0 && (
        <label class="check">
          <input type="checkbox" checked={withLibrary.value} onChange={(event) => (withLibrary.value = event.currentTarget.checked)} />
          <span>
            with the {library.length === 1 ? "function" : `${library.length} functions`} of the library that it uses
          </span>
        </label>
      )}
      {withLibrary.value && functions(library)}
      <More count={view.n_more} of="line" onMore={onMore} />
      <Legend view={view} />
    </div>
  );
}

function Diagnostics({ view }: { view: IrView }) {
  if (view.diagnostics.length === 0) return null;
  return (
    <ul class="refusals">
      {view.diagnostics.map(({ line, message }) => (
        <li>
          line {line}: {message}
        </li>
      ))}
    </ul>
  );
}

/** Of those that cover the cursor, the narrowest; or those in the selection. */
function litSpans(view: IrView): Set<string> {
  const { start, end } = state.selection.value;
  const spans = view.after.flatMap(({ lines }) => lines.flatMap(({ span }) => (span === undefined ? [] : [span])));
  const size = (span: SpanView) => span.end - span.start;
  let found = spans.filter((span) => (start === end ? span.start <= start && start <= span.end : start <= span.start && span.end <= end));
  if (start === end || found.length === 0) {
    found = found.length > 0 ? found : spans.filter((span) => span.start <= start && end <= span.end);
    const least = Math.min(...found.map(size));
    found = found.filter((span) => size(span) === least);
  }
  return new Set(found.map(({ start, end }) => `${start} ${end}`));
}

interface FunctionChanges {
  name: string;
  line: number | undefined;
  isLibrary: boolean;
  isCut: boolean;
  isChanged: boolean;
  before: number | undefined;
  after: number | undefined;
  lines: Change<IrLineView>[];
}

/** Functions before and after, those of the same name together; what is gone stands behind. */
function compare(before: readonly IrFunctionView[], after: readonly IrFunctionView[], hasBefore: boolean): FunctionChanges[] {
  const waiting = new Map<string, IrFunctionView[]>();
  for (const one of before) waiting.set(one.name, [...(waiting.get(one.name) ?? []), one]);
  const pair = (old: IrFunctionView | undefined, now: IrFunctionView | undefined): FunctionChanges => {
    const lines = hasBefore ? diff(old?.lines ?? [], now?.lines ?? []) : (now?.lines ?? []).map((line): Change<IrLineView> => ({ mark: " ", line }));
    // What stands behind a cut is not known to be gone.
    const isCut = [old, now].some((one) => one?.is_cut);
    while (isCut && lines.at(-1)?.mark === "-") lines.pop();
    return {
      name: (now ?? old)?.name ?? "",
      line: (now ?? old)?.line,
      isLibrary: (now ?? old)?.is_library ?? false,
      isCut,
      isChanged: lines.some(({ mark }) => mark !== " "),
      before: old?.n_instrs,
      after: now?.n_instrs,
      lines,
    };
  };
  const pairs = after.map((now) => pair(waiting.get(now.name)?.shift(), now));
  const gone = [...waiting.values()].flat().map((old) => pair(old, undefined));
  return [...pairs, ...gone];
}

/** Whether the switch has it off. */
const isLeftOut = ({ name }: PassView) => name === "fuse" && state.fused.value === "off";

/** The passes with their instructions; those that changed nothing are one line, but for one that is looked at. */
function Passes({ passes, current, onPass }: { passes: readonly PassView[]; current: number; onPass: (pass: number) => void }) {
  const most = Math.max(...passes.map(({ n_instrs }) => n_instrs), 1);
  const idle = [...passes.entries()].filter(([index, { is_changed }]) => !is_changed && index !== current);
  const more = passes[current]?.is_changed === false ? "more " : "";
  const differences = passes.map(({ n_instrs }, index) => n_instrs - (passes[index - 1]?.n_instrs ?? n_instrs));
  const signed = (difference: number) => (difference === 0 ? "" : `${difference > 0 ? "+" : "−"}${grouped(Math.abs(difference))}`);
  const widest = (texts: readonly string[]) => `${Math.max(...texts.map((text) => text.length), 0)}ch`;
  const widths = { "--totals": widest(passes.map(({ n_instrs }) => grouped(n_instrs))), "--differences": widest(differences.map(signed)) };
  const row = (pass: PassView, index: number) => {
    const difference = differences[index] ?? 0;
    return (
      <li>
        <button type="button" aria-current={index === current ? "true" : undefined} onClick={() => onPass(index)}>
          <code class="name">{pass.name}</code>
          <span class="amount" title={`${plural(pass.n_instrs, "instruction")} in ${pass.n_functions} functions`}>
            <span class="total">
              {grouped(pass.n_instrs)}
              <span class="unseen"> instructions</span>
            </span>
            <span class={difference > 0 ? "more" : "less"}>{signed(difference)}</span>
            <span class="track" aria-hidden="true">
              <span style={{ width: `${(100 * pass.n_instrs) / most}%` }} />
            </span>
          </span>
          <span class="about">
            {!pass.is_changed && (isLeftOut(pass) ? "Left out: " : "Changed nothing: ")}
            {pass.about}
          </span>
        </button>
      </li>
    );
  };
  const listed = (some: readonly [number, PassView][], head: (count: number) => string) =>
    some.length > 0 && [
      head(some.length),
      ...some.map(([index, { name, about }], at) => (
        <>
          {at > 0 && " "}
          <span class="of-list">
            <button type="button" class="link" title={about} onClick={() => onPass(index)}>
              {name}
            </button>
            {at < some.length - 1 ? "," : "."}
          </span>
        </>
      )),
    ];
  return (
    <>
      <p class="passes-head" aria-hidden="true">
        <span>instructions, and the difference</span>
      </p>
      <ol class="passes" aria-labelledby="passes" style={widths}>
        {[...passes.entries()].map(([index, pass]) => (pass.is_changed || index === current ? row(pass, index) : null))}
      </ol>
      {idle.length > 0 && (
        <p class="note idle">
          {listed(idle.filter(([, pass]) => !isLeftOut(pass)), (n) => `${n === 1 ? `One ${more}pass` : `${n} ${more}passes`} changed nothing: `)}
          {listed(idle.filter(([, pass]) => isLeftOut(pass)), () => " Left out: ")}
        </p>
      )}
    </>
  );
}

interface FunctionProps {
  one: FunctionChanges;
  isOpen: boolean;
  shape: Shape;
  tables: Tables;
  isLit: (span: SpanView) => boolean;
  withMarks: boolean;
}

function FunctionText({ one, isOpen, shape, tables, isLit, withMarks }: FunctionProps) {
  const { name, line, before, after, lines, isChanged, isCut } = one;
  const where = name === "fn" && line !== undefined ? ` on line ${line}` : "";
  const title = name === "" ? "top-level variables" : `${name}${where}`;
  const size = after === undefined ? "left out" : before === undefined && withMarks ? "new" : before !== undefined && before !== after ? `${before} → ${after}` : String(after);
  const text = (side: readonly IrLine[], label: string) => <IrLines lines={side} label={label} tables={tables} isLit={isLit} />;
  const flat = lines.map(({ mark, line }): IrLine => ({ ...line, ...(withMarks ? { mark } : {}) }));
  return (
    <details class="function" open={isOpen}>
      <summary>
        <span class="title">
          {name === "" ? title : <code>{highlight(name)}</code>}
          {where}
        </span>
        <span class={isChanged && withMarks ? "size changed" : "size"}>
          {isCut && lines.length === 0 ? "not shown" : size}
          {!(isCut && lines.length === 0) && /\d$/.test(size) && " instructions"}
        </span>
      </summary>
      {shape === "marked" || !withMarks ? (
        text(flat, `Program of ${title}`)
      ) : (
        <div class="beside">
          {text(sideOf(lines, "-"), `${title} before the pass`)}
          {text(sideOf(lines, "+"), `${title} after the pass`)}
        </div>
      )}
    </details>
  );
}

/** Operators that run as one each beside what they were. */
const inLines = (line: IrLineView, mark: " " | "-" | "+") => unfolded(line.text).split("\n").map((text): IrLine => ({ ...line, text, mark }));

/** One side of a comparison, with empty lines where only the other side has any. */
function sideOf(lines: readonly Change<IrLineView>[], own: "-" | "+"): IrLine[] {
  const out: IrLine[] = [];
  let at = 0;
  while (at < lines.length) {
    const runs: Record<"-" | "+", IrLine[]> = { "-": [], "+": [] };
    for (let change = lines[at]; change !== undefined && change.mark !== " "; change = lines[at]) {
      runs[change.mark].push(...inLines(change.line, change.mark));
      at += 1;
    }
    const height = Math.max(runs["-"].length, runs["+"].length);
    out.push(...runs[own], ...Array.from({ length: height - runs[own].length }, (): IrLine => ({ text: "", span: undefined, mark: " " })));
    const same = lines[at];
    if (same !== undefined) out.push(...inLines(same.line, " "));
    at += 1;
  }
  return out;
}

/** The instruction words and the layouts, for who does not hover. */
function Legend({ view }: { view: IrView }) {
  const used = new Set(view.after.flatMap(({ lines }) => lines.flatMap(({ text }) => wordOf(text) ?? [])));
  const mentioned = new Set(view.after.flatMap(({ lines }) => lines.flatMap(({ text }) => text.match(/\b[lk]\d+\b/g) ?? [])));
  const table = (letter: "l" | "k", entries: readonly string[]) =>
    [...entries.entries()].filter(([index]) => mentioned.has(`${letter}${index}`)).map(([index, text]) => [`${letter}${index}`, text] as const);
  const rows = (entries: readonly (readonly [string, string])[]) => (
    <dl class="words">
      {entries.map(([name, text]) => (
        <div>
          <dt>
            <code>{name}</code>
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
  const layouts = [...table("l", view.layouts), ...table("k", view.constants)];
  return (
    <>
      <details class="legend-of">
        <summary>Layouts and constants</summary>
        {rows(layouts)}
      </details>
      <details class="legend-of">
        <summary>What the instructions do</summary>
        {rows([...used].sort().map((word) => [word, INSTRUCTIONS[word] ?? ""] as const))}
      </details>
    </>
  );
}
