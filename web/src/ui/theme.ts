import { useEffect, useState } from "preact/hooks";

export type Theme = "light" | "dark";
const KEY = "canopy-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

function chosen(): Theme | null {
  try {
    const word = localStorage.getItem(KEY);
    return word === "light" || word === "dark" ? word : null;
  } catch {
    return null; // a file may not keep anything
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

/** From here on the page has the theme that the reader or the system has chosen. */
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

/** The theme, for what is drawn on a canvas and must be drawn again. */
export function useTheme(): Theme {
  const [theme, setTheme] = useState(currentTheme);
  useEffect(() => {
    const changed = () => setTheme(currentTheme());
    listeners.add(changed);
    return () => void listeners.delete(changed);
  }, []);
  return theme;
}
