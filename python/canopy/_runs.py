"""The runs of an experiment: done here, in threads or in processes of their own, and kept in a file."""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import json
import multiprocessing
import os
import pathlib
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from multiprocessing import connection
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TextIO

from . import _canopy
from ._fingerprint import text_of_value
from ._generators import seeded
from ._workers import WorkerTraceback, sendable

if TYPE_CHECKING:
    from ._experiment import Algorithm, Function
    from ._simulation import Environment

Record = dict[str, Any]  #: of a finished run


class Plan(NamedTuple):
    """What the runs of an experiment have in common."""

    environments: Mapping[str, Environment | Function]
    algorithms: Mapping[str, Algorithm]
    steps: int
    seed: int
    checkpoints: list[int]
    regret: Literal["pseudo", "realised"]


class Unit(NamedTuple):
    """One run of one algorithm with these options, to tune or to measure."""

    phase: Literal["tune", "measure"]
    environment: str
    algorithm: str
    options: dict[str, Any]
    run: int

    def __str__(self) -> str:
        return f"run {self.run} of {self.algorithm} on {self.environment}"


# --- kept in a folder -----------------------------------------------------------------------------


class Log:
    """The finished runs, a line of JSON each, in a file of a folder if there is one.

    The first line says what they depend on, and another one each time there is more of that. A run is in the file when
    `add` returns. A last line that was cut off is dropped. One process at a time has the file.
    """

    FILE = "runs.jsonl"

    def __init__(self, folder: str | os.PathLike[str] | None, settings: dict[str, Any]):
        self._records: dict[str, Record] = {}
        self._file: TextIO | None = None
        if folder is None:
            return
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        self._path = pathlib.Path(folder) / self.FILE
        self._file = open(self._path, "a", encoding="utf-8")  # noqa: SIM115
        try:
            self._lock()
            self._read(json.loads(_text_of(settings)))
        except BaseException:
            self._file.close()
            raise

    def _lock(self) -> None:
        assert self._file
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(f"{self._path}: another process is running this experiment") from None

    def _read(self, settings: dict[str, Any]) -> None:
        assert self._file
        whole = self._path.read_bytes()
        whole = whole[: whole.rfind(b"\n") + 1]
        os.truncate(self._path, len(whole))
        known: dict[str, Any] = {}
        for line in whole.decode().splitlines():
            entry = json.loads(line)
            if "settings" in entry:
                known = _merged(known, entry["settings"])
            else:
                self._records[_key_of(**{field: entry[field] for field in Unit._fields})] = entry
        if differs := list(_differences(known, settings)):
            raise ValueError(f"{self._path}: has runs with other settings; {'; '.join(differs)}. Use another folder.")
        if _merged(known, settings) != known:
            self._write({"settings": settings})

    def _write(self, entry: Mapping[str, Any]) -> None:
        if self._file:
            self._file.write(_text_of(entry) + "\n")
            self._file.flush()

    def has(self, unit: Unit) -> bool:
        return _key_of(*unit) in self._records

    def record(self, unit: Unit) -> Record:
        return self._records[_key_of(*unit)]

    def add(self, record: Record) -> None:
        self._write(record)
        self._records[_key_of(**{field: record[field] for field in Unit._fields})] = record

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file:
            self._file.close()


def _text_of(entry: Any) -> str:
    return json.dumps(entry, default=lambda value: text_of_value(value) or repr(value), sort_keys=True)


def _key_of(phase: str, environment: str, algorithm: str, options: Mapping[str, Any], run: int) -> str:
    return _text_of([phase, environment, algorithm, options, run])


