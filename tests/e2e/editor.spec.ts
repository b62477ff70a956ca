// The parts of the editor that it brings along look as it means them, in the colours of the page.
import { expect, type Locator, test } from "@playwright/test";
import { expectHover, focusEditor, open, panel, problems, write } from "./page.ts";

const background = (element: Locator) => element.evaluate((found) => getComputedStyle(found).backgroundColor);

test("the buttons of the search are as high as its field, and what it finds has the colour of a selection", async ({ page }) => {
  await open(page);
  await write(page, "let %one = 1;\nlet %two = %one + %one;\n");
  await page.keyboard.press("Control+H");
  await page.keyboard.press("Control+F");
  await page.keyboard.type("one");
  const search = page.locator(".find-widget.visible");
  await expect(search.locator(".matchesCount")).toHaveText("1 of 3");
  const field = await search.locator(".find-part .monaco-inputbox").boundingBox();
  for (const button of await search.locator(".button:not(.toggle)").all()) {
    expect((await button.boundingBox())?.height).toBeLessThanOrEqual(field?.height ?? 0);
    expect(await button.evaluate((found) => getComputedStyle(found).borderTopWidth)).toBe("0px");
  }
  await expect(search.locator(".find-part .controls")).toHaveCSS("border-top-width", "0px");
  const found = page.locator(".editor .findMatch");
  await expect(found).toHaveCount(2);
  expect(await background(page.locator(".editor .currentFindMatch"))).toBe(await background(found.first()));
});

test("what an operator does is seen whole beside the offers", async ({ page }) => {
  await open(page);
  await write(page, "\n");
  await page.keyboard.type("nn.conv2", { delay: 20 });
  await expect(page.locator(".suggest-widget.visible .monaco-list-row").first()).toContainText("nn.conv2d");
  await page.keyboard.press("Control+Space");
  const details = page.locator(".suggest-details .body");
  await expect(details).toContainText("Convolution over two axes");
  await expect.poll(() => details.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBeLessThanOrEqual(1);
});

test("what the editor says has the colours of the page", async ({ page }) => {
  await open(page);
  await write(page, "1\n");
  await focusEditor(page);
  await page.keyboard.press("F12");
  const message = page.locator(".monaco-editor-overlaymessage .message");
  await expect(message).toHaveText(/^No definition found/);
  const accent = await page.locator(".header .button.primary").evaluate((run) => getComputedStyle(run).backgroundColor);
  await expect(message).toHaveCSS("border-top-color", accent);
});

test("numbers stand beside their lines when a text takes the bar at the bottom away and needs wider numbers", async ({ page }) => {
  await open(page);
  await write(page, `let %${"a".repeat(150)} = 1;`);
  await expect(page.locator(".editor .view-line")).toHaveCount(1);
  await write(page, Array.from({ length: 120 }, (_, at) => `let %v${at + 1} = ${at + 1};\n`).join(""));
  const pairs = () =>
    page.locator(".editor-place.user").evaluate((place) => {
      const topOf = (element: Element) => Math.round(element.getBoundingClientRect().top);
      const numbers = new Map([...place.querySelectorAll(".line-numbers")].map((number) => [topOf(number), number.textContent?.trim()]));
      return [...place.querySelectorAll(".view-line")].flatMap((line) => {
        const name = /%v(\d+)/.exec(line.textContent ?? "")?.[1];
        return name === undefined ? [] : [{ name, number: numbers.get(topOf(line)) }];
      });
    });
  await expect.poll(async () => (await pairs()).some(({ name }) => name === "120")).toBe(true);
  for (const { name, number } of await pairs()) expect(number).toBe(name);
});

test("names are told of when the mouse rests on them, behind a menu that was closed too", async ({ page }) => {
  await open(page);
  await write(page, "let %one = 1;\n%one\n");
  await page.locator(".editor .view-line").first().click({ button: "right" });
  await expect(page.locator(".monaco-menu")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.locator(".monaco-menu")).toBeHidden();
  await expectHover(page, 1, "int32");
});

test("behind its last letter one is at a name too", async ({ page }) => {
  await open(page);
  await write(page, "let %one = 1;\n%one");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Control+K");
  await page.keyboard.press("Control+I");
  await expect(page.locator(".monaco-hover:not(.hidden)")).toContainText("%one: int32");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Alt+y");
  await expect(panel(page).locator(".why h2").first()).toContainText("%one");
});
