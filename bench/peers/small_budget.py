"""Compares canopy with other tools for few pulls: 10 functions, 3 kinds of noise, n = 100, 300 and 1000.

Each tool is asked for a point and told its reward, as its documentation recommends for noisy functions. Every pull
counts: the regret of a run is the mean over all its pulls of max f - f(x). Simple regret is max f - f(x) of the x that
the tool recommends at the end. Time is the CPU time of ask and tell.

  tool             the tool, and its recommendation at the end
  canopy-NAME      canopy's optimizer of that name with its defaults; the arm of best()
  tpe              Optuna's TPESampler; study.best_params, so the luckiest pull
  gp-ucb           a Gaussian process of scikit-learn under GP-UCB; the point played with the best posterior mean
  cma-es           pycma with its NoiseHandler; the mean of the distribution, result.xfavorite
  tbpsa, ngopt     nevergrad's, told that the function is noisy; provide_recommendation()
  pyxab-hct        PyXAB's HCT with its defaults; get_last_point()
  random           uniform; the luckiest pull

Units of work (one run of one tool) are written to --results as they end. Units in that file are not run again, so the
same command continues an interrupted run. Units of another version of a tool, or another build of canopy, are
run again. Numbers other than times do not depend on the machine's load or on --jobs.

usage: small_budget.py [--full] [--runs N] [--n N ...] [--only FUNCTION ...] [--noises NOISE ...] [--tools TOOL ...]
                       [--jobs N] [--results FILE] [--out FILE]
"""

import argparse
import csv
import importlib
import importlib.metadata
import math
import multiprocessing
import os
import pathlib
import random
import signal
import sys
import time
import warnings
import zlib

CANOPY_OPTIMIZERS = ("adaptive", "hct")
NOISES = ("gauss-0.05", "gauss-0.3", "zero-one")
BUDGETS = (100, 300, 1000)
FULL_RUNS, DEFAULT_RUNS = 20, 3
SLOW = {"gp-ucb": 300}  # the largest n, unless --full or --n asks for more
FLOOR = 1e-3  # replaces smaller regrets in ratios: such differences do not matter, and some regrets are 0
REVISION = 1  # revision of these measurements; raising it repeats all runs


# The functions, on the unit cube, with values from 0 to 1. If the optimum of a classic function is in the middle of its
# domain, it is moved, because several tools begin in the middle.


def garland(x):
    """Valko, Carpentier, Munos, ICML 2013."""
    return x[0] * (1 - x[0]) * (4 - math.sqrt(abs(math.sin(60 * x[0]))))


def quadratic(x):
    return 1 - 2.5 * (x[0] - 0.37) ** 2


def step(x):
    """A narrow optimal step, and a broad step that is nearly as good."""
    for edge, value in ((0.2, 0.2), (0.41, 0.5), (0.47, 0.85), (0.8, 0.4)):
        if x[0] < edge:
            return value
    return 0.75


def double_sine(x):
    """Between two envelopes, u^a and u^b, with a peak that is not smooth (Grill, Valko, Munos, NIPS 2015)."""
    u = 2 * abs(x[0] - 0.5)
    if u == 0:
        return 1.0
    upper, lower = u ** -math.log2(0.3), u ** -math.log2(0.8)
    return 1 + (math.sin(math.pi * math.log2(u)) + 1) / 2 * (lower - upper) - lower


def ramp(x):
    return 0.2 + 0.6 * x[0]


def himmelblau(x):
    """Himmelblau, Applied Nonlinear Programming, 1972; four equal maxima."""
    a, b = 10 * x[0] - 5, 10 * x[1] - 5
    return 1 - ((a * a + b - 11) ** 2 + (a + b * b - 7) ** 2) / 890


def rastrigin(x):
    """Rastrigin, 1974, as in Muehlenbein, Schomisch, Born, Parallel Computing 17, 1991; a width of 10.24."""
    z = (10.24 * (x[0] - 0.37), 10.24 * (x[1] - 0.61))
    return 1 - sum(v * v + 10 - 10 * math.cos(2 * math.pi * v) for v in z) / 112


