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

/** `0.02 ms`, `14 ms`, `1.6 s`. A browser tells times to a few microseconds at best. */
export function millisecondsOf(milliseconds: number): string {
  if (milliseconds < 0.005) return "< 0.01 ms";
  if (milliseconds < 10) return `${Number(milliseconds.toFixed(2))} ms`;
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  return `${Number((milliseconds / 1000).toPrecision(3))} s`;
}

/** Operations in a second, or bytes where nothing is computed; nothing where no time was seen to pass. */
export function rateOf(flops: number | undefined, bytes: number, milliseconds: number): string {
  if (milliseconds < 0.005) return "–";
  const seconds = milliseconds / 1000;
  return flops ? `${scaled(flops / seconds, ["", " k", " M", " G", " T"])}FLOP/s` : `${scaled(bytes / seconds, [" B", " kB", " MB", " GB", " TB"])}/s`;
}
