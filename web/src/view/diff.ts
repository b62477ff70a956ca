// What changed between two texts: a longest common subsequence of lines (Myers 1986 would find the same), each line of
// either once. For `a b c` and `a x c` it is ` a`, `-b`, `+x`, ` c`.
export interface Change<T> {
  mark: " " | "+" | "-";
  line: T;
}

/** Tables larger than this are not made: everything between what begins and ends alike is said to have changed. */
const MAX_CELLS = 1_000_000;

export function diff<T extends { text: string }>(before: readonly T[], after: readonly T[]): Change<T>[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start]?.text === after[start]?.text) start += 1;
  let tail = 0;
  while (
    tail < before.length - start &&
    tail < after.length - start &&
    before[before.length - 1 - tail]?.text === after[after.length - 1 - tail]?.text
  ) {
    tail += 1;
  }
  const same = (line: T): Change<T> => ({ mark: " ", line });
  return [
    ...after.slice(0, start).map(same),
    ...middle(before.slice(start, before.length - tail), after.slice(start, after.length - tail)),
    ...after.slice(after.length - tail).map(same),
  ];
}

function middle<T extends { text: string }>(before: readonly T[], after: readonly T[]): Change<T>[] {
  const out: Change<T>[] = [];
  const width = after.length + 1;
  let i = 0;
  let j = 0;
  if (before.length * after.length <= MAX_CELLS) {
    // How many lines the rests from here on have in common.
    const common = new Uint32Array((before.length + 1) * width);
    const at = (i: number, j: number) => common[i * width + j] ?? 0;
    for (let i = before.length - 1; i >= 0; i -= 1) {
      for (let j = after.length - 1; j >= 0; j -= 1) {
        common[i * width + j] = before[i]?.text === after[j]?.text ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
      }
    }
    while (i < before.length && j < after.length) {
      const [left, right] = [before[i], after[j]];
      if (left === undefined || right === undefined) break;
      if (left.text === right.text) {
        out.push({ mark: " ", line: right });
        i += 1;
        j += 1;
      } else if (at(i + 1, j) >= at(i, j + 1)) {
        out.push({ mark: "-", line: left });
        i += 1;
      } else {
        out.push({ mark: "+", line: right });
        j += 1;
      }
    }
  }
  for (const line of before.slice(i)) out.push({ mark: "-", line });
  for (const line of after.slice(j)) out.push({ mark: "+", line });
  return out;
}
