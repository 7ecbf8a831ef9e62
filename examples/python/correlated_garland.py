"""Correlated feedback: rewards come from a state that follows the arm slowly.

    python examples/python/correlated_garland.py [FIGURE.png]

In the garland MDP the rewards of a new arm are only representative after some steps. The adaptive tree can ignore the
rewards before that, if it is told how many steps it takes. HCT for correlated feedback holds an arm for episodes that
double in length; its constants were tuned for this system. Everything runs in C++.
"""

import sys

import canopy
import matplotlib.pyplot as plt

setting = {"steps": 100_000, "runs": 20, "seed": 1}
tuned = {"nu1": 1, "rho": 0.7071}
runs = {
    "adaptive, settle 10": canopy.simulate("garland-mdp", settle=10, **setting),
    "adaptive, not told": canopy.simulate("garland-mdp", **setting),
    "HCT, correlated feedback": canopy.simulate(
        "garland-mdp", "hct", feedback="correlated", confidence_scale=0.01, **tuned, **setting
    ),
    "HCT, as if independent": canopy.simulate("garland-mdp", "hct", confidence_scale=0.05, **tuned, **setting),
    "T-HOO, told n": canopy.simulate("garland-mdp", "thoo", horizon=setting["steps"], **setting),
    "random search": canopy.simulate("garland-mdp", "random", **setting),
}
for name, run in runs.items():
    print(f"{name:<26} regret per step {run.per_step_regret.mean:.4f}   changes of arm {run.switches.mean:8.0f}")

figure, ax = plt.subplots(figsize=(8, 4.6), layout="constrained")
canopy.plot.regret(runs, ax=ax)
ax.set_title(f"garland MDP, {setting['runs']} runs, 95 % bands")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "correlated_garland.png", dpi=120)
