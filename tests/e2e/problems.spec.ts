// The list of problems stays where one reads it, and nothing covers it.
import { expect, test } from "@playwright/test";
import { focusEditor, open, panel, PHONE, phone, problems, showPanel, violations, write } from "./page.ts";

const MANY = Array.from({ length: 30 }, (_, at) => `let %v${at} = %nope${at};`).join("\n");

test("the list of problems keeps its place when the first one changes", async ({ page }) => {
  await open(page);
  await write(page, MANY);
  const status = problems(page).getByRole("status");
  await expect(status).toHaveText("30 errors");
  const read = problems(page).locator(".problem").filter({ hasText: "%nope20" });
  await focusEditor(page);
  await page.keyboard.press("Control+Home");
  // There is a list once nobody types.
  await expect(problems(page).getByRole("list").first()).toBeVisible();
  await read.evaluate((row) => row.scrollIntoView({ block: "start" }));
  await expect(read).toBeInViewport();
  // A comment without an end takes all of the program away for a moment.
  await page.keyboard.type("/*");
  await expect(status).toHaveText("1 error");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await expect(status).toHaveText("30 errors");
  await expect(read).toBeInViewport();
  // And the first problem goes for good.
  await page.keyboard.press("Shift+End");
  await page.keyboard.press("Delete");
  await expect(status).toHaveText("29 errors");
  await expect(read).toBeInViewport();
});

test("the backticks of a sum in a sentence are its own", async ({ page }) => {
  await open(page);
  await write(page, "def @show(%r) { match (%r) { `Ok(%n) => %n, `DivByZero => -1 } }\n@show(`Other)");
  const sentence = "expected [`DivByZero, `Ok(int32)], found a sum with the variant Other";
  await expect(problems(page).locator(".problem").filter({ hasText: sentence })).toBeVisible();
});

test("on a phone a notice shows all of its text, and leaves the problems to be read", async ({ browser }) => {
  const context = await phone(browser);
  const page = await context.newPage();
  const notice = page.locator(".notice");
  const isWhole = async () => {
    const text = notice.locator("p");
    expect(await text.evaluate((p) => p.scrollHeight - p.clientHeight)).toBe(0);
    await expect(text).toBeInViewport({ ratio: 1 });
    const [box, header] = [await notice.boundingBox(), await page.locator(".work").boundingBox()];
    expect((box?.y ?? 0) + (box?.height ?? Infinity)).toBeLessThanOrEqual(header?.y ?? 0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  };
  await open(page, "./#v1.abc");
  await expect(notice).toContainText("This link cannot be opened");
  await isWhole();
  expect(await violations(page)).toEqual([]);
  await write(page, "let %x = (1;\n");
  await expect(problems(page).locator(".problem").first()).toBeVisible();
  await page.getByRole("button", { name: "Format" }).tap();
  await expect(notice).toContainText("it has a syntax error");
  await isWhole();
  await page.getByRole("button", { name: "Share" }).tap();
  await expect(notice).toContainText("Link copied");
  await isWhole();
  await context.close();
});

test("the button that dismisses a short notice stands behind it", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Examples" }).click();
  await page.getByRole("searchbox").fill("tanh");
  await page.locator(".gallery button").first().click();
  const boxOf = async (selector: string) => {
    const box = await page.locator(selector).boundingBox();
    if (box === null) throw new Error(`there is no ${selector}`);
    return { left: box.x, right: box.x + box.width, top: box.y, bottom: box.y + box.height };
  };
  const [notice, words, close, below] = [await boxOf(".notice"), await boxOf(".notice p"), await boxOf(".notice .plain"), await boxOf(".work")];
  expect(close.left).toBeGreaterThan(words.right);
  expect(notice.right - close.right).toBeLessThan(16);
  expect(notice.bottom).toBeLessThanOrEqual(below.top);
});

