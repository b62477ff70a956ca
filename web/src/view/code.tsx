// Types, values and short programs outside the editor, coloured like inside it.
import type { ComponentChildren } from "preact";
import { IN_NAME } from "../language.ts";
import { plain } from "../sentence.ts";

/** What one of these finds; `[~]` is a character of a name. */
export const patternOf = (...kinds: RegExp[]) => new RegExp(kinds.map(({ source }) => source.replaceAll("~", IN_NAME)).join("|"), "gu");

const TOKEN = patternOf(
  /(?<comment>\/\/.*|\/\*[\s\S]*?\*\/|#(?!\[).*)/,
  /(?<string>"(?:\\.|[^"\\])*")/,
  /(?<variable>%[~.]+)/,
  /(?<function>@[~.]+)/,
  /(?<variant>`[~]+)/,
  // A word alone is the name of an argument, as one before `=` is, more often than a word of the grammar.
  /(?<keyword>(?<![~])(?!^[~]+$)(?:let|fn|def|if|else|type|data|match|case|extern|free_var|ref|relation|where|as|in|with)(?![~])(?!\s*=[^=>]))/,
  /(?<type>(?<![~])(?:Tensor|Type|BaseType|Shape|Dim|bool|(?:u?int|b?float)\d+)(?![~]))/,
  /(?<constructor>(?<![~])\p{Lu}[~]*)/u,
  /(?<operator>(?<![~])[\p{Ll}_][~]*(?:(?:\.[~]+)+|(?=\()))/u,
  /(?<number>(?<![~])(?:inf|nan)(?:b?f16|f(?:32|64)?)(?![~])|(?<![~])\d(?:[~.]*e-(?=\d))?[~.]*)/,
);

/** Text with its tokens in spans; what is no token stays as it is. */
export function highlight(text: string): ComponentChildren[] {
  const out: ComponentChildren[] = [];
  let last = 0;
  for (const match of text.matchAll(TOKEN)) {
    const kind = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined)?.[0];
    if (match.index > last) out.push(text.slice(last, match.index));
    out.push(<span class={`token-${kind}`}>{match[0]}</span>);
    last = match.index + match[0].length;
  }
  out.push(text.slice(last));
  return out;
}

/** So many letters at the end of a long name stay in sight. */
const END = 6;

/** A name that is cut in its middle where there is no room for it, since names often begin alike. */
export function Name({ text }: { text: string }) {
  const [token] = text.matchAll(TOKEN);
  const kind = token?.[0] === text && Object.entries(token.groups ?? {}).find(([, found]) => found !== undefined)?.[0];
  if (!kind || text.length < 2 * END) return <code>{highlight(text)}</code>;
  return (
    <code class={`name-text token-${kind}`}>
      <span>{text.slice(0, -END)}</span>
      <span>{text.slice(-END)}</span>
    </code>
  );
}

/** Longer types are cut into pieces like any others, but this many tokens are as much as anyone reads. */
const LONGEST = 6000;

/**
 * A type, which breaks after a comma, or before an arrow, a clause, or what a function takes; and inside brackets only when
 * what is in them is wider than the line: `Tensor[(N, M), float32]` stays together. What closes a bracket stays with the last
 * piece in it.
 */
export function TypeText({ text }: { text: string }) {
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return <code class="type-text">{pieces(shown, 0, "")}</code>;
}

/** Types nest less than this; what is deeper is one piece, so that no text can exhaust the stack. */
const DEEPEST = 12;
/** What is in brackets and no longer than this is never cut. */
const SHORT = 16;

/** `tail` is what stands behind the last piece, and belongs to it. */
function pieces(text: string, depth: number, tail: string): ComponentChildren[] {
  const out: ComponentChildren[] = [];
  let open = 0;
  let start = 0;
  const cut = (end: number) => {
    const piece = text.slice(start, end).trim() + (end === text.length ? tail : "");
    if (piece !== "") {
      if (text[start] === " " && out.length > 0) out.push(" ");
      out.push(<span class="piece">{depth < DEEPEST ? groups(piece, depth) : highlight(piece)}</span>);
    }
    start = end;
  };
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (char === "(" && text[index - 1] === "]" && open === 0) cut(index);
    if (char === "[" || char === "(") open += 1;
    else if (char === "]" || char === ")") open -= 1;
    else if (open > 0) continue;
    else if (text.startsWith(", ", index)) cut(index + 1);
    else if (text.startsWith(" ->", index) || text.startsWith(" where ", index)) cut(index);
  }
  // What cannot be cut stands in the piece around it as it is: as one of its own it would be wider than that.
  if (start === 0 && depth > 0) return depth < DEEPEST ? groups(text + tail, depth) : highlight(text + tail);
  cut(text.length);
  return out;
}

/** A piece with what is in each of its outermost brackets cut into pieces in turn. */
function groups(piece: string, depth: number): ComponentChildren[] {
  const start = piece.search(/[[(]/);
  if (start < 0) return highlight(piece);
  let open = 0;
  for (let end = start; end < piece.length; end += 1) {
    const char = piece[end];
    if (char === "[" || char === "(") open += 1;
    if (char === "]" || char === ")") open -= 1;
    if (open > 0) continue;
    const [inside, rest] = [piece.slice(start + 1, end), piece.slice(end)];
    const opened = highlight(piece.slice(0, start + 1));
    if (inside.length <= SHORT) return [...opened, ...highlight(inside), ...groups(rest, depth + 1)];
    if (/[[(]/.test(rest)) return [...opened, ...pieces(inside, depth + 1, ""), ...groups(rest, depth + 1)];
    return [...opened, ...pieces(inside, depth + 1, rest)];
  }
  return highlight(piece);
}

/** What the compiler says of the line above, in the pages about its codes: `#   ^ error[type-mismatch] "sizes differ"`. */
const SAID = /^(?<before>\s*)#(?<space>\s*)\^ ?(?<severity>error|warning)\[[\w-]+\] "(?<words>.*)"$/;

function line(text: string): ComponentChildren[] {
  const { before = "", space = "", severity = "", words = "" } = text.match(SAID)?.groups ?? {};
  if (words === "") return highlight(text);
  return [<span class={`words-${severity}`}>{`${before} ${space}^ ${plain(words)}`}</span>];
}

export function CodeBlock({ text }: { text: string }) {
  // Comments of several lines are one token.
  const lines = text.split("\n");
  const shown = lines.some((text) => SAID.test(text)) ? lines.flatMap((text) => [...line(text), "\n"]).slice(0, -1) : highlight(text);
  return (
    <pre class="code-block" tabIndex={0} role="group" aria-label="Program text">
      <code>{shown}</code>
    </pre>
  );
}
