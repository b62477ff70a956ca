// What one sees first of the solver's graph: letters that can be read, and the relation that one looks for.
import { expect, type Page, test } from "@playwright/test";
import { open, panel, phone, problems, showPanel, write } from "./page.ts";

const FITS = `def @layer(%x, %w, %b) { nn.relu(nn.bias_add(nn.dense(%x, %w), %b)) }
def @net(%x, %w1, %b1, %w2, %b2, %w3, %b3) {
  @layer(@layer(@layer(%x, %w1, %b1), %w2, %b2), %w3, %b3)
}
let %x = ones(shape=[3, 5]);
let %b = ones(shape=[4]);
@net(%x, ones(shape=[4, 5]), %b, ones(shape=[4, 4]), %b, ones(shape=[6, 4]), ones(shape=[6]))
`;
const FAILS = FITS.replace("[6, 4]", "[6, 7]");

async function openGraph(page: Page, text: string, count: number): Promise<void> {
  await open(page);
  await write(page, text);
  await expect(problems(page).locator(".problem")).toHaveCount(count);
  await showPanel(page, "Solver");
  await panel(page).getByRole("tab", { name: "Graph" }).click();
  await expect(panel(page).locator(".solver-graph g.node").first()).toBeVisible();
}

/** How much of each of these nodes is inside the picture. */
const shares = (page: Page, nodes: string) =>
  panel(page)
    .locator(`.solver-graph g.node${nodes}`)
    .evaluateAll((all) => {
      const view = document.querySelector(".graph-view")?.getBoundingClientRect() ?? new DOMRect();
      return all.map((node) => {
        const { left, right, top, bottom, width, height } = (node.querySelector("rect") ?? node).getBoundingClientRect();
        const across = Math.max(0, Math.min(right, view.right) - Math.max(left, view.left));
        const down = Math.max(0, Math.min(bottom, view.bottom) - Math.max(top, view.top));
        return (across * down) / (width * height);
      });
    });

/** The height of a letter on the screen, as a size of font. */
const letters = (page: Page) =>
  panel(page)
    .locator(".solver-graph")
    .evaluate((svg) => {
      const scale = /scale\(([\d.]+)\)/.exec(svg.querySelector("g")?.getAttribute("transform") ?? "")?.[1];
      return Number(scale) * Number.parseFloat(getComputedStyle(svg).fontSize);
    });

for (const size of ["desktop", "phone"] as const) {
  test(`the graph begins with the relation that failed on a ${size}`, async ({ browser }) => {
    const context = size === "phone" ? await phone(browser) : await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    await openGraph(page, FAILS, 1);
    await expect.poll(() => shares(page, ".of-relation.failed")).toEqual([1]);
    expect(await letters(page)).toBeGreaterThanOrEqual(10.9);
    // With both of what it is about.
    const whole = (await shares(page, ".of-variable")).filter((share) => share > 0.99);
    expect(whole.length).toBeGreaterThanOrEqual(2);
    // And in sight, without scrolling the panel.
    await expect(panel(page).locator(".solver-graph .of-relation.failed text").first()).toBeInViewport({ ratio: 1 });
    // It is there again when one comes back.
    await panel(page).getByRole("tab", { name: "Rounds" }).click();
    await panel(page).getByRole("tab", { name: "Graph" }).click();
    await expect.poll(() => shares(page, ".of-relation.failed")).toEqual([1]);
    await context.close();
  });
}

test("a cluster that holds the relation which failed is marked", async ({ page }) => {
  const layers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `  %${from + n + 1} = nn.relu(nn.dense(%${from + n}, %w));\n`).join("");
  const wrong = "  %101 = nn.relu(nn.dense(%100, ones(shape=[4, 7])));\n";
  const types = "%x: Tensor[(3, 4), float32], %w: Tensor[(4, 4), float32]";
  await openGraph(page, `def @net(${types}) {\n  %0 = %x;\n${layers(0, 100)}${wrong}${layers(101, 200)}  %200\n}\n`, 1);
  const failed = panel(page).locator(".solver-graph .of-cluster.failed");
  await expect(failed).toHaveCount(1);
  await expect(failed.locator(".label")).toContainText("✗ lines");
  await expect.poll(() => shares(page, ".of-cluster.failed")).toEqual([1]);
  await expect(failed).toHaveAttribute("aria-label", /one of them failed/);
  // And stays so, as the relation itself does.
  const slider = panel(page).locator(".stop-line input");
  const at = Number(await slider.inputValue());
  await slider.fill(String(at + 30));
  await expect(panel(page).locator(".solver-graph .of-cluster.changed")).not.toHaveCount(0);
  await expect(failed).toHaveCount(1);
  await slider.fill(String(at));
  await failed.click();
  await expect(panel(page).locator(".solver-graph .of-relation.failed")).toHaveCount(1);
});

