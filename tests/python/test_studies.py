import contextlib
import copy
import json
import os
import random
import sqlite3
import subprocess
import sys
import threading
import warnings

import canopy
import pytest
from canopy import _canopy
from hypothesis import given
from hypothesis import strategies as st
from test_simulation import tool

SPACE = {"x": canopy.real(1, 100, log=True), "k": canopy.integer(1, 9), "mode": canopy.choice("fast", 'qu"oted\\')}


def hill(x, k, mode):
    return 0.5 + 0.3 * (mode == "fast") - abs(k - 5) / 20 - abs(x - 30) / 500


@pytest.mark.parametrize(
    ("optimizer", "options"), [("adaptive", {"coverage": 0.5}), ("hct", {"feedback": "correlated", "rho": 0.6})]
)
def test_a_study_goes_on_where_it_was(store, optimizer, options):
    with canopy.Study.open("a", store, space=SPACE, optimizer=optimizer, **options) as study:
        canopy.maximize(hill, optimizer=study, pulls=40)
        kept = study.ask(1)  # still in flight when the study is closed
    with canopy.Study.open("a", store) as study:
        assert study.summary().t == 41 and study.space == canopy.Space(SPACE)
        assert options.items() <= study.options.items()
        (pull,) = study.in_flight()
        assert (pull.ticket, pull.arm) == (kept.ticket, kept.arm)
        study.tell(pull, 0.5)
        canopy.maximize(hill, optimizer=study, pulls=40)
        state = study.save()
    opt = canopy.make_optimizer(optimizer, SPACE, **options)  # the same without an interruption
    canopy.maximize(hill, optimizer=opt, pulls=40)
    opt.tell(opt.ask(1), 0.5)
    canopy.maximize(hill, optimizer=opt, pulls=40)
    assert opt.save() == state


def test_a_study_may_be_in_postgresql(postgres):
    address = postgres + "&password=secret"
    with canopy.Study.open("a", address, space=SPACE) as study:
        canopy.maximize(hill, optimizer=study, pulls=40)
        with pytest.raises(canopy.StudyError, match="is open elsewhere"):
            canopy.Study.open("a", address)
        assert "password=***" in repr(study) and "secret" not in repr(study)
    with canopy.Study.open("a", address) as study:
        assert study.summary().t == 41
        state = study.save()
    opt = canopy.Adaptive(SPACE)
    canopy.maximize(hill, optimizer=opt, pulls=40)
    assert opt.save() == state
    assert canopy.load_optimizer("a", address).save() == state
    assert len(canopy.load_result("a", address).rewards) == 40
    assert [record.name for record in canopy.studies(address)] == ["a"]
    with pytest.raises(canopy.StoreError, match="cannot be reached") as raised:
        canopy.studies("postgresql://me:secret@127.0.0.1:1/db")
    assert "secret" not in str(raised.value)


def test_a_killed_process_leaves_its_study_in_postgresql_for_seconds_only(postgres):
    code = (
        "import canopy, os, sys\n"
        "study = canopy.Study.open('killed', sys.argv[1], space={'x': canopy.real(0, 1)})\n"
        "study.tell(study.ask(1), 0.5)\n"
        "os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", code, postgres]).returncode == -9
    with canopy.Study.open("killed", postgres) as study:
        assert study.summary().t == 2


def test_pulls_that_a_killed_process_left_are_played_first(store):
    code = (
        "import canopy, os, sys\n"
        "study = canopy.Study.open('a', sys.argv[1], space={'x': canopy.real(0, 1)})\n"
        "canopy.maximize(lambda x: os._exit(9) if study.summary().t > 30 else x, optimizer=study, pulls=100)"
    )
    assert subprocess.run([sys.executable, "-c", code, store]).returncode == 9
    opt = canopy.Adaptive({"x": canopy.real(0, 1)})
    canopy.maximize(lambda x: x, optimizer=opt, pulls=70)
    with canopy.Study.open("a", store) as study:
        assert study.summary().t == 31 and study.summary().in_flight == 1
        canopy.maximize(lambda x: x, optimizer=study, pulls=40)
        assert study.best() == opt.best() and study.tree() == opt.tree()


def test_the_command_line_reads_what_python_wrote_and_the_other_way_round(store, root, tmp_path):
    with canopy.Study.open("a", store, space=SPACE) as study:
        canopy.maximize(hill, optimizer=study, pulls=60)
        best = study.best()
    shown = subprocess.run(
        [tool(root), "best", "a", "--store", store], check=True, capture_output=True, text=True
    ).stdout
    assert f"k = {best.arm['k']}," in shown and f"mode = {best.arm['mode']}" in shown

    file = tmp_path / "study.toml"
    file.write_text('[[space]]\nname = "x"\nlow = 0.0\nhigh = 1.0\n')
    lines = '{"op":"ask","pulls":1}\n{"op":"tell","ticket":1,"reward":0.25}\n{"op":"ask","pulls":1}\n'
    pipe = [tool(root), "pipe", file, "--study", "b", "--store", store]
    subprocess.run(pipe, input=lines, check=True, capture_output=True, text=True)
    with canopy.Study.open("b", store, file=file) as study:
        assert study.best().mean == 0.25 and study.summary().in_flight == 1
    assert [(each.name, each.pulls) for each in canopy.studies(store)] == [("a", 60), ("b", 1)]


