// What a run came to and what it took: memory, operators, and tensors as numbers, maps and images.
import { expect, type Page, test } from "@playwright/test";
import {
  expectValue,
  open,
  panel,
  phone,
  problems,
  runButton,
  share,
  showPanel,
  stopButton,
  violations,
  write,
} from "./page.ts";

const NET = `def @layer(%x: Tensor[(64, 128), float32], %w: Tensor[(96, 128), float32]) {
  nn.softmax(nn.dense(%x, %w))
}
def @steps(%n: int32, %x: Tensor[(64, 96), float32]) -> Tensor[(64, 96), float32] {
  if (%n == 0) { %x } else { @steps(%n - 1, tanh(%x)) }
}
@steps(5, @layer(ones(shape=[64, 128]), ones(shape=[96, 128])))
`;

/** One image in colour, and a batch of matrices of both signs with something that is no number. */
const PICTURES = `let %ramp = arange(0f, 768f, 1f);
reshape(%ramp, newshape=[16, 16, 3]) / 768f
reshape(%ramp, newshape=[3, 16, 16]) - 300f
(ones(shape=[10, 10]) - 1f) / (reshape(arange(0f, 100f, 1f), newshape=[10, 10]))
nn.relu(reshape(sin(%ramp), newshape=[3, 16, 16])) * 1.2f
reshape(%ramp, newshape=[24, 32]) > 700f
full(3f, shape=[20, 20])
reshape(%ramp, newshape=[16, 16, 3]) - 300f
`;

async function ran(page: Page, text: string): Promise<void> {
  await write(page, text);
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await runButton(page).click();
  await expect(panel(page).locator(".outcome")).toContainText("Ran in");
}

const table = (page: Page) => panel(page).locator(".profile");
const row = (page: Page, name: string) => table(page).locator("tbody tr:not(.of)").filter({ hasText: name });

test("the heat map of a large tensor has means of blocks", async ({ page }) => {
  await open(page);
  await ran(page, "reshape(arange(0f, 1000000f, 1f), newshape=[1, 1000, 1000])\n");
  await expect(panel(page).locator(".tensor > .note")).toHaveText("Each point is the mean of 2 by 2 elements.");
  const picture = panel(page).getByRole("img", { name: "Heat map [0, :, :] of 1000 by 1000 elements from 0 to 999999" });
  await picture.hover({ position: { x: 1, y: 1 } });
  // Of 2002, 2003, 3002 and 3003.
  await expect(panel(page).locator(".pointed")).toHaveText("around [2, 2] the mean is 2502.5");
  // An axis with one place leaves no choice.
  await expect(panel(page).locator(".axes label")).toHaveText([/^rows/, /^columns/, /^scale/]);
  await expect(panel(page).getByLabel("columns").locator("option").last()).toHaveText("axis 2 (1000)");
});

test("what is long is drawn as means, which is said", async ({ page }) => {
  await open(page);
  await ran(page, "reshape(arange(0f, 20000f, 1f), newshape=[20000, 1])\narange(0f, 100000f, 1f)\narange(0f, 1000f, 1f)\n");
  const value = (nth: number) => panel(page).locator(".value").nth(nth);
  const note = (nth: number) => value(nth).locator(".tensor > .note");
  await expect(note(0)).toHaveText("Each point is the mean of 20 elements.");
  await value(0).locator(".heatmap").press("ArrowDown");
  await expect(value(0).locator(".pointed")).toHaveText("around [0, 0] the mean is 9.5");
  await value(1).getByRole("button", { name: "Heat map" }).click();
  await expect(note(1)).toHaveText("Each point is the mean of 98 elements.");
  await value(1).locator(".heatmap").press("ArrowRight");
  await expect(value(1).locator(".pointed")).toHaveText("around [0, 0] the mean is 48.5");
  // Where each element has its point there is nothing to say.
  await value(2).getByRole("button", { name: "Heat map" }).click();
  await expect(note(2)).toHaveCount(0);
  await expect(value(2).getByLabel("scale")).toHaveCount(0);
});

test("a slice has the colours of the whole tensor, or its own", async ({ page }) => {
  await open(page);
  await ran(page, "reshape(arange(0f, 65536f, 1f), newshape=[64, 32, 32])\n");
  const ends = panel(page).locator(".legend");
  // In the colours of the whole it would be one colour.
  await expect(ends).toHaveText("01023");
  await panel(page).getByLabel("scale").selectOption("of the whole tensor");
  await expect(ends).toHaveText("065535");
  await panel(page).getByLabel("scale").selectOption("of what is shown");
  await expect(ends).toHaveText("01023");
  await panel(page).getByLabel(/^axis 0/).selectOption("63");
  await expect(ends).toHaveText("6451265535");
  await expect(panel(page).getByRole("img", { name: "Heat map [63, :, :] of 32 by 32 elements from 64512 to 65535" })).toBeVisible();
  // One that is all the same says what it is among the others.
  await ran(page, "nn.relu(reshape(arange(0f, 65536f, 1f), newshape=[64, 32, 32]) - 2000f)\n1 + 1\n");
  await expect(ends).toHaveText("063535");
  // All of it is shown.
  await ran(page, "reshape(arange(0f, 768f, 1f), newshape=[3, 16, 16])\n");
  await panel(page).getByRole("button", { name: "Heat map" }).click();
  await expect(ends).toBeVisible();
  await expect(panel(page).getByLabel("scale")).toHaveCount(0);
});

