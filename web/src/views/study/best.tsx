import { Fragment } from "preact";
import { studyPath, Refusal } from "../../api/source";
import type { Arm, Best, BestWords, Limit, Metric, Specification, Uplift } from "../../api/types";
import { valueText } from "../../format/arms";
import { decimalsFor, fixed, measured, percent, whole } from "../../format/numbers";
import { useAnswer } from "../../ui/hooks";
import { Card, Empty, Failure, Loading } from "../../ui/parts";
import { adviceSentences, isSameArm } from "../../words/best";
import { namesText } from "../../words/policy";
import { readable } from "../../words/readable";
import { limitText } from "../../words/setup";
import { toneWord, upliftLines, upliftSubject, upliftWords } from "../../words/uplift";
import type { StudyParts } from "./parts";
import { bars, type Reach } from "./intervals";
import { POLICY_ID, POLICY_TITLE } from "./policy";

const TITLE = "What is the best setting, and how sure are we?";

/** The answer at a glance, and its evidence. */
export function BestCard(props: StudyParts) {
  const { feed, name, study } = props;
  const pulls = feed.summary?.pulls ?? study.pulls;
  const isConnected = feed.summary !== null || feed.connection === "live";
  const hasContexts = study.specification.context !== undefined;
  // If the feed has no best setting, the route says why; in a study with contexts it would need a context.
  const mayAsk = isConnected && !feed.best && pulls > 0 && !hasContexts;
  const answer = useAnswer<Best>(mayAsk ? studyPath(name, "best") : null, pulls);
  const best = feed.best ?? answer.value;
  if (!best) {
    return (
      <Card title={TITLE}>
        {answer.error || (isConnected && (pulls === 0 || hasContexts)) ? (
          <NoBest error={answer.error} isOver={(feed.summary ?? study).is_over} hasRewards={pulls > 0} />
        ) : (
          <Loading height={180} />
        )}
      </Card>
    );
  }
  return <KnownBest {...props} best={best} pulls={pulls} />;
}

function KnownBest(props: StudyParts & { best: Best; pulls: number }) {
  const { best, pulls, feed } = props;
  const { specification } = props.study;
  const baseline = specification.baseline?.setting ?? null;
  const isBaseline = baseline !== null && isSameArm(best.arm, baseline);
  const { words } = best;
  const hints = adviceSentences(feed.summary);
  return (
    <Card title={TITLE} tools={<span class={`badge sure-${words.tone}`}>{words.certainty}</span>}>
      {best.warning && (
        <p class="banner" role="note">
          {best.warning}
        </p>
      )}
      <ContextNote specification={specification} />
      <div class="best">
        <div class="best-words">
          <Headline advice={words.advice} arm={words.arm ?? best.arm} />
          <p>{readable(words.sentences.join(" "))}</p>
          {[...words.details, ...hints].map((sentence) => (
            <p class="note" key={sentence}>
              {sentence}
            </p>
          ))}
        </div>
        <Numbers best={best} pulls={isBaseline ? null : pulls} />
      </div>
      <Intervals best={best} />
      <Setting columns={columnsOf(best, baseline)} />
      {best.metrics && (
        <Metrics metrics={best.metrics} limits={limitsOf(specification)} level={best.confidence} />
      )}
    </Card>
  );
}

/** The context that the best setting is for, if there are contexts. */
function ContextNote(props: { specification: Specification }) {
  const { context } = props.specification;
  if (!context) return null;
  return (
    <p class="banner" role="note">
      <span>
        This is for the last observed context: the best setting may depend on{" "}
        {namesText(context.map((variable) => variable.name))}.{" "}
        <a
          href={`#${POLICY_ID}`}
          onClick={(event) => {
            event.preventDefault(); // the router uses the address
            const title = document.getElementById(POLICY_ID);
            if (title) title.tabIndex = -1;
            title?.focus();
          }}
        >
          {POLICY_TITLE}
        </a>{" "}
        shows all contexts.
      </span>
    </p>
  );
}

/** Whether the advice is about the best setting, rather than a proven one or the baseline. */
const isAboutBest = (best: Best) => !best.words.arm || isSameArm(best.words.arm, best.arm);

/** Whether the advice is about the setting that was compared with the baseline. */
const isAboutAdvice = (uplift: Uplift, best: Best) =>
  uplift.arm !== undefined && isSameArm(uplift.arm, best.words.arm ?? best.arm);

const provenWord = (uplift: Uplift) => (uplift.is_confirmed ? "confirmed" : "proven");

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Settings with their labels. */
type Columns = [string, Arm][];

