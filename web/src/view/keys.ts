// The keys of controls that step through something, and where they have another use.

export interface Keyed {
  /** As `KeyboardEvent` names them. */
  keys: readonly string[];
  /** What the first is called. */
  shown: string;
}

const HAS_LETTERS = "select, textarea, input[type=text]";
const HAS_ARROWS = "input, select, textarea, [role=tab], [data-node]";
const HAS_SPACE = "button, summary, a, [role=button], input, select, textarea";

/** The key of an event, unless it has a use of its own where the focus is. */
export function freeKey(event: KeyboardEvent): string | undefined {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.defaultPrevented) return undefined;
  const users = key === " " ? HAS_SPACE : key.length > 1 && key !== "Escape" ? HAS_ARROWS : HAS_LETTERS;
  if (target instanceof Element && target.closest(users) !== null) return undefined;
  return key.length === 1 ? key.toLowerCase() : key;
}

/** As ARIA writes them. */
export const shortcutsOf = ({ keys }: Keyed) => keys.map((key) => (key === " " ? "Space" : key.length === 1 ? key.toUpperCase() : key)).join(" ");

/** The name of a control with its keys. */
export function withKeys(name: string, { keys, shown }: Keyed): string {
  return `${name} (${[shown, ...keys.slice(1).map((key) => key.toUpperCase())].join(", or ")})`;
}
