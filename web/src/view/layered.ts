// A layered drawing of an acyclic graph, from left to right, after Sugiyama, Tagawa and Toda (1981): a rank for each
// box, an order within each rank that crosses few links, and places as near to the neighbours as the order allows.
//
// Between the ranks of boxes stand the ranks of labels, so that a label has room of its own. For the links 0→1, 0→2 and
// 1→2 the boxes have the ranks 0, 2 and 4, and the link 0→2 bends where it passes ranks 1 to 3.

interface Size {
  width: number;
  height: number;
}

export interface Link {
  from: number;
  to: number;
  label: Size;
}

export interface Drawing extends Size {
  /** The left end and the middle of each box. */
  boxes: { x: number; y: number }[];
  /** The line of each link, and the middle of its label. */
  links: { path: string; x: number; y: number }[];
}

interface Item extends Size {
  rank: number;
  y: number;
  /** Items of the ranks before and behind. */
  before: Item[];
  behind: Item[];
}

const SWEEPS = 8;
const GAP_X = 13;
const GAP_Y = 10;

export function layered(sizes: readonly Size[], links: readonly Link[]): Drawing {
  const ranks = ranksOf(sizes.length, links);
  const boxes = sizes.map((size, index): Item => ({ ...size, rank: 2 * (ranks[index] ?? 0), y: 0, before: [], behind: [] }));
  const chains = links.map((link) => chain(link, boxes));
  const columns = order(boxes);
  place(columns);

  const lefts: number[] = [];
  let width = 0;
  for (const column of columns) {
    lefts.push(width);
    width += Math.max(...column.map((item) => item.width)) + GAP_X;
  }
  const left = (item: Item) => lefts[item.rank] ?? 0;
  const all = columns.flat();
  const top = Math.min(...all.map((item) => item.y - item.height / 2), 0);
  for (const item of all) item.y -= top;
  return {
    width: Math.max(width - GAP_X, 0),
    height: Math.max(...all.map((item) => item.y + item.height / 2), 0),
    boxes: boxes.map((box) => ({ x: left(box), y: box.y })),
    links: links.map((link, index) => {
      const [from, to] = [boxes[link.from], boxes[link.to]];
      const bends = chains[index] ?? [];
      const label = bends[0];
      if (from === undefined || to === undefined || label === undefined) return { path: "", x: 0, y: 0 };
      let path = `M${round(left(from) + from.width)} ${round(from.y)}`;
      let [end, y] = [0, from.y];
      // Past everything else of the same rank.
      const pass = (rank: number) => {
        end = (lefts[rank + 1] ?? width) - GAP_X;
        path += `H${round(end)}`;
      };
      const curve = (x: number, nextY: number) => {
        const middle = round((end + x) / 2);
        path += `C${middle} ${round(y)} ${middle} ${round(nextY)} ${round(x)} ${round(nextY)}`;
        [end, y] = [x, nextY];
      };
      pass(from.rank);
      for (const bend of bends) {
        curve(left(bend), bend.y);
        pass(bend.rank);
      }
      curve(left(to), to.y);
      return { path, x: left(label) + label.width / 2, y: label.y };
    }),
  };
}

const round = (length: number) => Math.round(length * 10) / 10;

/** By box, the length of the longest way to it. */
function ranksOf(n: number, links: readonly Link[]): number[] {
  const ranks = new Array<number>(n).fill(0);
  const waiting = new Array<number>(n).fill(0);
  const out: number[][] = Array.from({ length: n }, () => []);
  for (const { from, to } of links) {
    waiting[to] = (waiting[to] ?? 0) + 1;
    out[from]?.push(to);
  }
  const ready = [...ranks.keys()].filter((box) => waiting[box] === 0);
  for (let box = ready.pop(); box !== undefined; box = ready.pop()) {
    for (const to of out[box] ?? []) {
      ranks[to] = Math.max(ranks[to] ?? 0, (ranks[box] ?? 0) + 1);
      waiting[to] = (waiting[to] ?? 0) - 1;
      if (waiting[to] === 0) ready.push(to);
    }
  }
  return ranks;
}

