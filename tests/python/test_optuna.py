import math
import pickle
import threading
import types

import canopy
import optuna
import pytest
from canopy.optuna import HctSampler, Sampler
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

optuna.logging.set_verbosity(optuna.logging.WARNING)


@pytest.fixture(params=[Sampler, HctSampler])
def make(request):
    """A class of samplers."""
    return request.param


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
def test_a_real_study_with_every_kind_of_parameter(make, direction):
    sampler = make(seed=1)
    study = optuna.create_study(sampler=sampler, direction=direction)
    sign = 1 if direction == "maximize" else -1
    study.optimize(lambda trial: sign * (objective(trial) - 0.5) + 0.5, n_trials=300)
    assert sign * (study.best_value - 0.5) + 0.5 > 0.9
    assert sampler.optimizer.direction == direction
    assert sampler.optimizer.summary().t == 300  # all but the first trial, which was random
    assert sampler.optimizer.summary().in_flight == 0


def test_ints_are_integers_on_their_scale_and_in_their_steps(make):
    space = {"k": IntDistribution(1, 9, step=2), "depth": IntDistribution(1, 100, log=True)}
    sampler = make(search_space=space)
    study = optuna.create_study(sampler=sampler, direction="maximize")

    def worth(trial):
        k, depth = trial.suggest_int("k", 1, 9, step=2), trial.suggest_int("depth", 1, 100, log=True)
        assert k in (1, 3, 5, 7, 9) and 1 <= depth <= 100
        return 1 - abs(k - 7) / 20 - abs(math.log(depth / 20)) / 10

    study.optimize(worth, n_trials=200)
    assert sampler.optimizer.space == {"k": canopy.integer(1, 9, step=2), "depth": canopy.integer(1, 100, log=True)}
    assert sampler.optimizer.summary().t == 201
    assert study.best_params["k"] == 7 and 15 <= study.best_params["depth"] <= 27


def test_lists_whose_length_is_no_power_of_two_are_searched_as_well(make):
    study = optuna.create_study(sampler=make(seed=1), direction="maximize")
    worth = {"a": 0.5, "b": 0.7, "c": 0.3}
    study.optimize(lambda trial: worth[trial.suggest_categorical("c", ["a", "b", "c"])], n_trials=200)
    assert sum(trial.params["c"] == "b" for trial in study.trials) > 150


def test_four_threads_share_a_sampler(make):
    sampler = make(seed=1)
    study = optuna.create_study(sampler=sampler, direction="maximize")
    threads = set()

    def noted(trial):
        threads.add(threading.get_ident())
        return objective(trial)

    study.optimize(noted, n_trials=200, n_jobs=4)
    assert len(study.trials) == 200 and len(threads) > 1
    summary = sampler.optimizer.summary()
    assert summary.in_flight == 0 and 200 - 5 <= summary.t <= 200


def test_with_a_space_the_first_trial_is_the_trees(make):
    space = {"x": FloatDistribution(0, 1), "one": IntDistribution(3, 3)}
    study = optuna.create_study(sampler=make(search_space=space), direction="maximize")
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1) + 0 * trial.suggest_int("one", 3, 3), n_trials=3)
    opt = (canopy.Adaptive if make is Sampler else canopy.Hct)({"x": canopy.real(0, 1)})
    arms = []
    for _ in range(3):
        pull = opt.ask(1)
        arms.append(pull.arm["x"])
        opt.tell(pull, pull.arm["x"])
    assert [trial.params["x"] for trial in study.trials] == arms


def test_ask_and_tell_failures_and_pruning(make):
    space = {"x": FloatDistribution(0, 1), "c": CategoricalDistribution((True, False))}
    sampler = make(search_space=space)
    study = optuna.create_study(sampler=sampler, direction="maximize")
    trials = [study.ask(space) for _ in range(4)]
    assert sampler.optimizer.summary().in_flight == 4
    study.tell(trials[2], 0.5)
    study.tell(trials[0], state=optuna.trial.TrialState.FAIL)
    trials[1].report(0.125, step=3)
    trials[1].report(0.5, step=1)
    study.tell(trials[1], state=optuna.trial.TrialState.PRUNED)
    summary = sampler.optimizer.summary()
    assert (summary.t, summary.in_flight) == (4, 1)
    study.tell(trials[3], 0.25)
    assert sampler.optimizer.summary().t == 5
    failed = 0.5 - 0.1 * 0.5  # the spread of a single value is not known
    assert sampler.optimizer.summary().penalized == 1
    told = [node for node in sampler.optimizer.tree() if node.pulls]
    assert sum(node.pulls * node.mean for node in told) == pytest.approx(0.5 + failed + 0.125 + 0.25)


