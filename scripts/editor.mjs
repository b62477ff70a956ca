// What of Monaco is in the site: not the parts that only a page with other editors needs, and of its 500 icons those
// that can be shown. `monaco.ts` chooses features; the parts here are always imported, whether anything reaches them or
// not.
import { createHash } from "node:crypto";
import { basename } from "node:path";
import subsetFont from "subset-font";

const MONACO = "/monaco-editor/esm/vs/";

/** The modules that are replaced, and the code that stands for them. */
const REPLACED = {
  // No two texts stand beside each other in an editor.
  "editor/browser/widget/diffEditor/diffEditorWidget.js": "export class DiffEditorWidget {}",
  "editor/browser/widget/multiDiffEditor/multiDiffEditorWidget.js": "export class MultiDiffEditorWidget {}",
  // The small picture of the text is off, and so is what tells a debugger of values that are watched.
  "editor/browser/viewParts/minimap/minimap.js": `
    import { createFastDomNode } from "../../../../base/browser/fastDomNode.js";
    import { ViewPart } from "../../view/viewPart.js";
    export class Minimap extends ViewPart {
      node = createFastDomNode(document.createElement("div"));
      getDomNode() { return this.node; }
      prepareRender() {}
      render() {}
    }`,
  "base/common/observableInternal/logging/debugger/devToolsLogger.js": "export class DevToolsLogger {}",
  // What colours a text here is not made of grammars that are trees.
  "editor/common/model/tokens/treeSitter/treeSitterSyntaxTokenBackend.js": "export class TreeSitterSyntaxTokenBackend {}",
  // Lines are drawn by the GPU only with an option that is off.
  "editor/browser/gpu/viewGpuContext.js": "export class ViewGpuContext {}",
  "editor/browser/viewParts/viewLinesGpu/viewLinesGpu.js": "export class ViewLinesGpu {}",
  // No colours stand in these programs, nor is a completion shown in grey behind the cursor, over which a mouse could hover.
  "editor/contrib/colorPicker/browser/hoverColorPicker/hoverColorPicker.js": "export const isOnColorDecorator = () => false;",
  "editor/contrib/colorPicker/browser/hoverColorPicker/hoverColorPickerParticipant.js": "export class ColorHover {} export class HoverColorPickerParticipant {}",
  "editor/contrib/inlineCompletions/browser/hintsWidget/inlineCompletionsHintsWidget.js": "export class InlineSuggestionHintsContentWidget {}",
  // A worker of its own compares texts, completes words, and finds links, colours and headers. Of these only the edits
  // of a layout come here, which the compiler makes as small as they can be.
  "editor/browser/services/editorWorkerService.js": `
    export class EditorWorkerService {
      computeMoreMinimalEdits(_resource, edits) { return Promise.resolve(edits ?? undefined); }
      canComputeUnicodeHighlights() { return false; }
      canNavigateValueSet() { return false; }
      canComputeWordRanges() { return false; }
      dispose() {}
    }
    export class EditorWorkerClient {}`,
};

/**
 * The table of characters that look like others. It is for a worker that looks for them, and there is none: without, it
 * says of no character that it does.
 */
const ALIKE = { module: "base/common/strings.js", table: /JSON\.parse\('\{\\"_common\\":\[8232,[^']*'\)/, none: `JSON.parse('{"_common":[],"_default":[]}')` };

const moduleOf = (id) => id.replaceAll("\\", "/").split("?")[0].split(MONACO)[1];

/** A plugin that replaces them. The site is not built when one of them is not there any more. */
export function withoutUnusedParts() {
  const left = new Set([...Object.keys(REPLACED), ALIKE.module]);
  let isSite = false;
  return {
    name: "without-unused-parts",
    // Only Vite itself calls this, not what bundles its dependencies while one develops.
    configResolved({ command }) {
      isSite = command === "build";
    },
    load(id) {
      const code = REPLACED[moduleOf(id)];
      if (code === undefined) return undefined;
      left.delete(moduleOf(id));
      return { code, moduleType: "js" };
    },
    transform(code, id) {
      if (moduleOf(id) !== ALIKE.module || !ALIKE.table.test(code)) return undefined;
      left.delete(ALIKE.module);
      return { code: code.replace(ALIKE.table, ALIKE.none), map: null };
    },
    buildEnd(error) {
      if (isSite && error === undefined && left.size > 0) this.error(`Monaco has no ${[...left].join(", ")} any more; see scripts/editor.mjs.`);
    },
  };
}

/** `add: register('add', 0xea60)`: the name in code, the name in texts, and the character or another icon's name. */
const DECLARED = /(\w+): register\('([^']+)', (?:0x([0-9a-f]+)|'([^']+)')\)/g;
const DECLARING = ["base/common/codiconsLibrary.js", "base/common/codicons.js"];

/** An icon by its name in code, in a text for people, and in a class. */
const MENTIONED = [/\bCodicon\.(\w+)/g, /\$\(([a-z0-9-]+)/g, /\bcodicon-([a-z0-9-]+)/g, /\bfromId\(["']([a-z0-9-]+)/g];
/** A character of the font in a style sheet. */
const IN_STYLE = /\\([ef][0-9a-f]{3})\b/gi;

/** The characters of the icons that some texts mention. */
function shownCharacters(declaring, texts) {
  const characters = new Map();
  for (const text of declaring) {
    for (const [, inCode, id, code, other] of text.matchAll(DECLARED)) {
      const character = code === undefined ? characters.get(other) : String.fromCodePoint(parseInt(code, 16));
      characters.set(inCode, character).set(id, character);
    }
  }
  const shown = new Set();
  for (const text of texts) {
    for (const pattern of MENTIONED) for (const [, name] of text.matchAll(pattern)) shown.add(characters.get(name));
    for (const [, code] of text.matchAll(IN_STYLE)) shown.add(String.fromCodePoint(parseInt(code, 16)));
  }
  shown.delete(undefined);
  return [...shown].sort().join("");
}

/** A plugin that leaves in Monaco's font only the icons which the code of the page mentions. */
export function onlyShownIcons() {
  return {
    name: "only-shown-icons",
    enforce: "post",
    async generateBundle(_options, bundle) {
      const files = Object.values(bundle);
      const font = files.find(({ type, fileName }) => type === "asset" && /codicon[^/]*\.ttf$/.test(fileName));
      if (font === undefined) return;
      const styles = files.filter(({ type, fileName }) => type === "asset" && fileName.endsWith(".css"));
      const modules = files.flatMap((file) => file.moduleIds ?? []);
      const code = (id) => this.getModuleInfo(id)?.code ?? "";
      const declares = (id) => DECLARING.includes(moduleOf(id));
      const declaring = DECLARING.map((name) => code(modules.find((id) => moduleOf(id) === name) ?? ""));
      const texts = [...modules.filter((id) => !declares(id)).map(code), ...styles.map(({ source }) => String(source))];
      const characters = shownCharacters(declaring, texts);
      if (characters === "") this.error("no icon of Monaco is found in the code; see scripts/editor.mjs");
      const source = await subsetFont(Buffer.from(font.source), characters);
      const hash = createHash("sha256").update(source).digest("hex").slice(0, 8);
      const fileName = `assets/codicon-${hash}.ttf`;
      this.emitFile({ type: "asset", fileName, source });
      for (const style of styles) style.source = String(style.source).replaceAll(basename(font.fileName), basename(fileName));
      delete bundle[font.fileName];
    },
  };
}
