// Programs that would never end, and texts that would bring lesser pages down.
import { expect, type Page, test } from "@playwright/test";
import { expectValue, open, panel, problems, runButton, showPanel, stopButton, text, write } from "./page.ts";

const ENDLESS = `def @loop(%n: int32) -> int32 { @loop(%n + 1) }
@loop(0)
`;

/** Clicks an element and resolves to the milliseconds until another is there, all measured inside the page. */
function clickUntil(page: Page, clicked: string, awaited: string, containing: string): Promise<number> {
  return page.evaluate(
    ({ clicked, awaited, containing }) =>
      new Promise<number>((done) => {
        const start = performance.now();
        const check = () => {
          const found = [...document.querySelectorAll(awaited)].some((e) => e.textContent?.includes(containing));
          if (!found) return;
          observer.disconnect();
          done(performance.now() - start);
        };
        const observer = new MutationObserver(check);
        observer.observe(document.body, { subtree: true, childList: true, characterData: true });
        document.querySelector<HTMLElement>(clicked)?.click();
        check();
      }),
    { clicked, awaited, containing },
  );
}

test("an endless program can be stopped at once, and nothing is lost", async ({ page }) => {
  await open(page);
  await write(page, ENDLESS);
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  // Whatever ran by itself is over before the clock starts.
  await page.waitForTimeout(1000);

  const offered: number[] = [];
  const stopped: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await expect(runButton(page)).toBeVisible();
    offered.push(await clickUntil(page, ".header .primary", ".header .stop", "Stop"));
    await page.waitForTimeout(300);
    await expect(stopButton(page)).toBeVisible();
    stopped.push(await clickUntil(page, ".header .stop", ".outcome", "Stopped after"));
  }
  console.log(`milliseconds until Stop is offered: ${offered.map(Math.round)}; until it has stopped: ${stopped.map(Math.round)}`);
  // The shortest, since what else has the processor can only make it longer.
  expect(Math.min(...offered), "milliseconds until Stop is offered").toBeLessThan(50);
  expect(Math.min(...stopped), "milliseconds until it has stopped").toBeLessThan(100);

  expect(await text(page)).toContain("@loop(%n + 1)");
  await write(page, "20 + 22\n");
  await runButton(page).click();
  await expectValue(page, "42");
});

test("an edit ends a run, and the new text is checked", async ({ page }) => {
  await open(page);
  await write(page, ENDLESS);
  await page.waitForTimeout(1000);
  await runButton(page).click();
  await expect(stopButton(page)).toBeVisible();
  await write(page, "let %after = 1;\n");
  await expect(runButton(page)).toBeVisible();
  await expect(panel(page).locator(".outcome")).toHaveText("The run ended: the program was edited.");
  await expect(panel(page).getByRole("button", { name: "Run the program" })).toBeVisible();
  await page.getByRole("tab", { name: "Types" }).click();
  await expect(panel(page)).toContainText("%after");
});

test("panels say that they wait for a run, and end it", async ({ page }) => {
  await open(page);
  await write(page, ENDLESS);
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await runButton(page).click();
  await expect(stopButton(page)).toBeVisible();
  for (const name of ["Layout", "Match", "IR", "Solver"]) {
    await showPanel(page, name);
    await expect(panel(page).getByRole("status")).toHaveText("Waiting for the run to end …");
  }
  await page.getByRole("tab", { name: "Rounds" }).click();
  await expect(panel(page).getByRole("status")).toHaveText("Waiting for the run to end …");
  await panel(page).getByRole("button", { name: "Stop" }).click();
  await expect(runButton(page)).toBeVisible();
  await expect(panel(page).locator(".rounds, .empty").first()).not.toContainText("appears here");
});

test("a hundred thousand open parentheses are a problem, not a disaster", async ({ page }) => {
  test.slow();
  await open(page);
  await write(page, "(".repeat(100_000));
  await expect(problems(page).locator(".problem").first()).toBeVisible({ timeout: 15_000 });
  await write(page, "20 + 22\n");
  await expect(problems(page).getByRole("status")).toHaveText("No problems", { timeout: 15_000 });
  await runButton(page).click();
  await expectValue(page, "42");
});

