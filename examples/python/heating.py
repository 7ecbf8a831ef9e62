"""Finds when to start the heating, which depends on how cold the night is.

    python examples/python/heating.py [FIGURE.png]

A Gymnasium environment in which every episode is a night. The house cools down from ten in the evening on, and should
be warm from half past six to eight. The parameter of the policy is the lead in minutes: too early wastes energy, too
late leaves people cold. The time to warm up depends on the temperature outside, which is known when the night begins.
The policy is tuned over the same number of nights with this context and without it.
"""

import math
import sys
from statistics import mean

import canopy
import gymnasium
import matplotlib.pyplot as plt
from gymnasium import spaces


class Night(gymnasium.Env):
    """A house at night, in steps of five minutes. The action is 1 for heating, 0 for none."""

    observation_space = spaces.Box(-50, 50, (2,))  # the hours since ten in the evening, the temperature inside
    action_space = spaces.Discrete(2)

    STEP = 1 / 12  # hours
    WAKE, LEAVE = 8.5, 10.0  # hours since ten in the evening
    HEATER = 3.0  # degrees an hour
    ASLEEP, AWAKE = 17.0, 20.0  # degrees that people want

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        fixed = (options or {}).get("outside")
        self.outside = self.np_random.uniform(-10, 15) if fixed is None else fixed
        self.hours_to_cool = 30 * math.exp(self.np_random.normal(0, 0.1))  # depends on the wind
        self.time, self.inside = 0.0, self.np_random.normal(18, 0.3)
        return self._observation(), {"outside": self.outside}

    def step(self, action):
        change = (self.outside - self.inside) / self.hours_to_cool + self.HEATER * action
        self.inside += self.STEP * change
        self.time += self.STEP
        too_cold = max(0.0, self.AWAKE - self.inside) if self.time > self.WAKE else 0.0
        too_warm = max(0.0, self.inside - self.ASLEEP) if self.time <= self.WAKE else 0.0
        cost = self.STEP * (action + too_cold + 0.5 * too_warm)
        return self._observation(), -cost, self.time >= self.LEAVE - 0.001, False, {"outside": self.outside}

    def _observation(self):
        return (self.time, self.inside)


gymnasium.register("Night-v0", Night, disable_env_checker=True)


def policy(theta, observation):
    """Heats from `lead` minutes before people get up, as long as it is too cold."""
    time, inside = observation
    return int(time >= Night.WAKE - theta["lead"] / 60 and inside < Night.AWAKE)


def costs(lead_of, nights, outside=None):
    """The costs of some nights; the lead may depend on the temperature outside."""
    env, found = Night(), []
    for night in range(nights):
        observation, info = env.reset(seed=9000 + night, options={"outside": outside})
        theta, cost, is_over = {"lead": lead_of(info["outside"])}, 0.0, False
        while not is_over:
            observation, reward, is_over, _, _ = env.step(policy(theta, observation))
            cost -= reward
        found.append(cost)
    return found


STEPS = 1000 * 120  # a thousand nights
space = {"lead": canopy.real(0, 240)}
search = {"steps": STEPS, "reward": "return", "seed": 1}
without = canopy.policy_search(gymnasium.make("Night-v0"), policy, space, **search)
result = canopy.policy_search(
    gymnasium.make("Night-v0"),
    policy,
    space,
    contexts={"outside": canopy.real(-10, 15)},
    context=lambda observation, info: {"outside": info["outside"]},
    **search,
)
print(result.policy)

# The truth: the best lead of a grid, for some temperatures, on the same nights.
leads, outsides = range(30, 200, 10), [-10, -7.5, -5, -2.5, 0, 2.5, 5, 7.5, 10, 12.5, 15]
means = {at: [mean(costs(lambda _, lead=lead: lead, 60, at)) for lead in leads] for at in outsides}
truth = [leads[means[at].index(min(means[at]))] for at in outsides]


def best_lead(outside):
    return truth[round((outside + 10) / 2.5)]


def learnt_lead(outside):
    return result.optimizer.best({"outside": outside}).arm["lead"]


def one_lead(_):
    return without.best.arm["lead"]


one, learnt, best = (mean(costs(lead_of, 2000)) for lead_of in (one_lead, learnt_lead, best_lead))
print(f"cost of a night, over 2000 others: {one:.3f} with one lead ({one_lead(0):.0f} minutes), ", end="")
print(f"{learnt:.3f} with the policy, {best:.3f} with the best lead for each temperature")

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.6), layout="constrained", width_ratios=[3, 2])
canopy.plot.policy(result, ax=left)
left.plot(outsides, truth, color="black", linewidth=1, linestyle="--", label="truth")
left.legend(loc="lower right", bbox_to_anchor=(1, 1.14), ncols=3, frameon=False, fontsize="small")
left.set(xlabel="outside, in degrees", ylabel="lead, in minutes")
canopy.plot.level_effect(result, ax=right)
right.set(xlabel="outside, in degrees")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "heating.png", dpi=120)