def test_the_command_line_is_locked_out_and_so_are_we(store, root, tmp_path):
    file = tmp_path / "study.toml"
    file.write_text('[[space]]\nname = "x"\nlow = 0.0\nhigh = 1.0\n')
    pipe = [tool(root), "pipe", file, "--study", "a", "--store", store]
    with canopy.Study.open("a", store, file=file):
        refused = subprocess.run(pipe, input="", capture_output=True, text=True)
        assert refused.returncode == 1 and f"open elsewhere: pid {os.getpid()}" in refused.stderr
        with pytest.raises(canopy.StudyError, match="open elsewhere"):
            canopy.Study.open("a", store)
    process = subprocess.Popen(pipe, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdin.write('{"op":"best"}\n')
    process.stdin.flush()
    process.stdout.readline()
    with pytest.raises(canopy.StudyError, match=f"open elsewhere: pid {process.pid}"):
        canopy.Study.open("a", store)
    assert canopy.load_optimizer("a", store).summary().t == 1  # reading needs no lock
    process.communicate()
    canopy.Study.open("a", store).close()


def test_what_was_told_is_on_the_disk_at_once_and_a_batch_at_its_end(store):
    with canopy.Study.open("a", store, space=SPACE) as study:
        study.tell(study.ask(1), 0.5)
        assert canopy.load_optimizer("a", store).summary().t == 2
        with study.batch():
            for _ in range(10):
                study.tell(study.ask(1), 0.5)
            assert canopy.load_optimizer("a", store).summary().t == 2
        assert canopy.load_optimizer("a", store).summary().t == 12
    assert canopy.load_optimizer("a", store).options == study.options


def test_a_result_can_be_read_from_the_store(store):
    with canopy.Study.open("a", store, space=SPACE) as study:
        played = canopy.maximize(hill, optimizer=study, pulls=80)
        result = canopy.load_result("a", store)
    assert result.rewards == played.rewards
    assert [(each.ticket, each.arm, each.first) for each in result.episodes] == [
        (each.ticket, each.arm, each.first) for each in played.episodes
    ]
    assert result.to_frame()["mean"].tolist() == played.to_frame()["mean"].tolist()


def test_another_study_of_that_name_is_refused_and_can_be_forked(store):
    with canopy.Study.open("a", store, space=SPACE) as study:
        study.tell(study.ask(1), 0.5)
    with pytest.raises(
        canopy.StudyError, match="created with other settings: optimizer.coverage was 0.06 and is 0.5; fork= starts a"
    ):
        canopy.Study.open("a", store, space=SPACE, coverage=0.5)
    with canopy.Study.open("a", store, fork="b") as fork:
        assert fork.summary().t == 2 and fork.name == "b"
    assert [each.forked_from for each in canopy.studies(store)] == ["", "a"]


@pytest.mark.parametrize(
    "changes",
    [{"coverage": 1}, {"optimizer": "grid"}, {"direction": "minimize"}, {"coverage": 1, "reward_range": (0, 2)}],
)
def test_a_fork_with_other_settings_carries_the_history_over(store, changes):
    with canopy.Study.open("a", store, space=SPACE) as study:
        arms = [pull.arm for pull in (study.ask(1) for _ in range(3))]
        study.tell(1, 0.5)
        study.tell(2, [0.7])
        study.observe(arms[0], [0.1, 0.2])
    with canopy.Study.open("a", store, space=SPACE, fork="b", **changes) as fork:
        assert (fork.summary().t, fork.summary().observed, fork.summary().in_flight) == (1, 4, 0)
        fork.tell(fork.ask(1), 0.5)
    with canopy.Study.open("b", store) as fork:
        assert (fork.summary().t, fork.summary().observed) == (2, 4)
    assert [each.forked_from for each in canopy.studies(store)] == ["", "a"]
    result = canopy.load_result("b", store)
    assert [each.arm for each in result.episodes[:2]] == [arms[0], arms[1]] and result.pulls == 5


def test_a_study_keeps_the_optimizer_it_was_made_with(store):
    with canopy.Study.open("old", store, space=SPACE, optimizer="hct", rho=0.6) as study:
        study.tell(study.ask(1), 0.5)
    with canopy.Study.open("old", store, space=SPACE, rho=0.6) as study:
        assert study.optimizer_name == "hct" and study.summary().t == 2
    with canopy.Study.open("old", store, space=SPACE, rho=0.6, fork="fork") as fork:
        assert fork.optimizer_name == "hct" and fork.summary().t == 2
    with canopy.Study.open("new", store, space=SPACE) as study:
        assert study.optimizer_name == "adaptive"
    with pytest.raises(canopy.StudyError, match="optimizer.name was 'hct' and is 'adaptive'"):
        canopy.Study.open("old", store, space=SPACE, optimizer="adaptive")


@pytest.mark.parametrize(("first", "second"), [("auto", (0, 200)), ((0, 1), (0, 200)), ((0, 1), "auto")])
def test_another_range_needs_no_fork(store, first, second):
    noise = random.Random(1)

    def measure(x, k, mode):
        return 100 * hill(x, k, mode) + noise.gauss(0, 5)

    with canopy.Study.open("a", store, space=SPACE, reward_range=first) as study:
        canopy.maximize(measure, optimizer=study, pulls=70)
        arms = [node.arm for node in study.tree()]
    with canopy.Study.open("a", store, space=SPACE, reward_range=second) as study:
        assert study.reward_range == second and [node.arm for node in study.tree()] == arms
        canopy.maximize(measure, optimizer=study, pulls=100)
        state = study.save()
        study.set_reward_range((-1, 1000))
        assert canopy.load_optimizer("a", store).reward_range == (-1, 1000)
        study.set_reward_range(second)
    for _ in range(2):
        with canopy.Study.open("a", store) as study:
            assert study.reward_range == second and study.summary().t == 171
    assert canopy.load_optimizer("a", store).reward_range == second
    assert canopy.load_optimizer("a", store).save() == state


@pytest.mark.parametrize("space", [None, SPACE])
def test_a_fork_begins_with_the_last_range_and_may_have_another(store, space):
    with canopy.Study.open("a", store, space=SPACE) as study:
        canopy.maximize(hill, optimizer=study, pulls=70)
        study.set_reward_range((0, 2))
        canopy.maximize(hill, optimizer=study, pulls=70)
    about = {} if space is None else {"space": space, "reward_range": (0, 3)}
    for _ in range(2):
        with canopy.Study.open("a", store, fork="b", **about) as fork:
            assert fork.reward_range == ((0, 2) if space is None else (0, 3)) and fork.summary().t == 141
    with canopy.Study.open("b", store) as fork:
        assert fork.reward_range == ((0, 2) if space is None else (0, 3))
        canopy.maximize(hill, optimizer=fork, pulls=70)
    with canopy.Study.open("a", store) as study:
        assert study.reward_range == (0, 2)


def test_a_fork_with_other_settings_begins_with_the_last_range(store):
    with canopy.Study.open("a", store, space=SPACE) as study:
        study.tell(study.ask(1), 0.5)
        study.set_reward_range((0, 2))
    edit_specification(store, lambda specification: specification["optimizer"].update(revision=99))
    with canopy.Study.open("a", store, fork="b") as fork:
        assert fork.reward_range == (0, 2) and fork.summary().observed == 1


def test_a_hard_range_belongs_to_a_study(store):
    about = {"space": {"k": canopy.integer(1, 3)}, "reward_range": (0, 1)}
    with canopy.Study.open("hard", store, hard_range=True, **about) as study:
        study.observe({"k": 1}, [0.2, 0.3])
        assert study.hard_range and study.best().assumes == "hard_range"
        with pytest.raises(ValueError, match="must be two numbers, because hard_range is set"):
            study.set_reward_range("auto")
    with canopy.Study.open("hard", store) as study:
        assert study.hard_range and study.best().assumes == "hard_range"
    with pytest.raises(canopy.StudyError, match="hard_range was true and is false"):
        canopy.Study.open("hard", store, **about)


def test_another_confidence_needs_no_fork(store):
    chance = random.Random(1)
    with canopy.Study.open("a", store, space={"k": canopy.integer(1, 3)}) as study:
        canopy.maximize(lambda k: k + chance.gauss(0, 1), optimizer=study, pulls=300)
        wide = study.best()
        assert study.confidence == wide.confidence == 0.95
    with canopy.Study.open("a", store, space={"k": canopy.integer(1, 3)}, confidence=0.8) as study:
        best = study.best()
        assert study.confidence == best.confidence == 0.8 and best.arm == wide.arm == {"k": 3}
        assert wide.lower < best.lower < best.mean == wide.mean
    assert canopy.load_optimizer("a", store).best() == best


def test_a_study_says_that_its_range_does_not_fit(store):
    with canopy.Study.open("a", store, space=SPACE, reward_range=(0, 1)) as study:
        with pytest.warns(canopy.RangeWarning, match=r"reward_range = \(0, 1\) does not fit") as caught:
            for number in range(120):
                pull = study.ask(1)
                study.tell(pull, 100 + 10 * hill(**pull.arm))
                assert len(caught) == (number >= 99)
        assert caught[0].filename == __file__
    with canopy.Study.open("b", store, space=SPACE, reward_range=(0, 1)) as study, pytest.warns(canopy.RangeWarning):
        canopy.maximize(lambda **arm: 100 + 10 * hill(**arm), optimizer=study, pulls=120)
    with canopy.Study.open("c", store, space=SPACE, reward_range=(0, 1)) as study, pytest.warns(canopy.RangeWarning):
        study.observe(study.ask(1).arm, [100 + i for i in range(100)])


def test_what_is_remembered_is_on_the_disk_and_not_searched(store):
    arm = {"x": 10.0, "k": 3, "mode": "fast"}
    with canopy.Study.open("a", store, space=SPACE) as study:
        study.remember(arm, [0.4, 0.5, 0.6])
        assert study.summary().observed == 0 and study.summary().t == 1
        assert study.estimate(arm).mean == pytest.approx(0.5)
        state = study.save()
    with canopy.Study.open("a", store) as study:
        assert study.save() == state and study.estimate(arm).pulls == 3
    assert canopy.load_result("a", store).pulls == 0


def test_a_study_keeps_metrics_and_an_optimizer_by_itself_takes_them(store):
    with canopy.Study.open("a", store, space=SPACE) as study:
        pull = study.ask(1)
        study.tell(pull, 0.5, metrics={"p99": 31.5})
        study.observe(pull.arm, [0.4, 0.6], {"p99": 30, "errors": 0})
        for wrong in ({"p99": float("nan")}, {"p99": "high"}, {1: 2.0}, [1.0]):
            with pytest.raises(ValueError, match="metrics"):
                study.observe(pull.arm, 0.5, wrong)
        assert study.summary().observed == 2
    optimizer = canopy.make_optimizer("adaptive", SPACE)
    optimizer.tell(optimizer.ask(1), 0.5, metrics={"p99": 31.5})
    assert optimizer.summary().t == 2


def test_a_fork_in_a_smaller_space_has_the_rewards_of_the_arms_that_are_left(store):
    with canopy.Study.open("a", store, space={"x": canopy.real(0, 1)}) as study:
        for x in (0.1, 0.2, 0.3, 0.6, 0.9):
            study.observe({"x": x}, 0.5)
    with canopy.Study.open("a", store, space={"x": canopy.real(0, 0.3)}, fork="b") as fork:
        assert fork.summary().observed == 3
    with canopy.Study.open("a", store, space={"y": canopy.real(0, 1)}, fork="c") as fork:
        assert fork.summary().observed == 0


def edit_specification(store, change):
    """Changes the specification of the only study in a store."""
    with contextlib.closing(sqlite3.connect(store)) as file, file:
        ((text,),) = file.execute("SELECT specification FROM studies")
        specification = json.loads(text)
        change(specification)
        file.execute("UPDATE studies SET specification = ?", [json.dumps(specification)])


def test_a_study_of_another_revision_can_be_looked_at_and_forked(store):
    with canopy.Study.open("a", store, space=SPACE) as study:
        canopy.maximize(hill, optimizer=study, pulls=30)
    edit_specification(store, lambda specification: specification["optimizer"].update(revision=99))
    with pytest.warns(UserWarning, match="created with revision 99 of adaptive, and this canopy has") as caught:
        looked_at = canopy.load_optimizer("a", store)
    assert caught[0].filename == __file__
    assert looked_at.summary().observed == 30 and looked_at.summary().t == 1
    with pytest.warns(UserWarning, match="revision 99") as caught:
        result = canopy.load_result("a", store)
    assert caught[0].filename == __file__ and result.pulls == 30
    for arguments in ({}, {"space": SPACE}):
        with pytest.raises(canopy.StudyError, match="revision 99 of adaptive.*; fork= starts a new study"):
            canopy.Study.open("a", store, **arguments)
    for number, arguments in enumerate(({}, {"space": SPACE})):
        with canopy.Study.open("a", store, fork=f"b{number}", **arguments) as fork:
            assert fork.summary().observed == 30
            canopy.maximize(hill, optimizer=fork, pulls=30)
            assert fork.summary().t == 31
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert canopy.load_optimizer("b0", store).summary().observed == 30


def test_a_damaged_specification_is_named(store):
    canopy.Study.open("a", store, space=SPACE).close()
    edit_specification(store, lambda specification: specification["space"][0].update(low="high"))
    for look in (canopy.Study.open, canopy.load_optimizer, canopy.load_result):
        with pytest.raises(canopy.StudyError, match="space.x.low"):
            look("a", store)


def test_the_history_of_an_optimizer_that_is_not_known_here_can_still_be_read(store):
    with canopy.Study.open("a", store, space=SPACE) as study:
        study.tell(study.ask(1), 0.5)
    edit_specification(store, lambda specification: specification["optimizer"].update(name="hct9000"))
    assert [rewards for *_, rewards, _ in _canopy.history_of(store, "a")] == [[0.5]]
    for look in (canopy.Study.open, canopy.load_optimizer):
        with pytest.raises((ValueError, canopy.StudyError), match="hct9000"):
            look("a", store)


ODD = [
    'a "b"',
    "it's",
    "[x]",
    "a.b",
    "a = 1",
    "# no",
    "back\\slash",
    "ünï",
    "日本",
    "line\nbreak",
    "tab\t",
    "\x7f",
    "🌲",
    " ",
]


def test_a_study_keeps_odd_names_and_choices(store):
    space = {name: canopy.real(0, 1) for name in ODD} | {"choices": canopy.choice(*ODD, "")}
    for name in ('qu"ote', "it's [a] = # study", "ünï 日本 🌲"):
        with canopy.Study.open(name, store, space=space) as study:
            pull = study.ask(1)
            assert list(pull.arm) == [*ODD, "choices"]
            study.tell(pull, 0.5)
        with canopy.Study.open(name, store, space=space) as study:
            assert study.space == canopy.Space(space) and study.best().arm == pull.arm and study.name == name
    assert len(canopy.studies(store)) == 3


EXACT = [0.1 + 0.2, 1 / 3, 5e-324, 1.7976931348623157e308, 1e-50, 123456789.12345679, 1e22, 9007199254740993.0]


def test_a_study_keeps_every_number_to_the_last_bit(store):
    space = {f"x{i}": canopy.real(-value, value) for i, value in enumerate(EXACT[:2] + EXACT[4:])}
    space["log"] = canopy.real(5e-324, 1.7e308, log=True)
    space["k"] = canopy.integer(-(2**53), 2**53)
    about = {"nu1": 1 / 3, "rho": 0.1 + 0.2, "delta": 1e-17, "reward_range": (-1 / 3, 1e300 / 7)}
    with canopy.Study.open("a", store, space=space, optimizer="hct", **about) as study:
        kept = study.ask(1)
    with canopy.Study.open("a", store) as study:
        assert study.space == canopy.Space(space) and study.reward_range == about["reward_range"]
        assert {name: study.options[name] for name in ("nu1", "rho", "delta")} == {
            name: about[name] for name in ("nu1", "rho", "delta")
        }
        assert [pull.arm for pull in study.in_flight()] == [kept.arm]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
NUMBERS = st.floats(-1e100, 1e100, allow_nan=False)
PARAMETERS = st.one_of(
    st.lists(NUMBERS, min_size=2, max_size=2, unique=True).map(lambda ends: canopy.real(*sorted(ends))),
    st.lists(st.integers(-(2**53), 2**53), min_size=2, max_size=2, unique=True).map(
        lambda ends: canopy.integer(*sorted(ends))
    ),
    st.lists(st.integers(1, 2**53), min_size=2, max_size=2, unique=True).map(
        lambda ends: canopy.integer(*sorted(ends), log=True)
    ),
    st.integers(1, 100).map(lambda step: canopy.integer(-100, 200, step=step)),
    st.lists(TEXTS, min_size=2, max_size=4, unique=True).map(canopy.choice),
)


@given(st.dictionaries(TEXTS, PARAMETERS, min_size=1, max_size=4), st.sampled_from(list(canopy.optimizers())[:3]))
def test_whatever_the_space_is_a_study_reads_back_as_it_was_made(tmp_path_factory, space, optimizer):
    store = tmp_path_factory.mktemp("studies") / "canopy.db"
    try:
        study = canopy.Study.open("a", store, space=space, optimizer=optimizer)
    except ValueError as error:
        assert "space" in str(error)  # refused before anything is stored
        return
    with study:
        arm = study.ask(1).arm
    with canopy.Study.open("a", store, space=space, optimizer=optimizer) as again:
        assert again.space == canopy.Space(space) and [pull.arm for pull in again.in_flight()] == [arm]


def test_threads_may_share_a_study(store):
    with canopy.Study.open("a", store, space=SPACE) as study:

        def work():
            for _ in range(50):
                pull = study.ask(1)
                study.tell(pull, hill(**pull.arm))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert study.summary().t == 201
        state = study.save()
    assert canopy.load_optimizer("a", store).save() == state


def together(*works):
    """Runs functions concurrently, each on its own thread, and raises their exceptions."""
    errors = []

    def run(work):
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=[work]) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_many_threads_ask_tell_observe_and_look_at_once(store):
    with canopy.Study.open("a", store, space=SPACE) as study:
        arm = study.ask(1).arm
        study.drop(1)
        tickets = []

        def tell():
            for _ in range(40):
                pull = study.ask(1)
                tickets.append(pull.ticket)
                study.tell(pull, hill(**pull.arm))

        def drop():
            for _ in range(40):
                study.drop(study.ask(2))

        def observe():
            for _ in range(40):
                study.observe(arm, 0.5)

        def look():
            for _ in range(40):
                study.tree(), study.best(), study.summary(), study.in_flight(), study.copy()

        together(*[tell] * 4, drop, observe, look)
        assert len(set(tickets)) == 160
        summary = study.summary()
        assert (summary.t, summary.observed, summary.in_flight) == (161, 40, 0)
        state = study.save()
    with canopy.Study.open("a", store) as study:
        assert study.save() == state
    assert canopy.load_result("a", store).pulls == 200


