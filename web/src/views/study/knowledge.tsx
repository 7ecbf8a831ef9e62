import { useRef, useState } from "preact/hooks";
import type { StudyParts } from "./parts";
import { studyPath } from "../../api/source";
import type { Arms, Estimate, Knob, Knobs } from "../../api/types";
import { Choices } from "../../charts/choices";
import { ColourBar } from "../../charts/colour_bar";
import { Segments } from "../../charts/controls";
import { Curve } from "../../charts/curve";
import { bandWords } from "../../charts/estimate_rows";
import { colourRange, firstPair, knownFrom, transposed, type Known } from "../../charts/knowledge";
import { Key } from "../../charts/legend";
import { hasContours, KnobMap, mapWords } from "../../charts/map";
import { usePaced, useWhileSeen } from "../../charts/pace";
import { Ranking } from "../../charts/ranking";
import { counted, shortened, valueIn } from "../../charts/words";
import { valueText } from "../../format/arms";
import { usePage } from "../../ui/context";
import { useAnswer } from "../../ui/hooks";
import { Card, Empty, Failure, Loading } from "../../ui/parts";
import { regionNote } from "../../words/policy";

type Look = "map" | "one";

/** The estimated reward along one knob or over two knobs. */
export function KnowledgeCard(props: StudyParts) {
  const place = useRef<HTMLDivElement>(null);
  const { space } = props.study.specification;
  const beat = useWhileSeen(place, usePaced(props.feed.beat, 5000));
  const arms = useAnswer<Arms>(studyPath(props.name, "arms", { limit: 2000 }), beat);
  const knobs = useAnswer<Knobs>(studyPath(props.name, "knobs"), beat);
  const [look, setLook] = useState<Look>(space.length > 1 ? "map" : "one");
  const [chosen, setChosen] = useState<{ x?: string; y?: string }>({});

  const [firstX, firstY] = firstPair(space, knobs.value?.knobs ?? []);
  const mostImportant = knobs.value?.knobs[0]?.name ?? firstX;
  const x = knobNamed(space, chosen.x ?? (look === "one" ? mostImportant : firstX));
  const y = knobNamed(space, chosen.y ?? (x?.name === firstY ? firstX : firstY));
  const isMap = look === "map" && x !== undefined && y !== undefined && x.name !== y.name;
  const known = knownFrom(props.study.specification, arms.value?.arms ?? [], props.feed.best);
  const isWaiting = knobs.loading && knobs.value === null; // otherwise the plot would jump to another pair

  return (
    <Card
      title="What do we know?"
      note={[note(arms.value), regionNote(props.study.specification)].filter(Boolean).join(" ") || undefined}
      tools={
        space.length > 1 && (
          <>
            <Segments
              label="Kind of plot"
              options={[
                ["map", "Two knobs"],
                ["one", "One knob"],
              ]}
              value={look}
              choose={setLook}
            />
            {(space.length > 2 || !isMap) && (
              <KnobMenu
                label={isMap ? "Horizontal knob" : "Knob"}
                space={space}
                value={x?.name ?? ""}
                choose={(name) =>
                  setChosen(
                    name === y?.name ? { x: name, y: x?.name } : { x: name, y: isMap ? y?.name : chosen.y },
                  )
                }
              />
            )}
            {isMap && space.length > 2 && (
              <KnobMenu
                label="Vertical knob"
                space={space}
                value={y?.name ?? ""}
                choose={(name) =>
                  setChosen(name === x?.name ? { x: y?.name, y: name } : { x: x?.name, y: name })
                }
              />
            )}
          </>
        )
      }
    >
      <div ref={place} class={space.length > 1 ? "knowledge" : undefined}>
        <div class="knowledge-picture">
          {isWaiting || !x ? (
            <Loading height={360} label="Loading the estimate" />
          ) : isMap ? (
            <MapPicture {...props} x={x} y={y} known={known} beat={beat} />
          ) : (
            <OnePicture {...props} knob={x} known={known} beat={beat} />
          )}
        </div>
        {space.length > 1 && knobs.value && knobs.value.knobs.length > 0 && (
          <Ranking knobs={knobs.value} chosen={isMap ? [x.name, y.name] : [x?.name ?? ""]} />
        )}
      </div>
    </Card>
  );
}

function knobNamed(space: Knob[], name: string): Knob | undefined {
  return space.find((knob) => knob.name === name) ?? space[0];
}

function note(arms: Arms | null): string | undefined {
  if (!arms || arms.count === 0) return undefined;
  const failed = arms.arms.filter((arm) => arm.barred).length;
  const tried =
    arms.count === 1 ? "1 setting has rewards." : `${counted(arms.count, "setting")} have rewards.`;
  const left = arms.count > arms.arms.length ? ` The ${arms.arms.length} with the most pulls are drawn.` : "";
  return tried + left + (failed > 0 ? ` ${counted(failed, "setting")} failed.` : "");
}

function KnobMenu(props: { label: string; space: Knob[]; value: string; choose: (name: string) => void }) {
  return (
    <select
      class="knob-menu"
      aria-label={props.label}
      title={props.label}
      value={props.value}
      onChange={(event) => props.choose(event.currentTarget.value)}
    >
      {props.space.map((knob) => (
        <option key={knob.name} value={knob.name}>
          {shortened(knob.name, 40)}
        </option>
      ))}
    </select>
  );
}

