// Room for problems. It is made when there is one in a text that nobody is typing, and it goes when there has been none for a
// while: in the middle of a word nothing moves.
import { effect } from "@preact/signals";
import { problems, state } from "../state.ts";

const ROOM_MS = 1200;

effect(() => {
  if (!state.rested.value) return undefined;
  if (problems.value.length > 0) state.hasRoom.value = true;
  else if (state.hasRoom.value) {
    const timer = setTimeout(foldRoom, ROOM_MS);
    return () => clearTimeout(timer);
  }
  return undefined;
});

/** Takes back the room that no problem needs. */
export function foldRoom(): void {
  if (problems.peek().length === 0) state.hasRoom.value = false;
}

const frame = (): Promise<number> => new Promise((done) => requestAnimationFrame(done));

/** Whoever asks for something types no more: makes the room that waits for that, and resolves once all has its place. */
export async function makeRoom(): Promise<void> {
  if (state.rested.peek()) return;
  state.rested.value = true;
  // Sizes are told behind the frame in which they change.
  await frame();
  await frame();
}