def test_what_a_call_has_answered_is_on_the_disk_whatever_others_do(store):
    """A batch on one thread does not keep other threads from writing to the disk."""
    begun, go_on = threading.Event(), threading.Event()
    with canopy.Study.open("a", store, space=SPACE) as study:

        def in_a_batch():
            with study.batch():
                study.tell(study.ask(1), 0.5)
                begun.set()
                go_on.wait()
                study.tell(study.ask(1), 0.5)

        def beside_it():
            begun.wait()
            study.tell(study.ask(1), 0.5)
            try:
                assert canopy.load_optimizer("a", store).summary().t >= 2
            finally:
                go_on.set()

        together(in_a_batch, beside_it)
        assert canopy.load_optimizer("a", store).summary().t == 4


def test_batches_nest_and_commit_when_they_end_by_an_exception(store):
    with canopy.Study.open("a", store, space=SPACE) as study:
        with pytest.raises(ZeroDivisionError), study.batch(), study.batch():
            study.tell(study.ask(1), 0.5)
            raise ZeroDivisionError
        assert canopy.load_optimizer("a", store).summary().t == 2


def test_a_study_that_is_closed_under_its_threads_says_so(store):
    study = canopy.Study.open("a", store, space=SPACE)
    told = []

    def work():
        with contextlib.suppress(canopy.StudyError):
            while True:
                study.tell(study.ask(1), 0.5)
                told.append(1)

    def close():
        while len(told) < 20:
            pass
        study.close()

    together(work, work, close)
    assert not study.is_open
    assert len(told) <= canopy.load_optimizer("a", store).summary().t - 1 <= len(told) + 2


