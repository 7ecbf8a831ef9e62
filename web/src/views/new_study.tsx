import { useMemo, useState } from "preact/hooks";
import { Refusal, studyPath } from "../api/source";
import type {
  Catalogue,
  Checked,
  Direction,
  Problem,
  Specification,
  SpecificationAnswer,
} from "../api/types";
import {
  addKnob,
  type Draft,
  FIRST_FILE,
  knobAtLine,
  readDraft,
  removeKnob,
  setDirection,
  setKnob,
  setOptimizer,
  swapKnobs,
  withoutIdentity,
} from "../format/study_file";
import { addressOf, goTo } from "../router";
import { useMay, usePage } from "../ui/context";
import { Editor, goToLine, type LineNote } from "../ui/editor";
import { useAnswer } from "../ui/hooks";
import { Empty, Failure, Loading } from "../ui/parts";
import { forkKeeps, KEPT_SENTENCES } from "../words/forks";
import { nameMistake } from "../words/names";
import { useCheck } from "./new_study/check";
import { KnobList } from "./new_study/knobs";

/** A new study: a form beside the file that it writes. */
export function NewStudyView(props: { forkOf?: string }) {
  const { forkOf } = props;
  const mayMake = useMay("work");
  const original = useAnswer<SpecificationAnswer>(
    forkOf === undefined ? null : studyPath(forkOf, "specification"),
  );
  if (!mayMake) return <Empty title="Your token may look, and not make studies." />;
  if (forkOf === undefined) return <Form file={FIRST_FILE} />;
  if (original.value)
    return (
      <Form
        file={withoutIdentity(original.value.toml)}
        fork={{ of: forkOf, specification: original.value.specification }}
      />
    );
  return original.error ? <Failure error={original.error} /> : <Loading height={400} />;
}

interface Fork {
  of: string;
  specification: Specification;
}

function Form(props: { file: string; fork?: Fork }) {
  const { fork } = props;
  const { source } = usePage();
  const [typed, setName] = useState("");
  const [toml, setToml] = useState(props.file);
  const [problem, setProblem] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const check = useCheck(toml);
  const { checked } = check;
  const inFile =
    checked?.ok && typeof checked.specification.name === "string" ? checked.specification.name : "";
  const name = typed.trim() === "" && !fork ? inFile : typed.trim();

  const create = async () => {
    setBusy(true);
    setProblem(null);
    try {
      if (await exists(name)) throw taken(name);
      await source.send("POST", "/v1/studies", fork ? { name, toml, fork_of: fork.of } : { name, toml });
      goTo({ view: "study", name });
    } catch (error) {
      setProblem(error as Error);
      setBusy(false);
    }
  };
  const exists = (wanted: string) =>
    source.get(studyPath(wanted)).then(
      () => true,
      (error: Error) => {
        if (error instanceof Refusal) return false;
        throw error;
      },
    );

  const nameProblem = nameMistake(name) ?? (problem && problemAt(problem, "name"));
  const isReady =
    name !== "" && nameMistake(name) === null && checked?.ok === true && !check.isBusy && !isBusy;
  return (
    <form
      class="new-study"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) void create();
      }}
    >
      <header>
        <h1>{fork ? `Fork of ${fork.of}` : "New study"}</h1>
        {fork && <ForkNote fork={fork} checked={checked} />}
      </header>
      <div class="new-study-parts">
        <div class="card new-study-form">
          <label>
            Name
            <input
              value={typed}
              placeholder={fork ? "" : inFile}
              autocomplete="off"
              spellcheck={false}
              aria-invalid={nameProblem !== null}
              aria-describedby="name-problem"
              onInput={(event) => {
                setName(event.currentTarget.value);
                setProblem(null);
              }}
            />
          </label>
          <p class="wrong" id="name-problem" role="alert">
            {nameProblem}
          </p>
          <DraftFields toml={toml} setToml={setToml} checked={checked} />
        </div>
        <FilePart
          toml={toml}
          setToml={setToml}
          check={check}
          problem={problem && problemAt(problem, "toml")}
        />
      </div>
      {problem && !nameProblem && problemAt(problem, "toml") === null && <Failure error={problem} />}
      <div class="new-study-end">
        <button class="main" disabled={!isReady}>
          {fork ? "Make the fork" : "Create the study"}
        </button>
        <span class="note">
          {name === ""
            ? "It needs a name."
            : inFile !== "" && inFile !== name
              ? `The file calls it ${inFile}; the name in the form counts.`
              : checked?.ok === false
                ? "The file has mistakes."
                : "Then workers can ask what to try, or canopy tune can run it."}
        </span>
      </div>
    </form>
  );
}

function taken(name: string): Refusal {
  const detail = `There is a study ${name} already.`;
  return new Refusal({ title: "Conflict", status: 409, code: "taken", detail });
}

const NAME_CODES = ["bad_name", "taken", "differs"];

/** What a refusal says about a field; null: nothing. */
function problemAt(error: Error, field: "name" | "toml"): string | null {
  if (!(error instanceof Refusal)) return null;
  const problem: Problem = error.problem;
  const found = problem.errors?.filter((each) => each.field === field).map((each) => each.message) ?? [];
  if (found.length > 0) return found.join(" ");
  const codes = field === "name" ? NAME_CODES : ["bad_specification"];
  return codes.includes(problem.code) ? error.message : null;
}

