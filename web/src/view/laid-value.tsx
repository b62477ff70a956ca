// A value put together by hand, and the bits that each strategy stores it as.
import { useSignal, useSignalEffect } from "@preact/signals";
import { layoutValue } from "../action/queries.ts";
import { isFresh } from "../state.ts";
import { highlight, TypeText } from "./code.tsx";
import { Axis, Caption, Ruler, scaleOf, Twin } from "./ruler.tsx";
import type { BlockView, ChoiceView, LaidValueView, SegmentView } from "../wasm/relish_wasm.js";
import { plural } from "./units.ts";

/** As many bytes are written out. */
const MAX_BYTES = 32;

interface Props {
  entry: number;
  /** The variant to begin with. */
  initial: number;
  strategies: readonly string[];
}

/** The choices as the compiler reads them. */
const packed = (nodes: readonly ChoiceView[]) => nodes.map(({ n_fields, chosen }) => `${n_fields} ${chosen}`);

/** The choices with another one at a place; what was below it is chosen anew. */
function changed(nodes: readonly ChoiceView[], at: number, chosen: string): string[] {
  const depth = nodes[at]?.depth ?? 0;
  let end = at + 1;
  while (end < nodes.length && (nodes[end]?.depth ?? 0) > depth) end += 1;
  // A number has nothing below it.
  return [...packed(nodes.slice(0, at)), `0 ${chosen}`, ...packed(nodes.slice(end))];
}

export function LaidValue({ entry, initial, strategies }: Props) {
  const choices = useSignal<string[]>([`0 ${initial}`]);
  const view = useSignal<LaidValueView | null | undefined>(undefined);
  useSignalEffect(() => {
    const wanted = choices.value;
    if (!isFresh.value) return;
    void layoutValue(entry, wanted).then((found) => {
      if (found !== undefined && choices.peek() === wanted) view.value = found;
    });
  });
  if (view.value === undefined) return null;
  if (view.value === null) return <p class="note">A value of this type is too large to put together by hand.</p>;
  const { nodes, value, stores } = view.value;
  const choose = (at: number, chosen: string) => (choices.value = changed(nodes, at, chosen));
  return (
    <div class="laid-value">
      <ul class="choices">
        {nodes.map((node, index) => (
          <Choice node={node} onChoose={(chosen) => choose(index, chosen)} />
        ))}
      </ul>
      {value !== "" && (
        <p class="written">
          <code>{highlight(value.length > 400 ? `${value.slice(0, 400)}…` : value)}</code>
        </p>
      )}
      {stores.map((blocks, index) => (
        <Stored name={strategies[index] ?? ""} blocks={blocks} />
      ))}
    </div>
  );
}

function Choice({ node, onChoose }: { node: ChoiceView; onChoose: (chosen: string) => void }) {
  const { depth, place, type, variants, chosen, is_number, problem } = node;
  const label = place === "" ? "The value" : place;
  return (
    <li style={{ "--depth": Math.min(depth, 8) }}>
      <label>
        <span class="place">{label}</span>
        {variants !== undefined ? (
          <select value={chosen} disabled={variants.length < 2} onChange={(event) => onChoose(event.currentTarget.value)}>
            {variants.map((name, index) => (
              <option value={String(index)} selected={chosen === String(index)}>
                {name}
              </option>
            ))}
          </select>
        ) : is_number ? (
          <input
            inputMode="decimal"
            size={10}
            value={chosen}
            aria-invalid={problem !== undefined}
            onInput={(event) => onChoose(event.currentTarget.value)}
          />
        ) : null}
      </label>
      <TypeText text={type.length > 60 ? `${type.slice(0, 60)}…` : type} />
      {problem !== undefined && <span class="problem-text">{problem}; 0 is stored</span>}
    </li>
  );
}

function Stored({ name, blocks }: { name: string; blocks: readonly BlockView[] }) {
  const bits = blocks.reduce((sum, block) => sum + block.bits, 0);
  const shown = blocks.filter(({ segments }) => segments.length > 0);
  return (
    <section class="stored" aria-label={`Stored as ${name}`}>
      <h3>
        {name} <span class="size">{blocks.length === 1 ? plural(bits, "bit") : `${plural(bits, "bit")} in ${plural(blocks.length - 1, "block")} and the variable`}</span>
      </h3>
      {blocks.map((block, index) => (
        <div class="block">
          {(blocks.length > 1 || block.note !== "") && (
            <p class="block-name">
              {index === 0 ? "variable" : `block ${index} at 0x${block.address.toString(16)}`}
              {block.note !== "" && `: ${block.note}`}
            </p>
          )}
          {block.segments.length > 0 ? (
            <BlockRuler block={block} label={`${name}, ${index === 0 ? "variable" : `block ${index}`}`} />
          ) : (
            block.note === "" && <p class="note">Nothing is stored.</p>
          )}
        </div>
      ))}
      {shown.length > 0 && (
        <details>
          <summary>The bits as a list</summary>
          <Twin
            rows={shown.map((block) => ({
              name: block.address === 0 ? "variable" : `block ${blocks.indexOf(block)}`,
              segments: block.segments,
              note: block.type.length > 80 ? "" : block.type,
            }))}
          />
        </details>
      )}
    </section>
  );
}

function BlockRuler({ block, label }: { block: BlockView; label: string }) {
  const pointed = useSignal<SegmentView | undefined>(undefined);
  const scale = scaleOf(block.bits, [block.segments]);
  return (
    <>
      <div class="rulers valued">
        <Axis scale={scale} />
        <Ruler label={label} segments={block.segments} scale={scale} bits={block.bits} onPoint={(segment) => (pointed.value = segment)} />
      </div>
      <Caption segment={pointed.value} hint={bytesText(block)} />
    </>
  );
}

/** The bytes of a block, the first one first. */
function bytesText(block: BlockView): string {
  const bytes = new Uint8Array(Math.ceil(block.bits / 8));
  if (bytes.length > MAX_BYTES) return `${plural(bytes.length, "byte")}; point at a range to see its bits`;
  for (const { offset, digits, kind } of block.segments) {
    if (digits === undefined || kind === "padding") continue;
    [...digits].reverse().forEach((digit, index) => {
      const bit = offset + index;
      if (digit === "1") bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (1 << (bit & 7));
    });
  }
  const text = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return `${bytes.length === 1 ? "byte" : "bytes"} ${text}`;
}
