// What is left out of a list, with the button that brings it.
import { grouped, plural } from "./units.ts";

/** As many rows of a list are drawn at first, and as many more each time: of tens of thousands the browser would stand still. */
export const DRAWN = 300;

interface MoreProps {
  count: number;
  /** One of what is listed: “relation”; where the list says what it is of, nothing. */
  of?: string;
  /** Which of them: “above”. */
  which?: string;
  onMore: () => void;
}

export function More({ count, of, which, onMore }: MoreProps) {
  if (count === 0) return null;
  const found = of === undefined ? `${grouped(count)} more` : plural(count, `more ${of}`);
  return (
    <p class="note more-of">
      {found} {which !== undefined && `${which} `}
      {count === 1 ? "is" : "are"} not shown.{" "}
      <button type="button" class="button small" onClick={onMore}>
        Show more
      </button>
    </p>
  );
}
