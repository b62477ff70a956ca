// What is long: programs of thousands of lines, and texts whose check takes a while.
import { expect, test } from "@playwright/test";
import { open, panel, problems, runButton, showPanel, write } from "./page.ts";

const lines = (n: number, line: (at: number) => string) => Array.from({ length: n }, (_, at) => line(at)).join("\n");

test("of thousands of types those around the cursor are drawn, and more when they are asked for", async ({ page }) => {
  await open(page);
  await write(page, lines(5000, (at) => `let %v${at} = ones(shape=[2, 3]) + ${at}f;`));
  const rows = panel(page).locator(".types li");
  const current = panel(page).locator("[aria-current=true]");
  await expect(current).toContainText("%v4999");
  await expect(current).toBeInViewport({ ratio: 1 });
  expect(await rows.count()).toBeLessThanOrEqual(300);
  await expect(panel(page)).toContainText("more definitions above are not shown");
  await page.keyboard.press("Control+Home");
  await expect(current).toContainText("%v0");
  await expect(current).toBeInViewport({ ratio: 1 });
  await expect(rows).toHaveCount(300);
  await panel(page).getByRole("button", { name: "Show more" }).click();
  await expect(rows).toHaveCount(600);
  // Each is still where it leads.
  await rows.nth(450).getByRole("button").first().click();
  await expect(current).toContainText("%v450");
});

test("of one that is left out the list says so as of one", async ({ page }) => {
  await open(page);
  await write(page, Array.from({ length: 301 }, (_, n) => `let %v${n} = ${n};\n`).join(""));
  await expect(panel(page).locator(".more-of")).toContainText("1 more definition is not shown.");
});

test("of thousands of values the first are drawn, and more when they are asked for", async ({ page }) => {
  await open(page);
  await write(page, lines(700, (at) => `${at} + 1`));
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await runButton(page).click();
  const values = panel(page).locator(".value");
  await expect(values).toHaveCount(300);
  await panel(page).getByRole("button", { name: "Show more" }).click();
  await expect(values).toHaveCount(600);
});

test("a run that goes on does not draw the values that it has anew", async ({ page }) => {
  test.slow();
  await open(page);
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const inScripts = async () => (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "ScriptDuration")?.value ?? 0;
  const during = async (milliseconds: number) => {
    const before = await inScripts();
    await page.waitForTimeout(milliseconds);
    return (await inScripts()) - before;
  };
  const runWith = async (n: number) => {
    const values = lines(n, (at) => `[${at}, 1, 2, 3, 4, 5, 6, 7]`);
    await write(page, `def @loop(%n: int32) -> int32 { @loop(%n + 1) }\n${values}\n@loop(0)\n`);
    await expect(problems(page).getByRole("status")).toHaveText("No problems");
    await runButton(page).click();
    await expect(panel(page).locator(".running + .run .value")).toHaveCount(n);
    await page.waitForTimeout(1000);
  };
  await runWith(1);
  const few = await during(2000);
  await runWith(300);
  // Once what was drawn has been drawn.
  await expect(async () => expect(await during(2000)).toBeLessThan(4 * few)).toPass({ timeout: 20_000 });
});

test("a text that is not checked yet has no problems that are known, and types that are older", async ({ page }) => {
  await open(page);
  await write(page, "let %before = 1;\n");
  await expect(panel(page)).toContainText("%before");
  const status = problems(page).getByRole("status");
  // Long enough to be seen on a machine that does something else as well.
  await write(page, "lorem ipsum %x dolor @sit [1, 2, 3] amet ".repeat(25_000));
  await expect(status).toHaveText("Checking …");
  await expect(panel(page)).toContainText("%before");
  await expect(page.locator(".late")).toHaveText("Checking … What is shown is older.");
  // A run says itself of which text it is.
  await showPanel(page, "Run");
  await expect(page.locator(".late")).toHaveCount(0);
  await write(page, "let %after = 1;\n");
  await expect(status).toHaveText("No problems");
  await showPanel(page, "Types");
  await expect(panel(page)).toContainText("%after");
  await expect(page.locator(".late")).toHaveCount(0);
});
