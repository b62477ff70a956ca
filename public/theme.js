// Says the theme before anything is painted, so that a dark page does not begin as a bright one. From then on
// `web/src/view/appearance.ts` does.
{
  let chosen;
  try {
    chosen = localStorage.getItem("relish.theme");
  } catch {
    // Where storage is forbidden there is only the system's.
  }
  const isDark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
}
