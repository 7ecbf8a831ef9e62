import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { studyPath } from "../../api/source";
import type { Events, PossibleCommand } from "../../api/types";
import { clockSeconds } from "../../format/times";
import { addressOf, goTo } from "../../router";
import { useMay, usePage } from "../../ui/context";
import { Dialog } from "../../ui/dialog";
import { Failure } from "../../ui/parts";
import { currentToken } from "../../ui/token";
import { commandWords, type CommandWords } from "../../words/commands";
import type { StudyParts } from "./parts";

/** A command posted from this page. */
interface Asked {
  words: CommandWords;
  number: number;
  /** The event of the journal that records its acceptance, and the time. */
  noted: { at: number; event: number } | null;
}

/** A command that makes sense now, with its texts. */
type Offer = PossibleCommand & { words: CommandWords };

type Question = { kind: "confirm" | "end"; offer: Offer } | { kind: "delete" };

/** The buttons for commands, if the token allows them. */
export function CommandsBar(props: StudyParts) {
  const { source } = usePage();
  const maySteer = useMay("admin");
  const mayFork = useMay("work");
  if (source.frozen) return null;
  if (!mayFork)
    return (
      <p class="commands note">
        {currentToken() === null ? "This server is read-only." : "Your token is read-only."}
      </p>
    );
  return maySteer ? (
    <Commands {...props} />
  ) : (
    <div class="commands">
      <span class="note">Your token does not allow commands.</span>
      <ForkLink name={props.name} />
    </div>
  );
}

function ForkLink(props: { name: string }) {
  return (
    <a class="button" href={addressOf({ view: "new", forkOf: props.name })}>
      Fork
    </a>
  );
}

function Commands(props: StudyParts) {
  const { name, feed } = props;
  const { source } = usePage();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  const [isBusy, setBusy] = useState(false);
  useNoting(name, asked, setAsked, feed.summary?.events);
  const summary = feed.summary;
  const offers: Offer[] = (summary?.commands ?? []).map((each) => ({
    ...each,
    words: commandWords(each.command, summary?.stopped_by?.command ?? null),
  }));

  const post = async ({ command, words }: Offer, pulls?: number) => {
    setQuestion(null);
    setBusy(true);
    setError(null);
    try {
      const { number } = await source.send<{ number: number }>("POST", studyPath(name, "commands"), {
        command,
        pulls,
      });
      setAsked({ words, number, noted: null });
    } catch (problem) {
      setError(problem as Error);
    }
    setBusy(false);
  };
  const choose = (offer: Offer) =>
    offer.command === "confirm" || offer.command === "end"
      ? setQuestion({ kind: offer.command, offer })
      : void post(offer);

  const [first, ...others] = offers;
  return (
    <div class="commands">
      {first && (
        <button disabled={isBusy} title={first.words.does} onClick={() => choose(first)}>
          {first.words.label}
        </button>
      )}
      <Menu>
        {others.map((offer) => (
          <MenuItem
            key={offer.command}
            label={offer.words.label}
            does={offer.words.does}
            disabled={isBusy}
            choose={() => choose(offer)}
          />
        ))}
        <MenuItem
          label="Fork"
          does="Creates a new study that starts with what this one has learnt."
          choose={() => goTo({ view: "new", forkOf: name })}
        />
        <MenuItem
          label="Delete"
          does="Permanently removes the study and everything that it has learnt."
          danger
          choose={() => setQuestion({ kind: "delete" })}
        />
      </Menu>
      <p class="commands-said note" role="status">
        {asked && <Said asked={asked} isOpen={Boolean(summary?.open_by)} />}
      </p>
      {error && <Failure error={error} />}
      {question?.kind === "confirm" && (
        <ConfirmDialog offer={question.offer} post={post} close={() => setQuestion(null)} />
      )}
      {question?.kind === "end" && (
        <Dialog title="End this study?" close={() => setQuestion(null)}>
          <p>{question.offer.words.does}</p>
          <DialogButtons close={() => setQuestion(null)}>
            <button class="main" onClick={() => void post(question.offer)}>
              End it
            </button>
          </DialogButtons>
        </Dialog>
      )}
      {question?.kind === "delete" && <DeleteDialog name={name} close={() => setQuestion(null)} />}
    </div>
  );
}

