// Reads the test pages (tests/pages/**/*.md) as the page and its tests need them. A heading names a program; the
// fences of a language under it are one file; the prose above the first fence says why it is there.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** What a program may be written in, and how a comment begins there. */
const COMMENT = { relay: "//", refine: "#", tensorscript: "//" };

/** The line that says so; without one a text is Relay's. */
const langLine = (language) => (language === "relay" ? "" : `#lang ${language}\n`);

/** A line that a test asserts with, which a reader of the example does not need. */
const ASSERTION = /^\s*(?:#|\/\/)\s*\^|^\s*(?:#|\/\/)=>/;
const EXPECTS_ERROR = /^\s*(?:#|\/\/)\s*\^+\s*error\[/m;
const NOT_AN_EXAMPLE = "<!-- not an example -->";
const WIDTH = 76 - "// ".length;

/** Every page in order of path: `{ path, title, isExample, programs: [{ heading, prose, language, text }] }`. */
export function readPages(folder) {
  let names = [];
  try {
    names = readdirSync(folder, { recursive: true });
  } catch {
    // A checkout without pages has no examples; it is not a broken one.
  }
  return names
    .map((name) => String(name).replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => parsePage(relative(folder, join(folder, name)), readFileSync(join(folder, name), "utf8")));
}

export function parsePage(path, markdown) {
  const page = { path, title: path.replace(/\.md$/, ""), isExample: !markdown.includes(NOT_AN_EXAMPLE), programs: [] };
  let program = { heading: "", prose: [], fences: [] };
  let fence;
  const finish = () => {
    if (program.fences.length > 0) {
      page.programs.push({
        heading: program.heading || page.title,
        prose: program.prose.join("\n").trim(),
        language: program.language,
        text: langLine(program.language) + program.fences.join(""),
      });
    }
  };
  for (const line of markdown.split("\n")) {
    if (fence) {
      if (line.trimEnd() === fence.mark) {
        if (Object.hasOwn(COMMENT, fence.language)) {
          program.language = fence.language;
          program.fences.push(fence.text);
        }
        fence = undefined;
      } else {
        fence.text += `${line}\n`;
      }
      continue;
    }
    const opening = line.match(/^(`{3,})\s*(\w*)/);
    const heading = line.match(/^(#{1,6})\s+(.*)/);
    if (opening) {
      fence = { mark: opening[1], language: opening[2], text: "" };
    } else if (heading?.[1] === "#") {
      page.title = plain(heading[2]);
    } else if (heading) {
      finish();
      program = { heading: plain(heading[2]), prose: [], fences: [] };
    } else if (program.fences.length === 0 && !line.startsWith("<!--")) {
      program.prose.push(line);
    }
  }
  finish();
  return page;
}

/** The examples menu: a chapter for each page, the programs without an expected error first. */
export function examples(pages) {
  return pages
    .filter((page) => page.isExample && page.programs.length > 0)
    .map((page) => {
      const all = page.programs.map(({ heading, prose, language, text }) => ({
        title: heading,
        text: withProse(prose, language, withoutAssertions(text)),
        hasError: EXPECTS_ERROR.test(text),
      }));
      return { title: page.title, examples: [...all.filter((e) => !e.hasError), ...all.filter((e) => e.hasError)] };
    });
}

function withoutAssertions(text) {
  const kept = text.split("\n").filter((line) => !ASSERTION.test(line));
  return `${kept.join("\n").replace(/\n{3,}/g, "\n\n").trim()}\n`;
}

/** A program below its prose; only what says its language stands above. */
function withProse(prose, language, text) {
  const first = langLine(language);
  return first + comment(prose, COMMENT[language]) + text.slice(first.length);
}

/** Prose as comment lines; a paragraph stays a paragraph. */
function comment(prose, mark) {
  if (prose === "") return "";
  const lines = prose.split(/\n\s*\n/).flatMap((paragraph, index) => [
    ...(index === 0 ? [] : [mark]),
    ...wrap(plain(paragraph)).map((line) => `${mark} ${line}`),
  ]);
  return `${lines.join("\n")}\n\n`;
}

function wrap(paragraph) {
  const lines = [];
  for (const word of paragraph.split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Markdown's marks of code, emphasis and links say nothing in a comment or a menu. */
function plain(markdown) {
  return markdown
    .trim()
    .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replace(/`` (.*?) ``/g, "$1")
    .replace(/(?<!`)`([^`]+)`(?!`)/g, "$1")
    .replace(/\*\*?([^*\s][^*]*)\*\*?/g, "$1");
}
