"""Durable studies: optimizers whose changes are on disk before a call returns."""

from __future__ import annotations

import os
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

from . import _canopy
from ._optimizers import CLASSES, DEFAULT, Direction, Looks, Optimizer, RewardRange, copied, make_optimizer
from ._result import Episode, Result
from ._space import Contexts, Parameter, Space, contexts_from, space_from

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._classes import AnyOptimizer, DefaultOptimizer, OtherOptimizer
    from ._options import StudyOptions
    from ._signatures import OpenAny, OpenDefault, OpenOther
    from ._space import AnySpace

DEFAULT_STORE = "canopy.db"


class StudyRecord(NamedTuple):
    """A study in the list of its store.

    `pulls` is the number of rewards learnt; `created` and `updated` are seconds since 1970; `holder` is the process
    that last opened it for writing; `forked_from` is the name of another study, or empty.
    """

    name: str
    pulls: int
    events: int
    created: float
    updated: float
    holder: str
    forked_from: str


class Study(Looks, _canopy.Study):
    """An optimizer whose state is kept in a store, which the command line can use as well.

    It has the protocol of an optimizer: ask, tell, penalize, observe, remember, bar, drop, finish, best, estimate,
    summary, tree, in_flight. When a call returns, its changes are on disk; `with study.batch():` commits many
    calls at once. Threads may share a study; waiting calls share a commit. Only one process at a time may have a study
    open; other processes get StudyError, but may read it with `load_optimizer`.

    >>> import tempfile, os
    >>> store = os.path.join(tempfile.mkdtemp(), "canopy.db")
    >>> with canopy.Study.open("cache", store=store, space={"ttl": canopy.real(1, 3600, log=True)}) as study:
    ...     pull = study.ask(1)
    ...     study.tell(pull, 0.8)
    >>> with canopy.Study.open("cache", store=store) as study:  # continues
    ...     study.summary().t
    2
    """

    store: str
    _unanswered: deque[int]  # tickets left open by an earlier process

    def __init__(self) -> None:
        raise TypeError("open a study with canopy.Study.open(name, store=...)")

    @overload
    @classmethod
    def open(
        cls,
        name: str,
        store: str | os.PathLike[str] = ...,
        *,
        space: AnySpace | None = None,
        file: str | os.PathLike[str] | None = None,
        optimizer: None = None,
        **options: Unpack[OpenAny],
    ) -> Study: ...
    @overload
    @classmethod
    def open(
        cls,
        name: str,
        store: str | os.PathLike[str] = ...,
        *,
        space: AnySpace,
        optimizer: DefaultOptimizer,
        **options: Unpack[OpenDefault],
    ) -> Study: ...
    @overload
    @classmethod
    def open(
        cls,
        name: str,
        store: str | os.PathLike[str] = ...,
        *,
        space: AnySpace,
        optimizer: OtherOptimizer,
        **options: Unpack[OpenOther],
    ) -> Study: ...
    @classmethod
    def open(
        cls,
        name: str,
        store: str | os.PathLike[str] = DEFAULT_STORE,
        *,
        space: Space | Mapping[str, Parameter] | None = None,
        file: str | os.PathLike[str] | None = None,
        fork: str | None = None,
        optimizer: AnyOptimizer | None = None,
        direction: Direction | None = None,
        reward_range: RewardRange = None,
        confidence: float | None = None,
        **options: Unpack[StudyOptions],
    ) -> Study:
        """Opens a study to continue it, or creates it.

        The store is a file, or a database of PostgreSQL: `postgresql://user@host/database`.

        With neither `space` nor `file` the study must exist. With a space (and an optimizer, its options, a direction,
        a reward_range, a confidence) or a study file (TOML or JSON, as for `canopy tune`), it is created if it does not
        exist. An existing study must have the same settings, except reward_range and confidence, which are changed. The
        default optimizer is that of an existing study, or the adaptive tree for a new one. The choices of its space and
        of its contexts must be strings. Raises StudyError if another process has the study open.

        `fork` is the name of a new study that is created from this one and opened instead. It starts with the whole
        journal if no setting that affects learning differs. If the optimizer, its options or the ranges of the space
        differ, it starts with the rewards of all arms that are in the new space, as if told by `observe`.
        """
        name = _checked_name("name", name)
        fork = None if fork is None else _checked_name("fork", fork)
        about: dict[str, Any] = {"optimizer": optimizer, "direction": direction, "reward_range": reward_range}
        about |= {**options, "confidence": confidence}
        about = {option: value for option, value in about.items() if value is not None}
        like = None
        if file is not None:
            if space is not None or about:
                raise ValueError("file: leave out the space and options, which are in the file")
            with open(file, "rb"):
                pass  # raises FileNotFoundError or a similar error
            file = os.fsdecode(file)
        elif space is not None:
            space = _keepable("space", space_from(space))
            contexts = contexts_from(about.get("contexts"))
            if contexts is not None:
                _keepable("context", contexts)
            about.setdefault("optimizer", _canopy.optimizer_name_of(_path(store), name) or DEFAULT)
            like = make_optimizer(about.pop("optimizer"), space, **about)
        elif about:
            raise ValueError(f"{', '.join(about)}: options need a space; without one the study in the store is opened")
        study = cls.__new__(cls)
        study.store = _path(store)
        _canopy.Study.__init__(study, study.store, name, like, file, fork)
        study._unanswered = deque(pull.ticket for pull in study.in_flight())
        return study

    @contextmanager
    def batch(self) -> Iterator[Study]:
        """Inside the block, calls of this thread do not wait for the disk. The end of the block waits for all of them.

        Raises StoreError at the end if changes in the block could not be stored.
        """
        self._begin_batch()
        try:
            yield self
        finally:
            self._end_batch()

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
        super().tell(pull, reward, metrics)
        self._say_advice()

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
        super().observe(arm, reward, metrics, context=context)
        self._say_advice()

    def _take_unanswered(self) -> _canopy.Pull | None:
        """Returns the pulls that an earlier process left open, each of them once: maximize plays them first."""
        still_open = {pull.ticket: pull for pull in self.in_flight()} if self._unanswered else {}
        with suppress(IndexError):  # none is left
            while True:
                pull = still_open.get(self._unanswered.popleft())
                if pull:
                    return pull
        return None

    def copy(self) -> Optimizer:
        """A copy of the optimizer in memory; what it is told does not change the study."""
        return _optimizer_from(self._copy())

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a study cannot be pickled; study.copy() returns its optimizer in memory")

    def __repr__(self) -> str:
        try:
            return f"<canopy.Study {self.name} in {self._store_name}, {self.summary().t - 1} pulls>"
        except _canopy.StudyError:
            return f"<canopy.Study {self.name} in {self._store_name}, closed>"


