// How fast the tensor kernels are beside other libraries that run in a browser, and beside what the processor can do
// at all (the probe: multiply-adds in registers), in Node by CPU time and in Chromium. Figures go to the terminal, each
// beside its goal (tests/peers/goals.mjs); what is short of one says so.
//
//     npm run bench:peers -- [--only 'matmul|conv'] [--in node|chromium] [--rounds 15]
//
// The harness and the other libraries are not part of this repository: they are expected beside it, in
// ../shared/peers, or where PEERS says. They are copied to target/peers, and installed and built there.
import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { main, Refusal, root, run, step } from "./house.mjs";
import { pack } from "./pack.mjs";
import { findChromium } from "./setup.mjs";
import { KERNEL_LEVEL } from "./site.mjs";
import { GOALS } from "../tests/peers/goals.mjs";

const source = resolve(root, process.env.PEERS ?? "../shared/peers");
const target = resolve(root, "target/peers");
const harness = resolve(target, "harness");
// Node knows relaxed SIMD by itself from its version 21 on, and later not by this name any more.
const NODE_FLAGS = Number.parseInt(process.versions.node) < 21 ? ["--experimental-wasm-relaxed-simd"] : [];
const FEATURES = { simd128: "+simd128", relaxed: "+simd128,+relaxed-simd" };

function option(name, otherwise) {
  const at = process.argv.indexOf(`--${name}`);
  return at > 0 ? process.argv[at + 1] : otherwise;
}

/** One WebAssembly file for each build, beside the adapter. */
async function kernels() {
  mkdirSync(resolve(harness, "relish"), { recursive: true });
  cpSync(resolve(root, "tests/peers/adapter.mjs"), resolve(harness, "relish/adapter.mjs"));
  for (const [build, features] of Object.entries(FEATURES)) {
    // Loop strength reduction gives V8 more pointers than it has registers.
    const extraEnv = { RUSTFLAGS: `-C target-feature=${features} -C llvm-args=-disable-lsr` };
    const folder = resolve(target, build);
    const args = ["build", "--release", "--quiet", "-p", "peers", "--target", "wasm32-unknown-unknown", "--target-dir", folder];
    args.push("--config", `profile.release.${KERNEL_LEVEL}`);
    await run("cargo", args, { extraEnv, show: false });
    const module = resolve(harness, `relish/relish_${build}.wasm`);
    cpSync(resolve(folder, "wasm32-unknown-unknown/release/peers.wasm"), module);
    pack(module);
  }
}

async function install() {
  const filter = (path) => !["node_modules", "dist"].includes(basename(path));
  cpSync(source, harness, { recursive: true, filter, force: true });
  await run("chmod", ["-R", "u+w", harness], { show: false });
  cpSync(resolve(root, "tests/peers/entry.mjs"), resolve(harness, "entry.mjs"));
  // npm writes this file last.
  if (!existsSync(resolve(harness, "node_modules/.package-lock.json"))) {
    await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: harness, show: false });
  }
  await run("node", ["build.mjs"], { cwd: harness, show: false });
}

/** Runs the harness and reads the rows that it measured. */
async function measure(where) {
  const json = resolve(target, `${where}.json`);
  const [flags, extraEnv] = {
    node: [[...NODE_FLAGS, "bench-node.mjs"], {}],
    chromium: [["bench-chromium.mjs"], { CHROMIUM: findChromium() }],
  }[where];
  const only = option("only");
  const args = [...flags, "--adapters", "relish/adapter.mjs", "--rounds", option("rounds", "15"), "--json", json];
  await run("node", only ? [...args, "--only", only] : args, { cwd: harness, extraEnv, show: false });
  return JSON.parse(readFileSync(json, "utf8"));
}

const isOurs = (row) => row.peer.startsWith("relish-");
const isProbe = (row) => row.peer.startsWith("probe-");

/** For each workload, our rate and what it is of the best peer's and of the probe's, beside the goal, for each build. */
function report(rows, speed) {
  const n_short = { simd128: 0, relaxed: 0 };
  const heads = Object.keys(FEATURES).map((build) => `${build}: ratio (goal), of the probe (goal)`.padEnd(CELL));
  console.log(`${"".padEnd(22)}${"best peer".padEnd(28)}${heads.join("")}`);
  for (const workload of new Set(rows.map((row) => row.workload))) {
    const all = rows.filter((row) => row.workload === workload);
    const fastest = (wanted) => all.filter(wanted).reduce((best, row) => (speed(row) > speed(best ?? row) ? row : best ?? row), undefined);
    const peer = fastest((row) => !isOurs(row) && !isProbe(row));
    const cells = Object.keys(FEATURES).map((build) => {
      const ours = fastest((row) => isOurs(row) && row.peer.startsWith(`relish-${build}`));
      const probe = all.find((row) => row.peer === `probe-${build}`);
      if (!ours) return "";
      const goal = GOALS[workload]?.[build] ?? {};
      const parts = [
        { reached: peer && speed(ours) / speed(peer), goal: goal.peer },
        { reached: probe && speed(ours) / speed(probe), goal: goal.probe },
      ].filter((part) => part.reached);
      const isShort = parts.some((part) => part.reached < part.goal);
      if (isShort) n_short[build] += 1;
      const verdict = isShort ? "short" : goal.peer ? "ok" : "";
      const figures = parts.map((part) => `${part.reached.toFixed(2)}${part.goal ? ` (${part.goal})` : ""}`.padEnd(12));
      return `${milliseconds(ours).padStart(9)}  ${figures.join("").padEnd(24)} ${verdict}`;
    });
    console.log(`${workload.padEnd(22)}${(peer ? `${peer.peer} ${milliseconds(peer)}` : "").padEnd(28)}${cells.map((cell) => cell.padEnd(CELL)).join("")}`);
  }
  console.log(Object.entries(n_short).map(([build, n]) => `${build}: ${n} short of a goal`).join("; "));
}

/** How wide a build's column is. */
const CELL = 46;
const milliseconds = (row) => `${row.best_ms >= 0.1 ? row.best_ms.toFixed(2) : row.best_ms.toPrecision(2)} ms`;

await main(async () => {
  if (!existsSync(resolve(source, "core.mjs"))) {
    console.log(`The harness is not in ${source}; set PEERS to where it is. Nothing was measured.`);
    return;
  }
  const where = option("in") ? [option("in")] : ["node", "chromium"];
  if (where.includes("chromium") && !findChromium()) throw new Refusal("Chromium is missing; use `--in node`, or set CHROMIUM_PATH.");
  await step("installing the other libraries", install);
  await step("compiling our kernels, twice", kernels);
  // CPU times are compared round by round; wall times by the best, for what else runs on the machine only adds.
  const speeds = { node: (row) => row.ratio, chromium: (row) => row.best_ratio };
  for (const place of where) {
    const rows = await step(`measuring in ${place}`, () => measure(place));
    report(rows, speeds[place]);
  }
});
