"""Studies on a server (`canopy serve`), with the same protocol as studies in a file."""

from __future__ import annotations

import json
import math
import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload
from urllib.parse import quote, urlencode

from . import _canopy
from ._limits import LimitCheck
from ._optimizers import (
    CLASSES,
    DEFAULT,
    Direction,
    Looks,
    Optimizer,
    RewardRange,
    make_optimizer,
    options_of,
    range_from,
)
from ._partition import AnyPartition
from ._policy import policy_tuples_from
from ._space import (
    LOSS_FIELDS,
    AnyBaseline,
    Baseline,
    Contexts,
    Limit,
    Parameter,
    Space,
    context_documents_from,
    contexts_from,
    contexts_from_documents,
    documents_from,
    number,
    space_from,
    space_from_documents,
    whole,
)
from ._studies import StudyRecord, _checked_name, _keepable

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._classes import AnyOptimizer, DefaultOptimizer, OtherOptimizer
    from ._http import Answer
    from ._options import StudyOptions
    from ._signatures import CreateAny, CreateDefault, CreateOther
    from ._space import AnySpace

_OBJECTIVE = ("direction", "reward_range", "confidence", "hard_range")
CommandName = Literal["pause", "resume", "hold", "baseline", "confirm", "end"]


class Command(NamedTuple):
    """A command to the tuner of a study.

    `at` is in seconds since 1970, `by` the name of a token, `pulls` the number of pulls of a comparison (0: the
    default).
    """

    number: int
    at: float
    command: CommandName
    by: str
    pulls: int


def connect(
    url: str,
    token: str | None = None,
    *,
    timeout: float = 30.0,
    retry_seconds: float = 60.0,
    ca_file: str | os.PathLike[str] | None = None,
) -> Server:
    """Connects to a server (`canopy serve`), whose studies behave like studies in a file.

    - token: a token printed by `canopy token new`; None for a server without tokens.
    - timeout: seconds to wait for an answer.
    - retry_seconds: how long a request is retried while the server is unreachable, overloaded or cannot write. A
      request that is retried takes effect only once.
    - ca_file: a file of trusted certificates for https, instead of the system's.

    This call does not send anything yet. Threads may share the object; each has its own connections.

    >>> canopy.connect("http://127.0.0.1:8731")
    <canopy.Server http://127.0.0.1:8731>
    """
    return Server(url, token, timeout=timeout, retry_seconds=retry_seconds, ca_file=ca_file)


