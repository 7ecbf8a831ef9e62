"""Contexts: variables observed before each pull, on which the best arm depends."""

from __future__ import annotations

import gc
import json
import math
import pickle
import random
import weakref
from itertools import cycle, islice
from typing import Any

import canopy
import matplotlib.pyplot as plt
import pytest

LINE = {"x": canopy.real(0, 1)}
LOAD = {"load": canopy.real(0, 1)}


def worth(x: float, load: float) -> float:
    """Small x are best while the load is low, and large x while it is high."""
    return 1 - abs(x - (0.2 if load < 0.5 else 0.8))


def loads(seed: int = 1) -> Any:
    """A function that returns a new load every time."""
    chance = random.Random(seed)
    return lambda: {"load": chance.random()}


def taught(pulls: int = 400, seed: int = 1, **options: Any) -> canopy.Adaptive:
    """An optimizer that has learnt `worth`, with some noise."""
    opt = canopy.Adaptive(LINE, contexts=LOAD, **options)
    chance, observe = random.Random(seed), loads(seed)
    for _ in range(pulls):
        context = observe()
        pull = opt.ask(context=context)
        opt.tell(pull, worth(pull.arm["x"], context["load"]) + chance.gauss(0, 0.1))
    return opt


# --- an optimizer in memory ---


def test_the_best_arm_depends_on_the_context() -> None:
    opt = taught()
    low, high = opt.best({"load": 0.1}), opt.best({"load": 0.9})
    assert low is not None and abs(low.arm["x"] - 0.2) < 0.15
    assert high is not None and abs(high.arm["x"] - 0.8) < 0.15


def test_a_pull_in_a_context_is_a_single_one() -> None:
    opt = taught()
    assert opt.ask(50, context={"load": 0.5}).length == 1
    pulls = opt.ask(count=4, context={"load": 0.5})
    assert [pull.length for pull in pulls] == [1] * 4 and len({pull.ticket for pull in pulls}) == 4
    assert opt.summary().in_flight == 5


def test_the_policy_has_a_row_for_every_region() -> None:
    opt = taught()
    policy = opt.policy()
    assert len(policy) == len(policy.rows) > 1 and list(policy) == policy.rows and policy[0] is policy.rows[0]
    ends = [end for row in policy for end in row.where["load"]]
    assert ends[0] == 0 and ends[-1] == 1 and ends[1:-1:2] == ends[2::2]
    assert sum(row.pulls for row in policy) == opt.summary().t - 1
    for row in policy:
        middle = sum(row.where["load"]) / 2
        best = opt.best({"load": middle})
        assert best is not None and (row.arm, row.mean, row.arm_pulls) == (best.arm, best.mean, best.pulls)
        assert (row.lower, row.upper) == (best.lower, best.upper)
    assert policy.weights["load"].splits == len(policy) - 1 and policy.weights["load"].evidence > 2
    assert repr(policy) == f"<canopy.Policy over load: {len(policy)} regions>"


def test_the_policy_is_printed_as_a_table() -> None:
    policy = taught().policy()
    head, *rows = str(policy).splitlines()
    assert head.split()[:5] == ["load", "pulls", "x", "mean", "interval"] and len(rows) == len(policy)
    for number, (line, row) in enumerate(zip(rows, policy), start=1):
        assert line.startswith(f"{number}  {row.where['load'][0]:.4g} to {row.where['load'][1]:.4g}")
        assert f"  {row.pulls}" in line and f"{row.arm['x']:.4g}" in line


def test_a_policy_before_the_first_reward_is_one_empty_row() -> None:
    opt = canopy.Adaptive(LINE, contexts=LOAD)
    (row,) = opt.policy()
    assert row.where == {} and row.arm is None and row.mean is None and row.pulls == 0
    assert opt.best({"load": 0.1}) is None
    assert str(opt.policy()).splitlines()[1].split() == ["1", "any", "0"]


