import { useMemo, useState } from "preact/hooks";
import type { StudyParts } from "./parts";
import { studyPath } from "../../api/source";
import type { History } from "../../api/types";
import { inPixels } from "../../charts/colours";
import { Segments, ZoomButtons } from "../../charts/controls";
import { padded, type Range } from "../../charts/fit";
import { Key } from "../../charts/legend";
import { usePaced, useSettled } from "../../charts/pace";
import {
  isFailure,
  isOfSystem,
  noRewardsWords,
  rewardsPicture,
  type RewardsPicture,
  rewardsWords,
} from "../../charts/rewards";
import { RewardsChart } from "../../charts/rewards_chart";
import type { By } from "../../charts/thin";
import { zoomed, type View } from "../../charts/zoom";
import { usePage } from "../../ui/context";
import { useAnswer, type Answer } from "../../ui/hooks";
import { Card, Empty, Failure, Loading } from "../../ui/parts";
import { whole as wholeText } from "../../format/numbers";

const HEIGHT = 21.25; // rem
const MOST_BUCKETS = 5000;

/** Rewards over time. */
export function ProgressCard(props: StudyParts) {
  const [by, setBy] = useState<By>("pulls");
  const [view, setView] = useState<View>(null);
  const [width, setWidth] = useState(1200);
  const history = useHistory(props, by, view, width);
  const title = "How is it going?";
  const seen = view ?? (history.value && wholeOf(history.value, by));
  const picture = useMemo(
    () => history.value && seen && rewardsPicture(history.value, by, seen, width),
    [history.value, by, seen?.[0], seen?.[1], width],
  );
  if (!history.value || !picture) {
    return (
      <Card title={title}>
        {history.error ? (
          <Failure error={history.error} />
        ) : (
          <Loading height={inPixels(HEIGHT)} label="Loading rewards" />
        )}
      </Card>
    );
  }
  const { value } = history;
  const isOver = (props.feed.summary ?? props.study).is_over;
  const hasRewards = value.count.some((count) => count > 0);
  const without = noRewardsWords(value, {
    pulls: props.feed.summary?.pulls ?? props.study.pulls,
    failures: props.feed.summary?.failures ?? 0,
    isOver,
  });
  if (!view && value.count.length === 0 && value.failures.length === 0) {
    return (
      <Card title={title}>
        <Empty title={without}>{!isOver && <p>Rewards are drawn here as they arrive.</p>}</Empty>
      </Card>
    );
  }
  const whole = wholeOf(value, by);
  const zoom = { view, whole, least: by === "pulls" ? 5 : 1, set: setView };
  const words = hasRewards || view ? rewardsWords(value, props.study.direction) : without;
  return (
    <Card
      title={title}
      note={view ? "Zoomed in. Press 0 or All to see everything." : words}
      tools={
        <>
          <Segments
            label="Along the axis"
            options={[
              ["pulls", "Pulls"],
              ["time", "Time"],
            ]}
            value={by}
            choose={(next) => {
              setBy(next);
              setView(null);
            }}
          />
          <ZoomButtons
            zoom={(factor) => setView(zoomed(view, whole, factor, 0.5, zoom.least))}
            all={() => setView(null)}
            isAll={view === null}
          />
        </>
      }
    >
      <RewardsChart
        history={value}
        picture={picture}
        by={by}
        zoom={zoom}
        height={inPixels(HEIGHT)}
        onWidth={setWidth}
        label={`Rewards over ${by === "pulls" ? "pulls" : "time"}. ${words} Plus and minus zoom, the arrow keys move, 0 shows all.`}
      />
      <RewardsLegend history={value} picture={picture} />
    </Card>
  );
}

/** The history of the visible range; in a report, all of its data. */
function useHistory(parts: StudyParts, by: By, view: View, width: number): Answer<History> {
  const { source } = usePage();
  const settledView = useSettled(view, 150);
  const settledWidth = useSettled(Math.ceil(width / 200) * 200, 300);
  const beat = usePaced(parts.feed.beat, 2000);
  const query = source.frozen
    ? { by, buckets: MOST_BUCKETS }
    : { by, ...around(settledView), buckets: Math.min(MOST_BUCKETS, settledWidth * (settledView ? 2 : 1)) };
  const path = studyPath(parts.name, "history", query);
  return useAnswer<History>(path, settledView || source.frozen ? 0 : beat);
}

/** Adds half of the range on either side, so that moving the plot shows data at once. */
function around(view: View): { from?: number; to?: number } {
  if (!view) return {};
  const half = (view[1] - view[0]) / 2;
  const digits = (value: number) => Number(value.toPrecision(15));
  return { from: digits(Math.max(0, view[0] - half)), to: digits(view[1] + half) };
}

function wholeOf(history: History, by: By): Range {
  const [from, to] = by === "pulls" ? history.extent.pulls : (history.extent.time ?? [0, 0]);
  if (to - from <= 1) return [from - 0.5, to + 0.5];
  return padded([from, to], 0.01); // so that points at the ends are visible
}

function RewardsLegend(props: { history: History; picture: RewardsPicture }) {
  const { history } = props;
  const { raw, around, columns } = props.picture;
  const failures = columns.failures.reduce((sum, count) => sum + count, 0);
  const changes = columns.changes.reduce((sum, count) => sum + count, 0);
  return (
    <div class="legend chart-legend">
      {raw ? (
        <>
          <Key shape="dots">rewards</Key>
          {columns.pull.length > 6 && <Key shape="line">mean of {around} neighbours</Key>}
        </>
      ) : (
        <>
          <Key shape="line">mean reward</Key>
          <Key shape="band">one standard deviation around it</Key>
          <Key shape="range">minimum to maximum</Key>
        </>
      )}
      {history.baseline.mean.length > 0 && <Key shape="baseline">baseline</Key>}
      {history.level.mean.length > 0 && (
        <Key shape="level">reward of the best setting while the level moves</Key>
      )}
      {failures > 0 && (
        <Key shape="failure">{failures === 1 ? "1 failure" : `${wholeText(failures)} failures`}</Key>
      )}
      {changes > 0 && (
        <Key shape="change">
          {changes === 1 ? "1 change of the setting" : `${wholeText(changes)} changes of the setting`}
        </Key>
      )}
      {history.marks.some(isOfSystem) && <Key shape="changed">the system has changed</Key>}
      {history.marks.some((mark) => !isFailure(mark) && !isOfSystem(mark)) && (
        <Key shape="mark">starts, stops and commands</Key>
      )}
    </div>
  );
}
