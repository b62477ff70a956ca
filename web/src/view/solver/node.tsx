// What a graph is drawn of: its nodes, near or far, and its edges.
import { Component } from "preact";
import { show } from "../../action/navigation.ts";
import type { Placed } from "../../state.ts";
import type { GraphNodeView, GraphStateView } from "../../wasm/relish_wasm.js";
import { edgePath } from "./path.ts";
import { CLASSES, cut, LINE, SIGNS, sizeOf, stateInWords } from "./shape.ts";

interface NodeProps {
  node: GraphNodeView;
  index: number;
  x: number;
  y: number;
  letter: string;
  term: string;
  isLit: boolean;
  isStop: boolean;
  onOpen: (cluster: string) => void;
  onPoint: (isOver: boolean) => void;
  onFocus: () => void;
  onArrow: (key: string) => void;
}

function spoken(node: GraphNodeView, letter: string, term: string): string {
  const how = stateInWords(node.kind, letter);
  switch (node.kind) {
    case "variable":
      return `variable ${node.label}, ${term === "" ? how : `${term}${letter === "c" ? `, ${how}` : ""}`}`;
    case "relation":
      return `relation ${node.label}, ${how}`;
    case "cluster":
      return `${node.label}, ${node.n_nodes.toLocaleString("en")} nodes, ${how}; Enter opens it`;
  }
}

/** A step changes few of the nodes: one is drawn again only if it looks different. */
export class Node extends Component<NodeProps> {
  override shouldComponentUpdate(next: NodeProps): boolean {
    const { node, x, y, letter, term, isLit, isStop } = this.props;
    const isSame = next.node === node && next.x === x && next.y === y && next.letter === letter && next.term === term;
    return !(isSame && next.isLit === isLit && next.isStop === isStop);
  }

  override render(props: NodeProps) {
    return drawn(props);
  }
}

function drawn({ node, index, x, y, letter, term, isLit, isStop, onOpen, onPoint, onFocus, onArrow }: NodeProps) {
  const { width, height } = sizeOf(node);
  const { kind, label, span, id } = node;
  const act = () => {
    if (kind === "cluster") onOpen(id);
    else if (span !== undefined) show(span);
  };
  const text = spoken(node, letter, term);
  return (
    <g
      class={`node of-${kind} ${CLASSES[letter] ?? ""} ${isLit ? "lit" : ""}`}
      transform={`translate(${x} ${y})`}
      role="button"
      aria-label={text}
      data-node={index}
      tabIndex={isStop ? 0 : -1}
      onClick={act}
      onPointerEnter={() => onPoint(true)}
      onPointerLeave={() => onPoint(false)}
      onFocus={() => {
        onFocus();
        onPoint(true);
      }}
      onBlur={() => onPoint(false)}
      onKeyDown={(event) => {
        if (event.key.startsWith("Arrow") && !event.shiftKey) onArrow(event.key);
        else if (event.key === "Enter" || event.key === " ") act();
        else return;
        event.preventDefault();
      }}
    >
      <title>{text}</title>
      {kind === "cluster" && <rect class="behind" x={-width / 2 + 4} y={-height / 2 - 4} width={width} height={height} rx="6" />}
      <rect x={-width / 2} y={-height / 2} width={width} height={height} rx={kind === "variable" ? height / 2 : 6} />
      {kind === "variable" ? (
        <>
          <text class="label" y={-LINE / 2} text-anchor="middle" dominant-baseline="central">
            {cut(label)}
          </text>
          <text class="term" y={LINE / 2} text-anchor="middle" dominant-baseline="central">
            {letter === "c" ? `${SIGNS.c} ` : ""}
            {term === "" ? "?" : cut(term, 18)}
          </text>
        </>
      ) : (
        <text class="label" text-anchor="middle" dominant-baseline="central">
          {SIGNS[letter] === "" ? "" : `${SIGNS[letter]} `}
          {cut(label)}
        </text>
      )}
    </g>
  );
}

interface EdgesProps {
  placed: Placed;
  isNear: ReadonlySet<number>;
  lit: number | undefined;
}

/** The edges with an end in view; a step changes none of them. */
export class Edges extends Component<EdgesProps> {
  override shouldComponentUpdate({ placed, isNear, lit }: EdgesProps): boolean {
    return placed !== this.props.placed || isNear !== this.props.isNear || lit !== this.props.lit;
  }

  override render(props: EdgesProps) {
    return drawnEdges(props);
  }
}

/** As few paths: those of the node that is pointed at stand out, the long ones step back. */
function drawnEdges({ placed, isNear, lit }: EdgesProps) {
  const paths = { plain: "", long: "", lit: "" };
  for (const [index, { from, to }] of placed.graph.edges.entries()) {
    if (!isNear.has(from) && !isNear.has(to)) continue;
    const kind = from === lit || to === lit ? "lit" : placed.edges[index]?.length === 0 ? "long" : "plain";
    paths[kind] += edgePath(placed, index);
  }
  return (
    <g aria-hidden="true">
      <path class="edge long" d={paths.long} />
      <path class="edge" d={paths.plain} />
      <path class="edge lit" d={paths.lit} />
    </g>
  );
}

/** Nodes too small and too many to read, a path for each state. */
export function FarNodes({ placed, seen, now }: { placed: Placed; seen: readonly number[]; now: GraphStateView | undefined }) {
  const paths = new Map<string, string>();
  for (const index of seen) {
    const node = placed.graph.nodes[index];
    const place = placed.nodes[index];
    if (node === undefined || place === undefined) continue;
    const { width, height } = sizeOf(node);
    const name = `of-${node.kind} ${CLASSES[now?.states[index] ?? ""] ?? ""}`;
    paths.set(name, `${paths.get(name) ?? ""}M${place.x - width / 2} ${place.y - height / 2}h${width}v${height}h${-width}z`);
  }
  return (
    <g aria-hidden="true">
      {[...paths].map(([name, path]) => (
        <path class={`node ${name}`} d={path} />
      ))}
    </g>
  );
}
