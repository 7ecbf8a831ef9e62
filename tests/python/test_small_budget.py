"""bench/peers/small_budget.py, with which `make bench-peers` compares tools."""

import itertools
import math
import random
import statistics
import sys

import pytest
from conftest import ROOT

sys.path.append(str(ROOT / "bench" / "peers"))  # processes of the pool import it by name
import small_budget as small


@pytest.mark.parametrize("name", small.FUNCTIONS)
def test_functions_have_the_maximum_that_is_stated_and_lie_between_0_and_1(name):
    f, best, maximum = small.FUNCTIONS[name]
    assert f(best) == pytest.approx(maximum, abs=1e-6)
    chance = random.Random(1)
    points = [[chance.random() for _ in best] for _ in range(20_000)]
    near = [[min(max(b + chance.gauss(0, 0.01), 0), 1) for b in best] for _ in range(5_000)]
    values = [f(x) for x in itertools.chain(points, near, itertools.product((0.0, 1.0), repeat=len(best)))]
    assert max(values) <= maximum + 1e-9
    assert -1e-9 <= min(values) <= max(values) <= 1 + 1e-9


def test_the_four_maxima_of_himmelblau_are_equal():
    for a, b in ((3, 2), (-2.805118, 3.131312), (-3.779310, -3.283186), (3.584428, -1.848126)):
        assert small.himmelblau([(a + 5) / 10, (b + 5) / 10]) == pytest.approx(1, abs=1e-9)


def test_the_double_sine_lies_between_its_envelopes():
    for i in range(1, 1000):
        u = i / 1000
        value = small.double_sine([0.5 + u / 2])
        assert 1 - u ** -math.log2(0.8) - 1e-12 <= value <= 1 - u ** -math.log2(0.3) + 1e-12


def test_two_parameters_of_the_bowl_do_nothing():
    assert small.bowl([0.2, 0.1, 0.3, 0.9]) == small.bowl([0.2, 0.8, 0.3, 0.4])


@pytest.mark.parametrize("noise", small.NOISES)
def test_noise_has_the_mean_and_the_width_that_its_name_says(noise):
    chance = random.Random(1)
    rewards = [small.reward(0.7, noise, chance) for _ in range(20_000)]
    sd = {"gauss-0.05": 0.05, "gauss-0.3": 0.3, "zero-one": math.sqrt(0.21)}[noise]
    assert statistics.fmean(rewards) == pytest.approx(0.7, abs=5 * sd / math.sqrt(20_000))
    assert statistics.stdev(rewards) == pytest.approx(sd, rel=0.05)
    if noise == "zero-one":
        assert set(rewards) == {0.0, 1.0}


def available(tool):
    """The revision of a tool; skips the test with a reason if something is missing."""
    try:
        return small.revision(tool)
    except ImportError as error:
        pytest.skip(str(error))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", ["quadratic", "ackley"])
@pytest.mark.parametrize("tool", small.TOOLS)
def test_tools_play_and_recommend_inside_the_box(tool, function):
    available(tool)
    f, best, _ = small.FUNCTIONS[function]
    chance = random.Random(1)
    player = small.make(tool, len(best), 24, 7)
    for _ in range(24):
        x = player.ask()
        assert len(x) == len(best) and all(0 <= v <= 1 for v in x)
        player.tell(small.reward(f(x), "zero-one", chance))
    x = player.recommend()
    assert len(x) == len(best) and all(0 <= v <= 1 for v in x)


@pytest.mark.parametrize("tool", small.TOOLS)
def test_a_unit_of_work_comes_out_the_same_again(tool):
    available(tool)
    unit = (tool, "himmelblau", "gauss-0.3", 16, 0)
    first = small.play(unit)
    small.play((tool, "quadratic", "gauss-0.3", 16, 0))  # earlier runs do not matter
    second = small.play(unit)
    assert first[:3] == second[:3] and first[0] == unit
    assert 0 <= first[2] <= 1 and 0 < first[1] < 1 and first[3] > 0