@pytest.mark.parametrize(("direction", "worth"), [("maximize", 300 - 0.1 * 200), ("minimize", 500 + 0.1 * 200)])
@pytest.mark.parametrize("reward_range", ["auto", (0, 1000)])
def test_a_failure_is_worth_a_little_less_than_the_worst_value(make, direction, worth, reward_range):
    space = {"x": FloatDistribution(0, 1)}
    sampler = make(search_space=space, reward_range=reward_range)
    study = optuna.create_study(sampler=sampler, direction=direction)
    first, second, failed = study.ask(space), study.ask(space), study.ask(space)
    study.tell(first, 300)
    study.tell(second, 500)
    study.tell(failed, state=optuna.trial.TrialState.FAIL)
    summary = sampler.optimizer.summary()
    assert (summary.t, summary.in_flight, summary.penalized) == (4, 0, 1)
    told = [node for node in sampler.optimizer.tree() if node.pulls]
    assert sum(node.pulls * node.mean for node in told) == pytest.approx(300 + 500 + worth)


@pytest.mark.parametrize(("direction", "worth"), [("maximize", 270), ("minimize", 330)])
def test_a_failure_is_put_off_until_there_is_a_value(make, direction, worth):
    space = {"x": FloatDistribution(0, 1)}
    sampler = make(search_space=space)
    study = optuna.create_study(sampler=sampler, direction=direction)
    failed, pruned, good = study.ask(space), study.ask(space), study.ask(space)
    study.tell(failed, state=optuna.trial.TrialState.FAIL)
    study.tell(pruned, state=optuna.trial.TrialState.PRUNED)
    assert sampler.optimizer.summary().t == 1  # there is no value yet
    study.tell(pickle.loads(pickle.dumps(sampler)) and good, 300)
    summary = sampler.optimizer.summary()
    assert (summary.t, summary.in_flight, summary.penalized) == (4, 0, 2)
    told = [node for node in sampler.optimizer.tree() if node.pulls]
    assert sum(node.pulls * node.mean for node in told) == pytest.approx(300 + 2 * worth)
    if make is canopy.optuna.Sampler:  # HCT gives all three the same arm
        assert sampler.optimizer.estimate(failed.params) is None
        assert sampler.optimizer.best().arm == good.params


def test_a_value_of_a_trial_that_the_tree_has_not_suggested_is_enough(make):
    space = {"x": FloatDistribution(0, 1)}
    sampler = make(search_space=space, seed=1)
    study = optuna.create_study(sampler=sampler, direction="maximize")
    study.tell(study.ask(space), state=optuna.trial.TrialState.FAIL)
    study.tell(study.ask(space), 5.0)  # drawn at random
    study.ask(space)
    summary = sampler.optimizer.summary()
    assert (summary.penalized, summary.in_flight) == (1, 1)


def test_if_the_first_arm_always_fails_others_are_tried(make):
    sampler = make(search_space={"x": FloatDistribution(0, 1)}, seed=1)
    study = optuna.create_study(sampler=sampler, direction="maximize")

    def fails_on_the_left(trial):
        x = trial.suggest_float("x", 0, 1)
        if x < 0.6:
            raise RuntimeError
        return 1000 * x

    study.optimize(fails_on_the_left, n_trials=100, catch=RuntimeError)
    complete = [trial for trial in study.trials if trial.state == optuna.trial.TrialState.COMPLETE]
    assert len(complete) > 50 and sampler.optimizer.summary().in_flight == 0


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_arms_that_fail_are_left_for_others(make, direction):
    sampler = make(search_space={"x": FloatDistribution(0, 1)})
    study = optuna.create_study(sampler=sampler, direction=direction)

    def fails_above(trial):
        x = trial.suggest_float("x", 0, 1)
        if x > 0.6:
            raise RuntimeError
        return x if direction == "maximize" else 1 - x

    study.optimize(fails_above, n_trials=100, catch=RuntimeError)
    complete = [trial for trial in study.trials if trial.state == optuna.trial.TrialState.COMPLETE]
    assert len(complete) > 50 and max(trial.params["x"] for trial in complete) > 0.5