test("a notice that passes covers none of the buttons of the header", async ({ page }) => {
  await open(page);
  const notice = page.locator(".notice");
  const buttons = page.locator(".header .actions button");
  for (const [width, height] of [[1280, 800], [1060, 521], [1059, 600], [900, 400], [719, 500], [640, 400], [520, 300], [519, 400], [360, 740], [320, 640]] as const) {
    await page.setViewportSize({ width, height });
    await page.getByRole("button", { name: "Examples" }).click();
    await page.getByRole("searchbox").fill("flat data");
    await page.locator(".gallery button").first().click();
    await expect(notice).toContainText("Opened “");
    // It comes from a little below.
    await expect(async () => {
      const box = await notice.boundingBox();
      for (const button of await buttons.all()) {
        const other = await button.boundingBox();
        if (box === null || other === null) throw new Error("one of them is not there");
        const isApart = box.x + box.width <= other.x || other.x + other.width <= box.x || box.y + box.height <= other.y || other.y + other.height <= box.y;
        expect(isApart, `${await button.textContent()} at ${width} by ${height}`).toBe(true);
      }
    }).toPass({ timeout: 3000 });
    await notice.getByRole("button", { name: "Undo" }).click();
    await expect(notice).toHaveCount(0);
  }
});

test("a notice that passes stays while somebody is at it", async ({ page }) => {
  await page.clock.install();
  await open(page);
  const notice = page.locator(".notice");
  await page.getByRole("button", { name: "Examples" }).click();
  await page.getByRole("searchbox").fill("tanh");
  await page.locator(".gallery button").first().click();
  await expect(notice).toContainText("Opened “");
  await notice.hover();
  await page.clock.runFor(20_000);
  await expect(notice).toBeVisible();
  await page.mouse.move(5, 400);
  await notice.getByRole("button", { name: "Undo" }).focus();
  await page.clock.runFor(20_000);
  await expect(notice).toBeVisible();
  await page.locator(".panel").focus();
  await page.clock.runFor(6_000);
  await expect(notice).toHaveCount(0);
});

const LAYER = `def @layer(%x: Tensor[(?, 4), float32], %weight: Tensor[(3, 4), float32], %bias: Tensor[(3), float32]) {
  nn.bias_add(nn.dense(%x, %weight), %bias)
}
@layer(ones(shape=[2, 5]), ones(shape=[3, 4]), ones(shape=[3]))
`;

test("on a phone the first problem is in sight with all that can be done about it", async ({ browser }) => {
  const context = await phone(browser);
  const page = await context.newPage();
  await open(page);
  await write(page, LAYER);
  const mends = problems(page).locator(".mends .button");
  await expect(mends).toHaveText(["Why not?", "write shape=[2, 4]"]);
  for (const button of await mends.all()) await expect(button).toBeInViewport({ ratio: 1 });
  // In one line.
  expect((await mends.last().boundingBox())?.height).toBeLessThan(45);
  const [list, work] = [await problems(page).boundingBox(), await page.locator(".work").boundingBox()];
  expect(list?.height).toBeLessThanOrEqual((work?.height ?? 0) * 0.46);
  // A panel keeps its room.
  await page.getByRole("tab", { name: "Types" }).tap();
  expect((await problems(page).boundingBox())?.height).toBeLessThan((list?.height ?? 0) - 20);
  await context.close();
});

const MENDED = `def @layer(%x, %w, %b) { nn.relu(nn.bias_add(nn.dense(%x, %w), %b)) }
let %x = ones(shape=[3, 5]);
let %w = ones(shape=[4, 6]);
let %b = ones(shape=[4]);
let %s = shape_of(%nope);
@layer(%x, %w, %b) + ones(shape=[3, 9])
@layer(@layer(%x, %w, %b), %w, %b)
@layr(%x)
`;

