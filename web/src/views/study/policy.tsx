import { useRef } from "preact/hooks";
import { Refusal, studyPath } from "../../api/source";
import type { Knob, Policy } from "../../api/types";
import { KnobColours } from "../../charts/colour_bar";
import { usePaced, useWhileSeen } from "../../charts/pace";
import { EffectChart, PolicyChart } from "../../charts/policy_chart";
import { contextVariables, drawnKnobs, type Variable } from "../../charts/policy_layout";
import { counted, shortened } from "../../charts/words";
import { percent, whole } from "../../format/numbers";
import { useAnswer } from "../../ui/hooks";
import { Card, Empty, Failure, Loading } from "../../ui/parts";
import {
  dependsSentence,
  effectSentence,
  movedSentence,
  namesText,
  limitsText,
  neighboursText,
  rowTexts,
  whereText,
} from "../../words/policy";
import type { StudyParts } from "./parts";

export const POLICY_ID = "policy";
export const POLICY_TITLE = "What to set, and when";
const MOST_PANELS = 3;

/** The best setting for every context of a study with contexts. */
export function PolicyCard(props: StudyParts) {
  const variables = contextVariables(props.study.specification);
  return variables.length > 0 ? <KnownPolicy {...props} variables={variables} /> : null;
}

function KnownPolicy(props: StudyParts & { variables: Variable[] }) {
  const place = useRef<HTMLDivElement>(null);
  const beat = useWhileSeen(place, usePaced(props.feed.beat, 5000));
  const { value: policy, error } = useAnswer<Policy>(studyPath(props.name, "policy"), beat);
  const hasSetting = policy?.rows.some((row) => row.arm) ?? false;
  const note =
    policy && hasSetting && `${dependsSentence(props.variables, policy)} ${movedSentence(policy.moved)}`;
  return (
    <Card title={POLICY_TITLE} id={POLICY_ID} note={note || undefined}>
      <div ref={place} class="policy-parts">
        {!policy ? (
          <Instead error={error} />
        ) : !hasSetting ? (
          <Empty title="There is no reward yet.">
            <p>The setting for each context appears here with the first rewards.</p>
          </Empty>
        ) : (
          <>
            <Pictures {...props} policy={policy} />
            <Effects variables={props.variables} policy={policy} />
            <Rows variables={props.variables} policy={policy} level={props.study.specification.confidence} />
          </>
        )}
      </div>
    </Card>
  );
}

function Instead(props: { error: Error | null }) {
  const { error } = props;
  if (!error) return <Loading height={360} label="Loading the policy" />;
  if (error instanceof Refusal && error.problem.code === "not_in_report")
    return <Empty title="This report does not include the policy." />;
  return <Failure error={error} />;
}

/** A plot for each knob over one or two variables; three variables have none. */
function Pictures(props: StudyParts & { variables: Variable[]; policy: Policy }) {
  const { policy, variables } = props;
  const { space } = props.study.specification;
  const [x, y, z] = variables;
  if (!x || z) return null;
  const knobs = drawnKnobs(space, policy.rows, MOST_PANELS);
  const over = namesText(variables.map((variable) => shortened(variable.name, 60)));
  const label = (knob: Knob) =>
    `${shortened(knob.name, 60)} over ${over}, in ${counted(policy.rows.length, "region")}; a table follows. The arrow keys move between regions.`;
  return (
    <div class="policy-pictures">
      {knobs.map((knob) => (
        <div key={knob.name}>
          {y && <h3>{knob.name}</h3>}
          <PolicyChart variables={y ? [x, y] : [x]} knob={knob} rows={policy.rows} label={label(knob)} />
          {y && (
            <div class="legend chart-legend">
              <KnobColours knob={knob} />
            </div>
          )}
        </div>
      ))}
      <p class="note">
        {!y &&
          "Each bar is the setting of a region of contexts. Bars with more pulls are thicker and darker. "}
        {space.length > knobs.length &&
          `The ${counted(knobs.length, "knob")} whose setting differs most are drawn; the table has all of them.`}
      </p>
    </div>
  );
}

/** The effect of contexts on the rewards of all settings, which does not change decisions. */
function Effects(props: { variables: Variable[]; policy: Policy }) {
  const effects = props.variables.flatMap((variable) => {
    const parts = props.policy.effects[variable.name] ?? [];
    return parts.length > 0 ? [{ variable, parts }] : [];
  });
  if (effects.length === 0) return null;
  return (
    <section class="policy-effects" aria-labelledby="policy-effects">
      <h3 id="policy-effects">The effect of the context on the rewards of all settings</h3>
      <div class="policy-effect-list">
        {effects.map(({ variable, parts }) => {
          const words = effectSentence(variable, parts);
          return (
            <div key={variable.name}>
              <EffectChart variable={variable} parts={parts} label={`Effect of ${variable.name}. ${words}`} />
              <p class="note">{words}</p>
            </div>
          );
        })}
      </div>
    </section>
  );
}

function Rows(props: { variables: Variable[]; policy: Policy; level: number }) {
  const { policy, variables } = props;
  const hasLimits = policy.rows.some((row) => row.limits);
  return (
    <>
      <div
        class="scroll tall"
        tabIndex={0}
        role="region"
        aria-label="The setting for each region of contexts"
      >
        <table>
          <thead>
            <tr>
              <th scope="col">Row</th>
              <th scope="col">Where</th>
              <th scope="col">Setting</th>
              <th scope="col" class="number">
                Mean
              </th>
              <th scope="col" class="number">
                {percent(props.level)} interval
              </th>
              <th scope="col" class="number">
                Its pulls
              </th>
              <th scope="col">May equal row</th>
              {hasLimits && <th scope="col">Limits</th>}
            </tr>
          </thead>
          <tbody>
            {policy.rows.map((row, i) => {
              const texts = rowTexts(row);
              return (
                <tr key={i}>
                  <th scope="row">{whole(i + 1)}</th>
                  <td class="any">{whereText(variables, row)}</td>
                  <td class="any">{shortened(texts.setting, 160)}</td>
                  <td class="number">{texts.mean}</td>
                  <td class="number">{texts.interval || "none yet"}</td>
                  <td class="number">{texts.pulls}</td>
                  <td>{neighboursText(row)}</td>
                  {hasLimits && <td class="any">{limitsText(row)}</td>}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p class="note">Each interval is for the mean reward of a setting over the contexts of its region.</p>
    </>
  );
}