def test_a_policy_becomes_dictionaries_and_a_frame() -> None:
    policy = taught().policy()
    document = policy.to_dict()
    assert json.loads(json.dumps(document))["rows"][0]["pulls"] == policy[0].pulls
    assert [row["arm"] for row in document["rows"]] == [row.arm for row in policy]
    assert document["rows"][0]["where"] == {"load": dict(zip(("from", "to"), policy[0].where["load"]))}
    assert set(document) == {"rows", "effects", "weights", "moved"}
    frame = policy.to_frame()
    expected = ["load.low", "load.high", "x", "pulls", "arm_pulls", "mean", "lower", "upper"]
    assert list(frame.columns) == expected and len(frame) == len(policy)
    assert list(frame["load.low"]) == [row.where["load"][0] for row in policy]


def test_a_level_effect_is_learnt_and_is_not_a_reason_to_split() -> None:
    opt = canopy.Adaptive(LINE, contexts=LOAD)
    chance, observe = random.Random(1), loads()
    for _ in range(600):
        context = observe()
        pull = opt.ask(context=context)
        opt.tell(pull, 1 - abs(pull.arm["x"] - 0.5) + 3 * context["load"] + chance.gauss(0, 0.1))
    policy = opt.policy()
    assert len(policy) == 1 and policy.weights["load"].splits == 0
    effects = policy.effects["load"]
    assert (effects[0].low, effects[-1].high, len(effects)) == (0, 1, 64)
    assert 2 < effects[-1].effect - effects[0].effect < 4
    assert taught(100).policy().effects == {"load": []}  # no effect was found


def test_a_level_effect_is_by_value_where_there_is_a_list_of_them() -> None:
    opt = canopy.Adaptive(LINE, contexts={"tenant": canopy.choice("a", 7), "day": canopy.integer(3, 5)})
    chance = random.Random(1)
    for i in range(300):
        tenant, day = chance.choice(["a", 7]), 3 + i % 3
        pull = opt.ask(context={"tenant": tenant, "day": day})
        opt.tell(pull, (tenant == 7) + day - abs(pull.arm["x"] - 0.4) + chance.gauss(0, 0.1))
    tenants, days = opt.policy().effects.values()
    assert [(each.low, each.high) for each in tenants] == [("a", "a"), (7, 7)]
    assert [(each.low, each.high) for each in days] == [(3, 3), (4, 4), (5, 5)]
    assert tenants[1].effect - tenants[0].effect == pytest.approx(1, abs=0.2)
    assert days[2].effect - days[0].effect == pytest.approx(2, abs=0.3)


def test_values_that_differ_by_a_period_are_the_same() -> None:
    opt = canopy.Adaptive(LINE, contexts={"hour": canopy.periodic(24)})
    for _ in range(300):
        for hour in (3, 15):
            pull = opt.ask(context={"hour": hour + 24})
            opt.tell(pull, worth(pull.arm["x"], hour / 24))
    assert opt.best({"hour": 3}) == opt.best({"hour": 27}) == opt.best({"hour": -21})
    assert opt.best({"hour": 3}) != opt.best({"hour": 15})
    assert opt.policy().moved == 0
    assert opt.contexts == {"hour": canopy.periodic(24)}


def test_numbers_beyond_their_range_are_taken_for_its_end_and_counted() -> None:
    opt = taught()
    for load in (1.5, -3, 0.5):
        opt.tell(opt.ask(context={"load": load}), 0.5)
    assert opt.policy().moved == 2
    assert opt.best({"load": 9}) == opt.best({"load": 1})


def test_a_context_may_be_any_choice() -> None:
    small, large = object(), ("large", 2)
    opt = canopy.Adaptive(LINE, contexts={"tenant": canopy.choice(small, large), "day": canopy.integer(0, 6)})
    for _ in range(200):
        for tenant, right in ((small, 0.2), (large, 0.8)):
            pull = opt.ask(context={"tenant": tenant, "day": 3})
            opt.tell(pull, 1 - abs(pull.arm["x"] - right))
    policy = opt.policy()
    assert [row.where for row in policy] == [{"tenant": [small]}, {"tenant": [large]}]
    assert policy.extent(policy[0], "day") == (0, 6)
    assert list(policy.to_frame()["tenant"]) == [(small,), (large,)]
    with pytest.raises(ValueError, match=r"context.tenant = 'small': is not one of the choices"):
        opt.ask(context={"tenant": "small", "day": 3})


