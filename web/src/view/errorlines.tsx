// The lines that have errors, named where a panel shows less for them, or nothing.
import type { ComponentChildren } from "preact";
import { point, show } from "../action/navigation.ts";
import { isOfTheText } from "../mended.ts";
import { problems } from "../state.ts";
import type { DiagnosticView, SpanView } from "../wasm/relish_wasm.js";

/** A line of the program, which a click shows. */
export function Place({ span, line, isStale = false }: { span: SpanView; line: number; isStale?: boolean }) {
  return (
    <button
      type="button"
      class="plain-link"
      disabled={isStale}
      onClick={() => show(span)}
      onPointerEnter={() => point(span)}
      onPointerLeave={() => point(undefined)}
      onFocus={() => point(span)}
      onBlur={() => point(undefined)}
    >
      line {line}
    </button>
  );
}

export const errors = (): readonly DiagnosticView[] => problems.value.filter(({ severity }) => severity === "error");

/** Those for which a part of the text could not be read. */
export const unread = (): readonly DiagnosticView[] => errors().filter(({ code }) => isOfTheText(code));

/** The first error of each line that has one. */
export function errorLines(found = errors()): readonly DiagnosticView[] {
  const sorted = found.toSorted((a, b) => a.span.start - b.span.start);
  return sorted.filter(({ line }, index) => line !== sorted[index - 1]?.line);
}

/** As many lines are named. */
const NAMED = 3;

export function ErrorLines({ found }: { found: readonly DiagnosticView[] }) {
  const shown = found.slice(0, NAMED);
  const nMore = found.length - shown.length;
  return (
    <>
      {shown.map(({ span, line }, index) => (
        <>
          {index > 0 && (index + 1 < found.length ? ", " : " and ")}
          <Place span={span} line={line} />
        </>
      ))}
      {nMore > 0 && ` and ${nMore.toLocaleString("en")} more`} {found.length === 1 ? "has an error" : "have errors"}
    </>
  );
}

interface NothingProps {
  /** The errors that may keep it empty. */
  because: readonly DiagnosticView[];
  /** What it says without any. */
  children: ComponentChildren;
}

/** What an empty panel says: which lines have the errors that may keep it so, or, without any, what it would show. */
export function Nothing({ because, children }: NothingProps) {
  if (because.length === 0) return <p class="empty">{children}</p>;
  return (
    <p class="empty">
      Nothing to show: <ErrorLines found={errorLines(because)} />.
    </p>
  );
}
