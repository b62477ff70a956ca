// With a finger: what a mouse learns by pointing, a tap shows.
import { expect, type Locator, type Page, test } from "@playwright/test";
import { open, PHONE, phone, problems, showPanel, violations, write } from "./page.ts";

const PROGRAM = `let %left = ones(shape=[2, 3]);
let %right = transpose(%left);
nn.relu(%right)
`;

const word = (page: Page, text: string): Locator => page.locator(".editor-place.user .view-line span span", { hasText: text }).last();
const typeLine = (page: Page) => page.locator(".type-line");

test("a tap on a name shows its type above the program, and a tap on that says more", async ({ browser }) => {
  const context = await phone(browser);
  const page = await context.newPage();
  await open(page);
  await write(page, PROGRAM);
  await expect(typeLine(page)).toHaveText("Tap a name for its type.");
  await word(page, "%left").tap();
  await expect(typeLine(page)).toHaveText("%left: Tensor[(2, 3), float32]");
  await word(page, "%right").tap();
  await expect(typeLine(page)).toHaveText("%right: Tensor[(3, 2), float32]");
  // It says what the text says now.
  await write(page, PROGRAM.replace("[2, 3]", "[4, 5]"));
  await word(page, "%right").tap();
  await expect(typeLine(page)).toHaveText("%right: Tensor[(5, 4), float32]");
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  // The operator has more to say than its type.
  await word(page, "nn.relu").tap();
  await expect(typeLine(page)).toContainText("Tensor[(5, 4), float32]");
  await typeLine(page).tap();
  const hover = page.locator(".monaco-hover:not(.hidden)");
  await expect(hover).toContainText("Zero where the element is negative.");
  // It has its words before it has its place.
  await expect(async () => {
    const box = await hover.boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(360);
  }).toPass();
  await context.close();
});

test.describe("on a phone", () => {
  test.use(PHONE);

  test("what a function gives is in view below what it takes", async ({ page }) => {
    await open(page);
    await write(page, "let %x = ones(shape=[2, 3]);\nlet %w = ones(shape=[4, 3]);\nnn.dense(%x, %w)\n");
    await word(page, "nn.dense").tap();
    await expect(typeLine(page)).toHaveText("nn.dense: fn(Tensor[(2, 3), float32], Tensor[(4, 3), float32]) -> Tensor[(2, 4), float32]");
    const result = typeLine(page).locator("code span", { hasText: "float32" }).last();
    await expect(result).toBeInViewport({ ratio: 1 });
    // All of it is, in the whole of the line.
    for (const type of await typeLine(page).locator("code span", { hasText: "float32" }).all()) await expect(type).toBeInViewport({ ratio: 1 });
    await expect(page.locator(".language")).toBeHidden();
    const line = await typeLine(page).boundingBox();
    expect(line?.width).toBeGreaterThan(300);
    // Whoever has read it has the language back.
    await page.getByRole("button", { name: "Dismiss the type" }).tap();
    await expect(page.locator(".language")).toBeVisible();
    await word(page, "%x").tap();
    await expect(typeLine(page)).toContainText("%x");
    await expect(page.locator(".language")).toBeHidden();
    // Where there is nothing to say the language can be chosen, and the program stands where it stood.
    const top = () => page.locator(".editor-place.user").evaluate((place) => place.getBoundingClientRect().top);
    const before = await top();
    await page.locator(".editor-place.user .view-line").last().tap();
    await expect(typeLine(page)).toHaveText("Tap a name for its type.");
    await expect(page.locator(".language")).toBeVisible();
    expect(await top()).toBe(before);
  });

  test("more about a name is said below it, and covers none of the page's own buttons", async ({ page }) => {
    await open(page);
    await write(page, "let %x = ones(shape=[2, 3]);\nlet %w = ones(shape=[4, 3]);\nnn.dense(%x, %w)\n");
    await word(page, "nn.dense").tap();
    await expect(typeLine(page)).toContainText("nn.dense");
    await typeLine(page).tap();
    const hover = page.locator(".monaco-hover:not(.hidden)");
    await expect(hover).toContainText("dense");
    const name = await word(page, "nn.dense").boundingBox();
    await expect(async () => {
      expect((await hover.boundingBox())?.y).toBeGreaterThanOrEqual((name?.y ?? 0) + (name?.height ?? 0) - 2);
    }).toPass();
  });

  test("buttons, choices and what unfolds are forty pixels high", async ({ page }) => {
    const low = () =>
      page.locator(".button, .plain, select, summary, .tabs button").evaluateAll((all) =>
        all
          .filter((one) => one.checkVisibility() && one.closest(".monaco-editor") === null)
          .filter((one) => one.getBoundingClientRect().height < 39.9)
          .map((one) => one.textContent),
      );
    await open(page);
    await write(page, "let %x = ones(shape=[2, 3]);\nlet %w = ones(shape=[4, 5]);\nnn.dense(%x, %w)\n");
    await expect(problems(page).getByRole("button", { name: "Why not?" })).toBeVisible();
    expect(await low()).toEqual([]);
    await write(page, `${PROGRAM}Some(1)\n`);
    for (const name of ["Solver", "Layout", "IR", "Run"]) {
      await showPanel(page, name);
      await expect(page.locator(".panel").locator("button, summary").first()).toBeVisible();
      expect(await low()).toEqual([]);
    }
  });
});

test("with a mouse there is no such line", async ({ page }) => {
  await open(page);
  await expect(typeLine(page)).toHaveCount(0);
});
