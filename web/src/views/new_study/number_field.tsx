import { useEffect, useState } from "preact/hooks";

/** A field for a number. Only valid numbers are passed on. */
export function NumberField(props: {
  label: string;
  value: number | undefined;
  /** The default, shown while the field is empty. */
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

/** Parses a number without commas, which would be ambiguous. */
export function numberIn(text: string): number | undefined {
  const number = Number(text.trim());
  return text.trim() !== "" && Number.isFinite(number) ? number : undefined;
}
