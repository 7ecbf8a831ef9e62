"""The client of `canopy serve`, against a real one."""

import json
import math
import pickle
import random
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import uuid

import canopy
import pytest

from service import Serving, free_port, new_database, new_token

SPACE = {
    "ttl": canopy.real(1, 3600, log=True),
    "workers": canopy.integer(1, 16, step=3),
    "policy": canopy.choice("lru", "lfu", "fifo"),
}
LINE = {"x": canopy.real(0, 1)}


@pytest.fixture(scope="module")
def serving(tmp_path_factory):
    with Serving(tmp_path_factory.mktemp("remote")) as serving:
        yield serving


@pytest.fixture
def server(serving):
    with canopy.connect(serving.url, retry_seconds=5) as server:
        yield server


@pytest.fixture
def name():
    """A name that no other test uses."""
    return f"study {uuid.uuid4()}"


def number(pull):
    """The number of its ticket, which on a server is followed by the incarnation of the study."""
    return int(str(pull.ticket).partition("-")[0])


def looks(study):
    """Everything that a study returns."""
    return {
        "best": study.best(),
        "summary": study.summary(),
        "tree": [node._replace(model=None) for node in study.tree()],  # a server does not send it
        "learnt": study.learnt(),
        "in_flight": [(number(pull), pull.arm, pull.length, pull.depth) for pull in study.in_flight()],
        "paths": [study.path(pull) for pull in study.in_flight()],
        "failure_reward": study.failure_reward(),
        "about": (study.space, study.optimizer_name, study.options, study.partition, study.direction),
        "objective": (study.reward_range, study.confidence),
    }


# --- the same protocol as a study in a file ---


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
@pytest.mark.parametrize("optimizer", ["adaptive", "hct", "thoo", "power", "grid", "random"])
def test_it_does_what_a_study_in_a_file_does(server, store, name, optimizer, direction):
    options = {"optimizer": optimizer, "direction": direction, "confidence": 0.9}
    options |= {"points": 4} if optimizer == "grid" else {}
    options |= {"reward_range": (0, 2)} if optimizer == "hct" else {}
    seed = random.randrange(2**32)
    print("seed", seed)
    chance = random.Random(seed)
    remote = server.create(name, space=SPACE, **options)
    with canopy.Study.open("local", store, space=SPACE, **options) as local:
        assert remote.best() is None and local.best() is None
        assert looks(remote) == looks(local)
        for _ in range(60):
            pulls = chance.choice([None, 1, 1, 5])
            mine, theirs = remote.ask(pulls), local.ask(pulls)
            assert re.sub(r"(ticket=\d+)-\w+", r"\1", repr(mine)) == repr(theirs)
            length = min(mine.length, 3)
            rewards = [chance.random() + 0.1 * mine.arm["workers"] for _ in range(length)]
            what = chance.randrange(8)
            for study, pull in ((remote, mine), (local, theirs)):
                if what == 0:
                    study.drop(pull)
                elif what == 1 and local.failure_reward() is not None:
                    study.penalize(pull)
                elif what == 2:
                    study.penalize(pull.ticket, -1.5 if direction == "maximize" else 5)
                elif what == 3:
                    study.tell(pull, rewards[0])
                elif what == 4:
                    sums = canopy.Rewards(length, sum(rewards), sum(r * r for r in rewards), min(rewards), max(rewards))
                    study.tell(pull.ticket, sums)
                else:
                    study.tell(pull, rewards)
            if chance.random() < 0.1:
                arm = {"ttl": chance.uniform(1, 3600), "workers": 4, "policy": "lfu"}
                for study in (remote, local):
                    study.observe(arm, rewards)
                assert remote.estimate(arm) == local.estimate(arm)
        barred = remote.ask(1).arm
        assert local.ask(1).arm == barred
        for study in (remote, local):
            study.bar(barred)
            assert study.is_barred(barred)
        assert looks(remote) == looks(local)
        assert remote.save() == local.save()
        assert looks(server.study(name)) == looks(local)


