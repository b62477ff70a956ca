// The compiler as the page gets it, in Node.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** With `commands`, one that also says what the command line prints. */
export async function loadPlayground({ commands = false } = {}) {
  const folder = resolve(root, commands ? "target/commands" : "web/src/wasm");
  const { initSync, Playground } = await import(`${folder}/relish_wasm.js`);
  initSync({ module: readFileSync(`${folder}/relish_wasm_bg.wasm`) });
  return new Playground();
}
