// The same graph as a list, for who reads rather than looks: each relation with what it is about and how it stands.
import { useSignal } from "@preact/signals";
import { show } from "../../action/navigation.ts";
import type { Placed } from "../../state.ts";
import type { GraphStateView } from "../../wasm/relish_wasm.js";
import { highlight } from "../code.tsx";
import { More } from "../more.tsx";
import { stateInWords } from "./shape.ts";
import { pointing } from "./places.tsx";

const PAGE = 100;

interface Props {
  placed: Placed;
  now: GraphStateView | undefined;
  onOpen: (cluster: string) => void;
}

export function GraphList(props: Props) {
  const isOpen = useSignal(false);
  return (
    <details class="graph-list" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>The graph as a list</summary>
      {isOpen.value && <List {...props} />}
    </details>
  );
}

function List({ placed: { graph }, now, onOpen }: Props) {
  const shown = useSignal(PAGE);
  const inputs = new Map<number, number[]>();
  const outputs = new Map<number, number[]>();
  for (const { from, to } of graph.edges) {
    inputs.set(to, [...(inputs.get(to) ?? []), from]);
    outputs.set(from, [...(outputs.get(from) ?? []), to]);
  }
  const rows = [...graph.nodes.keys()].filter((index) => graph.nodes[index]?.kind !== "variable");
  const name = (index: number) => {
    const term = now?.terms[index] ?? "";
    return (
      <>
        <code>{highlight(graph.nodes[index]?.label ?? "")}</code>
        {term !== "" && term !== graph.nodes[index]?.label && (
          <>
            {" = "}
            <code>{highlight(term)}</code>
          </>
        )}
      </>
    );
  };
  const list = (indices: readonly number[]) => indices.map((index, at) => <>{at > 0 && ", "}{name(index)}</>);
  return (
    <>
      <ul class="twin">
        {rows.slice(0, shown.value).map((index) => {
          const node = graph.nodes[index];
          if (node === undefined) return null;
          const { kind, label, span, id, n_nodes } = node;
          const [from, to] = [inputs.get(index) ?? [], outputs.get(index) ?? []];
          return (
            <li {...pointing(span)}>
              {kind === "cluster" ? (
                <button type="button" class="link" onClick={() => onOpen(id)}>
                  Open {label}, {n_nodes.toLocaleString("en")} nodes
                </button>
              ) : span === undefined ? (
                <code>{highlight(label)}</code>
              ) : (
                <button type="button" class="link" onClick={() => show(span)}>
                  {label}
                </button>
              )}
              : {stateInWords(kind, now?.states[index] ?? "-")}
              {from.length > 0 && <>; from {list(from)}</>}
              {to.length > 0 && <>; to {list(to)}</>}
            </li>
          );
        })}
      </ul>
      <More count={Math.max(rows.length - shown.value, 0)} onMore={() => (shown.value += PAGE)} />
    </>
  );
}
