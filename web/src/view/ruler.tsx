// The bits of a variant or of a block as a ruler: what each range of them is, from the first to the last.
//
// All rulers of one scale are aligned: a bit has the same place in each. A range is never too narrow to point at, so
// the scale is straight between the ends of ranges and may be steeper at some than at others. For ranges that end at 1
// and 33, the first bit is wider than a thirty-third of the ruler.
import type { ComponentChildren } from "preact";
import { useSignal } from "@preact/signals";
import type { SegmentView } from "../wasm/relish_wasm.js";

/** A range takes at least this share of the ruler. */
const LEAST = 1 / 26;
/** With more ends than this the scale is straight. */
const MAX_ENDS = 60;
/** As many ticks have room for a number. */
const MAX_TICKS = 9;
/** Those nearer to the first tick than this, in percent, have no room. */
const FIRST_TICK = 7;
/** As many bytes have a mark of their own. */
const MAX_MARKS = 64;
/** The style sheet has as many colours for fields. */
const COLORS = 6;

interface Scale {
  bits: number;
  /** Where a bit begins, in percent. */
  at: (bit: number) => number;
}

export function scaleOf(bits: number, rulers: readonly (readonly SegmentView[])[]): Scale {
  const ends = new Set([0, bits]);
  for (const segment of rulers.flat()) {
    if (segment.kind === "padding") continue;
    ends.add(segment.offset).add(segment.offset + segment.bits);
  }
  const all = [...ends].filter((end) => end <= bits).sort((a, b) => a - b);
  if (all.length > MAX_ENDS || bits === 0) return { bits, at: (bit) => (bit / Math.max(bits, 1)) * 100 };
  const places = [0];
  for (let index = 1; index < all.length; index += 1) {
    const length = (all[index] ?? 0) - (all[index - 1] ?? 0);
    places.push((places[index - 1] ?? 0) + Math.max(length, bits * LEAST));
  }
  const whole = places.at(-1) || 1;
  const at = (bit: number) => {
    let index = 1;
    while (index < all.length - 1 && (all[index] ?? 0) < bit) index += 1;
    const [low, high] = [all[index - 1] ?? 0, all[index] ?? 0];
    const [from, to] = [places[index - 1] ?? 0, places[index] ?? 0];
    return ((from + ((to - from) * (bit - low)) / Math.max(high - low, 1)) / whole) * 100;
  };
  return { bits, at };
}

/** `bit 0`, `bits 1–8`. */
function bitsText({ offset, bits }: { offset: number; bits: number }): string {
  return bits === 1 ? `bit ${offset}` : `bits ${offset}–${offset + bits - 1}`;
}

/** A range in words, without where it is. */
function segmentText({ kind, text, field, digits, block }: SegmentView): string {
  const which = field === undefined ? "" : `field ${field + 1}, `;
  const isValue = digits !== undefined;
  switch (kind) {
    case "tag":
      return isValue ? `tag: ${text}` : `tag ${text}`;
    case "niche":
      return isValue ? `niche: ${text}` : `niche, code ${text}`;
    case "padding":
      return "padding";
    case "field":
      return `${which}${text}`;
    case "pointer":
      if (isValue) return block === undefined ? `${which}pointer` : `${which}pointer to block ${block}`;
      return `${which}pointer to ${text}`;
  }
}

/** Digits in base 2 where there is room for them, which the style sheet knows for these lengths, otherwise in base 16. */
const LENGTHS = [4, 8, 12, 16];

function Digits({ digits }: { digits: string }) {
  const length = LENGTHS.find((length) => digits.length <= length);
  const hexadecimal = `0x${BigInt(`0b${digits}`).toString(16).padStart(Math.ceil(digits.length / 4), "0")}`;
  return (
    <span class={`digits ${length === undefined ? "" : `of-${length}`}`}>
      {length !== undefined && <span class="binary">{digits}</span>}
      <span class="hexadecimal">{hexadecimal}</span>
    </span>
  );
}

export function colorOf({ kind, field }: SegmentView): string {
  return kind === "field" || kind === "pointer" ? `is-${kind} color-${(field ?? 0) % COLORS}` : `is-${kind}`;
}

interface RulerProps {
  label: string;
  segments: readonly SegmentView[];
  scale: Scale;
  bits: number;
  /** Where other variants have their codes. */
  niche?: { offset: number; bits: number } | undefined;
  onPoint: (segment: SegmentView | undefined) => void;
}