def test_a_copy_of_a_study_is_in_memory_and_its_own(store):
    with canopy.Study.open("a", store, space=SPACE) as study:
        canopy.maximize(hill, optimizer=study, pulls=40)
        open_pull = study.ask(1)
        before = study.save()
        other = study.copy()
        assert type(other) is canopy.Adaptive and other.save() == before and other.options == study.options
        other.tell(open_pull, 0.9)
        canopy.maximize(hill, optimizer=other, pulls=40)
        assert study.save() == before and study.summary().in_flight == 1
        with pytest.raises(TypeError, match="cannot be pickled"):
            copy.copy(study)
    assert other.summary().t == 82


def test_after_a_fork_the_study_is_the_parents(store):
    study = canopy.Study.open("a", store, space=SPACE)
    study.tell(study.ask(1), 0.5)
    reads, writes = os.pipe()
    holds, released = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(released)
        try:
            study.ask(1)
        except canopy.StudyError as error:
            os.write(writes, str(error).encode())
        del study
        os.read(holds, 1)  # stays alive with the inherited file descriptors
        os._exit(0)
    os.close(holds)
    assert b"opened before this process was forked, and cannot be used here" in os.read(reads, 1000)
    study.tell(study.ask(1), 0.5)
    study.close()
    with canopy.Study.open("a", store) as again:  # although the child is alive
        assert again.summary().t == 3
    os.close(released)
    os.waitpid(child, 0)


