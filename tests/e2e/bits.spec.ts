// The engine in this browser computes the bits that the command line does, on the programs that test it in Node and on those
// of the test pages. With relaxed SIMD it computes the same but for the last digits.
import { expect, test } from "@playwright/test";
// @ts-expect-error The programs and engines are plain JavaScript, for Node's own tests.
import { difference, inBrowser, native, siteFiles } from "../bits/engines.mjs";
// @ts-expect-error
import { madePrograms, pagePrograms } from "../bits/programs.mjs";

interface Program {
  title: string;
  text: string;
}
type Values = (string | null)[];

const made: Program[] = madePrograms();

test("results are those of the command line to the bit", async ({ page }) => {
  test.setTimeout(240_000);
  await page.goto("./");
  const programs: Program[] = [...made, ...pagePrograms()];
  expect(programs.length).toBeGreaterThan(200);
  const texts = programs.map(({ text }) => text);
  const found: Values[] = await page.evaluate(inBrowser, { ...siteFiles("simd128"), texts });
  const differences: string[] = [];
  for (const [index, program] of programs.entries()) {
    const expected: Values = await native(program.text);
    const sentence = difference(program, expected, found[index]);
    if (sentence !== undefined) differences.push(sentence);
  }
  expect(differences).toEqual([]);
});

/** The numbers of a tensor of float32 that prints as the bits of each. */
function floats(bits: string): Float32Array {
  const integers = Int32Array.from(bits.match(/-?\d+/g) ?? [], Number);
  return new Float32Array(integers.buffer);
}

/** Whether both are NaN, or the same infinity, or no farther from each other than this. */
const isNear = (x: number, y: number, far: number) => Object.is(x, y) || Math.abs(x - y) <= far;

test("relaxed SIMD differs in the last digits at most", async ({ page }) => {
  test.setTimeout(120_000);
  await page.goto("./");
  const programs = made.filter(({ title }) => title.includes("float32"));
  expect(programs.length).toBe(6);
  const texts = programs.map(({ text }) => text);
  const exact: Values[] = await page.evaluate(inBrowser, { ...siteFiles("simd128"), texts });
  const relaxed: Values[] = await page.evaluate(inBrowser, { ...siteFiles("relaxed"), texts });
  const differences: string[] = [];
  let nNumbers = 0;
  for (const [index, { title, text }] of programs.entries()) {
    const expressions = text.split("\n").filter((line) => line !== "" && !line.startsWith("let "));
    expect(exact[index]?.length).toBe(expressions.length);
    for (const [place, expression] of expressions.entries()) {
      const [expected, found] = [exact[index]?.[place] ?? "", relaxed[index]?.[place] ?? ""];
      if (!/^reinterpret\(.*dtype="int32"\)$/.test(expression)) {
        if (found !== expected) differences.push(`${title}: ${expression}`);
        continue;
      }
      const [want, got] = [floats(expected), floats(found)];
      // An element of a sum of thousands is as far off as its terms are large, not as it is itself.
      const isSum = !title.startsWith("elementwise");
      const most = want.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 1);
      const at = want.findIndex((x, i) => !isNear(x, got[i] ?? 0, 2e-5 * (isSum ? most : Math.max(0.1, Math.abs(x)))));
      if (at >= 0 || got.length !== want.length) differences.push(`${title}: ${expression} [${at}]: ${got[at]} instead of ${want[at]}`);
      nNumbers += want.length;
    }
  }
  expect(differences).toEqual([]);
  expect(nNumbers).toBeGreaterThan(10_000);
});
