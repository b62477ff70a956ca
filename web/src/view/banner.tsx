// What the page has to say about itself: whose program this is, and how the last action went.
import { backToMine, keepShared } from "../action/sharing.ts";
import { state } from "../state.ts";
import { isNarrow } from "./appearance.ts";
import { Icon } from "./icon.tsx";

export function SharedBanner() {
  if (state.document.value !== "shared") return null;
  return (
    <section class="banner" aria-label="Shared program">
      <p>
        <strong>You are viewing a shared program.</strong> Your own is kept as you left it.
      </p>
      <button type="button" class="button small" onClick={keepShared}>
        Keep as mine
      </button>
      <button type="button" class="button small" onClick={backToMine}>
        Back to mine
      </button>
    </section>
  );
}

export function NoticeBanner() {
  const notice = state.notice.value;
  const act = notice?.action;
  return (
    <div class="notices" role="status">
      {notice && (
        <div class={`notice ${notice.tone}`}>
          <Icon name={notice.tone === "good" ? "check" : "warning"} />
          {/* On a narrow screen a long one scrolls. */}
          <p tabIndex={isNarrow.value ? 0 : undefined}>{notice.text}</p>
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