def test_a_child_cannot_open_what_its_parent_has_open(store):
    study = canopy.Study.open("a", store, space=SPACE)
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writes, repr(study).encode() + b"\n")
        with study:
            pass  # nothing to close here
        for look in (lambda: canopy.Study.open("a", store), lambda: canopy.load_optimizer("a", store)):
            try:
                look()
            except canopy.StoreError as error:
                os.write(writes, str(error).encode() + b"\n")
        os._exit(0)
    os.waitpid(child, 0)
    said = os.read(reads, 10000).decode().splitlines()
    assert said[0].endswith("closed>") and all("forked from; open it after the fork" in line for line in said[1:])
    assert len(said) == 3
    study.tell(study.ask(1), 0.5)
    study.close()


def test_a_child_can_open_another_store_whatever_threads_did_at_the_fork(store):
    code = (
        "import canopy, os, signal, sys, threading\n"
        "store, space = sys.argv[1], {'x': canopy.real(0, 1)}\n"
        "study = canopy.Study.open('a', store, space=space)\n"
        "stop = threading.Event()\n"
        "def use():\n"
        "    while not stop.is_set():\n"
        "        study.tell(study.ask(1), 0.5)\n"
        "def look(number):\n"
        "    while not stop.is_set():\n"
        "        canopy.Study.open('a', f'{store}{number}', space=space).close()\n"
        "threads = [threading.Thread(target=use) for _ in range(2)]\n"
        "threads += [threading.Thread(target=look, args=[number]) for number in range(2)]\n"
        "for thread in threads:\n"
        "    thread.start()\n"
        "for _ in range(60):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        signal.alarm(20)\n"
        "        with canopy.Study.open('a', store + '-other', space=space) as other:\n"
        "            other.tell(other.ask(1), 0.5)\n"
        "        try:\n"
        "            canopy.maximize(lambda x: x, optimizer=study, pulls=1)\n"
        "        except canopy.StudyError as error:\n"
        "            os._exit(0 if 'opened before this process was forked' in str(error) else 1)\n"
        "        os._exit(2)\n"
        "    ended = os.waitpid(child, 0)[1]\n"
        "    if ended != 0:\n"
        "        break\n"
        "stop.set()\n"
        "for thread in threads:\n"
        "    thread.join()\n"
        "study.close()\n"
        "assert ended == 0, ended\n"
    )
    subprocess.run([sys.executable, "-c", code, store], check=True, timeout=120)
    assert canopy.load_optimizer("a", store + "-other").summary().t == 61


