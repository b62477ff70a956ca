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
export const isNarrow = media("(max-width: 720px)");
/** Nothing can be pointed at without a tap. */
export const isTouched = media("(hover: none)");

const isDark = computed(() => (state.theme.value === "system" ? prefersDark.value : state.theme.value === "dark"));

/** Changes after the style sheet has been told, so that whoever reads colours from it gets the new ones. */
export const appearance = signal({ isDark: false, isContrast: false });

effect(() => {
  const next = { isDark: isDark.value, isContrast: prefersContrast.value };
  document.documentElement.dataset["theme"] = next.isDark ? "dark" : "light";
  appearance.value = next;
});
