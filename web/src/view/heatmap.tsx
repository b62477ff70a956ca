// One matrix of a tensor as a heat map, and one image in a tensor as an image.
import { useMemo } from "preact/hooks";
import { elementOf, type Matrix, pointsOf } from "./axes.ts";
import { Bitmap, type Rgb } from "./bitmap.tsx";
import { colorOf, exact, type Range, readable } from "./numbers.ts";
import { brightness, type Images } from "./picture.ts";
import type { TensorView } from "../wasm/relish_wasm.js";

interface HeatMapProps {
  /** Of the tensor, or means of its blocks. */
  elements: readonly number[];
  dtype: string;
  /** How many rows and columns each point stands for, where it is a mean. */
  block: { rows: number; columns: number } | undefined;
  matrix: Matrix;
  /** How many rows and columns of the tensor are shown. */
  size: readonly [number, number];
  range: Range;
  /** Not one of several. */
  isOne: boolean;
}

export function HeatMap({ elements, dtype, block, matrix, size, range, isOne }: HeatMapProps) {
  const { name } = matrix;
  const { rows, columns, means } = useMemo(() => pointsOf(elements, matrix), [elements, matrix.first, matrix.rowStep, matrix.columnStep]);
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
    return element === undefined ? `[${row}, ${column}] is not here` : `[${row}, ${column}] is ${exact(element, dtype)}`;
  };
  const told = (value: number) => (dtype === "bool" ? exact(value, dtype) : readable(value));
  const label = `Heat map${name === "" ? "" : ` ${name}`} of ${size.join(" by ")} elements from ${told(range.min)} to ${told(range.max)}`;
  return <Bitmap rows={rows} columns={columns} color={color} say={say} label={label} isOne={isOne} stretches />;
}

interface ImageProps {
  tensor: TensorView;
  images: Images;
  /** Where the image's first element is, and the name of its place. */
  matrix: Matrix;
  channelStep: number;
  isOne: boolean;
}

export function Image({ tensor, images, matrix, channelStep, isOne }: ImageProps) {
  const { elements, statistics, dtype } = tensor;
  const { rows, columns, name } = matrix;
  const at = (row: number, column: number) =>
    [0, 1, 2].map((channel) => {
      const from = images.channels === 3 ? { ...matrix, first: matrix.first + channel * channelStep } : matrix;
      return elementOf(elements, from, row, column);
    });
  const color = useMemo(
    () => (row: number, column: number) => {
      const found = at(row, column).map((value) => (value === undefined ? undefined : brightness(value, images.scale, statistics)));
      return found.includes(undefined) ? undefined : (found as unknown as Rgb);
    },
    [elements, matrix.first, matrix.rowStep, matrix.columnStep, images],
  );
  const say = (row: number, column: number) => {
    const values = at(row, column).slice(0, images.channels);
    if (!values.some((value) => value !== undefined)) return `[${row}, ${column}] is not here`;
    const text = values.map((value) => (value === undefined ? "?" : exact(value, dtype))).join(", ");
    return `[${row}, ${column}] is ${images.channels === 3 ? `(${text})` : text}`;
  };
  const kind = images.channels === 3 ? "Colour image" : "Grey image";
  const label = `${kind}${name === "" ? "" : ` ${name}`} of ${rows} by ${columns} points, mean ${readable(statistics.mean)}`;
  return <Bitmap rows={rows} columns={columns} color={color} say={say} label={label} isOne={isOne} />;
}
