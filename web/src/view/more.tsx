// What is left out of a list, with the button that brings it.

/** As many rows of a list are drawn at first, and as many more each time: of tens of thousands the browser would stand still. */
export const DRAWN = 300;

/** `what` goes on with the number: “relations are”. */
export function More({ count, what, onMore }: { count: number; what: string; onMore: () => void }) {
  if (count === 0) return null;
  return (
    <p class="note more-of">
      {count.toLocaleString("en")} more {what} not shown.{" "}
      <button type="button" class="button small" onClick={onMore}>
        Show more
      </button>
    </p>
  );
}
