"""Policy search in Gymnasium environments.

Nothing here imports gymnasium: an environment is anything with `reset` and `step`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import _canopy
from ._optimizers import CLASSES, DEFAULT, Optimizer, RewardRange, make_optimizer, range_from
from ._search import Failures, OnFailure, Result, is_usable, search, single_reward
from ._space import Parameter, Space, space_from, whole

__all__ = ["policy_search"]


def policy_search(
    env: Any,
    policy: Callable[[dict[str, Any], Any], Any],
    space: Space | Mapping[str, Parameter] | None = None,
    *,
    steps: int,
    reward_range: RewardRange = "auto",
    end_reward: float | None = None,
    optimizer: str | Optimizer = DEFAULT,
    feedback: str | None = None,
    seed: int = 1,
    timeout: float | None = None,
    callbacks: Callable[[Result], Any] | Iterable[Callable[[Result], Any]] = (),
    stop: Callable[[Result], bool] | None = None,
    progress: bool = False,
    on_failure: OnFailure = "penalize",
    failure_reward: float | None = None,
    max_failures: int = 25,
    **options: Any,
) -> Result:
    """Finds the parameters of a policy while the environment runs: one chain from the first step to the last.

    `policy(theta, observation)` returns an action; theta is a dictionary with the parameters of `space`. A pull
    is one step of the environment, and its reward is told at once. When the parameters change, the environment
    carries on from where it is, so rewards soon after it tell about the parameters before. Where the state follows the
    parameters within so many steps, the adaptive tree's `settle` passes over them. `optimizer="hct"` expects correlated
    feedback by default and holds parameters for episodes that double in length: slower, and safer.

    - A reset inside the task: when a step says `terminated` or `truncated`, the environment is reset and the
      next step starts there. The step that ended the episode counts like any other. Where ending is a failure
      that rewards alone do not show (a pole that fell still earned 1 for each step before), `end_reward` is
      what a terminated step is worth instead of its own reward.
    - reward_range: about how far rewards range, two numbers; "auto" learns it on the way.
    - The other arguments are those of `maximize`. After a step that failed (on_failure), the environment is reset.

    >>> class Drift:  # the policy's gain pulls a state towards zero
    ...     def reset(self, seed=None):
    ...         self.x = 1.0
    ...         return self.x, {}
    ...     def step(self, action):
    ...         self.x = 0.9 * self.x + action + 0.1
    ...         return self.x, 1 - min(1, abs(self.x)), False, False, {}
    >>> result = canopy.policy_search(Drift(), lambda theta, x: -theta["gain"] * x,
    ...                               {"gain": canopy.real(0, 1)}, steps=3000)
    >>> result.best.arm["gain"] > 0.5
    True
    """
    if not hasattr(env, "reset") or not hasattr(env, "step"):
        raise ValueError(f"env = {env!r}: must be a Gymnasium environment")
    if not callable(policy):
        raise ValueError(f"policy = {policy!r}: must be a function of (theta, observation)")
    steps = whole("steps", steps, 1)
    seed = whole("seed", seed, 0)
    if end_reward is not None:
        end_reward = single_reward(end_reward)
    if isinstance(optimizer, str):
        if space is None:
            raise ValueError('space: is missing, for example {"gain": canopy.real(0, 1)}')
        space = space_from(space)
        options["seed"] = seed
        if optimizer in CLASSES and _canopy.optimizer_traits(optimizer)["takes_correlated_feedback"]:
            feedback = feedback or "correlated"
        if feedback is not None:
            options["feedback"] = feedback
        options["reward_range"] = reward_range
        make_optimizer(optimizer, space, **options)  # complains before anything is played
    elif optimizer.direction != "maximize":
        raise ValueError("policy_search maximizes rewards, but the optimizer's direction is minimize")
    elif range_from(reward_range) is not None:
        raise ValueError("reward_range: the given optimizer already has one")
    chain = _Chain(env, policy, end_reward, seed)
    failures = Failures(on_failure, failure_reward, max_failures)
    return search(
        chain.step, space, "maximize", steps, timeout, optimizer, callbacks, stop, progress, options, failures
    )


class _Chain:
    """An environment that never ends."""

    def __init__(self, env: Any, policy: Callable[[dict[str, Any], Any], Any], end_reward: float | None, seed: int):
        self._env = env
        self._policy = policy
        self._end_reward = end_reward
        self._observation, _ = env.reset(seed=seed)
        self._is_broken = False  # the last step has failed

    def step(self, **theta: Any) -> float:
        if self._is_broken:
            self._observation, _ = self._env.reset()
        self._is_broken = True
        reward = self._step(theta)
        self._is_broken = not is_usable(reward)
        return reward

    def _step(self, theta: dict[str, Any]) -> float:
        action = self._policy(theta, self._observation)
        self._observation, reward, terminated, truncated, _ = self._env.step(action)
        if terminated or truncated:
            self._observation, _ = self._env.reset()
        if terminated and self._end_reward is not None:
            return self._end_reward
        return single_reward(reward)
