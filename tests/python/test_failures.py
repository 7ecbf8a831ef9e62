"""Pulls that fail, and excluded arms."""

import copy
import math
import pickle
import random
import sys

import canopy
import numpy
import pytest

X = {"x": canopy.real(0, 1)}
NAMES = list(canopy.optimizers())


class Broken(Exception):
    pass


def fails_above(end, failure):
    """Grows with x, with some noise; beyond `end` it fails in that way."""
    chance = random.Random(1)

    def measure(x):
        if x > end:
            if isinstance(failure, Exception):
                raise failure
            return failure
        return x + chance.gauss(0, 0.05)

    return measure


# --- the protocol ---------------------------------------------------------------------------------


@pytest.fixture(params=[*NAMES, "study"])
def opt(request, store):
    if request.param != "study":
        yield canopy.make_optimizer(request.param, X)
        return
    with canopy.Study.open("a", store, space=X) as study:
        yield study


def test_a_pull_that_failed_is_a_step_and_no_reward(opt):
    first, second = opt.ask(1), opt.ask(1)
    assert opt.failure_reward() is None
    with pytest.raises(ValueError, match="reward: is missing, and there is no earlier reward"):
        opt.penalize(second)
    opt.tell(first, 2.0)
    assert opt.failure_reward() == pytest.approx(1.8)
    opt.penalize(second)
    summary = opt.summary()
    assert (summary.t, summary.penalized, summary.in_flight) == (3, 1, 0)
    assert opt.failure_reward() == pytest.approx(1.8)
    third = opt.ask(1)
    opt.penalize(third.ticket, -5)
    assert opt.summary().penalized == 2
    assert opt.failure_reward() == pytest.approx(1.8)
    assert opt.best().arm == first.arm
    for wrong in (second, third.ticket):
        with pytest.raises(ValueError, match="closed"):
            opt.penalize(wrong)
    with pytest.raises(ValueError, match="no such ticket|never given out|unknown"):
        opt.penalize(10**6, 1.0)


@pytest.mark.parametrize("wrong", [math.nan, math.inf, 1e200, "0.5", [0.5]])
def test_what_is_no_reward_is_refused(opt, wrong):
    pull = opt.ask(1)
    with pytest.raises(ValueError, match="finite|reward"):
        opt.penalize(pull, wrong)
    with pytest.raises(ValueError, match="finite|reward"):
        opt.bar(pull.arm, wrong)
    assert opt.summary().t == 1 and opt.summary().in_flight == 1 and not opt.is_barred(pull.arm)


def test_an_arm_that_is_barred_is_never_named(opt):
    with pytest.raises(ValueError, match="reward: is missing"):
        opt.bar({"x": 0.5})
    arms = []
    for _ in range(20):
        pull = opt.ask(1)
        arms.append(pull.arm)
        opt.tell(pull, pull.arm["x"])
    best = opt.best().arm
    opt.bar(best)
    assert opt.is_barred(best) and opt.best().arm != best
    for arm in arms:
        opt.bar(arm, numpy.float32(-1))
    assert opt.best() is None
    for wrong in ({"x": 2.0}, {"y": 0.5}, {}, None):
        with pytest.raises(ValueError):
            opt.bar(wrong, 1.0)
        with pytest.raises(ValueError):
            opt.is_barred(wrong)


@pytest.mark.parametrize("name", NAMES)
def test_copies_know_of_failures(name):
    opt = canopy.make_optimizer(name, X)
    opt.tell(opt.ask(1), 1.0)
    pull = opt.ask(1)
    opt.penalize(pull)
    opt.bar(pull.arm)
    for other in (copy.copy(opt), pickle.loads(pickle.dumps(opt))):
        assert other.is_barred(pull.arm) and other.summary() == opt.summary()
        assert other.save() == opt.save()


