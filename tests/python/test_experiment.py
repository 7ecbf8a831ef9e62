import csv
import functools
import gc
import itertools
import json
import math
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
import warnings
import weakref

import canopy
import pytest

LINE = {"x": canopy.real(0, 1)}


def hill(x):
    return 1 - (x - 0.3) ** 2


def noisy_hill(x):
    return hill(x) + random.gauss(0, 0.1)


class Greedy:
    """The best of some random arms so far; now and then any of them."""

    def __init__(self, space, seed, arms=20, epsilon=0.1):
        self.chance, self.epsilon = random.Random(seed), epsilon
        self.arms = [self.chance.random() for _ in range(arms)]
        self.sums, self.pulls = [0.0] * arms, [0] * arms

    def leader(self):
        means = [total / pulls if pulls else -math.inf for total, pulls in zip(self.sums, self.pulls)]
        return max(range(len(means)), key=means.__getitem__)

    def ask(self):
        explores = self.chance.random() < self.epsilon
        self.last = self.chance.randrange(len(self.arms)) if explores else self.leader()
        return {"x": self.arms[self.last]}

    def tell(self, arm, reward):
        assert arm == {"x": self.arms[self.last]}
        self.sums[self.last] += reward
        self.pulls[self.last] += 1

    def best(self):
        return {"x": self.arms[self.leader()]}


def numbers(result):
    """Everything but the times that it took."""
    return [
        {name: value for name, value in run.items() if name != "ns_per_step"} for run in result.runs + result.tuning
    ]


# --- what is measured -----------------------------------------------------------------------------


def test_numbers_are_those_of_the_command_line(root, tmp_path):
    tool = os.environ.get("CANOPY_TOOL", root / "build/canopy")
    if not os.path.exists(tool):
        pytest.skip(f"{tool} is not built")
    (tmp_path / "file.toml").write_text("""
        name = "same"
        steps = 500
        runs = 3
        tuning_runs = 2
        seed = 7
        checkpoints = 5
        [[comparison]]
        name = "one"
        environment = { name = "garland", noise_width = 0.5 }
        [[comparison.algorithm]]
        label = "tree"
        name = "hct"
        feedback = "iid"
        [comparison.algorithm.grid]
        rho = [0.5, 0.7]
        nu1 = [0.3, 1]
        [[comparison.algorithm]]
        name = "random"
        """)
    words = [tool, "experiment", tmp_path / "file.toml", "--out", tmp_path / "out"]
    subprocess.run(words, check=True, capture_output=True)
    lines = [line for line in (tmp_path / "out/units.csv").read_text().splitlines() if not line.startswith("#")]
    theirs = {
        (row["phase"], row["algorithm"], row["candidate"], row["run"]): (
            float(row["per_step_regret"]),
            float(row["per_step_realised_regret"]),
            float(row["simple_regret"]),
        )
        for row in csv.DictReader(lines)
    }
    tree = canopy.Algorithm("hct", feedback="iid", rho=[0.5, 0.7], nu1=[0.3, 1], label="tree")
    garland = canopy.Environment("garland", noise_width=0.5)
    result = canopy.experiment([tree, "random"], garland, steps=500, runs=3, tuning_runs=2, seed=7, checkpoints=5)
    points = list(itertools.product([0.3, 1], [0.5, 0.7]))  # nu1 comes before rho
    ours = {}
    for run in result.runs + result.tuning:
        is_tree = run["algorithm"] == "tree"
        candidate = points.index((run["options"]["nu1"], run["options"]["rho"])) if is_tree else 0
        key = (run["phase"], "0" if is_tree else "1", str(candidate), str(run["run"]))
        ours[key] = (run["per_step_regret"], run["per_step_realised_regret"], run["simple_regret"])
    assert ours == theirs


def test_regret_is_that_of_the_arms_and_of_the_rewards():
    played = []

    def measure(x):
        played.append(x)
        return hill(x)

    function = canopy.Function(measure, LINE, optimum=1)
    result = canopy.experiment("adaptive", function, steps=300, runs=1, checkpoints=3, n_jobs=1)
    (run,) = result.runs
    assert played.pop(0) == played[0]  # the first arm, a second time, in case it has noise
    assert played[-1] == pytest.approx(0.3, abs=0.1)
    assert run["per_step_regret"] == pytest.approx(sum(1 - hill(x) for x in played[:300]) / 300)
    assert run["per_step_realised_regret"] == pytest.approx(run["per_step_regret"])
    for steps, regret, _ in run["checkpoints"]:
        assert regret == pytest.approx(sum(1 - hill(x) for x in played[:steps]) / steps)
    assert 0 <= run["simple_regret"] < 0.01
    assert len(played) <= 301  # once a pull, and at most once more for the best arm


