import type { Study } from "../../api/types";
import type { Feed } from "../../ui/feed";

/** The properties that every card of a study has. */
export interface StudyParts {
  name: string;
  study: Study;
  feed: Feed;
}
