// The name and the few things one can do from anywhere.
import { format } from "../action/document.ts";
import { runNow, stop } from "../action/engine.ts";
import { setTheme } from "../action/settings.ts";
import { share } from "../action/sharing.ts";
import { state, type Theme } from "../state.ts";
import { Icon, type IconName } from "./icon.tsx";

const THEMES: readonly { theme: Theme; title: string; icon: IconName }[] = [
  { theme: "system", title: "Theme of the system", icon: "system" },
  { theme: "light", title: "Light theme", icon: "sun" },
  { theme: "dark", title: "Dark theme", icon: "moon" },
];

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
const runKeys = isApple ? "⌘ Enter" : "Ctrl+Enter";
const formatKeys = isApple ? "⇧⌥F" : "Shift+Alt+F";

export function Header() {
  const isRunning = state.running.value;
  return (
    <header class="header">
      <h1 class="brand">
        <img src="./icon.svg" alt="" width="26" height="26" />
        Relish
      </h1>
      <p class="tagline">typed tensor programs</p>
      <div class="actions">
        <button type="button" class="button" aria-haspopup="dialog" onClick={() => (state.examplesOpen.value = true)}>
          <Icon name="book" />
          <span>Examples</span>
        </button>
        <button
          type="button"
          class="button"
          title={`Lay out the program anew (${formatKeys})`}
          disabled={state.engine.value !== "ready"}
          onClick={format}
        >
          <Icon name="format" />
          <span>Format</span>
        </button>
        <button type="button" class="button" title="Copy a link that holds this program" onClick={share}>
          <Icon name="link" />
          <span>Share</span>
        </button>
        {isRunning ? (
          <button type="button" class="button stop" onClick={stop}>
            <Icon name="stop" />
            <span>Stop</span>
          </button>
        ) : (
          <button
            type="button"
            class="button primary"
            title={`Run the program (${runKeys})`}
            disabled={state.engine.value !== "ready"}
            onClick={runNow}
          >
            <Icon name="run" />
            <span>Run</span>
          </button>
        )}
      </div>
      <fieldset class="themes">
        <legend class="unseen">Theme</legend>
        {THEMES.map(({ theme, title, icon }) => (
          <label title={title}>
            <input
              type="radio"
              name="theme"
              class="unseen"
              checked={state.theme.value === theme}
              onChange={() => setTheme(theme)}
            />
            <Icon name={icon} />
            <span class="unseen">{title}</span>
          </label>
        ))}
      </fieldset>
    </header>
  );
}