def test_noise_is_added_to_a_function_that_has_none():
    for noise in ("gaussian", "uniform", "bernoulli"):
        function = canopy.Function(hill, LINE, optimum={"x": 0.3}, noise=noise, noise_width=0.5)
        (row,) = canopy.experiment("adaptive", function, steps=2000, runs=4).rows
        assert row.regret.mean != row.realised_regret.mean
        assert row.regret.mean == pytest.approx(row.realised_regret.mean, abs=0.05)  # of 8000 rewards


def test_the_mean_of_a_noisy_function_is_what_its_arms_are_judged_by():
    function = canopy.Function(noisy_hill, LINE, mean=hill, optimum=1)
    result = canopy.experiment("adaptive", function, steps=500, runs=3)
    assert all(0 <= run["simple_regret"] < 0.3 for run in result.runs)
    assert result.rows[0].regret.mean != result.rows[0].realised_regret.mean


def test_where_the_mean_is_not_known_only_realised_regret_is():
    function = canopy.Function(noisy_hill, LINE, noise="own", optimum=1)
    tuned = canopy.Algorithm("grid", points=[1, 3, 8])
    result = canopy.experiment(tuned, function, steps=200, runs=2)
    (row,) = result.rows
    assert row.regret is None and row.simple_regret is None and 0 < row.realised_regret.mean < 0.5
    assert "realised regret per step" in result.table() and "not known" in result.table()
    with pytest.raises(ValueError, match="is not known"):
        result.plot(realised=False)


def test_where_the_optimum_is_not_known_either_rewards_are_shown():
    function = canopy.Function(noisy_hill, LINE, noise="own", name="f")
    result = canopy.experiment("random", function, steps=200, runs=2)
    first, head, _ = result.table().splitlines()
    assert first == "f: 2 runs of 200 steps; f* unknown"
    assert "minus the mean reward" in head and "realised" not in result.table()
    assert result.optima == {"f": None} and -1 < result.rows[0].realised_regret.mean < -0.5
    assert result.plot().axes[0].get_ylabel() == "minus the mean reward (f* unknown)"
    known = canopy.experiment("random", canopy.Function(noisy_hill, LINE, noise="own", optimum=1), steps=200, runs=2)
    assert known.plot().axes[0].get_ylabel() == "realised regret per step: f* - reward"


def test_a_noisy_function_is_found_out():
    with pytest.raises(ValueError, match=r"noisy_hill\(x=.*and then.*mean="):
        canopy.experiment("hct", noisy_hill, LINE, steps=100, runs=1)
    with pytest.raises(ValueError, match=r"noisy_hill\(x=.*and then.*mean="):
        canopy.experiment("random", noisy_hill, LINE, steps=100, runs=1)  # which never plays an arm again
    canopy.experiment("random", canopy.Function(noisy_hill, LINE, noise="own"), steps=100, runs=1)


def test_without_an_optimum_regret_is_against_the_best_arm_that_was_played():
    known = canopy.experiment(["adaptive", "random"], hill, LINE, steps=300, runs=3)
    assert known.guessed_optima == ["hill"] and known.optima["hill"] == pytest.approx(1, abs=1e-3)
    function = canopy.Function(hill, LINE, optimum=known.optima["hill"])
    told = canopy.experiment(["adaptive", "random"], function, steps=300, runs=3)
    for ours, theirs in zip(known.runs, told.runs):
        assert ours["per_step_regret"] == pytest.approx(theirs["per_step_regret"])
        assert ours["simple_regret"] == pytest.approx(theirs["simple_regret"])
    assert min(run["simple_regret"] for run in known.runs) >= 0
    assert "the best that was seen" in known.table() and "the best that was seen" not in told.table()


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_optimum_that_is_too_small_is_refused(jobs):
    message = r"hill\(x=.*\) = 0.* is above the optimum 0.5: give the largest mean"
    for function in (
        canopy.Function(hill, LINE, optimum=0.5),
        canopy.Function(hill, LINE, optimum={"x": 1}, noise="gaussian"),
        canopy.Function(noisy_hill, LINE, mean=hill, optimum=0.5),
    ):
        with pytest.raises(ValueError, match=message.replace("0.5", str(function.optimum))):
            canopy.experiment("random", function, steps=100, runs=2, n_jobs=jobs)
    rounded = canopy.Function(lambda x: 1e6 + 1e-4 * (x < 2), LINE, optimum=1e6)
    canopy.experiment("random", rounded, steps=100, runs=2, n_jobs=jobs)
    unknown = canopy.Function(noisy_hill, LINE, noise="own", optimum=0.5)  # whose rewards may be above it
    canopy.experiment("random", unknown, steps=100, runs=2, n_jobs=jobs)


def test_functions_of_all_kinds_of_parameters_are_called_by_name():
    seen = set()

    def measure(size, *, mode, **others):
        seen.add((type(size), mode, *others))
        return size / 10 if mode == "fast" else 0.0

    space = {"mode": canopy.choice("fast", "slow"), "size": canopy.integer(1, 10), "z": canopy.real(0, 1)}
    canopy.experiment("random", measure, space, steps=100, runs=1, n_jobs=1)
    assert seen == {(int, "fast", "z"), (int, "slow", "z")}


