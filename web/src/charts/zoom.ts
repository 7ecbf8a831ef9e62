import type { Range } from "./fit";

/** What part of a whole is seen; null for all of it, also as it grows. */
export type View = Range | null;

/** Nearer or further away: a factor of 0.5 shows half as much, and `anchor` (a share of what is seen) stays where it is. */
export function zoomed(view: View, whole: Range, factor: number, anchor: number, least: number): View {
  const [from, to] = view ?? whole;
  const width = Math.max((to - from) * factor, Math.min(least, whole[1] - whole[0]));
  if (width >= (whole[1] - whole[0]) * 0.999) return null;
  const start = from + anchor * (to - from - width);
  return within([start, start + width], whole);
}

/** Further along by a share of what is seen. */
export function moved(view: View, whole: Range, share: number): View {
  if (!view) return null;
  const by = share * (view[1] - view[0]);
  return within([view[0] + by, view[1] + by], whole);
}

/** A part that was chosen, or all if it is no part. */
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
