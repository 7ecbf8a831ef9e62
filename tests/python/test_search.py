import copy
import math
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
import warnings

import canopy
import numpy
import pytest

X = {"x": canopy.real(0, 1)}


def hill(x):
    return 1 - abs(x - 0.3)


def test_it_finds_the_largest_and_the_least():
    assert abs(canopy.maximize(hill, X, pulls=500).best.arm["x"] - 0.3) < 0.02
    assert abs(canopy.minimize(lambda x: abs(x - 0.3), X, pulls=500).best.arm["x"] - 0.3) < 0.02


def test_it_plays_what_a_loop_of_ask_and_tell_plays():
    played = []

    def measure(x):
        played.append(x)
        return hill(x)

    for options in ({}, {"optimizer": "hct"}, {"optimizer": "hct", "feedback": "correlated"}):
        played.clear()
        canopy.maximize(measure, X, pulls=700, **options)
        opt, arms = canopy.make_optimizer(options.pop("optimizer", "adaptive"), X, **options), []
        for _ in range(700):
            pull = opt.ask(1)
            arms.append(pull.arm["x"])
            opt.tell(pull, hill(**pull.arm))
        assert played == arms


def test_a_frame_has_one_row_an_episode():
    result = canopy.maximize(hill, X, pulls=300, optimizer="hct", feedback="correlated")
    frame = result.to_frame()
    assert list(frame.columns) == ["ticket", "first", "x", "depth", "pulls", "mean"]
    assert len(frame) == len(result.episodes) < 300
    assert frame["pulls"].sum() == 300 and frame["pulls"].max() > 1
    assert numpy.allclose(
        frame["mean"], hill(0) + 0 * frame["x"] + numpy.where(frame["x"] < 0.3, frame["x"], 0.6 - frame["x"])
    )
    assert (frame["first"].diff().dropna() == frame["pulls"][:-1].to_numpy()).all()


def test_it_ends_by_pulls_time_and_stop():
    assert canopy.maximize(hill, X, pulls=7).stopped == "pulls"
    assert canopy.maximize(lambda x: time.sleep(0.01) or hill(x), X, timeout=0.05).stopped == "timeout"
    result = canopy.maximize(hill, X, stop=lambda result: result.pulls == 12)
    assert (result.stopped, result.pulls) == ("stop", 12)


def test_callbacks_are_called_after_every_episode():
    pulls = []
    result = canopy.maximize(hill, X, pulls=100, callbacks=lambda result: pulls.append(result.pulls))
    assert len(pulls) == len(result.episodes) and pulls[-1] == 100
    canopy.maximize(hill, X, pulls=3, callbacks=[pulls.append, pulls.append])
    assert len(pulls) == len(result.episodes) + 6


class Broken(Exception):
    pass


@pytest.mark.parametrize("where", ["measure", "callback", "stop"])
def test_an_exception_passes_through_and_the_optimizer_stays_consistent(where):
    opt = canopy.Hct(X, feedback="correlated")
    calls = [0]

    def fail_at(name, at):
        calls[0] += name == where
        if name == where and calls[0] == at:
            raise Broken

    def measure(x):
        fail_at("measure", 50)
        return hill(x)

    with pytest.raises(Broken):
        canopy.maximize(
            measure,
            pulls=200,
            optimizer=opt,
            callbacks=lambda _: fail_at("callback", 20),
            stop=lambda _: fail_at("stop", 50),
            on_failure="raise",
        )
    assert opt.summary().in_flight == 0
    told = opt.summary().t - 1
    assert told == 49 if where == "measure" else told >= 20
    canopy.maximize(hill, pulls=100, optimizer=opt)
    assert opt.summary().t == told + 101


@pytest.mark.parametrize("wrong", [None, "0.5", float("nan"), [0.5], [], numpy.zeros(2), {}])
def test_a_measurement_that_is_no_number_is_named(wrong):
    opt = canopy.Hct(X)
    with pytest.raises(ValueError, match="reward"):
        canopy.maximize(lambda x: wrong, pulls=5, optimizer=opt)
    assert opt.summary().t == 1 and opt.summary().in_flight == 0