def test_tuning_chooses_the_least_regret_and_measures_with_other_numbers():
    tuned = canopy.Algorithm("grid", points=[1, 2, 5, 11])
    function = canopy.Function(hill, LINE, noise="gaussian", noise_width=0.05)
    result = canopy.experiment(tuned, function, steps=300, runs=3, tuning_runs=2)
    means = {}
    for run in result.tuning:
        means.setdefault(run["options"]["points"], []).append(run["per_step_regret"])
    best = min(means, key=lambda points: sum(means[points]))
    (row,) = result.rows
    assert row.options["points"] == best and row.candidates == 4 and len(result.tuning) == 8
    assert f"points {best}, of 4" in result.table()
    earned = [{run["per_step_realised_regret"] for run in runs} for runs in (result.runs, result.tuning)]
    assert not earned[0] & earned[1]


@pytest.mark.parametrize("jobs", [1, 3])
def test_results_do_not_depend_on_processes_and_threads(jobs):
    own = random.Random()
    functions = [
        canopy.Function(noisy_hill, LINE, mean=hill, name="global"),
        canopy.Function(lambda x: hill(x) + own.gauss(0, 0.1), LINE, noise="own", start=own.seed, name="own"),
        canopy.Function(hill, LINE, noise="uniform", name="added"),
    ]
    before = random.getstate()

    def measured(n_jobs):
        algorithms = {"tree": "adaptive", "floor": "random", "mine": canopy.Algorithm(Greedy, arms=[3, 9])}
        environments = [*functions, "garland"]
        return numbers(canopy.experiment(algorithms, environments, steps=200, runs=3, tuning_runs=2, n_jobs=n_jobs))

    assert measured(jobs) == measured(2)
    assert random.getstate() == before


@pytest.mark.parametrize("jobs", [1, 2])
def test_numpy_is_seeded_also_where_only_the_function_imports_it(jobs):
    pytest.importorskip("numpy")
    text = f"""
        import canopy, sys

        def noisy(x):
            import numpy
            return x + numpy.random.normal()

        assert "numpy" not in sys.modules
        function = canopy.Function(noisy, {{"x": canopy.real(0, 1)}}, noise="own")
        result = canopy.experiment("random", function, steps=20, runs=4, n_jobs={jobs})
        print([run["per_step_realised_regret"] for run in result.runs])
    """
    first, second = (subprocess.run(script(text), check=True, capture_output=True).stdout for _ in range(2))
    assert first == second != b""


CHANCE = random.Random(1)


def global_noise(x):
    return hill(x) + CHANCE.gauss(0, 0.1)


def noise_of_a_helper(x):
    def helper():
        return sum(CHANCE.gauss(0, 0.1) for _ in range(2))

    return hill(x) + helper()


def noise_by_closure(chance):
    return lambda x: hill(x) + chance.gauss(0, 0.1)


def noise_by_default(chance):
    return lambda x, chance=chance: hill(x) + chance.gauss(0, 0.1)


class Noisy:
    """A callable that holds its generator."""

    def __init__(self, chance):
        self.draw, self.chance = chance.gauss, chance

    def __call__(self, x):
        return hill(x) + self.chance.gauss(0, 0.1)

    def drawn(self, x):
        return hill(x) + self.draw(0, 0.1)


def noise_of_an_object(chance):
    held = Noisy(chance)
    return lambda x: held.drawn(x)


def numpy_noise(make):
    numpy = pytest.importorskip("numpy")
    generator = make(numpy.random)
    return lambda x: hill(x) + generator.normal(0, 0.1)


OWN_NOISE = {
    "global": lambda: global_noise,
    "helper": lambda: noise_of_a_helper,
    "closure": lambda: noise_by_closure(random.Random(1)),
    "default": lambda: noise_by_default(random.Random(1)),
    "callable": lambda: Noisy(random.Random(1)),
    "method": lambda: Noisy(random.Random(1)).drawn,
    "object": lambda: noise_of_an_object(random.Random(1)),
    "partial": lambda: functools.partial(lambda chance, x: hill(x) + chance.gauss(0, 0.1), random.Random(1)),
    "numpy": lambda: numpy_noise(lambda numpy: numpy.default_rng(0)),
    "philox": lambda: numpy_noise(lambda numpy: numpy.Generator(numpy.Philox(0))),
    "legacy": lambda: numpy_noise(lambda numpy: numpy.RandomState(0)),
}


@pytest.mark.parametrize("kind", OWN_NOISE)
def test_generators_of_a_function_are_seeded_for_every_run(kind):
    function = canopy.Function(OWN_NOISE[kind](), LINE, mean=hill, optimum=1, name="f")

    def measured(n_jobs):
        return numbers(canopy.experiment(["random", "adaptive"], function, steps=30, runs=4, n_jobs=n_jobs))

    first = measured(1)
    assert first == measured(1) == measured(2) == measured(4)
    noise = [run["per_step_realised_regret"] - run["per_step_regret"] for run in first]
    assert len({round(each, 9) for each in noise}) == 8  # no two runs have the same


