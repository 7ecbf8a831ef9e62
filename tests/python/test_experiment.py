import csv
import functools
import gc
import math
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
import weakref

import canopy
import pytest

LINE = {"x": canopy.real(0, 1)}


def hill(x):
    return 1 - (x - 0.3) ** 2


def noisy_hill(x):
    return hill(x) + random.gauss(0, 0.1)


class Greedy:
    """Epsilon-greedy over some random arms."""

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
    """All results except the times."""
    return [
        {name: value for name, value in run.items() if name != "ns_per_step"} for run in result.runs + result.tuning
    ]


# --- measurements -----------------------------------------------------------------------------


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
    words = [tool, "experiment", tmp_path / "file.toml", "--out"]
    subprocess.run([*words, tmp_path / "theirs"], check=True, capture_output=True)
    tree = canopy.Algorithm("hct", feedback="iid", rho=[0.5, 0.7], nu1=[0.3, 1], label="tree")
    garland = {"one": canopy.Environment("garland", noise_width=0.5)}
    settings = {"steps": 500, "runs": 3, "tuning_runs": 2, "seed": 7, "checkpoints": 5}
    result = canopy.experiment([tree, "random"], garland, **settings, folder=tmp_path / "ours")
    assert units(tmp_path / "ours") == units(tmp_path / "theirs") and len(units(tmp_path / "ours")) == 14
    for name in ("summary.csv", "one.csv"):
        ours, theirs = (rows_of(tmp_path / folder / name) for folder in ("ours", "theirs"))
        assert ours == theirs and len(ours) >= 2
    assert (tmp_path / "ours/report.html").exists()
    measured = [float(row["per_step_regret"]) for row in units(tmp_path / "ours").values() if row["phase"] == "measure"]
    assert sorted(measured) == sorted(run["per_step_regret"] for run in result.runs)
    continued = subprocess.run([*words, tmp_path / "ours"], check=True, capture_output=True, text=True)
    assert "14 finished units found" in continued.stderr


def rows_of(file):
    """The rows of a table, without the times."""
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    rows = csv.DictReader(lines)
    return [
        {name: value for name, value in row.items() if "seconds" not in name and name != "checkpoints"} for row in rows
    ]


def units(folder):
    """The finished runs in a folder."""
    keys = ("phase", "comparison", "algorithm", "candidate", "run")
    return {tuple(row[key] for key in keys): row for row in rows_of(folder / "units.csv")}


def test_regret_is_that_of_the_arms_and_of_the_rewards():
    played = []

    def measure(x):
        played.append(x)
        return hill(x)

    function = canopy.Function(measure, LINE, optimum=1)
    result = canopy.experiment("adaptive", function, steps=300, runs=1, checkpoints=3, n_jobs=1)
    (run,) = result.runs
    assert played.pop(0) == played[0]  # the first arm is played twice, to detect noise
    assert played[-1] == pytest.approx(0.3, abs=0.1)
    assert run["per_step_regret"] == pytest.approx(sum(1 - hill(x) for x in played[:300]) / 300)
    assert run["per_step_realised_regret"] == pytest.approx(run["per_step_regret"])
    for steps, regret, _ in run["checkpoints"]:
        assert regret == pytest.approx(sum(1 - hill(x) for x in played[:steps]) / steps)
    assert 0 <= run["simple_regret"] < 0.01
    assert len(played) <= 301  # once per pull, and at most once more for the best arm


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
    assert "realised regret per step" in result.table()
    with pytest.raises(ValueError, match="is not known"):
        result.plot(realised=False)


def test_where_the_optimum_is_not_known_either_rewards_are_shown():
    function = canopy.Function(noisy_hill, LINE, noise="own", name="f")
    result = canopy.experiment("random", function, steps=200, runs=2)
    assert result.table().startswith("f (minus the mean reward; the optimum is unknown)\n")
    assert result.optima == {"f": None} and -1 < result.rows[0].realised_regret.mean < -0.5
    assert result.plot().axes[0].get_ylabel() == "minus the mean reward (f* unknown)"
    known = canopy.experiment("random", canopy.Function(noisy_hill, LINE, noise="own", optimum=1), steps=200, runs=2)
    assert known.plot().axes[0].get_ylabel() == "realised regret per step: f* - reward"