def test_contexts_are_those_of_a_study_in_a_file(server, store, name):
    contexts = {"hour": canopy.periodic(24), "tenant": canopy.choice("a", "b"), "load": canopy.integer(0, 100)}
    chance = random.Random(1)
    remote = server.create(name, space=LINE, contexts=contexts)
    with canopy.Study.open("local", store, space=LINE, contexts=contexts) as local:
        assert remote.contexts == local.contexts == contexts
        assert remote.policy().to_dict() == local.policy().to_dict()
        for _ in range(150):
            now = {"hour": 30 * chance.random(), "tenant": chance.choice("ab"), "load": chance.randrange(110)}
            mine, theirs = remote.ask(context=now), local.ask(context=now)
            assert (mine.arm, mine.length, mine.depth) == (theirs.arm, theirs.length, theirs.depth)
            right = 0.2 if now["tenant"] == "a" else 0.8
            reward = now["load"] / 100 - abs(mine.arm["x"] - right) + chance.gauss(0, 0.05)
            for study, pull in ((remote, mine), (local, theirs)):
                study.tell(pull, reward)
                assert study.path(pull) == ""
        for study in (remote, local):
            study.observe({"x": 0.3}, [0.5, 0.6], {"ms": 3}, context=now)
            assert len(study.ask(count=3, context=now)) == 3
        policy = remote.policy()
        assert len(policy) > 1 and policy.effects["load"] and policy.moved > 0
        assert policy.rows == local.policy().rows and policy.weights == local.policy().weights
        assert policy.to_dict() == local.policy().to_dict() == remote._call("GET", "/policy")
        assert remote.best(now) == local.best(now) and remote.summary() == local.summary()
        for wrong in (None, {"hour": 1}, {**now, "load": None}, {**now, "tenant": "c"}, {**now, "lod": 1}):
            said = []
            for study in (remote, local):
                with pytest.raises(ValueError) as error:
                    study.ask(context=wrong)
                said.append(str(error.value))
                with pytest.raises(ValueError) as error:
                    study.best(wrong)
                said.append(str(error.value))
            assert said[:2] == said[2:]
    again = server.study(name)
    assert again.contexts == contexts and again.copy().policy().rows == policy.rows
    result = canopy.maximize(lambda x, context: x, optimizer=again, context=lambda: now, pulls=5)
    assert [episode.context for episode in result.episodes] == [now] * 5
    assert server.create(name, space=LINE, contexts=contexts).contexts == contexts  # it exists
    with pytest.raises(canopy.StudyError, match=r"context\.load"):
        server.create(name, space=LINE, contexts={**contexts, "load": canopy.integer(0, 200)})
    with pytest.raises(ValueError, match=r"context\.tenant: the choices of a study must be strings"):
        server.create(f"{name} 2", space=LINE, contexts={"tenant": canopy.choice(1, 2)})


def test_several_pulls_come_with_one_request(server, name):
    study = server.create(name, space=LINE)
    pulls = study.ask(1, count=5)
    assert [number(pull) for pull in pulls] == [1, 2, 3, 4, 5]
    study.tell_all([(pull, pull.arm["x"]) for pull in pulls])
    assert study.summary().t == 6
    with pytest.raises(ValueError, match=r"ticket 3-\w+: the ticket is closed"):
        study.tell_all([(pulls[2], 1.0), (study.ask(1), 0.5)])
    assert study.summary().t == 7
    study.tell_all([])
    assert pickle.loads(pickle.dumps(pulls[0])).arm == pulls[0].arm


def test_a_copy_goes_on_in_memory(server, name):
    study = server.create(name, space=LINE, optimizer=canopy.Hct, rho=0.6)
    assert study.copy().summary().t == 1
    canopy.maximize(lambda x: 1 - x, optimizer=study, pulls=50)
    copy = study.copy()
    assert isinstance(copy, canopy.Hct) and copy.options["rho"] == 0.6
    copy.tell(copy.ask(1), 0.5)
    assert (copy.summary().t, study.summary().t) == (52, 51)


