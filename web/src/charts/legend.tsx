import type { ComponentChildren } from "preact";

export type KeyShape =
  | "line"
  | "band"
  | "range"
  | "dots"
  | "baseline"
  | "failure"
  | "change"
  | "level"
  | "changed"
  | "mark"
  | "ring"
  | "square"
  | "bound"
  | "bars"
  | "arms"
  | "tried"
  | "contour"
  | "unknown";

/** An entry of a legend: a symbol and its text. */
export function Key(props: { shape: KeyShape; children: ComponentChildren }) {
  return (
    <span class="key">
      <svg
        class={`swatch swatch-${props.shape}`}
        viewBox="0 0 22 12"
        width="22"
        height="12"
        aria-hidden="true"
      >
        {drawing(props.shape)}
      </svg>
      {props.children}
    </span>
  );
}

function drawing(shape: KeyShape) {
  switch (shape) {
    case "line":
    case "level":
    case "baseline":
    case "bound":
      return <path d="M0 6H22" />;
    case "band":
    case "range":
      return <rect width="22" height="12" rx="2" />;
    case "dots":
    case "arms":
    case "tried":
      return (
        <>
          <circle cx="4" cy="8" r="2" />
          <circle cx="11" cy="4" r={shape === "dots" ? 2 : 3} />
          <circle cx="18" cy="7" r="2" />
        </>
      );
    case "contour":
      return (
        <>
          <rect width="22" height="12" rx="2" />
          <path d="M0 9C7 9 8 3 22 3" />
        </>
      );
    case "failure":
      return <path d="M8 3l6 6M14 3 8 9" />;
    case "change":
      return <path d="M5 2v8M9 2v8M16 2v8" />;
    case "mark":
    case "changed":
      return <path d="M11 0V12" />;
    case "ring":
      return <circle cx="11" cy="6" r="4.5" />;
    case "square":
      return <rect x="7" y="2" width="8" height="8" />;
    case "bars":
      return <path d="M2 12V7h4v5M8 12V2h4v10M14 12V5h4v7" />;
    case "unknown":
      return <path d="M0 12 12 0M6 12 18 0M12 12 22 2" />;
  }
}
