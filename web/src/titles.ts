// What fixes are called where several are offered. The compiler names what a fix does, and two of them may do the same
// in two places: then each says where.
import { columnOf, lineOf } from "./lines.ts";
import type { FixView } from "./wasm/relish_wasm.js";

type Way = (fix: FixView) => string;

/** The titles of fixes, by their places; `starts` are the lines of the text that they change. */
export function titlesOf(fixes: readonly FixView[], starts: readonly number[]): string[] {
  const start = ({ edits }: FixView, at = 0) => edits.at(at)?.span.start ?? 0;
  const line: Way = (fix) => `${fix.title}, line ${lineOf(starts, start(fix))}`;
  const column: Way = (fix) => `${line(fix)}, column ${columnOf(starts, start(fix))}`;
  const last: Way = (fix) => `${fix.title}, line ${lineOf(starts, start(fix, -1))}, column ${columnOf(starts, start(fix, -1))}`;
  const text: Way = (fix) => `${fix.title}: \`${fix.edits.map((edit) => edit.text.trim()).join(" … ")}\``;
  const alike = new Map<string, FixView[]>();
  for (const fix of fixes) alike.set(fix.title, [...(alike.get(fix.title) ?? []), fix]);
  return fixes.map((fix) => {
    const others = alike.get(fix.title) ?? [];
    const tells = (way: Way) => new Set(others.map(way)).size === others.length;
    const way = [({ title }: FixView) => title, line, column, text].find(tells) ?? last;
    return way(fix);
  });
}
