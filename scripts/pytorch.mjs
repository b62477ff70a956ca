// Whether PyTorch computes from an exported program what the machine computes from the program itself, on the same
// weights and inputs. It is apart from `npm test`, because PyTorch is gigabytes: it makes its own environment in
// target/pytorch.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { main, root, run, step } from "./house.mjs";
import { readPages } from "./pages.mjs";

const HOME = resolve(root, "target/pytorch");
const PYTHON = resolve(HOME, "bin/python");
const PROGRAMS = resolve(HOME, "programs");

/** The TensorScript programs of the pages that are right. */
function programs() {
  return readPages(resolve(root, "tests/pages")).flatMap(({ programs }) =>
    programs.filter(({ language, text }) => language === "tensorscript" && !/\^\s*error\[/.test(text)),
  );
}

async function environment() {
  if (!existsSync(PYTHON)) await step("making an environment for Python", () => run("python3", ["-m", "venv", HOME]));
  const { code } = await run(PYTHON, ["-c", "import torch, numpy"], { show: false, check: false });
  if (code !== 0) await step("fetching PyTorch", () => run(PYTHON, ["-m", "pip", "install", "--quiet", "torch", "numpy"]));
}

await main(async () => {
  await environment();
  await step("building relish", () => run("cargo", ["build", "--quiet", "-p", "relish"], { show: false }));
  rmSync(PROGRAMS, { recursive: true, force: true });
  mkdirSync(PROGRAMS, { recursive: true });
  for (const { heading, text } of programs()) {
    writeFileSync(resolve(PROGRAMS, `${heading.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.trs`), text);
  }
  await run(PYTHON, [resolve(root, "tests/pytorch/compare.py"), resolve(root, "target/debug/relish"), PROGRAMS]);
});
