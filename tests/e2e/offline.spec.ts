// Without a network the page opens as it was, and a new build is taken up whole.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import { expect, type Page, test as base } from "@playwright/test";
// @ts-expect-error The scripts are plain JavaScript, so that they run before anything is installed.
import { listFiles } from "../../scripts/offline.mjs";
import { expectHover, expectValue, open, panel, problems, ready, runButton, showPanel, write } from "./page.ts";

const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".ttf": "font/ttf",
};

/** A host that has the site in a folder among others, as most static hosts do. */
interface Host {
  /** Where the site's files are; a test may change them. */
  folder: string;
  address: string;
  /** The paths that were asked for. */
  asked: string[];
  /** Whether it answers, and how. */
  state: "up" | "broken" | "silent" | "down";
}

const test = base.extend<{ host: Host }>({
  serviceWorkers: "allow",
  host: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), "relish-site-"));
    cpSync(resolve(import.meta.dirname, "../../dist"), folder, { recursive: true });
    const host: Host = { folder, address: "", asked: [], state: "up" };
    const server: Server = createServer((request, response) => {
      const path = new URL(request.url ?? "", "http://host").pathname.replace(/^\/lab\/relish\//, "");
      host.asked.push(path);
      if (host.state === "down") return void request.socket.destroy();
      if (host.state === "silent") return;
      const file = join(folder, path === "" ? "index.html" : path);
      if (host.state === "broken") return void response.writeHead(503, { "content-type": "text/html" }).end("<h1>Back soon</h1>");
      if (!existsSync(file) || !statSync(file).isFile()) return void response.writeHead(404).end();
      response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain" }).end(readFileSync(file));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    host.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/lab/relish/`;
    await use(host);
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  },
});

/** Waits until the site has been kept, and this page gets its files from there. */
async function kept(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state)).toBe("activated");
}

/** Opens the page from a new tab, as a later visit does. */
async function visit(page: Page, host: Host): Promise<Page> {
  const later = await page.context().newPage();
  await open(later, host.address);
  return later;
}

test.beforeEach(({ context }) => context.grantPermissions(["clipboard-read", "clipboard-write"]));

test("a page that was there once opens without a network, and does all it does", async ({ page, context, host }) => {
  await open(page, host.address);
  await kept(page);
  await context.setOffline(true);
  host.state = "down";
  await page.reload();
  await ready(page);
  await write(page, "let %a = ones(shape=[2, 3]);\nnn.relu(%a).shape + 1\n");
  await expect(problems(page).locator(".problem")).not.toHaveCount(0);
  await write(page, "let %a = ones(shape=[2, 3]);\nsum(%a)\n");
  await expectValue(page, "6f");
  // What is loaded only when asked for is there too.
  await expectHover(page, 1, "The sum.");
  await page.getByRole("button", { name: "Examples" }).click();
  await expect(page.locator(".gallery")).toContainText("Start here");
});

test("what a first page has not loaded yet is there when the network goes", async ({ page, context, host }) => {
  await open(page, host.address);
  await kept(page);
  await context.setOffline(true);
  await page.getByRole("button", { name: "Examples" }).click();
  await expect(page.locator(".gallery")).toContainText("Start here");
});

test("a host that is broken, or never answers, gives way to what is kept", async ({ page, host }) => {
  await open(page, host.address);
  await kept(page);
  for (const state of ["broken", "silent"] as const) {
    host.state = state;
    const later = await visit(page, host);
    await expect(later).toHaveTitle("Relish");
  }
});

/** The site as a later build of it: another page, and a file with other contents, which therefore has another name. */
function rebuild({ folder }: Host): void {
  const page = join(folder, "index.html");
  const [style] = readdirSync(join(folder, "assets")).filter((name) => /^index-.*\.css$/.test(name));
  if (style === undefined) throw new Error("the page has no style");
  renameSync(join(folder, "assets", style), join(folder, "assets/index-later000.css"));
  const text = readFileSync(page, "utf8").replace("<title>Relish</title>", "<title>Relish, later</title>");
  writeFileSync(page, text.replace(style, "index-later000.css"));
  listFiles(folder);
}

test("a new build is taken up with the next load, whole, and is kept then", async ({ page, context, host }) => {
  await open(page, host.address);
  await kept(page);
  rebuild(host);
  const later = await visit(page, host);
  await expect(later).toHaveTitle("Relish, later");
  const style = (of: Page) => of.evaluate(() => document.querySelector<HTMLLinkElement>("link[rel=stylesheet]")?.sheet?.href ?? "");
  expect(await style(later)).toContain("index-later000");
  // The one before that is still open finds its files, which the host has no more.
  const names = () => later.evaluate(() => caches.keys());
  await expect.poll(async () => (await names()).length).toBe(2);
  await kept(later);
  await expect.poll(() => later.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.installing ?? null)).toBeNull();
  const old = await style(page);
  expect(old).not.toContain("index-later000");
  expect(await page.evaluate(async (address) => (await fetch(address)).status, old)).toBe(200);
  await context.setOffline(true);
  host.state = "down";
  await later.reload();
  await expect(later).toHaveTitle("Relish, later");
  expect(await style(later)).toContain("index-later000");
  await expect(later.locator(".monaco-editor .view-line").first()).toBeVisible();
});

test("a build that has not come as a whole is not kept", async ({ page, context, host }) => {
  await open(page, host.address);
  await kept(page);
  const style = readdirSync(join(host.folder, "assets")).find((name) => /^index-.*\.css$/.test(name)) ?? "";
  rebuild(host);
  // The host has the page of the build, and not yet the style that it names.
  writeFileSync(join(host.folder, "assets/index-later000.css"), "body { color: red }");
  const later = await page.context().newPage();
  await later.goto(host.address);
  await expect(later).toHaveTitle("Relish, later");
  await later.waitForTimeout(4000);
  expect(await later.evaluate(() => caches.keys())).toHaveLength(1);
  await context.setOffline(true);
  await later.reload();
  await expect(later).toHaveTitle("Relish");
  expect(await later.evaluate(() => document.querySelector<HTMLLinkElement>("link[rel=stylesheet]")?.href)).toContain(style);
});

test("the build with relaxed SIMD is kept by those who use it", async ({ page, context, host }) => {
  await open(page, host.address);
  await kept(page);
  expect(host.asked.filter((path) => path.includes("relish_relaxed"))).toEqual([]);
  const relaxed = page.getByRole("switch", { name: "Relaxed SIMD" });
  await showPanel(page, "Run");
  await relaxed.check();
  const name = readdirSync(join(host.folder, "assets")).find((file) => file.startsWith("relish_relaxed"));
  const isKept = (path: string) => page.evaluate(async (asked) => (await caches.match(asked)) !== undefined, path);
  await expect.poll(() => isKept(`assets/${name}`)).toBe(true);
  await context.setOffline(true);
  host.state = "down";
  await page.reload();
  await ready(page);
  await showPanel(page, "Run");
  await expect(relaxed).toBeChecked();
  await write(page, "sum(ones(shape=[2, 3]))\n");
  await runButton(page).click();
  await expect(panel(page)).toContainText("Computed with relaxed SIMD.");
});
