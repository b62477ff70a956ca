// Everything that is wrong with the program, where it is, and what can be done about it.
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { askWhyNot, isAskable } from "../action/asking.ts";
import { applyFix, setLanguage } from "../action/document.ts";
import { explain, show } from "../action/navigation.ts";
import { type Language, titleOf } from "../language.ts";
import { lineOf } from "../lines.ts";
import { laterLabels, mayBeMended, type Problem as Known, words } from "../mended.ts";
import { language, likeliest, looksLike, problems, state } from "../state.ts";
import { titlesOf } from "../titles.ts";
import type { DiagnosticView, LabelView, SeverityView } from "../wasm/relish_wasm.js";
import { isNarrow, isTouched } from "./appearance.ts";
import { Icon } from "./icon.tsx";
import { Sentence } from "./markdown.tsx";
import { STRETCHED, Stretch } from "./stretch.tsx";
import { plural } from "./units.ts";

/** More than this helps nobody, and would make typing slow. */
const SHOWN = 200;

function summary(found: readonly DiagnosticView[]): string {
  const count = (severity: SeverityView) => found.filter((d) => d.severity === severity).length;
  const parts = [
    { count: count("error"), word: "error" },
    { count: count("warning"), word: "warning" },
    { count: count("info"), word: "note" },
  ].filter((part) => part.count > 0);
  return parts.length === 0 ? "No problems" : parts.map((part) => plural(part.count, part.word)).join(", ");
}

export function Problems() {
  const found = problems.value;
  const isLoading = state.engine.value === "loading";
  const { list, onScroll } = useScrollPlace(found.length === 0);
  const key = keys();
  const mended = state.mended.value;
  // Whoever is in the list finds it as it was; of a finger one cannot know.
  const isHeld = useMemo(() => isTouched.value || (list.current?.matches(":hover, :focus-within") ?? false), [mended]);
  return (
    <section class="problems" aria-label="Problems">
      <header class="pane-header">
        <h2>Problems</h2>
        <span class={`count ${found.length > 0 ? "some" : ""}`} aria-hidden="true">
          {found.length}
        </span>
        {looksLike.value !== undefined && <LooksLike language={looksLike.value} />}
        <span class="summary" role="status">
          {isLoading ? "Starting the compiler …" : summary(found)}
        </span>
        {looksLike.value === undefined && likeliest.value !== undefined && <Likeliest problem={likeliest.value} />}
      </header>
      {found.length === 0 ? (
        <p class="empty">
          {isLoading ? "" : "Nothing to complain about: every type and every shape agrees."}
        </p>
      ) : (
        <ul ref={list} onScroll={onScroll}>
          {found.slice(0, SHOWN).map((problem) => (
            <Problem key={key(problem)} problem={problem} isLikeliest={problem === likeliest.value} isHeld={isHeld} />
          ))}
          {found.length > SHOWN && <li class="more">… and {plural(found.length - SHOWN, "more problem")}</li>}
        </ul>
      )}
    </section>
  );
}

/** Names for problems that outlive an edit elsewhere, so that what one reads stays where it is. */
function keys(): (problem: DiagnosticView) => string {
  const used = new Map<string, number>();
  return ({ code, message }) => {
    const name = `${code} ${message}`;
    const count = used.get(name) ?? 0;
    used.set(name, count + 1);
    return `${name} ${count}`;
  };
}

const START = { top: 0, height: 0, isCut: false };

/**
 * Where the list is scrolled to. One that is short for a moment, as while a string is typed that has no end yet, is shown
 * from its top; when it is long again, it is back at its place.
 */
function useScrollPlace(isEmpty: boolean) {
  const list = useRef<HTMLUListElement>(null);
  const place = useRef(START);
  useLayoutEffect(() => {
    if (isEmpty) place.current = START;
    const { top, isCut } = place.current;
    if (!isCut || list.current === null) return;
    const { scrollHeight, clientHeight } = list.current;
    if (scrollHeight - clientHeight >= top) list.current.scrollTop = top;
  });
  const onScroll = () => {
    if (list.current === null) return;
    const { scrollTop, scrollHeight, clientHeight } = list.current;
    const isCut = scrollHeight < place.current.height && scrollTop + clientHeight >= scrollHeight - 1;
    place.current = isCut ? { ...place.current, isCut } : { top: scrollTop, height: scrollHeight, isCut };
  };
  return { list, onScroll };
}

