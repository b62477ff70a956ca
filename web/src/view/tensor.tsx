// A tensor as a reader wants it: few elements as numbers, many as a heat map of each matrix in it, or as images where
// they look like some; with what there is to say about all elements together.
import { signal, useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useMemo } from "preact/hooks";
import { type Cut, elementOf, firstCut, matricesOf, type Matrix } from "./axes.ts";
import { highlight } from "./code.tsx";
import { HeatMap, Image } from "./heatmap.tsx";
import { BEYOND, exact, gradientOf, isRounded, type Range, rangeOf, readable, shortest } from "./numbers.ts";
import { type Images, imagesOf } from "./picture.ts";
import type { OverviewView, TensorView } from "../wasm/relish_wasm.js";

/** At most this many elements are read one by one unasked. */
const READABLE = 64;
/** More matrices than this are not looked at one by one. */
const SLICES = 24;
/** And as tables of numbers, which are larger, not more than this. */
const TABLES = 4;
/** So many rows and columns of a table are shown. */
const CELLS = 32;
/** A place on an axis of more is typed, not chosen. */
const CHOICES = 64;

/** Whether tables show all digits; so they do in later runs too. */
const withAllDigits = signal(false);

type Look = "numbers" | "map" | "image";

const LOOKS: Record<Look, string> = { numbers: "Numbers", map: "Heat map", image: "Image" };

interface Props {
  tensor: TensorView;
  /** Of it alone, and whether that is only its beginning; absent where it stands in the text of another value. */
  text?: string;
  truncated?: boolean;
}

const grouped = (n: number) => n.toLocaleString("en");

export function TensorPicture({ tensor, text, truncated = false }: Props) {
  const { shape, elements, statistics, dtype } = tensor;
  const images = useMemo(() => imagesOf(shape, statistics, dtype), [tensor]);
  const isSmall = statistics.count <= READABLE;
  const looks: Look[] = ["numbers", ...(shape.length > 1 || !isSmall ? (["map"] as const) : []), ...(images ? (["image"] as const) : [])];
  const first: Look = isSmall || shape.length === 1 ? "numbers" : images?.isSure ? "image" : "map";
  const chosen = useSignal<Look | undefined>(undefined);
  const look = chosen.value !== undefined && looks.includes(chosen.value) ? chosen.value : first;
  const overview = look === "map" ? tensor.overview : undefined;
  const seen = useMemo(() => (overview === undefined ? tensor : { ...tensor, shape: overview.shape, elements: overview.elements }), [tensor, overview]);
  if (statistics.count === 0) return text === undefined ? null : <Text text={text} />;
  return (
    <div class="tensor">
      {!isSmall && <Statistics tensor={tensor} />}
      {!isSmall && (
        <div class="looks" role="group" aria-label="Shown as">
          {looks.map((id) => (
            <button type="button" class="button small" aria-pressed={look === id} onClick={() => (chosen.value = id)}>
              {LOOKS[id]}
            </button>
          ))}
        </div>
      )}
      {overview !== undefined ? (
        <p class="note">Each point is the mean of {blockOf(overview)} elements.</p>
      ) : (
        elements.length < statistics.count && (
          <p class="note">
            Of {grouped(statistics.count)} elements the first {grouped(elements.length)} are here{look !== "numbers" && "; what is hatched is not"}.
          </p>
        )
      )}
      <Matrices
        tensor={seen}
        block={overview}
        look={look}
        images={look === "image" ? images : undefined}
        isSmall={isSmall}
      />
      {!isSmall && text !== undefined && (
        <details>
          <summary>As text</summary>
          <Text text={text} />
          {truncated && <p class="note">The value goes on; only its beginning is shown.</p>}
        </details>
      )}
    </div>
  );
}

function Text({ text }: { text: string }) {
  return (
    <pre tabIndex={0} role="group" aria-label="Value">
      <code>{text.length > 4000 ? text : highlight(text)}</code>
    </pre>
  );
}