class Server:
    """A server (`canopy serve`), as `canopy.connect` returns it.

    Errors raise the same exceptions as for a study in a file (StudyError, StoreError, ValueError), and PermissionError
    if the token does not allow the request. The exception has the server's `code` and `status`.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        timeout: float = 30.0,
        retry_seconds: float = 60.0,
        ca_file: str | os.PathLike[str] | None = None,
    ):
        from ._http import Wire  # slow to import

        timeout, retry_seconds = number("timeout", timeout), number("retry_seconds", retry_seconds)
        if not timeout > 0:
            raise ValueError(f"timeout = {timeout!r}: must be a number of seconds")
        if not retry_seconds >= 0:
            raise ValueError(f"retry_seconds = {retry_seconds!r}: must be a number of seconds")
        self._wire = Wire(url, token, timeout, retry_seconds, None if ca_file is None else os.fsdecode(ca_file))

    @property
    def url(self) -> str:
        """The URL of the server."""
        return str(self._wire.first)

    def studies(self) -> Iterator[StudyRecord]:
        """Iterates over all studies that the token covers, by name, requesting page by page.

        The first page is requested at once, so errors are raised here.
        """
        return self._records(self._page_of_studies(""))

    def _page_of_studies(self, after: str) -> Any:
        return self._call("GET", f"/v1/studies?{urlencode({'after': after, 'limit': 1000})}").body

    def _records(self, page: Any) -> Iterator[StudyRecord]:
        """The items of a page and of all pages after it."""
        while True:
            yield from (_record(item) for item in page["studies"])
            if page["next"] is None:
                return
            page = self._page_of_studies(page["next"])

    def study(self, name: str, *, lease_seconds: float | None = None) -> RemoteStudy:
        """An existing study. Raises StudyError if there is none.

        With `lease_seconds`, a pull that is not answered within that time is dropped, so that a dead worker does
        not block the study.
        """
        return RemoteStudy(self, self._call_study("GET", name).body, lease_seconds)

    @overload
    def create(
        self,
        name: str,
        *,
        space: AnySpace | None = None,
        file: str | os.PathLike[str] | None = None,
        specification: Mapping[str, Any] | None = None,
        optimizer: None = None,
        **options: Unpack[CreateAny],
    ) -> RemoteStudy: ...
    @overload
    def create(
        self, name: str, *, space: AnySpace, optimizer: DefaultOptimizer, **options: Unpack[CreateDefault]
    ) -> RemoteStudy: ...
    @overload
    def create(
        self, name: str, *, space: AnySpace, optimizer: OtherOptimizer, **options: Unpack[CreateOther]
    ) -> RemoteStudy: ...
    def create(
        self,
        name: str,
        *,
        space: Space | Mapping[str, Parameter] | None = None,
        file: str | os.PathLike[str] | None = None,
        specification: Mapping[str, Any] | None = None,
        fork_of: str | None = None,
        optimizer: AnyOptimizer | None = None,
        direction: Direction | None = None,
        reward_range: RewardRange = None,
        confidence: float | None = None,
        lease_seconds: float | None = None,
        **options: Unpack[StudyOptions],
    ) -> RemoteStudy:
        """Creates a study, or opens it if it exists, as `canopy.Study.open` does.

        From a space (and an optimizer, its options, a direction, a reward_range, a confidence), a study file (TOML or
        JSON) or a specification, which is such a file as a dictionary. An existing study must have the
        same settings, except reward_range and confidence, which are changed. `fork_of` names a study to fork.
        `lease_seconds` is as in `study`.
        """
        name = _checked_name("name", name)
        about = {"optimizer": optimizer, "direction": direction, "reward_range": reward_range, **options}
        about["confidence"] = confidence
        about = {option: value for option, value in about.items() if value is not None}
        if (space is not None) + (file is not None) + (specification is not None) != 1:
            raise ValueError("give one of: space; file; specification")
        if space is None and about:
            raise ValueError(f"{', '.join(about)}: must be left out, because the file or specification has them")
        wanted: dict[str, Any] = {"name": name}
        if space is not None:
            wanted["specification"] = self._specification(name, _keepable("space", space_from(space)), about)
        elif specification is not None:
            wanted["specification"] = dict(specification)
        else:
            wanted.update(_file(file))
        if fork_of is not None:
            wanted["fork_of"] = _checked_name("fork_of", fork_of)
        try:
            made = self._call("POST", "/v1/studies", wanted)
        except _canopy.StudyError as error:
            # An earlier attempt, whose answer was lost, may have created the fork.
            if not (fork_of and getattr(error, "code", "") == "taken" and getattr(error, "was_repeated", False)):
                raise
            made = self._call_study("GET", name)
            if made.body.get("forked_from") != fork_of:
                raise
        if made.status == 200 and fork_of is None:
            self._adopt(name, made.body["specification"], wanted.get("specification", {}))
            made = self._call_study("GET", name)
        return RemoteStudy(self, made.body, lease_seconds)

    def delete(self, name: str) -> None:
        """Deletes a study, with its journal."""
        try:
            self._call_study("DELETE", name)
        except _canopy.StudyError as error:  # an earlier attempt, whose answer was lost, deleted it
            if not (getattr(error, "status", 0) == 404 and getattr(error, "was_repeated", False)):
                raise

    def steer(self, name: str, command: CommandName, pulls: int | None = None) -> int:
        """Posts a command to the tuner of a study: "pause", "resume", "hold", "baseline", "confirm" or "end".

        `pulls` is the maximum number of pulls of a comparison (confirm). Returns the number of the command.
        """
        wanted: dict[str, Any] = {"command": command}
        if pulls is not None:
            wanted["pulls"] = whole("pulls", pulls, 1)
        answer = self._call_study("POST", name, "/commands", wanted, is_repeatable=False)
        return int(answer.body["number"])

    def commands(self, name: str, after: int = 0) -> list[Command]:
        """The commands of a study, the oldest first."""
        found = self._call_study("GET", name, f"/commands?after={whole('after', after, 0)}").body["commands"]
        return [Command(**each) for each in found]

    def close(self) -> None:
        """Closes its connections; the next request opens a new one."""
        self._wire.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a server cannot be pickled, because it has a token; connect again in the other process")

    def __repr__(self) -> str:
        return f"<canopy.Server {self.url}>"

    def _specification(self, name: str, space: Space, about: dict[str, Any]) -> dict[str, Any]:
        """A study file as a dictionary. Without an optimizer and options, an existing study keeps its own."""
        chosen = about.pop("optimizer", None)
        objective: dict[str, Any] = {key: about[key] for key in _OBJECTIVE if key in about}
        names_none = chosen is None and about.keys() - {"baseline", "limits", "contexts"} == objective.keys()
        if chosen is None and not names_none:
            chosen = self._optimizer_of(name)
        like = make_optimizer(chosen or DEFAULT, space, **about)  # raises before anything is sent
        if not isinstance(like.partition, str):
            raise ValueError("partition: a user-defined partition cannot be stored in a study")
        document: dict[str, Any] = dict(objective)
        if "reward_range" in objective:
            ends = range_from(objective["reward_range"])
            document["reward_range"] = "auto" if ends is None else list(ends)
        if "confidence" in objective:
            document["confidence"] = like.confidence
        document["space"] = documents_from(space)
        contexts = contexts_from(about.get("contexts"))
        if contexts is not None:
            document["context"] = context_documents_from(_keepable("context", contexts))
        if about.get("baseline") is not None:
            document["baseline"] = _baseline_document(about["baseline"])
            losses = _loss_document(about["baseline"])
            if losses:
                document["budget"] = losses
        if about.get("limits"):
            document["limit"] = [_limit_document(metric, limit) for metric, limit in about["limits"].items()]
        if not names_none:
            document["optimizer"] = {"name": like.optimizer_name}
            if "partition" in options_of(like.optimizer_name):
                document["optimizer"]["partition"] = like.partition
            document["optimizer"].update((key, value) for key, value in like.options.items() if value is not None)
        return document

    def _optimizer_of(self, name: str) -> str:
        """The optimizer of an existing study, or the default."""
        try:
            return str(self._call_study("GET", name).body["specification"]["optimizer"]["name"])
        except _canopy.StudyError as error:
            if getattr(error, "code", "") != "unknown_study":
                raise
            return DEFAULT

    def _adopt(self, name: str, before: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
        """Updates reward_range and confidence of an existing study if they differ."""
        changes = {key: wanted[key] for key in ("reward_range", "confidence") if key in wanted}
        if any(before[key] != value for key, value in changes.items()):
            self._call_study("PUT", name, "/specification", {"specification": {**before, **changes}})

    def _call_study(
        self, method: str, name: str, what: str = "", body: Any = None, is_repeatable: bool = True
    ) -> Answer:
        name = _checked_name("name", name)
        return self._call(method, f"/v1/studies/{quote(name, safe='')}{what}", body, name, is_repeatable)

    def _call(self, method: str, path: str, body: Any = None, study: str = "", is_repeatable: bool = True) -> Answer:
        from ._http import Problem

        try:
            return self._wire.call(method, path, body, study=study, is_repeatable=is_repeatable)
        except Problem as problem:
            raise _exception(problem) from None


class RemoteStudy(Looks):
    """A study on a server, with the protocol of `canopy.Study`: ask, tell, penalize, observe, bar, drop, best,
    estimate, summary, tree, in_flight; `canopy.maximize` and other functions accept it like a study.

    When a call returns, its changes are on the server's disk. Many processes may work on a study at once, and threads
    may share this object. `canopy.maximize` does not play pulls that other clients have in flight.
    """

    def __init__(self, server: Server, item: Mapping[str, Any], lease_seconds: float | None = None):
        self.server = server
        self.lease_seconds = lease_seconds  #: default of `ask`
        self._name: str = item["name"]
        self._specification: dict[str, Any] = item["specification"]
        self._space = space_from_documents(self._specification["space"])
        self._lock = threading.Lock()
        self._tells = 0
        self._mirrored: tuple[int, Optimizer] | None = None  # number of events, and the optimizer after them
        self._empty = _optimizer_from(self._specification, self._space)
        if lease_seconds is not None:
            _checked_lease(lease_seconds)

    # --- properties ---

    @property
    def name(self) -> str:
        """Its name on the server."""
        return self._name

    @property
    def space(self) -> Space:
        """The search space."""
        return self._space

    @property
    def contexts(self) -> Contexts | None:
        """The variables that are observed before each pull; None without contexts."""
        return self._empty.contexts

    @property
    def optimizer_name(self) -> str:
        """The name of the algorithm."""
        return self._empty.optimizer_name

    @property
    def options(self) -> dict[str, Any]:
        """The options of the optimizer, with all defaults."""
        return self._empty.options

    @property
    def partition(self) -> AnyPartition:
        """How cells are cut."""
        return self._empty.partition

    @property
    def direction(self) -> Direction:
        """ "maximize" or "minimize"."""
        return self._empty.direction

    @property
    def confidence(self) -> float:
        """The level of the confidence intervals."""
        return self._empty.confidence

    @property
    def hard_range(self) -> bool:
        """Whether no reward can be outside reward_range."""
        return self._empty.hard_range

    @property
    def reward_range(self) -> tuple[float, float] | Literal["auto"]:
        """The approximate range of rewards: two numbers, or "auto"."""
        ends = self._call("GET", "/summary")["reward_range"]
        return "auto" if ends == "auto" else (ends[0], ends[1])

    @property
    def state(self) -> str:
        """Its state: "running", "idle", "paused", "held", "at_baseline", "ended" or "open"."""
        return str(self._call("GET", "")["state"])

    # --- asking and telling ---

    @overload
    def ask(
        self, pulls: int | None = None, *, context: dict[str, Any] | None = None, lease_seconds: float | None = None
    ) -> _canopy.Pull: ...
    @overload
    def ask(
        self,
        pulls: int | None = None,
        *,
        count: int,
        context: dict[str, Any] | None = None,
        lease_seconds: float | None = None,
    ) -> list[_canopy.Pull]: ...
    def ask(
        self,
        pulls: int | None = None,
        *,
        count: int | None = None,
        context: dict[str, Any] | None = None,
        lease_seconds: float | None = None,
    ) -> _canopy.Pull | list[_canopy.Pull]:
        """Returns what to try next, for at most `pulls` pulls; with `count`, a list of `count` pulls.

        By default the algorithm decides the number of pulls. With contexts, `context` is the current context,
        {"load": 0.7}, and each pull has length 1. A pull that is not answered within `lease_seconds` is dropped.
        Raises StudyError while the study is stopped by a command; its `code` is then "paused" or "ended".
        """
        wanted: dict[str, Any] = self._context(context)
        if pulls is not None:
            wanted["pulls"] = _checked_pulls(pulls)
        if count is not None:
            wanted["count"] = whole("count", count, 1, 1000)
        lease = self.lease_seconds if lease_seconds is None else lease_seconds
        if lease is not None:
            wanted["lease_seconds"] = _checked_lease(lease)
        given = [self._pull(each) for each in self._call("POST", "/asks", wanted)["tickets"]]
        return given[0] if count is None else given

    def tell(
        self,
        pull: _canopy.Pull | int,
        reward: float | Iterable[float] | _canopy.Rewards,
        metrics: dict[str, float] | None = None,
    ) -> None:
        """Tells the result of a pull, in the user's units.

        One reward, several, or Rewards. Either all are learnt, or none, with a ValueError. `metrics` are other measured
        numbers by name: `canopy best` and the live page show them.
        """
        ticket = _ticket(pull)
        told = {**_rewards(reward, f"ticket {ticket}"), **_metrics(metrics)}
        try:
            self._write("tells", {"ticket": ticket, **told}, f"ticket {ticket}")
        except ValueError as error:
            raise self._with_numbers(error, pull, told) from None
        with self._lock:
            self._tells += 1
            is_due = self._tells & (self._tells - 1) == 0  # after 1, 2, 4, 8, ... tells
        if is_due:
            self._say_advice()

    def tell_all(self, results: Iterable[tuple[_canopy.Pull | int, float | Iterable[float] | _canopy.Rewards]]) -> None:
        """Tells the results of many pulls at once: pairs of a pull and the argument of `tell`.

        If some are refused, the others are learnt, and a ValueError lists the refused ones with reasons.
        """
        tells = []
        for pull, reward in results:
            ticket = _ticket(pull)
            tells.append({"ticket": ticket, **_rewards(reward, f"ticket {ticket}")})
        if not tells:
            return
        told = self._call("POST", "/tells", {"tells": tells})["results"]
        refused = [
            f"ticket {tell['ticket']}: {result['error']['message']}"
            for tell, result in zip(tells, told)
            if "error" in result
        ]
        if refused:
            raise ValueError("; ".join(refused))

    def penalize(self, pull: _canopy.Pull | int, reward: float | None = None) -> None:
        """Reports a failed pull, and closes it.

        The search learns `reward` instead and avoids the arm. The default is `failure_reward()`; before the first
        reward there is no default, and ValueError is raised.
        """
        ticket = _ticket(pull)
        self._write("tells", {"ticket": ticket, "failed": True, **_worth(reward)}, f"ticket {ticket}")

    def observe(
        self,
        arm: dict[str, Any],
        reward: float | Iterable[float] | _canopy.Rewards,
        metrics: dict[str, float] | None = None,
        *,
        context: dict[str, Any] | None = None,
    ) -> None:
        """Tells rewards of an arm that no ask returned.

        One reward, several, or Rewards. They count as pulls of the arm, not as steps. With contexts, `context` is the
        context in which they were measured.
        """
        told = {"arm": self._arm(arm), **self._context(context), **_rewards(reward, "reward"), **_metrics(metrics)}
        self._write("observations", told, "reward")

    def bar(self, arm: dict[str, Any], reward: float | None = None) -> None:
        """Excludes an arm.

        `best` never returns it again, and the search avoids it, as if many pulls had earned `reward`, by default
        `failure_reward()`. Its pulls in flight stay open.
        """
        self._write("bars", {"arm": self._arm(arm), **_worth(reward)}, "reward")

    def drop(self, pull: _canopy.Pull | int) -> None:
        """Returns a pull that will not be answered."""
        ticket = _ticket(pull)
        self._write("drops", ticket, f"ticket {ticket}", key="tickets")

    def remember(self, arm: dict[str, Any], reward: float | Iterable[float] | _canopy.Rewards) -> None:
        """Tells rewards of an arm for `best` and `estimate` only.

        The search does not learn from them. This is for example for measurements of a setting that is in use anyway.
        """
        told = {"arm": self._arm(arm), **_rewards(reward, "reward"), "role": "baseline"}
        self._write("observations", told, "reward")

    def finish(self) -> None:
        """Only for studies in files. Raises NotImplementedError."""
        raise NotImplementedError("finish: not available on a server, where other clients may be in an episode")

    # --- reading ---

    def in_flight(self) -> list[_canopy.Pull]:
        """The open pulls of all clients, the oldest first, with their remaining lengths."""
        return [self._pull(each) for each in self._call("GET", "/asks")["tickets"]]

    def path(self, pull: _canopy.Pull) -> str:
        """The path from the root to the node of a pull, a digit for each level: 0 is the first part."""
        if pull.depth == 0:
            return ""
        for node in self._call("GET", "/tree")["nodes"]:
            if len(node["path"]) == pull.depth and node["arm"] == pull.arm:
                return str(node["path"])
        raise ValueError("pull: is from another optimizer, or its node is gone")

    def failure_reward(self) -> float | None:
        """The default value of a failure; None before the first reward."""
        worth: float | None = self._call("GET", "/summary").get("failure_reward")
        return worth

    def is_barred(self, arm: dict[str, Any]) -> bool:
        """Whether an arm was barred."""
        return self._mirror().is_barred(arm)

    def events(self, after: int = 0) -> Iterator[dict[str, Any]]:
        """Iterates over the journal from a number on, page by page: each entry has `number`, `at`, `kind` and more."""
        after = whole("after", after, 0)
        return self._events(after, self._call("GET", f"/events?after={after}"))

    def _events(self, after: int, page: Any) -> Iterator[dict[str, Any]]:
        """The items of a page and of all pages after it."""
        while True:
            yield from page["events"]
            if page["next"] == after or page["next"] >= page["last"]:
                return
            after = page["next"]
            page = self._call("GET", f"/events?after={after}")

    def save(self) -> bytes:
        """The whole state of its optimizer, including pulls in flight."""
        return self._mirror().save()

    def copy(self) -> Optimizer:
        """A copy of the optimizer in memory; what it is told does not change the study.

        The token needs the role work, unless the server has a snapshot of the last event.
        """
        return self._mirror().copy()

    # --- other ---

    @property
    def is_open(self) -> bool:
        """True: a server opens and closes its studies itself."""
        return True

    def close(self) -> None:
        """Does nothing: a server opens and closes its studies itself."""

    def __enter__(self) -> RemoteStudy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a study on a server cannot be pickled; study.copy() returns its optimizer in memory")

    def _repr_html_(self) -> None:
        """None: notebooks show the repr, because displaying a variable must not wait for a server."""

    def __repr__(self) -> str:
        return f"<canopy.RemoteStudy {self.name} at {self.server.url}>"

    def _call(self, method: str, what: str, body: Any = None) -> Any:
        return self.server._call_study(method, self._name, what, body).body

    def _write(self, what: str, one: Any, subject: str, key: str | None = None) -> None:
        """Sends a request with a list of one item."""
        try:
            self._call("POST", f"/{what}", {key or what: [one]})
        except ValueError as error:
            if getattr(error, "status", 0) == 409:
                raise _like(error, f"{subject}: {getattr(error, 'message', error)}") from None
            raise _like(error, str(error).replace(f"{what}[0].", "").replace(f"{what}[0]: ", "")) from None

    def _with_numbers(self, error: ValueError, pull: _canopy.Pull | int, told: dict[str, Any]) -> Exception:
        """Rewords the error of too many rewards, with the length of the pull."""
        if getattr(error, "code", "") != "too_many_rewards":
            return error
        ticket = _ticket(pull)
        left = next((each.length for each in self.in_flight() if each.ticket == ticket), None)
        if left is None:
            return error
        count = len(told["rewards"]) if "rewards" in told else told.get("count", 1)
        text = f"ticket {ticket}: {count} rewards, but the pull is good for {left}"
        if isinstance(pull, _canopy.Pull):
            text += " (its length)" if left == pull.length else f" more (its length is {pull.length})"
        return _like(error, text)

    def _pull(self, ticket: Mapping[str, Any]) -> _canopy.Pull:
        arm = self._space._coordinates(ticket["arm"])
        then = self._space._coordinates(ticket["then"]) if "then" in ticket else None
        of_pull = (ticket["ticket"], arm, ticket["length"], 0, ticket.get("depth", 0))
        return _canopy.Pull(self._space, *of_pull, ticket.get("purpose", "search"), then, ticket.get("then_length", 0))

    def _arm(self, arm: Any) -> dict[str, Any]:
        self._empty._estimate(arm)  # raises ValueError if it is not in the space
        return {name: value.item() if hasattr(value, "item") else value for name, value in arm.items()}

    def _context(self, context: Any) -> dict[str, Any]:
        """The context for a request. Raises ValueError if it is missing, invalid, or given without contexts."""
        self._empty._check_context(context)
        if context is None:
            return {}
        return {"context": {name: value if isinstance(value, str) else float(value) for name, value in context.items()}}

    def _check_context(self, context: Any) -> None:
        self._empty._check_context(context)

    def _mirror(self) -> Optimizer:
        """The optimizer in the state of the server; for reading only."""
        item = self._call("GET", "")
        with self._lock:
            if self._mirrored and self._mirrored[0] == item["events"]:
                return self._mirrored[1]
        optimizer = _optimizer_from(item["specification"], self._space)
        events = 0
        if item["events"] > 0:
            snapshot = self._snapshot(item["events"])
            events = snapshot["events"]
            optimizer._restore(snapshot["optimizer"].encode())
        with self._lock:
            self._mirrored = (events, optimizer)
        return optimizer

    def _snapshot(self, events: int) -> Any:
        """The state after at least a number of events."""
        try:
            self._call("PUT", "/snapshot")
        except PermissionError:  # the existing snapshot may be new enough
            with suppress(_canopy.StudyError):
                snapshot = self._call("GET", "/snapshot")
                if snapshot["events"] >= events:
                    return snapshot
            raise
        return self._call("GET", "/snapshot")

    def _best_answer(self, context: dict[str, Any] | None = None) -> dict[str, Any] | None:
        """The server's answer about the best arm; None before the first reward."""
        said = self._context(context)
        query = f"?{urlencode({'context': json.dumps(said['context'])})}" if said else ""
        try:
            answer: dict[str, Any] = self._call("GET", f"/best{query}")
        except _canopy.StudyError as error:
            if getattr(error, "code", "") == "no_best":
                return None
            raise
        return answer

    def _best(self, context: dict[str, Any] | None = None) -> tuple[Any, ...] | None:
        best = self._best_answer(context)
        if best is None:
            return None
        model = best.get("by_model")
        ends = model and (model["lower"], model["upper"])
        numbers = (best[key] for key in ("arm", "mean", "lower", "upper", "pulls", "confidence", "assumes"))
        extremes = best.get("rare_extremes", False)
        others = (best[key] for key in ("rivals", "unknown", "basis"))
        limits = [tuple(check[key] for key in LimitCheck._fields) for check in best.get("limits", [])]
        since = (best.get("since"), best.get("level_moves", False))
        return (*numbers, extremes, *others, best.get("own"), ends, *since, limits, best["text"])

    def _policy(self) -> tuple[Any, ...] | None:
        return None if self.contexts is None else policy_tuples_from(self._call("GET", "/policy"))

    def _nearest(self) -> tuple[Any, ...] | None:
        return self._mirror()._nearest()

    def _limit_checks(self, arm: dict[str, Any]) -> list[tuple[Any, ...]]:
        return self._mirror()._limit_checks(arm)

    @property
    def _limits(self) -> list[tuple[Any, ...]]:
        return self._empty._limits

    def _uplift(self) -> tuple[Any, ...] | None:
        best = self._best_answer()
        uplift = best and best.get("uplift")
        if not best or not uplift:
            return None
        keys = ("verdict", "mean", "lower", "upper", "confidence", "pairs", "fewest", "is_best")
        of_claim = ("is_confirmed", "is_refuted")
        of_baseline = ("baseline_mean", "baseline_lower", "baseline_upper", "rounds")
        numbers = (uplift[key] for key in (*keys, *of_claim, *of_baseline))
        since = (uplift.get("since"), uplift.get("was_proven", False))
        about = (uplift.get("arm"), uplift.get("policy_of"))
        return (*about, *numbers, "level_move" in uplift, *since, best["uplift_text"])

    def _loss(self) -> tuple[Any, ...] | None:
        return self._mirror()._loss()

    @property
    def _baseline(self) -> tuple[Any, ...] | None:
        return self._empty._baseline

    def _estimate(self, arm: dict[str, Any]) -> tuple[Any, ...] | None:
        return self._mirror()._estimate(arm)

    def _set_reward_range(self, range: tuple[float, float] | None) -> None:
        changed = {**self._call("GET", "")["specification"], "reward_range": "auto" if range is None else list(range)}
        self._call("PUT", "/specification", {"specification": changed})

    def _summary(self) -> tuple[Any, ...]:
        found = self._call("GET", "/summary")
        counts = ("t", "nodes", "depth", "switches", "refreshes", "out_of_range", "in_flight", "observed")
        fitting = found.get("fitting_range")
        rest = (fitting and (fitting[0], fitting[1]), found.get("passed_over", 0), found.get("settling"))
        last = found.get("last_system_change")
        change = last and tuple(last[key] for key in ("pull", "kind", "size"))
        moved = (found.get("system_changes", 0), change, found.get("followed_level"))
        return (*(found[key] for key in counts), *rest, found["penalized"], *moved)

    def _settling(self) -> int | None:
        return self.summary().settling

    def _learnt(self) -> tuple[Any, ...] | None:
        found = self._call("GET", "/summary").get("learnt")
        if found is None:
            return None
        keys = ("noise", "correlation", "smoothness", "lowest", "highest")
        turn = found.get("turn")
        if turn:
            why = (turn[key] for key in ("why", "arm", "pulls", "length"))
            turn = (*why, *(self._end(turn[key]) for key in ("estimate", "deviation", "bound")))
        return (*(found[key] for key in keys), found["shares"], found["explorer_pulls"], found["lost"], turn)

    def _tree(self) -> list[tuple[Any, ...]]:
        return [
            (node["path"], node["arm"], self._cell(node["path"]), node["pulls"], node["mean"])
            + (self._end(node["upper"]), self._end(node["bound"]), node["leaf"])
            for node in self._call("GET", "/tree")["nodes"]
        ]

    def _cell(self, path: str) -> dict[str, tuple[Any, Any]]:
        return self._empty._cell(path)

    def _end(self, end: float | None) -> float:
        """A bound from JSON, where null stands for infinity."""
        if end is not None:
            return end
        return math.inf if self.direction == "maximize" else -math.inf


