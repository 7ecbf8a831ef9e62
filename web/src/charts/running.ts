import type { History } from "../api/types";
import type { By } from "./thin";

/** A line: ascending x, and y. */
export interface Line {
  x: number[];
  y: number[];
}

/** The mean of all rewards so far, over pulls or over hours since the first one. */
export function runningMean(history: History, by: By): Line {
  const line: Line = { x: [], y: [] };
  const began = history.extent.time?.[0] ?? 0;
  let count = 0;
  let mean = 0;
  history.mean.forEach((bucket, i) => {
    const more = history.count[i] ?? 0;
    if (bucket === null || more === 0) return;
    count += more;
    mean += ((bucket - mean) * more) / count;
    line.x.push(by === "pulls" ? (history.pull[i] ?? 0) : ((history.at[i] ?? 0) - began) / 3600);
    line.y.push(mean);
  });
  return line;
}

/** The height of a line at x, interpolated between its points; null before its start and after its end. */
export function heightAt(line: Line, x: number): number | null {
  const last = line.x.length - 1;
  if (last < 0 || x < (line.x[0] ?? 0) || x > (line.x[last] ?? 0)) return null;
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((line.x[middle] ?? 0) <= x) low = middle;
    else high = middle;
  }
  const [x0, x1] = [line.x[low] ?? 0, line.x[high] ?? 0];
  const [y0, y1] = [line.y[low] ?? 0, line.y[high] ?? 0];
  return x1 > x0 ? y0 + ((y1 - y0) * (x - x0)) / (x1 - x0) : y1;
}

/** Samples several lines at the same positions from `from` to `to`. Returns columns, x first. */
export function together(
  lines: Line[],
  from: number,
  to: number,
  places: number,
): [number[], ...(number | null)[][]] {
  const x = Array.from({ length: places }, (_, i) => from + ((to - from) * i) / (places - 1));
  return [x, ...lines.map((line) => x.map((at) => heightAt(line, at)))];
}