def test_the_range_of_rewards_changes_on_the_way(server, name):
    study = server.create(name, space=LINE, optimizer="hct", reward_range=(0, 1))
    with pytest.warns(canopy.RangeWarning, match="does not fit the rewards so far"):
        for i in range(130):
            study.tell(study.ask(1), 50.0 + i)
    study.set_reward_range((0, 200))
    assert study.reward_range == (0, 200)
    assert "range" in [event["kind"] for event in study.events()]
    assert study.copy().reward_range == (0, 200)
    study.set_reward_range("auto")
    assert server.study(name).reward_range == "auto"


def test_searches_run_on_it_unchanged(server, name, store):
    def noisy(x):
        return 1 - abs(x - 0.7) + 0.1 * math.sin(1000 * x)

    remote = canopy.maximize(noisy, optimizer=server.create(name, space=LINE), pulls=200)
    with canopy.Study.open("local", store, space=LINE) as study:
        local = canopy.maximize(noisy, optimizer=study, pulls=200)
    assert (remote.best, remote.summary, remote.rewards) == (local.best, local.summary, local.rewards)
    assert isinstance(remote.optimizer, canopy.Adaptive)
    cheaper = server.create(name + " cost", space=LINE, direction="minimize")
    assert canopy.minimize(lambda x: abs(x - 0.3), optimizer=cheaper, pulls=200).best.arm["x"] == pytest.approx(
        0.3, abs=0.1
    )
    with pytest.raises(ValueError, match="call canopy.minimize instead"):
        canopy.maximize(noisy, optimizer=cheaper, pulls=1)


def test_failures_are_penalized_as_everywhere(server, name):
    study = server.create(name, space=LINE)

    def measure(x):
        if x > 0.5:
            raise RuntimeError("too much")
        return x

    result = canopy.maximize(measure, optimizer=study, pulls=60, max_failures=50)
    assert result.failed == study.summary().penalized > 0
    assert result.best.arm["x"] <= 0.5
    with pytest.raises(canopy.FailuresError):
        canopy.maximize(lambda x: None, optimizer=study, pulls=60)


def test_a_policy_search_runs_on_it(server, name):
    class Drift:
        def reset(self, seed=None):
            self.x = 1.0
            return self.x, {}

        def step(self, action):
            self.x = 0.9 * self.x + action + 0.1
            return self.x, 1 - min(1, abs(self.x)), False, False, {}

    study = server.create(name, space={"gain": canopy.real(0, 1)})
    result = canopy.policy_search(Drift(), lambda theta, x: -theta["gain"] * x, steps=200, optimizer=study)
    assert result.pulls == 200 == study.summary().t - 1


# --- creating and finding studies ---


def test_studies_are_made_found_listed_and_deleted(server, name):
    made = server.create(name, space=SPACE, optimizer="hct", nu1=2.0)
    again = server.create(name, space=SPACE)  # it keeps its optimizer
    assert again.optimizer_name == "hct" and again.options["nu1"] == 2.0 and again.space == canopy.Space(SPACE)
    assert server.create(name, space=SPACE, nu1=2.0).name == name  # an option of its optimizer
    with pytest.raises(canopy.StudyError, match="created with other settings: optimizer.nu1 was 2") as refusal:
        server.create(name, space=SPACE, optimizer="hct", nu1=3.0)
    assert refusal.value.code == "differs"
    server.create(name, space=SPACE, confidence=0.8)
    assert server.study(name).confidence == 0.8 and not server.study(name).hard_range
    hard = server.create(name + "-hard", space=SPACE, reward_range=(0, 1), hard_range=True)
    assert hard.hard_range and server.study(name + "-hard").hard_range
    made.tell(made.ask(1), 0.5)
    record = next(each for each in server.studies() if each.name == name)
    assert isinstance(record, canopy.StudyRecord)
    assert (record.pulls, record.events, record.forked_from) == (1, 2, "")
    fork = server.create(name + " 2", space=SPACE, optimizer="grid", points=3, fork_of=name)
    assert fork.summary().observed == 1
    server.delete(name)
    with pytest.raises(canopy.StudyError, match="there is no study") as refusal:
        server.study(name)
    assert refusal.value.status == 404
    with pytest.raises(canopy.StudyError, match="there is no study"):
        made.ask()


