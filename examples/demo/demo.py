#!/usr/bin/env python3
"""demo.py [--seconds N] [--no-page]: canopy tunes two knobs of a simulated shop during its week.

Only the shop is simulated: `canopy tune` runs twice, on one store, and measures the processes of service.py. At the
end of the week, the results are compared with the truth. CANOPY: the tool; OUT: the folder for the results.
"""

import argparse
import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType
from typing import IO

sys.dont_write_bytecode = True

from report import TTL_TODAY, WORKERS_TODAY, Canopy, Record, of_day, pages_of, show, summarize, workers_of  # noqa: E402

from service import DAY, DAYS, DEPLOYMENT, P99_LIMIT, WEEK, clock, load_of  # noqa: E402

HERE = Path(__file__).resolve().parent
MEASUREMENTS_A_SECOND = 24
SEED = 1
STUDIES = ("workers", "pages")


class Lines:
    """The lines of a file that another process writes, as they are completed."""

    def __init__(self, path: Path) -> None:
        self.path, self.rest = path, ""
        self.file: IO[str] | None = None

    def new(self) -> list[str]:
        if self.file is None:
            if not self.path.exists():
                return []
            self.file = self.path.open()
        *lines, self.rest = (self.rest + self.file.read()).split("\n")
        return lines


class Interrupted(Exception):
    pass


