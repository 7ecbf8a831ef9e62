"""Intervals of arms, and the best arm that is selected by them."""

import math
import random

import canopy
import pytest
from canopy import intervals
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import betaln
from scipy.stats import binom, nct, norm
from scipy.stats import t as student

NAMES = list(canopy.optimizers())
X = {"x": canopy.real(0, 1)}
TIMES = [1, 2, 10, 50, 1000, 10**6]
ALPHAS = [0.2, 0.05, 0.03, 1e-6]


# --- formulas ------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("pulls", TIMES)
def test_the_width_of_a_sequence_is_that_of_the_paper(pulls, alpha):
    r = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / 50
    spread = pulls * r + 1
    expected = math.sqrt(2 * spread / (pulls**2 * r) * math.log(math.sqrt(spread) / alpha))
    assert intervals.sequence_width(pulls, alpha) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("pulls", [8, 20, 100])
def test_a_t_sequence_ends_where_the_bayes_factor_of_the_t_test_is_one_over_alpha(pulls, alpha):
    width = intervals.t_sequence_width(pulls, alpha)
    if width == math.inf:
        assert (pulls, alpha) == (8, 1e-6)
        return
    statistic = width * math.sqrt(pulls - 1)

    def weighted(effect):
        return nct.pdf(statistic, pulls - 1, effect * math.sqrt(pulls)) * norm.pdf(effect, scale=math.sqrt(0.5))

    factor = quad(weighted, -1, 5, epsabs=0, limit=200)[0] / student.pdf(statistic, pulls - 1)
    assert factor == pytest.approx(1 / alpha, rel=1e-3)


def test_the_interval_of_bounded_rewards_is_that_of_the_formula():
    low, high = intervals.bounded_interval(0.3, 1000, 10, 0.05)
    rates = [0.9 / 2**j for j in range(16)]
    shares = [intervals.arm_alpha(1e-9, j + 1) / (1 - 1e-9) for j in range(16)]
    off = min(
        (math.log(4 / 0.05) - math.log(share) + 10 * (-math.log1p(-rate) - rate)) / rate
        for rate, share in zip(rates, shares)
    )
    assert (low, high) == pytest.approx((0.3 - off / 1000, 0.3 + off / 1000))
    assert intervals.bounded_interval(0.5, 1, 0.25, 0.05) == pytest.approx((0, 1), abs=0.02)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize(("successes", "pulls"), [(0, 1), (1, 1), (3, 10), (10, 10), (0, 500), (499, 500), (700, 2000)])
def test_the_interval_of_a_rate_has_all_rates_that_the_mixture_does_not_rule_out(successes, pulls, alpha):
    failures = pulls - successes
    mixture = betaln(successes + 0.5, failures + 0.5) - betaln(0.5, 0.5)

    def evidence(p):  # against p, less what it takes
        seen = (successes * math.log(p) if successes else 0) + (failures * math.log1p(-p) if failures else 0)
        return mixture - seen + math.log(alpha)

    low, high = intervals.success_interval(successes, pulls, alpha)
    rate = successes / pulls
    tiny = 1e-300
    expected_low = brentq(evidence, tiny, rate, xtol=1e-15) if successes else 0
    expected_high = brentq(evidence, rate, 1 - 1e-16, xtol=1e-15) if failures else 1
    assert low == pytest.approx(expected_low, abs=1e-9) and high == pytest.approx(expected_high, abs=1e-9)


# From confseq 0.0.11, which does not install with pip on Python 3.11 and later, since it pins an old pybind11:
# normal_mixture_bound(pulls, alpha, v_opt=50, alpha_opt=alpha, is_one_sided=False) / pulls
CONFSEQ_WIDTHS = [
    (1, 0.05, 6.69438861706604),
    (1, 0.03, 6.830607200193744),
    (1, 1e-06, 8.571957269579402),
    (10, 0.05, 1.0637547006557504),
    (10, 0.03, 1.116916898286373),
    (10, 1e-06, 1.8542352552965837),
    (50, 0.05, 0.4292433718826846),
    (50, 0.03, 0.4549827264006576),
    (50, 1e-06, 0.8012475245283749),
    (1000, 0.05, 0.10552070034257914),
    (1000, 0.03, 0.11085650138811501),
    (1000, 1e-06, 0.1847074706026934),
    (1000000, 0.05, 0.004238690888003318),
    (1000000, 0.03, 0.0043731396433083726),
    (1000000, 1e-06, 0.0064006324787219855),
]
# exp(-beta_binomial_log_mixture(successes - pulls / 2, pulls / 4, v_opt, g=0.5, h=0.5, alpha_opt, False)), where
# v_opt makes the mixture Beta(1/2, 1/2): at this alpha the interval ends at 1/2.
CONFSEQ_ALPHAS = [
    (0, 10, 0.005542445170928144),
    (3, 20, 0.025612218328763172),
    (17, 20, 0.025612218328763172),
    (30, 100, 0.0033557028258530868),
    (440, 1000, 0.029087147168916427),
    (5300, 10000, 1.8883087265212201e-06),
]


