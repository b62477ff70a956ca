// The two builds of the compiler: the default one, and the one with relaxed SIMD behind a switch.
import { expect, type Page, test } from "@playwright/test";
import { open, panel, ready, runButton, share, showPanel, stopButton, write } from "./page.ts";

const PROGRAM = "sum(nn.dense(ones(shape=[3, 5]), ones(shape=[2, 5])))\n";
const ANSWER = "30f";

const relaxedSwitch = (page: Page) => page.getByRole("switch", { name: "Relaxed SIMD" });

/** The builds that the page has asked for, in order. */
function loaded(page: Page): string[] {
  const builds: string[] = [];
  page.on("request", (request) => {
    const name = /assets\/(relish_\w+?)-[^/]*\.wasm$/.exec(request.url())?.[1];
    if (name !== undefined) builds.push(name);
  });
  return builds;
}

test("the switch replaces the engine, says what it means, and is kept", async ({ page }) => {
  const builds = loaded(page);
  await open(page);
  await write(page, PROGRAM);
  await runButton(page).click();
  await expect(panel(page)).toContainText("Computed by the default engine");
  await expect(panel(page)).toContainText(ANSWER);
  await expect(panel(page)).toContainText("results may differ in the last digits between machines");
  expect(builds).toEqual(["relish_wasm_bg"]);

  await relaxedSwitch(page).check();
  await expect(panel(page)).toContainText("Computed with relaxed SIMD.");
  await expect(panel(page)).toContainText(ANSWER);
  expect(builds).toEqual(["relish_wasm_bg", "relish_relaxed"]);

  await page.reload();
  await ready(page);
  await showPanel(page, "Run");
  await expect(relaxedSwitch(page)).toBeChecked();
  await runButton(page).click();
  await expect(panel(page)).toContainText("Computed with relaxed SIMD.");
  // Of the two the page loads only the one that it uses.
  expect(builds).toEqual(["relish_wasm_bg", "relish_relaxed", "relish_relaxed"]);

  await relaxedSwitch(page).uncheck();
  await expect(panel(page)).toContainText("Computed by the default engine");
});

test("a link holds the engine, and a visitor's own choice stays theirs", async ({ page }) => {
  await open(page);
  await write(page, PROGRAM);
  await showPanel(page, "Run");
  await relaxedSwitch(page).check();
  await expect(page.getByText("Loading the engine")).toBeHidden();
  const link = await share(page);
  await relaxedSwitch(page).uncheck();

  await open(page, `./?again${new URL(link).hash}`);
  await showPanel(page, "Run");
  await expect(relaxedSwitch(page)).toBeChecked();
  await open(page, "./?mine");
  await showPanel(page, "Run");
  await expect(relaxedSwitch(page)).not.toBeChecked();
});

test("an engine replaces the one whose run was stopped", async ({ page }) => {
  await open(page);
  await write(page, "def @spin(%n: int32) -> int32 { @spin(%n + 1) }\n@spin(0)\n");
  await showPanel(page, "Run");
  await runButton(page).click();
  await expect(stopButton(page)).toBeVisible();
  await stopButton(page).click();
  await expect(panel(page)).toContainText("Stopped after");
  await relaxedSwitch(page).check();
  await expect(panel(page)).toContainText("With other settings: stopped after");
  await write(page, PROGRAM);
  await runButton(page).click();
  await expect(panel(page)).toContainText("Computed with relaxed SIMD.");
});

test("a browser without relaxed SIMD is not offered it, and a link does not ask for it", async ({ page }) => {
  await page.addInitScript(() => {
    WebAssembly.validate = () => false;
    localStorage.setItem("relish.build", "relaxed");
  });
  const builds = loaded(page);
  await open(page);
  await write(page, PROGRAM);
  await runButton(page).click();
  await expect(panel(page)).toContainText("Computed by the default engine");
  await expect(relaxedSwitch(page)).toHaveCount(0);
  expect(builds).toEqual(["relish_wasm_bg"]);
});

test("an engine that does not come is said to be missing, and the other goes on", async ({ page }) => {
  await page.route(/relish_relaxed/, (route) => route.abort());
  await open(page);
  await write(page, PROGRAM);
  await showPanel(page, "Run");
  // The switch may be off again before one can look.
  await relaxedSwitch(page).click();
  await expect(page.locator(".notice")).toContainText("The engine with relaxed SIMD could not be had");
  await expect(relaxedSwitch(page)).not.toBeChecked();
  await runButton(page).click();
  await expect(panel(page)).toContainText("Computed by the default engine");
});
