"""The optimizers, one class each.

Written by `make classes` (scripts/python_classes.py) from the catalogue in C++: change it there.
"""

from __future__ import annotations

from typing import Any, Literal

from ._optimizers import CLASSES, Optimizer, check_seed
from ._partition import AnyPartition
from ._space import AnyBaseline, AnyContexts, AnySpace, Direction, Limits, RewardRange

__all__ = [
    "Adaptive",
    "Doo",
    "Gpo",
    "Grid",
    "Hct",
    "Hoo",
    "KlUcb",
    "LinUcb",
    "Pct",
    "Poo",
    "Power",
    "RandomSearch",
    "Restarted",
    "Sequool",
    "Soo",
    "Stosoo",
    "Stroquool",
    "SuccessiveHalving",
    "Thompson",
    "Thoo",
    "Vhct",
    "Vpct",
    "Vroom",
    "Zooming",
]


class Adaptive(Optimizer):
    """The adaptive tree: learns smoothness, noise and spread; needs only the search space.

    - settle: pulls that the system takes to settle after a change of arm.
    - settle_rule: which of these pulls are discarded: all (`strict`, the default for a live system), or fewer after a
      small change (`by_distance`).
    - coverage: budget for exploring where the model expects no optimum.
    - drift: whether to track changes of the reward level and of the optimum (`auto`), or to assume that the system does
      not change (`none`; always so with contexts).
    - partition: how a cell is cut: cyclic (one parameter after the other), longest_side, random_side, random_cut or
      every_side, with a number of parts and a seed if you like: "cyclic/3", "random_cut/2@7"; or a `Partition` of your
      own.
    - contexts: what is observed before each pull and decides on the best arm: {"load": canopy.real(0, 1)}.
    - seed: ignored, since nothing in it is random; accepted so that optimizers are alike.
    """

    name = "adaptive"

    def __init__(
        self,
        space: AnySpace,
        *,
        settle: int = 0,
        settle_rule: Literal["strict", "by_distance"] | None = None,
        coverage: float = 0.06,
        drift: Literal["none", "auto"] | None = None,
        partition: AnyPartition = "cyclic",
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
        contexts: AnyContexts = None,
        seed: int | None = None,
    ):
        options: dict[str, Any] = {
            "settle": settle,
            "coverage": coverage,
        }
        if settle_rule is not None:
            options["settle_rule"] = settle_rule
        if drift is not None:
            options["drift"] = drift
        check_seed(seed)
        super().__init__(
            space, options, direction, reward_range, confidence, hard_range, partition, baseline, limits, contexts
        )


class Hct(Optimizer):
    """High Confidence Tree: anytime, also for correlated feedback.

    - feedback: whether rewards of an arm are iid or correlated.
    - mixing_time: Gamma, correlated only: steps until rewards settle after a switch.
    - preset: defaults of nu1, rho, confidence_scale: practical or paper.
    - nu1: f varies by at most nu1 rho^h in a cell at depth h; by default 4, or 1 with preset "paper".
    - rho: see nu1; in (0, 1); by default 0.5.
    - confidence_scale: multiplies the confidence bounds; by default 0.025, or 1 with preset "paper".
    - delta: probability with which the bounds may fail; in (0, 1).
    - constants: correlated only: main or supplement (a factor 3 or 6 in c).
    - partition: how a cell is cut: cyclic (one parameter after the other), longest_side, random_side, random_cut or
      every_side, with a number of parts and a seed if you like: "cyclic/3", "random_cut/2@7"; or a `Partition` of your
      own.
    - seed: ignored, since nothing in it is random; accepted so that optimizers are alike.
    """

    name = "hct"

    def __init__(
        self,
        space: AnySpace,
        *,
        feedback: Literal["iid", "correlated"] = "iid",
        mixing_time: float = 1.0,
        preset: Literal["practical", "paper"] = "practical",
        nu1: float | None = None,
        rho: float | None = None,
        confidence_scale: float | None = None,
        delta: float = 0.05,
        constants: Literal["main", "supplement"] = "main",
        partition: AnyPartition = "cyclic",
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
        seed: int | None = None,
    ):
        options = {
            "feedback": feedback,
            "mixing_time": mixing_time,
            "preset": preset,
            "nu1": nu1,
            "rho": rho,
            "confidence_scale": confidence_scale,
            "delta": delta,
            "constants": constants,
        }
        check_seed(seed)
        super().__init__(space, options, direction, reward_range, confidence, hard_range, partition, baseline, limits)


