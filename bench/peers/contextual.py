"""Compares canopy with CATS and contextual GP-UCB in problems whose best setting depends on a context.

The problems of `canopy environment contextual` that have one parameter, in three kinds of noise. Contexts are uniform.
Regret is the mean over all pulls of max f - f(x) in the context of the pull; numbers are means over runs.

  adaptive, without   canopy's adaptive tree with its defaults, with and without the context (`canopy simulate`)
  cats                Vowpal Wabbit's CATS, epsilon 0.05; of three pairs of actions and bandwidth, the best in each row
  gp-ucb              a Gaussian process of scikit-learn over context and setting under GP-UCB (Krause, Ong, NIPS 2011);
                      anisotropic Matern kernel, refitted from time to time. Its time grows as n^4: only the first n

usage: contextual.py CANOPY [--n N ...] [--runs N] [--only PROBLEM ...] [--jobs N]   (CANOPY: the path of the tool)
"""

import argparse
import json
import math
import multiprocessing
import os
import statistics
import subprocess
import time
import warnings

import numpy

KINDS = 5  # values of the choice
HIGHEST = 0.832919  # of `irrelevant`


def ripples(x):
    return 0.5 + 0.35 * math.sin(13 * x) * math.sin(27 * x)


def load_of(z):
    return 10.0 ** (z - 1)


def served(load, x):
    """The earnings of a capacity minus its cost."""
    use = load / (0.05 + x)
    quality = min(1.0, use + 0.15 if use < 1 else 1.65 - 0.5 * use)
    return 0.9 * quality * min(1.0, 1 / use) - 0.25 * x


def smooth(z, x):
    off = x - (0.85 - 0.7 * z[0] ** 2)
    return 0.8 + 0.1 * z[0] - (1.5 if off > 0 else 0.6) * abs(off) ** 1.5


def jump(z, x):
    place = 0.6 if z[0] < 0.27 else 0.15 if z[0] < 0.71 else 0.85
    return (0.9 if z[0] < 0.71 else 0.8) - 1.1 * (x - place) ** 2


def choice(z, x):
    kind = int(z[0])
    return (0.9, 0.6, 0.75, 0.8, 0.5)[kind] - 0.8 * abs(x - (0.3, 0.3, 0.65, 0.65, 0.9)[kind])


def additive_level(z):
    return 0.5 + 0.25 * (0.4 < z[0] < 0.8) + 0.2 * z[0]


#: the number of contexts, whether they are a choice, f before it is clipped at 0, and its maximum
PROBLEMS = {
    "smooth": (1, False, smooth, lambda z: 0.8 + 0.1 * z[0]),
    "jump": (1, False, jump, lambda z: 0.9 if z[0] < 0.71 else 0.8),
    "load": (1, False, lambda z, x: served(load_of(z[0]), x), lambda z: 0.9 - 0.25 * (load_of(z[0]) - 0.05)),
    "choice": (1, True, choice, lambda z: (0.9, 0.6, 0.75, 0.8, 0.5)[int(z[0])]),
    "one_of_two": (
        2,
        False,
        lambda z, x: 0.85 + 0.1 * (z[1] - 0.5) - 0.9 * abs(x - (0.2 + 0.6 * z[0] ** 2)),
        lambda z: 0.85 + 0.1 * (z[1] - 0.5),
    ),
    "additive": (1, False, lambda z, x: additive_level(z) - 0.5 * abs(x - 0.72), additive_level),
    "irrelevant": (1, False, lambda z, x: ripples(x), lambda z: HIGHEST),
}

#: a function that draws a reward around f, and the name of the noise in `canopy simulate`
NOISES = {
    "gauss-0.05": (lambda f, rng: f + 0.05 * rng.standard_normal(), ["gaussian", "0.05"]),
    "gauss-0.3": (lambda f, rng: f + 0.3 * rng.standard_normal(), ["gaussian", "0.3"]),
    "zero-one": (lambda f, rng: float(rng.random() < f), ["bernoulli", "1"]),
}

