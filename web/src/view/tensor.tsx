// A tensor as a reader wants it: few elements as numbers in rows and columns, many as a heat map of each slice.
import { highlight } from "./code.tsx";
import { HeatMap } from "./heatmap.tsx";
import { gradientOf, rangeOf, readable } from "./numbers.ts";
import type { TensorView } from "../wasm/relish_wasm.js";

/** At most this many elements are read one by one. */
const READABLE = 64;
/** More slices than this are not looked at one by one. */
const SLICES = 24;

interface Props {
  tensor: TensorView;
  text: string;
  truncated: boolean;
}

export function TensorPicture({ tensor, text, truncated }: Props) {
  const { shape, elements } = tensor;
  const count = shape.reduce((product, dim) => product * dim, 1);
  if (count === 0) return <Text text={text} />;
  const isBool = tensor.dtype === "bool";
  if (count <= READABLE) {
    if (shape.length > 2) return <Slices tensor={tensor} isMap={false} />;
    return <Grid elements={elements} columns={shape.at(-1) ?? 1} isBool={isBool} />;
  }
  return (
    <>
      {shape.length === 1 ? (
        <Grid elements={elements.slice(0, READABLE)} columns={8} isBool={isBool} />
      ) : (
        <Slices tensor={tensor} isMap />
      )}
      {elements.length < count && (
        <p class="note">
          The first {elements.length.toLocaleString("en")} of {count.toLocaleString("en")} elements.
        </p>
      )}
      <details>
        <summary>As text</summary>
        <Text text={text} />
        {truncated && <p class="note">The value goes on; only its beginning is shown.</p>}
      </details>
    </>
  );
}

function Text({ text }: { text: string }) {
  return (
    <pre tabIndex={0} role="group" aria-label="Value">
      <code>{text.length > 4000 ? text : highlight(text)}</code>
    </pre>
  );
}

function Slices({ tensor: { shape, elements, dtype }, isMap }: { tensor: TensorView; isMap: boolean }) {
  const columns = shape.at(-1) ?? 1;
  const rows = shape.at(-2) ?? 1;
  const size = rows * columns;
  const range = rangeOf(elements);
  const total = Math.ceil(elements.length / size);
  const slices = Array.from({ length: Math.min(total, SLICES) }, (_, index) => ({
    name: shape.length > 2 ? `[${indices(index, shape.slice(0, -2)).join(", ")}]` : "",
    elements: elements.slice(index * size, (index + 1) * size),
  }));
  return (
    <>
      <div class="slices">
        {slices.map((slice) => (
          <figure>
            {slice.name !== "" && <figcaption>{slice.name}</figcaption>}
            {isMap ? (
              <HeatMap elements={slice.elements} columns={columns} rows={rows} range={range} name={slice.name} />
            ) : (
              <Grid elements={slice.elements} columns={columns} isBool={dtype === "bool"} />
            )}
          </figure>
        ))}
      </div>
      {total > SLICES && <p class="note">… and {total - SLICES} more slices.</p>}
      {isMap && (
        <div class="legend">
          <span>{readable(range.min)}</span>
          <span class="ramp" aria-hidden="true" style={{ background: gradientOf(range) }} />
          <span>{readable(range.max)}</span>
        </div>
      )}
    </>
  );
}

function Grid({ elements, columns, isBool }: { elements: number[]; columns: number; isBool: boolean }) {
  const rows = Array.from({ length: Math.ceil(elements.length / columns) }, (_, row) =>
    elements.slice(row * columns, (row + 1) * columns),
  );
  const show = (element: number) => (isBool ? (element === 0 ? "False" : "True") : readable(element));
  return (
    <div class="grid-scroll" tabIndex={0} role="group" aria-label="Elements">
      <table class="grid">
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map((element) => (
                <td>{show(element)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The position of the `flat`-th element in a shape: 5 in (2, 3) is at [1, 2]. */
function indices(flat: number, shape: readonly number[]): number[] {
  const out: number[] = [];
  for (let rest = flat, axis = shape.length - 1; axis >= 0; axis -= 1) {
    const dim = shape[axis] ?? 1;
    out.unshift(rest % dim);
    rest = Math.floor(rest / dim);
  }
  return out;
}