test("a small table has room for eight columns, and the sign of an exponent ends no line", async ({ page }) => {
  await open(page);
  await ran(page, "ones(shape=[2, 8]) * 0.125\nreshape(arange(0f, 900f, 1f), newshape=[30, 30]) * 1e-9f - 0.00001f\n");
  const grid = panel(page).locator(".grid-scroll").first();
  expect(await grid.evaluate((place) => place.scrollWidth - place.clientWidth)).toBe(0);
  // A text may be long, and is made for who unfolds it.
  await expect(panel(page).locator("pre")).toHaveCount(0);
  await panel(page).getByText("As text").click();
  // A number that is broken has two boxes.
  const numbers = panel(page).locator("pre").locator(".token-number, .whole");
  await expect(numbers).toHaveCount(900);
  const pieces = await numbers.evaluateAll((all) => all.map((one) => one.getClientRects().length));
  expect(Math.max(...pieces)).toBe(1);
});

test("what of a large image is not here is hatched, and said above the picture", async ({ page }) => {
  await open(page);
  // Means are of blocks of the last two axes, which here are none of the image.
  await ran(page, 'cast(reshape(arange(0f, 1080000f, 1f), newshape=[600, 600, 3]) / 4300f, dtype="uint8")\n');
  const note = panel(page).locator(".tensor > .note");
  await expect(note).toHaveText("Of 1,080,000 elements the first 262,144 are here; what is hatched is not.");
  const picture = panel(page).locator(".heatmap");
  expect((await note.boundingBox())?.y).toBeLessThan((await picture.boundingBox())?.y ?? 0);
  await expect(picture).toHaveCSS("background-image", /repeating-linear-gradient/);
  await picture.hover({ position: { x: 100, y: 250 } });
  await expect(panel(page).locator(".pointed")).toHaveText(/is not here$/);
  // A table of nothing is none.
  await ran(page, "reshape(arange(0f, 1000000f, 1f), newshape=[4, 500, 500])\n");
  await panel(page).getByRole("button", { name: "Numbers" }).click();
  await expect(panel(page).locator(".grid")).toHaveCount(2);
  await expect(note.last()).toHaveText("The elements of [2, :, :] and [3, :, :] are not here.");
});

test("a large image is drawn as means, like a map", async ({ page }) => {
  await open(page);
  const large = "reshape(arange(0f, 786432f, 1f), newshape=[3, 512, 512]) / 786432f\n";
  const largest = 'full(1u8, shape=[8, 300000]) * cast(reshape(arange(0f, 8f, 1f), newshape=[8, 1]), dtype="uint8")\n';
  await ran(page, `${large}${largest}reshape(arange(0f, 600000f, 1f), newshape=[1, 600, 1000]) > 300000f\n`);
  const value = (nth: number) => panel(page).locator(".value").nth(nth);
  const note = (nth: number) => value(nth).locator(".tensor > .note");
  await expect(note(0)).toHaveText("Each point is the mean of 2 by 2 elements.");
  const image = panel(page).getByRole("img", { name: "Colour image of 512 by 512 points, mean 0.5" });
  const point = () => image.evaluate((canvas) => [...(canvas as HTMLCanvasElement).getContext("2d")!.getImageData(255, 255, 1, 1).data]);
  // It is painted a frame after it is there.
  await expect.poll(point).toEqual([85, 170, 255, 255]);
  for (const key of ["ArrowDown", "ArrowDown", "ArrowRight"]) await image.press(key);
  await expect(value(0).locator(".pointed")).toHaveText("around [2, 2] the mean is (0.001631, 0.335, 0.6683)");
  // No picture is longer than a browser draws.
  const longest = await value(1).locator("canvas").evaluate((canvas) => (canvas as HTMLCanvasElement).width);
  expect(longest).toBeLessThanOrEqual(1024);
  await expect(note(1)).toContainText("Each point is the mean of");
  // Between the two there are others.
  await value(2).getByRole("button", { name: "Image" }).click();
  await expect(value(2).locator(".legend .ramp")).toBeVisible();
});

test("each of several images says its own mean", async ({ page }) => {
  await open(page);
  await ran(page, "reshape(arange(0f, 256f, 1f), newshape=[4, 1, 8, 8]) / 256f\n");
  const images = panel(page).getByRole("img", { name: /^Grey image/ });
  const names = await images.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
  expect(names).toEqual([0.123, 0.373, 0.623, 0.873].map((mean, at) => `Grey image [${at}, :, :, :] of 8 by 8 points, mean ${mean}`));
});

test("a map is of the rows that are chosen, also where its elements are as far apart", async ({ page }) => {
  await open(page);
  await ran(page, "reshape(arange(0f, 280f, 1f), newshape=[70, 1, 4])\n");
  await panel(page).getByLabel("rows").selectOption("0");
  const map = panel(page).getByRole("img", { name: "Heat map [:, 0, :] of 70 by 4 elements from 0 to 279" });
  await map.press("ArrowUp");
  for (let row = 1; row < 70; row += 1) await map.press("ArrowDown");
  await expect(panel(page).locator(".pointed")).toHaveText("[69, 0] is 276");
});

test("times are told as exactly as the clock tells them", async ({ page }) => {
  await open(page);
  await runButton(page).click();
  const rows = panel(page).locator(".profile tbody tr");
  await expect(rows.first()).toBeVisible();
  // A rate is of a millisecond at least, and what took less than a tick is not said to have taken a tenth of one.
  const told = await panel(page).locator(".profile tbody td.of-time, .profile tbody tr:not(.of) td:last-child").allTextContents();
  const times = told.filter((_, at) => at % 2 === 0).map((text) => text.trim());
  const rates = told.filter((_, at) => at % 2 === 1).map((text) => text.trim());
  for (const time of times) expect(time).toMatch(/^(< 0\.1 ms|\d+(\.\d)? ms)$/);
  rates.forEach((rate, at) => {
    if (/^<|^0/.test(times[at] ?? "")) expect(rate).toBe("–");
  });
  // Most of a first run would be the browser's, which compiles the machine. Another program may hold the processor now
  // and then, so the shortest of some first runs counts.
  await expect(async () => {
    await page.reload();
    await runButton(page).click();
    await expect(rows.first()).toBeVisible();
    const outcome = await panel(page).locator(".outcome").innerText();
    expect(Number(/Ran in (\d+) ms/.exec(outcome)?.[1])).toBeLessThan(20);
  }).toPass({ timeout: 60_000 });
  await expect(panel(page).locator(".value")).not.toHaveCount(0);
});