#: actions and bandwidth
CATS = ((8, 0.125), (16, 0.0625), (32, 0.0625))


class Cats:
    """Majzoubi and others, "Efficient contextual bandits with continuous actions", NeurIPS 2020."""

    def __init__(self, contexts, is_choice, seed, setting):
        import vowpalwabbit

        actions, bandwidth = CATS[setting]
        self.is_choice = is_choice
        self.workspace = vowpalwabbit.Workspace(
            f"--cats {actions} --bandwidth {bandwidth} --min_value 0 --max_value 1 --epsilon 0.05 -q :: --quiet "
            f"--random_seed {seed + 1}"
        )

    def ask(self, z):
        # Each number, and the eighth of its range that it is in.
        words = [f"kind{int(z[0])}"] if self.is_choice else [f"z{i}:{v} b{i}_{int(8 * v)}" for i, v in enumerate(z)]
        self.features = "| " + " ".join(words)
        self.action, self.density = self.workspace.predict(self.features)
        return min(1.0, max(0.0, self.action))

    def tell(self, reward):
        self.workspace.learn(f"ca {self.action}:{1 - reward}:{self.density} {self.features}")


class GpUcb:
    """Krause, Ong, "Contextual Gaussian process bandit optimization", NIPS 2011."""

    SETTINGS = numpy.linspace(0, 1, 65)
    FIRST = 8  # settings that are spread over the range

    def __init__(self, contexts, is_choice, seed, setting):
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

        self.is_choice = is_choice
        width = KINDS if is_choice else contexts
        kernel = ConstantKernel(0.1, (1e-3, 1e1)) * Matern([0.5] * (width + 1), (0.03, 10), nu=2.5)
        self.kernel = kernel + WhiteKernel(0.05, (1e-4, 1))
        self.make = GaussianProcessRegressor
        self.points, self.rewards, self.next_fit = [], [], self.FIRST

    def ask(self, z):
        self.z = [float(int(z[0]) == kind) for kind in range(KINDS)] if self.is_choice else list(z)
        pulls = len(self.rewards)
        if pulls < self.FIRST:
            self.x = ((5 * pulls) % self.FIRST + 0.5) / self.FIRST
            return self.x
        mean = statistics.fmean(self.rewards)
        fits = pulls >= self.next_fit
        process = self.make(self.kernel, optimizer="fmin_l_bfgs_b" if fits else None)
        process.fit(numpy.array(self.points), numpy.array(self.rewards) - mean)
        if fits:
            self.kernel = process.kernel_
            self.next_fit = int(1.5 * pulls) + 4
        candidates = numpy.column_stack([numpy.tile(self.z, (len(self.SETTINGS), 1)), self.SETTINGS])
        level, deviation = process.predict(candidates, return_std=True)
        noise = self.kernel.k2.noise_level  # the deviation includes the noise, unlike f
        bound = level + 2 * numpy.sqrt(numpy.maximum(deviation**2 - noise, 0))
        self.x = float(self.SETTINGS[numpy.argmax(bound)])
        return self.x

    def tell(self, reward):
        self.points.append([*self.z, self.x])
        self.rewards.append(reward)


def play(unit):
    """One run: its regret per pull at every n, and its seconds."""
    tool, problem, noise, budgets, run, setting = unit
    warnings.simplefilter("ignore")  # warnings of scikit-learn about kernels at their bounds
    contexts, is_choice, f, best = PROBLEMS[problem]
    rng = numpy.random.default_rng([run, list(NOISES).index(noise), list(PROBLEMS).index(problem)])
    player = {"cats": Cats, "gp-ucb": GpUcb}[tool](contexts, is_choice, run, setting)
    lost, regrets = 0.0, []
    started = time.process_time()
    for t in range(1, max(budgets) + 1):
        z = [float(int(KINDS * rng.random()))] if is_choice else list(rng.random(contexts))
        x = player.ask(z)
        mean = max(0.0, f(z, x))
        lost += best(z) - mean
        player.tell(NOISES[noise][0](mean, rng))
        if t in budgets:
            regrets.append(lost / t)
    return regrets, time.process_time() - started