def test_a_study_remembers_failures(store):
    with canopy.Study.open("a", store, space=X) as study:
        study.tell(study.ask(1), 1.0)
        failed = study.ask(1)
        study.penalize(failed)
        barred = study.ask(1)
        study.bar(barred.arm)
    with canopy.Study.open("a", store) as study:
        assert study.summary().penalized == 1
        assert study.is_barred(barred.arm) and not study.is_barred(failed.arm)
        assert [pull.ticket for pull in study.in_flight()] == [barred.ticket]
        assert study.failure_reward() == pytest.approx(0.9)
    assert canopy.load_optimizer("a", store).summary().penalized == 1
    assert canopy.load_result("a", store).rewards == [1.0]


# --- maximize and minimize ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "failure", [Broken("too hot"), None, math.nan, math.inf, -math.inf, 1e200, numpy.float64("nan")]
)
def test_a_call_that_fails_is_penalized_and_its_region_left(failure):
    result = canopy.maximize(fails_above(0.8, failure), X, pulls=300)
    assert result.pulls == 300 and result.summary.t == 301
    assert result.failed == result.summary.penalized == 300 - len(result.rewards)
    assert 0 < result.failed < 100
    assert 0.6 < result.best.arm["x"] <= 0.8
    assert result.last_failure.startswith("x = 0.")
    assert ("Broken: too hot" if isinstance(failure, Exception) else "reward = ") in result.last_failure
    assert f"{result.failed} failed" in repr(result)
    assert sum(len(episode.rewards) for episode in result.episodes) == len(result.rewards)
    assert all(episode.arm["x"] <= 0.8 for episode in result.episodes)
    assert len(result.to_frame()) == len(result.episodes)


@pytest.mark.parametrize("name", NAMES)
def test_every_optimizer_lives_with_failures(name):
    result = canopy.maximize(fails_above(0.9, Broken()), X, pulls=200, optimizer=name, max_failures=50)
    assert result.pulls == 200 and result.best.arm["x"] <= 0.9
    assert result.summary.penalized == result.failed and result.summary.in_flight == 0


def test_costs_are_penalized_upwards():
    def cost(x):
        if x > 0.8:
            raise Broken
        return 1 - x

    result = canopy.minimize(cost, X, pulls=200)
    assert 0.7 < result.best.arm["x"] <= 0.8 and 0 < result.failed < 60


@pytest.mark.parametrize("failure", [Broken("at once"), TypeError("wrong")])
def test_a_failure_before_any_reward_is_raised(failure):
    opt = canopy.Adaptive(X)
    with pytest.raises(type(failure), match=str(failure)) as caught:
        canopy.maximize(fails_above(-1, failure), pulls=10, optimizer=opt)
    if sys.version_info >= (3, 11):
        assert "give failure_reward" in caught.value.__notes__[0]
    assert opt.summary().t == 1 and opt.summary().in_flight == 0
    with pytest.raises(ValueError, match="reward = None: must be a finite number"):
        canopy.maximize(lambda x: None, pulls=10, optimizer=opt)
    opt.tell(opt.ask(1), 0.5)  # from now on, the value of a failure is known
    result = canopy.maximize(fails_above(-1, failure), pulls=5, optimizer=opt)
    assert result.failed == 5 and result.rewards == [] and result.best.pulls == 1


def test_what_is_no_number_at_all_is_always_raised():
    values = iter([0.5, 0.6, "0.7"])
    with pytest.raises(ValueError, match="reward = '0.7': must be a finite number"):
        canopy.maximize(lambda x: next(values), X, pulls=10)


def test_failures_may_be_raised():
    opt = canopy.Adaptive(X)
    with pytest.raises(Broken):
        canopy.maximize(fails_above(0.8, Broken()), pulls=300, optimizer=opt, on_failure="raise")
    assert opt.summary().t > 1 and opt.summary().penalized == opt.summary().in_flight == 0


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_some_exceptions_always_end_the_search(error):
    values = iter([0.5, 0.6])

    def measure(x):
        for value in values:
            return value
        raise error

    if error is KeyboardInterrupt:
        assert canopy.maximize(measure, X, pulls=10).stopped == "interrupted"
    else:
        with pytest.raises(SystemExit):
            canopy.maximize(measure, X, pulls=10)


