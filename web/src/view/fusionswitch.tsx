// Whether operators that feed each other element by element run as one.
import { setFused } from "../action/settings.ts";
import { state } from "../state.ts";

export function FusionSwitch({ onChange }: { onChange?: () => void }) {
  return (
    <label class="measures" title="Operators that feed each other element by element run as one, without tensors in between. Values are the same to the bit.">
      <input
        type="checkbox"
        checked={state.fused.value === "on"}
        onChange={(event) => {
          setFused(event.currentTarget.checked ? "on" : "off");
          onChange?.();
        }}
      />
      <span>Fuse operators</span>
    </label>
  );
}
