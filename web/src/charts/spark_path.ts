export const SPARK_WIDTH = 120;
export const SPARK_HEIGHT = 28;
const MARGIN = 3;

export interface SparkPath {
  /** The line, as a path. */
  line: string;
  last: { x: number; y: number } | null;
  baseline: number | null;
}

const isNumber = (value: number | null | undefined): value is number =>
  typeof value === "number" && Number.isFinite(value);

/** The path of a sparkline; NaN leaves a gap. */
export function sparkPath(values: (number | null)[], baseline: number | null): SparkPath {
  const known = [...values, baseline].filter(isNumber);
  const low = Math.min(...known);
  const span = Math.max(...known) - low;
  const x = (i: number) =>
    MARGIN + (values.length > 1 ? i / (values.length - 1) : 1) * (SPARK_WIDTH - 2 * MARGIN);
  const y = (value: number) =>
    MARGIN + (span > 0 ? 1 - (value - low) / span : 0.5) * (SPARK_HEIGHT - 2 * MARGIN);
  let line = "";
  let last: SparkPath["last"] = null;
  let pen = "M";
  values.forEach((value, i) => {
    if (!isNumber(value)) {
      pen = "M";
      return;
    }
    last = { x: x(i), y: y(value) };
    line += `${pen}${last.x.toFixed(1)} ${last.y.toFixed(1)}`;
    pen = "L";
  });
  return { line, last, baseline: isNumber(baseline) ? y(baseline) : null };
}
