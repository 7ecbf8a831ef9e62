import type { History, Mark } from "../api/types";
import { armText } from "../format/arms";
import { decimalsFor, fixed, plain, whole } from "../format/numbers";
import { clockSeconds } from "../format/times";
import { baselineLine, markWords, type RewardsPicture } from "./rewards";
import { firstFrom, xOf, type By } from "./thin";
import { TipRows } from "./tip";
import { shortened } from "./words";

/** The tooltip of the bucket or reward under the pointer. */
export function RewardsTip(props: {
  picture: RewardsPicture;
  history: History;
  by: By;
  index: number;
  mark: Mark | null;
}) {
  const { columns } = props.picture;
  const i = props.index;
  const count = columns.count[i] ?? 0;
  const mean = columns.mean[i] ?? null;
  const rows: [string, string][] = [
    ["time", clockSeconds(columns.at[i] ?? 0)],
    ["pulls", whole(columns.pull[i] ?? 0)],
  ];
  if (mean !== null) {
    const deviation = columns.deviation[i] ?? 0;
    if (count === 1) rows.push(["reward", plain(mean)]);
    else {
      const decimals = decimalsFor(deviation || mean, deviation ? 2 : 4);
      rows.push(["mean", `${fixed(mean, decimals)} ± ${fixed(deviation, decimals)}`]);
      rows.push(["of", `${whole(count)} rewards`]);
      rows.push(["from, to", `${plain(columns.least[i])}, ${plain(columns.largest[i])}`]);
    }
  }
  const arm = columns.arm?.[i];
  if (arm) rows.push(["arm", shortened(armText(arm), 160)]);
  const failures = columns.failures[i] ?? 0;
  if (failures > 0) rows.push(["failed", count + failures === 1 ? "yes" : whole(failures)]);
  const base = baselineNear(props.history, props.by, props.picture.data[0][i] ?? 0);
  if (base !== null) rows.push(["baseline", plain(base)]);
  return (
    <>
      {props.mark && <p class="tip-mark">{markWords(props.mark)}</p>}
      <TipRows rows={rows} />
    </>
  );
}

/** The baseline at its last measurement before a position, or its first one after it. */
function baselineNear(history: History, by: By, at: number): number | null {
  const x = xOf(history.baseline, by);
  const after = firstFrom(x, at);
  return baselineLine(history)[Math.max(0, x[after] === at ? after : after - 1)] ?? null;
}
