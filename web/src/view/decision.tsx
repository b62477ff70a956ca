// A decision tree as a picture: what is looked at, what it may be, and which arm that leads to.
import { useComputed, useSignal } from "@preact/signals";
import type { ArmView, CaseView, NodeView } from "../wasm/relish_wasm.js";
import { type Drawing, layered, type Link } from "./layered.ts";
import { READABLE } from "./solver/viewport.ts";

/** Of a letter, in the size that the style sheet gives the tree's text. */
const LETTER = 7.25;
const LINE = 17;
const PADDING = 8;
/** Texts in the picture are cut here; the list below it has all of them. */
const LONGEST = 40;
/** As much of a case is in the list, and said when one points at it. */
const WHOLE = 200;
const MAX_BINDINGS = 3;
/** Room for the outlines of the outermost boxes. */
const MARGIN = 4;

export interface Pointed {
  arm?: number;
  node?: number;
}

interface Props {
  nodes: readonly NodeView[];
  arms: readonly ArmView[];
  pointed: Pointed | undefined;
  onPoint: (pointed: Pointed | undefined) => void;
  onGo: (node: NodeView) => void;
}

/** A long name without its middle, since they often begin alike; of several words, those that stand first. */
function cut(text: string, length = LONGEST): string {
  const nLast = /[\s(]/.test(text) ? 0 : length >> 1;
  return text.length <= length ? text : `${text.slice(0, length - 1 - nLast)}…${text.slice(text.length - nLast)}`;
}

/** What a case is for: `Red | Green`, `any other`; only as many names as there is room for. */
function caseText({ labels, others }: CaseView, length = LONGEST): string {
  if (others && labels.length === 0) return "any other";
  const rest = others ? " | any other" : "";
  let text = "";
  for (const [index, label] of labels.entries()) {
    const next = index === 0 ? cut(label, length) : `${text} | ${label}`;
    if (next.length > length) return `${text} +${labels.length - index}${rest}`;
    text = next;
  }
  return text + rest;
}

function linesOf(node: NodeView, arms: readonly ArmView[]): string[] {
  switch (node.kind) {
    case "switch":
      return [cut(node.place)];
    case "fail":
      return ["no arm", cut(node.witness)];
    case "cut":
      return ["…"];
    case "leaf": {
      const bound = node.bindings.slice(0, MAX_BINDINGS).map(({ name, place }) => cut(`${name} = ${place}`));
      const more = node.bindings.length - bound.length;
      return [`${node.arm + 1}  ${cut(arms[node.arm]?.pattern ?? "")}`, ...bound, ...(more > 0 ? [`… ${more} more`] : [])];
    }
  }
}

function spoken(node: NodeView, arms: readonly ArmView[]): string {
  switch (node.kind) {
    case "switch":
      return `look at ${node.path}`;
    case "fail":
      return `no arm for ${node.witness}`;
    case "cut":
      return "more that is not drawn";
    case "leaf": {
      const bound = node.bindings.map(({ name, path }) => `${name} is ${path}`).join(", ");
      return `arm ${node.arm + 1}, ${arms[node.arm]?.pattern ?? ""}${bound === "" ? "" : `, where ${bound}`}`;
    }
  }
}

interface Drawn {
  drawing: Drawing;
  lines: string[][];
  widths: number[];
  links: (Link & { text: string; whole: string })[];
}

function draw(nodes: readonly NodeView[], arms: readonly ArmView[]): Drawn {
  const lines = nodes.map((node) => linesOf(node, arms));
  const widths = lines.map((texts) => Math.max(...texts.map((text) => text.length)) * LETTER + 2 * PADDING);
  const sizes = lines.map((texts, index) => ({ width: widths[index] ?? 0, height: texts.length * LINE + PADDING }));
  const links = nodes.flatMap((node, from) => {
    if (node.kind !== "switch") return [];
    return node.cases.map((one) => {
      const text = caseText(one);
      return { from, to: one.to, text, whole: caseText(one, WHOLE), label: { width: text.length * LETTER + 8, height: LINE } };
    });
  });
  return { drawing: layered(sizes, links), lines, widths, links };
}

/** The nodes on the ways to what is pointed at. */
function litNodes(nodes: readonly NodeView[], pointed: Pointed | undefined): Set<number> {
  const lit = new Set<number>();
  if (pointed === undefined) return lit;
  const before = new Map<number, number[]>();
  nodes.forEach((node, from) => {
    if (node.kind !== "switch") return;
    for (const { to } of node.cases) before.set(to, [...(before.get(to) ?? []), from]);
  });
  const isMeant = (node: NodeView, index: number) =>
    pointed.node === undefined ? node.kind === "leaf" && node.arm === pointed.arm : index === pointed.node;
  const pending = [...nodes.keys()].filter((index) => isMeant(nodes[index] as NodeView, index));
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    if (lit.has(index)) continue;
    lit.add(index);
    pending.push(...(before.get(index) ?? []));
  }
  return lit;
}