for (const size of ["desktop", "phone"] as const) {
  test(`edits that are found later move nothing on a ${size}`, async ({ browser }) => {
    const context = size === "phone" ? await phone(browser) : await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    await open(page);
    // The list is in sight, so that its rows are seen from the first on.
    await write(page, "%none\n");
    await expect(problems(page).locator(".problem")).toBeVisible();
    // Each time that the list changes: where everything is that one may tap, by its row and its words.
    await problems(page).evaluate((list) => {
      const seen: { is: string; box: string }[][] = [];
      Object.assign(window, { seen });
      const look = () =>
        [...list.querySelectorAll(".problem")].flatMap((row, at) =>
          [...row.querySelectorAll("button, .help, .mends")].map((element) => {
            const { x, y, width, height } = element.getBoundingClientRect();
            return { is: `${at} ${element.matches(".mends") ? "edits" : element.textContent}`, box: [x, y, width, height].map(Math.round).join(" ") };
          }),
        );
      new MutationObserver(() => seen.push(look())).observe(list, { subtree: true, childList: true, characterData: true, attributes: true });
    });
    await write(page, MENDED);
    // Only where somebody points at it, or may do so with a finger, does it keep the room of what is not found.
    if (size === "desktop") await page.locator(".problems > ul").hover();
    const edit = problems(page).getByRole("button", { name: "write shape=[9]" });
    await expect(edit).toHaveCount(1);
    await expect(problems(page).locator(".problem")).toHaveCount(6);
    const seen = await page.evaluate(() => (window as unknown as { seen: { is: string; box: string }[][] }).seen);
    const isEdit = ({ is }: { is: string }) => is.endsWith("write shape=[9]");
    const [before, after] = [seen.findLast((all) => !all.some(isEdit)) ?? [], seen.findLast((all) => all.some(isEdit)) ?? []];
    expect(before.filter(({ is }) => is.endsWith(" edits"))).toHaveLength(6);
    expect(after.length).toBeGreaterThan(before.length);
    expect(after.filter(({ is }) => before.some((old) => old.is === is))).toEqual(before);
    // Where to begin is said, not done.
    await expect(problems(page).getByRole("button", { name: /^likeliest cause: line/ })).toBeVisible();
    // What does not fit in a row can be reached.
    await edit.click();
    await expect(problems(page).getByRole("button", { name: "write shape=[9]" })).toHaveCount(0);
    await expect(page.locator(".editor-place.user .view-line", { hasText: "ones(shape=[9])" })).toHaveCount(1);
    await context.close();
  });
}

test("edits that are called alike say where each is, or what it writes", async ({ page }) => {
  await open(page);
  await write(page, "let %x = ones(shape=[2, 4]);\nlet %y = transpose(\n  nn.relu(transpose(%x)));\nlet %z: Tensor[(4, 2), float32] = %y;\n");
  await expect(problems(page).locator(".mends .button")).toHaveText(["Why not?", /^wrap %y in transpose$/, "take transpose away, line 2", "take transpose away, line 3"]);
  // The same on one line.
  await write(page, "let %x = ones(shape=[2, 4]);\nlet %z: Tensor[(4, 2), float32] = transpose(nn.relu(transpose(%x)));\n");
  await expect(problems(page).locator(".mends .button", { hasText: "away" })).toHaveText([
    "take transpose away, line 2, column 35",
    "take transpose away, line 2, column 53",
  ]);
  // The editor's menu and the answer to Why not have the same names.
  await problems(page).getByRole("button", { name: "Why not?" }).click();
  await expect(panel(page).locator(".fixes .button", { hasText: "column 53" })).toBeVisible();
  await problems(page).locator(".message").click();
  await expect(page.locator(".editor-place.user .monaco-editor.focused")).toBeVisible();
  await page.keyboard.press("Control+.");
  await expect(page.locator(".action-widget, .codeActionWidget, [class*=action-widget]").first()).toContainText("column 53");
  await page.keyboard.press("Escape");
  // Where they begin alike, and write the same, they end elsewhere.
  await write(page, "def @first[A, B](%a: float32, %b: A, %c: B) { %a }\nlet %x = ones(shape=[2]);\n@first(%x, 1f, 1f)\n");
  const swaps = problems(page).locator(".mends .button", { hasText: "swap the arguments %x and 1f" });
  await expect(swaps).toHaveCount(2);
  expect(new Set(await swaps.allInnerTexts()).size).toBe(2);
  // Or in one place, where they write different things.
  await write(page, "def @flat[S: Shape](%x: Tensor[(2, ..S, 1), int32]) { %x }\n@flat([1, 2])\n");
  await expect(problems(page).locator(".mends .button", { hasText: "expand_dims" })).toHaveText([/expand_dims\( … , axis=1\)/, /expand_dims\( … , axis=1, num_newaxis=2\)/]);
  // One that is found in two ways is offered once.
  await write(page, MENDED);
  await expect(problems(page).locator(".mends .button", { hasText: "nn.pad" })).toHaveText(["wrap %b in nn.pad"]);
});

