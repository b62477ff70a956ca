// The program and the prelude, one at a time. Until the editor has been loaded the text is there to read, in the same
// place and colours.
import { computed, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { setLanguage } from "../action/document.ts";
import { openFile } from "../action/navigation.ts";
import { type Language, LANGUAGES } from "../language.ts";
import { lineStarts, numberWidth } from "../lines.ts";
import { language, state } from "../state.ts";
import type { FileName } from "../wasm/relish_wasm.js";
import { isPrinted, isTouched } from "./appearance.ts";
import { highlight } from "./code.tsx";
import { Icon } from "./icon.tsx";
import { type Tab, tabId, tabPanelId, Tabs } from "./tabs.tsx";
import { TypeLine } from "./typeline.tsx";

/** The longest text that is drawn before the editor is there. */
const FIRST_PAINT = 5000;

const READ_ONLY = (
  <span class="read-only">
    <Icon name="lock" />
    <span>read-only</span>
  </span>
);

const PROGRAM: Tab = { id: "user", title: "Program" };
const PRELUDE: Tab = { id: "prelude", title: "prelude.relay", badge: READ_ONLY };

/** It is under the programs of Relay; where it is open already, its tab stays. */
export const hasPrelude = computed(() => language.value === "relay" || state.file.value === "prelude");

/** The prelude's tab where there is little room. */
export const PRELUDE_TAB: Tab = { id: "prelude", title: "Prelude", badge: READ_ONLY };

interface Props {
  isShown: boolean;
  /** On a narrow screen the files are among the tabs of the page. */
  withTabs: boolean;
}

export function EditorPane({ isShown, withTabs }: Props) {
  const program = useRef<HTMLDivElement>(null);
  const prelude = useRef<HTMLDivElement>(null);
  const editors = useSignal<typeof import("../editor/mount.ts") | undefined>(undefined);
  const isPreludeMounted = useSignal(false);
  useEffect(() => {
    import("../editor/mount.ts").then(
      (loaded) => {
        if (program.current === null) return;
        loaded.mountProgram(program.current);
        editors.value = loaded;
      },
      () => {
        state.notice.value = { tone: "bad", text: "The editor could not be loaded. Reload the page to try again." };
      },
    );
  }, []);
  useSignalEffect(() => {
    const isWanted = state.file.value === "prelude" && state.prelude.value !== undefined;
    if (!isWanted || editors.value === undefined || prelude.current === null || isPreludeMounted.peek()) return;
    editors.value.mountPrelude(prelude.current);
    isPreludeMounted.value = true;
  });
  const file = state.file.value;
  const select = (id: string) => openFile(id === "prelude" ? "prelude" : "user");
  return (
    <section class="editor-pane" aria-label="Editor" hidden={!isShown}>
      {(withTabs || file === "user") && (
        <div class="editor-header">
          {withTabs && <Tabs label="Files" tabs={hasPrelude.value ? [PROGRAM, PRELUDE] : [PROGRAM]} selected={file} onSelect={select} />}
          {file === "user" && isTouched.value && <TypeLine />}
          {file === "user" && <LanguagePicker />}
        </div>
      )}
      <FilePanel file="user">
        {(editors.value === undefined || isPrinted.value) && <FirstPaint text={state.text.value} />}
        <div class="editor" ref={program} />
      </FilePanel>
      <FilePanel file="prelude">
        {(!isPreludeMounted.value || isPrinted.value) && <FirstPaint text={state.prelude.value ?? ""} />}
        <div class="editor" ref={prelude} />
      </FilePanel>
    </section>
  );
}

/** What the program is written in, which its first line says. */
function LanguagePicker() {
  return (
    <label class="language">
      <span>Language</span>
      <select value={language.value} onChange={(event) => setLanguage(event.currentTarget.value as Language)}>
        {LANGUAGES.map(({ id, title }) => (
          <option value={id}>{title}</option>
        ))}
      </select>
    </label>
  );
}

function FilePanel({ file, children }: { file: FileName; children: ComponentChildren }) {
  const id = tabPanelId(file);
  return (
    <div class={`editor-place ${file}`} role="tabpanel" id={id} aria-labelledby={tabId(file)} hidden={state.file.value !== file}>
      {children}
    </div>
  );
}

function FirstPaint({ text }: { text: string }) {
  return (
    <pre class="first-paint" style={{ "--number-width": `${numberWidth(lineStarts(text).length)}ch` }}>
      <code>{highlight(isPrinted.value ? text : text.slice(0, FIRST_PAINT))}</code>
    </pre>
  );
}
