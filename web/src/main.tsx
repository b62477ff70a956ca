// Starts the page: what was kept from before, what the address asks for, then everything on screen.
import "./style/colors.css";
import "./style/page.css";
import "./style/panes.css";
import "./style/machine.css";
import "./style/layers.css";
import "./style/run.css";
import "./style/layout.css";
import "./style/solver.css";
import "./style/graph.css";
import "./style/offer.css";
import "./style/touch.css";
import { effect } from "@preact/signals";
import { render } from "preact";
import { leave } from "./action/autosave.ts";
import { acceptFiles } from "./action/dropping.ts";
import { runNow } from "./action/engine.ts";
import { followHistory } from "./action/navigation.ts";
import { openAddress, share } from "./action/sharing.ts";
import { keepSite } from "./offline.ts";
import { PANELS } from "./panels.ts";
import { state } from "./state.ts";
import { load } from "./storage.ts";
import { App } from "./view/app.tsx";

const READING_MS = 5000;
/** So often it is looked whether somebody is at a notice. */
const BEAT_MS = 100;

const theme = load("theme");
if (theme === "light" || theme === "dark") state.theme.value = theme;
state.measures.value = load("measures") !== "off";
const panel = load("panel");
if (PANELS.some(({ id }) => id === panel)) state.panel.value = panel ?? "";

followHistory();
// Another address may come before the first one is open.
addEventListener("hashchange", openAddress);
await openAddress();
const page = document.getElementById("page");
if (page) render(<App />, page);

addEventListener("popstate", followHistory);
addEventListener("pagehide", leave);
acceptFiles();
addEventListener(
  "keydown",
  (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    const act = { Enter: runNow, s: share }[event.key];
    if (act === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  },
  { capture: true },
);

effect(() => {
  if (state.engine.value === "ready") keepSite();
});

// Among the tabs of a browser, and in its history.
const ownTitle = document.title;
effect(() => {
  document.title = state.title.value === undefined ? ownTitle : `${state.title.value} – ${ownTitle}`;
});

// Bad news waits to be read; all other goes away by itself, but not from under a pointer or from whoever is in it.
effect(() => {
  const notice = state.notice.value;
  if (notice === undefined || notice.tone === "bad" || notice.copy !== undefined) return;
  let left = READING_MS;
  const beat = setInterval(() => {
    if (document.querySelector(".notice:is(:hover, :focus-within)") === null) left -= BEAT_MS;
    if (left <= 0) state.notice.value = undefined;
  }, BEAT_MS);
  return () => clearInterval(beat);
});