test("a letter that turns the direction of writing turns no message", async ({ page }) => {
  await open(page);
  await write(page, "1 \u202e 2\n");
  const message = problems(page).locator(".problem .message");
  await expect(message).toContainText("U+202E");
  await expect(message).toBeVisible();
  const [first, last] = await message.evaluate((element) => {
    const words = [...element.childNodes].findLast((node) => node.textContent?.includes("U+202E")) as Text;
    const leftOf = (at: number) => {
      const range = document.createRange();
      range.setStart(words, at);
      range.setEnd(words, at + 1);
      return range.getBoundingClientRect().left;
    };
    return [leftOf(0), leftOf(words.length - 1)];
  });
  expect(first).toBeLessThan(last ?? 0);
});

test("a place says its line", async ({ page }) => {
  await open(page);
  await write(page, MENDED);
  const labels = (message: string) => problems(page).locator(".problem", { hasText: message }).first().locator(".labels button");
  await expect(labels("sizes 4 and 9").nth(2)).toHaveText("4 comes from here, line 4");
  await expect(labels("expects Tensor[(4, 5), _]")).toHaveText(["%w is declared here, line 1", "asked for here, line 1", "5 comes from here, line 2", "6 comes from here, line 3"]);
  // Those that are found later end the same list.
  await expect(labels("expects Tensor[(4, 4), _]").last()).toHaveText("the problem shows here, line 7");
  await expect(problems(page).locator(".mends .labels")).toHaveCount(0);
});

test("where the cause is found elsewhere, the place at which a problem shows keeps a mark", async ({ page }) => {
  await open(page);
  await write(page, "def @f(%x: Tensor[(5, 4), float32]) {\n  let %y: Tensor[(7, 4), float32] =\n    nn.relu(%x);\n  %y\n}\n");
  await expect(problems(page).locator(".problem")).toContainText("line 2");
  await expect(page.locator(".squiggly-error")).toHaveCount(1);
  await expect(page.locator(".squiggly-info")).toHaveCount(1);
});

test("the editor shows problems in words alone, and counts those of the list", async ({ page }) => {
  await open(page);
  // One of them is told elsewhere than where it shows.
  await write(page, "match (`Foo(1)) { `Fo(%n) => %n }\n%nope\n");
  await expect(problems(page).locator(".problem")).toHaveCount(2);
  // With its edits a problem is marked anew, and the editor begins again with the first.
  await expect(problems(page).getByRole("button", { name: /^write .?Fo.? for/ })).toBeVisible();
  await focusEditor(page);
  await page.keyboard.press("Control+Home");
  const seen: string[] = [];
  for (let n = 0; n < 2; n += 1) {
    await page.keyboard.press("F8");
    const widget = page.locator(".zone-widget");
    await expect(widget).toContainText(`${n + 1} of 2 problems`);
    seen.push(await widget.innerText());
  }
  expect(seen.join()).toContain("does not handle `Foo(_)");
  expect(seen.join()).not.toContain("``");
  await page.keyboard.press("Escape");
  await expect(async () => {
    await page.mouse.move(5, 5);
    await page.locator(".squiggly-error, .squiggly-warning").first().hover({ force: true });
    await expect(page.locator(".monaco-hover:not(.hidden)")).toContainText("`Fo", { timeout: 2000 });
  }).toPass({ timeout: 15_000 });
  await expect(page.locator(".monaco-hover:not(.hidden)")).not.toContainText("``");
});

const LONG_MESSAGE = `def @main(%image: Tensor[(1, 256, 14, 14), float32], %weight: Tensor[(256, 128, 3, 3), float32]) {
  nn.conv2d(%image, %weight, padding=[1, 1, 1, 1], channels=256, kernel_size=[3, 3])
}
`;