def test_ctrl_c_gives_the_result_so_far():
    calls = []

    def measure(x):
        calls.append(x)
        if len(calls) == 31:
            signal.raise_signal(signal.SIGINT)
        return hill(x)

    result = canopy.maximize(measure, X, pulls=1000)
    assert (result.stopped, result.pulls) == ("interrupted", 30)
    assert result.best and result.summary.in_flight == 0


def interrupted_search(optimizer, delay):
    """A search that a signal ends at a random moment after its first pull."""
    killer = threading.Timer(delay, os.kill, [os.getpid(), signal.SIGINT])

    def measure(x):
        if killer.ident is None:
            killer.start()
        return hill(x)

    return canopy.maximize(measure, pulls=10**9, optimizer=optimizer)


@pytest.mark.parametrize("number", range(20))
@pytest.mark.parametrize("kind", ["memory", "study"])
def test_whenever_ctrl_c_comes_result_and_optimizer_agree(kind, number, store):
    opt = canopy.Adaptive(X) if kind == "memory" else canopy.Study.open("a", store, space=X)
    result = interrupted_search(opt, delay=0.00137 * number)
    assert result.stopped == "interrupted"
    assert len(result.rewards) == result.pulls == opt.summary().t - 1
    assert opt.summary().in_flight == 0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_parameters_may_have_the_names_of_columns():
    space = {"mean": canopy.real(0, 1), "depth": canopy.integer(1, 9), "x": canopy.real(0, 1)}
    frame = canopy.maximize(lambda mean, depth, x: mean, space, pulls=20).to_frame()
    assert list(frame.columns) == ["ticket", "first", "arm.mean", "arm.depth", "x", "depth", "pulls", "mean"]
    assert (frame["mean"] == frame["arm.mean"]).all()


def test_a_result_is_of_its_own_search():
    opt = canopy.Hct(X)
    first = canopy.maximize(hill, pulls=10, optimizer=opt)
    canopy.maximize(hill, pulls=100, optimizer=opt)
    assert first.summary.t == 11 and opt.summary().t == 111


def test_whole_numbers_of_pulls_may_come_as_floats_and_from_numpy():
    assert canopy.maximize(hill, X, pulls=1e1).pulls == canopy.maximize(hill, X, pulls=numpy.int64(10)).pulls == 10


