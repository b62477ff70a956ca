// In a TensorScript text, the type of what each layer gives, behind it.
import { effect } from "@preact/signals";
import { isFresh, state } from "../state.ts";
import { monaco } from "./monaco.ts";
import { rangeOf } from "./spans.ts";

export function showStages(editor: monaco.editor.IStandaloneCodeEditor, model: monaco.editor.ITextModel): void {
  const decorations = editor.createDecorationsCollection();
  effect(() => {
    // While somebody types, what was found stays where it was.
    if (!isFresh.value) return;
    const layers = state.checked.value.view.nodes.flatMap(({ functions }) => functions.flatMap(({ layers }) => layers));
    decorations.set(
      layers
        .filter(({ output }) => output !== "_")
        .map(({ span, output }) => ({
          range: rangeOf(model, span),
          options: {
            after: { content: ` ${output}`, inlineClassName: "stage-after" },
            collapseOnReplaceEdit: true,
            showIfCollapsed: false,
            stickiness: monaco.editor.TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges,
          },
        })),
    );
  });
}
