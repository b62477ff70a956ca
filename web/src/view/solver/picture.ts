// Pictures to take away: SVG files that stand alone, with a title, a description and their colours inside.
import type { Placed } from "../../state.ts";
import type { GraphStateView, RelationView, SolverView } from "../../wasm/relish_wasm.js";
import { edgePath } from "./path.ts";
import { CLASSES, cut, LINE, SIGNS, sizeOf, stateInWords } from "./shape.ts";

const escape = (text: string) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`).replace(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");

/** The page's colours as they are now. */
function colors(): (name: string) => string {
  const style = getComputedStyle(document.documentElement);
  return (name) => escape(style.getPropertyValue(`--${name}`).trim());
}

type Colors = ReturnType<typeof colors>;

function svg(width: number, height: number, title: string, about: string, body: string, color: Colors): string {
  const [w, h] = [Math.ceil(width), Math.ceil(height)];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" role="img" aria-labelledby="title about" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12">\n` +
    `<title id="title">${escape(title)}</title>\n<desc id="about">${escape(about)}</desc>\n` +
    `<rect width="${w}" height="${h}" fill="${color("paper")}"/>\n${body}</svg>\n`
  );
}

/** What each state looks like: the line, the fill, and the dashes. */
function look(kind: string, letter: string, color: Colors): { stroke: string; fill: string; ink: string; dash: string; width: number } {
  const plain = { stroke: color("control-line"), fill: color("paper"), ink: color("ink"), dash: "", width: 1.2 };
  switch (CLASSES[letter]) {
    case "changed":
      return { ...plain, stroke: color("accent"), fill: color("accent-soft"), width: 2.6 };
    case "failed":
      return { ...plain, stroke: color("error"), fill: color("error-soft"), ink: color("error"), width: 2 };
    case "waiting":
      return { ...plain, stroke: color("warning"), ink: color("warning"), dash: "6 3" };
    case "solved":
    case "generalised":
      return { ...plain, stroke: color("accent"), ink: color("accent") };
    case "known":
      return { ...plain, stroke: color("accent") };
    case "absent":
      return { ...plain, ink: color("quiet"), dash: "1 3" };
    default:
      return { ...plain, ink: kind === "variable" ? color("quiet") : color("ink"), dash: "4 3" };
  }
}

export function graphPicture(placed: Placed, now: GraphStateView | undefined, stop: number): string {
  const color = colors();
  const { graph, nodes } = placed;
  const parts = [`<g fill="none" stroke="${color("control-line")}" stroke-width="1.1">\n`, ...graph.edges.map((_, index) => `<path d="${edgePath(placed, index)}"/>\n`), "</g>\n"];
  for (const [index, node] of graph.nodes.entries()) {
    const place = nodes[index];
    if (place === undefined) continue;
    const { width, height } = sizeOf(node);
    const letter = now?.states[index] ?? "";
    const term = now?.terms[index] ?? "";
    const { stroke, fill, ink, dash, width: line } = look(node.kind, letter, color);
    const radius = node.kind === "variable" ? height / 2 : 6;
    const said = `${node.label}: ${term === "" ? stateInWords(node.kind, letter) : term}`;
    const text = (content: string, y: number) => `<text y="${y}" text-anchor="middle" dominant-baseline="central" fill="${ink}">${escape(content)}</text>`;
    const sign = SIGNS[letter] ?? "";
    parts.push(
      `<g transform="translate(${place.x} ${place.y})"><title>${escape(said)}</title>`,
      `<rect x="${-width / 2}" y="${-height / 2}" width="${width}" height="${height}" rx="${radius}" fill="${fill}" stroke="${stroke}" stroke-width="${line}"${dash === "" ? "" : ` stroke-dasharray="${dash}"`}/>`,
      node.kind === "variable" ? text(cut(node.label), -LINE / 2) + text(term === "" ? "?" : cut(term, 18), LINE / 2) : text(`${sign === "" ? "" : `${sign} `}${cut(node.label)}`, 0),
      "</g>\n",
    );
  }
  const title = `The solver's graph at step ${stop}`;
  const about = `${graph.nodes.length} variables, relations and clusters, ${graph.edges.length} edges from inputs to relations and on to outputs.`;
  return svg(placed.width, placed.height, title, about, parts.join(""), color);
}

const WIDTH = 760;
const LETTERS = 96;
const LEADING = 18;

/** Lines of at most so many letters, broken at spaces where there are any. */
function wrap(text: string, letters = LETTERS): string[] {
  const out: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    for (let rest = word; rest !== ""; ) {
      const joined = line === "" ? rest : `${line} ${rest}`;
      if (joined.length <= letters) {
        [line, rest] = [joined, ""];
      } else if (line !== "") {
        out.push(line);
        line = "";
      } else {
        out.push(rest.slice(0, letters));
        rest = rest.slice(letters);
      }
    }
  }
  return line === "" ? out : [...out, line];
}

/** Of each list this many relations are drawn; how many are left out is written below. */
const DRAWN = 12;

export function stepPicture(view: SolverView): string {
  const color = colors();
  const { stop, caption, current, changes, queue, waiting, n_more_queued, n_more_waiting } = view;
  const parts: string[] = [];
  let y = 20;
  const line = (text: string, ink: string, { x = 20, weight = 400 } = {}) => {
    parts.push(`<text x="${x}" y="${y}" fill="${color(ink)}" font-weight="${weight}">${escape(text)}</text>\n`);
    y += LEADING;
  };
  const paragraph = (text: string, ink: string, options = {}) => wrap(text).forEach((one) => line(one, ink, options));
  const box = (ink: string, draw: () => void) => {
    const from = y;
    const place = parts.length;
    y += LEADING;
    draw();
    const height = y - from - 4;
    parts.splice(place, 0, `<rect x="10" y="${from}" width="${WIDTH - 20}" height="${height}" rx="9" fill="none" stroke="${color(ink)}" stroke-width="1.5"/>\n`);
    y = from + height + 22;
  };
  const heading = (text: string) => {
    y += 4;
    line(text, "quiet", { weight: 650 });
  };
  line(`Step ${stop}`, "quiet", { weight: 650 });
  paragraph(caption, "ink", { weight: 600 });
  y += 2;
  if (current !== undefined) {
    box(current.state === "failed" ? "error" : "accent", () => {
      line(`r${current.id} ${current.name} — ${current.state}`, "ink", { weight: 650 });
      paragraph(current.text, "ink");
      paragraph(current.rule, "quiet");
      for (const { class: id, of, before, after } of changes) paragraph(`t${id} ${of}: ${before === "" ? "unknown" : before} → ${after}`, "accent");
    });
  }
  const list = (title: string, relations: readonly RelationView[], nMore: number) => {
    if (relations.length === 0) return;
    heading(title);
    for (const { id, text, waits } of relations.slice(0, DRAWN)) {
      paragraph(`r${id} ${text}${waits.length === 0 ? "" : ` waits for ${waits.slice(0, 4).join(", ")}`}`, "ink");
    }
    const left = relations.length - DRAWN + nMore;
    if (left > 0) line(`… and ${left} more`, "quiet");
  };
  list("Queue", queue, n_more_queued);
  list("Waiting", waiting, n_more_waiting);
  return svg(WIDTH, y, `Step ${stop} of the solver`, caption, parts.join(""), color);
}