type PictureParts = StudyParts & { known: Known; beat: unknown };

/** The estimate over one or two knobs, or a message in its place. */
function useEstimate(parts: PictureParts, query: { x: string; y?: string }) {
  const answer = useAnswer<Estimate>(studyPath(parts.name, "estimate", query), parts.beat);
  const { source } = usePage();
  const isOurs = answer.value?.x.name === query.x && answer.value.y?.name === query.y;
  const instead = isOurs ? null : answer.error && !answer.loading ? (
    source.frozen ? (
      <Empty title="This report does not include this plot." />
    ) : (
      <Failure error={answer.error} />
    )
  ) : (
    <Loading height={360} label="Loading the estimate" />
  );
  const estimate = isOurs ? answer.value : null;
  const isNothing =
    estimate !== null && parts.known.arms.length === 0 && estimate.mean.every((mean) => mean === null);
  return {
    estimate,
    instead: isNothing ? (
      <Empty title="Nothing has been learnt yet.">
        <p>The estimate is drawn once there are rewards.</p>
      </Empty>
    ) : (
      instead
    ),
  };
}

function OnePicture(props: PictureParts & { knob: Knob }) {
  const { knob, known } = props;
  const { estimate, instead } = useEstimate(props, { x: knob.name });
  if (instead || !estimate) return instead;
  const best = known.best && valueIn(known.best.arm, knob.name);
  const words =
    `The estimate for each value of ${shortened(knob.name, 60)}.` +
    (best === null || best === undefined
      ? ""
      : ` The best setting so far has ${shortened(valueText(best), 60)}.`);
  if (knob.type === "choice") {
    return (
      <>
        <Choices knob={knob} estimate={estimate} known={known} label={words} />
        <div class="legend chart-legend">
          <Key shape="dots">estimate</Key>
          <Key shape="band">{bandWords(estimate, known.level)}</Key>
          {known.baseline?.mean != null && <Key shape="baseline">mean of the baseline</Key>}
        </div>
        <Through {...props} estimate={estimate} />
      </>
    );
  }
  const isBand = estimate.lower.some((value) => value !== null);
  return (
    <>
      <Curve knob={knob} estimate={estimate} known={known} label={`${words} The arrow keys move along it.`} />
      <p class="axis-name axis-name-x" title={knob.name}>
        {knob.name} →
      </p>
      <div class="legend chart-legend">
        <Key shape="line">estimate</Key>
        {isBand && <Key shape="band">{bandWords(estimate, known.level)}</Key>}
        {estimate.bound.some((value) => value !== null) && <Key shape="bound">upper bound of the search</Key>}
        {known.arms.length > 0 && <Key shape="arms">settings tried, larger with more pulls</Key>}
        {known.arms.length > 0 && <Key shape="bars">number of pulls</Key>}
        {known.best && <Key shape="ring">best</Key>}
        {known.baseline && <Key shape="square">baseline</Key>}
      </div>
      <Through {...props} estimate={estimate} />
    </>
  );
}

function MapPicture(props: PictureParts & { x: Knob; y: Knob }) {
  const { x, y, known } = props;
  const space: Knob[] = props.study.specification.space;
  // The report has each pair once, in the order of the search space.
  const isTurned = space.indexOf(x) > space.indexOf(y);
  const asked = useEstimate(props, isTurned ? { x: y.name, y: x.name } : { x: x.name, y: y.name });
  if (asked.instead || !asked.estimate) return asked.instead;
  const estimate = isTurned ? transposed(asked.estimate) : asked.estimate;
  return (
    <>
      <KnobMap x={x} y={y} estimate={estimate} known={known} label={mapWords(x, y, known)} />
      <div class="legend chart-legend">
        <ColourBar
          range={colourRange(estimate.mean, known.arms)}
          direction={known.direction}
          what="Estimated mean reward"
        />
        {known.arms.length > 0 && <Key shape="tried">settings tried, larger with more pulls</Key>}
        {hasContours(x, y) && <Key shape="contour">lines of equal estimate, smoothed</Key>}
        {estimate.mean.some((mean) => mean === null) && <Key shape="unknown">unknown</Key>}
      </div>
      <Through {...props} estimate={estimate} />
    </>
  );
}

/** The values of the other knobs. */
function Through(props: PictureParts & { estimate: Estimate }) {
  const { estimate } = props;
  const others = props.study.specification.space.filter(
    (knob) => knob.name !== estimate.x.name && knob.name !== estimate.y?.name,
  );
  if (others.length === 0) return null;
  const texts = others
    .slice(0, 6)
    .map(
      (knob) =>
        `${shortened(knob.name, 30)} ${shortened(valueText(valueIn(estimate.through, knob.name)), 30)}`,
    );
  const more = others.length > 6 ? ` and ${others.length - 6} more` : "";
  return (
    <p class="note through">
      The other knobs have their values of the best setting: {texts.join(", ")}
      {more}.
    </p>
  );
}
