import { Refusal, type Source } from "./source";

/** Answers by path, as the server gave them when the report was written. */
export type Answers = Record<string, unknown>;

/** A report: what was asked when it was written can be asked again, and nothing else. */
export function frozenSource(answers: Answers): Source {
  const none = (detail: string) =>
    Promise.reject(new Refusal({ title: "Not in this report", status: 404, code: "not_in_report", detail }));
  return {
    frozen: true,
    get<T>(path: string) {
      return path in answers
        ? Promise.resolve(answers[path] as T)
        : none("This is not a part of the report.");
    },
    send: () => none("A report is read-only."),
    follow: () => none("A report does not change."),
  };
}

/** The answers that a report has inside, or null: the page was served. */
export function answersInside(document: Document): Answers | null {
  const text = document.getElementById("answers")?.textContent;
  return text ? (JSON.parse(text) as Answers) : null;
}
