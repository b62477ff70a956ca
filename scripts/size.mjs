// How large the site is: as it is on disk, and as hosts send it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

/** The file of the compiler that a visit downloads, or in its place the one with relaxed SIMD; and all the others. */
export const isDefault = (name) => /^relish_wasm_bg-.*\.wasm$/.test(name);
export const isRelaxed = (name) => /^relish_relaxed-.*\.wasm$/.test(name);
export const isPage = (name) => !isDefault(name) && !isRelaxed(name);

/** Sums the files of a folder whose names pass `wanted`. */
export function measure(folder, wanted = () => true) {
  const size = { raw: 0, gzip: 0, brotli: 0 };
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !wanted(entry.name)) continue;
    const bytes = readFileSync(join(entry.parentPath ?? entry.path, entry.name));
    size.raw += bytes.length;
    size.gzip += gzipSync(bytes, { level: 9 }).length;
    size.brotli += brotliCompressSync(bytes).length;
  }
  return size;
}
