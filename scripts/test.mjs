// All that a change must pass. Every part runs even when an earlier one failed, so that one run tells everything;
// the last line is the tally.
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { main, Refusal, root, run, step } from "./house.mjs";
import { setup } from "./setup.mjs";
import { build } from "./site.mjs";

const tally = { passed: 0, failed: 0 };
const failures = [];

/** Sums what a pattern with one group finds: `(\d+) passed`. */
const sum = (text, pattern) => [...text.matchAll(pattern)].reduce((total, [, n]) => total + Number(n), 0);

/** A part that only passes or fails as a whole. */
async function whole(title, work) {
  try {
    await step(title, work);
    tally.passed += 1;
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(error.message);
    tally.failed += 1;
    failures.push(title);
    return false;
  }
}

/** A part that counts its own tests. */
async function counted(title, [command, ...args], patterns) {
  const { code, output } = await step(title, () => run(command, args, { check: false }));
  const plain = output.replace(/\u001b\[[0-9;]*m/g, "");
  const failed = sum(plain, patterns.failed);
  tally.passed += sum(plain, patterns.passed);
  // A part that failed without naming a test (it did not compile, say) counts as one.
  tally.failed += code === 0 ? failed : Math.max(failed, 1);
  if (code !== 0) failures.push(title);
}

await main(async () => {
  await setup({ browser: true });
  await whole("checking the formatting of the Rust code", () => run("cargo", ["fmt", "--all", "--check"]));
  await whole("linting the Rust code", () =>
    run("cargo", ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]),
  );
  const commandLine = whole("building the command line", () => run("cargo", ["build", "--quiet", "--bin", "relish"]));
  const rust = async () => {
    await commandLine;
    await counted("testing the Rust code", ["cargo", "test", "--workspace", "--quiet", "--no-fail-fast"], {
      // The test pages count themselves, in a line of their own.
      passed: /^(?:test result: \w+\. )?(\d+) passed[;,]/gm,
      failed: /^(?:test result: \w+\. )?\d+ passed[;,] (\d+) failed/gm,
    });
  };
  const files = async () => {
    const isBuilt = await whole("building the site", () => build({ commands: true }));
    if (!isBuilt || !(await commandLine)) return isBuilt;
    const specs = readdirSync(resolve(root, "tests/node")).filter((file) => file.endsWith(".test.mjs"));
    const paths = specs.map((file) => `tests/node/${file}`);
    await counted("testing the site's files", [process.execPath, "--test", "--test-reporter=spec", ...paths], {
      passed: /^ℹ pass (\d+)$/gm,
      failed: /^ℹ fail (\d+)$/gm,
    });
    return isBuilt;
  };
  // Most of either is one thread, and each has a folder of its own in target/.
  const [site] = await Promise.all([files(), rust()]);
  if (site) {
    await counted("testing the page in Chromium", ["playwright", "test"], {
      passed: /^\s*(\d+) passed/gm,
      failed: /^\s*(\d+) (?:failed|flaky|did not run)/gm,
    });
  }
  if (failures.length > 0) console.log(`\nFailed: ${failures.join("; ")}.`);
  console.log(`\n${tally.passed} passed, ${tally.failed} failed`);
  return tally.failed === 0 ? 0 : 1;
});
