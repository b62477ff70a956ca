// The gallery of examples by subject, with the programs that stood in the editor before. Examples are the project's
// test pages, so each one is known to do what it says.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { openEarlier, openExample } from "../action/document.ts";
import { earlierTexts, knowExamples } from "../earlier.ts";
import { languageOf, titleOf } from "../language.ts";
import { state } from "../state.ts";
import { bySubject, type Example, type Found, search } from "../subjects.ts";
import { isNarrow } from "./appearance.ts";
import { Dialog } from "./dialog.tsx";

type Subjects = ReturnType<typeof bySubject>;

export function Examples() {
  return state.examplesOpen.value ? <Gallery /> : null;
}

function Gallery() {
  const subjects = useSignal<Subjects | undefined>(undefined);
  const filter = useSignal("");
  useEffect(() => {
    import("virtual:examples").then(({ default: all }) => {
      knowExamples(all.flatMap(({ examples }) => examples.map(({ text }) => text)));
      subjects.value = bySubject(all);
    });
  }, []);
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const isSearch = words.length > 0;
  const found = isSearch ? search(subjects.value ?? [], words) : [];
  // Which of them are examples is known when those are there.
  const all = subjects.value === undefined ? [] : earlierTexts();
  const earlier = all.filter((text) => text !== state.text.value && words.every((word) => text.toLowerCase().includes(word)));
  const [first, ...others] = subjects.value ?? [];
  return (
    <Dialog title="Examples" onClose={() => (state.examplesOpen.value = false)}>
      <div class="filter">
        <input
          type="search"
          // What is found can be had without a Tab through all that is beside it.
          onKeyDown={(event) => {
            const rows = rowsOf(event.currentTarget);
            if (event.key === "ArrowDown") rows[0]?.focus();
            else if (event.key === "Enter" && isSearch) rows[0]?.click();
            else return;
            event.preventDefault();
          }}
          placeholder="Search titles and programs"
          aria-label="Search titles and programs"
          // On a touch screen a focused field would bring up the keyboard over the list.
          autofocus={!isNarrow.value}
          value={filter.value}
          onInput={(event) => (filter.value = event.currentTarget.value)}
        />
        <p class="unseen" role="status">
          {isSearch && subjects.value !== undefined ? `${found.length + earlier.length} found` : ""}
        </p>
      </div>
      {!isSearch && others.length > 0 && <Subjects titles={others.map(({ title }) => title)} />}
      <div class="reading gallery" onKeyDown={goAmongRows}>
        {isSearch && subjects.value !== undefined && found.length + earlier.length === 0 && (
          <p class="empty">No example mentions “{filter.value.trim()}”, in its title or in its program.</p>
        )}
        {found.length > 0 && <Results found={found} />}
        {!isSearch && first !== undefined && <Subject subject={first} />}
        {earlier.length > 0 && <Earlier texts={earlier} />}
        {!isSearch && others.map((subject) => <Subject subject={subject} />)}
      </div>
    </Dialog>
  );
}

/** What can be opened, in the dialog that an element is in. */
const rowsOf = (element: Element): HTMLElement[] => [...(element.closest(".dialog")?.querySelectorAll<HTMLElement>(".gallery button") ?? [])];

/** The arrow keys go from one to the next, and from the first to the search. */
function goAmongRows(event: KeyboardEvent): void {
  const way = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (way === 0 || !(event.target instanceof HTMLElement)) return;
  const rows = rowsOf(event.target);
  const at = rows.indexOf(event.target);
  if (at < 0) return;
  event.preventDefault();
  const next = at === 0 && way < 0 ? event.target.closest(".dialog")?.querySelector<HTMLElement>("input") : rows[at + way];
  next?.focus();
}

const idOf = (subject: string) => `subject-${subject.replace(/\W+/g, "-")}`;

/** Where to find what, since the list is long. */
function Subjects({ titles }: { titles: readonly string[] }) {
  return (
    <nav class="subjects" aria-label="Subjects">
      {titles.map((title) => (
        <button type="button" onClick={() => document.getElementById(idOf(title))?.scrollIntoView({ block: "start" })}>
          {title}
        </button>
      ))}
    </nav>
  );
}

function Subject({ subject: { title, chapters } }: { subject: Subjects[number] }) {
  return (
    <section id={idOf(title)}>
      <h3>{title}</h3>
      {chapters.map((chapter, index) => (
        <>
          {chapter.title !== title ? <h4>{chapter.title}</h4> : index > 0 && <h4>And then</h4>}
          <ul>
            {chapter.examples.map((example) => (
              <li>
                <ExampleButton example={example} />
              </li>
            ))}
          </ul>
        </>
      ))}
    </section>
  );
}

/** Each with the chapter that it is from, and what it was found by. */
function Results({ found }: { found: readonly Found[] }) {
  return (
    <section>
      <h3>{found.length === 1 ? "1 example" : `${found.length} examples`}</h3>
      <ul class="results">
        {found.map(({ chapter, example, line }) => (
          <li>
            <ExampleButton example={example}>
              <span class="found">
                <span>{chapter}</span>
                {line !== undefined && <code>{line}</code>}
              </span>
            </ExampleButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ExampleButton({ example: { title, text, hasError }, children }: { example: Example; children?: ComponentChildren }) {
  return (
    <button type="button" class="example" onClick={() => openExample(title, text)}>
      <span>
        <span class="title">{title}</span>
        {hasError && (
          <>
            <span class="unseen">, </span>
            <span class="tag">has an error</span>
          </>
        )}
        <span class="unseen">, </span>
      </span>
      <span class="written-in">{titleOf(languageOf(text))}</span>
      {children}
    </button>
  );
}

function Earlier({ texts }: { texts: readonly string[] }) {
  return (
    <section>
      <h3>Your earlier programs</h3>
      <ul>
        {texts.map((text) => (
          <li>
            <button type="button" class="earlier" onClick={() => openEarlier(text)}>
              <code>{firstLine(text)}</code>
              <span class="size">{sizeOf(text)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
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