@pytest.mark.parametrize("tool", ["canopy-hct", "gp-ucb", "cma-es", "tbpsa", "pyxab-hct"])
def test_tools_maximise(tool):
    available(tool)
    _, regret, _, _ = small.play((tool, "quadratic", "gauss-0.05", 40, 0))
    assert regret < 0.2  # a uniform choice costs 0.25


def test_an_optimizer_that_canopy_does_not_have_is_left_out_with_a_reason(monkeypatch):
    monkeypatch.setitem(small.TOOLS, "canopy-none", (small.Canopy, "none"))
    with pytest.raises(ImportError, match="the installed canopy has no optimizer 'none'"):
        small.revision("canopy-none")


def test_ratios_are_to_the_best_tool_of_each_case():
    regrets = {
        "first": {"a": 0.1, "b": 0.2, "c": 0.4},
        "second": {"a": 0.4, "b": 0.1},
        "third": {"a": 0.0, "b": 0.0001, "c": 0.01},  # below the floor, so both count as the floor
    }
    compared = small.compare(regrets)
    assert compared["a"] == (3, pytest.approx(4 ** (1 / 3)), pytest.approx(4), 2)
    assert compared["b"] == (3, pytest.approx(2 ** (1 / 3)), pytest.approx(2), 2)
    assert compared["c"] == (2, pytest.approx(math.sqrt(40)), pytest.approx(10), 0)


def test_means_are_over_runs():
    results = {("a", "f", "noise", 100, 0): (1.0, 2.0, 3.0), ("a", "f", "noise", 100, 1): (3.0, 2.0, 1.0)}
    table = small.means(results)
    assert table == {("a", "f", "noise", 100): (2.0, 2.0, 2.0)}
    assert small.by_case(table, 100, 0) == {("f", "noise"): {"a": 2.0}}
    assert small.by_case(table, 300, 0) == {}


def test_what_a_tool_raises_ends_its_unit_alone(monkeypatch):
    monkeypatch.setattr(small.Random, "recommend", lambda self: 1 / 0)
    unit = ("random", "step", "zero-one", 5, 0)
    assert small.attempt(unit) == (unit, "ZeroDivisionError: division by zero")


def test_a_plan_leaves_out_slow_tools_where_pulls_are_many():
    units = small.plan(["random", "gp-ucb"], ["step"], [100, 1000], 2, small.SLOW)
    assert len(units) == len(set(units)) == 2 * 3 * (2 + 1)
    assert ("gp-ucb", "step", "zero-one", 100, 1) in units and ("gp-ucb", "step", "zero-one", 1000, 1) not in units


def test_a_run_continues_where_it_was_interrupted(tmp_path, capsys):
    results, table = tmp_path / "units.csv", tmp_path / "cases.md"
    words = ["--only", "step", "--tools", "random", "--n", "20", "--jobs", "1"]
    words += ["--results", str(results), "--out", str(table)]
    small.main([*words, "--runs", "2"])
    printed = capsys.readouterr().out
    lines = results.read_text().splitlines()
    assert lines[0] == ",".join(small.FIELDS) and len(lines) == 1 + 6
    assert "n = 20: 3 cases, 2 runs each" in printed

    results.write_text("\n".join(lines[:4]) + "\n" + lines[4][:-30])  # killed while it wrote
    small.main([*words, "--runs", "2"])
    again = results.read_text().splitlines()
    assert again[:4] == lines[:4] and len(again) == len(lines) + 1

    def numbers(rows):
        return {tuple(row.split(",")[:8]) for row in rows if row.count(",") == 8}  # without times

    assert numbers(again) == numbers(lines)
    assert len(table.read_text().splitlines()) == 2 + 3

    small.main([*words, "--runs", "1"])  # nothing is left to do
    assert results.read_text().splitlines() == again


def test_units_of_another_revision_do_not_count(tmp_path):
    path = tmp_path / "units.csv"
    path.write_text("new,a,f,noise,100,0,1.0,2.0,3.0\nold,a,f,noise,100,1,1.0,2.0,3.0\nnew,a,f,noise,x,2,1,2,3\n")
    assert small.load(str(path), {"a": "new"}) == {("a", "f", "noise", 100, 0): (1.0, 2.0, 3.0)}
    assert small.load(str(tmp_path / "none.csv"), {}) == {}