for (const width of [1280, 900]) {
  test(`the box of a problem shows all of its message in an editor that is ${width} pixels wide`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 });
    await open(page);
    await write(page, LONG_MESSAGE);
    // The list says it in one piece.
    await expect(problems(page).locator(".problem .message")).toContainText(
      "nn.conv2d expects Tensor[(256, 256, 3, 3), float32], found Tensor[(256, 128, 3, 3), float32]: sizes 256 and 128 differ",
    );
    await focusEditor(page);
    await page.keyboard.press("F8");
    const lines = page.locator(".marker-widget .message > div");
    await expect(lines.first()).toHaveText(/^nn\.conv2d expects/);
    await expect(lines.last()).toContainText("(type-mismatch)");
    expect(await lines.count()).toBeGreaterThanOrEqual(2);
    const outside = () =>
      page.locator(".marker-widget").evaluate((box) => {
        const { right, bottom } = box.getBoundingClientRect();
        const parts = [...box.querySelectorAll(".message > div, .message .code")];
        return parts.map((part) => part.getBoundingClientRect()).filter((part) => part.right > right || part.bottom > bottom).length;
      });
    await expect.poll(outside).toBe(0);
  });
}

test("the key for edits says where none is known", async ({ page }) => {
  await open(page);
  await write(page, "let %x = @;\n");
  await expect(problems(page).locator(".problem")).toHaveCount(1);
  await focusEditor(page);
  await page.keyboard.press("F8");
  await expect(page.locator(".marker-widget")).toBeVisible();
  await page.keyboard.press("Control+.");
  await expect(page.locator(".monaco-editor-overlaymessage")).toContainText("No edit is known for this");
});

test("going to a problem keeps the beginning of its line in view", async ({ page }) => {
  const names = Array.from({ length: 30 }, (_, n) => `%a_long_name_${n}`).join(", ");
  await open(page);
  await write(page, `let %result = @nope(${names});\n`);
  const first = problems(page).locator(".problem .message").first();
  await expect(first).toBeVisible();
  await focusEditor(page);
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("End");
  const word = page.locator(".editor-place.user .view-line span span", { hasText: "let" }).first();
  await expect(word).not.toBeInViewport();
  await first.click();
  await expect(word).toBeInViewport({ ratio: 1 });
  // Where they have no room beside each other, it is the problem that is seen.
  await problems(page).locator(".problem .message", { hasText: "%a_long_name_29" }).click();
  await expect(word).not.toBeInViewport();
  await expect(page.locator(".editor-place.user .view-line span span", { hasText: "%a_long_name_29" })).toBeInViewport({ ratio: 1 });
});

for (const [language, text, line] of [["refine", "#lang refine\nlet x = in x\n", 2], ["relay", "let %x = ;\n@f(1\n", 1]] as const) {
  test(`a panel that is empty for an error says so, in ${language}`, async ({ page }) => {
    await open(page);
    await write(page, text);
    await expect(problems(page).locator(".problem").first()).toBeVisible();
    const isSaid = async () => {
      await expect(panel(page)).toContainText(/Nothing to show: line \d.* errors?\./);
      await expect(panel(page)).not.toContainText("Try");
      await panel(page).getByRole("button", { name: `line ${line}`, exact: true }).click();
      await expect(page.locator(".editor-place.user .line-numbers.active-line-number")).toHaveText(String(line));
    };
    await showPanel(page, "Match");
    await isSaid();
    await showPanel(page, "IR");
    await isSaid();
    await showPanel(page, "Solver");
    for (const name of ["Steps", "Graph", "Rounds"]) {
      await panel(page).getByRole("tab", { name }).click();
      await isSaid();
    }
  });
}

