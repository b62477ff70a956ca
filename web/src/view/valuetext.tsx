// The text of a value, coloured as far as it is read.
import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { highlight } from "./code.tsx";

const COLOURED = 4000;
/** A browser would break a line behind the sign. */
const EXPONENT = /([\d.]+e-\w+)/;

interface Props {
  text: string;
  truncated: boolean;
}

/** A long one, which is made when somebody unfolds it. */
export function FoldedText({ summary, text, truncated }: Props & { summary: ComponentChild }) {
  const isOpen = useSignal(false);
  return (
    <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen.value && <ValueText text={text} truncated={truncated} />}
    </details>
  );
}

export function ValueText({ text, truncated }: Props) {
  // No number is cut in two.
  const end = text.length > COLOURED ? text.lastIndexOf(" ", COLOURED) + 1 || COLOURED : COLOURED;
  return (
    <>
      <pre tabIndex={0} role="group" aria-label="Value">
        <code>
          {highlight(text.slice(0, end))}
          {text.slice(end).split(EXPONENT).map((part, at) => (at % 2 === 0 ? part : <span class="whole">{part}</span>))}
        </code>
      </pre>
      {truncated && <p class="note">The value goes on; only its beginning is shown.</p>}
    </>
  );
}
