// The machine on the page: its program before and after each pass, and a run step by step.
import { expect, type Locator, type Page, test } from "@playwright/test";
import { focusEditor, open, panel, runButton, showPanel, stopButton, violations, write } from "./page.ts";

const DOUBLE = `def @double(%l: List[int32]) -> List[int32] {
  match (%l) {
    Nil => Nil,
    Cons(%h, %t) => Cons(%h * 2, @double(%t)),
  }
}
@double(Cons(1, Cons(2, Nil)))
`;

const CELL = `let %cell = ref(1);
{
  %cell := 20;
  !%cell + 1
}
`;

const WRONG = "1 / 0\n";

const control = (page: Page, name: string | RegExp) => panel(page).getByRole("button", { name });
const marked = (page: Page, kind: "pointed-at" | "step-at") => page.locator(`.monaco-editor .${kind}`);
const where = (page: Page) => panel(page).locator(".where");

/** Writes a program, runs it and steps into the run of its first value. */
async function step(page: Page, text: string): Promise<void> {
  await write(page, text);
  await showPanel(page, "Run");
  await page.keyboard.press("Control+Enter");
  await control(page, "Step through").first().click();
  await expect(where(page)).toContainText("Step 0 of");
}

async function seek(page: Page, to: number): Promise<void> {
  const slider = panel(page).getByRole("slider");
  // How long the run is becomes known little by little.
  await expect.poll(async () => Number(await slider.getAttribute("max"))).toBeGreaterThanOrEqual(to);
  await slider.fill(String(to));
  await expect(where(page)).toContainText(`Step ${to} of`);
}

test("a pass that changed nothing is said to be so once", async ({ page }) => {
  await open(page);
  await write(page, "1 + 2\n");
  await showPanel(page, "IR");
  const current = panel(page).locator(".passes button[aria-current=true]");
  await expect(current).toContainText("counts");
  await expect(current).toContainText("Changed nothing: owners are counted");
  await expect(panel(page).locator(".idle")).toHaveText("6 more passes changed nothing: inline, inference, share, delay, fuse, reuse.");
  await panel(page).locator(".passes button", { hasText: "fold" }).click();
  await expect(panel(page).locator(".idle")).toHaveText("7 passes changed nothing: inline, inference, share, delay, fuse, reuse, counts.");
  await expect(panel(page).locator(".passes")).not.toContainText("counts");
  await panel(page).getByLabel("Fuse operators").uncheck();
  await expect(panel(page).locator(".idle")).toHaveText("6 passes changed nothing: inline, inference, share, delay, reuse, counts. Left out: fuse.");
});

