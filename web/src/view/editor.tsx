// The program. Until the editor has been loaded its text is there to read, in the same place and colours.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { state } from "../state.ts";
import { highlight } from "./code.tsx";

interface Props {
  isShown: boolean;
  role?: "tabpanel";
  id?: string;
}

export function EditorPane({ isShown, role, id }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const isMounted = useSignal(false);
  useEffect(() => {
    import("../editor/mount.ts").then(
      ({ mountEditor }) => {
        if (place.current === null) return;
        isMounted.value = true;
        mountEditor(place.current);
      },
      () => {
        state.notice.value = { tone: "bad", text: "The editor could not be loaded. Reload the page to try again." };
      },
    );
  }, []);
  return (
    <section class="editor-pane" aria-label="Program" hidden={!isShown} role={role} id={id}>
      {!isMounted.value && (
        <pre class="first-paint">
          <code>{highlight(state.text.value.slice(0, 5000))}</code>
        </pre>
      )}
      <div class="editor" ref={place} />
    </section>
  );
}
