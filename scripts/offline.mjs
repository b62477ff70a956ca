// What the service worker keeps: every file of the built site. It is in the folder of the page, since it answers only
// for addresses below its own.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isRelaxed } from "./size.mjs";

const WORKER = "offline.js";
const BEGINS = "self.relishSite=";

const hash = (text) => createHash("sha256").update(text).digest("base64");

/** Writes into the service worker of a built site which files there are; once more if they have changed. */
export function listFiles(folder) {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== WORKER)
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1).replaceAll("\\", "/"))
    .sort();
  const later = paths.filter(isRelaxedPath);
  const files = paths
    .filter((path) => !isRelaxedPath(path))
    .map((path) => ({ path, integrity: `sha256-${hash(readFileSync(join(folder, path)))}` }));
  const version = hash(JSON.stringify([files, later])).slice(0, 12);
  const worker = join(folder, WORKER);
  const code = readFileSync(worker, "utf8");
  const rest = code.startsWith(BEGINS) ? code.slice(code.indexOf("\n") + 1) : code;
  writeFileSync(worker, `${BEGINS}${JSON.stringify({ version, files, later })};\n${rest}`);
}

const isRelaxedPath = (path) => isRelaxed(path.split("/").at(-1));

/** A plugin that makes the service worker of the site from a file. */
export function offline(source) {
  let folder;
  return {
    name: "offline",
    apply: "build",
    config: () => ({
      build: {
        rolldownOptions: {
          input: { offline: source },
          output: { entryFileNames: ({ name }) => (name === "offline" ? WORKER : "assets/[name]-[hash].js") },
        },
      },
    }),
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir);
    },
    // When all files are written: others change names and contents until then.
    closeBundle() {
      listFiles(folder);
    },
  };
}
