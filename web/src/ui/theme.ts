import { useEffect, useState } from "preact/hooks";

export type Theme = "light" | "dark";
const KEY = "canopy-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

function chosen(): Theme | null {
  try {
    const word = localStorage.getItem(KEY);
    return word === "light" || word === "dark" ? word : null;
  } catch {
    return null; // local files may have no storage
  }
}

export function currentTheme(): Theme {
  return chosen() ?? (dark.matches ? "dark" : "light");
}

const listeners = new Set<() => void>();

function show() {
  document.documentElement.dataset.theme = currentTheme();
  listeners.forEach((listener) => listener());
}

/** Applies the theme chosen by the user or the system. */
export function startTheme() {
  dark.addEventListener("change", show);
  show();
}

export function chooseTheme(theme: Theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    document.documentElement.dataset.theme = theme;
  }
  show();
}

/** The theme, for canvases, which must be redrawn when it changes. */
export function useTheme(): Theme {
  const [theme, setTheme] = useState(currentTheme);
  useEffect(() => {
    const changed = () => setTheme(currentTheme());
    listeners.add(changed);
    return () => void listeners.delete(changed);
  }, []);
  return theme;
}
