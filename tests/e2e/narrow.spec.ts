// What is beside a wide editor, or on a phone, has room all the same.
import { deflateRawSync } from "node:zlib";
import { expect, type Locator, type Page, test } from "@playwright/test";
import { expectHover, expectValue, focusEditor, open, panel, PHONE, problems, ready, runButton, showPanel, write } from "./page.ts";

const NET = `#lang tensorscript
use lin::Linear;
use nonlin::relu;

node Net<[?, 2] -> [?, 1]> {}

weights Net<[?, 2] -> [?, 1]> {
  hidden = Linear::new(in=2, out=3);
  out = Linear::new(in=3, out=1);
}

graph Net<[?, 2] -> [?, 1]> {
  def forward(x) { x |> hidden |> relu |> out }
}
`;

/** How far each of these reaches out of the box around them, in pixels. */
const reach = (places: Locator) =>
  places.evaluateAll((all) =>
    all.map((one) => {
      const box = one.getBoundingClientRect();
      const around = one.parentElement?.getBoundingClientRect() ?? box;
      return Math.round(Math.max(0, around.left - box.left, box.right - around.right, box.bottom - around.bottom));
    }),
  );

const tabsOf = (page: Page, name: string) => page.getByRole("tablist", { name }).getByRole("tab");

test("a panel beside the editor on a narrow page cuts nothing", async ({ page }) => {
  await page.setViewportSize({ width: 768, height: 1024 });
  await open(page);
  const isWhole = async () => {
    const cut = await panel(page).evaluate((box) => {
      const { right } = box.getBoundingClientRect();
      const parts = [...box.querySelectorAll("button, summary, th, td, h2, p:not(.empty), .where")];
      return parts.filter((part) => part.getBoundingClientRect().right > right - 8 && part.getBoundingClientRect().width > 1).map((part) => part.outerHTML.slice(0, 80));
    });
    expect(cut).toEqual([]);
    expect(await panel(page).evaluate((box) => box.scrollWidth - box.clientWidth)).toBeLessThanOrEqual(0);
  };
  await runButton(page).click();
  await expect(panel(page).locator(".profile")).toBeVisible();
  await isWhole();
  // A type stands in one line, under its line and the button.
  const type = await panel(page).locator(".value .type-text").first().boundingBox();
  expect(type?.height).toBeLessThan(30);
  for (const name of ["Steps", "Why"]) {
    await showPanel(page, "Solver");
    await page.getByRole("tab", { name }).click();
    await expect(panel(page)).not.toContainText("Waiting");
    await isWhole();
  }
  await write(page, NET);
  await showPanel(page, "Layers");
  await expect(panel(page).locator("table")).toBeVisible();
  await isWhole();
});

test("a value that has no room behind its line is told by a mark beside its number", async ({ page }) => {
  await open(page);
  await write(page, `${"1 + ".repeat(24)}1\n20 + 22\n`);
  await expectValue(page, "42");
  await expect(page.locator(".value-after")).toHaveCount(1);
  await expect(page.locator(".value-mark")).toHaveCount(1);
  await expect(page.locator(".value-mark")).toHaveAttribute("title", "= 25");
  await expectHover(page, 0, "= 25");
  // A narrow editor breaks its lines, and has room behind each.
  await page.setViewportSize({ width: 768, height: 600 });
  await expect(page.locator(".value-after")).toHaveCount(2);
  await expect(page.locator(".value-mark")).toHaveCount(0);
});

test("a value that is cut short is told whole where it stands, and nowhere else in its line", async ({ page }) => {
  await open(page);
  await write(page, "\n\n`Foo(ones(shape=[2, 9]))\n");
  const after = page.locator(".value-after");
  await expect.poll(async () => (await after.allTextContents()).join("")).toMatch(/^\s*=\s`Foo\(.*…$/);
  const hover = page.locator(".monaco-hover:not(.hidden)");
  const row = "[1f, 1f, 1f, 1f, 1f, 1f, 1f, 1f, 1f]";
  await expect(async () => {
    await page.mouse.move(5, 5);
    await after.first().hover();
    await expect(hover).toContainText(`= \`Foo([${row}, ${row}])`, { timeout: 2000 });
  }).toPass({ timeout: 15_000 });
  await expectHover(page, 2, "`Foo");
  await page.locator(".editor .view-line").nth(2).locator("span > span").first().hover();
  await expect(hover).toContainText("Why this type?");
  await expect(hover).not.toContainText("= `Foo");
});