test("each operator of a run is listed with what it cost", async ({ page }) => {
  await open(page);
  await ran(page, NET);
  await expect(row(page, "nn.dense").locator("td").nth(1)).toHaveText("1");
  // 2 · 64 · 96 · 128 operations.
  await expect(row(page, "nn.dense").locator("td").nth(3)).toHaveText("1.57 M");
  await expect(row(page, "nn.softmax").locator("td").nth(2)).toHaveText("49.2 kB");
  await expect(row(page, "tanh").locator("td").nth(1)).toHaveText("5");
  const calls = () => table(page).locator("tbody tr td:nth-of-type(2)").allTextContents();
  await table(page).getByRole("button", { name: "Calls" }).click();
  await expect(table(page).getByRole("columnheader", { name: "Calls" })).toHaveAttribute("aria-sort", "descending");
  const sorted = (await calls()).map(Number);
  expect(sorted).toEqual(sorted.toSorted((a, b) => b - a));
  // What another program comes to is seen from the top, wherever one was in the table.
  await panel(page).evaluate((place) => place.scrollTo(0, place.scrollHeight));
  await ran(page, "nn.dense(ones(shape=[600, 600]), ones(shape=[600, 600]))\nargwhere([1f, 0f])\n");
  await expect(row(page, "nn.dense")).toContainText("432 M");
  expect(await panel(page).evaluate((place) => place.scrollTop)).toBe(0);
  // Only before the run was it open how much `argwhere` would need.
  await expect(panel(page).locator(".figures")).toHaveText(/ [\d.]+ MB of memory used\. What its operators cost$/);
  // In the column by which it is sorted bars are shares of the most; a rate is no part of anything.
  const widths = (column: string) =>
    table(page).locator(`.of-${column} .share`).evaluateAll((bars) => bars.map((bar) => Number((bar as HTMLElement).style.getPropertyValue("--share"))));
  for (const column of ["Bytes", "FLOPs"]) {
    await table(page).getByRole("button", { name: column }).click();
    const shown = await widths(column.toLowerCase());
    expect(shown[0]).toBe(1);
    expect(shown).toEqual(shown.toSorted((a, b) => b - a));
    expect(shown).toHaveLength(await table(page).locator(".share").count());
  }
  await table(page).getByRole("button", { name: "Rate" }).click();
  await expect(table(page).locator(".share")).toHaveCount(0);
});

test("a row lights its place up and leads there", async ({ page }) => {
  await open(page);
  await ran(page, NET);
  await row(page, "tanh").hover();
  await expect(page.locator(".monaco-editor .pointed-at").first()).toBeVisible();
  await row(page, "tanh").getByRole("button").click();
  await expect(page.locator(".monaco-editor .line-numbers.active-line-number")).toHaveText("5");
});

test("what has an error is not said to have run", async ({ page }) => {
  await open(page);
  const wrong = "ones(shape=[2, 3]) + ones(shape=[2, 4])\n";
  await write(page, wrong);
  await expect(problems(page).getByRole("status")).toHaveText("1 error");
  await runButton(page).click();
  const outcome = panel(page).locator(".outcome");
  await expect(outcome).toHaveText("Not run: line 1 has an error.");
  await expect(panel(page).locator(".engine-used")).toHaveText("");
  await expect(panel(page).locator(".figures")).toHaveCount(0);
  await outcome.getByRole("button", { name: "line 1" }).click();
  await expect(page.locator(".monaco-editor.focused")).toBeVisible();
  await write(page, `1 + 2\n\n${wrong}`);
  await expect(problems(page).getByRole("status")).toHaveText("1 error");
  await runButton(page).click();
  await expect(outcome).toHaveText(/^1 of 2 expressions ran in \d+ ms; line 3 has an error\.$/);
  await expect(panel(page).locator(".value")).toHaveCount(1);
  await write(page, "1 + 2\n\nhello\n");
  await expect(problems(page).getByRole("status")).toHaveText("1 error");
  await runButton(page).click();
  await expect(outcome).toHaveText(/^1 of 2 expressions ran in \d+ ms; line 3 has an error\.$/);
  // Errors are named by their places, whoever found them.
  await write(page, "1 / 0\n2 + 2\nmod(5, 0)\n%x\n");
  await expect(problems(page).getByRole("status")).toHaveText("1 error");
  await runButton(page).click();
  await expect(outcome).toHaveText(/^1 of 4 expressions ran in \d+ ms; line 1, line 3 and line 4 have errors\.$/);
  // A definition is none of them.
  await write(page, "1 + 2\n\ndef @f() { hello }\n");
  await expect(problems(page).getByRole("status")).toHaveText("1 error");
  await runButton(page).click();
  await expect(outcome).toHaveText(/^Ran in \d+ ms, but line 3 has an error\.$/);
  // Each line is named that has one.
  await write(page, "let %x = foo(1);\n@f(2)\n%x\n");
  await runButton(page).click();
  await expect(outcome).toHaveText("Not run: line 1 and line 2 have errors.");
  await write(page, "foo(1)\nfoo(2)\nfoo(3) + foo(4)\nfoo(5)\n");
  await runButton(page).click();
  await expect(outcome).toHaveText("Not run: line 1, line 2, line 3 and 1 more have errors.");
});

