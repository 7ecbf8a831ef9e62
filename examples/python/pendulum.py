"""Policy search: a policy that swings Gymnasium's Pendulum up and holds it, tuned while it swings.

    python examples/python/pendulum.py [FIGURE.png]

One chain of 100 000 steps: when the parameters change, the pendulum continues from its state, so the reward of a step
depends on the parameters of the steps before. Every 200 steps Gymnasium truncates an episode, and the chain continues
from a new state.
"""

import math
import sys

import canopy
import gymnasium
import matplotlib.pyplot as plt


def policy(theta, observation):
    """Pumps the pendulum up to an energy, and holds it by a spring and a damper once it is near the top."""
    cosine, sine, speed = observation
    if cosine < 0.8:
        energy = speed**2 / 6 + 5 * (cosine - 1)  # 0 for a pendulum that stands upright
        torque = math.copysign(2.0, (theta["energy"] - energy) * speed)
    else:
        torque = -theta["stiffness"] * math.atan2(sine, cosine) - 2.0 * speed
    return [max(-2.0, min(2.0, torque))]


space = {"energy": canopy.real(-8, 4), "stiffness": canopy.real(0, 40)}
env = gymnasium.make("Pendulum-v1")
result = canopy.policy_search(env, policy, space, steps=100_000, reward="step")
best = result.best
print(f"best policy: {', '.join(f'{k} = {v:.2f}' for k, v in best.arm.items())}, mean reward {best.mean:.3f} a step")


def mean_reward(theta, steps=10_000):
    """The mean reward of a policy in a run that the search has not seen."""
    fresh = gymnasium.make("Pendulum-v1")
    observation, _ = fresh.reset(seed=99)
    total = 0.0
    for _ in range(steps):
        observation, reward, terminated, truncated, _ = fresh.step(policy(theta, observation))
        total += reward
        if terminated or truncated:
            observation, _ = fresh.reset()
    return total / steps


middle = {"energy": -2.0, "stiffness": 20.0}
print(f"in a fresh run: {mean_reward(best.arm):.3f}; with the middle of the space: {mean_reward(middle):.3f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
canopy.plot.estimate(result, ax=left)
canopy.plot.switches(result, ax=right)
right.set_title("the parameters change less and less often")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "pendulum.png", dpi=120)