def test_generators_of_one_function_differ_and_are_left_as_they_were():
    numpy = pytest.importorskip("numpy")
    first, second, third = random.Random(1), random.Random(1), numpy.random.default_rng(1)
    drawn = []

    def measure(x):
        drawn.append((first.random(), second.random(), third.random()))
        return hill(x)

    states = first.getstate(), second.getstate(), third.bit_generator.state
    canopy.experiment("random", measure, LINE, steps=5, runs=2, n_jobs=1)
    assert len({number for numbers in drawn for number in numbers}) == 3 * len(drawn)
    assert (first.getstate(), second.getstate(), third.bit_generator.state) == states


def test_generators_of_an_algorithm_are_seeded_too():
    class Careless(Greedy):
        def ask(self):
            self.last = CHANCE.randrange(len(self.arms))
            return {"x": self.arms[self.last]}

    def measured(n_jobs):
        algorithms = [Careless, canopy.Algorithm(Given, chance=random.Random(1))]
        return numbers(canopy.experiment(algorithms, "garland", steps=30, runs=4, n_jobs=n_jobs))

    for ours, theirs in zip(measured(1), measured(4)):
        ours["options"] = theirs["options"] = None  # generators, which are never equal
        assert ours == theirs
    assert len({run["per_step_regret"] for run in measured(4)}) == 8


class Given(Greedy):
    """One with a generator among its options."""

    def __init__(self, space, seed, chance):
        super().__init__(space, seed)
        self.chance = chance


def test_runs_differ():
    function = canopy.Function(noisy_hill, LINE, mean=hill)
    result = canopy.experiment(["adaptive", "random"], function, steps=50, runs=5)
    assert len({run["per_step_realised_regret"] for run in result.runs}) == 10


# --- algorithms of one's own ----------------------------------------------------------------------


def test_a_class_of_ones_own_is_compared_with_the_others():
    result = canopy.experiment([Greedy, "random"], "garland", steps=3000, runs=4)
    mine, floor = result.rows
    assert mine.algorithm == "Greedy" and mine.regret.high < floor.regret.low


def test_it_is_told_its_own_arms_and_judged_by_its_best():
    made = []

    class Fixed:
        def __init__(self, space, seed, at):
            self.space, self.seed, self.at, self.told = space, seed, at, []
            made.append(self)

        def ask(self):
            return {"x": self.at}

        def tell(self, arm, reward):
            self.told.append((arm, reward))

        def best(self):
            return {"x": 0.8}

    function = canopy.Function(hill, LINE, optimum=1)
    result = canopy.experiment(canopy.Algorithm(Fixed, at=0.5), function, steps=20, runs=2, n_jobs=1)
    for each in made:
        assert each.told == [({"x": 0.5}, hill(0.5))] * 20 and each.space == canopy.Space(LINE)
    assert len({each.seed for each in made}) == 2
    for run in result.runs:
        assert run["per_step_regret"] == pytest.approx(1 - hill(0.5))
        assert run["simple_regret"] == pytest.approx(1 - hill(0.8))


@pytest.mark.parametrize("jobs", [1, 2])
def test_its_options_need_not_be_pickled(jobs):
    class Scheduled(Carrying):
        def __init__(self, space, seed, rate):
            self.at = rate(0.5)

    algorithm = canopy.Algorithm(Scheduled, rate=[lambda t: t / 2, lambda t: t / 4], label="mine")
    result = canopy.experiment(algorithm, "garland", steps=20, runs=3, tuning_runs=2, n_jobs=jobs)
    assert len(result.runs) == 3 and result.rows[0].options["rate"](1) in (0.5, 0.25)


def test_an_optimizer_of_canopy_may_be_inside():
    class Wrapped:
        def __init__(self, space, seed):
            self.inner = canopy.Hct(space, feedback="correlated")
            self.ask, self.tell, self.best = self.inner.ask, self.inner.tell, self.inner.best

        ask = tell = best = lambda self: None

    function = canopy.Function(hill, LINE, optimum=1)
    wrapped = canopy.experiment(Wrapped, function, steps=500, runs=1, checkpoints=4).runs
    direct = canopy.experiment(canopy.Algorithm("hct", feedback="correlated"), function, steps=500, runs=1).runs
    assert wrapped[0]["per_step_regret"] == pytest.approx(direct[0]["per_step_regret"])