def canopy(tool, problem, noise, budgets, runs, ignore):
    """The mean regret per pull of canopy at every n, and microseconds per pull."""
    kind, width = NOISES[noise][1]
    regrets = []
    for n in budgets:
        words = [tool, "simulate", "--json", "--environment", "contextual", "--problem", problem, "--noise", kind]
        words += ["--noise-width", width, "--steps", str(n), "--runs", str(runs)]
        found = json.loads(subprocess.check_output(words + ["--ignore-context"] * ignore))
        regrets.append(found["per_step_regret"]["mean"])
    return regrets, 1e-3 * found["ns_per_step"]


def peer(pool, tool, problem, noise, budgets, runs):
    """The same for another tool, with the best of its settings at every n."""
    found, each = [], []
    for setting in range(len(CATS) if tool == "cats" else 1):
        units = [(tool, problem, noise, budgets, run, setting) for run in range(runs)]
        results = pool.map(play, units, chunksize=1)
        found.append([statistics.fmean(at) for at in zip(*(regrets for regrets, _ in results), strict=True)])
        each.append(1e6 * statistics.fmean(seconds for _, seconds in results) / max(budgets))
    return [min(at) for at in zip(*found, strict=True)], statistics.fmean(each)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("canopy", help="the path of the tool")
    parser.add_argument("--n", type=int, nargs="+", default=[300, 1000, 10_000])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--only", nargs="+", choices=PROBLEMS, default=list(PROBLEMS), metavar="PROBLEM")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = "1"  # for the processes below: a run has one thread, like those of the other tools
    budgets = sorted(arguments.n)
    tools = ["adaptive", "without", "cats", "gp-ucb"]
    logs = {(tool, n): [] for tool in tools for n in budgets}
    times = {tool: [] for tool in tools}
    print(f"regret per pull: the mean of {arguments.runs} runs")
    print(f"{'problem':<12}{'noise':<12}{'n':>7}" + "".join(f"{tool:>12}" for tool in tools))
    with multiprocessing.get_context("spawn").Pool(arguments.jobs) as pool:
        for problem in arguments.only:
            for noise in NOISES:
                ours = (arguments.canopy, problem, noise, budgets, arguments.runs)
                row = {"adaptive": canopy(*ours, False), "without": canopy(*ours, True)}
                row["cats"] = peer(pool, "cats", problem, noise, budgets, arguments.runs)
                row["gp-ucb"] = peer(pool, "gp-ucb", problem, noise, budgets[:1], arguments.runs)
                for i, n in enumerate(budgets):
                    cells = [f"{row[tool][0][i]:>12.4f}" if i < len(row[tool][0]) else f"{'-':>12}" for tool in tools]
                    print(f"{problem:<12}{noise:<12}{n:>7}" + "".join(cells), flush=True)
                    for tool in tools:
                        if i < len(row[tool][0]):
                            logs[tool, n].append(math.log(row[tool][0][i] / row["adaptive"][0][i]))
                for tool in tools:
                    times[tool].append(row[tool][1])
    print("\nregret over that of adaptive, geometric mean over all rows; microseconds per pull at the largest n")
    for n in budgets:
        cells = [f"{math.exp(statistics.fmean(logs[t, n])):>12.2f}" if logs[t, n] else f"{'-':>12}" for t in tools]
        print(f"{'':<24}{n:>7}" + "".join(cells))
    print(f"{'us per pull':<31}" + "".join(f"{statistics.fmean(times[tool]):>12.1f}" for tool in tools))


if __name__ == "__main__":
    main()
