import type { ComponentChildren } from "preact";
import type { Phase } from "../api/types";
import { Unreachable } from "../api/source";
import { duration } from "../format/times";
import { Boundary } from "./boundary";
import { useNow } from "./hooks";

/** One question and its answer. */
export function Card(props: {
  title: string;
  note?: ComponentChildren;
  tools?: ComponentChildren;
  children: ComponentChildren;
  id?: string;
}) {
  const id = props.id ?? props.title.toLowerCase().replace(/[^a-z]+/g, "-");
  return (
    <section class="card" aria-labelledby={id}>
      <header class="card-head">
        <h2 id={id}>{props.title}</h2>
        {props.tools && <div class="tools">{props.tools}</div>}
        {props.note && <p class="note">{props.note}</p>}
      </header>
      <Boundary>{props.children}</Boundary>
    </section>
  );
}

/** Why there is nothing to see, and what to do about it. */
export function Empty(props: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{props.title}</p>
      {props.children}
    </div>
  );
}

/** Room for what is on its way. */
export function Loading(props: { height?: number; label?: string }) {
  return (
    <div class="loading" role="status" style={{ height: props.height ?? 160 }}>
      <span class="hidden">{props.label ?? "Loading"}</span>
    </div>
  );
}

export function Failure(props: { error: Error }) {
  return (
    <div class="failure" role="alert">
      <strong>{props.error instanceof Unreachable ? "No answer" : "This did not work"}</strong>
      <span>{props.error.message}</span>
    </div>
  );
}

/** After how many seconds without an event a study that runs is called silent. */
export const SILENT_AFTER = 120;

/** running, waiting, finished, failed; or silent, and for how long. */
export function stateOf(
  item: { phase: Phase; updated: number },
  now: number,
): { word: string; detail?: string } {
  const quiet = now - item.updated;
  if (item.phase === "running" && quiet > SILENT_AFTER)
    return { word: "silent", detail: `for ${duration(quiet)}` };
  return { word: item.phase };
}

interface Stated {
  phase: Phase;
  updated: number;
  why?: string;
}

/** The state as it is now, by a clock that is ahead of the one here. */
export function LiveStateBadge(props: { item: Stated; ahead: number }) {
  return <StateBadge item={props.item} now={useNow(1) + props.ahead} />;
}

export function StateBadge(props: { item: Stated; now: number }) {
  const { word, detail } = stateOf(props.item, props.now);
  return (
    <span class={`badge badge-${word}`} title={props.item.why}>
      <span class="dot" aria-hidden="true" />
      {word}
      {detail && ` ${detail}`}
    </span>
  );
}
