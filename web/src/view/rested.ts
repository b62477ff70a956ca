// What a panel asks of the compiler waits until nobody types any more, or moves the cursor.
import { type ReadonlySignal, useSignal, useSignalEffect } from "@preact/signals";
import { isFresh, state } from "../state.ts";

/** As long as this passes between two keys, or two moves, of a person who goes on. */
const RESTED_MS = 80;

/** Acts after a rest; calls off what is then not wanted any more. */
export function onceRested(act: () => void): () => void {
  const timer = setTimeout(act, RESTED_MS);
  return () => clearTimeout(timer);
}

export const rest = (): Promise<void> => new Promise((done) => setTimeout(done, RESTED_MS));

/** Asks once the text is checked, and anew whenever it has been checked again or a signal changes that `read` reads. */
export function useQuestion<Asked>(read: () => Asked, ask: (asked: Asked, isWanted: () => boolean) => void): void {
  useSignalEffect(() => {
    // A check that says the same is a reason to ask again: its compiler is another.
    void state.checked.value;
    const asked = read();
    if (!isFresh.value) return;
    let isWanted = true;
    const callOff = onceRested(() => ask(asked, () => isWanted));
    return () => {
      isWanted = false;
      callOff();
    };
  });
}

/** The newest answer to such a question; the one before stays until it comes. */
export function useAnswer<Asked, Answer>(
  read: () => Asked,
  ask: (asked: Asked) => Promise<Answer | undefined>,
): ReadonlySignal<Answer | undefined> {
  const answer = useSignal<Answer | undefined>(undefined);
  useQuestion(read, async (asked, isWanted) => {
    const found = await ask(asked);
    if (!isWanted()) return;
    // Where the compiler fell over there is none, and the one before may be of another text.
    if (found !== undefined || state.trap.peek() !== undefined) answer.value = found;
  });
  return answer;
}
