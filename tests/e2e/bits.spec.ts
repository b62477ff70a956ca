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

test("relaxed SIMD differs in the last digits at most", async ({ page }) => {
  test.setTimeout(120_000);
  await page.goto("./");
  const programs = made.filter(({ title }) => /^(products|convolutions and pools|rows), float32$/.test(title));
  expect(programs.length).toBe(3);
  const texts = programs.map(({ text }) => text);
  const exact: Values[] = await page.evaluate(inBrowser, { ...siteFiles("simd128"), texts });
  const relaxed: Values[] = await page.evaluate(inBrowser, { ...siteFiles("relaxed"), texts });
  let nNumbers = 0;
  for (const [index, { title }] of programs.entries()) {
    expect(relaxed[index]?.length).toBe(exact[index]?.length);
    for (const [place, value] of (exact[index] ?? []).entries()) {
      const [want, got] = [floats(value ?? ""), floats(relaxed[index]?.[place] ?? "")];
      expect(got.length).toBe(want.length);
      const most = want.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
      const farthest = want.reduce((far, x, i) => Math.max(far, Math.abs(x - (got[i] ?? NaN))), 0);
      // The terms of the sums are at most 1 each, so a sum of 200 of them is off by no more than this.
      expect(farthest, `${title}, value ${place + 1}`).toBeLessThanOrEqual(2e-5 * Math.max(1, most));
      nNumbers += want.length;
    }
  }
  expect(nNumbers).toBeGreaterThan(10_000);
});
