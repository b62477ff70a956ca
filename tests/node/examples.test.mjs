// The examples menu is made from the test pages; here is how, and that the first program of all is sound.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { examples, parsePage, readPages } from "../../scripts/pages.mjs";
import { loadPlayground } from "./compiler.mjs";

const root = resolve(import.meta.dirname, "../..");

const PAGE = `# Broadcasting
## A dim must match or be one
The last dims *disagree*, so the sum is rejected where \`+\` stands, which takes more than one line to say.
\`\`\`relay
zeros(shape=[2, 3]) + zeros(shape=[2, 4])
#                   ^ error[broadcast] "3 and 4"
\`\`\`
## One stretches
\`\`\`relay
let %x = 1; # a comment stays
\`\`\`
Prose between fences is no part of the program.
\`\`\`relay
%x
#=> 1
\`\`\`
\`\`\`value
1
\`\`\`
`;

test("a heading is an example, its fences are one program, its prose is a comment", () => {
  assert.deepEqual(examples([parsePage("broadcast.md", PAGE)]), [
    {
      title: "Broadcasting",
      examples: [
        { title: "One stretches", text: "let %x = 1; # a comment stays\n%x\n", hasError: false },
        {
          title: "A dim must match or be one",
          text:
            "// The last dims disagree, so the sum is rejected where + stands, which\n// takes more than one line to say.\n\n" +
            "zeros(shape=[2, 3]) + zeros(shape=[2, 4])\n",
          hasError: true,
        },
      ],
    },
  ]);
});

test("a program in refine says so in its first line, and its prose is a comment of refine", () => {
  const page = "# Sums\n## One\nIt is *small*.\n```refine\nlet x = A in\nx\n#=> A\n```\n";
  const [chapter] = examples([parsePage("sums.md", page)]);
  assert.deepEqual(chapter.examples, [
    { title: "One", text: "#lang refine\n# It is small.\n\nlet x = A in\nx\n", hasError: false },
  ]);
});

test("the examples begin with the expansion of a type", () => {
  const [first] = examples(readPages(resolve(root, "tests/pages")));
  assert.equal(first.title, "Start here");
  assert.match(first.examples[0].title, /^Type expansion/);
  assert.match(first.examples[0].text, /^#lang refine\n/);
});

test("a page can say that it is no example", () => {
  assert.deepEqual(examples([parsePage("a.md", `<!-- not an example -->\n${PAGE}`)]), []);
});

test("the programs that greet have no problems", async () => {
  const playground = await loadPlayground();
  for (const [name, n_values] of [["relay", 2], ["refine", 1], ["trs", 1]]) {
    const welcome = readFileSync(resolve(root, `web/src/welcome.${name}`), "utf8");
    assert.deepEqual(playground.update(welcome).diagnostics, [], name);
    const { values, diagnostics } = playground.run(1e6, "aligned", "on", "off");
    assert.deepEqual(diagnostics, [], name);
    assert.equal(values.length, n_values, name);
  }
  playground.free();
});

test("examples that expect no error have none once their assertions are gone", async () => {
  const playground = await loadPlayground();
  for (const chapter of examples(readPages(resolve(root, "tests/pages")))) {
    for (const { title, text, hasError } of chapter.examples) {
      const errors = playground.update(text).diagnostics.filter((d) => d.severity === "error");
      if (!hasError) assert.deepEqual(errors, [], `${chapter.title}: ${title}`);
    }
  }
  playground.free();
});
