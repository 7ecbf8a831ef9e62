"""Policy search in Gymnasium environments.

This module does not import gymnasium: an environment is any object with `reset` and `step`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _canopy
from ._ledger import Failures, OnFailure, ask_in, check_observe, is_usable, single_reward
from ._optimizers import CLASSES, DEFAULT, Optimizer, make_optimizer, named
from ._result import Result
from ._search import Known, search
from ._space import Context, Parameter, Space, contexts_from, space_from, whole
from ._tryouts import Tryouts

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._classes import AnyOptimizer, DefaultOptimizer, OtherOptimizer
    from ._options import OptimizerOptions
    from ._remote import RemoteStudy
    from ._signatures import PolicyArguments, PolicyDefault, PolicyOther
    from ._space import AnySpace
    from ._studies import Study

__all__ = ["policy_search"]


@overload
def policy_search(
    env: Any,
    policy: Callable[[dict[str, Any], Any], Any],
    space: AnySpace,
    *,
    steps: int,
    optimizer: DefaultOptimizer = ...,
    **options: Unpack[PolicyDefault],
) -> Result: ...
@overload
def policy_search(
    env: Any,
    policy: Callable[[dict[str, Any], Any], Any],
    space: AnySpace,
    *,
    steps: int,
    optimizer: OtherOptimizer,
    **options: Unpack[PolicyOther],
) -> Result: ...
@overload
def policy_search(
    env: Any,
    policy: Callable[[dict[str, Any], Any], Any],
    space: AnySpace | None = None,
    *,
    steps: int,
    optimizer: Optimizer | Study | RemoteStudy,
    seed: int = ...,
    **options: Unpack[PolicyArguments],
) -> Result: ...
def policy_search(
    env: Any,
    policy: Callable[[dict[str, Any], Any], Any],
    space: Space | Mapping[str, Parameter] | None = None,
    *,
    steps: int,
    reward: Literal["auto", "step", "return"] = "auto",
    end_reward: float | None = None,
    optimizer: AnyOptimizer | Optimizer | Study | RemoteStudy = DEFAULT,
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
    """Finds the parameters of a policy within a number of steps of the environment.

    `policy(theta, observation)` returns an action; theta is a dictionary with the parameters of `space`.

    - reward="return": a pull is a whole episode, from a reset to its end, and its reward is the sum of the rewards of
      its steps. Episodes are independent, and so is feedback. The episode in which `steps` run out is played to its
      end. Half of the steps go to arms of the optimizer, half to random arms. The last 30 % of all steps are a playoff,
      which repeatedly plays the arm with the largest mean return. `best` is its winner, with the `basis` "playoff".
      There are no random arms and no playoff with a given optimizer or study, or with `contexts`, `limits`, a
      `baseline` or a `partition`: `best` is then the best arm of the optimizer.
    - reward="step": a pull is one step of the environment, and its reward is told at once. When the parameters change,
      the environment continues from its state, so the next rewards still depend on the earlier parameters. If the state
      adapts to new parameters within a number of steps, give that number to the adaptive tree as `settle`, so that it
      skips them. `optimizer="hct"` expects correlated feedback by default and keeps parameters for episodes that double
      in length, which is slower but safer. After a step with `terminated` or `truncated`, the environment is reset. The
      step that ended the episode counts like any other.
    - reward="auto", the default, is "return" if at least ten episodes fit into `steps`: the time limit of the
      environment (`env.spec.max_episode_steps`) is at most a tenth of `steps`, or, without a time limit, an episode
      with the first arm ends within a twentieth of `steps`. Otherwise it is "step". It is also "step" with `settle`,
      with correlated feedback, and for optimizers that must know the number of pulls. For a given optimizer or study it
      is "return" if the environment has a time limit, for any number of steps.
    - end_reward: the reward of a terminated step, instead of its own. With reward="step", the end of an episode may be
      a failure that rewards do not show: in CartPole every step earns 1, even the one in which the pole falls.
    - contexts, context: for best parameters that depend on observed variables, contexts={"gravity": canopy.real(5, 15)}
      lists them, and `context(observation, info)` returns their values from the last output of the environment (with
      reward="return", that of the reset). It is called before each pull. The result has a `policy`.
    - seed: the seed of the environment, and of the optimizer if it takes a seed.
    - The other arguments are those of `maximize`. After a failed step (see on_failure), the environment is reset.

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
    if reward not in ("auto", "step", "return"):
        raise ValueError(f'reward = {reward!r}: must be "auto", "step" or "return"')
    steps = whole("steps", steps, 1)
    given: dict[str, Any] = dict(options)
    given["seed"] = seed = whole("seed", given.get("seed", 1), 0)
    if end_reward is not None:
        end_reward = single_reward(end_reward)
    chosen: Any = named(optimizer)
    is_named = isinstance(chosen, str)
    if is_named:
        if space is None:
            raise ValueError('space: is missing, for example {"gain": canopy.real(0, 1)}')
        space = space_from(space)
        like: Optimizer | Study | RemoteStudy = make_optimizer(chosen, space, **given)  # raises before playing
        check_observe(context, contexts_from(given.get("contexts")))
    else:
        like = chosen
        check_observe(context, chosen.contexts)
        del given["seed"]
        if chosen.direction != "maximize":
            raise ValueError("policy_search maximizes rewards, but the optimizer's direction is minimize")
    failures = Failures(on_failure, failure_reward, max_failures)
    chain = _Chain(env, policy, end_reward, seed, steps)

    def observe() -> Context:
        assert context is not None
        return context(*chain.observed())

    if reward == "auto":
        reward = "return" if _is_by_episode(chain, like, steps, is_named, observe) else "step"
    by_step = reward == "step"
    if is_named and by_step and given.get("feedback") is None and _takes_correlated(chosen):
        given["feedback"] = "correlated"
    tryouts = None
    if is_named and not by_step and not any(given.get(each) is not None for each in _ALONE):
        tryouts = Tryouts(chain.episode, lambda: chain.steps, steps, like.space, seed)

    def is_over(result: Result) -> bool:
        return chain.steps >= steps or (stop is not None and stop(result))

    known = Known((), ())
    if tryouts is not None:
        known.arms = tryouts
    result = search(
        chain.step if by_step else chain.episode if tryouts is None else tryouts.episode,
        space,
        direction="maximize",
        pulls=max(1, steps - chain.steps) if by_step else None,
        timeout=timeout,
        optimizer=chosen,
        callbacks=callbacks,
        stop=stop if by_step else is_over,
        progress=progress,
        options=given,
        failures=failures,
        known=known,
        context=None if context is None else observe,
    )
    if not by_step and result.stopped == "stop" and chain.steps >= steps:
        result.stopped = "steps"
    if tryouts is not None:
        result._recommend(tryouts.best(result))
    return result


