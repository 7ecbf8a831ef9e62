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
    if request["op"] == "summary":
        summary = study.summary()._asdict()
        return {name: value for name, value in summary.items() if name != "observed"}
    best = study.best()
    return None if best is None else best._asdict()


def test_all_its_studies_are_there(first):
    assert {record.name for record in canopy.studies(first)} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_study_of_it_goes_on_exactly_as_it_would_have(first, name):
    looked_at = canopy.load_optimizer(name, first)
    assert answer(looked_at, {"op": "summary"}) == EXPECTED[name]["summary"]
    assert answer(looked_at, {"op": "best"}) == EXPECTED[name]["best"]
    assert canopy.load_result(name, first).pulls == EXPECTED[name]["summary"]["t"] - 1
    with canopy.Study.open(name, first) as study, study.batch():
        for request, expected in EXPECTED[name]["conversation"]:
            assert answer(study, request) == expected