test("what takes long is not run unasked, and its time counts from when it is asked for", async ({ page }) => {
  await open(page);
  const product = "nn.dense(%x, %x)";
  const loop = `if (%n == 0) { %x } else { @steps(%n - 1, tanh(${product})) }`;
  await write(page, `def @steps(%n: int32, %x: Tensor[(128, 128), float32]) -> Tensor[(128, 128), float32] { ${loop} }\n@steps(900000, ones(shape=[128, 128]))\n`);
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await showPanel(page, "Run");
  await expect(panel(page).locator(".outcome")).toContainText("takes a while");
  await panel(page).getByRole("button", { name: "Run the program" }).click();
  const running = panel(page).locator(".running .figures").first();
  await expect(running).toContainText(/^[01]\.\d s/);
  await expect(running).toContainText(/calls and match tests.* so far; now in line 1$/);
  // What operators cost is there before the run has ended, and when it was stopped.
  const cost = panel(page).locator(".profile th[scope=row]");
  await expect(cost.filter({ hasText: "nn.dense" })).toBeVisible();
  await panel(page).getByRole("button", { name: "Stop" }).click();
  await expect(panel(page).locator(".outcome")).toContainText(/^Stopped after .* in line 1, .* calls and match tests, /);
  await expect(cost.filter({ hasText: "nn.dense" })).toBeVisible();
});

test("a long run shows the values that it has, and keeps them when it is stopped", async ({ page }) => {
  await open(page);
  await write(page, "def @count(%n: int32) -> int32 { if (%n == -1) { 0 } else { @count(%n + 2) } }\n1 + 2\n[1f, 2f] * 2f\n@count(0)\n");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await runButton(page).click();
  const values = panel(page).locator(".value");
  await expect(values).toHaveCount(2);
  await expect(values.nth(0)).toContainText("3");
  // And so does the editor.
  await expectValue(page, "3");
  await expect(page.locator(".has-stale-values")).toHaveCount(0);
  await panel(page).getByRole("button", { name: "Stop" }).click();
  await expect(panel(page).locator(".outcome")).toContainText("Stopped after");
  await expect(values).toHaveCount(2);
  await expectValue(page, "3");
  await expectValue(page, "[2f, 4f]");
  await expect(page.locator(".has-stale-values")).toHaveCount(0);
  await expect(values.nth(1).locator("td")).toHaveText(["2", "4"]);
  await expect(panel(page)).not.toContainText("Before a run");
  await panel(page).getByLabel("Fuse operators").uncheck();
  await expect(panel(page).locator(".outcome")).toContainText("With other settings: stopped after");
  await expect(panel(page).locator(".profile")).toHaveClass(/stale/);
});

test("a short run that is made once more tells its values once", async ({ page }) => {
  await page.addInitScript(() => {
    const Original = Worker;
    const told: number[] = [];
    Object.assign(window, { told });
    window.Worker = class extends Original {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(url, options);
        this.addEventListener("message", ({ data }) => {
          if (data.kind === "progress") told.push(...data.view.values.map(({ line }: { line: number }) => line));
        });
      }
    };
  });
  // By the clock of this worker every run is short.
  await page.route(/assets\/worker-/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `performance.now = () => 0;\n${await response.text()}` });
  });
  await open(page);
  await write(page, "sum(ones(shape=[4]))\nlet %x = ones(shape=[1200, 1000]);\nmean(nn.matmul(%x, ones(shape=[1000, 2])))\n");
  // Not what was told before: the program may have run by itself by then.
  await runButton(page).evaluate((button) => {
    (window as unknown as { told: number[] }).told.length = 0;
    (button as HTMLElement).click();
  });
  await expectValue(page, "4f");
  await expect(panel(page).locator(".outcome")).toContainText("Ran in");
  expect(await page.evaluate(() => (window as unknown as { told: number[] }).told)).toEqual([1]);
});

test("what has no value says why, and what is made up says so", async ({ page }) => {
  await open(page);
  await write(page, "def @part(%n: int32) -> int32 { 12 / %n }\n@part(4)\n@part(0)\ndef @main(%x: Tensor[(2), float32]) { sum(%x) }\n");
  await runButton(page).click();
  const values = panel(page).locator(".value");
  // The run's: the text has none.
  await expect(problems(page).getByRole("status")).toHaveText("1 error");
  await expect(values.nth(1).locator(".failed")).toHaveText("No value: an integer is divided by zero (line 1).");
  await expect(problems(page)).toContainText("while this is evaluated");
  await expect(values.nth(0).locator(".note")).toHaveCount(0);
  await expect(values.nth(2).locator(".note")).toHaveText(/made up/);
  await write(page, "def @main() { 1 + 1 }\n");
  await expect(values.first()).toContainText("2");
  await expect(panel(page).locator(".value .note")).toHaveCount(0);
  await write(page, "def @main(%l: List[int32]) { %l }\n");
  await expect(values.first()).toContainText("Cons");
  await expect(values.first().locator(".note")).toHaveText(/made up/);
  await write(page, "def @main(%f: fn(int32) -> int32) { %f(1) }\n");
  await expect(values.first().locator(".failed")).toHaveText("No value: the input %f: only tensors, and tuples and data types of them, can be given (line 1).");
  await expect(panel(page).locator(".value .note")).toHaveCount(0);
  await expect(values.first().getByRole("button", { name: "Step through" })).toHaveCount(0);
});

test("infinities have colours of their own", async ({ page }) => {
  await open(page);
  const huge = 'cast(reshape(arange(0f, 100f, 1f), newshape=[10, 10]) - 50f, dtype="float64") * 3e306f64';
  await ran(page, `1f / (reshape(arange(0f, 100f, 1f), newshape=[10, 10]) - 50f)\nlog(zeros(shape=[10, 10]))\n${huge}\n`);
  const legend = (nth: number) => panel(page).locator(".value").nth(nth).locator(".legend");
  await expect(legend(0)).toHaveText("−11inf");
  // Where nothing is finite there is no scale.
  await expect(legend(1)).toHaveText("−inf");
  await expect(panel(page).getByRole("img", { name: "Heat map of 10 by 10 elements, none of them finite" })).toHaveCount(1);
  // A range that is wider than the largest number has its colours, and none of infinity's.
  await expect(legend(2).locator(".ramp")).not.toHaveAttribute("style", /255, 196, 0/);
});

