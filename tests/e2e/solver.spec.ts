// The solver on the page: every step of a real check, its graph, and the answers to why and why not.
import { deflateRawSync } from "node:zlib";
import { readFile } from "node:fs/promises";
import { expect, type Locator, type Page, test } from "@playwright/test";
import { focusEditor, open, panel, problems, ready, share, showPanel, text, violations, write } from "./page.ts";

const NET = `def @net(%x: Tensor[(2, 1, 28, 28), float32], %w: Tensor[(20, 1, 5, 5), float32]) {
  let %c = nn.conv2d(%x, %w);
  let %p = nn.max_pool2d(nn.relu(%c), pool_size=[2, 2], strides=[2, 2]);
  nn.batch_flatten(%p)
}
`;

/** The broken network of the examples. */
const BROKEN = "A network that does not fit";

const WRONG = `let %a = ones(shape=[2, 3]);
let %b = ones(shape=[4]);
%a + %b
`;

const pack = (value: unknown) => `#v1.${deflateRawSync(JSON.stringify(value)).toString("base64url")}`;
const linked = (source: string, solver: unknown, selection?: unknown) => pack({ files: [{ name: "main.relay", text: source }], panel: "solver", solver, selection });

const caption = (page: Page) => panel(page).locator(".solver-caption");
const where = (page: Page) => panel(page).locator(".where");
const slider = (page: Page) => panel(page).getByRole("slider", { name: "Time" });
const control = (page: Page, name: string | RegExp) => panel(page).getByRole("button", { name, exact: typeof name === "string" });
const inner = (page: Page, name: string) => panel(page).getByRole("tab", { name });
const marked = (page: Page, kind: "pointed-at" | "lit-up") => page.locator(`.monaco-editor .${kind}`);

/** Where one stands, and how many steps there are. */
async function at(page: Page): Promise<{ step: number; of: number }> {
  const [step = 0, of = 0] = (await where(page).textContent())?.match(/[\d,]+/g)?.map((n) => Number(n.replaceAll(",", ""))) ?? [];
  return { step, of };
}

async function openSolver(page: Page, source: string): Promise<void> {
  await write(page, source);
  await showPanel(page, "Solver");
  await expect(where(page)).toBeVisible();
}

