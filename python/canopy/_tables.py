"""Tables of an experiment, as text and for LaTeX."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from . import _canopy
from ._space import whole

Statistic = Literal["mean", "median"]  #: statistic over runs


class Spread(NamedTuple):
    """Quartiles over runs, interpolated as by numpy; the least and the largest value."""

    least: float
    lower: float
    median: float
    upper: float
    most: float


def spread_of(values: Sequence[float]) -> Spread:
    """The quartiles of some numbers."""
    ordered = sorted(values)

    def quantile(share: float) -> float:
        at = share * (len(ordered) - 1)
        below = math.floor(at)
        above = min(below + 1, len(ordered) - 1)
        return ordered[below] + (at - below) * (ordered[above] - ordered[below])

    return Spread(*(quantile(share) for share in (0, 0.25, 0.5, 0.75, 1)))


def check_statistic(statistic: Any) -> None:
    """Raises ValueError."""
    if statistic not in ("mean", "median"):
        raise ValueError(f'statistic = {statistic!r}: must be "mean" or "median"')


class Cell(NamedTuple):
    """A cell of a table: an estimate with its lower and upper end."""

    middle: float
    low: float | None
    high: float | None
    is_difference: bool = False

    @property
    def is_significant(self) -> bool:
        return self.low is not None and self.high is not None and (self.high < 0 or self.low > 0)


def cells_of(result: Any, measure: str, statistic: Statistic, baseline: str | None) -> dict[str, dict[str, Cell]]:
    """The cells by environment and algorithm."""
    check_statistic(statistic)
    if baseline is not None and statistic == "median":
        raise ValueError('statistic = "median": is not available for differences to a baseline')
    differences = {}
    if baseline is not None:
        differences = {
            (each.environment, each.algorithm): each for each in result.differences(baseline, measure=measure)
        }

    def cell(environment: str, algorithm: str) -> Cell:
        if each := differences.get((environment, algorithm)):
            return Cell(each.mean, each.lower, each.upper, is_difference=True)
        values = result.values(environment, algorithm, measure)
        if statistic == "mean":
            return Cell(*_canopy.estimate(values))
        spread = spread_of(values)
        return Cell(spread.median, spread.lower, spread.upper)

    return {name: {label: cell(name, label) for label in result.algorithms} for name in result.environments}


def text_table(result: Any, measure: str, statistic: Statistic, baseline: str | None) -> str:
    """A block for every environment, a row for every algorithm."""
    blocks = []
    for environment, cells in cells_of(result, measure, statistic, baseline).items():
        ends = "quartiles" if statistic == "median" else "95 % interval"
        rows = [("", statistic, ends), *((label, *_text_of(cell)) for label, cell in cells.items())]
        about = f"{environment} ({_name_of(measure, result.regrets[environment])}"
        about += f"; differences to {baseline}, run by run)" if baseline else ")"
        blocks.append("\n".join([about, *_aligned(rows)]))
    return "\n\n".join(blocks)


def _text_of(cell: Cell) -> tuple[str, str]:
    sign = "+" if cell.is_difference else ""
    interval = "" if cell.low is None else f"{cell.low:{sign}.4f} .. {cell.high:{sign}.4f}"
    if cell.is_difference:
        verdict = "open" if not cell.is_significant else "better" if cell.middle < 0 else "worse"
        interval += f"  {verdict}"
    return f"{cell.middle:{sign}.4f}", interval


def _aligned(rows: list[tuple[str, str, str]]) -> list[str]:
    first = max(len(row[0]) for row in rows)
    second = max(len(row[1]) for row in rows)
    return [f"  {label:{first}}  {middle:>{second}}  {ends}".rstrip() for label, middle, ends in rows]


def _name_of(measure: str, compared: str) -> str:
    if measure == "us_per_step":
        return "microseconds per step"
    if measure == "simple":
        return "simple regret"
    return f"{compared if measure == 'regret' else measure} regret per step".lstrip()


# --- LaTeX ----------------------------------------------------------------------------------------


def latex_table(
    result: Any,
    measure: str,
    statistic: Statistic,
    baseline: str | None,
    digits: int,
    caption: str | None,
    label: str | None,
) -> str:
    """A row for every algorithm, a column for every environment."""
    digits = whole("digits", digits, 0, 15)
    cells = cells_of(result, measure, statistic, baseline)
    lines = [r"\begin{tabular}{l" + "r" * len(cells) + "}", r"\toprule"]
    lines += [" & ".join(["", *map(escaped, cells)]).lstrip() + r" \\", r"\midrule"]
    for algorithm in result.algorithms:
        row = [_latex_of(by_label, algorithm, statistic, digits) for by_label in cells.values()]
        lines.append(" & ".join([escaped(algorithm), *row]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    if caption is None and label is None:
        return "\n".join(lines) + "\n"
    around = [r"\begin{table}", r"\centering", *lines]
    around += [rf"\caption{{{caption}}}"] if caption is not None else []
    around += [rf"\label{{{label}}}"] if label is not None else []
    return "\n".join([*around, r"\end{table}"]) + "\n"


def _latex_of(cells: dict[str, Cell], algorithm: str, statistic: Statistic, digits: int) -> str:
    """Formats a cell. The least value of an environment is bold, or a difference if it is significant."""
    cell = cells[algorithm]
    if cell.is_difference:
        is_bold = cell.is_significant and cell.middle < 0
    else:
        has_differences = any(each.is_difference for each in cells.values())
        is_bold = not has_differences and cell.middle == min(each.middle for each in cells.values())
    middle = f"{cell.middle:{'+' if cell.is_difference else ''}.{digits}f}"
    bold = rf"\mathbf{{{middle}}}" if is_bold else middle
    if cell.low is None or cell.high is None:
        return f"${bold}$"
    if statistic == "median":
        return f"${bold}$ $[{cell.low:.{digits}f}, {cell.high:.{digits}f}]$"
    return rf"${bold} \pm {(cell.high - cell.low) / 2:.{digits}f}$"


_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}"}
_SPECIAL |= {">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}"}
_SPECIAL |= {character: "\\" + character for character in "&%$#_{}"}


def escaped(name: str) -> str:
    """A name as LaTeX prints it."""
    return re.sub(r'[\\~^<>|"&%$#_{}]', lambda found: _SPECIAL[found[0]], name)