test("the values of a program go when another one is pasted over it", async ({ page }) => {
  await open(page);
  await ran(page, "1 + 2\n\n3 + 4\n");
  await expect(panel(page).locator(".value header")).toHaveCount(2);
  await write(page, "#lang refine\nlet x = in x\n");
  await expect(panel(page)).toContainText("The value of each top-level expression appears here");
  await expect(panel(page)).toContainText("line 2 has an error");
  await expect(panel(page)).not.toContainText("From before");
  await expect(panel(page).locator(".value header")).toHaveCount(0);
  // What is typed into it is an edit of it.
  await write(page, "let %x = 2;\n%x + 1\n");
  await expect(panel(page).locator(".value header")).toHaveCount(1);
  await page.keyboard.type("3 +");
  await expect(panel(page).locator(".outcome")).toHaveText("From before the last edits.");
  await expect(panel(page).locator(".value header")).toHaveCount(1);
});

test("old values go with their lines", async ({ page }) => {
  await open(page);
  await ran(page, "1 + 2\n\n3 + 4\n");
  const values = panel(page).locator(".value header");
  await expect(values).toHaveCount(2);
  // All but the beginning of the first line.
  await page.locator(".editor .monaco-editor").first().click();
  await page.keyboard.press("Control+Home");
  for (let letter = 0; letter < 3; letter += 1) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Control+Shift+End");
  await page.keyboard.press("Delete");
  await expect(panel(page).locator(".outcome")).toHaveText("From before the last edits.");
  await expect(values).toHaveCount(1);
  await expect(values).toContainText("line 1");
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await expect(values).toHaveCount(0);
});

test("a value that is not of the text as it stands says so, and goes with the line that is edited", async ({ page }) => {
  await open(page);
  await write(page, "1 + 2\n\n3 + 4\n");
  await expectValue(page, "7");
  const values = page.locator(".value-after");
  const plain = async () => (await values.allTextContents()).map((value) => value.replaceAll("\u00a0", " ").replace(/ +/g, " ").trim());
  await page.keyboard.press("Control+End");
  await page.keyboard.type("%x");
  await expect(problems(page).getByRole("status")).toHaveText("1 error");
  await expect.poll(plain).toEqual(["= 3 (last run)", "= 7 (last run)"]);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("End");
  await page.keyboard.type(" + 5");
  await expect.poll(plain).toEqual(["= 3 (last run)"]);
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await expect.poll(plain).toEqual(["= 3", "= 12"]);
});

test("operators are not measured where nobody wants it", async ({ page }) => {
  await open(page);
  await ran(page, NET);
  await expect(table(page)).toBeVisible();
  const link = panel(page).getByRole("link", { name: "What its operators cost" });
  await expect(link).toBeVisible();
  await panel(page).getByRole("checkbox", { name: "Measure operators" }).uncheck();
  await expect(table(page)).toHaveCount(0);
  await expect(link).toHaveCount(0);
  await runButton(page).click();
  await expect(panel(page).locator(".outcome")).toContainText("Ran in");
  await expect(table(page)).toHaveCount(0);
});

test("the memory that a run needs is said before it and with it", async ({ page }) => {
  await open(page);
  await ran(page, NET);
  // Two operands of 32,768 and 49,152 bytes, and the product of 24,576.
  await expect(panel(page).locator(".figures")).toContainText("needs 106 kB for tensors at its peak");
  await write(page, 'zeros(shape=[2000000000], dtype="float32")\n');
  await runButton(page).click();
  await expect(problems(page).locator(".problem")).toContainText("this tensor of 8 GB needs more memory than the limit of 1.07 GB");
});

test("a long run says how far it is, and ends when it is told to", async ({ page }) => {
  await open(page);
  await write(page, "def @loop(%n: int32) -> int32 { @loop(%n + 1) }\n@loop(0)\n");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await page.waitForTimeout(600);
  await runButton(page).click();
  await expect(stopButton(page)).toBeVisible();
  await expect(panel(page).locator(".running")).toContainText(/\d+(\.\d+)? [kMG] calls and match tests/);
  await panel(page).getByRole("button", { name: "Stop" }).press("Enter");
  const outcome = panel(page).locator(".outcome");
  await expect(outcome).toContainText("Stopped after");
  // The focus is not lost with the button.
  await expect(outcome).toBeFocused();
  await page.locator(".editor .monaco-editor").first().click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("1");
  await expect(outcome).toContainText("From before the last edits: stopped after");
});

