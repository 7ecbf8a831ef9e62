"""Every program in the documents runs unchanged."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from service import Serving

ROOT = Path(__file__).parents[2]


def programs():
    """The Python programs in the documents, each with its position."""
    for page in sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")]):
        text = page.read_text()
        for match in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            line = text.count("\n", 0, match.start()) + 1
            yield pytest.param(match[1], id=f"{page.name}:{line}")


@pytest.mark.parametrize("program", list(programs()))
def test_a_program_in_a_document_runs(program, tmp_path):
    (tmp_path / "build").symlink_to(ROOT / "build")
    study = re.search(r"^```toml\n(.*?)^```$", (ROOT / "docs/pipe.md").read_text(), re.MULTILINE | re.DOTALL)
    (tmp_path / "study.toml").write_text(study[1])

    def run(code):
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr

    if "localhost:8731" not in program:
        run(program)
        return
    with Serving(tmp_path) as serving:
        run(program.replace("http://localhost:8731", serving.url))


@pytest.mark.parametrize(
    "module", ["canopy", "canopy.plot", "canopy.functions", "canopy.gymnasium", "canopy.optuna", "canopy.intervals"]
)
def test_the_reference_has_every_public_name(module):
    page = (ROOT / "docs/api/python.md").read_text()
    shown = set(re.findall(r"^::: (\S+)$", page, re.MULTILINE))
    if module in shown:  # the page shows everything in the module's __all__
        return
    names = importlib.import_module(module).__all__
    assert {f"{module}.{name}" for name in names} <= shown
