// What a visitor has chosen in a panel: it is there again when the panel is, and after the next run.
import { useSignal } from "@preact/signals";

const chosen = new Map<string, unknown>();

/** As a state of the component, under a name of its own. */
export function useKept<T>(name: string, initial: T): [value: T, choose: (value: T) => void] {
  const value = useSignal(chosen.has(name) ? (chosen.get(name) as T) : initial);
  const choose = (next: T) => {
    chosen.set(name, next);
    value.value = next;
  };
  return [value.value, choose];
}

/** For another program. */
export const forgetChoices = () => chosen.clear();
