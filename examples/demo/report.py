"""Compares the results of canopy with the truth, which only the simulation knows."""

import importlib.util
import json
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from service import (
    DAY,
    DAYS,
    DEPLOYMENT,
    MOST_WORKERS,
    P99_LIMIT,
    WEEK,
    best_ttl,
    best_workers,
    load_of,
    pages_truth,
    workers_truth,
)

WORKERS_TODAY = 16  # the baselines of the two studies
TTL_TODAY = 600.0
LOADS = (50, 100, 200, 300, 400, 500, 600)

Record = dict[str, Any]


def mean(values: list[float]) -> float:
    return statistics.fmean(values) if values else 0.0


def with_policy(loads: list[float], workers_for: Callable[[float], int]) -> dict[str, float]:
    """The earnings of a policy in dollars an hour, and the share of the time in which it is above the limit."""
    truths = [workers_truth(load, workers_for(load)) for load in loads]
    return {
        "earned": mean([earned for earned, _ in truths]),
        "beyond": mean([float(p99 > P99_LIMIT) for _, p99 in truths]),
    }


def best_single_number(records: list[Record]) -> int:
    """The number of workers that would have earned most if it had never been changed."""
    loads = [each["load"] for each in records if each["event"] == "measured"]
    return max(range(1, MOST_WORKERS + 1), key=lambda each: with_policy(loads, lambda _: each)["earned"])


def workers_of(records: list[Record], single: int = WORKERS_TODAY) -> dict[str, dict[str, float]]:
    """During a crash no request is answered, but the workers still cost money."""
    records = [each for each in records if each["event"] in ("measured", "crash")]
    loads = [each["load"] for each in records]
    return {
        "canopy": {
            "earned": mean([each.get("earned", -4.0 * each["workers"]) for each in records]),
            "beyond": mean([float(each.get("p99", float("inf")) > P99_LIMIT) for each in records]),
        },
        "today": with_policy(loads, lambda _: WORKERS_TODAY),
        "single": with_policy(loads, lambda _: single),
        "best": with_policy(loads, best_workers),
    }


def pages_of(records: list[Record]) -> dict[str, float]:
    records = [each for each in records if each["event"] == "measured"]
    minutes = [each["minute"] for each in records]
    return {
        "canopy": mean([each["earned"] for each in records]),
        "today": mean([pages_truth(minute, TTL_TODAY) for minute in minutes]),
        "best": mean([pages_truth(minute, best_ttl(minute >= DEPLOYMENT)) for minute in minutes]),
    }


def of_day(records: list[Record], day: int) -> list[Record]:
    return [each for each in records if min(each["minute"] // DAY, len(DAYS) - 1) == day]


class Canopy:
    """Asks the tool about the studies of a store."""

    def __init__(self, tool: Path, store: Path) -> None:
        self.tool, self.store = tool, store

    def ask(self, *words: str) -> str:
        command: list[str | Path] = [self.tool, *words, "--store", self.store]
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout

    def best(self, study: str, *words: str) -> Record:
        answer: Record = json.loads(self.ask("best", study, "--json", *words))
        return answer

    def policy(self, folder: Path) -> Callable[[float], int]:
        """The function that `canopy policy --code python` writes."""
        file = folder / "policy.py"
        file.write_text(self.ask("policy", "workers", "--code", "python"))
        specification = importlib.util.spec_from_file_location("policy", file)
        assert specification and specification.loader
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        return lambda load: int(module.setting(load)["workers"])


def summarize(canopy: Canopy, folder: Path, records: dict[str, list[Record]], seed: int) -> Record:
    policy = canopy.policy(folder)
    next_week = [load_of(seed + 1, minute) for minute in range(0, WEEK, 5)]
    workers, pages = canopy.best("workers", "--context", "load=300"), canopy.best("pages")
    single = best_single_number(records["workers"])
    return {
        "single_number": single,
        "workers": [workers_of(of_day(records["workers"], day), single) for day in range(len(DAYS))],
        "pages": [pages_of(of_day(records["pages"], day)) for day in range(len(DAYS))],
        "policy": {str(load): {"canopy": policy(load), "best": best_workers(load)} for load in LOADS},
        "next_week": {
            "canopy": with_policy(next_week, policy),
            "today": with_policy(next_week, lambda _: WORKERS_TODAY),
            "best": with_policy(next_week, best_workers),
        },
        "ttl_seconds": {"canopy": pages["arm"]["ttl_seconds"], "best": best_ttl(True)},
        "claims": {"workers": workers["uplift_text"], "pages": pages["uplift_text"]},
        "verdicts": {"workers": workers["uplift"]["verdict"], "pages": pages["uplift"]["verdict"]},
        "events": {
            study: [each for each in records[study] if each["event"] != "measured"] for study in ("workers", "pages")
        },
    }


def row(title: str, cells: list[str]) -> str:
    return f"  {title:38}" + "".join(f"{cell:>7}" for cell in cells)


def show(summary: Record) -> str:
    policy, ttl, week = summary["policy"], summary["ttl_seconds"], summary["next_week"]
    days, pages = summary["workers"], summary["pages"]

    def earned(who: str) -> list[str]:
        return [f"{day[who]['earned']:.1f}" for day in days]

    def beyond(who: str) -> list[str]:
        return [f"{100 * day[who]['beyond']:.0f} %" for day in days]

    def orders(who: str) -> list[str]:
        return [f"{day[who]:.1f}" for day in pages]

    def one(who: str) -> str:
        return f"{week[who]['earned']:.1f} dollars an hour, {100 * week[who]['beyond']:.1f} % above {P99_LIMIT:.0f} ms"

    def claim(study: str) -> str:
        text: str = summary["claims"][study]
        return text.split(";")[0]  # `canopy best` has the rest

    return "\n".join(
        [
            "What canopy found, and the truth, which only the simulation knows",
            row("load, requests a second", list(policy)),
            row("workers, the policy of canopy", [str(each["canopy"]) for each in policy.values()]),
            row("workers, the best ones", [str(each["best"]) for each in policy.values()]),
            row("ttl since the deployment", [f"{ttl['canopy']:.0f} s"]) + f", the best one {ttl['best']:.0f} s",
            "",
            "What it earned, including everything that was tried",
            row("", list(DAYS)),
            row("workers: canopy, dollars an hour", earned("canopy")),
            row(f"  {WORKERS_TODAY} workers, without canopy", earned("today")),
            row(f"  {summary['single_number']} workers, the best single number", earned("single")),
            row("  the best policy", earned("best")),
            row(f"  canopy, p99 above {P99_LIMIT:.0f} ms", beyond("canopy")),
            row(f"  {WORKERS_TODAY} workers, p99 above {P99_LIMIT:.0f} ms", beyond("today")),
            row("pages: canopy, orders per 1000 visits", orders("canopy")),
            row(f"  {TTL_TODAY:.0f} s, without canopy", orders("today")),
            row("  the best ttl", orders("best")),
            "",
            "The next week, with this policy and no further tuning",
            f"  the policy of canopy: {one('canopy')}",
            f"  {WORKERS_TODAY} workers: {one('today')}",
            f"  the best policy: {one('best')}",
            "",
            "What canopy reports, without knowing the truth",
            f"  workers  {claim('workers')}",
            f"  pages    {claim('pages')}",
        ]
    )
