"""The functions of the field."""

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
    canopy.experiment(["sequool", "soo"], functions.get(name), steps=1000, runs=1)  # which refuses such a mean


def test_they_are_environments_as_well():
    assert set(functions.names()) <= set(canopy.environments())


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="must be one of garland, double-sine"):
        functions.get("brannin")


def test_experiments_take_them_with_noise():
    peaks = functions.get("peaks", noise="gaussian", noise_width=0.1)
    result = canopy.experiment("adaptive", peaks, steps=300, runs=2)
    assert 0 <= result.rows[0].simple_regret.mean < 0.5