def ackley(x):
    """Ackley, A Connectionist Machine for Genetic Hillclimbing, 1987; a width of 10."""
    z = [10 * (v - c) for v, c in zip(x, (0.37, 0.61, 0.45))]
    far = -20 * math.exp(-0.2 * math.sqrt(sum(v * v for v in z) / 3))
    return 1 - (far - math.exp(sum(math.cos(2 * math.pi * v) for v in z) / 3) + 20 + math.e) / 16.5


def bowl(x):
    """Two of four parameters do nothing."""
    return 1 - ((x[0] - 0.3) ** 2 + (x[2] - 0.7) ** 2) / 0.98


HARTMANN = (  # weight, widths, centre in 1e-4: Dixon, Szegoe, Towards Global Optimisation 2, 1978
    (1.0, (10, 3, 17, 3.5, 1.7, 8), (1312, 1696, 5569, 124, 8283, 5886)),
    (1.2, (0.05, 10, 17, 0.1, 8, 14), (2329, 4135, 8307, 3736, 1004, 9991)),
    (3.0, (3, 3.5, 1.7, 10, 17, 8), (2348, 1451, 3522, 2883, 3047, 6650)),
    (3.2, (17, 8, 0.05, 10, 0.1, 14), (4047, 8828, 8732, 5743, 1091, 381)),
)


def hartmann(x):
    """The function of six parameters, divided by its maximum."""
    return (
        sum(
            weight * math.exp(-sum(w * (v - 1e-4 * c) ** 2 for w, v, c in zip(widths, x, centre)))
            for weight, widths, centre in HARTMANN
        )
        / 3.322368011415515
    )


HARTMANN_BEST = (0.20168951, 0.15001069, 0.47687398, 0.27533243, 0.31165162, 0.65730053)
FUNCTIONS = {  # name: the function, its best point, its maximum
    "garland": (garland, (math.pi / 6,), 2 * math.pi / 3 * (1 - math.pi / 6)),
    "quadratic": (quadratic, (0.37,), 1.0),
    "step": (step, (0.44,), 0.85),
    "double-sine": (double_sine, (0.5,), 1.0),
    "ramp": (ramp, (1.0,), 0.8),
    "himmelblau": (himmelblau, (0.8, 0.7), 1.0),
    "rastrigin": (rastrigin, (0.37, 0.61), 1.0),
    "ackley": (ackley, (0.37, 0.61, 0.45), 1.0),
    "bowl": (bowl, (0.3, 0.5, 0.7, 0.5), 1.0),
    "hartmann": (hartmann, HARTMANN_BEST, 1.0),
}


def reward(value, noise, chance):
    """One noisy measurement, with the same random numbers for every tool."""
    if noise == "zero-one":
        return float(chance.random() < min(max(value, 0.0), 1.0))
    return value + chance.gauss(0.0, float(noise.removeprefix("gauss-")))


# The tools. Each is created for a dimension, a number of pulls and a seed. `ask` returns a point of the unit cube,
# `tell` takes its reward, `recommend` estimates the position of the maximum. `random` and numpy's global generator are
# seeded before.


class Random:
    needs = None

    def __init__(self, dimension, n, seed):
        self.chance, self.dimension = random.Random(seed), dimension
        self.best = (-math.inf, None)

    def ask(self):
        self.point = [self.chance.random() for _ in range(self.dimension)]
        return self.point

    def tell(self, value):
        if value > self.best[0]:
            self.best = (value, self.point)

    def recommend(self):
        return self.best[1]


class Canopy:
    """canopy with its defaults, without the range of rewards."""

    needs = "canopy"

    def __init__(self, name, dimension, n, seed):
        import canopy

        self.names = [f"x{i}" for i in range(dimension)]
        space = {name: canopy.real(0, 1) for name in self.names}
        self.optimizer = canopy.make_optimizer(name, space)  # it is deterministic

    def ask(self):
        self.pull = self.optimizer.ask(1)
        return self.point(self.pull.arm)

    def tell(self, value):
        self.optimizer.tell(self.pull, value)

    def recommend(self):
        return self.point(self.optimizer.best().arm)

    def point(self, arm):
        return [arm[name] for name in self.names]