/** One ruler; the arrow keys go from range to range. */
export function Ruler({ label, segments, scale, bits, niche, onPoint }: RulerProps) {
  const current = useSignal<number | undefined>(undefined);
  const set = (index: number | undefined) => {
    current.value = index;
    onPoint(index === undefined ? undefined : segments[index]);
  };
  const place = (range: { offset: number; bits: number }) => {
    const left = scale.at(range.offset);
    return { left: `${left}%`, width: `${scale.at(range.offset + range.bits) - left}%` };
  };
  return (
    <div
      class="ruler"
      role="group"
      tabIndex={0}
      aria-label={`${label}: ${segments.map((segment) => `${bitsText(segment)} ${segmentText(segment)}`).join(", ") || "nothing is stored"}`}
      onFocus={() => set(segments.length > 0 ? 0 : undefined)}
      onBlur={() => set(undefined)}
      onKeyDown={(event) => {
        const way = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
        if (way === 0 || segments.length === 0) return;
        event.preventDefault();
        set(Math.min(segments.length - 1, Math.max(0, (current.value ?? 0) + way)));
      }}
    >
      <div class="frame" style={{ width: `${scale.at(bits)}%` }} />
      {segments.map((segment, index) => (
        <div
          class={`segment ${colorOf(segment)} ${current.value === index ? "lit" : ""}`}
          style={place(segment)}
          onPointerEnter={() => set(index)}
          onPointerLeave={() => set(undefined)}
        >
          <Meaning segment={segment} />
          {segment.digits !== undefined && segment.kind !== "padding" && <Digits digits={segment.digits} />}
        </div>
      ))}
      {niche && <div class="niche-here" style={place(niche)} />}
      {marks(bits).map((bit) => (
        <div class="mark" style={{ left: `${scale.at(bit)}%` }} />
      ))}
    </div>
  );
}

function Meaning({ segment }: { segment: SegmentView }) {
  const text = shortText(segment);
  const length = text.length <= 2 ? "" : text.length <= 4 ? "of-4" : text.length <= 8 ? "of-8" : "long";
  return (
    <>
      <span class={`meaning ${length}`}>{text}</span>
      {segment.field !== undefined && length !== "" && <span class="brief">{segment.kind === "pointer" ? "→" : `#${segment.field + 1}`}</span>}
    </>
  );
}

function shortText({ kind, text, digits, block }: SegmentView): string {
  if (kind === "padding") return "";
  if (kind === "pointer") return digits === undefined ? `→ ${text}` : `→ ${block ?? ""}`;
  return text;
}

function marks(bits: number): number[] {
  if (bits / 8 > MAX_MARKS) return [];
  return Array.from({ length: Math.max(0, Math.ceil(bits / 8) - 1) }, (_, index) => (index + 1) * 8);
}

/** Numbers over the rulers: of bits where they are few, otherwise of bytes. */
export function Axis({ scale }: { scale: Scale }) {
  const { bits } = scale;
  const isBits = bits <= 16;
  const unit = isBits ? 1 : 8;
  const n = Math.ceil(bits / unit);
  let step = 1;
  while (n / step > MAX_TICKS) step *= 2;
  const ticks = Array.from({ length: Math.floor(n / step) + 1 }, (_, index) => index * step);
  const hasRoom = (tick: number) => tick === 0 || (tick * unit <= bits && scale.at(tick * unit) >= FIRST_TICK);
  return (
    <div class="axis" aria-hidden="true">
      <span class="unit">{isBits ? "bit" : "byte"}</span>
      <div class="ticks">
        {ticks.filter(hasRoom).map((tick) => (
          <span style={{ left: `${scale.at(tick * unit)}%` }}>{tick}</span>
        ))}
      </div>
    </div>
  );
}

/** The same in words. */
export function Twin({ rows }: { rows: readonly { name: ComponentChildren; segments: readonly SegmentView[]; note: string }[] }) {
  return (
    <ul class="twin">
      {rows.map(({ name, segments, note }) => (
        <li>
          <code>{name}</code>
          {note !== "" && `: ${note}`}
          {segments.length > 0 && (
            <ul>
              {segments.map((segment) => (
                <li>
                  {bitsText(segment)}: {segmentText(segment)}
                  {segment.digits !== undefined && segment.kind !== "padding" && (
                    <>
                      {" = "}
                      <code>{segment.digits}</code>
                    </>
                  )}
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  );
}

/** What is pointed at, in words. */
export function Caption({ segment, hint }: { segment: SegmentView | undefined; hint: string }) {
  return (
    <p class="caption" aria-live="polite">
      {segment === undefined ? (
        hint
      ) : (
        <>
          <span class={`swatch ${colorOf(segment)}`} />
          {bitsText(segment)}: {segmentText(segment)}
          {segment.digits !== undefined && segment.kind !== "padding" && (
            <>
              {" "}
              <code>{segment.digits}</code>
            </>
          )}
        </>
      )}
    </p>
  );
}
