"""Checks programs that use the package with a type checker."""

import inspect
import re
import subprocess
import sys

import canopy
import pytest
from canopy import _signatures

RIGHT = """
from typing import Any, Literal

import canopy

space = {"x": canopy.real(0, 1), "n": canopy.integer(1, 9), "c": canopy.choice("a", "b")}
half: float = canopy.real(0, 1).high / 2


def measure(x: float, n: int, c: str) -> float:
    return x * n


result = canopy.maximize(measure, space, pulls=10, optimizer="hct", feedback="correlated", reward_range=(0, 1))
print(result.best.arm["x"], result.best.mean + 1.0)
names: list[Literal["hct", "thoo"]] = ["hct", "thoo"]
for name in names:
    canopy.minimize(measure, space, pulls=10, optimizer=name, rho=0.5, n_jobs=2, enqueue=[{"x": 0.5}])
everything: list[canopy.OptimizerName] = ["adaptive", "random"]
for each in everything:
    canopy.maximize(measure, space, pulls=10, optimizer=each, seed=1, confidence=0.9)
given: dict[str, Any] = {"pulls": 10}
canopy.maximize(measure, space, **given).best.arm
canopy.maximize(measure, space, pulls=10, optimizer=canopy.Stosoo, horizon=10, partition="cyclic/3")
canopy.maximize(measure, space, pulls=10, settle=3, coverage=0.1, drift="none")
canopy.maximize(measure, optimizer=canopy.Hct(space), pulls=10, timeout=3)
canopy.policy_search(None, print, space, steps=10, optimizer=canopy.Hct, mixing_time=3)
canopy.policy_search(None, print, steps=10, optimizer=canopy.Hct(space), seed=3)
canopy.simulate("garland", canopy.Thoo, steps=10, horizon=10, noise="uniform")
hct: canopy.Optimizer = canopy.make_optimizer(canopy.Hct, space, rho=0.3)
tree_of_name: canopy.Adaptive = canopy.make_optimizer("adaptive", space, settle=3)
opt = canopy.Thoo(space, horizon=100, partition="longest_side", direction="minimize")
opt.tell(opt.ask(1), 0.5)
best = opt.best()
if best:
    print(best.arm)
canopy.make_optimizer("grid", space, points=4, direction="minimize").copy()
canopy.simulate("garland", "thoo", horizon="doubling", noise="uniform").per_step_regret.mean
canopy.Environment("garland", noise_width=0.1).pull(x=0.5)
with canopy.Study.open("a", space=space, optimizer="hct", rho=0.3, seed=1) as study:
    study.tell(study.ask(), [0.1, 0.2])
    canopy.minimize(measure, optimizer=study, pulls=10)
other: canopy.Study = canopy.Study.open("a", "there.db", rho=0.5, file=None)
canopy.Study.open("b", space=space, optimizer=canopy.Grid, points=3)
remote: canopy.RemoteStudy = canopy.connect("http://x").create("a", space=space, optimizer=canopy.Hct, rho=0.5)
sampler = canopy.optuna.Sampler(settle=3, seed=1)
observed = {"hour": canopy.periodic(24), "load": canopy.real(0, 1)}
tree = canopy.Adaptive(space, contexts=observed)
tree.observe(tree.ask(context={"hour": 13.5, "load": 0.7}).arm, 0.5, context={"hour": 13.5, "load": 0.7})
print(tree.policy().rows[0].where, tree.best({"hour": 3, "load": 0.1}))
canopy.maximize(measure, space, contexts=observed, context=lambda: {"hour": 3, "load": 0.5}, pulls=10).policy.to_dict()
"""

