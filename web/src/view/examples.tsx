// The gallery of examples, under the programs that stood in the editor before. Examples are the project's test pages, so
// each one is known to do what it says.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { openEarlier, openExample } from "../actions.ts";
import { earlierTexts, knowExamples } from "../earlier.ts";
import { state } from "../state.ts";
import { isNarrow } from "./appearance.ts";
import { Dialog } from "./dialog.tsx";

type Chapters = typeof import("virtual:examples").default;

export function Examples() {
  return state.examplesOpen.value ? <Gallery /> : null;
}

function Gallery() {
  const chapters = useSignal<Chapters | undefined>(undefined);
  const filter = useSignal("");
  useEffect(() => {
    import("virtual:examples").then(({ default: all }) => {
      knowExamples(all.flatMap(({ examples }) => examples.map(({ text }) => text)));
      chapters.value = all;
    });
  }, []);
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const shown = (chapters.value ?? [])
    .map(({ title, examples }) => ({ title, examples: examples.filter((e) => matches(`${title} ${e.title}`)) }))
    .filter(({ examples }) => examples.length > 0);
  // Which of them are examples is known when those are there.
  const earlier = (chapters.value === undefined ? [] : earlierTexts()).filter((text) => text !== state.text.value && matches(text));
  return (
    <Dialog title="Examples" onClose={() => (state.examplesOpen.value = false)}>
      <div class="filter">
        <input
          type="search"
          placeholder="Find an example"
          aria-label="Find an example"
          // On a touch screen a focused field would bring up the keyboard over the list.
          autofocus={!isNarrow.value}
          value={filter.value}
          onInput={(event) => (filter.value = event.currentTarget.value)}
        />
      </div>
      <div class="reading gallery">
        {chapters.value !== undefined && shown.length + earlier.length === 0 && (
          <p class="empty">{words.length > 0 ? `No example mentions “${filter.value}”.` : "There are no examples yet."}</p>
        )}
        {earlier.length > 0 && (
          <section>
            <h3>Your earlier programs</h3>
            <ul>
              {earlier.map((text) => (
                <li>
                  <button type="button" class="earlier" onClick={() => openEarlier(text)}>
                    <code>{firstLine(text)}</code>
                    <span class="size">{sizeOf(text)}</span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        )}
        {shown.map(({ title, examples }) => (
          <section>
            <h3>{title}</h3>
            <ul>
              {examples.map((example) => (
                <li>
                  <button type="button" onClick={() => openExample(example.title, example.text)}>
                    {example.title}
                    {example.hasError && <span class="tag">has an error</span>}
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

const FIRST_LINE = 100;

/** The first line that says something of the program; what it is written in does not. */
function firstLine(text: string): string {
  const first = /^(?!#lang\b)[^\S\n]*(\S.*)$/m.exec(text)?.[1] ?? text.trim();
  return first.slice(0, FIRST_LINE);
}

function sizeOf(text: string): string {
  const lines = text.trimEnd().split("\n").length;
  return lines === 1 ? "1 line" : `${lines.toLocaleString("en")} lines`;
}
