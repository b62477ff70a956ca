// Lines of the machine's programs, coloured, each linked to the place in the text that it comes from.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { point, show } from "../action/navigation.ts";
import type { IrLineView, SpanView } from "../wasm/relish_wasm.js";
import { patternOf } from "./code.tsx";
import { INSTRUCTIONS } from "./instructions.ts";

const TOKEN = patternOf(
  /(?<string>"(?:\\.|[^"\\])*")/,
  /(?<variable>[%$][~.]+|(?<![~])v\d+(?![~]))/,
  /(?<function>@[~.]+|(?<![~])f\d+(?![~]))/,
  /(?<type>(?<![~])l\d+(?![~]))/,
  /(?<variant>`[~]+)/,
  /(?<block>(?<![~])b\d+(?![~]))/,
  /(?<constant>(?<![~])[kg]\d+(?![~]))/,
  /(?<word>(?<![~])[a-z_]+(?![.(~]))/,
  /(?<operator>(?<![~])[\p{Ll}_][~]*(?:\.[~]+)*(?=\())/u,
  /(?<constructor>(?<![~])\p{Lu}[~]*)/u,
  /(?<number>-?(?<![~])\d[~.]*)/,
);

const CLASSES: Readonly<Record<string, string>> = {
  string: "token-string",
  variable: "token-variable",
  function: "token-function",
  type: "token-type",
  variant: "token-variant",
  block: "token-number",
  constant: "token-constructor",
  word: "token-keyword",
  operator: "token-operator",
  constructor: "token-constructor",
  number: "token-number",
};

export interface Tables {
  layouts: readonly string[];
  constants: readonly string[];
}

/** A line with its tokens in spans; instruction words, layouts and constants say what they are when hovered. */
export function irTokens(text: string, tables?: Tables): ComponentChildren[] {
  const out: ComponentChildren[] = [];
  let last = 0;
  for (const match of text.matchAll(TOKEN)) {
    const kind = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined)?.[0] ?? "";
    const token = match[0];
    // A function may be called by its type: `fn(int32)`.
    const isWord = kind === "word" && Object.hasOwn(INSTRUCTIONS, token);
    const title = isWord
      ? INSTRUCTIONS[token]
      : kind === "type"
        ? tables?.layouts[Number(token.slice(1))]
        : token.startsWith("k")
          ? tables?.constants[Number(token.slice(1))]
          : undefined;
    if (match.index > last) out.push(text.slice(last, match.index));
    out.push(
      <span class={kind === "word" && !isWord ? "" : CLASSES[kind]} title={title}>
        {token}
      </span>,
    );
    last = match.index + token.length;
  }
  out.push(text.slice(last));
  return out;
}

/** A line that is no longer than this stays one. */
const LONGEST = 64;

/** Of operators that run as one, each has a line. */
export function unfolded(text: string): string {
  if (text.length <= LONGEST || !/ = fused\(/.test(text)) return text;
  const indent = " ".repeat(text.search(/\S/) + 2);
  return text.replace(/ \{ (?=s\d+ = )/, ` {\n${indent}`).replace(/; (?=s\d+ = )/g, `;\n${indent}`).replace(/ \}$/, `\n${indent.slice(2)}}`);
}

export interface IrLine extends Pick<IrLineView, "text" | "span"> {
  /** What a pass did to it. */
  mark?: " " | "+" | "-";
}

interface Props {
  lines: readonly IrLine[];
  label: string;
  tables?: Tables | undefined;
  /** Whether a line is of the place that the cursor is at. */
  isLit?: (span: SpanView) => boolean;
  /** The line where the machine is. */
  current?: number | undefined;
}

const SAID = { " ": "", "+": "added: ", "-": "left out: " } as const;

/** One tab stop; the arrow keys go from line to line, Enter to its place in the text. */
export function IrLines({ lines, label, tables, isLit, current }: Props) {
  const stop = useSignal(current ?? 0);
  const list = useRef<HTMLOListElement>(null);
  // The current line is in the middle of its box, whatever the page around it shows.
  useLayoutEffect(() => {
    const line = current === undefined ? null : (list.current?.children[current] as HTMLElement | null);
    const box = list.current?.parentElement;
    if (line && box) box.scrollTop = line.offsetTop - box.offsetTop - (box.clientHeight - line.offsetHeight) / 2;
  }, [lines, current]);
  const tabbed = Math.min(stop.value, lines.length - 1);
  const move = (event: KeyboardEvent, index: number) => {
    const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: lines.length - 1 }[event.key];
    if (next === undefined || lines[next] === undefined) return;
    event.preventDefault();
    stop.value = next;
    list.current?.querySelector<HTMLElement>(`[data-line="${next}"]`)?.focus();
  };
  return (
    <div class="ir-scroll">
      <ol class="ir-lines" aria-label={label} ref={list}>
        {lines.map(({ text, span, mark }, index) => {
          const classes = [
            mark === "+" ? "added" : mark === "-" ? "removed" : "",
            span !== undefined && isLit?.(span) ? "lit" : "",
            index === current ? "current" : "",
          ];
          return (
            <li class={classes.join(" ")} aria-current={index === current ? "step" : undefined}>
              {(mark !== undefined || current !== undefined) && (
                <span class="mark" aria-hidden="true">
                  {index === current ? "▸" : mark === "-" ? "−" : mark}
                </span>
              )}
              <button
                type="button"
                data-line={index}
                tabIndex={index === tabbed ? 0 : -1}
                aria-disabled={span === undefined}
                onClick={() => span && show(span)}
                onPointerEnter={() => point(span)}
                onPointerLeave={() => point(undefined)}
                onFocus={() => {
                  stop.value = index;
                  point(span);
                }}
                onBlur={() => point(undefined)}
                onKeyDown={(event) => move(event, index)}
              >
                {mark !== undefined && mark !== " " && <span class="unseen">{SAID[mark]}</span>}
                <code>{irTokens(unfolded(text), tables)}</code>
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
