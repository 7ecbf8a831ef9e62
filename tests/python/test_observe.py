"""Rewards of arms that no ask returned, on optimizers and on studies."""

import canopy
import numpy
import pytest

SPACE = {"x": canopy.real(0, 1), "k": canopy.integer(1, 9), "mode": canopy.choice("fast", "slow")}
ARM = {"x": 0.25, "k": 3, "mode": "slow"}
NAMES = list(canopy.optimizers())


@pytest.fixture(params=["memory", "study"])
def make(request, store):
    """Makes an optimizer, in memory or in a store."""
    opened = []

    def made(name="hct", space=SPACE, **options):
        if request.param == "memory":
            return canopy.make_optimizer(name, space, **options)
        opened.append(canopy.Study.open(f"{len(opened)}", store, space=space, optimizer=name, **options))
        return opened[-1]

    yield made
    for study in opened:
        study.close()


@pytest.mark.parametrize("name", NAMES)
def test_observations_are_learnt_and_are_not_steps(make, name):
    opt = make(name)
    arm = opt.ask(1).arm
    opt.observe(arm, [0.9] * 40)
    summary = opt.summary()
    assert (summary.t, summary.observed, summary.in_flight) == (1, 40, 1)
    assert [pull.ticket for pull in opt.in_flight()] == [1]
    opt.tell(1, 0.9)
    assert opt.summary().t == 2 and opt.summary().observed == 40


def test_what_was_observed_of_an_arm_counts_for_it(make):
    opt = make()
    pull = opt.ask(1)
    opt.tell(pull, 0.4)
    opt.observe(pull.arm, 0.6)
    best = opt.best()
    assert best.arm == pull.arm and best.pulls == 2 and best.mean == pytest.approx(0.5)


def test_observations_may_have_many_shapes(make):
    shapes = [
        [0.5, 0.25, 1.0, 0.0],
        (0.5, 0.25, 1.0, 0.0),
        numpy.array([0.5, 0.25, 1.0, 0.0]),
        (each for each in [0.5, 0.25, 1.0, 0.0]),
        canopy.Rewards(4, 1.75, 1.3125, min=0.0, max=1.0),
    ]
    saved = set()
    for shape in shapes:
        opt = make()
        arm = opt.ask(1).arm
        opt.observe(arm, shape)
        assert opt.summary().observed == 4
        opt.tell(1, 0.5)
        saved.add((opt.best().mean, opt.best().pulls))
    assert len(saved) == 1


def test_a_good_observation_is_found_before_anything_is_asked():
    opt = canopy.Hct({"x": canopy.real(0, 1)})
    for x in (0.1, 0.3, 0.5, 0.7, 0.9):
        opt.observe({"x": x}, [1 - abs(x - 0.7)] * 50)
    for _ in range(50):
        pull = opt.ask(1)
        opt.tell(pull, 1 - abs(pull.arm["x"] - 0.7))
    assert abs(opt.best().arm["x"] - 0.7) < 0.1


@pytest.mark.parametrize(
    ("arm", "message"),
    [
        ({}, "x: is missing"),
        ({"x": 0.5, "k": 3}, "mode: is missing"),
        (
            {"y": 0.5, "k": 3, "mode": "fast"},
            "x: is missing; 'y': is not a parameter of the space, which has x, k, mode$",
        ),
        (
            {"x": 0.5, "k": 3, "Mode": "fast"},
            "mode: is missing; 'Mode': is not a parameter of the space, did you mean 'mode'",
        ),
        (
            {"x": 0.5, "k": 3, "\ud800": 1},
            "mode: is missing; .*: is not a parameter of the space, which has x, k, mode$",
        ),
        ({**ARM, "y": 1}, "'y': is not a parameter of the space, which has x, k, mode$"),
        ({**ARM, 3: 1}, "3: is not a parameter of the space"),
        ({**ARM, "x": 1.5}, "x = 1.5: must be a number from 0 to 1"),
        ({**ARM, "x": -1e-9}, "x = -1e-09: must be a number from 0 to 1"),
        ({**ARM, "x": "0.5"}, "x = '0.5': must be a number"),
        ({**ARM, "x": None}, "x = None: must be a number"),
        ({**ARM, "x": float("nan")}, "x = nan: must be a number"),
        ({**ARM, "x": float("inf")}, "x = inf: must be a number from 0 to 1"),
        ({**ARM, "k": 2.5}, "k = 2.5: must be a whole number"),
        ({**ARM, "k": 10}, "k = 10: must be a whole number from 1 to 9"),
        ({**ARM, "mode": "medium"}, "mode = 'medium': is not one of the choices"),
        ({**ARM, "mode": 0}, "mode = 0: is not one of the choices"),
        (None, "arm = None: must be a dictionary"),
        ([0.5, 3, "fast"], "arm = .*: must be a dictionary"),
        (1, "arm = 1: must be a dictionary"),
    ],
)
def test_a_wrong_arm_is_refused_and_changes_nothing(make, arm, message):
    opt = make()
    before = opt.save()
    with pytest.raises(ValueError, match=message):
        opt.observe(arm, 0.5)
    assert opt.save() == before and opt.summary().observed == 0


@pytest.mark.parametrize(
    "wrong",
    [None, "1", float("nan"), float("inf"), 1e300, [], [0.5, float("nan")], {"x": 1}, numpy.zeros((1, 1))]
    + [canopy.Rewards(1, 2.0, 1.0), canopy.Rewards(2, 1.0, 0.5, min=0.9), canopy.Rewards(2, 1.0, 0.5, min=1, max=0)],
    ids=str,
)
def test_a_wrong_reward_is_refused_and_changes_nothing(make, wrong):
    opt = make()
    before = opt.save()
    with pytest.raises(ValueError, match="reward = "):
        opt.observe(ARM, wrong)
    assert opt.save() == before and opt.summary().observed == 0


def test_whole_numbers_and_choices_may_come_from_numpy(make):
    opt = make()
    opt.observe({"x": numpy.float32(0.25), "k": numpy.int64(3), "mode": numpy.str_("slow")}, 0.5)
    assert opt.summary().observed == 1


def test_choices_may_be_any_objects():
    thing = (1, 2)
    opt = canopy.Grid({"c": canopy.choice(None, 3, "3", thing)}, points=4)
    for value in (None, 3, "3", (1, 2)):
        opt.observe({"c": value}, 0.5)
    assert opt.summary().observed == 4


def test_observations_are_on_the_disk_and_in_the_result(store):
    with canopy.Study.open("a", store, space=SPACE) as study:
        study.observe(ARM, [0.5, 0.7])
        study.tell(study.ask(1), 0.25)
        study.observe({**ARM, "k": 4}, 0.9)
        state = study.save()
        assert canopy.load_optimizer("a", store).save() == state
    with canopy.Study.open("a", store) as study:
        assert study.save() == state and study.summary().observed == 3
    result = canopy.load_result("a", store)
    assert [(each.ticket, each.arm["k"], each.rewards) for each in result.episodes if each.ticket == 0] == [
        (0, 3, [0.6, 0.6]),
        (0, 4, [0.9]),
    ]
    assert result.pulls == 4 and len(result.to_frame()) == 3
