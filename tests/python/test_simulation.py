import json
import os
import signal
import subprocess
import sys
import threading

import canopy
import pytest


def tool(root):
    path = os.environ.get("CANOPY_TOOL", root / "build/canopy")
    if not os.path.exists(path):
        pytest.skip(f"{path} is not built")
    return path


@pytest.mark.parametrize(
    ("environment", "optimizer", "options"),
    [
        ("garland-mdp", "hct", {"feedback": "correlated", "beta": 0.3}),
        ("garland", "thoo", {"horizon": 2000}),
        ("lqr-2d", "power", {"window": 5}),
    ],
)
def test_numbers_are_those_of_the_command_line(root, environment, optimizer, options):
    ours = canopy.simulate(environment, optimizer, steps=2000, runs=3, seed=7, **options)
    words = [tool(root), "simulate", "--json", "--environment", environment, "--optimizer", optimizer]
    words += ["--steps", "2000", "--runs", "3", "--seed", "7"]
    words += [word for name, value in options.items() for word in ("--" + name.replace("_", "-"), str(value))]
    theirs = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    for name in (
        "per_step_regret",
        "per_step_realised_regret",
        "simple_regret",
        "nodes",
        "depth",
        "switches",
        "refreshes",
    ):
        estimate = getattr(ours, name)
        assert (estimate.mean, estimate.lower, estimate.upper) == tuple(theirs[name].values())
    assert (ours.coverage, ours.unbounded) == (theirs["coverage"], theirs["unbounded"])
    assert ours.median_width == (theirs["median_width"] if ours.unbounded < 1 else None)


def test_how_honest_the_intervals_are_is_measured():
    result = canopy.simulate("garland", steps=2000, runs=20, seed=3)
    assert result.coverage == sum(run["covered"] for run in result.runs) / 20 >= 0.95
    assert result.unbounded == 0 and result.median_width in [run["width"] for run in result.runs]
    never = canopy.simulate("garland", "random", steps=200, runs=2)
    assert (never.coverage, never.unbounded, never.median_width) == (1, 1, None)
    assert [run["width"] for run in never.runs] == [None, None]


def test_the_range_of_a_simulation_is_known_unless_it_is_to_be_learnt():
    regret = [
        canopy.simulate("garland", "hct", steps=500, runs=2, **options).per_step_regret.mean
        for options in ({}, {"reward_range": (0, 1)}, {"reward_range": "auto"}, {"reward_range": None})
    ]
    assert regret[0] == regret[1] != regret[2] == regret[3]


def test_results_do_not_depend_on_threads():
    one, two = (canopy.simulate("garland", steps=1000, runs=4, threads=threads) for threads in (1, 2))
    assert one.per_step_regret == two.per_step_regret


def test_other_threads_go_on_meanwhile():
    begun = threading.Event()

    def work():
        begun.set()
        canopy.simulate("garland", steps=20_000_000, runs=1, threads=1)

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    count = 0
    while thread.is_alive():
        count += 1
    assert count > 10_000


def test_a_program_may_end_while_a_daemon_thread_simulates():
    code = (
        "import canopy, threading, time\n"
        "threading.Thread(target=lambda: canopy.simulate('garland', steps=10**11, runs=1), daemon=True).start()\n"
        "time.sleep(0.2)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60).returncode == 0


def test_ctrl_c_stops_it():
    with pytest.raises(KeyboardInterrupt):
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        canopy.simulate("garland", steps=10**11, runs=1)


def test_a_frame_has_a_row_a_run_and_checkpoint():
    frame = canopy.simulate("garland", steps=100, runs=2, checkpoints=[10, 100]).to_frame()
    assert list(frame["run"]) == [0, 0, 1, 1] and list(frame["steps"]) == [10, 100, 10, 100]


def test_progress_is_shown(capfd):
    canopy.simulate("garland", steps=3_000_000, runs=2, threads=1, progress=True)
    assert "of 6000000 steps" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"environment": "garlnd"}, "did you mean .*garland"),
        ({"environment": "garland", "optimizer": "htc"}, "did you mean .*hct"),
        ({"environment": None}, "environment = None"),
        ({"environment": "garland", "optimizer": canopy.Hct({"x": canopy.real(0, 1)})}, "optimizer = "),
        ({"environment": "garland", "\ud800": 1}, "option"),
        ({"environment": "garland", "threads": 10**10}, "threads"),
        ({"environment": "garland", "checkpoints": 5}, "checkpoints = 5"),
        ({"environment": "garland", "checkpoints": ["5"]}, "checkpoints = '5'"),
        ({"environment": "garland", "steps": 0}, "steps = 0"),
        ({"environment": "garland", "runs": 1.5}, "runs = 1.5"),
        ({"environment": "garland", "reward_range": 1}, "reward_range = 1"),
        ({"environment": "garland", "reward_range": (1, 0)}, "reward_range"),
        ({"environment": "garland", "seed": -1}, "seed = -1"),
        ({"environment": "garland", "threads": "2"}, "threads = '2'"),
        ({"environment": "garland", "optimizer": "hct", "rhoo": 0.5}, "rhoo = 0.5: .*rho"),
        ({"environment": "garland-mdp", "beta": 7}, "environment.beta = 7"),
        ({"environment": "garland", "steps": 10, "checkpoints": [5, 11]}, "checkpoints"),
        ({"environment": "garland", "steps": 10, "checkpoints": [5, 5]}, "checkpoints"),
    ],
)
def test_wrong_use_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        canopy.simulate(**arguments)


@pytest.mark.parametrize("name", list(canopy.environments()))
def test_every_environment_can_be_played_and_knows_its_answer(name):
    environment = canopy.Environment(name, seed=2)
    again = canopy.Environment(name, seed=2)
    arm = environment.best_arm
    assert environment.mean_reward(**arm) == pytest.approx(environment.best_mean, abs=1e-6)
    assert [environment.pull(**arm) for _ in range(5)] == [again.pull(**arm) for _ in range(5)]
    assert list(arm) == list(environment.space)


def test_an_environment_refuses_what_is_no_arm():
    garland = canopy.Environment("garland")
    for arm in (
        {},
        {"y": 0.5},
        {"x": "a"},
        {"x": None},
        {"x": float("nan")},
        {"x": float("inf")},
        {"x": 2},
        {"x": 0.5, "y": 1},
    ):
        with pytest.raises(ValueError):
            garland.pull(**arm)
    with pytest.raises(ValueError, match="environment.noise_width"):
        canopy.Environment("garland", noise_width=-1)


def test_cells_are_cut_as_one_says():
    halves = canopy.simulate("garland", "soo", steps=300, runs=1, partition="cyclic/2")
    thirds = canopy.simulate("garland", "soo", steps=300, runs=1)
    assert halves.nodes.mean != thirds.nodes.mean
    assert thirds.nodes.mean == canopy.simulate("garland", "soo", steps=300, runs=1, partition="cyclic/3").nodes.mean
    with pytest.raises(ValueError, match="optimizer.partition"):
        canopy.simulate("garland", "soo", steps=300, runs=1, partition="thirds")


def test_an_environment_names_a_wrong_parameter():
    with pytest.raises(ValueError, match="x: is missing; 'y': is not a parameter of the space, which has x$"):
        canopy.Environment("garland").pull(y=0.3)
