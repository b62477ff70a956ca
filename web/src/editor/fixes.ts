// The fixes that a diagnostic offers, as quick fixes of the editor.
import type { ReadonlySignal } from "@preact/signals";
import { makeRoom } from "../action/room.ts";
import { plain } from "../sentence.ts";
import { isChecking, isFresh, isMending, problems, state } from "../state.ts";
import { titlesOf } from "../titles.ts";
import { fileOf } from "./files.ts";
import { ANY_LANGUAGE, monaco } from "./monaco.ts";
import { rangeOf } from "./spans.ts";

/** So long, the menu waits for what would mend the problems. */
const PATIENCE_MS = 3000;

/** Resolves when something goes on no longer, nobody asks any more, or it takes too long. */
async function done(isGoing: ReadonlySignal<boolean>, token: monaco.CancellationToken, most?: number): Promise<void> {
  let stop = () => {};
  await new Promise<void>((resolve) => {
    stop = isGoing.subscribe((is) => {
      if (!is) resolve();
    });
    token.onCancellationRequested(() => resolve());
    if (most !== undefined) setTimeout(resolve, most);
  });
  stop();
}

export function registerFixes(): void {
  monaco.languages.registerCodeActionProvider([...ANY_LANGUAGE], {
    async provideCodeActions(model, range, context, token) {
      if (context.trigger === monaco.languages.CodeActionTriggerType.Invoke) {
        await done(isChecking, token);
        await done(isMending, token, PATIENCE_MS);
        // The editor closes the menu when its own size changes, as it does where problems take their room.
        await makeRoom();
      }
      const actions: monaco.languages.CodeAction[] = [];
      const found = isFresh.value && fileOf(model.uri) === "user" ? problems.value : [];
      const here = found.filter(({ span }) => monaco.Range.areIntersectingOrTouching(rangeOf(model, span), range));
      // The same edits may mend several of them.
      const offered = new Map(here.flatMap((problem) => problem.fixes.map((fix) => [JSON.stringify(fix.edits), { problem, fix }])));
      const titles = titlesOf([...offered.values()].map(({ fix }) => fix), state.checked.value.starts);
      for (const { problem, fix } of offered.values()) {
        actions.push({
          title: plain(titles[actions.length] ?? fix.title),
          kind: "quickfix",
          diagnostics: context.markers.filter((marker) => marker.code === problem.code && monaco.Range.equalsRange(marker, rangeOf(model, problem.span))),
          isPreferred: problem.fixes.length === 1,
          edit: {
            edits: fix.edits.map((edit) => ({
              resource: model.uri,
              versionId: model.getVersionId(),
              textEdit: { range: rangeOf(model, edit.span), text: edit.text },
            })),
          },
        });
      }
      return { actions, dispose() {} };
    },
  });
}