class Vhct(Optimizer):
    """HCT that learns how noisy each arm is: anytime, independent rewards.

    - preset: defaults of nu1, rho, confidence_scale: practical or paper.
    - nu1: f varies by at most nu1 rho^h in a cell at depth h; by default 4, or 1 with preset "paper".
    - rho: see nu1; in (0, 1); by default 0.5.
    - confidence_scale: multiplies the confidence bounds; by default 0.05, or 1 with preset "paper".
    - delta: probability with which the bounds may fail; in (0, 1).
    - bound: b: range of the rewards of an arm.
    - partition: how a cell is cut: cyclic (one parameter after the other), longest_side, random_side, random_cut or
      every_side, with a number of parts and a seed if you like: "cyclic/3", "random_cut/2@7"; or a `Partition` of your
      own.
    - seed: ignored, since nothing in it is random; accepted so that optimizers are alike.
    """

    name = "vhct"

    def __init__(
        self,
        space: AnySpace,
        *,
        preset: Literal["practical", "paper"] = "practical",
        nu1: float | None = None,
        rho: float | None = None,
        confidence_scale: float | None = None,
        delta: float = 0.05,
        bound: float = 1.0,
        partition: AnyPartition = "cyclic",
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
        seed: int | None = None,
    ):
        options = {
            "preset": preset,
            "nu1": nu1,
            "rho": rho,
            "confidence_scale": confidence_scale,
            "delta": delta,
            "bound": bound,
        }
        check_seed(seed)
        super().__init__(space, options, direction, reward_range, confidence, hard_range, partition, baseline, limits)


class Thoo(Optimizer):
    """Truncated HOO: a known horizon, or periods of doubling length.

    - horizon: the total number of pulls, or doubling.
    - nu1: f varies by at most nu1 rho^h in a cell at depth h.
    - rho: see nu1; in (0, 1); by default 0.5 for one parameter, 0.7071 for two.
    - confidence_scale: multiplies the confidence bounds.
    - seed: seed of the algorithm's random choices.
    - partition: how a cell is cut: cyclic (one parameter after the other), longest_side, random_side, random_cut or
      every_side, with a number of parts and a seed if you like: "cyclic/3", "random_cut/2@7"; or a `Partition` of your
      own.
    """

    name = "thoo"

    def __init__(
        self,
        space: AnySpace,
        *,
        horizon: int | Literal["doubling"] = "doubling",
        nu1: float = 1.0,
        rho: float | None = None,
        confidence_scale: float = 0.2,
        seed: int = 1,
        partition: AnyPartition = "cyclic",
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
    ):
        options = {
            "horizon": horizon,
            "nu1": nu1,
            "rho": rho,
            "confidence_scale": confidence_scale,
            "seed": seed,
        }
        super().__init__(space, options, direction, reward_range, confidence, hard_range, partition, baseline, limits)


class Hoo(Optimizer):
    """Hierarchical optimistic optimization: a step costs O(nodes).

    - nu1: f varies by at most nu1 rho^h in a cell at depth h.
    - rho: see nu1; in (0, 1); by default 0.5 for one parameter, 0.7071 for two.
    - confidence_scale: multiplies the confidence bounds.
    - seed: seed of the algorithm's random choices.
    - partition: how a cell is cut: cyclic (one parameter after the other), longest_side, random_side, random_cut or
      every_side, with a number of parts and a seed if you like: "cyclic/3", "random_cut/2@7"; or a `Partition` of your
      own.
    """

    name = "hoo"

    def __init__(
        self,
        space: AnySpace,
        *,
        nu1: float = 1.0,
        rho: float | None = None,
        confidence_scale: float = 0.2,
        seed: int = 1,
        partition: AnyPartition = "cyclic",
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
    ):
        options = {
            "nu1": nu1,
            "rho": rho,
            "confidence_scale": confidence_scale,
            "seed": seed,
        }
        super().__init__(space, options, direction, reward_range, confidence, hard_range, partition, baseline, limits)


