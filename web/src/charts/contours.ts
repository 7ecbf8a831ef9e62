import { ticks } from "d3-array";
import { contours } from "d3-contour";

/** A line through points in the unit square, as pairs (right, up). */
export type ContourLine = [number, number][];

const LEVELS = 8;

/**
 * Lines of equal estimate over a grid of rows of y. The grid is smoothed first, because the estimate of a tree is a step
 * function. Unknown points stay unknown, and no line runs there. `middles` are the positions of the grid's points in
 * [0, 1].
 */
export function contourLines(
  values: (number | null)[],
  middles: { x: number[]; y: number[] },
): ContourLine[] {
  const [columns, rows] = [middles.x.length, middles.y.length];
  if (columns < 3 || rows < 3) return [];
  const smooth = smoothed(values, columns, rows);
  const known = smooth.filter((value) => !Number.isNaN(value));
  const low = Math.min(...known);
  const high = Math.max(...known);
  if (!(high > low)) return [];
  const levels = ticks(low, high, LEVELS).filter((level) => level > low && level < high);
  return contours()
    .size([columns, rows])
    .smooth(true)
    .thresholds(levels)(smooth)
    .flatMap(({ coordinates }) => coordinates.flat())
    .flatMap((ring) => inside(ring as [number, number][], columns, rows, (i) => smooth[i] ?? NaN))
    .map((line) => line.map(([i, j]) => [placeAt(middles.x, i), placeAt(middles.y, j)]));
}

/** The parts of a ring that do not run along the edge of the grid or of an unknown area. */
function inside(
  ring: [number, number][],
  columns: number,
  rows: number,
  valueAt: (index: number) => number,
): ContourLine[] {
  const isInside = ([x, y]: [number, number]) => {
    if (x <= 0.5 || y <= 0.5 || x >= columns - 0.5 || y >= rows - 0.5) return false;
    for (const i of [Math.floor(x - 0.5), Math.ceil(x - 0.5)]) {
      for (const j of [Math.floor(y - 0.5), Math.ceil(y - 0.5)]) {
        if (Number.isNaN(valueAt(j * columns + i))) return false;
      }
    }
    return true;
  };
  const lines: ContourLine[] = [];
  let line: ContourLine = [];
  for (const point of ring) {
    if (isInside(point)) line.push(point);
    else if (line.length > 0) {
      lines.push(line);
      line = [];
    }
  }
  if (line.length > 0) lines.push(line);
  return lines.filter(({ length }) => length > 1);
}

/** Smooths twice by the mean of the known neighbours; unknown points stay NaN. */
function smoothed(values: (number | null)[], columns: number, rows: number): number[] {
  const reach = Math.max(1, Math.round(Math.min(columns, rows) / 16));
  let grid = values.map((value) => value ?? NaN);
  for (let round = 0; round < 2; ++round) {
    for (const [step, count] of [
      [1, columns],
      [columns, rows],
    ] as const) {
      const last = grid;
      grid = last.map((value, index) => {
        if (Number.isNaN(value)) return NaN;
        const at = step === 1 ? index % columns : Math.floor(index / columns);
        let [sum, weight] = [0, 0];
        for (let k = Math.max(-reach, -at); k <= Math.min(reach, count - 1 - at); ++k) {
          const neighbour = last[index + k * step] ?? NaN;
          if (Number.isNaN(neighbour)) continue;
          sum += neighbour;
          ++weight;
        }
        return sum / weight;
      });
    }
  }
  return grid;
}

/** Converts a position of d3, which has the i-th point at i + 0.5, to the unit interval. */
function placeAt(middles: number[], coordinate: number): number {
  const at = Math.min(Math.max(coordinate - 0.5, 0), middles.length - 1);
  const i = Math.min(Math.floor(at), middles.length - 2);
  const [from, to] = [middles[i] ?? 0, middles[i + 1] ?? 1];
  return from + (at - i) * (to - from);
}