# --- answers ---


def _baseline_document(baseline: AnyBaseline) -> dict[str, Any]:
    """The baseline as in study files; without a seed, the study chooses one."""
    given = baseline if isinstance(baseline, Baseline) else Baseline(dict(baseline or {}))
    keys = ("setting", "every", "pulls", "seed")
    return {key: getattr(given, key) for key in keys if getattr(given, key) is not None}


def _loss_document(baseline: AnyBaseline) -> dict[str, Any]:
    """The part of the baseline that study files have in [budget]."""
    if not isinstance(baseline, Baseline):
        return {}
    return {name: getattr(baseline, name) for name in LOSS_FIELDS if getattr(baseline, name) is not None}


def _limit_document(metric: str, limit: Limit) -> dict[str, Any]:
    """The value as in study files."""
    return {"metric": metric, **{key: value for key, value in limit._asdict().items() if value is not None}}


def _record(item: Mapping[str, Any]) -> StudyRecord:
    counts = (item["pulls"], item["events"], item["created"], item["updated"])
    return StudyRecord(item["name"], *counts, item.get("open_by", ""), item.get("forked_from", ""))


def _optimizer_from(specification: Mapping[str, Any], space: Space) -> Optimizer:
    """A new optimizer without data."""
    chosen = dict(specification["optimizer"])
    name = chosen.pop("name")
    chosen.pop("revision", None)
    objective = {key: specification[key] for key in _OBJECTIVE if key in specification}
    if "baseline" in specification:
        budget = specification.get("budget", {})
        losses = {name: budget[name] for name in LOSS_FIELDS if name in budget}
        objective["baseline"] = Baseline(**specification["baseline"], **losses)
    if "limit" in specification:
        objective["limits"] = {each["metric"]: _limit_from(each) for each in specification["limit"]}
    if "context" in specification:
        objective["contexts"] = contexts_from_documents(specification["context"])
    make: Any = CLASSES[name]
    made: Optimizer = make(space, **chosen, **objective)
    return made


