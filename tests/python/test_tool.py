"""The command line that the wheel carries."""

import json
import pathlib
import shutil
import subprocess
import sys
import sysconfig

import canopy
import pytest

TOOL = pathlib.Path(canopy.__file__).with_name("_tool")
needs_tool = pytest.mark.skipif(not TOOL.exists(), reason="this wheel was built without CLI11")


def run(*words, **how):
    return subprocess.run([sys.executable, "-m", "canopy", *words], capture_output=True, text=True, **how)


@needs_tool
def test_it_is_the_version_of_the_package():
    assert run("--version").stdout == f"canopy {canopy.__version__}\n"


@needs_tool
def test_it_is_a_command_of_the_environment():
    command = pathlib.Path(sysconfig.get_path("scripts")) / "canopy"
    shown = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    assert shown == f"canopy {canopy.__version__}\n"


@needs_tool
def test_it_simulates_as_the_package_does():
    shown = run("simulate", "--json", "--environment", "garland", "--optimizer", "hct", "--steps", "500", "--runs", "2")
    ours = canopy.simulate("garland", "hct", steps=500, runs=2)
    assert json.loads(shown.stdout)["per_step_regret"]["mean"] == ours.per_step_regret.mean


@needs_tool
def test_it_shows_the_studies_of_the_package(tmp_path):
    with canopy.Study.open("cache", store=str(tmp_path / "canopy.db"), space={"x": canopy.real(0, 1)}) as study:
        canopy.maximize(lambda x: 1 - abs(x - 0.7), pulls=50, optimizer=study)
    shown = run("best", "cache", cwd=tmp_path)
    assert shown.returncode == 0 and "x = 0." in shown.stdout, shown.stderr


@needs_tool
def test_it_knows_postgresql_too(postgres):
    shown = run("studies", "--store", postgres)
    assert "libpq" not in shown.stderr and "_postgres" not in shown.stderr


@needs_tool
def test_exit_codes_and_complaints_are_its_own():
    wrong = run("simulte")
    assert wrong.returncode == 2 and 'did you mean "simulate"' in wrong.stderr and "Traceback" not in wrong.stderr


@needs_tool
@pytest.mark.parametrize("words", [["serve", "--listen", "x"], ["dashboard"], ["report", "a"], ["token", "new"]])
def test_what_needs_the_server_is_said_to_be_missing(words):
    missing = run(*words)
    assert missing.returncode == 2
    assert f"canopy {words[0]}: is not in the canopy that comes with the Python package" in missing.stderr


@needs_tool
def test_studies_of_a_server_are_said_to_be_missing_too():
    missing = run("best", "cache", "--server", "http://localhost:8731")
    assert missing.returncode == 2 and "--server: is not in the canopy" in missing.stderr


def test_a_package_without_it_says_so(tmp_path):
    folder = tmp_path / "canopy"
    shutil.copytree(pathlib.Path(canopy.__file__).parent, folder)
    (folder / "_tool").unlink(missing_ok=True)
    missing = run("--version", cwd=tmp_path)
    assert missing.returncode == 1 and "has no command line" in missing.stderr
