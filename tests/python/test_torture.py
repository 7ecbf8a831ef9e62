"""Short campaigns of tests/torture, with fixed seeds, and tests that its checker finds violations."""

import json
import pathlib
import struct
import sys
import tempfile
import threading
import urllib.error
import urllib.request
import zlib

import pytest

from service import Serving

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "torture"))
import checker
import clients
import doors
import torture
from world import Proxy, tool

SCRIPTS = {
    "sqlite": ["kill", "cut_clients", "fill_disk", "stop", "step_clock", "end"],
    "postgres": ["kill", "cut_database", "crash_database", "stop", "cut_clients"],
}


@pytest.mark.parametrize("kind", SCRIPTS)
def test_what_was_acknowledged_is_there_once_whatever_happens_to_servers_and_stores(kind):
    with tempfile.TemporaryDirectory(prefix="canopy-") as name:  # PostgreSQL is another user
        counts = torture.run_round(pathlib.Path(name), kind, seed=219, script=SCRIPTS[kind], workers=2, tuners=False)
    assert counts["acknowledged answers"] > 100 and counts["kills of servers"] and counts["reads compared"] > 10


def test_no_door_takes_what_would_break_a_study(tmp_path):
    answers, taken = doors.fuzz(tmp_path, 1200, seed=1)
    assert answers[200] > 100 and answers[422] > 100 and taken


def test_every_kind_of_event_is_fuzzed(root):
    table = (root / "docs" / "tune.md").read_text().split("<!-- begin: events -->")[1].split("<!-- end: events -->")[0]
    kinds = {line.split("`")[1] for line in table.splitlines() if line.startswith("| `")}
    assert {each["kind"] for each in doors.EVENTS} == kinds


def post(serving, path, body, method="POST"):
    request = urllib.request.Request(
        serving.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}, method=method
    )
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


SPACE = {"space": [{"name": "x", "low": 0.0, "high": 1.0}]}