def test_threads_may_search_one_study_together(store):
    errors = []
    with canopy.Study.open("a", store, space=SPACE) as study:

        def work():
            try:
                canopy.maximize(hill, optimizer=study, pulls=50)
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors and study.summary().t == 201


def test_a_result_outlives_its_study(store):
    with canopy.Study.open("a", store, space=SPACE) as study:
        result = canopy.maximize(hill, optimizer=study, pulls=30)
        best, tree = study.best(), study.tree()
    assert result.best == best and result.optimizer.tree() == tree and "30 pulls" in repr(result)


def test_a_study_recovers_when_its_store_can_be_read_again(store):
    study = canopy.Study.open("a", store, space=SPACE)
    study.tell(study.ask(1), 0.5)
    hidden = store + "-hidden"
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(store + suffix):
            os.rename(store + suffix, hidden + suffix)
    os.mkdir(store)
    errors = 0
    for _ in range(3):
        try:
            study.tell(study.ask(1), 0.5)
        except canopy.StoreError:
            errors += 1
    os.rmdir(store)
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(hidden + suffix):
            os.rename(hidden + suffix, store + suffix)
    told = study.summary().t
    study.tell(study.ask(1), 0.5)
    assert study.summary().t == told + 1
    study.close()


def test_a_store_that_was_moved_or_deleted_acknowledges_nothing(store):
    study = canopy.Study.open("a", store, space=SPACE)
    study.tell(study.ask(1), 0.5)
    os.rename(store, store + "-hidden")
    for _ in range(2):
        with pytest.raises(canopy.StoreError, match="was moved, deleted or replaced while it was open"):
            study.ask(1)
    with pytest.raises(canopy.StoreError, match="there is no such store"):
        canopy.Study.open("a", store)
    assert not os.path.exists(store)
    os.rename(store + "-hidden", store)
    study.tell(study.ask(1), 0.5)
    study.close()
    assert canopy.load_optimizer("a", store).summary().t == 3