def test_observed_rewards_are_of_a_context() -> None:
    opt = canopy.Adaptive(LINE, contexts=LOAD)
    for i in range(20):
        opt.observe({"x": 0.05 * i}, worth(0.05 * i, 0.1), context={"load": 0.1})
    best = opt.best({"load": 0.1})
    assert best is not None and abs(best.arm["x"] - 0.2) < 0.11
    with pytest.raises(ValueError, match="context: is missing; it must have load"):
        opt.observe({"x": 0.5}, 1.0)
    with pytest.raises(ValueError, match="remember: is not supported with contexts"):
        opt.remember({"x": 0.5}, 1.0)


def test_copies_and_pickles_go_on_alike() -> None:
    opt = taught(200)
    opt.ask(context={"load": 0.3})
    copies = [opt.copy(), pickle.loads(pickle.dumps(opt))]
    for other in copies:
        assert other.contexts == opt.contexts and other.policy().rows == opt.policy().rows
        assert [pull.ticket for pull in other.in_flight()] == [pull.ticket for pull in opt.in_flight()]
    chance, observe = random.Random(7), loads(7)
    for _ in range(200):
        context, noise = observe(), chance.gauss(0, 0.1)
        pulls = [each.ask(context=context) for each in (opt, *copies)]
        assert len({pull.arm["x"] for pull in pulls}) == 1
        for each, pull in zip((opt, *copies), pulls):
            each.tell(pull, worth(pull.arm["x"], context["load"]) + noise)
    assert copies[0].policy().rows == copies[1].policy().rows == opt.policy().rows


def test_pulls_stay_open_while_regions_are_split() -> None:
    opt = canopy.Adaptive(LINE, contexts=LOAD)
    chance, observe, flying = random.Random(3), loads(3), []
    for _ in range(800):
        context = observe()
        flying.append((opt.ask(context=context), context))
        if len(flying) > 12:
            pull, seen = flying.pop(chance.randrange(len(flying)))
            assert opt.path(pull) == ""  # each region has a separate tree
            opt.tell(pull, worth(pull.arm["x"], seen["load"]) + chance.gauss(0, 0.1))
    assert len(opt.policy()) > 1 and {pull.ticket for pull, _ in flying} == {p.ticket for p in opt.in_flight()}
    opt.drop(flying[0][0])
    opt.penalize(flying[1][0])
    assert opt.summary().in_flight == len(flying) - 2


def test_an_optimizer_that_its_own_context_holds_is_collected() -> None:
    class Tenant:
        pass

    tenant = Tenant()
    opt = canopy.Adaptive(LINE, contexts={"tenant": canopy.choice(tenant, 2)})
    tenant.opt = opt  # type: ignore[attr-defined]
    gone = weakref.ref(tenant)
    del tenant, opt
    gc.collect()
    assert gone() is None


# --- errors ---


@pytest.mark.parametrize(
    ("context", "message"),
    [
        (None, "context: is missing; it must have load, tenant"),
        (0.5, "context = 0.5: must be a dictionary with the observed values"),
        ({"tenant": "a"}, "context.load: is missing"),
        ({"tenant": "a", "laod": 1}, "context.load: is missing; 'laod': is not observed here, did you mean 'load'"),
        ({"tenant": "a", "load": 1, "hour": 3}, "'hour': is not observed here, where it is load, tenant"),
        ({"tenant": "a", "load": None}, "context.load = None: must be a finite number"),
        ({"tenant": "a", "load": math.nan}, "context.load = nan: must be a finite number"),
        ({"tenant": "a", "load": math.inf}, "context.load = inf: must be a finite number"),
        ({"tenant": "a", "load": "high"}, "context.load = 'high': must be a finite number"),
        ({"tenant": "a", "load": [1]}, r"context.load = \[1\]: must be a finite number"),
        ({"tenant": "c", "load": 1}, "context.tenant = 'c': is not one of the choices"),
        ({"tenant": None, "load": 1}, "context.tenant = None: is not one of the choices"),
    ],
)
def test_a_wrong_context_is_refused_and_changes_nothing(context: Any, message: str) -> None:
    opt = canopy.Adaptive(LINE, contexts={**LOAD, "tenant": canopy.choice("a", "b")})
    opt.tell(opt.ask(context={"load": 0.5, "tenant": "a"}), 0.5)
    before = opt.save()
    for refused in (
        lambda: opt.ask(context=context),
        lambda: opt.ask(count=2, context=context),
        lambda: opt.observe({"x": 0.5}, 0.5, context=context),
        lambda: opt.best(context),
    ):
        with pytest.raises(ValueError, match=f"^{message}"):
            refused()
    assert opt.save() == before


