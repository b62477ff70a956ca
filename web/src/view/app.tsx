// The page: where everything is, wide and narrow.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { openFile, openPanel } from "../action/navigation.ts";
import { PANELS } from "../panels.ts";
import { errorCount, language, state } from "../state.ts";
import { followPane, isNarrow } from "./appearance.ts";
import { NoticeBanner, SharedBanner } from "./banner.tsx";
import { EditorPane, hasPrelude, PRELUDE_TAB } from "./editor.tsx";
import { Examples } from "./examples.tsx";
import { Explain } from "./explain.tsx";
import { Header } from "./header.tsx";
import { neededHeight, Problems } from "./problems.tsx";
import { keptPercent, Separator } from "./separator.tsx";
import { tabId, tabPanelId, Tabs } from "./tabs.tsx";
import { Late } from "./waiting.tsx";

const EDITOR = { label: "Width of the editor", kept: "editor-width", initial: 58 } as const;
const UPPER = { label: "Height of the problems", kept: "problems-height", initial: 76 } as const;

const editorPercent = signal(keptPercent(EDITOR.kept, EDITOR.initial));
const upperPercent = signal(keptPercent(UPPER.kept, UPPER.initial));

export function App() {
  // Whoever moves the bar has the last word, and a panel needs its room.
  const needed = (state.editing.value || !isNarrow.value) && upperPercent.value === UPPER.initial ? neededHeight.value : 0;
  return (
    <>
      <Header />
      <SharedBanner />
      <main class={state.hasRoom.value ? "work" : "work at-peace"} data-language={language.value} style={{ "--upper": `${upperPercent.value}%`, "--needed": `${needed}px`, "--editor": `${editorPercent.value}%` }}>
        <Upper />
        {state.hasRoom.value && <Separator orientation="horizontal" percent={upperPercent} {...UPPER} />}
        <Problems />
      </main>
      <NoticeBanner />
      <Examples />
      <Explain />
    </>
  );
}

function Upper() {
  const narrow = isNarrow.value;
  const pane = useRef<HTMLElement>(null);
  useEffect(() => (pane.current === null ? undefined : followPane(pane.current)), []);
  const panels = PANELS.filter(({ of }) => of === undefined || of.includes(language.value));
  const panel = panels.find(({ id }) => id === state.panel.value) ?? panels[0];
  if (panel === undefined) return null;
  const showsEditor = !narrow || state.editing.value;
  const showsPanel = !narrow || !state.editing.value;
  const View = panel.view;
  const panelTabs = panels.map(({ id, title }) => ({ id, title }));
  const select = (id: string) => (id === "user" || id === "prelude" ? openFile(id) : openPanel(id));
  const errors = errorCount.value;
  const programTab = {
    id: "user",
    title: "Program",
    badge: errors > 0 && <span class="count some" title={`${errors} errors`}>{errors}</span>,
  };
  return (
    <div class="upper">
      {narrow && (
        <Tabs
          label="Program and panels"
          tabs={[programTab, ...panelTabs, ...(hasPrelude.value ? [PRELUDE_TAB] : [])]}
          selected={showsEditor ? state.file.value : panel.id}
          onSelect={select}
        />
      )}
      <EditorPane isShown={showsEditor} withTabs={!narrow} />
      {!narrow && <Separator orientation="vertical" percent={editorPercent} {...EDITOR} />}
      <section class="panel-pane" ref={pane} hidden={!showsPanel} aria-label="Panels">
        {!narrow && <Tabs label="Panels" tabs={panelTabs} selected={panel.id} onSelect={select} />}
        {/* Each one is seen from its top, wherever the one before was scrolled to. */}
        <div class="panel" key={panel.id} role="tabpanel" id={tabPanelId(panel.id)} aria-labelledby={tabId(panel.id)} tabIndex={0}>
          <View />
        </div>
        {/* A run says itself of which text it is. */}
        {panel.id !== "run" && <Late />}
      </section>
    </div>
  );
}