function columnsOf(best: Best, baseline: Arm | null): Columns {
  const columns: Columns = [["Best", best.arm]];
  if (best.words.advice === "set" && best.words.arm && !isAboutBest(best))
    columns.unshift([capital(best.uplift ? provenWord(best.uplift) : "proven"), best.words.arm]);
  if (baseline) columns.push(["Baseline", baseline]);
  return columns;
}

function limitsOf(specification: Specification): Limit[] {
  return Array.isArray(specification.limit) ? specification.limit : [];
}

/** A text of the server with a capital letter and a full stop. */
const asSentence = (text: string) => `${capital(text)}.`;

function NoBest(props: { error: Error | null; isOver: boolean; hasRewards: boolean }) {
  const { error } = props;
  if (error === null && props.hasRewards)
    return (
      <Empty title="No setting can be recommended for the last observed context.">
        <p>“{POLICY_TITLE}” shows all contexts.</p>
      </Empty>
    );
  if (error === null && props.isOver) return <Empty title="The study ended without a reward." />;
  if (error === null)
    return (
      <Empty title="There is no reward yet.">
        <p>The best setting so far appears here with the first reward.</p>
      </Empty>
    );
  if (error instanceof Refusal && error.problem.code === "not_in_report")
    return <Empty title="There was no best setting when this report was written." />;
  return error instanceof Refusal && error.problem.code === "no_best" ? (
    <Empty title="No setting can be recommended.">
      <p>{asSentence(error.message)}</p>
    </Empty>
  ) : (
    <Failure error={error} />
  );
}

const MOST_IN_SENTENCE = 4;

/** The advice in one sentence. */
function Headline(props: { advice: BestWords["advice"]; arm: Arm }) {
  if (props.advice === "same")
    return <p class="headline">All settings that were tried give the same reward.</p>;
  if (props.advice === "keep") return <p class="headline">Keep the baseline.</p>;
  const knobs = Object.entries(props.arm);
  const shown = knobs.length <= MOST_IN_SENTENCE ? knobs : knobs.slice(0, MOST_IN_SENTENCE - 1);
  const more = knobs.length - shown.length;
  const isSet = props.advice === "set";
  const between = (i: number) => (i === 0 ? "" : i === shown.length - 1 && more === 0 ? " and " : ", ");
  return (
    <p class="headline">
      {isSet ? "Set " : "The best so far is "}
      {shown.map(([name, value], i) => (
        <Fragment key={name}>
          {between(i)}
          <span class="knob">{name}</span> {isSet ? "to" : "at"} <strong>{valueText(value)}</strong>
        </Fragment>
      ))}
      {more > 0 && `, and ${more} more knobs, listed below`}.
    </p>
  );
}

/** Shortens numbers for the tiles. */
const longClass = (text: string) => (text.length > 8 ? "long" : undefined);

function Numbers(props: { best: Best; pulls: number | null }) {
  const { best } = props;
  const { mean, range } = measured(best.mean, best.lower, best.upper);
  const lines = best.uplift && upliftLines(upliftWords(best.uplift));
  const tone = best.words.uplift ?? "unsure";
  return (
    <dl class="tiles">
      {best.uplift && lines && (
        <div class={`tile tile-${tone}`}>
          <dt>Over the baseline</dt>
          <dd class="numbers">
            <strong class={longClass(lines.large)}>{lines.large}</strong>
            <span>
              {lines.small || "no interval"}
              <br />
              {!isAboutAdvice(best.uplift, best) && `${upliftSubject(best.uplift)}: `}
              {toneWord(tone)}
            </span>
          </dd>
        </div>
      )}
      <div class="tile">
        <dt>{isAboutBest(best) ? "Mean reward" : "Mean reward of the best setting"}</dt>
        <dd class="numbers">
          <strong class={longClass(mean)}>{mean}</strong>
          <span>{range || "no interval"}</span>
        </dd>
      </div>
      <div class="tile">
        <dt>Its pulls</dt>
        <dd class="numbers">
          <strong>{whole(best.pulls)}</strong>
          {props.pulls !== null && best.pulls <= props.pulls && <span>of {whole(props.pulls)}</span>}
        </dd>
      </div>
    </dl>
  );
}

/** The mean of the baseline over the study, and the compared setting placed relative to it by the measured pairs. The
 * means of settings cannot be compared directly, because they move with the level of rewards. */