/** Puts the cursor at the first place of a text in the program. */
async function putCursor(page: Page, source: string, at: string, offset = 1): Promise<void> {
  const place = source.indexOf(at) + offset;
  const before = source.slice(0, place).split("\n");
  await focusEditor(page);
  await page.keyboard.press("Control+Home");
  for (let line = 1; line < before.length; line += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Home");
  await page.keyboard.press("Home");
  const column = before.at(-1)?.length ?? 0;
  for (let n = 0; n < column; n += 1) await page.keyboard.press("ArrowRight");
}

async function openExample(page: Page, title: string): Promise<void> {
  await page.getByRole("button", { name: "Examples" }).click();
  await page.getByRole("searchbox").fill(title);
  await page.locator(".gallery button").filter({ hasText: title }).first().click();
}

test("a broken network: why not, the first fix, why a dim, the deciding step, and a link to it", async ({ page, browser }) => {
  test.slow();
  await open(page);
  await openExample(page, BROKEN);
  const problem = problems(page).locator(".problem.error").first();
  await problem.getByRole("button", { name: "Why not?" }).click();
  const core = panel(page).locator(".core li");
  await expect(core.first()).toBeVisible();
  expect(await core.count()).toBeGreaterThan(1);
  await expect(marked(page, "lit-up").first()).toBeVisible();
  await expect(panel(page).locator(".ranked li").first()).toContainText("line");

  const before = await text(page);
  await panel(page).locator(".fixes .button").first().click();
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await expect.poll(() => text(page)).not.toBe(before);
  await focusEditor(page);
  await page.keyboard.press("Control+Z");
  await expect.poll(() => text(page)).toBe(before);
  await page.keyboard.press("Control+Y");
  await expect.poll(() => text(page)).not.toBe(before);
  await expect(problems(page).getByRole("status")).toHaveText("No problems");

  // Why is the width of the flattened tensor what it is?
  await showPanel(page, "Solver");
  await inner(page, "Why").click();
  // What the editor shows may be on its way still when the cursor is put by keys.
  await expect(async () => {
    await putCursor(page, await text(page), "%flat");
    await expect(panel(page).getByRole("heading", { name: "Why is %flat what it is?" })).toBeVisible({ timeout: 2000 });
  }).toPass();
  const pieces = panel(page).locator(".piece-button");
  await expect(pieces.filter({ hasText: /^\d+$/ })).toHaveCount(2);
  await pieces.filter({ hasText: /^\d+$/ }).last().click();
  await expect(panel(page).locator(".why-sentence")).toContainText(/=.*·/);
  await expect(panel(page).locator(".why-sentence")).toContainText("batch_flatten");
  const lines = panel(page).locator(".derivation li");
  expect(await lines.count()).toBeGreaterThan(1);
  await lines.last().hover();
  await expect(marked(page, "pointed-at").first()).toBeVisible();

  await control(page, /^To the step that decided it/).click();
  await expect(where(page)).toContainText("Step");
  const { step } = await at(page);
  expect(step).toBeGreaterThan(0);
  await expect(caption(page)).not.toHaveText("");
  const said = await caption(page).textContent();
  // There and back by hand.
  await slider(page).focus();
  await page.keyboard.press("ArrowLeft");
  await expect(caption(page)).not.toHaveText(said ?? "");
  await page.keyboard.press("ArrowRight");
  await expect(caption(page)).toHaveText(said ?? "");

  const link = await share(page);
  const elsewhere = await browser.newContext();
  const fresh = await elsewhere.newPage();
  await open(fresh, link);
  await expect(where(fresh)).toContainText(`Step ${step.toLocaleString("en")} of`);
  await expect(caption(fresh)).toHaveText(said ?? "");
  expect(await violations(fresh)).toEqual([]);
  await elsewhere.close();
});

test("the timeline goes forwards and back by mouse and keys, and to what failed", async ({ page }) => {
  await open(page);
  await openSolver(page, WRONG);
  // One begins at what failed.
  const { step: failed, of } = await at(page);
  await expect(caption(page)).toContainText(/fail|cannot|do not|not/i);
  await control(page, "To the first step").click();
  expect((await at(page)).step).toBe(0);
  await control(page, "One step on").click();
  expect((await at(page)).step).toBe(1);
  await expect(panel(page).locator(".card").first()).toBeVisible();
  await page.keyboard.press("End");
  expect((await at(page)).step).toBe(of);
  await page.keyboard.press("b");
  expect((await at(page)).step).toBe(of - 1);
  await page.keyboard.press("Home");
  await page.keyboard.press("n");
  expect((await at(page)).step).toBe(failed);
  await expect(panel(page).locator(".current-relation .badge")).toHaveText("failed");
  await expect(slider(page)).toHaveAttribute("aria-valuetext", /a relation failed/);

  await page.keyboard.press("Home");
  await control(page, "Play").click();
  await expect.poll(async () => (await at(page)).step).toBeGreaterThan(1);
  await control(page, "Pause").click();
  const { step } = await at(page);
  await page.waitForTimeout(1200);
  expect((await at(page)).step).toBe(step);
});

test("filters leave out steps and say how many", async ({ page }) => {
  await open(page);
  await openSolver(page, NET);
  const { of } = await at(page);
  const steps = async () => Number(await slider(page).getAttribute("max"));
  expect(await steps()).toBe(of);
  await panel(page).locator(".filters summary").click();
  await panel(page).getByLabel("Hide plain unifications").check();
  const hidden = of - (await steps());
  expect(hidden).toBeGreaterThan(0);
  await expect(panel(page).locator(".stop-legend")).toContainText(`${hidden} left out`);
  const relations = panel(page).getByLabel("Relation: only this one");
  const names = await relations.locator("option").allTextContents();
  expect(names).toContain("Equal");
  await relations.selectOption({ index: names.findIndex((name, index) => index > 0 && name !== "Equal") });
  const few = await steps();
  expect(few).toBeGreaterThan(0);
  expect(few).toBeLessThan(of - hidden);
  await control(page, "show all").click();
  expect(await steps()).toBe(of);
});

test("what one points at is lit in the program, and the cursor marks what it is about", async ({ page }) => {
  await open(page);
  await openSolver(page, NET);
  await page.locator(".solver .time input").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  const card = panel(page).locator(".card").first();
  await card.hover();
  await expect(marked(page, "pointed-at").first()).toBeVisible();
  await page.mouse.move(5, 5);
  await expect(marked(page, "pointed-at")).toHaveCount(0);
  await putCursor(page, NET, "nn.batch_flatten");
  await slider(page).focus();
  await page.keyboard.press("End");
  await expect(panel(page).locator(".class-table tr.lit").first()).toBeVisible();

  // The jumps go to steps that speak of the type at the cursor.
  await page.keyboard.press("Home");
  await page.keyboard.press("t");
  await expect.poll(async () => (await at(page)).step).toBeGreaterThan(0);
  const { step: first } = await at(page);
  await page.keyboard.press("d");
  await expect.poll(async () => (await at(page)).step).toBeGreaterThanOrEqual(first);

  await panel(page).getByLabel("Classes as").selectOption("forest");
  await expect(panel(page).locator(".forest .root").first()).toBeVisible();
});

test("the graph keeps its places, answers to keys, and can be read as a list", async ({ page }) => {
  await open(page);
  await openSolver(page, NET);
  await inner(page, "Graph").click();
  const nodes = panel(page).locator(".solver-graph g.node");
  await expect(nodes.first()).toBeVisible();
  const places = () => nodes.evaluateAll((all) => Object.fromEntries(all.map((node) => [node.getAttribute("data-node"), node.getAttribute("transform")])));
  await control(page, "All of it (0)").click();
  const before = await places();
  const view = panel(page).locator(".solver-graph > g");
  await slider(page).focus();
  await page.keyboard.press("End");
  await expect(panel(page).locator(".solver-graph g.of-relation.solved, .solver-graph g.of-relation.generalised").first()).toBeVisible();
  const after = await places();
  for (const [node, place] of Object.entries(before)) if (after[node] !== undefined) expect(after[node]).toBe(place);

  await panel(page).locator(".graph-view").focus();
  const moved = await view.getAttribute("transform");
  await page.keyboard.press("+");
  expect(await view.getAttribute("transform")).not.toBe(moved);
  await control(page, "All of it (0)").click();
  await panel(page).locator(".solver-graph g.node[tabindex='0']").focus();
  const label = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");
  expect(await label()).toMatch(/^(variable|relation) /);
  const first = await label();
  await page.keyboard.press("ArrowRight");
  await expect.poll(label).not.toBe(first);
  await expect.poll(label).toMatch(/^(variable|relation) /);

  await panel(page).getByText("The graph as a list").click();
  await expect(panel(page).locator(".graph-list .twin li").filter({ hasText: "nn.batch_flatten" }).first()).toContainText(/solved.*from.*to/);
});

test("a finger moves the graph as far as it goes, and two change its size", async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, hasTouch: true, permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  await open(page);
  await openSolver(page, NET);
  await inner(page, "Graph").click();
  await expect(panel(page).locator(".solver-graph g.node").first()).toBeVisible();
  const box = await panel(page).locator(".graph-view").boundingBox();
  const [x, y] = [(box?.x ?? 0) + 60, (box?.y ?? 0) + 30];
  const fingers = await context.newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...touchPoints: { x: number; y: number; id: number }[]) => fingers.send("Input.dispatchTouchEvent", { type, touchPoints });
  const view = () =>
    panel(page).locator(".solver-graph > g").evaluate((group) => {
      const { a = NaN, e = NaN } = (group as SVGGElement).transform.baseVal.consolidate()?.matrix ?? {};
      return { a, e };
    });
  const steps = Array.from({ length: 10 }, (_, step) => step + 1);

  const before = await view();
  await touch("touchStart", { x, y, id: 0 });
  for (const step of steps) await touch("touchMove", { x: x + 12 * step, y, id: 0 });
  await touch("touchEnd");
  await expect.poll(async () => (await view()).e - before.e).toBeCloseTo(120, 0);

  const { a } = await view();
  const apart = (by: number) => [{ x, y, id: 0 }, { x: x + by, y, id: 1 }];
  await touch("touchStart", ...apart(40));
  for (const step of steps) await touch("touchMove", ...apart(40 + 4 * step));
  await touch("touchEnd");
  await expect.poll(async () => (await view()).a / a).toBeCloseTo(2, 1);
  await context.close();
});