def test_a_class_of_canopy_is_its_name():
    def measured(algorithm):
        return canopy.experiment({"one": algorithm}, ["garland", function], steps=300, runs=2)

    function = canopy.Function(hill, LINE, optimum=1, noise="gaussian")
    for name, cls in (("pct", canopy.Pct), ("stroquool", canopy.Stroquool), ("hct", canopy.Hct)):
        by_class, by_name = measured(cls), measured(name)
        assert numbers(by_class) == numbers(by_name)
        assert by_class.rows[0].options == by_name.rows[0].options != {}
    tuned = canopy.Algorithm(canopy.Hct, rho=[0.5, 0.7], feedback="correlated")
    assert repr(tuned) == "Algorithm('hct', rho=[0.5, 0.7], feedback='correlated', label='hct')"
    assert measured(tuned).rows[0].options["feedback"] == "correlated"
    with pytest.raises(ValueError, match="rhoo"):
        measured(canopy.Algorithm(canopy.Hct, rhoo=1))


def test_a_class_derived_from_one_of_canopy_is_one_of_its_own():
    class Mine(canopy.Hct):
        def __init__(self, space, seed):
            super().__init__(space)

    result = canopy.experiment(Mine, "garland", steps=50, runs=1)
    assert result.rows[0].algorithm == "Mine" and result.rows[0].options == {}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, r"ask\(\) returned None"),
        ({"x": 2}, "x = 2: must be a number from 0 to 1"),
        ({}, "x: is missing"),
        ({"x": 0.5, "y": 1}, "not a parameter"),
    ],
)
def test_what_is_no_arm_is_refused(answer, message):
    class Wrong(Greedy):
        def ask(self):
            return answer

    with pytest.raises(ValueError, match=message):
        canopy.experiment(Wrong, "garland", steps=10, runs=1)


# --- what goes wrong ------------------------------------------------------------------------------


class OwnError(Exception):
    def __init__(self, first, second):  # cannot be pickled
        super().__init__(first)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_passes_through_and_what_was_finished_is_kept(jobs, tmp_path):
    def measure(x):
        if random.random() < 0.001:
            raise KeyError("broken")
        return hill(x)

    with pytest.raises(KeyError, match="broken"):
        canopy.experiment("random", measure, LINE, steps=100, runs=1000, folder=tmp_path, n_jobs=jobs)
    kept = (tmp_path / "runs.jsonl").read_text().splitlines()
    assert all("settings" in json.loads(line) or json.loads(line)["phase"] == "measure" for line in kept)


def test_an_exception_that_cannot_travel_is_named():
    def measure(x):
        raise OwnError("what", "ever")

    with pytest.raises(RuntimeError, match="OwnError: what"):
        canopy.experiment("random", measure, LINE, steps=10, runs=2, n_jobs=2)
    with pytest.raises(OwnError):
        canopy.experiment("random", measure, LINE, steps=10, runs=2, n_jobs=1)


def test_a_process_that_dies_is_named():
    with pytest.raises(RuntimeError, match="run [01] of random on measure: its process has ended with code 3"):

        def measure(x):
            os._exit(3)

        canopy.experiment("random", measure, LINE, steps=10, runs=2, n_jobs=2)


@pytest.mark.parametrize("value", [math.nan, math.inf, None, "1"])
def test_what_is_no_reward_is_refused(value):
    with pytest.raises(ValueError, match=r"measure\(x=.*must be a finite number"):

        def measure(x):
            return value

        canopy.experiment("random", measure, LINE, steps=10, runs=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"algorithms": "hvt"}, 'did you mean "hct"'),
        ({"algorithms": canopy.Algorithm("hct", rho=[0.5, 7])}, "rho = 7"),
        ({"algorithms": canopy.Algorithm("hct", rhoo=1)}, "rhoo"),
        ({"algorithms": canopy.Algorithm("hct", rho=[])}, r"rho = \[\]"),
        ({"algorithms": ["hct", "hct"]}, '"hct" is there twice'),
        ({"algorithms": []}, "one or more"),
        ({"algorithms": 3}, "algorithm = 3"),
        ({"algorithms": int}, "has no method ask"),
        ({"environments": "garlnd"}, 'did you mean "garland"'),
        ({"environments": hill}, "space: is missing"),
        ({"environments": ["garland", canopy.Environment("garland", noise_width=2)]}, "twice"),
        ({"steps": 0}, "steps = 0"),
        ({"runs": 0}, "runs = 0"),
        ({"n_jobs": -2}, "n_jobs = -2"),
        ({"regret": "simple"}, "regret = 'simple'"),
    ],
)
def test_wrong_use_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        canopy.experiment(**{"algorithms": "hct", "environments": "garland", "steps": 10, "runs": 1} | arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"function": 3}, "function = 3"),
        ({"noise": "gausian"}, "noise = 'gausian'"),
        ({"noise_width": -1}, "noise_width = -1"),
        ({"mean": hill, "noise": "gaussian"}, "noise = 'gaussian'"),
        ({"optimum": "1"}, "optimum = '1'"),
        ({"optimum": {"y": 1}}, r"optimum = {'y': 1}: must have a value for every parameter: x$"),
        ({"optimum": {"x": 1, "y": 1}}, "must have a value for every parameter: x$"),
        ({"noise": "own", "optimum": {"x": 0.3}}, "optimum: must be a number"),
        ({"start": 1}, "start = 1"),
    ],
)
def test_wrong_functions_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        canopy.Function(**{"function": hill, "space": LINE} | arguments)