test("the list of types follows the cursor, and stays where somebody points", async ({ page }) => {
  await open(page);
  await write(page, Array.from({ length: 60 }, (_, at) => `let %v${at} = ${at};`).join("\n"));
  await expect(panel(page)).toContainText("%v59");
  const current = panel(page).locator("[aria-current=true]");
  await expect(current).toBeInViewport({ ratio: 1 });
  await page.keyboard.press("Control+Home");
  await expect(current).toContainText("%v0");
  await expect(current).toBeInViewport({ ratio: 1 });
  await panel(page).hover();
  await page.keyboard.press("Control+End");
  await expect(current).toContainText("%v59");
  await expect(current).not.toBeInViewport();
});

for (const [width, height] of [[740, 360], [844, 390], [915, 412]] as const) {
  test(`a phone on its side has all of the page in sight at ${width} by ${height}`, async ({ browser }) => {
    const context = await browser.newContext({ ...PHONE, viewport: { width, height } });
    const page = await context.newPage();
    await open(page);
    await expect(tabsOf(page, "Program and panels")).toHaveCount(8);
    await expect(problems(page)).toBeInViewport({ ratio: 1 });
    expect(await page.evaluate(() => [document.documentElement.scrollHeight - window.innerHeight, document.documentElement.scrollWidth - window.innerWidth])).toEqual([0, 0]);
    expect((await page.locator(".editor").first().boundingBox())?.height).toBeGreaterThan(6 * 21);
    await context.close();
  });
}

for (const width of [740, 800, 900]) {
  test(`all tabs are in sight on a page of ${width} pixels`, async ({ page }) => {
    await page.setViewportSize({ width, height: 600 });
    await open(page);
    await write(page, NET);
    const tabs = tabsOf(page, "Panels");
    await expect(tabs).toHaveCount(6);
    expect(await reach(tabs)).toEqual([0, 0, 0, 0, 0, 0]);
  });
}

