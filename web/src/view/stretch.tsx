// How an operator stretches its operands: each lined up with the result from the right, as broadcasting does it. It is
// a table, so that it reads as well as it looks.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { solver } from "../action/queries.ts";
import type { SpanView, StretchedView, StretchView } from "../wasm/relish_wasm.js";

/** The code of the problems that are about a stretch. */
export const STRETCHED = "suspicious-broadcast";

/** An operand's text is cut behind so many characters. */
const LONGEST = 24;

export function Stretch({ span }: { span: SpanView }) {
  const view = useSignal<StretchView | undefined>(undefined);
  useEffect(() => {
    let isAsked = true;
    void solver({ about: "stretch", span }).then((answer) => {
      if (isAsked) view.value = answer ?? undefined;
    });
    return () => {
      isAsked = false;
    };
  }, [span.start, span.end]);
  if (view.value === undefined) return null;
  const { operands, result } = view.value;
  return (
    <table class="stretch">
      <caption class="unseen">How the operands are stretched to one shape</caption>
      <thead class="unseen">
        <tr>
          <th scope="col">operand</th>
          {result.map((_, axis) => (
            <th scope="col">axis {axis}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {operands.map((operand) => (
          <Operand operand={operand} result={result} />
        ))}
        <tr class="result">
          <th scope="row">result</th>
          {result.map((dim) => (
            <td>{dim}</td>
          ))}
        </tr>
      </tbody>
    </table>
  );
}

function Operand({ operand, result }: { operand: StretchedView; result: readonly string[] }) {
  const { of, dims, is_repeated } = operand;
  return (
    <tr>
      <th scope="row">
        <code>{of.length > LONGEST ? `${of.slice(0, LONGEST)}…` : of}</code>
      </th>
      {dims.map((dim, axis) => (
        <td class={is_repeated[axis] ? "repeated" : ""}>
          {dim ?? "·"}
          {is_repeated[axis] && <span class="times"> repeated {result[axis]}×</span>}
        </td>
      ))}
    </tr>
  );
}