def test_a_noisy_function_is_found_out():
    with pytest.raises(ValueError, match=r"noisy_hill\(x=.*and then.*mean="):
        canopy.experiment("hct", noisy_hill, LINE, steps=100, runs=1)
    with pytest.raises(ValueError, match=r"noisy_hill\(x=.*and then.*mean="):
        canopy.experiment("random", noisy_hill, LINE, steps=100, runs=1)  # it never repeats an arm
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
    assert "the best mean of any run" in known.table() and "the best mean of any run" not in told.table()


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
    unknown = canopy.Function(noisy_hill, LINE, noise="own", optimum=0.5)  # rewards may be larger than the optimum
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
    assert f"points {best}" in result.table()
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


def noise_by_closure(chance):
    return lambda x: hill(x) + chance.gauss(0, 0.1)


class Noisy:
    """A callable that holds its generator."""

    def __init__(self, chance):
        self.chance = chance

    def __call__(self, x):
        return hill(x) + self.chance.gauss(0, 0.1)


def numpy_noise(make):
    numpy = pytest.importorskip("numpy")
    generator = make(numpy.random)
    return lambda x: hill(x) + generator.normal(0, 0.1)


OWN_NOISE = {
    "global": lambda: global_noise,
    "closure": lambda: noise_by_closure(random.Random(1)),
    "callable": lambda: Noisy(random.Random(1)),
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
    assert len({round(each, 9) for each in noise}) == 8  # all runs have different noise


def test_generators_of_one_function_differ_and_are_left_as_they_were():
    numpy = pytest.importorskip("numpy")
    first, second, third = random.Random(1), random.Random(2), numpy.random.default_rng(1)
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
    """An algorithm with a generator among its options."""

    def __init__(self, space, seed, chance):
        super().__init__(space, seed)
        self.chance = chance


def test_runs_differ():
    function = canopy.Function(noisy_hill, LINE, mean=hill)
    result = canopy.experiment(["adaptive", "random"], function, steps=50, runs=5)
    assert len({run["per_step_realised_regret"] for run in result.runs}) == 10


# --- user-defined algorithms ----------------------------------------------------------------------


def test_a_class_of_ones_own_is_compared_with_the_others():
    result = canopy.experiment([Greedy, "random"], "garland", steps=3000, runs=4)
    mine, floor = result.rows
    assert mine.algorithm == "Greedy" and mine.regret.upper < floor.regret.lower


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


# --- errors ------------------------------------------------------------------------------


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
    assert 0 < len(units(tmp_path)) < 1000


def test_an_exception_that_cannot_travel_is_named():
    def measure(x):
        raise OwnError("what", "ever")

    with pytest.raises(RuntimeError, match="OwnError: what"):
        canopy.experiment("random", measure, LINE, steps=10, runs=2, n_jobs=2)
    with pytest.raises(OwnError):
        canopy.experiment("random", measure, LINE, steps=10, runs=2, n_jobs=1)


def test_a_process_that_dies_is_named():
    with pytest.raises(RuntimeError, match="a worker process has died"):

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
        ({"algorithms": ["hct", "hct"]}, '"hct" occurs twice'),
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
    with pytest.raises(ValueError, match="every run has its own; set the seed of the experiment"):
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


# --- stored runs ---------------------------------------------------------------------------------


CALLS = []


def test_it_continues_from_its_folder(tmp_path):
    def measure(x):
        CALLS.append(x)
        return hill(x)

    function = canopy.Function(measure, LINE, optimum=1)

    def measured(runs, **how):
        return canopy.experiment("adaptive", function, steps=50, runs=runs, n_jobs=1, folder=tmp_path, **how)

    first = measured(3)
    made = len(CALLS)
    assert numbers(measured(3)) == numbers(first) and len(CALLS) == made
    more = measured(4)
    assert numbers(more)[:3] == numbers(first) and len(units(tmp_path)) == 4 and made < len(CALLS) < 2 * made
    assert numbers(more) == numbers(canopy.experiment("adaptive", function, steps=50, runs=4, n_jobs=1))
    made = len(CALLS)
    assert numbers(measured(4, resume=False)) == numbers(more) and len(CALLS) > made


def test_a_line_that_was_cut_off_is_done_again(tmp_path):
    def measured():
        return numbers(canopy.experiment("random", hill, LINE, steps=50, runs=4, folder=tmp_path))

    whole = measured()
    file = tmp_path / "units.csv"
    for cut in (1, 30, 200):
        file.write_bytes(file.read_bytes()[:-cut])
        assert measured() == whole
    assert len(units(tmp_path)) == 4


class Carrying:
    """An algorithm that gets its environment in every way that code can carry values."""

    at = 0.1

    def __init__(self, space, seed):
        pass

    def ask(self):
        return {"x": self.at}

    def tell(self, arm, reward):
        pass

    def best(self):
        return {"x": self.at}


class Scheduled(Carrying):
    def __init__(self, space, seed, rate):
        self.at = rate(0.5) if callable(rate) else rate


def test_another_experiment_is_refused(tmp_path):
    def measured(function=hill, algorithms="random", version=None, **changes):
        settings = {"steps": 50, "runs": 1, "folder": tmp_path, "n_jobs": 1} | changes
        function = canopy.Function(function, LINE, name="f", optimum=1, version=version)
        return canopy.experiment(algorithms, function, **settings)

    measured()
    before = (tmp_path / "units.csv").read_bytes()
    others = (
        {"steps": 60},
        {"seed": 2},
        {"function": lambda x: hill(x)},
        {"version": 2},
        {"algorithms": {"random": Greedy}},
        {"algorithms": ["random", Greedy]},
    )
    for other in others:
        with pytest.raises(ValueError, match="another specification; give another folder, or resume=False"):
            measured(**other)
    assert (tmp_path / "units.csv").read_bytes() == before
    measured()
    measured(version=2, resume=False)
    with pytest.raises(ValueError, match="another specification"):
        measured()


def test_classes_count_by_name_version_and_options(tmp_path):
    def measured(version=None, **options):
        algorithm = canopy.Algorithm(Scheduled, version=version, label="mine", **options)
        return canopy.experiment(algorithm, "garland", steps=20, runs=2, folder=tmp_path, n_jobs=1)

    first = measured(rate=0.5)
    assert numbers(measured(rate=0.5)) == numbers(first)
    for other in ({"rate": 0.25}, {"rate": 0.5, "version": 2}, {"rate": [0.5, 0.25]}):
        with pytest.raises(ValueError, match="another specification"):
            measured(**other)


def test_partial_functions_count_by_what_they_call_and_lambdas_by_their_line(tmp_path):
    def measured(function):
        function = canopy.Function(function, LINE, name="f", optimum=1)
        return canopy.experiment("random", function, steps=20, runs=2, folder=tmp_path, n_jobs=1)

    def scaled(x, by):
        return by * x

    first = measured(functools.partial(scaled, by=0.5))
    assert numbers(measured(functools.partial(scaled, by=0.5))) == numbers(first)
    for other in (
        functools.partial(scaled, by=0.25),
        lambda x: 0.5 * x,
    ):
        with pytest.raises(ValueError, match="another specification"):
            measured(other)


def test_it_is_the_same_in_another_process(tmp_path):
    text = """
        import canopy, sys
        def make(at, words):
            def f(x):
                return at + x if words else 0
            return f
        class Twice:
            def __init__(self, space, seed, rate): self.seed = seed
            def ask(self): return {"x": 0.5}
            def tell(self, arm, reward): pass
            def best(self): return {"x": 0.5}
        f = canopy.Function(make(0.3, {"lru", "lfu", "fifo"}), {"x": canopy.real(0, 1)}, name="f")
        options = canopy.Algorithm(Twice, rate=lambda t: t / 2)
        canopy.experiment(["random", options], f, steps=20, runs=2, folder=sys.argv[1], n_jobs=1)
    """
    for seed in ("1", "2"):
        subprocess.run([*script(text), str(tmp_path)], env=os.environ | {"PYTHONHASHSEED": seed}, check=True)
    assert len(units(tmp_path)) == 4


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
        if (folder / "units.csv").exists() and len(units(folder)) >= count:
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
    assert next(iter(units(tmp_path)))[-1] in ("0", "1")


def test_one_process_at_a_time_has_a_folder(tmp_path):
    process = subprocess.Popen(script(SLOW.format(jobs=1, folder=str(tmp_path))), stderr=subprocess.DEVNULL)
    try:
        wait_for_runs(tmp_path, 1)
        with pytest.raises(OSError, match="another process is running this experiment"):
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


# --- output --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def measured():
    return canopy.experiment(["adaptive", Greedy, "random"], {"a": "garland", "b": "difficult"}, steps=200, runs=3)


def test_the_table_has_a_row_an_algorithm(measured):
    lines = measured.table().splitlines()
    assert lines[0] == "a (pseudo regret per step)" and lines[6] == "b (pseudo regret per step)"
    assert [line.split()[0] for line in lines[2:5]] == ["adaptive", "Greedy", "random"]
    row = measured.rows[0]
    regret = row.regret
    assert lines[2].split()[1:5] == [f"{regret.mean:.4f}", f"{regret.lower:.4f}", "..", f"{regret.upper:.4f}"]
    assert str(measured) == measured.table()
    assert repr(measured) == "<canopy.Experiment of adaptive, Greedy, random on a, b: 18 runs of 200 steps>"


def test_a_single_run_has_no_interval():
    result = canopy.experiment("random", "garland", steps=50, runs=1)
    assert result.rows[0].regret.lower is None
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
    assert f" of {750 * jobs} steps" in capfd.readouterr().err
    canopy.experiment("random", "garland", steps=10, runs=1, progress=True)
    assert capfd.readouterr().err == ""


# --- tables, differences and frames -----------------------------------------------------------------


@pytest.fixture(scope="module")
def compared():
    algorithms = {"tree": "adaptive", "hct": "hct", "a_b & 10%": "random"}
    return canopy.experiment(algorithms, ["garland", "branin"], steps=300, runs=5)


def test_differences_are_those_of_runs_of_the_same_number(compared):
    differences = compared.differences("hct")
    assert [(each.environment, each.algorithm) for each in differences] == [
        (environment, algorithm) for environment in ("garland", "branin") for algorithm in ("tree", "a_b & 10%")
    ]
    pairs = [a - b for a, b in zip(compared.values("garland", "tree"), compared.values("garland", "hct"))]
    first = differences[0]
    assert first.mean == pytest.approx(sum(pairs) / 5) and first.runs == 5
    assert first.wins == sum(pair < 0 for pair in pairs)
    deviation = math.sqrt(sum((pair - first.mean) ** 2 for pair in pairs) / 4)
    assert first.upper - first.mean == pytest.approx(2.776445 * deviation / math.sqrt(5))  # Student's t, 4 degrees
    assert (differences[1].verdict, first.baseline) == ("worse", "hct")
    assert str(differences[1]).endswith("at 95 %) compared with hct, better in 0 of 5 runs")


def test_the_difference_of_a_single_run_has_no_interval():
    (each,) = canopy.experiment(["adaptive", "random"], "garland", steps=100, runs=1).differences("adaptive")
    assert each.lower is each.upper is None and each.verdict == "open" and "at 95 %" not in str(each)


def test_differences_are_of_any_measure(compared):
    for measure in ("pseudo", "realised", "simple", "us_per_step"):
        each = compared.differences("hct", measure=measure)[0]
        assert each.mean == pytest.approx(
            sum(compared.values("garland", "tree", measure)) / 5 - sum(compared.values("garland", "hct", measure)) / 5
        )
    assert compared.differences("hct", measure="pseudo") == compared.differences("hct")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda each: each.differences("htc"), "baseline = 'htc': must be one of tree, hct, "),
        (lambda each: each.differences("hct", measure="speed"), "measure = 'speed': must be one of regret, pseudo"),
        (lambda each: each.values("garland", "htc"), "htc on garland: is not in the results"),
        (lambda each: each.table(statistic="mode"), 'statistic = \'mode\': must be "mean" or "median"'),
        (
            lambda each: each.to_latex(statistic="median", baseline="hct"),
            "is not available for differences to a baseline",
        ),
        (lambda each: each.to_latex(digits=-1), "digits = -1"),
        (lambda each: each.curve("garland", "hct", statistic="most"), "statistic = 'most'"),
    ],
)
def test_what_no_table_has_is_refused(compared, call, message):
    with pytest.raises(ValueError, match=message):
        call(compared)


