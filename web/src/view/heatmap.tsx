// One matrix as a picture, a pixel for each element, drawn larger by the style sheet.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { colorOf, type Range, readable } from "./numbers.ts";

interface Props {
  elements: readonly number[];
  columns: number;
  rows: number;
  range: Range;
  /** Which slice of the tensor this is, if it is one of several. */
  name: string;
}

const WIDEST = 280;
const LARGEST_CELL = 14;

export function HeatMap({ elements, columns, rows, range, name }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const pointed = useSignal("");
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    const image = context.createImageData(columns, rows);
    elements.forEach((element, index) => image.data.set([...colorOf(element, range), 255], index * 4));
    context.putImageData(image, 0, 0);
  }, [elements, columns, rows, range]);
  const cell = Math.min(LARGEST_CELL, WIDEST / columns, WIDEST / rows);
  const onPointerMove = (event: PointerEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * columns);
    const row = Math.floor(((event.clientY - box.top) / box.height) * rows);
    const element = elements[row * columns + column];
    pointed.value = element === undefined ? "" : `[${row}, ${column}] is ${readable(element)}`;
  };
  return (
    <>
      <canvas
        ref={canvas}
        class="heatmap"
        role="img"
        aria-label={`Heat map ${name} of ${rows} by ${columns} elements from ${readable(range.min)} to ${readable(range.max)}`}
        width={columns}
        height={rows}
        style={{ width: `${Math.max(columns * cell, 12)}px`, height: `${Math.max(rows * cell, 12)}px` }}
        onPointerMove={onPointerMove}
        onPointerLeave={() => (pointed.value = "")}
      />
      <span class="pointed">{pointed.value}</span>
    </>
  );
}