class Poo(Optimizer):
    """Parallel optimistic optimization: HOO with many values of rho at once.

    - base: the algorithm that is run with several values of rho.
    - nu_max: nu1 of all instances.
    - rho_max: the largest rho of an instance; in (0, 1).
    - confidence_scale: multiplies the confidence bounds; by default that of its trees.
    - seed: seed of the algorithm's random choices.
    - partition: how a cell is cut: cyclic (one parameter after the other), longest_side, random_side, random_cut or
      every_side, with a number of parts and a seed if you like: "cyclic/3", "random_cut/2@7"; or a `Partition` of your
      own.
    """

    name = "poo"

    def __init__(
        self,
        space: AnySpace,
        *,
        base: Literal["hoo", "thoo", "hct", "vhct"] = "hoo",
        nu_max: float = 1.0,
        rho_max: float = 0.9,
        confidence_scale: float | None = None,
        seed: int = 1,
        partition: AnyPartition = "cyclic",
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
    ):
        options = {
            "base": base,
            "nu_max": nu_max,
            "rho_max": rho_max,
            "confidence_scale": confidence_scale,
            "seed": seed,
        }
        super().__init__(space, options, direction, reward_range, confidence, hard_range, partition, baseline, limits)


class Gpo(Optimizer):
    """An algorithm with many values of rho, then cross-validation: a known horizon.

    - horizon: the total number of pulls.
    - base: the algorithm that is run with several values of rho.
    - nu_max: nu1 of all instances.
    - rho_max: the largest rho of an instance; in (0, 1).
    - confidence_scale: multiplies the confidence bounds; by default that of its trees.
    - seed: seed of the algorithm's random choices.
    - partition: how a cell is cut: cyclic (one parameter after the other), longest_side, random_side, random_cut or
      every_side, with a number of parts and a seed if you like: "cyclic/3", "random_cut/2@7"; or a `Partition` of your
      own.
    """

    name = "gpo"

    def __init__(
        self,
        space: AnySpace,
        *,
        horizon: int = 1000,
        base: Literal["hoo", "thoo", "hct", "vhct"] = "hct",
        nu_max: float = 1.0,
        rho_max: float = 0.9,
        confidence_scale: float | None = None,
        seed: int = 1,
        partition: AnyPartition = "cyclic",
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
    ):
        options = {
            "horizon": horizon,
            "base": base,
            "nu_max": nu_max,
            "rho_max": rho_max,
            "confidence_scale": confidence_scale,
            "seed": seed,
        }
        super().__init__(space, options, direction, reward_range, confidence, hard_range, partition, baseline, limits)


class Pct(Optimizer):
    """GPO over HCT: a known horizon.

    - horizon: the total number of pulls.
    - nu_max: nu1 of all instances.
    - rho_max: the largest rho of an instance; in (0, 1).
    - confidence_scale: multiplies the confidence bounds; by default that of its trees.
    - partition: how a cell is cut: cyclic (one parameter after the other), longest_side, random_side, random_cut or
      every_side, with a number of parts and a seed if you like: "cyclic/3", "random_cut/2@7"; or a `Partition` of your
      own.
    - seed: ignored, since nothing in it is random; accepted so that optimizers are alike.
    """

    name = "pct"

    def __init__(
        self,
        space: AnySpace,
        *,
        horizon: int = 1000,
        nu_max: float = 1.0,
        rho_max: float = 0.9,
        confidence_scale: float | None = None,
        partition: AnyPartition = "cyclic",
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
        seed: int | None = None,
    ):
        options = {
            "horizon": horizon,
            "nu_max": nu_max,
            "rho_max": rho_max,
            "confidence_scale": confidence_scale,
        }
        check_seed(seed)
        super().__init__(space, options, direction, reward_range, confidence, hard_range, partition, baseline, limits)


class Vpct(Optimizer):
    """GPO over VHCT: a known horizon.

    - horizon: the total number of pulls.
    - nu_max: nu1 of all instances.
    - rho_max: the largest rho of an instance; in (0, 1).
    - confidence_scale: multiplies the confidence bounds; by default that of its trees.
    - partition: how a cell is cut: cyclic (one parameter after the other), longest_side, random_side, random_cut or
      every_side, with a number of parts and a seed if you like: "cyclic/3", "random_cut/2@7"; or a `Partition` of your
      own.
    - seed: ignored, since nothing in it is random; accepted so that optimizers are alike.
    """

    name = "vpct"

    def __init__(
        self,
        space: AnySpace,
        *,
        horizon: int = 1000,
        nu_max: float = 1.0,
        rho_max: float = 0.9,
        confidence_scale: float | None = None,
        partition: AnyPartition = "cyclic",
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
        seed: int | None = None,
    ):
        options = {
            "horizon": horizon,
            "nu_max": nu_max,
            "rho_max": rho_max,
            "confidence_scale": confidence_scale,
        }
        check_seed(seed)
        super().__init__(space, options, direction, reward_range, confidence, hard_range, partition, baseline, limits)


