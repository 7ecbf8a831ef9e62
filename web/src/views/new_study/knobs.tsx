import { useEffect, useState } from "preact/hooks";
import type { Knob } from "../../api/types";
import type { DraftKnob } from "../../format/study_file";
import { NumberField } from "./number_field";

export interface KnobChanges {
  set: (index: number, knob: DraftKnob) => void;
  add: () => void;
  remove: (index: number) => void;
  /** Changes places with the next one. */
  swap: (index: number) => void;
}

/** The knobs of a study, to add, to change, to order and to take away. */
export function KnobList(props: {
  knobs: DraftKnob[];
  /** What is wrong with each of them. */
  mistakes: (index: number) => string[];
  disabled: boolean;
  changes: KnobChanges;
}) {
  const { knobs, changes, disabled } = props;
  return (
    <fieldset class="knobs">
      <legend>Knobs</legend>
      {knobs.map((knob, i) => (
        <div class="knob-card" key={i} role="group" aria-label={knob.name || `Knob ${i + 1}`}>
          <KnobFields knob={knob} disabled={disabled} change={(changed) => changes.set(i, changed)} />
          <div class="knob-tools">
            <button
              type="button"
              class="quiet icon"
              aria-label={`Move ${knob.name || "this knob"} up`}
              disabled={disabled || i === 0}
              onClick={() => changes.swap(i - 1)}
            >
              ↑
            </button>
            <button
              type="button"
              class="quiet icon"
              aria-label={`Move ${knob.name || "this knob"} down`}
              disabled={disabled || i === knobs.length - 1}
              onClick={() => changes.swap(i)}
            >
              ↓
            </button>
            <button
              type="button"
              class="quiet"
              aria-label={`Remove ${knob.name || "this knob"}`}
              disabled={disabled || knobs.length === 1}
              onClick={() => changes.remove(i)}
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
      ))}
      <button type="button" disabled={disabled} onClick={changes.add}>
        Add a knob
      </button>
    </fieldset>
  );
}

const TYPES: { type: Knob["type"]; label: string }[] = [
  { type: "real", label: "a number" },
  { type: "integer", label: "a whole number" },
  { type: "choice", label: "one of a list" },
];

function KnobFields(props: { knob: DraftKnob; disabled: boolean; change: (knob: DraftKnob) => void }) {
  const { knob, disabled } = props;
  const change = (part: Partial<DraftKnob>) => props.change({ ...knob, ...part });
  return (
    <div class="knob-fields">
      <label class="wide-field">
        Name
        <input
          value={knob.name}
          disabled={disabled}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => change({ name: event.currentTarget.value })}
        />
      </label>
      <label class="wide-field">
        Kind
        <select
          value={knob.type}
          disabled={disabled}
          onChange={(event) => props.change(asType(knob, event.currentTarget.value as Knob["type"]))}
        >
          {TYPES.map(({ type, label }) => (
            <option key={type} value={type}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {knob.type === "choice" ? (
        <Choices choices={knob.choices ?? []} disabled={disabled} change={(choices) => change({ choices })} />
      ) : (
        <>
          <NumberField label="From" value={knob.low} disabled={disabled} change={(low) => change({ low })} />
          <NumberField label="To" value={knob.high} disabled={disabled} change={(high) => change({ high })} />
          <label>
            Scale
            <select
              value={knob.scale ?? "linear"}
              disabled={disabled}
              onChange={(event) => change({ scale: event.currentTarget.value as "linear" | "log" })}
            >
              <option value="linear">linear</option>
              <option value="log">log</option>
            </select>
          </label>
          {knob.type === "integer" && (
            <NumberField
              label="Step"
              usual="1"
              value={knob.step}
              disabled={disabled}
              change={(step) => change({ step })}
            />
          )}
        </>
      )}
    </div>
  );
}

/** One in a line. Empty lines are nothing, but may be typed. */
function Choices(props: { choices: string[]; disabled: boolean; change: (choices: string[]) => void }) {
  const [text, setText] = useState(props.choices.join("\n"));
  const same = (typed: string) => linesIn(typed).join("\n") === props.choices.join("\n");
  useEffect(() => {
    if (!same(text)) setText(props.choices.join("\n"));
  }, [props.choices.join("\n")]);
  return (
    <label class="whole-field">
      Choices, one in a line; put similar ones side by side
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

/** The same knob as one of another type, as far as that goes. */
export function asType(knob: DraftKnob, type: Knob["type"]): DraftKnob {
  if (type === "choice") return { name: knob.name, type, choices: knob.choices ?? ["a", "b"] };
  const low = knob.low ?? 0;
  const high = knob.high ?? (type === "integer" ? 10 : 1);
  if (type === "real") return { name: knob.name, type, low, high, scale: knob.scale };
  const first = Math.round(low);
  return {
    name: knob.name,
    type,
    low: first,
    high: Math.max(first + 1, Math.round(high)),
    scale: knob.scale,
  };
}