test.describe("on a phone", () => {
  test.use(PHONE);

  test("the tabs of TensorScript stand in two rows", async ({ page }) => {
    await open(page);
    await write(page, NET);
    const tabs = tabsOf(page, "Program and panels");
    await expect(tabs).toHaveCount(7);
    expect(Math.max(...(await reach(tabs)))).toBe(0);
    const tops = await tabs.evaluateAll((all) => all.map((tab) => Math.round(tab.getBoundingClientRect().y)));
    expect(new Set(tops).size).toBe(2);
  });

  test("a value behind a line that is wrapped goes on in the next line", async ({ page }) => {
    await open(page);
    await write(page, "ones(shape=[2, 3]) + ones(shape=[2, 3]) * 2f\n");
    const pieces = page.locator(".value-after");
    await expect.poll(async () => (await pieces.allTextContents()).join("").replaceAll("\u00a0", " ")).toContain("= [[3f, 3f, 3f], [3f, 3f, 3f]]");
    for (const piece of await pieces.all()) await expect(piece).toBeInViewport({ ratio: 1 });
  });

  test("a long value behind a line takes one row more at most, wherever the run was started", async ({ page }) => {
    await open(page);
    await write(page, "reshape(sin(arange(0f, 4096f, 1f)), newshape=[64, 64])\narange(0f, 64f, 1f)\n@f(3, ones(shape=[128, 128]))\ndef @f(%n: int32, %x) { %x }\n");
    const rows = async () => {
      const tops = await page.locator(".editor-place.user .line-numbers").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top).sort((a, b) => a - b));
      return tops.slice(0, 4).map((top, index) => Math.round(((tops[index + 1] ?? top) - top) / 21));
    };
    await runButton(page).click();
    await expect(panel(page).locator(".value")).toHaveCount(3);
    await page.getByRole("tab", { name: "Program" }).tap();
    await expect(page.locator(".value-after").filter({ hasText: "…" })).toHaveCount(3);
    await expect.poll(rows).toEqual([3, 1, 2, 1]);
  });

  test("stepping through the last of many values begins at the top", async ({ page }) => {
    await open(page);
    await write(page, Array.from({ length: 12 }, (_, at) => `ones(shape=[2, ${at + 1}])`).join("\n"));
    await runButton(page).click();
    await panel(page).getByRole("button", { name: "Step through" }).last().tap();
    await expect(panel(page).locator(".stepper .said")).toBeVisible();
    expect(await panel(page).evaluate((place) => place.scrollTop)).toBe(0);
    await expect(panel(page).locator(".stepper .function-name")).toBeInViewport({ ratio: 1 });
  });

  test("programs in the page about a code are as wide as it", async ({ page }) => {
    await open(page);
    await write(page, "[1, 2, 3] + [1, 2]\n");
    await problems(page).getByText("broadcast-incompatible").tap();
    const blocks = page.getByRole("dialog").locator(".code-block");
    await expect(blocks.first()).toBeVisible();
    expect(await blocks.evaluateAll((all) => all.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))).toEqual([0, 0]);
  });

  test("a link shows the panel that it names, and the program where that is the first one", async ({ page }) => {
    const link = (panel: string) => `./?${panel}#v1.${deflateRawSync(JSON.stringify({ files: [{ name: "main.relay", text: "Some(1)\n" }], panel })).toString("base64url")}`;
    const chosen = tabsOf(page, "Program and panels").and(page.locator("[aria-selected=true]"));
    for (const [name, title] of [["layout", "Layout"], ["match", "Match"], ["ir", "IR"], ["run", "Run"], ["solver", "Solver"]] as const) {
      await page.goto(link(name));
      await expect(chosen).toHaveText(title);
      await expect(panel(page)).toBeVisible();
    }
    await open(page, link("types"));
    await expect(chosen).toContainText("Program");
    // The editor has its size when it is shown later.
    await page.goto(link("run"));
    await showPanel(page, "Program");
    await expect(page.locator(".editor-place.user .view-line").first()).toHaveText("Some(1)");
  });

  test("an error for which there is no edit takes no more room than its words", async ({ page }) => {
    await open(page);
    await write(page, "foo(1)\n");
    const row = problems(page).locator(".problem");
    const isLow = async () => {
      await expect(row).toBeVisible();
      await expect(row.locator(".mends")).toHaveCount(0);
      const [list, message, code] = [await problems(page).locator("ul").first().boundingBox(), await row.locator(".message").boundingBox(), await row.locator(".code").boundingBox()];
      expect((code?.y ?? 0) - (message?.y ?? 0) - (message?.height ?? 0)).toBeLessThan(12);
      expect((list?.y ?? 0) + (list?.height ?? 0) - (code?.y ?? 0) - (code?.height ?? 0)).toBeLessThan(24);
    };
    await isLow();
    // Nor after the next key, when the same is known of it.
    await focusEditor(page);
    await page.keyboard.press("Control+End");
    await page.keyboard.type("1");
    await page.waitForTimeout(1500);
    await expect(row.locator(".mends")).toHaveCount(0);
    await page.reload();
    await ready(page);
    await isLow();
  });

  test("what the graph says of itself hides none of it", async ({ page }) => {
    await open(page);
    await showPanel(page, "Solver");
    await panel(page).getByRole("button", { name: "To the first step" }).click();
    await panel(page).getByRole("button", { name: "One step on" }).click();
    await panel(page).getByRole("tab", { name: "Graph" }).click();
    const said = panel(page).locator(".graph-said");
    await expect(said).toHaveText("Nothing that is drawn changes in this step.");
    const picture = await panel(page).locator(".graph-view").boundingBox();
    const buttons = await panel(page).locator(".graph-buttons").boundingBox();
    const words = await said.boundingBox();
    expect(words?.y).toBeGreaterThanOrEqual((picture?.y ?? 0) + (picture?.height ?? 0));
    expect(words?.y).toBeGreaterThanOrEqual((buttons?.y ?? 0) + (buttons?.height ?? 0));
  });

  test("the palette is as wide as the screen", async ({ page }) => {
    await open(page);
    await focusEditor(page);
    await page.keyboard.press("F1");
    const names = page.locator(".quick-input-widget .monaco-list-row .label-name");
    await expect(names.first()).toBeVisible();
    const cut = await names.evaluateAll((all) => all.filter((name) => name.getBoundingClientRect().right > (name.closest(".monaco-icon-label-container")?.getBoundingClientRect().right ?? 0) + 1).map(({ textContent }) => textContent));
    expect(cut).toEqual([]);
    const box = await page.locator(".quick-input-widget").boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(PHONE.viewport.width);
  });

  test("at 320 pixels the type at the cursor and the language share a line", async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await open(page);
    const type = await page.locator(".type-line").boundingBox();
    const language = await page.locator(".language").boundingBox();
    expect(language?.y).toBe(type?.y);
  });

  test("the tabs keep their room when one counts errors", async ({ page }) => {
    await open(page);
    await write(page, NET.replace("in=3", "in=5"));
    await expect(problems(page).locator(".problem").first()).toBeVisible();
    const tabs = tabsOf(page, "Program and panels");
    await expect(tabs.first().locator(".count")).toHaveText("1");
    // The count is whole, beside the word.
    const [count, tab] = [await tabs.first().locator(".count").boundingBox(), await tabs.first().boundingBox()];
    expect((count?.y ?? 0) - (tab?.y ?? 0)).toBeGreaterThanOrEqual(2);
    const row = await page.getByRole("tablist", { name: "Program and panels" }).evaluate((list) => list.scrollWidth - list.clientWidth);
    expect(row).toBe(0);
    expect(Math.max(...(await reach(tabs)))).toBe(0);
  });

  test("what mends a problem is in sight", async ({ page }) => {
    await open(page);
    await write(page, "let %x = ones(shape=[2, 3]);\nlet %w = ones(shape=[4, 5]);\nnn.dense(%x, %w)\n");
    const fix = problems(page).getByRole("button", { name: "write shape=[2, 5]" });
    await expect(fix).toBeVisible();
    // The list has its height when the edits are there.
    await expect(async () => {
      const list = await problems(page).locator("ul").first().boundingBox();
      const box = await fix.boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual((list?.y ?? 0) + (list?.height ?? 0));
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((list?.x ?? 0) + (list?.width ?? 0));
    }).toPass();
    await expect(problems(page).locator(".mends")).toHaveCSS("mask-image", "none");
    // And the colours of the solver's steps have names.
    await showPanel(page, "Solver");
    await expect(panel(page).locator(".stop-legend .word").first()).toHaveCSS("position", "static");
  });

  test("a panel is seen from its top, wherever the one before was scrolled to", async ({ page }) => {
    await open(page);
    await showPanel(page, "IR");
    await expect(panel(page).locator(".function").first()).toBeVisible();
    await panel(page).evaluate((place) => place.scrollTo(0, 300));
    await expect.poll(() => panel(page).evaluate((place) => place.scrollTop)).toBeGreaterThan(100);
    await showPanel(page, "Solver");
    await expect(panel(page).locator(".controls")).toBeInViewport();
    expect(await panel(page).evaluate((place) => place.scrollTop)).toBe(0);
  });

  test("the tables of layers and operators are as wide as their pane", async ({ page }) => {
    await open(page);
    await write(page, NET);
    await showPanel(page, "Layers");
    const wide = (table: Locator) => table.evaluate((place) => place.scrollWidth - place.clientWidth);
    const layers = panel(page).locator(".profile-scroll");
    await expect(layers.locator("tbody tr")).toHaveCount(3);
    await expect(layers.locator("tbody tr").first()).toContainText("[?, 3]");
    expect(await wide(layers)).toBeLessThanOrEqual(0);
    await page.locator(".header").getByRole("button", { name: "Run" }).tap();
    const operators = panel(page).locator(".profile .profile-scroll");
    await expect(operators).toContainText("nn.dense");
    expect(await wide(operators)).toBeLessThanOrEqual(0);
  });

  test("no line of a long type is a bracket alone", async ({ page }) => {
    await open(page);
    await write(page, "def @f(%g: fn(Tensor[(2, 3), float32], Tensor[(4, 3), float32]) -> (Tensor[(2, 4), float32], Tensor[(3, 4), float32]), %x: List[(Tensor[(2, 3), float32], Tensor[(4, 3), float32])]) {\n  %x\n}\n");
    await showPanel(page, "Types");
    const type = panel(page).locator(".type-text").first();
    await expect(type).toContainText("List[");
    // The text of each line, by where its characters are.
    const lines = await type.evaluate((element) => {
      const found = new Map<number, string>();
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        for (let at = 0; at < (node.textContent ?? "").length; at += 1) {
          const range = document.createRange();
          range.setStart(node, at);
          range.setEnd(node, at + 1);
          const top = Math.round(range.getBoundingClientRect().top / 4);
          found.set(top, (found.get(top) ?? "") + (node.textContent ?? "")[at]);
        }
      }
      return [...found.values()];
    });
    expect(lines.length).toBeGreaterThan(8);
    expect(lines.filter((line) => /^[\s,]*[()[\]][\s()[\],]*$/.test(line))).toEqual([]);
  });
});