@pytest.mark.parametrize(("pulls", "alpha", "width"), CONFSEQ_WIDTHS)
def test_the_width_of_a_sequence_is_that_of_confseq(pulls, alpha, width):
    assert intervals.sequence_width(pulls, alpha) == pytest.approx(width, rel=1e-9)


@pytest.mark.parametrize(("successes", "pulls", "alpha"), CONFSEQ_ALPHAS)
def test_the_interval_of_a_rate_ends_where_that_of_confseq_ends(successes, pulls, alpha):
    end = intervals.success_interval(successes, pulls, alpha)[1 if successes < pulls / 2 else 0]
    assert end == pytest.approx(0.5, abs=1e-9)


def test_both_are_those_of_confseq_where_it_is_installed():
    boundaries = pytest.importorskip("confseq.boundaries")
    for pulls, alpha, width in CONFSEQ_WIDTHS:
        bound = boundaries.normal_mixture_bound(pulls, alpha, 50, alpha, is_one_sided=False)
        assert bound / pulls == pytest.approx(width, rel=1e-12)
    scale = -2 * math.log(0.05)
    v_opt = 0.5 * (scale + math.log(1 + scale))
    for successes, pulls, alpha in CONFSEQ_ALPHAS:
        log = boundaries.beta_binomial_log_mixture(successes - pulls / 2, pulls / 4, v_opt, 0.5, 0.5, 0.05, False)
        assert math.exp(-log) == pytest.approx(alpha, rel=1e-9)


def test_the_shares_of_all_arms_add_up():
    shares = [intervals.arm_alpha(0.95, k) for k in range(1, 100_001)]
    left = 0.05 * math.log(2) / math.log(100_002)
    assert sum(shares) + left == pytest.approx(0.05, rel=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: intervals.sequence_width(0, 0.05), "pulls = 0: must be above 0"),
        (lambda: intervals.sequence_width("1", 0.05), "pulls = '1': must be a number"),
        (lambda: intervals.sequence_width(1, 1), "alpha = 1: must be between 0 and 1"),
        (lambda: intervals.success_interval(3, 2, 0.05), "successes = 3: must be from 0 to 2"),
        (lambda: intervals.success_interval(-1, 2, 0.05), "successes = -1"),
        (lambda: intervals.success_interval(float("nan"), 2, 0.05), "successes = nan"),
        (lambda: intervals.arm_alpha(0.95, 0), "k = 0: must be 1 or more"),
        (lambda: intervals.arm_alpha(95, 1), "confidence = 95"),
    ],
)
def test_wrong_use_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# --- best and estimate ---------------------------------------------------------------------------


def test_there_is_no_interval_until_arms_were_repeated():
    opt = canopy.Grid({"k": canopy.integer(1, 4)}, points=4)
    chance = random.Random(1)
    for k in range(1, 5):
        opt.observe({"k": k}, 10 * k + chance.gauss(0, 1))
    best = opt.best()
    assert (best.lower, best.upper, best.basis, best.pulls) == (None, None, "repeats_few", 1)
    assert str(best).endswith(", 1 pull; too few pulls for an interval") and best.assumes == "none"
    for _ in range(8):  # degrees of freedom
        assert opt.estimate({"k": 2}).upper is None
        opt.observe({"k": 4}, 40 + chance.gauss(0, 1))
    best = opt.best()
    assert best.basis == "interval" and best.arm == {"k": 4} and best.pulls == 9
    assert best.lower < best.mean < best.upper and best.confidence == 0.95
    assert (best.rivals, best.unknown) == (0, 3)  # one reward says nothing about an arm
    assert opt.estimate({"k": 4}) == (best.mean, best.lower, best.upper, best.pulls, best.assumes)