def test_a_context_where_nothing_is_observed_is_refused() -> None:
    opt = canopy.Adaptive(LINE)
    assert opt.contexts is None
    for refused in (
        lambda: opt.ask(context={"load": 1}),
        lambda: opt.observe({"x": 0.5}, 1.0, context={"load": 1}),
        lambda: opt.best({"load": 1}),
    ):
        with pytest.raises(ValueError, match=r"context = .*: needs an optimizer with contexts=\{\.\.\.\}"):
            refused()
    with pytest.raises(ValueError, match="policy: needs contexts; create the optimizer with"):
        opt.policy()


@pytest.mark.parametrize(
    ("contexts", "message"),
    [
        (3, "contexts = 3: must be a dictionary such as"),
        ({"load": 3}, r"context.load = 3: must be canopy.real\(...\), .* or canopy.periodic\(...\)"),
        ({7: canopy.real(0, 1)}, "context.7: the name of a context must be a string"),
        ({"x": canopy.real(0, 1)}, "context.x: is the name of a parameter, too"),
        ({name: canopy.real(0, 1) for name in "abcd"}, "at most three variables"),
    ],
)
def test_contexts_that_make_no_sense_are_refused(contexts: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        canopy.Adaptive(LINE, contexts=contexts)


@pytest.mark.parametrize("period", [0, -1, math.inf, math.nan, "a day"])
def test_a_period_is_a_number_above_0(period: Any) -> None:
    with pytest.raises(ValueError, match="period = "):
        canopy.periodic(period)


def test_no_contexts_are_none() -> None:
    assert canopy.Adaptive(LINE, contexts={}).contexts is None
    with pytest.raises(ValueError, match="contexts: must have at least one variable"):
        canopy.Contexts({})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"settle": 3}, "settle = 3: cannot be combined"),
        ({"drift": "auto"}, "drift = auto: cannot be combined"),
        ({"baseline": canopy.Baseline({"x": 0.5}, max_loss=0.02)}, "max_loss.*cannot be combined"),
    ],
)
def test_what_cannot_be_combined_yet_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        canopy.Adaptive(LINE, contexts=LOAD, **options)


def test_limits_are_kept_in_every_context() -> None:
    opt = canopy.Adaptive(LINE, contexts=LOAD, limits={"p99": canopy.at_most(60)})
    for load in islice(cycle([0.05, 0.35, 0.65, 0.95]), 800):
        pull = opt.ask(context={"load": load})
        x = pull.arm["x"]
        opt.tell(pull, x, {"p99": 100 * x + 40 * load})
    for load, most in ((0.05, 0.58), (0.95, 0.22)):
        best = opt.best({"load": load})
        assert best is not None and best.arm["x"] <= most + 0.03
        assert best.limits["p99"].state in ("kept", "probably_kept")
    policy = opt.policy()
    assert policy is not None
    assert all(set(row.limits) == {"p99"} and not row.breaks_limits for row in policy)
    assert "p99" in str(policy) and policy.to_dict()["rows"][0]["limits"][0]["metric"] == "p99"


def test_the_policy_is_compared_with_a_baseline() -> None:
    chance = random.Random(1)
    result = canopy.maximize(
        lambda x, context: worth(x, context["load"]) + 0.05 * chance.gauss(0, 1),
        LINE,
        contexts=LOAD,
        context=lambda: {"load": chance.random()},
        baseline={"x": 0.5},
        pulls=1200,
    )
    uplift = result.uplift
    assert uplift is not None and uplift.verdict == "better" and uplift.arm is None
    assert uplift.policy_of is not None and uplift.policy_of <= result.summary.t  # calls of the baseline included
    assert str(uplift).startswith("the policy")