test("tensors are images, maps and numbers, whichever one wants", async ({ page }) => {
  await open(page);
  await ran(page, PICTURES);
  const values = panel(page).locator(".value");
  // In colour, and shown so unasked; then as what it is.
  await expect(values.nth(0).getByRole("img", { name: /^Colour image of 16 by 16 points/ })).toBeVisible();
  const point = () => values.nth(0).locator("canvas").evaluate((canvas) => [...(canvas as HTMLCanvasElement).getContext("2d")!.getImageData(15, 15, 1, 1).data]);
  await expect.poll(point).toEqual([254, 254, 255, 255]);
  await values.nth(0).getByRole("button", { name: "Numbers" }).click();
  await expect(values.nth(0).locator("table").first()).toBeVisible();
  // Of both signs: a map of each matrix, or of other axes.
  await values.nth(1).getByRole("button", { name: "Heat map" }).click();
  await expect(values.nth(1).getByRole("img", { name: /^Heat map \[\d, :, :\] of 16 by 16 elements/ })).toHaveCount(3);
  const axis = (name: RegExp) => values.nth(1).locator(".axes label").filter({ hasText: name }).getByRole("combobox");
  await axis(/^rows/).selectOption("0");
  await axis(/^axis 1/).selectOption("15");
  await expect(values.nth(1).getByRole("img", { name: /^Heat map \[:, 15, :\] of 3 by 16 elements from −300 to 467/ })).toHaveCount(1);
  await expect(values.nth(1).locator(".statistics")).toContainText("mean83.5");
  await expect(values.nth(1).locator(".statistics")).toContainText("std221.7");
  // What is no number has a colour of its own, and is counted.
  await expect(values.nth(2).locator(".statistics")).toContainText("finite99nan1");
  await expect(values.nth(2).locator(".legend")).toHaveText("0nan");
  // Three matrices that reach a little above 1 are no dark photograph.
  await expect(values.nth(3).getByRole("img", { name: /^Heat map/ })).toHaveCount(3);
  await values.nth(3).getByRole("button", { name: "Image" }).click();
  await expect(values.nth(3).locator(".legend")).toHaveText("01.2");
  await expect(values.nth(4).locator(".statistics")).toHaveText("True67 of 768");
  await expect(values.nth(4).locator(".legend")).toHaveText("FalseTrue");
  await expect(values.nth(5).locator(".statistics")).toHaveText("all 400 elements are3");
  // Few channels behind rows and columns are none of these.
  await expect(values.nth(6).getByRole("img", { name: /^Heat map \[:, :, \d\] of 16 by 16 elements/ })).toHaveCount(3);
  await expect(values.nth(5).locator(".legend")).toHaveCount(0);
  // The keys go from place to place, and mark the one that is told.
  const map = values.nth(4).getByRole("img");
  await map.focus();
  for (const key of ["ArrowDown", "ArrowDown", "ArrowRight"]) await map.press(key);
  await expect(values.nth(4).locator(".pointed")).toHaveText("[1, 1] is False");
});

test("a rounded number says so, and all its digits can be had", async ({ page }) => {
  await open(page);
  await ran(page, '[123456.789f, 0.30000001f, 0.28765023f]\n\ncast([0.1f], dtype="float16")\n\n[1f, 0.25f]\n');
  const values = panel(page).locator(".value");
  const cells = values.first().locator("td");
  await expect(cells).toHaveText(["123456.8", "0.3", "0.2877"]);
  await expect(cells.nth(2)).toHaveAttribute("title", "0.28765023");
  await expect(values.first().locator(".digits")).toContainText("Rounded.");
  await expect(panel(page).locator(".digits")).toHaveCount(1);
  await values.first().getByRole("button", { name: "Show all digits" }).click();
  await expect(cells).toHaveText(["123456.79", "0.3", "0.28765023"]);
  await expect(values.nth(1).locator("td")).toHaveText(["0.1"]);
  await values.first().getByRole("button", { name: "Round them" }).click();
  await expect(cells.first()).toHaveText("123456.8");
});

test("integers of 64 bits are shown as they are", async ({ page }) => {
  await open(page);
  await ran(page, "arange(9223372036854775700i64, 9223372036854775800i64, 1i64)\n\n[18446744073709551615u64, 1u64]\n\n[-2147483648, 2147483647]\n");
  const values = panel(page).locator(".value");
  await expect(values.nth(0).locator(".statistics")).toContainText("std0");
  await expect(values.nth(0).locator("td").nth(7)).toHaveText("9223372036854775707");
  await expect(values.nth(1).locator("td")).toHaveText(["18446744073709551615", "1"]);
  await expect(values.nth(2).locator("td")).toHaveText(["−2147483648", "2147483647"]);
  await expect(panel(page).locator(".digits")).toHaveCount(0);
  await values.nth(0).getByRole("button", { name: "Heat map" }).click();
  await values.nth(0).getByRole("img").focus();
  for (let time = 0; time < 2; time += 1) await values.nth(0).getByRole("img").press("ArrowRight");
  await expect(values.nth(0).locator(".pointed")).toHaveText("[0, 1] is 9223372036854775701");
});

test("rounded numbers have as many decimals as those beside them, and a zero its sign", async ({ page }) => {
  await open(page);
  const known = "[0.2777778, -0.11111112, -0.11111111, 0.44444448]\n";
  await ran(page, `sin(reshape(arange(0f, 48f, 1f), newshape=[8, 6]))\n\n[30f, 43f] / 3071f\n\n[-0f, 1f, 0f]\n\n${known}`);
  const cells = (value: number) => panel(page).locator(".value").nth(value).locator("td");
  // The seventh is 0.6569866, the one before the last but one of the fourth row -0.0088513.
  await expect(cells(0).nth(7)).toHaveText("0.656987");
  await expect(cells(0).nth(22)).toHaveText("−0.008851");
  await expect(cells(1)).toHaveText(["0.009769", "0.014002"]);
  await expect(cells(2)).toHaveText(["−0", "1", "0"]);
  // The first is 0.27777779, of which nobody may write 0.27777780.
  await expect(cells(3)).toHaveText(["0.2777778", "−0.11111112", "−0.11111111", "0.44444448"]);
});