def test_lists_are_asked_for_page_by_page(tmp_path):
    with Serving(tmp_path) as serving, canopy.connect(serving.url) as server:
        for i in range(7):
            server.create(f"study/{i}".replace("/", " "), space=LINE)
        page = server._call("GET", "/v1/studies?limit=3").body
        assert [each["name"] for each in page["studies"]] == ["study 0", "study 1", "study 2"]
        assert [each.name for each in server.studies()] == [f"study {i}" for i in range(7)]


def test_files_and_specifications_make_studies_as_well(server, name, tmp_path):
    toml = tmp_path / "study.toml"
    toml.write_text('direction = "minimize"\n[[space]]\nname = "x"\nlow = 0.0\nhigh = 1.0\n')
    study = server.create(name, file=toml)
    assert study.direction == "minimize"
    document = {"direction": "minimize", "space": [{"name": "x", "low": 0, "high": 1}]}
    assert server.create(name, specification=document).space == canopy.Space(LINE)
    (tmp_path / "study.json").write_text(json.dumps(document))
    assert server.create(name, file=tmp_path / "study.json").direction == "minimize"
    toml.write_text("[[space]]\n")
    with pytest.raises(ValueError, match="toml"):
        server.create(name, file=toml)
    with pytest.raises(FileNotFoundError):
        server.create(name, file=tmp_path / "none.toml")


def test_names_may_have_any_letters(server):
    for each in ("a b", "ü/ö".replace("/", "-"), "50%", "a?b=c&d#e", "+", "a..b"):
        study = server.create(each, space=LINE)
        study.tell(study.ask(1), 1.0)
        assert server.study(each).summary().t == 2
        server.delete(each)


def test_the_journal_is_read_page_by_page(server, name):
    study = server.create(name, space=LINE)
    study.tell_all([(pull, 0.5) for pull in study.ask(1, count=700)])
    entries = list(study.events())
    assert [entry["number"] for entry in entries] == list(range(1, 1401))
    assert entries[0]["kind"] == "ask" and entries[-1] == next(study.events(after=1399))
    assert list(study.events(after=1400)) == []


def test_commands_stop_a_study_and_let_it_go_on(server, name):
    study = server.create(name, space=LINE)
    study.tell(study.ask(1), 1.0)
    assert server.steer(name, "pause") == 1
    with pytest.raises(canopy.StudyError, match="stopped by the command pause") as refusal:
        until_refused(study)
    assert refusal.value.code == "paused" and study.state == "paused"
    assert server.steer(name, "resume") == 2
    wait_for(lambda: study.state != "paused")
    study.ask(1)
    assert [command.command for command in server.commands(name)] == ["pause", "resume"]
    assert server.commands(name, after=1)[0].by == "anonymous"
    with pytest.raises(canopy.StudyError, match="no baseline"):
        server.steer(name, "confirm", pulls=10)
    with pytest.raises(ValueError, match="command"):
        server.steer(name, "dance")


def until_refused(study):
    for _ in range(100):
        study.drop(study.ask(1))
        time.sleep(0.05)