def test_a_reward_for_failures_lets_them_come_first():
    result = canopy.maximize(fails_above(0.4, Broken()), X, pulls=100, failure_reward=-0.2)
    assert result.failed > 0 and 0.25 < result.best.arm["x"] <= 0.4
    with pytest.raises(
        canopy.FailuresError, match="10 of the last 10 pulls have failed, the last at x = .*: TypeError"
    ):
        canopy.maximize(lambda x: x + "1", X, pulls=100, failure_reward=-1)


def test_too_many_failures_are_an_error():
    calls = [0]

    def dies(x):
        calls[0] += 1
        if calls[0] > 60:
            raise Broken("it is dead")
        return x

    opt = canopy.Adaptive(X)
    with pytest.raises(canopy.FailuresError, match="25 of the last 50 .* Broken: it is dead") as caught:
        canopy.maximize(dies, pulls=1000, optimizer=opt)
    assert isinstance(caught.value.__cause__, Broken)
    assert calls[0] == 85 and opt.summary().penalized == 25 and opt.summary().in_flight == 0
    result = caught.value.result
    assert (result.stopped, result.pulls, result.failed) == ("failures", 85, 25)
    assert result.best == opt.best()
    calls[0] = 0
    with pytest.raises(canopy.FailuresError, match="40 of the last 50"):
        canopy.maximize(dies, X, pulls=1000, max_failures=40)


def test_callbacks_and_stop_see_failures():
    seen = []
    result = canopy.maximize(
        fails_above(0.5, Broken()),
        X,
        pulls=500,
        callbacks=lambda result: seen.append(result.failed),
        stop=lambda result: result.failed == 5,
        optimizer="hct",
    )
    assert result.stopped == "stop" and result.failed == 5 and seen[-1] == 5


def test_a_study_goes_on_after_failures(store):
    with canopy.Study.open("a", store, space=X) as study:
        canopy.maximize(fails_above(0.8, Broken()), pulls=60, optimizer=study)
        failed = study.summary().penalized
    with canopy.Study.open("a", store) as study:
        assert study.summary().penalized == failed > 0 and study.summary().t == 61
        result = canopy.maximize(fails_above(0.8, Broken()), pulls=60, optimizer=study)
    assert result.summary.penalized == failed + result.failed and result.best.arm["x"] <= 0.8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"on_failure": "ignore"}, 'on_failure = \'ignore\': must be "penalize" or "raise"'),
        ({"failure_reward": math.nan}, "failure_reward = nan"),
        ({"failure_reward": "low"}, "failure_reward = 'low'"),
        ({"max_failures": 0}, "max_failures = 0"),
        ({"on_failures": "raise"}, 'did you mean "on_failure"'),
    ],
)
def test_wrong_use_is_named(options, message):
    with pytest.raises(ValueError, match=message):
        canopy.maximize(lambda x: x, X, pulls=3, **options)


def test_progress_says_how_many_have_failed(capfd):
    canopy.maximize(fails_above(0.7, Broken()), X, pulls=100, progress=True)
    assert " failed  best so far: x = " in capfd.readouterr().err


# --- policies -------------------------------------------------------------------------------------


class Unstable:
    """Explodes for a large gain; must be reset then."""

    def __init__(self):
        self.resets = 0

    def reset(self, seed=None):
        self.resets += 1
        self.x = 1.0
        return self.x, {}

    def step(self, action):
        if self.x is None:
            raise AssertionError("it was not reset")
        if action < -0.8:
            self.x = None
            raise FloatingPointError("exploded")
        self.x = 0.5
        return self.x, -action, False, False, {}


def test_an_environment_is_reset_after_a_failure():
    env = Unstable()
    result = canopy.policy_search(env, lambda theta, _: -theta["gain"], {"gain": canopy.real(0, 1)}, steps=200)
    assert 0 < result.failed < 60 and env.resets in (result.failed, result.failed + 1)
    assert "FloatingPointError: exploded" in result.last_failure
    assert 0.6 < result.best.arm["gain"] <= 0.8
