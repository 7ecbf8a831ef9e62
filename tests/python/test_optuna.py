import pickle
import threading

import canopy
import optuna
import pytest
from canopy.optuna import HctSampler
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

optuna.logging.set_verbosity(optuna.logging.WARNING)


def objective(trial):
    x = trial.suggest_float("x", 1e-3, 1, log=True)
    k = trial.suggest_int("k", 1, 9, step=2)
    depth = trial.suggest_int("depth", 1, 100, log=True)
    share = trial.suggest_float("share", 0, 1, step=0.25)
    mode = trial.suggest_categorical("mode", ["a", None, 3])
    assert 1e-3 <= x <= 1 and k in (1, 3, 5, 7, 9) and 1 <= depth <= 100 and share in (0, 0.25, 0.5, 0.75, 1)
    assert isinstance(k, int) and isinstance(depth, int) and mode in ("a", None, 3)
    return 1 - abs(x - 0.1) - abs(k - 5) / 40 - abs(depth - 20) / 400 - abs(share - 0.5) / 5 - (mode == "a") / 10


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_a_real_study_with_every_kind_of_parameter(direction):
    sampler = HctSampler(seed=1)
    study = optuna.create_study(sampler=sampler, direction=direction)
    sign = 1 if direction == "maximize" else -1
    study.optimize(lambda trial: sign * (objective(trial) - 0.5) + 0.5, n_trials=300)
    assert sign * (study.best_value - 0.5) + 0.5 > 0.9
    assert sampler.optimizer.direction == direction
    assert sampler.optimizer.summary().t == 300  # all but the first trial, which was random
    assert sampler.optimizer.summary().in_flight == 0


def test_four_threads_share_a_sampler():
    sampler = HctSampler(seed=1)
    study = optuna.create_study(sampler=sampler, direction="maximize")
    threads = set()

    def noted(trial):
        threads.add(threading.get_ident())
        return objective(trial)

    study.optimize(noted, n_trials=200, n_jobs=4)
    assert len(study.trials) == 200 and len(threads) > 1
    summary = sampler.optimizer.summary()
    assert summary.in_flight == 0 and 200 - 5 <= summary.t <= 200


def test_with_a_space_the_first_trial_is_the_trees():
    space = {"x": FloatDistribution(0, 1), "one": IntDistribution(3, 3)}
    study = optuna.create_study(sampler=HctSampler(search_space=space), direction="maximize")
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1) + 0 * trial.suggest_int("one", 3, 3), n_trials=3)
    opt = canopy.Hct({"x": canopy.real(0, 1)})
    arms = []
    for _ in range(3):
        pull = opt.ask(1)
        arms.append(pull.arm["x"])
        opt.tell(pull, pull.arm["x"])
    assert [trial.params["x"] for trial in study.trials] == arms


def test_ask_and_tell_failures_and_pruning():
    space = {"x": FloatDistribution(0, 1), "c": CategoricalDistribution((True, False))}
    sampler = HctSampler(search_space=space)
    study = optuna.create_study(sampler=sampler, direction="maximize")
    trials = [study.ask(space) for _ in range(4)]
    assert sampler.optimizer.summary().in_flight == 4
    study.tell(trials[2], 0.5)
    study.tell(trials[0], state=optuna.trial.TrialState.FAIL)
    study.tell(trials[1], state=optuna.trial.TrialState.PRUNED)
    summary = sampler.optimizer.summary()
    assert (summary.t, summary.in_flight) == (2, 1)
    study.tell(trials[3], 0.25)
    assert sampler.optimizer.summary().t == 3


def test_enqueued_trials_are_not_taken_for_the_trees():
    sampler = HctSampler(search_space={"x": FloatDistribution(0, 1)})
    study = optuna.create_study(sampler=sampler, direction="maximize")
    study.enqueue_trial({"x": 0.123})
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
    assert study.trials[0].params["x"] == 0.123
    assert sampler.optimizer.summary().t == 2


def test_parameters_that_only_some_trials_have_are_random():
    study = optuna.create_study(sampler=HctSampler(seed=1), direction="maximize")

    def conditional(trial):
        x = trial.suggest_float("x", 0, 1)
        return x - (trial.suggest_float("y", 0, 1) / 10 if x > 0.5 else 0)

    study.optimize(conditional, n_trials=60)
    assert study.best_value > 0.6


def test_a_pickled_sampler_goes_on_exactly():
    space = {"x": FloatDistribution(0, 1)}
    sampler = HctSampler(search_space=space)
    study = optuna.create_study(sampler=sampler, direction="maximize")
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=20)
    open_trial = study.ask(space)
    again = pickle.loads(pickle.dumps(sampler))
    assert again.optimizer.save() == sampler.optimizer.save()
    study.sampler = again
    study.tell(open_trial, 0.5)
    assert again.optimizer.summary().t == 22 and again.optimizer.summary().in_flight == 0


def test_wrong_use_is_named():
    with pytest.raises(ValueError, match="optimizer.rho = 2"):
        HctSampler(rho=2)
    sampler = HctSampler(search_space={"x": FloatDistribution(0, 1)})
    optuna.create_study(sampler=sampler).optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
    with pytest.raises(ValueError, match="make another one"):
        optuna.create_study(sampler=sampler).optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
    with pytest.raises(ValueError, match="multi-objective"):
        optuna.create_study(sampler=HctSampler(), directions=["maximize", "minimize"]).ask(
            {"x": FloatDistribution(0, 1)}
        )


def test_values_far_outside_their_range_are_warned_of():
    study = optuna.create_study(sampler=HctSampler(seed=1))
    with pytest.warns(UserWarning, match="reward_range"):
        study.optimize(lambda trial: 1000 * trial.suggest_float("x", 0.5, 1), n_trials=50)
