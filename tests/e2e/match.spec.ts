// The Match panel: what is under the cursor, as a tree that answers to mouse, keyboard and screen reader.
import { expect, type Page, test } from "@playwright/test";
import { focusEditor, open, panel, showPanel, violations, write } from "./page.ts";

const LIST = `def @last(%list, %default) {
  match (%list) {
    Nil => %default,
    Cons(%only, Nil) => %only,
    Cons(_, %rest) => @last(%rest, %default),
    Cons(%x, Cons(_, _)) => %x,
  }
}
def @light(%x) { match (%x) { \`Red => 1, \`Green | \`Amber => 2 } }
`;

const MISSING = `type Light { Red, Amber, Green }
def @f(%a: Light, %b: Light) {
  match ((%a, %b)) {
    (Red | Amber, _) => 1,
    (Green, Red) => 2,
  }
}
`;

const node = (page: Page, name: string | RegExp) => panel(page).getByRole("button", { name });
const marked = (page: Page) => page.locator(".monaco-editor .pointed-at");

async function openMatch(page: Page, text: string): Promise<void> {
  await open(page);
  await write(page, text);
  await showPanel(page, "Match");
}

test("the match at the cursor is drawn, and arms and leaves point at each other and at the program", async ({ page }) => {
  await openMatch(page, LIST);
  await page.keyboard.press("Escape");
  await focusEditor(page);
  await page.keyboard.press("Control+Home");
  await expect(panel(page)).toContainText("match %list");
  await expect(node(page, "look at %list")).toBeVisible();
  await expect(panel(page).locator(".arms li")).toHaveCount(4);
  await expect(panel(page).locator(".arms .unreached")).toContainText("never taken: the pattern on line 5");

  await panel(page).locator(".arms button").nth(1).hover();
  await expect(marked(page)).toHaveCount(1);
  await expect(panel(page).locator(".node.leaf.lit")).toHaveAttribute("aria-label", /^arm 2,.*%only is field 1 of Cons in %list/);
  await node(page, /^arm 3/).first().hover();
  await expect(panel(page).locator(".arms button.lit")).toContainText("Cons(_, %rest)");
  await node(page, /^arm 1/).click();
  await expect(page.locator(".monaco-editor.focused")).toBeVisible();

  await panel(page).getByRole("button", { name: "Next match" }).click();
  await expect(panel(page)).toContainText("2 of 2");
  await expect(panel(page)).toContainText("`Amber | `Green");
  // Where it leads no further, whoever came by key is still there.
  await expect(panel(page).getByRole("button", { name: "Next match" })).toBeFocused();
  await expect(panel(page).getByRole("button", { name: "Next match" })).toHaveAttribute("aria-disabled", "true");
  await panel(page).getByText("The tree as a list").click();
  await expect(panel(page).locator(".twin")).toContainText("look at %x");
});

test("missing cases are leaves in the colour of errors", async ({ page }) => {
  await openMatch(page, MISSING);
  await expect(node(page, "no arm for (Green, Amber | Green)")).toBeVisible();
  await expect(panel(page).locator(".node.fail")).toHaveCount(1);
});

test("the tree answers to the keyboard", async ({ page }) => {
  await openMatch(page, MISSING);
  await node(page, "look at %a").focus();
  await page.keyboard.press("ArrowRight");
  await expect(panel(page).locator(".node:focus")).toHaveCount(1);
  await expect(panel(page).locator(".node:focus")).not.toHaveClass(/switch.*%a/);
  await page.keyboard.press("ArrowLeft");
  await expect(node(page, "look at %a")).toBeFocused();
  await expect(panel(page).locator(".node[tabindex='0']")).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect(page.locator(".monaco-editor.focused")).toBeVisible();
});

test("a large tree says that it is cut, and typing goes on", async ({ page }) => {
  const arms = Array.from({ length: 400 }, (_, n) => `    ${n} => ${n + 1},`).join("\n");
  await openMatch(page, `def @f(%n: int32) {\n  match (%n) {\n${arms}\n  }\n}\n`);
  await expect(panel(page)).toContainText("101 more nodes are not drawn");
  await expect(panel(page).locator(".node.leaf").first()).toBeAttached();
});

