// The language of a program, which its first line says.
import { expect, type Locator, type Page, test } from "@playwright/test";
import { expectHover, focusEditor, open, panel, problems, share, showPanel, text, write } from "./page.ts";

const REFINE = `#lang refine
let x : [A, B, C] = A in
match x with
  | A | B as y -> y
  | C -> D
`;

const picker = (page: Page) => page.getByRole("combobox", { name: "Language" });

test("the picker writes and removes the first line, and undo brings it back", async ({ page }) => {
  await open(page);
  await write(page, REFINE.replace("#lang refine\n", ""));
  await expect(picker(page)).toHaveValue("relay");
  await picker(page).selectOption("refine");
  await expect.poll(() => text(page)).toContain("#lang refine\nlet x");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await expect(panel(page)).toContainText("[A, B, D]");
  await picker(page).selectOption("relay");
  await expect.poll(() => text(page)).not.toContain("#lang");
  await focusEditor(page);
  await page.keyboard.press("Control+Z");
  await expect.poll(() => text(page)).toContain("#lang refine");
  await expect(picker(page)).toHaveValue("refine");
});

test("the first line may come to stand behind blank ones", async ({ page }) => {
  await open(page);
  await write(page, REFINE);
  await focusEditor(page);
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Enter");
  await expect.poll(() => text(page)).toContain("\n#lang refine");
  await expect(picker(page)).toHaveValue("refine");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
});

const NODE = `use lin::Linear;

node Half<[?, 2] -> [?, 1]> {}
weights Half<[?, 2] -> [?, 1]> { half = Linear::new(in=2, out=1); }
graph Half<[?, 2] -> [?, 1]> { def forward(x) { x |> half } }
`;

const isIn = (page: Page, name: string) => expect(picker(page)).toHaveValue(name);

test("a program pasted over another stays in the language that was chosen", async ({ page }) => {
  await open(page);
  await write(page, REFINE);
  // Nothing in it tells the languages apart.
  await write(page, "A");
  await expect.poll(() => text(page)).toBe("#lang refine\nA");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await focusEditor(page);
  await page.keyboard.press("Control+Z");
  await expect.poll(() => text(page)).toBe(REFINE);
  await page.keyboard.press("Control+Shift+Z");
  await expect.poll(() => text(page)).toBe("#lang refine\nA");
  // What clears the text leaves the line, and what clears the line leaves nothing.
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await expect.poll(() => text(page)).toBe("#lang refine\n");
  await page.keyboard.type("B");
  await expect.poll(() => text(page)).toBe("#lang refine\nB");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await isIn(page, "relay");
});

