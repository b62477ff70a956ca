// A bar between two panes, moved by mouse, touch or arrow keys; a double-click puts it back.
import type { Signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { type Kept, load, save } from "../storage.ts";

interface Props {
  label: string;
  /** `vertical` bars stand between columns. */
  orientation: "vertical" | "horizontal";
  /** The share of the first pane, in percent of the element around. */
  percent: Signal<number>;
  initial: number;
  kept: Kept;
}

const MIN = 15;
const MAX = 85;
/** What the columns on both sides need, in pixels, as the style sheet has it. */
const LEAST = { before: 260, after: 308 };

export function keptPercent(kept: Kept, initial: number): number {
  const value = Number(load(kept));
  return value >= MIN && value <= MAX ? value : initial;
}

export function Separator({ label, orientation, percent, initial, kept }: Props) {
  const bar = useRef<HTMLDivElement>(null);
  const set = (value: number) => {
    const width = orientation === "vertical" ? (bar.current?.parentElement?.clientWidth ?? 0) : 0;
    const [least, most] = width > LEAST.before + LEAST.after ? [(100 * LEAST.before) / width, 100 - (100 * LEAST.after) / width] : [MIN, MAX];
    percent.value = Math.round(Math.min(MAX, most, Math.max(MIN, least, value)) * 10) / 10;
    save(kept, String(percent.value));
  };
  const onPointerDown = (down: PointerEvent) => {
    const bar = down.currentTarget as HTMLElement;
    const around = bar.parentElement;
    if (around === null) return;
    down.preventDefault();
    bar.focus();
    bar.setPointerCapture(down.pointerId);
    const box = around.getBoundingClientRect();
    const move = (event: PointerEvent) =>
      set(
        orientation === "vertical"
          ? ((event.clientX - box.left) / box.width) * 100
          : ((event.clientY - box.top) / box.height) * 100,
      );
    bar.addEventListener("pointermove", move);
    const end = () => bar.removeEventListener("pointermove", move);
    bar.addEventListener("lostpointercapture", end, { once: true });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const [less, more] = orientation === "vertical" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    const next = { [less]: percent.value - 2, [more]: percent.value + 2, Home: MIN, End: MAX }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    set(next);
  };
  return (
    <div
      ref={bar}
      class={`separator ${orientation}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={orientation}
      aria-valuenow={Math.round(percent.value)}
      aria-valuemin={MIN}
      aria-valuemax={MAX}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
      onDblClick={() => set(initial)}
    />
  );
}