def test_a_partition_of_ones_own_is_refused() -> None:
    class Halves(canopy.Partition):
        def root(self) -> tuple[float, ...]:
            return (0.0, 1.0)

        def split(self, cell: Any, depth: int) -> Any:
            middle = (cell[0] + cell[1]) / 2
            return [(cell[0], middle), (middle, cell[1])]

        def arm(self, cell: Any) -> dict[str, Any]:
            return {"x": (cell[0] + cell[1]) / 2}

    with pytest.raises(ValueError, match="user-defined partitions are not supported with contexts"):
        canopy.Adaptive(LINE, contexts=LOAD, partition=Halves())
    assert taught(50, partition="longest_side").partition == "longest_side"


def test_other_optimizers_take_no_contexts() -> None:
    with pytest.raises(ValueError, match='contexts: hct does not take contexts; optimizer="adaptive" does'):
        canopy.make_optimizer("hct", LINE, contexts=LOAD)
    with pytest.raises(ValueError, match="contexts: hct does not take contexts"):
        canopy.maximize(worth, LINE, pulls=5, optimizer="hct", contexts=LOAD, context=loads())


# --- maximize ---


def test_maximize_looks_before_every_call_and_hands_the_context_on() -> None:
    seen = []

    def measure(x: float, context: dict[str, Any]) -> float:
        seen.append(context)
        return worth(x, context["load"])

    result = canopy.maximize(measure, LINE, contexts=LOAD, context=loads(), pulls=300)
    observe = loads()
    assert seen == [observe() for _ in range(300)]
    assert [episode.context for episode in result.episodes] == seen
    assert len(result.policy) > 1 and abs(result.policy[0].arm["x"] - 0.2) < 0.1
    assert "; <canopy.Policy over load: " in repr(result)
    assert result.best_or_none() is None
    with pytest.raises(ValueError, match=r"the best arm depends on the context: see result\.policy"):
        _ = result.best
    frame = result.to_frame()
    assert list(frame.columns) == ["ticket", "first", "x", "context.load", "depth", "pulls", "mean"]
    assert list(frame["context.load"]) == [each["load"] for each in seen]


def test_minimize_does_so_too() -> None:
    now = loads()
    latest: dict[str, Any] = {}

    def observe() -> dict[str, Any]:
        latest.update(now())
        return latest  # the same dictionary each time

    result = canopy.minimize(lambda x: -worth(x, latest["load"]), LINE, contexts=LOAD, context=observe, pulls=300)
    assert len(result.policy) > 1
    assert len({episode.context["load"] for episode in result.episodes if episode.context}) == 300


def test_a_knob_that_is_called_context_is_the_knob() -> None:
    got = []
    canopy.maximize(
        lambda context: got.append(context) or 1.0,
        {"context": canopy.real(0, 1)},
        contexts=LOAD,
        context=loads(),
        pulls=5,
    )
    assert all(isinstance(each, float) for each in got)


def together(x: float, context: dict[str, Any]) -> float:
    return worth(x, context["load"])


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_several_calls_at_a_time_have_contexts_of_their_own(workers: Any) -> None:
    result = canopy.maximize(
        together, LINE, contexts=LOAD, context=loads(), pulls=300, n_jobs=3, workers=workers, seed=1
    )
    assert len({episode.context["load"] for episode in result.episodes if episode.context}) == 300
    for episode in result.episodes:
        assert episode.context is not None
        assert episode.rewards == [worth(episode.arm["x"], episode.context["load"])]
    assert len(result.policy) > 1


def test_arms_to_try_first_and_known_ones_are_in_contexts() -> None:
    known = [({"x": 0.2}, 1.0, {"load": 0.1}), ({"x": 0.8}, 1.0, {"load": 0.9})]
    result = canopy.maximize(
        together, LINE, contexts=LOAD, context=loads(), pulls=20, enqueue=[{"x": 0.25}], observe=known
    )
    first = result.episodes[0]
    assert first.arm == {"x": 0.25} and first.ticket == 0 and first.context == loads()()
    assert result.summary.observed == 3
    with pytest.raises(ValueError, match=r"observe\[0\]: context: is missing; it must have load"):
        canopy.maximize(together, LINE, contexts=LOAD, context=loads(), pulls=20, observe=[({"x": 0.2}, 1.0)])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"contexts": LOAD}, "context: is missing; give a function that returns the values of load"),
        ({"context": loads()}, "context: needs the variables that it observes: contexts="),
        ({"contexts": LOAD, "context": {"load": 1}}, "must be a function that returns the context"),
        ({"contexts": LOAD, "context": lambda: 3}, "context: the function returned 3; it must return a dictionary"),
        ({"contexts": LOAD, "context": lambda: {"load": None}}, "context.load = None: must be a finite number"),
        ({"contexts": LOAD, "context": lambda: 1 / 0}, "division by zero"),
    ],
)
def test_a_mistake_in_what_is_observed_ends_the_search(options: dict[str, Any], message: str) -> None:
    for more in ({}, {"n_jobs": 2, "workers": "threads"}):
        with pytest.raises((ValueError, ZeroDivisionError), match=message):
            canopy.maximize(lambda x: x, LINE, pulls=20, **options, **more)


