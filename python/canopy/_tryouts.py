"""Arms that an episodic policy search plays in addition to those of its optimizer: random arms, and a final playoff."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ._ledger import is_usable
from ._optimizers import Best, arm_text, make_optimizer
from ._result import Result
from ._space import Space

PLAYOFF = 0.3  #: share of the steps for the playoff
CANDIDATES = 100  #: maximum number of arms in the playoff


@dataclass
class _Tried:
    """An arm with its returns; a failed episode has the return -inf."""

    arm: dict[str, Any]
    returns: list[float] = field(default_factory=list)

    def mean(self) -> float:
        return sum(self.returns) / len(self.returns)


class Tryouts(deque[dict[str, Any]]):
    """A queue of arms to play next. While it is empty, the optimizer chooses.

    With a few dozen episodes, a tree repeats few arms, and these are centres of large cells. Therefore half of the
    steps go to random arms. The largest of many single returns is biased by luck. Therefore a playoff repeatedly plays
    the arm with the largest mean return.
    """

    def __init__(self, play: Callable[..., float], played: Callable[[], int], steps: int, space: Space, seed: int):
        super().__init__()
        self._play = play
        self._played = played  # steps so far
        self._begin = steps * (1 - PLAYOFF)
        self._sampler = make_optimizer("random", space, seed=seed)
        self._tried: dict[str, _Tried] = {}
        self._is_random = False
        self._balance = 0  # steps of the optimizer's arms minus steps of random arms
        self._candidates: list[_Tried] = []  # set when the playoff begins

    def episode(self, **arm: Any) -> float:
        """Plays an arm and records its return."""
        tried = self._tried.setdefault(repr(arm), _Tried(arm))
        begun, total = self._played(), -math.inf
        try:
            total = self._play(**arm)
            return total
        finally:
            taken = self._played() - begun
            tried.returns.append(total if is_usable(total) else -math.inf)
            self._balance += -taken if self._is_random else taken

    def __bool__(self) -> bool:
        """Whether the queue has an arm to play."""
        self._is_random = False
        return bool(self._tried) and (self._played() >= self._begin or self._balance > 0)

    def popleft(self) -> dict[str, Any]:
        if self._played() >= self._begin:
            return self._next_of_playoff()
        self._is_random = True
        pull = self._sampler.ask(1)
        self._sampler.tell(pull, 0.0)  # so that it does not return the same arm again
        return dict(pull.arm)

    def _next_of_playoff(self) -> dict[str, Any]:
        if not self._candidates:
            self._candidates = sorted(self._tried.values(), key=_Tried.mean, reverse=True)[:CANDIDATES]
        return max(self._candidates, key=_Tried.mean).arm

    def _winner(self) -> _Tried | None:
        """The arm with the largest mean minus its standard error, with the pooled noise of all candidates."""
        usable = [tried for tried in self._candidates if tried.mean() > -math.inf]
        squares = sum((each - tried.mean()) ** 2 for tried in usable for each in tried.returns)
        noise = math.sqrt(squares / max(1, sum(len(tried.returns) - 1 for tried in usable)))
        return max(usable, key=lambda tried: tried.mean() - noise / math.sqrt(len(tried.returns)), default=None)

    def best(self, result: Result) -> Best | None:
        """The arm to recommend: the winner of the playoff; without a playoff, the best arm of the optimizer."""
        best, winner = result.best_or_none(), self._winner()
        if best is None or winner is None:
            return best
        known = result.optimizer.estimate(winner.arm)
        if known is None:
            return best
        mean = f"{known.mean:.4g}"
        if known.lower is not None and known.upper is not None:
            mean += f" ({known.lower:.4g} to {known.upper:.4g} at {100 * best.confidence:g} %)"
        is_own = winner.arm == best.arm
        return best._replace(
            arm=dict(winner.arm),
            **known._asdict(),
            basis="playoff",
            own=best.own if is_own else best.arm,
            by_model=best.by_model if is_own else None,
            text=f"{arm_text(winner.arm)}: {mean}, {known.pulls} episodes; the best of the playoff",
        )