test("pictures, the trace and the text can be taken along", async ({ page }) => {
  await open(page);
  await openSolver(page, NET);
  const save = async (name: string) => {
    const [download] = await Promise.all([page.waitForEvent("download"), control(page, name).click()]);
    return { name: download.suggestedFilename(), text: await readFile((await download.path()) ?? "", "utf8") };
  };
  const step = await save("Step as SVG");
  expect(step.name).toMatch(/^step-\d+\.svg$/);
  for (const part of ["<title", "<desc", "xmlns=", "Step"]) expect(step.text).toContain(part);
  expect(step.text).not.toMatch(/var\(|<script|href=/);
  const trace = JSON.parse((await save("Trace as JSON")).text);
  expect(trace.events.length).toBeGreaterThan(5);
  await control(page, "Copy as text").click();
  const inClipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(inClipboard).toContain("of the solver");
  const copied = await inClipboard();
  expect(copied).toContain("nn.conv2d(%x, %w)");

  await inner(page, "Graph").click();
  await expect(panel(page).locator(".solver-graph g.node").first()).toBeVisible();
  const graph = await save("Graph as SVG");
  expect(graph.text).toContain("nn.batch_flatten");
  expect(graph.text).not.toMatch(/var\(|<script|href=/);
  // It stands alone: a browser shows it without the page.
  const shown = await page.evaluate(async (svg) => {
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    await image.decode();
    return image.naturalWidth;
  }, graph.text);
  expect(shown).toBeGreaterThan(100);
});

test("a card says what is waited for in words, and which class was joined with which", async ({ page }) => {
  await open(page);
  await showPanel(page, "Solver");
  const slider = panel(page).getByRole("slider").first();
  const textsOf = (selector: string) => panel(page).locator(`.current-relation ${selector}`).allTextContents();
  await expect(where(page)).toContainText(/Step \d/);
  const { of } = await at(page);
  const [joined, waited] = [new Set<string>(), new Set<string>()];
  // The card of a step may come when the next one is asked for already, and be missed.
  await expect(async () => {
    for (let step = 1; step <= of; step += 1) {
      await slider.fill(String(step));
      await page.waitForTimeout(100);
      for (const text of await textsOf(".waits")) waited.add(text);
      for (const text of await textsOf("li:has(.joined)")) joined.add(text);
    }
    expect([...waited]).toContain("the shape of %x");
    expect(joined.size).toBeGreaterThan(2);
  }).toPass();
  expect([...waited].filter((text) => text.includes("`"))).toEqual([]);
  expect([...joined].filter((text) => new Set(text.match(/\bt\d+(?=[^\d])/g)).size < 2)).toEqual([]);
});

test("rounds tell the same story, and lead to its steps", async ({ page }) => {
  await open(page);
  await openSolver(page, NET);
  await inner(page, "Rounds").click();
  const rounds = panel(page).locator(".rounds > ol > li");
  await expect(rounds.first()).toContainText("Round 1");
  expect(await rounds.count()).toBeGreaterThanOrEqual(4);
  await expect(rounds.first()).toContainText("conv2d");
  await expect(rounds.last()).toContainText("batch_flatten");
  await rounds.last().getByRole("button", { name: /^step/ }).first().click();
  await expect(where(page)).toBeVisible();
  expect((await at(page)).step).toBeGreaterThan(0);
});

test("why is asked from the program, by key and from the hover, and from the Types panel", async ({ page }) => {
  await open(page);
  await write(page, NET);
  await putCursor(page, NET, "%p =");
  await page.keyboard.press("Alt+y");
  await expect(panel(page).locator(".why h2").first()).toContainText("%p");
  await showPanel(page, "Types");
  await panel(page).locator(".types li").filter({ hasText: "@net" }).getByRole("button", { name: "Why?" }).click();
  await expect(panel(page).locator(".why h2").first()).toContainText("@net");

  const word = page.locator(".editor .view-line").nth(2).getByText("%p", { exact: false }).first();
  await expect(async () => {
    await page.mouse.move(5, 5);
    await word.hover();
    await expect(page.locator(".monaco-hover:not(.hidden)").getByText("Why this type?")).toBeVisible({ timeout: 2000 });
  }).toPass({ timeout: 15_000 });
  await page.locator(".monaco-hover").getByText("Why this type?").click();
  await expect(panel(page).locator(".why-sentence")).not.toHaveText("");
  await expect(inner(page, "Why")).toHaveAttribute("aria-selected", "true");
});

test("there is no question about a type where there is no answer", async ({ page }) => {
  await open(page);
  await write(page, "type Shade { Light, Dark(int32) }\nextern type Far\nlet %x = Dark(1);\nlet %y = %nope;\n");
  await expect(panel(page)).toContainText("not known, as the problems say");
  await expect(panel(page).getByRole("button", { name: /^Why\?/ })).toHaveCount(1);
  await panel(page).getByRole("button", { name: "Why? The type of %x" }).click();
  await expect(panel(page).locator(".why-sentence")).toContainText("Shade");
  await write(page, "#lang tensorscript\nuse lin::Linear;\nnode Net<[?, 2] -> [?, 1]> {}\nweights Net<[?, 2] -> [?, 1]> { fc = Linear::new(in=2, out=1); }\ngraph Net<[?, 2] -> [?, 1]> { def forward(x) { x |> fc } }\n");
  await showPanel(page, "Types");
  await expect(panel(page).getByRole("button", { name: /^Why\?/ })).toHaveCount(1);
  await expect(panel(page).getByRole("button", { name: "Why? The type of Net::forward" })).toBeVisible();
});

test("a link's step is data like the rest of it: nonsense does no harm, what is past the end is the end", async ({ page }) => {
  await open(page, `./${linked(NET, { tab: "steps", stop: 999_999 })}`);
  await expect(where(page)).toBeVisible();
  const { step, of } = await at(page);
  expect(step).toBe(of);
  for (const [index, solver] of [{ tab: "steps", stop: -1 }, { tab: "<b>", stop: 2 }, { tab: "graph", stop: "7" }, { tab: { toString: 1 } }, 5, null].entries()) {
    await page.goto(`./?${index}${linked(NET, solver)}`);
    await ready(page);
    await expect(where(page)).toBeVisible();
    await expect.poll(() => text(page)).toContain("@net");
  }
});

test("a program without anything to solve says so, and one that is edited is followed", async ({ page }) => {
  await open(page);
  await write(page, "\n");
  await showPanel(page, "Solver");
  await expect(panel(page)).toContainText("nothing to do");
  await write(page, WRONG);
  await expect(where(page)).toBeVisible();
  const { of } = await at(page);
  await write(page, `${WRONG}%a * %a\n`);
  await expect.poll(async () => (await at(page)).of).toBeGreaterThan(of);
});

/** A network of so many layers, each with a weight of its own. */
function deep(layers: number): string {
  const lines = ["def @deep(%x0: Tensor[(8, 16), float32], %w: Tensor[(16, 16), float32]) {"];
  for (let layer = 0; layer < layers; layer += 1) lines.push(`  let %x${layer + 1} = nn.relu(nn.dense(%x${layer}, %w)) + %x${layer};`);
  return [...lines, `  %x${layers}`, "}", ""].join("\n");
}

test("ten thousand nodes: the page stays quick, draws what is in view, and the rest can be opened", async ({ page }) => {
  test.setTimeout(120_000);
  await page.goto(`./${linked(deep(1400), { tab: "steps", stop: 1 })}`);
  await expect(where(page)).toBeVisible({ timeout: 60_000 });
  const { of } = await at(page);
  expect(of).toBeGreaterThan(4000);
  const times = await page.evaluate(async () => {
    const slider = document.querySelector<HTMLInputElement>(".solver .time input");
    if (slider === null) throw new Error("no slider");
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
    const frame = () => new Promise<number>((done) => requestAnimationFrame(done));
    const times: number[] = [];
    let last = await frame();
    for (let n = 0; n < 150; n += 1) {
      set?.call(slider, String(Math.floor((Number(slider.max) * n) / 150)));
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      const now = await frame();
      times.push(now - last);
      last = now;
    }
    return times.sort((a, b) => a - b);
  });
  const [median, slow] = [times[75] ?? 0, times[142] ?? 0];
  console.log(`scrubbing ${of} steps: median ${median.toFixed(1)} ms a frame, 95 of 100 below ${slow.toFixed(1)} ms`);
  // How smooth it is, is for the benchmark to say; here others have the processor too. But nothing blocks the page.
  expect(slow).toBeLessThan(500);
  // However long the lists are, as much is drawn as can be read.
  expect(await panel(page).locator("*").count()).toBeLessThan(3000);
  // What is shown is where the slider came to rest.
  const { step } = await at(page);
  await expect(panel(page).locator(".current-relation")).toBeVisible();
  expect(step).toBeGreaterThan(of * 0.9);

  await inner(page, "Graph").click();
  const graph = panel(page).locator(".solver-graph");
  await expect(graph).toBeVisible({ timeout: 30_000 });
  const drawn = async () => panel(page).locator(".solver-graph g.node").count();
  expect(await drawn()).toBeGreaterThan(0);
  expect(await drawn()).toBeLessThanOrEqual(400);
  await control(page, "All of it (0)").click();
  expect(await drawn()).toBeLessThanOrEqual(400);
  const note = panel(page).locator(".graph-note");
  const hidden = async () => Number((await note.textContent())?.match(/([\d,]+) more are in clusters/)?.[1]?.replaceAll(",", "") ?? 0);
  const left = await hidden();
  expect(left).toBeGreaterThan(5000);
  await panel(page).getByText("The graph as a list").click();
  await panel(page).locator(".graph-list").getByRole("button", { name: /^Open/ }).first().click();
  await expect.poll(hidden, { timeout: 20_000 }).toBeLessThan(left);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe has nothing to say of the solver in ${colorScheme}, and a phone has room for it`, async ({ browser }) => {
    test.slow();
    const permissions = ["clipboard-read", "clipboard-write"];
    const context = await browser.newContext({ colorScheme, viewport: { width: 360, height: 740 }, permissions });
    const page = await context.newPage();
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await open(page);
    await write(page, WRONG);
    await showPanel(page, "Solver");
    await expect(panel(page).locator(".current-relation")).toBeVisible();
    for (const tab of ["Steps", "Graph", "Rounds", "Why"]) {
      await inner(page, tab).click();
      if (tab === "Graph") await expect(panel(page).locator(".solver-graph g.node").first()).toBeVisible();
      if (tab === "Steps") await panel(page).locator(".filters summary").click();
      expect(await violations(page), tab).toEqual([]);
      expect(await overflow(), tab).toBeLessThanOrEqual(0);
    }
    await problems(page).getByRole("button", { name: "Why not?" }).first().click();
    await expect(panel(page).locator(".core li").first()).toBeVisible();
    expect(await violations(page), "why not").toEqual([]);
    expect(await overflow()).toBeLessThanOrEqual(0);
    await context.close();
  });
}

test("high contrast and reduced motion lose nothing", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" });
  await open(page);
  await openSolver(page, WRONG);
  await inner(page, "Graph").click();
  const node = panel(page).locator(".solver-graph g.of-relation.failed, .solver-graph g.of-relation.changed").first();
  await expect(node).toBeVisible();
  await expect(node.locator("text")).toContainText(/[✗●]/);
});

test("a long type stays in the pane, and the sentence about it is short", async ({ page }) => {
  await open(page);
  const tensors = Array.from({ length: 60 }, (_, at) => `ones(shape=[${at + 1}, 2])`).join(", ");
  await write(page, `let %t = (${tensors});\n`);
  await panel(page).getByRole("button", { name: "Why? The type of %t" }).click();
  await expect(panel(page).locator(".why-sentence")).toContainText("…");
  expect((await panel(page).locator(".why-sentence").innerText()).length).toBeLessThan(400);
  const [piece, around] = [await panel(page).locator(".piece-button").first().boundingBox(), await panel(page).boundingBox()];
  expect((piece?.x ?? 0) + (piece?.width ?? 0)).toBeLessThanOrEqual((around?.x ?? 0) + (around?.width ?? 0));
  expect(piece?.height).toBeLessThan(80);
});

test("a name of any script has one colour, in the editor and beside it", async ({ page }) => {
  await open(page);
  await write(page, "type Größe { Öl(int32), grün }\nlet %größe = Öl(1);\ndef @über(%Δ: Größe) { match (%Δ) { Öl(%ä) => `Ähm(%ä), grün => `Ähm(0) } }\n@über(%größe)\n");
  const names = ["Größe", "Öl", "%größe", "@über", "%Δ", "%ä", "`Ähm"];
  for (const name of names) await expect(page.locator(".editor-place.user .view-line span > span").getByText(name, { exact: true }).first(), name).toBeVisible();
  for (const [kind, name] of [["constructor", "Größe"], ["constructor", "Öl"], ["variant", "`Ähm"]] as const) {
    await expect(panel(page).locator(`.token-${kind}`).getByText(name, { exact: true }).first()).toBeVisible();
  }
  await showPanel(page, "IR");
  await expect(panel(page).locator(".token-constructor").getByText("Öl", { exact: true }).first()).toBeVisible();
  await expect(panel(page).locator(".token-variable").getByText("%ä", { exact: true }).first()).toBeVisible();
});

test("what has a capital has one colour in the editor and beside it", async ({ page }) => {
  await open(page);
  await write(page, "#lang refine\nmatch Red with\n  | Red -> Blue\n  | Blue -> Red\n");
  const colour = (place: Locator) => place.evaluate((element) => getComputedStyle(element).color);
  const inEditor = page.locator(".editor-place.user .view-line span span", { hasText: /^Red$/ }).first();
  const beside = panel(page).locator(".token-constructor, .token-variant").filter({ hasText: "Red" }).first();
  await expect(beside).toBeVisible();
  expect(await colour(beside)).toBe(await colour(inEditor));
});