class Restarted(Optimizer):
    """The adaptive tree or HCT, restarted at regular intervals.

    - base: the algorithm that is restarted.
    - every: pulls between two starts.
    - partition: how a cell is cut: cyclic (one parameter after the other), longest_side, random_side, random_cut or
      every_side, with a number of parts and a seed if you like: "cyclic/3", "random_cut/2@7"; or a `Partition` of your
      own.
    - seed: ignored, since nothing in it is random; accepted so that optimizers are alike.
    """

    name = "restarted"

    def __init__(
        self,
        space: AnySpace,
        *,
        base: Literal["adaptive", "hct"] = "adaptive",
        every: int = 1000,
        partition: AnyPartition = "cyclic",
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
        seed: int | None = None,
    ):
        options = {
            "base": base,
            "every": every,
        }
        check_seed(seed)
        super().__init__(space, options, direction, reward_range, confidence, hard_range, partition, baseline, limits)


class Zooming(Optimizer):
    """The zooming algorithm: activates arms not covered by confidence balls.

    - nu1: f varies by at most nu1 rho^h in a cell at depth h.
    - rho: see nu1; in (0, 1); by default 0.5 for one parameter, 0.7071 for two.
    - confidence_scale: multiplies the confidence bounds.
    - partition: how a cell is cut: cyclic (one parameter after the other), longest_side, random_side, random_cut or
      every_side, with a number of parts and a seed if you like: "cyclic/3", "random_cut/2@7"; or a `Partition` of your
      own.
    - seed: ignored, since nothing in it is random; accepted so that optimizers are alike.
    """

    name = "zooming"

    def __init__(
        self,
        space: AnySpace,
        *,
        nu1: float = 1.0,
        rho: float | None = None,
        confidence_scale: float = 0.1,
        partition: AnyPartition = "cyclic",
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
        seed: int | None = None,
    ):
        options = {
            "nu1": nu1,
            "rho": rho,
            "confidence_scale": confidence_scale,
        }
        check_seed(seed)
        super().__init__(space, options, direction, reward_range, confidence, hard_range, partition, baseline, limits)


class Doo(Optimizer):
    """Deterministic optimistic optimization: known smoothness, for rewards without noise.

    - nu1: f varies by at most nu1 rho^h in a cell at depth h.
    - rho: see nu1; in (0, 1); by default 0.3333 for one parameter, 0.5774 for two.
    - partition: how a cell is cut: cyclic (one parameter after the other), longest_side, random_side, random_cut or
      every_side, with a number of parts and a seed if you like: "cyclic/3", "random_cut/2@7"; or a `Partition` of your
      own.
    - seed: ignored, since nothing in it is random; accepted so that optimizers are alike.
    """

    name = "doo"

    def __init__(
        self,
        space: AnySpace,
        *,
        nu1: float = 1.0,
        rho: float | None = None,
        partition: AnyPartition = "cyclic",
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
        seed: int | None = None,
    ):
        options = {
            "nu1": nu1,
            "rho": rho,
        }
        check_seed(seed)
        super().__init__(space, options, direction, reward_range, confidence, hard_range, partition, baseline, limits)


class Soo(Optimizer):
    """Simultaneous optimistic optimization: for rewards without noise.

    - depth_power: the t-th cell to be cut is at most t^depth_power deep; in (0, 1].
    - partition: how a cell is cut: cyclic (one parameter after the other), longest_side, random_side, random_cut or
      every_side, with a number of parts and a seed if you like: "cyclic/3", "random_cut/2@7"; or a `Partition` of your
      own.
    - seed: ignored, since nothing in it is random; accepted so that optimizers are alike.
    """

    name = "soo"

    def __init__(
        self,
        space: AnySpace,
        *,
        depth_power: float = 0.5,
        partition: AnyPartition = "cyclic",
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
        seed: int | None = None,
    ):
        options = {
            "depth_power": depth_power,
        }
        check_seed(seed)
        super().__init__(space, options, direction, reward_range, confidence, hard_range, partition, baseline, limits)