def test_failures_may_be_worth_something_else_or_be_given_back(make):
    for failure_value, learnt in (("drop", 1), (0.5, 2)):
        space = {"x": FloatDistribution(0, 1)}
        sampler = make(search_space=space, failure_value=failure_value)
        study = optuna.create_study(sampler=sampler)
        study.tell(study.ask(space), state=optuna.trial.TrialState.FAIL)
        assert (sampler.optimizer.summary().t, sampler.optimizer.summary().in_flight) == (learnt, 0)


def test_a_pruner_does_not_keep_it_from_moving_on(make):
    study = optuna.create_study(
        sampler=make(seed=1), pruner=optuna.pruners.MedianPruner(n_startup_trials=5), direction="maximize"
    )

    def rising(trial):
        x = trial.suggest_float("x", 0, 1)
        for step in range(5):
            trial.report((1 - abs(x - 0.3)) * (step + 1) / 5, step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return 1 - abs(x - 0.3)

    study.optimize(rising, n_trials=200)
    assert len({trial.params["x"] for trial in study.trials}) > 20
    assert abs(study.best_params["x"] - 0.3) < 0.05


def test_values_that_are_no_rewards_do_not_end_the_study(make):
    sampler = make(search_space={"x": FloatDistribution(0, 1)})
    study = optuna.create_study(sampler=sampler, direction="maximize")
    with pytest.warns(UserWarning, match="it counts as a failed trial"):
        study.optimize(
            lambda trial: trial.suggest_float("x", 0, 1) + (math.inf if trial.number == 3 else 0), n_trials=20
        )
    assert sampler.optimizer.summary().t == 21 and sampler.optimizer.summary().in_flight == 0


def test_choices_may_be_not_equal_to_themselves(make):
    sampler = make(search_space={"c": CategoricalDistribution((float("nan"), 1, 2))})
    study = optuna.create_study(sampler=sampler, direction="maximize")
    study.optimize(
        lambda trial: {1: 0.5, 2: 0.75}.get(trial.suggest_categorical("c", (float("nan"), 1, 2)), 0), n_trials=30
    )
    assert sampler.optimizer.summary().t == 31


def test_it_learns_from_all_trials_that_have_its_space():
    def objective(trial):
        return -abs(trial.suggest_float("x", 0, 1, step=0.125) - 0.5) + trial.suggest_int("k", 1, 3)

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1), direction="maximize")
    study.optimize(objective, n_trials=20)
    study.add_trial(optuna.create_trial(params={"x": 0.5}, distributions={"x": FloatDistribution(0, 9)}, value=7))
    study.sampler = Sampler(search_space={"x": FloatDistribution(0, 1, step=0.125), "k": IntDistribution(1, 3)})
    study.enqueue_trial({"x": 0.25, "k": 2})
    study.optimize(objective, n_trials=2)
    summary = study.sampler.optimizer.summary()
    assert (summary.t, summary.observed) == (2, 21) and study.trials[-2].params == {"x": 0.25, "k": 2}
    of_arm = [trial.value for trial in study.trials if trial.params == {"x": 0.25, "k": 2}]
    known = study.sampler.optimizer.estimate({"x": 2, "k": 2})  # the second step
    assert known.pulls == len(of_arm) and known.mean == pytest.approx(of_arm[0])


def test_a_new_sampler_goes_on_with_an_old_study():
    study = optuna.create_study(direction="maximize")
    for _ in range(4):
        study.sampler = Sampler(seed=1)
        study.optimize(lambda trial: 1 - abs(trial.suggest_float("x", 0, 1) - 0.3), n_trials=20)
    assert all(abs(trial.params["x"] - 0.3) < 0.01 for trial in study.trials[-10:])
    assert study.sampler.optimizer.summary().observed == 60


def test_two_processes_learn_from_each_other(tmp_path):
    storage = f"sqlite:///{tmp_path}/optuna.db"
    samplers = [Sampler(seed=1), Sampler(seed=2)]
    optuna.create_study(storage=storage, study_name="a", direction="maximize")
    studies = [optuna.load_study(study_name="a", storage=storage, sampler=sampler) for sampler in samplers]
    for _ in range(5):
        for study in studies:
            study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
    assert [sampler.optimizer.summary().t for sampler in samplers] == [10, 11]  # one trial was random
    assert [sampler.optimizer.summary().observed for sampler in samplers] == [9, 10]


def test_arms_outside_of_the_space_that_are_enqueued_are_left_out():
    study = optuna.create_study(sampler=Sampler(search_space={"x": FloatDistribution(0, 1)}), direction="maximize")
    study.enqueue_trial({"x": 3})
    with pytest.warns(UserWarning, match="out of range"):
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    assert study.sampler.optimizer.summary().observed == 0 and study.sampler.optimizer.summary().t == 3


