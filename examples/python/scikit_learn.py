"""A model of scikit-learn, tuned through Optuna.

    python examples/python/scikit_learn.py [FIGURE.png]

Each trial draws a new split of the data, so its score is noisy: no single trial can be trusted. The tree
repeats settings that look good until it is sure of them; `sampler.optimizer.best()` is its recommendation.
"""

import sys
import warnings

import canopy
import matplotlib.pyplot as plt
import optuna
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

optuna.logging.set_verbosity(optuna.logging.WARNING)
warnings.filterwarnings("ignore", category=UserWarning, module="sklearn")
pixels, digits = load_digits(return_X_y=True)


def score(c, gamma, split):
    train_x, test_x, train_y, test_y = train_test_split(
        pixels, digits, train_size=300, test_size=200, random_state=split
    )
    return SVC(C=c, gamma=gamma).fit(train_x, train_y).score(test_x, test_y)


def objective(trial):
    c = trial.suggest_float("C", 0.01, 1000, log=True)
    gamma = trial.suggest_float("gamma", 1e-6, 1e-1, log=True)
    return score(c, gamma, split=trial.number)


sampler = canopy.optuna.Sampler(seed=1)
study = optuna.create_study(sampler=sampler, direction="maximize")
study.optimize(objective, n_trials=400)

best = sampler.optimizer.best()
c, gamma = best.arm.values()
print(f"canopy: C = {c:.3g}, gamma = {gamma:.3g}, accuracy {best.mean:.3f} over {best.pulls} splits")


def held_out(c, gamma):
    """The mean accuracy over 30 splits that no trial has seen."""
    return sum(score(c, gamma, split=10_000 + i) for i in range(30)) / 30


lucky = study.best_params
print(
    f"on 30 fresh splits: canopy's arm {held_out(c, gamma):.3f}; "
    f"the luckiest single trial {held_out(lucky['C'], lucky['gamma']):.3f}; "
    f"scikit-learn's defaults {held_out(1.0, 'scale'):.3f}"
)

figure, ax = plt.subplots(figsize=(7.5, 5), layout="constrained")
canopy.plot.estimate(sampler, ax=ax)
ax.set_title("accuracy of a support vector machine, 400 trials")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "scikit_learn.png", dpi=120)