def test_a_closed_study_says_so(store):
    study = canopy.Study.open("a", store, space=SPACE)
    study.close()
    study.close()
    assert repr(study) == f"<canopy.Study a in {store}, closed>"
    with pytest.raises(canopy.StudyError, match="the study a is closed"):
        study.ask(1)


def test_a_study_that_is_closed_while_the_program_ends_lets_it_end(store):
    code = (
        "import canopy, os, sys, threading\n"
        "class Owner:\n"
        "    def __init__(self):\n"
        "        self.study = canopy.Study.open('a', sys.argv[1], space={'x': canopy.real(0, 1)})\n"
        "    def work(self):\n"
        "        while True:\n"
        "            self.study.tell(self.study.ask(1), 0.5)\n"
        "    def __del__(self, write=os.write):\n"
        "        self.study.tell(self.study.ask(1), 0.5)\n"
        "        self.study.close()\n"
        "        write(1, b'closed')\n"
        "owner = Owner()\n"
        "if sys.argv[2] == 'busy':\n"
        "    threading.Thread(target=Owner.work, args=[owner], daemon=True).start()\n"
    )
    for kind in ("alone", "busy"):
        run = [sys.executable, "-c", code, store, kind]
        ended = subprocess.run(run, check=True, capture_output=True, text=True, timeout=60)
        assert ended.stdout == "closed" or kind == "busy", ended.stderr  # a busy thread keeps its owner
        assert canopy.load_optimizer("a", store).summary().t > 1