def test_bernoulli_noise_needs_a_probability():
    with pytest.raises(ValueError, match="must be from 0 to 1 for bernoulli"):
        canopy.experiment("random", canopy.Function(lambda x: 2 + x, LINE, noise="bernoulli"), steps=10, runs=1)


def test_an_algorithm_has_no_seed_of_its_own():
    with pytest.raises(ValueError, match="every run has one of its own"):
        canopy.Algorithm("thoo", seed=3)


def test_a_function_that_holds_itself_is_collected():
    class Holder:
        def __call__(self, x):
            return x

    holder = Holder()
    holder.function = canopy.Function(holder, LINE)
    gone = weakref.ref(holder)
    del holder
    gc.collect()
    assert gone() is None


# --- what is kept ---------------------------------------------------------------------------------


def run_lines(folder):
    return [line for line in (folder / "runs.jsonl").read_text().splitlines() if "settings" not in json.loads(line)]


CALLS = []  # a global, which is not compared


def test_it_continues_from_its_folder(tmp_path):
    def measure(x):
        CALLS.append(x)
        return hill(x)

    function = canopy.Function(measure, LINE, optimum=1)

    def measured(runs, algorithms=("adaptive",)):
        return canopy.experiment(algorithms, function, steps=50, runs=runs, n_jobs=1, folder=tmp_path)

    first = measured(3)
    made = len(CALLS)
    assert numbers(measured(3)) == numbers(first) and len(CALLS) == made
    assert numbers(measured(4))[:3] == numbers(first) and len(run_lines(tmp_path)) == 4
    more = measured(4, ["random", "adaptive"])
    assert numbers(more)[4:7] == numbers(first) and len(run_lines(tmp_path)) == 8
    fresh = canopy.experiment(["random", "adaptive"], function, steps=50, runs=4, n_jobs=1)
    assert numbers(more) == numbers(fresh)


def test_a_line_that_was_cut_off_is_done_again(tmp_path):
    def measured():
        return numbers(canopy.experiment("random", hill, LINE, steps=50, runs=4, folder=tmp_path))

    whole = measured()
    file = tmp_path / "runs.jsonl"
    for cut in (1, 30, 200):
        file.write_bytes(file.read_bytes()[:-cut])
        assert measured() == whole
    assert len(run_lines(tmp_path)) == 4


def test_other_settings_are_refused_and_named(tmp_path):
    def measured(function=hill, algorithms="random", **changes):
        settings = {"steps": 50, "runs": 1, "folder": tmp_path, "n_jobs": 1} | changes
        return canopy.experiment(algorithms, canopy.Function(function, LINE, name="f", optimum=1), **settings)

    measured()
    before = (tmp_path / "runs.jsonl").read_bytes()
    with pytest.raises(ValueError, match="steps is 50 there and 60 here"):
        measured(steps=60)
    with pytest.raises(ValueError, match="seed is 1 there and 2 here"):
        measured(seed=2)
    with pytest.raises(ValueError, match=r"environments.f.code has changed since"):
        measured(lambda x: hill(x) + 1)
    with pytest.raises(ValueError, match=r"algorithms.random.name is 'random' there and 'Greedy' here"):
        measured(algorithms={"random": Greedy})
    assert (tmp_path / "runs.jsonl").read_bytes() == before
    measured()


class Carrying:
    """One that is told where it is by whatever code can carry along."""

    at = 0.1

    def __init__(self, space, seed):
        pass

    def ask(self):
        return {"x": self.at}

    def tell(self, arm, reward):
        pass

    def best(self):
        return {"x": self.at}


class Peak:
    """A function that is an object."""

    def __init__(self, at):
        self.at = at

    def __call__(self, x):
        return 1 - abs(x - self.at)

    def value(self, x):
        return self(x)


def by_closure(at):
    return lambda x: 1 - abs(x - at)


def by_default(at):
    def f(x, at=at):
        return 1 - abs(x - at)

    return f


def by_keyword(at):
    def f(x, *, at=at):
        return 1 - abs(x - at)

    return f


def by_an_inner_function(at):
    inner = by_closure(at)
    return lambda x: inner(x)


def by_partial(at):
    return functools.partial(lambda at, x: 1 - abs(x - at), at)


def by_array(at):
    numpy = pytest.importorskip("numpy")
    many = numpy.zeros(5000)
    many[2500] = at  # which a repr leaves out
    return lambda x: 1 - abs(x - many[2500])


CARRIERS = [
    by_closure,
    by_default,
    by_keyword,
    by_an_inner_function,
    by_partial,
    by_array,
    Peak,
    lambda at: Peak(at).value,
]


