import type { Study } from "../../api/types";
import type { Feed } from "../../ui/feed";

/** What every part of the page about a study is given. */
export interface StudyParts {
  name: string;
  study: Study;
  feed: Feed;
}