test("a step at which nothing that is drawn changes has letters that can be read, and leaves the slider as wide", async ({ page }) => {
  await open(page);
  await showPanel(page, "Solver");
  await panel(page).getByRole("button", { name: "To the first step" }).click();
  const width = () => panel(page).locator(".stop-line input").evaluate((slider) => slider.getBoundingClientRect().width);
  const first = await width();
  await panel(page).getByRole("button", { name: "One step on" }).click();
  await panel(page).getByRole("tab", { name: "Graph" }).click();
  await expect(panel(page).locator(".graph-said")).toHaveText("Nothing that is drawn changes in this step.");
  expect(await letters(page)).toBeGreaterThanOrEqual(10.9);
  // Below the picture, beside its buttons.
  const [said, picture, buttons] = await Promise.all([".graph-said", ".graph-view", ".graph-buttons"].map((part) => panel(page).locator(part).boundingBox()));
  expect(said?.y).toBeGreaterThanOrEqual((picture?.y ?? 0) + (picture?.height ?? 0));
  expect((said?.x ?? 0) + (said?.width ?? 0)).toBeLessThanOrEqual(buttons?.x ?? 0);
  await panel(page).getByRole("button", { name: "To the last step" }).click();
  await expect(panel(page).locator(".where")).not.toContainText("Step 1 ");
  expect(await width()).toBe(first);
});

test("a graph without nodes says so, its picture is empty, and rounds say why there are none", async ({ page }) => {
  const errors: string[] = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await open(page);
  await write(page, "#lang refine\nlet light : [Red, Amber] = Amber in\nmatch light with Amber -> False | Red -> True\n");
  await showPanel(page, "Solver");
  await panel(page).getByRole("tab", { name: "Graph" }).click();
  await expect(panel(page).locator(".graph-said")).toHaveText("There is nothing to draw.");
  await expect(panel(page).locator(".solver-graph > g")).toHaveAttribute("transform", /^translate\([\d.]+ [\d.]+\)/);
  // What is for a picture is not offered without one.
  await expect(panel(page).locator(".graph-buttons")).toHaveCount(0);
  await expect(panel(page).getByRole("button", { name: "Trace as JSON" })).toBeVisible();
  await expect(panel(page).getByRole("button", { name: "Graph as SVG" })).toHaveCount(0);
  await panel(page).getByRole("tab", { name: "Rounds" }).click();
  await expect(panel(page)).toContainText("Rounds show how operators are solved, and this program has none.");
  expect(errors).toEqual([]);
});

test("where nothing failed the graph begins with a relation, and fills the picture", async ({ page }) => {
  await openGraph(page, FITS, 0);
  expect(await letters(page)).toBeGreaterThanOrEqual(10.9);
  await expect.poll(async () => (await shares(page, ".of-relation")).filter((share) => share > 0.99).length).toBeGreaterThanOrEqual(1);
  await expect.poll(async () => (await shares(page, "")).filter((share) => share > 0.5).length).toBeGreaterThanOrEqual(5);
  // What is small enough is seen whole.
  await write(page, "let %a = nn.relu(ones(shape=[2, 3]));\n");
  await expect.poll(async () => (await shares(page, "")).map((share) => share > 0.99)).toEqual([true, true, true]);
});

test("a graph that goes on behind an edge fades there, and one that is whole does not", async ({ page }) => {
  await openGraph(page, FITS, 0);
  const fades = () =>
    panel(page)
      .locator(".solver-graph")
      .evaluate((svg) => ["--left", "--right", "--top", "--bottom"].map((edge) => getComputedStyle(svg).getPropertyValue(edge)).filter((fade) => fade !== "0px"));
  await expect.poll(async () => (await fades()).length).toBeGreaterThan(0);
  await panel(page).getByRole("button", { name: "All of it (0)" }).click();
  await expect.poll(fades).toEqual([]);
});
