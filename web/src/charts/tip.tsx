import type { ComponentChildren } from "preact";

/** A tooltip beside the pointer, on the side where it fits. */
export function Tip(props: { x: number; y: number; width: number; children: ComponentChildren }) {
  const isLeft = props.x > props.width / 2;
  return (
    <div
      class="tip"
      style={{
        left: `${props.x}px`,
        top: `${props.y}px`,
        transform: isLeft ? "translate(calc(-100% - 14px), -50%)" : "translate(14px, -50%)",
        maxWidth: `${Math.max(140, Math.min(352, Math.max(props.x, props.width - props.x) - 20))}px`,
      }}
    >
      {props.children}
    </div>
  );
}

/** Names and values, one per line. */
export function TipRows(props: { rows: [name: string, value: ComponentChildren][] }) {
  return (
    <dl class="tip-rows">
      {props.rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
