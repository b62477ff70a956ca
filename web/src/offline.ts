// Has the browser keep the site, so that it opens without a network too.

/** A first visit has other things to load first. */
const SETTLED_MS = 2000;

/** Only the built site is kept: what one develops changes under the same names. */
export function keepSite(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  // Where it is forbidden, or the disk is full, the page works as before: with a network.
  setTimeout(() => navigator.serviceWorker.register("./offline.js").catch(() => undefined), SETTLED_MS);
}
