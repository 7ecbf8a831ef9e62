"""Searches that are compared with a baseline."""

import math
import pickle
import random

import canopy
import pytest

SPACE = {"x": canopy.real(0, 1)}
HALF = {"x": 0.3}


def bump(x):
    near = max(0.0, 1.0 - abs(x - 0.75) / 0.4)
    return near * near * (3.0 - 2.0 * near)


def noisy(seed, height, level=lambda pull: 0.0):
    chance = random.Random(seed)
    calls = []

    def measure(x):
        calls.append(x)
        return height * bump(x) + level(len(calls)) + chance.gauss(0, 1)

    measure.calls = calls
    return measure


@pytest.mark.parametrize("search", [canopy.maximize, canopy.minimize])
def test_a_setting_that_is_better_is_proven(search):
    sign = 1 if search is canopy.maximize else -1
    measure = noisy(1, 2.5 * sign)
    result = search(measure, SPACE, pulls=300, baseline=canopy.Baseline(HALF, seed=1))
    assert result.uplift.verdict == "better"
    assert sign * result.uplift.mean > 0
    assert result.uplift.lower < 2.5 * sign * bump(result.uplift.arm["x"]) < result.uplift.upper
    assert "better" in str(result.uplift)
    assert result.pulls == 300, "the calls of the baseline are no pulls"
    assert len(measure.calls) > 350
    assert measure.calls.count(0.3) == len(measure.calls) - 300
    assert len(result.rewards) == 300
    assert result.best.lower is None, "an interval of the mean would assume that the level does not move"


def test_a_knob_without_effect_is_seldom_called_better_though_the_level_moves():
    claims = 0
    for seed in range(20):
        measure = noisy(seed, 0.0, lambda pull: 3 * math.sin(0.05 * pull))
        uplift = canopy.maximize(measure, SPACE, pulls=150, baseline=canopy.Baseline(HALF, seed=seed)).uplift
        claims += uplift.verdict == "better"
    assert claims <= 2


def test_without_a_baseline_there_is_no_uplift():
    result = canopy.maximize(noisy(1, 1.0), SPACE, pulls=50)
    assert result.uplift is None
    assert result.optimizer.baseline is None


def test_a_duel_is_two_arms_right_after_each_other():
    opt = canopy.Adaptive(SPACE, baseline=canopy.Baseline(HALF, every=2, seed=3))
    assert opt.baseline.setting == HALF
    chance = random.Random(1)
    duels = 0
    for _ in range(300):
        pull = opt.ask(1)
        if pull.purpose == "duel":
            duels += 1
            assert (pull.arm == HALF) != (pull.then == HALF)
            assert (pull.length, pull.then_length) == (2, 1)
            again = pickle.loads(pickle.dumps(pull))
            assert (again.purpose, again.then, again.then_length) == ("duel", pull.then, 1)
        else:
            assert pull.then is None
            assert (pull.purpose == "baseline") == (pull.arm == HALF)
        opt.tell(pull, [chance.random() for _ in range(pull.length)])
    assert duels > 30
    other = pickle.loads(pickle.dumps(opt))
    assert other.uplift() == opt.uplift()
    assert other.ask(1).arm == opt.ask(1).arm


@pytest.mark.parametrize("workers", ["threads"])
def test_several_at_a_time_are_compared_too(workers):
    result = canopy.maximize(
        noisy(5, 3.0), SPACE, pulls=300, n_jobs=4, workers=workers, baseline=canopy.Baseline(HALF, seed=2)
    )
    assert result.uplift.pairs >= 9
    assert result.pulls == 300


def test_a_study_keeps_its_baseline(tmp_path):
    store = tmp_path / "s.db"
    with canopy.Study.open("a", store, space=SPACE, baseline=canopy.Baseline(HALF, seed=4)) as study:
        result = canopy.maximize(noisy(1, 2.5), optimizer=study, pulls=300)
        before = study.uplift()
    assert before.verdict == "better"
    assert result.pulls == 300
    with canopy.Study.open("a", store) as study:
        assert study.baseline.setting == HALF
        assert study.uplift() == before


@pytest.mark.parametrize(
    ("baseline", "what"),
    [
        (0.3, "must be an arm"),
        ({"y": 0.3}, "y"),
        ({"x": 3.0}, "x"),
        (canopy.Baseline(HALF, every=-1), "baseline.every = -1"),
        (canopy.Baseline(HALF, pulls=0), "baseline.pulls = 0"),
    ],
)
def test_a_wrong_baseline_is_refused(baseline, what):
    with pytest.raises(ValueError, match=what):
        canopy.Adaptive(SPACE, baseline=baseline)