test("in the middle of a word nothing moves, and nothing is looked for", async ({ page }) => {
  await open(page);
  await focusEditor(page);
  await page.keyboard.press("Control+End");
  await page.waitForTimeout(300);
  const before = await page.locator(".work > *").evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().height));
  // Each time that the size of the editor changes.
  await page.locator(".editor-place.user").evaluate((place) => {
    const heights: number[] = [];
    Object.assign(window, { heights });
    new ResizeObserver(() => heights.push(place.clientHeight)).observe(place);
  });
  await page.keyboard.type("let", { delay: 300 });
  const status = problems(page).getByRole("status");
  await expect(status).toHaveText(/error/);
  await page.keyboard.type(" %typed = 1;", { delay: 60 });
  await expect(status).toHaveText("No problems");
  await page.waitForTimeout(1000);
  expect(await page.locator(".work > *").evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().height))).toEqual(before);
  expect(await page.evaluate(() => (window as unknown as { heights: number[] }).heights)).toHaveLength(1);
  // Whoever stops in the middle of it is told.
  await page.keyboard.type("\nl");
  await expect(problems(page).locator(".problem")).toHaveCount(1);
  await expect(problems(page).locator(".problem")).toBeHidden();
  await expect(problems(page).locator(".problem")).toBeVisible();
  // And where nothing is wrong any more, the editor has its room again soon.
  await page.keyboard.press("Backspace");
  await expect(problems(page).getByRole("heading")).toBeVisible();
  await expect(page.locator(".work")).toHaveClass("work at-peace");
});

test("whoever asks for edits right behind a key has them to choose from", async ({ page }) => {
  await open(page);
  await write(page, "let %long = 1;\n");
  await expect(problems(page).getByRole("status")).toHaveText("No problems");
  await page.keyboard.type("%lon");
  // Though the text may not have been checked.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+.");
  const menu = page.locator(".action-widget").first();
  await expect(menu).toContainText("%long");
  await expect(problems(page).locator(".problem")).toBeVisible();
  await page.waitForTimeout(1000);
  await expect(menu).toBeVisible();
  await page.keyboard.press("Escape");
  // Nor may it be known what would mend it.
  await write(page, "let %x = ones(shape=[2, 4]);\nlet %y = %x + ones(shape=[2, 5]);");
  await expect(problems(page).locator(".problem")).toBeVisible();
  for (let left = 0; left < 3; left += 1) await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Control+.");
  await expect(menu).toContainText("write shape=[2, 4]");
});

for (const isMobile of [false, true]) {
  test.describe(isMobile ? "on a phone" : "beside panels", () => {
    test.use(isMobile ? PHONE : {});

    test("the edits to choose from are told whole", async ({ page }) => {
      await open(page);
      await write(page, "let %w = ones(shape=[3, 4]);\nlet %y = %w + ones(shape=[3, 5]);");
      await expect(problems(page).getByRole("button", { name: "write shape=[3, 5]" })).toBeVisible();
      for (let left = 0; left < 3; left += 1) await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("Control+.");
      const titles = page.locator(".action-widget .action .title");
      await expect(titles).toHaveText(["write shape=[3, 4]", "write shape=[3, 5]"]);
      expect(await titles.evaluateAll((all) => all.map((title) => title.scrollWidth - title.clientWidth))).toEqual([0, 0]);
    });
  });
}

test("a run makes room for its problems at once", async ({ page }) => {
  await open(page);
  await focusEditor(page);
  await page.keyboard.press("Control+End");
  await page.keyboard.type("%nope");
  await page.keyboard.press("Control+Enter");
  // Those of what was typed first may still stand there.
  await expect(problems(page).locator(".problem", { hasText: "%nope" })).toBeVisible({ timeout: 500 });
});

test("where no edit is found there is no gap, but nothing moves under a pointer", async ({ page }) => {
  await open(page);
  await write(page, "%nope\n");
  await expect(problems(page).locator(".problem")).toBeVisible();
  await write(page, "let %a = 300i8;\n");
  const row = problems(page).locator(".problem").first();
  await expect(row.locator(".sought")).toHaveText("Looking for edits …");
  await expect(row.locator(".mends")).toHaveCount(0);
  expect((await row.boundingBox())?.height).toBeLessThan(40);
  // Nor is one to be expected after the next key.
  await page.keyboard.press("Control+End");
  await page.keyboard.type("let %b = 1;");
  await expect(row).toBeVisible();
  await expect(row.locator(".mends")).toHaveCount(0);
  await write(page, "let %a = 400i16 + 70000i16;\n");
  await page.locator(".problems > ul").hover();
  await expect(row.locator(".sought")).toHaveText("");
  expect((await row.locator(".sought").boundingBox())?.height).toBe(28);
  // What the parser says of a text that it cannot read comes at once, and nothing is looked for.
  await write(page, "let %x = (1;\n");
  await expect(row).toContainText("line 1");
  await expect(row.locator(".sought")).toHaveCount(0);
});

