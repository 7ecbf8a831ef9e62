import type { Ticks } from "./scale";
import { shortened } from "./words";

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Ticks below a plot, with vertical grid lines. */
export function BottomAxis(props: {
  box: Box;
  ticks: Ticks;
  letters: number;
  offset?: number;
  noGrid?: boolean;
}) {
  const { box } = props;
  const bottom = box.top + box.height;
  return (
    <g class="axis">
      {props.ticks.ticks.map(({ at, text }) => {
        const x = box.left + at * box.width;
        return (
          <g key={`${at} ${text}`}>
            {!props.noGrid && <line class="grid" x1={x} x2={x} y1={box.top} y2={bottom} />}
            <text x={x} y={bottom + (props.offset ?? 0) + 18} text-anchor={anchor(at)}>
              {shortened(text, props.letters)}
            </text>
          </g>
        );
      })}
    </g>
  );
}

/** Aligns numbers at the ends so that they stay within the plot. */
function anchor(at: number): "start" | "middle" | "end" {
  return at < 0.005 ? "start" : at > 0.995 ? "end" : "middle";
}

/** Ticks on the left of a plot, with horizontal grid lines. */
export function LeftAxis(props: { box: Box; ticks: Ticks; letters: number; noGrid?: boolean }) {
  const { box } = props;
  return (
    <g class="axis">
      {props.ticks.ticks.map(({ at, text }) => {
        const y = box.top + (1 - at) * box.height;
        return (
          <g key={`${at} ${text}`}>
            {!props.noGrid && <line class="grid" x1={box.left} x2={box.left + box.width} y1={y} y2={y} />}
            <text x={box.left - 8} y={y} dy="0.35em" text-anchor="end">
              {shortened(text, props.letters)}
            </text>
          </g>
        );
      })}
    </g>
  );
}

/** The approximate width of the texts on the left. */
export function roomFor(ticks: Ticks, letters: number): number {
  const longest = Math.max(1, ...ticks.ticks.map((tick) => [...shortened(tick.text, letters)].length));
  return Math.ceil(longest * 7.2) + 14;
}
