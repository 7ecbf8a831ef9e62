import { useEffect, useReducer } from "preact/hooks";
import type { Glance, StudyItem } from "../../api/types";
import { Spark } from "../../charts/spark";
import { armText } from "../../format/arms";
import { measured, percent, plain, whole } from "../../format/numbers";
import { ago, clockSeconds } from "../../format/times";
import { addressOf } from "../../router";
import { StateBadge } from "../../ui/parts";
import { useSeen } from "../../ui/seen";
import { readable } from "../../words/readable";
import { toneWord, upliftLines, upliftSubject, upliftWords } from "../../words/uplift";
import type { Glances } from "./glances";

interface RowProps {
  item: StudyItem;
  now: number;
  beat: number;
  glances: Glances;
  chosen: boolean;
  choose: (name: string, chosen: boolean) => void;
}

/** A row of the list; its results are requested when it becomes visible. */
export function StudyRow(props: RowProps) {
  const { item, now, glances } = props;
  const [place, seen] = useSeen<HTMLTableRowElement>();
  useEffect(() => {
    if (seen) glances.want(item.name, item.events);
  }, [seen, item.name, item.events, props.beat, glances]);
  const glance = useGlance(glances, item.name);
  const isKnown = glances.known(item.name) !== undefined;
  return (
    <tr ref={place} role="row" class={props.chosen ? "chosen" : undefined}>
      <td role="cell" class="choose">
        <input
          type="checkbox"
          checked={props.chosen}
          aria-label={`Select ${item.name} to compare`}
          onChange={(event) => props.choose(item.name, event.currentTarget.checked)}
        />
      </td>
      <td role="cell" class="study-name">
        <a href={addressOf({ view: "study", name: item.name })}>{item.name}</a>
        <span class="under">
          {item.optimizer}
          {item.direction === "minimize" && ", lower is better"}
        </span>
      </td>
      <td role="cell" data-label="State" class="study-state">
        <StateBadge item={item} now={now} />
        {item.why && <span class="under">{readable(item.why)}</span>}
      </td>
      <td role="cell" data-label="Pulls" class="number">
        {whole(item.pulls)}
      </td>
      <td role="cell" data-label="Best" class="study-best">
        {glance?.best ? (
          <BestCell glance={glance} />
        ) : isKnown ? (
          <Nothing word={glance ? "no reward yet" : "–"} />
        ) : (
          <Wait />
        )}
      </td>
      <td role="cell" data-label="Over the baseline" class="study-uplift">
        {glance ? <UpliftCell glance={glance} /> : isKnown ? <Nothing word="–" /> : <Wait />}
      </td>
      <td role="cell" data-label="Rewards" class="study-spark">
        {glance && <SparkCell glance={glance} />}
      </td>
      <td role="cell" data-label="Last event" class="number study-last">
        {item.last ? (
          <time title={`${item.last.kind}, ${clockSeconds(item.last.at)}`}>{ago(item.last.at, now)}</time>
        ) : (
          "never"
        )}
      </td>
    </tr>
  );
}

/** The results of a study; rendered again when they change. */
function useGlance(glances: Glances, name: string): Glance | null {
  const [, again] = useReducer<number, null>((count) => count + 1, 0);
  useEffect(() => {
    let last = glances.known(name);
    return glances.listen(() => {
      if (glances.known(name) === last) return;
      last = glances.known(name);
      again(null);
    });
  }, [glances, name]);
  return glances.get(name);
}

const Wait = () => (
  <span class="wait">
    <span class="hidden">Loading</span>
  </span>
);
const Nothing = (props: { word: string }) => <span class="faint">{props.word}</span>;

function BestCell(props: { glance: Glance }) {
  const best = props.glance.best;
  if (!best) return null;
  const { mean, range } = measured(best.mean, best.lower, best.upper);
  return (
    <>
      <span class="arm" title={armText(best.arm)}>
        {armText(best.arm)}
      </span>
      <span class="under numbers">
        <strong>{mean}</strong>{" "}
        {range ? `(${range})` : best.basis === "no_noise" ? "rewards do not vary" : "no interval yet"}
      </span>
    </>
  );
}

function UpliftCell(props: { glance: Glance }) {
  const { best, baseline_mean } = props.glance;
  if (!best?.uplift)
    return <Nothing word={baseline_mean === null ? "no baseline" : best ? "the baseline is best" : "–"} />;
  const tone = best.words.uplift ?? "unsure";
  const { large, small } = upliftLines(upliftWords(best.uplift));
  return (
    <span
      class={`uplift uplift-${tone}`}
      title={`${best.uplift.is_best ? "" : `${upliftSubject(best.uplift)}, `}at ${percent(best.uplift.confidence)}`}
    >
      <span class="numbers">
        <strong>{large}</strong> {toneWord(tone)}
      </span>
      <span class="under numbers">{small || "no interval yet"}</span>
      {!best.uplift.is_best && <span class="under arm">{upliftSubject(best.uplift)}</span>}
    </span>
  );
}

function SparkCell(props: { glance: Glance }) {
  const { spark, baseline_mean } = props.glance;
  if (spark.length === 0) return <Nothing word="–" />;
  const baseline = baseline_mean === null ? "" : `; the baseline has ${plain(baseline_mean)}`;
  return (
    <Spark
      values={spark}
      baseline={baseline_mean}
      label={`Rewards from ${plain(spark[0])} at first to ${plain(spark[spark.length - 1])}${baseline}`}
    />
  );
}
