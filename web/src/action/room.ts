// Room for problems, before what is shown over the page.
import { state } from "../state.ts";

const frame = (): Promise<number> => new Promise((done) => requestAnimationFrame(done));

/** Whoever asks for something types no more: makes the room that waits for that, and resolves once all has its place. */
export async function makeRoom(): Promise<void> {
  if (state.rested.peek()) return;
  state.rested.value = true;
  // Sizes are told behind the frame in which they change.
  await frame();
  await frame();
}