const LIKELIEST = "likeliest-problem";

/** Which problem to begin with, when it is not the first. */
function Likeliest({ problem }: { problem: Known }) {
  const go = () => {
    document.getElementById(LIKELIEST)?.scrollIntoView({ block: "nearest" });
    show(problem.span);
  };
  return (
    <button type="button" class="likeliest" title={`Most likely the cause: ${problem.message}`} onClick={go}>
      likeliest cause: line {problem.line}
    </button>
  );
}

/** What a program that was pasted may be written in. */
function LooksLike({ language }: { language: Language }) {
  const title = titleOf(language);
  const read = () => {
    setLanguage(language);
    // The button is gone then.
    show({ start: 0, end: 0 });
  };
  return (
    <button type="button" class="button small" title={`The program looks like ${title}`} onClick={read}>
      Read it as {title}
    </button>
  );
}

/** What is found out later stands at the end of a line that was there before, so that nothing moves under a finger. */
function Problem({ problem, isLikeliest, isHeld }: { problem: Known; isLikeliest: boolean; isHeld: boolean }) {
  const { code, severity, message, span, line, fixes, told } = problem;
  const isAsked = isAskable(problem);
  const isSought = language.value === "relay" && mayBeMended(told) && state.checked.value.view.diagnostics.includes(told);
  const titles = titlesOf(fixes, state.checked.value.starts);
  const later = laterLabels(problem);
  const mended = state.mended.value;
  const isCurrent = mended?.revision === state.checked.value.revision;
  // Where nothing was found there is no gap, and after the next key it is not expected either.
  const isHopeless = !(isCurrent && isHeld) && mended?.diagnostics.some((one) => words(one) === words(told) && one.fixes.length === 0);
  const places = <Labels labels={told.labels} problem={problem} />;
  return (
    <li class={`problem ${severity}`} id={isLikeliest ? LIKELIEST : undefined}>
      <Icon name={severity} />
      <div class="what">
        <button type="button" class="message" onClick={() => show(span)}>
          <span class="unseen">{severity}: </span>
          <Sentence text={message} />
        </button>
        {/* Where few lines of the list are in sight, what can be done comes first. */}
        {!isNarrow.value && places}
        {code === STRETCHED && <Stretch span={span} />}
        {told.help !== undefined && told.fixes.length === 0 && <p class="help">help: <Sentence text={told.help} /></p>}
        {(isAsked || (isSought && !isHopeless) || fixes.length + later.length > 0) && (
          <div class="mends">
            {isAsked && (
              <button type="button" class="button small" title="What cannot hold together, where the mistake may be, what would mend it" onClick={() => askWhyNot(problem)}>
                <Icon name="question" />
                <span>Why not?</span>
              </button>
            )}
            {fixes.map((fix, at) => (
              <button type="button" class="button small" onClick={() => applyFix(fix)}>
                <Icon name="fix" />
                <span>
                  <Sentence text={titles[at] ?? fix.title} />
                </span>
              </button>
            ))}
            <Labels labels={later} problem={problem} />
            {!isAsked && isSought && !isHopeless && fixes.length === 0 && <p class="sought">{isCurrent ? "" : "Looking for edits …"}</p>}
          </div>
        )}
        {isNarrow.value && places}
      </div>
      <button type="button" class="code" title="What does this mean?" onClick={() => explain(code)}>
        {code}
      </button>
      <span class="line">line {line}</span>
    </li>
  );
}

/** Other places, which say their line if the problem is told to be on another one; before, there is room for that. */
function Labels({ labels, problem }: { labels: readonly LabelView[]; problem: Known }) {
  if (labels.length === 0) return null;
  const { starts } = state.checked.value;
  const { line, told } = problem;
  return (
    <ul class="labels">
      {labels.map(({ span, message }) => {
        const its = lineOf(starts, span.start);
        const isElsewhere = its !== line || its !== told.line;
        return (
          <li>
            <button type="button" onClick={() => show(span)}>
              <Sentence text={message} />
              {isElsewhere || mayBeMended(told) ? <span class={isElsewhere ? "where" : "where room"}>, line {its}</span> : null}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
