// What the panel shows as plain text, for a bug report or an assistant.
import { lineStarts } from "../../lines.ts";
import type { Placed } from "../../state.ts";
import { titlesOf } from "../../titles.ts";
import type { GraphStateView, RelationView, SolverView, SpanView, WhyNotView, WhyView } from "../../wasm/relish_wasm.js";
import { stateInWords } from "./shape.ts";

/** Of a list this many are written out. */
const MOST = 40;

const at = (line: number | undefined) => (line === undefined ? "" : ` (line ${line})`);

/** The program, in a fence that nothing in it can end. */
function program(text: string): string {
  const fence = "`".repeat(Math.max(3, 1 + Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))));
  return `${fence}relay\n${text.trimEnd()}\n${fence}\n`;
}

function listed<T>(all: readonly T[], nMore: number, line: (one: T) => string): string {
  const left = all.length - MOST + nMore;
  return all.slice(0, MOST).map((one) => `- ${line(one)}\n`).join("") + (left > 0 && all.length > 0 ? `- … and ${left} more\n` : "");
}

const relation = ({ id, text, waits, line }: RelationView) =>
  `r${id} ${text}${at(line)}${waits.length > 0 ? `, waits for ${waits.join(", ")}` : ""}`;

export function stepText(view: SolverView, text: string): string {
  const { stop, event, caption, current, changes, queue, waiting, n_more_queued, n_more_waiting, n_solved, n_failed } = view;
  return [
    `Step ${stop} of the solver (after ${event} events): ${caption}\n`,
    current === undefined ? "" : `\nRan: ${relation(current)} — ${current.state}. ${current.rule}\n${current.reason === "" ? "" : `Because: ${current.reason}\n`}`,
    changes.length === 0 ? "" : `\nNow known:\n${listed(changes, view.n_more_changes, (one) => `t${one.class} ${one.of}: ${one.before === "" ? "unknown" : one.before} → ${one.after}`)}`,
    queue.length === 0 ? "" : `\nIn the queue:\n${listed(queue, n_more_queued, relation)}`,
    waiting.length === 0 ? "" : `\nWaiting:\n${listed(waiting, n_more_waiting, relation)}`,
    `\n${n_solved} solved, ${n_failed} failed.\n\n`,
    program(text),
  ].join("");
}

export function graphText({ graph }: Placed, now: GraphStateView | undefined, stop: number): string {
  const name = (index: number) => {
    const term = now?.terms[index] ?? "";
    return `${graph.nodes[index]?.label ?? ""}${term === "" ? "" : ` = ${term}`}`;
  };
  const lines = [...graph.nodes.entries()].flatMap(([index, { kind, label }]) => {
    if (kind === "variable") return [];
    const from = graph.edges.filter(({ to }) => to === index).map((edge) => name(edge.from));
    const to = graph.edges.filter((edge) => edge.from === index).map((edge) => name(edge.to));
    return [`- ${label}: ${stateInWords(kind, now?.states[index] ?? "-")}; from ${from.join(", ") || "nothing"}; to ${to.join(", ") || "nothing"}\n`];
  });
  return `The solver's graph at step ${stop}:\n${lines.join("")}`;
}

const quote = (text: string, span: SpanView | undefined) => (span === undefined ? "" : ` \`${text.slice(span.start, span.end).replace(/\s+/g, " ").slice(0, 80)}\``);

export function whyText(view: WhyView, text: string): string {
  const steps = view.steps.map(({ depth, fact, of, by, line }) => `${"  ".repeat(depth)}- ${fact}${of === "" ? "" : ` ${of}`}: ${by}${at(line)}\n`);
  return `Why is ${view.of}: ${view.pieces.map((piece) => piece.text).join("")}?\n\n${view.sentence}\n\n${steps.join("")}\n${program(text)}`;
}

export function whyNotText(view: WhyNotView, text: string): string {
  const { problem, core, places, fixes } = view;
  return [
    `${problem.severity}[${problem.code}] line ${problem.line}: ${problem.message}\n`,
    core.length === 0 ? "" : `\nThese cannot hold together:\n${core.map(({ sentence, line }) => `- ${sentence}${at(line)}\n`).join("")}`,
    places.length === 0 ? "" : `\nWhere the mistake may be, the likeliest first:\n${places.map(({ span, line, sentence }) => `- line ${line}${quote(text, span)}: ${sentence}\n`).join("")}`,
    fixes.length === 0 ? "" : `\nWhat would mend it:\n${titlesOf(fixes, lineStarts(text)).map((title) => `- ${title}\n`).join("")}`,
    `\n${program(text)}`,
  ].join("");
}
