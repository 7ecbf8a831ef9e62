// Times are seconds since 1970, as in the service.

const UNITS = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
] as const;

/** A duration in its two largest units: 3 h 20 min. */
export function duration(seconds: number): string {
  if (!(seconds >= 1)) return "a moment";
  for (const [i, [unit, name]] of UNITS.entries()) {
    if (seconds < unit) continue;
    const count = Math.floor(seconds / unit);
    const next = UNITS[i + 1];
    const rest = next ? Math.floor((seconds - count * unit) / next[0]) : 0;
    return `${count} ${name}` + (next && rest > 0 && count < 10 ? ` ${rest} ${next[1]}` : "");
  }
  return "a moment";
}

export function ago(at: number, now: number): string {
  return now - at < 2 ? "just now" : `${duration(now - at)} ago`;
}

const pad = (value: number) => String(value).padStart(2, "0");

/** Day and local time: 2026-11-16 14:05. */
export function clock(at: number): string {
  const date = new Date(at * 1000);
  return `${day(at)} ${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

export function clockSeconds(at: number): string {
  const seconds = new Date(at * 1000).getSeconds();
  return `${clock(at)}:${pad(seconds)}`;
}

export function day(at: number): string {
  const date = new Date(at * 1000);
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}
