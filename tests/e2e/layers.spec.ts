// TensorScript on the page: its layers as a table, the type behind each of them, and PyTorch.
import { expect, test } from "@playwright/test";
import { open, panel, problems, runButton, showPanel, violations, write } from "./page.ts";

const NET = `#lang tensorscript
use lin::Linear;
use nonlin::relu;
node Net<[?, 4] -> [?, 2]> {}
weights Net<[?, 4] -> [?, 2]> {
  wide = Linear::new(in=4, out=8);
  narrow = Linear::new(in=8, out=2);
}
graph Net<[?, 4] -> [?, 2]> {
  def forward(x) { x |> wide |> relu |> narrow }
}
`;

test("layers are listed with what they give, learn and cost, and the program is PyTorch's too", async ({ page }) => {
  await open(page);
  await expect(page.getByRole("tab", { name: "Layers" })).toHaveCount(0);
  await write(page, NET);
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await showPanel(page, "Layers");
  const rows = panel(page).locator("tbody tr");
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(0)).toContainText("wide");
  await expect(rows.nth(0).locator("td")).toHaveText(["[?, 8]", "40", "72"]);
  await expect(rows.nth(1).locator("td")).toHaveText(["[?, 8]", "–", "8"]);
  await expect(panel(page).locator(".figures")).toHaveText("58 parameters.");
  await expect(page.locator(".monaco-editor .stage-after").filter({ hasText: "[?, 2]" })).toHaveCount(1);
  await panel(page).getByRole("button", { name: "PyTorch" }).click();
  await expect(panel(page).locator("pre")).toContainText("self.wide = nn.Linear(4, 8)");
  await panel(page).getByRole("button", { name: "Copy" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain("class Net(nn.Module):");
  expect(await violations(page)).toEqual([]);
  await runButton(page).click();
  await expect(panel(page)).toContainText("Net::forward");
});

test("the solver's rounds say whose relation was solved", async ({ page }) => {
  await open(page);
  await write(page, NET);
  await showPanel(page, "Solver");
  await panel(page).getByRole("tab", { name: "Rounds" }).click();
  const rounds = panel(page).locator(".rounds > ol > li");
  await expect(rounds).toHaveCount(5);
  await expect(rounds.first().locator(".layer-name")).toHaveText("wide: Linear(in=4, out=8)");
  await expect(rounds.nth(2).locator(".layer-name")).toHaveText("relu");
});

test("a weight that nothing applies is warned of", async ({ page }) => {
  await open(page);
  await write(page, NET.replace("|> narrow", "|> self.narrowed()").replace("\n}\ngraph", "\n  spare = Linear::new(in=1, out=1);\n}\ngraph").replace(/\}\n$/, "  def narrowed(x) { x |> narrow }\n}\n"));
  await expect(problems(page)).toContainText("no function applies spare");
});

test("what was exported follows the program, and is not copied while it is older", async ({ page }) => {
  await open(page);
  await write(page, NET);
  await showPanel(page, "Layers");
  await panel(page).getByRole("button", { name: "PyTorch" }).click();
  const shown = panel(page).locator("pre");
  await expect(shown).toContainText("self.wide = nn.Linear(4, 8)");
  await write(page, NET.replaceAll("wide", "first"));
  await expect(shown).toContainText("self.first = nn.Linear(4, 8)");
  await expect(shown).not.toHaveClass(/stale/);
  const copy = panel(page).getByRole("button", { name: "Copy" });
  await write(page, NET.replace("in=8", "in=9"));
  await expect(panel(page)).toContainText("What is shown is older.");
  await expect(shown).toHaveClass(/stale/);
  await expect(copy).toBeDisabled();
  await write(page, NET.replaceAll("wide", "second"));
  await expect(shown).toContainText("self.second = nn.Linear(4, 8)");
  await expect(panel(page)).not.toContainText("What is shown is older.");
  await copy.click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain("self.second");
});

test("functions are named at the left of their layers", async ({ page }) => {
  await open(page);
  await write(page, NET.replace("|> narrow }", "|> narrowed() }\n  def narrowed(x) { x |> narrow }"));
  await showPanel(page, "Layers");
  await expect(panel(page).locator(".of th").first()).toHaveCSS("text-align", "left");
});
