// The blocks of the machine's heap, each with the places of its fields over its bytes.
import type { Signal } from "@preact/signals";
import { bytesOf, hex } from "../action/stepping.ts";
import type { BlockView, PartView } from "../wasm/relish_wasm.js";
import { highlight, TypeText } from "./code.tsx";
import { plural } from "./units.ts";

/** Bits in a row of the picture. */
const ROW = 64;

const BLOCK = "heap-block-";

interface PointerProps {
  to: number;
  lit: Signal<number | undefined>;
}

/** Lights up the block that it leads to, and goes there. */
export function Pointer({ to, lit }: PointerProps) {
  const on = () => (lit.value = to);
  const off = () => (lit.value = undefined);
  return (
    <button
      type="button"
      class="pointer"
      title={`Pointer to the block at ${hex(to)}`}
      onClick={() => document.getElementById(BLOCK + to)?.scrollIntoView({ block: "nearest", behavior: "smooth" })}
      onPointerEnter={on}
      onPointerLeave={off}
      onFocus={on}
      onBlur={off}
    >
      → {hex(to)}
    </button>
  );
}

interface HeapProps {
  blocks: readonly BlockView[];
  /** What was shown before; nothing is marked if nothing was. */
  before: readonly BlockView[] | undefined;
  /** Whether both are all blocks that there were. */
  isWhole: boolean;
  nMore: number;
  lit: Signal<number | undefined>;
}

export function Heap({ blocks, before, isWhole, nMore, lit }: HeapProps) {
  if (blocks.length === 0) return <p class="note">The heap is empty: all values are in the frames.</p>;
  const was = new Map(before?.map((block) => [block.address, block]));
  const mark = (block: BlockView) => {
    if (before === undefined) return undefined;
    const old = was.get(block.address);
    if (old === undefined) return isWhole ? "new" : undefined;
    if (bytesOf(old) !== bytesOf(block)) return "written";
    return old.count === block.count ? undefined : (old.count ?? 0) < (block.count ?? 0) ? "shared" : "released";
  };
  return (
    <>
      <ul class="blocks">
        {blocks.map((block) => (
          <Block block={block} old={was.get(block.address)} mark={mark(block)} lit={lit} />
        ))}
      </ul>
      {nMore > 0 && <p class="note">{plural(nMore, "more block")} {nMore === 1 ? "is" : "are"} not shown.</p>}
    </>
  );
}

interface BlockProps {
  block: BlockView;
  old: BlockView | undefined;
  mark: string | undefined;
  lit: Signal<number | undefined>;
}

function Block({ block, old, mark, lit }: BlockProps) {
  const { address, count, kind, type, value, bytes, parts, size } = block;
  // What is kept to be used again has none either.
  const owners = count === undefined ? (type === "" ? "" : "of the program, not counted, ") : `${count} ${count === 1 ? "owner" : "owners"}, `;
  return (
    <li id={BLOCK + address} class={`block ${mark ?? ""} ${lit.value === address ? "lit" : ""}`}>
      <header>
        <code class="address">{hex(address)}</code>
        <span class="kind">{kind}</span>
        <TypeText text={type} />
        {mark !== undefined && <span class="badge">{mark}</span>}
        <span class="owners">
          {owners}
          {size} bytes
        </span>
      </header>
      {value !== "" && (
        <p class="holds">
          <code>{highlight(value)}</code>
        </p>
      )}
      <Ruler bytes={bytes} parts={parts} old={mark === "written" ? old?.bytes : undefined} isCut={size - 8 > bytes.length} />
      {parts.length > 0 && (
        <ul class="parts">
          {parts.map(({ name, kind, offset, bits, value, pointer }) => (
            <li class={`of-${kind}`}>
              <span class="swatch" aria-hidden="true" />
              <span class="part-name">{name}</span>
              <span class="place">{placeText(offset, bits)}</span>
              {pointer !== undefined ? <Pointer to={pointer} lit={lit} /> : value !== "" && <code>{highlight(value)}</code>}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** Whole bytes as bytes, others as bits. */
function placeText(offset: number, bits: number): string {
  const range = (first: number, n: number) => (n === 1 ? String(first) : `${first}–${first + n - 1}`);
  if (offset % 8 === 0 && bits % 8 === 0) return `${bits === 8 ? "byte" : "bytes"} ${range(offset / 8, bits / 8)}`;
  return `${bits === 1 ? "bit" : "bits"} ${range(offset, bits)}`;
}

interface RulerProps {
  bytes: readonly number[];
  parts: readonly PartView[];
  old: readonly number[] | undefined;
  isCut: boolean;
}

/** Eight bytes a row: the parts above, the bytes in hexadecimal below. The list beside it says the same. */
function Ruler({ bytes, parts, old, isCut }: RulerProps) {
  const n_rows = Math.ceil((bytes.length * 8) / ROW);
  const percent = (bits: number) => `${(100 * bits) / ROW}%`;
  const hasParts = parts.length > 0;
  return (
    <div class={hasParts ? "byte-ruler" : "byte-ruler bare"} role="img" aria-label={`Bytes ${bytes.map(byteText).join(" ")}${isCut ? " and more" : ""}`}>
      {Array.from({ length: n_rows }, (_, row) => {
        const first = row * ROW;
        const here = parts.filter(({ offset, bits }) => offset < first + ROW && offset + bits > first && bits > 0);
        return (
          <div class="byte-row">
            <span class="offset">{first / 8}</span>
            <div class="byte-parts" hidden={!hasParts}>
              {here.map(({ name, kind, offset, bits, value, pointer }) => {
                const from = Math.max(offset, first);
                const to = Math.min(offset + bits, first + ROW);
                const text = pointer === undefined ? value : `→ ${hex(pointer)}`;
                return (
                  <span
                    class={`part of-${kind} ${pointer === undefined ? "" : "points"}`}
                    style={{ left: percent(from - first), width: percent(to - from) }}
                    title={`${name}, ${placeText(offset, bits)}${text === "" ? "" : `: ${text}`}`}
                  >
                    {to - from >= 8 ? (kind === "padding" ? "" : text === "" ? name : text) : ""}
                  </span>
                );
              })}
            </div>
            <div class="byte-bytes">
              {bytes.slice(first / 8, (first + ROW) / 8).map((byte, index) => (
                <span class={old !== undefined && old[first / 8 + index] !== byte ? "different" : ""}>{byteText(byte)}</span>
              ))}
            </div>
          </div>
        );
      })}
      {isCut && <span class="offset">…</span>}
    </div>
  );
}

const byteText = (byte: number) => byte.toString(16).padStart(2, "0");
