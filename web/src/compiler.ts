// The page's side of the worker: keeps it alive, keeps its text current, and replaces it when it must be stopped.
//
// At most one check is in flight; texts typed meanwhile wait, and only the newest is sent. A run has the worker to
// itself, so a stop is the end of the worker: a new one starts from the module compiled once, and gets the text again. What
// takes long to find out another one is asked (`searcher.ts`).
import { type BuildName, compileBuild, DEFAULT_BUILD } from "./builds.ts";
import type { ExportName, Pass, Reply, Request, SolverAnswer, SolverQuestion, StepMove } from "./protocol.ts";
import { isSearch, Searcher, type Text } from "./searcher.ts";
import type { Target } from "./state.ts";
import type {
  CheckView,
  ExportView,
  FileName,
  FormatView,
  HoverView,
  IrView,
  LaidValueView,
  LayoutsView,
  MatchView,
  NameView,
  NeedsView,
  Profile,
  ProgressView,
  RunView,
  StepView,
} from "./wasm/relish_wasm.js";

interface Listener {
  /** This build is at work from now on; a run of the one before has ended. */
  switched(build: BuildName): void;
  /** This build could not be had, and another one is or will be at work. */
  missing(build: BuildName, message: string): void;
  ready(prelude: string): void;
  checked(revision: number, view: CheckView): void;
  /** A run begins that will need so much memory. */
  begun(revision: number, needs: NeedsView): void;
  progress(revision: number, view: ProgressView): void;
  ran(revision: number, view: RunView, milliseconds: number): void;
  /** The compiler fell over; the text is safe, and a new compiler is on its way. */
  trapped(during: Request["kind"], message: string): void;
  /** There is no compiler and will be none. */
  failed(message: string): void;
}

type Told<About> = NonNullable<Extract<SolverAnswer, { about: About }>["view"]>;

/** A check that takes longer than this is given up when a newer text is there. */
const PATIENCE_MS = 1500;

export class Compiler {
  #listener: Listener;
  #wanted: BuildName | undefined;
  #build: BuildName | undefined;
  #module: WebAssembly.Module | undefined;
  #worker: Worker | undefined;
  /** Another compiler of the same build. */
  #searcher: Searcher | undefined;
  #text: Text | undefined;
  /** The revision that the worker has, or will have when it answers what it is asked next. */
  #sent: number | undefined;
  #checking: { revision: number; since: number } | undefined;
  #running = false;
  /** Whether the worker takes the place of one that could not start. */
  #isSecondTry = false;
  /** The revision of which a question has brought a worker down. */
  #broughtDown: number | undefined;
  #waiting = new Map<number, (reply: Reply | undefined) => void>();
  #nextId = 1;

