import pickle

import canopy
import pytest


def test_an_arm_has_the_types_of_its_parameters():
    space = canopy.Space({"x": canopy.real(1, 2), "k": canopy.integer(1, 9), "c": canopy.choice("a", "b")})
    arm = canopy.Hct(space).ask(1).arm
    assert [type(value) for value in arm.values()] == [float, int, str]
    assert list(arm) == ["x", "k", "c"]


def test_choices_may_be_any_objects():
    values = [None, 3, "3", (1, 2)]
    opt = canopy.Grid({"c": canopy.choice(values)}, points=4)
    seen = []
    for _ in range(4):
        pull = opt.ask(1)
        seen.append(pull.arm["c"])
        opt.tell(pull, 0.5)
    assert sorted(map(repr, seen)) == sorted(map(repr, values))
    assert any(value is values[3] for value in seen)


def test_a_space_is_a_mapping_and_can_be_pickled():
    space = canopy.Space({"x": canopy.real(1, 100, log=True)})
    assert dict(space) == {"x": canopy.Real(1.0, 100.0, True)} and "x" in space and len(space) == 1
    assert space == {"x": canopy.real(1, 100, log=True)} and space.get("y") is None
    again = pickle.loads(pickle.dumps(space))
    assert again == space and hash(again) == hash(space) and repr(again) == repr(space)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "space"),
        ({"x": canopy.real(1, 0)}, "space.x"),
        ({"x": canopy.real(0, 1, log=True)}, "space.x"),
        ({"x": canopy.real(0, float("inf"))}, "space.x"),
        ({"x": canopy.real(0, float("nan"))}, "space.x"),
        ({"x": canopy.integer(2, 1)}, "space.x"),
        ({"x": canopy.choice()}, "space.x"),
        ({"x": canopy.choice("a", "a")}, "space.x"),
        ({"": canopy.real(0, 1)}, "name"),
        ({1: canopy.real(0, 1)}, "string"),
        ({"x": 3}, "canopy.real"),
        ({"x": (0, 1)}, "canopy.real"),
        (None, "dictionary"),
        ([("x", canopy.real(0, 1))], "dictionary"),
        ({"x": canopy.Integer(2**70, 2**71)}, "space.x.low"),
        ({"x": canopy.Integer(0.5, 2)}, "space.x.low"),
        ({"x": canopy.Real("0", 1)}, "space.x.low"),
        ({"\ud800": canopy.real(0, 1)}, "text"),
        ({"c": canopy.choice("\ud800", "b")}, "text"),
    ],
)
def test_a_wrong_space_is_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        canopy.Space(parameters)


@pytest.mark.parametrize(
    "make",
    [
        lambda: canopy.real("0", 1),
        lambda: canopy.real(0, 10**400),
        lambda: canopy.integer(0.5, 2),
        lambda: canopy.integer(0, None),
    ],
)
def test_ends_must_be_numbers(make):
    with pytest.raises(ValueError, match="must be a"):
        make()
