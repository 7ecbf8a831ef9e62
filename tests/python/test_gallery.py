import subprocess
import sys

import pytest

SCRIPTS = {
    "cache.py": "best time to live",
    "correlated_garland.py": "HCT, correlated feedback",
    "heating.py": "with the best lead for each temperature",
    "garland.py": "f at the arm that was found",
    "pendulum.py": "in a fresh run",
    "scikit_learn.py": "on 30 fresh splits",
}


def test_every_script_is_tried(root):
    assert sorted(path.name for path in (root / "examples/python").glob("*.py")) == sorted(SCRIPTS)


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_runs_and_draws(script, root, tmp_path):
    figure = tmp_path / "figure.png"
    run = subprocess.run(
        [sys.executable, root / "examples/python" / script, figure],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert SCRIPTS[script] in run.stdout
    assert figure.stat().st_size > 20_000
    page = (root / "docs/gallery.md").read_text()
    assert f"examples/python/{script}" in page and f"figures/python/{script[:-3]}.png" in page