test("a compiler that falls over is replaced, and the text stays", async ({ page }) => {
  // No program is known to do this, so the worker is made to say that one did.
  await page.addInitScript(() => {
    const Original = Worker;
    window.Worker = class extends Original {
      override postMessage(message: unknown) {
        const { kind, text } = message as { kind?: string; text?: string };
        if (kind === "update" && text?.includes("%trap")) {
          this.dispatchEvent(new MessageEvent("message", { data: { kind: "trapped", during: "update", message: "unreachable" } }));
        } else {
          super.postMessage(message);
        }
      }
    };
  });
  await open(page);
  await write(page, "let %trap = 1;\n");
  await expect(problems(page).locator(".problem")).toContainText("The compiler stopped while checking this program");
  await expect.poll(() => text(page)).toContain("let %trap = 1;");
  await write(page, "20 + 22\n");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await runButton(page).click();
  await expectValue(page, "42");
});

const SLOW = `def @loop(%n: int32, %x: Tensor[(64, 64), float32]) -> Tensor[(64, 64), float32] {
  if (%n == 0) { %x } else { @loop(%n - 1, nn.softmax(nn.dense(%x, %x))) }
}
sum(ones(shape=[10]))
@loop(2000000, ones(shape=[64, 64]))
`;

test("a run that is asked for while the program runs by itself tells of itself", async ({ page }) => {
  await open(page);
  await write(page, SLOW);
  // It has begun by itself, and has not been given up yet.
  await page.waitForTimeout(1000);
  await runButton(page).click();
  await expect(panel(page).locator(".running")).toContainText(/calls and match tests, .* so far; now in line 2/);
  await expect(panel(page).locator(".running")).toContainText("It needs at least 32.8 kB");
  await expect(panel(page)).toContainText("10f");
  await stopButton(page).click();
  await expect(panel(page).locator(".outcome")).toContainText("Stopped after");
  await expect(panel(page)).toContainText("10f");
});

test("after a run that was given up, another text runs by itself again", async ({ page }) => {
  await open(page);
  await write(page, SLOW);
  await showPanel(page, "Run");
  await expect(panel(page)).toContainText("runs when you say so", { timeout: 15_000 });
  await write(page, "sum(ones(shape=[10]))\n");
  await expect(panel(page)).toContainText("10f");
});

test("what was stopped can be stepped through where another line has an error", async ({ page }) => {
  await open(page);
  await write(page, `${ENDLESS}ones(shape=[2]) + ones(shape=[3])\n`);
  await runButton(page).click();
  await stopButton(page).click();
  await panel(page).locator(".outcome ~ .button", { hasText: "Step through" }).click();
  await expect(panel(page).locator(".function-name")).toContainText("line 2");
});

test("what comes to no end can be stepped through, before a run and after it", async ({ page }) => {
  await open(page);
  await write(page, SLOW);
  await showPanel(page, "Run");
  await expect(panel(page)).toContainText("runs when you say so", { timeout: 15_000 });
  const step = panel(page).locator(".outcome ~ .button", { hasText: "Step through" });
  const name = panel(page).locator(".function-name");
  await step.click();
  await expect(name).toContainText("fnline 4");
  await runButton(page).click();
  await expect(panel(page).locator(".running")).toContainText("now in line 2");
  await stopButton(page).click();
  await step.click();
  await expect(name).toContainText("fnline 5");
});

test("what is there is told before an operator that takes long", async ({ page }) => {
  await open(page);
  await write(page, "sum(ones(shape=[4]))\nsum(nn.matmul(ones(shape=[6000, 6000]), ones(shape=[6000, 6000])))\n");
  await showPanel(page, "Run");
  // Until what runs by itself has been given up.
  await expect(panel(page)).toContainText("runs when you say so", { timeout: 15_000 });
  await expect(panel(page)).toContainText("Before a run: it needs 432 MB");
  await runButton(page).click();
  await expect(panel(page).locator(".running")).toContainText("now in line 2");
  await expect(panel(page)).toContainText("4f");
  await stopButton(page).click();
  await expect(panel(page)).toContainText("4f");
});

test("why an expression has no value is told before the run ends, and kept when it is stopped", async ({ page }) => {
  await open(page);
  await write(page, `def @loop(%n: int32) -> int32 { @loop(%n + 1) }\n1 / 0\n@loop(0)\n`);
  await showPanel(page, "Run");
  await expect(panel(page)).toContainText("runs when you say so", { timeout: 15_000 });
  await runButton(page).click();
  await expect(panel(page).locator(".value")).toContainText("an integer is divided by zero");
  await stopButton(page).click();
  await expect(panel(page).locator(".outcome")).toContainText("Stopped after");
  await expect(panel(page).locator(".value")).toContainText("an integer is divided by zero");
  await expect(problems(page).locator(".problem")).toContainText("an integer is divided by zero");
});