#: options that exclude random arms and the playoff
_ALONE = ("contexts", "limits", "baseline", "partition")


def _is_by_episode(
    chain: _Chain, like: Optimizer | Study | RemoteStudy, steps: int, is_named: bool, observe: Callable[[], Context]
) -> bool:
    """Whether pulls should be whole episodes; may play up to a twentieth of the steps to find out."""
    options = like.options
    if options.get("settle") or options.get("feedback") == "correlated":
        return False
    if is_named and _canopy.optimizer_traits(like.optimizer_name)["needs_horizon"]:
        return False
    limit = chain.time_limit()
    if limit is not None or not is_named:
        return limit is not None and (not is_named or limit <= steps // 10)
    pull = ask_in(like, 1, None if like.contexts is None else dict(observe()))
    return chain.ends_within(steps // 20, dict(pull.arm))


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
        self._longest = longest  # maximum steps of an episode
        self._observation, self._info = env.reset(seed=seed)
        self._needs_reset = False

    def observed(self) -> tuple[Any, Any]:
        """The last observation and info."""
        if self._needs_reset:
            self._reset()
        return self._observation, self._info

    def time_limit(self) -> int | None:
        """The time limit of an episode with which the environment was registered."""
        limit = getattr(getattr(self._env, "spec", None), "max_episode_steps", None)
        return None if limit is None else int(limit)

    def ends_within(self, most: int, theta: dict[str, Any]) -> bool:
        """Plays an episode and returns whether it ends within some steps; False if it fails."""
        for _ in range(most):
            self._needs_reset = True
            try:
                reward, has_ended = self._step(theta)
            except Exception:  # the next pull will raise it again
                return False
            if has_ended:
                return True
            if not is_usable(reward):
                return False
            self._needs_reset = False
        return False

    def step(self, **theta: Any) -> float:
        """Plays one step and returns its reward."""
        if self._needs_reset:
            self._reset()
        self._needs_reset = True  # unless the step succeeds
        reward, has_ended = self._step(theta)
        self._needs_reset = has_ended or not is_usable(reward)
        if has_ended:
            self._reset()
        return reward

    def episode(self, **theta: Any) -> float:
        """Plays an episode and returns the sum of its rewards."""
        if self._needs_reset:
            self._reset()
        self._needs_reset = True
        total, has_ended, first = 0.0, False, self.steps
        while not has_ended:
            reward, has_ended = self._step(theta)
            total += reward
            if self.steps - first >= self._longest and not has_ended:
                raise RuntimeError(
                    f'an episode has not ended after {self._longest} steps, the maximum; reward="return" '
                    "needs episodes that end, for instance by a time limit"
                )
        return total

    def _step(self, theta: dict[str, Any]) -> tuple[float, bool]:
        """The reward of a step, and whether it ended the episode."""
        self.steps += 1
        action = self._policy(theta, self._observation)
        self._observation, reward, terminated, truncated, self._info = self._env.step(action)
        if terminated and self._end_reward is not None:
            reward = self._end_reward
        return single_reward(reward), bool(terminated or truncated)

    def _reset(self) -> None:
        self._observation, self._info = self._env.reset()
        self._needs_reset = False
