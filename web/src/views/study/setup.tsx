import type { ComponentChildren } from "preact";
import { studyPath } from "../../api/source";
import type { OptionSetting, Specification, SpecificationAnswer } from "../../api/types";
import { contextVariables, type Variable } from "../../charts/policy_layout";
import { armText } from "../../format/arms";
import { percent, plain, whole } from "../../format/numbers";
import { clock, duration } from "../../format/times";
import { addressOf } from "../../router";
import { usePage } from "../../ui/context";
import { CopyButton } from "../../ui/copy";
import { useAnswer } from "../../ui/hooks";
import { Card } from "../../ui/parts";
import { actionLines, limitText, optionText, rangeText } from "../../words/setup";
import type { StudyParts } from "./parts";

/** The settings of the study. */
export function SetupCard(props: StudyParts) {
  const { study } = props;
  const { source } = usePage();
  const answer = useAnswer<SpecificationAnswer>(studyPath(props.name, "specification"));
  const specification = answer.value?.specification ?? study.specification;
  const options = answer.value?.options;
  return (
    <Card
      title="How is it set up?"
      note={
        <>
          Created on {clock(study.created)}
          {study.forked_from && (
            <>
              {" "}
              as a fork of{" "}
              {source.frozen ? (
                study.forked_from
              ) : (
                <a href={addressOf({ view: "study", name: study.forked_from })}>{study.forked_from}</a>
              )}
            </>
          )}
          .
        </>
      }
    >
      <div class="setup">
        <Axes what="Knob" axes={specification.space} />
        {specification.context && <Axes what="Context" axes={contextVariables(specification)} />}
        <div class="setup-parts">
          <Objective specification={specification} />
          <Part title={`Optimizer: ${specification.optimizer.name}`}>
            {options && <Options options={options.optimizer} />}
          </Part>
          <System specification={specification} options={options?.system ?? []} />
        </div>
        {answer.value?.toml && <StudyFile toml={answer.value.toml} />}
      </div>
    </Card>
  );
}

function Part(props: { title: string; children: ComponentChildren }) {
  return (
    <section class="setup-part">
      <h3>{props.title}</h3>
      {props.children}
    </section>
  );
}

function Axes(props: { what: "Knob" | "Context"; axes: Variable[] }) {
  return (
    <div class="scroll tall" tabIndex={0} role="region" aria-label={`${props.what}s`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{props.what}</th>
            <th scope="col">Type</th>
            <th scope="col">Values</th>
          </tr>
        </thead>
        <tbody>
          {props.axes.map((knob) => (
            <tr key={knob.name}>
              <th scope="row" class="any">
                {knob.name}
              </th>
              <td>{knob.type}</td>
              <td class="any">
                {knob.choices ? <Choices choices={knob.choices} /> : rangeText(knob)}
                {knob.period !== undefined && `, period ${plain(knob.period, 6)}`}
                {knob.source && `, from ${knob.source}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const MOST_CHOICES = 12;

function Choices(props: { choices: string[] }) {
  const { choices } = props;
  if (choices.length <= MOST_CHOICES) return <>{choices.join(", ")}</>;
  return (
    <details>
      <summary>
        {choices.slice(0, 3).join(", ")} and {whole(choices.length - 3)} more
      </summary>
      {choices.join(", ")}
    </details>
  );
}

function Objective(props: { specification: Specification }) {
  const { direction, confidence, budget, limit } = props.specification;
  const range = props.specification.reward_range;
  const numbers = Array.isArray(range) ? (range as number[]) : null;
  return (
    <Part title="Objective">
      <dl class="facts">
        <Fact name="goal">{direction === "maximize" ? "large rewards" : "small rewards"}</Fact>
        <Fact name="range of rewards">
          {numbers ? `${plain(numbers[0])} to ${plain(numbers[1])}` : "learnt from the rewards"}
          {props.specification.hard_range && ", a hard limit"}
        </Fact>
        <Fact name="level of intervals">{percent(confidence)}</Fact>
        {budget &&
          Object.entries(budget).map(([name, value]) => (
            <Fact key={name} name={BUDGET_NAMES[name] ?? name}>
              {name === "seconds" && typeof value === "number" ? duration(value) : optionText(value)}
            </Fact>
          ))}
        {(Array.isArray(limit) ? limit : []).map((each) => (
          <Fact key={each.metric} name={`limit on ${each.metric}`}>
            {limitText(each)}
          </Fact>
        ))}
      </dl>
    </Part>
  );
}

const BUDGET_NAMES: Record<string, string> = {
  pulls: "budget in pulls",
  seconds: "budget in time",
  confirm_pulls: "pulls to confirm",
};

function System(props: { specification: Specification; options: OptionSetting[] }) {
  const { system, baseline } = props.specification;
  if (!system) {
    return (
      <Part title="System">
        <p class="note">Workers ask for settings and report their rewards. There is no command to run.</p>
      </Part>
    );
  }
  return (
    <Part title="System">
      <dl class="facts">
        {(["apply", "measure", "process"] as const).map(
          (name) =>
            system[name] !== undefined && (
              <Fact key={name} name={name}>
                {actionLines(system[name]).map((line) => (
                  <div key={line}>
                    <code>{line}</code>
                  </div>
                ))}
              </Fact>
            ),
        )}
        {baseline && <Fact name="baseline">{armText(baseline.setting)}</Fact>}
      </dl>
      <Options options={props.options} />
    </Part>
  );
}

/** Options that differ from their defaults; the others are folded. */
function Options(props: { options: OptionSetting[] }) {
  const chosen = props.options.filter((option) => !option.is_default);
  const usual = props.options.filter((option) => option.is_default);
  return (
    <>
      {chosen.length > 0 ? (
        <OptionList options={chosen} />
      ) : (
        <p class="note">All options have their default values.</p>
      )}
      {usual.length > 0 && (
        <details class="usual">
          <summary>
            {whole(usual.length)} {usual.length === 1 ? "option" : "options"} with default values
          </summary>
          <OptionList options={usual} />
        </details>
      )}
    </>
  );
}

function OptionList(props: { options: OptionSetting[] }) {
  return (
    <dl class="facts">
      {props.options.map(({ name, value }) => (
        <Fact key={name} name={name}>
          {optionText(value)}
        </Fact>
      ))}
    </dl>
  );
}

function Fact(props: { name: string; children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}

function StudyFile(props: { toml: string }) {
  return (
    <details class="study-file">
      <summary>The study file</summary>
      <div class="study-file-inside">
        <CopyButton text={props.toml} label="Copy the study file" />
        <pre tabIndex={0} role="region" aria-label="The study file">
          {props.toml}
        </pre>
      </div>
    </details>
  );
}
