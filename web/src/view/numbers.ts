// Numbers for reading, and the colours that stand for them.
export interface Range {
  min: number;
  max: number;
  /** There are both negative and positive elements, so that zero has a colour of its own. */
  isSigned: boolean;
}

/** Of the finite elements; the others have their own colours. */
export const rangeOf = ({ min, max }: { min: number; max: number }): Range => ({ min, max, isSigned: min < 0 && max > 0 });

/** Of some points alone; of all where none of them is finite. */
export function rangeAmong(points: Iterable<number | undefined>, all: Range): Range {
  let [min, max] = [Infinity, -Infinity];
  for (const point of points) if (point !== undefined && Number.isFinite(point)) [min, max] = [Math.min(min, point), Math.max(max, point)];
  return min > max ? all : rangeOf({ min, max });
}

/** As many digits at least are shown of a number that is rounded, and all those of whole ones. */
const DIGITS = 4;

/** Of a zero, its sign as well. */
const whole = (value: number) => (Object.is(value, -0) ? "−0" : String(value).replaceAll("-", "−"));

/** As many decimals have so many digits of a number that is not 0. */
const decimalsAt = (value: number, digits: number) => Math.max(1, digits - 1 - Math.floor(Math.log10(Math.abs(value))));

/** Enough digits to tell apart, few enough to read; `digits` at least where it is rounded. */
export function readable(value: number, digits = DIGITS): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "−inf";
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return whole(value);
  const size = Math.abs(value);
  const fixed = () => {
    const text = value.toFixed(decimalsAt(value, digits));
    // What is not whole does not look so.
    return Number.isInteger(Number(text)) ? text : String(Number(text));
  };
  return (size >= 1e9 || size < 1e-4 ? value.toExponential(digits - 2) : fixed()).replaceAll("-", "−");
}

const numberIn = (text: string) => Number(text.replaceAll("−", "-"));

/** Of so many numbers all that differ are told apart, of others every second one. */
const READ_ALL = 64;

/** As few digits as tell the numbers apart, but no more than `most`. */
function digitsApart(values: readonly number[], most: number): number {
  const different = [...new Set(values.filter(Number.isFinite))];
  const enough = different.length - Math.max(0, different.length - READ_ALL) / 2;
  let digits = DIGITS;
  while (digits < most && new Set(different.map((value) => numberIn(readable(value, digits)))).size < enough) digits += 1;
  return digits;
}

const decimalsOf = (text: string) => /^[−\d]+\.(\d+)$/.exec(text)?.[1]?.length ?? 0;
/** With so many decimals more a number would say more than it is known to. */
const FEW = 2;
/** Of the floats of a dtype so many digits are known: zeros behind the shortest ones that have more would say too much. */
const KNOWN: Readonly<Record<string, number>> = { float32: 7, float16: 3, bfloat16: 2 };

/** Numbers that stand below each other, told apart, with as many decimals, where theirs differ little; whole ones stay whole. */
export function readableAlike(values: readonly number[], dtype: string): (value: number) => string {
  const digits = digitsApart(values, 9);
  const told = (value: number) => {
    const text = readable(value, digits);
    const hasMore = isRounded(value, text);
    const n = decimalsOf(text);
    // A digit that is rounded to 0 counts as well.
    return { text, hasMore, n: n > 0 && hasMore ? decimalsAt(value, digits) : n };
  };
  const all = values.map(told);
  // What is close to 0 has more, which the others would not be known to.
  const least = Math.min(...all.filter(({ n, hasMore }) => n > 0 && hasMore).map(({ n }) => n));
  const most = Math.max(0, ...all.map(({ n }) => n).filter((n) => n <= least + FEW));
  return (value) => {
    const { text, n } = told(value);
    const isKnown = decimalsOf(whole(value)) >= most || decimalsAt(value, KNOWN[dtype] ?? 15) >= most;
    const shown = n > 0 && n <= most && most - n <= FEW && isKnown ? most : n;
    return shown > 0 ? value.toFixed(shown).replace("-", "−") : text;
  };
}

/** Two numbers with as many digits as tell them apart. */
export function readableApart(low: number, high: number): [string, string] {
  const digits = digitsApart([low, high], 17);
  return [readable(low, digits), readable(high, digits)];
}

/** The ends of a scale of elements of a dtype. */
export const endsOf = ({ min, max }: Range, dtype: string): [string, string] =>
  dtype === "bool" ? [exact(min, dtype), exact(max, dtype)] : readableApart(min, max);

