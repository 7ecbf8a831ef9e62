import { useState } from "preact/hooks";
import type { ContextPart, Knob, PolicyRow } from "../api/types";
import { valueText } from "../format/arms";
import { useWidth } from "../ui/hooks";
import { rowRows } from "../words/policy";
import { BottomAxis, LeftAxis, roomFor, type Box } from "./axes";
import { inPixels, ramp, rgbText } from "./colours";
import { padded } from "./fit";
import {
  areaAt,
  areaBeside,
  areasOf,
  middleOf,
  partSpan,
  settingIn,
  type Area,
  type Span,
  type Variable,
} from "./policy_layout";
import { clamp, knobScale, numberTicks } from "./scale";
import { Spoken } from "./spoken";
import { Tip, TipRows } from "./tip";
import { rowsText, shortened } from "./words";

const LETTERS = 14;
const LEAST_LEFT = 60; // the same for most plots, so that their axes are aligned

/** A part of an axis in pixels: its start and its length. */
const across = (box: Box, [from, to]: Span): [left: number, width: number] => [
  box.left + from * box.width,
  (to - from) * box.width,
];
const upwards = (box: Box, [from, to]: Span): [top: number, height: number] => [
  box.top + (1 - to) * box.height,
  (to - from) * box.height,
];

/**
 * The value of a knob in every context: bars over one variable, a map over two. The arrow keys move between regions.
 */
export function PolicyChart(props: {
  variables: [Variable] | [Variable, Variable];
  knob: Knob;
  rows: PolicyRow[];
  label: string;
}) {
  const { knob, rows, variables } = props;
  const [x, y = null] = variables;
  const [place, width] = useWidth<HTMLDivElement>();
  const [chosen, setChosen] = useState<Area | null>(null);
  const [spoken, setSpoken] = useState("");
  const areas = areasOf(rows, x, y);
  const height = Math.round(clamp(width * (y ? 0.5 : 0.3), 200, inPixels(y ? 24 : 17)));
  const upTicks = knobScale(y ?? knob).ticks(Math.max(2, Math.floor(height / 40)));
  const left = Math.max(LEAST_LEFT, roomFor(upTicks, LETTERS));
  const box: Box = { left, top: 14, width: Math.max(40, width - left - 14), height: height - 44 };
  const xTicks = knobScale(x).ticks(Math.max(2, Math.floor(box.width / 84)));
  const row = chosen && rows[chosen.row];

  const move = (right: number, up: number) => {
    const next = chosen ? areaBeside(areas, chosen, right, up) : areaAt(areas, 0, 0);
    const found = next && rows[next.row];
    if (!next || !found) return;
    setChosen(next);
    setSpoken(rowsText(rowRows(variables, found)));
  };
  return (
    <div>
      <p class="axis-name" title={(y ?? knob).name}>
        ↑ {(y ?? knob).name}
        {upTicks.power && ` (${upTicks.power})`}
      </p>
      <div
        class="chart"
        ref={place}
        style={{ height: `${height}px` }}
        role="application"
        aria-label={props.label}
        tabIndex={0}
        onPointerMove={(event) => {
          const at = event.currentTarget.getBoundingClientRect();
          const right = (event.clientX - at.left - box.left) / box.width;
          setChosen(areaAt(areas, right, 1 - (event.clientY - at.top - box.top) / box.height));
        }}
        onPointerLeave={() => setChosen(null)}
        onBlur={() => setChosen(null)}
        onKeyDown={(event) => {
          if (event.key === "ArrowRight") move(1, 0);
          else if (event.key === "ArrowLeft") move(-1, 0);
          else if (event.key === "ArrowUp") move(0, 1);
          else if (event.key === "ArrowDown") move(0, -1);
          else if (event.key === "Escape") setChosen(null);
          else return;
          event.preventDefault();
        }}
      >
        {width > 0 && (
          <svg width={width} height={height} class="drawing over policy" aria-hidden="true">
            <LeftAxis box={box} ticks={upTicks} letters={LETTERS} noGrid={y !== null} />
            <BottomAxis box={box} ticks={xTicks} letters={LETTERS} noGrid />
            {areas.map((area) => {
              const Shape = y ? Tile : Bar;
              return <Shape key={`${area.row} ${area.x[0]} ${area.y[0]}`} {...{ box, area, rows, knob }} />;
            })}
            {chosen && <Outline box={box} area={chosen} isTile={y !== null} />}
          </svg>
        )}
        {chosen && row && (
          <Tip
            x={box.left + middleOf(chosen.x) * box.width}
            y={box.top + clamp(1 - middleOf(chosen.y), 0.2, 0.8) * box.height}
            width={width}
          >
            <TipRows rows={rowRows(variables, row)} />
          </Tip>
        )}
      </div>
      <Spoken text={spoken} />
      <p class="axis-name axis-name-x" title={x.name}>
        {x.name}
        {xTicks.power && ` (${xTicks.power})`} →
      </p>
    </div>
  );
}

