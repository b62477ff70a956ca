// Points in colour, one for each element or each place of an image, drawn larger by the style sheet. What a place is one
// learns by pointing at it, by a tap, which marks it, or by going there with the arrow keys.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

export type Rgb = readonly [number, number, number];

interface Props {
  rows: number;
  columns: number;
  /** Nothing where there is nothing to show. */
  color: (row: number, column: number) => Rgb | undefined;
  /** What is said of a place. */
  say: (row: number, column: number) => string;
  /** What the picture is, for those who do not see it. */
  label: string;
  /** One of several is smaller. */
  isOne: boolean;
  /** Whether points may be longer than wide, or wider than long, so that a picture with few of them is no thread. */
  stretches?: boolean;
}

interface Place {
  row: number;
  column: number;
  /** Marked, and so not left when the pointer leaves. */
  stays: boolean;
}

/** Rows and columns that an arrow key goes. */
const WAYS: Readonly<Record<string, readonly [number, number]>> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

const NARROWEST = 96;
const LARGEST_CELL = 14;
/** The mark of a smaller one is as large as this, in pixels. */
const LEAST_MARK = 7;
export function Bitmap({ rows, columns, color, say, label, isOne, stretches = false }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const pointed = useSignal<Place | undefined>(undefined);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    const image = context.createImageData(columns, rows);
    for (let row = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1) {
        const found = color(row, column);
        if (found) image.data.set([...found, 255], (row * columns + column) * 4);
      }
    }
    context.putImageData(image, 0, 0);
  }, [color, rows, columns]);
  const widest = isOne ? 280 : 140;
  const square = Math.min(LARGEST_CELL, widest / columns, widest / rows);
  const long = (n: number) => Math.max(n * square, stretches ? Math.min(n * LARGEST_CELL, NARROWEST) : 0, 12);
  const go = (row: number, column: number, stays: boolean) => {
    pointed.value = { row: Math.min(rows - 1, Math.max(0, row)), column: Math.min(columns - 1, Math.max(0, column)), stays };
  };
  const point = (event: MouseEvent, stays: boolean) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    go(Math.floor(((event.clientY - box.top) / box.height) * rows), Math.floor(((event.clientX - box.left) / box.width) * columns), stays);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const way = WAYS[event.key];
    if (way === undefined) return;
    event.preventDefault();
    // The first press is for the first place.
    const { row, column } = place ?? { row: -way[0], column: -way[1] };
    go(row + way[0], column + way[1], true);
  };
  // The picture may be another one by now.
  const place = pointed.value !== undefined && pointed.value.row < rows && pointed.value.column < columns ? pointed.value : undefined;
  const along = (at: number, n: number) => ({ at: `${((at + 0.5) / n) * 100}%`, size: `max(${LEAST_MARK}px, ${100 / n}%)` });
  const [x, y] = [along(place?.column ?? 0, columns), along(place?.row ?? 0, rows)];
  return (
    <>
      <div class="bitmap" style={{ width: `${long(columns)}px`, height: `${long(rows)}px` }}>
        <canvas
          ref={canvas}
          // Points that are smaller than those of the screen are mixed there, not left out.
          class={Math.max(rows, columns) > widest ? "heatmap fine" : "heatmap"}
          role="img"
          aria-label={label}
          tabIndex={0}
          width={columns}
          height={rows}
          onPointerMove={(event) => event.pointerType !== "touch" && point(event, false)}
          onPointerLeave={() => place?.stays === false && (pointed.value = undefined)}
          onClick={(event) => point(event, true)}
          onKeyDown={onKeyDown}
        />
        {place?.stays && <div class="mark" style={{ left: x.at, top: y.at, width: x.size, height: y.size }} />}
      </div>
      <span class="pointed" aria-live="polite">
        {place && say(place.row, place.column)}
      </span>
    </>
  );
}
