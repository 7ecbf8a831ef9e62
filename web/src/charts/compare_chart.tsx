import { useMemo, useRef, useState } from "preact/hooks";
import { plain, whole } from "../format/numbers";
import { duration } from "../format/times";
import { useWidth } from "../ui/hooks";
import { axisTexts } from "./axis_texts";
import { inPixels } from "./colours";
import { padded, robustRange, type Range } from "./fit";
import { followKey } from "./gestures";
import { together, type Line } from "./running";
import { Spoken } from "./spoken";
import type { By } from "./thin";
import { Tip, TipRows } from "./tip";
import { pullText, shortened, shownText } from "./words";
import { usePlot } from "./use_plot";
import { chosen, moved, zoomed, type View } from "./zoom";

/** Dashes distinguish lines for colour-blind readers. */
export const DASHES = [[], [10, 5], [3, 4], [12, 4, 3, 4], [6, 3], [2, 6]];

/** Several studies in one plot. */
export function CompareChart(props: { names: string[]; lines: Line[]; by: By; label: string }) {
  const { names, lines, by } = props;
  const height = inPixels(23.75);
  const [place, width] = useWidth<HTMLDivElement>();
  const [view, setView] = useState<View>(null);
  const [pointed, setPointed] = useState<{ index: number; left: number } | null>(null);
  const [isKeyed, setKeyed] = useState(false);
  const whole = wholeOf(lines);
  const seen = view ?? whole;
  const data = useMemo(
    () => together(lines, seen[0], seen[1], Math.max(50, Math.min(2000, width))),
    [lines, seen[0], seen[1], width],
  );
  const now = useRef({ whole, view, seen, data });
  now.current = { whole, view, seen, data };
  const gestures = useMemo(() => {
    const least = () => (now.current.whole[1] - now.current.whole[0]) / 1000;
    return {
      zoom: (factor: number, anchor: number) =>
        setView(zoomed(now.current.view, now.current.whole, factor, anchor, least())),
      move: (share: number) => setView(moved(now.current.view, now.current.whole, share)),
      all: () => setView(null),
      select: (part: Range) => setView(chosen(part, now.current.whole, least())),
      canMove: () => now.current.view !== null,
    };
  }, []);

  usePlot(place, {
    width,
    height,
    data,
    gestures,
    again: [by, names.join("\n")],
    gone: () => setPointed(null),
    wishes: (colours) => ({
      by: "pulls",
      series: [
        {},
        ...names.map((_, i) => ({
          stroke: colours.data[i],
          width: 2.25,
          dash: DASHES[i],
          points: { show: false },
        })),
      ],
      seenX: () => now.current.seen,
      seenY: () => padded(robustRange(now.current.data.slice(1).flat()), 0.06),
      drawn: () => undefined,
      pointed: ({ cursor, over }) =>
        setPointed(
          cursor.idx == null || (cursor.left ?? -1) < 0
            ? null
            : { index: cursor.idx, left: (cursor.left ?? 0) + over.offsetLeft },
        ),
      xTexts: by === "pulls" ? undefined : (ticks) => axisTexts(ticks).texts,
    }),
  });

  return (
    <>
      <div
        class="chart rewards-chart"
        ref={place}
        style={{ minHeight: `${height}px` }}
        role="application"
        aria-label={`${props.label} Plus and minus zoom, the arrow keys move, 0 shows all.`}
        tabIndex={0}
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          if (!followKey(event.key, gestures)) return;
          event.preventDefault();
          setKeyed(true);
        }}
        onBlur={() => setKeyed(false)}
      >
        {pointed && (
          <Tip x={pointed.left} y={height / 2 - 20} width={width}>
            <TipRows rows={rowsAt(names, data, pointed.index, by)} />
          </Tip>
        )}
      </div>
      <Spoken text={isKeyed ? shownText(view, by === "pulls" ? pullText : hourText) : ""} />
    </>
  );
}

const hourText = (hours: number) => `hour ${plain(hours, 3)}`;

function wholeOf(lines: Line[]): Range {
  const ends = lines.map((line) => line.x[line.x.length - 1] ?? 0);
  const end = Math.max(...ends, 0);
  return [0, end > 0 ? end : 1];
}

function rowsAt(names: string[], data: (number | null)[][], index: number, by: By): [string, string][] {
  const x = data[0]?.[index] ?? 0;
  const first: [string, string] = by === "pulls" ? ["pulls", whole(x)] : ["after", duration(x * 3600)];
  return [
    first,
    ...names.map((name, i): [string, string] => [shortened(name, 30), plain(data[i + 1]?.[index] ?? null)]),
  ];
}
