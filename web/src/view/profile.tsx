// What each operator of a run cost: a table that sorts, with bars in the column by which it is sorted.
import { point, show } from "../action/navigation.ts";
import { isPaneNarrow } from "./appearance.ts";
import { kept } from "./kept.ts";
import { bytesOf, countOf, hasRate, millisecondsOf, rateOf } from "./units.ts";
import type { OperatorView } from "../wasm/relish_wasm.js";

/** More rows are asked for. */
const ROWS = 12;

type Column = "time" | "calls" | "bytes" | "flops" | "rate";

const COLUMNS: readonly { id: Column; title: string; about: string }[] = [
  { id: "time", title: "Time", about: "In milliseconds, of all calls" },
  { id: "calls", title: "Calls", about: "How often it was called" },
  { id: "bytes", title: "Bytes", about: "Read from operands and written to results" },
  { id: "flops", title: "FLOPs", about: "Operations on numbers, by the sizes in the types" },
  { id: "rate", title: "Rate", about: "FLOPs, or bytes where there are none, in a second" },
];

/** What a narrow pane has columns for: how often an operator was called stands beside its line there. */
const columnsNow = () => (isPaneNarrow.value ? COLUMNS.filter(({ id }) => id !== "calls") : COLUMNS);

const bytes = (row: OperatorView) => row.bytes_read + row.bytes_written;

function measure(row: OperatorView, column: Column): number {
  switch (column) {
    case "time":
      return row.milliseconds;
    case "calls":
      return row.calls;
    case "bytes":
      return bytes(row);
    case "flops":
      return row.flops ?? -1;
    case "rate":
      // Without one comes last; bytes are no operations, and come behind them.
      return hasRate(row.milliseconds) && row.flops !== undefined ? (row.flops || bytes(row) / 1e9) / row.milliseconds : -1;
  }
}

interface Props {
  rows: readonly OperatorView[];
  /** Of the run as a whole, in milliseconds; absent where it came to no end. */
  total: number | undefined;
  /** Whether the rows are about the text as it stands. */
  isFresh: boolean;
}

export function Profile({ rows, total, isFresh }: Props) {
  const [sorted, sort] = kept<Column>("operators by", "time");
  const [isWhole, setWhole] = kept("all operators", false);
  if (rows.length === 0) return null;
  const inOperators = rows.reduce((sum, row) => sum + row.milliseconds, 0);
  const most = Math.max(...rows.map((row) => measure(row, sorted)));
  // A rate is no part of anything; and the clock may not tell the times apart.
  const hasBars = sorted !== "rate" && most > 0 && (sorted !== "time" || hasRate(most));
  const ordered = rows.toSorted((a, b) => measure(b, sorted) - measure(a, sorted));
  const shown = isWhole ? ordered : ordered.slice(0, ROWS);
  return (
    <section class={isFresh ? "profile" : "profile stale"} id="profile" tabIndex={-1} aria-labelledby="profile-title">
      <header>
        <h2 id="profile-title">Operators</h2>
        <p class="note">
          {millisecondsOf(inOperators)}
          {total !== undefined && ` of ${millisecondsOf(Math.max(total, inOperators))}`} in operators on tensors
        </p>
      </header>
      <div class="profile-scroll" tabIndex={0} role="group" aria-label="Costs of operators">
        <table>
          <thead>
            <tr>
              {!isPaneNarrow.value && <th scope="col">Operator</th>}
              {columnsNow().map(({ id, title, about }) => (
                <th scope="col" aria-sort={sorted === id ? "descending" : undefined}>
                  <button type="button" title={about} onClick={() => sort(id)}>
                    {title}
                    <span aria-hidden="true">{sorted === id ? " ↓" : ""}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <Row row={row} sorted={sorted} share={hasBars ? Math.max(0, measure(row, sorted) / most) : undefined} isFresh={isFresh} />
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > ROWS && (
        <button type="button" class="button small" onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Fewer" : `All ${rows.length} operators`}
        </button>
      )}
    </section>
  );
}

interface RowProps {
  row: OperatorView;
  sorted: Column;
  /** Of the most in the column by which it is sorted, if that is of any use. */
  share: number | undefined;
  isFresh: boolean;
}

/** Beside its numbers, or above them where there is little room. */
function Row({ row, sorted, share, isFresh }: RowProps) {
  const light = (on: boolean) => point(on && isFresh ? row.span : undefined);
  const leads = {
    onClick: () => isFresh && show(row.span),
    onPointerEnter: () => light(true),
    onPointerLeave: () => light(false),
  };
  const of = (
    <small title={[row.type, row.names.join(", ")].join(", of ")}>
      line {row.line} · {isPaneNarrow.value && row.calls !== 1 && `${countOf(row.calls)} calls · `}
      {row.type ?? "a tuple"}
      {row.names.length > 1 && ` · ${row.names.join(", ")}`}
    </small>
  );
  const name = (
    <button
      type="button"
      disabled={!isFresh}
      aria-label={`${row.names.join(" + ")}, line ${row.line}`}
      onClick={(event) => {
        event.stopPropagation();
        show(row.span);
      }}
      onFocus={() => light(true)}
      onBlur={() => light(false)}
    >
      <code title={row.names.join(" + ")}>{row.names[0]}</code>
      {row.names.length > 1 && <span class="fused">+{row.names.length - 1}</span>}
    </button>
  );
  const said: Record<Column, string> = {
    time: millisecondsOf(row.milliseconds),
    calls: countOf(row.calls),
    bytes: bytesOf(bytes(row)),
    flops: row.flops === undefined ? "–" : countOf(row.flops),
    rate: rateOf(row.flops, bytes(row), row.milliseconds),
  };
  const amounts = columnsNow().map(({ id }) => (
    <td class={`of-${id}`} title={id === "bytes" ? `${bytesOf(row.bytes_read)} read, ${bytesOf(row.bytes_written)} written` : undefined}>
      {said[id]}
      {id === sorted && share !== undefined && <span class="share" style={{ "--share": String(share) }} aria-hidden="true" />}
    </td>
  ));
  const leading = isFresh ? "leads" : "";
  if (isPaneNarrow.value) {
    return (
      <>
        <tr {...leads} class={leading}>
          <td class="named" colSpan={columnsNow().length}>
            {name}
            {of}
          </td>
        </tr>
        <tr {...leads} class={`amounts ${leading}`}>
          {amounts}
        </tr>
      </>
    );
  }
  return (
    <>
      <tr {...leads} class={leading}>
        <th scope="row">{name}</th>
        {amounts}
      </tr>
      <tr {...leads} class={`of ${leading}`}>
        <td colSpan={COLUMNS.length + 1}>{of}</td>
      </tr>
    </>
  );
}
