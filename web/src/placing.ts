// The page's side of the worker that finds places for the nodes of a graph. It is started when a graph is first looked
// at, and ended when nobody wants its answer any more.
import type { PlaceReply, PlaceRequest } from "./place.worker.ts";

type Places = Omit<PlaceReply, "id">;

let worker: Worker | undefined;
let pending: { id: number; done: (places: Places | undefined) => void } | undefined;
let lastId = 0;

/** No answer if another graph is asked about before this one is placed. */
export function place(sizes: PlaceRequest["sizes"], edges: PlaceRequest["edges"]): Promise<Places | undefined> {
  if (pending !== undefined) forget();
  worker ??= start();
  lastId += 1;
  const request: PlaceRequest = { id: lastId, sizes, edges };
  return new Promise((done) => {
    pending = { id: lastId, done };
    worker?.postMessage(request);
  });
}

/** Gives up what is being placed. */
function forget(): void {
  worker?.terminate();
  worker = undefined;
  pending?.done(undefined);
  pending = undefined;
}

function start(): Worker {
  const started = new Worker(new URL("./place.worker.ts", import.meta.url), { type: "module", name: "places" });
  started.onmessage = ({ data }: MessageEvent<PlaceReply>) => {
    if (data.id !== pending?.id) return;
    const { done } = pending;
    pending = undefined;
    done(data);
  };
  started.onerror = () => {
    if (worker === started) forget();
  };
  return started;
}
