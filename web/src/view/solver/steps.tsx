// The solver at one stop: what the step did, the relations in the queue and those that wait, and the classes.
import { useSignal } from "@preact/signals";
import { Component, type ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { askWhyNot } from "../../action/asking.ts";
import { copyText } from "../../action/clipboard.ts";
import { litAmong } from "../../action/solving.ts";
import { state } from "../../state.ts";
import type { ChangeView, RelationView, SolverView } from "../../wasm/relish_wasm.js";
import { highlight, TypeText } from "../code.tsx";
import { Icon } from "../icon.tsx";
import { Sentence } from "../markdown.tsx";
import { More } from "../more.tsx";
import { ToLine } from "../toline.tsx";
import { grouped } from "../units.ts";
import { Classes } from "./classes.tsx";
import { savePicture, saveTrace } from "./export.ts";
import { stepPicture } from "./picture.ts";
import { pointedClass, pointing } from "./places.tsx";
import { ruleOf } from "./rule.ts";
import { useInSight } from "./sight.ts";
import { Takeaway } from "./takeaway.tsx";
import { stepText } from "./text.ts";

/** What the step did, in a sentence. */
export function Caption() {
  const solver = state.solver.value?.view;
  const trace = state.trace.value?.view;
  // What failed here is a problem that can be asked about.
  const failure = trace?.failures.indexOf(solver?.stop ?? -1) ?? -1;
  const problem = state.checked.value.view.diagnostics[trace?.failure_diagnostics[failure] ?? -1];
  return (
    <div class="said solver-caption" ref={useTallest()}>
      <p role="status">{solver === undefined ? "" : <Sentence text={solver.caption} />}</p>
      {problem !== undefined && (
        <button type="button" class="button small" onClick={() => askWhyNot(problem)}>
          <Icon name="question" />
          <span>Why not?</span>
        </button>
      )}
    </div>
  );
}

/** Three lines of a caption. */
const MOST_EMPTY = 64;

/** As tall as it has been, within reason: what stands below does not jump while the steps go by. */
function useTallest() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    let [width, tallest] = [0, 0];
    const observer = new ResizeObserver(() => {
      if (element.clientWidth !== width) {
        [width, tallest] = [element.clientWidth, 0];
        element.style.minHeight = "";
      } else if (element.clientHeight > tallest) {
        tallest = element.clientHeight;
        element.style.minHeight = `${Math.min(tallest, MOST_EMPTY)}px`;
      }
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return box;
}

export function Steps() {
  const solver = state.solver.value?.view;
  if (solver === undefined) return null;
  const { current, changes, n_more_changes } = solver;
  return (
    <div class="steps">
      {current !== undefined && <Current relation={current} changes={changes} nMore={n_more_changes} />}
      {current === undefined && changes.length > 0 && <Changes changes={changes} nMore={n_more_changes} />}
      <Below />
    </div>
  );
}

/** What stands below the relation that ran: drawn again for each step where it is in sight. */
function Below() {
  const { box, shown } = useInSight();
  const solver = shown.value;
  return (
    <div class="steps" ref={box}>
      {solver !== undefined && <Lists solver={solver} />}
    </div>
  );
}

function Lists({ solver }: { solver: SolverView }) {
  const { queue, waiting, n_more_queued, n_more_waiting, n_solved, n_failed } = solver;
  const isAtCursor = litAmong([...queue, ...waiting].map(({ span }) => span));
  const pointed = pointedClass.value;
  const isLit = ({ span, args }: RelationView) => isAtCursor(span) || (pointed !== undefined && args.includes(pointed));
  const more = () => {
    const part = state.solverPart.value;
    state.solverPart.value = { ...part, nRelations: part.nRelations * 4 };
  };
  return (
    <>
      <section aria-labelledby="queue">
        <h2 id="queue">
          Queue{" "}
          <span class="figures">
            {grouped(queue.length + n_more_queued)} to run, {grouped(n_solved)} solved
            {n_failed > 0 && `, ${grouped(n_failed)} failed`}
          </span>
        </h2>
        {queue.length === 0 ? (
          <p class="note">Nothing is in the queue.</p>
        ) : (
          <ol class="cards">
            {queue.map((relation) => (
              <Card relation={relation} isLit={isLit(relation)} />
            ))}
          </ol>
        )}
        <More count={n_more_queued} of="relation" onMore={more} />
      </section>
      {waiting.length > 0 && (
        <section aria-labelledby="waiting">
          <h2 id="waiting">
            Waiting <span class="figures">{grouped(waiting.length + n_more_waiting)}, until something more is known</span>
          </h2>
          <ol class="cards">
            {waiting.map((relation) => (
              <Card relation={relation} isLit={isLit(relation)} />
            ))}
          </ol>
          <More count={n_more_waiting} of="relation" onMore={more} />
        </section>
      )}
      <Classes solver={solver} />
      <Takeaway
        actions={[
          { title: "Copy as text", icon: "copy", act: () => copyText(stepText(solver, state.text.peek())) },
          { title: "Step as SVG", icon: "download", act: () => savePicture(`step-${solver.stop}.svg`, stepPicture(solver)) },
          { title: "Trace as JSON", icon: "download", act: saveTrace },
        ]}
      />
    </>
  );
}

/** What each state is called on a card. */
const STATES: Readonly<Record<RelationView["state"], string>> = {
  queued: "queued",
  waiting: "waits",
  solved: "solved",
  failed: "failed",
  generalised: "generalised",
};

const Badge = ({ of }: { of: RelationView["state"] }) => <span class={`badge of-${of}`}>{STATES[of]}</span>;

/** Classes by their names; hovering one marks it in the table. */
function Chips({ classes, label }: { classes: readonly number[]; label: string }) {
  if (classes.length === 0) return null;
  return (
    <span class="chips">
      {label}{" "}
      {classes.map((id) => (
        <ClassName id={id} />
      ))}
    </span>
  );
}

function ClassName({ id }: { id: number }) {
  return (
    <code class={pointedClass.value === id ? "class-name lit" : "class-name"} onPointerEnter={() => (pointedClass.value = id)} onPointerLeave={() => (pointedClass.value = undefined)}>
      t{id}
    </code>
  );
}

/** The relation that ran: its rule, what it was given, what it made of it. */
function Current({ relation, changes, nMore }: { relation: RelationView; changes: readonly ChangeView[]; nMore: number }) {
  const { id, name, text, state: how, operator, args, n_inputs, reason, waits, span, line } = relation;
  const rule = relation.rule === "" && operator !== undefined ? ruleOf(operator) : relation.rule;
  return (
    <section class={`current-relation of-${how}`} aria-label="The relation that ran" {...pointing(span)}>
      <header>
        <code class="relation-id">r{id}</code>
        <code class="relation-name">{name}</code>
        <Badge of={how} />
        <ToLine line={line} span={span} />
      </header>
      <p class="relation-text">
        <TypeText text={text} />
      </p>
      <dl>
        {rule !== "" && <Fact name="Rule">{<Sentence text={rule} />}</Fact>}
        {reason !== "" && <Fact name="Ran because">{<Sentence text={reason} />}</Fact>}
        <Fact name="From">
          <Chips classes={args.slice(0, n_inputs)} label="" />
          {args.length > n_inputs && (
            <>
              {" "}
              <span aria-hidden="true">→</span>
              <span class="unseen"> to </span> <Chips classes={args.slice(n_inputs)} label="" />
            </>
          )}
        </Fact>
        {waits.length > 0 && (
          <Fact name="Waits for">
            <Waits waits={waits} />
          </Fact>
        )}
      </dl>
      {changes.length > 0 ? <Changes changes={changes} nMore={nMore} /> : <p class="note">{how === "solved" ? "It holds, and taught nothing new." : how === "waiting" ? "It could conclude nothing yet." : ""}</p>}
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What waits are for may be many variables; this many are named. */
const NAMED = 6;

function Waits({ waits }: { waits: readonly string[] }) {
  return (
    <span class="waits">
      {waits.slice(0, NAMED).map((one, index) => (
        <>
          {index > 0 && ", "}
          <Sentence text={one} />
        </>
      ))}
      {waits.length > NAMED && ` and ${waits.length - NAMED} more`}
    </span>
  );
}

/** More changes than this are shown when they are asked for. */
const FEW_CHANGES = 8;

function Changes({ changes, nMore }: { changes: readonly ChangeView[]; nMore: number }) {
  const isWhole = useSignal(false);
  const shown = isWhole.value ? changes : changes.slice(0, FEW_CHANGES);
  return (
    <div class="changes">
      <h2>What is known now that was not before</h2>
      <ul>
        {shown.map(({ class: id, was, of, before, after, span, joined }) => (
          <li {...pointing(span)}>
            <span class="of">
              <ClassName id={id} /> {of !== "" && <code>{highlight(of)}</code>}
            </span>
            <span class="before-after">
              {before !== after && (
                <>
                  <code class="before">{before === "" ? "unknown" : highlight(before)}</code>
                  <span aria-hidden="true"> → </span>
                  <span class="unseen">becomes </span>
                </>
              )}
              <code class="after">{highlight(after)}</code>
              {joined !== undefined && (
                <span class="joined">
                  {/* The class has the number of one of them now. */}
                  joined with <ClassName id={joined === id ? was : joined} />
                </span>
              )}
            </span>
            <ToLine line={undefined} span={span} />
          </li>
        ))}
      </ul>
      <More count={changes.length - shown.length} onMore={() => (isWhole.value = true)} />
      {nMore > 0 && changes.length === shown.length && <p class="note">and {nMore.toLocaleString("en")} classes that follow from these</p>}
    </div>
  );
}

interface CardProps {
  relation: RelationView;
  isLit: boolean;
}

/** A step changes few of the cards: one is drawn again only if it looks different. */
class Card extends Component<CardProps> {
  override shouldComponentUpdate({ relation: next, isLit }: CardProps): boolean {
    const { relation: now } = this.props;
    const isSame = next.id === now.id && next.text === now.text && next.state === now.state && next.reason === now.reason;
    return !(isSame && isLit === this.props.isLit && next.waits.join() === now.waits.join());
  }

  override render({ relation, isLit }: CardProps) {
    return drawn(relation, isLit);
  }
}

function drawn({ id, text, state: how, waits, reason, span, line }: RelationView, isLit: boolean) {
  return (
    <li class={`card of-${how} ${isLit ? "lit" : ""}`} {...pointing(span)}>
      <div class="line-of-card">
        <code class="relation-id">r{id}</code>
        <TypeText text={text} />
        <ToLine line={line} span={span} />
      </div>
      {waits.length > 0 ? (
        <p class="waits-for">
          waits for <Waits waits={waits} />
        </p>
      ) : (
        reason !== "" && (
          <p class="reason">
            <Sentence text={reason} />
          </p>
        )
      )}
    </li>
  );
}
