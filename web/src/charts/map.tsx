import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Estimate, Knob } from "../api/types";
import { valueText } from "../format/arms";
import { useWidth } from "../ui/hooks";
import { useTheme } from "../ui/theme";
import { BottomAxis, LeftAxis, roomFor, type Box } from "./axes";
import { contourLines } from "./contours";
import { inPixels, palette, ramp, rgbText } from "./colours";
import { rowsAt } from "./estimate_rows";
import type { Range } from "./fit";
import { colourRange, dotRadius, goodness, type Known } from "./knowledge";
import { cellEdges, clamp, knobScale, type KnobScale } from "./scale";
import { Spoken } from "./spoken";
import { Tip, TipRows } from "./tip";
import { rowsText, shortened, valueIn } from "./words";

const LETTERS = 14;

interface Axis {
  knob: Knob;
  scale: KnobScale;
  edges: number[];
}

/** The estimate over two knobs, as a map. */
export function KnobMap(props: { x: Knob; y: Knob; estimate: Estimate; known: Known; label: string }) {
  const { estimate, known } = props;
  const theme = useTheme();
  const [place, width] = useWidth<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [cell, setCell] = useState<[number, number] | null>(null);
  const [spoken, setSpoken] = useState("");
  const x = axisOf(props.x, estimate.x.values.map(knobScale(props.x).position));
  const y = axisOf(props.y, (estimate.y?.values ?? []).map(knobScale(props.y).position));
  const height = Math.round(clamp(width * 0.62, 260, inPixels(28.75)));
  const yTicks = y.scale.ticks(Math.max(2, Math.floor(height / 40)));
  const left = roomFor(yTicks, LETTERS);
  const box: Box = { left, top: 6, width: Math.max(40, width - left - 14), height: height - 36 };
  const xTicks = x.scale.ticks(Math.max(2, Math.floor(box.width / 84)));
  const range = colourRange(estimate.mean, known.arms);
  const columns = x.edges.length - 1;
  const rows = y.edges.length - 1;

  useLayoutEffect(() => {
    if (canvas.current && width > 0) paint(canvas.current, box, x, y, estimate, known, range);
  }, [theme, width, height, estimate, known.arms, known.direction]);

  const move = (right: number, up: number) => {
    const [i, j] = cell ?? [Math.floor(columns / 2) - right, Math.floor(rows / 2) - up];
    const [column, row] = [clamp(i + right, 0, columns - 1), clamp(j + up, 0, rows - 1)];
    setCell([column, row]);
    setSpoken(rowsText(rowsAt(estimate, row * columns + column, known)));
  };
  const edge = (axis: Axis, i: number) => axis.edges[i] ?? 0;
  const middle = (axis: Axis, i: number) => (edge(axis, i) + edge(axis, i + 1)) / 2;
  return (
    <div>
      <p class="axis-name" title={props.y.name}>
        ↑ {props.y.name}
        {yTicks.power && ` (${yTicks.power})`}
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
          const up = 1 - (event.clientY - at.top - box.top) / box.height;
          const isInside = right >= 0 && right <= 1 && up >= 0 && up <= 1;
          setCell(isInside ? [indexAt(x.edges, right), indexAt(y.edges, up)] : null);
        }}
        onPointerLeave={() => setCell(null)}
        onBlur={() => setCell(null)}
        onKeyDown={(event) => {
          if (event.key === "ArrowRight") move(1, 0);
          else if (event.key === "ArrowLeft") move(-1, 0);
          else if (event.key === "ArrowUp") move(0, 1);
          else if (event.key === "ArrowDown") move(0, -1);
          else if (event.key === "Escape") setCell(null);
          else return;
          event.preventDefault();
        }}
      >
        <canvas ref={canvas} class="map-canvas" aria-hidden="true" />
        {width > 0 && (
          <svg width={width} height={height} class="drawing over" aria-hidden="true">
            <LeftAxis box={box} ticks={yTicks} letters={LETTERS} noGrid />
            <BottomAxis box={box} ticks={xTicks} letters={LETTERS} noGrid />
            <Marks box={box} x={x} y={y} known={known} />
            {cell && (
              <rect
                class="cell-cursor"
                x={box.left + edge(x, cell[0]) * box.width}
                y={box.top + (1 - edge(y, cell[1] + 1)) * box.height}
                width={(edge(x, cell[0] + 1) - edge(x, cell[0])) * box.width}
                height={(edge(y, cell[1] + 1) - edge(y, cell[1])) * box.height}
              />
            )}
          </svg>
        )}
        {cell && (
          <Tip
            x={box.left + middle(x, cell[0]) * box.width}
            y={box.top + clamp(1 - middle(y, cell[1]), 0.2, 0.8) * box.height}
            width={width}
          >
            <TipRows rows={rowsAt(estimate, cell[1] * columns + cell[0], known)} />
          </Tip>
        )}
      </div>
      <Spoken text={spoken} />
      <p class="axis-name axis-name-x" title={props.x.name}>
        {props.x.name}
        {xTicks.power && ` (${xTicks.power})`} →
      </p>
    </div>
  );
}