/** To so many bits, but to none that stands for less than a power of two: the smallest floats have fewer. */
const toBits = (bits: number, least: number) => (value: number) => {
  const step = 2 ** Math.max(least, Math.floor(Math.log2(Math.abs(value))) - bits + 1);
  return Math.round(value / step) * step;
};

/** The nearest float of a dtype whose elements come as wider ones. */
const NEAREST: Readonly<Record<string, (value: number) => number>> = { float32: Math.fround, float16: toBits(11, -24), bfloat16: toBits(8, -133) };

/** The number of the fewest digits that tell the value from the others of its dtype. */
export function shortest(value: number, dtype: string): number {
  const nearest = NEAREST[dtype];
  if (nearest === undefined || value === 0 || !Number.isFinite(value)) return value;
  // Nine digits always do.
  for (let digits = 1; digits < 9; digits += 1) {
    const found = Number(value.toPrecision(digits));
    if (nearest(found) === value) return found;
  }
  return Number(value.toPrecision(9));
}

/** With all its digits; an integer with what it lacks as a float64. */
export function exact(value: number, dtype: string, lack = 0): string {
  if (dtype === "bool") return value === 0 ? "False" : "True";
  if (!Number.isFinite(value)) return readable(value);
  if (dtype.includes("int") && Number.isInteger(value)) return String(BigInt(value) + BigInt(lack)).replace("-", "−");
  return whole(shortest(value, dtype));
}

/** Whether a reader of `text` is not shown all of it. */
export const isRounded = (value: number, text: string): boolean => Number.isFinite(value) && numberIn(text) !== value;

type Rgb = readonly [number, number, number];

/** From least to most, for elements of one sign: dark to light through green. */
const SEQUENTIAL: readonly Rgb[] = [[18, 42, 46], [23, 84, 78], [46, 130, 91], [116, 176, 91], [204, 216, 110], [253, 245, 190]];
/** From negative through zero to positive: blue, paper, red. */
const DIVERGING: readonly Rgb[] = [[25, 63, 120], [84, 138, 196], [188, 212, 232], [247, 245, 238], [240, 194, 160], [208, 109, 72], [132, 36, 40]];
const NOT_A_NUMBER: Rgb = [214, 60, 200];
/** Of neither scale, and as far apart from each other as from NaN. */
const INFINITE: Rgb = [255, 196, 0];
const NEGATIVE_INFINITE: Rgb = [0, 229, 255];

/** Elements that have no place on the scale, and what the legend calls them. */
export const BEYOND: readonly { name: string; is: (value: number) => boolean; color: string }[] = [
  { name: "nan", is: Number.isNaN, color: css(NOT_A_NUMBER) },
  { name: "inf", is: (value) => value === Infinity, color: css(INFINITE) },
  { name: "−inf", is: (value) => value === -Infinity, color: css(NEGATIVE_INFINITE) },
];

export function css(color: Rgb): string {
  return `rgb(${color.map(Math.round).join(" ")})`;
}

export function colorOf(value: number, range: Range): Rgb {
  if (Number.isNaN(value)) return NOT_A_NUMBER;
  if (!Number.isFinite(value)) return value > 0 ? INFINITE : NEGATIVE_INFINITE;
  if (range.isSigned) {
    const reach = Math.max(-range.min, range.max);
    return along(DIVERGING, (value / reach + 1) / 2);
  }
  return along(SEQUENTIAL, range.max === range.min ? 0.5 : (value - range.min) / (range.max - range.min));
}

function along(stops: readonly Rgb[], position: number): Rgb {
  const at = Math.min(1, Math.max(0, position)) * (stops.length - 1);
  const low = stops[Math.floor(at)] ?? NOT_A_NUMBER;
  const high = stops[Math.ceil(at)] ?? low;
  const t = at - Math.floor(at);
  return [low[0] + (high[0] - low[0]) * t, low[1] + (high[1] - low[1]) * t, low[2] + (high[2] - low[2]) * t];
}

/** The same colours for the legend beside the picture, as a CSS gradient. */
export function gradientOf(range: Range): string {
  const steps = Array.from({ length: 13 }, (_, index) => {
    // Between the two, whose distance may be more than there are numbers for.
    const value = range.min * (1 - index / 12) + range.max * (index / 12);
    return css(colorOf(value, range));
  });
  return `linear-gradient(to right, ${steps.join(", ")})`;
}
