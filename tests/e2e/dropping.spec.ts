// A file that is dropped onto the page becomes the program.
import { expect, type Page, test } from "@playwright/test";
import { open, text, write } from "./page.ts";

/** Drops a file onto the editor, which would otherwise take it. */
async function drop(page: Page, name: string, bytes: Buffer): Promise<void> {
  const data = await page.evaluateHandle(
    ({ name, base64 }) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], name));
      return data;
    },
    { name, base64: bytes.toString("base64") },
  );
  const editor = page.locator(".editor-place.user .monaco-editor .view-lines");
  await editor.dispatchEvent("dragover", { dataTransfer: data });
  await editor.dispatchEvent("drop", { dataTransfer: data });
}

const notice = (page: Page) => page.locator(".notice");

test("a dropped file is opened as the program, in the language of its name, and can be undone", async ({ page }) => {
  await open(page);
  await write(page, "let %mine = 1;\n");
  await drop(page, "theirs.relay", Buffer.from("\ufefflet %theirs = 2;\r\n%theirs\r\n"));
  await expect(notice(page)).toContainText("Opened “theirs.relay”.");
  await expect.poll(() => text(page)).toBe("let %theirs = 2;\n%theirs\n");
  await expect(page).toHaveTitle(/^theirs\.relay – /);
  await notice(page).getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => text(page)).toContain("%mine");
  await drop(page, "tree.refine", Buffer.from("let x = A in x\n"));
  await expect.poll(() => text(page)).toContain("#lang refine\nlet x = A in x");
  // What the text says itself stands.
  await drop(page, "net.txt", Buffer.from("#lang tensorscript\nuse lin::Linear;\n"));
  await expect(page.getByLabel("Language")).toHaveValue("tensorscript");
});

for (const [name, bytes, why] of [
  ["large.relay", Buffer.alloc(2_100_000, " "), "it has 2.1 MB, and a program here has at most 2 MB"],
  ["image.png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe]), "it is no text in UTF-8"],
] as const) {
  test(`a file is not opened if ${why}`, async ({ page }) => {
    await open(page);
    await write(page, "let %mine = 1;\n");
    await drop(page, name, bytes);
    await expect(notice(page)).toContainText(`“${name}” was not opened: ${why}. Your program is as it was.`);
    await expect.poll(() => text(page)).toContain("%mine");
  });
}