test("no problems take one line, and the first one makes room", async ({ page }) => {
  await open(page);
  const height = async () => (await problems(page).boundingBox())?.height;
  await write(page, "let %x = 1;\n");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  expect(await height()).toBeLessThan(60);
  await write(page, "let %x = 1 + %y;\n");
  await expect(problems(page).locator(".problem").first()).toBeVisible();
  expect(await height()).toBeGreaterThan(100);
  // Its room is taken back when it is mended, by a run at the latest.
  await write(page, "let %x = 1 + 1;\n");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await runButton(page).click();
  await expect.poll(height).toBeLessThan(60);
});

test("the bar between the columns leaves room on both sides", async ({ page }) => {
  await page.setViewportSize({ width: 900, height: 700 });
  await open(page);
  const bar = page.getByRole("separator", { name: "Width of the editor" });
  const widthOf = async (place: string) => (await page.locator(place).boundingBox())?.width ?? 0;
  await bar.focus();
  await page.keyboard.press("End");
  await expect.poll(() => widthOf(".panel-pane")).toBeLessThan(310);
  expect(await widthOf(".panel-pane")).toBeGreaterThanOrEqual(295);
  await page.keyboard.press("Home");
  await expect.poll(() => widthOf(".editor-pane")).toBeLessThan(270);
  expect(await widthOf(".editor-pane")).toBeGreaterThanOrEqual(255);
});

