// The variables and relations of the program as a drawing that keeps its places: only what is in view is drawn, and
// what a cluster holds is drawn when it is opened.
import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { copyText } from "../../action/clipboard.ts";
import { point } from "../../action/navigation.ts";
import { followGraph, litAmong, stopNow } from "../../action/solving.ts";
import { type Placed, state } from "../../state.ts";
import type { GraphStateView, SpanView } from "../../wasm/relish_wasm.js";
import { Icon, type IconName } from "../icon.tsx";
import { useDragging } from "./dragging.ts";
import { savePicture, saveTrace } from "./export.ts";
import { GraphList } from "./graphlist.tsx";
import { Edges, FarNodes, Node } from "./node.tsx";
import { graphPicture } from "./picture.ts";
import { Takeaway } from "./takeaway.tsx";
import { graphText } from "./text.ts";
import { beyond, clampView, firstView, fit, inView, keepsInView, moved, type Viewport, zoomed } from "./viewport.ts";

/** More nodes than this in view are drawn without their texts, a path for each state. */
const MOST_DRAWN = 400;
/** A step of the arrow keys. */
const PAN = 60;

const NONE: readonly string[] = [];

export function Graph() {
  const opened = useSignal(NONE);
  useSignalEffect(() => {
    void state.trace.value;
    void followGraph(opened.value);
  });
  const placed = state.placed.value;
  if (placed === undefined) return <p class="empty working">Placing the graph …</p>;
  const open = (id: string) => (opened.value = opened.value.includes(id) ? opened.value.filter((other) => other !== id) : [...opened.value, id]);
  const isPlacing = placed.opened !== opened.value || placed.revision !== state.trace.value?.revision;
  return <Drawn placed={placed} isPlacing={isPlacing} onOpen={open} />;
}

interface DrawnProps {
  placed: Placed;
  isPlacing: boolean;
  onOpen: (cluster: string) => void;
}

function Drawn({ placed, isPlacing, onOpen }: DrawnProps) {
  const { graph } = placed;
  const at = state.graphState.value;
  const told = at?.placed === placed ? at.view : undefined;
  const now = useMemo(() => (told === undefined ? undefined : withFailure(placed, told)), [placed, told]);
  const asPicture: Takeaway = {
    title: "Graph as SVG",
    icon: "download",
    act: () => savePicture(`graph-${stopNow.peek()}.svg`, graphPicture(placed, now, stopNow.peek())),
  };
  return (
    <div class="graph-tab">
      <Canvas placed={placed} now={now} isPlacing={isPlacing} onOpen={onOpen}>
        {graph.nodes.length.toLocaleString("en")} nodes
        {graph.n_hidden > 0 && <>; {graph.n_hidden.toLocaleString("en")} more are in clusters, which open with a click or Enter</>}.
        {graph.open.filter(({ is_asked }) => is_asked).map(({ id, label }) => (
          <>
            {" "}
            <button type="button" class="button small" onClick={() => onOpen(id)}>
              Close {label}
            </button>
          </>
        ))}
      </Canvas>
      <GraphList placed={placed} now={now} onOpen={onOpen} />
      <Takeaway
        actions={[
          { title: "Copy as text", icon: "copy", act: () => copyText(graphText(placed, now, stopNow.peek())) },
          ...(graph.nodes.length > 0 ? [asPicture] : []),
          { title: "Trace as JSON", icon: "download", act: saveTrace },
        ]}
      />
    </div>
  );
}

/** The relation that ran is marked as such, but one that failed is marked as failed, and so is the cluster that it is in. */
function withFailure(placed: Placed, view: GraphStateView): GraphStateView {
  const index = state.solver.peek()?.view.current?.state === "failed" ? focusOf(placed, view.states) : -1;
  if (view.states[index] !== "c") return view;
  return { ...view, states: `${view.states.slice(0, index)}f${view.states.slice(index + 1)}` };
}

interface CanvasProps extends DrawnProps {
  now: GraphStateView | undefined;
  /** What is told of the graph below it. */
  children: ComponentChildren;
}

