// One matrix of a tensor as a heat map, and one image in a tensor as an image.
import { useMemo } from "preact/hooks";
import { elementOf, type Matrix, type Points, pointsOf } from "./axes.ts";
import { Bitmap } from "./bitmap.tsx";
import { colorOf, endsOf, exact, type Range, readable } from "./numbers.ts";
import { brightness, type Images } from "./picture.ts";
import type { StatisticsView } from "../wasm/relish_wasm.js";

interface Props {
  /** Of the tensor, or means of its blocks. */
  elements: readonly number[];
  /** What they are more than that, if anything. */
  lacks: readonly number[];
  dtype: string;
  /** How many rows and columns each point stands for, where it is a mean. */
  block: { rows: number; columns: number } | undefined;
  matrix: Matrix;
  /** How many rows and columns of the tensor are shown. */
  size: readonly [number, number];
  /** Not one of several. */
  isOne: boolean;
}

/** By what a matrix is told from others: it is another object whenever it is drawn. */
const partsOf = ({ first, rows, columns, rowStep, columnStep }: Matrix) => [first, rows, columns, rowStep, columnStep];

interface HeatMapProps extends Props {
  points: Points;
  range: Range;
  /** Otherwise the range is of nothing. */
  hasFinite: boolean;
}

export function HeatMap({ points: { rows, columns, means }, lacks, dtype, block, matrix, size, range, hasFinite, isOne }: HeatMapProps) {
  const { name } = matrix;
  const color = useMemo(
    () => (row: number, column: number) => {
      const element = means[row * columns + column];
      return element === undefined ? undefined : colorOf(element, range);
    },
    [means, range],
  );
  const say = (row: number, column: number) => {
    const element = means[row * columns + column];
    if (block !== undefined && element !== undefined) {
      const said = dtype === "bool" ? `${readable(100 * element)}% are True` : `the mean is ${readable(element)}`;
      return `around [${row * block.rows}, ${column * block.columns}] ${said}`;
    }
    return element === undefined ? `[${row}, ${column}] is not here` : `[${row}, ${column}] is ${exact(element, dtype, elementOf(lacks, matrix, row, column))}`;
  };
  const [least, most] = endsOf(range, dtype);
  const ends = hasFinite ? ` from ${least} to ${most}` : ", none of them finite";
  const label = `Heat map${name === "" ? "" : ` ${name}`} of ${size.join(" by ")} elements${ends}`;
  return <Bitmap rows={rows} columns={columns} color={color} say={say} label={label} isOne={isOne} stretches />;
}

interface ImageProps extends Props {
  images: Images;
  statistics: StatisticsView;
  /** From an element of one colour to that of the next. */
  channelStep: number;
}

export function Image({ elements, dtype, block, matrix, size, images, statistics, channelStep, isOne }: ImageProps) {
  const { name } = matrix;
  const channels = useMemo(
    () => Array.from({ length: images.channels }, (_, channel) => pointsOf(elements, { ...matrix, first: matrix.first + channel * channelStep })),
    [elements, ...partsOf(matrix), channelStep, images],
  );
  const [{ rows, columns } = { rows: 0, columns: 0 }] = channels;
  const at = (row: number, column: number) => channels.map(({ means }) => means[row * columns + column]);
  const color = useMemo(
    () => (row: number, column: number) => {
      const found = at(row, column);
      if (found.includes(undefined)) return undefined;
      const [red = 0, green = red, blue = red] = found.map((value = 0) => brightness(value, images.scale, statistics));
      return [red, green, blue] as const;
    },
    [channels],
  );
  const say = (row: number, column: number) => {
    const values = at(row, column);
    if (values.every((value) => value === undefined)) return `[${row}, ${column}] is not here`;
    const told = (value: number) => (block === undefined ? exact(value, dtype) : readable(value));
    const text = values.map((value) => (value === undefined ? "?" : told(value))).join(", ");
    const said = images.channels === 3 ? `(${text})` : text;
    return block === undefined ? `[${row}, ${column}] is ${said}` : `around [${row * block.rows}, ${column * block.columns}] the mean is ${said}`;
  };
  const mean = useMemo(() => {
    const here = channels.flatMap(({ means }) => means.filter((value) => value !== undefined));
    return here.length === 0 ? "" : `, mean ${readable(here.reduce((sum, value) => sum + value, 0) / here.length)}`;
  }, [channels]);
  const kind = images.channels === 3 ? "Colour image" : "Grey image";
  const label = `${kind}${name === "" ? "" : ` ${name}`} of ${size.join(" by ")} points${mean}`;
  return <Bitmap rows={rows} columns={columns} color={color} say={say} label={label} isOne={isOne} />;
}