test("what is chosen for a value stays for the next run, and when another panel was looked at", async ({ page }) => {
  await open(page);
  await ran(page, `${"tanh(ones(shape=[4]))\n".repeat(12)}reshape(sin(arange(0f, 4096f, 1f)), newshape=[64, 64])\n`);
  const last = panel(page).locator(".value").last();
  await last.getByRole("button", { name: "Numbers" }).click();
  await panel(page).getByRole("button", { name: "Bytes" }).click();
  const top = () => panel(page).evaluate((place) => place.scrollTop);
  await expect.poll(top).toBeGreaterThan(100);
  const before = await top();
  const isThere = async () => {
    await expect(last.getByRole("button", { name: "Numbers" })).toHaveAttribute("aria-pressed", "true");
    await expect(panel(page).getByRole("columnheader", { name: "Bytes" })).toHaveAttribute("aria-sort", "descending");
    // While a run takes long, the panel says so, and has no values to be at.
    await expect.poll(async () => Math.abs((await top()) - before)).toBeLessThan(60);
  };
  await showPanel(page, "Types");
  await showPanel(page, "Run");
  await isThere();
  await runButton(page).click();
  await expect(panel(page).locator(".outcome")).toContainText("Ran in");
  await isThere();
});

test("what is chosen goes with the text of a value, and is not there for another program", async ({ page }) => {
  await open(page);
  const wave = "reshape(sin(arange(0f, 4096f, 1f)), newshape=[64, 64])\n";
  await ran(page, wave);
  const isNumbers = (value: number) => expect(panel(page).locator(".value").nth(value).getByRole("button", { name: "Numbers" }));
  await isNumbers(0).toHaveAttribute("aria-pressed", "false");
  await panel(page).getByRole("button", { name: "Numbers" }).click();
  await ran(page, `reshape(cos(arange(0f, 900f, 1f)), newshape=[30, 30])\n${wave}`);
  await isNumbers(0).toHaveAttribute("aria-pressed", "false");
  await isNumbers(1).toHaveAttribute("aria-pressed", "true");
  // Nor does it go when the text is edited.
  await ran(page, `reshape(cos(arange(0f, 900f, 1f)), newshape=[30, 30])\n${wave.replace("sin", "tanh")}`);
  await isNumbers(0).toHaveAttribute("aria-pressed", "false");
  await isNumbers(1).toHaveAttribute("aria-pressed", "true");
  await ran(page, "let %q = tanh(arange(0f, 900f, 1f));\nreshape(%q, newshape=[30, 30])\n");
  await isNumbers(0).toHaveAttribute("aria-pressed", "false");
  await ran(page, wave);
  await isNumbers(0).toHaveAttribute("aria-pressed", "false");
});

test("of large integers that are not all handed over nobody says that they are the same", async ({ page }) => {
  await open(page);
  await ran(page, "concatenate((full(1152921504606846976i64, shape=[300000]), [1152921504606846977i64]), axis=0)\n");
  await expect(panel(page).locator(".statistics")).toContainText("min");
});

test("an error inside a function tells each expression that comes to it", async ({ page }) => {
  await open(page);
  await write(page, "def @f(%x: int32) { %x / 0 }\n@f(1)\n2 + 2\n@f(3)\n");
  await runButton(page).click();
  await expect(panel(page).locator(".outcome")).toContainText("1 of 3 expressions ran");
  await expect(page.locator(".problems .labels").first()).toHaveText("while this is evaluated, line 2while this is evaluated, line 4");
});

test("of a tensor that does not fit, the run needs its size", async ({ page }) => {
  await open(page);
  await write(page, 'let %z = zeros(shape=[2000000000], dtype="float32");\nsum(%z)\n2 + 2\n');
  await runButton(page).click();
  // Not what is said while it runs.
  await expect(panel(page).locator(".figures").filter({ hasText: "it needs" })).toContainText("it needs at least 8 GB for tensors");
});

test("elements that are all the same are drawn for who asks", async ({ page }) => {
  await open(page);
  await ran(page, "ones(shape=[30, 30])\n");
  await expect(panel(page).locator(".statistics")).toHaveText("all 900 elements are1");
  await expect(panel(page).getByRole("img")).toHaveCount(0);
  await panel(page).getByRole("button", { name: "Heat map" }).click();
  await expect(panel(page).getByRole("img")).toHaveCount(1);
});

const PARTS = `let %x = reshape(arange(0f, 256f, 1f), newshape=[16, 16]);
(%x, (ones(shape=[2]), %x / 256f))
Cons(%x, Cons(%x, Cons(negative(%x), Nil)))
`;

