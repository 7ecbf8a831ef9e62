"""`async def` functions in `maximize` and `minimize`."""

import asyncio
import functools
import os
import signal
import subprocess
import sys
import threading

import canopy
import pytest

X = {"x": canopy.real(0, 1)}


async def hill(x):
    await asyncio.sleep(0)
    return 1 - abs(x - 0.7)


async def with_metrics(x):
    return {"reward": x, "load": 1 - x}


async def crash_left(x):
    await asyncio.sleep(0)
    if x < 0.5:
        raise OSError("the left half is broken")
    return x


async def process_number(x):
    await asyncio.sleep(0)
    return float(os.getpid() % 1000) + x


async def leave(x):
    raise SystemExit(3)


class Meter:
    """A callable whose calls share a connection."""

    def __init__(self):
        self.loops = set()

    async def __call__(self, x):
        self.loops.add(asyncio.get_running_loop())
        return x


def test_an_async_function_is_awaited():
    assert abs(canopy.maximize(hill, X, pulls=300).best.arm["x"] - 0.7) < 0.02
    assert abs(canopy.minimize(hill, X, pulls=300).best.arm["x"] - 0.7) > 0.5


def test_it_earns_what_one_without_async_earns():
    plain = canopy.maximize(lambda x: 1 - abs(x - 0.7), X, pulls=100)
    assert canopy.maximize(hill, X, pulls=100).rewards == plain.rewards
    assert canopy.maximize(functools.partial(hill), X, pulls=100).rewards == plain.rewards
    assert canopy.maximize(lambda x: hill(x), X, pulls=100).rewards == plain.rewards


@pytest.mark.parametrize("workers", ["processes", "threads"])
def test_several_calls_are_awaited_at_a_time(workers):
    result = canopy.maximize(hill, X, pulls=200, n_jobs=3, workers=workers)
    assert result.pulls == 200 and abs(result.best.arm["x"] - 0.7) < 0.02


def test_processes_have_loops_of_their_own():
    canopy.maximize(hill, X, pulls=3)  # so that this process has an event loop, which forks cannot use
    result = canopy.maximize(process_number, X, pulls=20, n_jobs=2)
    assert os.getpid() % 1000 not in {int(reward) for reward in result.rewards}


def test_calls_of_threads_wait_for_each_other():
    both = threading.Barrier(2)

    async def meet(x):
        await asyncio.to_thread(both.wait, 30)
        return x

    assert canopy.maximize(meet, X, pulls=4, n_jobs=2, workers="threads").pulls == 4


def test_all_calls_share_an_event_loop():
    meter = Meter()
    canopy.maximize(meter, X, pulls=20)
    canopy.maximize(meter, X, pulls=20, n_jobs=3, workers="threads")
    assert len(meter.loops) == 1


def test_it_may_be_called_where_an_event_loop_runs():
    async def notebook():
        return canopy.maximize(hill, X, pulls=50)

    assert asyncio.run(notebook()).pulls == 50


def test_metrics_come_back_as_from_any_function():
    result = canopy.maximize(with_metrics, X, pulls=200, limits={"load": canopy.at_least(0.5)})
    assert result.best.arm["x"] == pytest.approx(0.5, abs=0.05) and "load" in result.best.limits


def test_an_async_function_may_fail():
    result = canopy.maximize(crash_left, X, pulls=100, failure_reward=0)
    assert result.failed > 0 and result.best.arm["x"] > 0.9
    assert result.last_failure.endswith("OSError: the left half is broken")
    with pytest.raises(OSError, match="left half"):
        canopy.maximize(crash_left, X, pulls=100, on_failure="raise")


def test_an_exit_passes_through():
    for _ in range(2):
        with pytest.raises(SystemExit):
            canopy.maximize(leave, X, pulls=3)
    assert canopy.maximize(hill, X, pulls=3).pulls == 3


def test_ctrl_c_ends_a_call_that_waits():
    code = """
import asyncio, canopy

async def measure(x):
    if x != 0.5:
        print("waits", flush=True)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            print("cancelled", flush=True)
            raise
    return x

result = canopy.maximize(measure, {"x": canopy.real(0, 1)}, pulls=100, enqueue=[{"x": 0.5}])
print(result.stopped, result.pulls)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    while process.stdout.readline() != "waits\n":
        pass
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[0].splitlines()
    assert "cancelled" in said and any(line.startswith("interrupted") for line in said)
