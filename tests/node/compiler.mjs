// The compiler as the page gets it, in Node.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const folder = resolve(import.meta.dirname, "../../web/src/wasm");

export async function loadPlayground() {
  const { initSync, Playground } = await import(`${folder}/relish_wasm.js`);
  initSync({ module: readFileSync(`${folder}/relish_wasm_bg.wasm`) });
  return new Playground();
}
