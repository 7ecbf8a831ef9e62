import { SPARK_HEIGHT, SPARK_WIDTH, sparkPath } from "./spark_path";

/** A sparkline for tables: rewards over time, and the baseline. */
export function Spark(props: { values: number[]; baseline: number | null; label: string }) {
  const { line, last, baseline } = sparkPath(props.values, props.baseline);
  return (
    <svg class="spark" viewBox={`0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`} role="img" aria-label={props.label}>
      {baseline !== null && <line class="baseline" x1={0} x2={SPARK_WIDTH} y1={baseline} y2={baseline} />}
      {line && <path class="values" d={line} />}
      {last && <circle class="last" cx={last.x} cy={last.y} r={2} />}
    </svg>
  );
}
