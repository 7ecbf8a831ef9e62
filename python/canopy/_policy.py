"""Policies: the best arm in every context."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _canopy
from ._limits import LimitCheck, checks_from
from ._pandas import import_pandas
from ._space import Contexts, Space

if TYPE_CHECKING:
    import pandas


class PolicyRow(NamedTuple):
    """The arm for one region of contexts.

    `where` describes the contexts by the names of the variables: the two ends of a range of numbers, or the list of
    values of a choice. Unrestricted variables are left out. The upper end belongs to the region if it is a whole
    number, or the end of the variable's range. For a periodic variable, the first end may be the larger one: (22, 5)
    are the hours from 22 to 24 and from 0 to 5.

    `arm` and `mean` are None while the region has no rewards. `pulls` is the number of pulls of all arms in the region,
    `arm_pulls` that of this arm, and `mean` the mean of its rewards. `lower` and `upper` are the ends of the confidence
    interval of its mean reward over the contexts of the region, as in `Best`; None while there is no interval.
    `may_share` has the indices of neighbouring rows whose arm cannot be ruled out here: the two regions may have the
    same best arm. `limits` has a `LimitCheck` for every metric with a limit, for the least favourable of the contexts
    seen there; `breaks_limits` says that no arm keeps the limits there, and that `arm` violates them least.
    """

    where: dict[str, tuple[Any, Any] | list[Any]]
    arm: dict[str, Any] | None
    pulls: int
    arm_pulls: int
    mean: float | None
    lower: float | None
    upper: float | None
    may_share: list[int]
    limits: dict[str, LimitCheck]
    breaks_limits: bool


class LevelEffect(NamedTuple):
    """The effect of a variable on the rewards of all arms at values from `low` to `high`, or for a choice, at `low`."""

    low: Any
    high: Any
    effect: float


class ContextWeight(NamedTuple):
    """How much the best arm depends on a variable: the number of splits along it, and the evidence in nats."""

    splits: int
    evidence: float


class Policy:
    """The best arm in every context, as `optimizer.policy()` returns it; `print` shows it as a table.

    `rows` has a `PolicyRow` for every region of contexts; iterating over the policy iterates over them. `effects` has a
    list of `LevelEffect` for every variable, from its lowest to its highest value, empty if no effect was found.
    `weights` has a `ContextWeight` for each. `moved` counts contexts outside the range of a variable, which were moved
    to the nearest end.

    >>> opt = canopy.Adaptive({"x": canopy.real(0, 1)}, contexts={"load": canopy.real(0, 1)})
    >>> for load in [0.1, 0.8] * 200:
    ...     pull = opt.ask(context={"load": load})
    ...     opt.tell(pull, 1 - abs(pull.arm["x"] - load))
    >>> len(opt.policy())
    2
    >>> [round(row.arm["x"], 1) for row in opt.policy()]
    [0.1, 0.8]
    """

    def __init__(
        self,
        space: Space,
        contexts: Contexts,
        rows: list[PolicyRow],
        effects: Mapping[str, list[LevelEffect]],
        weights: Mapping[str, ContextWeight],
        moved: int,
    ):
        self.space = space
        self.contexts = contexts
        self.rows = rows
        self.effects = dict(effects)
        self.weights = dict(weights)
        self.moved = moved

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[PolicyRow]:
        return iter(self.rows)

    def __getitem__(self, place: int) -> PolicyRow:
        return self.rows[place]

    def to_dict(self) -> dict[str, Any]:
        """The policy as dictionaries and lists, like the JSON of the command line and of servers."""
        return {
            "rows": [_document_of(row) for row in self.rows],
            "effects": {name: [_effect_document(each) for each in effects] for name, effects in self.effects.items()},
            "weights": {name: weight._asdict() for name, weight in self.weights.items()},
            "moved": self.moved,
        }

    def to_frame(self) -> pandas.DataFrame:
        """A pandas DataFrame with one row per region.

        The ends of a number are two columns, `load.low` and `load.high`; the values of a choice are a tuple.
        """
        pandas = import_pandas()
        others = ("pulls", "arm_pulls", "mean", "lower", "upper")
        rows = []
        for row in self.rows:
            cells: dict[str, Any] = {}
            for name in self.contexts:
                extent = self.extent(row, name)
                if isinstance(extent, list):
                    cells[name] = tuple(extent)
                else:
                    cells[f"{name}.low"], cells[f"{name}.high"] = extent
            for name in self.space:
                cells[f"arm.{name}" if name in others else name] = row.arm[name] if row.arm else None
            rows.append({**cells, **{name: getattr(row, name) for name in others}})
        return pandas.DataFrame(rows)

    def extent(self, row: PolicyRow, name: str) -> tuple[Any, Any] | list[Any]:
        """The extent of a region along a variable: as in `where`, but also for unrestricted variables."""
        if name in row.where:
            return row.where[name]
        domain = self.contexts._domain(name)
        if domain.is_ordered:
            low, high = domain.ends
            return (self.contexts._value(name, low), self.contexts._value(name, high))
        return [self.contexts._value(name, place) for place in domain.grid(domain.count or 0)]

    def __str__(self) -> str:
        lines = self._lines()
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        rows = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
        return "\n".join(rows)

    def _repr_html_(self) -> str:
        """The representation in notebooks."""
        from ._html import policy_html

        return policy_html(self)

    def _lines(self) -> list[list[str]]:
        """The rows of the table, headings first."""
        notes = any(row.may_share for row in self.rows)
        metrics = list(self.rows[0].limits) if self.rows else []
        heads = ["", *self.contexts, "pulls", *self.space, "mean", "interval", *metrics]
        if notes:
            heads.append("may be as in")
        lines = [heads]
        for number, row in enumerate(self.rows, start=1):
            cells = [str(number), *(_range_text(self, row, name) for name in self.contexts), str(row.pulls)]
            cells += [_value_text(row.arm[name]) if row.arm else "" for name in self.space]
            cells += [_mean_text(row), _interval_text(row)]
            cells += [_limit_text(row.limits.get(name)) for name in metrics]
            if notes:
                cells.append(", ".join(str(place + 1) for place in row.may_share))
            lines.append(cells)
        return lines

    def __repr__(self) -> str:
        regions = "1 region" if len(self.rows) == 1 else f"{len(self.rows)} regions"
        return f"<canopy.Policy over {', '.join(self.contexts)}: {regions}>"


def policy_from(space: Space, contexts: Contexts, found: tuple[Any, ...]) -> Policy:
    """From the tuples of `_canopy`."""
    rows, effects, weights, moved = found
    return Policy(
        space,
        contexts,
        [PolicyRow._make([*others, checks_from(limits), breaks]) for *others, limits, breaks in rows],
        {name: [LevelEffect._make(each) for each in bins] for name, bins in effects.items()},
        {name: ContextWeight._make(weight) for name, weight in weights.items()},
        moved,
    )


def policy_tuples_from(document: Mapping[str, Any]) -> tuple[Any, ...]:
    """The tuples of `_canopy`, from the JSON of a server."""
    rows = []
    for row in document["rows"]:
        where = {
            name: (extent["from"], extent["to"]) if isinstance(extent, Mapping) else extent
            for name, extent in row["where"].items()
        }
        arm, interval = row.get("arm"), row.get("interval", {})
        mean = None if arm is None else row["mean"]
        ends = (interval.get("lower"), interval.get("upper"))
        limits = [tuple(check[key] for key in LimitCheck._fields) for check in row.get("limits", [])]
        others = (row.get("may_share", []), limits, row.get("breaks_limits", False))
        rows.append((where, arm, row["pulls"], row["arm_pulls"], mean, *ends, *others))
    effects = {
        name: [
            (part.get("from", part.get("value")), part.get("to", part.get("value")), part["effect"]) for part in parts
        ]
        for name, parts in document["effects"].items()
    }
    weights = {name: (weight["splits"], weight["evidence"]) for name, weight in document["weights"].items()}
    return rows, effects, weights, document["moved"]


def _document_of(row: PolicyRow) -> dict[str, Any]:
    where = {
        name: extent if isinstance(extent, list) else {"from": extent[0], "to": extent[1]}
        for name, extent in row.where.items()
    }
    document: dict[str, Any] = {"where": where}
    if row.arm is not None:
        document["arm"] = row.arm
    document |= {"pulls": row.pulls, "arm_pulls": row.arm_pulls, "mean": row.mean or 0.0}
    if row.lower is not None and row.upper is not None:
        document["interval"] = {"lower": row.lower, "upper": row.upper}
    if row.may_share:
        document["may_share"] = row.may_share
    if row.limits:
        document["limits"] = [check._asdict() for check in row.limits.values()]
    if row.breaks_limits:
        document["breaks_limits"] = True
    return document


def _effect_document(part: LevelEffect) -> dict[str, Any]:
    ends = {"value": part.low} if part.low == part.high else {"from": part.low, "to": part.high}
    return {**ends, "effect": part.effect}


def _value_text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _range_text(policy: Policy, row: PolicyRow, name: str) -> str:
    if name not in row.where:
        return "any"
    extent = row.where[name]
    if isinstance(extent, list):
        return ", ".join(map(str, extent))
    low, high = (_value_text(end) for end in extent)
    return low if extent[0] == extent[1] else f"{low} to {high}"


def _mean_text(row: PolicyRow) -> str:
    return "" if row.mean is None else _rounded(row, row.mean)


def _interval_text(row: PolicyRow) -> str:
    if row.lower is None or row.upper is None:
        return ""
    return f"{_rounded(row, row.lower)} to {_rounded(row, row.upper)}"


def _limit_text(check: LimitCheck | None) -> str:
    return "" if check is None else f"{check.estimate:.4g} ({check.state.replace('_', ' ')})"


def _rounded(row: PolicyRow, number: float) -> str:
    """Rounds a number to the precision of the interval."""
    if row.lower is None or row.upper is None or row.upper <= row.lower:
        return f"{number:.4g}"
    return _canopy.rounded_text(number, 0.05 * (row.upper - row.lower))
