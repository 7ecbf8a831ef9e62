"""Limits on metrics, which a function returns in addition to its reward."""

from __future__ import annotations

import math
import pickle
import random
import warnings
from pathlib import Path
from typing import Any

import canopy
import pytest

LINE = {"x": canopy.real(0, 1)}


def rising(seed: int = 1, noise: float = 0.1) -> Any:
    """The reward grows with x, and so does the load."""
    chance = random.Random(seed)
    return lambda x: {"reward": x + chance.gauss(0, noise), "load": 100 * x + chance.gauss(0, 5)}


def test_best_keeps_a_limit_that_the_function_returns_a_metric_for() -> None:
    result = canopy.maximize(rising(), LINE, pulls=300, limits={"load": canopy.at_most(60)})
    assert 0.45 < result.best.arm["x"] <= 0.61
    check = result.best.limits["load"]
    assert check.state in ("kept", "probably_kept") and check.limit == "at most 60"
    assert result.optimizer.limit_checks({"x": 0.9375})["load"].state == "broken"
    assert result.nearest is None


def test_costs_have_limits_too_and_between_has_two_ends() -> None:
    limits = {"load": canopy.between(30, 60)}
    result = canopy.minimize(rising(), LINE, pulls=300, limits=limits)
    assert 0.27 < result.best.arm["x"] < 0.4
    assert result.optimizer.limits == limits


@pytest.mark.parametrize("name", ["hct", "random", "zooming"])
def test_an_optimizer_without_a_model_of_metrics_keeps_them_too(name: str) -> None:
    result = canopy.maximize(rising(), LINE, pulls=400, optimizer=name, limits={"load": canopy.at_most(60)})
    assert result.best.arm["x"] <= 0.65


def test_where_nothing_keeps_a_limit_there_is_no_best_arm() -> None:
    result = canopy.maximize(rising(), LINE, pulls=80, limits={"load": canopy.at_most(-30)})
    assert result.best_or_none() is None
    assert result.nearest is not None and result.nearest.arm["x"] < 0.2
    assert result.nearest.basis == "least_broken"
    with pytest.raises(ValueError, match=r"no arm so far keeps load at most -30; the nearest one, x = "):
        _ = result.best
    assert "best None" in repr(result)


def test_a_metric_that_is_missing_is_said_once_and_limits_nothing() -> None:
    with pytest.warns(UserWarning, match="load has a limit, but a call has not measured it") as said:
        result = canopy.maximize(lambda x: x, LINE, pulls=50, limits={"load": canopy.at_most(60)})
    assert len(said) == 1
    assert result.best.arm["x"] > 0.9 and result.best.limits == {}


def test_numbers_that_are_none_or_nan_count_as_not_measured() -> None:
    values = iter([None, math.nan, math.inf] * 20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = canopy.maximize(
            lambda x: {"reward": x, "load": next(values)}, LINE, pulls=50, limits={"load": canopy.at_most(60)}
        )
    assert result.best.limits == {} and result.failed == 0


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ({"load": 1}, 'must have a "reward"'),
        ({"reward": 1, "load": "much"}, "load = 'much': a metric must be a number"),
        ({"reward": 1, 7: 1}, "7: the name of a metric must be a string"),
    ],
)
def test_a_dictionary_that_makes_no_sense_is_a_mistake(returned: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        canopy.maximize(lambda x: returned, LINE, pulls=5)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"load": 60}, r"limits\['load'\] = 60: must be canopy.at_most"),
        (["load"], "limits = .*: must be"),
        ({"load": canopy.between(2, 1)}, "must not be above max"),
        ({"reward": canopy.at_most(1)}, "must not be the reward"),
        ({7: canopy.at_most(1)}, "7 must be the name of a metric"),
    ],
)
def test_limits_that_make_no_sense_are_refused(limits: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        canopy.Adaptive(LINE, limits=limits)


def test_ask_and_tell_take_metrics_and_a_copy_has_them() -> None:
    optimizer = canopy.Adaptive(LINE, limits={"load": canopy.at_least(20)})
    measure = rising()
    for _ in range(100):
        pull = optimizer.ask(1)
        measured = measure(**pull.arm)
        optimizer.tell(pull, -measured["reward"], {"load": measured["load"]})
    for same in (optimizer.copy(), pickle.loads(pickle.dumps(optimizer))):
        assert same.best() == optimizer.best() and same.limits == optimizer.limits
    best = optimizer.best()
    assert best is not None and 0.15 < best.arm["x"] < 0.35


def test_n_jobs_hands_on_metrics() -> None:
    result = canopy.maximize(
        rising(), LINE, pulls=120, limits={"load": canopy.at_most(60)}, n_jobs=4, workers="threads"
    )
    assert result.best.arm["x"] <= 0.65


def test_a_study_keeps_limits_and_metrics(tmp_path: Path) -> None:
    limits = {"load": canopy.at_most(60)}
    with canopy.Study.open("limited", tmp_path / "s.db", space=LINE, limits=limits) as study:
        before = canopy.maximize(rising(), pulls=60, optimizer=study).best
    with canopy.Study.open("limited", tmp_path / "s.db") as study:
        assert study.limits == limits and study.best() == before
    with pytest.raises(canopy.StudyError, match="limit load was at most 60 and is at most 70"):
        canopy.Study.open("limited", tmp_path / "s.db", space=LINE, limits={"load": canopy.at_most(70)})
