// What is offered while somebody types, and what a call takes.
import { expect, type Page, test } from "@playwright/test";
import { focusEditor, open, phone, problems, text, violations, write } from "./page.ts";

const widget = (page: Page) => page.locator(".suggest-widget.visible");
const rows = (page: Page) => widget(page).locator(".monaco-list-row");
const names = (page: Page) => rows(page).locator(".label-name").allTextContents();
const hint = (page: Page) => page.locator(".parameter-hints-widget.visible");
const marked = (page: Page) => hint(page).locator(".signature .parameter.active");

/** Writes a program and goes on typing at the end of it, as a person does. */
async function type(page: Page, program: string, typed: string): Promise<void> {
  await write(page, program);
  await page.keyboard.press("Control+End");
  await page.keyboard.type(typed, { delay: 20 });
}

/** Closes whatever is open, so that the next thing to open is another one. */
async function close(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect(widget(page)).toHaveCount(0);
}

test("operators are found by their letters, with what they take and what they do", async ({ page }) => {
  await open(page);
  await type(page, "\n", "nn.de");
  await expect(rows(page).first()).toContainText("nn.dense(data, weight, …)");
  await expect(rows(page).first()).toContainText("The last axis of the data times the transposed weight");
  await page.keyboard.press("Tab");
  await expect.poll(() => text(page)).toBe("\nnn.dense");
  // Without the family too; and by a family.
  for (const [typed, first] of [["maxpool2", "nn.max_pool2d"], ["image.res", "image.resize1d"], ["qnn.den", "qnn.dense"], ["max", "max"]] as const) {
    await type(page, "\n", typed);
    await expect(rows(page).first().locator(".label-name")).toHaveText(first);
    await close(page);
  }
});

test("variables that are in scope are offered with their types", async ({ page }) => {
  await open(page);
  await write(page, "def @f(%gone: int32) { %gone }\nlet %rows = ones(shape=[2, 3]);\ndef @g(%here: bool) { let %near = 1; %here }\n");
  await expect(problems(page).getByRole("status")).toContainText(/No problems|warning|hint|info/);
  // In front of `%here }`.
  await page.keyboard.press("Control+End");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("End");
  for (let left = 0; left < "%here }".length; left += 1) await page.keyboard.press("ArrowLeft");
  await page.keyboard.type("%");
  await expect(rows(page)).toHaveCount(3);
  expect((await names(page)).sort()).toEqual(["%here", "%near", "%rows"]);
  await expect(rows(page).filter({ hasText: "%rows" })).toContainText("Tensor[(2, 3), float32]");
  await expect(rows(page).filter({ hasText: "%here" })).toContainText("bool");
});

test("names of all scripts are offered, and replaced whole", async ({ page }) => {
  await open(page);
  const program = "type Farbe { Öl(int32), grün }\nlet %größe = 1;\nlet %Δx = 2;\ndef @länge(%x: int32) { %x }\n";
  for (const [typed, first] of [["%g", "%größe"], ["%größ", "%größe"], ["%Δ", "%Δx"], ["Δ", "%Δx"], ["@lä", "@länge"], ["Ö", "Öl"], ["grü", "grün"]] as const) {
    await type(page, program, typed);
    await expect(rows(page).first().locator(".label-name"), typed).toHaveText(first);
    await page.keyboard.press("Tab");
    await expect.poll(() => text(page)).toBe(program + first);
  }
  await type(page, "%0 = 1;\n", "%");
  await expect(rows(page).first().locator(".label-name")).toHaveText("%0");
  await close(page);
  await type(page, "#lang tensorscript\ndim BREITE_Ü = 8;\nnode Größe<[?, 2] -> [?, 1]> {}\n", "weights G");
  await expect(rows(page).first().locator(".label-name")).toHaveText("Größe");
});

