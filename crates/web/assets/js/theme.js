// Light or dark before the first paint: what was chosen here, else what the system says. Not a module, so that it runs
// at once.
(() => {
  "use strict";
  const key = "fluxion-theme";
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const apply = () => {
    root.dataset.theme = chosen() ?? (system.matches ? "dark" : "light");
  };
  apply();
  system.addEventListener("change", apply);
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element) || !event.target.closest("#theme")) return;
    const next = root.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(key, next);
    } catch {
      // Without storage the choice lasts until the page is left.
    }
    root.dataset.theme = next;
  });
})();
