// The list of problems stays where one reads it, and nothing covers it.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { focusEditor, open, phone, problems, write } from "./page.ts";

const MANY = Array.from({ length: 30 }, (_, at) => `let %v${at} = %nope${at};`).join("\n");

test("the list of problems keeps its place when the first one changes", async ({ page }) => {
  await open(page);
  await write(page, MANY);
  const status = problems(page).getByRole("status");
  await expect(status).toHaveText("30 errors");
  const read = problems(page).locator(".problem").filter({ hasText: "%nope20" });
  await focusEditor(page);
  await page.keyboard.press("Control+Home");
  await read.evaluate((row) => row.scrollIntoView({ block: "start" }));
  await expect(read).toBeInViewport();
  // A comment without an end takes all of the program away for a moment.
  await page.keyboard.type("/*");
  await expect(status).toHaveText("1 error");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await expect(status).toHaveText("30 errors");
  await expect(read).toBeInViewport();
  // And the first problem goes for good.
  await page.keyboard.press("Shift+End");
  await page.keyboard.press("Delete");
  await expect(status).toHaveText("29 errors");
  await expect(read).toBeInViewport();
});

test("on a phone a notice has two lines at most, and leaves the problems to be read", async ({ browser }) => {
  const context = await phone(browser);
  const page = await context.newPage();
  const notice = page.locator(".notice");
  const isShort = async () => {
    const text = notice.locator("p");
    const lines = await text.evaluate((p) => p.clientHeight / Number.parseFloat(getComputedStyle(p).lineHeight));
    expect(lines).toBeLessThan(2.1);
    const [box, header] = [await notice.boundingBox(), await page.locator(".work").boundingBox()];
    expect((box?.y ?? 0) + (box?.height ?? Infinity)).toBeLessThanOrEqual(header?.y ?? 0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  };
  await open(page, "./#v1.abc");
  await expect(notice).toContainText("This link cannot be opened");
  await isShort();
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);
  await write(page, "let %x = (1;\n");
  await expect(problems(page).locator(".problem").first()).toBeVisible();
  await page.getByRole("button", { name: "Format" }).tap();
  await expect(notice).toContainText("it has a syntax error");
  await isShort();
  await page.getByRole("button", { name: "Share" }).tap();
  await expect(notice).toContainText("Link copied");
  await isShort();
  await context.close();
});

const MENDED = `def @layer(%x, %w, %b) { nn.relu(nn.bias_add(nn.dense(%x, %w), %b)) }
let %x = ones(shape=[3, 5]);
let %w = ones(shape=[4, 6]);
let %b = ones(shape=[4]);
let %s = shape_of(%nope);
@layer(%x, %w, %b) + ones(shape=[3, 9])
@layer(@layer(%x, %w, %b), %w, %b)
@layr(%x)
`;

for (const size of ["desktop", "phone"] as const) {
  test(`edits that are found later move nothing on a ${size}`, async ({ browser }) => {
    const context = size === "phone" ? await phone(browser) : await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    await open(page);
    await write(page, MENDED);
    await expect(problems(page).locator(".problem")).toHaveCount(6);
    // Where everything is that one may tap, by its row and its words.
    const places = () =>
      problems(page).evaluate((list) =>
        [...list.querySelectorAll(".problem")].flatMap((row, at) =>
          [...row.querySelectorAll("button, .help")].map((element) => {
            const { x, y, width, height } = element.getBoundingClientRect();
            return { is: `${at} ${element.textContent}`, box: [x, y, width, height].map(Math.round).join(" ") };
          }),
        ),
      );
    const before = await places();
    const edit = problems(page).getByRole("button", { name: "write shape=[9]" });
    await expect(edit).toHaveCount(0);
    await expect(edit).toHaveCount(1);
    const after = await places();
    expect(after.length).toBeGreaterThan(before.length);
    expect(after.filter(({ is }) => before.some((old) => old.is === is))).toEqual(before);
    // Where to begin is said, not done.
    await expect(problems(page).getByRole("button", { name: /^begin with line/ })).toBeVisible();
    // What does not fit in a row can be reached.
    await edit.click();
    await expect(problems(page).getByRole("button", { name: "write shape=[9]" })).toHaveCount(0);
    await expect(page.locator(".editor-place.user .view-line", { hasText: "ones(shape=[9])" })).toHaveCount(1);
    await context.close();
  });
}
