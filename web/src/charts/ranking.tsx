import { useState } from "preact/hooks";
import type { Knobs } from "../api/types";
import { percent } from "../format/numbers";

const FEW = 8;

/** The importance of each knob. */
export function Ranking(props: { knobs: Knobs; chosen: string[] }) {
  const [isAll, setAll] = useState(false);
  const { knobs, basis } = props.knobs;
  const shown = isAll ? knobs : knobs.slice(0, FEW);
  const isUnclear = shown.some((knob) => !knob.is_significant);
  return (
    <section class="ranking" aria-labelledby="ranking-title">
      <h3 id="ranking-title">Which knobs matter?</h3>
      <ol>
        {shown.map((knob) => (
          <li key={knob.name} class={knob.is_significant ? undefined : "unclear"}>
            <span
              class={props.chosen.includes(knob.name) ? "ranking-name is-chosen" : "ranking-name"}
              title={knob.name}
            >
              {knob.name}
            </span>
            <span class="ranking-share">{knob.is_significant ? percent(knob.share) : "not significant"}</span>
            <span class="ranking-bar" aria-hidden="true">
              <span style={{ width: `${100 * Math.min(1, Math.max(0, knob.share))}%` }} />
            </span>
          </li>
        ))}
      </ol>
      {knobs.length > FEW && (
        <button type="button" class="quiet" onClick={() => setAll(!isAll)}>
          {isAll ? "Show fewer" : `Show all ${knobs.length}`}
        </button>
      )}
      <p class="note">
        {basis} {isUnclear && "Not significant: could be due to chance."}
      </p>
    </section>
  );
}