def interrupt(number: int, _: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise Interrupted(number)


class Processes:
    """Processes in separate sessions, so that Ctrl-C only reaches them through `end`."""

    def __init__(self, tool: Path, folder: Path) -> None:
        self.tool, self.folder = tool, folder
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self, *words: str, stdout: int | IO[bytes]) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(
            [self.tool, *words],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.running.append(process)
        return process

    def end(self) -> None:
        for number in (signal.SIGINT, signal.SIGKILL):
            for each in self.running:
                if each.poll() is None:
                    each.send_signal(number)
            deadline = time.monotonic() + 10
            for each in self.running:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    each.wait(max(0.0, deadline - time.monotonic()))


class Story:
    """Prints what happens in a few lines, from the output of the service and the tuners."""

    def __init__(self, folder: Path) -> None:
        self.logs = {study: Lines(folder / f"{study}.log") for study in STUDIES}
        self.outputs = {study: Lines(folder / f"{study}.out") for study in STUDIES}
        self.records: dict[str, list[Record]] = {study: [] for study in STUDIES}
        self.broken: Record | None = None  # a crash or an outage, until something is measured again
        self.broke_at = 0.0
        self.is_live = sys.stdout.isatty()

    def say(self, line: str) -> None:
        print(("\r\x1b[K" if self.is_live else "") + line, flush=True)

    def tell(self, minute: float, study: str, what: str) -> None:
        self.say(f"{clock(minute)}  {study:7}  {what}")

    def go_on(self) -> None:
        for study in STUDIES:
            for line in self.logs[study].new():
                record = json.loads(line)
                self.tell_of(study, record)
                self.records[study].append(record)
            for line in self.outputs[study].new():
                change = re.search(r"the system has changed: (.*)", line)
                if change:
                    self.tell(self.records[study][-1]["minute"], study, f"canopy: the system has changed: {change[1]}")
        self.show_where_it_is()

    def tell_of(self, study: str, record: Record) -> None:
        minute, event = record["minute"], record["event"]
        before = self.records[study][-1]["minute"] if self.records[study] else minute
        for day in range(int(before // DAY), min(int(minute // DAY), len(DAYS) - 1)):
            self.tell_of_day(study, day, (day + 1) * DAY - 1)
        if study == "pages" and before < DEPLOYMENT <= minute:
            self.tell(minute, study, "a deployment makes the backend five times slower; canopy is not told")
        if event in ("crash", "outage"):
            self.broken, self.broke_at = record, time.monotonic()
            if event == "outage":
                self.tell(minute, study, "the database is down, and so is the service, whatever the setting")
        elif event == "measured" and study == "workers" and self.broken:
            now = f"{record['workers']} workers"
            if self.broken["event"] == "crash":
                crash = f"{self.broken['workers']} workers need too much memory: the service crashed"
                self.tell(self.broken["minute"], study, f"{crash}; canopy went back to {now}")
            else:
                seconds = time.monotonic() - self.broke_at
                self.tell(
                    minute,
                    study,
                    f"it is back after {seconds:.1f} seconds; canopy waited and continues with {now}",
                )
            self.broken = None

    def tell_of_day(self, study: str, day: int, minute: float) -> None:
        records = of_day(self.records[study], day)
        if study == "workers":
            who = workers_of(records)
            earned = {name: f"{each['earned']:.0f}" for name, each in who.items()}
            beyond = {name: f"{100 * each['beyond']:.0f} %" for name, each in who.items()}
            what = f"earned {earned['canopy']} $/h (as today: {earned['today']}, best: {earned['best']})"
            what += f"; p99 above the limit {beyond['canopy']} of the time (as today: {beyond['today']})"
        else:
            orders = pages_of(records)
            usual = statistics.mode(each["ttl_seconds"] for each in records)
            beside = f"as today: {orders['today']:.1f}, best: {orders['best']:.1f}"
            what = f"{orders['canopy']:.1f} orders per 1000 visits ({beside}), most often with {usual:.0f} s"
        self.tell(minute, study, what)

    def finish(self) -> None:
        self.go_on()
        for study in STUDIES:
            self.tell_of_day(study, len(DAYS) - 1, min(self.records[study][-1]["minute"], WEEK - 1))

    def show_where_it_is(self) -> None:
        if not self.is_live or self.broken or not all(self.records.values()):
            return
        workers, pages = (self.records[study][-1] for study in STUDIES)
        if workers["event"] == pages["event"] == "measured":
            now = f"load {workers['load']:3.0f}/s: {workers['workers']} workers, p99 {workers['p99']:.0f} ms"
            now += f"; pages stay {pages['ttl_seconds']:.0f} s"
            width = shutil.get_terminal_size().columns
            print(f"\r\x1b[K{clock(workers['minute'])}  {now}"[: width + 4], end="", flush=True)


def begin(folder: Path, seconds: float) -> None:
    """A new week in an empty folder."""
    for path in folder.iterdir():
        if path.name != "lock":
            path.unlink()
    measurements = MEASUREMENTS_A_SECOND * seconds
    world = {"seed": SEED, "step": WEEK / measurements, "pace": 1 / MEASUREMENTS_A_SECOND, "outage": seconds / 12}
    (folder / "world.json").write_text(json.dumps(world))
    (folder / "workers.load").write_text(f"{load_of(SEED, 0.0)}\n")
    shutil.copy(HERE / "service.py", folder)
    for study in STUDIES:
        text = (HERE / f"{study}.toml").read_text()
        text = re.sub(r"(?m)^pulls = (\d+)", lambda found: f"pulls = {round(int(found[1]) * seconds / 60)}", text)
        (folder / f"{study}.toml").write_text(text)


def open_page(processes: Processes, story: Story) -> None:
    page = processes.start("dashboard", "--store", "demo.db", stdout=subprocess.PIPE)
    assert page.stdout
    address = page.stdout.readline().decode().strip()
    if not address.startswith("http"):
        story.say(f"No live page: {address}")
        return
    story.say(f"\n  The live page: {address}/#/studies/workers\n                 {address}/#/studies/pages\n")
    opener = shutil.which("xdg-open")
    if opener and story.is_live and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        quiet = subprocess.DEVNULL
        subprocess.Popen(
            [opener, f"{address}/#/studies/workers"], stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
        )


def short(path: Path) -> str:
    """A path as it can be typed here."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def play(tool: Path, folder: Path, processes: Processes, arguments: argparse.Namespace) -> None:
    begin(folder, arguments.seconds)
    story = Story(folder)
    story.say(
        f"A simulated shop: its working week in {arguments.seconds:g} seconds. canopy tunes two knobs of it, live:\n"
        f"  workers  how many; {WORKERS_TODAY} today. The best number depends on the load, "
        f"and p99 may be {P99_LIMIT:.0f} ms at most\n"
        f"  pages    how long they are cached; {TTL_TODAY:.0f} s today. On Wednesday a deployment changes the best time"
    )
    tuners = {}
    for study in STUDIES:
        with (folder / f"{study}.out").open("wb") as output:
            tuners[study] = processes.start("tune", f"{study}.toml", "--store", "demo.db", stdout=output)
    has_page = not arguments.no_page
    while any(tuner.poll() is None for tuner in tuners.values()):
        if has_page and all(story.records.values()):
            open_page(processes, story)
            has_page = False
        story.go_on()
        time.sleep(0.1)
    for study, tuner in tuners.items():
        if tuner.returncode != 0:
            sys.exit(f"{(folder / f'{study}.out').read_text()}demo.py: tuning {study} failed")
    story.finish()
    summary = summarize(Canopy(tool, folder / "demo.db"), folder, story.records, SEED)
    (folder / "summary.json").write_text(json.dumps(summary, indent=2) + "\n")
    name, store = short(tool), short(folder / "demo.db")
    story.say(f"\n{show(summary)}\n\nTo see more")
    for command in ("policy workers", "explain pages", "dashboard"):
        story.say(f"  {name} {command} --store {store}")
    if story.is_live and not arguments.no_page:
        story.say("\nThe page stays until Ctrl-C.")
        with contextlib.suppress(Interrupted):
            signal.pause()


def main() -> int:
    parser = argparse.ArgumentParser(description="canopy tunes two knobs of a simulated shop during its week.")
    parser.add_argument(
        "--seconds",
        type=float,
        default=60.0,
        help="duration of the week, 8 or more; a longer week has more measurements [60]",
    )
    parser.add_argument("--no-page", action="store_true", help="no live page, only the terminal")
    arguments = parser.parse_args()
    if not arguments.seconds >= 8:
        parser.error("--seconds: must be 8 or more")
    tool = Path(os.environ.get("CANOPY", HERE / "../../build/canopy")).resolve()
    folder = Path(os.environ.get("OUT", HERE / "../../out/demo")).resolve()
    if not os.access(tool, os.X_OK):
        sys.exit(f"demo.py: {tool} is missing; run make build, or set CANOPY to the tool")
    folder.mkdir(parents=True, exist_ok=True)
    processes = Processes(tool, folder)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sys.exit(f"demo.py: another demo is running in {folder}; set OUT to another folder")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, interrupt)
        try:
            play(tool, folder, processes, arguments)
        except Interrupted as interrupted:
            print("\nended", flush=True)
            return 128 + int(interrupted.args[0])
        finally:
            processes.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
