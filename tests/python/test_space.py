import pickle

import canopy
import pytest
from canopy import _canopy
from canopy._space import Parameter


def test_an_arm_has_the_types_of_its_parameters():
    space = canopy.Space({"x": canopy.real(1, 2), "k": canopy.integer(1, 9), "c": canopy.choice("a", "b")})
    arm = canopy.Hct(space).ask(1).arm
    assert [type(value) for value in arm.values()] == [float, int, str]
    assert list(arm) == ["x", "k", "c"]


def test_integers_may_be_on_a_log_scale_or_in_steps():
    assert canopy.integer(1, 9) == canopy.Integer(1, 9) == canopy.Integer(1, 9, log=False, step=1)
    opt = canopy.Hct({"n": canopy.integer(1, 65536, log=True)})
    assert next(node.arm for node in opt.tree() if node.depth == 0) == {"n": 256}
    assert sorted(node.cell["n"] for node in opt.tree() if node.depth == 1) == [(1, 255), (256, 65536)]
    grid = canopy.Grid({"n": canopy.integer(0, 22, step=5)}, points=9)
    seen = []
    for _ in range(5):
        pull = grid.ask(1)
        seen.append(pull.arm["n"])
        grid.tell(pull, 0.5)
    assert seen == [0, 5, 10, 15, 20] and all(type(value) is int for value in seen)


def test_a_number_off_the_steps_is_no_arm():
    opt = canopy.RandomSearch({"n": canopy.integer(0, 22, step=5)})
    opt.observe({"n": 20}, 0.5)
    with pytest.raises(ValueError, match="n = 21: must be a whole number from 0 to 22 in steps of 5"):
        opt.observe({"n": 21}, 0.5)
    with pytest.raises(ValueError, match="n = 25: must be a whole number from 0 to 22 in steps of 5"):
        opt.observe({"n": 25}, 0.5)


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
    steps = canopy.Space({"n": canopy.integer(1, 64, log=True), "k": canopy.integer(0, 9, step=3)})
    assert pickle.loads(pickle.dumps(steps)) == steps
    assert again == space and hash(again) == hash(space) and repr(again) == repr(space)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "space"),
        ({"x": canopy.Real(1, 0)}, "space.x"),
        ({"x": canopy.Real(0, 1, log=True)}, "space.x"),
        ({"x": canopy.Real(0, float("inf"))}, "space.x"),
        ({"x": canopy.Real(0, float("nan"))}, "space.x"),
        ({"x": canopy.Integer(2, 1)}, "space.x"),
        ({"x": canopy.Integer(0, 9, log=True)}, "space.x.low = 0: must be at least 1 on a log scale"),
        ({"x": canopy.Integer(1, 9, log=True, step=2)}, "space.x.step = 2: must be 1 on a log scale"),
        ({"x": canopy.Integer(1, 9, step=0)}, "space.x.step = 0: must be at least 1"),
        ({"x": canopy.Integer(1, 9, step=20)}, "space.x.step = 20: must be at most high - low = 8"),
        ({"x": canopy.Integer(1, 9, step=1.5)}, "space.x.step = 1.5"),
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
        lambda: canopy.integer(0, 9, step=0.5),
    ],
)
def test_ends_must_be_numbers(make):
    with pytest.raises(ValueError, match="must be a"):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: canopy.real(1, 0), "real.low = 1: must be below high = 0"),
        (lambda: canopy.real(1, 1), "real.low = 1: must be below high = 1"),
        (lambda: canopy.real(float("nan"), 1), "real.low = nan: must be finite"),
        (lambda: canopy.real(0, float("inf")), "real.high = inf: must be finite"),
        (lambda: canopy.real(0, 1, log=True), "real.low = 0: must be above 0 on a log scale"),
        (lambda: canopy.integer(2, 1), "integer.low = 2: must be below high = 1"),
        (lambda: canopy.integer(1, 9, step=0), "integer.step = 0: must be at least 1"),
    ],
)
def test_ends_that_make_no_sense_are_refused_at_once(make, message):
    with pytest.raises(ValueError) as refusal:
        make()
    assert str(refusal.value) == message


def test_classes_are_the_kinds_of_parameters_that_there_are():
    kinds = _canopy.parameter_kinds()
    assert {kind.__name__.lower() for kind in Parameter.__subclasses__()} == set(kinds)
    for kind in Parameter.__subclasses__():
        fields = kinds[kind.__name__.lower()]
        made = kind(*((0, 1) if "low" in fields else ((),)))
        assert set(made._fields()) == set(fields)
        optional = {name: made._fields()[name] for name in fields if name in ("scale", "step")}
        assert optional == {name: fields[name] for name in optional}
        assert getattr(canopy, kind.__name__) is kind and callable(getattr(canopy, kind.__name__.lower()))


def test_a_choice_is_found_by_itself_before_what_is_equal():
    opt = canopy.Grid({"c": canopy.choice(1, True, 0.0)}, points=3)
    for value in (1, True, False):
        opt.observe({"c": value}, float(value is True))
    assert [opt.estimate({"c": value}).mean for value in (1, True, 0.0)] == [0.0, 1.0, 0.0]


def test_a_parameter_is_known_by_its_kind_and_values():
    assert canopy.real(0, 1) == canopy.Real(0.0, 1.0) != canopy.real(0, 2)
    assert canopy.real(0, 1) != canopy.integer(0, 1)
    assert len({canopy.integer(0, 9), canopy.Integer(0, 9), canopy.choice(1, 2)}) == 2
    with pytest.raises(AttributeError):
        canopy.real(0, 1).low = 3
