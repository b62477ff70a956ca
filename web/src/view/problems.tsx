// Everything that is wrong with the program, where it is, and what can be done about it.
import { applyFix, explain, show } from "../actions.ts";
import { askWhyNot, isAskable } from "../asking.ts";
import { problems, state } from "../state.ts";
import type { DiagnosticView, SeverityView } from "../wasm/relish_wasm.js";
import { Icon } from "./icon.tsx";
import { Sentence } from "./markdown.tsx";
import { STRETCHED, Stretch } from "./stretch.tsx";

/** More than this helps nobody, and would make typing slow. */
const SHOWN = 200;

const plural = (count: number, word: string) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

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
  return (
    <section class="problems" aria-label="Problems">
      <header class="pane-header">
        <h2>Problems</h2>
        <span class={`count ${found.length > 0 ? "some" : ""}`} aria-hidden="true">
          {found.length}
        </span>
        <span class="summary" role="status">
          {isLoading ? "Starting the compiler …" : summary(found)}
        </span>
      </header>
      {found.length === 0 ? (
        <p class="empty">
          {isLoading ? "" : "Nothing to complain about: every type and every shape agrees."}
        </p>
      ) : (
        <ul>
          {found.slice(0, SHOWN).map((problem) => (
            <Problem problem={problem} />
          ))}
          {found.length > SHOWN && <li class="more">… and {plural(found.length - SHOWN, "more problem")}</li>}
        </ul>
      )}
    </section>
  );
}

function Problem({ problem }: { problem: DiagnosticView }) {
  const { code, severity, message, span, line, labels, help, fixes } = problem;
  return (
    <li class={`problem ${severity}`}>
      <Icon name={severity} />
      <div class="what">
        <button type="button" class="message" onClick={() => show(span)}>
          <span class="unseen">{severity}: </span>
          <Sentence text={message} />
        </button>
        {labels.length > 0 && (
          <ul class="labels">
            {labels.map((label) => (
              <li>
                <button type="button" onClick={() => show(label.span)}>
                  <Sentence text={label.message} />
                </button>
              </li>
            ))}
          </ul>
        )}
        {code === STRETCHED && <Stretch span={span} />}
        {help !== undefined && fixes.length === 0 && <p class="help">help: <Sentence text={help} /></p>}
        {isAskable(problem) && (
          <button type="button" class="button small" title="What cannot hold together, where the mistake may be, what would mend it" onClick={() => askWhyNot(problem)}>
            <Icon name="question" />
            <span>Why not?</span>
          </button>
        )}
        {fixes.map((fix) => (
          <button type="button" class="button small" onClick={() => applyFix(fix)}>
            <Icon name="fix" />
            <span>{fix.title}</span>
          </button>
        ))}
      </div>
      <button type="button" class="code" title="What does this mean?" onClick={() => explain(code)}>
        {code}
      </button>
      <span class="line">line {line}</span>
    </li>
  );
}
