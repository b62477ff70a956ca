// The line of an edge.
import type { Placed } from "../../state.ts";
import { sizeOf } from "./shape.ts";

const round = (length: number) => Math.round(length * 10) / 10;

/** The line of one of a graph's edges; the long ones go straight from box to box. */
export function edgePath({ graph, nodes, edges }: Placed, index: number): string {
  const points = edges[index] ?? [];
  if (points.length > 0) return pathOf(points);
  const { from, to } = graph.edges[index] ?? { from: 0, to: 0 };
  const [start, end] = [nodes[from], nodes[to]];
  const [first, last] = [graph.nodes[from], graph.nodes[to]];
  if (start === undefined || end === undefined || first === undefined || last === undefined) return "";
  const way = start.x <= end.x ? 1 : -1;
  const left = round(start.x + (way * sizeOf(first).width) / 2);
  const right = round(end.x - (way * sizeOf(last).width) / 2);
  const reach = round(Math.min(Math.abs(right - left) / 2, 90)) * way;
  return `M${left} ${start.y}C${left + reach} ${start.y} ${right - reach} ${end.y} ${right} ${end.y}`;
}

/** A curve that begins and ends at the first and last point and passes between the others; x and y stand in turn. */
function pathOf(points: readonly number[]): string {
  const n = points.length / 2;
  const [x = 0, y = 0] = points;
  let path = `M${x} ${y}`;
  for (let at = 1; at + 1 < n; at += 1) {
    const [bendX = 0, bendY = 0, nextX = 0, nextY = 0] = points.slice(2 * at, 2 * at + 4);
    const isLast = at + 2 === n;
    const [endX, endY] = isLast ? [nextX, nextY] : [round((bendX + nextX) / 2), round((bendY + nextY) / 2)];
    path += `Q${bendX} ${bendY} ${endX} ${endY}`;
  }
  if (n === 2) path += `L${points[2]} ${points[3]}`;
  return path;
}