def test_an_interval_is_that_of_the_formula():
    opt = canopy.Grid({"k": canopy.integer(1, 2)}, points=2, confidence=0.9)
    chance = random.Random(2)
    first = [chance.gauss(1, 1) for _ in range(300)]
    second = [chance.gauss(2, 3) for _ in range(200)]  # each arm has its own variance
    opt.observe({"k": 1}, first)
    opt.observe({"k": 2}, second)
    for k, rewards in ((1, first), (2, second)):
        count, mean = len(rewards), sum(rewards) / len(rewards)
        squares = sum((reward - mean) ** 2 for reward in rewards)
        half = math.sqrt(squares / count) * intervals.t_sequence_width(count, intervals.arm_alpha(0.9, k))
        known = opt.estimate({"k": k})
        assert known.pulls == count and known.mean == pytest.approx(mean) and known.assumes == "about_normal"
        assert (known.lower, known.upper) == pytest.approx((mean - half, mean + half))


def test_a_range_that_is_never_left_needs_no_other_assumption():
    soft = canopy.Grid({"k": canopy.integer(1, 2)}, points=2, reward_range=(0, 1))
    hard = canopy.Grid({"k": canopy.integer(1, 2)}, points=2, reward_range=(0, 1), hard_range=True)
    for opt in (soft, hard):
        opt.observe({"k": 1}, [0.2, 0.3, 0.4])
    assert soft.estimate({"k": 1}).assumes == "none" and hard.estimate({"k": 1}).assumes == "hard_range"
    assert hard.copy().hard_range and not soft.hard_range
    hard.observe({"k": 2}, 1.5)
    assert hard.estimate({"k": 1}).assumes == "none"
    with pytest.raises(ValueError, match="hard_range = true: requires reward_range"):
        canopy.Grid({"k": canopy.integer(1, 2)}, points=2, hard_range=True)
    with pytest.raises(ValueError, match="hard_range = 1: must be True or False"):
        canopy.Grid({"k": canopy.integer(1, 2)}, points=2, reward_range=(0, 1), hard_range=1)


def test_two_values_of_any_size_have_the_interval_of_a_rate():
    opt = canopy.Grid({"k": canopy.integer(1, 2)}, points=2)
    opt.observe({"k": 1}, [0] * 93 + [250] * 7)
    assert opt.best().lower is None  # a third value may still appear
    opt.observe({"k": 1}, 250)
    low, high = intervals.success_interval(8, 101, intervals.arm_alpha(0.95, 1))
    assert (opt.best().lower, opt.best().upper) == pytest.approx((250 * low, 250 * high))
    assert opt.best().assumes == "two_values" and not opt.best().rare_extremes


def test_rare_extreme_rewards_are_said():
    opt = canopy.Grid({"k": canopy.integer(1, 2)}, points=2)
    chance = random.Random(3)
    for k in (1, 2):
        for _ in range(100):
            opt.observe({"k": k}, chance.gauss(0, 1))
    assert not opt.best().rare_extremes
    before = opt.estimate({"k": 2})
    opt.observe({"k": 1}, 60.0)
    assert opt.best().rare_extremes and str(opt.best()).endswith("; rewards have rare extreme values")
    assert opt.estimate({"k": 2}).upper > before.upper + 1  # the extreme value may occur there as well


def test_rewards_that_are_0_or_1_have_the_interval_of_a_rate():
    opt = canopy.Grid({"k": canopy.integer(1, 2)}, points=2)
    opt.observe({"k": 1}, [1] * 3 + [0] * 17)
    opt.observe({"k": 2}, [1] * 18 + [0] * 2)
    best = opt.best()
    assert best.arm == {"k": 2}
    expected = intervals.success_interval(18, 20, intervals.arm_alpha(0.95, 2))
    assert (best.lower, best.upper) == pytest.approx(expected)


def test_rewards_that_never_differ_are_said_to_have_no_noise():
    result = canopy.maximize(lambda x: 1 - abs(x - 0.3), X, pulls=300)
    best = result.best
    assert best.basis == "no_noise" and best.lower is None and best.upper is None
    assert str(best).endswith("pulls; rewards of a setting never differ")
    assert best.mean == max(result.rewards)


