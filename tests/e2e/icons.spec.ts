// The site has only the icons of the editor that its code mentions, so what is shown is looked at.
import { expect, type Page, test } from "@playwright/test";
import { focusEditor, open, problems, write } from "./page.ts";

/** In no font of icons. */
const MISSING = "\uF8F0";

/** The icons on the page by their characters: whether each is drawn, and not the box that stands for what is missing. */
function drawn(page: Page): Promise<Record<string, boolean>> {
  return page.evaluate(async (missing) => {
    await document.fonts.load("32px codicon");
    const canvas = document.createElement("canvas");
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    if (pen === null) throw new Error("there is no canvas");
    const pixels = (text: string) => {
      pen.clearRect(0, 0, canvas.width, canvas.height);
      pen.font = "32px codicon";
      pen.fillText(text, 8, 64);
      return pen.getImageData(0, 0, canvas.width, canvas.height).data.join();
    };
    const nothing = ["", missing].map(pixels);
    const characters = [...document.querySelectorAll(".codicon")]
      .map((icon) => /^"(.)"$/u.exec(getComputedStyle(icon, "::before").content)?.[1])
      .filter((character) => character !== undefined);
    return Object.fromEntries(characters.map((character) => [character.codePointAt(0)?.toString(16), !nothing.includes(pixels(character))]));
  }, MISSING);
}

/** Once something is shown that has icons, all of them are drawn. */
async function expectIcons(page: Page, nAtLeast: number): Promise<void> {
  await expect(async () => {
    const icons = await drawn(page);
    expect(Object.keys(icons).length).toBeGreaterThanOrEqual(nAtLeast);
    expect(Object.values(icons)).not.toContain(false);
  }).toPass({ timeout: 10_000 });
}

test("the icons of the editor's widgets are in the site", async ({ page }) => {
  await open(page);
  await write(page, "def @double(%x: float32) {\n  %x + %x\n}\ndouble2(1f)\n@double(2f)\n");
  await expect(problems(page).getByText("double2")).not.toHaveCount(0);
  await focusEditor(page);

  await test.step("search and replace", async () => {
    await page.keyboard.press("Control+H");
    await expect(page.locator(".find-widget.visible")).toBeVisible();
    await expectIcons(page, 8);
    await page.keyboard.press("Escape");
  });
  await test.step("problems", async () => {
    await page.keyboard.press("F8");
    await expect(page.locator(".marker-widget")).toBeVisible();
    await expectIcons(page, 4);
    await page.keyboard.press("Escape");
  });
  await test.step("mends", async () => {
    await page.keyboard.press("Control+.");
    await expect(page.locator(".action-widget").first()).toBeVisible();
    await expectIcons(page, 1);
    await page.keyboard.press("Escape");
  });
  await test.step("folding", async () => {
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Control+Shift+[");
    await expect(page.locator(".codicon-folding-collapsed")).toBeVisible();
    await expectIcons(page, 1);
    await page.keyboard.press("Control+Shift+]");
  });
  await test.step("references", async () => {
    await page.keyboard.press("ArrowRight");
    for (let i = 0; i < 6; i += 1) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Shift+F12");
    await expect(page.locator(".reference-zone-widget")).toBeVisible();
    await expectIcons(page, 1);
  });
});
