// Nothing that was typed is lost, whatever takes its place.
import { expect, type Page, test } from "@playwright/test";
import { open, ready, text, write } from "./page.ts";

const earlier = (page: Page) => page.getByRole("dialog", { name: "Examples" }).locator(".earlier");

async function openExamples(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Examples" }).click();
  await expect(page.locator(".gallery section").last().getByRole("button").first()).toBeVisible();
}

async function openExample(page: Page): Promise<void> {
  await openExamples(page);
  await page.locator(".gallery section").last().getByRole("button").first().click();
  await expect(page.getByText(/^Opened “/)).toBeVisible();
}

test("what stood before an example is among the earlier programs, also after a reload", async ({ page }) => {
  await open(page);
  await openExamples(page);
  await expect(earlier(page), "nobody wrote the welcome").toHaveCount(0);
  await page.keyboard.press("Escape");
  await write(page, "#lang relay\n\nlet %first = 1;\n");
  await openExample(page);
  await page.reload();
  await ready(page);
  await openExamples(page);
  await expect(earlier(page)).toHaveText(["let %first = 1;3 lines"]);
  await earlier(page).click();
  await expect.poll(() => text(page)).toContain("%first");
  await write(page, "let %second = 2;\n");
  await openExamples(page);
  await expect(earlier(page), "neither what is shown nor an example").toHaveCount(0);
  await page.keyboard.press("Escape");
  await openExample(page);
  await openExamples(page);
  await expect(earlier(page)).toHaveText(["let %second = 2;1 line"]);
  await earlier(page).click();
  await expect.poll(() => text(page)).toContain("%second");
  await expect(page.getByText("Opened your earlier program.")).toBeVisible();
});

test("at most ten earlier programs are kept, the newest first", async ({ page }) => {
  await open(page);
  await page.evaluate(() => {
    localStorage.setItem("relish.earlier", JSON.stringify([...Array.from({ length: 10 }, (_, at) => `let %v${at} = ${at};`), 7]));
  });
  await write(page, "let %newest = 1;\n");
  await openExample(page);
  await openExamples(page);
  await expect(earlier(page)).toHaveCount(10);
  await expect(earlier(page).first()).toContainText("%newest");
  await expect(earlier(page).last()).toContainText("%v8");
});

test("two tabs keep their own texts, and one that is closed leaves its text to the others", async ({ page, context }) => {
  await open(page);
  await write(page, "let %one = 1;\n");
  await expect.poll(() => page.evaluate(() => localStorage.getItem("relish.text"))).toContain("%one");
  const other = await context.newPage();
  await open(other);
  await expect.poll(() => text(other)).toContain("%one");
  await write(other, "let %two = 2;\n");
  await expect.poll(() => other.evaluate(() => localStorage.getItem("relish.text"))).toContain("%two");
  await page.reload();
  await ready(page);
  await expect.poll(() => text(page)).toContain("%one");
  // A tab that may still ask whether to close is not waited for.
  await page.close({ runBeforeUnload: true });
  await expect.poll(() => other.evaluate(() => localStorage.getItem("relish.earlier"))).toContain("%one");
  await openExamples(other);
  await expect(earlier(other)).toHaveText(["let %one = 1;1 line"]);
});

test("without storage the page works as before", async ({ page }) => {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.addInitScript(() => {
    const refuse = { get: () => { throw new DOMException("refused", "SecurityError"); } };
    Object.defineProperty(window, "localStorage", refuse);
    Object.defineProperty(window, "sessionStorage", refuse);
  });
  await open(page);
  await write(page, "let %mine = 1;\n");
  await openExample(page);
  await openExamples(page);
  await earlier(page).click();
  await expect.poll(() => text(page)).toContain("%mine");
  expect(complaints).toEqual([]);
});
