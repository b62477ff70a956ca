// A compiler that does not come, cannot start, or falls over.
import { expect, type Page, test } from "@playwright/test";
import { expectValue, open, panel, problems, runButton, showPanel, stopButton, text, write } from "./page.ts";

const NOTICE = ".notice";

/** The smallest module that traps when it is instantiated: its start function is `unreachable`. */
const TRAPS_AT_START = Buffer.from([
  0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
  1, 4, 1, 0x60, 0, 0,
  3, 2, 1, 0,
  8, 1, 0,
  10, 5, 1, 3, 0, 0x00, 0x0b,
]);

const trapAtStart = (page: Page, build: RegExp) =>
  page.route(build, (route) => route.fulfill({ body: TRAPS_AT_START, contentType: "application/wasm" }));

interface Counts {
  /** The workers that there have been, and the traps that they were said to have met. */
  nStarted: number;
  nTrapped: number;
}

/**
 * No program is known to bring the compiler down, so the page is told that one did whenever it asks for one of these, of a
 * text that contains `containing`.
 */
async function trapOn(page: Page, kinds: string[], containing = ""): Promise<() => Promise<Counts>> {
  await page.addInitScript(
    ({ kinds, containing }) => {
      const Original = Worker;
      const counts = { nStarted: 0, nTrapped: 0 };
      let last = "";
      Object.assign(window, { counts });
      window.Worker = class extends Original {
        isDown = false;
        override postMessage(message: unknown) {
          const { kind = "", text } = message as { kind?: string; text?: string };
          if (kind === "start") counts.nStarted += 1;
          if (kind === "update") last = text ?? "";
          // What is asked of it before the page hears of that is not answered.
          if (this.isDown) return;
          if (!kinds.includes(kind) || !last.includes(containing)) return super.postMessage(message);
          this.isDown = true;
          counts.nTrapped += 1;
          setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data: { kind: "trapped", during: kind, message: "unreachable" } })));
        }
      };
    },
    { kinds, containing },
  );
  return () => page.evaluate(() => (window as unknown as { counts: Counts }).counts);
}

test("a compiler that cannot start is tried twice, and is said to be missing", async ({ page }) => {
  const counts = await trapOn(page, []);
  await trapAtStart(page, /relish_wasm_bg/);
  await page.goto("./");
  await expect(page.locator(NOTICE)).toContainText("The compiler could not start: unreachable");
  await expect(problems(page).getByRole("status")).toHaveText("Not checked");
  await expect(runButton(page)).toBeDisabled();
  await expect.poll(() => text(page)).toContain("Welcome to Relish");
  await page.waitForTimeout(500);
  expect((await counts()).nStarted).toBe(2);
});

test("where relaxed SIMD cannot start the default engine goes on", async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem("relish.build", "relaxed"));
  const counts = await trapOn(page, []);
  await trapAtStart(page, /relish_relaxed/);
  await open(page);
  expect((await counts()).nStarted).toBe(3);
  await expect(page.locator(NOTICE)).toContainText("The engine with relaxed SIMD could not be had: unreachable");
  await write(page, "20 + 22\n");
  await runButton(page).click();
  await expectValue(page, "42");
  await expect(panel(page)).toContainText("Computed by the default engine");
});

test("a run that is asked for before the compiler has come waits for it", async ({ page }) => {
  let come = () => {};
  const coming = new Promise<void>((done) => (come = done));
  await page.route(/relish_wasm_bg/, async (route) => {
    await coming;
    await route.continue();
  });
  await page.goto("./");
  await expect(page.locator(".monaco-editor .view-line").first()).toBeVisible();
  await write(page, "20 + 22\n");
  await page.keyboard.press("Control+Enter");
  await expect(panel(page).getByRole("status")).toHaveText("Starting the compiler …");
  come();
  await expectValue(page, "42");
  await expect(panel(page).locator(".outcome")).toContainText("Ran in");
  await expect(runButton(page)).toBeEnabled();
});

test("a run that is asked for ends where the compiler does not come", async ({ page }) => {
  let refuse = () => {};
  const refused = new Promise<void>((done) => (refuse = done));
  await page.route(/relish_wasm_bg/, async (route) => {
    await refused;
    await route.abort();
  });
  await page.goto("./");
  await expect(page.locator(".monaco-editor .view-line").first()).toBeVisible();
  await page.keyboard.press("Control+Enter");
  await expect(stopButton(page)).toBeVisible();
  refuse();
  await expect(page.locator(NOTICE)).toContainText("The compiler could not start");
  await expect(stopButton(page)).toBeHidden();
  await expect(runButton(page)).toBeDisabled();
});

test("of a text that brings the check down nothing is shown as if it were known", async ({ page }) => {
  await trapOn(page, ["update"], "%trap");
  await open(page);
  await write(page, "let %before: Tensor[(2,), float32] = 1;\n");
  await expect(problems(page).locator(".problem")).toHaveCount(1);
  await showPanel(page, "Types");
  await expect(panel(page)).toContainText("%before");
  await write(page, "let %trap = 1;\n%trap + 1\n");
  const fell = "The compiler stopped while checking this program";
  await expect(problems(page).locator(".problem")).toHaveText(new RegExp(fell));
  await expect(panel(page).locator("..").locator(".late")).toHaveText("Not checked. What is shown is older.");
  // Whoever runs it all the same has it checked once more.
  await runButton(page).click();
  await expect(stopButton(page)).toBeHidden();
  await expect(problems(page).locator(".problem")).toHaveText(new RegExp(fell));
  await expect(panel(page)).not.toContainText("The program ran");
  await expect(panel(page)).not.toContainText("Ran in");
  await write(page, "20 + 22\n");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await showPanel(page, "Types");
  await expect(page.locator(".late")).toHaveCount(0);
});

test("a question that brings the compiler down is not asked without end", async ({ page }) => {
  const counts = await trapOn(page, ["layouts"], "20 + 22");
  await open(page);
  await write(page, "20 + 22\n");
  await showPanel(page, "Layout");
  await expect(problems(page).locator(".problem")).toContainText("The compiler stopped while answering a question about this program");
  await expect.poll(async () => (await counts()).nTrapped).toBe(2);
  await page.waitForTimeout(1000);
  expect((await counts()).nTrapped).toBe(2);
  await runButton(page).click();
  await expectValue(page, "42");
});

test("that a run brought the compiler down is said until the next edit", async ({ page }) => {
  await trapOn(page, ["run"], "20 + 22");
  await open(page);
  await write(page, "20 + 22\n");
  const fell = "The compiler stopped while running this program";
  await expect(problems(page).locator(".problem")).toContainText(fell);
  // The next compiler checks the text again.
  await page.waitForTimeout(1000);
  await expect(problems(page).locator(".problem")).toContainText(fell);
  await write(page, "let %x = 1;\n");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
});