test("a program without a match says so", async ({ page }) => {
  await openMatch(page, "let %x = 1;\n");
  await expect(panel(page)).toContainText("The program has no match");
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe has nothing to say of the tree in ${colorScheme}, and a phone scrolls it in its pane`, async ({ browser }) => {
    test.slow();
    const permissions = ["clipboard-read", "clipboard-write"];
    const context = await browser.newContext({ colorScheme, viewport: { width: 360, height: 740 }, permissions });
    const page = await context.newPage();
    await openMatch(page, LIST);
    await expect(panel(page).locator(".node.leaf").first()).toBeVisible();
    await panel(page).getByText("The tree as a list").click();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
    await context.close();
  });
}

test("names that begin alike differ where they are cut, and a tree that goes on says so", async ({ page }) => {
  const names = Array.from({ length: 12 }, (_, at) => `Constructor_with_a_name_that_is_longer_than_most_${at}`);
  const arms = names.slice(0, -1).map((name, at) => `${name} => ${at}`).join(", ");
  await openMatch(page, `type Big { ${names.join(", ")} }\ndef @f(%a: Big, %b: Big) { match (%a) { ${arms}, _ => match (%b) { ${arms}, _ => 11 } } }\n`);
  const cases = panel(page).locator(".tree .case");
  await expect(cases).toHaveCount(12);
  const texts = await cases.locator("text").allTextContents();
  expect(new Set(texts).size).toBe(12);
  expect(texts).toContain("Constructor_with_a_…_longer_than_most_10");
  await expect(cases.first().locator("title")).toHaveText(/^Constructor_with_a_name_that_is_longer_than_most_\d+$/);
  // Its letters are no smaller than can be read.
  const scale = await panel(page).locator(".tree").evaluate((tree) => tree.getBoundingClientRect().width / (tree as unknown as SVGSVGElement).viewBox.baseVal.width);
  expect(scale).toBeGreaterThan(0.91);
  expect(scale).toBeLessThanOrEqual(1);
  await expect(panel(page).locator(".tree-scroll")).toHaveCSS("background-attachment", /local, local, scroll, scroll/);
});

test("where a field is bound, its number is there however long its constructor's name is", async ({ page }) => {
  await openMatch(page, "type S { Rectangle(float32, float32), Circle(float32) }\ndef @f(%s: S) { match (%s) { Rectangle(%w, %h) => %w * %h, Circle(%r) => %r } }\n");
  await expect(panel(page).locator(".tree .node.leaf").first()).toContainText("%w = field 1 of");
  await expect(panel(page).locator(".tree .node.leaf").first()).toContainText("%h = field 2 of");
});

test("what has room is drawn whole, and what has none ends where it is cut", async ({ page }) => {
  const names = Array.from({ length: 12 }, (_, at) => `Variant${at}`);
  await openMatch(page, `type Big { ${names.join(", ")}, Rest }\ndef @f(%b: Big) { match (%b) { ${names.slice(0, 3).join(" | ")} => 1, ${names.slice(3).join(" | ")} => 2, Rest => 3 } }\n`);
  const leaves = panel(page).locator(".tree .node.leaf text");
  await expect(leaves.filter({ hasText: /^1/ })).toHaveText("1  Variant0 | Variant1 | Variant2");
  await expect(leaves.filter({ hasText: /^2/ })).toHaveText(/^2 {2}Variant3 \| Variant4 \| Variant5 \| Var.*…$/);
  const isInside = () =>
    panel(page).locator(".tree .node").evaluateAll((nodes) =>
      nodes.every((node) => {
        const box = node.querySelector("rect")?.getBoundingClientRect();
        return [...node.querySelectorAll("text")].every((text) => text.getBoundingClientRect().right <= (box?.right ?? 0));
      }),
    );
  expect(await isInside()).toBe(true);
});
