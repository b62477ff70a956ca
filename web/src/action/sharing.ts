// Links that hold a program: making one, opening one, and how the visitor's own program outlives that.
import { batch } from "@preact/signals";
import { setAside, takeBack } from "../earlier.ts";
import { type Linked, pack, unpack } from "../link.ts";
import { FIRST_PANEL, state, target } from "../state.ts";
import { saveOfTab } from "../storage.ts";
import { WELCOME } from "../welcome.ts";
import { editedText, forgetLink, keptText, savePending, saveText, setLink } from "./autosave.ts";
import { copyText } from "./clipboard.ts";
import { forgetResults, restore } from "./document.ts";
import { setText } from "./engine.ts";
import { followHistory, goTo } from "./navigation.ts";
import { compileAs } from "./settings.ts";

/** Copies a link that holds the program, the panel and the selection. */
export async function share(): Promise<void> {
  const { text, panel, selection, solverTab, stop, question, build } = state;
  const problem = question.value.kind === "problem" ? question.value.problem : undefined;
  const solving = panel.value === "solver" ? { tab: solverTab.value, stop: stop.value, problem } : undefined;
  const packed = await pack({ text: text.value, panel: panel.value, selection: selection.value, solver: solving, build: build.value, target: target() });
  if (packed.kind === "too-large") {
    state.notice.value = { tone: "bad", text: packed.sentence };
    return;
  }
  const address = location.href.replace(/#.*$/, "") + packed.hash;
  const length = address.length.toLocaleString("en");
  await copyText(address, `Link copied: ${length} characters that hold the whole program.`, "Copy this link:");
}

/** The visitor's own text, or the program that greets a first visit. */
const ownText = () => keptText() ?? WELCOME.relay;

/** Opens what the address asks for; the person's own text stays in storage, whatever comes. */
export async function openAddress(): Promise<void> {
  savePending();
  const { hash } = location;
  const opened = await unpack(hash);
  // Another address has come meanwhile, which is opened by itself.
  if (location.hash !== hash) return;
  // Somebody may have typed meanwhile.
  savePending();
  setLink(opened.kind === "program" ? hash : undefined);
  // What it says, or offers to undo, is of the address before.
  state.notice.value = undefined;
  if (opened.kind === "program") return openShared(opened.program);
  if (opened.kind === "bad") {
    const instead = keptText() === undefined ? "The page’s first program is here." : "Your own program is here as you left it.";
    state.notice.value = { tone: "bad", text: `This link cannot be opened: ${opened.reason}. ${instead}` };
  }
  openOwn();
}

/** Shows the program of a link, with the edits that were made here. */
function openShared(program: Linked): void {
  const text = editedText() ?? program.text;
  batch(() => {
    state.document.value = text === ownText() ? "mine" : "shared";
    forgetResults();
    if (program.panel !== undefined) state.panel.value = program.panel;
    // Every link names a panel. That of whoever chose none is the first, which on a narrow screen the program goes before.
    state.editing.value = program.panel === undefined || program.panel === FIRST_PANEL;
    if (program.solver !== undefined) {
      const { tab, stop, problem } = program.solver;
      state.solverTab.value = tab;
      state.stop.value = stop;
      if (problem !== undefined) state.question.value = { kind: "problem", problem };
    }
    compileAs(program);
  });
  takeBack(text);
  setText(text, "opened");
  goTo(program.selection ?? { start: 0, end: 0 });
}

/** Shows the person's own text, as it was left. */
function openOwn(): void {
  batch(() => {
    state.document.value = "mine";
    forgetResults();
    compileAs({});
  });
  const kept = keptText();
  // Other tabs may write theirs to where this one came from.
  if (kept !== undefined) saveOfTab("text", kept);
  takeBack(ownText());
  // The first program is ours, so it may show at once what it does.
  setText(ownText(), kept === undefined ? "chosen" : "opened");
}

/** The shared program becomes the person's own; theirs from before is set aside, not lost. */
export function keepShared(): void {
  const before = keptText();
  if (before !== undefined) setAside(before);
  leaveLink();
  state.document.value = "mine";
  takeBack(state.text.value);
  saveText();
  state.notice.value = {
    tone: "good",
    text: "This program is yours now.",
    ...(before === undefined ? {} : { action: { title: "Bring back mine", act: () => restore(before, "mine") } }),
  };
}

export function backToMine(): void {
  setAside(state.text.value);
  leaveLink();
  openOwn();
}

/** From here on the link says what it said when it was made. */
function leaveLink(): void {
  forgetLink();
  // What it offers to undo may have been of the link.
  state.notice.value = undefined;
  history.replaceState(null, "", location.pathname + location.search);
  followHistory();
}
