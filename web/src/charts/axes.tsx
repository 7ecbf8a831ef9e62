import type { Ticks } from "./scale";
import { shortened } from "./words";

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Ticks below a picture, with lines up through it. */
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

/** Numbers at the very ends stay within the picture. */
function anchor(at: number): "start" | "middle" | "end" {
  return at < 0.005 ? "start" : at > 0.995 ? "end" : "middle";
}

/** Ticks on the left of a picture, with lines through it. */
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

/** The room that such texts need on the left, about. */
export function roomFor(ticks: Ticks, letters: number): number {
  const longest = Math.max(1, ...ticks.ticks.map((tick) => [...shortened(tick.text, letters)].length));
  return Math.ceil(longest * 7.2) + 14;
}
