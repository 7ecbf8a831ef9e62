"""Durable studies: an optimizer whose every step is on the disk before its answer is given."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from . import _canopy
from ._optimizers import CLASSES, Direction, Looks, Optimizer, _restored, make_optimizer
from ._search import Episode, Result
from ._space import Choice, Integer, Parameter, Space, space_from, space_from_tuples

DEFAULT_STORE = "canopy.db"


class StudyRecord(NamedTuple):
    """A study as its store lists it.

    `pulls` are the rewards learnt; `created` and `updated` are seconds since 1970; `holder` is who opened it last to
    write, which may be long ago; `forked_from` is the name of another study, or empty.
    """

    name: str
    pulls: int
    events: int
    created: float
    updated: float
    holder: str
    forked_from: str


class Study(Looks, _canopy.Study):
    """An optimizer that remembers, in the same store as the command line's, under the same locks.

    It speaks the optimizer's protocol: ask, tell, drop, finish, best, summary, tree, in_flight. What a call
    has changed is on the disk when it returns; `with study.batch():` commits many calls at once. One process
    at a time may have a study open; the others get StudyError, and may look by `load_optimizer`.

    >>> import tempfile, os
    >>> store = os.path.join(tempfile.mkdtemp(), "canopy.db")
    >>> with canopy.Study.open("cache", store=store, space={"ttl": canopy.real(1, 3600, log=True)}) as study:
    ...     pull = study.ask(1)
    ...     study.tell(pull, 0.8)
    >>> with canopy.Study.open("cache", store=store) as study:  # where it was
    ...     study.summary().t
    2
    """

    direction: Direction
    reward_range: tuple[float, float]
    store: str
    optimizer_name: str
    options: dict[str, Any]  #: of its optimizer, with every default filled in
    _unanswered: list[int]  # tickets that an earlier process has left
    _taking: threading.Lock

    def __init__(self) -> None:
        raise TypeError("open a study with canopy.Study.open(name, store=...)")

    @classmethod
    def open(
        cls,
        name: str,
        store: str | os.PathLike[str] = DEFAULT_STORE,
        *,
        space: Space | Mapping[str, Parameter] | None = None,
        file: str | os.PathLike[str] | None = None,
        fork: str | None = None,
        optimizer: str | None = None,
        direction: Direction | None = None,
        reward_range: Sequence[float] | None = None,
        **options: Any,
    ) -> Study:
        """Opens the study of that name to go on with it, or makes it.

        With neither `space` nor `file` it must be in the store. With a space (and an optimizer, its options,
        a direction, a reward_range) or a study file (TOML, as `canopy tune` reads it), it is made if it is not
        there, and must be the same if it is. The choices of its space must be texts. `fork` is the name of a new
        study made from it instead: with its journal if nothing that matters to that differs, and else from scratch.
        Raises StudyError if somebody else has it open.
        """
        source = None
        about = {"optimizer": optimizer, "direction": direction, "reward_range": reward_range, **options}
        about = {option: value for option, value in about.items() if value is not None}
        if not isinstance(name, str):
            raise ValueError(f"name = {name!r}: must be the name of a study")
        if file is not None:
            if space is not None or about:
                raise ValueError("file: says it all; leave space and options out")
            with open(file, encoding="utf-8") as text:
                source = text.read()
        elif space is not None:
            source = _study_file(space_from(space), **about)
        elif about:
            raise ValueError(f"{', '.join(about)}: options need a space; without one the study in the store is opened")
        study = cls.__new__(cls)
        said_by = name if file is None else os.fspath(file)
        _canopy.Study.__init__(study, os.fspath(store), name, source, said_by, fork, space_from_tuples)
        specification = study._specification()
        study.store = os.fspath(store)
        study.direction = specification["direction"]
        study.reward_range = specification["reward_range"]
        study.optimizer_name = specification["optimizer"]
        study.options = specification["options"]
        study._unanswered = [pull.ticket for pull in study.in_flight()]
        study._taking = threading.Lock()
        return study

    @contextmanager
    def batch(self) -> Iterator[Study]:
        """Commits once, at the end of the block, even if that ends by an exception: nothing is on the disk before."""
        self._begin_batch()
        try:
            yield self
        finally:
            self._end_batch()

    def _take_unanswered(self) -> _canopy.Pull | None:
        """A pull that an earlier process has left, each once, for maximize to play first."""
        with self._taking:
            still_open = {pull.ticket: pull for pull in self.in_flight()} if self._unanswered else {}
            while self._unanswered:
                pull = still_open.get(self._unanswered.pop(0))
                if pull:
                    return pull
        return None

    def copy(self) -> Optimizer:
        """The optimizer as it is now, in memory."""
        return _optimizer_from(self._specification(), self.save())

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a study cannot be pickled: it is in its store; open it there")

    def __repr__(self) -> str:
        try:
            return f"<canopy.Study {self.name} in {self.store}, {self.summary().t - 1} pulls>"
        except _canopy.StudyError:
            return f"<canopy.Study {self.name} in {self.store}, closed>"


def studies(store: str | os.PathLike[str] = DEFAULT_STORE) -> list[StudyRecord]:
    """All studies of a store, by name."""
    return [StudyRecord(*record) for record in _canopy.studies(os.fspath(store))]


def load_optimizer(name: str, store: str | os.PathLike[str] = DEFAULT_STORE) -> Optimizer:
    """The optimizer of a study as it is now, to be looked at; what is told to it stays in memory.

    It needs no lock: somebody else may be writing to the study.
    """
    return _optimizer_from(*_canopy.look_at(os.fspath(store), name))


def _optimizer_from(specification: dict[str, Any], saved: bytes) -> Optimizer:
    given = (
        space_from_tuples(specification["parameters"]),
        specification["options"],
        specification["direction"],
        specification["reward_range"],
        specification["partition"],
    )
    return _restored(CLASSES[specification["optimizer"]], given, saved)


def load_result(name: str, store: str | os.PathLike[str] = DEFAULT_STORE) -> Result:
    """Everything that a study was told, as a Result: for `to_frame` and the plots.

    Rewards that were told as sums are shown as so many times their mean.
    """
    result = Result(load_optimizer(name, store))
    started = None
    for ticket, arm, at, rewards in _canopy.history_of(os.fspath(store), name):
        started = at if started is None else started
        if result.episodes and result.episodes[-1].ticket == ticket:
            result.episodes[-1].rewards.extend(rewards)
        else:
            result.episodes.append(Episode(ticket, arm, -1, result.pulls + 1, rewards))
        result.rewards.extend(rewards)
        result.pulls += len(rewards)
        result.seconds = at - started
    return result


def _study_file(
    space: Space,
    optimizer: str = "hct",
    direction: str = "maximize",
    reward_range: Sequence[float] = (0.0, 1.0),
    **options: Any,
) -> str:
    """A study file, as text. What is wrong is said of the arguments, not of a file that nobody wrote."""
    made = make_optimizer(optimizer, space, direction=direction, reward_range=reward_range, **options)
    low, high = made.reward_range
    lines = [
        f'direction = "{direction}"',
        f"reward_range = [{_toml(low)}, {_toml(high)}]",
        "[optimizer]",
        f'name = "{optimizer}"',
    ]
    kept = {"partition", *_canopy.optimizer_defaults(optimizer)}  # a seed is taken by all and kept by some
    lines += [f"{name} = {_toml(value)}" for name, value in options.items() if name in kept]
    for name, parameter in space.items():
        lines += ["[[space]]", f"name = {_toml(name)}"]
        if isinstance(parameter, Choice):
            if not all(isinstance(value, str) for value in parameter.choices):
                raise ValueError(
                    f"space.{name}: the choices of a study must be strings, since they are kept in its store"
                )
            lines += ['type = "choice"', f"choices = {_toml(list(parameter.choices))}"]
        elif isinstance(parameter, Integer):
            lines += ['type = "integer"', f"low = {parameter.low}", f"high = {parameter.high}"]
        else:
            lines += ['type = "real"', f"low = {_toml(float(parameter.low))}", f"high = {_toml(float(parameter.high))}"]
            lines += [f'scale = "{"log" if parameter.log else "linear"}"']
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    """A number, a text or a list of texts in TOML."""
    if isinstance(value, (str, list)):
        import json

        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(int(value)) if isinstance(value, int) else repr(float(value))
