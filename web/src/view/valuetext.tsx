// The text of a value, coloured as far as it is read.
import { highlight } from "./code.tsx";

const COLOURED = 4000;
/** A browser would break a line behind the sign. */
const EXPONENT = /([\d.]+e-\w+)/;

export function ValueText({ text, truncated }: { text: string; truncated: boolean }) {
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
