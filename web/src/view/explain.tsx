// What an error code means, from the compiler's own pages.
import { state } from "../state.ts";
import { Dialog } from "./dialog.tsx";
import { Markdown } from "./markdown.tsx";

export function Explain() {
  const explained = state.explained.value;
  if (explained === undefined) return null;
  const { code, page } = explained;
  // The page's own heading is the dialog's.
  const [, heading, body] = page?.match(/^# (.*)\n([\s\S]*)$/) ?? [];
  return (
    <Dialog title={heading?.replaceAll("`", "") ?? code} onClose={() => (state.explained.value = undefined)}>
      <div class="reading" tabIndex={0} role="region" aria-label={`About ${code}`}>
        {page === undefined ? <p>There is no page about this code yet.</p> : <Markdown text={body ?? page} />}
      </div>
    </Dialog>
  );
}