interface ShapeParts {
  box: Box;
  area: Area;
  rows: PolicyRow[];
  knob: Knob;
}

/** The setting of a region as a bar from its first value to its last, thicker and darker with more pulls. */
function Bar({ box, area, rows, knob }: ShapeParts) {
  const row = rows[area.row];
  const value = row && settingIn(row, knob);
  const at = knobScale(knob).position(value);
  const [left, width] = across(box, area.x);
  const border = <line class="policy-border" x1={left} x2={left} y1={box.top} y2={box.top + box.height} />;
  if (!row || !Number.isFinite(at)) return <g>{area.x[0] > 0 && border}</g>;
  const most = Math.max(1, ...rows.map((each) => each.pulls));
  const share = Math.sqrt(row.pulls / most);
  const size = 4 + 8 * share;
  const top = box.top + (1 - at) * box.height;
  const text = shortened(valueText(value), LETTERS);
  return (
    <g>
      {area.x[0] > 0 && border}
      <rect
        class="policy-bar"
        x={left + 1}
        y={top - size / 2}
        width={Math.max(2, width - 2)}
        height={size}
        rx={Math.min(3, size / 2)}
        fill-opacity={0.35 + 0.65 * share}
      />
      {hasRoom(text, width) && (
        <text x={left + width / 2} y={at > 0.9 ? top + size + 11 : top - size / 2 - 5} text-anchor="middle">
          {text}
        </text>
      )}
    </g>
  );
}

/** The setting of a region as a rectangle of its colour. */
function Tile({ box, area, rows, knob }: ShapeParts) {
  const row = rows[area.row];
  const value = row && settingIn(row, knob);
  const at = knobScale(knob).position(value);
  const [left, width] = across(box, area.x);
  const [top, height] = upwards(box, area.y);
  const text = shortened(valueText(value), LETTERS);
  return (
    <g>
      <rect
        class="policy-tile"
        x={left}
        y={top}
        width={width}
        height={height}
        fill={Number.isFinite(at) ? rgbText(ramp(at)) : "transparent"}
      />
      {value !== undefined && height >= 20 && hasRoom(text, width) && (
        <text class="map-label" x={left + width / 2} y={top + height / 2} dy="0.35em" text-anchor="middle">
          {text}
        </text>
      )}
    </g>
  );
}

const hasRoom = (text: string, width: number) => [...text].length * 7.2 + 8 < width;

function Outline(props: { box: Box; area: Area; isTile: boolean }) {
  const [left, width] = across(props.box, props.area.x);
  const [top, height] = upwards(props.box, props.area.y);
  return (
    <rect
      class={props.isTile ? "cell-cursor" : "policy-cursor"}
      x={left}
      y={top}
      width={width}
      height={height}
    />
  );
}

const EFFECT_HEIGHT = 120;

/** The effect of a variable on the rewards of all settings, as a small line. */
export function EffectChart(props: { variable: Variable; parts: ContextPart[]; label: string }) {
  const { parts, variable } = props;
  const [place, width] = useWidth<HTMLDivElement>();
  const effects = parts.map((part) => part.effect);
  const [low, high] = padded([Math.min(0, ...effects), Math.max(0, ...effects)]);
  const upTicks = numberTicks(low, high, 3);
  const left = Math.max(LEAST_LEFT, roomFor(upTicks, LETTERS));
  const box: Box = { left, top: 6, width: Math.max(40, width - left - 14), height: EFFECT_HEIGHT - 36 };
  const xTicks = knobScale(variable).ticks(Math.max(2, Math.floor(box.width / 84)));
  const height = (value: number) => box.top + (1 - (value - low) / (high - low)) * box.height;
  const line = parts.map((part, i) => {
    const [from, length] = across(box, partSpan(variable, part));
    const pen = i === 0 || variable.type === "choice" ? "M" : "L"; // no line between values of a choice, which have no order
    return `${pen}${from.toFixed(1)} ${height(part.effect).toFixed(1)}h${length.toFixed(1)}`;
  });
  return (
    <div>
      <p class="axis-name" title={variable.name}>
        ↑ added by {variable.name}
        {upTicks.power && ` (${upTicks.power})`}
      </p>
      <div
        class="chart"
        ref={place}
        style={{ height: `${EFFECT_HEIGHT}px` }}
        role="img"
        aria-label={props.label}
      >
        {width > 0 && (
          <svg width={width} height={EFFECT_HEIGHT} class="drawing over" aria-hidden="true">
            <LeftAxis box={box} ticks={upTicks} letters={LETTERS} />
            <BottomAxis box={box} ticks={xTicks} letters={LETTERS} noGrid />
            <line class="policy-zero" x1={box.left} x2={box.left + box.width} y1={height(0)} y2={height(0)} />
            <path class="estimate" d={line.join("")} />
          </svg>
        )}
      </div>
      <p class="axis-name axis-name-x" title={variable.name}>
        {variable.name}
        {xTicks.power && ` (${xTicks.power})`} →
      </p>
    </div>
  );
}
