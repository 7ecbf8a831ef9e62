// The token is kept in this tab until it is closed.
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
    // keep it in memory instead
  }
}
