// How the machine lays out values, for every panel that shows or runs its programs.
import { setLayout } from "../action/settings.ts";
import { type LayoutName, LAYOUTS, state } from "../state.ts";

export function LayoutPicker({ onChange }: { onChange?: (layout: LayoutName) => void }) {
  const chosen = LAYOUTS.find(({ id }) => id === state.layout.value);
  return (
    <label class="picker" title={`How values are laid out in memory: ${chosen?.about}`}>
      <span>Layout</span>
      <select
        value={state.layout.value}
        onChange={(event) => {
          const layout = event.currentTarget.value as LayoutName;
          setLayout(layout);
          onChange?.(layout);
        }}
      >
        {LAYOUTS.map(({ id, title, about }) => (
          <option value={id} title={about}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}
