import { Refusal, type Source } from "./source";

/** The server's answers by path at the time the report was written. */
export type Answers = Record<string, unknown>;

/** The data source of a report, which has only the answers that it was written with. */
export function frozenSource(answers: Answers): Source {
  const none = (detail: string) =>
    Promise.reject(new Refusal({ title: "Not in this report", status: 404, code: "not_in_report", detail }));
  return {
    frozen: true,
    get<T>(path: string) {
      return path in answers
        ? Promise.resolve(answers[path] as T)
        : none("The report does not include this.");
    },
    send: () => none("A report is read-only."),
    follow: () => none("A report does not change."),
  };
}

/** The answers embedded in a report; null for a served page. */
export function answersInside(document: Document): Answers | null {
  const text = document.getElementById("answers")?.textContent;
  return text ? (JSON.parse(text) as Answers) : null;
}