class Stosoo(Optimizer):
    """SOO for noisy rewards: a known horizon, for the final recommendation.

    - horizon: the total number of pulls.
    - cell_pulls: pulls of a cell before it is cut; by default the number of pulls decides.
    - depth_limit: largest depth of a cell that is cut; a whole number from 1 to 1000000; by default the number of pulls
      decides.
    - delta: probability with which the bounds may fail; in (0, 1); by default the number of pulls decides.
    - partition: how a cell is cut: cyclic (one parameter after the other), longest_side, random_side, random_cut or
      every_side, with a number of parts and a seed if you like: "cyclic/3", "random_cut/2@7"; or a `Partition` of your
      own.
    - seed: ignored, since nothing in it is random; accepted so that optimizers are alike.
    """

    name = "stosoo"

    def __init__(
        self,
        space: AnySpace,
        *,
        horizon: int = 1000,
        cell_pulls: int | None = None,
        depth_limit: int | None = None,
        delta: float | None = None,
        partition: AnyPartition = "cyclic",
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
        seed: int | None = None,
    ):
        options = {
            "horizon": horizon,
            "cell_pulls": cell_pulls,
            "depth_limit": depth_limit,
            "delta": delta,
        }
        check_seed(seed)
        super().__init__(space, options, direction, reward_range, confidence, hard_range, partition, baseline, limits)


class Sequool(Optimizer):
    """One pass down the tree, fewer cells at each depth: a known horizon, for rewards without noise.

    - horizon: the total number of pulls.
    - partition: how a cell is cut: cyclic (one parameter after the other), longest_side, random_side, random_cut or
      every_side, with a number of parts and a seed if you like: "cyclic/3", "random_cut/2@7"; or a `Partition` of your
      own.
    - seed: ignored, since nothing in it is random; accepted so that optimizers are alike.
    """

    name = "sequool"

    def __init__(
        self,
        space: AnySpace,
        *,
        horizon: int = 1000,
        partition: AnyPartition = "cyclic",
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
        seed: int | None = None,
    ):
        options = {
            "horizon": horizon,
        }
        check_seed(seed)
        super().__init__(space, options, direction, reward_range, confidence, hard_range, partition, baseline, limits)


class Stroquool(Optimizer):
    """SequOOL for noisy rewards: a known horizon, for the final recommendation.

    - horizon: the total number of pulls.
    - depth_limit: largest depth of a cell that is cut; a whole number from 1 to 1000000; by default the number of pulls
      decides.
    - partition: how a cell is cut: cyclic (one parameter after the other), longest_side, random_side, random_cut or
      every_side, with a number of parts and a seed if you like: "cyclic/3", "random_cut/2@7"; or a `Partition` of your
      own.
    - seed: ignored, since nothing in it is random; accepted so that optimizers are alike.
    """

    name = "stroquool"

    def __init__(
        self,
        space: AnySpace,
        *,
        horizon: int = 1000,
        depth_limit: int | None = None,
        partition: AnyPartition = "cyclic",
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
        seed: int | None = None,
    ):
        options = {
            "horizon": horizon,
            "depth_limit": depth_limit,
        }
        check_seed(seed)
        super().__init__(space, options, direction, reward_range, confidence, hard_range, partition, baseline, limits)


class Vroom(Optimizer):
    """Cells drawn at random by rank, for changing rewards: a known horizon, for the final recommendation.

    - horizon: the total number of pulls.
    - depth_limit: largest depth of a cell that is cut; a whole number from 1 to 60; by default the number of pulls
      decides.
    - delta: probability with which the bounds may fail; in (0, 1); by default the number of pulls decides.
    - confidence_scale: multiplies the confidence bounds.
    - seed: seed of the algorithm's random choices.
    - partition: how a cell is cut: cyclic (one parameter after the other), longest_side, random_side, random_cut or
      every_side, with a number of parts and a seed if you like: "cyclic/3", "random_cut/2@7"; or a `Partition` of your
      own.
    """

    name = "vroom"

    def __init__(
        self,
        space: AnySpace,
        *,
        horizon: int = 1000,
        depth_limit: int | None = None,
        delta: float | None = None,
        confidence_scale: float = 0.1,
        seed: int = 1,
        partition: AnyPartition = "cyclic",
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
    ):
        options = {
            "horizon": horizon,
            "depth_limit": depth_limit,
            "delta": delta,
            "confidence_scale": confidence_scale,
            "seed": seed,
        }
        super().__init__(space, options, direction, reward_range, confidence, hard_range, partition, baseline, limits)


