// The nodes of a TensorScript text as tables of their layers, and the text as PyTorch and as Relay.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { copyText } from "../action/clipboard.ts";
import { point, show } from "../action/navigation.ts";
import { exportTo } from "../action/queries.ts";
import type { ExportName } from "../protocol.ts";
import { hasFlaws, isFresh, state } from "../state.ts";
import { isPaneNarrow } from "../view/appearance.ts";
import { TypeText } from "../view/code.tsx";
import { useAnswer } from "../view/rested.ts";
import { countOf, grouped } from "../view/units.ts";
import type { ExportView, LayerView, NetView } from "../wasm/relish_wasm.js";

const EXPORTS: readonly { to: ExportName; title: string }[] = [
  { to: "pytorch", title: "PyTorch" },
  { to: "relay", title: "Relay" },
];

export function LayersPanel() {
  // One whose name is still to be typed is none yet.
  const nodes = state.checked.value.view.nodes.filter(({ name }) => name !== "");
  if (nodes.length === 0) {
    return <p class="empty">The layers of each node appear here: what they give, what they learn, what they cost.</p>;
  }
  return (
    <div class="layers">
      {nodes.map((node) => (
        <Node node={node} />
      ))}
      <Exports />
    </div>
  );
}

function Node({ node }: { node: NetView }) {
  const count = node.functions.reduce((sum, { layers }) => sum + layers.length, 0);
  return (
    <section>
      <h2>
        <button type="button" class="plain-link" onClick={() => show(node.span)}>
          {node.name}
        </button>{" "}
        {node.type !== undefined && <TypeText text={node.type} />}
      </h2>
      {count > 0 && (
        <div class="profile-scroll" tabIndex={0} role="group" aria-label={`Layers of ${node.name}`}>
          <table>
            <thead>
              <tr>
                <th scope="col">{isPaneNarrow.value ? "Layer and its output" : "Layer"}</th>
                {!isPaneNarrow.value && <th scope="col">Output</th>}
                <th scope="col">Parameters</th>
                <th scope="col" title="Operations on numbers for one example">
                  Operations
                </th>
              </tr>
            </thead>
            {node.functions.map(({ name, layers }) => (
              <tbody>
                {node.functions.length > 1 && layers.length > 0 && (
                  <tr class="of">
                    <th scope="rowgroup" colSpan={isPaneNarrow.value ? 3 : 4}>
                      {name}
                    </th>
                  </tr>
                )}
                {layers.map((layer) => (
                  <Row layer={layer} />
                ))}
              </tbody>
            ))}
          </table>
        </div>
      )}
      <p class="figures">
        {grouped(node.trained)} {node.trained === 1 ? "parameter" : "parameters"}
        {node.kept > 0 && <> and {grouped(node.kept)} numbers that training does not change</>}.
      </p>
    </section>
  );
}

function Row({ layer }: { layer: LayerView }) {
  const light = (on: boolean) => point(on && isFresh.value ? layer.span : undefined);
  // `maxpool2d` with its arguments alone; a weight with the layer that it is.
  const { name, made_of } = layer;
  const detail = made_of.startsWith(`${name}(`) ? made_of.slice(name.length + 1, -1) : made_of;
  const args = detail.indexOf("(") + 1;
  return (
    <tr onPointerEnter={() => light(true)} onPointerLeave={() => light(false)}>
      <th scope="row">
        <button type="button" onClick={() => show(layer.span)} onFocus={() => light(true)} onBlur={() => light(false)}>
          <code>{layer.name}</code>
          {detail !== "" && (
            <small>
              {detail.slice(0, args)}
              <wbr />
              {detail.slice(args)}
            </small>
          )}
          {isPaneNarrow.value && <TypeText text={layer.output} />}
        </button>
      </th>
      {!isPaneNarrow.value && (
        <td>
          <TypeText text={layer.output} />
        </td>
      )}
      <td>{layer.trained > 0 ? grouped(layer.trained) : "–"}</td>
      <td>{layer.flops === undefined ? (layer.formula ?? "–") : countOf(layer.flops)}</td>
    </tr>
  );
}

/** A program as text of another language, and which text it was. */
interface Exported {
  to: ExportName;
  view: ExportView;
  revision: number;
}

function Exports() {
  const to = useSignal<ExportName | undefined>(undefined);
  // With problems there is none, and the one before stays.
  const answer = useAnswer(
    () => (hasFlaws.value ? undefined : to.value),
    async (to): Promise<Exported | undefined> => {
      const revision = state.revision.peek();
      const view = to && (await exportTo(to));
      return to && view && { to, view, revision };
    },
  );
  const shown = answer.value?.to === to.value ? answer.value : undefined;
  const isStale = shown?.revision !== state.revision.value;
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (shown !== undefined) section.current?.scrollIntoView({ block: "start" });
  }, [shown?.to]);
  const title = EXPORTS.find((one) => one.to === to.value)?.title ?? "";
  return (
    <section class="exports" ref={section}>
      <h2>Export</h2>
      <p class="toolbar">
        {EXPORTS.map((one) => (
          <button
            type="button"
            class="button"
            aria-expanded={to.value === one.to}
            disabled={to.value !== one.to && (!isFresh.value || hasFlaws.value)}
            onClick={() => (to.value = to.value === one.to ? undefined : one.to)}
          >
            {one.title}
          </button>
        ))}
        {shown?.view.text !== undefined && (
          <button type="button" class="button small" disabled={isStale} onClick={() => void copyText(shown.view.text ?? "", `${title} copied.`)}>
            Copy
          </button>
        )}
      </p>
      {hasFlaws.value && (
        <p class="note">
          Once its problems are mended, the program can be had as PyTorch and as Relay.{shown !== undefined && " What is shown is older."}
        </p>
      )}
      {shown?.view.reason !== undefined && <p class="note">{shown.view.reason}</p>}
      {shown?.view.text !== undefined && (
        <pre class={isStale ? "code-block stale" : "code-block"} tabIndex={0}>
          <code>{shown.view.text}</code>
        </pre>
      )}
    </section>
  );
}
