import math

import canopy
import gymnasium
import numpy
import pytest

GAINS = {"stiffness": canopy.real(0, 20), "damping": canopy.real(0, 5)}


def pendulum_policy(theta, observation):
    cosine, sine, speed = observation
    torque = -theta["stiffness"] * math.atan2(sine, cosine) - theta["damping"] * speed
    return [max(-2.0, min(2.0, torque))]


def test_a_real_environment_end_to_end():
    env = gymnasium.make("Pendulum-v1")
    result = canopy.policy_search(env, pendulum_policy, GAINS, steps=5000, reward="step")
    assert result.pulls == 5000 and set(result.best.arm) == set(GAINS)
    assert isinstance(result.optimizer, canopy.Adaptive)
    assert result.optimizer.reward_range == "auto" and -17 < min(result.rewards) < result.best.mean <= 0
    again = canopy.policy_search(gymnasium.make("Pendulum-v1"), pendulum_policy, GAINS, steps=5000, reward="step")
    assert again.rewards == result.rewards


class Counter(gymnasium.Env):
    """Ends after three steps, either terminated or truncated. The reward is the number of the step."""

    def __init__(self, terminates):
        self.terminates, self.seeds, self.observations = terminates, [], []

    def reset(self, seed=None, options=None):
        self.at = 0
        self.seeds.append(seed)
        return self.at, {}

    def step(self, action):
        self.observations.append(action)
        self.at += 1
        ended = self.at == 3
        return self.at, self.at / 10, ended and self.terminates, ended and not self.terminates, {}


@pytest.mark.parametrize("terminates", [True, False])
def test_one_chain_goes_through_resets(terminates):
    env = Counter(terminates)
    result = canopy.policy_search(
        env, lambda theta, seen: seen, {"x": canopy.real(0, 1)}, steps=10, reward_range=(0, 1)
    )
    assert env.observations == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]
    assert result.rewards == [0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.1]
    assert env.seeds == [1, None, None, None]


def test_an_end_may_be_worth_something_else():
    for terminates in (True, False):
        env = Counter(terminates)
        result = canopy.policy_search(
            env, lambda theta, seen: seen, {"x": canopy.real(0, 1)}, steps=6, reward_range=(0, 1), end_reward=-1.0
        )
        assert result.rewards[2] == (-1.0 if terminates else 0.3)


def test_nothing_is_played_before_the_search_and_rewards_need_not_vary():
    env = gymnasium.make("CartPole-v1")
    result = canopy.policy_search(env, lambda theta, seen: 0, {"x": canopy.real(0, 1)}, steps=100, reward="step")
    assert result.rewards == [1.0] * 100 and result.best.mean == 1 and result.optimizer.summary().t == 101


def test_a_range_may_be_given():
    for given in ((-1, 1), [0, 1], "auto", None):
        result = canopy.policy_search(Counter(True), lambda theta, seen: seen, GAINS, steps=10, reward_range=given)
        assert result.optimizer.reward_range == ("auto" if given in ("auto", None) else tuple(given))


def test_other_optimizers_can_search_too():
    def search(space=GAINS, **options):
        return canopy.policy_search(Counter(True), lambda theta, seen: seen, space, steps=50, reward="step", **options)

    assert search(optimizer="power", reward_range=numpy.array([0, 1])).pulls == 50
    assert search(optimizer="hct").optimizer.options["feedback"] == "correlated"
    opt = canopy.Hct(GAINS, feedback="correlated")
    search(None, optimizer=opt)
    assert opt.summary().t == 51