function axisOf(knob: Knob, positions: number[]): Axis {
  return { knob, scale: knobScale(knob), edges: cellEdges(positions) };
}

function indexAt(edges: number[], position: number): number {
  let i = 0;
  while (i < edges.length - 2 && position > (edges[i + 1] ?? 1)) ++i;
  return i;
}

/** Coloured cells, hatched if unknown, and dots for the settings that were tried. */
function paint(
  canvas: HTMLCanvasElement,
  box: Box,
  x: Axis,
  y: Axis,
  estimate: Estimate,
  known: Known,
  range: Range,
) {
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round((box.left + box.width + 14) * ratio);
  canvas.height = Math.round((box.top + box.height + 30) * ratio);
  canvas.style.width = `${canvas.width / ratio}px`;
  canvas.style.height = `${canvas.height / ratio}px`;
  const context = canvas.getContext("2d");
  if (!context) return;
  const colours = palette();
  const left = (share: number) => Math.round((box.left + share * box.width) * ratio);
  const top = (share: number) => Math.round((box.top + (1 - share) * box.height) * ratio);
  const hatched = hatching(context, colours.lineStrong, ratio);
  const columns = x.edges.length - 1;
  for (let j = 0; j + 1 < y.edges.length; ++j) {
    for (let i = 0; i < columns; ++i) {
      const mean = estimate.mean[j * columns + i] ?? null;
      const [from, to] = [left(x.edges[i] ?? 0), left(x.edges[i + 1] ?? 0)];
      const [high, low] = [top(y.edges[j + 1] ?? 0), top(y.edges[j] ?? 0)];
      context.fillStyle = mean === null ? hatched : rgbText(ramp(goodness(mean, range, known.direction)));
      context.fillRect(from, high, to - from, low - high);
    }
  }
  context.strokeStyle = colours.lineStrong;
  context.lineWidth = ratio;
  context.strokeRect(left(0), top(1), left(1) - left(0), top(0) - top(1));
  if (hasContours(x.knob, y.knob)) paintContours(context, ratio, box, x, y, estimate);
  paintArms(context, ratio, box, x, y, known, range);
}

/** Contours need ordered axes, and the values of a choice have no order. */
export function hasContours(x: Knob, y: Knob): boolean {
  return x.type !== "choice" && y.type !== "choice";
}

function paintContours(
  context: CanvasRenderingContext2D,
  ratio: number,
  box: Box,
  x: Axis,
  y: Axis,
  estimate: Estimate,
) {
  const middles = (edges: number[]) => edges.slice(1).map((edge, i) => (edge + (edges[i] ?? 0)) / 2);
  context.beginPath();
  for (const line of contourLines(estimate.mean, { x: middles(x.edges), y: middles(y.edges) })) {
    line.forEach(([right, up], i) => {
      const [left, top] = [(box.left + right * box.width) * ratio, (box.top + (1 - up) * box.height) * ratio];
      if (i === 0) context.moveTo(left, top);
      else context.lineTo(left, top);
    });
  }
  context.strokeStyle = "rgb(255 255 255 / 0.6)";
  context.lineWidth = 1.2 * ratio;
  context.stroke();
}

