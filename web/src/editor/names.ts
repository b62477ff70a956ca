// What a name means: go to its definition, in the program or in the prelude, and find where else it stands.
import { show } from "../action/navigation.ts";
import { name } from "../action/queries.ts";
import { fileOf, modelOf } from "./files.ts";
import { ANY_LANGUAGE, monaco } from "./monaco.ts";
import { rangeOf } from "./spans.ts";

export function registerNames(): void {
  monaco.languages.registerDefinitionProvider([...ANY_LANGUAGE], {
    async provideDefinition(model, position) {
      const found = await nameAt(model, position);
      if (found === undefined || found.target === null) return null;
      const { span, binding, whole, target } = found;
      const targetSelectionRange = rangeOf(target, binding);
      const range = rangeOf(target, whole);
      return [{ originSelectionRange: rangeOf(model, span), uri: target.uri, range, targetSelectionRange }];
    },
  });
  monaco.languages.registerReferenceProvider([...ANY_LANGUAGE], {
    async provideReferences(model, position, { includeDeclaration }) {
      const found = await nameAt(model, position);
      if (found === undefined) return null;
      const { binding, mentions, target } = found;
      const here = mentions.map((span) => ({ uri: model.uri, range: rangeOf(model, span) }));
      const isElsewhere = target !== null && target !== model;
      return isElsewhere && includeDeclaration ? [...here, { uri: target.uri, range: rangeOf(target, binding) }] : here;
    },
  });
  monaco.languages.registerDocumentHighlightProvider([...ANY_LANGUAGE], {
    async provideDocumentHighlights(model, position) {
      const found = await nameAt(model, position);
      return found?.mentions.map((span) => ({ range: rangeOf(model, span) })) ?? [];
    },
  });
  // The editor opens places in its own text by itself.
  monaco.editor.registerEditorOpener({
    openCodeEditor(source, resource, place) {
      const file = fileOf(resource);
      const model = modelOf(file);
      if (model === null || model === source.getModel() || place === undefined) return false;
      const { lineNumber: startLineNumber, column: startColumn } = monaco.Position.isIPosition(place)
        ? place
        : { lineNumber: place.startLineNumber, column: place.startColumn };
      const { endLineNumber, endColumn } = monaco.Position.isIPosition(place)
        ? { endLineNumber: startLineNumber, endColumn: startColumn }
        : place;
      const start = model.getOffsetAt({ lineNumber: startLineNumber, column: startColumn });
      const end = model.getOffsetAt({ lineNumber: endLineNumber, column: endColumn });
      show({ start, end }, file);
      return true;
    },
  });
}

async function nameAt(model: monaco.editor.ITextModel, position: monaco.Position) {
  const view = await name(fileOf(model.uri), model.getOffsetAt(position));
  return view === undefined || model.isDisposed() ? undefined : { ...view, target: modelOf(view.file) };
}