def test_of_requests_for_the_same_study_that_come_at_once_one_makes_it_and_none_is_refused(tmp_path):
    with Serving(tmp_path) as serving:
        found = []

        def make(name, body):
            found.append((name, post(serving, "/v1/studies", {"name": name, "specification": SPACE} | body)[0]))

        for number in range(40):
            body = {"whole": True, "created": 1.5, "journal": [], "pulls": 0} if number % 2 else {}
            threads = [threading.Thread(target=make, args=[f"study-{number}", body]) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert {status for _, status in found} == {200, 201}
    assert [sum(status == 201 for name, status in found if name == f"study-{i}") for i in range(40)] == [1] * 40


def test_a_command_is_accepted_once(tmp_path):
    command = {"kind": "command", "command_number": 1, "command": "pause", "pulls": 0, "by": "anonymous"}
    with Serving(tmp_path) as serving:
        journal = [{"number": number, "at": 1.0} | command for number in (1, 2)]
        whole = {"name": "a", "specification": SPACE, "whole": True, "created": 1.0, "pulls": 0}
        status, answer = post(serving, "/v1/studies", whole | {"journal": journal})
        assert (status, answer["errors"][0]["code"]) == (422, "does_not_fit")
        assert "event 2: the number of its command must be greater than 1" in answer["detail"]
        assert post(serving, "/v1/studies", {"name": "b", "specification": SPACE})[0] == 201
        assert post(serving, "/v1/studies/b/tuner", {"tuner": "t", "holder": "h"}, "PUT")[0] == 200
        assert post(serving, "/v1/studies/b/commands", {"command": "pause"}) == (201, {"number": 1})
        events = {"tuner": "t", "after": 0, "events": [command]}
        assert post(serving, "/v1/studies/b/tuner-events", events) == (200, {"events": 1})
        assert post(serving, "/v1/studies/b/tuner-events", events) == (200, {"events": 1})  # the request is repeated
        status, answer = post(serving, "/v1/studies/b/tuner-events", events | {"after": 1})
        assert (status, answer["code"]) == (409, "does_not_fit")


class LosesAnAnswer(Proxy):
    """To the first POST."""

    has_post = False

    def is_cut(self, what, data):
        self.has_post |= b"POST " in data
        return what == "answer" and self.has_post and self.cuts == 0


def test_a_command_whose_answer_was_lost_is_posted_once(tmp_path):
    system = {"measure": "true {x}"}
    with Serving(tmp_path) as serving:
        post(serving, "/v1/studies", {"name": "a", "specification": SPACE | {"system": system}})
        link = LosesAnAnswer(serving.port, 1)
        steered = tool("steer", "a", "pause", "--server", f"http://127.0.0.1:{link.port}")
        assert steered.returncode == 0 and link.cuts == 1, steered.stderr
        with urllib.request.urlopen(serving.url + "/v1/studies/a/commands") as response:
            assert [each["command"] for each in json.load(response)["commands"]] == ["pause"]
        link.close()


# --- the checker -----------------------------------------------------------------------------------------------------


def journal(*texts):
    """Events as stored in the table."""
    events = []
    for number, text in enumerate(texts, 1):
        checksum = zlib.crc32(struct.pack("<Qd", number, 1.0) + text.encode())
        kind, *fields = json.loads(text)
        events.append(checker.Event(number, 1.0, checksum, text, kind, fields))
    return events


def acknowledged():
    """A ticket of the study `correlated` with one reward."""
    log = clients.Log()
    ticket = {"ticket": "1-abc", "arm": {"x": 2.0}, "length": 1}
    asked = json.dumps({"tickets": [ticket]}).encode()
    log.add(clients.Call("correlated", "asks", "a", {"count": 1}, 200, asked))
    tell = {"tells": [{"ticket": "1-abc", "reward": 0.5}]}
    log.add(clients.Call("correlated", "tells", "b", tell, 200, b'{"t":2,"results":[{"ok":true,"t":2}]}'))
    return log


ASK, TELL = '["ask",1,[2.0]]', '["tell",1,0.5]'


@pytest.mark.parametrize(
    ("texts", "complaint"),
    [
        ((ASK, TELL), None),
        ((ASK,), "ticket 1: .* was acknowledged"),
        ((ASK, TELL, TELL), "ticket 1: .* was acknowledged"),
        ((ASK, '["tell",1,0.25]'), "ticket 1: tell"),
        (('["ask",1,[3.0]]', TELL), "ticket 1 .* is for"),
        ((ASK, TELL, '["ask",2,[2.0]]'), "no client received it"),
        ((ASK, TELL, ASK), "given out twice"),
        ((ASK, TELL, '["observe",[2.0],0.5]'), "only there"),
        ((ASK, TELL, '["command",1,"pause",0,"a"]'), "a command that no client sent"),
    ],
)
def test_the_checker_sees_what_is_missing_twice_or_different(texts, complaint):
    if complaint is None:
        return checker.check_acts("correlated", journal(*texts), acknowledged())
    with pytest.raises(clients.Violation, match=complaint):
        checker.check_acts("correlated", journal(*texts), acknowledged())


def test_the_checker_sees_gaps_and_wrong_checksums():
    checker.check_rows("a", journal(ASK, TELL))
    with pytest.raises(clients.Violation, match="event 2 is missing"):
        checker.check_rows("a", journal(ASK, TELL, TELL)[::2])
    with pytest.raises(clients.Violation, match="checksum of event 2"):
        checker.check_rows("a", [*journal(ASK), journal(ASK, TELL)[1]._replace(text='["tell",1,0.75]')])


def test_the_checker_sees_arms_with_other_means():
    shown = {"arms?limit=100000": {"arms": [{"arm": {"x": 2.0}, "pulls": 1, "mean": 0.5}]}}
    space = clients.STUDIES["correlated"]["space"]
    checker.check_arms("correlated", space, journal(ASK, TELL), shown)
    for wrong in ({"pulls": 2}, {"mean": 0.6}):
        shown["arms?limit=100000"]["arms"][0] |= wrong
        with pytest.raises(clients.Violation, match="1 rewards with mean 0.5"):
            checker.check_arms("correlated", space, journal(ASK, TELL), shown)


class OldAnswers:
    """A server that shows the state before the last tell."""

    port = 1

    def send(self, method, path):
        return 200, b'{"events": 1, "t": 1, "observed": 0}'


def test_the_checker_sees_stale_reads():
    clients.look(OldAnswers(), clients.Log(), "correlated", "summary")
    with pytest.raises(clients.Violation, match="a stale read: .* shows 1 events, but 2 were acknowledged"):
        clients.look(OldAnswers(), acknowledged(), "correlated", "summary")
