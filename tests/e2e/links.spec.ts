// Links are data from strangers.
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { expect, test } from "@playwright/test";
import { open, ready, share, text, write } from "./page.ts";

const pack = (value: unknown) => `#v1.${deflateRawSync(JSON.stringify(value)).toString("base64url")}`;
const program = (source: string) => pack({ files: [{ name: "main.relay", text: source }] });

test("a shared program leaves the visitor's own alone, until they keep it", async ({ page }) => {
  await open(page);
  await write(page, "let %mine = 1;\n");
  await page.waitForTimeout(400);
  await open(page, `./?again${program("let %theirs = 2;\n")}`);
  const banner = page.getByRole("region", { name: "Shared program" });
  await expect(banner).toBeVisible();
  await expect.poll(() => text(page)).toContain("%theirs");
  await write(page, "let %edited = 3;\n");
  await page.waitForTimeout(400);

  await banner.getByRole("button", { name: "Back to mine" }).click();
  await expect(banner).toBeHidden();
  await expect.poll(() => text(page)).toContain("%mine");
  expect(page.url()).not.toContain("#");

  await page.evaluate((hash) => (location.hash = hash), program("let %other = 4;\n"));
  await expect.poll(() => text(page)).toContain("%other");
  await page.getByRole("button", { name: "Keep as mine" }).click();
  await page.reload();
  await ready(page);
  await expect(banner).toBeHidden();
  await expect.poll(() => text(page)).toContain("%other");
});

test("edits in a shared program outlive a reload, and going back sets them aside", async ({ page }) => {
  await open(page);
  await write(page, "let %mine = 1;\n");
  const link = program("let %theirs = 2;\n");
  await open(page, `./?again${link}`);
  await write(page, "let %edited = 3;\n");
  await page.reload();
  await ready(page);
  const banner = page.getByRole("region", { name: "Shared program" });
  await expect(banner).toBeVisible();
  await expect.poll(() => text(page)).toContain("%edited");

  await banner.getByRole("button", { name: "Back to mine" }).click();
  await expect.poll(() => text(page)).toContain("%mine");
  await page.getByRole("button", { name: "Examples" }).click();
  await expect(page.locator(".earlier code")).toHaveText(["let %edited = 3;"]);
  await page.keyboard.press("Escape");
  // The link itself says what it always said.
  await page.evaluate((hash) => (location.hash = hash), link);
  await expect.poll(() => text(page)).toContain("%theirs");
});

test("where nothing of the visitor's own is kept, nothing is said of it", async ({ page }) => {
  await open(page, `./${program("let %theirs = 2;\n")}`);
  const banner = page.getByRole("region", { name: "Shared program" });
  await expect(banner.getByRole("paragraph")).toHaveText("You are viewing a shared program.");
  await banner.getByRole("button", { name: "Back to the start page" }).click();
  await expect(banner).toBeHidden();
  await expect.poll(() => text(page)).toContain("Welcome to Relish");
  await page.evaluate(() => (location.hash = "#v1.à"));
  await expect(page.locator(".notice")).toContainText("This link cannot be opened");
  await expect(page.locator(".notice")).toContainText("The page’s first program is here.");
});

for (const [name, hash, reason] of [
  ["a link that is cut short", program("let %long = 123456789;\n").slice(0, -8), "it has been cut short or changed"],
  ["a link of which one letter is left", "#v1.A", "it has been cut short or changed"],
  ["a link cut in its version", "#v1", "it has been cut short or changed"],
  ["a link with strange characters", "#v1.à à", "it has been cut short or changed"],
  ["a link from the future", "#v9.abc", "it was made by a newer version"],
  ["a link with other data", pack({ hello: 1 }), "it does not hold a program"],
  ["a link that unpacks to far too much", program(" ".repeat(50_000_000)), "it unpacks to more than 1,024 KiB"],
  ["a link that is far too long", `#v1.${"A".repeat(70_000)}`, "it is longer than 64 KiB"],
] as const) {
  test(`${name} says so and loses nothing`, async ({ page }) => {
    await open(page);
    await write(page, "let %mine = 1;\n");
    await page.waitForTimeout(400);
    await open(page, `./?again${hash}`);
    await expect(page.getByText("This link cannot be opened")).toContainText(reason);
    await expect.poll(() => text(page)).toContain("%mine");
    await page.getByRole("button", { name: "Dismiss" }).click();
    await expect(page.getByText("This link cannot be opened")).toBeHidden();
  });
}