def test_a_call_that_fails_in_a_context_is_penalized() -> None:
    def measure(x: float, context: dict[str, Any]) -> float:
        if x > 0.9:
            raise RuntimeError("too much")
        return worth(x, context["load"])

    result = canopy.maximize(measure, LINE, contexts=LOAD, context=loads(), pulls=300, failure_reward=-1)
    assert result.failed > 0 and all(row.arm is not None and row.arm["x"] <= 0.9 for row in result.policy)


def test_an_optimizer_with_contexts_can_be_continued() -> None:
    opt = taught(100)
    result = canopy.maximize(together, optimizer=opt, context=loads(5), pulls=100)
    assert opt.summary().t == 201 and result.policy.rows == opt.policy().rows
    opt.tell(opt.ask(context={"load": 0.5}), -5)
    assert result.policy.rows[0].pulls + result.policy.rows[-1].pulls <= 200  # the policy at the end of the search
    with pytest.raises(ValueError, match="context: is missing"):
        canopy.maximize(together, optimizer=opt, pulls=10)


# --- studies ---


def test_a_study_remembers_contexts(store: str) -> None:
    contexts = {"hour": canopy.periodic(24), "tenant": canopy.choice("a", "b"), **LOAD}
    chance = random.Random(1)
    with canopy.Study.open("s", store, space=LINE, contexts=contexts) as study:
        for _ in range(100):
            now = {"hour": 24 * chance.random(), "tenant": chance.choice("ab"), "load": 2 * chance.random()}
            pull = study.ask(context=now)
            study.tell(pull, worth(pull.arm["x"], now["load"]) + chance.gauss(0, 0.1))
        study.observe({"x": 0.3}, 0.5, context={"hour": 3, "tenant": "a", "load": 0.1})
        rows, saved = study.policy().rows, study.save()
        assert study.contexts == contexts and study.copy().policy().rows == rows
        assert 20 < study.policy().moved < 80
    with canopy.Study.open("s", store) as study:
        assert study.contexts == contexts and study.policy().rows == rows and study.save() == saved
        with pytest.raises(ValueError, match="context: is missing; it must have hour, tenant, load"):
            study.ask()
        assert len(study.ask(count=3, context={"hour": 1, "tenant": "b", "load": 0.1})) == 3
    looked = canopy.load_optimizer("s", store)
    assert looked.contexts == contexts and looked.policy().rows == rows
    with pytest.raises(canopy.StudyError, match=r"context\.load"):
        canopy.Study.open("s", store, space=LINE, contexts={**contexts, "load": canopy.real(0, 2)})
    with pytest.raises(canopy.StudyError, match=r"context\.hour"):
        canopy.Study.open("s", store, space=LINE)


def test_a_result_of_a_study_has_the_contexts(store: str) -> None:
    with canopy.Study.open("s", store, space=LINE, contexts=LOAD) as study:
        result = canopy.maximize(together, optimizer=study, context=loads(), pulls=50)
        study.observe({"x": 0.3}, 0.5, context={"load": 0.125})
    loaded = canopy.load_result("s", store)
    assert [e.context for e in loaded.episodes[:-1]] == [e.context for e in result.episodes]
    assert loaded.episodes[-1].context == {"load": 0.125}
    assert isinstance(loaded.policy, canopy.Policy)