def test_trials_that_overlap_have_different_arms():
    space = {"x": FloatDistribution(0, 1)}
    for before, different in ((0, 8), (20, 3)):
        study = optuna.create_study(sampler=Sampler(search_space=space), direction="maximize")
        study.optimize(lambda trial: 1 - abs(trial.suggest_float("x", 0, 1) - 0.3), n_trials=before)
        assert len({study.ask(space).params["x"] for _ in range(8)}) >= different


def test_trials_that_others_have_suggested_are_warned_of():
    study = optuna.create_study(direction="maximize")
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    study.sampler = HctSampler()
    with pytest.warns(UserWarning, match="cannot learn from the 3 trials"):
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)


def test_enqueued_trials_are_not_taken_for_the_trees(make):
    sampler = make(search_space={"x": FloatDistribution(0, 1)})
    study = optuna.create_study(sampler=sampler, direction="maximize")
    study.enqueue_trial({"x": 0.123})
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
    assert study.trials[0].params["x"] == 0.123
    assert sampler.optimizer.summary().t == 2
    assert sampler.optimizer.summary().observed == (make is Sampler)


def conditional(trial):
    x = trial.suggest_float("x", 0, 1)
    y = trial.suggest_float("y", 0, 1) if x > 0.5 else 0
    return x - y / 10 - (trial.suggest_float("z", 0, 1) if x < 0.5 else 0)


def test_parameters_that_only_some_trials_have_are_random_and_said_once(make):
    study = optuna.create_study(sampler=make(seed=1), direction="maximize")
    with pytest.warns(UserWarning, match="[yz]: some trials lack it .* sampled independently at random") as said:
        study.optimize(conditional, n_trials=60)
    assert len(said) == 1
    assert study.best_value > 0.6


def test_the_tree_searches_what_all_trials_have():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1), direction="maximize")
    study.optimize(conditional, n_trials=1)
    study.sampler = sampler = Sampler(seed=1)
    with pytest.warns(UserWarning, match="some trials lack it"):
        study.optimize(conditional, n_trials=80)
    assert list(sampler.optimizer.space) == ["x"]
    summary = sampler.optimizer.summary()
    assert summary.observed + summary.t - 1 == 81, "no trial is lost when the space gets smaller"
    assert abs(sampler.optimizer.best().arm["x"] - 1) < 0.1


def test_trials_without_a_common_parameter_are_random():
    def neither(trial):
        return trial.suggest_float("a" if trial.number % 2 else "b", 0, 1)

    study = optuna.create_study(sampler=Sampler(seed=1), direction="maximize")
    with pytest.warns(UserWarning, match="some trials lack it"):
        study.optimize(neither, n_trials=10)
    assert len(study.trials) == 10 and study.sampler.optimizer is None


def test_a_space_that_is_given_stays(recwarn):
    space = {"x": FloatDistribution(0, 1)}
    study = optuna.create_study(sampler=Sampler(search_space=space, seed=1), direction="maximize")
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=5)
    study.add_trial(optuna.create_trial(params={}, distributions={}, value=1.0))
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=5)
    assert study.sampler.optimizer.summary().t == 11 and not recwarn


def test_trials_with_other_ranges_are_learnt_where_they_fit():
    space = {"x": FloatDistribution(0, 1, step=0.25)}
    study = optuna.create_study(sampler=Sampler(search_space=space), direction="maximize")
    for x, other in [(0.5, FloatDistribution(0, 9)), (0.3, FloatDistribution(0, 9)), (3.0, FloatDistribution(0, 9))]:
        study.add_trial(optuna.create_trial(params={"x": x}, distributions={"x": other}, value=1.0))
    study.add_trial(optuna.create_trial(params={"x": 1}, distributions={"x": IntDistribution(0, 9)}, value=1.0))
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1, step=0.25), n_trials=1)
    assert study.sampler.optimizer.summary().observed == 1
    assert study.sampler.optimizer.estimate({"x": 2}).pulls == 1  # the second step


def test_a_pickled_sampler_goes_on_exactly(make):
    space = {"x": FloatDistribution(0, 1)}
    sampler = make(search_space=space)
    study = optuna.create_study(sampler=sampler, direction="maximize")
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=20)
    open_trial = study.ask(space)
    again = pickle.loads(pickle.dumps(sampler))
    assert again.optimizer.save() == sampler.optimizer.save()
    study.sampler = again
    study.tell(open_trial, 0.5)
    assert again.optimizer.summary().t == 22 and again.optimizer.summary().in_flight == 0


