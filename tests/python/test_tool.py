"""The command line that the wheel carries."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import urllib.request

import canopy
import pytest

import service

TOOL = pathlib.Path(canopy.__file__).with_name("_tool")
COMMAND = pathlib.Path(sysconfig.get_path("scripts")) / "canopy"
needs_tool = pytest.mark.skipif(not TOOL.exists(), reason="this wheel was built without CLI11")


def run(*words, **how):
    return subprocess.run([sys.executable, "-m", "canopy", *words], capture_output=True, text=True, **how)


@needs_tool
def test_it_is_the_version_of_the_package():
    assert run("--version").stdout == f"canopy {canopy.__version__}\n"


@needs_tool
def test_it_is_a_command_of_the_environment():
    shown = subprocess.run([COMMAND, "--version"], capture_output=True, text=True, check=True).stdout
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
    with canopy.Study.open("of the tool", store=postgres, space={"x": canopy.real(0, 1)}) as study:
        study.tell(study.ask(1), 0.5)
    shown = run("studies", "list", "--store", postgres)
    assert "of the tool" in shown.stdout, shown.stderr


@needs_tool
def test_exit_codes_and_complaints_are_its_own():
    wrong = run("simulte")
    assert wrong.returncode == 2 and 'did you mean "simulate"' in wrong.stderr and "Traceback" not in wrong.stderr


@needs_tool
def test_it_has_every_command_of_the_tool(root):
    """The tool that `make build` builds."""
    if not service.TOOL.exists():
        pytest.skip(f"{service.TOOL} is not built")
    whole = subprocess.run([service.TOOL, "--help"], capture_output=True, text=True, check=True).stdout
    assert run("--help").stdout == whole and "Not in this build" not in whole


@needs_tool
def test_it_serves_studies_and_the_live_page(tmp_path):
    with service.Serving(tmp_path, tool=COMMAND) as server:

        def fetched(path):
            with urllib.request.urlopen(server.url + path, timeout=30) as answer:
                return answer.headers.get_content_type(), answer.read().decode()

        kind, page = fetched("/")
        assert kind == "text/html" and "<title>canopy" in page
        scripts = re.findall(r'src="(/?[^"]+[.]js)"', page)
        assert scripts and all(len(fetched("/" + script.lstrip("./"))[1]) > 1000 for script in scripts)
        assert json.loads(fetched("/openapi.json")[1])["info"]["version"]
        study = canopy.connect(server.url).create("cache", space={"x": canopy.real(0, 1)})
        study.tell(study.ask(1), 0.5)
        shown = run("studies", "list", "--server", server.url)
        assert "cache" in shown.stdout, shown.stderr


def test_a_package_without_it_says_so(tmp_path):
    folder = tmp_path / "canopy"
    shutil.copytree(pathlib.Path(canopy.__file__).parent, folder)
    (folder / "_tool").unlink(missing_ok=True)
    missing = run("--version", cwd=tmp_path)
    assert missing.returncode == 1 and "the command-line tool is missing" in missing.stderr