export function DecisionTree({ nodes, arms, pointed, onPoint, onGo }: Props) {
  const shown = useSignal(nodes);
  shown.value = nodes;
  const drawn = useComputed(() => draw(shown.value, arms));
  /** The one node that the Tab key stops at. */
  const current = useSignal(0);
  const stop = current.value < nodes.length ? current.value : 0;
  const { drawing, lines, widths, links } = drawn.value;
  const lit = litNodes(nodes, pointed);
  const focus = (from: Element, index: number | undefined) => {
    if (index === undefined) return;
    current.value = index;
    from.parentElement?.querySelector<SVGElement>(`[data-node="${index}"]`)?.focus();
  };
  const neighbour = (index: number, key: string): number | undefined => {
    const boxes = drawing.boxes;
    const here = boxes[index];
    if (here === undefined) return undefined;
    if (key === "ArrowRight") return links.find(({ from }) => from === index)?.to;
    if (key === "ArrowLeft") return links.find(({ to }) => to === index)?.from;
    const way = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
    const beside = [...boxes.keys()].filter((other) => (boxes[other]?.x === here.x) && ((boxes[other]?.y ?? 0) - here.y) * way > 0);
    const distance = (other: number) => Math.abs((boxes[other]?.y ?? 0) - here.y);
    return beside.sort((a, b) => distance(a) - distance(b))[0];
  };
  const width = drawing.width + 2 * MARGIN;
  const height = drawing.height + 2 * MARGIN;
  return (
    <div class="tree-scroll" tabIndex={0} role="group" aria-label="Decision tree; the arrow keys go from node to node">
      {/* As wide as there is room, as long as it can be read. */}
      <svg class="tree" style={{ width: "100%", minWidth: `${width * READABLE}px`, maxWidth: `${width}px` }} viewBox={`${-MARGIN} ${-MARGIN} ${width} ${height}`}>
        <g aria-hidden="true">
          {links.map(({ from, to }, index) => (
            <path class={lit.has(from) && lit.has(to) ? "link lit" : "link"} d={drawing.links[index]?.path} />
          ))}
          {links.map(({ from, to, text, whole, label }, index) => {
            const { x, y } = drawing.links[index] ?? { x: 0, y: 0 };
            return (
              <g class={lit.has(from) && lit.has(to) ? "case lit" : "case"}>
                <title>{whole}</title>
                <rect x={x - label.width / 2} y={y - LINE / 2} width={label.width} height={LINE} rx="4" />
                <text x={x} y={y} text-anchor="middle" dominant-baseline="central">
                  {text}
                </text>
              </g>
            );
          })}
        </g>
        {nodes.map((node, index) => {
          const { x, y } = drawing.boxes[index] ?? { x: 0, y: 0 };
          const texts = lines[index] ?? [];
          const size = texts.length * LINE + PADDING;
          const go = () => onGo(node);
          return (
            <g
              class={`node ${node.kind} ${lit.has(index) ? "lit" : ""}`}
              role="button"
              aria-label={spoken(node, arms)}
              data-node={index}
              tabIndex={index === stop ? 0 : -1}
              onClick={go}
              onPointerEnter={() => onPoint({ node: index })}
              onPointerLeave={() => onPoint(undefined)}
              onFocus={() => {
                current.value = index;
                onPoint({ node: index });
              }}
              onBlur={() => onPoint(undefined)}
              onKeyDown={(event) => {
                if (event.key.startsWith("Arrow")) focus(event.currentTarget, neighbour(index, event.key));
                else if (event.key === "Enter" || event.key === " ") go();
                else return;
                event.preventDefault();
              }}
            >
              <title>{spoken(node, arms)}</title>
              <rect x={x} y={y - size / 2} width={widths[index]} height={size} rx="7" />
              {texts.map((text, line) => (
                <text
                  class={line === 0 ? "" : "detail"}
                  x={x + PADDING}
                  y={y - size / 2 + PADDING / 2 + (line + 0.5) * LINE}
                  dominant-baseline="central"
                >
                  {text}
                </text>
              ))}
            </g>
          );
        })}
      </svg>
    </div>
  );
}

/** The same as a list: each node once, and mentioned where it is met again. */
export function DecisionList({ nodes, arms }: Pick<Props, "nodes" | "arms">) {
  const met = new Set<number>();
  const item = (index: number, label: string) => {
    const node = nodes[index];
    if (node === undefined) return null;
    const isNew = !met.has(index);
    met.add(index);
    return (
      <li>
        {label !== "" && <code>{label}</code>}
        {label !== "" && ": "}
        {spoken(node, arms)}
        {node.kind === "switch" && (isNew ? <ul>{node.cases.map((one) => item(one.to, caseText(one, WHOLE)))}</ul> : ", as above")}
      </li>
    );
  };
  return <ul class="twin">{item(0, "")}</ul>;
}
