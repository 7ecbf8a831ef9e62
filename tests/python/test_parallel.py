"""`n_jobs`, `enqueue` and `observe` of `maximize` and `minimize`."""

import multiprocessing
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time
import traceback
import types
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor

import canopy
import numpy
import pytest
from canopy import _workers

X = {"x": canopy.real(0, 1)}
PLANE = {"x": canopy.real(0, 1), "y": canopy.real(0, 1)}


def hill(x):
    return 1 - abs(x - 0.7)


def process_number(x):
    return float(os.getpid() % 1000) + x


def crash_left(x):
    if x < 0.5:
        raise OSError("the left half is broken")
    return x


class Stubborn(Exception):
    """Cannot be unpickled."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def raise_stubborn(x):
    raise Stubborn(1, 2)


def die(x):
    os._exit(3)


def sleep_long(x):
    time.sleep(60)
    return x


@pytest.mark.parametrize("workers", ["processes", "threads"])
def test_several_calls_at_a_time_find_what_one_at_a_time_finds(workers):
    result = canopy.maximize(hill, X, pulls=200, n_jobs=3, workers=workers)
    assert result.pulls == len(result.rewards) == len(result.episodes) == 200 and result.stopped == "pulls"
    assert abs(result.best.arm["x"] - 0.7) < 0.02
    assert sum(len(episode.rewards) for episode in result.episodes) == 200
    assert [episode.first for episode in result.episodes] == list(range(1, 201))
    assert result.optimizer.in_flight() == [] and multiprocessing.active_children() == []


def test_calls_are_made_in_processes_of_their_own():
    result = canopy.maximize(process_number, X, pulls=30, n_jobs=2)
    assert os.getpid() % 1000 not in {int(reward) for reward in result.rewards}


def test_calls_in_flight_have_different_arms():
    meet, seen = threading.Barrier(4), []

    def measure(x):
        seen.append(x)
        meet.wait(timeout=30)  # the first four calls start before any of them ends
        return x

    canopy.maximize(measure, X, pulls=40, n_jobs=4, workers="threads")
    assert len(set(seen[:4])) == 4


def test_a_closure_is_called_in_processes_that_are_forks():
    here, offset = os.getpid(), 2.0

    def measure(x):
        assert os.getpid() != here
        return x + offset

    assert min(canopy.maximize(measure, X, pulls=10, n_jobs=2).rewards) >= 2


def test_a_function_that_cannot_be_sent_is_refused_at_once(monkeypatch):
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    for measure in (lambda x: x, lambda x: -x):
        with pytest.raises(ValueError, match=r'cannot be sent to other processes .* or give workers="threads"'):
            canopy.maximize(measure, X, pulls=10, n_jobs=2)
    assert canopy.maximize(lambda x: x, X, pulls=10, n_jobs=2, workers="threads").pulls == 10
    assert canopy.maximize(lambda x: x, X, pulls=10, n_jobs=1).pulls == 10


@pytest.mark.parametrize("workers", ["processes", "threads"])
def test_an_error_comes_out_with_the_traceback_of_its_worker(workers):
    opt = canopy.Adaptive(X)
    with pytest.raises(OSError, match="left half") as raised:
        canopy.maximize(crash_left, optimizer=opt, pulls=100, n_jobs=2, workers=workers, on_failure="raise")
    shown = "".join(traceback.format_exception(raised.value))
    assert "in crash_left" in shown and 'raise OSError("the left half is broken")' in shown
    assert opt.in_flight() == []


def test_failures_are_penalized_as_ever():
    result = canopy.maximize(crash_left, X, pulls=60, n_jobs=2, failure_reward=-1)
    assert result.failed > 0 and "OSError: the left half is broken" in result.last_failure
    assert result.best.arm["x"] >= 0.5 and result.summary.penalized == result.failed
    with pytest.raises(canopy.FailuresError, match="10 of the last 10"):
        canopy.maximize(raise_stubborn, X, pulls=60, n_jobs=2, failure_reward=-1)
    with pytest.raises(RuntimeError, match="Stubborn: 1 and 2"):
        canopy.maximize(raise_stubborn, X, pulls=60, n_jobs=2)


def test_a_worker_that_dies_is_said():
    opt = canopy.Adaptive(X)
    with pytest.raises(RuntimeError, match="a worker process has died"):
        canopy.maximize(die, optimizer=opt, pulls=10, n_jobs=2)
    assert opt.in_flight() == []


def test_ctrl_c_ends_the_pool():
    opt = canopy.Adaptive(X)
    threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    result = canopy.maximize(sleep_long, optimizer=opt, pulls=10, n_jobs=2)
    assert result.stopped == "interrupted" and result.pulls == 0
    deadline = time.monotonic() + 30  # two threads wait for a worker; the other one may be the one to notice its end
    while multiprocessing.active_children() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert opt.in_flight() == [] and multiprocessing.active_children() == []


def test_a_study_can_be_searched_by_several(store):
    with canopy.Study.open("a", store, space=X) as study:
        result = canopy.maximize(hill, optimizer=study, pulls=20, n_jobs=2)
        assert result.pulls == 20 and study.in_flight() == [] and study.summary().t == 21


def left_open(store):
    """A study with an open pull of several calls; returns the number of calls."""
    with canopy.Study.open("a", store, space=X, optimizer="hct", feedback="correlated") as study:
        for _ in range(4000):
            pull = study.ask()
            if pull.length >= 8:
                return pull.ticket, pull.length
            study.tell(pull, [hill(pull.arm["x"])] * pull.length)
    raise AssertionError("no pull is that long")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_pull_that_was_left_open_is_played_to_its_end(n_jobs, store):
    ticket, length = left_open(store)
    with canopy.Study.open("a", store) as study:
        result = canopy.maximize(hill, optimizer=study, pulls=length + 20, n_jobs=n_jobs, workers="threads")
        assert study.in_flight() == []
    assert sum(len(episode.rewards) for episode in result.episodes if episode.ticket == ticket) == length


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_is_left_of_it_is_given_back_at_the_end(n_jobs, store):
    ticket, _ = left_open(store)
    with canopy.Study.open("a", store) as study:
        result = canopy.maximize(hill, optimizer=study, pulls=3, n_jobs=n_jobs, workers="threads")
        assert study.in_flight() == [] and ticket in {episode.ticket for episode in result.episodes}


def test_a_pull_that_was_left_open_may_fail(store):
    ticket, _ = left_open(store)
    with canopy.Study.open("a", store) as study:
        broken = study.in_flight()[0].arm["x"]

        def measure(x):
            if x == broken:
                raise OSError("broken")
            return hill(x)

        result = canopy.maximize(measure, optimizer=study, pulls=20, n_jobs=2, workers="threads")
        assert study.in_flight() == [] and result.failed > 0
    assert ticket not in {episode.ticket for episode in result.episodes}


def test_calls_under_way_count_when_it_is_stopped():
    result = canopy.maximize(hill, X, n_jobs=3, workers="threads", stop=lambda result: result.pulls >= 10)
    assert result.stopped == "stop" and 10 <= result.pulls <= 12


@pytest.mark.parametrize("n_jobs", [0, -2, 1.5, "two"])
def test_a_number_of_jobs_must_make_sense(n_jobs):
    with pytest.raises(ValueError, match="n_jobs = .*: must be a whole number from 1 to 1024, or -1"):
        canopy.maximize(hill, X, pulls=10, n_jobs=n_jobs)


@pytest.mark.parametrize("n_jobs", [0, -2, 1.5, "two", None])
def test_a_number_of_jobs_is_the_same_for_an_experiment(n_jobs):
    with pytest.raises(ValueError, match="n_jobs = .*: must be a whole number from 1 to 1024, or -1"):
        canopy.experiment("random", "garland", steps=10, runs=1, n_jobs=n_jobs)


def test_minus_one_is_one_per_core_that_may_be_used():
    mine = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(mine)})
        assert _workers.jobs_from(-1) == 1
    finally:
        os.sched_setaffinity(0, mine)
    assert _workers.jobs_from(-1) == len(mine)


def test_minus_one_is_taken_and_workers_are_named():
    assert canopy.maximize(hill, X, pulls=10, n_jobs=-1).pulls == 10
    with pytest.raises(ValueError, match="workers = 'fibres'"):
        canopy.minimize(hill, X, pulls=10, workers="fibres")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_enqueued_arms_are_tried_first(n_jobs):
    first = [{"x": 0.7}, {"x": 0.123}]
    result = canopy.maximize(hill, X, pulls=20, enqueue=first, n_jobs=n_jobs, workers="threads")
    assert sorted(episode.arm["x"] for episode in result.episodes if episode.ticket == 0) == [0.123, 0.7]
    assert result.pulls == 20 and result.summary.observed == 2 and result.summary.t == 19
    assert result.optimizer.estimate({"x": 0.7}).mean == 1
    if n_jobs == 1:
        assert [episode.arm for episode in result.episodes[:2]] == first
    assert canopy.minimize(hill, X, pulls=1, enqueue=first).rewards == [1.0]


def test_an_enqueued_arm_may_fail():
    result = canopy.maximize(crash_left, X, pulls=20, enqueue=[{"x": 0.8}, {"x": 0.1}])
    assert result.failed > 0 and result.optimizer.is_barred({"x": 0.1})
    with pytest.raises(OSError, match="left half"):
        canopy.maximize(crash_left, X, pulls=20, enqueue=[{"x": 0.1}])


def test_known_rewards_are_learnt_before_the_first_call():
    seen = []
    result = canopy.maximize(
        lambda x, y: seen.append((x, y)) or x,
        PLANE,
        pulls=10,
        observe=[({"x": 0.5, "y": 0.5}, [2.0, 3.0]), ({"x": 0.1, "y": 0.2}, 0.1)],
    )
    assert result.summary.observed == 3 and result.pulls == len(seen) == 10
    assert result.optimizer.estimate({"x": 0.5, "y": 0.5}).mean == 2.5


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"enqueue": {"x": 0.5}}, "enqueue = .*: must be a list"),
        ({"enqueue": [0.5]}, "enqueue: 0.5 must be an arm"),
        ({"enqueue": [{"x": 3}]}, r"enqueue\[0\]: x = 3: must be a number from 0 to 1"),
        (
            {"enqueue": [{"x": 0.5}, {"y": 0.5}]},
            r"enqueue\[1\]: x: is missing; 'y': is not a parameter of the space, which has x$",
        ),
        ({"observe": [{"x": 0.5}]}, "observe: .* must be an arm and its reward"),
        ({"observe": [({"x": 7}, 0.5)]}, r"observe\[0\]: x = 7"),
    ],
)
def test_arms_that_are_none_are_refused_before_anything_is_played(given, message):
    opt = canopy.Adaptive(X)
    with pytest.raises(ValueError, match=message):
        canopy.maximize(lambda x: pytest.fail("played"), optimizer=opt, pulls=10, **given)
    assert opt.summary().observed == 0


def chance(x):
    return random.random()


def numpys_chance(x):
    return float(numpy.random.random())


OWN = numpy.random.default_rng(7)


def own_chance(x):
    return float(OWN.random())


@pytest.mark.parametrize("measure", [chance, numpys_chance, own_chance])
def test_every_process_has_random_numbers_of_its_own(measure):
    result = canopy.maximize(measure, X, pulls=60, n_jobs=4)
    rewards = [reward for episode in result.episodes for reward in episode.rewards]
    assert len(set(rewards)) == 60


@pytest.mark.parametrize("measure", [chance, numpys_chance, own_chance])
def test_with_a_seed_the_numbers_depend_on_it_and_on_the_call(measure):
    def rewards(seed, jobs):
        result = canopy.maximize(measure, X, pulls=30, n_jobs=jobs, seed=seed)
        return sorted(reward for episode in result.episodes for reward in episode.rewards)

    assert rewards(1, 2) == rewards(1, 3)
    assert rewards(1, 2) != rewards(2, 2)


@pytest.mark.parametrize("seed", [None, 1])
def test_the_pattern_of_the_readme_has_other_numbers_in_every_call(seed):
    chance = random.Random(1)

    def measure(x):
        return 0.9 - (x - 0.3) ** 2 + 0.2 * (chance.random() - 0.5)

    given = {} if seed is None else {"seed": seed}
    result = canopy.maximize(measure, X, pulls=80, n_jobs=4, **given)
    noise = [reward - 0.9 + (each.arm["x"] - 0.3) ** 2 for each in result.episodes for reward in each.rewards]
    assert len({round(number, 12) for number in noise}) == 80
    assert -0.1 <= min(noise) < -0.05 and 0.05 < max(noise) <= 0.1


class FakeTorchGenerator:
    """A substitute for torch.default_generator; torch is too large for a test."""

    def __init__(self):
        self.chance = random.Random(0)

    def manual_seed(self, seed):
        self.chance.seed(seed)

    def get_state(self):
        return self.chance.getstate()

    def set_state(self, state):
        self.chance.setstate(state)


def test_the_generator_of_torch_is_among_them(monkeypatch):
    torch = types.ModuleType("torch")
    torch.default_generator = FakeTorchGenerator()
    monkeypatch.setitem(sys.modules, "torch", torch)
    result = canopy.maximize(lambda x: torch.default_generator.chance.random(), X, pulls=40, n_jobs=4)
    assert len(set(result.rewards)) == 40


@pytest.mark.parametrize("kind", [ProcessPoolExecutor, ThreadPoolExecutor])
def test_an_executor_makes_the_calls_and_is_left_open(kind):
    with kind(3) as executor:
        result = canopy.maximize(hill, X, pulls=60, executor=executor)
        assert result.pulls == 60 and max(result.rewards) > 0.9
        assert executor.submit(hill, 0.7).result() == 1


@pytest.mark.parametrize("measure", [chance, numpys_chance, own_chance])
def test_the_processes_of_an_executor_have_random_numbers_of_their_own(measure):
    def rewards(**options):
        with ProcessPoolExecutor(3) as executor:
            return canopy.maximize(measure, X, pulls=40, executor=executor, **options).rewards

    assert len(set(rewards())) == 40
    assert sorted(rewards(seed=1)) == sorted(rewards(seed=1, n_jobs=2))


class OneByOne:
    """An executor with the interface of concurrent.futures."""

    def submit(self, call, *arguments):
        future = Future()
        future.set_result(call(*arguments))
        return future


def test_an_executor_that_does_not_say_how_many_it_takes_is_asked_for_n_jobs():
    with pytest.raises(ValueError, match="n_jobs: is missing; give the number of parallel calls of the executor"):
        canopy.maximize(hill, X, pulls=10, executor=OneByOne())
    assert canopy.maximize(hill, X, pulls=10, executor=OneByOne(), n_jobs=2).pulls == 10
    with pytest.raises(ValueError, match="executor = 3: must be an executor"):
        canopy.maximize(hill, X, pulls=10, executor=3)


def test_what_an_executor_cannot_be_sent_is_refused_at_once():
    with ProcessPoolExecutor(1) as executor, pytest.raises(ValueError, match="cannot be sent to other processes"):
        canopy.maximize(lambda x: x, X, pulls=10, executor=executor)


KILLED = """
import canopy, os, sys, time

def slow(x):
    os.write(1, f"{os.getpid()}\\n".encode())  # in one piece
    time.sleep(60)
    return x

study = canopy.Study.open("a", sys.argv[1], space={"x": canopy.real(0, 1)})
canopy.maximize(slow, optimizer=study, pulls=10, n_jobs=2)
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_processes_end_with_the_one_that_has_started_them(tmp_path, end):
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    store = str(tmp_path / "a.db")
    with subprocess.Popen([sys.executable, str(script), store], stdout=subprocess.PIPE, text=True) as process:
        workers = [int(process.stdout.readline()) for _ in range(2)]
        process.send_signal(end)
        process.wait()
    for _ in range(200):
        if not any(is_alive(worker) for worker in workers):
            break
        time.sleep(0.05)
    assert not any(is_alive(worker) for worker in workers)
    with canopy.Study.open("a", store) as study:  # no other process has it open
        assert study.is_open


def is_alive(process):
    try:
        return "Z" not in pathlib.Path(f"/proc/{process}/stat").read_text().split(")")[1][:3]
    except OSError:
        return False
