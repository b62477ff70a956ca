// A link holds a program in its hash: `#v1.` + base64url of raw deflate of JSON. It is data from strangers: sizes are
// limited before and while it is unpacked, every field is checked, and nothing in it is ever run or shown as markup.
import { type BuildName, isOffered } from "./builds.ts";
import { type Asked, isFused, isLayout, isSolverTab, type SolverTab, type Target } from "./state.ts";
import type { SpanView } from "./wasm/relish_wasm.js";

export interface Linked {
  text: string;
  panel: string | undefined;
  selection: SpanView | undefined;
  /** What the Solver panel shows, where in the trace it stands, and which problem it is asked about. */
  solver?: { tab: SolverTab; stop: number | undefined; problem: Asked | undefined } | undefined;
  /** What computes its values. */
  build?: BuildName | undefined;
  /** How it is compiled, as far as the link says. */
  target?: Partial<Target>;
}

type Opened = { kind: "none" } | { kind: "program"; program: Linked } | { kind: "bad"; reason: string };

type Packed = { kind: "link"; hash: string } | { kind: "too-large"; sentence: string };

const MARK = "#v1.";
/** Nothing in a link says which of these it was. */
const BROKEN = "it has been cut short or changed";
const MAX_ENCODED = 64 * 1024;
const MAX_DECODED = 1024 * 1024;
/** A stop is a number of steps; past the end of a trace it means the end. */
const MOST_STOPS = 1e9;

export async function pack(program: Linked): Promise<Packed> {
  const { text, panel, selection, solver, build, target } = program;
  const json = new TextEncoder().encode(JSON.stringify({ files: [{ name: "main.relay", text }], panel, selection, solver, build, target }));
  if (json.length > MAX_DECODED) {
    return { kind: "too-large", sentence: tooLarge("The program", json.length, MAX_DECODED) };
  }
  const packed = await collect(stream(json).pipeThrough(new CompressionStream("deflate-raw")), Infinity);
  const hash = MARK + toBase64Url(packed);
  if (hash.length > MAX_ENCODED) return { kind: "too-large", sentence: tooLarge("The link", hash.length, MAX_ENCODED) };
  return { kind: "link", hash };
}

export async function unpack(hash: string): Promise<Opened> {
  if (hash === "" || hash === "#") return { kind: "none" };
  if (!hash.startsWith("#v")) return { kind: "none" };
  if (!hash.startsWith(MARK)) return bad(/^#v\d+\./.test(hash) ? "it was made by a newer version of this page" : BROKEN);
  if (hash.length > MAX_ENCODED) return bad(`it is longer than ${kib(MAX_ENCODED)}`);
  const packed = fromBase64Url(hash.slice(MARK.length));
  if (packed === undefined) return bad(BROKEN);
  let json: string;
  try {
    const unpacked = await collect(stream(packed).pipeThrough(new DecompressionStream("deflate-raw")), MAX_DECODED);
    json = new TextDecoder("utf-8", { fatal: true }).decode(unpacked);
  } catch (error) {
    if (error instanceof RangeError) return bad(`it unpacks to more than ${kib(MAX_DECODED)}`);
    return bad(BROKEN);
  }
  return validate(json);
}

function validate(json: string): Opened {
  let root: unknown;
  try {
    root = JSON.parse(json);
  } catch {
    return bad("it does not hold a program");
  }
  const files = field(root, "files");
  const given = Array.isArray(files) ? field(files[0], "text") : undefined;
  if (typeof given !== "string") return bad("it does not hold a program");
  // Offsets are those of the text as the editor has it.
  const text = given.replace(/\r\n?/g, "\n");
  const panel = field(root, "panel");
  const solver = field(root, "solver");
  const tab = field(solver, "tab");
  const stop = field(solver, "stop");
  const build = field(root, "build");
  const layout = field(field(root, "target"), "layout");
  const fused = field(field(root, "target"), "fused");
  const isStop = (n: unknown): n is number => Number.isInteger(n) && (n as number) >= 0 && (n as number) <= MOST_STOPS;
  const within = (n: unknown): n is number => Number.isInteger(n) && (n as number) >= 0 && (n as number) <= text.length;
  const spanOf = (value: unknown): SpanView | undefined => {
    const [start, end] = [field(value, "start"), field(value, "end")];
    return within(start) && within(end) && start <= end ? { start, end } : undefined;
  };
  const problemOf = (value: unknown): Asked | undefined => {
    const [code, message, span] = [field(value, "code"), field(value, "message"), spanOf(field(value, "span"))];
    return typeof code === "string" && typeof message === "string" && span !== undefined ? { code, message, span } : undefined;
  };
  return {
    kind: "program",
    program: {
      text,
      panel: typeof panel === "string" ? panel : undefined,
      selection: spanOf(field(root, "selection")),
      solver: isSolverTab(tab) ? { tab, stop: isStop(stop) ? stop : undefined, problem: problemOf(field(solver, "problem")) } : undefined,
      build: isOffered(build) ? build : undefined,
      target: { ...(isLayout(layout) && { layout }), ...(isFused(fused) && { fused }) },
    },
  };
}

const bad = (reason: string): Opened => ({ kind: "bad", reason });

function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

const kib = (bytes: number) => `${Math.ceil(bytes / 1024).toLocaleString("en")} KiB`;

const tooLarge = (what: string, size: number, limit: number) =>
  `${what} would be ${kib(size)}, and a link holds at most ${kib(limit)}. Copy the text itself instead.`;

const stream = (bytes: Uint8Array<ArrayBuffer>) => new Blob([bytes]).stream();

/** All bytes of a stream; a `RangeError` as soon as there are more than `limit`. */
async function collect(source: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const reader = source.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > limit) {
      await reader.cancel().catch(() => {});
      throw new RangeError("too long");
    }
    chunks.push(value);
  }
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
