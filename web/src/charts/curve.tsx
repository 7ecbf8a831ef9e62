import { useState } from "preact/hooks";
import type { Estimate, Knob } from "../api/types";
import { useWidth } from "../ui/hooks";
import { BottomAxis, LeftAxis, roomFor, type Box } from "./axes";
import { inPixels } from "./colours";
import { rowsAt } from "./estimate_rows";
import { curveRange, dotRadius, pullsAlong, type Known } from "./knowledge";
import { clamp, knobScale, numberTicks, type KnobScale } from "./scale";
import { Spoken } from "./spoken";
import { Tip, TipRows } from "./tip";
import { rowsText, valueIn } from "./words";

const STRIP = 30;
const TOP = 24;

type Point = [x: number, y: number];

/** The estimate along one knob with its band, the settings that were tried, and the number of pulls. */
export function Curve(props: { knob: Knob; estimate: Estimate; known: Known; label: string }) {
  const { knob, estimate, known } = props;
  const [place, width] = useWidth<HTMLDivElement>();
  const [index, setIndex] = useState<number | null>(null);
  const [spoken, setSpoken] = useState("");
  const height = inPixels(22.5);
  const scale = knobScale(knob);
  const range = curveRange(estimate, known);
  const yTicks = numberTicks(range[0], range[1], 6);
  const left = roomFor(yTicks, 12);
  const box: Box = {
    left,
    top: TOP,
    width: Math.max(60, width - left - 12),
    height: height - TOP - STRIP - 30,
  };
  const x = (position: number) => box.left + position * box.width;
  const y = (value: number) => box.top + (1 - (value - range[0]) / (range[1] - range[0])) * box.height;
  const positions = estimate.x.values.map((value) => scale.position(value));
  const count = positions.length;
  const letters = 12;
  const xTicks = scale.ticks(Math.max(2, Math.floor(box.width / 90)));
  const isSparse = scale.discrete && count <= 40;
  const point = (i: number, column: (number | null)[]): Point | null => {
    const value = column[i] ?? null;
    return value === null ? null : [x(positions[i] ?? 0), y(value)];
  };
  const move = (to: number) => {
    const next = clamp(to, 0, count - 1);
    setIndex(next);
    setSpoken(rowsText(rowsAt(estimate, next, known)));
  };
  return (
    <>
      <div
        class="chart"
        ref={place}
        style={{ height: `${height}px` }}
        role="application"
        aria-label={props.label}
        tabIndex={0}
        onPointerMove={(event) => {
          const at =
            (event.clientX - event.currentTarget.getBoundingClientRect().left - box.left) / box.width;
          setIndex(at < -0.02 || at > 1.02 ? null : nearest(positions, at));
        }}
        onPointerLeave={() => setIndex(null)}
        onBlur={() => setIndex(null)}
        onKeyDown={(event) => {
          if (event.key === "ArrowRight") move((index ?? -1) + 1);
          else if (event.key === "ArrowLeft") move((index ?? count) - 1);
          else if (event.key === "Escape") setIndex(null);
          else return;
          event.preventDefault();
        }}
      >
        {width > 0 && (
          <svg width={width} height={height} class="drawing" aria-hidden="true">
            <LeftAxis box={box} ticks={yTicks} letters={12} />
            <BottomAxis box={box} ticks={xTicks} letters={letters} offset={STRIP} noGrid />
            {yTicks.power && (
              <text class="power" x={box.left} y={12}>
                {yTicks.power}
              </text>
            )}
            <Strip box={box} known={known} knob={knob} scale={scale} />
            <svg x={box.left} y={box.top} width={box.width} height={box.height} class="clipped">
              <g transform={`translate(${-box.left} ${-box.top})`}>
                <Arms known={known} name={knob.name} scale={scale} x={x} y={y} />
                {isSparse ? (
                  estimate.x.values.map((value, i) => (
                    <Whisker
                      key={String(value)}
                      middle={point(i, estimate.mean)}
                      low={point(i, estimate.lower)}
                      high={point(i, estimate.upper)}
                    />
                  ))
                ) : (
                  <>
                    <path
                      class="band"
                      d={areaPath(
                        count,
                        (i) => point(i, estimate.lower),
                        (i) => point(i, estimate.upper),
                      )}
                    />
                    <path class="bound" d={linePath(count, (i) => point(i, estimate.bound))} />
                    <path class="estimate" d={linePath(count, (i) => point(i, estimate.mean))} />
                  </>
                )}
              </g>
            </svg>
            <Marked box={box} known={known} name={knob.name} scale={scale} x={x} y={y} />
            {index !== null && (
              <line
                class="cursor"
                x1={x(positions[index] ?? 0)}
                x2={x(positions[index] ?? 0)}
                y1={box.top}
                y2={box.top + box.height + STRIP}
              />
            )}
          </svg>
        )}
        {index !== null && index < count && (
          <Tip x={x(positions[index] ?? 0)} y={box.top + box.height / 2} width={width}>
            <TipRows rows={rowsAt(estimate, index, known)} />
          </Tip>
        )}
      </div>
      <Spoken text={spoken} />
    </>
  );
}

