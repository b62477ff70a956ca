// Whether a tensor looks like an image, and what its points are.
import type { StatisticsView, TensorView } from "../wasm/relish_wasm.js";

/** Smaller than this on a side, a matrix is a matrix. */
const LEAST_SIDE = 8;

/** How numbers become brightness. */
type Scale = "unit" | "byte" | "stretched";

export interface Images {
  /** The axes of a point; those before them number the images. */
  height: number;
  width: number;
  /** Of colour, if there is such an axis. */
  channel: number | undefined;
  channels: 1 | 3;
  scale: Scale;
  /** So sure that it is shown as one unasked. */
  isSure: boolean;
}

/** On a scale of bytes, numbers up to this alone would all be black. */
const DARK = 32;

/** How the numbers would be shown, if they are like those of images, and whether they are surely such. */
function scaleOf({ statistics, dtype, elements }: TensorView): { scale: Scale; isSure: boolean } | undefined {
  const { min, max, mean, deviation, n_nan, n_infinite } = statistics;
  if (n_nan > 0 || n_infinite > 0 || min === max) return undefined;
  if (dtype === "bool" || (min >= 0 && max <= 1)) return { scale: "unit", isSure: true };
  const isPositive = min >= 0 && max <= 255;
  if (isPositive && (dtype === "uint8" || max > DARK)) return { scale: "byte", isSure: elements.every(Number.isInteger) };
  // What was normalised for a network: about 0, some deviations to each side.
  const isNormalised = !dtype.includes("int") && Math.abs(mean) <= 3 * deviation && Math.max(-min, max) <= 8;
  return isPositive || isNormalised ? { scale: "stretched", isSure: false } : undefined;
}

/** As `(…, h, w)`, `(…, 1, h, w)`, `(…, 3, h, w)` or `(…, h, w, 3)`; nothing if it looks like no image. */
export function imagesOf(tensor: TensorView): Images | undefined {
  const { shape, dtype } = tensor;
  const rank = shape.length;
  const found = rank < 2 ? undefined : scaleOf(tensor);
  if (found === undefined) return undefined;
  const side = (axis: number) => (shape[axis] ?? 0) >= LEAST_SIDE;
  const [third, second, last] = [rank - 3, rank - 2, rank - 1];
  if (rank >= 3 && shape[last] === 3 && side(third) && side(second)) {
    return { height: third, width: second, channel: last, channels: 3, ...found };
  }
  if (!side(second) || !side(last)) return undefined;
  const here = { height: second, width: last, ...found };
  if (rank >= 3 && shape[third] === 3) return { ...here, channel: third, channels: 3 };
  if (rank >= 3 && shape[third] === 1) return { ...here, channel: third, channels: 1 };
  return { ...here, channel: undefined, channels: 1, isSure: dtype === "uint8" };
}

/** From 0 to 255. */
export function brightness(value: number, scale: Scale, { min, max }: StatisticsView): number {
  switch (scale) {
    case "unit":
      return value * 255;
    case "byte":
      return value;
    case "stretched":
      return ((value - min) / (max - min)) * 255;
  }
}