def wait_for(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_pull_on_lease_comes_back(server, name):
    study = server.create(name, space=LINE, lease_seconds=0.3)
    left = study.ask(1)
    kept = study.ask(1, lease_seconds=60)
    wait_for(lambda: [pull.ticket for pull in study.in_flight()] == [kept.ticket])
    with pytest.raises(ValueError, match=f"ticket {left.ticket}: the ticket is closed"):
        study.tell(left, 1.0)


# --- errors ---


def refusals(study):
    study.tell(study.ask(1), 1.0)
    pull = study.ask(1)
    incarnation = str(pull.ticket).partition("-")[2]

    def ticket(number):
        return f"{number}-{incarnation}" if incarnation else number

    yield lambda: study.tell(ticket(999), 1.0)
    yield lambda: study.tell(ticket(1), 1.0)
    yield lambda: study.tell("a", 1.0)
    yield lambda: study.tell(pull, math.nan)
    yield lambda: study.tell(pull, [math.inf])
    yield lambda: study.tell(pull, 2e100)
    yield lambda: study.tell(pull, "1")
    yield lambda: study.tell(pull, None)
    yield lambda: study.tell(pull, [])
    yield lambda: study.tell(pull, [1.0, 2.0])
    yield lambda: study.tell(pull, canopy.Rewards(1, 5.0, 1.0))
    yield lambda: study.drop(ticket(999))
    yield lambda: study.penalize(ticket(999))
    yield lambda: study.penalize(pull, "a")
    yield lambda: study.observe(5, 1.0)
    yield lambda: study.observe({"x": 0.5}, [])
    yield lambda: study.observe({"y": 1}, 1.0)
    yield lambda: study.observe({"x": 2.0}, 1.0)
    yield lambda: study.bar({"x": "a"})
    yield lambda: study.ask(0)
    yield lambda: study.ask("a")


def test_wrong_values_are_refused_as_everywhere(server, store, name):
    remote = server.create(name, space=LINE)
    with canopy.Study.open("local", store, space=LINE) as local:
        for here, there in zip(refusals(remote), refusals(local)):
            with pytest.raises(ValueError) as ours:
                here()
            with pytest.raises(ValueError) as theirs:
                there()
            assert re.sub(r"(ticket \d+)-\w+", r"\1", str(ours.value)) == str(theirs.value)
        assert remote.summary() == local.summary()


def test_a_noticed_change_of_the_system_is_in_both_summaries(server, store, name):
    noise = random.Random(3)
    remote = server.create(name, space=LINE, drift="auto")
    with canopy.Study.open("local", store, space=LINE, drift="auto") as local:
        for number_of_pull in range(600):
            mine, theirs = remote.ask(1), local.ask(1)
            level = 0.0 if number_of_pull < 300 else -3.0
            reward = level + 1.0 - abs(mine.arm["x"] - 0.4) + noise.gauss(0.0, 0.1)
            for study, pull in ((remote, mine), (local, theirs)):
                study.tell(pull, reward)
        assert remote.summary() == local.summary()
        assert remote.summary().system_changes >= 1 and remote.summary().last_system_change.pull >= 300


def test_what_a_server_has_no_request_for_says_so(server, name):
    study = server.create(name, space=LINE)
    with pytest.raises(NotImplementedError, match="finish"):
        study.finish()


def test_metrics_and_rewards_of_the_baseline_reach_the_journal(server, name):
    study = server.create(name, space=LINE)
    pull = study.ask(1)
    study.tell(pull, 0.5, metrics={"p99": 31.5})
    study.observe({"x": 0.25}, [1.0, 2.0], metrics={"p99": 12})
    study.remember({"x": 0.75}, 3.0)
    with pytest.raises(ValueError, match=r'metrics\["p99"\] = nan: must be a finite number'):
        study.observe({"x": 0.25}, 1.0, metrics={"p99": float("nan")})
    events = server._call_study("GET", name, "/events").body["events"]
    assert [each["kind"] for each in events] == ["ask", "metrics", "tell", "metrics", "observe", "observe"]
    assert [each["metrics"] for each in events if "metrics" in each] == [{"p99": 31.5}, {"p99": 12.0}]
    assert [each["arm"]["x"] for each in events if "metrics" in each] == [pull.arm["x"], 0.25]
    assert events[-1]["role"] == "baseline"
    assert study.summary().observed == 2


def test_a_failure_before_the_first_reward_needs_one(server, name):
    study = server.create(name, space=LINE)
    with pytest.raises(ValueError, match="there is no reward yet to derive the penalty of a failure from"):
        study.penalize(study.ask(1))
    assert study.failure_reward() is None


def test_arguments_are_checked_before_anything_is_sent(tmp_path):
    with pytest.raises(ValueError, match="must begin with http"):
        canopy.connect("localhost:8731")
    with pytest.raises(ValueError, match="give the token as token="):
        canopy.connect("http://me:secret@localhost:8731")
    with pytest.raises(ValueError, match="token: must be a token printed by"):
        canopy.connect("http://localhost:8731", "two\r\nlines")
    with pytest.raises(ValueError, match="timeout"):
        canopy.connect("http://localhost:8731", timeout=0)
    server = canopy.connect("http://127.0.0.1:9", retry_seconds=0)
    with pytest.raises(ValueError, match="give one of"):
        server.create("a")
    with pytest.raises(ValueError, match="must be left out"):
        server.create("a", specification={}, direction="minimize")
    with pytest.raises(ValueError, match="choices of a study must be strings"):
        server.create("a", space={"x": canopy.choice(1, 2)})
    with pytest.raises(ValueError, match="has no such option"):
        server.create("a", space=LINE, optimizer="hct", horizon=3)
    with pytest.raises(ValueError, match="name"):
        server.study(5)


def test_an_unreachable_server_is_a_store_error():
    server = canopy.connect("http://127.0.0.1:9", retry_seconds=0.3)
    started = time.monotonic()
    with pytest.raises(canopy.StoreError, match="http://127.0.0.1:9: cannot be reached"):
        server.studies()  # raises at once, not when the first study is requested
    with pytest.raises(canopy.StoreError, match="cannot be reached"):
        list(server.studies())
    assert time.monotonic() - started < 5


def test_the_token_is_never_shown():
    server = canopy.connect("http://localhost:8731", "canopy_secret")
    assert repr(server) == "<canopy.Server http://localhost:8731>"
    assert "secret" not in str(vars(server))
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(server)


def test_tokens_and_roles(tmp_path):
    tokens = {role: new_token(tmp_path, role, role) for role in ("read", "work", "admin")}
    tokens["mine"] = new_token(tmp_path, "mine", "work", studies="mine-*")
    with Serving(tmp_path, "--tokens", "tokens.toml") as serving:
        by = {role: canopy.connect(serving.url, token, retry_seconds=2) for role, token in tokens.items()}
        study = by["work"].create("mine-1", space=LINE)
        by["work"].create("other", space=LINE)
        study.tell(study.ask(1), 0.5)
        seen = by["read"].study("mine-1")
        assert seen.best().mean == 0.5 and seen.summary().t == 2 and len(seen.tree()) > 1
        with pytest.raises(
            PermissionError, match="this request needs the role work; the token has the role read"
        ) as refusal:
            seen.ask()
        assert (refusal.value.code, refusal.value.status) == ("forbidden", 403)
        with pytest.raises(PermissionError, match="role work"):
            seen.copy()
        assert study.copy().summary().t == 2  # which leaves a snapshot
        assert seen.copy().summary().t == 2
        with pytest.raises(PermissionError, match="role admin"):
            by["work"].delete("mine-1")
        assert [each.name for each in by["mine"].studies()] == ["mine-1"]
        with pytest.raises(PermissionError, match="does not cover this study"):
            by["mine"].study("other")
        assert by["admin"].steer("mine-1", "pause") == 1
        assert by["read"].commands("mine-1")[0].by == "admin"
        by["admin"].delete("mine-1")
        for wrong, what in ((None, "this request needs a token"), ("canopy_nobody", "there is no such token")):
            with pytest.raises(PermissionError, match=what):
                canopy.connect(serving.url, wrong).studies()


def test_too_many_requests_are_made_more_slowly(tmp_path):
    token = new_token(tmp_path, "slow", "work", requests_per_second=4)
    with Serving(tmp_path, "--tokens", "tokens.toml") as serving:
        server = canopy.connect(serving.url, token, retry_seconds=30)
        started = time.monotonic()
        study = server.create("a", space=LINE)
        for _ in range(4):
            study.drop(study.ask(1))
        assert time.monotonic() - started > 1
        assert len(list(study.events())) == 8
        impatient = canopy.connect(serving.url, token, retry_seconds=0)
        with pytest.raises(canopy.StoreError, match="4 requests a second"):
            for _ in range(20):
                impatient.study("a")


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
def test_https_with_a_certificate_of_ones_own(tmp_path):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem",
         "-days", "2", "-subj", "/CN=canopy", "-addext", "subjectAltName=IP:127.0.0.1"],
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip
    token = new_token(tmp_path, "me", "work")
    arguments = ["--tokens", "tokens.toml", "--certificate", "cert.pem", "--key", "key.pem"]
    with Serving(tmp_path, *arguments) as serving:
        assert serving.url.startswith("https://")
        server = canopy.connect(serving.url, token, ca_file=tmp_path / "cert.pem")
        study = server.create("a", space=LINE)
        assert canopy.maximize(lambda x: x, optimizer=study, pulls=30).pulls == 30
        with pytest.raises(canopy.StoreError, match="its certificate cannot be trusted"):
            canopy.connect(serving.url, token).study("a")
        wrong_name = serving.url.replace("127.0.0.1", "localhost")
        with pytest.raises(canopy.StoreError, match="its certificate cannot be trusted"):
            canopy.connect(wrong_name, token, ca_file=tmp_path / "cert.pem").study("a")


