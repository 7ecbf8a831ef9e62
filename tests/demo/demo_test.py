"""The demo as a user runs it: CANOPY: the tool; OUT: the folder for the results."""

import json
import os
import signal
import subprocess
import sys
import unittest
import urllib.request
from pathlib import Path

DEMO = Path(__file__).resolve().parents[2] / "examples/demo/demo.py"
OUT = Path(os.environ["OUT"]).resolve()


def demo(*words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, DEMO, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def left_running() -> list[str]:
    """The processes whose working directory is the folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").resolve() == OUT:
                found.append((process / "cmdline").read_text())
        except OSError:
            continue  # it has ended
    return found


class Demo(unittest.TestCase):
    def test_a_short_one_tells_the_story_and_finds_what_is_true(self) -> None:
        running = demo("--seconds", "8", "--no-page")
        output, _ = running.communicate(timeout=300)
        self.assertEqual(running.returncode, 0, output)
        for part in (
            "the service crashed; canopy went back to",
            "the database is down",
            "it is back after",
            "a deployment",
            "The next week",
        ):
            self.assertIn(part, output)
        self.assertNotIn("http", output)

        summary = json.loads((OUT / "summary.json").read_text())
        policy = {int(load): each for load, each in summary["policy"].items()}
        self.assertLess(policy[50]["canopy"], policy[600]["canopy"])
        self.assertLess(summary["ttl_seconds"]["canopy"], 600)
        self.assertNotIn("worse", summary["verdicts"].values(), output)
        week = summary["next_week"]
        self.assertGreater(week["canopy"]["earned"], week["today"]["earned"])
        self.assertLessEqual(week["canopy"]["earned"], week["best"]["earned"])

        log = [json.loads(line) for line in (OUT / "workers.log").read_text().splitlines()]
        events = [each["event"] for each in log]
        for broken in ("crash", "repaired"):
            self.assertEqual(events[events.index(broken) + 1], "measured")
        self.assertEqual(events.count("outage"), 1)
        self.assertEqual(left_running(), [])

    def test_ctrl_c_ends_everything_and_the_page_was_there(self) -> None:
        with demo() as running:
            assert running.stdout
            try:
                address = next(line.split()[-1] for line in running.stdout if "The live page" in line)
                with urllib.request.urlopen(address.split("#")[0], timeout=30) as page:
                    self.assertIn("canopy", page.read().decode())
                self.assertIn("another demo is running in", demo().communicate(timeout=30)[0])
                self.assertNotEqual(left_running(), [])
            finally:
                running.send_signal(signal.SIGINT)
            output = running.stdout.read()
        self.assertEqual(running.returncode, 130, output)
        self.assertNotIn("Traceback", output)
        self.assertEqual(left_running(), [])


if __name__ == "__main__":
    unittest.main()
