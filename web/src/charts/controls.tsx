/** A choice between a few values. */
export function Segments<T extends string>(props: {
  label: string;
  options: [value: T, text: string][];
  value: T;
  choose: (value: T) => void;
}) {
  return (
    <div class="segments" role="group" aria-label={props.label}>
      {props.options.map(([value, text]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.value}
          onClick={() => props.choose(value)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

/** Buttons to zoom in, zoom out, and show all. */
export function ZoomButtons(props: { zoom: (factor: number) => void; all: () => void; isAll: boolean }) {
  return (
    <div class="segments" role="group" aria-label="Zoom">
      <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick={() => props.zoom(0.5)}>
        +
      </button>
      <button
        type="button"
        aria-label="Zoom out"
        title="Zoom out (−)"
        disabled={props.isAll}
        onClick={() => props.zoom(2)}
      >
        −
      </button>
      <button type="button" title="Show all (0)" disabled={props.isAll} onClick={props.all}>
        All
      </button>
    </div>
  );
}