function Statistics({ tensor: { shape, statistics } }: { tensor: TensorView }) {
  const { min, max, mean, deviation, n_nan, n_infinite, count } = statistics;
  const isFinite = n_nan + n_infinite < count;
  const rounded = (name: string, value: number): [string, string, string?] => [name, readable(value), isRounded(value, "float64") ? exact(value, "float64") : undefined];
  const facts: [string, string, string?][] = [
    ["shape", `(${shape.join(", ")})`],
    ...(isFinite
      ? [rounded("min", min), rounded("max", max), rounded("mean", mean), rounded("std", deviation)]
      : []),
    ...(n_nan > 0 ? [["nan", grouped(n_nan)] as [string, string]] : []),
    ...(n_infinite > 0 ? [["infinite", grouped(n_infinite)] as [string, string]] : []),
  ];
  return (
    <dl class="statistics">
      {facts.map(([name, value, title]) => (
        <div title={title}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** How many elements a point of an overview stands for. */
const blockOf = ({ rows, columns }: OverviewView) => (rows === 1 || columns === 1 ? grouped(rows * columns) : `${rows} by ${columns}`);

interface MatricesProps {
  tensor: TensorView;
  /** What each of its elements stands for, where that is several. */
  block: OverviewView | undefined;
  look: Look;
  images: Images | undefined;
  isSmall: boolean;
}

function Matrices({ tensor, block, look, images, isSmall }: MatricesProps) {
  const { elements, statistics, dtype } = tensor;
  // A vector is a matrix of one row.
  const shape = tensor.shape.length === 1 ? [1, ...tensor.shape] : tensor.shape;
  const most = look === "numbers" && !isSmall ? TABLES : SLICES;
  const cut = useSignal<Cut | undefined>(undefined);
  const range = useMemo(() => rangeOf(statistics), [tensor]);
  const now = cut.value?.at.length === shape.length ? cut.value : firstCut(shape, most);
  // An image says itself which axes are its rows and columns; its colours are no images of their own.
  const shownCut: Cut = images
    ? { rows: images.height, columns: images.width, at: now.at.map((at, axis) => (axis === images.channel ? 0 : at)) }
    : now;
  // Blocks lie in the last two axes, whichever are shown.
  const side = (axis: number) => (axis === shape.length - 1 ? block?.columns : axis === shape.length - 2 ? block?.rows : 1) ?? 1;
  const { matrices, total } = matricesOf(shape, shownCut, most, images?.channel);
  const channelStep = images?.channel === undefined ? 0 : shape.slice(images.channel + 1).reduce((product, size) => product * size, 1);
  return (
    <>
      {!isSmall && shape.length > 2 && <Axes shape={shape} cut={shownCut} images={images} onCut={(next) => (cut.value = next)} />}
      <div class="slices">
        {matrices.map((matrix) => (
          <figure>
            {matrix.name !== "" && <figcaption>{matrix.name}</figcaption>}
            {images ? (
              <Image tensor={tensor} images={images} matrix={matrix} channelStep={channelStep} />
            ) : look === "map" ? (
              <HeatMap tensor={tensor} block={block && { rows: side(shownCut.rows), columns: side(shownCut.columns) }} matrix={matrix} range={range} />
            ) : (
              <Grid elements={elements} matrix={matrix} dtype={dtype} isSmall={isSmall} />
            )}
          </figure>
        ))}
      </div>
      {total > matrices.length && <p class="note">… and {grouped(total - matrices.length)} more.</p>}
      {look === "numbers" && <Digits tensor={tensor} />}
      {look === "map" && <Legend range={range} tensor={tensor} />}
      {images && <ImageLegend images={images} tensor={tensor} />}
    </>
  );
}

/** That numbers are rounded is said, and they need not be. */
function Digits({ tensor: { elements, dtype } }: { tensor: TensorView }) {
  const hasRounded = useMemo(() => dtype !== "bool" && elements.some((element) => isRounded(element, dtype)), [elements, dtype]);
  if (!hasRounded) return null;
  return (
    <p class="note digits">
      {withAllDigits.value ? "All digits are shown. " : "Rounded. "}
      <button type="button" class="plain-link" onClick={() => (withAllDigits.value = !withAllDigits.value)}>
        {withAllDigits.value ? "Round them" : "Show all digits"}
      </button>
    </p>
  );
}

function Legend({ range, tensor: { elements, statistics } }: { range: Range; tensor: TensorView }) {
  const { n_nan, n_infinite, count } = statistics;
  const beyond = useMemo(() => (n_nan + n_infinite > 0 ? BEYOND.filter(({ is }) => elements.some(is)) : []), [elements]);
  return (
    <div class="legend">
      {n_nan + n_infinite < count && (
        <>
          <span>{readable(range.min)}</span>
          <span class="ramp" aria-hidden="true" style={{ background: gradientOf(range) }} />
          <span>{readable(range.max)}</span>
        </>
      )}
      {beyond.map(({ name, color }) => (
        <span class="nan">
          <span class="swatch" aria-hidden="true" style={{ background: color }} />
          {name}
        </span>
      ))}
    </div>
  );
}

function ImageLegend({ images, tensor }: { images: Images; tensor: TensorView }) {
  const { min, max } = tensor.statistics;
  const ends = { unit: ["0", "1"], byte: ["0", "255"], stretched: [readable(min), readable(max)] }[images.scale];
  return (
    <div class="legend">
      <span>{ends[0]}</span>
      <span class="ramp" aria-hidden="true" style={{ background: "linear-gradient(to right, #000, #fff)" }} />
      <span>{ends[1]}</span>
    </div>
  );
}

interface AxesProps {
  shape: readonly number[];
  cut: Cut;
  images: Images | undefined;
  onCut: (cut: Cut) => void;
}

/** Which axes are rows and columns, and where the others are cut. */
function Axes({ shape, cut, images, onCut }: AxesProps) {
  const choose = (which: "rows" | "columns", axis: number) => {
    const other = which === "rows" ? "columns" : "rows";
    // An axis cannot be both; whoever takes the other's gives its own.
    const swapped = axis === cut[other] ? { [other]: cut[which] } : {};
    onCut({ ...cut, at: cut.at.map((at, index) => (index === cut[which] ? 0 : at)), ...swapped, [which]: axis });
  };
  const place = (axis: number, at: number | "all") => onCut({ ...cut, at: cut.at.map((before, index) => (index === axis ? at : before)) });
  const others = shape.map((_, axis) => axis).filter((axis) => axis !== cut.rows && axis !== cut.columns && axis !== images?.channel);
  return (
    <div class="axes">
      {images === undefined &&
        (["rows", "columns"] as const).map((which) => (
          <label>
            {which}
            <select value={cut[which]} onChange={(event) => choose(which, Number(event.currentTarget.value))}>
              {shape.map((size, axis) => (
                <option value={axis}>
                  axis {axis} ({size})
                </option>
              ))}
            </select>
          </label>
        ))}
      {others.map((axis) => {
        const size = shape[axis] ?? 1;
        const at = cut.at[axis] ?? 0;
        return (
          <label>
            axis {axis}
            {size <= CHOICES ? (
              <select
                value={at}
                onChange={({ currentTarget: { value } }) => place(axis, value === "all" ? "all" : Number(value))}
              >
                <option value="all">all {size}</option>
                {Array.from({ length: size }, (_, index) => (
                  <option value={index}>{index}</option>
                ))}
              </select>
            ) : (
              <input
                type="number"
                min={0}
                max={size - 1}
                value={at === "all" ? 0 : at}
                onInput={({ currentTarget: { value } }) => place(axis, Math.min(size - 1, Math.max(0, Math.floor(Number(value)) || 0)))}
              />
            )}
          </label>
        );
      })}
    </div>
  );
}

/** An element in its table. */
type Cell = (element: number | undefined) => ComponentChild;

interface GridProps {
  elements: readonly number[];
  matrix: Matrix;
  dtype: string;
  isSmall: boolean;
}

function Grid({ elements, matrix, dtype, isSmall }: GridProps) {
  const cell: Cell = (element) => {
    if (element === undefined) return <td />;
    if (dtype === "bool") return <td>{element === 0 ? "False" : "True"}</td>;
    if (withAllDigits.value) return <td>{exact(element, dtype)}</td>;
    return <td title={isRounded(element, dtype) ? exact(element, dtype) : undefined}>{readable(shortest(element, dtype))}</td>;
  };
  const numbers = (n: number) => Array.from({ length: Math.min(n, CELLS) }, (_, index) => index);
  // What is long and one row high is read in lines of eight.
  if (matrix.rows === 1 && matrix.columns > CELLS) return <Lines elements={elements} matrix={matrix} cell={cell} />;
  const [rows, columns] = [numbers(matrix.rows), numbers(matrix.columns)];
  const isCut = rows.length < matrix.rows || columns.length < matrix.columns;
  return (
    <>
      <div class="grid-scroll" tabIndex={0} role="group" aria-label={`Elements ${matrix.name}`.trim()}>
        <table class="grid">
          {!isSmall && (
            <thead>
              <tr>
                <td />
                {columns.map((column) => (
                  <th scope="col">{column}</th>
                ))}
              </tr>
            </thead>
          )}
          <tbody>
            {rows.map((row) => (
              <tr>
                {!isSmall && <th scope="row">{row}</th>}
                {columns.map((column) => cell(elementOf(elements, matrix, row, column)))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isCut && (
        <p class="note">
          The first {rows.length} rows and {columns.length} columns of {grouped(matrix.rows)} by {grouped(matrix.columns)}.
        </p>
      )}
    </>
  );
}

function Lines({ elements, matrix, cell }: { elements: readonly number[]; matrix: Matrix; cell: Cell }) {
  const WIDTH = 8;
  const shown = Math.min(matrix.columns, CELLS * WIDTH);
  return (
    <>
      <div class="grid-scroll" tabIndex={0} role="group" aria-label={`Elements ${matrix.name}`.trim()}>
        <table class="grid">
          <tbody>
            {Array.from({ length: Math.ceil(shown / WIDTH) }, (_, line) => (
              <tr>
                <th scope="row">{line * WIDTH}</th>
                {Array.from({ length: Math.min(WIDTH, shown - line * WIDTH) }, (_, column) => cell(elementOf(elements, matrix, 0, line * WIDTH + column)))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown < matrix.columns && (
        <p class="note">
          The first {grouped(shown)} of {grouped(matrix.columns)} elements.
        </p>
      )}
    </>
  );
}