@pytest.mark.parametrize("make", CARRIERS)
def test_a_folder_tells_functions_apart_by_what_they_carry_along(make, tmp_path):
    def measured(at):
        function = canopy.Function(make(at), LINE, name="f")
        return numbers(canopy.experiment("random", function, steps=20, runs=2, folder=tmp_path, n_jobs=1))

    first = measured(0.3)
    with pytest.raises(ValueError, match=r"environments\.f\.values\.\S+ is .* there and .* here. Use another folder"):
        measured(0.8)
    assert measured(0.3) == first and len(run_lines(tmp_path)) == 2


def test_what_a_class_carries_along_is_compared_as_well(tmp_path, monkeypatch):
    def measured(algorithm=Carrying):
        return canopy.experiment({"mine": algorithm}, "garland", steps=20, runs=2, folder=tmp_path, n_jobs=1).rows[0]

    first = measured()
    monkeypatch.setattr(Carrying, "at", 0.9)
    with pytest.raises(ValueError, match=r"algorithms\.mine\.values\.at is 0\.1 there and 0\.9 here"):
        measured()
    monkeypatch.setattr(Carrying, "at", 0.1)
    assert measured().regret == first.regret
    derived = type("Carrying", (Carrying,), {"limit": 3})
    with pytest.raises(ValueError, match=r"values\.limit is nothing there and 3 here"):
        measured(derived)


def test_it_is_the_same_in_another_process(tmp_path):
    text = """
        import canopy, sys
        def make(at, words, wrong=frozenset("abc")):
            def f(x, shift={"a": 1, "b": (2, 3.5)}):
                return at + x if words else 0
            return f
        class Twice:
            kinds = {"one", "two", "three"}
            def __init__(self, space, seed): self.seed = seed
            def ask(self): return {"x": 0.5}
            def tell(self, arm, reward): pass
            def best(self): return super().__init__ and {"x": 0.5}
        f = canopy.Function(make(0.3, {"lru", "lfu", "fifo"}), {"x": canopy.real(0, 1)}, name="f")
        options = canopy.Algorithm(Twice)
        canopy.experiment(["random", options], f, steps=20, runs=2, folder=sys.argv[1], n_jobs=1)
    """
    for seed in ("1", "2"):
        subprocess.run([*script(text), str(tmp_path)], env=os.environ | {"PYTHONHASHSEED": seed}, check=True)
    assert len(run_lines(tmp_path)) == 4


