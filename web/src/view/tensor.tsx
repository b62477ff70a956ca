// A tensor as a reader wants it: few elements as numbers, many as a heat map of each matrix in it, or as images where
// they look like some; with what there is to say about all elements together.
import { signal, useSignal } from "@preact/signals";
import type { ComponentChild, ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { paneWidth } from "./appearance.ts";
import { type Cut, elementOf, firstCut, foldOf, matricesOf, type Matrix, type Points, pointsOf } from "./axes.ts";
import { HeatMap, Image } from "./heatmap.tsx";
import { BEYOND, colorOf, css, endsOf, exact, gradientOf, isRounded, type Range, rangeAmong, rangeOf, readable, readableAlike, readableApart, shortest } from "./numbers.ts";
import { kept } from "./kept.ts";
import { type Images, imagesOf } from "./picture.ts";
import { FoldedText, ValueText } from "./valuetext.tsx";
import type { OverviewView, StatisticsView, TensorView } from "../wasm/relish_wasm.js";

/** At most this many elements are read one by one unasked. */
const READABLE = 64;
/** More matrices than this are not looked at one by one. */
const SLICES = 24;
/** A part of the range, which has about one colour. */
const FAINT = 1 / 16;
/** And as tables of numbers, which are larger, not more than this. */
const TABLES = 4;
/** So many rows and columns of a table are shown. */
const CELLS = 32;
const NO_POINTS: Points = { rows: 0, columns: 0, means: [] };
/** More rows than there is room for. */
const TALL = 11;
/** A place on an axis of more is typed, not chosen. */
const CHOICES = 64;

/** Whether tables show all digits; so they do in later runs too. */
const withAllDigits = signal(false);

type Look = "numbers" | "map" | "image";

const LOOKS: Record<Look, string> = { numbers: "Numbers", map: "Heat map", image: "Image" };

interface Props {
  /** Which value of the run it is, or which part of it. */
  name: string;
  tensor: TensorView;
  /** Of it alone, and whether that is only its beginning; absent where it stands in the text of another value. */
  text?: string;
  /** What is told above it. */
  type?: string;
  truncated?: boolean;
}

const grouped = (n: number) => n.toLocaleString("en");

export function TensorPicture({ name, tensor, text, type, truncated = false }: Props) {
  const { shape, elements, statistics } = tensor;
  const images = useMemo(() => imagesOf(tensor), [tensor]);
  const isSmall = statistics.count <= READABLE;
  const looks: Look[] = ["numbers", ...(shape.length > 1 || !isSmall ? (["map"] as const) : []), ...(images ? (["image"] as const) : [])];
  const first: Look = isSmall || shape.length === 1 ? "numbers" : images?.isSure ? "image" : "map";
  const [chosen, choose] = kept<Look | undefined>(`${name} look`, undefined);
  // Of elements that are all the same there is nothing to be seen, unless somebody wants to.
  const isPlain = !isSmall && isConstant(tensor) && chosen === undefined;
  const look = chosen !== undefined && looks.includes(chosen) ? chosen : first;
  // Blocks are of the last two axes: those of an image whose colours are the last one are none of it.
  const hasBlocks = look === "map" || (look === "image" && images?.width === shape.length - 1);
  const overview = hasBlocks ? tensor.overview : undefined;
  if (statistics.count === 0) return text === undefined ? null : <ValueText text={text} truncated={truncated} />;
  return (
    <div class="tensor">
      {!isSmall && <Statistics tensor={tensor} withShape={type === undefined || type.includes("?")} />}
      {!isSmall && (
        <div class="looks" role="group" aria-label="Shown as">
          {looks.map((id) => (
            <button type="button" class="button small" aria-pressed={look === id && !isPlain} onClick={() => choose(id)}>
              {LOOKS[id]}
            </button>
          ))}
        </div>
      )}
      {!isPlain && overview === undefined && elements.length < statistics.count && (
        <p class="note">
          Of {grouped(statistics.count)} elements the first {grouped(elements.length)} are here{look !== "numbers" && "; what is hatched is not"}.
        </p>
      )}
      {!isPlain && (
        <Matrices
          name={name}
          tensor={tensor}
          block={overview}
          look={look}
          images={look === "image" ? images : undefined}
          isSmall={isSmall}
        />
      )}
      {!isSmall && text !== undefined && <FoldedText summary="As text" text={text} truncated={truncated} />}
    </div>
  );
}

type Fact = [name: string, value: string, title?: string | undefined];

function Statistics({ tensor, withShape }: { tensor: TensorView; withShape: boolean }) {
  const { shape, statistics, dtype, lacks } = tensor;
  const { min, max, mean, deviation, n_nan, n_infinite, count } = statistics;
  const rounded = (name: string, value: number, said = readable(value)): Fact => [name, said, isRounded(value, said) ? exact(value, "float64") : undefined];
  const ofFinite = (): Fact[] => {
    if (isConstant(tensor)) return [[`all ${grouped(count)} elements are`, exact(min, dtype, lacks[0])]];
    if (dtype === "bool") return [["True", `${grouped(Math.round(mean * count))} of ${grouped(count)}`]];
    const [low, high] = readableApart(min, max);
    return [rounded("min", min, low), rounded("max", max, high), rounded("mean", mean), rounded("std", deviation)];
  };
  const facts: Fact[] = [];
  if (withShape) facts.push(["shape", `(${shape.join(", ")})`]);
  if (hasFinite(statistics)) facts.push(...ofFinite());
  // What is said before is of the others.
  if (hasFinite(statistics) && n_nan + n_infinite > 0) facts.push(["finite", grouped(count - n_nan - n_infinite)]);
  if (n_nan > 0) facts.push(["nan", grouped(n_nan)]);
  if (n_infinite > 0) facts.push(["infinite", grouped(n_infinite)]);
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

/** Whether all elements are the same number; of large integers that are not all here, nobody knows. */
const isConstant = ({ statistics: { min, max, n_nan, n_infinite, count }, lacks }: TensorView) =>
  min === max && n_nan + n_infinite === 0 && (lacks.length === 0 || lacks.length === count) && lacks.every((lack) => lack === lacks[0]);

/** Whether there are elements that have a place on the scale. */
const hasFinite = ({ n_nan, n_infinite, count }: StatisticsView) => n_nan + n_infinite < count;

/** How many elements a point stands for. */
const sizeOf = (rows: number, columns: number) => (rows === 1 || columns === 1 ? grouped(rows * columns) : `${rows} by ${columns}`);

interface MatricesProps {
  name: string;
  tensor: TensorView;
  /** What is shown in the place of its elements, where they are too many. */
  block: OverviewView | undefined;
  look: Look;
  images: Images | undefined;
  isSmall: boolean;
}

function Matrices({ name, tensor, block, look, images, isSmall }: MatricesProps) {
  const { statistics, dtype } = tensor;
  const { elements } = block ?? tensor;
  // A vector is a matrix of one row.
  const asMatrix = (shape: readonly number[]) => (shape.length === 1 ? [1, ...shape] : shape);
  const shape = asMatrix(tensor.shape);
  const most = look === "numbers" && !isSmall ? TABLES : SLICES;
  const [chosen, setCut] = kept<Cut | undefined>(`${name} cut`, undefined);
  // Another run may have come to another shape.
  const fits = chosen?.at.length === shape.length && chosen.at.every((at, axis) => at === "all" || at < (shape[axis] ?? 0));
  const now = fits ? chosen : firstCut(shape, most);
  // An image says itself which axes are its rows and columns; its colours are no images of their own.
  const shownCut: Cut = images
    ? { rows: images.height, columns: images.width, at: now.at.map((at, axis) => (axis === images.channel ? 0 : at)) }
    : now;
  // Blocks lie in the last two axes, whichever are shown.
  const side = (axis: number) => (axis === shape.length - 1 ? block?.columns : axis === shape.length - 2 ? block?.rows : 1) ?? 1;
  const { matrices, total } = matricesOf(asMatrix((block ?? tensor).shape), shownCut, most, { colours: images?.channel, side });
  const channelStep = images?.channel === undefined ? 0 : (block ?? tensor).shape.slice(images.channel + 1).reduce((product, size) => product * size, 1);
  const [first] = matrices;
  const isOne = matrices.length === 1;
  const fold = first === undefined || look === "numbers" ? { rows: 1, columns: 1 } : foldOf(first);
  const isOfMeans = block !== undefined || fold.rows * fold.columns > 1;
  const isPart = look === "map" && !isConstant(tensor) && (isOfMeans || matrices.length * (first?.rows ?? 0) * (first?.columns ?? 0) < statistics.count);
  const [scaled, setScaled] = kept<"whole" | "shown" | undefined>(`${name} scale`, undefined);
  const hasBeyond = look === "map" && statistics.n_nan + statistics.n_infinite > 0;
  const points = useMemo(
    () => (look === "map" ? matrices.map((matrix) => pointsOf(elements, matrix)) : []),
    [tensor, look, elements, JSON.stringify(shownCut)],
  );
  // Where the scale or the legend goes by them.
  const drawn = useMemo(() => (isPart || hasBeyond ? points.flatMap(({ means }) => means) : []), [points, isPart, hasBeyond]);
  const all = rangeOf(statistics);
  const ofDrawn = useMemo(() => rangeAmong(drawn, all), [drawn]);
  // In the colours of all elements nothing of it would be seen.
  const isFaint = ofDrawn.min < ofDrawn.max && ofDrawn.max - ofDrawn.min < FAINT * (all.max - all.min);
  const isOfShown = isPart && (scaled ?? (isFaint ? "shown" : "whole")) === "shown";
  const shownAs = (matrix: Matrix) => ({
    elements,
    lacks: block === undefined ? tensor.lacks : [],
    dtype,
    block: isOfMeans ? { rows: fold.rows * side(shownCut.rows), columns: fold.columns * side(shownCut.columns) } : undefined,
    matrix,
    size: [shape[shownCut.rows] ?? 1, shape[shownCut.columns] ?? 1] as const,
    isOne,
  });
  const tables = useMemo(
    () => (look === "numbers" ? matrices.map((matrix) => tableOf(tensor, matrix)) : []),
    [tensor, look, JSON.stringify(shownCut)],
  );
  const absent = matrices.filter((_, at) => tables[at]?.shown.length === 0);
  const range = useMemo(() => (isOfShown ? ofDrawn : all), [tensor, isOfShown, drawn]);
  const scale = isPart && (
    <label>
      scale
      <select value={isOfShown ? "shown" : "whole"} onChange={({ currentTarget: { value } }) => setScaled(value === "shown" ? "shown" : "whole")}>
        <option value="whole">of the whole tensor</option>
        <option value="shown">of what is shown</option>
      </select>
    </label>
  );
  return (
    <>
      {isOfMeans && <p class="note">Each point is the mean of {sizeOf(fold.rows * (block?.rows ?? 1), fold.columns * (block?.columns ?? 1))} elements.</p>}
      {!isSmall && shape.length > 2 ? (
        <Axes shape={shape} cut={shownCut} images={images} onCut={setCut}>
          {scale}
        </Axes>
      ) : (
        scale && <div class="axes">{scale}</div>
      )}
      {look === "map" && <Legend range={range} tensor={tensor} drawn={drawn} isOfMeans={isOfMeans} />}
      {images && <ImageLegend images={images} tensor={tensor} isOfMeans={isOfMeans} />}
      <div class="slices">
        {matrices.map(
          (matrix, at) =>
            !absent.includes(matrix) && (
              <figure>
                {matrix.name !== "" && <figcaption>{matrix.name}</figcaption>}
                {images ? (
                  <Image {...shownAs(matrix)} images={images} statistics={statistics} channelStep={channelStep} />
                ) : look === "map" ? (
                  <HeatMap {...shownAs(matrix)} points={points[at] ?? NO_POINTS} range={range} hasFinite={hasFinite(statistics)} />
                ) : (
                  <Grid tensor={tensor} matrix={matrix} isSmall={isSmall} alike={tables[at]?.alike ?? readable} />
                )}
              </figure>
            ),
        )}
      </div>
      {absent.length > 0 && <p class="note">The elements of {absent.map(({ name }) => name).join(" and ")} are not here.</p>}
      {total > matrices.length && <p class="note">… and {grouped(total - matrices.length)} more.</p>}
      {tables.some(({ hasRounded }) => hasRounded) && <Digits />}
    </>
  );
}

/** That numbers are rounded is said, and they need not be. */
function Digits() {
  return (
    <p class="note digits">
      {withAllDigits.value ? "All digits are shown. " : "Rounded. "}
      <button type="button" class="plain-link" onClick={() => (withAllDigits.value = !withAllDigits.value)}>
        {withAllDigits.value ? "Round them" : "Show all digits"}
      </button>
    </p>
  );
}

interface LegendProps {
  range: Range;
  tensor: TensorView;
  /** The points of the picture, if some elements are not finite; some may have no element that is here. */
  drawn: readonly (number | undefined)[];
  isOfMeans: boolean;
}

function Legend({ range, tensor, drawn, isOfMeans }: LegendProps) {
  const { statistics, dtype } = tensor;
  const { n_nan, n_infinite } = statistics;
  const isDrawn = (is: (value: number) => boolean) => drawn.some((point) => point !== undefined && is(point));
  const beyond = useMemo(() => (n_nan + n_infinite > 0 ? BEYOND.filter(({ is }) => isDrawn(is)) : []), [drawn]);
  if (isConstant(tensor)) return null;
  const told = (value: number) => (dtype === "bool" ? exact(value, dtype) : readable(value));
  // Without one among the elements, it is the mean of both infinities.
  const nameOf = (name: string) => (name === "nan" && n_nan === 0 ? "inf and −inf" : name);
  const colors: [string, string][] = beyond.map(({ name, color }) => [nameOf(name), color]);
  const isOfTwo = dtype === "bool" && !isOfMeans;
  const hasRamp = hasFinite(statistics) && range.min < range.max && !isOfTwo;
  // What has no colours between: one number, or two.
  if (!hasRamp && hasFinite(statistics)) {
    for (const value of new Set([range.max, range.min])) colors.unshift([told(value), css(colorOf(value, range))]);
  }
  return (
    <div class="legend">
      {hasRamp && <Ramp ends={endsOf(range, dtype)} colors={gradientOf(range)} />}
      <Swatches colors={colors} />
    </div>
  );
}

function ImageLegend({ images, tensor: { statistics, dtype }, isOfMeans }: { images: Images; tensor: TensorView; isOfMeans: boolean }) {
  const { min, max } = statistics;
  const unit = dtype === "bool" ? (["False", "True"] as const) : (["0", "1"] as const);
  const ends = { unit, byte: ["0", "255"], stretched: [readable(min), readable(max)] } as const;
  return (
    <div class="legend">
      {dtype === "bool" && !isOfMeans ? (
        <Swatches colors={[["False", "#000"], ["True", "#fff"]]} />
      ) : (
        <Ramp ends={ends[images.scale]} colors="linear-gradient(to right, #000, #fff)" />
      )}
    </div>
  );
}

const Ramp = ({ ends, colors }: { ends: readonly [string, string]; colors: string }) => (
  <>
    <span>{ends[0]}</span>
    <span class="ramp" aria-hidden="true" style={{ background: colors }} />
    <span>{ends[1]}</span>
  </>
);

const Swatches = ({ colors }: { colors: readonly (readonly [name: string, color: string])[] }) => (
  <>
    {colors.map(([name, color]) => (
      <span class="one">
        <span class="swatch" aria-hidden="true" style={{ background: color }} />
        {name}
      </span>
    ))}
  </>
);

interface AxesProps {
  shape: readonly number[];
  cut: Cut;
  images: Images | undefined;
  onCut: (cut: Cut) => void;
  children: ComponentChildren;
}

/** Which axes are rows and columns, and where the others are cut. */
function Axes({ shape, cut, images, onCut, children }: AxesProps) {
  const choose = (which: "rows" | "columns", axis: number) => {
    const other = which === "rows" ? "columns" : "rows";
    // An axis cannot be both; whoever takes the other's gives its own.
    const swapped = axis === cut[other] ? { [other]: cut[which] } : {};
    onCut({ ...cut, at: cut.at.map((at, index) => (index === cut[which] ? 0 : at)), ...swapped, [which]: axis });
  };
  const place = (axis: number, at: number | "all") => onCut({ ...cut, at: cut.at.map((before, index) => (index === axis ? at : before)) });
  const isShown = (axis: number) => axis === cut.rows || axis === cut.columns || axis === images?.channel;
  const others = shape.map((_, axis) => axis).filter((axis) => !isShown(axis) && shape[axis] !== 1);
  if (images !== undefined && others.length === 0) return null;
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
      {children}
    </div>
  );
}

/** An element in its table, of its row and column. */
type Cell = (row: number, column: number) => ComponentChild;

interface GridProps {
  tensor: TensorView;
  matrix: Matrix;
  isSmall: boolean;
  /** As its rounded numbers are written. */
  alike: (value: number) => string;
}

const numbers = (n: number, most: number) => Array.from({ length: Math.min(n, most) }, (_, index) => index);

/** The elements of a matrix that its table shows, as far as they are here, and how they are written. */
function tableOf({ elements, dtype }: TensorView, matrix: Matrix) {
  const columns = numbers(matrix.columns, matrix.rows === 1 ? IN_LINES : CELLS);
  const found = numbers(matrix.rows, CELLS).flatMap((row) => columns.map((column) => elementOf(elements, matrix, row, column)));
  const shown = found.filter((element) => element !== undefined).map((element) => shortest(element, dtype));
  const alike = readableAlike(shown, dtype);
  return { shown, alike, hasRounded: !isExact(dtype) && shown.some((value) => isRounded(value, alike(value))) };
}

/** Whether elements of a dtype are written with all their digits, of which none has many. */
const isExact = (dtype: string) => dtype === "bool" || dtype.includes("int");

function Grid({ tensor: { elements, lacks, dtype }, matrix, isSmall, alike }: GridProps) {
  const cell: Cell = (row, column) => {
    const element = elementOf(elements, matrix, row, column);
    if (element === undefined) return <td />;
    if (isExact(dtype) || withAllDigits.value) return <td>{exact(element, dtype, elementOf(lacks, matrix, row, column))}</td>;
    const value = shortest(element, dtype);
    const text = alike(value);
    return <td title={isRounded(value, text) ? exact(element, dtype) : undefined}>{text}</td>;
  };
  // What is long and one row high is read in lines.
  if (matrix.rows === 1 && matrix.columns > CELLS) return <Lines elements={elements} matrix={matrix} cell={cell} />;
  const [rows, columns] = [numbers(matrix.rows, CELLS), numbers(matrix.columns, CELLS)];
  const isCut = rows.length < matrix.rows || columns.length < matrix.columns;
  return (
    <>
      <div class={rows.length > TALL ? "grid-scroll tall" : "grid-scroll"} tabIndex={0} role="group" aria-label={`Elements ${matrix.name}`.trim()}>
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
                {columns.map((column) => cell(row, column))}
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

/** How many elements may stand in a line: the most that there is room for. */
const IN_LINE = [8, 5, 4, 3, 2, 1];
/** So many are in all lines together. */
const IN_LINES = 256;

function Lines({ elements, matrix, cell }: { elements: readonly number[]; matrix: Matrix; cell: Cell }) {
  const place = useRef<HTMLDivElement>(null);
  const choice = useSignal(0);
  useLayoutEffect(() => {
    choice.value = 0;
  }, [paneWidth.value, elements, withAllDigits.value]);
  useLayoutEffect(() => {
    const { scrollWidth, clientWidth } = place.current ?? { scrollWidth: 0, clientWidth: 0 };
    if (scrollWidth > clientWidth && choice.value < IN_LINE.length - 1) choice.value += 1;
  });
  const width = IN_LINE[choice.value] ?? 1;
  const shown = Math.min(matrix.columns, IN_LINES);
  return (
    <>
      <div ref={place} class="grid-scroll" tabIndex={0} role="group" aria-label={`Elements ${matrix.name}`.trim()}>
        <table class="grid">
          <tbody>
            {Array.from({ length: Math.ceil(shown / width) }, (_, line) => (
              <tr>
                <th scope="row">{line * width}</th>
                {Array.from({ length: Math.min(width, shown - line * width) }, (_, column) => cell(0, line * width + column))}
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
