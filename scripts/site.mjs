// How the static site in dist/ is made: the compiler as WebAssembly, then the page around it.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { Refusal, root, run, step } from "./house.mjs";
import { packWithGlue } from "./pack.mjs";

// SIMD is in every browser that the page supports; a deep program must not run off the default 1 MiB stack.
// A panic is a trap at once, which the page shows: its message, and all that could print one, would be a twentieth of
// the file. For that the standard library is built anew, with options that this compiler has, but does not promise. The
// reduction of loop strength makes V8 spill the registers of the loops of the tensors, at half their speed.
const FLAGS =
  "-C llvm-args=-disable-lsr -C link-arg=-zstack-size=4194304 -Zunstable-options -Cpanic=immediate-abort -Zlocation-detail=none -Zinline-mir=no";
const SIMD = "+simd128";
const RELAXED_SIMD = "+simd128,+relaxed-simd";
const UNSTABLE = { RUSTC_BOOTSTRAP: "1" };
const OWN_STD = ["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"];

/** The loops of the tensors are as fast with more, and larger. */
export const KERNEL_LEVEL = "package.kernel.opt-level=2";

// A visitor downloads this code before the first type is shown, and most of it runs once a keystroke: it is compiled
// for size, but for the loops of the tensors. What the machine does for each instruction says itself where it is inlined.
const LEVELS = ['opt-level="z"', KERNEL_LEVEL];
const FOR_SIZE = LEVELS.flatMap((level) => ["--config", `profile.release.${level}`]);

// When the crates are linked, all code is optimised once more, as one. An instruction is said to cost so much that
// hardly anything is inlined there: instances of generic functions, most of which are called from one place, are alike
// by themselves, and not any more as parts of their callers. Within a crate, what is worth it has been inlined before.
// Nor is anything copied into branches so that one of them has less to compute, to read or to ask, and what is longer than a
// number is copied by one instruction. Nor does a loop keep in a variable what it reads and writes in memory. Constants and
// addresses stay where they are used: a browser's compiler finds by itself what is computed twice, and a variable that
// keeps it makes alike code differ.
const LINKED = [
  "-Zprofile-rustflags",
  "--config",
  `profile.release.package.relish-wasm.rustflags=[${[
    "-inline-instr-cost=20000",
    "-enable-pre=false",
    "-enable-load-pre=false",
    "-max-store-memcpy=1",
    "-max-store-memmove=1",
    "-disable-licm-promotion",
    "-disable-machine-licm",
    "-disable-machine-cse",
    "-jump-threading-threshold=1",
  ].map((option) => `"-Cllvm-args=${option}"`)}]`,
];

const TARGET = "wasm32-unknown-unknown";

/** What is compiled for other instructions has a target folder of its own. */
async function compile(folder, { crateFeatures = "instructions", simd = SIMD, target = "target", isShipped = true } = {}) {
  const out = resolve(root, folder);
  // Two builds side by side would each make the folder that both of theirs are in.
  mkdirSync(resolve(root, target), { recursive: true });
  const extraEnv = { RUSTFLAGS: `-C target-feature=${simd} ${FLAGS}`, CARGO_TARGET_DIR: resolve(root, target), ...UNSTABLE };
  const args = ["build", "--quiet", "--release", "-p", "relish-wasm", "--target", TARGET];
  await run("cargo", [...args, "--features", crateFeatures, ...OWN_STD, ...FOR_SIZE, ...LINKED], { extraEnv, show: false });
  const module = resolve(root, target, TARGET, "release/relish_wasm.wasm");
  await run("wasm-bindgen", [module, "--target", "web", "--out-dir", out, "--out-name", "relish_wasm"], { show: false });
  if (isShipped) packWithGlue(resolve(out, "relish_wasm_bg.wasm"), resolve(out, "relish_wasm.js"));
}

const PAGE = "web/src/wasm";
const RELAXED = "target/relaxed/page";

/** The compiler, in web/src/wasm/. */
export const buildWasm = () => step("compiling the compiler to WebAssembly", () => compile(PAGE));

/** The same with what the command line prints, for the test that compares them. */
const buildCommands = () =>
  step("compiling it with the commands", () => compile("target/commands", { crateFeatures: "instructions,commands", isShipped: false }));

/** The same with relaxed SIMD. */
export const buildRelaxed = () =>
  step("compiling it with relaxed SIMD", () => compile(RELAXED, { simd: RELAXED_SIMD, target: "target/relaxed" }));

/** Puts that as a module beside the other, for the same JavaScript to load. */
export function placeRelaxed() {
  const glue = (folder) => readFileSync(resolve(root, folder, "relish_wasm.js"), "utf8");
  if (glue(PAGE) !== glue(RELAXED)) throw new Refusal("The two builds of the compiler are not loaded by the same JavaScript.");
  copyFileSync(resolve(root, RELAXED, "relish_wasm_bg.wasm"), resolve(root, PAGE, "relish_relaxed.wasm"));
}

/** What operators and layers take, and what their documentation says, for the page's own files of it. */
export function listOperators() {
  return step("listing the operators", async () => {
    for (const [command, list] of [["ops", "operators"], ["layers", "layers"]]) {
      const { printed } = await run("cargo", ["run", "--quiet", "-p", "relish", "--", command, "--json"], { show: false });
      writeFileSync(resolve(root, `target/${list}.json`), printed);
    }
  });
}

async function buildSite() {
  await step("checking the types of the page", () => run("tsc", ["--project", "web"]));
  await step("bundling the page", () =>
    run("vite", ["build", "--config", "web/vite.config.ts", "--logLevel", "warn"], { extraEnv: { NODE_ENV: "production" } }),
  );
}

/** With `commands`, also the compiler with the commands. Most of a build is one thread: two go side by side. */
export async function build({ commands = false } = {}) {
  const strict = async () => {
    await buildWasm();
    if (commands) await buildCommands();
  };
  await Promise.all([strict(), buildRelaxed()]);
  placeRelaxed();
  await listOperators();
  await buildSite();
}