def test_ctrl_c_from_outside_gives_the_result_so_far():
    code = (
        "import canopy, time\n"
        "result = canopy.maximize(lambda x: time.sleep(0.01) or x, {'x': canopy.real(0, 1)}, pulls=10**6,"
        " callbacks=lambda r: r.pulls == 5 and print('ready', flush=True))\n"
        "print(result.stopped, result.pulls > 4)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == "interrupted True\n"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: canopy.maximize(hill, X), "pulls: is missing"),
        (lambda: canopy.maximize(hill, X, pulls=0), "pulls = 0"),
        (lambda: canopy.maximize(hill, X, pulls=1.5), "pulls = 1.5"),
        (lambda: canopy.maximize(hill, X, timeout="1"), "timeout = '1'"),
        (lambda: canopy.maximize(hill, pulls=3), "space: is missing"),
        (lambda: canopy.maximize(3, X, pulls=3), "measure = 3"),
        (lambda: canopy.maximize(hill, X, pulls=3, optimizer=3), "optimizer = 3"),
        (lambda: canopy.maximize(hill, X, pulls=3, optimizer="htc"), "must be one of adaptive, hct"),
        (lambda: canopy.maximize(hill, X, pulls=3, setle=1), 'setle: adaptive .*, did you mean "settle"'),
        (lambda: canopy.maximize(hill, X, pulls=3, optimizer="hct", rhoo=1), 'rhoo: hct .*, did you mean "rho"'),
        (lambda: canopy.maximize(hill, X, pulls=3, callback=print), 'did you mean "callbacks"'),
        (lambda: canopy.maximize(hill, X, pulls=3, direction="minimize"), "call canopy.maximize or canopy.minimize"),
        (lambda: canopy.maximize(hill, pulls=3, optimizer=canopy.Hct), "space: is missing"),
        (lambda: canopy.maximize(hill, X, pulls=3, optimizer=int), "must be a name, a class of canopy, an optimizer"),
        (lambda: canopy.maximize(hill, X, pulls=3, optimizer=OwnHct), r"is not a class of canopy; .* OwnHct\(space\)"),
        (lambda: canopy.maximize(hill, X, pulls=3, callbacks=1), "callbacks = 1"),
        (lambda: canopy.maximize(hill, X, pulls=3, callbacks=[1]), "callbacks"),
        (lambda: canopy.maximize(hill, X, stop=1), "stop = 1"),
        (lambda: canopy.minimize(hill, pulls=3, optimizer=canopy.Hct(X)), "call canopy.maximize instead"),
        (lambda: canopy.maximize(hill, {"y": canopy.real(0, 1)}, pulls=3, optimizer=canopy.Hct(X)), "space"),
        (lambda: canopy.maximize(hill, pulls=3, optimizer=canopy.Hct(X), rho=0.5), "rho"),
    ],
)  # fmt: skip
def test_wrong_use_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("option", [{"rho": 0.5}, {"preset": "paper"}, {"feedback": "iid"}, {"confidence_scale": 1}])
def test_who_takes_an_option_that_the_default_has_not_is_said(option, store):
    (name,) = option
    message = f"{name}: adaptive has no such option; it belongs to hct"
    for call in (
        lambda **options: canopy.maximize(hill, X, pulls=3, **options),
        lambda **options: canopy.minimize(hill, X, pulls=3, **options),
        lambda **options: canopy.simulate("garland", steps=10, runs=1, **options),
        lambda **options: canopy.Study.open("a", store, space=X, **options),
        lambda **options: canopy.policy_search(NoEnvironment, print, X, steps=3, **options),
    ):
        with pytest.raises(ValueError, match=message):
            call(**option)
    canopy.maximize(hill, X, pulls=3, optimizer="hct", **option)


class OwnHct(canopy.Hct):
    """An optimizer that is not in the catalogue."""


class NoEnvironment:
    """Not an environment: it cannot be played."""

    reset = step = None


def test_a_range_that_does_not_fit_is_said_at_once_and_once():
    said_at = []

    def measure(x):
        said_at.append(len(caught))
        return 1e6 + 100 * x

    message = r"reward_range = \(0, 1\) does not fit the rewards so far, which are from 10000\S+ to 10000\S+\. Give"
    opt = canopy.Hct(X, reward_range=(0, 1))
    with pytest.warns(canopy.RangeWarning, match=message) as caught:
        canopy.maximize(measure, pulls=150, optimizer=opt)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert said_at == [0] * 100 + [1] * 50  # a hundred rewards are enough to detect it
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        canopy.maximize(lambda x: 1e6 + 100 * x, pulls=50, optimizer=opt)
        canopy.maximize(lambda x: 1e6 + 100 * x, pulls=50, optimizer=copy.copy(opt))
        canopy.maximize(lambda x: 1e6 + 100 * x, pulls=50, optimizer=pickle.loads(pickle.dumps(opt)))


def test_a_range_that_is_far_too_wide_is_said():
    with pytest.warns(canopy.RangeWarning, match="does not fit"):
        canopy.minimize(lambda x: x, X, pulls=100, reward_range=(0, 20))


def test_a_range_that_fits_is_not_spoken_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        canopy.maximize(lambda x: 100 * x, X, pulls=300)
        canopy.maximize(lambda x: 100 * x, X, pulls=300, reward_range=(0, 100))
        assert canopy.maximize(lambda x: 5.0, X, pulls=300, reward_range=(0, 1)).summary.fitting_range is None


def test_a_range_can_be_mended_on_the_way():
    opt = canopy.Hct(X, reward_range=(0, 1))
    with pytest.warns(canopy.RangeWarning):
        canopy.maximize(lambda x: 100 * hill(x), pulls=100, optimizer=opt)
    assert opt.summary().fitting_range is not None
    opt.set_reward_range((0, 100))
    assert opt.reward_range == (0.0, 100.0) and opt.summary().fitting_range is None  # no reward since the change
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = canopy.maximize(lambda x: 100 * hill(x), pulls=400, optimizer=opt)
    assert abs(result.best.arm["x"] - 0.3) < 0.02
    opt.set_reward_range("auto")
    assert opt.reward_range == "auto" and opt.summary().fitting_range is None
    opt.set_reward_range((0, 1))
    with pytest.warns(canopy.RangeWarning):  # another range that does not fit causes another warning
        canopy.maximize(lambda x: 100 * hill(x), pulls=2000, optimizer=opt)


