import { useMemo, useState } from "preact/hooks";
import type { Glance } from "../api/types";
import { CompareChart, DASHES } from "../charts/compare_chart";
import { Segments } from "../charts/controls";
import { runningMean } from "../charts/running";
import type { By } from "../charts/thin";
import { counted } from "../charts/words";
import { measured, whole } from "../format/numbers";
import { addressOf, goTo } from "../router";
import { useNow } from "../ui/hooks";
import { Card, Empty, Failure, Loading, StateBadge } from "../ui/parts";
import { sizeText, upliftWords } from "../words/uplift";
import { type Compared, noteOf, suggestions, useCompared } from "./compare/compared";
import { useStudies } from "./studies/list";

const MOST = 6;
const SUGGESTIONS = 8;
const EVERY = 10; // seconds between requests for a running study

/** Compares studies in one plot. */
export function CompareView(props: { names: string[] }) {
  const names = [...new Set(props.names)].slice(0, MOST);
  const [by, setBy] = useState<By>("pulls");
  const now = useNow(EVERY);
  const compared = useCompared(names, now);
  const set = (next: string[]) => goTo({ view: "compare", names: next });
  const drawn = compared.filter((study) => study.history && study.history.extent.pulls[1] > 0);
  const lines = useMemo(
    () => drawn.map((study) => (study.history ? runningMean(study.history, by) : { x: [], y: [] })),
    [drawn.map((study) => `${study.name} ${study.history?.extent.pulls[1]}`).join("\n"), by],
  );
  return (
    <div class="compare">
      <h1>Compare studies</h1>
      <Picker names={names} set={set} />
      {names.length < 2 && (
        <Empty
          title={names.length === 0 ? "Choose two or more studies." : "Choose another study to compare."}
        >
          <p>The studies are drawn in one plot. The address of the page keeps your choice.</p>
        </Empty>
      )}
      {names.length > 0 && (
        <Card
          title="How do the studies compare?"
          note={noteOf(compared)}
          tools={
            <Segments
              label="Along the axis"
              options={[
                ["pulls", "Pulls"],
                ["time", "Hours"],
              ]}
              value={by}
              choose={setBy}
            />
          }
        >
          {compared.some((study) => !study.history && !study.error) ? (
            <Loading height={380} label="Loading rewards" />
          ) : drawn.length === 0 ? (
            <Empty title="There are no rewards yet." />
          ) : (
            <CompareChart
              names={drawn.map((study) => study.name)}
              lines={lines}
              by={by}
              label={`The mean reward so far of ${counted(drawn.length, "study", "studies")}, over ${by === "pulls" ? "pulls" : "hours since each began"}. The table below has their best settings.`}
            />
          )}
          <CompareTable
            compared={compared}
            drawn={drawn.map((study) => study.name)}
            now={now}
            remove={(name) => set(names.filter((other) => other !== name))}
          />
        </Card>
      )}
    </div>
  );
}

/** A search field for studies by parts of their names. */
function Picker(props: { names: string[]; set: (names: string[]) => void }) {
  const [text, setText] = useState("");
  const list = useStudies();
  const isFull = props.names.length >= MOST;
  const found = suggestions(list.items ?? [], props.names, text);
  return (
    <div class="picker">
      <label>
        {isFull ? `${MOST} studies, the maximum` : "Add a study"}
        <input
          type="search"
          placeholder="Search by name"
          value={text}
          disabled={isFull}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {list.error && <Failure error={list.error} />}
      {!isFull && (
        <ul class="suggestions" aria-label="Studies to add">
          {found.slice(0, SUGGESTIONS).map((study) => (
            <li key={study.name}>
              <button
                type="button"
                title={study.name}
                onClick={() => {
                  props.set([...props.names, study.name]);
                  setText("");
                }}
              >
                <span aria-hidden="true">+</span> <span class="suggestion-name">{study.name}</span>
              </button>
            </li>
          ))}
          {found.length > SUGGESTIONS && <li class="note">and {whole(found.length - SUGGESTIONS)} more</li>}
          {found.length === 0 && text !== "" && <li class="note">No study name contains this text.</li>}
        </ul>
      )}
    </div>
  );
}

function CompareTable(props: {
  compared: Compared[];
  drawn: string[];
  now: number;
  remove: (name: string) => void;
}) {
  return (
    <div class="scroll compare-table" tabIndex={0} role="region" aria-label="The best setting of each study">
      <table>
        <thead>
          <tr>
            <th scope="col">Study</th>
            <th scope="col" class="number">
              Best mean
            </th>
            <th scope="col" class="number">
              Interval
            </th>
            <th scope="col" class="number">
              Uplift
            </th>
            <th scope="col" class="number">
              Pulls
            </th>
            <th scope="col">State</th>
            <th scope="col">
              <span class="hidden">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {props.compared.map(({ name, glance, error, ahead }) => {
            const best = glance?.best;
            const text = best ? measured(best.mean, best.lower, best.upper) : null;
            return (
              <tr key={name}>
                <td>
                  <LineKey index={props.drawn.indexOf(name)} />
                  <a class="compare-name" href={addressOf({ view: "study", name })} title={name}>
                    {name}
                  </a>
                  {error && <span class="wrong"> {error.message}</span>}
                </td>
                <td class="number">{text?.mean ?? "–"}</td>
                <td class="number">{text?.range || "–"}</td>
                <td class="number">{upliftText(glance)}</td>
                <td class="number">{glance ? whole(glance.pulls) : "–"}</td>
                <td>{glance && <StateBadge item={glance} now={props.now + ahead} />}</td>
                <td>
                  <button
                    type="button"
                    class="quiet icon"
                    aria-label={`Remove ${name}`}
                    title="Remove"
                    onClick={() => props.remove(name)}
                  >
                    ×
                  </button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** "+12 %: +0.12 (+0.08 to +0.16)" */
function upliftText(glance: Glance | null): string {
  const uplift = glance?.best?.uplift;
  if (!uplift) return "–";
  const words = upliftWords(uplift);
  return (words.share && `${words.share}: `) + sizeText(words);
}

function LineKey(props: { index: number }) {
  if (props.index < 0) return <span class="line-key" />;
  return (
    <svg
      class={`line-key line-key-${props.index + 1}`}
      viewBox="0 0 28 8"
      width="28"
      height="8"
      aria-hidden="true"
    >
      <path d="M0 4H28" stroke-dasharray={DASHES[props.index]?.join(" ")} />
    </svg>
  );
}
