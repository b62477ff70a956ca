// Finds places for the nodes of a graph, beside the page, which may not wait for it: dagre's layered drawing.
import { Graph, layout } from "@dagrejs/dagre";
import { shortEdges } from "./ranks.ts";
import { AROUND } from "./view/solver/viewport.ts";

export interface PlaceRequest {
  id: number;
  sizes: readonly { width: number; height: number }[];
  edges: readonly { from: number; to: number }[];
}

export interface PlaceReply {
  id: number;
  width: number;
  height: number;
  nodes: { x: number; y: number }[];
  /** The bends of each edge, x and y in turn; none of one that is drawn straight. */
  edges: number[][];
}

/** With more nodes than this the places are found more quickly and the edges are somewhat longer. */
const MANY = 500;
/** As many bends are made for the edges that pass other nodes. */
const MOST_BENDS = 300;

const round = (length: number) => Math.round(length * 10) / 10;

self.onmessage = ({ data }: MessageEvent<PlaceRequest>) => {
  const graph = new Graph({ multigraph: true });
  const ranker = data.sizes.length > MANY ? "longest-path" : "network-simplex";
  graph.setGraph({ rankdir: "LR", nodesep: 14, ranksep: 40, edgesep: 8, marginx: AROUND, marginy: AROUND, ranker });
  for (const [index, size] of data.sizes.entries()) graph.setNode(String(index), { ...size });
  const kept = shortEdges(data.sizes.length, data.edges, MOST_BENDS);
  for (const [index, { from, to }] of data.edges.entries()) if (kept.has(index)) graph.setEdge(String(from), String(to), {}, String(index));
  layout(graph);
  const { width, height } = graph.graph() as { width: number; height: number };
  const nodes = data.sizes.map((_, index) => {
    const { x, y } = graph.node(String(index)) as { x: number; y: number };
    return { x: round(x), y: round(y) };
  });
  const edges = data.edges.map(({ from, to }, index) => {
    if (!kept.has(index)) return [];
    const { points = [] } = graph.edge(String(from), String(to), String(index)) as { points?: { x: number; y: number }[] };
    return points.flatMap(({ x, y }) => [round(x), round(y)]);
  });
  // Without nodes, both are below zero without end.
  const reply: PlaceReply = { id: data.id, width: Math.max(0, width), height: Math.max(0, height), nodes, edges };
  (self as unknown as Worker).postMessage(reply);
};
