"""The commands in docs/service.md work."""

import json
import re
import shutil
import subprocess

import pytest

from service import Serving

pytestmark = pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")


def examples(text):
    """Every line of the kind `$ curl ...` and the lines that are shown below it."""
    for block in re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = example.partition("\n")
            if command.startswith("curl "):
                yield command, shown


def keys_of(shown):
    """The keys at the start of the first line of an answer, as far as the document shows it."""
    return re.findall(r'"(\w+)":', shown.partition("\n")[0].partition("...")[0])


def test_every_line_of_the_document_works(root, tmp_path):
    found = list(examples((root / "docs" / "service.md").read_text()))
    assert len(found) > 35
    incarnation = ""
    with Serving(tmp_path) as serving:
        for command, shown in found:
            command = re.sub(r'"(\d+)-[0-9a-f]{10}"', rf'"\1-{incarnation}"', command)
            is_refused = command.endswith("# refused")
            run = subprocess.run(
                command.replace("localhost:8731", serving.url.removeprefix("http://")),
                shell=True, capture_output=True, text=True, timeout=30,
            )  # fmt: skip
            assert run.returncode in (0, 28), command  # 28: --max-time
            if ticket := re.search(r'"ticket":"\d+-([0-9a-f]+)"', run.stdout):
                incarnation = ticket[1]
            if shown.startswith("{") and "openapi" not in command:
                answer = json.loads(run.stdout)
                assert ("status" in answer and "code" in answer) == is_refused, f"{command}: {run.stdout}"
                for key in keys_of(shown):
                    assert f'"{key}":' in run.stdout, f"{command}: {key}: {run.stdout}"
            elif shown.strip() == "":
                assert run.stdout == "", f"{command}: {run.stdout}"
            else:
                assert run.stdout.startswith(shown.partition("\n")[0]), f"{command}: {run.stdout}"


def test_every_code_is_in_the_document(root):
    text = (root / "docs" / "service.md").read_text()
    document = json.loads((root / "src" / "service" / "openapi_base.json").read_text())
    for code in document["components"]["schemas"]["Code"]["enum"]:
        assert f"`{code}`" in text, code