def test_a_pull_that_was_left_open_is_given_back_since_the_context_has_changed(store: str) -> None:
    with canopy.Study.open("s", store, space=LINE, contexts=LOAD) as study:
        study.ask(context={"load": 0.1})
    with canopy.Study.open("s", store) as study:
        assert len(study.in_flight()) == 1
        canopy.maximize(together, optimizer=study, context=lambda: {"load": 0.9}, pulls=3)
        assert study.in_flight() == [] and study.summary().t == 4
    assert {e.context["load"] for e in canopy.load_result("s", store).episodes if e.context} == {0.9}


def test_the_choices_of_a_study_are_strings_in_contexts_too(store: str) -> None:
    with pytest.raises(ValueError, match=r"context\.tenant: the choices of a study must be strings"):
        canopy.Study.open("s", store, space=LINE, contexts={"tenant": canopy.choice(1, 2)})


def test_a_study_file_may_have_contexts(store: str, tmp_path: Any) -> None:
    text = 'name = "f"\n[[space]]\nname = "x"\nlow = 0.0\nhigh = 1.0\n[[context]]\nname = "hour"\nperiod = 24\n'
    (tmp_path / "study.toml").write_text(text)
    with canopy.Study.open("f", store, file=tmp_path / "study.toml") as study:
        assert study.contexts == {"hour": canopy.periodic(24)}
        assert study.ask(context={"hour": 99}).length == 1


# --- Gymnasium ---


class Room:
    """Every episode has an outside temperature, on which the best gain depends."""

    def __init__(self) -> None:
        self.chance = random.Random(1)
        self.infos: list[dict[str, Any]] = []

    def reset(self, seed: int | None = None) -> tuple[float, dict[str, Any]]:
        self.load, self.time = self.chance.random(), 0
        return 0.0, {"load": self.load}

    def step(self, action: float) -> tuple[float, float, bool, bool, dict[str, Any]]:
        self.time += 1
        return 0.0, worth(action, self.load), self.time == 3, False, {"load": self.load}


@pytest.mark.parametrize("reward", ["return", "step"])
def test_a_policy_search_observes_before_each_pull(reward: Any) -> None:
    result = canopy.policy_search(
        Room(),
        lambda theta, _: theta["x"],
        LINE,
        steps=900,
        reward=reward,
        contexts=LOAD,
        context=lambda observation, info: {"load": info["load"]},
    )
    assert len(result.policy) > 1
    length = 3 if reward == "return" else 1
    for episode in result.episodes:
        assert episode.context is not None
        assert episode.rewards == [pytest.approx(length * worth(episode.arm["x"], episode.context["load"]))]


def test_a_policy_search_complains_before_it_plays() -> None:
    with pytest.raises(ValueError, match="context: is missing"):
        canopy.policy_search(None or Room(), lambda theta, _: 0, LINE, steps=9, contexts=LOAD)
    with pytest.raises(ValueError, match="context: needs the variables"):
        canopy.policy_search(Room(), lambda theta, _: 0, LINE, steps=9, context=lambda o, i: i)


# --- plots ---


def drawn(axes: Any) -> Any:
    axes.figure.canvas.draw()
    return axes


def learnt(contexts: dict[str, Any], space: dict[str, Any], pulls: int = 400, minimizes: bool = False) -> canopy.Result:
    """A search with several context variables, of which only the first matters."""
    chance = random.Random(1)
    parsed = canopy.Contexts(contexts)

    def observe() -> dict[str, Any]:
        seen = {}
        for name in parsed:
            domain = parsed._domain(name)
            seen[name] = parsed._value(name, domain.at(chance.random()))
        return seen

    def measure(context: dict[str, Any], **arm: Any) -> float:
        name = next(iter(parsed))
        share = parsed._domain(name).share(parsed._coordinate(name, context[name]))
        first = next(iter(arm))
        place = result_space._domain(first).share(result_space._coordinate(first, arm[first]))
        return (-1 if minimizes else 1) * worth(place, share) + chance.gauss(0, 0.05)

    result_space = canopy.Space(space)
    search = canopy.minimize if minimizes else canopy.maximize
    return search(measure, result_space, contexts=parsed, context=observe, pulls=pulls)


ONE_CONTEXT = [LOAD, {"hour": canopy.periodic(24)}, {"size": canopy.real(1, 1e6, log=True)}]
ONE_CONTEXT += [{"day": canopy.integer(0, 6)}, {"tenant": canopy.choice("a", "b", "c", "d")}]