# --- concurrent clients and failing networks ---


def test_many_threads_share_a_study(server, name):
    study = server.create(name, space=LINE, lease_seconds=60)
    told, errors = [], []

    def work():
        try:
            for _ in range(25):
                pull = study.ask(1)
                study.tell(pull, 1 - abs(pull.arm["x"] - 0.5))
                told.append(number(pull))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert sorted(told) == list(range(1, 401))
    assert study.summary().t == 401 and study.in_flight() == []


class Proxy:
    """A proxy that loses answers of the server, or requests before they arrive."""

    def __init__(self, port, seed):
        self.target = port
        self.chance = random.Random(seed)
        self.lost = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            with client, socket.create_connection(("127.0.0.1", self.target)) as upstream:
                while request := whole_message(client):
                    fate = self.chance.random()
                    if fate < 0.1:
                        self.lost += 1
                        return
                    upstream.sendall(request)
                    answer = whole_message(upstream)
                    if fate < 0.3:
                        self.lost += 1
                        return
                    if fate < 0.35:
                        self.lost += 1
                        client.sendall(answer[: len(answer) // 2])
                        return
                    client.sendall(answer)
        except OSError:
            return

    def close(self):
        self.listener.close()


def whole_message(connection):
    """A request or an answer with its body."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return data
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    missing = int(lengths[0]) - len(body) if lengths else 0
    while missing > 0:
        more = connection.recv(65536)
        if not more:
            return data
        data += more
        missing -= len(more)
    return data


def test_lost_answers_are_asked_for_again_and_nothing_happens_twice(serving, name):
    seed = random.randrange(2**32)
    print("seed", seed)
    proxy = Proxy(serving.port, seed)
    server = canopy.connect(proxy.url, retry_seconds=60)
    study = server.create(name, space=LINE)
    told, errors = [], []

    def work():
        try:
            for i in range(20):
                pull = study.ask(1)
                if i % 5 == 4:
                    study.drop(pull)
                else:
                    study.tell(pull, 0.25)
                    told.append(number(pull))
            study.observe({"x": 0.5}, 0.25)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    server.create(name + " 2", space=LINE, optimizer="hct", fork_of=name)
    assert not errors
    assert proxy.lost > 10
    direct = canopy.connect(serving.url).study(name)
    summary = direct.summary()
    assert (summary.t, summary.observed, summary.in_flight) == (65, 4, 0)
    assert sorted(told + [e["ticket"] for e in direct.events() if e["kind"] == "drop"]) == list(range(1, 81))
    kinds = [event["kind"] for event in direct.events()]
    assert {kind: kinds.count(kind) for kind in sorted(set(kinds))} == {"ask": 80, "drop": 16, "observe": 4, "tell": 64}
    server.delete(name)
    proxy.close()


def test_a_command_is_not_repeated_when_its_answer_is_lost(serving, name):
    canopy.connect(serving.url).create(name, space=LINE)
    proxy = Proxy(serving.port, 1)
    proxy.chance.random = lambda: 0.2  # every answer
    with pytest.raises(canopy.StoreError, match="the connection was lost before the answer"):
        canopy.connect(proxy.url, retry_seconds=5).steer(name, "pause")
    assert [command.command for command in canopy.connect(serving.url).commands(name)] == ["pause"]
    proxy.close()


def test_a_server_that_is_killed_and_comes_back_is_not_noticed(tmp_path):
    serving = Serving(tmp_path)
    serving.start()
    server = canopy.connect(serving.url, retry_seconds=60)
    study = server.create("a", space=LINE)
    told, errors, done = [], [], threading.Event()

    def work():
        try:
            while not done.is_set():
                pull = study.ask(1)
                study.tell(pull, 1 - abs(pull.arm["x"] - 0.5))
                told.append(number(pull))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        before = len(told)
        wait_for(lambda: len(told) > before + 30)  # noqa: B023
        serving.stop(signal.SIGKILL)
        time.sleep(0.2)
        serving.start()
    done.set()
    for thread in threads:
        thread.join()
    assert not errors
    told.sort()
    assert told == list(range(1, len(told) + 1))
    assert study.summary().t == len(told) + 1 and study.in_flight() == []
    serving.stop()


class Redirector:
    """A server that redirects all requests to another one, as servers with one database do."""

    def __init__(self, target):
        self.target = target
        self.asked = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with client:
                path = whole_message(client).split(b" ")[1].decode()
                self.asked += 1
                client.sendall(
                    f"HTTP/1.1 307 Temporary Redirect\r\nLocation: {self.target()}{path}\r\n"
                    "Content-Length: 0\r\nConnection: close\r\n\r\n".encode()
                )


def test_another_server_that_has_the_study_is_asked_and_forgotten_when_it_is_gone(serving, name):
    canopy.connect(serving.url).create(name, space=LINE)
    places = [serving.url]
    first = Redirector(lambda: places[0])
    study = canopy.connect(first.url, retry_seconds=20).study(name)
    for _ in range(5):
        study.drop(study.ask(1))
    assert first.asked == 1  # and then remembered
    with socket.create_server(("127.0.0.1", 0)) as gone:
        nobody = f"http://127.0.0.1:{gone.getsockname()[1]}"
    study.server._wire._go_to(name, f"{nobody}/v1/studies")
    study.drop(study.ask(1))
    assert first.asked == 2
    first.listener.close()


def test_a_server_that_dies_is_replaced_by_another_with_the_same_database(tmp_path):
    def serving(name, address):
        (tmp_path / name).mkdir()
        port = free_port()
        return Serving(tmp_path / name, "--advertise", f"http://127.0.0.1:{port}", port=port, store=address)

    with new_database(tmp_path) as address, serving("second", address) as second:
        first = serving("first", address)
        first.start()
        canopy.connect(first.url).create("a", space=LINE).ask(1)  # so the first server holds it
        study = canopy.connect(second.url, retry_seconds=60).study("a")
        told, errors, done = [], [], threading.Event()

        def work():
            try:
                while not done.is_set():
                    pull = study.ask(1)
                    study.tell(pull, 1 - abs(pull.arm["x"] - 0.5))
                    told.append(number(pull))
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        wait_for(lambda: len(told) > 30)
        assert str(study.server._wire._places["a"]) == first.url
        first.stop(signal.SIGKILL)
        killed, before = time.monotonic(), len(told)
        wait_for(lambda: len(told) > before + 30)
        assert time.monotonic() - killed < 20
        done.set()
        for thread in threads:
            thread.join()
        assert not errors
        assert sorted(told) == list(range(2, len(told) + 2))
        assert study.summary().t == len(told) + 1
        assert [number(pull) for pull in study.in_flight()] == [1]
        assert "a" not in study.server._wire._places


def test_a_token_is_not_sent_where_it_would_travel_in_the_clear():
    server = canopy.connect("https://127.0.0.1:9", "canopy_secret")
    with pytest.raises(canopy.StoreError, match="unencrypted"):
        server._wire._go_to("a", "http://example.com/v1/studies/a/asks")