/** What stands for a link in the ranks between its ends; the first is its label. */
function chain(link: Link, boxes: readonly Item[]): Item[] {
  const [from, to] = [boxes[link.from], boxes[link.to]];
  if (from === undefined || to === undefined) return [];
  const items: Item[] = [];
  let last = from;
  for (let rank = from.rank + 1; rank < to.rank; rank += 1) {
    const size = rank === from.rank + 1 ? link.label : { width: 0, height: 4 };
    const item: Item = { ...size, rank, y: 0, before: [last], behind: [] };
    last.behind.push(item);
    items.push(item);
    last = item;
  }
  last.behind.push(to);
  to.before.push(last);
  return items;
}

/** The items of each rank, ordered so that links cross little. */
function order(boxes: readonly Item[]): Item[][] {
  const columns: Item[][] = [];
  const seen = new Set<Item>();
  const pending = boxes.filter((box) => box.rank === 0).reverse();
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    if (seen.has(item)) continue;
    seen.add(item);
    (columns[item.rank] ??= []).push(item);
    for (const next of item.behind.toReversed()) pending.push(next);
  }
  // A tree is without crossings already.
  let best = columns.map((column) => [...column]);
  let fewest = crossings(columns);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep += 1) {
    const isForth = sweep % 2 === 0;
    const ranks = [...columns.keys()];
    for (const rank of isForth ? ranks : ranks.reverse()) {
      const near = new Map(columns[isForth ? rank - 1 : rank + 1]?.map((item, index) => [item, index]));
      const own = new Map(columns[rank]?.map((item, index) => [item, index]));
      const wanted = (item: Item) => mean((isForth ? item.before : item.behind).map((other) => near.get(other) ?? 0)) ?? own.get(item) ?? 0;
      const keys = new Map(columns[rank]?.map((item) => [item, wanted(item)]));
      columns[rank]?.sort((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0));
    }
    const found = crossings(columns);
    if (found >= fewest) continue;
    fewest = found;
    best = columns.map((column) => [...column]);
  }
  return best;
}

function crossings(columns: readonly Item[][]): number {
  let count = 0;
  for (const [rank, column] of columns.entries()) {
    const position = new Map(columns[rank + 1]?.map((item, index) => [item, index]));
    const ends = column.flatMap((item) => item.behind.map((next) => position.get(next) ?? 0).sort((a, b) => a - b));
    for (let i = 0; i < ends.length; i += 1) {
      for (let j = i + 1; j < ends.length; j += 1) if ((ends[i] ?? 0) > (ends[j] ?? 0)) count += 1;
    }
  }
  return count;
}

/** Moves every item towards its neighbours. */
function place(columns: readonly Item[][]): void {
  for (const column of columns) settle(column, column.map(() => 0));
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isForth = sweep % 2 === 1;
    for (const column of isForth ? columns : columns.toReversed()) {
      settle(column, column.map((item) => mean((isForth ? item.before : item.behind).map((other) => other.y)) ?? item.y));
    }
  }
  for (const column of columns) {
    settle(column, column.map((item) => mean([...item.before, ...item.behind].map((other) => other.y)) ?? item.y));
  }
}

/** Puts a column's items as near as may be to where they want to be (least squares), in their order and apart. */
function settle(column: readonly Item[], wanted: readonly number[]): void {
  const offsets: number[] = [];
  for (const [index, item] of column.entries()) {
    const last = column[index - 1];
    offsets.push(last === undefined ? 0 : (offsets[index - 1] ?? 0) + (last.height + item.height) / 2 + GAP_Y);
  }
  // Neighbours that would overlap become a block, which goes where its members want to be on average.
  const blocks: { sum: number; n: number }[] = [];
  for (const [index, place] of wanted.entries()) {
    let block = { sum: place - (offsets[index] ?? 0), n: 1 };
    for (let last = blocks.at(-1); last !== undefined && last.sum / last.n > block.sum / block.n; last = blocks.at(-1)) {
      block = { sum: block.sum + last.sum, n: block.n + last.n };
      blocks.pop();
    }
    blocks.push(block);
  }
  let index = 0;
  for (const { sum, n } of blocks) {
    for (const end = index + n; index < end; index += 1) {
      const item = column[index];
      if (item) item.y = sum / n + (offsets[index] ?? 0);
    }
  }
}

const mean = (values: readonly number[]) =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
