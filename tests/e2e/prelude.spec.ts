// Names lead to where they are bound, and the prelude is a text that one can read and ask about.
import { expect, type Page, test } from "@playwright/test";
import { expectValue, open, panel, phone, problems, share, text, write } from "./page.ts";

const PROGRAM = `def @twice(%f: fn(int32) -> int32, %n: int32) { %f(%f(%n)) }
@map(fn(%x: int32) -> int32 { @twice(fn(%y: int32) -> int32 { %y + 1 }, %x) }, Cons(1, Nil))
`;

const preludeTab = (page: Page) => page.getByRole("tab", { name: "prelude.relay" });
const programTab = (page: Page) => page.getByRole("tab", { name: "Program" });
const prelude = (page: Page) => page.getByRole("tabpanel", { name: "prelude.relay" });
const program = (page: Page) => page.getByRole("tabpanel", { name: "Program" });

/** A word of the shown text. */
const word = (page: Page, name: string, nth = 0) =>
  page.locator(".editor-place:not([hidden]) .view-line span > span").filter({ hasText: new RegExp(`^${name}$`) }).nth(nth);

/** The word at the cursor, as the editor marks it when it goes somewhere. */
const selectedLine = (page: Page, of: "user" | "prelude") =>
  page.locator(`.editor-place.${of} .monaco-editor.focused .current-line, .editor-place.${of} .monaco-editor.focused .selected-text`);

test("Ctrl+click on a name of the prelude goes to its definition there, and Back returns", async ({ page }) => {
  await open(page);
  await write(page, PROGRAM);
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  const address = page.url();

  await word(page, "@map").click({ modifiers: ["Control"] });
  await expect(preludeTab(page)).toHaveAttribute("aria-selected", "true");
  await expect(prelude(page).locator(".monaco-editor.focused")).toBeVisible();
  await expect(word(page, "@map")).toBeVisible();
  await expect(selectedLine(page, "prelude").first()).toBeVisible();
  expect(page.url(), "a look at the prelude is no other address").toBe(address);

  await page.goBack();
  await expect(programTab(page)).toHaveAttribute("aria-selected", "true");
  await expect.poll(() => text(page)).toContain("@twice");
  await page.goForward();
  await expect(prelude(page)).toBeVisible();
  await programTab(page).click();
  await expect(program(page)).toBeVisible();
  await expect(prelude(page)).toBeHidden();
  expect(page.url()).toBe(address);
});