#: every line is wrong
WRONG = """
canopy.Hct(space, feedback="idd")
canopy.Hct(space, horizon=3)
canopy.maximize(measure, space, pulls=10, feedback="foo")
canopy.maximize(measure, space, pulls=10, rhoo=3)
canopy.maximize(measure, space, pulls=10, rho=0.5)
canopy.maximize(measure, space, pulls=10, optimizer="adaptive", rho=0.5)
canopy.maximize(measure, space, pulls=10, optimizer="hctt")
canopy.maximize(measure, space, pulls=10, optimizer="hct", settle=3)
canopy.minimize(measure, space, pulls=10, optimizer=canopy.Hct, settle=3)
canopy.maximize(measure, space, pulls=10, optimizer=canopy.Hct(space), rho=0.5)
canopy.maximize(measure, pulls=10, optimizer="hct")
canopy.maximize(measure, space, pulls=10, optimizer=int)
canopy.policy_search(None, print, space, steps=10, optimizer="adaptive", rho=0.5)
canopy.policy_search(None, print, space, optimizer="hct")
canopy.simulate("garland", "adaptive", rho=0.5)
canopy.simulate("garland", "hctt")
canopy.make_optimizer("adaptive", space, rho=0.5)
canopy.make_optimizer("hctt", space)
canopy.Study.open("a", space=space, optimizer="adaptive", rho=0.5)
canopy.Study.open("a", space=space, optimizer="hctt")
canopy.connect("http://x").create("a", space=space, optimizer="adaptive", rho=0.5)
canopy.maximize(measure, space, pulls=10, reward_range=3)
canopy.minimize(measure, space, pulls=10, workers="fibres")
canopy.policy_search(None, print, space, steps=10, mixing_time="long")
canopy.simulate("garland", "thoo", horizon="x")
canopy.make_optimizer("hct", space, preset="practicle")
canopy.Study.open("a", space=space, settle="long")
canopy.Environment("garland", noise="unform")
canopy.simulate("garland", optimizer=int)
canopy.optuna.Sampler(rho=0.5)
canopy.optuna.HctSampler(settle=3)
canopy.Adaptive(space).bets()
canopy.Adaptive({"x": 3})
canopy.Adaptive(space, contexts={"load": 3})
canopy.Hct(space, contexts={"load": canopy.real(0, 1)})
canopy.maximize(measure, space, pulls=10, context={"load": 3})
"""


def checked(folder, programs):
    """The output of mypy --strict for some programs, by file."""
    paths = []
    for name, text in programs.items():
        (folder / f"{name}.py").write_text(text)
        paths.append(f"{name}.py")
    words = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", str(folder / "cache")]
    words += ["--python-executable", sys.executable]
    return subprocess.run([*words, *paths], cwd=folder, capture_output=True, text=True).stdout.splitlines()


def blocks(page):
    return [block.split("\n```")[0] for block in page.split("```python\n")[1:]]


def test_programs_are_checked_and_completed(root, tmp_path):
    pytest.importorskip("mypy")
    readme = blocks((root / "README.md").read_text().split("## Eight lines")[1].split("\n## ")[0])[0]
    guide = blocks((root / "docs/python.md").read_text().split("## Ask and tell")[1])[0]
    wrong = RIGHT + WRONG
    said = checked(tmp_path, {"readme": readme, "guide": guide, "right": RIGHT, "wrong": wrong})
    assert [line for line in said if not line.startswith("wrong.py") and "note:" not in line] == []
    lines = {int(re.match(r"wrong\.py:(\d+): error", line)[1]) for line in said if ": error:" in line}
    first = RIGHT.count("\n") + 2
    expected = {first + i: line for i, line in enumerate(WRONG.strip().splitlines())}
    assert [line for number, line in expected.items() if number not in lines] == []
    assert lines <= set(expected)


@pytest.mark.parametrize(
    ("function", "arguments", "given"),
    [
        (canopy.maximize, "SearchArguments", {"measure", "space"}),
        (canopy.minimize, "SearchArguments", {"measure", "space"}),
        (canopy.policy_search, "PolicyArguments", {"env", "policy", "space", "steps"}),
        (canopy.simulate, "SimulateArguments", {"environment"}),
        (canopy.Study.open, "OpenArguments", {"name", "store", "space", "file"}),
        (canopy.Server.create, "CreateArguments", {"self", "name", "space", "file", "specification"}),
    ],
)
def test_overloads_have_all_arguments_of_their_function(function, arguments, given):
    known = set(getattr(_signatures, arguments).__annotations__)
    assert set(inspect.signature(function).parameters) - {"optimizer", "options"} - given == known
