// The line of an edge through its bends, rounded.
const round = (length: number) => Math.round(length * 10) / 10;

/** A curve that begins and ends at the first and last point and passes between the others; x and y stand in turn. */
export function pathOf(points: readonly number[]): string {
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