test("the context menu leads there too", async ({ page }) => {
  await open(page);
  await write(page, PROGRAM);
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await word(page, "Cons").click({ button: "right" });
  const entry = page.getByRole("menuitem", { name: "Go to Definition" });
  await expect(entry).toBeVisible();
  const background = await entry.evaluate((element) => {
    const box = element.closest(".monaco-scrollable-element");
    return box === null ? "" : getComputedStyle(box).backgroundColor;
  });
  expect(background, "the menu is not transparent").toMatch(/^rgb\(/);
  // Just after it has opened, the menu takes no click, so that the one that opened it chooses nothing.
  await expect(async () => {
    if (await entry.isVisible()) await entry.click({ timeout: 1000 });
    await expect(entry).toBeHidden({ timeout: 1000 });
  }).toPass();
  await expect(preludeTab(page)).toHaveAttribute("aria-selected", "true");
  await expect(prelude(page).locator(".monaco-editor.focused")).toBeVisible();
});

test("F12 goes to what the program binds", async ({ page }) => {
  await open(page);
  await write(page, PROGRAM);
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await word(page, "@twice", 1).click();
  await page.keyboard.press("F12");
  // The cursor is on the first line now, whose definition is the current one in the list.
  await expect(panel(page).locator("[aria-current=true]")).toContainText("@twice");
  await expect(programTab(page)).toHaveAttribute("aria-selected", "true");
});

test("everywhere that a name stands is marked, and listed on request", async ({ page }) => {
  await open(page);
  await write(page, PROGRAM);
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await word(page, "%f").click();
  await expect(page.locator(".editor-place.user .wordHighlightText, .editor-place.user .wordHighlight")).toHaveCount(3);
  await page.keyboard.press("Shift+F12");
  await expect(page.locator(".peekview-widget")).toBeVisible();
  await expect(page.locator(".peekview-widget .monaco-tl-row").filter({ hasText: "%f" })).not.toHaveCount(0);
  // The editor would say "References" twice.
  const heading = page.locator(".peekview-widget .peekview-title");
  await expect(heading.locator(".meta")).toHaveText("References (3)");
  await expect(heading.locator(".filename")).toBeHidden();
  await page.keyboard.press("Escape");
  await expect(page.locator(".peekview-widget")).toBeHidden();
});

test("F2 gives a name another in all its places, and undo takes that back at once", async ({ page }) => {
  await open(page);
  await write(page, PROGRAM);
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await word(page, "%f").click();
  await page.keyboard.press("F2");
  await expect(page.locator(".notice")).toContainText("Type the new name");
  // Only what is renamed is marked, and not the same letters elsewhere.
  await expect(page.locator(".editor-place.user .lit-up")).toHaveCount(3);
  await expect(page.locator(".editor-place.user .selectionHighlight, .editor-place.user [class*=wordHighlight]")).toHaveCount(0);
  await page.keyboard.type("step");
  await expect(page.locator(".suggest-widget.visible")).toHaveCount(0);
  await page.keyboard.press("Enter");
  await expect(page.locator(".notice"), "what is done is not asked for").toBeHidden();
  await expect.poll(() => text(page)).toContain("def @twice(%step: fn(int32) -> int32, %n: int32) { %step(%step(%n)) }");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await page.keyboard.press("Control+Z");
  await expect.poll(() => text(page)).toContain("{ %f(%f(%n)) }");

  // Escape leaves the old name where it stood.
  await word(page, "%f").click();
  await page.keyboard.press("F2");
  await expect(page.locator(".notice")).toContainText("Type the new name");
  await page.keyboard.type("step");
  await page.keyboard.press("Escape");
  await expect(page.locator(".notice")).toBeHidden();
  await expect.poll(() => text(page)).toContain("def @twice(%f: fn(int32) -> int32, %n: int32) { %f(%f(%n)) }");

  // Who types the sigil too means the same name.
  await word(page, "%f").click();
  await page.keyboard.press("F2");
  await expect(page.locator(".notice")).toContainText("Type the new name");
  await page.keyboard.type("%step");
  await page.keyboard.press("Enter");
  await expect.poll(() => text(page)).toContain("def @twice(%step: fn(int32) -> int32, %n: int32) { %step(%step(%n)) }");

  // What the prelude binds keeps its name.
  await word(page, "Cons").click();
  await page.keyboard.press("F2");
  await expect(page.locator(".notice")).toContainText("The program gives no name");
});

test("F2 renames a weight of TensorScript in its node, and no layer", async ({ page }) => {
  await open(page);
  await write(
    page,
    `#lang tensorscript
use lin::Linear;
node Net<[?, 2] -> [?, 1]> {}
weights Net<[?, 2] -> [?, 1]> { fc = Linear::new(in=2, out=1); }
graph Net<[?, 2] -> [?, 1]> { def forward(x) { x |> fc } }
`,
  );
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await word(page, "fc").first().click();
  await page.keyboard.press("F2");
  await expect(page.locator(".notice")).toContainText("Type the new name");
  await page.keyboard.type("head");
  await page.keyboard.press("Enter");
  await expect.poll(() => text(page)).toContain("{ head = Linear::new(in=2, out=1); }");
  await expect.poll(() => text(page)).toContain("{ x |> head");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");

  await word(page, "Linear").first().click();
  await page.keyboard.press("F2");
  await expect(page.locator(".notice")).toContainText("The program gives no name");
});

test("F2 gives no name that stands for something else there", async ({ page }) => {
  await open(page);
  const notice = page.locator(".notice");
  /** Writes a program, and types another name for the first that stands there so. */
  const rename = async (program: string, name: string, other: string) => {
    await write(page, program);
    await expect(problems(page).getByRole("status")).toHaveText("No problems");
    await word(page, name).first().click();
    await page.keyboard.press("F2");
    await expect(notice).toContainText("Type the new name");
    await page.keyboard.type(other);
  };
  const sum = "let %a = 1;\nlet %b = 2;\n%a + %b\n";
  for (const leave of [() => page.keyboard.press("Enter"), () => word(page, "let").click()]) {
    await rename(sum, "%a", "b");
    await expect(notice).toHaveText("%b stands for something else in line 2: left like this, %a keeps its name.");
    await leave();
    await expect(notice).toHaveText("%a keeps its name: %b stands for something else in line 2.");
    await expect.poll(() => text(page)).toBe(sum);
    await expectValue(page, "3");
  }
  // A longer name may begin with it.
  await rename(sum, "%a", "ba");
  await page.keyboard.press("Enter");
  await expect.poll(() => text(page)).toBe("let %ba = 1;\nlet %b = 2;\n%ba + %b\n");
  // It would be another variable inside of a function, and a constructor of the prelude would be another one.
  for (const [program, name, other] of [
    ["let %a = 1;\ndef @g(%y) { %y + %a }\n@g(2)\n", "%a", "y"],
    ["def @f(%x) { %x }\ndef @g(%x) { %x }\n@f(1) + @g(2)\n", "@f", "g"],
    ["type Foo { Bar(int32) }\nCons(Bar(1), Nil)\n", "Bar", "Cons"],
    ["#lang refine\nlet a = A in\nlet b = B in\nC a b\n", "a", "b"],
  ] as const) {
    await rename(program, name, other);
    await page.keyboard.press("Enter");
    await expect(notice).toContainText("keeps its name");
    await expect.poll(() => text(page)).toBe(program);
  }
  // What is no name there is none.
  for (const [program, name, other, why] of [
    [sum, "%a", "c d", "%a keeps its name: “%c d” is no name."],
    [sum, "%a", "c-d", "%a keeps its name: “%c-d” is no name."],
    [sum, "%a", "@c", "%a keeps its name: “%@c” is no name."],
    [sum, "%a", "1", "%a keeps its name: “%1” is no name."],
    [sum, "%a", "%", "%a keeps its name: it needs one."],
    ["#lang refine\nlet a = A in\nC a\n", "a", "match", "a keeps its name: match is a word of the language."],
    ["#lang refine\nlet a = A in\nC a\n", "a", "Aa", "a keeps its name: Aa would be a variant."],
    ["type Foo { Bar(int32) }\nBar(1)\n", "Bar", "%b", "Bar keeps its name: “%b” is no name."],
  ] as const) {
    await rename(program, name, other);
    await page.keyboard.press("Enter");
    await expect(notice).toHaveText(why);
    await expect.poll(() => text(page)).toBe(program);
  }
  // Nor is nothing.
  await rename(sum, "%a", "c");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Enter");
  await expect(notice).toContainText("%a keeps its name");
  await expect.poll(() => text(page)).toBe(sum);
  // What another function calls so is something else there.
  await rename("def @f(%x) { %x }\ndef @g(%y) { %y }\n@f(1) + @g(2)\n", "%x", "y");
  await page.keyboard.press("Enter");
  await expect.poll(() => text(page)).toBe("def @f(%y) { %y }\ndef @g(%y) { %y }\n@f(1) + @g(2)\n");
});

test("another program that comes while a name is typed keeps all of its own", async ({ page }) => {
  await open(page);
  await write(page, "let %a = 1;\n%a\n");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await word(page, "%a").first().click();
  await page.keyboard.press("F2");
  await expect(page.locator(".notice")).toContainText("Type the new name");
  await page.keyboard.type("b");
  await page.getByLabel("Language").selectOption("refine");
  await expect.poll(() => text(page)).toBe("#lang refine\nlet %b = 1;\n%b\n");
  await word(page, "%b").or(page.locator(".editor-place.user .view-line").last()).first().click();
  await page.keyboard.press("Control+A");
  await expect.poll(() => text(page)).toBe("#lang refine\nlet %b = 1;\n%b\n");
});

test("the prelude can be read and asked about, and not written", async ({ page }) => {
  await open(page);
  await write(page, PROGRAM);
  await preludeTab(page).click();
  await expect(preludeTab(page)).toContainText("read-only");
  await expect(prelude(page).locator(".view-line").first()).toContainText("What every program may use");

  await expect(async () => {
    await page.mouse.move(5, 5);
    await word(page, "List").hover();
    await expect(page.locator(".monaco-hover:not(.hidden)")).toContainText("type List[A] { Cons(A, List[A]), Nil }", { timeout: 2000 });
  }).toPass({ timeout: 15_000 });
  await page.mouse.move(5, 5);

  await prelude(page).locator(".view-line").nth(3).click();
  await page.keyboard.type("x");
  await expect(page.getByText("The prelude cannot be edited").first()).toBeVisible();
  await page.keyboard.press("F8");
  await programTab(page).click();
  await expect.poll(() => text(page)).toContain("@twice");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
});

test("a problem and a definition lead back to the program", async ({ page }) => {
  await open(page);
  await write(page, "def @wrong() { nn.relu(%nowhere) }\n");
  await expect(problems(page).getByRole("status")).toHaveText("1 error");
  await preludeTab(page).click();
  await problems(page).locator(".message").click();
  await expect(program(page).locator(".monaco-editor.focused")).toBeVisible();
  await preludeTab(page).click();
  await panel(page).getByRole("button", { name: /^@wrong/ }).click();
  await expect(program(page).locator(".monaco-editor.focused")).toBeVisible();
});

test("a link holds the program, whichever text is shown", async ({ page }) => {
  await open(page);
  await write(page, PROGRAM);
  await preludeTab(page).click();
  const link = await share(page);
  await open(page, `./?again${link.replace(/^[^#]*/, "")}`);
  await expect(programTab(page)).toHaveAttribute("aria-selected", "true");
  await expect.poll(() => text(page)).toContain("@twice");
});

test("on a phone the prelude is a tab among the others", async ({ browser }) => {
  const context = await phone(browser);
  const page = await context.newPage();
  await open(page);
  await page.getByRole("tab", { name: "Prelude" }).tap();
  await expect(page.locator(".editor-place.prelude .view-line").first()).toContainText("What every program may use");
  const overflow = await page.evaluate(() =>
    Math.max(...["html", "#page", ".tabs"].map((each) => {
      const element = document.querySelector(each);
      return element === null ? 0 : element.scrollWidth - element.clientWidth;
    })),
  );
  expect(overflow, "nothing has to be scrolled sideways").toBeLessThanOrEqual(0);
  await page.getByRole("tab", { name: "Types" }).tap();
  await expect(panel(page)).toContainText("@layer");
  await page.getByRole("tab", { name: "Program" }).tap();
  await expect(page.locator(".editor-place.user .view-line").first()).toContainText("Welcome to Relish");
  await context.close();
});
