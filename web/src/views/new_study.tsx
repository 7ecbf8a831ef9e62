import { useState } from "preact/hooks";
import type { Catalogue, Checked } from "../api/types";
import { addressOf, goTo } from "../router";
import { useMay, usePage } from "../ui/context";
import { Editor, goToLine, type LineNote } from "../ui/editor";
import { useAnswer } from "../ui/hooks";
import { Empty, Failure, Loading } from "../ui/parts";
import { type DraftKnob, KnobList } from "./new_study/knobs";
import { type Given, type StudyFile, useStudyFile } from "./new_study/study_file";

/** The initial study file. */
const FIRST = { specification: { space: [{ name: "x", type: "real", low: 0, high: 1 }] } };
const FORK = {};

/** A new study: a form beside the file that it writes. */
export function NewStudyView(props: { forkOf?: string }) {
  const mayMake = useMay("work");
  const catalogue = useAnswer<Catalogue>(mayMake ? "/v1/catalogue" : null);
  if (!mayMake) return <Empty title="Your token does not allow creating studies." />;
  if (catalogue.value) return <Form forkOf={props.forkOf} catalogue={catalogue.value} />;
  return catalogue.error ? <Failure error={catalogue.error} /> : <Loading height={400} />;
}

function Form(props: { forkOf?: string; catalogue: Catalogue }) {
  const { forkOf } = props;
  const { source } = usePage();
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<Error | null>(null);
  const [isMaking, setMaking] = useState(false);
  const file = useStudyFile(forkOf === undefined ? FIRST : FORK, typed.trim(), forkOf);
  const { checked, error } = file;
  if (!checked) return error ? <Failure error={error} /> : <Loading height={400} />;
  const inFile = typeof file.given.name === "string" ? file.given.name : "";
  const name = typed.trim() || (forkOf === undefined ? inFile : "");
  const nameMistake = checked.errors.find(({ field }) => field === "name")?.message;

  const create = async () => {
    setMaking(true);
    setProblem(null);
    try {
      await source.send("POST", "/v1/studies", { name, toml: file.text, fork_of: forkOf });
      goTo({ view: "study", name });
    } catch (refused) {
      setProblem(refused as Error);
      setMaking(false);
    }
  };
  const isReady = name !== "" && checked.ok && !error && !file.isBusy && !isMaking;
  return (
    <form
      class="new-study"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) void create();
      }}
    >
      <header>
        <h1>{forkOf === undefined ? "New study" : `Fork of ${forkOf}`}</h1>
        {forkOf !== undefined && <ForkNote of={forkOf} checked={checked} />}
      </header>
      <div class="new-study-parts">
        <div class="card new-study-form">
          <label>
            Name
            <input
              value={typed}
              placeholder={forkOf === undefined ? inFile : ""}
              autocomplete="off"
              spellcheck={false}
              aria-invalid={nameMistake !== undefined}
              aria-describedby="name-problem"
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </label>
          <p class="wrong" id="name-problem" role="alert">
            {nameMistake}
          </p>
          <DraftFields file={file} checked={checked} catalogue={props.catalogue} />
        </div>
        <FilePart file={file} checked={checked} />
      </div>
      {problem && <Failure error={problem} />}
      <div class="new-study-end">
        <button class="main" disabled={!isReady}>
          {forkOf === undefined ? "Create the study" : "Create the fork"}
        </button>
        <span class="note">
          {name === ""
            ? "The study needs a name."
            : inFile !== "" && inFile !== name
              ? `The name in the file, ${inFile}, is ignored; the name in the form is used.`
              : fileErrors(checked).length > 0
                ? "The file has mistakes."
                : "Once it is created, workers can ask for settings, or canopy tune can run it."}
        </span>
      </div>
    </form>
  );
}

function fileErrors(checked: Checked) {
  return checked.errors.filter(({ field }) => field !== "name").sort((a, b) => a.line - b.line);
}

function ForkNote(props: { of: string; checked: Checked }) {
  return (
    <p class="note">
      A fork is a new study that starts with what{" "}
      <a href={addressOf({ view: "study", name: props.of })}>{props.of}</a> has learnt; the original does not
      change. {props.checked.fork?.text}
    </p>
  );
}