def test_the_best_says_all_of_it():
    opt = canopy.Grid({"k": canopy.integer(1, 3)}, points=3)
    chance = random.Random(1)
    for k in (1, 2, 3):
        opt.observe({"k": k}, [1000 + chance.gauss(0, 1) for _ in range(20)])
    best = opt.best()
    assert best.rivals == 2 and best.own is None
    assert repr(best).startswith(f"Best(arm={best.arm!r}, mean=")
    assert ", confidence=0.95, assumes='about_normal', rare_extremes=False, rivals=2, unknown=0, basis=" in repr(best)
    text = str(best)
    assert text.startswith(f"k = {best.arm['k']}: ") and text.endswith(
        " at 95 %), 20 pulls; 2 other settings cannot be ruled out yet"
    )
    assert repr(opt.estimate({"k": 1})).startswith("ArmEstimate(mean=")


def test_the_choice_of_the_algorithm_itself_is_named_where_it_is_another():
    opt = canopy.Power(X, seed=3)
    chance = random.Random(1)
    for _ in range(600):
        pull = opt.ask(1)
        opt.tell(pull, 1 - abs(pull.arm["x"] - 0.3) + chance.gauss(0, 0.1))
    best = opt.best()
    assert best.basis == "interval" and set(best.own) == {"x"} and best.own != best.arm


def test_an_arm_without_rewards_is_not_known():
    opt = canopy.Hct(X)
    assert opt.estimate({"x": 0.123}) is None
    opt.remember({"x": 0.123}, 0.5)
    assert opt.estimate({"x": 0.123}) == (0.5, None, None, 1, "none")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_remembered_counts_for_best_and_not_for_the_search(name):
    told, remembering = canopy.make_optimizer(name, X, reward_range=(0, 1)), None
    remembering = told.copy()
    remembering.remember({"x": 0.9}, [2.0 + 0.01 * i for i in range(20)])
    remembering.remember({"x": 0.9}, canopy.Rewards(2, 4.0, 8.02))
    chance = random.Random(1)
    for _ in range(400):
        one, other = told.ask(1), remembering.ask(1)
        assert one.arm == other.arm
        reward = one.arm["x"] + chance.gauss(0, 0.1)
        told.tell(one, reward)
        remembering.tell(other, reward)
    assert remembering.summary().observed == 0 and remembering.estimate({"x": 0.9}).pulls == 22
    assert remembering.best().arm == {"x": 0.9} != told.best().arm


def test_what_cannot_be_remembered_is_refused_and_changes_nothing():
    opt = canopy.Hct(X)
    before = opt.save()
    for arm, reward in ((None, 1), ({"x": 2}, 1), ({"x": 0.5}, None), ({"x": 0.5}, float("nan")), ({"x": 0.5}, [])):
        with pytest.raises(ValueError):
            opt.remember(arm, reward)
    assert opt.save() == before


# --- lists and units -----------------------------------------------------------------------------

TRUTH = {"lz4": 900, "zstd": 500, "brotli": 300}


@pytest.mark.parametrize("order", [("lz4", "zstd", "brotli"), ("zstd", "lz4", "brotli"), ("brotli", "zstd", "lz4")])
@pytest.mark.parametrize("options", [{}, {"optimizer": "hct"}, {"optimizer": "hct", "feedback": "correlated"}], ids=str)
def test_the_best_of_three_is_found_and_played_without_a_range(order, options):
    for seed in range(5):
        chance = random.Random(seed)
        space = {"codec": canopy.choice(order)}
        result = canopy.maximize(
            lambda codec, chance=chance: chance.gauss(TRUTH[codec], 60), space, pulls=300, **options
        )
        assert result.best.arm == {"codec": "lz4"}
        assert result.best.lower <= 900 <= result.best.upper
        assert sum(len(each.rewards) for each in result.episodes if each.arm["codec"] == "lz4") > 250


@pytest.mark.parametrize("best", range(1, 11))
@pytest.mark.parametrize("name", ["adaptive", "hct"])
def test_the_best_of_ten_integers_is_found_wherever_it_is(name, best):
    chance = random.Random(best)
    space = {"k": canopy.integer(1, 10)}
    result = canopy.minimize(lambda k: (0 if k == best else 40) + chance.gauss(0, 4), space, pulls=400, optimizer=name)
    assert result.best.arm == {"k": best}
    assert sum(len(each.rewards) for each in result.episodes if each.arm["k"] == best) > 300


