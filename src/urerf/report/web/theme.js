// The button that switches between light and dark. Pages without storage forget the choice.
const THEME = "urerf-theme";

function applyStoredTheme() {
  let stored = null;
  try { stored = localStorage.getItem(THEME); } catch { /* no storage */ }
  if (["light", "dark"].includes(stored)) document.documentElement.dataset.theme = stored;
}

function listenToTheme(redraw) {
  const button = byId("theme");
  const apply = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    redraw();
  };
  button.addEventListener("click", () => {
    const chosen = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = chosen;
    try { localStorage.setItem(THEME, chosen); } catch { /* not stored */ }
    apply();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
  apply();
}
