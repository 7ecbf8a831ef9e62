import { useEffect, useState } from "preact/hooks";

/** A number that somebody types. What is no number yet stays here; what is goes out. */
export function NumberField(props: {
  label: string;
  value: number | undefined;
  /** What it is when nothing is typed. */
  usual?: string;
  disabled?: boolean;
  change: (value: number | undefined) => void;
}) {
  const [text, setText] = useState(shown(props.value));
  useEffect(() => {
    if (numberIn(text) !== props.value) setText(shown(props.value));
  }, [props.value]);
  const isWrong = text.trim() !== "" && numberIn(text) === undefined;
  return (
    <label>
      {props.label}
      <input
        inputMode="decimal"
        value={text}
        placeholder={props.usual}
        disabled={props.disabled}
        aria-invalid={isWrong}
        onInput={(event) => {
          const typed = event.currentTarget.value;
          setText(typed);
          const number = numberIn(typed);
          if (number !== undefined || typed.trim() === "") props.change(number);
        }}
      />
    </label>
  );
}

const shown = (value: number | undefined) => (value === undefined ? "" : String(value));

/** A number as programs write it: a comma could be for thousands, or for decimals. */
export function numberIn(text: string): number | undefined {
  const number = Number(text.trim());
  return text.trim() !== "" && Number.isFinite(number) ? number : undefined;
}