def test_progress_is_shown_on_stderr(capfd):
    canopy.maximize(hill, X, pulls=100, progress=True)
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 10 and "100 %" in lines[-1] and "best so far: x = " in lines[-1]


def test_on_a_terminal_progress_is_one_line():
    code = "import canopy; canopy.maximize(lambda x: x, {'x': canopy.real(0, 1)}, pulls=100, progress=True)"
    try:
        reads, writes = os.openpty()
    except OSError:
        pytest.skip("there are no terminals here")
    subprocess.run([sys.executable, "-c", code], stderr=writes, check=True)
    assert b"\r" in os.read(reads, 10000)
    os.close(writes)
    os.close(reads)


def test_undeclared_memory_is_warned_of_once():
    chance = random.Random(1)
    place = 0.5

    def measure(x):
        nonlocal place
        place += 0.2 * (x - place)
        return 0.5 + 0.5 * math.sin(20 * place) + chance.gauss(0, 0.05)

    message = r"about \d+ pulls to settle after a change of arm\. Give settle=\d+"
    with pytest.warns(canopy.MemoryWarning, match=message) as caught:
        result = canopy.maximize(measure, X, pulls=20_000)
    assert len(caught) == 1
    assert result.summary.settling is not None and 4 <= result.summary.settling <= 40  # 13 pulls until 5 % are left
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        settled = canopy.maximize(measure, X, pulls=5_000, settle=13)
    assert settled.summary.settling is None and settled.summary.passed_over > 0


def test_the_adaptive_tree_says_what_it_has_learnt():
    opt = canopy.Adaptive({"idle": canopy.real(0, 1), "x": canopy.real(0, 1)})
    assert opt.learnt() is None and canopy.Hct(X).learnt() is None
    chance = random.Random(1)
    result = canopy.maximize(lambda idle, x: 1 - (x - 0.3) ** 2 + chance.gauss(0, 0.1), pulls=2000, optimizer=opt)
    learnt = opt.learnt()
    assert learnt is not None and learnt.turn is not None
    assert learnt.noise == pytest.approx(0.1, rel=0.2) and learnt.shares["x"] > 0.8
    assert learnt.turn.why in ("search", "cover", "sweep") and set(learnt.turn.arm) == {"idle", "x"}
    assert result.best.by_model is not None and "by the model" in str(result.best)


NEED_HORIZONS = ["gpo", "pct", "vpct", "stosoo", "sequool", "stroquool", "vroom", "successive-halving"]


@pytest.mark.parametrize("name", NEED_HORIZONS)
def test_the_number_of_pulls_is_the_horizon_of_those_that_need_one(name):
    def horizon(**given):
        return canopy.maximize(lambda x: x, X, optimizer=name, **given).optimizer.options["horizon"]

    assert horizon(pulls=30) == 30
    assert horizon(pulls=30, enqueue=[{"x": 0.5}, {"x": 0.2}]) == 28
    assert horizon(pulls=1, enqueue=[{"x": 0.5}, {"x": 0.2}]) == 1
    assert horizon(pulls=30, horizon=50) == 50
    default = canopy.make_optimizer(name, X).options["horizon"]
    assert horizon(stop=lambda result: result.pulls >= 10) == default


def test_others_have_their_own_horizon_or_none():
    assert canopy.maximize(lambda x: x, X, optimizer="thoo", pulls=30).optimizer.options["horizon"] is None
    assert "horizon" not in canopy.maximize(lambda x: x, X, pulls=30).optimizer.options
    given = canopy.Stosoo(X)
    assert canopy.maximize(lambda x: x, optimizer=given, pulls=30).optimizer.options["horizon"] == 1000
