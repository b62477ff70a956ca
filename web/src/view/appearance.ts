// Light or dark, plain or high contrast, wide or narrow: what the person chose and what their system prefers.
import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import { state } from "../state.ts";

function media(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query);
  const matches = signal(list.matches);
  list.addEventListener("change", () => (matches.value = list.matches));
  return matches;
}

const prefersDark = media("(prefers-color-scheme: dark)");
const prefersContrast = media("(prefers-contrast: more)");

/** On paper, both the program and the panel stand whole, dark on light. */
export const isPrinted = signal(false);
addEventListener("beforeprint", () => (isPrinted.value = true));
addEventListener("afterprint", () => (isPrinted.value = false));

/** A phone on its side is low, and as narrow for that. The style sheets have the same words. */
const hasLittleRoom = media("(max-width: 720px), (max-height: 520px) and (pointer: coarse)");
export const isNarrow = computed(() => hasLittleRoom.value && !isPrinted.value);
/** Of the panels, in pixels, once it is known. */
export const paneWidth = signal<number | undefined>(undefined);
const NARROW_PANE = 500;
/** Whether the panels have little room, in a narrow window or beside a wide editor: `@container pane` in the style sheets. */
export const isPaneNarrow = computed(() => (paneWidth.value === undefined ? isNarrow.peek() : paneWidth.value <= NARROW_PANE));

/** Goes by the size of the pane from now on. */
export function followPane(pane: Element): () => void {
  const observer = new ResizeObserver(([entry]) => {
    // A pane out of sight has no size.
    if (entry !== undefined && entry.contentRect.width > 0) paneWidth.value = entry.contentRect.width;
  });
  observer.observe(pane);
  return () => observer.disconnect();
}

/** Nothing can be pointed at without a tap. */
export const isTouched = media("(hover: none)");

const isDark = computed(() => !isPrinted.value && (state.theme.value === "system" ? prefersDark.value : state.theme.value === "dark"));

/** Changes after the style sheet has been told, so that whoever reads colours from it gets the new ones. */
export const appearance = signal({ isDark: false, isContrast: false });

effect(() => {
  const next = { isDark: isDark.value, isContrast: prefersContrast.value };
  document.documentElement.dataset["theme"] = next.isDark ? "dark" : "light";
  appearance.value = next;
});
