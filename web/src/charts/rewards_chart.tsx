import type uPlot from "uplot";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { History, Mark } from "../api/types";
import { clockSeconds } from "../format/times";
import { useWidth } from "../ui/hooks";
import type { Range } from "./fit";
import { followKey } from "./gestures";
import { isFailure, lonePoints, rewardsFit, type RewardsPicture } from "./rewards";
import { drawBaseline, drawLevel, drawMarks, drawRug, ROOM_ABOVE, ROOM_BELOW } from "./rewards_marks";
import { RewardsTip } from "./rewards_tip";
import { Spoken } from "./spoken";
import type { By } from "./thin";
import { Tip } from "./tip";
import { pullText, shownText } from "./words";
import { usePlot } from "./use_plot";
import { chosen, moved, zoomed, type View } from "./zoom";

export interface Zoom {
  view: View;
  /** The whole range, and the smallest visible one. */
  whole: Range;
  least: number;
  set: (view: View) => void;
}

interface Pointed {
  index: number;
  left: number;
  top: number;
  mark: Mark | null;
}

/** Rewards over time. The caller keeps the visible range. */
export function RewardsChart(props: {
  history: History;
  /** The visible range. */
  picture: RewardsPicture;
  by: By;
  zoom: Zoom;
  label: string;
  height: number;
  onWidth: (pixels: number) => void;
}) {
  const { history, picture, by, zoom } = props;
  const [place, width] = useWidth<HTMLDivElement>();
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const [isKeyed, setKeyed] = useState(false);
  const seen = zoom.view ?? zoom.whole;
  // Callbacks of uPlot use the last rendered data.
  const now = useRef({ props, picture, seen });
  now.current = { props, picture, seen };

  const gestures = useMemo(() => {
    const set = (change: (zoom: Zoom) => View) => {
      const current = now.current.props.zoom;
      current.set(change(current));
    };
    return {
      zoom: (factor: number, anchor: number) =>
        set(({ view, whole, least }) => zoomed(view, whole, factor, anchor, least)),
      move: (share: number) => set(({ view, whole }) => moved(view, whole, share)),
      all: () => set(() => null),
      select: (part: Range) => set(({ whole, least }) => chosen(part, whole, least)),
      canMove: () => now.current.props.zoom.view !== null,
    };
  }, []);

  useEffect(() => {
    if (width > 0) props.onWidth(width);
  }, [width]);

  usePlot(place, {
    width,
    height: props.height,
    data: picture.data,
    gestures,
    again: [by],
    gone: () => setPointed(null),
    wishes: (colours) => ({
      by,
      series: [
        {},
        {
          stroke: colours.data[0],
          width: 2,
          points: {
            show: true,
            size: 6,
            width: 0,
            fill: colours.data[0],
            filter: (it) => lonePoints((it.data[1] ?? []) as (number | null)[]),
          },
        },
        { stroke: "transparent", points: { show: false } },
        { stroke: "transparent", points: { show: false } },
        { stroke: "transparent", points: { show: false } },
        { stroke: "transparent", points: { show: false } },
        {
          stroke: colours.data[0],
          paths: () => null,
          points: { show: true, size: 5, width: 0, fill: colours.data[0] },
          alpha: 0.5,
        },
      ],
      bands: [
        { series: [2, 3], fill: colours.band },
        { series: [4, 5], fill: colours.range },
      ],
      seenX: () => now.current.seen,
      seenY: () => {
        const current = now.current;
        const inner = Math.max(60, props.height - 50);
        const room = { below: 0.04 + ROOM_BELOW / inner, above: 0.04 + ROOM_ABOVE / inner };
        return rewardsFit(current.picture, current.props.history, by, current.seen, room);
      },
      drawn: (it) => {
        drawRug(it, now.current.picture, by, colours);
        drawBaseline(it, now.current.props.history, by, colours);
        drawLevel(it, now.current.props.history, by, colours);
        drawMarks(it, now.current.props.history, by, colours);
      },
      pointed: (it) => setPointed(pointedAt(it, now.current.props.history, by)),
    }),
  });

  return (
    <>
      <div
        class="chart rewards-chart"
        ref={place}
        style={{ minHeight: `${props.height}px` }}
        role="application"
        aria-label={props.label}
        tabIndex={0}
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          if (!followKey(event.key, gestures)) return;
          event.preventDefault();
          setKeyed(true);
        }}
        onBlur={() => setKeyed(false)}
      >
        {pointed && pointed.index < picture.columns.pull.length && (
          <Tip x={pointed.left} y={pointed.top} width={width}>
            <RewardsTip
              picture={picture}
              history={history}
              by={by}
              index={pointed.index}
              mark={pointed.mark}
            />
          </Tip>
        )}
      </div>
      <Spoken text={isKeyed ? shownText(zoom.view, by === "pulls" ? pullText : clockSeconds) : ""} />
    </>
  );
}

const NEAR = 6; // pixels from a mark

function pointedAt(plot: uPlot, history: History, by: By): Pointed | null {
  const { left = -1, idx } = plot.cursor;
  if (left < 0 || idx === null || idx === undefined) return null;
  let mark: Mark | null = null;
  let nearest = NEAR;
  for (const candidate of history.marks) {
    const distance = Math.abs(plot.valToPos(by === "pulls" ? candidate.pull : candidate.at, "x") - left);
    // Actions are rarer than failures and more informative.
    if (distance > nearest || (mark && isFailure(candidate) && !isFailure(mark))) continue;
    mark = candidate;
    nearest = distance;
  }
  return {
    index: idx,
    left: left + plot.over.offsetLeft,
    top: plot.over.offsetTop + plot.over.clientHeight / 2,
    mark,
  };
}
