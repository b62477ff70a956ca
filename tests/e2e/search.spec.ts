// What would mend a text is looked for by a compiler of its own, which keeps nobody waiting.
import { expect, test } from "@playwright/test";
import { expectHover, open, panel, problems, runButton, stopButton, write } from "./page.ts";

const CLASH = 'let %a: Tensor[(3,), float32] = ones(shape=[2], dtype="float32");\n';
const edit = "write shape=[3]";

interface Searches {
  /** The compilers that were begun to look for edits. */
  nBegun: number;
  /** What the first of them was asked, which answers nothing. */
  nUnanswered: number;
}

test("a search that goes on holds up no check, no hover and no other search", async ({ page }) => {
  await page.addInitScript(() => {
    const Original = Worker;
    const searches = { nBegun: 0, nUnanswered: 0 };
    Object.assign(window, { searches });
    window.Worker = class extends Original {
      #isMute = false;
      constructor(url: string | URL, options?: WorkerOptions) {
        super(url, options);
        if (options?.name !== "searcher") return;
        this.#isMute = searches.nBegun === 0;
        searches.nBegun += 1;
      }
      override postMessage(message: unknown) {
        if (this.#isMute) searches.nUnanswered += 1;
        else super.postMessage(message);
      }
    };
  });
  const searches = () => page.evaluate(() => (window as unknown as { searches: Searches }).searches);
  await open(page);
  await write(page, `${CLASH}%a\n`);
  // It begins, gets the text and is asked.
  await expect.poll(searches).toEqual({ nBegun: 1, nUnanswered: 3 });
  await expectHover(page, 1, "Tensor[(3), float32]");
  await write(page, "20 + 22\n");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await write(page, CLASH);
  await expect(problems(page).getByRole("button", { name: edit })).toBeVisible();
  expect((await searches()).nBegun).toBe(2);
});

test("edits, and why a problem is one, are there while a program runs", async ({ page }) => {
  await open(page);
  await write(page, `${CLASH}def @loop(%n: int32) -> int32 { @loop(%n + 1) }\n@loop(0)\n`);
  await runButton(page).click();
  await expect(problems(page).getByRole("button", { name: edit })).toBeVisible();
  await problems(page).getByRole("button", { name: "Why not?" }).click();
  await expect(panel(page).locator(".why-not")).toContainText("cannot hold together");
  await expect(stopButton(page)).toBeVisible();
  await stopButton(page).click();
});