@pytest.mark.parametrize("contexts", ONE_CONTEXT, ids=lambda contexts: next(iter(contexts)))
@pytest.mark.parametrize("minimizes", [False, True])
def test_a_policy_over_one_context_is_drawn(contexts: dict[str, Any], minimizes: bool) -> None:
    result = learnt(contexts, LINE, minimizes=minimizes)
    (name,) = contexts
    for searched in (result, result.optimizer, result.policy):
        ax = drawn(canopy.plot.policy(searched))
        assert (ax.get_xlabel(), ax.get_ylabel()) == (name, "x")
        heights = {float(line.get_ydata()[0]) for line in ax.lines if line.get_color() == canopy.plot.COLOURS[1]}
        assert heights == {row.arm["x"] for row in result.policy if row.arm}
        (strip,) = ax.child_axes
        counts = [int(text.get_text().split()[0]) for text in strip.texts]
        assert len(counts) > 1 and set(counts) <= {row.pulls for row in result.policy}
        assert sum(bar.get_height() for bar in strip.patches) == 400
    level = drawn(canopy.plot.level_effect(result))
    assert level.get_xlabel() == name and level.get_ylabel() == "added to all rewards"


@pytest.mark.parametrize("knob", [canopy.real(0, 1), canopy.real(1, 1e4, log=True), canopy.choice("p", "q", "r")])
def test_a_policy_over_two_contexts_is_a_map(knob: Any) -> None:
    result = learnt({"tenant": canopy.choice("a", "b", "c"), **LOAD}, {"x": knob})
    ax = drawn(canopy.plot.policy(result))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("tenant", "load")
    areas = sum(patch.get_width() * patch.get_height() for patch in ax.patches)
    assert areas == pytest.approx(3.0)  # the areas cover the map exactly once
    assert drawn(canopy.plot.level_effect(result, variable="load")).get_xlabel() == "load"
    with pytest.raises(ValueError, match="variable = None: must be one of tenant, load"):
        canopy.plot.level_effect(result)


def test_a_policy_of_more_is_drawn_as_rows() -> None:
    three = {"tenant": canopy.choice("a", "b"), "hour": canopy.periodic(24), **LOAD}
    two_knobs = {"x": canopy.real(0, 1), "n": canopy.integer(1, 9)}
    for result, parameter in ((learnt(three, LINE), None), (learnt(LOAD, two_knobs), None)):
        ax = drawn(canopy.plot.policy(result, parameter=parameter))
        texts = [text.get_text() for text in ax.texts]
        assert {*result.optimizer.contexts, *result.space, "mean", "pulls"} <= set(texts)
        assert all(str(row.pulls) in texts for row in result.policy)
    assert drawn(canopy.plot.policy(result, parameter="n")).get_ylabel() == "n"
    _, given = plt.subplots()
    assert canopy.plot.policy(result, ax=given) is given


def test_the_pulls_of_a_search_in_contexts_are_drawn_as_ever(capsys: Any) -> None:
    result = canopy.maximize(together, LINE, contexts=LOAD, context=loads(), pulls=60, progress=True)
    assert "60 pulls" in capsys.readouterr().err
    assert drawn(canopy.plot.pulls(result)).get_title() == "60 pulls in 60 episodes"
    assert drawn(canopy.plot.switches(result)).get_ylabel() == "changes of arm"


def test_what_cannot_be_drawn_is_said() -> None:
    opt = canopy.Adaptive(LINE, contexts=LOAD)
    with pytest.raises(ValueError, match="there are no rewards yet"):
        canopy.plot.policy(opt)
    assert drawn(canopy.plot.level_effect(opt)).texts[0].get_text() == "no level effect was found"
    with pytest.raises(ValueError, match="the space has no 'y'; it has x"):
        canopy.plot.policy(opt, parameter="y")
    with pytest.raises(ValueError, match="policy: needs contexts"):
        canopy.plot.policy(canopy.Adaptive(LINE))
    for draw in (canopy.plot.estimate, canopy.plot.tree):
        with pytest.raises(ValueError, match=r"has contexts; canopy\.plot\.policy draws"):
            draw(taught(50))
    with pytest.raises(ValueError, match="must be a Result, an optimizer, a study or a Policy"):
        canopy.plot.policy(3)
