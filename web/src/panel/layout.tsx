// Where the bits of each sum type are, under each strategy; what a value of it looks like; what each `as` costs.
import { signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { point, show } from "../action/navigation.ts";
import { layouts } from "../action/queries.ts";
import { setLayout } from "../action/settings.ts";
import { hasFlaws, LAYOUTS, state } from "../state.ts";
import { highlight, Name, TypeText } from "../view/code.tsx";
import { Conversion, widthOf } from "../view/conversion.tsx";
import { LaidValue } from "../view/laid-value.tsx";
import { rest, useAnswer } from "../view/rested.ts";
import { Axis, Caption, Ruler, scaleOf, Twin } from "../view/ruler.tsx";
import { grouped, plural } from "../view/units.ts";
import { Waiting } from "../view/waiting.tsx";
import type { LayoutsView, MentionView, SegmentView, SpanView, StoreView, TypeLayoutView } from "../wasm/relish_wasm.js";

/** A text that brings the compiler down does so each time. */
const MAX_ASKED = 3;
/** As many variants are drawn before somebody wants more. */
const MAX_ROWS = 50;

/** The types that a person has opened or closed, by their text. */
const opened = signal<ReadonlyMap<string, boolean>>(new Map());

export function LayoutPanel() {
  const view = useAnswer(() => undefined, askLayouts);
  // What was pointed at goes with the panel.
  useSignalEffect(() => () => point(undefined));
  if (view.value === undefined) return <Waiting>The bits of the program's sum types appear here.</Waiting>;
  return <Layouts view={view.value} />;
}

/** Asks again if the compiler has to be started anew meanwhile. */
async function askLayouts(): Promise<LayoutsView | undefined> {
  const revision = state.revision.peek();
  for (let n_asked = 1; ; n_asked += 1) {
    const found = await layouts();
    if (found !== undefined || n_asked === MAX_ASKED || state.revision.peek() !== revision) return found;
    await rest();
  }
}

function Layouts({ view }: { view: LayoutsView }) {
  const { types, conversions, strategies, n_more, problems } = view;
  const here = useComputed(() => mentionAt(view.mentions, state.selection.value.start));
  if (types.length === 0) {
    return (
      <div class="empty">
        <p>
          {hasFlaws.value
            ? "What has errors has no layout, and the rest of the program has no sum types."
            : "The program has no sum types. Where it has a data type, a variant or a tuple, the bits of its values appear here."}
        </p>
        {problems.map((problem) => (
          <p>{problem}.</p>
        ))}
      </div>
    );
  }
  const current = here.value?.entry;
  const first = new Map<number, number>();
  for (const { entry, is_name, span } of view.mentions) if (is_name && !first.has(entry)) first.set(entry, span.start);
  const rank = (entry: number) => (entry === current ? -1 : (first.get(entry) ?? Infinity));
  // By where the program names them first; those that it never names come last.
  const order = [...types.keys()].sort((a, b) => (rank(a) === rank(b) ? a - b : rank(a) - rank(b)));
  const chosen = Math.max(0, strategies.indexOf(state.layout.value));
  return (
    <div class="layouts">
      <Strategies />
      {hasFlaws.value && <p class="note">What has errors is left out.</p>}
      {problems.map((problem) => (
        <p class="note">{problem}.</p>
      ))}
      {order.map((entry, place) => {
        const type = types[entry];
        return (
          type && (
            <TypeCard
              key={type.type}
              view={view}
              entry={entry}
              type={type}
              strategy={chosen}
              isFirst={place === 0}
              isCurrent={entry === current}
              lit={entry === current ? here.value?.variant : undefined}
            />
          )
        );
      })}
      {n_more > 0 && <p class="note">{plural(n_more, "more type")} of the program {n_more === 1 ? "is" : "are"} not shown.</p>}
      {conversions.length > 0 && <h2>Refinements</h2>}
      {conversions.map((conversion) => {
        const [from, to] = [types[conversion.from], types[conversion.to]];
        return from && to && <Conversion view={conversion} from={from} to={to} strategy={chosen} />;
      })}
    </div>
  );
}

/** The innermost place around an offset; of two with the same ends the one that names a variant. */
function mentionAt(mentions: readonly MentionView[], offset: number): MentionView | undefined {
  let best: MentionView | undefined;
  for (const mention of mentions) {
    if (mention.span.start > offset) break;
    if (mention.span.end < offset) continue;
    if (best === undefined || length(mention.span) <= length(best.span)) best = mention;
  }
  return best;
}

const length = ({ start, end }: SpanView) => end - start;

function Strategies() {
  const chosen = LAYOUTS.find(({ id }) => id === state.layout.value);
  const about = chosen?.about ?? "";
  return (
    <fieldset class="strategies">
      <legend class="unseen">Strategy</legend>
      <div class="choice">
        {LAYOUTS.map(({ id, title }) => (
          <label>
            <input class="unseen" type="radio" name="strategy" checked={id === chosen?.id} onChange={() => setLayout(id)} />
            {title}
          </label>
        ))}
      </div>
      <p class="note">
        {about.charAt(0).toUpperCase()}
        {about.slice(1)}.
      </p>
    </fieldset>
  );
}

interface CardProps {
  view: LayoutsView;
  entry: number;
  type: TypeLayoutView;
  strategy: number;
  isFirst: boolean;
  isCurrent: boolean;
  lit: number | undefined;
}

function TypeCard({ view, entry, type, strategy, isFirst, isCurrent, lit }: CardProps) {
  const isOpen = opened.value.get(type.type) ?? isFirst;
  const store = type.stores[strategy];
  if (store === undefined) return null;
  return (
    <details
      class={`type-card ${isCurrent ? "current" : ""}`}
      open={isOpen}
      onToggle={(event) => {
        const next = event.currentTarget.open;
        if (next !== isOpen) opened.value = new Map(opened.value).set(type.type, next);
      }}
    >
      <summary>
        <TypeText text={type.type.length > 400 ? `${type.type.slice(0, 400)}…` : type.type} />
        <span class="size">{sizeText(store)}</span>
      </summary>
      {isOpen && <TypeBody view={view} entry={entry} type={type} store={store} strategy={strategy} lit={lit} />}
    </details>
  );
}

const sizeText = ({ bits }: StoreView) => (bits % 8 === 0 && bits > 0 ? plural(bits / 8, "byte") : plural(bits, "bit"));

/** A value begins as the variant that shows most. */
function richest(store: StoreView | undefined): number {
  const counts = (store?.variants ?? []).map(({ segments }) => segments.filter(({ field }) => field !== undefined).length);
  return Math.max(0, counts.indexOf(Math.max(...counts)));
}

function TypeBody({ view, entry, type, store, strategy, lit }: Omit<CardProps, "isFirst" | "isCurrent"> & { store: StoreView }) {
  const pointed = useSignal<SegmentView | undefined>(undefined);
  const all = useSignal(false);
  const mine = view.mentions.filter((mention) => mention.entry === entry && mention.variant !== undefined);
  const spanOf = (variant: number) => {
    const cursor = state.selection.peek().start;
    const named = mine.filter((mention) => mention.variant === variant);
    return (named.find(({ span }) => span.start <= cursor && cursor <= span.end) ?? named[0])?.span;
  };
  const n_shown = all.value ? type.variants.length : Math.min(type.variants.length, MAX_ROWS);
  const shown = store.variants.slice(0, n_shown);
  const scale = scaleOf(widthOf(store), shown.map((variant) => variant.segments));
  const isBoxed = store.block_bits !== undefined;
  const isEmpty = type.cardinality === "0";
  return (
    <>
      <p class="values">{valuesText(type)}</p>
      {!isEmpty && <Comparison type={type} names={view.strategies} strategy={strategy} />}
      <div class="rulers variants">
        {scale.bits > 0 && <Axis scale={scale} />}
        {shown.map((variant, index) => {
          const name = type.variants[index] ?? "";
          const span = spanOf(index);
          return (
            <div
              class={`variant ${lit === index ? "lit" : ""}`}
              onPointerEnter={() => point(span)}
              onPointerLeave={() => point(undefined)}
            >
              <button
                type="button"
                class="name"
                disabled={span === undefined}
                title={span === undefined ? name : `Go to ${name}`}
                onClick={() => span && show(span)}
                onFocus={() => point(span)}
                onBlur={() => point(undefined)}
              >
                <Name text={name} />
                {isBoxed && variant.is_inhabited && <span class="where">{variant.immediate === undefined ? "block" : "word"}</span>}
              </button>
              {variant.segments.length > 0 ? (
                <Ruler
                  label={name}
                  segments={variant.segments}
                  scale={scale}
                  bits={variant.immediate === undefined ? widthOf(store) : store.bits}
                  niche={variant.niche}
                  onPoint={(segment) => (pointed.value = segment)}
                />
              ) : (
                <span class="note">{variant.is_inhabited ? "stores nothing" : "has no values"}</span>
              )}
            </div>
          );
        })}
        {store.spare && store.spare.bits > 0 && (
          <div class="variant">
            <span class="name quiet">spare</span>
            <div class="ruler spare-ruler">
              <div
                class="spare"
                style={{ left: `${scale.at(store.spare.offset)}%`, width: `${scale.at(store.spare.offset + store.spare.bits) - scale.at(store.spare.offset)}%` }}
              />
            </div>
          </div>
        )}
      </div>
      {n_shown < type.variants.length && (
        <button type="button" class="button small" onClick={() => (all.value = true)}>
          Show all {type.variants.length.toLocaleString("en")} variants
        </button>
      )}
      <Caption segment={pointed.value} hint={storeText(store)} />
      <Legend store={store} />
      <details class="inner">
        <summary>The ranges as a list</summary>
        <Twin
          rows={shown.map((variant, index) => ({
            name: highlight(type.variants[index] ?? ""),
            segments: variant.segments,
            note: noteOf(variant, isBoxed),
          }))}
        />
      </details>
      {!isEmpty && (
        <>
          <h2 class="of-value">A value of it</h2>
          <LaidValue key={type.type} entry={entry} initial={lit ?? richest(type.stores[0])} strategies={view.strategies} />
        </>
      )}
    </>
  );
}

function noteOf(variant: StoreView["variants"][number], isBoxed: boolean): string {
  if (!variant.is_inhabited) return "has no values";
  if (variant.immediate !== undefined) return "a word, no block";
  if (variant.segments.length === 0) return "stores nothing";
  const niche = variant.niche && `other variants have their codes in its bits ${variant.niche.offset}–${variant.niche.offset + variant.niche.bits - 1}`;
  return [isBoxed ? "a pointer to a block" : "", niche ?? ""].filter((text) => text !== "").join("; ");
}

function valuesText({ cardinality, min_bits }: TypeLayoutView): string {
  if (cardinality === "0") return "It has no values.";
  if (cardinality === "1") return "It has one value, which needs no bits.";
  if (min_bits === undefined) return "It has infinitely many values, or values in buffers of their own.";
  if (cardinality === undefined || cardinality.length > 15) return `It has at most 2^${min_bits} values, which need at least ${plural(min_bits, "bit")}.`;
  return `It has ${Number(cardinality).toLocaleString("en")} values, which need at least ${plural(min_bits, "bit")}.`;
}

function storeText(store: StoreView): string {
  const parts: (readonly [string, number])[] = [
    ["tag", store.tag_bits],
    ["payload", store.payload_bits],
    ["padding", store.padding_bits],
  ];
  const text = parts.flatMap(([what, bits]) => (bits > 0 ? [`${what} ${grouped(bits)}`] : [])).join(" + ");
  // Its bits are those of a field, and counted there.
  const niche = store.niche_bits > 0 ? `a niche of ${plural(store.niche_bits, "bit")} in the payload` : "";
  const spare = store.spare ? `${plural(store.spare.codes, "spare code")} for a type around it` : "";
  const boxes = store.box_bits > 0 ? [`boxes of ${plural(store.box_bits, "bit")}`] : [];
  const pieces = ["a word", `a block of ${plural(store.block_bits ?? 0, "bit")}`, ...boxes];
  const width = store.block_bits === undefined ? plural(store.bits, "bit") : `${pieces.slice(0, -1).join(", ")}, and ${pieces.at(-1)}`;
  const align = store.align > 1 ? `aligned to ${store.align} bytes` : "";
  return [text === "" ? width : `${width}: ${text}`, niche, align, spare].filter((part) => part !== "").join("; ");
}

/** Whether a layout has fields in blocks of their own that another has in place. */
function pointsFurther(store: StoreView, other: StoreView | undefined): boolean {
  const pointers = (variant: StoreView["variants"][number] | undefined) =>
    variant?.segments.filter(({ kind, text }) => kind === "pointer" && !/^(bool|u?int|b?float)\d*$/.test(text)).length ?? 0;
  return store.variants.some((variant, index) => pointers(variant) > pointers(other?.variants[index]));
}

function Comparison({ type, names, strategy }: { type: TypeLayoutView; names: readonly string[]; strategy: number }) {
  const widths = type.stores.map(({ bits, block_bits, box_bits }) => bits + (block_bits ?? 0) + box_bits);
  const ocaml = (1 + type.ocaml_words) * 64;
  const widest = Math.max(1, ...widths, type.rust_bytes * 8, ocaml);
  const min = type.min_bits;
  const uniform = type.stores[names.indexOf("uniform")];
  // How wide a box is there, and what its blocks point to, nobody said here.
  const hasBlocks = uniform !== undefined && pointsFurther(uniform, type.stores[names.indexOf("aligned")]);
  const boxes = (uniform?.box_bits ?? 0) > 0 ? ", and boxes" : "";
  const blocks = hasBlocks ? ", and its fields’ blocks" : "";
  const row = (name: string, bits: number, text: string, isChosen: boolean, isAll = true) => (
    <tr class={isChosen ? "chosen" : ""}>
      <th scope="row">{name}</th>
      <td class="bar">
        <div style={{ width: `${(bits / widest) * 100}%` }}>
          {min !== undefined && bits > 0 && <div class="needed" style={{ width: `${Math.min(1, min / bits) * 100}%` }} />}
        </div>
      </td>
      <td>{text}</td>
      <td class="waste">{min === undefined || !isAll ? "" : bits > min ? `${(bits - min).toLocaleString("en")} wasted` : "no waste"}</td>
    </tr>
  );
  return (
    <table class="comparison">
      <thead class="unseen">
        <tr>
          <th scope="col">layout</th>
          <th scope="col">bar</th>
          <th scope="col">size</th>
          <th scope="col">waste</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name, index) => {
          const store = type.stores[index];
          if (store === undefined) return null;
          const parts = [store.block_bits ?? 0, store.box_bits].filter((bits) => bits > 0);
          const text = parts.length === 0 ? plural(store.bits, "bit") : `${[store.bits, ...parts].map(grouped).join(" + ")} bits`;
          const isPartial = store === uniform && hasBlocks;
          return row(name, widths[index] ?? 0, isPartial ? text + blocks : text, index === strategy, !isPartial);
        })}
        {row("Rust, 64-bit", type.rust_bytes * 8, plural(type.rust_bytes, "byte"), false)}
        {row("OCaml, 64-bit", ocaml, `${plural(ocaml / 8, "byte")}${blocks || boxes}`, false, boxes + blocks === "")}
      </tbody>
    </table>
  );
}

function Legend({ store }: { store: StoreView }) {
  const kinds = new Set(store.variants.flatMap((variant) => variant.segments.map((segment) => segment.kind)));
  const items: (readonly [boolean, string, string])[] = [
    [kinds.has("tag"), "is-tag", "tag"],
    [kinds.has("niche"), "is-niche", "niche: a code that no field has"],
    [kinds.has("field"), "is-field color-0", "field"],
    [kinds.has("pointer"), "is-pointer color-0", "pointer"],
    [kinds.has("padding"), "is-padding", "padding"],
    [store.variants.some((variant) => variant.niche !== undefined), "niche-mark", "others’ codes"],
    [store.spare !== undefined, "spare", "spare codes"],
  ];
  return (
    <ul class="bit-legend">
      {items.map(
        ([isThere, kind, text]) =>
          isThere && (
            <li>
              <span class={`swatch ${kind}`} />
              {text}
            </li>
          ),
      )}
    </ul>
  );
}
