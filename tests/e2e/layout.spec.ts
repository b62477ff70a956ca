// The Layout panel: the bits of sum types, of a value that one puts together, and what an `as` does to them.
import { expect, type Page, test } from "@playwright/test";
import { focusEditor, open, panel, phone, problems, runButton, showPanel, violations, write } from "./page.ts";

const REFINE = `#lang refine
let x : [One [T, U], Two [T], Three [T, U, V]] = Two T in
match x with
  | One T | Two T | Three T as y -> y
  | One U | Three U | Three V -> NoT
`;

const SHAPES = `type Shape { Dot, Circle(float32), Square(float32, bool), Many(List[int8]) }
def @area(%s: Shape) { match (%s) { Circle(%r) => %r * %r, Square(%w, _) => %w * %w, _ => 0f } }
@area(Circle(2f))
(1i8, True)
`;

async function openLayout(page: Page, text: string): Promise<void> {
  await open(page);
  await write(page, text);
  await showPanel(page, "Layout");
  await page.keyboard.press("Escape");
}

const card = (page: Page, type: string) => panel(page).locator(".type-card").filter({ has: page.locator("summary", { hasText: type }) });
const strategy = (page: Page, name: string) => panel(page).locator(".strategies label", { hasText: name });
const stored = (page: Page, name: string) => panel(page).getByRole("region", { name: `Stored as ${name}` });
const marked = (page: Page) => page.locator(".monaco-editor .pointed-at");

test("each variant has a ruler and its twin, under the strategy that is chosen", async ({ page }) => {
  await openLayout(page, REFINE);
  const first = card(page, "[One [T, U], Three [T, U, V], Two [T]]").first();
  await expect(first).toHaveAttribute("open", "");
  await strategy(page, "packed").click();
  await expect(first).toContainText("6 values, which need at least 3 bits");
  await expect(first).toContainText("4 bits: tag 2 + payload 2; 1 spare code");
  await expect(first.getByRole("group", { name: /^Three: bits 0–1 tag 1, bits 2–3 field 1, \[T, U, V\]$/ })).toBeVisible();
  await first.getByText("The ranges as a list").click();
  await expect(first.locator("details.inner .twin")).toContainText("bit 3: padding");
  await strategy(page, "aligned").click();
  await expect(first).toContainText("16 bits: tag 8 + payload 8");
  await expect(first.getByRole("group", { name: /^Two: bits 0–7 tag 2, bits 8–15 padding$/ })).toBeVisible();
  await strategy(page, "uniform").click();
  await expect(first).toContainText("a word, and a block of 64 bits");
});

test("a value that is put together shows its bits under each strategy", async ({ page }) => {
  await openLayout(page, SHAPES);
  const shape = card(page, "Shape").first();
  const choice = (name: string) => shape.locator(".choices li", { hasText: name });
  await choice("The value").locator("select").selectOption("Circle");
  await choice("field of Circle").locator("input").fill("1.5");
  await expect(shape.locator(".written")).toHaveText("Circle(1.5f)");
  await expect(stored(page, "aligned")).toContainText("bytes 01 00 00 00 00 00 c0 3f 00 00 00 00");
  await expect(stored(page, "uniform")).toContainText("block 2 at 0x100");
  // Each block has its bytes under it, the variable first.
  await expect(stored(page, "uniform").locator(".block").first()).toContainText(/^variable.*bytes( [0-9a-f]{2}){4}$/);
  await choice("field of Circle").locator("input").fill("many");
  await expect(choice("field of Circle")).toContainText("not a number");
  await choice("The value").locator("select").selectOption("Many");
  await choice("field of Many").locator("select").selectOption("Cons");
  await choice("field 1 of Cons").locator("input").fill("-1");
  await expect(shape.locator(".written")).toHaveText("Many(Cons(-1i8, Nil))");
  await stored(page, "packed").getByText("The bits as a list").click();
  await expect(stored(page, "packed").locator(".twin")).toContainText("11111111");
});

test("variants and their names in the program point at each other", async ({ page }) => {
  await openLayout(page, SHAPES);
  const shape = card(page, "Shape").first();
  await shape.locator(".variant").nth(2).hover();
  await expect(marked(page)).toHaveCount(1);
  await shape.getByRole("button", { name: "Circle" }).click();
  await expect(page.locator(".monaco-editor.focused")).toBeVisible();
  await expect(shape.locator(".variant.lit")).toContainText("Circle");
  // The type at the cursor comes first.
  await focusEditor(page);
  await page.keyboard.press("Control+End");
  await page.keyboard.press("ArrowUp");
  await expect(panel(page).locator(".type-card").first()).toHaveClass(/current/);
  await expect(panel(page).locator(".type-card").first()).toContainText("(int8, bool)");
});

test("a ruler answers to the keyboard", async ({ page }) => {
  await openLayout(page, SHAPES);
  await strategy(page, "aligned").click();
  const shape = card(page, "Shape").first();
  await shape.getByRole("group", { name: /^Square: / }).focus();
  await expect(shape.locator(".caption").first()).toContainText("bits 0–7: tag 2");
  await page.keyboard.press("ArrowRight");
  await expect(shape.locator(".caption").first()).toContainText("bits 8–15: field 2, bool");
});

test("an as is two rulers with what becomes of each value", async ({ page }) => {
  await openLayout(page, REFINE);
  await strategy(page, "packed").click();
  const conversion = panel(page).locator(".conversion");
  await expect(conversion).toContainText("repack");
  await expect(conversion).toContainText("One → One, Three → Three, Two → Two");
  await conversion.getByText("Each value with its bits").click();
  await expect(conversion.locator("tr", { hasText: "Three T" })).toContainText("010010");
  await strategy(page, "uniform").click();
  await expect(conversion).toContainText("identity");
});

