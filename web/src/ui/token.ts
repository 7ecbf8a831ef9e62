// The token stays in this tab: it is gone when the tab is closed.
const KEY = "canopy-token";
let inMemory: string | null = null;

export function currentToken(): string | null {
  try {
    return sessionStorage.getItem(KEY) ?? inMemory;
  } catch {
    return inMemory;
  }
}

export function keepToken(token: string | null) {
  inMemory = token;
  try {
    if (token) sessionStorage.setItem(KEY, token);
    else sessionStorage.removeItem(KEY);
  } catch {
    // in memory, then
  }
}
