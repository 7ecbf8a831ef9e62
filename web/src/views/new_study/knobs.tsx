import { useEffect, useState } from "preact/hooks";
import type { Catalogue } from "../../api/types";
import { NumberField } from "./number_field";

/** A knob of a study file that is being edited; its fields may have any values. */
export type DraftKnob = Record<string, unknown>;

const textIn = (value: unknown) => (typeof value === "string" ? value : "");
const numberOf = (value: unknown) => (typeof value === "number" ? value : undefined);
const textsIn = (value: unknown) =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];

/** The knobs of a study: add, change, reorder and remove them. */
export function KnobList(props: {
  knobs: DraftKnob[];
  catalogue: Catalogue;
  /** The mistakes in the knob at an index. */
  mistakes: (index: number) => string[];
  disabled: boolean;
  change: (knobs: DraftKnob[]) => void;
}) {
  const { knobs, change, disabled } = props;
  const set = (index: number, knob: DraftKnob) => change(knobs.map((each, i) => (i === index ? knob : each)));
  const remove = (index: number) => change(knobs.filter((_, i) => i !== index));
  const swapWithNext = (index: number) =>
    change(knobs.map((each, i) => (i === index ? knobs[i + 1]! : i === index + 1 ? knobs[i - 1]! : each)));
  return (
    <fieldset class="knobs">
      <legend>Knobs</legend>
      {knobs.map((knob, i) => {
        const name = textIn(knob.name);
        return (
          <div class="knob-card" key={i} role="group" aria-label={name || `Knob ${i + 1}`}>
            <KnobFields
              knob={knob}
              catalogue={props.catalogue}
              disabled={disabled}
              change={(changed) => set(i, changed)}
            />
            <div class="knob-tools">
              <button
                type="button"
                class="quiet icon"
                aria-label={`Move ${name || "this knob"} up`}
                disabled={disabled || i === 0}
                onClick={() => swapWithNext(i - 1)}
              >
                ↑
              </button>
              <button
                type="button"
                class="quiet icon"
                aria-label={`Move ${name || "this knob"} down`}
                disabled={disabled || i === knobs.length - 1}
                onClick={() => swapWithNext(i)}
              >
                ↓
              </button>
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${name || "this knob"}`}
                disabled={disabled || knobs.length === 1}
                onClick={() => remove(i)}
              >
                Remove
              </button>
            </div>
            {props.mistakes(i).map((mistake) => (
              <p class="wrong" key={mistake}>
                {mistake}
              </p>
            ))}
          </div>
        );
      })}
      <button type="button" disabled={disabled} onClick={() => change([...knobs, newKnob(knobs)])}>
        Add a knob
      </button>
    </fieldset>
  );
}

function newKnob(knobs: DraftKnob[]): DraftKnob {
  const taken = new Set(knobs.map((knob) => knob.name));
  for (let i = knobs.length + 1; ; ++i)
    if (!taken.has(`knob_${i}`)) return { name: `knob_${i}`, type: "real", low: 0, high: 1 };
}

const TYPE_LABELS: Record<string, string> = {
  real: "a number",
  integer: "a whole number",
  choice: "one of a list",
};

function KnobFields(props: {
  knob: DraftKnob;
  catalogue: Catalogue;
  disabled: boolean;
  change: (knob: DraftKnob) => void;
}) {
  const { knob, catalogue, disabled } = props;
  const change = (part: DraftKnob) => props.change({ ...knob, ...part });
  const type = textIn(knob.type) || catalogue.defaults.parameter;
  const fields = catalogue.parameters.find((each) => each.type === type)?.fields ?? [];
  const fieldOf = (name: string) => fields.find((field) => field.name === name);
  const has = (name: string) => fieldOf(name) !== undefined;
  const usual = (name: string) => String(fieldOf(name)?.default ?? "");
  const number = (label: string, name: string) =>
    has(name) && (
      <NumberField
        label={label}
        usual={usual(name)}
        value={numberOf(knob[name])}
        disabled={disabled}
        change={(value) => change({ [name]: value })}
      />
    );
  return (
    <div class="knob-fields">
      <label class="wide-field">
        Name
        <input
          value={textIn(knob.name)}
          disabled={disabled}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => change({ name: event.currentTarget.value })}
        />
      </label>
      <label class="wide-field">
        Kind
        <select
          value={type}
          disabled={disabled}
          onChange={(event) => props.change(asType(knob, event.currentTarget.value))}
        >
          {catalogue.parameters.map((each) => (
            <option key={each.type} value={each.type}>
              {TYPE_LABELS[each.type] ?? each.type}
            </option>
          ))}
        </select>
      </label>
      {has("choices") && (
        <Choices
          choices={textsIn(knob.choices)}
          disabled={disabled}
          change={(choices) => change({ choices })}
        />
      )}
      {number("From", "low")}
      {number("To", "high")}
      {has("scale") && (
        <label>
          Scale
          <select
            value={textIn(knob.scale) || usual("scale")}
            disabled={disabled}
            onChange={(event) => change({ scale: event.currentTarget.value })}
          >
            {fieldOf("scale")?.words?.map((word) => (
              <option key={word} value={word}>
                {word}
              </option>
            ))}
          </select>
        </label>
      )}
      {number("Step", "step")}
    </div>
  );
}

/** A text area with one value per line. Empty lines are ignored. */
function Choices(props: { choices: string[]; disabled: boolean; change: (choices: string[]) => void }) {
  const [text, setText] = useState(props.choices.join("\n"));
  const same = (typed: string) => linesIn(typed).join("\n") === props.choices.join("\n");
  useEffect(() => {
    if (!same(text)) setText(props.choices.join("\n"));
  }, [props.choices.join("\n")]);
  return (
    <label class="whole-field">
      Choices, one per line, with similar ones next to each other
      <textarea
        rows={Math.max(3, Math.min(8, props.choices.length + 1))}
        value={text}
        disabled={props.disabled}
        spellcheck={false}
        onInput={(event) => {
          setText(event.currentTarget.value);
          props.change(linesIn(event.currentTarget.value));
        }}
      />
    </label>
  );
}

function linesIn(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** Converts a knob to another type and keeps the fields that fit. */
export function asType(knob: DraftKnob, type: string): DraftKnob {
  const { name } = knob;
  if (type === "choice") return { name, type, choices: ["a", "b"] };
  const low = numberOf(knob.low) ?? 0;
  const high = numberOf(knob.high) ?? (type === "integer" ? 10 : 1);
  if (type !== "integer") return { name, type, low, high, scale: knob.scale };
  const first = Math.round(low);
  return { name, type, low: first, high: Math.max(first + 1, Math.round(high)), scale: knob.scale };
}
