"""The commands of docs/operations.md: a store is measured, backed up, lost and restored."""

import os
import re
import shutil
import subprocess

import pytest

from service import TOOL, free_port

pytestmark = pytest.mark.skipif(not shutil.which("sqlite3"), reason="sqlite3 is not installed")
KNOB = '[[space]]\nname = "ttl"\nlow = 1.0\nhigh = 60.0\n'


def commands(page, heading):
    section = page.split(f"{heading}\n")[1].split("\n## ")[0].split("\n### ")[0]
    return re.findall(r"^\$ (.+)$", section, re.MULTILINE)


def run(lines, folder):
    environment = os.environ | {"PATH": f"{folder}/bin:{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-ec", "\n".join(lines)], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


def test_a_lost_store_is_restored_as_the_page_says(root, tmp_path):
    if not TOOL.exists():
        pytest.skip(f"{TOOL} is not built")
    page = (root / "docs" / "operations.md").read_text()
    for folder in ("bin", "backup"):
        (tmp_path / folder).mkdir()
    (tmp_path / "bin" / "canopy").symlink_to(TOOL)
    (tmp_path / "knob.toml").write_text(KNOB)
    sized = run([line.replace("100000", "100") for line in commands(page, "## Sizing")], tmp_path)
    assert sized.returncode == 0, sized.stderr
    assert sized.stdout.endswith("sizing: 200 events, sound\n")

    port = str(free_port())
    lines = [line.replace("8731", port) for line in commands(page, "### SQLite")]
    assert len(lines) == 7
    lines[5] = lines[5].replace(" &", f" --listen 127.0.0.1:{port} 2> log & server=$!\ntrap 'kill $server' EXIT")
    lines[5] += "\nuntil grep -q listening log; do kill -0 $server; sleep 0.05; done"
    restored = run(lines, tmp_path)
    assert restored.returncode == 0, restored.stderr
    assert restored.stdout == 2 * "sizing: 200 events, sound\n" + '{"status":"ready"}'
