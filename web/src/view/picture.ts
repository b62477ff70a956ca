// Whether a tensor looks like an image, and what its points are.
import type { StatisticsView } from "../wasm/relish_wasm.js";

/** Smaller than this on a side, a matrix is a matrix. */
const LEAST_SIDE = 8;

/** How numbers become brightness. */
export type Scale = "unit" | "byte" | "stretched";

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

/** How the numbers would be shown, if they are like those of images. */
function scaleOf({ min, max, mean, deviation, n_nan, n_infinite }: StatisticsView, dtype: string): Scale | undefined {
  if (n_nan > 0 || n_infinite > 0 || min === max) return undefined;
  if (dtype === "bool" || (min >= 0 && max <= 1)) return "unit";
  if (min >= 0 && max <= 255 && max > 1) return "byte";
  // What was normalised for a network: about 0, some deviations to each side.
  const isNormalised = !dtype.includes("int") && Math.abs(mean) <= 3 * deviation && Math.max(-min, max) <= 8;
  return isNormalised ? "stretched" : undefined;
}

/** As `(…, h, w)`, `(…, 1, h, w)`, `(…, 3, h, w)` or `(…, h, w, 3)`; nothing if it looks like no image. */
export function imagesOf(shape: readonly number[], statistics: StatisticsView, dtype: string): Images | undefined {
  const rank = shape.length;
  const scale = scaleOf(statistics, dtype);
  if (rank < 2 || scale === undefined) return undefined;
  const side = (axis: number) => (shape[axis] ?? 0) >= LEAST_SIDE;
  const [third, second, last] = [rank - 3, rank - 2, rank - 1];
  if (rank >= 3 && shape[last] === 3 && side(third) && side(second)) {
    return { height: third, width: second, channel: last, channels: 3, scale, isSure: scale !== "stretched" };
  }
  if (!side(second) || !side(last)) return undefined;
  const here = { height: second, width: last, scale };
  if (rank >= 3 && shape[third] === 3) return { ...here, channel: third, channels: 3, isSure: scale !== "stretched" };
  if (rank >= 3 && shape[third] === 1) return { ...here, channel: third, channels: 1, isSure: scale !== "stretched" };
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
