import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Direction, Knob } from "../api/types";
import { plain, whole } from "../format/numbers";
import { useWidth } from "../ui/hooks";
import { useTheme } from "../ui/theme";
import { inPixels } from "./colours";
import { BOUND_WORDS } from "./estimate_rows";
import type { Range } from "./fit";
import { neighbour, rowsBelow, wayTo, type Placed } from "./icicle_layout";
import { paintIcicle, type Window } from "./icicle_paint";
import { clamp } from "./scale";
import { Spoken } from "./spoken";
import { Tip, TipRows } from "./tip";
import { cellWords, counted, intervalWords, shortened } from "./words";

const MOST_ROWS = 48;
const MOVE = 260; // milliseconds

/** The tree as rows of cells: each as wide as its share of the space, the root on top. */
export function Icicle(props: {
  cells: Placed[];
  space: Knob[];
  range: Range;
  direction: Direction;
  /** The cell that fills the width. */
  zoom: Placed;
  zoomTo: (cell: Placed) => void;
  label: string;
}) {
  const { cells, space, zoom } = props;
  const theme = useTheme();
  const [place, width] = useWidth<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [current, setCurrent] = useState<Placed | null>(null);
  const [spoken, setSpoken] = useState("");
  const rows = Math.min(MOST_ROWS, rowsBelow(zoom));
  const height = Math.round(clamp(rows * inPixels(1.875), 60, inPixels(26.25)));
  const target = { left: zoom.left, right: zoom.right, top: zoom.depth, rows };
  const seen = useRef<Window>(target);
  const seenCurrent = current && cells.includes(current) ? current : null;
  const picture = useMemo(
    () => ({
      cells,
      range: props.range,
      direction: props.direction,
      words: (cell: Placed) => (cell === zoom ? "" : lastSplit(space, cell)),
    }),
    [cells, props.range, props.direction, space, zoom],
  );
  const paint = () => {
    if (canvas.current && width > 0)
      paintIcicle(canvas.current, { width, height }, seen.current, picture, seenCurrent);
  };
  const paintNow = useRef(paint);
  paintNow.current = paint;

  useEffect(() => glide(seen, target, () => paintNow.current()), [zoom.node.path, rows]);
  useLayoutEffect(paint, [theme, width, height, picture, seenCurrent]);

  const cellAt = (event: { clientX: number; clientY: number; currentTarget: HTMLElement }) => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    const at = zoom.left + share * (zoom.right - zoom.left);
    const depth = zoom.depth + Math.floor(((event.clientY - box.top) / height) * rows);
    return cells.find((cell) => cell.depth === depth && cell.left <= at && at < cell.right) ?? null;
  };
  const enter = (cell: Placed) => {
    const into = cell === zoom ? cell.parent : cell.children.length > 0 ? cell : cell.parent;
    if (into) props.zoomTo(into);
  };
  return (
    <>
      <div
        class="chart icicle"
        ref={place}
        style={{ height: `${height}px` }}
        role="application"
        aria-label={props.label}
        tabIndex={0}
        onPointerMove={(event) => setCurrent(cellAt(event))}
        onPointerLeave={() => setCurrent(null)}
        onBlur={() => setCurrent(null)}
        onClick={(event) => {
          const cell = cellAt(event);
          if (cell) enter(cell);
        }}
        onKeyDown={(event) => {
          if (event.key.startsWith("Arrow")) {
            const next = seenCurrent ? neighbour(cells, seenCurrent, event.key) : zoom;
            if (isInside(next, zoom)) setCurrent(next);
            setSpoken(cellText(space, next));
          } else if (event.key === "Enter" && seenCurrent) enter(seenCurrent);
          else if (event.key === "Escape" && zoom.parent) props.zoomTo(zoom.parent);
          else if (event.key === "Escape") setCurrent(null);
          else return;
          event.preventDefault();
        }}
      >
        <canvas ref={canvas} aria-hidden="true" />
        {seenCurrent && (
          <Tip
            x={clamp(((middle(seenCurrent) - zoom.left) / (zoom.right - zoom.left)) * width, 0, width)}
            y={((seenCurrent.depth - zoom.depth + 0.5) / rows) * height}
            width={width}
          >
            <CellTip cell={seenCurrent} space={space} />
          </Tip>
        )}
      </div>
      <Spoken text={spoken} />
    </>
  );
}

const middle = (cell: Placed) => (cell.left + cell.right) / 2;

function isInside(cell: Placed, zoom: Placed): boolean {
  return wayTo(cell).includes(zoom);
}

/** Animates the move to a new view, or jumps for readers who prefer reduced motion. */
function glide(seen: { current: Window }, to: Window, paint: () => void): () => void {
  const from = { ...seen.current };
  const start = performance.now();
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let frame = 0;
  const step = (now: number) => {
    const time = isStill ? 1 : Math.min(1, Math.max(0, (now - start) / MOVE));
    const part = 1 - (1 - time) ** 3;
    const between = (a: number, b: number) => a + (b - a) * part;
    seen.current = {
      left: between(from.left, to.left),
      right: between(from.right, to.right),
      top: between(from.top, to.top),
      rows: between(from.rows, to.rows),
    };
    paint();
    if (time < 1) frame = requestAnimationFrame(step);
  };
  frame = requestAnimationFrame(step);
  return () => cancelAnimationFrame(frame);
}

/** How a cell differs from its parent: "ttl 1 to 60". */
export function lastSplit(space: Knob[], cell: Placed): string {
  const above = cell.parent?.node.cell;
  if (!above) return "everything";
  for (const knob of space) {
    const here = cell.node.cell?.[knob.name];
    if (JSON.stringify(here) === JSON.stringify(above[knob.name])) continue;
    return `${shortened(knob.name, 20)} ${intervalWords(knob, here) ?? ""}`;
  }
  return cell.node.path;
}

function CellTip(props: { cell: Placed; space: Knob[] }) {
  const { node } = props.cell;
  const parts = cellWords(props.space, node.cell ?? {});
  const rows: [string, string][] = parts.slice(0, 8).map(([name, words]) => [shortened(name, 24), words]);
  if (parts.length > 8) rows.push(["and", `${parts.length - 8} more knobs`]);
  if (parts.length === 0) rows.push(["cell", "everything"]);
  rows.push(["pulls", whole(props.cell.pulls)]);
  if (props.cell.mean !== null) rows.push(["mean", plain(props.cell.mean)]);
  if (node.upper !== null) rows.push(["upper end", plain(node.upper)]);
  if (node.bound !== null) rows.push([BOUND_WORDS, plain(node.bound)]);
  return <TipRows rows={rows} />;
}

/** A cell in one sentence. */
export function cellText(space: Knob[], cell: Placed): string {
  const parts = cellWords(space, cell.node.cell ?? {}).map(
    ([name, words]) => `${shortened(name, 40)} ${words}`,
  );
  const where = parts.length > 0 ? parts.join(", ") : "everything";
  const mean = cell.mean !== null ? `, mean ${plain(cell.mean)}` : "";
  return `${where}: ${counted(cell.pulls, "pull")}${mean}`;
}
