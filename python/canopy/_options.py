"""The options of optimizers and environments as types.

Written by `make classes` (scripts/python_classes.py) from the catalogue in C++: change it there.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from ._partition import AnyPartition
from ._space import AnyBaseline, AnyContexts, Direction, Limits, RewardRange


class AdaptiveOptions(TypedDict, total=False):
    """The options of `Adaptive`."""

    settle: int
    settle_rule: Literal["strict", "by_distance"]
    coverage: float
    drift: Literal["none", "auto"]


class HctOptions(TypedDict, total=False):
    """The options of `Hct`."""

    feedback: Literal["iid", "correlated"]
    mixing_time: float
    preset: Literal["practical", "paper"]
    nu1: float | None
    rho: float | None
    confidence_scale: float | None
    delta: float
    constants: Literal["main", "supplement"]


class VhctOptions(TypedDict, total=False):
    """The options of `Vhct`."""

    preset: Literal["practical", "paper"]
    nu1: float | None
    rho: float | None
    confidence_scale: float | None
    delta: float
    bound: float


class ThooOptions(TypedDict, total=False):
    """The options of `Thoo`."""

    horizon: int | Literal["doubling"]
    nu1: float
    rho: float | None
    confidence_scale: float


class HooOptions(TypedDict, total=False):
    """The options of `Hoo`."""

    nu1: float
    rho: float | None
    confidence_scale: float


class PooOptions(TypedDict, total=False):
    """The options of `Poo`."""

    base: Literal["hoo", "thoo", "hct", "vhct"]
    nu_max: float
    rho_max: float
    confidence_scale: float | None


class GpoOptions(TypedDict, total=False):
    """The options of `Gpo`."""

    horizon: int
    base: Literal["hoo", "thoo", "hct", "vhct"]
    nu_max: float
    rho_max: float
    confidence_scale: float | None


class PctOptions(TypedDict, total=False):
    """The options of `Pct`."""

    horizon: int
    nu_max: float
    rho_max: float
    confidence_scale: float | None


class VpctOptions(TypedDict, total=False):
    """The options of `Vpct`."""

    horizon: int
    nu_max: float
    rho_max: float
    confidence_scale: float | None


class RestartedOptions(TypedDict, total=False):
    """The options of `Restarted`."""

    base: Literal["adaptive", "hct"]
    every: int


class ZoomingOptions(TypedDict, total=False):
    """The options of `Zooming`."""

    nu1: float
    rho: float | None
    confidence_scale: float


class DooOptions(TypedDict, total=False):
    """The options of `Doo`."""

    nu1: float
    rho: float | None


class SooOptions(TypedDict, total=False):
    """The options of `Soo`."""

    depth_power: float


class StosooOptions(TypedDict, total=False):
    """The options of `Stosoo`."""

    horizon: int
    cell_pulls: int | None
    depth_limit: int | None
    delta: float | None


class SequoolOptions(TypedDict, total=False):
    """The options of `Sequool`."""

    horizon: int


class StroquoolOptions(TypedDict, total=False):
    """The options of `Stroquool`."""

    horizon: int
    depth_limit: int | None


class VroomOptions(TypedDict, total=False):
    """The options of `Vroom`."""

    horizon: int
    depth_limit: int | None
    delta: float | None
    confidence_scale: float


class PowerOptions(TypedDict, total=False):
    """The options of `Power`."""

    sigma: float
    window: int
    rollout_length: int


class GridOptions(TypedDict, total=False):
    """The options of `Grid`."""

    points: int | None
    confidence_scale: float
    recent: int | Literal["all"]
    discount: float
    context_parts: int


class KlUcbOptions(TypedDict, total=False):
    """The options of `KlUcb`."""

    points: int | None
    log_log_factor: float
    confidence_scale: float


class ThompsonOptions(TypedDict, total=False):
    """The options of `Thompson`."""

    points: int | None
    confidence_scale: float


class LinUcbOptions(TypedDict, total=False):
    """The options of `LinUcb`."""

    points: int | None
    confidence_scale: float


class SuccessiveHalvingOptions(TypedDict, total=False):
    """The options of `SuccessiveHalving`."""

    points: int | None
    horizon: int


class RandomSearchOptions(TypedDict, total=False):
    """The options of `RandomSearch`."""


class AlgorithmOptions(TypedDict, total=False):
    """The options of all optimizers, without the seed."""

    settle: int
    settle_rule: Literal["strict", "by_distance"]
    coverage: float
    drift: Literal["none", "auto"]
    feedback: Literal["iid", "correlated"]
    mixing_time: float
    preset: Literal["practical", "paper"]
    nu1: float | None
    rho: float | None
    confidence_scale: float | None
    delta: float | None
    constants: Literal["main", "supplement"]
    bound: float
    horizon: int | Literal["doubling"]
    base: Literal["hoo", "thoo", "hct", "vhct"] | Literal["adaptive", "hct"]
    nu_max: float
    rho_max: float
    every: int
    depth_power: float
    cell_pulls: int | None
    depth_limit: int | None
    sigma: float
    window: int
    rollout_length: int
    points: int | None
    recent: int | Literal["all"]
    discount: float
    context_parts: int
    log_log_factor: float


class OtherOptions(TypedDict, total=False):
    """The options of all optimizers except `Adaptive`."""

    feedback: Literal["iid", "correlated"]
    mixing_time: float
    preset: Literal["practical", "paper"]
    nu1: float | None
    rho: float | None
    confidence_scale: float | None
    delta: float | None
    constants: Literal["main", "supplement"]
    bound: float
    horizon: int | Literal["doubling"]
    base: Literal["hoo", "thoo", "hct", "vhct"] | Literal["adaptive", "hct"]
    nu_max: float
    rho_max: float
    every: int
    depth_power: float
    cell_pulls: int | None
    depth_limit: int | None
    sigma: float
    window: int
    rollout_length: int
    points: int | None
    recent: int | Literal["all"]
    discount: float
    context_parts: int
    log_log_factor: float


class EnvironmentOptions(TypedDict, total=False):
    """The options of all environments."""

    noise: Literal["uniform", "gaussian", "bernoulli"]
    noise_width: float
    beta: float
    pole: float
    control_cost: float
    observation_noise: float
    arrival_rate: float
    first_rate: float
    second_rate: float
    patience: float
    bidders: int
    aversion: float
    crop: float
    dimension: int
    optimum: Literal["still", "line", "sine", "walk", "jumps"]
    optimum_size: float
    level: Literal["still", "line", "sine", "walk", "jumps"]
    level_size: float
    periods: float
    span: int
    function: Literal["quadratic", "cusp", "double_sine", "waves", "ridge", "bowl"]
    noise_memory: float
    traffic: float
    deploys: float
    problem: Literal[
        "smooth",
        "line",
        "jump",
        "step",
        "half",
        "sharp",
        "tent",
        "load",
        "scale",
        "additive",
        "day",
        "irrelevant",
        "ripples",
        "choice",
        "choice_of_three",
        "choice_of_four",
        "choice_of_six",
        "two_knobs",
        "opposite",
        "one_of_two",
        "wave",
        "one_of_three",
        "two_by_two",
        "choice_of_two",
        "additive_two",
        "irrelevant_two",
        "irrelevant_mixed",
    ]
    arrival: Literal["uniform", "skewed", "cycle", "bursts", "sorted", "appearing", "clusters"]


class SimulateOptions(TypedDict, total=False):
    """The options that `simulate` passes on to the optimizer or the environment."""

    settle: int
    settle_rule: Literal["strict", "by_distance"]
    coverage: float
    drift: Literal["none", "auto"]
    feedback: Literal["iid", "correlated"]
    mixing_time: float
    preset: Literal["practical", "paper"]
    nu1: float | None
    rho: float | None
    confidence_scale: float | None
    delta: float | None
    constants: Literal["main", "supplement"]
    bound: float
    horizon: int | Literal["doubling"]
    base: Literal["hoo", "thoo", "hct", "vhct"] | Literal["adaptive", "hct"]
    nu_max: float
    rho_max: float
    every: int
    depth_power: float
    cell_pulls: int | None
    depth_limit: int | None
    sigma: float
    window: int
    rollout_length: int
    points: int | None
    recent: int | Literal["all"]
    discount: float
    context_parts: int
    log_log_factor: float
    noise: Literal["uniform", "gaussian", "bernoulli"]
    noise_width: float
    beta: float
    pole: float
    control_cost: float
    observation_noise: float
    arrival_rate: float
    first_rate: float
    second_rate: float
    patience: float
    bidders: int
    aversion: float
    crop: float
    dimension: int
    optimum: Literal["still", "line", "sine", "walk", "jumps"]
    optimum_size: float
    level: Literal["still", "line", "sine", "walk", "jumps"]
    level_size: float
    periods: float
    span: int
    function: Literal["quadratic", "cusp", "double_sine", "waves", "ridge", "bowl"]
    noise_memory: float
    traffic: float
    deploys: float
    problem: Literal[
        "smooth",
        "line",
        "jump",
        "step",
        "half",
        "sharp",
        "tent",
        "load",
        "scale",
        "additive",
        "day",
        "irrelevant",
        "ripples",
        "choice",
        "choice_of_three",
        "choice_of_four",
        "choice_of_six",
        "two_knobs",
        "opposite",
        "one_of_two",
        "wave",
        "one_of_three",
        "two_by_two",
        "choice_of_two",
        "additive_two",
        "irrelevant_two",
        "irrelevant_mixed",
    ]
    arrival: Literal["uniform", "skewed", "cycle", "bursts", "sorted", "appearing", "clusters"]


class OptimizerOptions(AlgorithmOptions, total=False):
    """The options that `maximize` and similar functions pass on to an optimizer given by its name."""

    seed: int | None
    partition: AnyPartition
    reward_range: RewardRange
    confidence: float
    hard_range: bool
    baseline: AnyBaseline
    limits: Limits
    contexts: AnyContexts


class MakeOptions(OptimizerOptions, total=False):
    """The options that `make_optimizer` passes on."""

    direction: Direction


class StudyOptions(AlgorithmOptions, total=False):
    """The options that studies pass on."""

    seed: int | None
    partition: AnyPartition
    hard_range: bool
    baseline: AnyBaseline
    limits: Limits
    contexts: AnyContexts