class Power(Optimizer):
    """PoWER: local policy search by weighted exploration.

    - sigma: size of the exploration, in units of a parameter's range; in (0, 1].
    - window: number of best rollouts that are averaged; a whole number from 1 to 1000000.
    - rollout_length: pulls per rollout; a whole number from 1 to 1000000.
    - seed: seed of the algorithm's random choices.
    """

    name = "power"

    def __init__(
        self,
        space: AnySpace,
        *,
        sigma: float = 0.1,
        window: int = 10,
        rollout_length: int = 10,
        seed: int = 1,
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
    ):
        options = {
            "sigma": sigma,
            "window": window,
            "rollout_length": rollout_length,
            "seed": seed,
        }
        super().__init__(
            space, options, direction, reward_range, confidence, hard_range, baseline=baseline, limits=limits
        )


class Grid(Optimizer):
    """A fixed grid of arms under UCB1, also sliding-window or discounted.

    - points: arms along each parameter; about 1000 in total unless set; a whole number from 1 to 1000000; by default
      32.
    - confidence_scale: multiplies the confidence bounds.
    - recent: number of the latest rewards that count.
    - discount: factor by which a reward's weight falls with each later reward; in (0, 1].
    - context_parts: equal parts of each context variable; a whole number from 1 to 1000000.
    - contexts: what is observed before each pull and decides on the best arm: {"load": canopy.real(0, 1)}.
    - seed: ignored, since nothing in it is random; accepted so that optimizers are alike.
    """

    name = "grid"

    def __init__(
        self,
        space: AnySpace,
        *,
        points: int | None = None,
        confidence_scale: float = 0.1,
        recent: int | Literal["all"] = "all",
        discount: float = 1.0,
        context_parts: int = 8,
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
        contexts: AnyContexts = None,
        seed: int | None = None,
    ):
        options = {
            "points": points,
            "confidence_scale": confidence_scale,
            "recent": recent,
            "discount": discount,
            "context_parts": context_parts,
        }
        check_seed(seed)
        super().__init__(
            space,
            options,
            direction,
            reward_range,
            confidence,
            hard_range,
            baseline=baseline,
            limits=limits,
            contexts=contexts,
        )


class KlUcb(Optimizer):
    """A fixed grid of arms under KL-UCB.

    - points: arms along each parameter; about 1000 in total unless set; a whole number from 1 to 1000000; by default
      32.
    - log_log_factor: c in ln n + c ln ln n.
    - confidence_scale: multiplies the confidence bounds.
    - seed: ignored, since nothing in it is random; accepted so that optimizers are alike.
    """

    name = "kl-ucb"

    def __init__(
        self,
        space: AnySpace,
        *,
        points: int | None = None,
        log_log_factor: float = 0.0,
        confidence_scale: float = 0.5,
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
        seed: int | None = None,
    ):
        options = {
            "points": points,
            "log_log_factor": log_log_factor,
            "confidence_scale": confidence_scale,
        }
        check_seed(seed)
        super().__init__(
            space, options, direction, reward_range, confidence, hard_range, baseline=baseline, limits=limits
        )


class Thompson(Optimizer):
    """A fixed grid of arms under Thompson sampling.

    - points: arms along each parameter; about 1000 in total unless set; a whole number from 1 to 1000000; by default
      32.
    - confidence_scale: multiplies the standard deviations of the posteriors.
    - seed: seed of the algorithm's random choices.
    """

    name = "thompson"

    def __init__(
        self,
        space: AnySpace,
        *,
        points: int | None = None,
        confidence_scale: float = 0.25,
        seed: int = 1,
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
    ):
        options = {
            "points": points,
            "confidence_scale": confidence_scale,
            "seed": seed,
        }
        super().__init__(
            space, options, direction, reward_range, confidence, hard_range, baseline=baseline, limits=limits
        )


