import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
// @ts-expect-error The scripts are plain JavaScript, so that they run before anything is installed.
import { onlyShownIcons, withoutUnusedParts } from "../scripts/editor.mjs";
// @ts-expect-error
import { offline } from "../scripts/offline.mjs";
// @ts-expect-error
import { examples, readPages } from "../scripts/pages.mjs";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const pages = here("../tests/pages");

/** The module `virtual:examples`: the test pages as the chapters of the examples menu. */
function examplesFromPages(): Plugin {
  const id = "\0virtual:examples";
  return {
    name: "examples-from-pages",
    resolveId: (source) => (source === "virtual:examples" ? id : undefined),
    load: (source) => (source === id ? `export default ${JSON.stringify(examples(readPages(pages)))};` : undefined),
  };
}

/** The module `virtual:explanations`: the page of each error code. */
function explanationsFromPages(): Plugin {
  const id = "\0virtual:explanations";
  const folder = here("../doc/error");
  const read = () =>
    Object.fromEntries(
      readdirSync(folder)
        .filter((name) => name.endsWith(".md"))
        .map((name) => [name.slice(0, -3), readFileSync(join(folder, name), "utf8")]),
    );
  return {
    name: "explanations-from-pages",
    resolveId: (source) => (source === "virtual:explanations" ? id : undefined),
    load: (source) => (source === id ? `export default ${JSON.stringify(read())};` : undefined),
  };
}

/** A module of what a list says that the compiler wrote. */
function fromList(name: string, list: string, read: (rows: { name: string; relation?: string }[]) => unknown): Plugin {
  const id = `\0virtual:${name}`;
  const text = () => JSON.stringify(read(JSON.parse(readFileSync(here(`../target/${list}`), "utf8"))));
  return {
    name: `${name}-from-list`,
    resolveId: (source) => (source === `virtual:${name}` ? id : undefined),
    load: (source) => (source === id ? `export default ${text()};` : undefined),
  };
}

/** What each operator takes, and what its documentation says. */
const operatorsFromList = () => fromList("operators", "operators.json", (rows) => Object.fromEntries(rows.map(({ name, relation, ...rest }) => [name, rest])));

/** What each layer takes. */
const layersFromList = () => fromList("layers", "layers.json", (rows) => rows);

export default defineConfig({
  root: here("."),
  publicDir: here("../public"),
  // Relative addresses, so that the site works from any folder of any host.
  base: "./",
  plugins: [examplesFromPages(), explanationsFromPages(), operatorsFromList(), layersFromList(), withoutUnusedParts(), onlyShownIcons(), offline(here("./src/offline.worker.ts"))],
  // Every file stays a file: the page's policy permits no `data:` scripts.
  build: {
    outDir: here("../dist"),
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 4000,
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { index: here("./index.html") },
      output: {
        // Some hosts leave out files whose names begin with an underscore.
        chunkFileNames: ({ name }) => `assets/${name.replace(/^_virtual_/, "")}-[hash].js`,
        // What the page shares with its editor or with its panels comes at once in any case: one file of it packs best.
        codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] },
      },
    },
  },
  worker: { format: "es" },
  optimizeDeps: { rolldownOptions: { plugins: [withoutUnusedParts()] } },
  server: { fs: { allow: [here("..")] } },
});
