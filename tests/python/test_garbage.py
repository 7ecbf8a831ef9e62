"""Unreachable objects are collected, although C++ holds parts of them."""

import gc
import weakref

import canopy
import pytest


class Choice:
    """A value of a choice, which may hold references to other objects."""

    holds = None


@pytest.mark.parametrize("wrap", [lambda space: space, canopy.Space])
def test_an_optimizer_whose_choices_hold_it_is_collected(wrap):
    choice = Choice()
    opt = canopy.Hct(wrap({"c": canopy.choice(choice, "other")}))
    opt.tell(opt.ask(1), 0.5)
    choice.holds = opt
    gone = weakref.ref(choice)
    del opt, choice
    gc.collect()
    assert gone() is None


def test_a_space_whose_choices_hold_it_is_collected():
    choice = Choice()
    choice.holds = canopy.Space({"c": canopy.choice(choice, "other")})
    gone = weakref.ref(choice)
    del choice
    gc.collect()
    assert gone() is None


def test_what_can_be_reached_keeps_its_choices():
    choice = Choice()
    opt = canopy.Grid({"c": canopy.choice(choice, "other")}, points=2)
    choice.holds = opt
    del choice
    gc.collect()
    assert isinstance(opt.ask(1).arm["c"], Choice) and opt.ask(1).arm["c"].holds is opt


def test_an_optimizer_that_was_never_made_can_be_collected():
    canopy.Hct.__new__(canopy.Hct)
    canopy.Space.__new__(canopy.Space)
    gc.collect()