function Canvas({ placed, now, isPlacing, onOpen, children }: CanvasProps) {
  const box = useRef<HTMLDivElement>(null);
  const size = useSignal({ width: 0, height: 0 });
  const view = useSignal<Viewport | undefined>(undefined);
  /** The one node that the Tab key stops at. */
  const current = useSignal<string | undefined>(undefined);
  const pointed = useSignal<number | undefined>(undefined);
  const { graph, nodes, edges } = placed;

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => (size.value = { width: element.clientWidth, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      const from = { x: event.clientX - left, y: event.clientY - top };
      if (view.value !== undefined) view.value = zoomed(view.value, Math.exp(-event.deltaY / (event.ctrlKey ? 100 : 500)), from);
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener("wheel", onWheel);
    };
  }, []);

  // A new graph is shown from where one stands in it; one whose cluster was opened stays where it was looked at.
  const shown = useRef<Placed | undefined>(undefined);
  /** The graph of which it was not known yet how its nodes stand when it was shown first. */
  const unknown = useRef<Placed | undefined>(undefined);
  /** What is seen as long as nobody has moved it; with another size of the picture it is something else. */
  const untouched = useRef<{ view: Viewport; start: number | "nothing" | undefined } | undefined>(undefined);
  const begin = (next: Placed, start: number | "nothing" | undefined) => {
    untouched.current = { view: firstView(next, size.peek(), start === "nothing" ? undefined : start), start };
    view.value = untouched.current.view;
  };
  useSignalEffect(() => {
    const { width } = size.value;
    const next = state.placed.value;
    if (width === 0 || next === undefined) return;
    if (shown.current === next) {
      if (untouched.current !== undefined && untouched.current.view === view.peek()) begin(next, untouched.current.start);
      return;
    }
    const before = shown.current;
    shown.current = next;
    if (before !== undefined && before.revision === next.revision && view.peek() !== undefined) {
      const kept = keepsInView(before, next, current.peek(), view.peek() as Viewport);
      if (kept === undefined) begin(next, undefined);
      else view.value = kept;
      return;
    }
    const at = state.graphState.peek();
    const states = at?.placed === next ? at.view.states : undefined;
    unknown.current = states === undefined ? next : undefined;
    begin(next, states === undefined ? undefined : (startOf(next, states) ?? "nothing"));
  });
  // What the step is about is brought into view.
  useSignalEffect(() => {
    const at = state.graphState.value;
    const next = state.placed.peek();
    const before = view.peek();
    if (next === undefined || at?.placed !== next || before === undefined) return;
    if (unknown.current === next) {
      unknown.current = undefined;
      begin(next, startOf(next, at.view.states) ?? "nothing");
      return;
    }
    const focus = focusOf(next, at.view.states);
    // Its beginning is shown only as long as there is nothing to look at.
    if (focus >= 0 && untouched.current?.start === "nothing" && untouched.current.view === before) begin(next, focus);
    else view.value = clampView(before, next, focus, size.peek());
  });

  const lit = useComputed(() => {
    const isLit = litAmong(graph.nodes.map(({ span }) => span));
    return new Set(graph.nodes.flatMap(({ span }, index) => (isLit(span) ? [index] : [])));
  });
  const neighbours = useComputed(() => {
    const of = pointed.value;
    const found = new Set<number>();
    if (of !== undefined) for (const { from, to } of graph.edges) if (from === of || to === of) found.add(from).add(to);
    return found;
  });
  const { width, height } = size.value;
  const where = view.value;
  const seen = useMemo(() => (where === undefined ? [] : inView(placed, where, { width, height })), [placed, where, width, height]);
  const isNear = useMemo(() => new Set(seen), [seen]);
  const isFar = seen.length > MOST_DRAWN;
  const isBeside = now !== undefined && graph.nodes.length > 0 && isBesideGraph(placed, now.states);
  const stop = graph.nodes.findIndex(({ id }) => id === current.value);
  const tabStop = stop >= 0 && isNear.has(stop) ? stop : (seen[0] ?? -1);
  const focus = (index: number | undefined) => {
    const node = index === undefined ? undefined : graph.nodes[index];
    if (index === undefined || node === undefined || view.value === undefined) return;
    current.value = node.id;
    view.value = clampView(view.value, placed, index, size.value);
    requestAnimationFrame(() => box.current?.querySelector<SVGElement>(`[data-node="${index}"]`)?.focus());
  };
  const scale = (factor: number) => {
    if (view.value !== undefined) view.value = zoomed(view.value, factor, { x: width / 2, y: height / 2 });
  };
  const fitAll = () => (view.value = fit(placed, { width, height }));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const pan = { ArrowLeft: [PAN, 0], ArrowRight: [-PAN, 0], ArrowUp: [0, PAN], ArrowDown: [0, -PAN] }[event.key];
    if (event.key === "+" || event.key === "=") scale(1.3);
    else if (event.key === "-") scale(1 / 1.3);
    else if (event.key === "0") fitAll();
    else if (pan !== undefined && (event.shiftKey || event.target === box.current) && view.value) view.value = moved(view.value, pan[0] ?? 0, pan[1] ?? 0);
    else return;
    event.preventDefault();
  };
  const buttons: readonly { icon: IconName; title: string; act: () => void }[] = [
    { icon: "plus", title: "Larger (+)", act: () => scale(1.3) },
    { icon: "minus", title: "Smaller (−)", act: () => scale(1 / 1.3) },
    { icon: "fit", title: "All of it (0)", act: fitAll },
  ];
  return (
    <>
      <div class="graph-frame">
        <div
          class="graph-view"
          ref={box}
          tabIndex={0}
          role="group"
          aria-label="Graph of variables and relations; arrow keys go from node to node, Shift and arrows move the picture, plus and minus change its size"
          onKeyDown={onKeyDown}
          {...useDragging(view)}
        >
          {where !== undefined && (
            <svg
              class={`solver-graph ${isFar ? "far" : ""}`}
              width={width}
              height={height}
              style={fadesOf(beyond(placed, where, { width, height }))}
              data-drawn={isFar ? 0 : seen.length}
            >
              <g transform={`translate(${where.x} ${where.y}) scale(${where.scale})`}>
                <Edges placed={placed} isNear={isNear} lit={neighbours.value.size > 0 ? pointed.value : undefined} />
                {isFar ? (
                  <FarNodes placed={placed} seen={seen} now={now} />
                ) : (
                  seen.map((index) => {
                    const node = graph.nodes[index];
                    const place = nodes[index];
                    if (node === undefined || place === undefined) return null;
                    return (
                      <Node
                        key={node.id}
                        node={node}
                        index={index}
                        x={place.x}
                        y={place.y}
                        letter={now?.states[index] ?? (node.kind === "variable" ? "?" : "-")}
                        term={now?.terms[index] ?? ""}
                        isLit={lit.value.has(index) || neighbours.value.has(index)}
                        isStop={index === tabStop}
                        onOpen={onOpen}
                        onPoint={(isOver) => {
                          pointed.value = isOver ? index : undefined;
                          point(isOver ? node.span : undefined);
                        }}
                        onFocus={() => (current.value = node.id)}
                        onArrow={(key) => focus(neighbourOf(placed, index, key))}
                      />
                    );
                  })
                )}
              </g>
            </svg>
          )}
        </div>
        {graph.nodes.length > 0 && (
          <div class="graph-buttons">
            {buttons.map(({ icon, title, act }) => (
              <button type="button" class="plain" title={title} aria-label={title} onClick={act}>
                <Icon name={icon} />
              </button>
            ))}
          </div>
        )}
      </div>
      {/* Below the picture, of which it would hide a part. */}
      <p class="note graph-note">
        {children}{" "}
        {(isPlacing || isFar || isBeside) && (
          <span class="graph-said" role="status">
            {!isPlacing && !isFar ? "Nothing that is drawn changes in this step." : isPlacing ? "Placing the nodes …" : `${seen.length.toLocaleString("en")} nodes are in view; make the picture larger to read them.`}
          </span>
        )}
        {edges.length === 0 && graph.nodes.length === 0 && <span class="graph-said">There is nothing to draw.</span>}
      </p>
    </>
  );
}

