"""Progress on terminals, in notebooks and in pipes."""

import os
import subprocess
import sys
import types

import canopy
import pytest
from canopy._progress import ProgressLine

SEARCH = "import canopy; canopy.maximize(lambda x: x, {'x': canopy.real(0, 1)}, pulls=100, progress=True)"


def on_a_terminal(code):
    """The output of a program on stderr, if that is a terminal."""
    try:
        reads, writes = os.openpty()
    except OSError:
        pytest.skip("there are no terminals here")
    subprocess.run([sys.executable, "-c", code], stderr=writes, check=True)
    os.close(writes)
    shown = b""
    try:
        while piece := os.read(reads, 10000):
            shown += piece
    except OSError:  # the end, on Linux
        pass
    os.close(reads)
    return shown.decode()


def test_a_terminal_has_a_bar_of_tqdm():
    pytest.importorskip("tqdm")
    shown = on_a_terminal(SEARCH)
    last = shown.rstrip().split("\r")[-1]
    assert "100 % |" in last and "best so far: x = " in last
    assert shown.count("\n") == 1, "on one line"


def test_without_tqdm_a_terminal_has_a_line():
    shown = on_a_terminal(f"import sys; sys.modules['tqdm'] = None\n{SEARCH}")
    last = shown.rstrip().split("\r")[-1]
    assert last.startswith("canopy: 100 %  100 pulls") and "|" not in last
    assert shown.count("\n") == 1


def test_a_pipe_has_lines_and_no_bar():
    shown = subprocess.run([sys.executable, "-c", SEARCH], capture_output=True, text=True, check=True).stderr
    assert len(shown.splitlines()) == 10 and "\r" not in shown and "|" not in shown


def test_unless_it_is_wanted_a_pipe_has_nothing():
    code = "import canopy; canopy.experiment('random', lambda x: x, {'x': canopy.real(0, 1)}, steps=9, runs=2)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr == ""


class ZMQInteractiveShell:
    """The class name of the shell of an IPython kernel."""


def in_a_notebook(monkeypatch):
    shell = ZMQInteractiveShell()
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))


def test_a_notebook_has_a_bar_also_where_none_was_asked_for(monkeypatch, capfd):
    pytest.importorskip("tqdm")
    in_a_notebook(monkeypatch)
    with ProgressLine(wanted=None) as line:
        line.show(0.5, lambda: "half")
        line.show(0.6, lambda: "too soon")
        line.show(1.0, lambda: "done", at_once=True)
    shown = capfd.readouterr().err
    assert " 50 % |" in shown and "100 % |" in shown and "too soon" not in shown


def test_progress_of_unknown_length_has_no_bar_but_a_text(monkeypatch, capfd):
    pytest.importorskip("tqdm")
    in_a_notebook(monkeypatch)
    canopy.maximize(lambda x: x, {"x": canopy.real(0, 1)}, stop=lambda result: result.pulls == 30, progress=True)
    shown = capfd.readouterr().err
    assert "30 pulls" in shown and "%" not in shown


def test_a_fork_leaves_the_bar_alone(monkeypatch, capfd):
    pytest.importorskip("tqdm")
    in_a_notebook(monkeypatch)
    line = ProgressLine()
    line.show(0.5, lambda: "half")
    capfd.readouterr()
    line.silence()
    line.show(1.0, lambda: "done", at_once=True)
    with line:
        pass
    assert capfd.readouterr().err == ""
