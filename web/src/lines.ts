// Lines and columns of offsets, both from 1.

/** The offsets at which the lines of a text begin. */
export function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  return starts;
}

/** How many of the sorted numbers are at most `offset`. */
function countUpTo(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const lineOf = (starts: readonly number[], offset: number): number => countUpTo(starts, offset);

export function columnOf(starts: readonly number[], offset: number): number {
  return offset - (starts[lineOf(starts, offset) - 1] ?? 0) + 1;
}

/** How many characters wide the numbers of so many lines are, with as much room on their left as any. */
export const numberWidth = (nLines: number): number => Math.max(3, String(nLines).length + 1);