test("the numbers of the passes say what they are, and stand apart", async ({ page }) => {
  await open(page);
  const calls = Array.from({ length: 1200 }, () => "@s(@s(@s(@s(@s(%x)))))").join(" + ");
  await write(page, `def @s(%x: int32) -> int32 { %x * %x + %x * 3 - %x / 2 }\ndef @f(%x: int32) -> int32 { ${calls} }\n@f(1)\n`);
  await showPanel(page, "IR");
  await expect(panel(page).locator(".passes-head")).toHaveText("instructions, and the difference");
  const inline = panel(page).locator(".passes button", { hasText: "inline" });
  await expect(inline.locator(".more")).toHaveText(/^\+\d\d,\d{3}$/);
  const reach = await inline.locator(".amount > *").evaluateAll((all) => all.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
  expect(Math.max(...reach)).toBeLessThanOrEqual(0);
  const [head, total] = [await panel(page).locator(".passes-head span").boundingBox(), await inline.locator(".total").boundingBox()];
  expect(Math.abs((head?.x ?? 0) - (total?.x ?? 0))).toBeLessThan(12);
});

test("the IR panel shows what each pass did, and a line lights up its source", async ({ page }) => {
  await open(page);
  await write(page, DOUBLE);
  await showPanel(page, "IR");
  const text = panel(page).locator(".function").filter({ hasText: "@double" }).last();
  await expect(text).toContainText("switch %l");
  await text.getByText("multiply").first().hover();
  await expect(marked(page, "pointed-at")).toHaveCount(1);
  await expect(text.getByText("unbox").first()).toHaveAttribute("title", /Takes a value out of its block/);
  await text.getByText("switch").first().click();
  await expect(page.locator(".monaco-editor.focused")).toBeVisible();
  await expect(text.locator("li.lit").filter({ hasText: "switch" })).toHaveCount(1);

  await panel(page).getByRole("button", { name: /^counts/ }).click();
  await expect(text.locator("li.added").first()).toBeVisible();
  await panel(page).getByRole("button", { name: /^lower/ }).click();
  await expect(text.locator("li.added")).toHaveCount(0);
  await panel(page).getByLabel("Layout").selectOption("uniform");
  await panel(page).getByText("Layouts and constants").click();
  await expect(panel(page).locator(".words").first()).toContainText("List[int32]");
});

test("a match on a list is stepped through, forwards and backwards", async ({ page }) => {
  await open(page);
  await step(page, DOUBLE);
  await expect(panel(page).locator(".said")).toContainText("Before the first instruction");
  await control(page, "One step on, into calls").click();
  await expect(where(page)).toContainText("Step 1 of");
  await expect(marked(page, "step-at").first()).toBeVisible();
  // On to the first instruction of the match's function, then into it.
  for (let n = 2; n < 42 && !(await panel(page).locator(".ir-lines .current").textContent())?.includes("switch"); n += 1) {
    await page.keyboard.press("i");
    await expect(where(page)).toContainText(`Step ${n} of`);
  }
  const current = panel(page).locator(".ir-lines .current");
  await expect(current).toContainText("switch %l");
  await expect(panel(page).locator(".frame.inner")).toContainText("%l");
  await expect(panel(page).locator(".frame.inner")).toContainText("Cons(1, Cons(2, Nil))");
  await page.keyboard.press("i");
  await expect(panel(page).locator(".said")).toContainText("Looks which variant or number a value is");
  await expect(current).toContainText("open Cons");
  await page.keyboard.press("b");
  await expect(current).toContainText("switch %l");
  await page.keyboard.press("u");
  await expect(panel(page).locator(".comes-to")).toContainText("Cons(2, Cons(4, Nil))");
  await page.keyboard.press("f");
  await expect(where(page)).toContainText("Step 0 of");
  await page.keyboard.press("Escape");
  await expect(panel(page)).toContainText("Ran in");
});

test("the arrows, Home, End and the space bar go through a run as through the solver's steps", async ({ page }) => {
  await open(page);
  await step(page, DOUBLE);
  await page.keyboard.press("ArrowRight");
  await expect(where(page)).toContainText("Step 1 of");
  await page.keyboard.press("ArrowRight");
  await expect(where(page)).toContainText("Step 2 of");
  await page.keyboard.press("ArrowLeft");
  await expect(where(page)).toContainText("Step 1 of");
  await page.keyboard.press("End");
  await expect(panel(page).locator(".comes-to")).toContainText("Cons(2, Cons(4, Nil))");
  await page.keyboard.press("Home");
  await expect(where(page)).toContainText("Step 0 of");
  await page.keyboard.press("Space");
  await expect(control(page, "Pause")).toBeVisible();
  await page.keyboard.press("Space");
  await expect(control(page, "Play")).toBeVisible();
  // A button has the space bar to itself, and the layouts have the arrows.
  await page.keyboard.press("Home");
  await control(page, "Over the call").focus();
  await page.keyboard.press("Space");
  await expect(where(page)).toContainText("Step 1 of");
  await panel(page).getByLabel("Layout").focus();
  await page.keyboard.press("End");
  await expect(panel(page).getByLabel("Layout")).toHaveValue("uniform");
});

test("who plays, pauses and plays again sees one step at a time", async ({ page }) => {
  await page.addInitScript(() => {
    const Original = Worker;
    const moves: number[] = [];
    Object.assign(window, { moves });
    window.Worker = class extends Original {
      override postMessage(message: unknown) {
        if ((message as { move?: { to?: string } }).move?.to === "into") moves.push(performance.now());
        super.postMessage(message);
      }
    };
  });
  await open(page);
  await step(page, DOUBLE);
  // Before the first step has been answered.
  await page.locator(".stepper").evaluate((stepper) => {
    for (const _ of ["play", "pause", "play"]) stepper.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true }));
  });
  const moves = () => page.evaluate(() => (window as unknown as { moves: number[] }).moves);
  await expect.poll(async () => (await moves()).length).toBeGreaterThanOrEqual(6);
  const played = (await moves()).slice(1);
  const gaps = played.slice(1).map((time, at) => time - (played[at] ?? 0));
  expect(Math.min(...gaps), `milliseconds between steps: ${gaps.map(Math.round)}`).toBeGreaterThan(200);
});

