// Brings a clean checkout to where it can build: checks what must be there, installs what can be.
// Every missing prerequisite is one sentence that names the command which installs it.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Refusal, root, run, step, versionOf } from "./house.mjs";

const NODE = [20, 19];

/** Everything that a build needs; with `browser`, also what the tests of the page need. */
export async function setup({ browser = false } = {}) {
  checkNode();
  checkRust();
  await Promise.all([packages(), tools(), wasmTarget()]);
  if (browser) await chromium();
}

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > NODE[0] || (major === NODE[0] && minor >= NODE[1])) return;
  throw new Refusal(
    `Node ${NODE.join(".")} or newer is needed and this is ${process.versions.node}; ` +
      "install a newer one from https://nodejs.org, or with `nvm install 22`.",
  );
}

function checkRust() {
  if (versionOf("cargo")) return;
  throw new Refusal(
    "Rust is missing; install it with `curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh`, then open a new shell.",
  );
}

/** `npm ci`, unless what is installed is what the lock file asks for. */
async function packages() {
  const wanted = JSON.parse(readFileSync(resolve(root, "package-lock.json"), "utf8")).packages;
  const marker = resolve(root, "node_modules/.package-lock.json");
  const installed = existsSync(marker) ? JSON.parse(readFileSync(marker, "utf8")).packages : {};
  const stale = Object.entries(wanted).some(
    ([path, { version, optional }]) => path !== "" && !optional && installed[path]?.version !== version,
  );
  if (!stale) return;
  await step("installing the npm packages", () =>
    run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
      show: false,
      extraEnv: { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1" },
    }),
  );
}

/** The target, and the source of the standard library, which is built with the compiler. */
async function wasmTarget() {
  if (!versionOf("rustup")) {
    // A Rust from a distribution has no rustup; whether it has both shows in its folders.
    const library = versionOf("rustc", ["--print", "target-libdir", "--target", "wasm32-unknown-unknown"]);
    const sysroot = versionOf("rustc", ["--print", "sysroot"]);
    if (library && existsSync(library) && existsSync(resolve(sysroot, "lib/rustlib/src/rust/library"))) return;
    throw new Refusal(
      "The wasm32-unknown-unknown target or the component rust-src is missing; install rustup from https://rustup.rs.",
    );
  }
  // The first `rustup` command in this folder also installs the toolchain that rust-toolchain.toml names.
  const { output } = await run("rustup", ["target", "list", "--installed"], { show: false });
  if (!output.includes("wasm32-unknown-unknown")) {
    await step("adding the wasm32-unknown-unknown target", () =>
      run("rustup", ["target", "add", "wasm32-unknown-unknown"], { show: false }),
    );
  }
  const components = await run("rustup", ["component", "list", "--installed"], { show: false });
  if (components.output.includes("rust-src")) return;
  await step("adding the source of the standard library", () =>
    run("rustup", ["component", "add", "rust-src"], { show: false }),
  );
}

/** Exactly the wasm-bindgen that the workspace links: from PATH, or built from tools/. */
async function tools() {
  const lock = ["Cargo.lock", "tools/Cargo.lock"]
    .map((file) => readFileSync(resolve(root, file), "utf8").match(/name = "wasm-bindgen"\nversion = "([^"]+)"/)?.[1])
    .find(Boolean);
  const ready = () => versionOf("wasm-bindgen")?.split(" ")[1] === lock;
  if (ready()) return;
  await step(`building wasm-bindgen ${lock} (the first time only, about a minute)`, () =>
    run("cargo", ["build", "--locked", "--quiet", "--manifest-path", "tools/Cargo.toml"], { show: false }),
  );
  if (!ready()) throw new Refusal(`tools/ does not hold wasm-bindgen ${lock}; set that version in tools/Cargo.toml.`);
}

/** Where Chromium may be, likeliest first. */
export function findChromium() {
  return [
    process.env.CHROMIUM_PATH,
    "/usr/lib/chromium/chromium",
    "/usr/bin/chromium",
    "/usr/bin/google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  ].find((path) => path && existsSync(path));
}

async function chromium() {
  if (findChromium()) return;
  const refusal = "Chromium is missing; install it with `sudo apt-get install chromium`, or set CHROMIUM_PATH to one.";
  if (process.getuid?.() !== 0 || !versionOf("apt-get")) throw new Refusal(refusal);
  const quiet = { show: false, extraEnv: { DEBIAN_FRONTEND: "noninteractive" } };
  await step("installing Chromium for the tests of the page", async () => {
    await run("apt-get", ["update", "-qq"], quiet);
    await run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium"], quiet);
  });
  if (!findChromium()) throw new Refusal(refusal);
}
