// How programs are coloured and bracketed. The compiler knows the language; this only has to look right while typing.
import { KEYWORDS, type Language } from "../language.ts";
import { monaco } from "./monaco.ts";

type Pair = [open: string, close: string];

const PARENTHESES: Pair[] = [["[", "]"], ["(", ")"]];
const BRACES: Pair[] = [["{", "}"], ...PARENTHESES];

export function registerLanguages(): void {
  registerRelay();
  registerRefine();
  registerTensorScript();
}

/** What all surfaces have of a language: a line comment goes on at the next line. */
function register(id: Language, alias: string, brackets: Pair[], lineComment: string) {
  monaco.languages.register({ id, extensions: [id === "tensorscript" ? ".trs" : `.${id}`], aliases: [alias] });
  const pairs = brackets.map(([open, close]) => ({ open, close }));
  const [opening, closing] = [0, 1].map((side) => brackets.map((pair) => `\\${pair[side]}`).join(""));
  return {
    comments: { lineComment },
    brackets,
    autoClosingPairs: pairs,
    surroundingPairs: pairs,
    indentationRules: {
      increaseIndentPattern: new RegExp(`[${opening}]\\s*$`),
      decreaseIndentPattern: new RegExp(`^\\s*[${closing}]`),
    },
    onEnterRules: [
      {
        beforeText: new RegExp(`^\\s*${lineComment}.*$`),
        afterText: /\S/,
        action: { indentAction: monaco.languages.IndentAction.None, appendText: `${lineComment} ` },
      },
    ],
  };
}

const coloured = (brackets: Pair[]) => brackets.map(([open, close]) => ({ open, close, token: "delimiter" }));

function registerRelay(): void {
  const shared = register("relay", "Relay", BRACES, "//");
  monaco.languages.setLanguageConfiguration("relay", {
    ...shared,
    comments: { lineComment: "//", blockComment: ["/*", "*/"] },
    autoClosingPairs: [...shared.autoClosingPairs, { open: '"', close: '"', notIn: ["string", "comment"] }],
    surroundingPairs: [...shared.surroundingPairs, { open: '"', close: '"' }],
    // A double-click takes the sigil with the name, and an operator with its dots.
    wordPattern: /[%@`]?[A-Za-z_][\w.]*|%?\d[\w.]*/,
  });
  monaco.languages.setMonarchTokensProvider("relay", {
    keywords: [...KEYWORDS.relay],
    defaultToken: "",
    brackets: coloured(BRACES),
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
  const shared = register("refine", "refine", PARENTHESES, "#");
  monaco.languages.setLanguageConfiguration("refine", { ...shared, wordPattern: /[A-Za-z_]\w*|\d+/ });
  monaco.languages.setMonarchTokensProvider("refine", {
    keywords: [...KEYWORDS.refine],
    defaultToken: "",
    brackets: coloured(PARENTHESES),
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

function registerTensorScript(): void {
  const shared = register("tensorscript", "TensorScript", BRACES, "//");
  monaco.languages.setLanguageConfiguration("tensorscript", { ...shared, wordPattern: /[A-Za-z_]\w*|\d[\w.]*/ });
  monaco.languages.setMonarchTokensProvider("tensorscript", {
    keywords: [...KEYWORDS.tensorscript],
    defaultToken: "",
    brackets: coloured(BRACES),
    tokenizer: {
      root: [
        [/\s+/, ""],
        [/\/\/.*$/, "comment"],
        [/#lang.*$/, "comment"],
        [/\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+/, "number"],
        [/[A-Z][A-Z0-9_]*\b/, "type"],
        [/[A-Z]\w*/, "variant"],
        [/[a-z_]\w*(?=\s*\()/, { cases: { "@keywords": "keyword", "@default": "function" } }],
        [/[a-z_]\w*/, { cases: { "@keywords": "keyword", "@default": "variable" } }],
        [/\|>|->|::|[=<>!]=|[-+*/=<>?]/, "operator"],
        [/[()[\]{}]/, "@brackets"],
        [/[,;.]/, "delimiter"],
      ],
    },
  });
}
