"""Stores that the first version of canopy wrote, opened from Python; see tests/fixtures/README.md."""

import json
import pathlib
import shutil

import canopy
import pytest

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures"
EXPECTED = json.loads((FIXTURES / "first_format/expected.json").read_text())


@pytest.fixture
def first(tmp_path):
    """A copy of the store, which is brought up to date when it is opened."""
    return str(shutil.copy(FIXTURES / "first_format.db", tmp_path / "first.db"))


#: Studies of algorithms that have another revision now.
REVISED = [name for name in EXPECTED if name != "random"]


def look(name, store):
    """The optimizer of a study whose algorithm has another revision now, which is said."""
    with pytest.warns(UserWarning, match=f"the study {name} was begun with revision 1 of"):
        return canopy.load_optimizer(name, store)


def test_all_its_studies_are_there(first):
    assert {record.name for record in canopy.studies(first)} == set(EXPECTED)


@pytest.mark.parametrize("name", REVISED)
def test_a_study_of_it_can_be_looked_at_with_the_new_best(first, name):
    opt = look(name, first)
    told = EXPECTED[name]["summary"]["t"] - 1
    assert opt.summary().observed == told
    with pytest.warns(UserWarning, match="revision 1"):
        result = canopy.load_result(name, first)
    assert result.pulls == told
    best = opt.best()
    if best is None:
        assert told == 0 and EXPECTED[name]["best"] is None
        return
    rewards = [reward for each in result.episodes if each.arm == best.arm for reward in each.rewards]
    assert best.pulls >= len(rewards)  # a baseline counts as well
    known = opt.estimate(best.arm)
    assert (known.mean, known.lower, known.upper, known.pulls) == (best.mean, best.lower, best.upper, best.pulls)
    assert (best.lower is None) == (best.upper is None) == (best.basis != "interval")
    if best.lower is not None:
        assert best.lower <= best.mean <= best.upper and best.level == 0.95


def answer(study, request):
    """What the protocol answers to a request of `canopy pipe`."""
    if request["op"] == "ask":
        pull = study.ask(request.get("pulls"))
        told = {"ticket": pull.ticket, "arm": pull.arm, "length": pull.length}
        return {**told, "depth": pull.depth, "path": study.path(pull)}
    if request["op"] == "tell":
        if "count" in request:
            rewards = canopy.Rewards(request["count"], request["sum"], request["sum_squares"])
        else:
            rewards = request["rewards"] if "rewards" in request else request["reward"]
        study.tell(request["ticket"], rewards)
        return {"ok": True, "t": study.summary().t}
    if request["op"] == "drop":
        study.drop(request["ticket"])
        return {"ok": True}
    if request["op"] == "in_flight":
        return {
            "tickets": [{"ticket": pull.ticket, "arm": pull.arm, "length": pull.length} for pull in study.in_flight()]
        }
    summary = study.summary()._asdict()
    newer = ("observed", "fitting_range", "passed_over", "settling", "penalized")
    return {name: value for name, value in summary.items() if name not in newer}


def test_a_study_of_an_algorithm_that_is_the_same_goes_on_exactly_as_it_would_have(first):
    assert answer(canopy.load_optimizer("random", first), {"op": "summary"}) == EXPECTED["random"]["summary"]
    with canopy.Study.open("random", first) as study, study.batch():
        for request, expected in EXPECTED["random"]["conversation"]:
            if request["op"] != "best":  # which is chosen in another way
                assert answer(study, request) == expected
        best = study.best()
        assert best.pulls >= 1 and best.mean == study.estimate(best.arm).mean


@pytest.mark.parametrize("name", REVISED)
def test_a_study_of_it_cannot_go_on_but_can_be_forked(first, name):
    with pytest.raises(canopy.StudyError, match="begun with revision 1 of .*; fork= starts a new study"):
        canopy.Study.open(name, first)
    best = look(name, first).best()
    with canopy.Study.open(name, first, fork="new") as study:
        told = EXPECTED[name]["summary"]["t"] - 1
        assert (study.summary().t, study.summary().observed) == (1, told)
        if told:
            assert study.best() is not None and best is not None
        study.tell(study.ask(1), 0.5)
        assert study.summary().t == 2
