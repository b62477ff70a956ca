// The editor with the features that the page uses, and no others: each import is a part of the download.
import "monaco-editor/features/bracketMatching/register.js";
import "monaco-editor/features/caretOperations/register.js";
import "monaco-editor/features/clipboard/register.js";
import "monaco-editor/features/codeAction/register.js";
import "monaco-editor/features/codeEditor/register.js";
import "monaco-editor/features/codicon/register.js";
import "monaco-editor/features/comment/register.js";
import "monaco-editor/features/contextmenu/register.js";
import "monaco-editor/features/cursorUndo/register.js";
import "monaco-editor/features/find/register.js";
import "monaco-editor/features/folding/register.js";
import "monaco-editor/features/format/register.js";
import "monaco-editor/features/gotoError/register.js";
import "monaco-editor/features/gotoSymbol/register.js";
import "monaco-editor/features/hover/register.js";
import "monaco-editor/features/iPadShowKeyboard/register.js";
import "monaco-editor/features/indentation/register.js";
import "monaco-editor/features/linesOperations/register.js";
import "monaco-editor/features/multicursor/register.js";
import "monaco-editor/features/parameterHints/register.js";
import "monaco-editor/features/quickCommand/register.js";
import "monaco-editor/features/readOnlyMessage/register.js";
import "monaco-editor/features/referenceSearch/register.js";
import "monaco-editor/features/smartSelect/register.js";
import "monaco-editor/features/toggleTabFocusMode/register.js";
import "monaco-editor/features/wordHighlighter/register.js";
import "monaco-editor/features/wordOperations/register.js";
// What `features/suggest` registers is only what other editors show in grey behind the cursor.
import "monaco-editor/editor/contrib/suggest/browser/suggestController.js";
import type { Language } from "../language.ts";
import * as monaco from "monaco-editor/editor.js";

export { monaco };
/** All languages of programs, for what the editor does in any. */
export const ANY_LANGUAGE: readonly Language[] = ["relay", "refine", "tensorscript"];