  /** Does nothing until it is said which build to use. */
  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /** Replaces the worker by one with this build as soon as that has come; until then the old one goes on. */
  async use(build: BuildName): Promise<void> {
    if (build === this.#wanted) {
      if (build === this.#build) this.#listener.switched(build);
      return;
    }
    this.#wanted = build;
    let module: WebAssembly.Module;
    try {
      module = await compileBuild(build);
    } catch (error) {
      if (this.#wanted !== build) return;
      this.#wanted = undefined;
      const message = error instanceof Error ? error.message : String(error);
      if (this.#build === undefined && build === DEFAULT_BUILD) return this.#listener.failed(message);
      this.#listener.missing(build, message);
      return this.use(this.#build ?? DEFAULT_BUILD);
    }
    if (this.#wanted !== build) return;
    if (this.#build !== build) {
      this.#build = build;
      this.#module = module;
      this.#searcher?.end();
      this.#searcher = new Searcher(module);
      this.#isSecondTry = false;
      this.#spawn();
    }
    this.#listener.switched(build);
  }

  /** Makes `text` the current text. It stops a run, whose program this no longer is. */
  update(revision: number, text: string): void {
    this.#text = { revision, text };
    const stuck = this.#checking !== undefined && performance.now() - this.#checking.since > PATIENCE_MS;
    if (this.#running || stuck) this.#spawn();
    else if (this.#checking === undefined) this.#sendText();
  }

  /** Runs the current text; `ahead`: says before what memory it will need. */
  run(fuel: number, target: Target, profile: Profile, { ahead }: { ahead: boolean }): void {
    if (this.#running || this.#text === undefined || this.#worker === undefined) return;
    // The worker answers in order, so a text that it does not have only has to go first.
    if (this.#sent !== this.#text.revision) this.#sendText();
    this.#running = true;
    this.#send({ kind: "run", revision: this.#text.revision, fuel, target, profile, ahead });
  }

  /** Ends a run at once. */
  stop(): void {
    if (this.#running) this.#spawn();
  }

  /** The memory that a run of the current text will need. */
  async needs(target: Target): Promise<NeedsView | undefined> {
    const reply = await this.#askOf("user", (id) => ({ kind: "needs", id, target }));
    return reply?.kind === "needed" ? reply.view : undefined;
  }

  async hover(file: FileName, offset: number): Promise<HoverView | undefined> {
    const reply = await this.#askOf(file, (id) => ({ kind: "hover", id, file, offset }));
    return reply?.kind === "hovered" ? reply.view : undefined;
  }

  async name(file: FileName, offset: number): Promise<NameView | undefined> {
    const reply = await this.#askOf(file, (id) => ({ kind: "name", id, file, offset }));
    return reply?.kind === "named" ? reply.view : undefined;
  }

  /** The match at a place of the program; `null` if it has none. */
  async matchAt(offset: number): Promise<MatchView | null | undefined> {
    const reply = await this.#askOf("user", (id) => ({ kind: "match", id, offset }));
    return reply?.kind === "matched" ? (reply.view ?? null) : undefined;
  }

  /** The program that the machine runs, before and after one pass. */
  async ir(target: Target, pass: Pass, maxLines: number): Promise<IrView | undefined> {
    const reply = await this.#askOf("user", (id) => ({ kind: "ir", id, target, pass, maxLines }));
    return reply?.kind === "compiled" ? reply.view : undefined;
  }

  /** Where a run of the current text stands after a move; no answer if there is no such run. */
  async step(move: StepMove): Promise<StepView | undefined> {
    const reply = await this.#askOf("user", (id) => ({ kind: "step", id, move }));
    return reply?.kind === "stepped" ? reply.view : undefined;
  }

  /** The layouts of the program's sum types. */
  async layouts(): Promise<LayoutsView | undefined> {
    const reply = await this.#askOf("user", (id) => ({ kind: "layouts", id }));
    return reply?.kind === "laid" ? reply.view : undefined;
  }

  /** How a value of one of those types is stored; `null` if there is no such value. */
  async layoutValue(entry: number, choices: string[]): Promise<LaidValueView | null | undefined> {
    const reply = await this.#askOf("user", (id) => ({ kind: "value", id, entry, choices }));
    return reply?.kind === "valued" ? (reply.view ?? null) : undefined;
  }

  /** What is to be said of the solver's work on the current text; `null` if there is nothing at the place asked about. */
  async solver<About extends SolverQuestion["about"]>(question: Extract<SolverQuestion, { about: About }>): Promise<Told<About> | null | undefined> {
    const answer = await (isSearch(question) ? this.#search(question) : this.#solve(question));
    if (answer?.about !== question.about) return undefined;
    return (answer.view as Told<About> | undefined) ?? null;
  }

  /** The current text in another language, or why not. */
  async export(to: ExportName): Promise<ExportView | undefined> {
    const reply = await this.#askOf("user", (id) => ({ kind: "export", id, to }));
    return reply?.kind === "exported" ? reply.view : undefined;
  }

  /** What lays out a text anew; no answer if the worker is replaced meanwhile. */
  async format(text: string): Promise<FormatView | undefined> {
    const reply = await this.#ask((id) => ({ kind: "format", id, text }));
    return reply?.kind === "formatted" ? reply.view : undefined;
  }

  async #solve(question: SolverQuestion): Promise<SolverAnswer | undefined> {
    const reply = await this.#askOf("user", (id) => ({ kind: "solver", id, question }));
    return reply?.kind === "solved" ? reply.answer : undefined;
  }

  /** What the other compiler is asked, by whose work no check is kept waiting; there is no answer if the text changes. */
  async #search(question: SolverQuestion): Promise<SolverAnswer | undefined> {
    const text = this.#text;
    if (text === undefined) return undefined;
    const answer = await this.#searcher?.ask(text, question);
    return this.#text?.revision === text.revision ? answer : undefined;
  }

  /** Asks about a place; there is no answer while the worker has another text than the page, or if the text changes. */
  async #askOf(file: FileName, request: (id: number) => Request): Promise<Reply | undefined> {
    if (file === "prelude") return this.#ask(request);
    const revision = this.#text?.revision;
    if (revision === undefined || this.#sent !== revision) return undefined;
    const reply = await this.#ask(request);
    return this.#text?.revision === revision ? reply : undefined;
  }

  #ask(request: (id: number) => Request): Promise<Reply | undefined> {
    return new Promise((resolve) => {
      if (this.#worker === undefined) return resolve(undefined);
      const id = this.#nextId++;
      this.#waiting.set(id, resolve);
      this.#send(request(id));
    });
  }

  #send(request: Request): void {
    this.#worker?.postMessage(request);
  }

  #sendText(): void {
    if (this.#text === undefined || this.#worker === undefined) return;
    this.#sent = this.#text.revision;
    this.#checking = { revision: this.#text.revision, since: performance.now() };
    this.#send({ kind: "update", ...this.#text });
  }

  #spawn({ withText = true } = {}): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#sent = undefined;
    this.#checking = undefined;
    this.#running = false;
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
    if (this.#module === undefined) return;
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "compiler" });
    worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      // A worker that was ended may have left an answer on its way.
      if (worker === this.#worker) this.#receive(data);
    };
    worker.onerror = (event) => {
      if (worker === this.#worker) this.#listener.failed(event.message || "the worker could not be loaded");
    };
    this.#worker = worker;
    this.#send({ kind: "start", module: this.#module });
    if (withText) this.#sendText();
  }

  #receive(reply: Reply): void {
    switch (reply.kind) {
      case "ready":
        this.#isSecondTry = false;
        return this.#listener.ready(reply.prelude);
      case "checked": {
        if (this.#checking?.revision === reply.revision) this.#checking = undefined;
        if (this.#text?.revision === reply.revision) this.#listener.checked(reply.revision, reply.view);
        else if (this.#checking === undefined) this.#sendText();
        return;
      }
      case "ran":
        this.#running = false;
        return this.#listener.ran(reply.revision, reply.view, reply.milliseconds);
      case "begun":
        return this.#listener.begun(reply.revision, reply.needs);
      case "progress":
        return this.#listener.progress(reply.revision, reply.view);
      case "needed":
      case "hovered":
      case "named":
      case "matched":
      case "compiled":
      case "stepped":
      case "solved":
      case "laid":
      case "valued":
      case "formatted":
      case "exported":
        this.#waiting.get(reply.id)?.(reply);
        this.#waiting.delete(reply.id);
        return;
      case "trapped":
        return reply.during === "start" ? this.#startAgain(reply.message) : this.#replace(reply.during, reply.message);
    }
  }

  /** A worker that could not start may have lacked the memory of one that was just ended. The next one does not. */
  #startAgain(message: string): void {
    if (!this.#isSecondTry) {
      this.#isSecondTry = true;
      this.#spawn();
      return this.#listener.trapped("start", message);
    }
    const build = this.#build ?? DEFAULT_BUILD;
    // Without a module the old worker is only ended.
    this.#module = undefined;
    this.#spawn();
    if (build === DEFAULT_BUILD) return this.#listener.failed(message);
    this.#listener.missing(build, message);
    void this.use(DEFAULT_BUILD);
  }

  /**
   * Goes on with a new worker. A text that brings the check down would do so again. So would one of which a question has
   * brought two workers down, since the page asks anew after each check. Such a text is sent when somebody runs it.
   */
  #replace(during: Request["kind"], message: string): void {
    const sent = this.#sent;
    const isQuestion = during !== "update" && during !== "run";
    const isHopeless = during === "update" || (isQuestion && sent === this.#broughtDown);
    if (isQuestion) this.#broughtDown = sent;
    this.#spawn({ withText: !isHopeless || sent !== this.#text?.revision });
    this.#listener.trapped(during, message);
  }
}
