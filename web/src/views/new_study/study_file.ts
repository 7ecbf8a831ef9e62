import { useEffect, useMemo, useState } from "preact/hooks";
import { mayPass } from "../../api/source";
import type { Checked } from "../../api/types";
import { usePage } from "../../ui/context";

const REST = 200; // milliseconds without typing
const TRY_AGAIN = 5000;

/** A study file as JSON, without defaults and not yet checked. */
export type Given = Record<string, unknown>;

/** The last edit, of the text or of the form; an empty object for a new fork. */
export type Edit = { toml: string } | { specification: Given } | Record<string, never>;

/** A study file as text and as JSON, with the server's check of it. */
export interface Known {
  text: string;
  given: Given;
  /** The last answer, possibly for an older text. */
  checked: Checked | null;
  error: Error | null;
}

/** Updates whichever of the text and the form was not edited from the server's answer. */
export function withAnswer(known: Known, edit: Edit, checked: Checked): Known {
  return {
    text: "toml" in edit ? known.text : (checked.toml ?? known.text),
    given: "specification" in edit ? known.given : (checked.given ?? known.given),
    checked,
    error: null,
  };
}

/** Sends each edit to the server after a pause in typing, to check it and convert it: text to form, or form to text. The last edit wins. */
export function useStudyFile(first: Edit, name: string, forkOf?: string) {
  const { source } = usePage();
  const [edit, setEdit] = useState(first);
  const [known, setKnown] = useState<Known>({
    text: "",
    given: "specification" in first ? first.specification : {},
    checked: null,
    error: null,
  });
  const question = useMemo(
    () => ({ ...edit, name: name === "" ? undefined : name, fork_of: forkOf }),
    [edit, name, forkOf],
  );
  const [settled, setSettled] = useState<unknown>(null);
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const check = async () => {
      try {
        const checked = await source.send<Checked>("POST", "/v1/checks", question, signal);
        if (signal.aborted) return;
        setKnown((last) => withAnswer(last, edit, checked));
        setSettled(question);
      } catch (problem) {
        if (signal.aborted) return;
        const error = problem as Error;
        setKnown((last) => ({ ...last, error }));
        if (mayPass(error)) timer = window.setTimeout(check, TRY_AGAIN);
      }
    };
    let timer = window.setTimeout(check, edit === first ? 0 : REST);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [question, source]);
  const isBusy = settled !== question;
  return {
    ...known,
    isBusy,
    /** The form is older than the text, so editing it would undo edits of the text. */
    isFormBehind: isBusy && "toml" in edit,
    isTextBehind: isBusy && "specification" in edit,
    setText: (text: string) => {
      setEdit({ toml: text });
      setKnown((last) => ({ ...last, text }));
    },
    setGiven: (given: Given) => {
      setEdit({ specification: given });
      setKnown((last) => ({ ...last, given }));
    },
  };
}

export type StudyFile = ReturnType<typeof useStudyFile>;