def arms_in_units(name, direction, scale, level):
    """The arms that an optimizer plays, and its best, with rewards in other units."""
    sign = 1 if direction == "maximize" else -1
    opt = canopy.make_optimizer(name, {"x": canopy.real(0, 1), "c": canopy.choice("a", "b", "c")}, direction=direction)
    chance = random.Random(7)
    arms = []
    for _ in range(400):
        pull = opt.ask(1)
        arms.append(pull.arm)
        f = 1 - abs(pull.arm["x"] - 0.3) + 0.5 * (pull.arm["c"] == "b")
        # rounded, so that other units lose no digits
        opt.tell(pull, level + scale * sign * round(2**20 * (f + chance.gauss(0, 0.2))) / 2**20)
    return arms, opt.best().arm


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
@pytest.mark.parametrize("name", NAMES)
def test_rewards_in_any_units_give_the_same_arms(name, direction):
    expected = arms_in_units(name, direction, 1.0, 0.0)
    assert arms_in_units(name, direction, 2.0**-20, 0.0) == expected
    assert arms_in_units(name, direction, 1.0, 2.0**20) == expected
    assert arms_in_units(name, direction, 1e-6, 0.0)[0] == expected[0]
    assert arms_in_units(name, direction, 1.0, 1e6)[0] == expected[0]


def test_nodes_are_in_the_units_of_the_user():
    for direction in ("maximize", "minimize"):
        opt = canopy.Hct(X, direction=direction, reward_range=(20, 30))
        for _ in range(100):
            pull = opt.ask(1)
            opt.tell(pull, 20 + 10 * pull.arm["x"])
        for node in opt.tree():
            if node.pulls:
                assert node.mean == pytest.approx(20 + 10 * node.arm["x"])
                assert node.mean <= node.upper if direction == "maximize" else node.mean >= node.upper


# --- coverage -------------------------------------------------------------------------------------


def covers(name, seed, noise, pulls=1000):
    """Whether the interval of the best arm contains f at all looks at 8, 16, 32, ... pulls."""
    chance = random.Random(seed)
    opt = canopy.make_optimizer(name, X, **({"seed": seed} if name != "grid" else {}))
    for t in range(1, pulls + 1):
        pull = opt.ask(1)
        f = 0.9 - (pull.arm["x"] - 0.3) ** 2
        opt.tell(pull, float(chance.random() < f) if noise == "bernoulli" else f + chance.gauss(0, noise))
        if t & (t - 1) == 0 or t == pulls:
            best = opt.best()
            f = 0.9 - (best.arm["x"] - 0.3) ** 2
            if best.lower is not None and not best.lower <= f <= best.upper:
                return False
    return True


@pytest.mark.parametrize("noise", [0.05, 0.3, "bernoulli"])
@pytest.mark.parametrize("name", ["adaptive", "hct", "grid", "thoo"])
def test_the_interval_of_the_best_arm_holds_at_all_looks(name, noise):
    runs = 60
    held = sum(covers(name, seed, noise) for seed in range(runs))
    assert held >= binom.ppf(0.001, runs, 0.95)  # the seeds are fixed, so the result is always the same


@pytest.mark.parametrize("name", ["adaptive", "hct"])
def test_a_lucky_pull_is_not_the_best(name):
    worst = 0.0
    for seed in range(20):
        chance = random.Random(seed)
        result = canopy.maximize(
            lambda x, chance=chance: 1 - (x - 0.3) ** 2 + chance.gauss(0, 0.3), X, pulls=2000, optimizer=name
        )
        worst = max(worst, (result.best.arm["x"] - 0.3) ** 2)
        assert result.best.pulls >= 8
    assert worst < 0.05


@pytest.mark.parametrize("name", ["adaptive", "hct"])
def test_uneven_noise_does_not_make_an_arm_with_few_pulls_the_best(name):
    for seed in range(10):
        chance = random.Random(seed)
        result = canopy.maximize(
            lambda x, chance=chance: 1 - abs(x - 0.3) + (0.02 + 1.5 * x * x) * chance.gauss(0, 1),
            X,
            pulls=3000,
            optimizer=name,
        )
        best = result.best
        truth = 1 - abs(best.arm["x"] - 0.3)
        assert abs(best.arm["x"] - 0.3) < (0.02 if name == "adaptive" else 0.1), seed
        assert best.pulls >= 16 and best.lower <= truth <= best.upper, seed
