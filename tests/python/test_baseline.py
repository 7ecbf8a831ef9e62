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


def shop(seed):
    chance = random.Random(seed)
    return lambda x: 100.0 - 60.0 * abs(x - 0.5) + chance.gauss(0, 5)


@pytest.mark.parametrize(("settle", "max_loss", "pulls"), [(0, 0.02, 600), (3, 0.05, 800)])
def test_what_tuning_costs_can_be_capped(settle, max_loss, pulls):
    def tuned(baseline):
        """How often more was lost than the cap allows, by true means."""
        calls = []
        tried = set()
        measure = shop(1)

        def counted(x):
            calls.append(60.0 * abs(x - 0.5) - 3.0)
            tried.add(x)
            return measure(x)

        result = canopy.maximize(counted, SPACE, pulls=pulls, baseline=baseline, settle=settle)
        return result, sum(sum(calls[:n]) > max_loss * 97.0 * n for n in range(20, len(calls))), len(tried)

    capped, exceeds, tried = tuned(canopy.Baseline({"x": 0.45}, seed=2, max_loss=max_loss))
    assert exceeds == 0
    assert tried > 8, "settings are visited for as long as they need to settle"
    assert capped.pulls == pulls
    assert capped.loss.lost < capped.loss.allowed
    assert capped.loss.baseline_mean == pytest.approx(97.0, abs=2.0)
    assert str(capped.loss).startswith("tuning has ")
    free, exceeds, _ = tuned(canopy.Baseline({"x": 0.45}, seed=2))
    assert exceeds > 0
    assert free.loss is None


def test_a_study_keeps_its_cap(tmp_path):
    baseline = canopy.Baseline({"x": 0.45}, seed=2, max_loss=0.05)
    with canopy.Study.open("a", tmp_path / "s.db", space=SPACE, baseline=baseline) as study:
        canopy.maximize(shop(1), optimizer=study, pulls=100)
        before = study.loss()
    assert before.pulls > 0
    with canopy.Study.open("a", tmp_path / "s.db") as study:
        assert study.baseline.max_loss == 0.05
        assert study.loss() == before


@pytest.mark.parametrize(
    ("about", "what"),
    [
        ({"max_loss": 0.0}, "baseline.max_loss = 0.0: must be above 0"),
        ({"max_loss": 2.0}, "at most 1"),
        ({"max_loss": "2 %"}, "baseline.max_loss"),
        ({"max_loss": 0.1, "every": 0}, "baseline.max_loss: requires a baseline that is measured"),
        ({"max_loss_per_pull": 1.0}, "requires worst_loss_per_pull"),
        ({"worst_loss": 1.0}, "requires max_loss"),
    ],
)
def test_a_wrong_cap_is_refused(about, what):
    with pytest.raises(ValueError, match=what):
        canopy.Adaptive(SPACE, baseline=canopy.Baseline(HALF, **about))


def test_costs_need_a_worst_loss():
    with pytest.raises(ValueError, match="requires worst_loss when minimizing"):
        canopy.minimize(shop(1), SPACE, pulls=10, baseline=canopy.Baseline(HALF, max_loss=0.1))


def test_failures_of_the_baseline_are_no_pulls():
    calls = []

    def measure(x):
        calls.append(x)
        if x == 0.3 and len(calls) % 5 == 0:
            raise RuntimeError("busy")
        return x

    result = canopy.maximize(measure, SPACE, pulls=200, baseline=canopy.Baseline(HALF, every=4, seed=1))
    assert result.failed > 5
    assert result.pulls == 200
    assert sum(x != 0.3 for x in calls) == 200


def test_stop_is_asked_after_calls_of_the_baseline_too():
    calls = []

    def measure(x):
        calls.append(x)
        return x

    result = canopy.maximize(measure, SPACE, baseline=HALF, stop=lambda result: len(calls) == 2)
    assert calls == [0.3, 0.3]
    assert result.stopped == "stop"
    assert result.pulls == 0


def test_a_system_that_takes_time_to_settle_is_compared_when_it_has():
    state = {"x": 0.3, "level": 0.0}
    chance = random.Random(4)

    def measure(x):
        if x != state["x"]:
            state.update(x=x, level=-5.0)  # every change costs something at first
        state["level"] *= 0.3
        return state["level"] + chance.gauss(0, 0.1)

    opt = canopy.Adaptive(SPACE, settle=4, baseline=canopy.Baseline(HALF, every=5, seed=1, horizon=80))
    duels = 0
    while duels < 40:
        pull = opt.ask(1)
        duels += pull.purpose == "duel"
        if pull.purpose == "duel":
            assert (pull.length, pull.then_length) == (10, 5)
        first = pull.length - pull.then_length
        rewards = [measure(pull.arm["x"]) for _ in range(first)]
        rewards += [measure(pull.then["x"]) for _ in range(pull.then_length)]
        opt.tell(pull, rewards)
    uplift = opt.uplift()
    assert abs(uplift.mean) < 0.2
    assert uplift.baseline_mean > -0.2, "what comes before it has settled is passed over"
    assert opt.summary().passed_over > 200


def test_beside_a_baseline_settling_is_strict_unless_it_is_given():
    by_name = canopy.make_optimizer("adaptive", SPACE, settle=4, baseline=HALF)
    for opt in (canopy.Adaptive(SPACE, settle=4, baseline=HALF), by_name):
        assert opt.ask(1).length == 8, "four to settle, and four"
    with pytest.raises(ValueError, match="the distance from the baseline to an arm is not known"):
        canopy.Adaptive(SPACE, settle=4, settle_rule="by_distance", baseline=HALF)