function comparedReaches(uplift: Uplift, isBest: boolean): Reach[] {
  const { baseline_mean: level, mean, lower, upper } = uplift;
  return [
    {
      label:
        uplift.arm === undefined
          ? "policy"
          : isBest
            ? "best"
            : uplift.verdict === "better"
              ? provenWord(uplift)
              : "compared",
      mean: level + mean,
      low: lower === null ? null : level + lower,
      high: upper === null ? null : level + upper,
      kind: "best",
    },
    {
      label: "baseline",
      mean: level,
      low: uplift.baseline_lower,
      high: uplift.baseline_upper,
      kind: "baseline",
    },
  ];
}

/** The baseline and the best (or compared) setting, on one scale. */
function Intervals(props: { best: Best }) {
  const { best } = props;
  const { uplift } = best;
  if (best.is_compared && !uplift?.pairs) return null;
  const reaches: Reach[] = uplift?.pairs
    ? comparedReaches(uplift, uplift.is_best)
    : [{ label: "best", mean: best.mean, low: best.lower, high: best.upper, kind: "best" }];
  if (reaches.length === 1 && best.lower === null) return null;
  const { bars: placed, low, high } = bars(reaches);
  const decimals = decimalsFor((high - low) / 4, 2);
  const label = reaches
    .map((reach) => {
      const { mean, range } = measured(reach.mean, reach.low, reach.high);
      return `${reach.label}: ${mean}${range && `, ${percent(best.confidence)} interval ${range}`}`;
    })
    .join("; ");
  return (
    <figure class="intervals" role="img" aria-label={`Mean rewards and their intervals. ${label}`}>
      {placed.map(({ reach, at, from, to }) => (
        <div class={`interval interval-${reach.kind}`} key={reach.kind}>
          <span class="interval-label">{reach.label}</span>
          <span class="interval-track">
            <span class="interval-bar" style={{ left: `${from}%`, width: `${to - from}%` }} />
            <span class="interval-mean" style={{ left: `${at}%` }} />
          </span>
        </div>
      ))}
      <div class="interval interval-axis numbers" aria-hidden="true">
        <span />
        <span class="interval-ends">
          <span>{fixed(low, decimals)}</span>
          <span>{fixed(high, decimals)}</span>
        </span>
      </div>
    </figure>
  );
}

/** The whole setting; omitted if the headline names it in full and there is nothing to compare it with. */
function Setting(props: { columns: Columns }) {
  const { columns } = props;
  const first = columns[0]?.[1] ?? {};
  const names = Object.keys(first);
  const isShort = names.length <= MOST_IN_SENTENCE;
  if (isShort && columns.every(([, arm]) => isSameArm(arm, first))) return null;
  const hasBaseline = columns.some(([name]) => name === "Baseline");
  return (
    <details class="setting" open={!isShort && names.length <= 12}>
      <summary>
        {hasBaseline ? "The setting, knob by knob, and the baseline" : "The setting, knob by knob"}
      </summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="The setting, knob by knob">
        <table>
          <thead>
            <tr>
              <th scope="col">Knob</th>
              {columns.map(([name]) => (
                <th scope="col" class="number" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.map((name) => (
              <tr key={name}>
                <th scope="row" class="any">
                  {name}
                </th>
                {columns.map(([column, arm]) => (
                  <td class="number" key={column}>
                    {valueText(arm[name])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Metrics(props: { metrics: Record<string, Metric>; limits: Limit[]; level: number }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Other metrics at the best setting">
      <table class="metrics">
        <thead>
          <tr>
            <th scope="col">Other metrics</th>
            <th scope="col" class="number">
              Mean
            </th>
            <th scope="col" class="number">
              {percent(props.level)} interval
            </th>
            <th scope="col">Limit</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(props.metrics).map(([name, metric]) => {
            const limit = props.limits.find((each) => each.metric === name);
            const { mean, range } = measured(metric.mean, metric.lower, metric.upper);
            return (
              <tr key={name}>
                <th scope="row" class="any">
                  {name}
                </th>
                <td class="number">{mean}</td>
                <td class="number">{range || "none yet"}</td>
                <td>{metric.limit ? <LimitCell state={metric.limit} limit={limit} /> : "–"}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const LIMIT_CLASSES: Record<NonNullable<Metric["limit"]>, string> = {
  kept: "kept",
  probably_kept: "kept",
  probably_broken: "may-break",
  broken: "broken",
};

function LimitCell(props: { state: NonNullable<Metric["limit"]>; limit?: Limit }) {
  const { limit, state } = props;
  return (
    <>
      {limit && <>{limitText(limit)}: </>}
      <span class={LIMIT_CLASSES[state]}>{state.replace("_", " ")}</span>
    </>
  );
}