test("the bytes of a cell change, and every layout comes to the same value", async ({ page }) => {
  await open(page);
  await step(page, CELL);
  const block = panel(page).locator(".block").filter({ hasText: "cell" });
  const byte = block.locator(".byte-bytes span").first();
  let n = 0;
  // One step at a time, since what one did is not marked any more after the next.
  const stepUntil = async (place: Locator) => {
    while ((await place.count()) === 0) {
      await page.keyboard.press("i");
      await expect(where(page)).toContainText(`Step ${(n += 1)} of`);
    }
  };
  await stepUntil(block);
  await expect(block).toHaveCount(1);
  await expect(byte).toHaveText("01");
  await stepUntil(block.locator(".badge", { hasText: "written" }));
  await expect(block.locator(".badge")).toHaveText("written");
  await expect(byte).toHaveText("14");
  await expect(byte).toHaveClass("different");
  await expect(panel(page).locator(".said")).toContainText("was written");
  await page.keyboard.press("b");
  await expect(byte).toHaveText("01");

  // What a part holds is whole.
  const over = await panel(page).locator(".byte-ruler .part").evaluateAll((parts) => parts.map((part) => part.scrollHeight - part.clientHeight));
  expect(over.length).toBeGreaterThan(0);
  expect(Math.max(...over)).toBeLessThanOrEqual(0);

  for (const layout of ["packed", "uniform"]) {
    await panel(page).getByLabel("Layout").selectOption(layout);
    await expect(panel(page).locator(".said")).toContainText(`the layout ${layout}`);
    await page.locator(".stepper").focus();
    await page.keyboard.press("l");
    await expect(panel(page).locator(".comes-to")).toContainText("21");
    await seek(page, 1);
  }
});

test("a run that fails ends at the step that failed", async ({ page }) => {
  await open(page);
  await step(page, WRONG);
  await page.keyboard.press("l");
  await expect(panel(page).locator(".said .failed")).toContainText("an integer is divided by zero");
  await expect(panel(page).locator(".said code").first()).toContainText("divide");
  await expect(panel(page).locator(".ir-lines .current")).toContainText("divide");
  await expect(control(page, "One step on, into calls")).toHaveAttribute("aria-disabled", "true");
});

test("operators that run as one are named", async ({ page }) => {
  await open(page);
  await step(page, "def @chain(%x: Tensor[(2), float32]) { tanh(exp(%x)) }\n@chain([1f, 2f])\n");
  const current = panel(page).locator(".ir-lines .current");
  for (let n = 1; n < 20 && !(await current.textContent())?.includes("fused"); n += 1) {
    await page.keyboard.press("i");
    await expect(where(page)).toContainText(`Step ${n} of`);
  }
  await page.keyboard.press("i");
  await expect(panel(page).locator(".said")).toContainText("{ … } Computes exp, tanh in one go.");
});

test("a tensor has its own sizes, where the program's type leaves them open", async ({ page }) => {
  await open(page);
  // The values of a large one are not looked at.
  for (const [rows, columns] of [[2, 3], [300, 200]]) {
    await step(page, `def @chain(%x: Tensor[(?, ?), float32]) { tanh(exp(%x)) }\n@chain(ones(shape=[${rows}, ${columns}]))\n`);
    await seek(page, 1);
    await expect(panel(page).locator(".variable")).toContainText(`Tensor[(${rows}, ${columns}), float32]`);
  }
});

