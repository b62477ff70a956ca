// Everything that is wrong with the program, where it is, and what can be done about it.
import { batch, signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { askWhyNot, isAskable } from "../action/asking.ts";
import { applyFix, setLanguage } from "../action/document.ts";
import { explain, show } from "../action/navigation.ts";
import { type Language, titleOf } from "../language.ts";
import { lineOf } from "../lines.ts";
import { laterLabels, mayBeMended, type Problem as Known, words } from "../mended.ts";
import { folded } from "../sentence.ts";
import { language, likeliest, looksLike, problems, state } from "../state.ts";
import { titlesOf } from "../titles.ts";
import type { DiagnosticView, LabelView, MendedView, SeverityView } from "../wasm/relish_wasm.js";
import { isNarrow, isTouched } from "./appearance.ts";
import { Icon } from "./icon.tsx";
import { Sentence } from "./markdown.tsx";
import { STRETCHED, Stretch } from "./stretch.tsx";
import { plural } from "./units.ts";
import { lateWords } from "./waiting.tsx";

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

/** What was found is told only of a text that has been checked. */
function status(found: readonly DiagnosticView[]): string {
  if (state.engine.value === "loading") return "Starting the compiler …";
  if (state.late.value) return lateWords(found.length > 0);
  return state.engine.value === "failed" ? "Not checked" : summary(found);
}

export function Problems() {
  const found = problems.value;
  const isUnknown = state.engine.value !== "ready" || state.late.value;
  const { list, onScroll } = useScrollPlace(found.length === 0);
  useNeededHeight(list);
  const key = keys();
  const { isHeld, keepsGap, letGo } = useHold(list, state.mended.value);
  return (
    <section class={state.late.value ? "problems stale" : "problems"} aria-label="Problems">
      <header class="pane-header">
        <h2>Problems</h2>
        {!isUnknown && (
          <span class={`count ${found.length > 0 ? "some" : ""}`} aria-hidden="true">
            {found.length}
          </span>
        )}
        {looksLike.value !== undefined && <LooksLike language={looksLike.value} />}
        <span class="summary" role="status">
          {status(found)}
        </span>
        {looksLike.value === undefined && likeliest.value !== undefined && !state.late.value && <Likeliest problem={likeliest.value} />}
      </header>
      {found.length === 0 ? (
        <p class="empty">
          {isUnknown ? "" : "Nothing to complain about: every type and every shape agrees."}
        </p>
      ) : (
        <ul ref={list} onScroll={onScroll} onPointerLeave={letGo}>
          {found.slice(0, SHOWN).map((problem) => (
            <Problem key={key(problem)} problem={problem} isLikeliest={problem === likeliest.value} isHeld={isHeld} keepsGap={keepsGap(problem)} />
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

/** How high the pane has to be: on a phone down to the edits of the first problem, elsewhere with all problems; 0 where there is none. */
export const neededHeight = signal(0);
/** Below the edits. */
const MARGIN = 6;

/** On a phone it grows as edits are found, and shrinks only when the room for them or for problems goes. */
function useNeededHeight(list: RefObject<HTMLUListElement | null>): void {
  const [hasRoom, isLow, isRested] = [state.hasRoom.value, isNarrow.value, state.rested.value];
  useLayoutEffect(() => {
    if (!hasRoom) neededHeight.value = 0;
    const last = isLow ? list.current?.querySelector(".problem") : list.current?.lastElementChild;
    const top = list.current?.parentElement?.getBoundingClientRect().top;
    if (!hasRoom || list.current === null || !last || top === undefined) return;
    const { bottom } = ((isLow && last.querySelector(".mends")) || last).getBoundingClientRect();
    const height = Math.ceil(bottom - top + list.current.scrollTop) + MARGIN;
    if (isLow) neededHeight.value = Math.max(neededHeight.peek(), height);
    else if (isRested && !isUsed(list.current)) neededHeight.value = height;
  });
}

/** Whether somebody points at it, or is in it by key. */
const isUsed = (list: Element): boolean => list.matches(":hover, :focus-within");

/** A finger that was on its way when something was found has come by then. */
const FINGER_MS = 3000;

/** The problems for which nothing was found, by their words. */
const hopelessOf = (mended: MendedView | undefined) => new Set(mended?.diagnostics.filter(({ fixes }) => fixes.length === 0).map(words));

/**
 * Whoever is in the list when edits are found finds it as it was, until they leave it; of a finger one cannot know. Then a row
 * of edits stays one line, and keeps its room for the time being, though none was found: not those of which that was known before.
 */
function useHold(list: RefObject<HTMLUListElement | null>, mended: MendedView | undefined) {
  const wasUsed = useMemo(() => isTouched.value || (list.current !== null && isUsed(list.current)), [mended]);
  const hopeless = useRef(hopelessOf(undefined));
  const before = useMemo(() => {
    const last = hopeless.current;
    hopeless.current = hopelessOf(mended);
    return last;
  }, [mended]);
  const left = useSignal<MendedView | undefined>(undefined);
  useEffect(() => {
    if (!isTouched.value) return undefined;
    const timer = setTimeout(() => {
      batch(() => {
        left.value = mended;
        neededHeight.value = 0;
      });
    }, FINGER_MS);
    return () => clearTimeout(timer);
  }, [mended]);
  const isHeld = wasUsed && left.value !== mended;
  const letGo = () => {
    if (!isTouched.value && !list.current?.matches(":focus-within")) left.value = mended;
  };
  return { isHeld, letGo, keepsGap: ({ told }: Known) => isHeld && !before.has(words(told)) };
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

interface ProblemProps {
  problem: Known;
  isLikeliest: boolean;
  isHeld: boolean;
  keepsGap: boolean;
}

/** What is found out later stands at the end of a line or of a list that was there before, so that nothing moves under a finger. */
function Problem({ problem, isLikeliest, isHeld, keepsGap }: ProblemProps) {
  const { code, severity, message, span, line, fixes, told } = problem;
  const isAsked = isAskable(problem);
  const isSought = language.value === "relay" && mayBeMended(told) && state.checked.value.view.diagnostics.includes(told);
  const titles = titlesOf(fixes, state.checked.value.starts);
  const later = laterLabels(problem);
  const mended = state.mended.value;
  const isCurrent = mended?.revision === state.checked.value.revision;
  // Where nothing was found there is no gap, and after the next key it is not expected either.
  const isHopeless = !(isCurrent && keepsGap) && mended?.diagnostics.some((one) => words(one) === words(told) && one.fixes.length === 0);
  // In one list above what can be done, where that moves nothing that somebody points at.
  const isOneList = !isNarrow.value && (told.labels.length > 0 || !isHeld);
  const isWrapped = !isSought || (isCurrent && !isHeld);
  const [labels, beside] = isOneList ? [[...told.labels, ...later], []] : [told.labels, later];
  const places = <Labels labels={labels} />;
  return (
    <li class={`problem ${severity}`} id={isLikeliest ? LIKELIEST : undefined}>
      <Icon name={severity} />
      <div class="what">
        <button type="button" class="message" title={wholeOf(message)} onClick={() => show(span)}>
          <span class="unseen">{severity}: </span>
          <Sentence text={folded(message)} />
        </button>
        {/* Where few lines of the list are in sight, what can be done comes first. */}
        {!isNarrow.value && places}
        {code === STRETCHED && <Stretch span={span} />}
        {told.help !== undefined && told.fixes.length === 0 && <p class="help">help: <Sentence text={told.help} /></p>}
        {(isAsked || (isSought && !isHopeless) || fixes.length + beside.length > 0) && (
          <div class={isWrapped ? "mends wrapped" : "mends"}>
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
            <Labels labels={beside} />
            {/* Beside the question, a phone keeps room for an edit. */}
            {(!isAsked || isNarrow.value) && isSought && !isHopeless && fixes.length === 0 && <p class="sought">{isCurrent ? "" : "Looking for edits …"}</p>}
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

/** A sentence of which a part is left out is told whole when one points at it. */
const wholeOf = (sentence: string) => (folded(sentence) === sentence ? undefined : sentence);

/** As many are told. */
const MOST_LABELS = 16;

/** Other places, each with its line: where the problem itself is most likely may be found out later. */
function Labels({ labels }: { labels: readonly LabelView[] }) {
  if (labels.length === 0) return null;
  const { starts } = state.checked.value;
  return (
    <ul class="labels">
      {labels.slice(0, MOST_LABELS).map(({ span, message }) => (
        <li>
          <button type="button" title={wholeOf(message)} onClick={() => show(span)}>
            <Sentence text={folded(message)} />
            <span class="where">, line {lineOf(starts, span.start)}</span>
          </button>
        </li>
      ))}
      {labels.length > MOST_LABELS && <li>and {labels.length - MOST_LABELS} more</li>}
    </ul>
  );
}