const isTable = (value: unknown): value is Given =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The knobs of the file; null if they are not a list of tables. */
function knobsIn({ space = [] }: Given): DraftKnob[] | null {
  return Array.isArray(space) && space.every(isTable) ? space : null;
}

/** The part of the file that the form can edit. */
function DraftFields(props: { file: StudyFile; checked: Checked; catalogue: Catalogue }) {
  const { file, checked, catalogue } = props;
  const { given } = file;
  const knobs = knobsIn(given);
  const change = (part: Given) => file.setGiven({ ...given, ...part });
  const optimizers = catalogue.optimizers.map(({ name }) => name);
  const optimizer = String(
    (isTable(given.optimizer) && given.optimizer.name) || catalogue.defaults.optimizer,
  );
  const isOff = checked.given === undefined || knobs === null;
  const mistakesOf = (knob: DraftKnob, index: number) =>
    checked.errors
      .filter(
        ({ field }) =>
          field.startsWith(`space[${index}].`) || field.startsWith(`space.${String(knob.name)}.`),
      )
      .map(({ message }) => message);
  return (
    <div class="draft-fields" inert={file.isFormBehind}>
      {isOff && (
        <p class="banner" role="status">
          The form is disabled until the study file is valid TOML.
        </p>
      )}
      {checked.has_comments && <p class="note">Changing the form removes the comments from the file.</p>}
      <div class="pair">
        <label>
          Goal
          <select
            value={String(given.direction ?? catalogue.defaults.direction)}
            disabled={isOff}
            onChange={(event) => change({ direction: event.currentTarget.value })}
          >
            <option value="maximize">large rewards (maximize)</option>
            <option value="minimize">small rewards (minimize)</option>
          </select>
        </label>
        <label>
          Optimizer
          <select
            value={optimizer}
            disabled={isOff}
            onChange={(event) => change({ optimizer: { name: event.currentTarget.value } })}
          >
            {(optimizers.includes(optimizer) ? optimizers : [...optimizers, optimizer]).map((each) => (
              <option key={each} value={each}>
                {each === catalogue.defaults.optimizer ? `${each} (the default)` : each}
              </option>
            ))}
          </select>
        </label>
      </div>
      <KnobList
        knobs={knobs ?? []}
        catalogue={catalogue}
        disabled={isOff}
        mistakes={(index) => mistakesOf(knobs?.[index] ?? {}, index)}
        change={(space) => change({ space })}
      />
    </div>
  );
}

const EDITOR = "study-file";

/** The study file, and the result of checking it on the server. */
function FilePart(props: { file: StudyFile; checked: Checked }) {
  const { file, checked } = props;
  const errors = fileErrors(checked);
  const notes: LineNote[] = errors
    .filter((each) => each.line > 0)
    .map(({ line, message }) => ({ line, message, isError: true }));
  return (
    <div class="card new-study-file">
      <div class="file-head">
        <h2>Study file</h2>
        <span class="note" role="status">
          {file.error
            ? "Not checked"
            : file.isBusy
              ? "Checking …"
              : errors.length === 0
                ? "The file is valid."
                : errors.length === 1
                  ? "One mistake"
                  : `${errors.length} mistakes`}
        </span>
      </div>
      <Editor
        id={EDITOR}
        label="The study file, as TOML"
        text={file.text}
        notes={notes}
        describedBy="file-mistakes"
        readOnly={file.isTextBehind}
        change={file.setText}
      />
      <ul class="mistakes" id="file-mistakes">
        {file.error && <li class="wrong">The file could not be checked: {file.error.message}</li>}
        {errors.map(({ line, message }) => (
          <li key={`${line} ${message}`} class="wrong">
            {line > 0 && (
              <button type="button" class="small" onClick={() => goToLine(EDITOR, line)}>
                Line {line}
              </button>
            )}
            <span>{message}</span>
          </li>
        ))}
        {checked.warnings.map(({ text }) => (
          <li key={text} class="warning">
            {text}
          </li>
        ))}
      </ul>
    </div>
  );
}
