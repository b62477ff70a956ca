// The ways to take what is shown elsewhere: a picture, the data, text to paste.
import { Icon, type IconName } from "../icon.tsx";

export interface Takeaway {
  title: string;
  icon: IconName;
  act: () => void;
}

export function Takeaway({ actions }: { actions: readonly Takeaway[] }) {
  return (
    <p class="takeaway">
      {actions.map(({ title, icon, act }) => (
        <button type="button" class="button small" onClick={act}>
          <Icon name={icon} />
          <span>{title}</span>
        </button>
      ))}
    </p>
  );
}
