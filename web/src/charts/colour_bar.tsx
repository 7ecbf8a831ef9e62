import type { Direction } from "../api/types";
import { plain } from "../format/numbers";
import { ramp, rgbText } from "./colours";
import type { Range } from "./fit";
import { numberTicks } from "./scale";

const STOPS = 12;

/** What the colours of a map stand for, and which end is better. */
export function ColourBar(props: { range: Range; direction: Direction; what: string }) {
  const [low, high] = props.range;
  const isOne = !(high > low);
  const ticks = numberTicks(low, isOne ? low + 1 : high, 5);
  const share = (i: number) => (props.direction === "minimize" ? 1 - i / STOPS : i / STOPS);
  return (
    <div class="colour-bar">
      <span>
        {props.what}
        {!isOne && ticks.power && ` (${ticks.power})`}
      </span>
      <svg aria-hidden="true">
        {Array.from({ length: STOPS }, (_, i) => (
          <rect
            key={i}
            x={`${(100 * i) / STOPS}%`}
            width={`${100 / STOPS + 0.3}%`}
            height="10"
            fill={rgbText(ramp(isOne ? 0.5 : share(i + 0.5)))}
          />
        ))}
        {(isOne ? ticks.ticks.slice(0, 1) : ticks.ticks).map((tick) => (
          <text
            key={tick.text}
            x={`${100 * (isOne ? 0.5 : tick.at)}%`}
            y="25"
            text-anchor={isOne ? "middle" : tick.at < 0.04 ? "start" : tick.at > 0.96 ? "end" : "middle"}
          >
            {isOne ? plain(low) : tick.text}
          </text>
        ))}
      </svg>
      <span>Brighter is better: {props.direction === "maximize" ? "higher" : "lower"} rewards.</span>
    </div>
  );
}
