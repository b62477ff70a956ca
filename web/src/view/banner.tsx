// What the page has to say about itself: whose program this is, and how the last action went.
import { keptText } from "../action/autosave.ts";
import { backToMine, keepShared } from "../action/sharing.ts";
import { type Notice, state } from "../state.ts";
import { Icon, type IconName } from "./icon.tsx";

export function SharedBanner() {
  if (state.document.value !== "shared") return null;
  const hasOwn = keptText() !== undefined;
  return (
    <section class="banner" aria-label="Shared program">
      <p>
        <strong>You are viewing a shared program.</strong>
        {hasOwn && " Your own is kept as you left it."}
      </p>
      <button type="button" class="button small" onClick={keepShared}>
        Keep as mine
      </button>
      <button type="button" class="button small" onClick={backToMine}>
        {hasOwn ? "Back to mine" : "Back to the start page"}
      </button>
    </section>
  );
}

const SIGNS: Readonly<Record<Notice["tone"], IconName>> = { good: "check", bad: "warning", hint: "info" };

export function NoticeBanner() {
  const notice = state.notice.value;
  const act = notice?.action;
  return (
    <div class="notices" role="status">
      {notice && (
        <div class={`notice ${notice.tone}`}>
          <Icon name={SIGNS[notice.tone]} />
          <p>{notice.text}</p>
          {notice.copy !== undefined && (
            <input
              type="text"
              readOnly
              aria-label="Text to copy"
              value={notice.copy}
              ref={(field) => field?.select()}
              onFocus={(event) => event.currentTarget.select()}
            />
          )}
          {act && (
            <button type="button" class="button small" onClick={act.act}>
              {act.title}
            </button>
          )}
          <button type="button" class="plain" aria-label="Dismiss" onClick={() => (state.notice.value = undefined)}>
            <Icon name="close" />
          </button>
        </div>
      )}
    </div>
  );
}
