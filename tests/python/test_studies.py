import os
import subprocess
import sys
import threading

import canopy
import pytest
from test_simulation import tool

SPACE = {"x": canopy.real(1, 100, log=True), "k": canopy.integer(1, 9), "mode": canopy.choice("fast", 'qu"oted\\')}


def hill(x, k, mode):
    return 0.5 + 0.3 * (mode == "fast") - abs(k - 5) / 20 - abs(x - 30) / 500


def test_a_study_goes_on_where_it_was(store):
    with canopy.Study.open("a", store, space=SPACE, feedback="correlated", rho=0.6) as study:
        canopy.maximize(hill, optimizer=study, pulls=40)
        kept = study.ask(1)  # still in flight when it is closed
    with canopy.Study.open("a", store) as study:
        assert study.summary().t == 41 and study.options["rho"] == 0.6 and study.space == canopy.Space(SPACE)
        (pull,) = study.in_flight()
        assert (pull.ticket, pull.arm) == (kept.ticket, kept.arm)
        study.tell(pull, 0.5)
        canopy.maximize(hill, optimizer=study, pulls=40)
        state = study.save()
    opt = canopy.Hct(SPACE, feedback="correlated", rho=0.6)  # the same without an interruption
    canopy.maximize(hill, optimizer=opt, pulls=40)
    opt.tell(opt.ask(1), 0.5)
    canopy.maximize(hill, optimizer=opt, pulls=40)
    assert opt.save() == state


def test_pulls_that_a_killed_process_left_are_played_first(store):
    code = (
        "import canopy, os, sys\n"
        "study = canopy.Study.open('a', sys.argv[1], space={'x': canopy.real(0, 1)}, feedback='correlated')\n"
        "canopy.maximize(lambda x: os._exit(9) if study.summary().t > 30 else x, optimizer=study, pulls=100)"
    )
    assert subprocess.run([sys.executable, "-c", code, store]).returncode == 9
    opt = canopy.Hct({"x": canopy.real(0, 1)}, feedback="correlated")
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
    assert canopy.load_optimizer("a", store).summary().t == 1  # looking needs no lock
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
    with canopy.Study.open("a", store, space=SPACE, feedback="correlated") as study:
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
        canopy.StudyError, match="another one: optimizer.rho was 0.5 and is 0.6; fork= starts a new one"
    ):
        canopy.Study.open("a", store, space=SPACE, rho=0.6)
    with canopy.Study.open("a", store, fork="b") as fork:
        assert fork.summary().t == 2 and fork.name == "b"
    with canopy.Study.open("a", store, space=SPACE, rho=0.6, fork="c") as fork:
        assert fork.summary().t == 1
    assert [each.forked_from for each in canopy.studies(store)] == ["", "a", "a"]


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
        os.read(holds, 1)  # lives on with what it inherited
        os._exit(0)
    os.close(holds)
    assert b"opened before this process was forked, and cannot be used here" in os.read(reads, 1000)
    study.tell(study.ask(1), 0.5)
    study.close()
    with canopy.Study.open("a", store) as again:  # although the child lives
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


def test_threads_may_search_one_study_together(store):
    errors = []
    with canopy.Study.open("a", store, space=SPACE, feedback="correlated") as study:

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


def test_a_closed_study_says_so(store):
    study = canopy.Study.open("a", store, space=SPACE)
    study.close()
    study.close()
    assert repr(study) == f"<canopy.Study a in {store}, closed>"
    with pytest.raises(canopy.StudyError, match="the study a is closed"):
        study.ask(1)


def test_a_study_is_not_pickled(store):
    import pickle

    with canopy.Study.open("a", store, space=SPACE) as study, pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(study)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"name": "nobody"}, OSError, "canopy.db: there is no such store; store= names another"),
        ({"name": "", "space": SPACE}, canopy.StudyError, "no name"),
        ({"name": "a/b", "space": SPACE}, canopy.StudyError, "no name"),
        ({"name": "a", "rho": 0.5}, ValueError, "rho: options need a space"),
        ({"name": "a", "direction": "minimize"}, ValueError, "direction: options need a space"),
        ({"name": None}, ValueError, "name = None"),
        ({"name": "a", "space": SPACE, "rho": 2}, ValueError, "optimizer.rho = 2"),
        ({"name": "a", "space": SPACE, "rhoo": 2}, ValueError, "rhoo: hct has no such option"),
        ({"name": "a", "space": {"c": canopy.choice(1, 2)}}, ValueError, "must be strings"),
        ({"name": "a", "file": "/nowhere.toml"}, FileNotFoundError, "nowhere"),
        ({"name": "a", "space": SPACE, "file": "a.toml"}, ValueError, "file"),
        ({"name": "a", "space": SPACE, "reward_range": (1, 0)}, ValueError, "reward_range"),
    ],
)
def test_wrong_use_is_named(store, arguments, error, message):
    with pytest.raises(error, match=message):
        canopy.Study.open(store=store, **arguments)


def test_a_store_that_is_none_is_named(tmp_path):
    wrong = tmp_path / "store.db"
    wrong.write_bytes(b"no database" * 100)
    with pytest.raises(canopy.StoreError, match="store.db"):
        canopy.Study.open("a", wrong, space=SPACE)
    with pytest.raises(canopy.StoreError):
        canopy.studies(tmp_path / "nothing.db")


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