test("tensors in a tuple and in a list are drawn, under the fields that lead to them", async ({ page }) => {
  await open(page);
  await ran(page, PARTS);
  const parts = (value: number) => panel(page).locator(".value").nth(value).locator(".tensor-part");
  // What is short is in the text.
  await expect(parts(0).getByRole("heading")).toHaveText([".0 float32", ".1.1 float32"]);
  await expect(parts(0).nth(1).locator(".statistics")).toContainText("0.9961");
  await expect(parts(0).getByRole("img", { name: /^Heat map/ })).toHaveCount(2);
  await parts(0).first().getByRole("button", { name: "Numbers" }).click();
  await expect(parts(0).getByRole("img", { name: /^Heat map/ })).toHaveCount(1);
  await expect(parts(1).getByRole("heading")).toHaveText(["Cons.0 float32", "Cons.1 Cons.0 float32", "Cons.1 ×2 Cons.0 float32"]);
  expect(await violations(page)).toEqual([]);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe has nothing to say of a run in ${colorScheme}`, async ({ browser }) => {
    test.slow();
    const permissions = ["clipboard-read", "clipboard-write"];
    const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 800 }, permissions });
    const page = await context.newPage();
    await open(page);
    await ran(page, NET);
    expect(await violations(page), "operators").toEqual([]);
    await ran(page, PICTURES);
    expect(await violations(page), "pictures").toEqual([]);
    await panel(page).locator(".value").nth(1).getByRole("button", { name: "Numbers" }).click();
    expect(await violations(page), "numbers").toEqual([]);
    await context.close();
  });
}

test("the table of operators fits a phone", async ({ browser }) => {
  const context = await phone(browser);
  const page = await context.newPage();
  await open(page);
  await ran(page, `${NET}sin(arange(0f, 100f, 1f))\n`);
  await showPanel(page, "Run");
  await expect(table(page)).toBeVisible();
  await panel(page).getByRole("button", { name: "Heat map" }).first().tap();
  // A tap stays, and so does what it says.
  await panel(page).locator(".heatmap").tap({ position: { x: 1, y: 1 } });
  await expect(panel(page).locator(".pointed")).toHaveText("[0, 0] is 0.010414786");
  const grid = panel(page).locator(".grid-scroll");
  await expect(grid.locator("tr").first().locator("td")).not.toHaveCount(8);
  expect(await grid.evaluate((place) => place.scrollWidth - place.clientWidth)).toBe(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  expect(await violations(page)).toEqual([]);
  await context.close();
});

const CHAIN = `def @chain(%x: Tensor[(4, 4), float32]) { tanh(exp(negative(%x))) }
@chain(ones(shape=[4, 4]))
`;

test("operators are fused or not, with the same values, and a link keeps which", async ({ page }) => {
  await open(page);
  await ran(page, CHAIN);
  const names = () => table(page).locator("tbody code").evaluateAll((codes) => codes.map((code) => code.getAttribute("title") ?? ""));
  expect((await names()).filter((name) => name.includes(" + "))).toEqual(["negative + exp + tanh"]);
  await expect(table(page).locator("tbody tr.of").filter({ hasText: "negative, exp, tanh" })).toHaveCount(1);
  const value = await panel(page).locator(".value code").first().textContent();
  await panel(page).getByLabel("Fuse operators").uncheck();
  await expect(row(page, "tanh").locator("code")).toHaveText("tanh");
  expect((await names()).filter((name) => name.includes(" + "))).toEqual([]);
  expect(await panel(page).locator(".value code").first().textContent()).toBe(value);
  await showPanel(page, "IR");
  await expect(panel(page).locator("code").filter({ hasText: "tanh(" }).first()).toBeVisible();
  await expect(panel(page).getByText("fused(")).toHaveCount(0);
  const link = await share(page);
  await page.evaluate(() => localStorage.clear());
  await page.goto("about:blank");
  await page.goto(link);
  await expect(panel(page).getByLabel("Fuse operators")).not.toBeChecked();
  await panel(page).getByLabel("Fuse operators").check();
  await expect(panel(page).getByText("fused(").first()).toBeVisible();
  await panel(page).getByLabel("Fuse operators").uncheck();
  await panel(page).getByRole("button", { name: "fuse", exact: true }).click();
  await expect(panel(page)).toContainText("Nothing: operators are not fused now.");
});

test("on a phone the values come first, and how they are computed is a line that unfolds", async ({ browser }) => {
  const context = await phone(browser);
  const page = await context.newPage();
  await open(page);
  await runButton(page).tap();
  const first = panel(page).locator(".value").first();
  await expect(first.locator(".grid")).toBeInViewport({ ratio: 1 });
  // While it runs, what is said of that stands above what has been told.
  await expect.poll(async () => ((await first.boundingBox())?.y ?? Infinity) - ((await panel(page).boundingBox())?.y ?? 0)).toBeLessThan(100);
  const relaxed = page.getByRole("switch", { name: "Relaxed SIMD" });
  await expect(relaxed).toBeHidden();
  await panel(page).getByText("How it runs: aligned, fused").tap();
  await expect(relaxed).toBeVisible();
  await panel(page).getByLabel("Fuse operators").uncheck();
  // What has run again leaves it unfolded.
  await expect(panel(page).getByText("How it runs: aligned, not fused")).toBeVisible();
  await expect(panel(page).locator(".outcome")).toContainText("Ran in");
  await expect(relaxed).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await context.close();
});

test("what a run would leave out is said before it, and an empty program has something to try", async ({ page }) => {
  await open(page);
  await showPanel(page, "Run");
  await write(page, "");
  await page.keyboard.press("Delete");
  await expect(panel(page)).toContainText("Try ones(shape=[2, 3]) + 1f");
  await write(page, "let %x = %nope;\n%x + 1\n2 + 3\n");
  await expect(panel(page)).toContainText("line 1 has an error: it is not run, nor is what uses it.");
  await panel(page).getByRole("button", { name: "line 1" }).click();
  await expect(page.locator(".monaco-editor.focused")).toBeVisible();
  await ran(page, "2 + 3\n");
  await expect(panel(page)).toContainText("Computed by the default engine.");
  await write(page, "4 + %nope\n");
  await expect(panel(page)).toContainText("line 1 has an error");
  await expect(panel(page)).not.toContainText("Computed by");
});

test("numbers of a table are whole, and have as many decimals", async ({ page }) => {
  await open(page);
  await ran(page, "log(arange(0f, 10f, 1f) - 3f)\nreshape(arange(0f, 4f, 1f), newshape=[2, 2]) / 8f\n[0.99999f, 1f, 1.00001f]\narange(0f, 6400f, 1f)\n[3.0000002f]\n[6e-8f16]\n");
  const cells = (at: number) => panel(page).locator(".value").nth(at).locator(".grid td");
  await expect(cells(0)).toHaveText(["nan", "nan", "nan", "−inf", "0", "0.6931", "1.0986", "1.3863", "1.6094", "1.7918"]);
  await expect(cells(1)).toHaveText(["0", "0.125", "0.250", "0.375"]);
  // What differs looks so, and what is not whole does not look so.
  await expect(cells(2)).toHaveText(["0.99999", "1", "1.00001"]);
  await expect(panel(page).locator(".statistics")).toContainText("mean3199.5");
  await expect(cells(4)).toHaveText(["3.000"]);
  // The digits that tell it from others are those of the text.
  await expect(cells(5)).toHaveText(["6.00e−8"]);
  const heights = await cells(0).evaluateAll((all) => all.map((cell) => cell.clientHeight));
  expect(new Set(heights).size).toBe(1);
});
