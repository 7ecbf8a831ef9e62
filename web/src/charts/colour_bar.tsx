import type { Direction, Knob } from "../api/types";
import { plain } from "../format/numbers";
import { ramp, rgbText } from "./colours";
import type { Range } from "./fit";
import { knobScale, numberTicks, type Tick } from "./scale";
import { shortened } from "./words";

const STOPS = 12;
const LETTERS = 14;

/** The scale of a map's colours, and which end is better. */
export function ColourBar(props: { range: Range; direction: Direction; what: string }) {
  const [low, high] = props.range;
  const isOne = !(high > low);
  const ticks = numberTicks(low, isOne ? low + 1 : high, 5);
  const share = (at: number) => (isOne ? 0.5 : props.direction === "minimize" ? 1 - at : at);
  return (
    <div class="colour-bar">
      <span>
        {props.what}
        {!isOne && ticks.power && ` (${ticks.power})`}
      </span>
      <Colours stops={STOPS} share={share} ticks={isOne ? [{ at: 0.5, text: plain(low) }] : ticks.ticks} />
      <span>Brighter is better: {props.direction === "maximize" ? "higher" : "lower"} rewards.</span>
    </div>
  );
}

/** The scale of a map whose colours are values of a knob. */
export function KnobColours(props: { knob: Knob }) {
  const scale = knobScale(props.knob);
  const { ticks, power } = scale.ticks(5);
  return (
    <div class="colour-bar">
      <span>
        {props.knob.name}
        {power && ` (${power})`}
      </span>
      <Colours stops={Math.min(scale.count, STOPS)} share={(at) => at} ticks={ticks} />
    </div>
  );
}

function Colours(props: { stops: number; share: (at: number) => number; ticks: Tick[] }) {
  const { stops } = props;
  return (
    <svg aria-hidden="true">
      {Array.from({ length: stops }, (_, i) => (
        <rect
          key={i}
          x={`${(100 * i) / stops}%`}
          width={`${100 / stops + 0.3}%`}
          height="10"
          fill={rgbText(ramp(props.share((i + 0.5) / stops)))}
        />
      ))}
      {props.ticks.map((tick) => (
        <text
          key={tick.text}
          x={`${100 * tick.at}%`}
          y="25"
          text-anchor={tick.at < 0.04 ? "start" : tick.at > 0.96 ? "end" : "middle"}
        >
          {shortened(tick.text, LETTERS)}
        </text>
      ))}
    </svg>
  );
}
