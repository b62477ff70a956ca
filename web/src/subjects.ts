// What the chapters of the examples are about: the menu's order, from what one begins with to what is rarely needed.
type Chapters = typeof import("virtual:examples").default;
type Chapter = Chapters[number];
export type Example = Chapter["examples"][number];

const SUBJECTS: readonly { title: string; chapters: readonly string[] }[] = [
  { title: "Start here", chapters: ["A short tour", "Start here"] },
  {
    title: "Tensors and shapes",
    chapters: [
      "Tensors",
      "When shapes go wrong",
      "Dims and shapes",
      "Dims that are known late",
      "What values decide",
      "Windows and scales",
      "Numbers and dtypes",
      "Memory for tensors",
    ],
  },
  { title: "Networks", chapters: ["Networks", "Models", "Recurrent networks"] },
  {
    title: "TensorScript",
    chapters: [
      "TensorScript",
      "The layers of TensorScript",
      "Attention, written out",
      "Layers that do not fit",
      "What TensorScript let pass",
    ],
  },
  { title: "Data types and matching", chapters: ["Sum types", "Lists and patterns", "Matching", "Maps and folds"] },
  { title: "Sums without a name", chapters: ["Anonymous sums", "Refine"] },
  { title: "Functions", chapters: ["Functions and closures", "Recursion", "References", "The prelude"] },
  {
    title: "Types, inferred and written",
    chapters: [
      "Types",
      "Holes",
      "What a function leaves open",
      "Types of functions that say nothing",
      "Functions that want functions of every type",
      "What the result says",
    ],
  },
  { title: "Shape rules of your own", chapters: ["Relations", "Rules of operators, written again"] },
  { title: "How the compiler reasons", chapters: ["The solver", "Why, and why not", "Mended"] },
  { title: "How programs run", chapters: ["Layouts", "The machine"] },
  { title: "Other ways to write it", chapters: ["Two spellings", "Text that TVM printed"] },
];

/** For chapters that nobody has put in their place yet. */
const OTHERS = "More";

/** The chapters by subject. */
export function bySubject(chapters: Chapters): { title: string; chapters: Chapter[] }[] {
  const left = new Map(chapters.map((chapter) => [chapter.title, chapter]));
  const subjects = SUBJECTS.map(({ title, chapters: titles }) => ({
    title,
    chapters: titles.flatMap((name) => {
      const chapter = left.get(name);
      left.delete(name);
      return chapter ?? [];
    }),
  }));
  return [...subjects, { title: OTHERS, chapters: [...left.values()] }].filter(({ chapters: { length } }) => length > 0);
}

/** An example that has all the words of a search. */
export interface Found {
  chapter: string;
  example: Example;
  /** The line of the program that has the first word which the titles have not. */
  line: string | undefined;
}

/** How well a title answers: it is what was asked, begins so, has it at the beginning of a word, or is found for something else. */
function rankOf({ example }: Found, asked: string): number {
  const title = example.title.toLowerCase();
  if (title === asked) return 0;
  if (title.startsWith(asked)) return 1;
  return title.includes(` ${asked}`) ? 2 : 3;
}

/**
 * The examples that have all the words, in their titles or in their programs; the more in their titles, the earlier, and
 * first those whose own title answers best.
 */
export function search(subjects: readonly { title: string; chapters: readonly Chapter[] }[], words: readonly string[]): Found[] {
  const byMissing = words.map((): Found[] => []).concat([[]]);
  for (const { title: subject, chapters } of subjects) {
    for (const { title: chapter, examples } of chapters) {
      for (const example of examples) {
        const titles = `${subject} ${chapter} ${example.title}`.toLowerCase();
        const text = example.text.toLowerCase();
        const missing = words.filter((word) => !titles.includes(word));
        if (!missing.every((word) => text.includes(word))) continue;
        const line = missing[0] === undefined ? undefined : lineAt(example.text, text.indexOf(missing[0]));
        byMissing[missing.length]?.push({ chapter, example, line });
      }
    }
  }
  const asked = words.join(" ");
  return byMissing.flat().toSorted((a, b) => rankOf(a, asked) - rankOf(b, asked));
}

/** As much is shown of the line before what was found. */
const BEFORE = 20;

function lineAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset) + 1;
  const end = text.indexOf("\n", offset);
  const line = text.slice(start, end < 0 ? undefined : end);
  const indent = line.length - line.trimStart().length;
  const cut = offset - start - BEFORE;
  return cut > indent ? `… ${line.slice(cut)}` : line.trim();
}