test("inside a call the names of its attributes are offered, and those that are given are not", async ({ page }) => {
  await open(page);
  // While the editor still reads what was pasted it closes no parenthesis: no person is so quick.
  await expect(async () => {
    await type(page, "let %x = ones(shape=[2, 3]);\n", "sum(");
    await expect.poll(() => text(page), { timeout: 1000 }).toContain("sum()");
  }).toPass();
  await page.keyboard.type("%x, ", { delay: 20 });
  await page.keyboard.type("k");
  await expect(rows(page).first().locator(".label-name")).toHaveText("keepdims=");
  await page.keyboard.press("Tab");
  await page.keyboard.type("T");
  await expect(rows(page)).toHaveCount(1);
  await page.keyboard.press("Tab");
  await expect.poll(() => text(page)).toContain("sum(%x, keepdims=True)");
  await page.keyboard.type(", ");
  await page.keyboard.press("Control+Space");
  await expect(rows(page).first().locator(".label-name")).toHaveText("axis=");
  expect(await names(page)).not.toContain("keepdims=");
});

test("types are offered where a type stands, constructors where a value does", async ({ page }) => {
  await open(page);
  const program = "type Shade { Light, Dark(int32) }\n";
  await type(page, program, "let %x: Sh");
  await expect(rows(page).first()).toContainText("Shade");
  await close(page);
  await type(page, program, "let %x: floa");
  await expect(rows(page).first().locator(".label-name")).toHaveText("float16");
  await close(page);
  await type(page, program, "Dar");
  await expect(rows(page).first().locator(".label-name")).toHaveText("Dark");
  await close(page);
  await type(page, program, "@fol");
  await expect(rows(page).first().locator(".label-name")).toHaveText("@foldl");
});

test("Enter ends the line behind a word that is complete, and completes one that is not", async ({ page }) => {
  await open(page);
  await type(page, "\n", "max");
  await expect(rows(page).first().locator(".label-name")).toHaveText("max");
  await page.keyboard.press("Enter");
  await page.keyboard.type("1");
  await expect.poll(() => text(page)).toBe("\nmax\n1");
  await type(page, "\n", "nn.rel");
  await expect(rows(page).first().locator(".label-name")).toHaveText("nn.relu");
  await page.keyboard.press("Enter");
  await expect.poll(() => text(page)).toBe("\nnn.relu");
});

test("nothing is offered in comments, in strings, for new names and for numbers", async ({ page }) => {
  await open(page);
  for (const typed of ["// nn.re", "# %", "/* nn.re", 'zeros(shape=[2], dtype="in', "let %re", "def @sum", "2", "let %x = 1; // %"]) {
    await type(page, "let %rest = 1;\n", typed);
    // Long enough for the widget, which comes at once everywhere else.
    await page.waitForTimeout(400);
    await expect(widget(page), typed).toHaveCount(0);
  }
  await type(page, "let %rest = 1;\n", "nn.re");
  await expect(rows(page).first()).toBeVisible();
});

test("a call says what it takes, and marks what is being written", async ({ page }) => {
  await open(page);
  await type(page, "let %x = ones(shape=[2, 3]);\n\n\n\n", "nn.dense(");
  await expect(hint(page)).toContainText('nn.dense(data, weight, units=None, out_dtype="")');
  await expect(marked(page)).toHaveText("data");
  await page.keyboard.type("%x, ");
  await expect(marked(page)).toHaveText("weight");
  await page.keyboard.type("%x, units=");
  await expect(marked(page)).toHaveText("units=None");
  await page.keyboard.type("3)");
  await expect(hint(page)).toHaveCount(0);
  // What comes through a pipe has its place.
  await page.keyboard.type(";\n%x |> nn.bias_add(");
  await expect(marked(page)).toHaveText("bias");
  await type(page, "def @twice(%f: fn(int32) -> int32, %n: int32) { %f(%f(%n)) }\n\n", "@twice(@id, ");
  await expect(hint(page)).toContainText("@twice(%f: fn(int32) -> int32, %n: int32) -> int32");
  await expect(marked(page)).toHaveText("%n: int32");
});

