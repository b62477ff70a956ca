// How programs are coloured and bracketed. The compiler knows the language; this only has to look right while typing.
import { monaco } from "./monaco.ts";

export const KEYWORDS =
  "let fn def if else type data match case extern free_var ref relation where as true false".split(" ");

const REFINE_KEYWORDS = "let in match with as".split(" ");

export function registerLanguages(): void {
  registerRelay();
  registerRefine();
}

function registerRelay(): void {
  monaco.languages.register({ id: "relay", extensions: [".relay"], aliases: ["Relay"] });
  monaco.languages.setLanguageConfiguration("relay", {
    comments: { lineComment: "//", blockComment: ["/*", "*/"] },
    brackets: [["{", "}"], ["[", "]"], ["(", ")"]],
    autoClosingPairs: [
      { open: "{", close: "}" },
      { open: "[", close: "]" },
      { open: "(", close: ")" },
      { open: '"', close: '"', notIn: ["string", "comment"] },
    ],
    surroundingPairs: [
      { open: "{", close: "}" },
      { open: "[", close: "]" },
      { open: "(", close: ")" },
      { open: '"', close: '"' },
    ],
    // A double-click takes the sigil with the name, and an operator with its dots.
    wordPattern: /[%@`]?[A-Za-z_][\w.]*|%?\d[\w.]*/,
    indentationRules: { increaseIndentPattern: /[{([]\s*$/, decreaseIndentPattern: /^\s*[})\]]/ },
    onEnterRules: [
      { beforeText: /^\s*\/\/.*$/, afterText: /\S/, action: { indentAction: monaco.languages.IndentAction.None, appendText: "// " } },
    ],
  });
  monaco.languages.setMonarchTokensProvider("relay", {
    keywords: KEYWORDS,
    defaultToken: "",
    brackets: [
      { open: "{", close: "}", token: "delimiter" },
      { open: "[", close: "]", token: "delimiter" },
      { open: "(", close: ")", token: "delimiter" },
    ],
    tokenizer: {
      root: [
        [/\s+/, ""],
        [/\/\/.*$/, "comment"],
        [/\/\*/, "comment", "@comment"],
        [/#\[/, "annotation", "@annotation"],
        [/#.*$/, "comment"],
        [/"/, "string", "@string"],
        [/%\d+/, "variable.graph"],
        [/%[A-Za-z_][\w.]*/, "variable"],
        [/@[A-Za-z_][\w.]*/, "function"],
        [/`[A-Za-z_]\w*/, "variant"],
        [/match\?/, "keyword"],
        [/(?:True|False)\b/, "number"],
        [/(?:u?int|float|bfloat)\d+(?:x\d+)?\b|bool\b|Tensor\b/, "type"],
        [/(?:Type|BaseType|Shape|ShapeVar|Dim)\b/, "type"],
        [/[A-Z]\w*/, "constructor"],
        [/[a-z_][\w]*(?:\.[A-Za-z_]\w*)+/, "operator.name"],
        [/[a-z_]\w*(?=\s*=[^=>])/, "attribute"],
        [/[a-z_]\w*(?=\()/, { cases: { "@keywords": "keyword", "@default": "operator.name" } }],
        [/[a-z_]\w*/, { cases: { "@keywords": "keyword", "@default": "identifier" } }],
        [/\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?:[a-z]+\d*)?/, "number"],
        [/->|=>|\|>|:=|:-|[=<>!+\-*/|&]+/, "operator"],
        [/[{}()[\]]/, "@brackets"],
        [/[,;:.?]/, "delimiter"],
      ],
      comment: [
        [/\/\*/, "comment", "@push"],
        [/\*\//, "comment", "@pop"],
        [/[^/*]+|[/*]/, "comment"],
      ],
      annotation: [
        [/"[^"]*"/, "string"],
        [/\]/, "annotation", "@pop"],
        [/[^"\]]+/, "annotation"],
      ],
      string: [
        [/\\./, "string"],
        [/"/, "string", "@pop"],
        [/[^\\"]+/, "string"],
      ],
    },
  });
}

function registerRefine(): void {
  monaco.languages.register({ id: "refine", extensions: [".refine"], aliases: ["refine"] });
  const pairs = [
    { open: "[", close: "]" },
    { open: "(", close: ")" },
  ];
  monaco.languages.setLanguageConfiguration("refine", {
    comments: { lineComment: "#" },
    brackets: [["[", "]"], ["(", ")"]],
    autoClosingPairs: pairs,
    surroundingPairs: pairs,
    wordPattern: /[A-Za-z_]\w*|\d+/,
    indentationRules: { increaseIndentPattern: /[([]\s*$/, decreaseIndentPattern: /^\s*[)\]]/ },
    onEnterRules: [
      { beforeText: /^\s*#.*$/, afterText: /\S/, action: { indentAction: monaco.languages.IndentAction.None, appendText: "# " } },
    ],
  });
  monaco.languages.setMonarchTokensProvider("refine", {
    keywords: REFINE_KEYWORDS,
    defaultToken: "",
    brackets: [
      { open: "[", close: "]", token: "delimiter" },
      { open: "(", close: ")", token: "delimiter" },
    ],
    tokenizer: {
      root: [
        [/\s+/, ""],
        [/#.*$/, "comment"],
        [/[A-Z]\w*/, "variant"],
        [/'\w+/, "type"],
        [/[a-z_]\w*/, { cases: { "@keywords": "keyword", "@default": "variable" } }],
        [/->|[=|:]/, "operator"],
        [/[()[\]]/, "@brackets"],
        [/,/, "delimiter"],
      ],
    },
  });
}