def _limit_from(document: Mapping[str, Any]) -> Limit:
    return Limit(document.get("min"), document.get("max"), document.get("factor", 2.0))


def _file(path: Any) -> dict[str, Any]:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not os.fsdecode(path).endswith(".json"):
        return {"toml": text}
    try:
        return {"specification": json.loads(text)}
    except ValueError as error:
        raise ValueError(f"{os.fsdecode(path)}: invalid JSON: {error}") from None


#: codes for which a study in a file raises ValueError
_WRONG_VALUES = {
    "unknown_ticket", "closed_ticket", "too_many_rewards", "not_a_reward", "impossible_sums", "not_an_arm",
    "no_reward_yet",
}  # fmt: skip
_OF_THE_STORE = {"not_stored", "store_failure", "taken_over", "closed", "out_of_memory", "stopping"}


def _exception(problem: Any) -> Exception:
    """The exception that a study in a file would raise."""
    kind: type[Exception] = _canopy.StudyError
    if problem.status in (401, 403):
        kind = PermissionError
    elif problem.code in _OF_THE_STORE or problem.status == 429:
        kind = _canopy.StoreError
    elif problem.code in _WRONG_VALUES or problem.status in (400, 413, 422):
        kind = ValueError
    error = kind(str(problem))
    about: Any = error
    about.status, about.code, about.was_repeated = problem.status, problem.code, problem.was_repeated
    about.message = problem.errors[0]["message"] if problem.errors else str(problem)
    return error


