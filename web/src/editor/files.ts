// The texts that editors show, by their names inside the editor, which it tells where a problem has a cause.
import type { FileName } from "../wasm/relish_wasm.js";
import { monaco } from "./monaco.ts";

const URIS: Record<FileName, monaco.Uri> = {
  user: monaco.Uri.parse("inmemory://relish/Program"),
  prelude: monaco.Uri.parse("inmemory://relish/prelude.relay"),
};

export const uriOf = (file: FileName): monaco.Uri => URIS[file];

export const fileOf = (uri: monaco.Uri): FileName =>
  uri.toString() === URIS.prelude.toString() ? "prelude" : "user";

export const modelOf = (file: FileName): monaco.editor.ITextModel | null => monaco.editor.getModel(URIS[file]);