function paintArms(
  context: CanvasRenderingContext2D,
  ratio: number,
  box: Box,
  x: Axis,
  y: Axis,
  known: Known,
  range: Range,
) {
  const most = Math.max(1, ...known.arms.map((arm) => arm.pulls));
  const isCrowded = known.arms.length > 300;
  context.globalAlpha = isCrowded ? 0.8 : 1;
  for (const arm of known.arms) {
    const right = x.scale.position(valueIn(arm.arm, x.knob.name));
    const up = y.scale.position(valueIn(arm.arm, y.knob.name));
    if (!(right >= 0 && right <= 1 && up >= 0 && up <= 1)) continue;
    const radius = dotRadius(arm.pulls, most, isCrowded ? 6 : 8) * ratio;
    const [left, top] = [(box.left + right * box.width) * ratio, (box.top + (1 - up) * box.height) * ratio];
    disc(context, left, top, radius + 1.2 * ratio, "white"); // visible on dark colours
    disc(context, left, top, radius + 0.4 * ratio, "black"); // and on bright ones
    const colour = arm.pulls === 0 ? "gray" : rgbText(ramp(goodness(arm.mean, range, known.direction)));
    disc(context, left, top, radius - 0.4 * ratio, colour);
  }
  context.globalAlpha = 1;
}

function disc(context: CanvasRenderingContext2D, left: number, top: number, radius: number, colour: string) {
  context.beginPath();
  context.arc(left, top, Math.max(0, radius), 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.fill();
}

function hatching(context: CanvasRenderingContext2D, colour: string, ratio: number): CanvasPattern | string {
  const size = Math.round(8 * ratio);
  const tile = document.createElement("canvas");
  tile.width = tile.height = size;
  const pen = tile.getContext("2d");
  if (!pen) return "transparent";
  pen.strokeStyle = colour;
  pen.globalAlpha = 0.35;
  pen.lineWidth = ratio;
  pen.beginPath();
  for (const shift of [-size, 0, size]) {
    pen.moveTo(shift, size);
    pen.lineTo(shift + size, 0);
  }
  pen.stroke();
  return context.createPattern(tile, "repeat") ?? "transparent";
}

const STAR = "M0-9 2.6-3.2 8.9-2.6 4.1 1.5 5.5 7.7 0 4.4-5.5 7.7-4.1 1.5-8.9-2.6-2.6-3.2Z";

/** The baseline as a square and the best setting as a star, both with labels. */
function Marks(props: { box: Box; x: Axis; y: Axis; known: Known }) {
  const { box, known } = props;
  const placeOf = (arm: Known["best"] | Known["baseline"]) => {
    if (!arm) return null;
    const right = props.x.scale.position(valueIn(arm.arm, props.x.knob.name));
    const up = props.y.scale.position(valueIn(arm.arm, props.y.knob.name));
    if (!(right >= 0 && right <= 1 && up >= 0 && up <= 1)) return null;
    return { left: box.left + right * box.width, top: box.top + (1 - up) * box.height, right };
  };
  const best = placeOf(known.best);
  const baseline = placeOf(known.baseline);
  const label = (place: { left: number; top: number; right: number }, text: string) => (
    <text
      class="map-label"
      x={place.left + (place.right > 0.8 ? -13 : 13)}
      y={place.top}
      dy="0.35em"
      text-anchor={place.right > 0.8 ? "end" : "start"}
    >
      {text}
    </text>
  );
  return (
    <g>
      {baseline && (
        <g class="map-baseline">
          <rect x={baseline.left - 6} y={baseline.top - 6} width="12" height="12" />
          {label(baseline, "baseline")}
        </g>
      )}
      {best && (
        <g class="map-best">
          <path d={STAR} transform={`translate(${best.left} ${best.top})`} />
          {label(best, "best")}
        </g>
      )}
    </g>
  );
}

export function mapWords(x: Knob, y: Knob, known: Known): string {
  const best = known.best;
  const where = best
    ? ` The best setting so far has ${shortened(x.name, 60)} ${valueText(valueIn(best.arm, x.name))} and ${shortened(y.name, 60)} ${valueText(valueIn(best.arm, y.name))}.`
    : "";
  return `Map of the estimate over ${shortened(x.name, 60)} and ${shortened(y.name, 60)}. Brighter is better.${where} The arrow keys move over it.`;
}