const SCRIPT = `#lang tensorscript
use lin::Linear;

dim WIDE = 8;

node Net<[?, 2] -> [?, 1]> {}

graph Net<[?, 2] -> [?, 1]> {
  def forward(x) {
    x |> first
  }
}

`;

test("in TensorScript layers are offered with their arguments, and what they need is written", async ({ page }) => {
  await open(page);
  await type(page, SCRIPT, "weights Net<[?, 2] -> [?, 1]> {\n");
  await page.keyboard.type("first = Lin");
  await expect(rows(page).first().locator(".label-name")).toHaveText("Linear::new");
  await page.keyboard.press("Tab");
  await page.keyboard.type("(");
  await expect(hint(page)).toContainText("Linear::new(in, out, bias=true)");
  await page.keyboard.type("o");
  await expect(rows(page).first().locator(".label-name")).toHaveText("out=");
  await page.keyboard.press("Tab");
  await page.keyboard.type("W");
  await expect(rows(page).first().locator(".label-name")).toHaveText("WIDE");
  await page.keyboard.press("Tab");
  await expect.poll(() => text(page)).toContain("first = Linear::new(out=WIDE)");
  await page.keyboard.press("End");
  await page.keyboard.type(";\nnorm = Batch");
  await expect(rows(page).first().locator(".label-name")).toHaveText("BatchNorm1d::new");
  await page.keyboard.press("Tab");
  await expect.poll(() => text(page)).toContain("use lin::Linear;\nuse reg::BatchNorm1d;\n");
});

test("in refine variants and variables are offered", async ({ page }) => {
  await open(page);
  const program = "#lang refine\nlet fruit : [Apple, Banana] = Apple in\nmatch fruit with\n  | Apple as found -> found\n  | ";
  await type(page, program, "Ban");
  await expect(rows(page).first().locator(".label-name")).toHaveText("Banana");
  await page.keyboard.press("Tab");
  await page.keyboard.type(" -> fr");
  await expect(rows(page).first()).toContainText("fruit");
  await expect(rows(page).first()).toContainText("[Apple, Banana]");
});

test("offers and hints fit a small phone, and are read out", async ({ browser }) => {
  const context = await phone(browser);
  const page = await context.newPage();
  await open(page);
  const fits = (place: ReturnType<typeof widget>) =>
    // It has its words before it has its place.
    expect(async () => {
      const box = await place.boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(360);
    }).toPass();
  await type(page, "let %x = ones(shape=[2, 3]);\n\n\n\n\n", "let %long_name = nn.con");
  await expect(rows(page).first().locator(".label-name")).toHaveText("nn.conv2d");
  await fits(widget(page));
  expect(await violations(page, "colours")).toEqual([]);
  await rows(page).filter({ hasText: "nn.conv2d(" }).first().tap();
  await expect.poll(() => text(page)).toContain("let %long_name = nn.conv2d");
  await page.keyboard.type("(");
  await expect(marked(page)).toHaveText("data");
  await fits(hint(page));
  await context.close();
});

test("offers come in a long program too", async ({ page }) => {
  // Each key is checked with all of it, on a machine that may do other things as well.
  test.slow();
  const timeout = 30_000;
  await open(page);
  const line = (at: number) => `def @f${at}(%x: Tensor[(2, 3), float32]) { let %y = nn.relu(%x); %y + %x }\n`;
  await write(page, Array.from({ length: 500 }, (_, at) => line(at)).join(""));
  await expect(problems(page).getByRole("status")).toContainText("No problems", { timeout });
  await focusEditor(page);
  await page.keyboard.press("Control+End");
  await page.keyboard.type("nn.r");
  await expect(rows(page).first()).toBeVisible({ timeout });
  await close(page);
  await page.keyboard.type("elu(nn.de");
  await expect(rows(page).first().locator(".label-name")).toHaveText("nn.dense", { timeout });
});