def _merged(known: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with what others have in addition."""
    merged = {**more, **known}
    for name in ("environments", "algorithms"):
        merged[name] = {**more.get(name, {}), **known.get(name, {})}
    return merged


def _differences(known: Mapping[str, Any], ours: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """What both have, and not alike."""
    for name in [each for each in known if each in ours]:
        there, here = known[name], ours[name]
        if name == "values":
            yield from _changes(there, here, f"{prefix}{name}.")
        elif isinstance(there, dict) and isinstance(here, dict):
            yield from _differences(there, here, f"{prefix}{name}.")
        elif there != here:
            said = "has changed since" if name == "code" else f"is {there!r} there and {here!r} here"
            yield f"{prefix}{name} {said}"


def _changes(known: Mapping[str, str], ours: Mapping[str, str], prefix: str) -> Iterator[str]:
    """What only one of both has, or has otherwise."""
    for name in dict.fromkeys([*known, *ours]):
        if known.get(name) != ours.get(name):
            yield f"{prefix}{name} is {known.get(name, 'nothing')} there and {ours.get(name, 'nothing')} here"


# --- shown on the way -----------------------------------------------------------------------------


class ProgressLine:
    """The progress of an experiment on stderr: one line that is overwritten on a terminal, a line per tenth elsewhere.

    Short work shows none.
    """

    _PATIENCE = 1.0

    def __init__(self, wanted: bool | None, steps: int, runs: int):
        self._on_terminal = sys.stderr.isatty()
        self._wanted = self._on_terminal if wanted is None else wanted
        self._steps, self._runs = steps, runs
        self._finished = 0
        self._skipped = 0
        self._started = time.monotonic()
        self._due = self._started + self._PATIENCE
        self._shown = False
        self._tenths = 0

    def finished(self, skipped: bool = False) -> None:
        """Another run is; `skipped`: it was there."""
        self._finished += 1
        self._skipped += skipped

    def show(self, under_way: int = 0) -> None:
        """Shows it, now and then; `under_way`: the steps of runs that are not finished."""
        now = time.monotonic()
        share = min(1.0, (self._finished + under_way / self._steps) / self._runs)
        if not self._wanted or now < self._due or (not self._on_terminal and int(10 * share) <= self._tenths):
            return
        self._due, self._tenths, self._shown = now + 0.2, int(10 * share), True
        ours = share - self._skipped / self._runs
        left = f", {(now - self._started) * (1 - share) / ours:.0f} s left" if ours > 0.01 else ""
        text = f"canopy: {100 * share:3.0f} %  {self._finished} of {self._runs} runs{left}"
        print(f"\r{text:<79}" if self._on_terminal else text, end="" if self._on_terminal else "\n", file=sys.stderr)
        sys.stderr.flush()

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown and self._on_terminal:
            print(file=sys.stderr)


# --- done -----------------------------------------------------------------------------------------


def finish_units(plan: Plan, units: Sequence[Unit], log: Log, jobs: int, line: ProgressLine) -> None:
    """Does those that are not in the log yet, so many at a time."""
    left = [unit for unit in units if not log.has(unit)]
    for _ in range(len(units) - len(left)):
        line.finished(skipped=True)
    compiled = [unit for unit in left if _is_compiled(plan, unit)]
    interpreted = [unit for unit in left if not _is_compiled(plan, unit)]
    if interpreted and importlib.util.find_spec("numpy"):
        with contextlib.suppress(ImportError):
            importlib.import_module("numpy")  # so that its generator is seeded also where a function imports it

    def take(unit: Unit, measured: Record) -> None:
        log.add({**unit._asdict(), **measured})
        line.finished()

    if min(jobs, len(interpreted)) > 1:
        _run_in_processes(plan, interpreted, take, jobs, line)
    else:
        _run_here(plan, interpreted, take, line)
    _run_in_threads(plan, compiled, take, jobs, line)


def _is_compiled(plan: Plan, unit: Unit) -> bool:
    """Whether neither side of it is written in Python."""
    is_name = isinstance(plan.algorithms[unit.algorithm].algorithm, str)
    return is_name and not isinstance(plan.environments[unit.environment], _canopy.Function)


def _run_unit(plan: Plan, unit: Unit, watch: _canopy.Watch) -> Record:
    """What was measured, numbers alone; the unit itself, whose options may be anything, need not travel."""
    environment = plan.environments[unit.environment]
    algorithm = plan.algorithms[unit.algorithm].algorithm
    made = algorithm
    if not isinstance(algorithm, str):
        made = lambda seed: algorithm(environment.space, seed=seed, **unit.options)  # noqa: E731
    reward_range = environment.reward_range if isinstance(environment, _canopy.Function) else (0.0, 1.0)
    tunes = unit.phase == "tune"
    (regret, realised, simple, ns_per_step, checkpoints), highest = _canopy.run_unit(
        environment,
        made,
        unit.options,
        plan.steps,
        plan.seed,
        unit.algorithm,
        "tuning" if tunes else "",
        unit.run,
        [] if tunes else plan.checkpoints,
        reward_range,
        watch,
    )
    return {
        "per_step_regret": regret,
        "per_step_realised_regret": realised,
        "simple_regret": simple,
        "ns_per_step": ns_per_step,
        "checkpoints": checkpoints,
        "highest": highest,
    }


def _run_interpreted(plan: Plan, unit: Unit, watch: _canopy.Watch) -> Record:
    """The same for a run that calls Python, which may use generators of its own."""
    name = f"{plan.seed} {unit.phase} {unit.environment} {unit.algorithm} {unit.run}"
    with seeded(name, _users_of_chance(plan, unit)):
        try:
            return _run_unit(plan, unit, watch)
        except Exception as error:
            if hasattr(error, "add_note"):  # from Python 3.11 on
                error.add_note(f"canopy: in {unit}")
            raise


def _users_of_chance(plan: Plan, unit: Unit) -> list[Any]:
    """What may have a random generator of its own."""
    environment = plan.environments[unit.environment]
    called = environment._users if isinstance(environment, _canopy.Function) else ()
    return [*called, plan.algorithms[unit.algorithm].algorithm, *unit.options.values()]


Take = Callable[[Unit, Record], None]


def _run_here(plan: Plan, units: Sequence[Unit], take: Take, line: ProgressLine) -> None:
    for unit in units:
        watch = _canopy.Watch()
        watch.tick = lambda _, watch=watch: line.show(watch.done)
        take(unit, _run_interpreted(plan, unit, watch))


def _run_in_threads(plan: Plan, units: Sequence[Unit], take: Take, jobs: int, line: ProgressLine) -> None:
    watch = _canopy.Watch()
    taken = 0
    with ThreadPoolExecutor(jobs) as pool:
        try:
            running = {pool.submit(_run_unit, plan, unit, watch): unit for unit in units}
            while running:
                for future in wait(running, 0.1, FIRST_COMPLETED).done:
                    take(running.pop(future), future.result())
                    taken += 1
                line.show(watch.done - taken * plan.steps)
        except BaseException:
            watch.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class _Worker:
    """A fork of this process that does units as it is told their numbers: what it runs need not be pickled."""

    def __init__(self, plan: Plan, units: Sequence[Unit], others: Sequence[_Worker], done: Any, slot: int):
        fork = multiprocessing.get_context("fork")
        self.connection, end = fork.Pipe()
        inherited = [self.connection, *(each.connection for each in others)]
        self.process = fork.Process(target=_serve, args=(plan, units, end, inherited, done, slot), daemon=True)
        self.process.start()
        end.close()
        self.unit: Unit

    def send(self, number: int, unit: Unit) -> None:
        self.connection.send(number)
        self.unit = unit

    def receive(self) -> Record:
        try:
            measured, failure = self.connection.recv()
        except (EOFError, ConnectionError):
            self.process.join()
            code = self.process.exitcode
            raise RuntimeError(f"{self.unit}: its process has ended with code {code}") from None
        if failure:
            error, text = failure
            raise error from WorkerTraceback(text)
        return dict(measured)

    def end(self) -> None:
        self.process.terminate()
        self.process.join()
        self.connection.close()


def _serve(
    plan: Plan, units: Sequence[Unit], end: Any, inherited: Sequence[Any], done: Any, slot: int
) -> None:  # in the worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever has started it ends it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for each in inherited:
        each.close()
    parent = os.getppid()
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            unit = units[end.recv()]
            watch = _canopy.Watch()

            def tick(_: int, watch: _canopy.Watch = watch) -> None:
                done[slot] = watch.done
                if os.getppid() != parent:  # nobody waits for it any more
                    os._exit(1)

            watch.tick = tick
            answer: tuple[Record | None, tuple[BaseException, str] | None]
            try:
                answer = (_run_interpreted(plan, unit, watch), None)
            except BaseException as error:
                answer = (None, (sendable(error), "".join(traceback.format_exception(error))))
            done[slot] = 0
            end.send(answer)


def _run_in_processes(plan: Plan, units: Sequence[Unit], take: Take, jobs: int, line: ProgressLine) -> None:
    done = multiprocessing.get_context("fork").RawArray("Q", jobs)
    todo = iter(enumerate(units))
    workers: list[_Worker] = []
    try:
        for slot, (number, unit) in zip(range(jobs), todo):
            workers.append(_Worker(plan, units, workers, done, slot))
            workers[-1].send(number, unit)
        busy = {worker.connection: worker for worker in workers}
        while busy:
            for ready in connection.wait(list(busy), 0.1):
                worker = busy[ready]  # type: ignore[index]
                measured = worker.receive()
                take(worker.unit, measured)
                if following := next(todo, None):
                    worker.send(*following)
                else:
                    del busy[ready]  # type: ignore[arg-type]
            line.show(sum(done))
    finally:
        for worker in workers:
            worker.end()
