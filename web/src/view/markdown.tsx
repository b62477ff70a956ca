// A subset of Markdown as elements: headings, paragraphs, lists, fences, and code, emphasis and links within a line.
// The text never becomes markup, so nothing in it can act.
import type { ComponentChildren } from "preact";
import { parts, unquoted } from "../sentence.ts";
import { CodeBlock, highlight } from "./code.tsx";

const INLINE = /(?<ticks>`+)(?<code>.+?)\k<ticks>(?!`)|\*\*(?<strong>[^*]+)\*\*|\*(?<em>[^*\s][^*]*)\*|\[(?<label>[^\]]+)\]\((?<target>[^)\s]+)\)/g;

export function Markdown({ text }: { text: string }) {
  return <div class="markdown">{blocks(text.split("\n"))}</div>;
}

function blocks(lines: string[]): ComponentChildren[] {
  const out: ComponentChildren[] = [];
  let index = 0;
  const takeWhile = (test: (line: string) => boolean) => {
    const start = index;
    while (index < lines.length && test(lines[index] ?? "")) index += 1;
    return lines.slice(start, index);
  };
  while (index < lines.length) {
    const line = lines[index] ?? "";
    const fence = line.match(/^(`{3,})/)?.[1];
    const heading = line.match(/^(#{1,6})\s+(.*)/);
    if (fence !== undefined) {
      index += 1;
      const body = takeWhile((inside) => inside.trimEnd() !== fence);
      index += 1;
      out.push(<CodeBlock text={body.join("\n")} />);
    } else if (heading) {
      index += 1;
      const content = inline(heading[2] ?? "");
      out.push(heading[1] === "#" ? <h2>{content}</h2> : <h3>{content}</h3>);
    } else if (isItem(line)) {
      const items: string[] = [];
      for (const part of takeWhile((next) => isItem(next) || /^\s+\S/.test(next))) {
        if (isItem(part)) items.push(part.replace(/^\s*[-*]\s+/, ""));
        else items[items.length - 1] += ` ${part.trim()}`;
      }
      out.push(<ul>{items.map((item) => <li>{inline(item)}</li>)}</ul>);
    } else if (line.trim() === "" || line.startsWith("<!--")) {
      index += 1;
    } else {
      const isText = (next: string) => next.trim() !== "" && !/^(`{3,}|#{1,6}\s)/.test(next) && !isItem(next);
      out.push(<p>{inline(takeWhile(isText).join(" "))}</p>);
    }
  }
  return out;
}

const isItem = (line: string) => /^\s*[-*]\s+/.test(line);

function inline(text: string): ComponentChildren[] {
  const out: ComponentChildren[] = [];
  let last = 0;
  for (const match of text.matchAll(INLINE)) {
    const { code, strong, em, label, target } = match.groups ?? {};
    out.push(text.slice(last, match.index));
    if (code !== undefined) out.push(<code>{highlight(code.trim())}</code>);
    else if (strong !== undefined) out.push(<strong>{inline(strong)}</strong>);
    else if (em !== undefined) out.push(<em>{inline(em)}</em>);
    else if (label !== undefined) out.push(link(label, target ?? ""));
    last = match.index + match[0].length;
  }
  out.push(text.slice(last));
  return out;
}

/** A part of a sentence may be any word of the text. */
const LONG = 2_000;
const shortened = (part: string) => (part.length > LONG ? `${part.slice(0, LONG)}…` : part);

/** A sentence of the compiler, with what is in backticks as code. */
export function Sentence({ text }: { text: string }) {
  return parts(text).map(({ text, isCode }) =>
    isCode ? <code class="inline-code">{highlight(shortened(unquoted(text)))}</code> : shortened(text),
  );
}

/** Only a web address becomes a link; a path into the project's files leads nowhere on this site. */
function link(label: string, target: string): ComponentChildren {
  if (!target.startsWith("https://")) return inline(label);
  return (
    <a href={target} target="_blank" rel="noreferrer noopener">
      {inline(label)}
    </a>
  );
}