def test_wrong_use_is_named():
    for arguments, message in [
        ((3, print, GAINS), "env = 3"),
        ((Counter(True), 3, GAINS), "policy = 3"),
        ((Counter(True), print), "space: is missing"),
    ]:
        with pytest.raises(ValueError, match=message):
            canopy.policy_search(*arguments, steps=10)
    for options, message in [
        ({"steps": 0}, "steps = 0"),
        ({"steps": 10, "end_reward": "a"}, "reward = 'a'"),
        ({"steps": 10, "optimizer": "power", "feedback": "iid"}, "feedback: power has no such option"),
        ({"steps": 10, "optimizer": "hct", "feedback": "nonsense"}, "feedback"),
        ({"steps": 10, "optimizer": canopy.Hct(GAINS, direction="minimize")}, "maximizes"),
    ]:
        env = Counter(True)
        with pytest.raises(ValueError, match=message):
            canopy.policy_search(env, print, GAINS, **options)
        assert not env.seeds  # nothing was played
    with pytest.raises(ValueError, match="rhoo"):
        canopy.policy_search(Counter(True), print, GAINS, steps=10, rhoo=1)
    with pytest.raises(ValueError, match="reward_range: the given optimizer"):
        canopy.policy_search(Counter(True), print, steps=10, optimizer=canopy.Hct(GAINS), reward_range=(0, 1))
    for wrong in (3, (1, 0)):
        env = Counter(True)
        with pytest.raises(ValueError, match="reward_range"):
            canopy.policy_search(env, print, GAINS, steps=10, reward_range=wrong)
        assert not env.seeds


@pytest.mark.parametrize("terminates", [True, False])
def test_an_episode_may_be_a_pull_and_its_return_the_reward(terminates):
    env = Counter(terminates)
    result = canopy.policy_search(env, lambda theta, seen: seen, {"x": canopy.real(0, 1)}, steps=10, reward="return")
    assert env.observations == [0, 1, 2] * 4, "the episode in which the steps run out is played to its end"
    assert result.rewards == pytest.approx([0.6] * 4) and result.stopped == "steps"
    assert env.seeds == [1, None, None, None]
    result = canopy.policy_search(
        env, print, {"x": canopy.real(0, 1)}, steps=99, reward="return", stop=lambda result: result.pulls == 2
    )
    assert result.pulls == 2 and result.stopped == "stop"


def test_episodes_are_independent_and_an_end_may_be_worth_something_else():
    result = canopy.policy_search(
        Counter(True), lambda theta, seen: seen, GAINS, steps=9, reward="return", optimizer="hct", end_reward=5
    )
    assert result.optimizer.options["feedback"] == "iid" and result.rewards == pytest.approx([5.3] * 3)


def test_an_episode_that_never_ends_is_said():
    env = gymnasium.make("Pendulum-v1").unwrapped  # without its time limit
    with pytest.raises(RuntimeError, match="an episode has not ended after 300 steps"):
        canopy.policy_search(env, pendulum_policy, GAINS, steps=300, reward="return")
    with pytest.raises(ValueError, match="reward = 'sum': must be"):
        canopy.policy_search(env, pendulum_policy, GAINS, steps=300, reward="sum")


def test_returns_find_a_policy_for_acrobot_by_defaults():
    names = ["cos1", "sin1", "cos2", "sin2", "speed1", "speed2"]

    def policy(theta, seen):
        return 2 if sum(theta[name] * value for name, value in zip(names, seen)) > 0 else 0

    space = {name: canopy.real(-1, 1) for name in names}
    result = canopy.policy_search(gymnasium.make("Acrobot-v1"), policy, space, steps=20_000, reward="return")
    env, returns = gymnasium.make("Acrobot-v1"), []
    for seed in range(20):
        (seen, _), total, has_ended = env.reset(seed=1000 + seed), 0.0, False
        while not has_ended:
            seen, reward, terminated, truncated, _ = env.step(policy(result.best.arm, seen))
            total, has_ended = total + reward, terminated or truncated
        returns.append(total)
    assert sum(returns) / 20 > -110  # the worst is -500


class Noisy(gymnasium.Env):
    """Episodes of four steps. x earns 1 - |x - 0.7| on average, and much noise; `fails` says of x whether it does."""

    def __init__(self, fails=lambda x: False, length=4):
        self.fails, self.length, self.seeds = fails, length, []

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.seeds.append(seed)
        self.at = 0
        return self.at, {"load": 0.5}

    def step(self, x):
        self.at += 1
        if self.fails(x):
            raise FloatingPointError("exploded")
        reward = (1 - abs(x - 0.7) + self.np_random.normal(0, 1)) / self.length
        return self.at, reward, False, self.at == self.length, {"load": 0.5}


class Limited(Noisy):
    """Says its time limit, as environments do that are made by their name."""

    spec = gymnasium.envs.registration.EnvSpec("Noisy-v0", max_episode_steps=4)