def test_a_measure_that_is_not_known_is_refused():
    result = canopy.experiment("random", canopy.Function(noisy_hill, LINE, noise="own"), steps=50, runs=2)
    assert len(result.values("noisy_hill", "random")) == 2 and result.rows[0].spread.median < 0
    with pytest.raises(ValueError, match="simple: needs the mean of noisy_hill, which is not known"):
        result.to_latex(measure="simple")


def test_rows_have_quartiles_and_curves_may_be_medians(compared):
    numpy = pytest.importorskip("numpy")
    for row in compared.rows:
        values = compared.values(row.environment, row.algorithm)
        assert row.spread == pytest.approx(tuple(numpy.quantile(values, [0, 0.25, 0.5, 0.75, 1])))
    curve = compared.curve("garland", "hct", statistic="median")
    assert curve.steps == compared.curve("garland", "hct").steps
    spread = compared.rows[1].spread
    assert (curve.lows[-1], curve.means[-1], curve.highs[-1]) == pytest.approx(spread[1:4])


def test_a_table_may_have_medians_or_differences(compared):
    spread = compared.rows[0].spread
    medians = compared.table(statistic="median")
    assert medians.startswith("garland (pseudo regret per step)\n") and "median  quartiles" in medians
    assert f"{spread.median:.4f}  {spread.lower:.4f} .. {spread.upper:.4f}" in medians
    paired = compared.table(baseline="hct")
    assert paired.startswith("garland (pseudo regret per step; differences to hct, run by run)\n")
    (line,) = [line for line in paired.splitlines()[:5] if "a_b" in line]
    assert line.split()[4].startswith("+") and line.endswith("  worse")
    assert "branin (simple regret)\n" in compared.table(measure="simple")
    assert compared.table() == str(compared)


