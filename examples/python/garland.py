"""The garland function of the paper: many local maxima, and noise as wide as the function is high.

    python examples/python/garland.py [FIGURE.png]

The search ends on one of the highest peaks. The picture shows the estimate of the function after 20 000 pulls, the
pulls, and the tree.
"""

import sys

import canopy
import matplotlib.pyplot as plt

garland = canopy.Environment("garland", seed=1)
result = canopy.maximize(garland.pull, garland.space, pulls=20_000)

best = result.best
print(f"best arm: {best}")
print(f"the truth: x = {garland.best_arm['x']:.4f}, mean reward {garland.best_mean:.3f}")
print(f"f at the arm that was found: {garland.mean_reward(**best.arm):.3f}")

figure, (above, below) = plt.subplots(2, 1, figsize=(8, 8), layout="constrained", height_ratios=(3, 2))
canopy.plot.estimate(result, truth=lambda x: garland.mean_reward(x=x), ax=above)
canopy.plot.tree(result, ax=below)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "garland.png", dpi=120)