class LinUcb(Optimizer):
    """A fixed grid of arms under LinUCB, for contexts.

    - points: arms along each parameter; about 1000 in total unless set; a whole number from 1 to 1000000; by default 8.
    - confidence_scale: multiplies the confidence bounds.
    - contexts: what is observed before each pull and decides on the best arm: {"load": canopy.real(0, 1)}.
    - seed: ignored, since nothing in it is random; accepted so that optimizers are alike.
    """

    name = "lin-ucb"

    def __init__(
        self,
        space: AnySpace,
        *,
        points: int | None = None,
        confidence_scale: float = 0.5,
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
        contexts: AnyContexts = None,
        seed: int | None = None,
    ):
        options = {
            "points": points,
            "confidence_scale": confidence_scale,
        }
        check_seed(seed)
        super().__init__(
            space,
            options,
            direction,
            reward_range,
            confidence,
            hard_range,
            baseline=baseline,
            limits=limits,
            contexts=contexts,
        )


class SuccessiveHalving(Optimizer):
    """A fixed grid of arms, half of which are eliminated in each round.

    - points: arms along each parameter; unless set, as many as the horizon allows; a whole number from 1 to 1000000; by
      default 32 for one parameter, 11 for two.
    - horizon: the total number of pulls.
    - seed: ignored, since nothing in it is random; accepted so that optimizers are alike.
    """

    name = "successive-halving"

    def __init__(
        self,
        space: AnySpace,
        *,
        points: int | None = None,
        horizon: int = 1000,
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
        seed: int | None = None,
    ):
        options = {
            "points": points,
            "horizon": horizon,
        }
        check_seed(seed)
        super().__init__(
            space, options, direction, reward_range, confidence, hard_range, baseline=baseline, limits=limits
        )


class RandomSearch(Optimizer):
    """Arms drawn uniformly: a baseline for the others.

    - seed: seed of the algorithm's random choices.
    """

    name = "random"

    def __init__(
        self,
        space: AnySpace,
        *,
        seed: int = 1,
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        baseline: AnyBaseline = None,
        limits: Limits = None,
    ):
        options = {
            "seed": seed,
        }
        super().__init__(
            space, options, direction, reward_range, confidence, hard_range, baseline=baseline, limits=limits
        )


for _each in (
    Adaptive,
    Hct,
    Vhct,
    Thoo,
    Hoo,
    Poo,
    Gpo,
    Pct,
    Vpct,
    Restarted,
    Zooming,
    Doo,
    Soo,
    Stosoo,
    Sequool,
    Stroquool,
    Vroom,
    Power,
    Grid,
    KlUcb,
    Thompson,
    LinUcb,
    SuccessiveHalving,
    RandomSearch,
):
    CLASSES[_each.name] = _each

#: the names of all optimizers
OptimizerName = Literal[
    "adaptive",
    "hct",
    "vhct",
    "thoo",
    "hoo",
    "poo",
    "gpo",
    "pct",
    "vpct",
    "restarted",
    "zooming",
    "doo",
    "soo",
    "stosoo",
    "sequool",
    "stroquool",
    "vroom",
    "power",
    "grid",
    "kl-ucb",
    "thompson",
    "lin-ucb",
    "successive-halving",
    "random",
]
#: what chooses the default optimizer, and what chooses another one: a name, or a class
DefaultOptimizer = Literal["adaptive"] | type[Adaptive]
OtherOptimizer = (
    Literal[
        "hct",
        "vhct",
        "thoo",
        "hoo",
        "poo",
        "gpo",
        "pct",
        "vpct",
        "restarted",
        "zooming",
        "doo",
        "soo",
        "stosoo",
        "sequool",
        "stroquool",
        "vroom",
        "power",
        "grid",
        "kl-ucb",
        "thompson",
        "lin-ucb",
        "successive-halving",
        "random",
    ]
    | type[Hct]
    | type[Vhct]
    | type[Thoo]
    | type[Hoo]
    | type[Poo]
    | type[Gpo]
    | type[Pct]
    | type[Vpct]
    | type[Restarted]
    | type[Zooming]
    | type[Doo]
    | type[Soo]
    | type[Stosoo]
    | type[Sequool]
    | type[Stroquool]
    | type[Vroom]
    | type[Power]
    | type[Grid]
    | type[KlUcb]
    | type[Thompson]
    | type[LinUcb]
    | type[SuccessiveHalving]
    | type[RandomSearch]
)
AnyOptimizer = DefaultOptimizer | OtherOptimizer
