// What a visitor has chosen in a panel: it is there again when the panel is, and after the next run.
import { type Signal, signal } from "@preact/signals";

const chosen = new Map<string, Signal<unknown>>();

/** As a state of whoever is drawn with it, under a name of its own. */
export function kept<T>(name: string, initial: T): [value: T, choose: (value: T) => void] {
  const known = (chosen.get(name) as Signal<T> | undefined) ?? signal(initial);
  chosen.set(name, known as Signal<unknown>);
  return [known.value, (next) => (known.value = next)];
}

/** For another program. */
export const forgetChoices = () => chosen.clear();
