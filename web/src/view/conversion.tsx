// What an `as` does to the bits of a value: two layouts, and which variant becomes which.
import { useSignal } from "@preact/signals";
import { point } from "../action/navigation.ts";
import { highlight, Name, TypeText } from "./code.tsx";
import { Caption, Ruler, scaleOf } from "./ruler.tsx";
import type { ConversionView, SegmentView, StoreView, TypeLayoutView } from "../wasm/relish_wasm.js";
import { ToLine } from "./toline.tsx";
import { plural } from "./units.ts";

/** The height of a variant, as the style sheet has it. */
const ROW = 42;
/** As many variants are drawn on either side. */
const MAX_ROWS = 40;

interface Props {
  view: ConversionView;
  from: TypeLayoutView;
  to: TypeLayoutView;
  strategy: number;
}

const COSTS: Record<string, { word: string; meaning: string }> = {
  free: { word: "identity", meaning: "The bits stay as they are: it costs nothing." },
  retag: { word: "retag", meaning: "The fields stay where they are; only the tag is written anew." },
  repack: { word: "repack", meaning: "Fields move or change: the value is taken apart and packed anew." },
};

export function Conversion({ view, from, to, strategy }: Props) {
  const pointed = useSignal<SegmentView | undefined>(undefined);
  const lit = useSignal<number | undefined>(undefined);
  const store = view.stores[strategy];
  const [source, target] = [from.stores[strategy], to.stores[strategy]];
  if (store === undefined || source === undefined || target === undefined) return null;
  const cost = COSTS[store.cost];
  const scale = scaleOf(
    Math.max(widthOf(source), widthOf(target)),
    [...source.variants, ...target.variants].map((variant) => variant.segments),
  );
  const back = (row: number) => view.variants.findIndex((to) => to === row);
  const side = (type: TypeLayoutView, ofStore: StoreView, isUsed: (row: number) => boolean, pair: (row: number) => number) => (
    <ul>
      {type.variants.slice(0, MAX_ROWS).map((name, row) => {
        const variant = ofStore.variants[row];
        return (
          <li
            class={`${isUsed(row) ? "" : "unused"} ${lit.value !== undefined && lit.value === pair(row) ? "lit" : ""}`}
            onPointerEnter={() => (lit.value = pair(row))}
            onPointerLeave={() => (lit.value = undefined)}
          >
            <Name text={name} />
            {variant && variant.segments.length > 0 ? (
              <Ruler
                label={`${name} of ${type.type.slice(0, 60)}`}
                segments={variant.segments}
                scale={scale}
                bits={widthOf(ofStore)}
                onPoint={(segment) => (pointed.value = segment)}
              />
            ) : (
              <span class="note">{variant?.is_inhabited === false ? "no values" : "no bits"}</span>
            )}
          </li>
        );
      })}
    </ul>
  );
  const rows = Math.min(MAX_ROWS, Math.max(from.variants.length, to.variants.length));
  return (
    <article
      class="conversion"
      onPointerEnter={() => point(view.span)}
      onPointerLeave={() => point(undefined)}
    >
      <header>
        <ToLine line={view.line} span={view.span} />
        <code class="pattern">
          {highlight(view.pattern)} <span class="token-keyword">as</span> …
        </code>
        <span class={`cost ${store.cost}`}>{cost?.word}</span>
      </header>
      <p class="note">
        {cost?.meaning} {plural(source.bits, "bit")} → {plural(target.bits, "bit")}.
      </p>
      <div class="sides" style={{ "--rows": rows }}>
        <div class="side">
          <TypeText text={short(from.type)} />
          {side(from, source, (row) => view.variants[row] !== undefined, (row) => row)}
        </div>
        <svg class="lines" width="40" height={rows * ROW} aria-hidden="true">
          {view.variants.slice(0, MAX_ROWS).map((to, row) => {
            if (to === undefined || to >= MAX_ROWS) return null;
            const [start, end] = [(row + 0.5) * ROW + 6, (to + 0.5) * ROW + 6];
            return <path class={lit.value === row ? "lit" : ""} d={`M0 ${start}C20 ${start} 20 ${end} 34 ${end}m-5 -4l6 4l-6 4`} />;
          })}
        </svg>
        <div class="side">
          <TypeText text={short(to.type)} />
          {side(to, target, (row) => back(row) >= 0, back)}
        </div>
      </div>
      <Caption segment={pointed.value} hint={linesText(view, from, to)} />
      {store.map && store.map.length > 0 && (
        <details>
          <summary>Each value with its bits before and after</summary>
          <div class="map-scroll" tabIndex={0} role="group" aria-label="Values with their bits">
            <table class="map">
              <thead>
                <tr>
                  <th scope="col">value</th>
                  <th scope="col">before</th>
                  <th scope="col">after</th>
                </tr>
              </thead>
              <tbody>
                {store.map.map(({ value, from, to }) => (
                  <tr>
                    <td>
                      <code>{highlight(value)}</code>
                    </td>
                    <td>
                      <code>{bitString(from)}</code>
                    </td>
                    <td>
                      <code>{bitString(to)}</code>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      )}
    </article>
  );
}

/** Of what the rulers show: the block, where there is one. */
export const widthOf = (store: StoreView) => Math.max(store.bits, store.block_bits ?? 0);

const short = (type: string) => (type.length > 120 ? `${type.slice(0, 120)}…` : type);

const bitString = (bits: string) => (bits === "" ? "none" : bits);

function linesText(view: ConversionView, from: TypeLayoutView, to: TypeLayoutView): string {
  const pairs = view.variants.flatMap((row, index) => (row === undefined ? [] : [`${from.variants[index]} → ${to.variants[row]}`]));
  const text = pairs.slice(0, 12).join(", ");
  return pairs.length > 12 ? `${text}, …` : text;
}

