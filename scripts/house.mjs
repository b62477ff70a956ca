// What every script here shares: the root of the project, steps that say what they do and for how long, and child
// processes that never outlive the script that started them. Only Node's own modules: this runs before `npm ci`.
import { spawn, spawnSync } from "node:child_process";
import { delimiter, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "..");
const toolsBin = resolve(root, "tools/target/debug");

/** Our tools come first on PATH: the pinned ones, then what `npm ci` installed. */
export const env = {
  ...process.env,
  PATH: [toolsBin, resolve(root, "node_modules/.bin"), process.env.PATH].join(delimiter),
};

/** A failure that is told in one sentence, without a stack. */
export class Refusal extends Error {}

const children = new Set();
// Children lead their own process group, so that what they start ends with them.
const endAll = () => {
  for (const child of children) {
    try {
      process.kill(-child.pid, "SIGTERM");
    } catch {
      // It has ended by itself.
    }
  }
};
process.on("exit", endAll);
for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]]) {
  process.on(signal, () => process.exit(code));
}

/**
 * Runs a program and resolves to its exit code, its output, and of that what it printed, which its warnings are not.
 * With `show`, the output also appears as it comes; without, it appears only if the program fails and `check` is on.
 */
export function run(command, args, { extraEnv = {}, show = true, check = true, cwd = root } = {}) {
  return new Promise((done, fail) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...env, ...extraEnv },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    children.add(child);
    let output = "";
    let printed = "";
    for (const [stream, sink] of [[child.stdout, process.stdout], [child.stderr, process.stderr]]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
        if (stream === child.stdout) printed += text;
        if (show) sink.write(text);
      });
    }
    child.on("error", (error) => {
      children.delete(child);
      fail(new Refusal(`${command} could not be started: ${error.message}`));
    });
    child.on("close", (code) => {
      children.delete(child);
      if (code === 0 || !check) return done({ code: code ?? 1, output, printed });
      if (!show) process.stderr.write(output);
      fail(new Refusal(`\`${command} ${args.join(" ")}\` failed with code ${code}.`));
    });
  });
}

/** The first line that `command --version` prints, or undefined when there is no such program. */
export function versionOf(command, args = ["--version"]) {
  const { error, status, stdout } = spawnSync(command, args, { env, encoding: "utf8", cwd: root });
  return error || status !== 0 ? undefined : stdout.trim().split("\n")[0];
}

/** Says what is being done, does it, and says how long it took. */
export async function step(title, work) {
  const start = performance.now();
  console.log(`• ${title} …`);
  const result = await work();
  console.log(`  ${title}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return result;
}

/** Runs a script's `main`, so that a refusal ends it with its sentence alone. */
export async function main(work) {
  try {
    process.exitCode = (await work()) ?? 0;
  } catch (error) {
    console.error(error instanceof Refusal ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}
