"""The standard test functions."""

import copy
import pickle

import canopy
import pytest
from canopy import functions


@pytest.mark.parametrize("name", functions.names())
def test_every_function_has_its_largest_value_at_its_best_arm(name):
    f = functions.get(name)
    assert f(**f.best_arm) == pytest.approx(1 if name != "garland" else 0.99777, abs=1e-5)
    assert f.optimum == pytest.approx(f(**f.best_arm), abs=1e-6)
    for side in ("low", "high"):
        assert -1e-9 <= f(**{p: getattr(f.space[p], side) for p in f.space}) <= f.optimum + 1e-9


@pytest.mark.parametrize("name", functions.names())
def test_no_mean_is_above_the_optimum(name):
    canopy.experiment(["sequool", "soo"], functions.get(name), steps=1000, runs=1)  # refuses larger means


def test_they_are_environments_as_well():
    assert set(functions.names()) <= set(canopy.environments())


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="must be one of garland, double-sine"):
        functions.get("brannin")


def test_experiments_take_them_with_noise():
    peaks = functions.get("peaks", noise="gaussian", noise_width=0.1)
    result = canopy.experiment("adaptive", peaks, steps=300, runs=2)
    assert 0 <= result.rows[0].simple_regret.mean < 0.5


@pytest.mark.parametrize("name", functions.names())
def test_the_best_arm_is_as_good_as_the_tolerance_says(name):
    f = functions.get(name)
    assert f.regret(f.best_arm) <= f.tolerance and f.is_near(f.best_arm, within=f.tolerance)
    assert f.regret(f.best_arm) < 1e-14 or name == "garland"


def test_an_arm_is_near_the_optimum_or_not():
    f = functions.get("branin")
    assert f.is_near({"x": 9.42478, "y": 2.475}) and not f.is_near({"x": 0, "y": 0})
    assert f.regret({"x": 0, "y": 0}) == f.optimum - f(x=0, y=0)
    assert f.is_near({"x": 0, "y": 0}, within=1) and f.regret(f.best_arm) >= 0


def test_they_can_be_pickled_and_copied():
    f = functions.get("rastrigin", dimension=3, crop=0.2, noise="gaussian", noise_width=0.3)
    for other in (pickle.loads(pickle.dumps(f)), copy.copy(f), copy.deepcopy(f)):
        assert (other.space, other.best_arm, other.optimum) == (f.space, f.best_arm, f.optimum)
        assert other(x1=1, x2=2, x3=3) == f(x1=1, x2=2, x3=3) and other._text == f._text
    assert other.__doc__ == functions.KnownFunction.__doc__


def test_processes_take_them():
    f = functions.get("peaks")
    result = canopy.maximize(f, f.space, pulls=400, n_jobs=2)
    assert f.is_near(result.best.arm, within=0.1)
