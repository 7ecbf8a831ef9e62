// The colours of the page for drawing on a canvas, and a colour scale for values.

export interface Palette {
  card: string;
  ink: string;
  inkSoft: string;
  inkFaint: string;
  line: string;
  lineStrong: string;
  grid: string;
  data: string[];
  band: string;
  range: string;
  baseline: string;
  failure: string;
  system: string;
  accent: string;
}

/** The current colours; they change with the theme. */
export function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    card: colour("card"),
    ink: colour("ink"),
    inkSoft: colour("ink-soft"),
    inkFaint: colour("ink-faint"),
    line: colour("line"),
    lineStrong: colour("line-strong"),
    grid: colour("grid"),
    data: [1, 2, 3, 4, 5, 6].map((i) => colour(`data-${i}`)),
    band: colour("band"),
    range: colour("range"),
    baseline: colour("baseline"),
    failure: colour("failure"),
    system: colour("system"),
    accent: colour("accent"),
  };
}

/** Converts rem, which is larger on a large screen, to pixels. */
export function inPixels(rem: number): number {
  return Math.round(rem * parseFloat(getComputedStyle(document.documentElement).fontSize) * 100) / 100;
}

/** The font of the page at a size in rem, for a canvas. */
export function canvasFont(rem: number): string {
  return `400 ${inPixels(rem)}px Inter, system-ui, sans-serif`;
}

export type Rgb = [red: number, green: number, blue: number];

// Dark violet over blue and green to bright yellow: ordered by lightness, and so safe for colour-blind readers.
const STOPS: Rgb[] = [
  [68, 1, 84],
  [70, 50, 127],
  [54, 92, 141],
  [39, 127, 142],
  [31, 161, 135],
  [74, 194, 109],
  [159, 218, 58],
  [253, 231, 37],
];

/** The colour of a share from 0 (dark) to 1 (bright). */
export function ramp(share: number): Rgb {
  const at = Math.min(1, Math.max(0, share)) * (STOPS.length - 1);
  const below = STOPS[Math.floor(at)] ?? [0, 0, 0];
  const above = STOPS[Math.ceil(at)] ?? below;
  const part = at - Math.floor(at);
  return [0, 1, 2].map((i) =>
    Math.round((below[i] ?? 0) + ((above[i] ?? 0) - (below[i] ?? 0)) * part),
  ) as Rgb;
}

export function rgbText([red, green, blue]: Rgb, opacity = 1): string {
  return opacity >= 1 ? `rgb(${red} ${green} ${blue})` : `rgb(${red} ${green} ${blue} / ${opacity})`;
}
