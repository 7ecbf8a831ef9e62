import { studyPath } from "../api/source";
import type { Study } from "../api/types";
import { Boundary } from "../ui/boundary";
import { usePage } from "../ui/context";
import { connectionWords, useFeed } from "../ui/feed";
import { useAnswer } from "../ui/hooks";
import { Empty, Failure, LiveStateBadge, Loading, StateBadge } from "../ui/parts";
import { readable } from "../words/readable";
import { CommandsBar } from "./study/commands";
import { BestCard } from "./study/best";
import { JournalCard } from "./study/journal";
import { KnowledgeCard } from "./study/knowledge";
import type { StudyParts } from "./study/parts";
import { PolicyCard } from "./study/policy";
import { ProgressCard } from "./study/progress";
import { SetupCard } from "./study/setup";
import { TreeCard } from "./study/tree";

const PARTS = [BestCard, PolicyCard, ProgressCard, KnowledgeCard, TreeCard, JournalCard, SetupCard];

/** The page of a study, with a card for each question. */
export function StudyView(props: { name: string }) {
  const feed = useFeed(props.name);
  const study = useAnswer<Study>(studyPath(props.name));
  const { source } = usePage();
  if (feed.connection === "gone") {
    return (
      <Empty title={`There is no study ${props.name}.`}>
        <p>
          It may have been deleted. <a href="#/">Show all studies.</a>
        </p>
      </Empty>
    );
  }
  if (!study.value) return study.error ? <Failure error={study.error} /> : <Loading height={400} />;
  const parts: StudyParts = { name: props.name, study: study.value, feed };
  const trouble = connectionWords(feed);
  const state = feed.summary ?? study.value;
  return (
    <article class="study">
      <header class="study-head">
        <h1>{props.name}</h1>
        {source.frozen ? (
          <StateBadge item={state} now={feed.summary?.now ?? state.updated} />
        ) : (
          <LiveStateBadge item={state} ahead={feed.ahead} />
        )}
        {state.why && <span class="why">{readable(state.why)}</span>}
        <CommandsBar {...parts} />
      </header>
      {trouble && (
        <p class="banner" role="status">
          {trouble}
        </p>
      )}
      {PARTS.map((Part, i) => (
        <Boundary key={i} around="card">
          <Part {...parts} />
        </Boundary>
      ))}
    </article>
  );
}
