// Which part of a tensor is looked at: two of its axes as rows and columns, and a place on each of the others.

/** How a tensor of rank 2 or more is cut into matrices, with the places of its own elements. */
export interface Cut {
  rows: number;
  columns: number;
  /** By axis: where to cut it, or everywhere. Nothing is said of rows and columns. */
  at: readonly (number | "all")[];
}

export interface Matrix {
  /** The place of the matrix: `[0, :, :]`. */
  name: string;
  rows: number;
  columns: number;
  /** Where its first element is among those of the tensor, and the steps to the next row and column. */
  first: number;
  rowStep: number;
  columnStep: number;
}

/** The last two axes, but for one of few channels behind them, and the first place on the others, or all places if they are few. */
export function firstCut(shape: readonly number[], most: number): Cut {
  const size = (axis: number) => shape[axis] ?? 0;
  const last = shape.length - 1;
  const columns = size(last) <= 4 && Math.min(size(last - 1), size(last - 2)) >= 8 ? last - 1 : last;
  const slices = shape.reduce((product, size, axis) => (axis === columns || axis === columns - 1 ? product : product * size), 1);
  return { rows: columns - 1, columns, at: shape.map(() => (slices <= most ? "all" : 0)) };
}

function stepsOf(shape: readonly number[]): number[] {
  const steps: number[] = [];
  let step = 1;
  for (const size of shape.toReversed()) {
    steps.unshift(step);
    step *= size;
  }
  return steps;
}

/** The first so many matrices of a cut, in the order of the elements, and how many there are. The place on an axis of colours
 * is in no name. In an overview an element stands for several on an axis; names tell the first of these. */
export function matricesOf(
  shape: readonly number[],
  cut: Cut,
  most: number,
  { colours, side = () => 1 }: { colours?: number | undefined; side?: (axis: number) => number } = {},
): { matrices: Matrix[]; total: number } {
  const steps = stepsOf(shape);
  const others = shape.map((_, axis) => axis).filter((axis) => axis !== cut.rows && axis !== cut.columns);
  const counts = others.map((axis) => (cut.at[axis] === "all" ? (shape[axis] ?? 1) : 1));
  const total = counts.reduce((product, count) => product * count, 1);
  const matrices = Array.from({ length: Math.min(total, most) }, (_, index) => {
    const places = new Map<number, number>();
    const told = new Map<number, number>();
    let rest = index;
    for (let i = others.length - 1; i >= 0; i -= 1) {
      const [axis = 0, count = 1] = [others[i], counts[i]];
      const at = cut.at[axis];
      const place = typeof at === "number" ? Math.floor(at / side(axis)) : rest % count;
      places.set(axis, place);
      told.set(axis, typeof at === "number" ? at : place * side(axis));
      rest = Math.floor(rest / count);
    }
    const first = [...places].reduce((sum, [axis, at]) => sum + at * (steps[axis] ?? 0), 0);
    const isNamed = others.some((axis) => axis !== colours);
    const placeOn = (axis: number) => (axis === colours ? ":" : (told.get(axis) ?? ":"));
    const name = isNamed ? `[${shape.map((_, axis) => placeOn(axis)).join(", ")}]` : "";
    return {
      name,
      rows: shape[cut.rows] ?? 1,
      columns: shape[cut.columns] ?? 1,
      first,
      rowStep: steps[cut.rows] ?? 0,
      columnStep: steps[cut.columns] ?? 0,
    };
  });
  return { matrices, total };
}

/** An element of a matrix; nothing if it was not handed over. */
export const elementOf = (elements: readonly number[], matrix: Matrix, row: number, column: number): number | undefined =>
  elements[matrix.first + row * matrix.rowStep + column * matrix.columnStep];

/** A picture with more points on a side shows no more than one with fewer. */
const MOST_POINTS = 1024;

/** How many rows and columns of a matrix are one point of its picture. */
export const foldOf = ({ rows, columns }: Matrix) => ({ rows: Math.ceil(rows / MOST_POINTS), columns: Math.ceil(columns / MOST_POINTS) });

export interface Points {
  rows: number;
  columns: number;
  /** Row by row the mean of the elements of each, as far as they were handed over. */
  means: readonly (number | undefined)[];
}

export function pointsOf(elements: readonly number[], matrix: Matrix): Points {
  const fold = foldOf(matrix);
  const [rows, columns] = [Math.ceil(matrix.rows / fold.rows), Math.ceil(matrix.columns / fold.columns)];
  const meanOf = (top: number, left: number) => {
    let [sum, n] = [0, 0];
    for (let row = top; row < Math.min(top + fold.rows, matrix.rows); row += 1) {
      for (let column = left; column < Math.min(left + fold.columns, matrix.columns); column += 1) {
        const element = elementOf(elements, matrix, row, column);
        if (element !== undefined) [sum, n] = [sum + element, n + 1];
      }
    }
    return n === 0 ? undefined : sum / n;
  };
  const means = Array.from({ length: rows * columns }, (_, at) => meanOf(Math.floor(at / columns) * fold.rows, (at % columns) * fold.columns));
  return { rows, columns, means };
}
