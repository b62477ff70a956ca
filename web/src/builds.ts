// The two builds of the compiler, of which a visit downloads the one it uses. Both compute the same, but for the last
// digits: relaxed SIMD lets a processor round `a · b + c` once, and not all do.
import relaxedUrl from "./wasm/relish_relaxed.wasm?url";
import simd128Url from "./wasm/relish_wasm_bg.wasm?url";

export type BuildName = "simd128" | "relaxed";

/** The one whose results are the same everywhere. */
export const DEFAULT_BUILD: BuildName = "simd128";

/**
 * The smallest module with an instruction of relaxed SIMD: a function whose body is `f32x4.relaxed_madd` of three vectors
 * of zeros. A browser that does not know the instruction finds the module invalid.
 */
const PROBE = new Uint8Array([
  0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
  1, 5, 1, 0x60, 0, 1, 0x7b,
  3, 2, 1, 0,
  10, 19, 1, 17, 0, 0x41, 0, 0xfd, 0x0f, 0x41, 0, 0xfd, 0x0f, 0x41, 0, 0xfd, 0x0f, 0xfd, 0x85, 0x02, 0x0b,
]);

export const hasRelaxed: boolean = WebAssembly.validate(PROBE);

/** Whether a text names a build that this browser can run. */
export const isOffered = (name: unknown): name is BuildName => name === "simd128" || (name === "relaxed" && hasRelaxed);

const modules = new Map<BuildName, Promise<WebAssembly.Module>>();

/** Downloads and compiles a build, the first time; later ones get the same module. */
export function compileBuild(build: BuildName): Promise<WebAssembly.Module> {
  const known = modules.get(build);
  if (known !== undefined) return known;
  const coming = compile(build === "relaxed" ? relaxedUrl : simd128Url);
  modules.set(build, coming);
  // What did not come may come the next time.
  coming.catch(() => modules.delete(build));
  return coming;
}

async function compile(url: string): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the compiler could not be loaded (${response.status})`);
  // Some hosts serve WebAssembly under another type, which only the streaming compiler minds.
  const streams = response.headers.get("content-type")?.startsWith("application/wasm");
  return streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}
