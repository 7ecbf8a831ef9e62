export type Range = [low: number, high: number];

const isNumber = (value: number | null | undefined): value is number =>
  typeof value === "number" && Number.isFinite(value);

/** A quantile of sorted values: the value below which the given share of them lies. */
function quantile(sorted: number[], share: number): number {
  const at = share * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? NaN;
  const above = sorted[Math.ceil(at)] ?? NaN;
  return below + (above - below) * (at - Math.floor(at));
}

/**
 * The range of an axis for some values: all of them, unless a few outliers would compress the others. In that case,
 * it ends within one width of the bulk of the values. Null if there are no values.
 */
export function robustRange(values: (number | null | undefined)[]): Range | null {
  const sorted = values.filter(isNumber).sort((a, b) => a - b);
  const least = sorted[0];
  const largest = sorted[sorted.length - 1];
  if (least === undefined || largest === undefined) return null;
  const low = quantile(sorted, 0.05);
  const high = quantile(sorted, 0.95);
  const width = high - low;
  if (width === 0) return [least, largest];
  return [Math.max(least, low - width), Math.min(largest, high + width)];
}

/** The union of two ranges; either may be missing. */
export function united(a: Range | null, b: Range | null): Range | null {
  if (!a || !b) return a ?? b;
  return [Math.min(a[0], b[0]), Math.max(a[1], b[1])];
}

/** Adds margins at both ends, as shares of the width; a range without width gets some. */
export function padded(range: Range | null, below = 0.06, above = below): Range {
  if (!range) return [0, 1];
  const [low, high] = range;
  const tiny = 1e-9 * Math.max(Math.abs(low), Math.abs(high));
  if (!(high - low > tiny)) {
    const half = Math.abs(low) * 0.1 || 0.5;
    return [low - half, high + half];
  }
  return [low - below * (high - low), high + above * (high - low)];
}
