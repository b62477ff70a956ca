// The only file that touches the WebAssembly module. It answers requests in order and keeps nothing but the compiler's
// last text; whoever replaces this worker sends the text again.
import type { Reply, Request, SolverAnswer, SolverQuestion, StepMove } from "./protocol.ts";
import { initSync, Playground, type ProgressView, type StepView } from "./wasm/relish_wasm.js";

declare global {
  /** Which the module calls from time to time during a run. */
  var relishProgress: (view: ProgressView) => void;
}

/** A run that was shorter than this is made once more, and the second is told. */
const AGAIN_MS = 20;
/** So is the first one of all, most of whose time is the browser's, which compiles what it runs. */
const COLD_AGAIN_MS = 100;
const BEHIND_ALL = 0xffff_ffff;

let playground: Playground | undefined;
/** Whether there has been a run. */
let isWarm = false;

const post = (reply: Reply) => (self as unknown as Worker).postMessage(reply);

self.onmessage = ({ data: request }: MessageEvent<Request>) => {
  try {
    answer(request);
  } catch (error) {
    // After a trap the instance's memory means nothing, so the page replaces this worker.
    post({ kind: "trapped", during: request.kind, message: error instanceof Error ? error.message : String(error) });
  }
};

function answer(request: Request): void {
  if (request.kind === "start") {
    initSync({ module: request.module });
    playground = new Playground();
    return post({ kind: "ready", prelude: playground.prelude() });
  }
  if (playground === undefined) throw new Error("a request came before the compiler");
  switch (request.kind) {
    case "update":
      return post({ kind: "checked", revision: request.revision, view: playground.update(request.text) });
    case "run": {
      const { revision } = request;
      if (request.ahead) post({ kind: "begun", revision, needs: playground.needs(request.target.fused) });
      self.relishProgress = (view) => post({ kind: "progress", revision, view });
      const first = timed(playground, request);
      const isShort = first.milliseconds < (isWarm ? AGAIN_MS : COLD_AGAIN_MS);
      isWarm = true;
      // Of a first run the times would be those of the browser's compiler. A run leaves nothing behind, and references are
      // its own; so a second one, whose values have been told, shows in nothing but its times.
      self.relishProgress = () => {};
      return post({ kind: "ran", revision, ...(isShort ? timed(playground, request) : first) });
    }
    case "needs":
      return post({ kind: "needed", id: request.id, view: playground.needs(request.target.fused) });
    case "hover":
      return post({ kind: "hovered", id: request.id, view: playground.hover(request.file, request.offset) });
    case "name":
      return post({ kind: "named", id: request.id, view: playground.name(request.file, request.offset) });
    case "match":
      return post({ kind: "matched", id: request.id, view: playground.matchAt(request.offset) });
    case "ir": {
      const { id, target, maxLines } = request;
      // A number behind the last pass means the last one.
      const pass = request.pass === "last" ? BEHIND_ALL : request.pass;
      return post({ kind: "compiled", id, view: playground.ir(target.layout, target.fused, pass, maxLines) });
    }
    case "step":
      return post({ kind: "stepped", id: request.id, view: step(playground, request.move) });
    case "solver":
      return post({ kind: "solved", id: request.id, answer: solver(playground, request.question) });
    case "layouts":
      return post({ kind: "laid", id: request.id, view: playground.layouts() });
    case "value":
      return post({ kind: "valued", id: request.id, view: playground.layoutValue(request.entry, request.choices) });
    case "export":
      return post({ kind: "exported", id: request.id, view: playground.exportTo(request.to) });
    case "format":
      return post({ kind: "formatted", id: request.id, view: playground.format(request.text) });
  }
}

function timed(playground: Playground, { fuel, target, profile }: Extract<Request, { kind: "run" }>) {
  const start = performance.now();
  const view = playground.run(fuel, target.layout, target.fused, profile);
  return { view, milliseconds: performance.now() - start };
}

function step(playground: Playground, move: StepMove): StepView | undefined {
  switch (move.to) {
    case "start":
      return playground.stepStart(move.expression, move.target.layout, move.target.fused);
    case "step":
      return playground.stepTo(move.step);
    case "like":
      return playground.stepLike(move.fuel, move.start, move.end);
    case "line":
      return playground.stepToLine(move.offset);
    case "into":
    case "over":
    case "out":
    case "back":
    case "last":
    case "measure":
      return playground.stepBy(move.to);
    case "end":
      return void playground.stepEnd();
  }
}

function solver(playground: Playground, question: SolverQuestion): SolverAnswer {
  const { about } = question;
  switch (about) {
    case "trace":
      return { about, view: playground.trace() };
    case "stop": {
      const { stop, firstClass, nClasses, nRelations } = question;
      return { about, view: playground.solverAt(stop, firstClass, nClasses, nRelations) };
    }
    case "graph":
      return { about, view: playground.solverGraph(question.open) };
    case "state":
      return { about, view: playground.graphState(question.stop) };
    case "rounds":
      return { about, view: playground.rounds(question.first, question.nRounds) };
    case "place":
      return { about, view: playground.stopsAt(question.offset) };
    case "why":
      return { about, view: playground.why(question.offset, question.piece) };
    case "why-not":
      return { about, view: playground.whyNot(question.diagnostic) };
    case "mend":
      return { about, view: playground.mend() };
    case "stretch":
      return { about, view: playground.stretch(question.span.start, question.span.end) };
    case "document":
      return { about, view: playground.traceDocument() };
  }
}
