// The gallery of examples: by subject, and found by what a program says.
import { expect, type Page, test } from "@playwright/test";
import { open, phone, text, violations, write } from "./page.ts";

const gallery = (page: Page) => page.locator(".gallery");
const searchbox = (page: Page) => page.getByRole("searchbox", { name: "Search titles and programs" });

async function openGallery(page: Page): Promise<void> {
  await open(page);
  await page.getByRole("button", { name: "Examples" }).click();
  await expect(gallery(page).locator("section").first()).toBeVisible();
}

/** What is said of the page covers no button of its header, nor what is below that. */
async function expectClear(page: Page): Promise<void> {
  // It comes to its place from a little below.
  await expect(async () => {
    const notice = await page.locator(".notice").boundingBox();
    const buttons = await page.locator(".actions").boundingBox();
    if (notice === null || buttons === null) throw new Error("there is no notice");
    const isAbove = notice.y + notice.height <= buttons.y;
    const isBeside = notice.x + notice.width <= buttons.x && notice.y + notice.height <= 52;
    expect(isAbove || isBeside).toBe(true);
  }).toPass();
}

test("what one begins with comes first, then earlier programs, then the subjects, each chapter in one", async ({ page }) => {
  await open(page);
  await write(page, "let %mine = 1;\n");
  await page.getByRole("button", { name: "Examples" }).click();
  await gallery(page).locator("button").first().click();
  await page.getByRole("button", { name: "Examples" }).click();
  const headings = gallery(page).getByRole("heading", { level: 3 });
  await expect(headings.nth(0)).toHaveText("Start here");
  await expect(headings.nth(1)).toHaveText("Your earlier programs");
  await expect(headings.nth(2)).toHaveText("Tensors and shapes");
  await expect(gallery(page).getByRole("heading", { name: "The layers of TensorScript" })).toHaveCount(1);
  // A new page of tests has its subject written down.
  await expect(headings.filter({ hasText: /^More$/ })).toHaveCount(0);
  const last = gallery(page).locator("section").last();
  await expect(last).not.toBeInViewport();
  await page.getByRole("navigation", { name: "Subjects" }).getByRole("button").last().click();
  await expect(last.getByRole("heading").first()).toBeInViewport();
});

test("an example is found by its program, with the line that says it, behind those found by their titles", async ({ page }) => {
  await openGallery(page);
  await searchbox(page).fill("softmax");
  const found = gallery(page).locator(".results button");
  await expect(found.first()).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: /^\d+ found$/ })).toHaveCount(1);
  const inPrograms = found.filter({ has: page.locator("code", { hasText: "softmax" }) });
  expect(await inPrograms.count()).toBeGreaterThan(0);
  // More than one word, of the title and of the program.
  await searchbox(page).fill("Recurrent @FOLDL");
  await expect(found.first()).toContainText("Recurrent networks");
  await expect(found.first().locator("code")).toContainText("@foldl");
  const title = await found.first().locator(".title").textContent();
  await found.first().click();
  await expect(page.getByText(`Opened “${title}”.`)).toBeVisible();
  await expectClear(page);
  await expect.poll(() => text(page)).not.toContain("Welcome");
  await page.getByRole("button", { name: "Examples" }).click();
  await searchbox(page).fill("lists");
  // The gallery loads the examples each time that it is opened.
  await expect(found.first()).toBeVisible();
  const titles = await found.locator("code").evaluateAll((lines) => lines.length);
  const firstLine = await found.evaluateAll((rows) => rows.findIndex((row) => row.querySelector("code") !== null));
  const count = await found.count();
  expect(firstLine).toBe(count - titles);
  // A title that is what was asked comes before those that have it in them.
  await searchbox(page).fill("digits");
  await expect(found.first().locator(".title")).toHaveText("Digits");
  await expect(found.nth(1)).toBeVisible();
  await searchbox(page).fill("zzyzx");
  await expect(gallery(page)).toContainText("No example mentions “zzyzx”");
});

test("the gallery says what each program is written in, and goes by the arrow keys", async ({ page }) => {
  await openGallery(page);
  for (const language of ["Relay", "refine", "TensorScript"]) {
    await expect(gallery(page).locator(".written-in").filter({ hasText: language }).first()).toBeVisible();
  }
  const rows = gallery(page).getByRole("button");
  await searchbox(page).focus();
  await page.keyboard.press("ArrowDown");
  await expect(rows.first()).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(rows.nth(1)).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await expect(searchbox(page)).toBeFocused();
  await searchbox(page).fill("lists and patterns");
  const title = await rows.first().locator(".title").innerText();
  await page.keyboard.press("Enter");
  await expect(page.getByText(`Opened “${title}”.`)).toBeVisible();
  // So does the tab of the browser, as long as it is that program.
  await expect(page).toHaveTitle(`${title} – Relish`);
  await page.locator(".notice").getByRole("button", { name: "Undo" }).click();
  await expect(page).toHaveTitle("Relish");
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe has nothing to say of the gallery in ${colorScheme}, nor of a search, and a phone has room for both`, async ({ browser }) => {
    const context = await phone(browser);
    const page = await context.newPage();
    await page.emulateMedia({ colorScheme });
    await openGallery(page);
    for (const asked of ["", "sigmoid"]) {
      await searchbox(page).fill(asked);
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
      const list = await gallery(page).boundingBox();
      expect(list?.height).toBeGreaterThan(400);
    }
    await gallery(page).locator(".results button").first().tap();
    await expectClear(page);
    await context.close();
  });
}

test("a long word that nothing has is as wide as the gallery", async ({ page }) => {
  await openGallery(page);
  await searchbox(page).fill("z".repeat(200));
  await expect(gallery(page)).toContainText("No example mentions");
  expect(await page.locator(".gallery").evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
});
