/** A mean and its interval. */
export interface Reach {
  label: string;
  mean: number;
  low: number | null;
  high: number | null;
  kind: "best" | "baseline";
}

export interface Bar {
  reach: Reach;
  /** Positions in per cent of the width. */
  at: number;
  from: number;
  to: number;
}

/** Places means and intervals on one scale, with some room at both ends. */
export function bars(reaches: Reach[]): { bars: Bar[]; low: number; high: number } {
  const ends = reaches
    .flatMap(({ mean, low, high }) => [mean, low ?? mean, high ?? mean])
    .filter(Number.isFinite);
  const least = Math.min(...ends);
  const largest = Math.max(...ends);
  const width = largest - least || Math.abs(least) || 1;
  const low = least - 0.08 * width;
  const high = largest + 0.08 * width;
  const place = (value: number) => (100 * (value - low)) / (high - low);
  return {
    low,
    high,
    bars: reaches.map((reach) => ({
      reach,
      at: place(reach.mean),
      from: place(reach.low ?? reach.mean),
      to: place(reach.high ?? reach.mean),
    })),
  };
}
