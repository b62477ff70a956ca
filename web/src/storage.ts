// What stays in the browser between visits. Storage may be full, forbidden or emptied; then the page works without.
const PREFIX = "relish.";

export type Kept = "text" | "set-aside" | "theme" | "panel" | "layout" | "fused" | "build" | "measures" | "editor-width" | "problems-height";

export function load(key: Kept): string | undefined {
  try {
    return localStorage.getItem(PREFIX + key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function save(key: Kept, value: string): void {
  try {
    localStorage.setItem(PREFIX + key, value);
  } catch {
    // The visit goes on; only the next one starts afresh.
  }
}