def test_wrong_use_is_named():
    for options, message in [
        ({"rho": 2}, "optimizer.rho = 2"),
        ({"rhoo": 0.5}, "did you mean"),
        ({"direction": "maximize"}, "direction: is taken from the study"),
        ({"search_space": 3}, "search_space = 3"),
        ({"search_space": {"x": canopy.real(0, 1)}}, "search_space"),
        ({"failure_value": "often"}, "reward = 'often'"),
    ]:
        with pytest.raises(ValueError, match=message):
            HctSampler(**options)
    with pytest.raises(ValueError, match="rho: adaptive has no such option"):
        Sampler(rho=0.5)
    sampler = HctSampler(search_space={"x": FloatDistribution(0, 1)})
    optuna.create_study(sampler=sampler).optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
    with pytest.raises(ValueError, match="create another one"):
        optuna.create_study(sampler=sampler).optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
    with pytest.raises(ValueError, match="multi-objective"):
        optuna.create_study(sampler=HctSampler(), directions=["maximize", "minimize"]).ask(
            {"x": FloatDistribution(0, 1)}
        )


def test_values_outside_their_range_are_warned_of_once(make):
    study = optuna.create_study(sampler=make(seed=1, reward_range=(0, 1)))
    with pytest.warns(canopy.RangeWarning, match="does not fit") as caught:
        study.optimize(lambda trial: 1000 * trial.suggest_float("x", 0.5, 1), n_trials=150)
    assert len(caught) == 1


def test_values_in_any_units_give_the_same_trials(make):
    def params(values):
        study = optuna.create_study(sampler=make(search_space={"x": FloatDistribution(0, 1)}))
        study.optimize(lambda trial: values(abs(trial.suggest_float("x", 0, 1) - 0.25)), n_trials=100)
        return [trial.params for trial in study.trials]

    assert params(lambda f: f) == params(lambda f: f * 2.0**-20) == params(lambda f: f * 1024)


@pytest.mark.parametrize("kind", [Sampler, HctSampler])
def test_the_best_is_in_the_values_of_optuna(kind):
    choices = {"c": [None, True, 2.5, "two"], "d": [16, 32]}

    def objective(trial):
        y = trial.suggest_float("y", -0.5, 1, step=0.25)
        n = trial.suggest_int("n", 1, 64, log=True)
        k = trial.suggest_int("k", 10, 100, step=10)
        x = trial.suggest_float("x", 1e-3, 1, log=True)
        chosen = {name: trial.suggest_categorical(name, values) for name, values in choices.items()}
        value = 3 - abs(y - 0.25) - abs(math.log2(n) - 3) / 10 - abs(k - 70) / 100 - abs(math.log10(x) + 1) / 10
        return value + 0.2 * (chosen["c"] == 2.5) + 0.1 * (chosen["d"] == 32)

    sampler = kind(seed=1)
    assert sampler.best() is None
    study = optuna.create_study(sampler=sampler, direction="maximize")
    study.optimize(objective, n_trials=300)
    best = sampler.best()
    own = sampler.optimizer.best()
    assert best.arm["y"] == -0.5 + 0.25 * own.arm["y"]
    assert best[1:8] == own[1:8]
    assert best.arm["n"] in range(1, 65) and best.arm["k"] in range(10, 101, 10) and 1e-3 <= best.arm["x"] <= 1
    for name, values in choices.items():
        assert any(best.arm[name] is each for each in study.trials[0].distributions[name].choices), (name, values)
    played = [trial for trial in study.trials if trial.params == best.arm]
    assert len(played) >= 1 and all(trial.value == pytest.approx(best.mean) for trial in played)
    assert list(best.arm) == list(own.arm)


def test_what_the_tree_itself_would_recommend_is_in_the_values_of_optuna():
    space = {"y": FloatDistribution(0, 1, step=0.25)}
    sampler = Sampler(search_space=space)
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda trial: trial.suggest_float("y", 0, 1, step=0.25), n_trials=10)
    found = sampler.optimizer.best()._replace(own={"y": 3})
    sampler._optimizer = types.SimpleNamespace(best=lambda: found)
    assert sampler.best().own == {"y": 0.75}
    assert sampler.best().arm == {"y": 0.0}