def test_a_latex_table_has_the_best_in_bold_and_escaped_names(compared):
    text = compared.to_latex()
    lines = text.splitlines()
    assert lines[0] == r"\begin{tabular}{lrr}" and lines[1] == r"\toprule" and lines[-1] == r"\end{tabular}"
    assert lines[2] == r"& garland & branin \\" and r"a\_b \& 10\% & $" in text
    assert text.count(r"\mathbf{") == 2
    for column, environment in enumerate(compared.environments):
        rows = [row for row in compared.rows if row.environment == environment]
        best = min(rows, key=lambda row: row.regret.mean)
        cells = {line.split(" & ")[0]: line.split(" & ")[1 + column].rstrip(" \\") for line in lines[4:7]}
        assert [label for label, cell in cells.items() if "mathbf" in cell] == [best.algorithm]
        half = (best.regret.upper - best.regret.lower) / 2
        assert cells[best.algorithm] == rf"$\mathbf{{{best.regret.mean:.3f}}} \pm {half:.3f}$"


def test_a_latex_table_may_float_and_have_medians_or_differences(compared):
    text = compared.to_latex(statistic="median", digits=2, caption="Regret.", label="tab:regret")
    assert text.startswith("\\begin{table}\n\\centering\n\\begin{tabular}")
    assert text.endswith("\\caption{Regret.}\n\\label{tab:regret}\n\\end{table}\n")
    spread = compared.rows[0].spread
    assert f"[{spread.lower:.2f}, {spread.upper:.2f}]" in text
    paired = compared.to_latex(baseline="a_b & 10%")
    for each in compared.differences("a_b & 10%"):
        assert (rf"\mathbf{{{each.mean:+.3f}}}" in paired) == (each.verdict == "better")


