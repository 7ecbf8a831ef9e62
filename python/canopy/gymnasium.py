"""Policy search in Gymnasium environments.

Nothing here imports gymnasium: an environment is anything with `reset` and `step`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from . import _canopy
from ._ledger import Failures, OnFailure, check_observe, is_usable, single_reward
from ._optimizers import CLASSES, DEFAULT, Optimizer, make_optimizer
from ._result import Result
from ._search import search
from ._space import Context, Parameter, Space, contexts_from, space_from, whole

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import OptimizerOptions
    from ._remote import RemoteStudy
    from ._studies import Study

__all__ = ["policy_search"]


def policy_search(
    env: Any,
    policy: Callable[[dict[str, Any], Any], Any],
    space: Space | Mapping[str, Parameter] | None = None,
    *,
    steps: int,
    reward: Literal["step", "return"] = "step",
    end_reward: float | None = None,
    optimizer: str | Optimizer | Study | RemoteStudy = DEFAULT,
    timeout: float | None = None,
    callbacks: Callable[[Result], Any] | Iterable[Callable[[Result], Any]] = (),
    stop: Callable[[Result], bool] | None = None,
    progress: bool = False,
    context: Callable[[Any, Any], Context] | None = None,
    on_failure: OnFailure = "penalize",
    failure_reward: float | None = None,
    max_failures: int = 25,
    **options: Unpack[OptimizerOptions],
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
    - reward="return": a pull is a whole episode, from a reset to its end, and its reward is the sum of those of its
      steps. For tasks where only the whole tells: to reach a goal soon, say. Episodes are independent, and so is
      feedback. The episode in which `steps` run out is played to its end.
    - contexts, context: where the best parameters depend on what is observed, contexts={"gravity": canopy.real(5, 15)}
      says what that is, and `context(observation, info)` returns it, from what the environment has said last: with
      reward="return" when the episode began. It is called before each pull. The result has a `policy`.
    - seed: of the environment, and of an optimizer that has one.
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
    if reward not in ("step", "return"):
        raise ValueError(f'reward = {reward!r}: must be "step" or "return"')
    steps = whole("steps", steps, 1)
    given: dict[str, Any] = dict(options)
    given["seed"] = seed = whole("seed", given.get("seed", 1), 0)
    if end_reward is not None:
        end_reward = single_reward(end_reward)
    if isinstance(optimizer, str):
        if space is None:
            raise ValueError('space: is missing, for example {"gain": canopy.real(0, 1)}')
        space = space_from(space)
        if reward == "step" and given.get("feedback") is None and _takes_correlated(optimizer):
            given["feedback"] = "correlated"
        make_optimizer(optimizer, space, **given)  # complains before anything is played
        check_observe(context, contexts_from(given.get("contexts")))
    else:
        check_observe(context, optimizer.contexts)
        del given["seed"]
        if optimizer.direction != "maximize":
            raise ValueError("policy_search maximizes rewards, but the optimizer's direction is minimize")
    failures = Failures(on_failure, failure_reward, max_failures)
    chain = _Chain(env, policy, end_reward, seed, steps)

    def observe() -> Context:
        assert context is not None
        return context(*chain.observed())

    def is_over(result: Result) -> bool:
        return chain.steps >= steps or (stop is not None and stop(result))

    by_step = reward == "step"
    result = search(
        chain.step if by_step else chain.episode,
        space,
        direction="maximize",
        pulls=steps if by_step else None,
        timeout=timeout,
        optimizer=optimizer,
        callbacks=callbacks,
        stop=stop if by_step else is_over,
        progress=progress,
        options=given,
        failures=failures,
        context=None if context is None else observe,
    )
    if not by_step and result.stopped == "stop" and chain.steps >= steps:
        result.stopped = "steps"
    return result


def _takes_correlated(optimizer: str) -> bool:
    return optimizer in CLASSES and bool(_canopy.optimizer_traits(optimizer)["takes_correlated_feedback"])


class _Chain:
    """An environment that never ends."""

    def __init__(
        self,
        env: Any,
        policy: Callable[[dict[str, Any], Any], Any],
        end_reward: float | None,
        seed: int,
        longest: int,
    ):
        self.steps = 0
        self._env = env
        self._policy = policy
        self._end_reward = end_reward
        self._longest = longest  # steps of an episode
        self._observation, self._info = env.reset(seed=seed)
        self._needs_reset = False

    def observed(self) -> tuple[Any, Any]:
        """The last observation, and what was said beside it."""
        if self._needs_reset:
            self._reset()
        return self._observation, self._info

    def step(self, **theta: Any) -> float:
        """One step; the reward of it."""
        if self._needs_reset:
            self._reset()
        self._needs_reset = True  # unless it goes well
        reward, has_ended = self._step(theta)
        self._needs_reset = has_ended or not is_usable(reward)
        if has_ended:
            self._reset()
        return reward

    def episode(self, **theta: Any) -> float:
        """A whole episode; the sum of its rewards."""
        if self._needs_reset:
            self._reset()
        self._needs_reset = True
        total, has_ended, first = 0.0, False, self.steps
        while not has_ended:
            reward, has_ended = self._step(theta)
            total += reward
            if self.steps - first >= self._longest and not has_ended:
                raise RuntimeError(
                    f'an episode has not ended after {self._longest} steps, which is all there are; reward="return" '
                    "is for tasks with an end, such as a time limit"
                )
        return total

    def _step(self, theta: dict[str, Any]) -> tuple[float, bool]:
        """The reward of a step, and whether the episode has ended with it."""
        self.steps += 1
        action = self._policy(theta, self._observation)
        self._observation, reward, terminated, truncated, self._info = self._env.step(action)
        if terminated and self._end_reward is not None:
            reward = self._end_reward
        return single_reward(reward), bool(terminated or truncated)

    def _reset(self) -> None:
        self._observation, self._info = self._env.reset()
        self._needs_reset = False
