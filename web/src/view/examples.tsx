// The gallery of examples. They are the project's test pages, so each one is known to do what it says.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { openExample } from "../actions.ts";
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
    import("virtual:examples").then((module) => (chapters.value = module.default));
  }, []);
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const shown = (chapters.value ?? [])
    .map(({ title, examples }) => ({ title, examples: examples.filter((e) => matches(`${title} ${e.title}`)) }))
    .filter(({ examples }) => examples.length > 0);
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
        {chapters.value !== undefined && shown.length === 0 && (
          <p class="empty">{words.length > 0 ? `No example mentions “${filter.value}”.` : "There are no examples yet."}</p>
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
