// A page on paper cannot be scrolled, so all of it is there.
import { expect, test } from "@playwright/test";
import { open, panel, problems, write } from "./page.ts";

test.use({ colorScheme: "dark" });

test("on paper stand the whole program, the whole panel and all problems, dark on light", async ({ page }) => {
  await open(page);
  await write(page, `${Array.from({ length: 300 }, (_, at) => `let %v${at} = ${at};`).join("\n")}\n${"1 + True\n".repeat(9)}`);
  await expect(problems(page).getByRole("status")).toHaveText("9 errors");
  const text = page.locator(".editor-place.user .first-paint");
  await expect(text).toHaveCount(0);

  // As wide as a sheet of A5.
  await page.setViewportSize({ width: 480, height: 680 });
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => void dispatchEvent(new Event("beforeprint")));
  await expect(text).toContainText("let %v0 = 0;");
  await expect(text).toContainText("let %v299 = 299;");
  await expect(panel(page)).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  const cut = await page.locator("#page, .first-paint, .panel, .problems > ul").evaluateAll((all) =>
    all.filter((one) => one.scrollHeight > one.clientHeight + 1).map(({ className }) => className),
  );
  expect(cut, "nothing has to be scrolled to").toEqual([]);
  for (const name of ["Run", "Share"]) await expect(page.getByRole("button", { name, exact: true })).toBeHidden();

  await page.emulateMedia({ media: null });
  await page.evaluate(() => void dispatchEvent(new Event("afterprint")));
  await expect(text).toHaveCount(0);
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});
