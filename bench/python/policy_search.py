"""Compares policy_search with random search and CMA-ES, at equal numbers of environment steps.

    pip install gymnasium cma
    python bench/python/policy_search.py [--steps 20000] [--seeds 30] [--tasks cartpole ...] [--tools canopy ...]

Prints a Markdown table: the mean return of the recommended policy in 20 fresh episodes, over seeds, and the standard
error of that mean. For each seed the ends of the box are moved at random, by up to a tenth (below) and a fifth (above)
of its width, so that no tool profits from the position of the middle of the box.
"""

import argparse
import math
import statistics
import warnings

import canopy
import cma
import gymnasium
import numpy


class Lqr(gymnasium.Env):
    """A noisy double integrator with quadratic costs; an episode has 100 steps."""

    observation_space = gymnasium.spaces.Box(-10, 10, (2,))
    action_space = gymnasium.spaces.Box(-5, 5, (1,))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state, self.time = self.np_random.uniform(-1, 1, 2), 0
        return self.state, {}

    def step(self, action):
        (place, speed), force = self.state, min(5.0, max(-5.0, action[0]))
        reward = -(place**2 + 0.1 * speed**2 + 0.1 * force**2)
        moved = numpy.array([place + 0.1 * speed, speed + 0.1 * force]) + self.np_random.normal(0, 0.05, 2)
        self.state, self.time = numpy.clip(moved, -10, 10), self.time + 1
        return self.state, reward, False, self.time == 100, {}


def balance(weights, seen):
    return int(numpy.dot(weights, seen) > 0)


def swing_up(weights, seen):
    """The policy of examples/python/pendulum.py: pumps up to an energy, then holds with a stiffness."""
    cosine, sine, speed = seen
    if cosine < 0.8:
        torque = math.copysign(2.0, (weights[0] - speed**2 / 6 - 5 * (cosine - 1)) * speed)
    else:
        torque = -weights[1] * math.atan2(sine, cosine) - 2.0 * speed
    return [max(-2.0, min(2.0, torque))]


def linear(weights, seen):
    """A linear policy: a weight for each observation, and a constant if there is another parameter."""
    return [max(-1.0, min(1.0, numpy.dot(weights[:2], seen) + weights[2]))]


def regulate(weights, seen):
    return [-numpy.dot(weights, seen)]


TASKS = {  # the environment, the policy, the box
    "cartpole": (lambda: gymnasium.make("CartPole-v1"), balance, [(-1, 1)] * 4),
    "pendulum": (lambda: gymnasium.make("Pendulum-v1"), swing_up, [(-8, 4), (0, 40)]),
    "mountaincar": (lambda: gymnasium.make("MountainCarContinuous-v0"), linear, [(-1, 1), (-50, 50), (-1, 1)]),
    "lqr": (Lqr, regulate, [(0, 10), (0, 10)]),
}


def play(env, policy, weights, seed=None):
    """The return of an episode, and its number of steps."""
    (seen, _), total, steps, has_ended = env.reset(seed=seed), 0.0, 0, False
    while not has_ended:
        seen, reward, terminated, truncated, _ = env.step(policy(weights, seen))
        total, steps, has_ended = total + float(reward), steps + 1, terminated or truncated
    return total, steps


def by_canopy(**options):
    def search(env, policy, box, steps, seed):
        space = {f"w{i}": canopy.real(low, high) for i, (low, high) in enumerate(box)}
        result = canopy.policy_search(
            env, lambda theta, seen: policy(list(theta.values()), seen), space, steps=steps, seed=seed, **options
        )
        return list(result.best.arm.values())

    return search


def by_chance(env, policy, box, steps, seed):
    """Random policies, an episode each; the best eight are replayed in turn in the last fifth of the steps."""
    chance, used, tried = numpy.random.default_rng(seed), 0, []
    env.reset(seed=seed)
    while used < 0.8 * steps:
        weights = [chance.uniform(*ends) for ends in box]
        total, taken = play(env, policy, weights)
        used += taken
        tried.append((total, weights))
    tried.sort(key=lambda each: -each[0])
    replayed = [[first, weights, []] for first, weights in tried[:8]]
    while used < steps:
        for each in replayed:
            total, taken = play(env, policy, each[1])
            used += taken
            each[2].append(total)
            if used >= steps:
                break
    return max((each for each in replayed if each[2]), key=lambda each: (statistics.mean(each[2]), each[0]))[1]


def by_cma(env, policy, box, steps, seed):
    """CMA-ES with its defaults from the middle of the box; recommends the mean of its last generation."""
    low, high = numpy.array(box, dtype=float).T
    env.reset(seed=seed)
    used, strategy = 0, None
    while used < steps:
        if strategy is None or strategy.stop():
            given = {"bounds": [0, 1], "seed": seed + used + 1, "verbose": -9}
            strategy = cma.CMAEvolutionStrategy([0.5] * len(box), 0.3, given)
        asked, costs = strategy.ask(), []
        for point in asked:
            total, taken = play(env, policy, low + point * (high - low))
            used += taken
            costs.append(-total)
        strategy.tell(asked, costs)
    return low + numpy.array(strategy.result.xfavorite) * (high - low)


FIRST_SEED = 101  # the method of canopy was chosen with smaller seeds
TOOLS = {
    "canopy": by_canopy(),
    "canopy-hct": by_canopy(optimizer="hct"),
    "canopy-step": by_canopy(reward="step"),
    "canopy-step-settle": by_canopy(reward="step", settle=50),
    "random": by_chance,
    "cma": by_cma,
}


def moved(box, seed):
    chance = numpy.random.default_rng(9000 + seed)
    ends = []
    for low, high in box:
        below, above = chance.uniform(-0.1, 0.1), chance.uniform(-0.2, 0.2)
        ends.append((low + (high - low) * below * (low != 0), high + (high - low) * above))
    return ends


def mean_return(task, tool, steps, seed):
    make, policy, box = TASKS[task]
    weights = TOOLS[tool](make(), policy, moved(box, seed), steps, seed)
    env = make()
    return statistics.mean(play(env, policy, weights, seed=1000 + episode)[0] for episode in range(20))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=list(TOOLS))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| |", " | ".join(given.tools), "|\n|---|" + "---|" * len(given.tools), flush=True)
    for task in given.tasks:
        print(f"| {task}", end="", flush=True)
        for tool in given.tools:
            found = [mean_return(task, tool, given.steps, seed) for seed in range(FIRST_SEED, FIRST_SEED + given.seeds)]
            error = statistics.stdev(found) / math.sqrt(len(found)) if len(found) > 1 else math.nan
            print(f" | {statistics.mean(found):.1f} ({error:.1f})", end="", flush=True)
        print(" |", flush=True)


main()
