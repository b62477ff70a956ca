// Every definition with the type that was inferred for it, and the type of every top-level expression.
import { useSignal } from "@preact/signals";
import { Component } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { askWhy } from "../action/asking.ts";
import { show } from "../action/navigation.ts";
import { state } from "../state.ts";
import { Advice } from "../view/advice.tsx";
import { TypeText } from "../view/code.tsx";
import { errors, Nothing } from "../view/errorlines.tsx";
import { DRAWN, More } from "../view/more.tsx";

type Part = "definitions" | "expressions";

/** What is said of a type that an error has left unknown. */
const UNKNOWN = "_";
/** Why a type is what it is can be asked where one was inferred, not where one is declared. */
const isAskable = (type: string) => type !== UNKNOWN && !/^(?:(?:extern )?type|node) /.test(type);

interface RowProps {
  part: Part;
  index: number;
  name: string;
  type: string;
  isCurrent: boolean;
}

/** A program has thousands of these, and a key press changes few: a row is drawn again only if it looks different. */
class Row extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const { index, name, type, isCurrent } = this.props;
    return next.index !== index || next.name !== name || next.type !== type || next.isCurrent !== isCurrent;
  }

  override render({ part, index, name, type, isCurrent }: RowProps) {
    // Where it is now; the row may have been drawn for an earlier text.
    const go = () => {
      const target = state.checked.value.view[part][index];
      if (target) show(target.span);
    };
    const ask = () => {
      const target = state.checked.value.view[part][index];
      if (target) askWhy(target.span);
    };
    return (
      <li>
        <button type="button" class="row" aria-current={isCurrent} onClick={go}>
          {part === "definitions" ? <code class="name">{name}</code> : <span class="name">{name}</span>}
          {type === UNKNOWN ? <span class="note">not known, as the problems say</span> : <TypeText text={type} />}
        </button>
        {isAskable(type) && (
          <button type="button" class="why-button" aria-label={`Why? The type of ${name}`} title="Why this type?" onClick={ask}>
            Why?
          </button>
        )}
      </li>
    );
  }
}

export function TypesPanel() {
  const types = useRef<HTMLDivElement>(null);
  const line = state.line.value;
  const { revision, view } = state.checked.value;
  useEffect(() => {
    if (types.current !== null) follow(types.current);
  }, [line, revision]);
  const { definitions, expressions } = view;
  if (definitions.length === 0 && expressions.length === 0) {
    return (
      <Nothing because={errors()}>
        Each definition appears here with the type that was inferred for it. <Advice />
      </Nothing>
    );
  }
  return (
    <div class="types" ref={types}>
      <Rows title="Definitions" part="definitions" rows={definitions} />
      <Rows title="Expressions" part="expressions" rows={expressions} />
    </div>
  );
}

/** Rows that come into view are as high as they are only some frames later. */
const FRAMES = 6;

/** Has what is in the line of the cursor in view; the page stays where it is, and so does a list that somebody points into. */
function follow(types: HTMLElement, frames = FRAMES): void {
  const panel = types.closest(".panel");
  const row = types.querySelector("[aria-current=true]");
  if (panel === null || row === null || panel.matches(":hover")) return;
  const [place, around] = [row.getBoundingClientRect(), panel.getBoundingClientRect()];
  if (place.top < around.top) panel.scrollTop += Math.floor(place.top - around.top);
  else if (place.bottom > around.bottom) panel.scrollTop += Math.ceil(Math.min(place.bottom - around.bottom, place.top - around.top));
  if (frames > 1) requestAnimationFrame(() => follow(types, frames - 1));
}

interface RowsProps {
  title: string;
  part: Part;
  rows: readonly { name?: string; type: string; line: number }[];
}

/** Rows around the cursor are others only when it has gone as far. */
const STRIDE = 100;

function Rows({ title, part, rows }: RowsProps) {
  const chosen = useSignal({ from: 0, to: DRAWN });
  if (rows.length === 0) return null;
  const current = state.line.value;
  const at = rows.findIndex(({ line }) => line === current);
  const { from, to } = at < 0 || (at >= chosen.value.from && at < chosen.value.to) ? chosen.value : around(at);
  const of = part === "definitions" ? "definition" : "expression";
  return (
    <section>
      <h2>{title}</h2>
      <More count={from} of={of} which="above" onMore={() => (chosen.value = { from: Math.max(from - DRAWN, 0), to })} />
      <ul>
        {rows.slice(from, to).map(({ name, type, line }, index) => (
          <Row part={part} index={from + index} name={name ?? `line ${line}`} type={type} isCurrent={line === current} />
        ))}
      </ul>
      <More count={Math.max(rows.length - to, 0)} of={of} onMore={() => (chosen.value = { from, to: to + DRAWN })} />
    </section>
  );
}

function around(at: number): { from: number; to: number } {
  const from = Math.max(at - (at % STRIDE) - STRIDE, 0);
  return { from, to: from + DRAWN };
}