test("the buttons of the graph hide none of it", async ({ page }) => {
  await open(page);
  await write(page, "let %a = nn.relu(ones(shape=[2, 3]));\n");
  await showPanel(page, "Solver");
  await panel(page).getByRole("tab", { name: "Graph" }).click();
  await expect(panel(page).locator(".solver-graph g.node").first()).toBeVisible();
  const picture = await panel(page).locator(".graph-view").boundingBox();
  const buttons = await panel(page).locator(".graph-buttons").boundingBox();
  expect(buttons?.y).toBeGreaterThanOrEqual((picture?.y ?? 0) + (picture?.height ?? 0));
});

test("operators that run as one have a line each", async ({ page }) => {
  await open(page);
  await write(page, "def @f(%x: Tensor[(2, 3), float32]) { tanh(sigmoid(exp(nn.relu(%x * 2f)))) }\n@f(ones(shape=[2, 3]))\n");
  await showPanel(page, "IR");
  const fused = panel(page).locator(".ir-lines code", { hasText: "fused(" }).first();
  await expect(fused).toBeVisible();
  const lines = ((await fused.textContent()) ?? "").split("\n");
  expect(lines.length).toBeGreaterThanOrEqual(5);
  expect(lines.slice(1, -1).every((line) => /^ +s\d+ = /.test(line))).toBe(true);
  // Before and after the pass as well, beside what they were.
  await panel(page).getByRole("button", { name: /^fuse/ }).first().click();
  await panel(page).getByLabel("Show").selectOption("before and after");
  const after = panel(page).getByRole("list", { name: /after the pass/ }).first();
  await expect(after.locator("code").filter({ hasText: /^ +s0 = / })).toHaveCount(1);
  const sides = panel(page).locator(".beside").first().locator("ol");
  expect(await sides.nth(0).locator("li").count()).toBe(await sides.nth(1).locator("li").count());
});

test("an argument of a relation stays in one line", async ({ page }) => {
  await open(page);
  await write(page, "let %x = ones(shape=[2, 3]);\nreshape(%x, newshape=[3, 2])\n");
  await showPanel(page, "Solver");
  await panel(page).getByRole("tab", { name: "Rounds" }).click();
  const argument = panel(page).locator(".card .piece", { hasText: /^\s*(new)?shape=/ });
  await expect(argument).toHaveCount(2);
  expect(await argument.evaluateAll((all) => all.map((one) => one.getClientRects().length))).toEqual([1, 1]);
  expect(await argument.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height < 24))).toEqual([true, true]);
});
