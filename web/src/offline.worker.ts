// The service worker, which keeps the site for when there is no network. `scripts/offline.mjs` writes the list of the
// site's files, and what they must be to the byte, in front of this file once the site is built.
//
// A name under assets/ holds a hash of the contents, so such a file is the same in every build that has it, and comes
// from what is kept. The page itself comes from the network, as long as there is one: so a new build is there with the
// next load, with the files that it names; the page that is kept comes with its own. The two are never mixed.

interface Site {
  /** Another one for each build. */
  version: string;
  files: readonly { path: string; integrity: string }[];
  /** Files that few visits need, kept once they were: paths. */
  later: readonly string[];
}

/** What of a service worker is used here; TypeScript knows it only where it does not know pages. */
interface ServiceWorker {
  relishSite: Site;
  registration: { scope: string };
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  addEventListener(type: "install" | "activate", listener: (event: { waitUntil(done: Promise<unknown>): void }) => void): void;
  addEventListener(type: "fetch", listener: (event: { request: Request; respondWith(response: Promise<Response>): void }) => void): void;
}

const worker = self as unknown as ServiceWorker;
const { scope } = worker.registration;
const { version, files, later } = worker.relishSite;

/** Other sites of the same host, in other folders, have theirs beside ours. */
const PREFIX = `relish ${scope} `;
/** This build's, and that of the build before, from which a page that is open may still load. */
const KEPT_BUILDS = 2;
/** How long the network may take for the page, when one is kept. */
const PATIENCE_MS = 3000;

/** What hosts say that a file depends on is no matter here. */
const BY_ADDRESS = { ignoreVary: true };

/** Hosts send the page for its folder, and some send whoever asks for `index.html` there. */
const addressOf = (path: string) => new URL(path === "index.html" ? "./" : path, scope).href;

const own = () => caches.open(PREFIX + version);

/** The caches of this site, the newest first. */
const kept = async () => (await caches.keys()).filter((name) => name.startsWith(PREFIX)).reverse();

worker.addEventListener("install", (event) => event.waitUntil(install()));
worker.addEventListener("activate", (event) => event.waitUntil(activate()));

/** Keeps all files, or none: a host may be in the middle of a change. */
async function install(): Promise<void> {
  const cache = await own();
  try {
    await cache.addAll(files.map(({ path, integrity }) => new Request(addressOf(path), { integrity, cache: "no-cache" })));
  } catch (error) {
    await caches.delete(PREFIX + version);
    throw error;
  }
  await worker.skipWaiting();
}

async function activate(): Promise<void> {
  const old = (await kept()).slice(KEPT_BUILDS);
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(scope)) return;
  const path = request.url.slice(scope.length).replace(/[?#].*$/, "");
  if (path.startsWith("assets/")) event.respondWith(asset(request, path));
  else if (path === "" || files.some((file) => file.path === path)) event.respondWith(newest(request, addressOf(path)));
});

async function asset(request: Request, path: string): Promise<Response> {
  for (const name of await kept()) {
    const found = await (await caches.open(name)).match(request.url, BY_ADDRESS);
    if (found !== undefined) return found;
  }
  const response = await fetch(request);
  // Some hosts send a page in place of what they do not have.
  const isFile = response.ok && !response.headers.get("content-type")?.startsWith("text/html");
  if (isFile && later.includes(path)) {
    const copy = response.clone();
    // The disk may be full, which is no reason to go without.
    void own().then((cache) => cache.put(request.url, copy)).catch(() => undefined);
  }
  return response;
}

async function newest(request: Request, address: string): Promise<Response> {
  const coming = fetch(request);
  const found = await (await own()).match(address, BY_ADDRESS);
  if (found === undefined) return coming;
  const patience = new Promise<Response>((resolve) => setTimeout(resolve, PATIENCE_MS, found));
  const answered = coming.then((response) => (response.status >= 500 ? found : response));
  return Promise.race([answered, patience]).catch(() => found);
}
