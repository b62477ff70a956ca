// The page's pictograms, drawn on a 16 × 16 grid in the colour of the text around them.
const PATHS = {
  run: "M5 3.2v9.6L12.6 8z",
  stop: "M4 4h8v8H4z",
  pause: "M4.5 3.5h2.5v9H4.5zM9 3.5h2.5v9H9z",
  first: "M4 3.5v9M12 3.5 6.5 8l5.5 4.5z",
  back: "M11 3.5 5.5 8l5.5 4.5z",
  forward: "M5 3.5 10.5 8 5 12.5z",
  last: "M12 3.5v9M4 3.5 9.5 8 4 12.5z",
  into: "M8 2v7M4.8 6 8 9.2 11.2 6M8 12.2v.6",
  over: "M2.8 8.4a5.3 5.3 0 0 1 10.2-1.6M13.2 3.4v3.6H9.6M8 12.2v.6",
  out: "M8 9.4V2.4M4.8 5.4 8 2.2l3.2 3.2M8 12.2v.6",
  link: "M6.7 9.3a2.6 2.6 0 0 0 3.7 0l2.3-2.3A2.6 2.6 0 0 0 9 3.3l-.9.9M9.3 6.7a2.6 2.6 0 0 0-3.7 0L3.3 9A2.6 2.6 0 0 0 7 12.7l.9-.9",
  book: "M8 4.2C6.6 3.3 4.8 3 2.8 3v9c2 0 3.8.3 5.2 1.2 1.4-.9 3.2-1.2 5.2-1.2V3c-2 0-3.8.3-5.2 1.2zm0 0v9",
  format: "M3 3.5h10M6 6.5h7M6 9.5h5M3 12.5h10",
  sun: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1",
  moon: "M13 9.6A5.4 5.4 0 0 1 6.4 3a5.4 5.4 0 1 0 6.6 6.6z",
  system: "M2.5 3.5h11v7h-11zM6 13h4M8 10.5V13",
  error: "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2zM6 6l4 4M10 6l-4 4",
  warning: "M8 2.6 14 13H2zM8 6.6v3M8 11.2v.2",
  info: "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2zM8 7.4v3.4M8 5.2v.2",
  close: "M4 4l8 8M12 4l-8 8",
  question: "M5.6 6a2.4 2.4 0 1 1 3.6 2.1c-.8.5-1.2.9-1.2 1.9M8 12.6v.2",
  copy: "M6 5.5h7v8H6zM10 5.5v-3H3v8h3",
  download: "M8 2.5v7.5M4.8 7 8 10.2 11.2 7M3 13.2h10",
  plus: "M8 3.5v9M3.5 8h9",
  minus: "M3.5 8h9",
  fit: "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3",
  check: "M3.2 8.6 6.6 12l6.2-7.6",
  lock: "M4.2 7.2h7.6v5.6H4.2zM5.7 7.2V5.4a2.3 2.3 0 0 1 4.6 0v1.8",
  fix: "M9.6 2.4a3.6 3.6 0 0 0-3.3 5L2.6 11a1.7 1.7 0 1 0 2.4 2.4l3.6-3.7a3.6 3.6 0 0 0 4.8-4.4L11 7.7 8.3 5l2.4-2.4a3.6 3.6 0 0 0-1.1-.2z",
} as const;

const FILLED = new Set(["run", "stop", "pause", "first", "back", "forward", "last"]);

export type IconName = keyof typeof PATHS;

/** Says nothing to a screen reader; the words beside it do. */
export function Icon({ name }: { name: IconName }) {
  const filled = FILLED.has(name);
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" fill={filled ? "currentColor" : "none"}>
      <path d={PATHS[name]} stroke="currentColor" stroke-width="1.4" stroke-linejoin="round" stroke-linecap="round" />
    </svg>
  );
}