test("a pasted program that looks like another language is read as that, unasked or by one click", async ({ page }) => {
  await open(page);
  await write(page, NODE);
  await isIn(page, "relay");
  await problems(page).getByRole("button", { name: "Read it as TensorScript" }).click();
  await isIn(page, "tensorscript");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await write(page, "let %x = ones(shape=[2, 3]);\n");
  await isIn(page, "relay");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await write(page, REFINE.replace("#lang refine\n", ""));
  await problems(page).getByRole("button", { name: "Read it as refine" }).click();
  await isIn(page, "refine");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  // A text that says its language replaces a line that says another.
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await expect.poll(() => text(page)).toBe("#lang refine\n");
  await page.evaluate((node) => navigator.clipboard.writeText(node), `#lang tensorscript\n${NODE}`);
  await page.keyboard.press("Control+V");
  await expect.poll(() => text(page)).toMatch(/^#lang tensorscript\nuse lin/);
  await write(page, REFINE);
  // What it says is said already.
  await write(page, `\n  #lang tensorscript\n${NODE}`);
  await isIn(page, "tensorscript");
  await expect.poll(() => text(page)).toMatch(/^#lang tensorscript\nuse lin/);
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  // Relay shows itself without a variable too.
  await write(page, "reshape(arange(0f, 4f, 1f), newshape=[2, 2])\n");
  await isIn(page, "relay");
});

test("a greeting that nobody has changed greets in the language that is chosen", async ({ page }) => {
  await open(page);
  await picker(page).selectOption("tensorscript");
  await expect.poll(() => text(page)).toContain("#lang tensorscript\n// Welcome to Relish.");
  await expect(panel(page)).toContainText("Irises::forward");
  await expect(page.locator(".value-after").first()).toContainText("= [[");
  await picker(page).selectOption("refine");
  await expect.poll(() => text(page)).toContain("#lang refine\n# Welcome to Relish.");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await focusEditor(page);
  await page.keyboard.press("Control+End");
  await page.keyboard.type("# mine");
  await picker(page).selectOption("relay");
  await expect.poll(() => text(page)).toContain("# mine");
  await expect.poll(() => text(page)).not.toContain("#lang");
});

test("empty panels advise in the language of the program", async ({ page }) => {
  await open(page);
  await write(page, "");
  const advised: Record<string, string> = { relay: "let %x", refine: "let x = A", tensorscript: "Write a node" };
  await page.keyboard.press("Delete");
  const places = new Set<number>();
  for (const [language, words] of Object.entries(advised)) {
    await picker(page).selectOption(language);
    for (const name of ["Types", "Solver", "IR"]) {
      await showPanel(page, name);
      await expect(panel(page), `${name} in ${language}`).toContainText(words);
      places.add(await panel(page).locator(".empty").evaluate((empty) => {
        const range = document.createRange();
        range.selectNodeContents(empty);
        return Math.round(range.getBoundingClientRect().left);
      }));
    }
  }
  // At the same place in each.
  expect(places.size).toBe(1);
  await panel(page).getByRole("button", { name: "the examples" }).click();
  await expect(page.getByRole("dialog", { name: "Examples" })).toBeVisible();
});

test("a program has the tabs that are about its language", async ({ page }) => {
  await open(page);
  const match = page.getByRole("tab", { name: "Match" });
  const prelude = page.getByRole("tab", { name: "prelude" });
  await write(page, "let %x = 1;\n");
  await expect(match).toHaveCount(1);
  await expect(prelude).toHaveCount(1);
  await write(page, REFINE);
  await expect(match).toHaveCount(1);
  await expect(prelude).toHaveCount(0);
  await picker(page).selectOption("tensorscript");
  await expect(match).toHaveCount(0);
  await expect(prelude).toHaveCount(0);
});

test("a refine program is coloured, hovered, commented, formatted, drawn and shared as one", async ({ page, browser }) => {
  await open(page);
  await write(page, REFINE);
  await expect(picker(page)).toHaveValue("refine");
  await expectHover(page, 2, "[A, B, D]");
  await showPanel(page, "Match");
  await expect(panel(page).getByRole("button", { name: "look at x" })).toBeVisible();

  await page.locator(".editor .view-line").nth(1).click();
  await page.keyboard.press("Control+Slash");
  await expect.poll(() => text(page)).toContain("# let x");
  await page.keyboard.press("Control+Slash");
  await expect.poll(() => text(page)).not.toContain("# let x");

  await write(page, REFINE.replace("let x :", "let   x   :"));
  await page.getByRole("button", { name: "Format" }).click();
  await expect.poll(() => text(page)).toContain("let x : [A, B, C]");

  const link = await share(page);
  const elsewhere = await browser.newContext();
  const fresh = await elsewhere.newPage();
  await open(fresh, link);
  await expect(picker(fresh)).toHaveValue("refine");
  await elsewhere.close();
});

test("the examples begin with the tour, and with type expansion, in refine", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Examples" }).click();
  const first = page.locator(".gallery section").first();
  await expect(first.getByRole("heading", { level: 4 })).toHaveText(["A short tour", "And then"]);
  // What is read of it is apart.
  await expect(first.getByRole("button", { name: "A case that was forgotten , has an error , Relay" })).toBeVisible();
  await first.getByRole("list").nth(1).getByRole("button").first().click();
  await expect(picker(page)).toHaveValue("refine");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await expect(panel(page)).toContainText("[A, B, C, F]");
});

test("hovering over an operator shows its documentation", async ({ page }) => {
  await open(page);
  await write(page, "nn.dense(ones(shape=[2, 3]), ones(shape=[4, 3]))\n");
  await expectHover(page, 0, "Tensor[(2, 4), float32]");
  const hover = page.locator(".monaco-hover:not(.hidden)");
  await expect(async () => {
    await page.mouse.move(5, 5);
    await page.locator(".editor .view-line").first().getByText("nn.dense", { exact: true }).hover();
    await expect(hover.locator("p").first()).toContainText(/[a-z]{3}/, { timeout: 2000 });
  }).toPass();
});

test("the name of an argument has not the colour of a word of the grammar, and inff has that of a number", async ({ page }) => {
  await open(page);
  const colour = (element: Locator) => element.evaluate((found) => getComputedStyle(found).color);
  const inEditor = (token: string) => page.locator(".editor-place.user .view-line span > span").getByText(token, { exact: true });
  await write(page, "#lang tensorscript\ndim N = 3;\nnode Net<[?, 4] -> [?, 4]> {}\nweights Net<[?, 4] -> [?, 4]> {}\ngraph Net<[?, 4] -> [?, 4]> { def forward(x) { x |> softmax(dim=1) } }\n");
  await expect(inEditor("dim")).toHaveCount(2);
  expect(await colour(inEditor("dim").last())).not.toBe(await colour(inEditor("dim").first()));
  await write(page, "let %a = [1f, inff, nanf16];\nwhere(1, 2)\n");
  for (const token of ["inff", "nanf16"]) expect(await colour(inEditor(token))).toBe(await colour(inEditor("1f")));
  expect(await colour(inEditor("let"))).not.toBe(await colour(inEditor("1f")));
  // In words about a program a word alone is no part of one.
  await write(page, "nn.relu(1f, data=2f)\n");
  const said = problems(page).locator(".problem .message code").filter({ hasText: /^data$/ });
  await expect(said.first()).toBeVisible();
  await expect(said.locator(".token-keyword")).toHaveCount(0);
});