function Said(props: { asked: Asked; isOpen: boolean }) {
  const { words, noted } = props.asked;
  if (noted)
    return (
      <>
        {words.label}: accepted at {clockSeconds(noted.at)}, as event {noted.event}.
      </>
    );
  return (
    <>
      {words.label}: requested.{" "}
      {props.isOpen
        ? "The tuner will accept it soon."
        : "It takes effect when a tuner or worker opens the study."}
    </>
  );
}

/** Checks after new events, and periodically, whether the journal has the command. */
function useNoting(name: string, asked: Asked | null, setAsked: (asked: Asked) => void, events?: number) {
  const { source } = usePage();
  useEffect(() => {
    if (!asked || asked.noted) return;
    let isOver = false;
    const look = () =>
      !document.hidden &&
      source.get<Events>(studyPath(name, "events", { order: "newest", limit: 20, kinds: "command" })).then(
        ({ events }) => {
          const event = events.find((each) => each.command_number === asked.number);
          if (event && !isOver) setAsked({ ...asked, noted: { at: event.at, event: event.number } });
        },
        () => undefined, // tried again later
      );
    void look();
    const timer = setInterval(look, 5000);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [name, asked, source, events]);
}

/** A menu button. Escape and a click or focus outside close it. */
function Menu(props: { children: ComponentChildren }) {
  const place = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const details = place.current;
      if (!details?.open) return;
      const isEscape = event instanceof KeyboardEvent && event.key === "Escape";
      const isElsewhere = event.type !== "keydown" && !details.contains(event.target as Node);
      if (!isEscape && !isElsewhere) return;
      details.open = false;
      if (isEscape) details.querySelector("summary")?.focus();
    };
    const kinds = ["keydown", "pointerdown", "focusin"];
    kinds.forEach((kind) => document.addEventListener(kind, close));
    return () => kinds.forEach((kind) => document.removeEventListener(kind, close));
  }, []);
  return (
    <details
      class="menu"
      ref={place}
      onClick={(event) => {
        if (!place.current || !(event.target as Element).closest(".menu-item")) return;
        place.current.open = false;
        place.current.querySelector("summary")?.focus(); // the chosen item disappears, and a dialog returns the focus here
      }}
    >
      <summary class="button">More</summary>
      <div class="menu-list">{props.children}</div>
    </details>
  );
}

function MenuItem(props: {
  label: string;
  does: string;
  choose: () => void;
  danger?: boolean;
  disabled?: boolean;
}) {
  return (
    <button class="menu-item" disabled={props.disabled} onClick={props.choose}>
      <span class={props.danger ? "menu-label bad" : "menu-label"}>{props.label}</span>
      <span class="under">{props.does}</span>
    </button>
  );
}

function DialogButtons(props: { close: () => void; children: ComponentChildren }) {
  return (
    <div class="dialog-buttons">
      <button type="button" onClick={props.close}>
        Cancel
      </button>
      {props.children}
    </div>
  );
}

function ConfirmDialog(props: {
  offer: Offer;
  post: (offer: Offer, pulls: number) => void;
  close: () => void;
}) {
  const { least_pulls: least = 1, pulls: usual = least, words } = props.offer;
  const [pulls, setPulls] = useState(String(usual));
  const count = Number(pulls);
  const isFine = Number.isInteger(count) && count >= least;
  return (
    <Dialog title="Confirm the best setting" close={props.close}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isFine) props.post(props.offer, count);
        }}
      >
        <p>
          {words.does} The comparison ends early if the answer is clear. It takes at least {least} pulls.
        </p>
        <label>
          Maximum pulls, both settings together
          <input
            type="number"
            min={least}
            step={1}
            value={pulls}
            aria-invalid={!isFine}
            onInput={(event) => setPulls(event.currentTarget.value)}
          />
        </label>
        <DialogButtons close={props.close}>
          <button class="main" disabled={!isFine}>
            Compare
          </button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

function DeleteDialog(props: { name: string; close: () => void }) {
  const { source } = usePage();
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<Error | null>(null);
  const erase = () =>
    source.send("DELETE", studyPath(props.name)).then(
      () => goTo({ view: "studies" }),
      (problem: Error) => setError(problem),
    );
  return (
    <Dialog title="Delete this study?" close={props.close}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed === props.name) void erase();
        }}
      >
        <p>
          Everything that <strong class="any">{props.name}</strong> has learnt is permanently lost.
        </p>
        <label>
          Type its name to delete it
          <input
            autocomplete="off"
            spellcheck={false}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        {error && <Failure error={error} />}
        <DialogButtons close={props.close}>
          <button class="danger" disabled={typed !== props.name}>
            Delete it
          </button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
