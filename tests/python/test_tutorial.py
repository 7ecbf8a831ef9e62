"""Every file and command of docs/tutorial.md works, with a real Redis and fewer measurements."""

import os
import re
import shutil
import subprocess

import pytest

from service import TOOL, free_port

pytestmark = pytest.mark.skipif(not shutil.which("redis-benchmark"), reason="Redis is not installed")
BLOCK = re.compile(r'^```(\w+)(?: title="(.+?)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
PULLS = {
    "pulls = 150": "pulls = 24",
    "pulls = 300": "pulls = 24",
    "pulls = 500": "pulls = 24",
    "pulls = 600": "pulls = 24",
}
SKIPPED = ("sudo ", "mkdir ", "sleep ")


def replaced(text, port):
    for long, short in {**PULLS, "7777": str(port), "-n 20000": "-n 500"}.items():
        text = text.replace(long, short)
    return text


def scripts(page, port):
    """The page as one shell script, which writes its files and runs its commands in order."""
    for kind, title, body in BLOCK.findall(page):
        if title:
            yield f"cat > {title} <<'END_OF_FILE'\n{replaced(body, port)}END_OF_FILE"
        elif kind == "console":
            yield from (replaced(line[2:], port) for line in body.splitlines() if line.startswith("$ "))


def test_the_tutorial_works_from_the_first_line_to_the_last(root, tmp_path):
    if not TOOL.exists():
        pytest.skip(f"{TOOL} is not built")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "canopy").symlink_to(TOOL)
    port = free_port()
    steps = list(scripts((root / "docs" / "tutorial.md").read_text(), port))
    steps = [line for line in steps if not line.startswith(SKIPPED)]
    assert len(steps) > 20
    script = ["wait_for() { until redis-cli -p $1 ping > ping.txt 2>&1; do sleep 0.05; done; }"]
    for line in steps:
        if line.startswith("grep changed"):
            continue  # a short study need not notice a change
        script.append(f"! {line}" if line.endswith("# refused") else line)
        if line.startswith("redis-server"):
            script.append(f"wait_for {line.split()[2]}")
    environment = os.environ | {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    try:
        run = subprocess.run(
            ["bash", "-c", "set -ex\n" + "\n".join(script)],
            cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
    finally:
        left = subprocess.run(["redis-cli", "-p", str(port), "shutdown", "nosave", "force"], capture_output=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert left.returncode != 0, "the tutorial has left its Redis running"
    assert "sizes" in run.stdout and "loader-10ms" in run.stdout