/** Goes on to a line by the palette of the editor. */
async function runTo(page: Page, line: number): Promise<void> {
  await focusEditor(page);
  await page.keyboard.press("Control+Home");
  for (let at = 1; at < line; at += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("F1");
  await page.keyboard.type("run to cursor");
  await page.keyboard.press("Enter");
}

test("a run to the cursor is that of the expression there, or the first one that comes there", async ({ page }) => {
  await open(page);
  await write(page, "def @f(%x) {\n  %x + 1\n}\ndef @g(%x) {\n  %x * 2\n}\n@f(3)\n@g(4)\n");
  await expect(page.locator(".value-after")).toHaveCount(2);
  const name = panel(page).locator(".function-name");
  const said = panel(page).locator(".said");
  await runTo(page, 8);
  await expect(name).toContainText("fnline 8");
  await expect(said).toContainText("Before the first instruction.");
  // Another expression is another run.
  await runTo(page, 7);
  await expect(name).toContainText("fnline 7");
  for (const [line, function_] of [[5, "fn on line 8"], [2, "fn on line 7"]] as const) {
    await page.locator(".stepper").focus();
    await page.keyboard.press("Escape");
    await runTo(page, line);
    await expect(name).toContainText(`${function_}line ${line}`);
  }
  // In the run that is looked at there is nothing further.
  await runTo(page, 2);
  await expect(said).toContainText("The run ended without coming to this line again.");
  await page.locator(".stepper").focus();
  await page.keyboard.press("Escape");
  await runTo(page, 3);
  await expect(said).toContainText("None of the runs comes to this line.");
  // What fails in a run is no reason not to know which of them stands there.
  await step(page, "1 / 0\n1 + 1\n2 + 2\n");
  await runTo(page, 2);
  await expect(name).toContainText("fnline 2");
  await page.keyboard.press("Escape");
  // Where one has an error, the others are run all the same.
  await write(page, "def @f(%x) {\n  %x + 1\n}\n%nope\n1 + 1\n@f(3)\n");
  await runTo(page, 6);
  await expect(name).toContainText("fnline 6");
});

test("a block that is kept to be used again has no owners to count", async ({ page }) => {
  await open(page);
  await step(page, DOUBLE);
  const said = panel(page).locator(".said");
  const all: string[] = [];
  for (let n = 1; !(await panel(page).locator(".comes-to").isVisible()); n += 1) {
    await page.keyboard.press("ArrowRight");
    await expect(where(page)).toContainText(`Step ${n} of`);
    all.push(await said.innerText());
  }
  expect(all.some((text) => text.includes("is kept to be used again."))).toBe(true);
  expect(all.filter((text) => text.includes("undefined"))).toEqual([]);
});

test("what was pointed at in a run is not marked when the run is left", async ({ page }) => {
  await open(page);
  await step(page, DOUBLE);
  await panel(page).locator(".ir-lines li").first().hover();
  await expect(marked(page, "pointed-at")).not.toHaveCount(0);
  await page.locator(".stepper").focus();
  await page.keyboard.press("Escape");
  await expect(panel(page)).toContainText("Ran in");
  await expect(marked(page, "pointed-at")).toHaveCount(0);
});

test("whoever runs the program while stepping sees its values", async ({ page }) => {
  await open(page);
  await step(page, DOUBLE);
  await runButton(page).click();
  await expect(panel(page).locator(".outcome")).toContainText("Ran in");
  await expect(panel(page).locator(".stepper")).toHaveCount(0);
  await write(page, "def @loop(%n: int32) -> int32 { if (%n == 0) { 0 } else { @loop(%n + 1) } }\n@loop(1)\n");
  await control(page, "Step through").click();
  await expect(where(page)).toContainText("Step 0 of");
  await page.keyboard.press("Control+Enter");
  await expect(panel(page).locator(".running")).toContainText("now in line 1");
  await stopButton(page).click();
  await expect(panel(page).locator(".outcome")).toContainText("Stopped after");
});

test("a run goes on to the line of the cursor, and ends with an edit", async ({ page }) => {
  await open(page);
  await write(page, DOUBLE);
  await page.keyboard.press("Control+Home");
  for (let line = 1; line < 4; line += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("F1");
  await page.keyboard.type("run to cursor");
  await page.keyboard.press("Enter");
  await expect(panel(page).locator(".frame.inner")).toContainText("line 4");
  await page.locator(".editor .monaco-editor").first().click();
  await page.keyboard.type(" ");
  await expect(panel(page).locator(".stepper")).toHaveCount(0);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe has nothing to say of the machine in ${colorScheme}, and a phone has room for it`, async ({ browser }) => {
    test.slow();
    const permissions = ["clipboard-read", "clipboard-write"];
    const context = await browser.newContext({ colorScheme, viewport: { width: 360, height: 740 }, permissions });
    const page = await context.newPage();
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await open(page);
    await write(page, DOUBLE);
    await showPanel(page, "IR");
    await expect(panel(page).locator(".ir-lines").first()).toBeVisible();
    for (const summary of await panel(page).locator(".legend-of summary").all()) await summary.click();
    expect(await violations(page), "IR").toEqual([]);
    expect(await overflow()).toBeLessThanOrEqual(0);
    await showPanel(page, "Run");
    await page.keyboard.press("Control+Enter");
    await control(page, "Step through").first().click();
    await seek(page, 20);
    expect(await violations(page), "step").toEqual([]);
    expect(await overflow()).toBeLessThanOrEqual(0);
    await context.close();
  });
}
