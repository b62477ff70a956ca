// By keyboard, by screen reader, on a phone, in either theme, and with nothing asked of anyone else.
import { expect, test } from "@playwright/test";
import { expectHover, open, panel, phone, problems, runButton, violations, write } from "./page.ts";

const WRONG = `let %a = ones(shape=[2, 3]);
let %b = ones(shape=[4]);
%a + %b
`;

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe has nothing to say in ${colorScheme}`, async ({ browser }) => {
    test.slow();
    const context = await browser.newContext({
      colorScheme,
      viewport: { width: 1280, height: 800 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const page = await context.newPage();
    await open(page);
    await expect(page.locator(".value-after").first()).toBeVisible();
    expect(await violations(page), "types").toEqual([]);
    await page.getByRole("tab", { name: "prelude.relay" }).click();
    await expect(page.locator(".editor-place.prelude .view-line").first()).toBeVisible();
    expect(await violations(page), "prelude").toEqual([]);
    await page.getByRole("tab", { name: "Program" }).click();
    await runButton(page).click();
    await expect(panel(page)).toContainText("Ran in");
    expect(await violations(page), "run").toEqual([]);
    await page.getByRole("button", { name: "Examples" }).click();
    await expect(page.locator(".gallery button").first()).toBeVisible();
    expect(await violations(page), "examples").toEqual([]);
    await page.keyboard.press("Escape");
    await write(page, WRONG);
    await expect(problems(page).locator(".problem")).toHaveCount(1);
    expect(await violations(page), "problems").toEqual([]);
    await problems(page).locator(".code").click();
    await expect(page.getByRole("dialog").locator(".markdown")).toBeVisible();
    expect(await violations(page), "explanation").toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Share" }).click();
    await expect(page.locator(".notice")).toContainText("Link copied");
    expect(await violations(page), "notice").toEqual([]);
    await context.close();
  });
}

test("a phone of 360 pixels has everything within reach", async ({ browser }) => {
  const context = await phone(browser);
  const page = await context.newPage();
  await open(page);
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(await overflow()).toBeLessThanOrEqual(0);
  await page.getByRole("tab", { name: "Types" }).tap();
  await expect(panel(page)).toContainText("@layer");
  expect(await overflow()).toBeLessThanOrEqual(0);
  await runButton(page).tap();
  await expect(panel(page)).toContainText("Ran in");
  expect(await overflow()).toBeLessThanOrEqual(0);
  expect(await violations(page)).toEqual([]);
  await page.getByRole("tab", { name: "Program" }).tap();
  await expect(page.locator(".monaco-editor .view-line").first()).toBeVisible();
  await context.close();
});

test("the first Tab comes to the header", async ({ page }) => {
  await open(page);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Examples" })).toBeFocused();
});

test("where the system has its own colours, what was disabled is not painted so any more, and pictures keep theirs", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await open(page);
  const painted = async (name: string) => (await page.locator(".header").getByRole("button", { name }).screenshot()).toString("base64");
  const [format, run] = [await painted("Format"), await painted("Run")];
  // What is painted anew has the same colours.
  for (const display of ["none", ""]) await page.locator(".header").evaluate((header, value) => (header.style.display = value), display);
  expect(await painted("Format")).toBe(format);
  expect(await painted("Run")).toBe(run);
  await write(page, "reshape(arange(0f, 768f, 1f), newshape=[24, 32]) - 300f\n");
  await runButton(page).click();
  await expect(panel(page).locator(".ramp")).toHaveCSS("background-image", /gradient/);
  await page.locator(".profile").getByRole("button", { name: "Bytes" }).click();
  await expect(page.locator(".profile .share").first()).toHaveCSS("background-image", /gradient/);
});

test("the panes, tabs and run answer to the keyboard", async ({ page }) => {
  await open(page);
  const bar = page.getByRole("separator", { name: "Width of the editor" });
  await bar.focus();
  const before = Number(await bar.getAttribute("aria-valuenow"));
  await page.keyboard.press("ArrowLeft");
  await expect(bar).toHaveAttribute("aria-valuenow", String(before - 2));
  await page.getByRole("tab", { name: "Types" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Solver" })).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Layout" })).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Match" })).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "IR" })).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Run" })).toBeFocused();
  await expect(page.getByRole("tab", { name: "Run" })).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Control+Enter");
  await expect(panel(page)).toContainText("Ran in");
});

test("Tab comes into the editor, indents in it, and leaves it after Escape", async ({ page }) => {
  await open(page);
  await page.getByLabel("Language").focus();
  await page.keyboard.press("Tab");
  const said = page.locator(".way-out");
  await expect(said).toHaveText("Tab indents. Escape, then Tab leaves the editor.");
  const isInside = () => page.evaluate(() => document.activeElement?.closest(".editor") !== null);
  await page.keyboard.press("Tab");
  expect(await isInside()).toBe(true);
  await page.keyboard.press("Control+z");
  await expect(said).toBeHidden();
  // What is open is closed first.
  await page.keyboard.press("Control+f");
  await expect(page.locator(".find-widget.visible")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.locator(".find-widget.visible")).toHaveCount(0);
  await page.keyboard.press("Tab");
  expect(await isInside()).toBe(true);
  await page.keyboard.press("Escape");
  await expect(said).toHaveText("Tab leaves the editor.");
  await page.keyboard.press("Tab");
  expect(await isInside()).toBe(false);
  await expect(said).toBeHidden();
  // And back, past the editor's other end.
  await page.keyboard.press("Shift+Tab");
  expect(await isInside()).toBe(true);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Shift+Tab");
  expect(await isInside()).toBe(false);
});

for (const chosen of ["system", "light", "dark"] as const) {
  test(`the page is painted in the ${chosen} theme from the first on`, async ({ browser }) => {
    const context = await browser.newContext({ colorScheme: chosen === "light" ? "dark" : chosen === "dark" ? "light" : "dark" });
    const page = await context.newPage();
    if (chosen !== "system") await page.addInitScript((theme) => localStorage.setItem("relish.theme", theme), chosen);
    // The page's own script does not come.
    await page.route(/\/assets\/index-.*\.js/, () => {});
    await page.goto("./", { waitUntil: "commit" });
    await expect(page.locator(".brand")).toHaveText("Relish");
    await expect(page.locator("body")).toHaveCSS("background-color", chosen === "light" ? "rgb(239, 236, 227)" : "rgb(15, 18, 17)");
    await context.close();
  });
}

test("the theme is the system's until one is chosen, and the choice stays", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await open(page);
  const theme = () => page.evaluate(() => document.documentElement.dataset["theme"]);
  expect(await theme()).toBe("dark");
  await page.getByTitle("Light theme").click();
  expect(await theme()).toBe("light");
  await page.reload();
  expect(await theme()).toBe("light");
});

test("no request leaves the origin, and the policy is never broken", async ({ page, baseURL }) => {
  const strangers: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(baseURL ?? "") && !url.startsWith("data:") && !url.startsWith("blob:")) strangers.push(url);
  });
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await open(page);
  await page.getByRole("button", { name: "Examples" }).click();
  await expect(page.locator(".gallery button").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await write(page, WRONG);
  await expect(problems(page).locator(".problem")).toHaveCount(1);
  await expectHover(page, 2, "Tensor[(2, 3), float32]");
  await page.getByRole("button", { name: "Share" }).click();
  await expect(page.locator(".notice")).toContainText("Link copied");
  expect(strangers).toEqual([]);
  expect(complaints).toEqual([]);
});
