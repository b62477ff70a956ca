// A newcomer's first minutes.
import { expect, test } from "@playwright/test";
import {
  expectHover,
  expectValue,
  focusEditor,
  open,
  panel,
  problems,
  runButton,
  share,
  showPanel,
  text,
  write,
} from "./page.ts";

const PROGRAM = `let %a = ones(shape=[2, 3]);
let %b = ones(shape=[3]);
%a + %b
`;

test("the first visit greets with a program, its types and its values", async ({ page }) => {
  await open(page);
  await expect(page.locator(".view-line").first()).toContainText("Welcome to Relish");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await expect(panel(page)).toContainText("@layer");
  await expect(page.locator(".value-after").first()).toContainText("= [[");
});

test("the text does not move when the editor comes", async ({ page }) => {
  const start = (selector: string) =>
    page.locator(selector).first().evaluate((element) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      range.selectNodeContents(walker.nextNode() ?? element);
      const { x, y } = range.getClientRects()[0] ?? new DOMRect();
      return { x, y };
    });
  for (const nLines of [1, 150]) {
    // The editor comes when the place of the text without it is known.
    let come: () => void = () => {};
    const isToCome = new Promise<void>((done) => (come = done));
    await page.route("**/mount-*.js", async (route) => {
      await isToCome;
      await route.continue();
    }, { times: 1 });
    await page.addInitScript((text) => localStorage.setItem("relish.text", text), "let %x = 1;\n".repeat(nLines));
    await page.goto("./");
    const before = await start(".first-paint code");
    expect(before.x).toBeGreaterThan(0);
    come();
    // A line is there before its text is drawn.
    await expect(page.locator(".view-line").first()).toContainText("let");
    await expect.poll(async () => (await start(".view-line")).x).toBeGreaterThan(0);
    const after = await start(".view-line");
    expect(Math.abs(after.x - before.x)).toBeLessThan(1);
    expect(after.y).toBe(before.y);
  }
});

test("an example opens, and undo brings the text back", async ({ page }) => {
  await open(page);
  await write(page, PROGRAM);
  await page.getByRole("button", { name: "Examples" }).click();
  const dialog = page.getByRole("dialog", { name: "Examples" });
  const example = dialog.locator(".gallery button").first();
  const title = (await example.locator(".title").textContent()) ?? "";
  await dialog.getByRole("searchbox").fill(title);
  await example.click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(`Opened “${title}”.`)).toBeVisible();
  await expect.poll(() => text(page)).not.toContain("let %b = ones(shape=[3]);\n%a + %b");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => text(page)).toContain("%a + %b");
  // Behind an edit it would undo that as well, and is not offered any more.
  await page.getByRole("button", { name: "Examples" }).click();
  await example.click();
  await expect(page.getByRole("button", { name: "Undo" })).toBeVisible();
  await focusEditor(page);
  await page.keyboard.type("1");
  await expect(page.locator(".notice")).toHaveCount(0, { timeout: 1000 });
});

test("hover, break, read, fix, run, share, and see the same elsewhere", async ({ page, browser }) => {
  await open(page);
  await write(page, PROGRAM);
  await expect(problems(page).getByRole("status")).toHaveText("No problems");

  await expectHover(page, 2, "Tensor[(2, 3), float32]");

  await write(page, PROGRAM.replace("[3]", "[4]"));
  await expect(problems(page).getByRole("status")).toHaveText("1 error");
  const problem = problems(page).locator(".problem").first();
  await expect(problem.locator(".message")).toContainText(/3.*4|4.*3/);
  await expect(page.locator(".squiggly-error")).toHaveCount(1);

  await problem.locator(".code").click();
  const explanation = page.getByRole("dialog");
  await expect(explanation.locator(".markdown")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(explanation).toBeHidden();

  await problem.locator(".message").click();
  await expect(page.locator(".monaco-editor.focused")).toBeVisible();

  await write(page, PROGRAM);
  await expect(problems(page).getByRole("status")).toHaveText("No problems");

  await runButton(page).click();
  await expect(panel(page).getByRole("group", { name: "Elements" }).getByRole("table")).toContainText("2");
  await expectValue(page, "[[2f, 2f, 2f], [2f, 2f, 2f]]");

  const link = await share(page);
  expect(link).toContain("#v1.");

  const elsewhere = await browser.newContext();
  const fresh = await elsewhere.newPage();
  await open(fresh, link);
  await expect.poll(() => text(fresh)).toContain(PROGRAM.trimEnd());
  await expect(fresh.getByRole("region", { name: "Shared program" })).toBeVisible();
  await expect(fresh.getByRole("tab", { name: "Run" })).toHaveAttribute("aria-selected", "true");
  await expect(fresh.locator(".value-after"), "nothing runs because a link was opened").toHaveCount(0);
  await runButton(fresh).click();
  await expectValue(fresh, "[[2f, 2f, 2f], [2f, 2f, 2f]]");
  await elsewhere.close();
});

test("a fix leaves the focus where undo takes it back", async ({ page }) => {
  await open(page);
  await write(page, "match (Cons(1, Nil)) { Nil => 0 }\n");
  await problems(page).getByRole("button", { name: "add the missing arm" }).click();
  await expect.poll(() => text(page)).toContain("Cons(_, _) =>");
  await expect(page.locator(".monaco-editor.focused")).toBeVisible();
  await page.keyboard.press("Control+Z");
  await expect.poll(() => text(page)).toContain("match (Cons(1, Nil)) { Nil => 0 }");
});

test("the text is there on the next visit", async ({ page }) => {
  await open(page);
  await write(page, "let %mine = 42;\n");
  await expect(panel(page)).toContainText("%mine");
  await page.reload();
  await expect.poll(() => text(page)).toContain("let %mine = 42;");
});

test("a definition leads to its place", async ({ page }) => {
  await open(page);
  await showPanel(page, "Types");
  await panel(page).getByRole("button", { name: /^@layer/ }).click();
  await expect(page.locator(".monaco-editor.focused")).toBeVisible();
  await expect(panel(page).locator("[aria-current=true]")).toContainText("@layer");
});