def test_a_study_is_not_pickled(store):
    import pickle

    with canopy.Study.open("a", store, space=SPACE) as study, pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(study)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"name": "nobody"}, OSError, "canopy.db: there is no such store; give another one with store="),
        ({"name": "", "space": SPACE}, canopy.StudyError, "cannot name a study"),
        ({"name": "a/b", "space": SPACE}, canopy.StudyError, "cannot name a study"),
        ({"name": "a", "rho": 0.5}, ValueError, "rho: options need a space"),
        ({"name": "a", "direction": "minimize"}, ValueError, "direction: options need a space"),
        ({"name": None}, ValueError, "name = None"),
        ({"name": "\ud800"}, ValueError, "name = "),
        ({"name": "a", "space": SPACE, "fork": 3}, ValueError, "fork = 3: must be the name of a study"),
        ({"name": "a", "space": SPACE, "fork": "b"}, canopy.StudyError, "has no studies yet"),
        ({"name": "a", "space": {"c": canopy.choice("a\0", "b")}}, ValueError, "zero byte"),
        ({"name": "a", "store": "a\0b.db"}, ValueError, "store = .*: must be the path of a file"),
        ({"name": "a", "store": ""}, canopy.StoreError, "the name of the store is empty; give another one with store="),
        ({"name": "a", "space": SPACE, "coverage": -1}, ValueError, "optimizer.coverage = -1"),
        ({"name": "a", "space": SPACE, "coverag": 2}, ValueError, "coverag: adaptive has no such option"),
        ({"name": "a", "space": {"c": canopy.choice(1, 2)}}, ValueError, "must be strings"),
        ({"name": "a", "file": "/nowhere.toml"}, FileNotFoundError, "nowhere"),
        ({"name": "a", "file": "/"}, IsADirectoryError, "directory"),
        ({"name": "a", "space": SPACE, "file": "a.toml"}, ValueError, "file"),
        ({"name": "a", "space": SPACE, "reward_range": (1, 0)}, ValueError, "reward_range"),
    ],
)
def test_wrong_use_is_named(store, arguments, error, message):
    with pytest.raises(error, match=message):
        canopy.Study.open(**{"store": store, **arguments})


def test_what_is_not_a_store_is_named(tmp_path):
    wrong = tmp_path / "store.db"
    wrong.write_bytes(b"no database" * 100)
    with pytest.raises(canopy.StoreError, match="store.db"):
        canopy.Study.open("a", wrong, space=SPACE)
    with pytest.raises(canopy.StoreError, match="there is no such store; give another one with store="):
        canopy.studies(tmp_path / "nothing.db")
    for path in (3, None, "a\0b"):
        with pytest.raises(ValueError, match="must be the path of a file, or postgresql://"):
            canopy.studies(path)
    foreign = tmp_path / "foreign.db"
    with contextlib.closing(sqlite3.connect(foreign)) as file, file:
        file.execute("CREATE TABLE birds (name TEXT)")
    with pytest.raises(canopy.StoreError, match="is not a canopy store; give another one with store="):
        canopy.Study.open("a", foreign, space=SPACE)


def test_a_wrong_study_file_is_named_by_line(store, tmp_path):
    file = tmp_path / "study.toml"
    file.write_text('[optimizer]\nrhoo = 0.5\n[[space]]\nname = "x"\nlow = 0\nhigh = 1\n')
    with pytest.raises(ValueError, match="study.toml:2: .*rhoo"):
        canopy.Study.open("a", store, file=file)


def test_a_full_disk_loses_nothing_that_was_acknowledged(store):
    code = (
        "import canopy, resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "study = canopy.Study.open('a', sys.argv[1], space={'x': canopy.real(0, 1)})\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, resource.RLIM_INFINITY))\n"
        "told = 0\n"
        "try:\n"
        "    while True:\n"
        "        study.tell(study.ask(1), 0.5)\n"
        "        told += 1\n"
        "except canopy.StoreError as error:\n"
        "    print(told, study.summary().t - 1, flush=True)\n"
        "import os; os._exit(0)"
    )
    told, learnt = subprocess.run(
        [sys.executable, "-c", code, store], check=True, capture_output=True, text=True
    ).stdout.split()
    assert told == learnt and int(told) > 10
    assert canopy.load_optimizer("a", store).summary().t - 1 == int(told)


def test_an_empty_study_keeps_its_space(store):
    with canopy.Study.open("a", store, space={"x": canopy.real(0, 1)}):
        pass
    with pytest.raises(canopy.StudyError, match="space.x was .* and is absent; space.y was absent"):
        canopy.Study.open("a", store, space={"y": canopy.real(0, 2)})
    with canopy.Study.open("a", store, space={"x": canopy.real(0, 1)}, coverage=0.3) as study:
        assert study.options["coverage"] == 0.3, "options may still change"