def search_noisy(env=None, steps=2000, **options):
    space = None if "space" in options else {"x": canopy.real(0, 1)}
    options.pop("space", None)
    return canopy.policy_search(env or Noisy(), lambda theta, seen: theta["x"], space, steps=steps, **options)


def test_episodes_are_pulls_where_enough_of_them_fit():
    assert search_noisy(Limited(), steps=40).pulls == 10
    assert search_noisy(Limited(), steps=39).pulls == 39
    result = search_noisy(steps=80)  # it has no time limit, so an episode is played first
    assert result.stopped == "steps" and result.pulls == 19
    assert search_noisy(steps=79).pulls == 79 - 3
    assert search_noisy(Noisy(length=10**9), steps=200).pulls == 200 - 10


def test_steps_are_pulls_where_the_optimizer_is_for_them():
    for options in ({"settle": 3}, {"optimizer": "hct", "feedback": "correlated"}):
        assert search_noisy(Limited(), steps=200, **options).pulls == 200
    assert search_noisy(Limited(), steps=200, optimizer="hct").optimizer.options["feedback"] == "iid"
    assert search_noisy(Noisy(length=10**9), steps=200, optimizer="hct").optimizer.options["feedback"] == "correlated"


def test_an_optimizer_that_is_given_plays_alone_in_the_mode_of_the_environment():
    for env, pulls in ((Limited(), 5), (Noisy(), 20)):
        opt = canopy.Adaptive({"x": canopy.real(0, 1)})
        result = search_noisy(env, steps=20, space=None, optimizer=opt)
        assert result.pulls == pulls == opt.summary().t - 1 and opt.summary().observed == 0
        assert result.best == opt.best() and env.seeds[0] == 1


def test_half_of_the_search_is_random_and_the_last_part_a_playoff():
    result = search_noisy()
    own = [episode for episode in result.episodes if episode.depth >= 0]
    others = [episode for episode in result.episodes if episode.depth < 0]
    seen = {episode.arm["x"] for episode in others}
    pulls = sum(len(episode.rewards) for episode in own)
    assert pulls + len(others) == result.pulls == 499, "an episode was played to see where it ends"
    assert 170 < pulls < 190, "half of seven tenths; a turn of the optimizer is not broken off"
    assert 160 < len(seen) < 180, "random arms, and in the playoff also some of the optimizer"
    assert result.best.basis == "playoff" and str(result.best).endswith("the best of the playoff")
    of_best = [episode.rewards for episode in result.episodes if episode.arm == result.best.arm]
    assert result.best.pulls == sum(len(rewards) for rewards in of_best) > 10
    again = search_noisy()
    assert again.rewards == result.rewards and again.best == result.best
    assert search_noisy(seed=2).rewards != result.rewards


def test_the_playoff_finds_a_good_arm_in_much_noise():
    found = [search_noisy(seed=seed).best.arm["x"] for seed in range(1, 11)]
    assert sum(abs(x - 0.7) for x in found) / 10 < 0.15  # a random arm is off by 0.29


def test_failed_episodes_are_not_recommended():
    result = search_noisy(Noisy(fails=lambda x: x > 0.6), max_failures=50)
    assert result.failed > 10 and 0.3 < result.best.arm["x"] <= 0.6


def test_all_kinds_of_parameters_can_be_tried():
    space = {"n": canopy.integer(1, 64, log=True), "way": canopy.choice([1], [2]), "x": canopy.real(0, 1)}
    result = canopy.policy_search(Limited(), lambda theta, seen: theta["x"] / theta["n"], space, steps=400)
    assert result.best.arm.keys() == space.keys() and result.pulls == 100


def test_optimizers_that_must_know_the_number_of_pulls_have_steps():
    assert search_noisy(Limited(), steps=400, optimizer="sequool").pulls == 400


def test_contexts_and_baselines_leave_the_optimizer_alone():
    result = search_noisy(
        steps=400,
        contexts={"load": canopy.real(0, 1)},
        context=lambda observation, info: {"load": info["load"]},
    )
    assert result.optimizer.summary().observed == 0 and len(result.policy) == 1
    assert search_noisy(steps=400, baseline={"x": 0.5}).best.basis != "playoff"