def test_what_cannot_be_compared_is_said(tmp_path):
    hidden = random.Random(1)
    function = canopy.Function(lambda x: x + 0 * hidden.random(), LINE, name="f")
    with pytest.warns(UserWarning, match=r"folder: f\.hidden cannot be compared"):
        canopy.experiment("random", function, steps=20, runs=1, folder=tmp_path, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        canopy.experiment("random", function, steps=20, runs=1, n_jobs=1)  # nothing is kept, so nothing is said


def test_options_are_told_apart_by_what_they_do(tmp_path):
    class Scheduled(Carrying):
        def __init__(self, space, seed, rate):
            self.at = rate(0.5) if callable(rate) else 0.5

    def measured(rate, folder=tmp_path):
        algorithm = canopy.Algorithm(Scheduled, rate=rate, label="mine")
        return canopy.experiment(algorithm, "garland", steps=20, runs=2, folder=folder, n_jobs=1).rows[0].regret

    first, second = measured(lambda t: t / 2), measured(lambda t: t / 4)
    assert first != second and len(run_lines(tmp_path)) == 4
    assert measured(lambda t: t / 2) == first and len(run_lines(tmp_path)) == 4
    with pytest.raises(ValueError, match=r"mine: rate = .*cannot be kept in a folder; give it a __repr__"):
        measured(random.Random(1))
    assert measured(lambda t: t / 2, None) == first


def script(text):
    return [sys.executable, "-c", textwrap.dedent(text)]


SLOW = """
    import canopy, sys, time
    def slow(x):
        time.sleep(0.001)
        return x
    space = {{"x": canopy.real(0, 1)}}
    canopy.experiment("random", slow, space, steps=100, runs=1000, n_jobs={jobs}, folder={folder!r})
"""


def wait_for_runs(folder, count):
    for _ in range(1000):
        if (folder / "runs.jsonl").exists() and len(run_lines(folder)) >= count:
            return
        time.sleep(0.02)
    raise AssertionError("no runs")


def children_of(pid):
    found = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid="], capture_output=True, text=True).stdout
    return [int(word) for word in found.split()]


def is_alive(pid):
    try:
        os.kill(pid, 0)
        return True
    except ProcessLookupError:
        return False


@pytest.mark.parametrize(("kind", "jobs"), [(signal.SIGINT, 1), (signal.SIGINT, 2), (signal.SIGKILL, 2)])
def test_whatever_ends_it_what_was_finished_is_kept_and_no_process_is_left(kind, jobs, tmp_path):
    words = script(SLOW.format(jobs=jobs, folder=str(tmp_path)))
    process = subprocess.Popen(
        words,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    wait_for_runs(tmp_path, 3)
    workers = children_of(process.pid)
    assert len(workers) == (2 if jobs == 2 else 0)
    process.send_signal(kind)
    assert "KeyboardInterrupt" in process.communicate(timeout=60)[1] or kind == signal.SIGKILL
    for _ in range(500):
        if not any(map(is_alive, workers)):
            break
        time.sleep(0.02)
    assert not any(map(is_alive, workers))
    assert [json.loads(line)["run"] for line in run_lines(tmp_path)][:1] in ([0], [1])


def test_one_process_at_a_time_has_a_folder(tmp_path):
    process = subprocess.Popen(script(SLOW.format(jobs=1, folder=str(tmp_path))), stderr=subprocess.DEVNULL)
    try:
        wait_for_runs(tmp_path, 1)
        with pytest.raises(ValueError, match="another process is running this experiment"):
            canopy.experiment("random", "garland", steps=10, runs=1, folder=tmp_path)
    finally:
        process.kill()
        process.wait()


def test_ctrl_c_stops_threads_too(tmp_path):
    code = """
        import canopy, os, signal, threading
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try: canopy.experiment(["hct", "random"], "garland", steps=10**11, runs=2, progress=False)
        except KeyboardInterrupt: print("stopped")
    """
    words = script(code)
    ended = subprocess.run(
        words,
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert ended.stdout == "stopped\n", ended.stderr


# --- what is shown --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def measured():
    return canopy.experiment(["adaptive", Greedy, "random"], {"a": "garland", "b": "difficult"}, steps=200, runs=3)


def test_the_table_has_a_row_an_algorithm(measured):
    lines = measured.table().splitlines()
    assert lines[0].startswith("a: 3 runs of 200 steps; f* = ") and "pseudo regret per step" in lines[1]
    assert [line.split()[0] for line in lines[2:5]] == ["adaptive", "Greedy", "random"] and lines[6].startswith("b: ")
    row = measured.rows[0]
    assert f"{row.regret.mean:.4f} ({row.regret.low:.4f} to {row.regret.high:.4f})" in lines[2]
    assert str(measured) == measured.table()
    assert repr(measured) == "<canopy.Experiment of adaptive, Greedy, random on a, b: 18 runs of 200 steps>"


@pytest.mark.parametrize("runs", [1, 3])
def test_the_columns_of_the_table_are_aligned(runs):
    function = canopy.Function(lambda x: 30 * (x - 0.5) + random.gauss(0, 0.1), LINE, noise="own", name="f")
    algorithms = {"low": Carrying, "high": type("High", (Carrying,), {"at": 0.9})}
    result = canopy.experiment(algorithms, function, steps=50, runs=runs)
    assert [round(row.realised_regret.mean) for row in result.rows] == [12, -12]
    _, head, *lines = result.table().splitlines()
    ends = {(line.index("."), line.index("not known"), len(line)) for line in lines}
    assert len(ends) == 1 and head.index("simple regret") == lines[0].index("not known") and len(head) == len(lines[0])
    assert len({line.rfind(" to ") for line in lines}) == len({line.rfind(")") for line in lines}) == 1


def test_a_single_run_has_no_interval():
    result = canopy.experiment("random", "garland", steps=50, runs=1)
    assert result.rows[0].regret.low is None and " to " not in result.table()
    result.plot()


def test_the_frame_has_a_row_a_checkpoint(measured):
    frame = measured.to_frame()
    points = len(measured.runs[0]["checkpoints"])
    assert len(frame) == 18 * points and set(frame["environment"]) == {"a", "b"}
    last = frame[(frame["environment"] == "a") & (frame["algorithm"] == "Greedy") & (frame["steps"] == 200)]
    assert last["per_step_regret"].mean() == pytest.approx(measured.rows[1].regret.mean)


def test_the_picture_has_a_panel_an_environment_and_says_which_regret(measured):
    figure = measured.plot()
    assert [ax.get_title() for ax in figure.axes] == ["a", "b"]
    (line, *_), row = figure.axes[0].get_lines(), measured.rows[0]
    assert line.get_label() == "adaptive" and line.get_ydata()[-1] == pytest.approx(row.regret.mean)
    assert "pseudo" in figure.axes[0].get_ylabel()
    other = measured.plot(realised=True)
    assert "realised" in other.axes[0].get_ylabel()
    assert other.axes[0].get_lines()[0].get_ydata()[-1] == pytest.approx(row.realised_regret.mean)


@pytest.mark.parametrize("jobs", [1, 2])
def test_long_work_shows_its_progress(jobs, capfd):
    def slow(x):
        time.sleep(0.002)
        return x

    canopy.experiment("random", slow, LINE, steps=150, runs=5 * jobs, n_jobs=jobs, progress=True)
    assert f" of {5 * jobs} runs" in capfd.readouterr().err
    canopy.experiment("random", "garland", steps=10, runs=1, progress=True)
    assert capfd.readouterr().err == ""
