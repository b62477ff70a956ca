// Moving a drawing by mouse, pen or finger.
import { useRef } from "preact/hooks";
import { moved, type Viewport, zoomed } from "./viewport.ts";

/** As far as the pointer goes before it drags. */
const SLOP = 4;

/** By mouse, pen or finger; two fingers also change the size. */
export function useDragging(view: { value: Viewport | undefined }) {
  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const start = useRef<{ x: number; y: number } | undefined>(undefined);
  const end = (event: PointerEvent) => {
    pointers.current.delete(event.pointerId);
    if (pointers.current.size === 0) start.current = undefined;
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      const { left, top } = (event.currentTarget as Element).getBoundingClientRect();
      pointers.current.set(event.pointerId, { x: event.clientX - left, y: event.clientY - top });
      start.current ??= { x: event.clientX - left, y: event.clientY - top };
    },
    onPointerMove: (event: PointerEvent) => {
      const before = pointers.current.get(event.pointerId);
      const first = start.current;
      if (before === undefined || first === undefined || view.value === undefined) return;
      const element = event.currentTarget as Element;
      const { left, top } = element.getBoundingClientRect();
      const now = { x: event.clientX - left, y: event.clientY - top };
      if (!element.hasPointerCapture(event.pointerId)) {
        if (Math.hypot(now.x - first.x, now.y - first.y) < SLOP) return;
        element.setPointerCapture(event.pointerId);
      }
      const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
      if (other === undefined) {
        view.value = moved(view.value, now.x - before.x, now.y - before.y);
      } else {
        const apart = (one: { x: number; y: number }) => Math.hypot(one.x - other.x, one.y - other.y);
        view.value = zoomed(view.value, apart(now) / Math.max(apart(before), 1), other);
      }
      pointers.current.set(event.pointerId, now);
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}