test("the page about a code says what is wrong under the line, in words alone", async ({ page }) => {
  await open(page);
  await write(page, "def @center(%x: Tensor[(8, 8), float32]) { %x - mean(%x, axis=[1]) }\n");
  await problems(page).getByText("suspicious-broadcast").click();
  const about = page.getByRole("region", { name: "About suspicious-broadcast" });
  await expect(about.locator(".words-warning").first()).toHaveText(/^\s+\^ \(64, 1\) and \(64\) make \(64, 64\)$/);
  await expect(about).not.toContainText("warning[");
});

for (const size of ["desktop", "phone"] as const) {
  test(`edits that have no room in a line stand in several on a ${size}`, async ({ browser }) => {
    const context = size === "phone" ? await phone(browser) : await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    await open(page);
    await write(page, "[1, 2, 3] + [1, 2]\n%nope\n");
    const row = problems(page).locator(".mends").first();
    await expect(row.locator(".button")).toHaveCount(4);
    await expect.poll(() => row.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBeLessThanOrEqual(0);
    // How far a button goes past the row's end. The row may still become narrower: the list gets a bar while it grows.
    const past = () =>
      row.evaluate((row) => {
        const end = row.getBoundingClientRect().right;
        return Math.max(...[...row.querySelectorAll(".button")].map((button) => button.getBoundingClientRect().right - end));
      });
    await expect.poll(past).toBeLessThanOrEqual(0);
    await context.close();
  });
}

test("several problems have more room than one, but not half of the page", async ({ page }) => {
  await open(page);
  await write(page, "%none\n");
  await expect(problems(page).locator(".problem")).toHaveCount(1);
  const height = async () => (await problems(page).boundingBox())?.height ?? 0;
  await expect.poll(height).toBeGreaterThan(100);
  const least = await height();
  await write(page, MENDED);
  await expect(problems(page).locator(".problem")).toHaveCount(6);
  await expect.poll(height).toBeGreaterThan(least + 100);
  await expect(problems(page).locator(".problem").nth(1)).toBeInViewport({ ratio: 1 });
  const work = (await page.locator(".work").boundingBox())?.height ?? 0;
  expect(await height()).toBeLessThan(work * 0.46);
  // The bar has the last word.
  await page.getByRole("separator", { name: "Height of the problems" }).press("ArrowDown");
  await expect.poll(height).toBeLessThan(least);
  await page.getByRole("separator", { name: "Height of the problems" }).dblclick();
  await expect.poll(height).toBeGreaterThan(least + 100);
  await write(page, "%none\n");
  await expect.poll(height).toBe(least);
});

test("a long type leaves the end of its sentence in sight, and is told whole when one points at it", async ({ page }) => {
  await open(page);
  const types = Array.from({ length: 60 }, (_, at) => `Tensor[(${at + 1}, 7), float32]`).join(", ");
  await write(page, `def @wide(%t: (${types})) { %t }\n@wide(1)\n`);
  const message = problems(page).locator(".message");
  await expect(message).toContainText("expected (Tensor[(1, 7), float32], …, Tensor[(60, 7), float32]), found int32");
  await expect(message).toBeInViewport({ ratio: 1 });
  await expect(message).toHaveAttribute("title", new RegExp(/Tensor\[\(30, 7\), float32\].* found int32$/));
  // One that is no longer than usual is whole.
  await write(page, "def @wide(%t: (int32, bool, float32)) { %t }\n@wide(1)\n");
  await expect(message).toContainText("expected (int32, bool, float32), found int32");
  await expect(message).not.toHaveAttribute("title");
});

test("the page about a code quotes no code in what it says under the line", async ({ page }) => {
  await open(page);
  await write(page, "%nope\n");
  await problems(page).getByText("unbound-var").click();
  const said = page.locator(".dialog .words-error").first();
  await expect(said).toContainText("%");
  await expect(said).not.toContainText("`");
});
