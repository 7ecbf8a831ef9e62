// The options of uPlot that all plots over time share.
import uPlot from "uplot";
import { short } from "../format/numbers";
import { axisTexts, timeTexts } from "./axis_texts";
import { canvasFont, type Palette } from "./colours";
import type { Range } from "./fit";
import type { By } from "./thin";

export interface PlotWishes {
  width: number;
  height: number;
  by: By;
  colours: Palette;
  series: uPlot.Series[];
  bands?: uPlot.Band[];
  /** The visible range of each axis. */
  seenX: () => Range;
  seenY: () => Range;
  drawn: (plot: uPlot) => void;
  /** Called when the pointer moves to an entry, or leaves all entries. */
  pointed: (plot: uPlot) => void;
  selected: (part: Range) => void;
  all: () => void;
  xTexts?: (ticks: number[], step: number) => string[];
}

const unmoved = { left: 0, top: 0, width: 0, height: 0 };

export function plotOptions(wishes: PlotWishes): uPlot.Options {
  const { colours } = wishes;
  const look = {
    stroke: colours.inkSoft,
    font: canvasFont(0.75),
    grid: { stroke: colours.grid, width: 1 },
    ticks: { show: false },
    gap: 8,
  };
  return {
    width: wishes.width,
    height: wishes.height,
    padding: [8, 12, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: false, range: () => wishes.seenX() },
      y: { range: () => wishes.seenY() },
    },
    series: wishes.series,
    bands: wishes.bands,
    axes: [
      {
        ...look,
        space: wishes.by === "time" ? 90 : 80,
        size: wishes.by === "time" ? 46 : 32,
        lineGap: 1.3,
        incrs: wishes.by === "time" ? TIME_STEPS : wishes.xTexts ? undefined : PULL_STEPS,
        splits: wishes.by === "time" ? timeSplits : undefined,
        values: (_, ticks, __, ___, step) =>
          wishes.xTexts?.(ticks, step) ?? (wishes.by === "time" ? timeTexts(ticks, step) : ticks.map(short)),
      },
      {
        ...look,
        space: 44,
        size: (plot, texts) => axisWidth(plot, texts),
        values: (_, ticks) => withPower(ticks),
      },
    ],
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false, dist: 5 },
      bind: {
        mousedown: (_, __, handler) => (event) => (event.shiftKey ? null : handler(event)),
        dblclick: () => () => {
          wishes.all();
          return null;
        },
      },
    },
    hooks: {
      draw: [wishes.drawn],
      setCursor: [wishes.pointed],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width < 5) return;
          plot.setSelect(unmoved, false);
          wishes.selected([plot.posToVal(left, "x"), plot.posToVal(left + width, "x")]);
        },
      ],
    },
  };
}

/** The common power of ten is shown at the topmost number. */
function withPower(ticks: number[]): string[] {
  const { texts, power } = axisTexts(ticks);
  return power ? texts.map((text, i) => (i === texts.length - 1 ? `${text}${power}` : text)) : texts;
}

function axisWidth(plot: uPlot, texts: string[] | null): number {
  if (!texts || texts.length === 0) return 48;
  plot.ctx.save();
  plot.ctx.font = canvasFont(0.75);
  const widest = Math.max(...texts.map((text) => plot.ctx.measureText(text).width));
  plot.ctx.restore();
  return Math.ceil(widest) + 16;
}

const PULL_STEPS = Array.from({ length: 16 }, (_, i) => [1, 2, 5].map((digit) => digit * 10 ** i)).flat();
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const TIME_STEPS = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 4, 7, 14, 28, 56, 91, 182, 365, 730, 1825].map((count) => count * DAY),
];

/** Multiples of a step, counted from local midnight. */
function timeSplits(_: uPlot, __: number, from: number, to: number, step: number): number[] {
  const offset = -new Date(from * 1000).getTimezoneOffset() * MINUTE;
  const ticks = [];
  for (let tick = Math.ceil((from + offset) / step) * step - offset; tick <= to; tick += step)
    ticks.push(tick);
  return ticks;
}
