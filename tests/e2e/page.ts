// What every spec does with the page.
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, type BrowserContext, expect, type Page } from "@playwright/test";

/** Opens the page and waits until both the editor and the compiler are there. */
export async function open(page: Page, address = "./"): Promise<void> {
  await page.goto(address);
  await ready(page);
}

/** A small phone: `test.use(PHONE)` for all tests of a group. */
export const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/** One that has a clipboard, for a test that goes by both sizes. */
export const phone = (browser: Browser): Promise<BrowserContext> =>
  browser.newContext({ ...PHONE, permissions: ["clipboard-read", "clipboard-write"] });

export async function ready(page: Page): Promise<void> {
  await expect(page.locator(".monaco-editor .view-line").first()).toBeVisible();
  await expect(runButton(page)).toBeEnabled();
}

export const runButton = (page: Page) => page.locator(".header").getByRole("button", { name: "Run" });
export const stopButton = (page: Page) => page.locator(".header").getByRole("button", { name: "Stop" });
export const problems = (page: Page) => page.getByRole("region", { name: "Problems" });
export const panel = (page: Page) => page.locator(".panel");

/** Replaces the whole program, as a person who pastes it would. */
export async function write(page: Page, text: string): Promise<void> {
  await page.evaluate((value) => navigator.clipboard.writeText(value), text);
  await focusEditor(page);
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Control+V");
}

export async function focusEditor(page: Page): Promise<void> {
  await page.locator(".editor .monaco-editor").first().click();
}

/** The program as the editor shows it; only short ones fit. */
export async function text(page: Page): Promise<string> {
  const lines = await page.locator(".editor-place.user .view-line").evaluateAll((elements) =>
    elements
      .map((element) => ({ top: (element as HTMLElement).offsetTop, text: element.textContent ?? "" }))
      .sort((a, b) => a.top - b.top)
      .map((line) => line.text.replaceAll("\u00a0", " ").replace(/ {2}= .*$/, "")),
  );
  return lines.join("\n");
}

/** Waits until a value stands at the end of a line; those of an earlier text may still be on their way out. */
export async function expectValue(page: Page, value: string): Promise<void> {
  await expect(page.locator(".value-after").filter({ hasText: `= ${value}` })).toHaveCount(1);
}

/** The link of the page as it stands: it is in the clipboard once the page says so. */
export async function share(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await expect(page.locator(".notice")).toContainText("Link copied");
  return page.evaluate(() => navigator.clipboard.readText());
}

/** Rests the mouse on the first word of a line (from 0) until the hover says something. */
export async function expectHover(page: Page, line: number, content: string): Promise<void> {
  const word = page.locator(".editor .view-line").nth(line).locator("span > span").first();
  await expect(async () => {
    // The editor asks when the mouse moves; a line drawn anew under a resting mouse asks nothing.
    await page.mouse.move(5, 5);
    await word.hover();
    await expect(page.locator(".monaco-hover:not(.hidden)")).toContainText(content, { timeout: 2000 });
  }).toPass({ timeout: 15_000 });
  await page.mouse.move(5, 5);
}

export async function showPanel(page: Page, name: string): Promise<void> {
  await page.getByRole("tab", { name }).click();
}

/** What axe has against the page as it stands, or against its colours alone, each with the element that it is about. */
export async function violations(page: Page, of: "all" | "colours" = "all"): Promise<string[]> {
  // What fades in is not yet what people read.
  await page.waitForTimeout(500);
  // Without frames, whose findings axe would put together in a page that it opens.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  const { violations } = await (of === "colours" ? axe.withRules(["color-contrast"]) : axe).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`));
}
