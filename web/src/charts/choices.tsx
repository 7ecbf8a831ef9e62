import { useState } from "preact/hooks";
import type { Estimate, Knob } from "../api/types";
import { measured, whole } from "../format/numbers";
import { Segments } from "./controls";
import { curveRange, type Known } from "./knowledge";
import { clamp } from "./scale";
import { valueIn } from "./words";

interface Row {
  value: string;
  mean: number | null;
  lower: number | null;
  upper: number | null;
  pulls: number;
}

/** The estimate for each value of a choice, as a table with dots and intervals. */
export function Choices(props: { knob: Knob; estimate: Estimate; known: Known; label: string }) {
  const { estimate, known } = props;
  const [order, setOrder] = useState<"best" | "given">("best");
  const rows = rowsOf(estimate);
  const sign = known.direction === "maximize" ? -1 : 1;
  if (order === "best")
    rows.sort((a, b) =>
      a.mean === null || b.mean === null
        ? Number(a.mean === null) - Number(b.mean === null)
        : sign * (a.mean - b.mean),
    );
  const range = curveRange(estimate, known);
  const best = known.best && valueIn(known.best.arm, props.knob.name);
  const baseline = known.baseline && valueIn(known.baseline.arm, props.knob.name);
  return (
    <div class="choices">
      <Segments
        label="Order of the values"
        options={[
          ["best", "Best first"],
          ["given", "As listed"],
        ]}
        value={order}
        choose={setOrder}
      />
      <div class="choices-scroll" tabIndex={0} role="region" aria-label={props.label}>
        <table>
          <thead>
            <tr>
              <th scope="col">{props.knob.name}</th>
              <th scope="col">
                <span class="hidden">Dot and interval</span>
              </th>
              <th scope="col" class="number">
                estimate
              </th>
              <th scope="col" class="number wide">
                {estimate.by === "arms" ? "interval" : "model"}
              </th>
              <th scope="col" class="number">
                pulls
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const text = row.mean === null ? null : measured(row.mean, row.lower, row.upper);
              return (
                <tr key={row.value} class={row.value === best ? "is-best-row" : undefined}>
                  <th scope="row">
                    <span class="choice-name">{row.value}</span>
                    {row.value === best && <span class="tag tag-best">best</span>}
                    {row.value === baseline && <span class="tag tag-baseline">baseline</span>}
                  </th>
                  <td class="choice-bar">
                    <Bar row={row} range={range} baseline={known.baseline?.mean ?? null} />
                  </td>
                  <td class="number">{text?.mean ?? "unknown"}</td>
                  <td class="number wide">{text?.range ?? ""}</td>
                  <td class="number">{whole(row.pulls)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function rowsOf(estimate: Estimate): Row[] {
  return estimate.x.values.map((value, i) => ({
    value: String(value),
    mean: estimate.mean[i] ?? null,
    lower: estimate.lower[i] ?? null,
    upper: estimate.upper[i] ?? null,
    pulls: estimate.pulls[i] ?? 0,
  }));
}

function Bar(props: { row: Row; range: [number, number]; baseline: number | null }) {
  const [low, high] = props.range;
  const x = (value: number) => `${(clamp((value - low) / (high - low), 0, 1) * 100).toFixed(2)}%`;
  const { mean, lower, upper } = props.row;
  return (
    <svg class="bar" aria-hidden="true">
      {props.baseline !== null && (
        <line class="bar-baseline" x1={x(props.baseline)} x2={x(props.baseline)} y1="0" y2="100%" />
      )}
      {lower !== null && upper !== null && (
        <line class="whisker" x1={x(lower)} x2={x(upper)} y1="50%" y2="50%" />
      )}
      {mean !== null && <circle class="bar-dot" cx={x(mean)} cy="50%" r="4.5" />}
    </svg>
  );
}
