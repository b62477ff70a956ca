// The equivalence classes of the solver, as a table or as a forest whose roots are the classes.
import { useSignal } from "@preact/signals";
import { point, show } from "../../action/navigation.ts";
import { litAmong } from "../../action/solving.ts";
import { state } from "../../state.ts";
import type { ClassView, MemberView, SolverView, SpanView } from "../../wasm/relish_wasm.js";
import { highlight, TypeText } from "../code.tsx";
import { More } from "../more.tsx";
import { ToLine } from "../toline.tsx";
import { pointedClass, pointing } from "./places.tsx";

type Shape = "table" | "forest";

export function Classes({ solver }: { solver: SolverView }) {
  const shape = useSignal<Shape>("table");
  const { classes, n_classes_above, n_classes_below } = solver;
  const isLit = litAmong(classes.flatMap(({ members }) => members.map(({ span }) => span)));
  const part = state.solverPart.value;
  const turn = (by: number) => () => {
    state.solverPart.value = { ...part, firstClass: Math.max(0, n_classes_above + by * part.nClasses) };
  };
  const { first_changed } = solver;
  const isChangeElsewhere = first_changed !== undefined && (first_changed < n_classes_above || first_changed >= n_classes_above + classes.length);
  const total = classes.length + n_classes_above + n_classes_below;
  return (
    <section class="classes" aria-labelledby="classes">
      <div class="heading">
        <h2 id="classes">
          Classes <span class="figures">{total.toLocaleString("en")}; what is in one is equal</span>
        </h2>
        <label class="picker">
          <span class="unseen">Classes as</span>
          <select value={shape.value} onChange={(event) => (shape.value = event.currentTarget.value as Shape)}>
            <option value="table">as a table</option>
            <option value="forest">as a forest</option>
          </select>
        </label>
      </div>
      {isChangeElsewhere && (
        <p class="note">
          <button type="button" class="button small" onClick={() => (state.solverPart.value = { ...part, firstClass: first_changed })}>
            To the class that this step changed
          </button>
        </p>
      )}
      {n_classes_above > 0 && <More count={n_classes_above} which="before these" onMore={turn(-1)} />}
      {classes.length === 0 ? (
        <p class="note">There are no classes yet.</p>
      ) : shape.value === "table" ? (
        <Table classes={classes} isLit={isLit} />
      ) : (
        <Forest classes={classes} isLit={isLit} />
      )}
      {n_classes_below > 0 && <More count={n_classes_below} which="behind these" onMore={turn(1)} />}
    </section>
  );
}

interface ListProps {
  classes: readonly ClassView[];
  isLit: (span: MemberView["span"]) => boolean;
}

/** As many members are named in a row of the table. */
const NAMED = 4;

const classOf = ({ id, is_changed, members }: ClassView, isLit: ListProps["isLit"]) =>
  `${is_changed ? "changed" : ""} ${pointedClass.value === id || members.some(({ span }) => isLit(span)) ? "lit" : ""}`;

const over = ({ id, members }: ClassView) => ({
  onPointerEnter: () => {
    pointedClass.value = id;
    point(members.find(({ span }) => span !== undefined)?.span);
  },
  onPointerLeave: () => {
    pointedClass.value = undefined;
    point(undefined);
  },
});

function Table({ classes, isLit }: ListProps) {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Classes">
      <table class="class-table">
        <thead>
          <tr>
            <th scope="col">Class</th>
            <th scope="col">Known</th>
            <th scope="col">Of</th>
            <th scope="col">Waited on by</th>
          </tr>
        </thead>
        <tbody>
          {classes.map((one) => (
            <tr class={classOf(one, isLit)} {...over(one)}>
              <th scope="row">
                <code>t{one.id}</code>
                {one.is_changed && <span class="unseen"> changed</span>}
                <span class="kind">{one.kind}</span>
              </th>
              <td class={one.is_known ? "" : "unknown"}>
                <TypeText text={one.term} />
              </td>
              <td>
                <Members one={one} />
              </td>
              <td class="waiters">{one.waiting.map((id) => `r${id}`).join(" ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Members({ one }: { one: ClassView }) {
  const named = one.members.filter(({ of }) => of !== "");
  const more = named.length - NAMED + one.n_more_members;
  return (
    <span class="members">
      {named.slice(0, NAMED).map(({ of, span }) => (
        <span class="member" {...pointing(span)}>
          {span === undefined ? <code>{highlight(of)}</code> : <MemberButton of={of} span={span} />}
        </span>
      ))}
      {more > 0 && <span class="figures">and {more.toLocaleString("en")} more</span>}
    </span>
  );
}

const MemberButton = ({ of, span }: { of: string; span: SpanView }) => (
  <button type="button" onClick={() => show(span)}>
    <code>{highlight(of)}</code>
  </button>
);

/** Each class as a tree: a term under the one that it was linked to. */
function Forest({ classes, isLit }: ListProps) {
  return (
    <ul class="forest">
      {classes.map((one) => (
        <li class={classOf(one, isLit)} {...over(one)}>
          <div class="root">
            <code class="class-name">t{one.id}</code>
            <TypeText text={one.term} />
            <span class="kind">
              {one.kind}, {one.n_cells === 1 ? "one term" : `${one.n_cells.toLocaleString("en")} terms`}
            </span>
          </div>
          <ul>
            {treeOf(one).map(({ depth, member }) => (
              <li style={{ "--depth": depth }} {...pointing(member.span)}>
                <code class="class-name">t{member.id}</code>
                {member.of !== "" && <code>{highlight(member.of)}</code>}
                <ToLine line={undefined} span={member.span} />
                {member.parent !== one.id && member.parent !== member.id && <span class="unseen">under t{member.parent}</span>}
              </li>
            ))}
          </ul>
          {one.n_more_members > 0 && <p class="note">and {one.n_more_members.toLocaleString("en")} more</p>}
        </li>
      ))}
    </ul>
  );
}

/** The members in the order of a walk, parents first. */
function treeOf(one: ClassView): { depth: number; member: MemberView }[] {
  const ids = new Set(one.members.map(({ id }) => id));
  const under = new Map<number, MemberView[]>();
  const roots: MemberView[] = [];
  for (const member of one.members) {
    // One whose parent is not named stands at the root.
    if (member.parent === member.id || !ids.has(member.parent)) roots.push(member);
    else under.set(member.parent, [...(under.get(member.parent) ?? []), member]);
  }
  const out: { depth: number; member: MemberView }[] = [];
  const pending = roots.toReversed().map((member) => ({ depth: 1, member }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    out.push(next);
    const { depth } = next;
    pending.push(...(under.get(next.member.id) ?? []).toReversed().map((member) => ({ depth: depth + 1, member })));
  }
  return out;
}
