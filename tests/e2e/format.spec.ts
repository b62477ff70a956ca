// The layout of the program, on request.
import { expect, type Page, test } from "@playwright/test";
import { open, problems, text, write } from "./page.ts";

const UGLY = "def @f( %n ){%n+1}\nlet %x=1 ;\n@f(  %x)\n";
const NEAT = "def @f(%n) { %n + 1 }\nlet %x = 1;\n@f(%x)";

const format = (page: Page) => page.getByRole("button", { name: "Format" });
const notice = (page: Page) => page.locator(".notice");

test("the button formats, says when there is nothing to do, and undo brings the old layout back", async ({ page }) => {
  await open(page);
  await write(page, UGLY);
  await format(page).click();
  await expect.poll(() => text(page)).toContain(NEAT);
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await format(page).click();
  await expect(notice(page)).toContainText("formatted already");
  await expect(page.locator(".monaco-editor.focused")).toBeVisible();
  await page.keyboard.press("Control+Z");
  await expect.poll(() => text(page)).toContain("def @f( %n ){%n+1}");
});

test("the keys format, and the cursor stays in its word", async ({ page }) => {
  await open(page);
  await write(page, UGLY);
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowDown");
  for (let i = 0; i < "let %x=1".length; i += 1) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Shift+Alt+F");
  await expect.poll(() => text(page)).toContain(NEAT);
  await page.keyboard.type("23");
  await expect.poll(() => text(page)).toContain("let %x = 123;");
});

test("a program with mistakes is left as it is, and the page says why", async ({ page }) => {
  const broken = "let  %x=(1 ;\nlet   %y=2;\n";
  await open(page);
  await write(page, broken);
  await format(page).click();
  await expect(notice(page)).toContainText("a syntax error");
  await expect.poll(() => text(page)).toContain(broken.trimEnd());
  // Of another text it would not be true.
  await write(page, "1f\n");
  await expect(notice(page)).toHaveCount(0);
});
