import type { Range } from "./fit";

/** The visible part of a range; null: all of it, even as it grows. */
export type View = Range | null;

/** Zooms: a factor of 0.5 shows half as much, and `anchor` (a share of the visible part) stays in place. */
export function zoomed(view: View, whole: Range, factor: number, anchor: number, least: number): View {
  const [from, to] = view ?? whole;
  const width = Math.max((to - from) * factor, Math.min(least, whole[1] - whole[0]));
  if (width >= (whole[1] - whole[0]) * 0.999) return null;
  const start = from + anchor * (to - from - width);
  return within([start, start + width], whole);
}

/** Moves by a share of the visible part. */
export function moved(view: View, whole: Range, share: number): View {
  if (!view) return null;
  const by = share * (view[1] - view[0]);
  return within([view[0] + by, view[1] + by], whole);
}

/** Clamps a view to the whole; null if it shows all of it. */
export function chosen(part: Range, whole: Range, least: number): View {
  const middle = (part[0] + part[1]) / 2;
  const half = Math.max(part[1] - part[0], least) / 2;
  if (2 * half >= (whole[1] - whole[0]) * 0.999) return null;
  return within([middle - half, middle + half], whole);
}

function within([from, to]: Range, whole: Range): Range {
  const width = to - from;
  const start = Math.min(Math.max(from, whole[0]), whole[1] - width);
  return [start, start + width];
}
