// How programs are coloured and bracketed. The compiler knows the language; this only has to look right while typing.
import { IN_NAME, KEYWORDS, type Language, STARTS_NAME, WORDS } from "../language.ts";
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
    // What a double-click takes.
    wordPattern: new RegExp(WORDS[id], "u"),
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

/** What the patterns of a tokenizer name: `@word`. */
const NAMED = { unicode: true, word: `${STARTS_NAME}[${IN_NAME}]*`, dotted: `${STARTS_NAME}[${IN_NAME}.]*`, letter: `[${IN_NAME}]` };

const coloured = (brackets: Pair[]) => brackets.map(([open, close]) => ({ open, close, token: "delimiter" }));

function registerRelay(): void {
  const shared = register("relay", "Relay", BRACES, "//");
  monaco.languages.setLanguageConfiguration("relay", {
    ...shared,
    comments: { lineComment: "//", blockComment: ["/*", "*/"] },
    autoClosingPairs: [...shared.autoClosingPairs, { open: '"', close: '"', notIn: ["string", "comment"] }],
    surroundingPairs: [...shared.surroundingPairs, { open: '"', close: '"' }],
  });
  monaco.languages.setMonarchTokensProvider("relay", {
    ...NAMED,
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
        [/%@dotted/, "variable"],
        [/@@@dotted/, "function"],
        [/`@word/, "variant"],
        [/match\?/, "keyword"],
        [/(?:True|False|(?:inf|nan)(?:b?f16|f(?:32|64)?))(?!@letter)/, "number"],
        [/(?:(?:u?int|float|bfloat)\d+(?:x\d+)?|bool|Tensor|Type|BaseType|Shape|ShapeVar|Dim)(?!@letter)/, "type"],
        [/\p{Lu}@letter*/u, "constructor"],
        [/@word(?:\.@word)+/, "operator.name"],
        [/@word(?=\s*=[^=>])/, "attribute"],
        [/@word(?=\()/, { cases: { "@keywords": "keyword", "@default": "operator.name" } }],
        [/@word/, { cases: { "@keywords": "keyword", "@default": "identifier" } }],
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
  monaco.languages.setLanguageConfiguration("refine", shared);
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
  monaco.languages.setLanguageConfiguration("tensorscript", shared);
  monaco.languages.setMonarchTokensProvider("tensorscript", {
    ...NAMED,
    keywords: [...KEYWORDS.tensorscript],
    defaultToken: "",
    brackets: coloured(BRACES),
    tokenizer: {
      root: [
        [/\s+/, ""],
        [/\/\/.*$/, "comment"],
        [/#lang.*$/, "comment"],
        [/\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+/, "number"],
        [/\p{Lu}[\p{Lu}\d_]*(?!@letter)/u, "type"],
        [/\p{Lu}@letter*/u, "variant"],
        // The name of an argument may be a word of the grammar: `dim=1`.
        [/@word(?=\s*=(?!=))/, "variable"],
        [/@word(?=\s*\()/, { cases: { "@keywords": "keyword", "@default": "function" } }],
        [/@word/, { cases: { "@keywords": "keyword", "@default": "variable" } }],
        [/\|>|->|::|[=<>!]=|[-+*/=<>?]/, "operator"],
        [/[()[\]{}]/, "@brackets"],
        [/[,;.]/, "delimiter"],
      ],
    },
  });
}