def _like(error: Exception, message: str) -> Exception:
    """A copy of an exception with another text."""
    other = type(error)(message)
    other.__dict__.update(error.__dict__)
    return other


# --- arguments ---


def _ticket(pull: Any) -> str:
    ticket = pull.ticket if isinstance(pull, _canopy.Pull) else pull
    if isinstance(ticket, str) and re.fullmatch(r"[0-9]+-[0-9a-f]*", ticket):
        return ticket
    raise ValueError(f"pull = {pull!r}: must be a pull returned by ask, or its ticket")


def _checked_pulls(pulls: Any) -> int:
    try:
        return min(whole("pulls", pulls, 1, 2**64), 2**63 - 1)
    except ValueError:
        raise ValueError(f"pulls = {pulls!r}: must be a whole number, 1 or more, or None") from None


def _checked_lease(seconds: Any) -> float:
    lease = number("lease_seconds", seconds)
    if not 0 < lease <= 30 * 24 * 3600:
        raise ValueError(f"lease_seconds = {seconds!r}: must be above 0 and at most 30 days")
    return lease


def _metrics(metrics: Any) -> dict[str, Any]:
    if metrics is None:
        return {}
    if not isinstance(metrics, dict):
        raise ValueError(f"metrics = {metrics!r}: must be a dictionary of numbers")
    for name, value in metrics.items():
        if not isinstance(name, str):
            raise ValueError(f"metrics = {name!r}: a name must be a string")
        if not _is_number(value) or not math.isfinite(float(value)):
            raise ValueError(f'metrics["{name}"] = {value!r}: must be a finite number')
    return {"metrics": {name: float(value) for name, value in metrics.items()}}


