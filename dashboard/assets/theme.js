// Runs before the page is drawn, so that it does not flash. A theme is auto,
// light or dark; the scheme that the style sheet goes by is light or dark.
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const set = document.documentElement.dataset;
  const apply = () => { set.scheme = set.theme === "auto" ? (dark.matches ? "dark" : "light") : set.theme; };
  set.theme = localStorage.getItem("theme") ?? "auto";
  apply();
  dark.addEventListener("change", apply);
  globalThis.setTheme = (name) => {
    set.theme = name;
    localStorage.setItem("theme", name);
    apply();
  };
})();