def studies(store: str | os.PathLike[str] = DEFAULT_STORE) -> list[StudyRecord]:
    """All studies of a store, by name."""
    return [StudyRecord(*record) for record in _canopy.studies(_path(store))]


def load_optimizer(name: str, store: str | os.PathLike[str] = DEFAULT_STORE) -> Optimizer:
    """A copy of the optimizer of a study, for reading; what it is told does not change the study.

    It needs no lock, so another process may be writing to the study. Warns if the study was created with another
    revision of its algorithm: the copy is then not the optimizer that chose the arms, but a new one that has observed
    their rewards.
    """
    return _load(name, store)


def _load(name: str, store: str | os.PathLike[str]) -> Optimizer:
    optimizer, warning = _canopy.look_at(_path(store), _checked_name("name", name))
    if warning:
        warnings.warn(warning, stacklevel=3)  # the caller's caller
    return _optimizer_from(optimizer)


def _optimizer_from(optimizer: _canopy.Optimizer) -> Optimizer:
    return copied(CLASSES[optimizer.optimizer_name], optimizer)


def load_result(name: str, store: str | os.PathLike[str] = DEFAULT_STORE) -> Result:
    """All rewards of a study as a Result, for `to_frame` and the plots.

    Rewards told as sums are replaced by their mean, repeated. Observed rewards, which no ask returned, are episodes
    with ticket 0.
    """
    result = Result(_load(name, store))
    started = None
    for ticket, arm, at, rewards, context in _canopy.history_of(_path(store), name):
        started = at if started is None else started
        if ticket and result.episodes and result.episodes[-1].ticket == ticket:
            result.episodes[-1].rewards.extend(rewards)
        else:
            result.episodes.append(Episode(ticket, arm, -1, result.pulls + 1, rewards, context))
        result.rewards.extend(rewards)
        result.pulls += len(rewards)
        result.seconds = at - started
    return result


_Kept = TypeVar("_Kept", Space, Contexts)


def _keepable(what: str, things: _Kept) -> _Kept:
    """Checks that a store can keep a space or contexts (`what`: "space" or "context"), and returns it."""
    for name, thing in things.items():
        for value in thing._objects():
            if not isinstance(value, str) or "\0" in value:
                raise ValueError(
                    f"{what}.{name}: the choices of a study must be strings without zero bytes, because they are stored"
                )
    return things


def _path(store: str | os.PathLike[str]) -> str:
    path = os.fsdecode(store) if isinstance(store, (str, bytes, os.PathLike)) else None
    if path is None or "\0" in path or not _is_utf8(path):
        raise ValueError(f"store = {store!r}: must be the path of a file, or postgresql://...")
    return path


def _checked_name(argument: str, name: Any) -> str:
    if not isinstance(name, str) or not _is_utf8(name):
        raise ValueError(f"{argument} = {name!r}: must be the name of a study")
    return name


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
