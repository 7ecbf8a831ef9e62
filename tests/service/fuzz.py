#!/usr/bin/env python3
"""Sends a real server whatever its document allows, and much that it does not, and compares its answers with it.

    build/python/bin/python tests/service/fuzz.py [EXAMPLES]

Requests that the document allows may still be refused: an arm must lie in the space of the study, a key must be new. So
that check is left out. The stream never ends, and is left out as well.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python"))
from service import Serving, new_token

FUZZ = [pathlib.Path(sys.executable).with_name("schemathesis")]
STUDY = {"name": "cache", "specification": {"space": [{"name": "ttl", "low": 1.0, "high": 3600.0, "scale": "log"}]}}
SOME_REWARDS = {"observations": [{"arm": {"ttl": 60}, "rewards": [0.8, 0.9]}]}
PINNED = '[parameters]\n"path.name" = "cache"\n'  # otherwise most requests name missing studies


def post(url, token, body):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)):
        pass


def main():
    examples = sys.argv[1] if len(sys.argv) > 1 else "30"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        token = new_token(folder, "fuzz", "admin")
        (folder / "pinned.toml").write_text(PINNED)
        with Serving(folder, "--tokens", "tokens.toml") as serving:
            post(serving.url + "/v1/studies", token, STUDY)
            post(serving.url + "/v1/studies/cache/observations", token, SOME_REWARDS)
            run = ["run", serving.url + "/openapi.json", "--header", f"Authorization: Bearer {token}"]
            run += ["--exclude-path-regex", "stream$", "--exclude-checks", "positive_data_acceptance"]
            run += ["--max-examples", examples, "--request-timeout", "20", "--continue-on-failure"]
            run += ["--suppress-health-check", "all"]
            pinned = ["--config-file", folder / "pinned.toml", *run, "--exclude-operation-id", "deleteStudy"]
            failed = [subprocess.run([*FUZZ, *each], cwd=folder).returncode for each in (run, pinned)]
            if serving.process.poll() is not None:
                print((folder / "log").read_text())
                sys.exit("the server has ended")
        sys.exit(any(failed) or serving.process.returncode)


if __name__ == "__main__":
    main()