/** The picture fades at an edge behind which there is more. */
const fadesOf = (isBeyond: Readonly<Record<string, boolean>>) =>
  Object.fromEntries(Object.entries(isBeyond).map(([edge, isMore]) => [`--${edge}`, isMore ? "36px" : "0px"]));

/** The node that the step is about: its relation, or the cluster that it is in. */
function focusOf({ graph }: Placed, states: string): number {
  const current = state.solver.peek()?.view.current;
  const index = current?.node === undefined ? -1 : graph.nodes.findIndex(({ id }) => id === current.node);
  if (index >= 0) return index;
  // What the step tells may change other clusters as well.
  const changed = [...graph.nodes.keys()].filter((at) => graph.nodes[at]?.kind === "cluster" && states[at] === "c");
  return changed.find((at) => isWithin(current?.span, graph.nodes[at]?.span)) ?? changed[0] ?? -1;
}

const isWithin = (span: SpanView | undefined, around: SpanView | undefined): boolean =>
  span !== undefined && around !== undefined && around.start <= span.start && span.end <= around.end;

/** The node to begin with: what the step is about, else the first relation that failed, or that is not solved. */
function startOf(placed: Placed, states: string): number | undefined {
  const focus = focusOf(placed, states);
  if (focus >= 0) return focus;
  const first = (letters: string) => placed.graph.nodes.findIndex(({ kind }, index) => kind === "relation" && letters.includes(states[index] ?? "-"));
  return [first("f"), first("pw")].find((index) => index >= 0);
}

/** Whether a step is about nothing that is drawn, as where it unifies inside a function whose equations are left out. */
function isBesideGraph({ graph }: Placed, states: string): boolean {
  return stopNow.value > 0 && !graph.nodes.some(({ kind }, index) => states[index] === "c" || (kind === "relation" && states[index] === "p"));
}

/** Along an edge to the right or to the left, or to the nearest node above or below. */
function neighbourOf({ graph, nodes }: Placed, index: number, key: string): number | undefined {
  const here = nodes[index];
  if (here === undefined) return undefined;
  const distance = (other: number) => Math.hypot((nodes[other]?.x ?? 0) - here.x, (nodes[other]?.y ?? 0) - here.y);
  const nearest = (candidates: readonly number[]) => candidates.toSorted((a, b) => distance(a) - distance(b))[0];
  if (key === "ArrowRight") return nearest(graph.edges.filter(({ from }) => from === index).map(({ to }) => to));
  if (key === "ArrowLeft") return nearest(graph.edges.filter(({ to }) => to === index).map(({ from }) => from));
  const way = key === "ArrowDown" ? 1 : -1;
  const beside = [...nodes.keys()].filter((other) => {
    const [dx, dy] = [Math.abs((nodes[other]?.x ?? 0) - here.x), ((nodes[other]?.y ?? 0) - here.y) * way];
    return dy > 1 && dy >= dx / 2;
  });
  return nearest(beside);
}