def test_what_latex_treats_specially_is_escaped():
    from canopy._tables import escaped

    assert escaped(r"a_b^2 \ {50% & $1 #1~} <|>") == (
        r"a\_b\textasciicircum{}2 \textbackslash{} \{50\% \& \$1 \#1\textasciitilde{}\} "
        r"\textless{}\textbar{}\textgreater{}"
    )


def test_a_tidy_frame_has_a_row_for_every_measure_of_every_run():
    pytest.importorskip("pandas")
    tuned = canopy.Algorithm("grid", points=[3, 5])
    result = canopy.experiment(["random", tuned], "garland", steps=100, runs=3, tuning_runs=2)
    frame = result.tidy()
    assert list(frame.columns) == ["phase", "environment", "algorithm", "run", "measure", "value"]
    assert len(frame) == (2 * 3 + 2 * 2) * 4
    measured = frame[(frame.phase == "measure") & (frame.algorithm == "random")]
    assert list(measured[measured.measure == "pseudo"].value) == result.values("garland", "random")
    assert set(frame.measure) == {"pseudo", "realised", "simple", "us_per_step"}


# --- shared random numbers -----------------------------------------------------------------------


class Drawn:
    """A hill whose top, and how hard a run is for all algorithms, are drawn before every run."""

    def __init__(self):
        self.seeds, self.noise = [], []

    def start(self, seed):
        self.seeds.append(seed)
        chance = random.Random(seed)
        self.top, self.hardness = chance.random(), chance.random()

    def mean(self, x):
        return -self.hardness - abs(x - self.top)

    def __call__(self, x):
        self.noise.append(random.gauss(0, 0.05))
        return self.mean(x) + self.noise[-1]

    def function(self, **about):
        return canopy.Function(self, LINE, mean=self.mean, start=self.start, optimum=0, name="drawn", **about)


