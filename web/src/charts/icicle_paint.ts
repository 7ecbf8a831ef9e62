import type { Direction } from "../api/types";
import { canvasFont, palette, ramp, type Rgb, rgbText } from "./colours";
import type { Range } from "./fit";
import type { Placed } from "./icicle_layout";
import { goodness } from "./knowledge";
import { shortened } from "./words";

/** The visible part: from `left` to `right`, and rows from `top` on. It lies between cells during an animation. */
export interface Window {
  left: number;
  right: number;
  top: number;
  rows: number;
}

export interface IciclePicture {
  cells: Placed[];
  range: Range;
  direction: Direction;
  /** A short label for a cell, if it fits. */
  words: (cell: Placed) => string;
}

export function paintIcicle(
  canvas: HTMLCanvasElement,
  size: { width: number; height: number },
  window: Window,
  picture: IciclePicture,
  current: Placed | null,
) {
  const ratio = devicePixelRatio || 1;
  const context = canvas.getContext("2d");
  if (!context) return;
  canvas.width = Math.round(size.width * ratio);
  canvas.height = Math.round(size.height * ratio);
  canvas.style.width = `${size.width}px`;
  canvas.style.height = `${size.height}px`;
  context.scale(ratio, ratio);
  const colours = palette();
  const ground = rgbOf(colours.card);
  const most = Math.max(1, picture.cells[0]?.pulls ?? 1);
  const rowHeight = size.height / window.rows;
  const perShare = size.width / (window.right - window.left);
  context.font = canvasFont(0.75);
  context.textBaseline = "middle";
  const letter = context.measureText("knob 0.5 to").width / 11;
  const boxOf = (cell: Placed) => {
    const left = Math.max(0, (cell.left - window.left) * perShare);
    const right = Math.min(size.width, (cell.right - window.left) * perShare);
    return { left, top: (cell.depth - window.top) * rowHeight, width: right - left };
  };
  for (const cell of picture.cells) {
    const { left, top, width } = boxOf(cell);
    if (top <= -rowHeight || top >= size.height || width <= 0) continue;
    const fill = colourOf(cell, picture, ground, most);
    context.fillStyle = rgbText(fill);
    const gap = width > 3 ? 0.5 : 0;
    context.fillRect(left + gap, top + 0.5, Math.max(0.75, width - 2 * gap), rowHeight - 1);
    if (width < 70 || rowHeight < 15) continue;
    const room = Math.floor((width - 10) / letter);
    context.fillStyle = isBright(fill) ? "#111111" : "#ffffff";
    context.fillText(shortened(picture.words(cell), room), left + 6, top + rowHeight / 2 + 0.5);
  }
  if (!current) return;
  const { left, top, width } = boxOf(current);
  context.lineWidth = 2;
  context.strokeStyle = colours.ink;
  context.strokeRect(left + 1, top + 1, Math.max(2, width - 2), Math.max(2, rowHeight - 2));
}

/** Brighter is better; few pulls fade into the background. */
function colourOf(cell: Placed, picture: IciclePicture, ground: Rgb, most: number): Rgb {
  const { pulls, mean } = cell;
  if (pulls === 0 || mean === null) return mixed(ground, [128, 128, 128], 0.15);
  const weight = 0.3 + 0.7 * (Math.log1p(pulls) / Math.log1p(most));
  return mixed(ground, ramp(goodness(mean, picture.range, picture.direction)), weight);
}

export function mixed(a: Rgb, b: Rgb, part: number): Rgb {
  const one = (x: number, y: number) => Math.round(x + (y - x) * part);
  return [one(a[0], b[0]), one(a[1], b[1]), one(a[2], b[2])];
}

/** Whether dark text has more contrast on a colour than white text. */
export function isBright(colour: Rgb): boolean {
  const [red, green, blue] = colour.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
}

/** #18201d as numbers. */
export function rgbOf(hex: string): Rgb {
  const value = parseInt(hex.replace("#", ""), 16);
  return Number.isNaN(value) ? [255, 255, 255] : [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}
