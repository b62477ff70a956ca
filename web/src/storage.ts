// What stays in the browser: between visits, and in one tab for as long as it is open. Storage may be full, forbidden
// or emptied; then the page works without.
const PREFIX = "relish.";

export type Kept = "text" | "earlier" | "theme" | "panel" | "layout" | "fused" | "build" | "measures" | "editor-width" | "problems-height";

/** What one tab keeps over a reload: its own text, and that of a link with the edits made here. */
export type KeptOfTab = "text" | `link ${string}`;

export function load(key: Kept): string | undefined {
  return read(() => localStorage, key);
}

/** Whether it could be saved; if not, the visit goes on, and only the next one starts afresh. */
export function save(key: Kept, value: string): boolean {
  return write(() => localStorage, key, value);
}

export function loadOfTab(key: KeptOfTab): string | undefined {
  return read(() => sessionStorage, key);
}

/** Without a value, what was kept is removed. */
export function saveOfTab(key: KeptOfTab, value: string | undefined): void {
  write(() => sessionStorage, key, value);
}

/** Where storage is forbidden, even to mention it throws. */
function read(storage: () => Storage, key: Kept | KeptOfTab): string | undefined {
  try {
    return storage().getItem(PREFIX + key) ?? undefined;
  } catch {
    return undefined;
  }
}

function write(storage: () => Storage, key: Kept | KeptOfTab, value: string | undefined): boolean {
  try {
    if (value === undefined) storage().removeItem(PREFIX + key);
    else storage().setItem(PREFIX + key, value);
    return true;
  } catch {
    return false;
  }
}