test("a niche is in the payload, and not counted once more", async ({ page }) => {
  await openLayout(page, "type Maybe { Some(bool), None }\nSome(True)\n");
  const maybe = card(page, "Maybe").first();
  await strategy(page, "aligned").click();
  await expect(maybe).toContainText("8 bits: payload 8; a niche of 8 bits in the payload; 253 spare codes");
  await strategy(page, "packed").click();
  await expect(maybe).toContainText("2 bits: tag 1 + payload 1");
  await expect(maybe).not.toContainText("in the payload");
});

test("blocks of fields are said to come on top where they are not counted", async ({ page }) => {
  await openLayout(page, "type Opt[A] { None, Some(A) }\ntype Flat { Flat(int8, bool) }\nSome(Some(True))\nFlat(1i8, True)\n");
  const row = (type: string, name: string) => card(page, type).first().locator(".comparison tr", { hasText: name });
  await expect(row("Opt[Opt[bool]]", "uniform")).toContainText("and its fields’ blocks");
  await expect(row("Opt[Opt[bool]]", "uniform").locator(".waste")).toHaveText("");
  await expect(row("Opt[Opt[bool]]", "OCaml")).toContainText("and its fields’ blocks");
  await expect(row("Opt[Opt[bool]]", "aligned").locator(".waste")).toHaveText(/waste/);
  // What has no blocks inside is counted as a whole.
  await card(page, "Flat").first().locator("summary").first().click();
  await expect(row("Flat", "uniform")).not.toContainText("blocks");
  await expect(row("Flat", "uniform").locator(".waste")).toHaveText(/\d+ wasted/);
});

test("what fails in a run is laid out all the same", async ({ page }) => {
  await openLayout(page, "(1, True)\n1 / 0\n");
  await runButton(page).click();
  await expect(problems(page)).toContainText("an integer is divided by zero");
  await showPanel(page, "Layout");
  await expect(card(page, "(int32, bool)")).toHaveCount(1);
  await expect(panel(page)).not.toContainText("What has errors");
  await write(page, "(1, True)\n1 / %nope\n");
  await expect(panel(page)).toContainText("What has errors is left out.");
});

test("what has no sums, or hundreds of variants, says so", async ({ page }) => {
  await openLayout(page, "let %x = 1;\n");
  await expect(panel(page)).toContainText("The program has no sum types");
  await focusEditor(page);
  const names = Array.from({ length: 300 }, (_, n) => `C${n}`).join(", ");
  await write(page, `type Many { ${names} }\nC7\n`);
  await expect(panel(page).locator(".variants .variant .name:not(.quiet)")).toHaveCount(50);
  await panel(page).getByRole("button", { name: "Show all 300 variants" }).click();
  await expect(panel(page).locator(".variants .variant .name:not(.quiet)")).toHaveCount(300);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe has nothing to say of the layouts in ${colorScheme}, and a phone scrolls them in their pane`, async ({ browser }) => {
    test.slow();
    const permissions = ["clipboard-read", "clipboard-write"];
    const context = await browser.newContext({ colorScheme, viewport: { width: 360, height: 740 }, permissions });
    const page = await context.newPage();
    for (const [text, name] of [[REFINE, "packed"], [SHAPES, "aligned"], [SHAPES, "uniform"]] as const) {
      await openLayout(page, text);
      await strategy(page, name).click();
      await expect(panel(page).locator(".ruler .segment").first()).toBeVisible();
      await expect(panel(page).locator(".stored").first()).toBeVisible();
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
    }
    await context.close();
  });
}

test("names that begin alike differ where they are cut", async ({ page }) => {
  const names = Array.from({ length: 4 }, (_, at) => `Constructor_with_a_long_name_${at}(int32)`);
  await openLayout(page, `type Big { ${names.join(", ")} }\nConstructor_with_a_long_name_0(1)\n`);
  const shown = card(page, "Big").locator(".variant > button.name");
  await expect(shown).toHaveCount(4);
  for (const [at, name] of (await shown.all()).entries()) {
    await expect(name).toHaveText(`Constructor_with_a_long_name_${at}`);
    await expect(name).toHaveAttribute("title", new RegExp(`Constructor_with_a_long_name_${at}$`));
    const end = name.locator(".name-text > :last-child");
    await expect(end).toHaveText(`name_${at}`);
    const [around, box] = [await name.boundingBox(), await end.boundingBox()];
    expect((box?.x ?? Infinity) + (box?.width ?? 0)).toBeLessThanOrEqual((around?.x ?? 0) + (around?.width ?? 0) + 0.5);
  }
});

test("on a phone each bit of a value has its number, where it begins", async ({ browser }) => {
  const context = await phone(browser);
  const page = await context.newPage();
  await open(page);
  await write(page, "let %v = `A;\ndef @only(%x) { match (%x) { `A => 1, `B => 2 } }\n@only(%v)\n");
  await showPanel(page, "Layout");
  const ticks = stored(page, "aligned").locator(".ticks span");
  await expect(ticks).toHaveText(["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
  await expect(stored(page, "aligned").locator(".unit")).toBeVisible();
  const ruler = await stored(page, "aligned").locator(".ruler").boundingBox();
  const [first, second] = [await ticks.nth(0).boundingBox(), await ticks.nth(1).boundingBox()];
  expect(Math.abs((first?.x ?? 0) - (ruler?.x ?? 0))).toBeLessThan(2);
  expect(Math.abs((second?.x ?? 0) + (second?.width ?? 0) / 2 - (ruler?.x ?? 0) - (ruler?.width ?? 0) / 8)).toBeLessThan(2);
  await context.close();
});
