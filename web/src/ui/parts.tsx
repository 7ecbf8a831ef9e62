import type { ComponentChildren } from "preact";
import type { Phase } from "../api/types";
import { Unreachable } from "../api/source";
import { duration } from "../format/times";
import { Boundary } from "./boundary";
import { useNow } from "./hooks";

/** A card: a question and its answer. */
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

/** Shown in place of missing data: the reason, and what to do. */
export function Empty(props: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{props.title}</p>
      {props.children}
    </div>
  );
}

/** A placeholder while data is loading. */
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
      <strong>
        {props.error instanceof Unreachable ? "The server does not answer" : "The request failed"}
      </strong>
      <span>{props.error.message}</span>
    </div>
  );
}

/** Seconds without an event after which a running study counts as silent. */
export const SILENT_AFTER = 120;

/** running, waiting, finished, failed; or silent with the duration. */
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

/** The present state, by the server's clock. */
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
