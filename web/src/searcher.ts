// A second compiler, for questions that take long and that nobody waits for: which edits would mend a text, and what in
// it cannot hold together. The first one is free meanwhile, so that whoever goes on typing gets an answer at once.
//
// It begins when it is first asked. It is asked about one text at a time: a question about another one ends it where it
// has not answered yet, and a new one begins.
import type { Reply, Request, SolverAnswer, SolverQuestion } from "./protocol.ts";

export interface Text {
  revision: number;
  text: string;
}

/** What this compiler is asked. */
export const isSearch = ({ about }: SolverQuestion): boolean => about === "mend" || about === "why-not";

export class Searcher {
  #module: WebAssembly.Module;
  #worker: Worker | undefined;
  /** The revision that the worker has. */
  #sent: number | undefined;
  #waiting = new Map<number, (answer: SolverAnswer | undefined) => void>();
  #nextId = 1;

  constructor(module: WebAssembly.Module) {
    this.#module = module;
  }

  /** No answer: another text was asked about, or the compiler fell over. */
  ask(about: Text, question: SolverQuestion): Promise<SolverAnswer | undefined> {
    if (this.#sent !== about.revision && this.#waiting.size > 0) this.end();
    this.#worker ??= this.#begin();
    const worker = this.#worker;
    const send = (request: Request) => worker.postMessage(request);
    if (this.#sent !== about.revision) send({ kind: "update", ...about });
    this.#sent = about.revision;
    return new Promise((resolve) => {
      const id = this.#nextId++;
      this.#waiting.set(id, resolve);
      send({ kind: "solver", id, question });
    });
  }

  /** Ends what it is doing. */
  end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#sent = undefined;
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }

  #begin(): Worker {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "searcher" });
    worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      if (worker !== this.#worker) return;
      if (data.kind === "trapped") return this.end();
      if (data.kind !== "solved") return;
      this.#waiting.get(data.id)?.(data.answer);
      this.#waiting.delete(data.id);
    };
    worker.onerror = () => worker === this.#worker && this.end();
    const start: Request = { kind: "start", module: this.#module };
    worker.postMessage(start);
    return worker;
  }
}
