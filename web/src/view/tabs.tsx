// A list of tabs after the ARIA pattern: one tab stop, arrow keys within.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

export interface Tab {
  id: string;
  title: string;
  badge?: ComponentChildren;
}

interface Props {
  label: string;
  tabs: readonly Tab[];
  selected: string;
  onSelect: (id: string) => void;
}

export const tabId = (id: string) => `tab-${id}`;
export const tabPanelId = (id: string) => `panel-${id}`;

export function Tabs({ label, tabs, selected, onSelect }: Props) {
  const list = useRef<HTMLDivElement>(null);
  // There may be more tabs than room.
  useEffect(() => {
    const place = list.current?.getBoundingClientRect();
    const tab = list.current?.querySelector("[aria-selected=true]")?.getBoundingClientRect();
    // Not by `scrollIntoView`, behind which the first Tab of a visit would go on from here.
    if (place && tab) list.current?.scrollBy(Math.min(0, tab.left - place.left) || Math.max(0, tab.right - place.right), 0);
  }, [selected]);
  const onKeyDown = (event: KeyboardEvent) => {
    const current = tabs.findIndex((tab) => tab.id === selected);
    const last = tabs.length - 1;
    const next = { ArrowRight: current === last ? 0 : current + 1, ArrowLeft: current === 0 ? last : current - 1, Home: 0, End: last }[event.key];
    const tab = next === undefined ? undefined : tabs[next];
    if (tab === undefined) return;
    event.preventDefault();
    onSelect(tab.id);
    document.getElementById(tabId(tab.id))?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown} ref={list}>
      {tabs.map(({ id, title, badge }) => (
        <button
          type="button"
          role="tab"
          id={tabId(id)}
          aria-selected={id === selected}
          aria-controls={id === selected ? tabPanelId(id) : undefined}
          tabIndex={id === selected ? 0 : -1}
          onClick={() => onSelect(id)}
        >
          {title}
          {badge}
        </button>
      ))}
    </div>
  );
}