@pytest.mark.parametrize("common", [False, True])
def test_runs_of_the_same_number_may_have_the_same_problem(common):
    drawn = Drawn()
    function = drawn.function(common=common)
    tuned = canopy.Algorithm("grid", points=[3, 5])
    canopy.experiment(["adaptive", tuned], function, steps=20, runs=3, tuning_runs=2, n_jobs=1)
    assert len(drawn.seeds) == 3 + 2 * 2 + 3
    assert len(set(drawn.seeds)) == (2 + 3 if common else 2 + 3 + 3)
    assert len(set(drawn.noise)) == 20 * len(set(drawn.seeds))


def test_with_common_problems_differences_are_narrow():
    def width(common):
        result = canopy.experiment(["adaptive", "random"], Drawn().function(common=common), steps=100, runs=20)
        (each,) = result.differences("random")
        assert each.verdict == "better"
        return each.upper - each.lower

    assert width(True) < 0.5 * width(False)


@pytest.mark.parametrize("jobs", [1, 3])
def test_common_numbers_do_not_depend_on_processes(jobs):
    function = Drawn().function(common=True)
    one = canopy.experiment(["adaptive", "hct"], function, steps=50, runs=3, n_jobs=jobs)
    assert numbers(one) == numbers(canopy.experiment(["adaptive", "hct"], function, steps=50, runs=3, n_jobs=2))
    alone = canopy.experiment("hct", function, steps=50, runs=3)
    assert alone.values("drawn", "hct") == one.values("drawn", "hct")


def test_runs_with_other_random_numbers_are_not_reused(tmp_path):
    drawn = Drawn()
    settings = {"steps": 30, "runs": 2, "folder": tmp_path}
    canopy.experiment("random", drawn.function(version=1), **settings)
    with pytest.raises(ValueError, match="resume=False"):
        canopy.experiment("random", drawn.function(version=1, common=True), **settings)
