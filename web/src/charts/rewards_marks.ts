// Draws what uPlot cannot draw: the baseline, failures, changes of the setting, commands and other actions.
import uPlot from "uplot";
import type { History } from "../api/types";
import { canvasFont, type Palette } from "./colours";
import { baselineLine, isFailure, isOfSystem, levelLine, markWords, type RewardsPicture } from "./rewards";
import { xOf, type By } from "./thin";
import { shortened } from "./words";

/** Margins inside of the plot, in pixels: labels above, failures and changes below. */
export const ROOM_ABOVE = 26;
export const ROOM_BELOW = 24;

export function drawBaseline(plot: uPlot, history: History, by: By, colours: Palette) {
  const x = xOf(history.baseline, by);
  if (x.length === 0) return;
  const { ctx } = plot;
  const ratio = uPlot.pxRatio;
  const line = baselineLine(history);
  inside(plot, () => {
    ctx.fillStyle = colours.baseline;
    ctx.globalAlpha = 0.4;
    const half = 2 * ratio;
    if (x.length < plot.bbox.width / ratio / 3) {
      x.forEach((at, i) => {
        const mean = history.baseline.mean[i] ?? null;
        if (mean === null) return;
        const [left, top] = [plot.valToPos(at, "x", true), plot.valToPos(mean, "y", true)];
        ctx.fillRect(left - half, top - half, 2 * half, 2 * half);
      });
    }
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colours.baseline;
    ctx.lineWidth = 2 * ratio;
    ctx.setLineDash([6 * ratio, 4 * ratio]);
    ctx.beginPath();
    x.forEach((at, i) => {
      const mean = line[i] ?? null;
      if (mean !== null) ctx.lineTo(plot.valToPos(at, "x", true), plot.valToPos(mean, "y", true));
    });
    ctx.stroke();
  });
}

/** The reward of the best setting while the level of all rewards moves. Long pauses are gaps in the line. */
export function drawLevel(plot: uPlot, history: History, by: By, colours: Palette) {
  const x = xOf(history.level, by);
  const { ctx } = plot;
  inside(plot, () => {
    ctx.strokeStyle = colours.system;
    ctx.lineWidth = 2 * uPlot.pxRatio;
    ctx.beginPath();
    for (const part of levelLine(x, history.level.mean)) {
      part.forEach(([at, level], i) => {
        const [left, top] = [plot.valToPos(at, "x", true), plot.valToPos(level, "y", true)];
        if (i === 0) ctx.moveTo(left, top);
        else ctx.lineTo(left, top);
      });
    }
    ctx.stroke();
  });
}

/** Along the bottom: a tick for each change of the setting, a cross for each failure. */
export function drawRug(plot: uPlot, picture: RewardsPicture, by: By, colours: Palette) {
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  const bottom = bbox.top + bbox.height;
  const x = xOf(picture.columns, by);
  inside(plot, () => {
    ctx.fillStyle = colours.inkFaint;
    const width = Math.max(1, Math.round(ratio));
    x.forEach((at, i) => {
      const changes = picture.columns.changes[i] ?? 0;
      if (changes === 0) return;
      const size = picture.columns.count[i] || 1;
      ctx.globalAlpha = 0.25 + 0.55 * Math.min(1, changes / size);
      ctx.fillRect(Math.round(plot.valToPos(at, "x", true)), bottom - 5 * ratio, width, 5 * ratio);
    });
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colours.failure;
    ctx.lineWidth = 1.5 * ratio;
    ctx.beginPath();
    const half = 3 * ratio;
    const middle = bottom - 13 * ratio;
    x.forEach((at, i) => {
      if (!picture.columns.failures[i]) return;
      const left = plot.valToPos(at, "x", true);
      ctx.moveTo(left - half, middle - half);
      ctx.lineTo(left + half, middle + half);
      ctx.moveTo(left + half, middle - half);
      ctx.lineTo(left - half, middle + half);
    });
    ctx.stroke();
  });
}

/** Starts, stops, commands and changes of the system: a line, and a label if it fits. */
export function drawMarks(plot: uPlot, history: History, by: By, colours: Palette) {
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  let free = -Infinity; // where the next label may begin
  inside(plot, () => {
    ctx.font = canvasFont(0.6875 * ratio);
    ctx.textBaseline = "top";
    ctx.textAlign = "left";
    for (const mark of history.marks) {
      if (isFailure(mark)) continue;
      const left = Math.round(plot.valToPos(by === "pulls" ? mark.pull : mark.at, "x", true)) + 0.5;
      if (left < bbox.left - 1 || left > bbox.left + bbox.width + 1) continue;
      ctx.strokeStyle = isOfSystem(mark) ? colours.system : colours.lineStrong;
      ctx.globalAlpha = isOfSystem(mark) ? 1 : 0.7;
      ctx.lineWidth = ratio;
      ctx.setLineDash([2 * ratio, 3 * ratio]);
      ctx.beginPath();
      ctx.moveTo(left, bbox.top);
      ctx.lineTo(left, bbox.top + bbox.height);
      ctx.stroke();
      ctx.setLineDash([]);
      ctx.globalAlpha = 1;
      const text = shortened(markWords(mark), 24);
      const width = ctx.measureText(text).width;
      const isAtEnd = left + width + 8 * ratio > bbox.left + bbox.width;
      const start = isAtEnd ? left - width - 4 * ratio : left + 4 * ratio;
      if (start < free) continue;
      free = start + width + 10 * ratio;
      ctx.fillStyle = colours.card;
      ctx.globalAlpha = 0.85;
      ctx.fillRect(start - 2 * ratio, bbox.top + ratio, width + 4 * ratio, 16 * ratio);
      ctx.globalAlpha = 1;
      ctx.fillStyle = colours.inkSoft;
      ctx.fillText(text, start, bbox.top + 3 * ratio);
    }
  });
}

/** Clips drawing to the plot. */
function inside(plot: uPlot, draw: () => void) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw();
  ctx.restore();
}