test("a link to why a problem is one asks the same", async ({ page }) => {
  await open(page);
  await write(page, "let %a = ones(shape=[2, 3]);\nlet %b = ones(shape=[2, 4]);\n%a + %b\n");
  await page.getByRole("button", { name: "Why not?" }).click();
  const core = page.locator(".why-not .core");
  await expect(core).toBeVisible();
  const link = await share(page);
  await open(page, `./?again${new URL(link).hash}`);
  await expect(core).toBeVisible();
  await expect(page.locator(".why-not .asked")).toContainText("3 and 4");
  // Of one that is not there, and of none, the question is about the cursor.
  const files = [{ name: "main.relay", text: "let %a = 1;\n" }];
  for (const problem of [{ code: "type-mismatch", message: "gone", span: { start: 0, end: 3 } }, { code: 1, message: {}, span: 7 }, undefined]) {
    await open(page, `./?${Math.random()}${pack({ files, panel: "solver", selection: { start: 5, end: 5 }, solver: { tab: "why", problem } })}`);
    await expect(page.locator(".why-sentence")).toContainText("int32");
  }
});

test("unknown fields and nonsense in known ones do no harm", async ({ page }) => {
  const value = {
    files: [{ name: 7, text: "let %ok = 1;\n", extra: {} }],
    panel: { toString: 1 },
    selection: { start: -5, end: 1e99 },
    __proto__: { polluted: true },
    future: [1],
  };
  await open(page, `./${pack(value)}`);
  await expect.poll(() => text(page)).toContain("%ok");
});

test("what was said of one address, and the title of an example, are gone with the next", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Examples" }).click();
  await page.getByRole("dialog", { name: "Examples" }).getByRole("button", { name: /^A layer that takes any batch/ }).click();
  await expect(page).toHaveTitle("A layer that takes any batch – Relish");
  await page.evaluate(() => (location.hash = "#v1.nonsense!"));
  const notice = page.locator(".notice");
  await expect(notice).toContainText("This link cannot be opened");
  await page.evaluate((hash) => (location.hash = hash), program("let %theirs = 2;\n"));
  await expect.poll(() => text(page)).toContain("%theirs");
  await expect(notice).toHaveCount(0);
  await expect(page).toHaveTitle("Relish");
});

test("of two addresses that come quickly the last one is opened", async ({ page }) => {
  await page.addInitScript(() => {
    const Original = DecompressionStream;
    let count = 0;
    Object.assign(window, { nUnpacked: () => count });
    window.DecompressionStream = class extends Original {
      override get readable() {
        count += 1;
        // The first of them takes longest.
        const wait = count > 1 ? 0 : 500;
        const late = new TransformStream({ start: () => new Promise<void>((done) => setTimeout(done, wait)), flush: () => void (count += 10) });
        return super.readable.pipeThrough(late);
      }
    };
  });
  await open(page);
  for (const name of ["first", "last"]) {
    await page.evaluate((hash) => (location.hash = hash), program(`let %${name} = 1;\n`));
  }
  // Until both have been unpacked.
  await page.waitForFunction(() => (window as unknown as { nUnpacked: () => number }).nUnpacked() === 22);
  await expect.poll(() => text(page)).toContain("%last");
  await page.waitForTimeout(300);
  expect(await text(page)).toContain("%last");
});

test("an address that comes while the page starts is opened", async ({ page }) => {
  await page.addInitScript((next) => {
    const Original = DecompressionStream;
    window.DecompressionStream = class extends Original {
      override get readable() {
        location.hash = next;
        return super.readable;
      }
    };
  }, program("let %last = 1;\n"));
  await open(page, `./${program("let %first = 1;\n")}`);
  await expect.poll(() => text(page)).toContain("%last");
});

test("a place is one in the text as the editor has it", async ({ page }) => {
  const files = [{ name: "main.relay", text: "let %a = 1;\r\nlet %b = 2;\r\n" }];
  const shared = async (address: string) => {
    await open(page, address);
    const packed = new URL(await share(page)).hash.slice("#v1.".length);
    return JSON.parse(inflateRawSync(Buffer.from(packed, "base64url")).toString()).selection;
  };
  expect(await shared(`./?inside${pack({ files, selection: { start: 12, end: 24 } })}`)).toEqual({ start: 12, end: 24 });
  expect(await shared(`./?behind${pack({ files, selection: { start: 12, end: 26 } })}`)).toEqual({ start: 0, end: 0 });
});

test("markup in a program stays text", async ({ page }) => {
  const hostile = 'let %x = "<img src=x onerror=alert(1)>";\n<script>alert(1)</script>\n';
  page.on("dialog", () => expect(false, "a dialog opened").toBe(true));
  await open(page, `./${program(hostile)}`);
  await expect.poll(() => text(page)).toContain("<script>");
  await expect(page.locator("#page img[src=x]")).toHaveCount(0);
});

test("a program too large for a link says so, with sizes", async ({ page }) => {
  test.slow();
  await open(page);
  // Random letters hardly compress.
  let seed = 1;
  const letters = Array.from({ length: 3000 }, () => {
    seed = (seed * 48271) % 2147483647;
    return `// ${(seed * 7919).toString(36)}${(seed ** 2).toString(36)}${(seed * 31337).toString(36)}`;
  });
  await write(page, letters.join("\n"));
  await page.getByRole("button", { name: "Share" }).click();
  await expect(page.getByText(/The link would be \d+ KiB, and a link holds at most 64 KiB/)).toBeVisible();
});