class Tpe:
    """Optuna's default sampler with its defaults; it has no option for noise."""

    needs = "optuna"

    def __init__(self, dimension, n, seed):
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self.study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed), direction="maximize")
        self.space = {f"x{i}": optuna.distributions.FloatDistribution(0, 1) for i in range(dimension)}

    def ask(self):
        self.trial = self.study.ask(self.space)
        return self.point(self.trial.params)

    def tell(self, value):
        self.study.tell(self.trial, value)

    def recommend(self):
        return self.point(self.study.best_params)

    def point(self, values):
        return [values[name] for name in self.space]


class GpUcb:
    """GP-UCB (Srinivas, Krause, Kakade, Seeger, ICML 2010) with scikit-learn's Gaussian process.

    A Matern 5/2 kernel with a length for each parameter, plus white noise; rewards are normalised. It begins with
    max(5, 2 d) points of a scrambled Sobol sequence. Then it plays the largest mean + sqrt(beta) sd, with
    beta = 0.2 d log 2t as in Kandasamy, Schneider, Poczos, ICML 2015, section 4: the constants of the theorem explore
    too much in practice.

    Every reward enters the posterior at once. Hyperparameters, whose fit is costly, are fitted again after t pulls when
    there are 5 + t / 7 more, on at most 250 random pulls. A fit starts both from the last values and from the initial
    ones, and the likelier result is used. The largest bound is searched among 128 uniform points and 96 points near
    those of the largest bounds at the last step and of the best mean, then twice among 32 points, each time closer to
    the best point.
    """

    needs = "sklearn"
    FITTED, BETA = 250, 0.2

    def __init__(self, dimension, n, seed):
        import numpy as np
        from scipy.stats import qmc
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

        self.np, self.make = np, GaussianProcessRegressor
        self.dimension = dimension
        self.chance = np.random.default_rng(seed)
        first = max(5, 2 * dimension)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the sequence is best for powers of two
            self.first = qmc.Sobol(dimension, rng=self.chance).random(first)
        signal = ConstantKernel(1.0, (0.05, 20.0)) * Matern([0.3] * dimension, (0.03, 2.0), nu=2.5)
        self.kernel = self.beginning = signal + WhiteKernel(0.3, (1e-4, 2.0))
        self.points, self.rewards = [], []
        self.refit = first
        self.good = self.first

    def ask(self):
        t = len(self.rewards)
        self.point = self.first[t] if t < len(self.first) else self.most_promising()
        return [float(v) for v in self.point]

    def tell(self, value):
        self.points.append(self.point)
        self.rewards.append(value)

    def recommend(self):
        return [float(v) for v in self.best_played(self.posterior())]

    def posterior(self):
        """The process conditioned on all rewards."""
        np, t = self.np, len(self.rewards)
        points, rewards = np.array(self.points), np.array(self.rewards)
        rewards = (rewards - rewards.mean()) / (rewards.std() or 1.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about a hyperparameter at a bound of its range
            if t >= self.refit:
                some = self.chance.permutation(t)[: self.FITTED]
                fits = [self.make(k).fit(points[some], rewards[some]) for k in (self.kernel, self.beginning)]
                self.kernel = max(fits, key=lambda fit: fit.log_marginal_likelihood_value_).kernel_
                self.refit = t + 5 + t // 7
            return self.make(self.kernel, optimizer=None).fit(points, rewards)

    def best_played(self, model):
        """(K + noise) alpha is the rewards, so the posterior mean at the points played, K alpha, needs no more K."""
        noise = self.kernel.k2.noise_level + model.alpha
        return self.points[int(self.np.argmax(model.y_train_ - noise * model.alpha_))]

    def most_promising(self):
        np, model = self.np, self.posterior()
        width = math.sqrt(self.BETA * self.dimension * math.log(2 * len(self.rewards)))

        def bounds(points):
            mean, sd = model.predict(points, return_std=True)
            variance = sd * sd - self.kernel.k2.noise_level  # that of scikit-learn includes the noise of a reward
            return mean + width * np.sqrt(np.maximum(variance, 0.0))

        centres = np.vstack([self.good[:5], [self.best_played(model)]])
        near = np.repeat(centres, 16, axis=0)
        near = near + self.chance.normal(size=near.shape) * self.chance.choice([0.1, 0.03, 0.01], size=(len(near), 1))
        candidates = np.clip(np.vstack([self.chance.random((128, self.dimension)), near]), 0, 1)
        values = bounds(candidates)
        for scale in (0.02, 0.004):
            best = candidates[np.argmax(values)]
            around = np.clip(best + scale * self.chance.normal(size=(32, self.dimension)), 0, 1)
            candidates, values = np.vstack([candidates, around]), np.append(values, bounds(around))
        order = np.argsort(-values)
        self.good = candidates[order[:5]]
        return candidates[order[0]]


class CmaEs:
    """pycma, used like the example of its NoiseHandler (Hansen, Niederberger, Guzzella, Koumoutsakos, IEEE TEC 2009).

    It starts in the middle, with sigma0 a quarter of the box. It uses means of repeated evaluations, because medians of
    rewards 0 and 1 say little. If it stops before the end, as it does for flat rewards, it restarts from its favourite
    with twice the population. It does not support one parameter, so a second parameter without effect is added.
    """

    needs = "cma"

    def __init__(self, dimension, n, seed):
        import cma
        import numpy as np

        self.cma, self.np, self.dimension, self.seed = cma, np, dimension, seed % 2**31 + 1
        self.strategy, self.turns = None, self.generations()
        self.point = next(self.turns)

    def ask(self):
        return [float(v) for v in self.point[: self.dimension]]

    def tell(self, value):
        self.point = self.turns.send(-value)

    def recommend(self):
        return [float(v) for v in self.strategy.result.xfavorite[: self.dimension]]

    def generations(self):
        """Yields points, and is sent their costs."""
        size, population = max(2, self.dimension), None
        start = [0.5] * size
        while True:
            options = {"bounds": [0, 1], "seed": self.seed, "verbose": -9}
            if population:
                options["popsize"] = population
            self.strategy = self.cma.CMAEvolutionStrategy(start, 0.25, options)
            handler = self.cma.NoiseHandler(size, maxevals=[1, 1, 30], aggregate=self.np.mean)
            while not self.strategy.stop():
                points, costs = self.strategy.ask(), []
                for point in points:
                    costs.append((yield from self.evaluate([point] * int(handler.evaluations))))
                self.strategy.tell(points, costs)
                yield from self.measure_noise(handler, points, costs)
            start = self.np.clip(self.strategy.result.xfavorite, 0, 1)
            population, self.seed = 2 * self.strategy.popsize, self.seed + 1

    def evaluate(self, points):
        costs = []
        for point in points:
            costs.append((yield point))
        return sum(costs) / len(costs)

    def measure_noise(self, handler, points, costs):
        """Does the work of calling a NoiseHandler, which would call the function itself."""
        handler.fit, handler.fitre = list(costs), list(costs)
        handler.idx = handler.indices(costs)
        for i in handler.idx:
            again = [self.strategy.ask(1, points[i], handler.epsilon)[0] for _ in range(int(handler.evaluations))]
            handler.fitre[i] = yield from self.evaluate(again)
        handler.update_measure()
        self.strategy.sigma *= handler.treat()


class Nevergrad:
    """nevergrad, given the budget and told that the function is noisy; NGOpt chooses its algorithm by both."""

    needs = "nevergrad"

    def __init__(self, name, dimension, n, seed):
        import nevergrad
        import numpy as np

        # Once NGOpt has seen a function of one parameter, it uses another CMA-ES for the rest of the process. This
        # resets it, because a run must not depend on earlier runs.
        nevergrad.optimizers.registry["DiagonalCMA"].fcmaes = False
        space = nevergrad.p.Array(shape=(dimension,), lower=0, upper=1)
        space.function.deterministic = False
        space.random_state = np.random.RandomState(seed)
        self.optimizer = nevergrad.optimizers.registry[name](parametrization=space, budget=n, num_workers=1)

    def ask(self):
        self.candidate = self.optimizer.ask()
        return [float(v) for v in self.candidate.value]

    def tell(self, value):
        self.optimizer.tell(self.candidate, -value)

    def recommend(self):
        return [float(v) for v in self.optimizer.provide_recommendation().value]


class Pyxab:
    needs = "PyXAB"

    def __init__(self, dimension, n, seed):
        from PyXAB.algos.HCT import HCT

        self.algorithm = HCT(domain=[[0, 1]] * dimension)
        self.t = 0

    def ask(self):
        self.t += 1
        return self.algorithm.pull(self.t)

    def tell(self, value):
        self.algorithm.receive_reward(self.t, value)

    def recommend(self):
        return self.algorithm.get_last_point()


def canopy_tool(name):
    return f"canopy-{name}"


TOOLS = {canopy_tool(name): (Canopy, name) for name in CANOPY_OPTIMIZERS} | {
    "tpe": (Tpe,),
    "gp-ucb": (GpUcb,),
    "cma-es": (CmaEs,),
    "tbpsa": (Nevergrad, "TBPSA"),
    "ngopt": (Nevergrad, "NGOpt"),
    "pyxab-hct": (Pyxab,),
    "random": (Random,),
}
PACKAGES = {"sklearn": "scikit-learn"}  # modules whose package has another name


def make(tool, dimension, n, seed):
    kind, *name = TOOLS[tool]
    return kind(*name, dimension, n, seed)


def revision(tool):
    """The revision of a tool, which its units of work depend on: its version or build. Raises ImportError."""
    module = TOOLS[tool][0].needs
    if module is None:
        return f"{REVISION}"
    try:
        package = importlib.import_module(module)
    except ImportError:
        raise ImportError(f"{module} is not installed") from None
    if module == "canopy":
        name = TOOLS[tool][1]
        if name not in package.optimizers():
            raise ImportError(f"the installed canopy has no optimizer {name!r}")
        build = zlib.crc32(pathlib.Path(package._canopy.__file__).read_bytes())
        return f"{REVISION}/{package.__version__}/{build:08x}"
    return f"{REVISION}/{importlib.metadata.version(PACKAGES.get(module, module))}"


# Running.


def seed_of(*words):
    return zlib.crc32(" ".join(str(word) for word in words).encode())


def play(unit):
    """One run of one tool: the unit, regret per step, simple regret, CPU seconds a pull."""
    tool, function, noise, n, run = unit
    f, best, maximum = FUNCTIONS[function]
    seed = seed_of(*unit)
    random.seed(seed)
    if TOOLS[tool][0] is not Random:
        import numpy as np

        np.random.seed(seed)
    chance = random.Random(seed_of(function, noise, n, run))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the tools
        player = make(tool, len(best), n, seed)
        regret = seconds = 0.0
        for _ in range(n):
            started = time.process_time()
            x = player.ask()
            seconds += time.process_time() - started
            value = f(x)
            regret += maximum - value
            told = reward(value, noise, chance)
            started = time.process_time()
            player.tell(told)
            seconds += time.process_time() - started
        simple = maximum - f(player.recommend())
    return unit, regret / n, simple, seconds / n


def attempt(unit):
    """Like play, but if the tool raises an exception, returns its text."""
    try:
        return play(unit)
    except Exception as error:
        return unit, f"{type(error).__name__}: {error}"


def plan(tools, functions, budgets, runs, limits, noises=NOISES):
    """All units of work, run by run, so that the first runs of all tools come first."""
    return [
        (tool, function, noise, n, run)
        for run in range(runs)
        for n in budgets
        for function in functions
        for noise in noises
        for tool in tools
        if n <= limits.get(tool, n)
    ]


FIELDS = ("revision", "tool", "function", "noise", "n", "run", "regret", "simple", "seconds")


def load(path, revisions):
    """The results in a file that are of these revisions, by unit: (regret, simple regret, seconds a pull)."""
    done = {}
    if not os.path.exists(path):
        return done
    with open(path, newline="") as file:
        for row in csv.reader(file):
            if len(row) != len(FIELDS) or row[0] != revisions.get(row[1]):
                continue  # another revision, or an incomplete line
            try:
                done[row[1], row[2], row[3], int(row[4]), int(row[5])] = tuple(float(v) for v in row[6:])
            except ValueError:
                continue
    return done


def leave_ctrl_c():
    """To the process that has started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def run_all(units, revisions, path, jobs):
    """Runs the units that are not in the file yet, in parallel; returns the results of all units that did not fail."""
    done = load(path, revisions)
    missing = [unit for unit in units if unit not in done]
    if not missing:
        return {unit: done[unit] for unit in units}
    failed = {}
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    cut = os.path.exists(path) and not pathlib.Path(path).read_bytes().endswith(b"\n")
    started = time.monotonic()
    with (
        open(path, "a", newline="") as file,
        multiprocessing.get_context("spawn").Pool(min(jobs, len(missing)), leave_ctrl_c) as pool,
    ):
        writer = csv.writer(file, lineterminator="\n")
        if cut:
            file.write("\n")
        if not done and not cut and file.tell() == 0:
            writer.writerow(FIELDS)
        for count, (unit, *result) in enumerate(pool.imap_unordered(attempt, missing), 1):
            if len(result) == 1:
                failed[unit] = result[0]
            else:
                done[unit] = tuple(result)
                writer.writerow([revisions[unit[0]], *unit, *(repr(value) for value in result)])
                file.flush()
            show_progress(count, len(missing), time.monotonic() - started, unit)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    for unit, error in failed.items():
        print(f"failed, and is skipped: {', '.join(map(str, unit))}: {error}")
    return {unit: done[unit] for unit in units if unit in done}


def show_progress(count, total, seconds, unit):
    if sys.stderr.isatty():
        left = seconds / count * (total - count) / 60
        tool, function, noise, n, run = unit
        what = f"{tool}, {function}, {noise}, n = {n}, run {run + 1}"
        print(f"\r\033[K{count}/{total}, about {left:.0f} min left: {what}", end="", file=sys.stderr, flush=True)


# The results.


def means(results):
    """The mean over runs of each column, by (tool, function, noise, n)."""
    columns = {}
    for (*case, _), values in results.items():
        columns.setdefault(tuple(case), []).append(values)
    return {case: tuple(sum(column) / len(rows) for column in zip(*rows)) for case, rows in columns.items()}


def compare(regrets):
    """Summarizes regrets by case and tool, for each tool: the number of cases, the geometric mean and the worst of the
    ratios to the best tool of a case, and the number of wins. Regrets below FLOOR count as FLOOR; ties are wins of all.
    """
    ratios = {}
    for row in regrets.values():
        best = max(min(row.values()), FLOOR)
        for tool, regret in row.items():
            ratios.setdefault(tool, []).append(max(regret, FLOOR) / best)
    return {
        tool: (
            len(each),
            math.exp(sum(math.log(ratio) for ratio in each) / len(each)),
            max(each),
            sum(ratio == 1 for ratio in each),
        )
        for tool, each in ratios.items()
    }


def by_case(table, n, column):
    cases = {}
    for (tool, function, noise, budget), values in table.items():
        if budget == n:
            cases.setdefault((function, noise), {})[tool] = values[column]
    return cases


def print_tables(table, tools, budgets, runs):
    for n in budgets:
        regret, simple = (compare(by_case(table, n, column)) for column in (0, 1))
        if not regret:
            continue
        cases = max(count for count, *_ in regret.values())
        counts = f"{cases} cases, {runs} run{'' if runs == 1 else 's'} each"
        print(f"\nn = {n}: {counts}; ratios to the best tool of a case\n")
        print(f"{'':<18}{'regret per step':>24}{'simple regret':>24}{'CPU time':>12}")
        print(f"{'':<18}" + 2 * f"{'mean':>8}{'worst':>8}{'wins':>8}" + f"{'us/pull':>12}")
        for tool in sorted((tool for tool in tools if tool in regret), key=lambda tool: regret[tool][1]):
            times = [values[2] for case, values in table.items() if case[0] == tool and case[3] == n]
            line = f"{tool:<18}"
            for _, mean, worst, wins in (regret[tool], simple[tool]):
                line += f"{mean:>8.2f}{worst:>8.1f}{wins:>8}"
            print(line + f"{1e6 * sum(times) / len(times):>12.4g}")
        for tool in tools:
            if tool not in regret:
                print(f"{tool:<18}  not run at this n (--full or --n {n} does)")


def write_cases(table, tools, path):
    """Writes every case, as Markdown or CSV, depending on the extension."""
    rows = [
        (n, function, noise, tool, *table[tool, function, noise, n])
        for n, function, noise in dict.fromkeys((case[3], case[1], case[2]) for case in table)
        for tool in tools
        if (tool, function, noise, n) in table
    ]
    titles = ("n", "function", "noise", "tool", "regret per step", "simple regret", "CPU seconds a pull")
    with open(path, "w", newline="") as file:
        if path.endswith(".md"):
            file.write(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}\n")
            for *words, regret, simple, seconds in rows:
                file.write(f"| {' | '.join(map(str, words))} | {regret:.4f} | {simple:.4f} | {seconds:.3g} |\n")
        else:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(titles)
            writer.writerows(rows)


def arguments(words):
    parser = argparse.ArgumentParser(
        description="Compares canopy with other tools for few pulls.", epilog="See the head of this file."
    )
    parser.add_argument("--full", action="store_true", help=f"{FULL_RUNS} runs, every tool at every n (hours)")
    parser.add_argument("--runs", type=int, help=f"runs of each case ({DEFAULT_RUNS})")
    parser.add_argument("--n", type=int, nargs="+", help=f"pulls of a run {BUDGETS}; slow tools only up to {SLOW}")
    parser.add_argument("--only", nargs="+", choices=FUNCTIONS, metavar="FUNCTION", help=", ".join(FUNCTIONS))
    parser.add_argument("--noises", nargs="+", choices=NOISES, metavar="NOISE", help=", ".join(NOISES))
    parser.add_argument("--tools", nargs="+", choices=TOOLS, metavar="TOOL", help=", ".join(TOOLS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (all cores)")
    parser.add_argument("--results", default="build/small_budget.csv", help="units of work as they end (%(default)s)")
    parser.add_argument("--out", help="where to write every case: a .csv or a .md")
    options = parser.parse_args(words)
    if options.runs is None:
        options.runs = FULL_RUNS if options.full else DEFAULT_RUNS
    for name in ("runs", "jobs"):
        if getattr(options, name) < 1:
            parser.error(f"--{name}: must be at least 1")
    if options.n and min(options.n) < 1:
        parser.error("--n: must be at least 1")
    return options


def main(words=None):
    options = arguments(words)
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # one core each, so that times are comparable
    revisions = {}
    for tool in options.tools or TOOLS:
        try:
            revisions[tool] = revision(tool)
        except ImportError as error:
            print(f"{tool} is skipped: {error}")
    if not revisions:
        sys.exit("no tool is left")
    budgets = options.n or list(BUDGETS)
    limits = {} if options.full or options.n else SLOW
    functions, noises = options.only or list(FUNCTIONS), options.noises or NOISES
    units = plan(revisions, functions, budgets, options.runs, limits, noises)
    try:
        results = run_all(units, revisions, options.results, options.jobs)
    except KeyboardInterrupt:
        sys.exit(f"\ninterrupted; finished runs are in {options.results}, and the same command continues")
    table = means(results)
    print_tables(table, list(revisions), budgets, options.runs)
    if options.out:
        write_cases(table, list(revisions), options.out)


if __name__ == "__main__":
    main()
