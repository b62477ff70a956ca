// Points in colour, one for each element or each place of an image, drawn larger by the style sheet.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

export type Rgb = readonly [number, number, number];

interface Props {
  rows: number;
  columns: number;
  /** Nothing where there is nothing to show. */
  color: (row: number, column: number) => Rgb | undefined;
  /** What is said of a place under the pointer. */
  say: (row: number, column: number) => string;
  /** What the picture is, for those who do not see it. */
  label: string;
}

const WIDEST = 280;
const LARGEST_CELL = 14;
/** No canvas has more points on a side; of larger pictures some elements are left out. */
const MOST_POINTS = 1024;

export function Bitmap({ rows, columns, color, say, label }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const pointed = useSignal("");
  const [height, width] = [Math.min(rows, MOST_POINTS), Math.min(columns, MOST_POINTS)];
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    const image = context.createImageData(width, height);
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const found = color(Math.floor((y * rows) / height), Math.floor((x * columns) / width));
        if (found) image.data.set([...found, 255], (y * width + x) * 4);
      }
    }
    context.putImageData(image, 0, 0);
  }, [color, rows, columns, width, height]);
  const cell = Math.min(LARGEST_CELL, WIDEST / columns, WIDEST / rows);
  const onPointerMove = (event: PointerEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * columns);
    const row = Math.floor(((event.clientY - box.top) / box.height) * rows);
    const isInside = row >= 0 && row < rows && column >= 0 && column < columns;
    pointed.value = isInside ? say(row, column) : "";
  };
  return (
    <>
      <canvas
        ref={canvas}
        class="heatmap"
        role="img"
        aria-label={label}
        width={width}
        height={height}
        style={{ width: `${Math.max(columns * cell, 12)}px`, height: `${Math.max(rows * cell, 12)}px` }}
        onPointerMove={onPointerMove}
        onPointerLeave={() => (pointed.value = "")}
      />
      <span class="pointed">{pointed.value}</span>
    </>
  );
}
