"""The result of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ._optimizers import Best, Looks, Loss, Optimizer, Summary, Uplift, arm_text
from ._pandas import import_pandas
from ._policy import Policy
from ._space import Space

if TYPE_CHECKING:
    import pandas


class Episode(NamedTuple):
    """An arm and the successive rewards it earned.

    `depth` is the depth of its node in the tree (-1: not known), `first` the index of its first pull, from 1, `context`
    the context observed before it, or None.
    """

    ticket: int | str
    arm: dict[str, Any]
    depth: int  #: depth of its node in the tree
    first: int  #: index of its first pull, from 1
    rewards: list[float]
    context: dict[str, Any] | None = None  #: the context observed before it


class Result:
    """The result of a search, so far.

    `episodes` are arms with their successive rewards, `rewards` all rewards in order, `pulls` the number of calls
    without those of the baseline. `failed` is the number of failed calls; `last_failure` has the arm and the reason of
    the last one. `stopped` says why it ended: "pulls", "timeout", "stop", "interrupted" or "failures". `optimizer` is
    the optimizer; once a search with a study has ended, a copy in memory, so that the study may be closed.
    """

    def __init__(self, optimizer: Looks):
        self.optimizer = optimizer
        self.episodes: list[Episode] = []
        self.rewards: list[float] = []
        self.pulls = 0
        self.failed = 0
        self.last_failure: str | None = None
        self.seconds = 0.0
        self.stopped = ""
        self._at_end: tuple[Best | None, Summary, Policy | None] | None = None

    @property
    def space(self) -> Space:
        return self.optimizer.space

    @property
    def best(self) -> Best:
        """The arm to recommend; frozen at the end of the search. Raises ValueError if there is none.

        With contexts the best arm depends on the context: see `policy` and `optimizer.best(context)`.
        """
        best = self.best_or_none()
        if best is None:
            raise ValueError(self._why_no_best())
        return best

    def _why_no_best(self) -> str:
        if self.optimizer.contexts is not None:
            return "the best arm depends on the context: see result.policy, or result.optimizer.best(context)"
        nearest = self.optimizer.nearest()
        if nearest is None or not nearest.limits:
            return "there is no best arm, because there are no rewards; best_or_none() returns None in this case"
        worst = min(nearest.limits.values(), key=lambda check: check.probability)
        return (
            f"no arm so far keeps {worst.metric} {worst.limit}; the nearest one, {arm_text(nearest.arm)}, has "
            f"{worst.estimate:.4g}: see result.nearest; best_or_none() returns None in this case"
        )

    def best_or_none(self) -> Best | None:
        """The arm to recommend; None if there are no rewards, or if no arm keeps its limits.

        Also None with contexts, because the best arm depends on the context.
        """
        if self._at_end or self.optimizer.contexts is not None:
            return self._at_end[0] if self._at_end else None
        return self.optimizer.best()

    @property
    def policy(self) -> Policy:
        """The best arm in every context; frozen at the end of the search. Raises ValueError without contexts."""
        at_end = self._at_end[2] if self._at_end else None
        return self.optimizer.policy() if at_end is None else at_end

    @property
    def nearest(self) -> Best | None:
        """If no arm keeps its limits, the one that violates them least. None if there is a best arm."""
        return self.optimizer.nearest()

    @property
    def uplift(self) -> Uplift | None:
        """The best arm compared with the baseline; None without a baseline, and before it was measured."""
        return self.optimizer.uplift()

    @property
    def loss(self) -> Loss | None:
        """The cost of tuning; None unless it is limited, as by `Baseline(..., max_loss=0.02)`."""
        return self.optimizer.loss()

    @property
    def summary(self) -> Summary:
        """The state of the optimizer: pulls, nodes, depth, switches and more. It is frozen at the end of the search."""
        return self._at_end[1] if self._at_end else self.optimizer.summary()

    def _end(self) -> None:
        """Freezes the result, so that later changes of the optimizer do not affect it."""
        if not isinstance(self.optimizer, Optimizer):
            self.optimizer = self.optimizer.copy()
        self._at_end = (self.best_or_none(), self.optimizer.summary(), self.optimizer._policy_or_none())

    def _recommend(self, best: Best | None) -> None:
        """Replaces the best arm of the optimizer after the search."""
        assert self._at_end
        self._at_end = (best, *self._at_end[1:])

    def to_frame(self) -> pandas.DataFrame:
        """A pandas DataFrame with one row per episode: its arm, its context, the number of pulls and their mean."""
        pandas = import_pandas()
        others = ("ticket", "first", "depth", "pulls", "mean")
        columns: dict[str, list[Any]] = {f"arm.{name}" if name in others else name: [] for name in self.space}
        seen: dict[str, list[Any]] = {f"context.{name}": [] for name in self.optimizer.contexts or ()}
        rows: dict[str, list[Any]] = {
            "ticket": [],
            "first": [],
            **columns,
            **seen,
            "depth": [],
            "pulls": [],
            "mean": [],
        }
        for episode in self.episodes:
            rows["ticket"].append(episode.ticket)
            rows["first"].append(episode.first)
            for column, value in zip(columns.values(), episode.arm.values()):
                column.append(value)
            for column, name in zip(seen.values(), self.optimizer.contexts or ()):
                column.append(episode.context[name] if episode.context else None)
            rows["depth"].append(episode.depth)
            rows["pulls"].append(len(episode.rewards))
            rows["mean"].append(sum(episode.rewards) / len(episode.rewards))
        return pandas.DataFrame(rows)

    def _repr_html_(self) -> str:
        """The representation in notebooks."""
        from ._html import result_html

        return result_html(self)

    def __repr__(self) -> str:
        failed = f", {self.failed} failed, the last at {self.last_failure}" if self.failed else ""
        ending = f", stopped: {self.stopped}" if self.stopped else ""
        counts = f"{self.pulls} pulls in {len(self.episodes)} episodes"
        policy = self._at_end[2] if self._at_end else self.optimizer._policy_or_none()
        found = f"best {self.best_or_none()}" if policy is None else repr(policy)
        return f"<canopy.Result of {counts}{failed}{ending}; {found}>"
