// What the page asks of the compiler about the text as it stands. There is no answer if the text changes meanwhile.
import type { Compiler } from "../compiler.ts";
import type { ExportName, Pass, StepMove } from "../protocol.ts";
import { state, target } from "../state.ts";
import type { FileName } from "../wasm/relish_wasm.js";
import { compiler } from "./engine.ts";

/** Of what is at a place; behind its last letter one is at a name too. */
export async function hover(file: FileName, offset: number) {
  const view = (await compiler.hover(file, offset)) ?? (offset > 0 ? await compiler.hover(file, offset - 1) : undefined);
  if (view?.operator === undefined) return view;
  // A file of its own, which the first hover on an operator loads.
  const { default: operators } = await import("virtual:operators");
  return { ...view, doc: operators[view.operator]?.doc ?? "" };
}

export const name = (file: FileName, offset: number) => compiler.name(file, offset);

/** The match at a place of the program, `null` if it has none. */
export const matchAt = (offset: number) => compiler.matchAt(offset);

/** The layouts of the program's sum types. */
export const layouts = () => compiler.layouts();

/** How a value that consists of these choices is stored; `null` if there is none. */
export const layoutValue = (entry: number, choices: string[]) => compiler.layoutValue(entry, choices);

/** The program that the machine runs, before and after one pass. */
export const ir = (pass: Pass, maxLines: number) => compiler.ir(target(), pass, maxLines);

/** What is to be said of the solver's work; `null` if there is nothing at a place. */
export const solver: Compiler["solver"] = (question) => compiler.solver(question);

/** Where a run stands after a move; no answer either if there is no such run any more. */
export const step = (move: StepMove) => compiler.step(move);

/** The program in another language, or why not. */
export const exportTo = (to: ExportName) => compiler.export(to);

/** Finds out what memory a run would need, before anybody runs it; the compiler may be replaced meanwhile. */
export async function lookAhead(): Promise<"known" | "unknown"> {
  const revision = state.revision.peek();
  const view = await compiler.needs(target());
  if (view === undefined) return "unknown";
  state.needs.value = { revision, view };
  return "known";
}
