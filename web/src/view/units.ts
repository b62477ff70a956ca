// Amounts as a reader wants them: whole, or as three digits and a unit, in powers of a thousand.

/** `12,345`. */
export const grouped = (n: number): string => n.toLocaleString("en");

/** `1 bit`, `12,345 bits`. */
export const plural = (n: number, what: string): string => `${grouped(n)} ${what}${n === 1 ? "" : "s"}`;

function scaled(amount: number, units: readonly string[]): string {
  let unit = 0;
  let rest = amount;
  // What comes to a thousand once it is rounded is one of the next unit.
  while (unit + 1 < units.length && rest >= 999.5) {
    rest /= 1000;
    unit += 1;
  }
  const text = unit === 0 && Number.isInteger(rest) ? String(rest) : String(Number(rest.toPrecision(3)));
  return `${text}${units[unit] ?? ""}`;
}

/** `640 bytes`, `12.4 MB`. */
export const bytesOf = (bytes: number): string => (bytes === 1 ? "1 byte" : scaled(bytes, [" bytes", " kB", " MB", " GB", " TB", " PB", " EB"]));

/** `640`, `12.4 M`. */
export const countOf = (count: number): string => scaled(count, ["", " k", " M", " G", " T", " P", " E"]);

/**
 * The least time in milliseconds that the browser's clock tells from none. Chromium's goes by tenths of a millisecond on a
 * page that is not isolated from others, and by 5 microseconds on one that is; elsewhere it may be a whole millisecond.
 */
const TICK_MS = Math.max(0.01, Number(shortestTick().toPrecision(1)));

function shortestTick(): number {
  let shortest = Infinity;
  for (let nth = 0; nth < 3; nth += 1) {
    const start = performance.now();
    let now = start;
    while (now === start) now = performance.now();
    shortest = Math.min(shortest, now - start);
  }
  return shortest;
}

const DECIMALS = TICK_MS >= 1 ? 0 : TICK_MS >= 0.1 ? 1 : 2;

/** A rate of fewer ticks than this would be the clock's, not the program's. */
const TICKS_OF_A_RATE = 10;

/** `0.2 ms`, `14 ms`, `1.6 s`, and `< 0.1 ms` of what the clock does not tell from nothing. */
export function millisecondsOf(milliseconds: number): string {
  if (milliseconds < TICK_MS / 2) return `< ${TICK_MS} ms`;
  if (milliseconds < 10) return `${Math.max(TICK_MS, Number(milliseconds.toFixed(DECIMALS)))} ms`;
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  return `${Number((milliseconds / 1000).toPrecision(3))} s`;
}

/** Whether so much time was seen to pass that one can say how much was done in it. */
export const hasRate = (milliseconds: number): boolean => milliseconds >= TICKS_OF_A_RATE * TICK_MS;

/** Operations in a second, or bytes where nothing is computed; nothing where they are not known, or too little time was seen. */
export function rateOf(flops: number | undefined, bytes: number, milliseconds: number): string {
  if (!hasRate(milliseconds) || flops === undefined) return "–";
  const seconds = milliseconds / 1000;
  return flops ? `${scaled(flops / seconds, [" ", " k", " M", " G", " T"])}FLOP/s` : `${scaled(bytes / seconds, [" B", " kB", " MB", " GB", " TB"])}/s`;
}
