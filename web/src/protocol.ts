// What the page and the worker say to each other. What is said about a whole text carries its revision, so that an
// answer about an older text is recognised and dropped; questions about a place carry an id, by which the page knows them.
import type { LayoutName } from "./state.ts";
import type { CheckView, FileName, FormatView, HoverView, IrView, MatchView, NameView, RunView } from "./wasm/relish_wasm.js";

export type Request =
  | { kind: "start"; module: WebAssembly.Module }
  | { kind: "update"; revision: number; text: string }
  | { kind: "run"; revision: number; fuel: number }
  | { kind: "hover"; id: number; file: FileName; offset: number }
  | { kind: "name"; id: number; file: FileName; offset: number }
  | { kind: "match"; id: number; offset: number }
  | { kind: "ir"; id: number; layout: LayoutName; pass: number; maxLines: number }
  | { kind: "format"; id: number; text: string };

export type Reply =
  | { kind: "ready"; prelude: string }
  | { kind: "checked"; revision: number; view: CheckView }
  | { kind: "ran"; revision: number; view: RunView; milliseconds: number }
  | { kind: "hovered"; id: number; view: HoverView | undefined }
  | { kind: "named"; id: number; view: NameView | undefined }
  | { kind: "matched"; id: number; view: MatchView | undefined }
  | { kind: "compiled"; id: number; view: IrView | undefined }
  | { kind: "formatted"; id: number; view: FormatView }
  | { kind: "trapped"; during: Request["kind"]; message: string };
