// What the page and the worker say to each other. Every message about a text carries its revision, so that an answer
// about an older text is recognised and dropped.
import type { CheckView, HoverView, RunView } from "./wasm/relish_wasm.js";

export type Request =
  | { kind: "start"; module: WebAssembly.Module }
  | { kind: "update"; revision: number; text: string }
  | { kind: "run"; revision: number; fuel: number }
  | { kind: "hover"; revision: number; id: number; offset: number }
  | { kind: "explain"; id: number; code: string };

export type Reply =
  | { kind: "ready" }
  | { kind: "checked"; revision: number; view: CheckView }
  | { kind: "ran"; revision: number; view: RunView; milliseconds: number }
  | { kind: "hovered"; id: number; view: HoverView | undefined }
  | { kind: "explained"; id: number; page: string | undefined }
  | { kind: "trapped"; during: Request["kind"]; message: string };
