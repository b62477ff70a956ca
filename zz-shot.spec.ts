import { test } from "@playwright/test";
import { open } from "./tests/e2e/page.ts";
for (const width of [360, 760, 1280]) test(`shot ${width}`, async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width, height: 740 } });
  const page = await context.newPage();
  await open(page);
  await page.screenshot({ path: `/tmp/try/shot-${width}.png`, clip: { x: 0, y: 0, width, height: 220 } });
});