function nearest(positions: number[], at: number): number {
  let best = 0;
  positions.forEach((position, i) => {
    if (Math.abs(position - at) < Math.abs((positions[best] ?? 0) - at)) best = i;
  });
  return best;
}

const at = ([x, y]: Point) => `${x.toFixed(1)} ${y.toFixed(1)}`;

function linePath(count: number, point: (i: number) => Point | null): string {
  let path = "";
  let pen = "M";
  for (let i = 0; i < count; ++i) {
    const here = point(i);
    if (here) path += pen + at(here);
    pen = here ? "L" : "M";
  }
  return path;
}

/** A closed path for every run of points that have both ends. */
function areaPath(
  count: number,
  low: (i: number) => Point | null,
  high: (i: number) => Point | null,
): string {
  let path = "";
  let there: string[] = [];
  let back: string[] = [];
  const close = () => {
    if (there.length > 0) path += `M${there.join("L")}L${back.reverse().join("L")}Z`;
    there = [];
    back = [];
  };
  for (let i = 0; i < count; ++i) {
    const [below, above] = [low(i), high(i)];
    if (!below || !above) close();
    else {
      there.push(at(above));
      back.push(at(below));
    }
  }
  close();
  return path;
}

function Whisker(props: { middle: Point | null; low: Point | null; high: Point | null }) {
  if (!props.middle) return null;
  const [x, y] = props.middle;
  return (
    <g>
      {props.low && props.high && <line class="whisker" x1={x} x2={x} y1={props.low[1]} y2={props.high[1]} />}
      <line class="estimate" x1={x - 8} x2={x + 8} y1={y} y2={y} />
    </g>
  );
}

interface Placed {
  known: Known;
  name: string;
  scale: KnobScale;
  x: (position: number) => number;
  y: (value: number) => number;
}

function Arms(props: Placed) {
  const most = Math.max(1, ...props.known.arms.map((arm) => arm.pulls));
  return (
    <g>
      {props.known.arms.map((arm, i) => {
        const position = props.scale.position(valueIn(arm.arm, props.name));
        if (arm.pulls === 0 || !(position >= 0 && position <= 1)) return null;
        return (
          <circle
            key={i}
            class={arm.barred ? "arm failed" : "arm"}
            cx={props.x(position).toFixed(1)}
            cy={props.y(arm.mean).toFixed(1)}
            r={dotRadius(arm.pulls, most, 9).toFixed(1)}
          />
        );
      })}
    </g>
  );
}

/** Marks the best setting and the baseline. */
function Marked(props: Placed & { box: Box }) {
  const { known, box, scale } = props;
  const best = known.best && scale.position(valueIn(known.best.arm, props.name));
  const base = known.baseline && scale.position(valueIn(known.baseline.arm, props.name));
  const isNear = best !== null && base !== null && Math.abs(best - base) * box.width < 70;
  const bottom = box.top + box.height;
  const within = (value: number) => clamp(props.y(value), box.top, bottom);
  // Labels stay within the plot, and two close ones are placed on opposite sides.
  const isLeft = base !== null && best !== null && base <= best;
  const side = (position: number) => (position > 0.9 ? "end" : position < 0.1 ? "start" : "middle");
  const turned = (left: boolean, position: number) => (!isNear ? side(position) : left ? "end" : "start");
  return (
    <g>
      {base !== null && base >= 0 && base <= 1 && (
        <g class="is-baseline">
          <line x1={props.x(base)} x2={props.x(base)} y1={box.top} y2={bottom} />
          <text x={props.x(base)} y={box.top - 8} text-anchor={turned(isLeft, base)}>
            baseline
          </text>
          {known.baseline?.mean != null && (
            <rect x={props.x(base) - 4.5} y={within(known.baseline.mean) - 4.5} width="9" height="9" />
          )}
        </g>
      )}
      {known.best && best !== null && best >= 0 && best <= 1 && (
        <g class="is-best">
          <line x1={props.x(best)} x2={props.x(best)} y1={box.top} y2={bottom} />
          <text x={props.x(best)} y={box.top - 8} text-anchor={turned(!isLeft, best)}>
            best
          </text>
          <circle cx={props.x(best)} cy={within(known.best.mean)} r="6.5" />
        </g>
      )}
    </g>
  );
}

/** The number of pulls along the axis, as a thin strip of bars. */
function Strip(props: { box: Box; known: Known; knob: Knob; scale: KnobScale }) {
  const { box, knob } = props;
  const parts = Math.min(props.scale.count, Math.max(20, Math.floor(box.width / 8)));
  const pulls = pullsAlong(props.known.arms, knob.name, props.scale, parts);
  const most = Math.max(1, ...pulls);
  const bottom = box.top + box.height + STRIP;
  const width = box.width / parts;
  return (
    <g class="strip">
      <line x1={box.left} x2={box.left + box.width} y1={bottom} y2={bottom} />
      {pulls.map((count, i) => {
        const height = count > 0 ? Math.max(1.5, (count / most) * (STRIP - 8)) : 0;
        return (
          <rect
            key={i}
            x={box.left + i * width + 0.5}
            y={bottom - height}
            width={Math.max(0.5, width - 1)}
            height={height}
          />
        );
      })}
    </g>
  );
}