def _is_number(value: Any) -> bool:
    return hasattr(value, "__float__") and getattr(value, "ndim", 0) == 0


def _finite(value: Any, subject: str) -> float:
    found = float(value)
    if not math.isfinite(found):
        raise ValueError(f"{subject}: rewards and metrics must be finite numbers (at most 1e100)")
    return found


def _rewards(reward: Any, subject: str) -> dict[str, Any]:
    """The rewards of `tell` and `observe` for a request."""
    if isinstance(reward, _canopy.Rewards):
        sums = {key: getattr(reward, key) for key in ("count", "sum", "sum_squares", "min", "max")}
        if not all(math.isfinite(value) for value in sums.values() if value is not None):
            raise ValueError(f"{subject}: rewards and metrics must be finite numbers (at most 1e100)")
        return {key: value for key, value in sums.items() if value is not None}
    if _is_number(reward):
        return {"reward": _finite(reward, subject)}
    expected = "must be a finite number, several of them, or Rewards"
    if not hasattr(reward, "__iter__") or isinstance(reward, (str, bytes, bytearray, dict)):
        raise ValueError(f"reward = {reward!r}: {expected}")
    if getattr(reward, "ndim", 1) != 1:
        raise ValueError(f"reward = {reward!r}: must have one dimension, not {reward.ndim}")
    several = list(reward)
    for each in several:
        if not _is_number(each):
            raise ValueError(f"reward = {each!r}: {expected}")
    if not several:
        raise ValueError(f"reward = {reward!r}: must have at least one number")
    return {"rewards": [_finite(each, subject) for each in several]}


def _worth(reward: Any) -> dict[str, float]:
    """The value of a failure for a request, if it is given."""
    if reward is None:
        return {}
    if not _is_number(reward) or not math.isfinite(float(reward)):
        raise ValueError(f"reward = {reward!r}: must be a finite number, or None")
    return {"reward": float(reward)}
