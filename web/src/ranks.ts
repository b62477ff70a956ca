// Which edges of a graph are long. A layered drawing has a bend for every layer that an edge passes, so one variable
// that everything uses would cost more than all the rest; such edges are drawn straight instead.
interface Ends {
  from: number;
  to: number;
}

/** By node, the length of the longest way to it; cycles are cut at their first node. */
function ranksOf(nNodes: number, edges: readonly Ends[]): Int32Array {
  const ranks = new Int32Array(nNodes);
  const waiting = new Int32Array(nNodes);
  const out: number[][] = Array.from({ length: nNodes }, () => []);
  for (const { from, to } of edges) {
    waiting[to] = (waiting[to] ?? 0) + 1;
    out[from]?.push(to);
  }
  const isDone = new Uint8Array(nNodes);
  const ready: number[] = [];
  for (let node = 0; node < nNodes; node += 1) if (waiting[node] === 0) ready.push(node);
  let next = 0;
  for (let left = nNodes; left > 0; ) {
    let node = ready.pop();
    if (node === undefined) {
      while (isDone[next] === 1) next += 1;
      node = next;
    }
    if (isDone[node] === 1) continue;
    isDone[node] = 1;
    left -= 1;
    for (const to of out[node] ?? []) {
      if (isDone[to] === 1) continue;
      ranks[to] = Math.max(ranks[to] ?? 0, (ranks[node] ?? 0) + 1);
      waiting[to] = (waiting[to] ?? 0) - 1;
      if (waiting[to] === 0) ready.push(to);
    }
  }
  return ranks;
}

/** The edges that are worth their bends: the shortest ones, as long as there are not more than `most` bends in all. */
export function shortEdges(nNodes: number, edges: readonly Ends[], most: number): Set<number> {
  const ranks = ranksOf(nNodes, edges);
  const span = (edge: Ends) => Math.abs((ranks[edge.to] ?? 0) - (ranks[edge.from] ?? 0));
  const spans = edges.map(span);
  const order = [...edges.keys()].sort((a, b) => (spans[a] ?? 0) - (spans[b] ?? 0));
  const kept = new Set<number>();
  let bends = 0;
  for (const index of order) {
    bends += Math.max((spans[index] ?? 0) - 1, 0);
    if (bends > most) break;
    kept.add(index);
  }
  return kept;
}