function ForkNote(props: { fork: Fork; checked: Checked | null }) {
  const { fork, checked } = props;
  return (
    <p class="note">
      A fork is a new study that begins with what{" "}
      <a href={addressOf({ view: "study", name: fork.of })}>{fork.of}</a> has learnt; that one stays as it is.{" "}
      {checked?.ok && KEPT_SENTENCES[forkKeeps(fork.specification, checked.specification)]}
    </p>
  );
}

/** The part of the file that has fields. */
function DraftFields(props: { toml: string; setToml: (toml: string) => void; checked: Checked | null }) {
  const { toml, setToml, checked } = props;
  const { draft, why } = useMemo(() => readDraft(toml), [toml]);
  const catalogue = useAnswer<Catalogue>("/v1/catalogue").value;
  const optimizers = catalogue?.optimizers.map(({ name }) => name) ?? [];
  const [last, setLast] = useState<Draft | null>(draft);
  if (draft && draft !== last) setLast(draft);
  // A file that the form cannot write is shown as the server has understood it, or as it was before.
  const shown = draft ?? (checked?.ok ? draftOf(checked.specification) : last);
  if (!shown) return <p class="note">{why}</p>;
  const mistakes = checked?.ok === false ? checked.errors : [];
  const isOff = draft === null;
  return (
    <>
      {why && (
        <p class="banner" role="status">
          {why}
        </p>
      )}
      <div class="pair">
        <label>
          Wanted
          <select
            value={shown.direction}
            disabled={isOff}
            onChange={(event) => setToml(setDirection(toml, event.currentTarget.value as Direction))}
          >
            <option value="maximize">large rewards (maximize)</option>
            <option value="minimize">small rewards (minimize)</option>
          </select>
        </label>
        <label>
          Optimizer
          <select
            value={shown.optimizer}
            disabled={isOff}
            onChange={(event) => setToml(setOptimizer(toml, event.currentTarget.value))}
          >
            {(optimizers.includes(shown.optimizer) ? optimizers : [...optimizers, shown.optimizer]).map(
              (each) => (
                <option key={each} value={each}>
                  {each === "adaptive" ? "adaptive (needs no tuning)" : each}
                </option>
              ),
            )}
          </select>
        </label>
      </div>
      <KnobList
        knobs={shown.knobs}
        disabled={isOff}
        mistakes={(index) =>
          mistakes
            .filter(({ line }) => line && knobAtLine(toml, line) === index)
            .map(({ message }) => message)
        }
        changes={{
          set: (index, knob) => setToml(setKnob(toml, index, knob)),
          add: () => setToml(addKnob(toml, { name: freshName(shown), type: "real", low: 0, high: 1 })),
          remove: (index) => setToml(removeKnob(toml, index)),
          swap: (index) => setToml(swapKnobs(toml, index)),
        }}
      />
    </>
  );
}

function draftOf(specification: Specification): Draft {
  const { direction, optimizer, space } = specification;
  return { direction, optimizer: optimizer.name, knobs: space };
}

function freshName(draft: Draft): string {
  const taken = new Set(draft.knobs.map((knob) => knob.name));
  for (let i = draft.knobs.length + 1; ; ++i) if (!taken.has(`knob_${i}`)) return `knob_${i}`;
}

const EDITOR = "study-file";

/** The file itself, which is what counts, and what the server thinks of it. */
function FilePart(props: {
  toml: string;
  setToml: (toml: string) => void;
  check: ReturnType<typeof useCheck>;
  problem: string | null;
}) {
  const { toml, check } = props;
  const { checked } = check;
  const errors =
    checked?.ok === false ? [...checked.errors].sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) : [];
  const warnings = checked?.ok ? checked.warnings : [];
  const notes: LineNote[] = errors
    .filter((error) => error.line)
    .map(({ line = 0, message }) => ({ line, message, isError: true }));
  return (
    <div class="card new-study-file">
      <div class="file-head">
        <h2>Study file</h2>
        <span class="note" role="status">
          {check.isBusy
            ? "Checking …"
            : checked?.ok
              ? "The file is fine."
              : checked
                ? mistakesText(errors.length)
                : ""}
        </span>
      </div>
      <Editor
        id={EDITOR}
        label="The study file, as TOML"
        text={toml}
        notes={notes}
        describedBy="file-mistakes"
        change={props.setToml}
      />
      <ul class="mistakes" id="file-mistakes">
        {props.problem && <li class="wrong">{props.problem}</li>}
        {check.error && <li class="wrong">It could not be checked: {check.error.message}</li>}
        {errors.map(({ line, message }) => (
          <li key={`${line} ${message}`} class="wrong">
            {line ? (
              <button type="button" class="small" onClick={() => goToLine(EDITOR, line)}>
                Line {line}
              </button>
            ) : null}
            <span>{message}</span>
          </li>
        ))}
        {warnings.map(({ text }) => (
          <li key={text} class="warning">
            {text}
          </li>
        ))}
      </ul>
    </div>
  );
}

function mistakesText(count: number): string {
  return count === 1 ? "One mistake" : `${count} mistakes`;
}
