// On a short screen, and at twice or four times the size of everything, there is room for what one works with.
import { expect, test } from "@playwright/test";
import { open, panel, problems, showPanel, violations, write } from "./page.ts";

const WRONG = `let %a = ones(shape=[2, 3]);
let %b = ones(shape=[4]);
let %c = %nope;
%a + %b
`;

// A laptop at 200 %, the same at 400 %, a wide and low window, a phone on its side.
for (const [width, height] of [[640, 400], [320, 256], [1280, 360], [740, 360]] as const) {
  test(`the program and its problems have room at ${width} by ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await open(page);
    await write(page, WRONG);
    await expect(problems(page).locator(".problem")).toHaveCount(2);
    await expect(problems(page).locator(".problem").first()).toBeVisible();
    const heightOf = (selector: string) => page.locator(selector).first().evaluate((element) => element.getBoundingClientRect().height);
    // Six lines of the program, and a problem with its other places and its edits.
    expect(await heightOf(".editor")).toBeGreaterThan(6 * 21);
    expect(await heightOf(".problems > ul")).toBeGreaterThan(110);
    // What does not fit is reached by scrolling the page, one way only.
    const first = problems(page).locator(".problem").first();
    await first.scrollIntoViewIfNeeded();
    await expect(first.locator(".message")).toBeInViewport({ ratio: 1 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
    await showPanel(page, "Types");
    await expect(panel(page)).toContainText("%a");
    expect(await heightOf(".panel")).toBeGreaterThan(200);
    expect(await violations(page)).toEqual([]);
  });
}

test("a screen that is high enough does not scroll as a whole", async ({ page }) => {
  await page.setViewportSize({ width: 640, height: 560 });
  await open(page);
  expect(await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight)).toBeLessThanOrEqual(0);
});
