import copy
import inspect
import os
import pickle
import random
import threading

import canopy
import numpy
import pytest
from canopy import _canopy
from hypothesis import given
from hypothesis import strategies as st

X = {"x": canopy.real(0, 1)}
NAMES = list(canopy.optimizers())


def play(opt, chances):
    """The arms that an optimizer plays."""
    arms = []
    for chance in chances:
        pull = opt.ask(1)
        arms.append(pull.arm)
        opt.tell(pull, chance)
    return arms


@pytest.mark.parametrize("name", NAMES)
def test_options_are_those_of_cpp(name):
    given = inspect.signature(type(canopy.make_optimizer(name, X)).__init__).parameters
    common = {
        "self",
        "space",
        "direction",
        "reward_range",
        "confidence",
        "hard_range",
        "partition",
        "baseline",
        "limits",
        "contexts",
    }
    defaults = {key: each.default for key, each in given.items() if key not in common}
    ours = _canopy.optimizer_defaults(name)
    for key in ("settle_rule", "drift"):  # its default depends on the study: it stays unset if it was not given
        if key in ours:
            assert defaults.pop(key) is None
            ours.pop(key)
    if "seed" not in ours:  # deterministic algorithms accept a seed, too
        defaults.pop("seed")
    none = ("all", "doubling")  # words for it
    assert {key: None if value in none else value for key, value in defaults.items()} == ours


@pytest.mark.parametrize("name", NAMES)
def test_every_optimizer_finds_a_hill(name):
    opt = canopy.make_optimizer(name, X)
    for _ in range(600):
        pull = opt.ask(1)
        opt.tell(pull, 1 - abs(pull.arm["x"] - 0.3))
    opt.finish()
    best = opt.best()
    assert abs(best.arm["x"] - 0.3) < (0.2 if name in ("power", "lin-ucb") else 0.05)
    assert best.lower is None and best.upper is None  # there is no noise
    assert best.basis in ("repeats_few", "no_noise")  # depends on how often it repeats an arm
    assert opt.summary().t == 601


def test_it_can_minimize_in_units_of_the_user():
    opt = canopy.Hct(X, direction="minimize", reward_range=(10, 30))
    for _ in range(400):
        pull = opt.ask(1)
        opt.tell(pull, 10 + 20 * abs(pull.arm["x"] - 0.3))
    assert opt.best().mean < 11


def test_before_the_first_answer_there_is_no_best():
    assert canopy.Hct(X).best() is None


def test_rewards_may_be_told_in_many_shapes():
    told = [0.5, 0.25, 1.0, 0.0]
    shapes = [
        lambda opt, pull: [opt.tell(pull, each) for each in told],
        lambda opt, pull: opt.tell(pull, told),
        lambda opt, pull: opt.tell(pull, tuple(told)),
        lambda opt, pull: opt.tell(pull, numpy.array(told)),
        lambda opt, pull: opt.tell(pull, numpy.array(told, dtype=numpy.float32)),
        lambda opt, pull: opt.tell(pull, (each for each in told)),
        lambda opt, pull: opt.tell(pull.ticket, told),
        lambda opt, pull: [opt.tell(pull, each) for each in numpy.array(told)],
        lambda opt, pull: [opt.tell(pull, numpy.array(each)) for each in told],
        lambda opt, pull: [opt.tell(pull, numpy.float32(each)) for each in told],
        lambda opt, pull: opt.tell(pull, canopy.Rewards(count=4, sum=1.75, sum_squares=1.3125, min=0, max=1)),
    ]
    saved, trees, bests = [], [], []
    for tell in shapes:
        opt = canopy.Hct(X, feedback="correlated", reward_range=(0, 1))
        for _ in range(3):
            pull = opt.ask(1)
            opt.tell(pull, 1.0)
        pull = opt.ask(4)
        while pull.length < 4:
            opt.tell(pull, [1.0] * pull.length)
            pull = opt.ask(4)
        tell(opt, pull)
        saved.append(opt.save())
        trees.append(opt.tree())
        bests.append(opt.best())
    assert len(set(saved[:-1])) == 1  # sums do not have the order of the rewards
    assert all(tree == trees[0] for tree in trees) and all(best == bests[0] for best in bests)


@pytest.mark.parametrize(
    "wrong",
    [
        None, "1", b"1", float("nan"), float("inf"), 1e300, [], [None], [[0.5]], ["a"], {}, {"x": 1}, object(), 1j,
        [0.5, float("nan")], [0.5] * 1000, numpy.zeros((1, 1)), numpy.zeros(0), numpy.array([numpy.nan]),
        numpy.array("a"), canopy.Rewards(1, 2.0, 1.0), canopy.Rewards(7, 1.0, 1.0), 10**400, numpy.str_("0.5"),
        numpy.array("0.5"), numpy.complex128(0.5), bytearray(b"1"), "\ud800",
    ],
    ids=lambda wrong: str(wrong)[:20].replace("\n", " "),
)  # fmt: skip
def test_a_wrong_reward_is_refused_and_changes_nothing(wrong):
    opt = canopy.Hct(X, feedback="correlated")
    play(opt, [0.1, 0.2, 0.3])
    pull = opt.ask(1)
    before = opt.save()
    with pytest.raises(ValueError):
        opt.tell(pull, wrong)
    assert opt.save() == before
    opt.tell(pull, 0.5)


@pytest.mark.parametrize("wrong", [None, "1", 0, -1, 7, 2**70, 1.5, object()])
def test_a_wrong_ticket_is_refused(wrong):
    opt = canopy.Hct(X)
    opt.ask(1)
    for call in (lambda: opt.tell(wrong, 0.5), lambda: opt.drop(wrong)):
        with pytest.raises(ValueError, match="ticket"):
            call()


def test_several_pulls_are_asked_for_at_once():
    opt = canopy.Adaptive(X)
    pulls = opt.ask(1, count=8)
    assert [pull.length for pull in pulls] == [1] * 8
    assert len({pull.arm["x"] for pull in pulls}) == 8  # nothing is known yet, so they are spread over the space
    assert len(opt.in_flight()) == 8
    for pull in pulls:
        opt.tell(pull, pull.arm["x"])
    assert len(opt.ask(count=1)) == 1
    assert isinstance(opt.ask(1), canopy.Pull)


@pytest.mark.parametrize("wrong", [None, 0, -1, 1.5, 1001, "8", float("nan"), object()])
def test_a_wrong_count_is_refused(wrong):
    opt = canopy.Adaptive(X)
    with pytest.raises(ValueError, match="count = .*: must be a whole number from 1 to 1000"):
        opt.ask(1, count=wrong)
    assert opt.in_flight() == []


def test_a_ticket_is_answered_once():
    opt = canopy.Hct(X)
    pull = opt.ask(1)
    opt.tell(pull, 0.5)
    with pytest.raises(ValueError, match="ticket 1: .*closed|ticket 1: .*dropped|ticket 1: .*told"):
        opt.tell(pull, 0.5)


@pytest.mark.parametrize("wrong", [0, -3, 1.5, "1", [1]])
def test_wrong_numbers_of_pulls_are_refused(wrong):
    with pytest.raises(ValueError, match="pulls = "):
        canopy.Hct(X).ask(wrong)
    assert canopy.Hct(X).ask(10**30).length >= 1
    assert canopy.Hct(X).ask(numpy.int64(1)).length == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: canopy.Hct(X, rho=1.5), r"optimizer.rho = 1.5: must be in \(0, 1\)"),
        (lambda: canopy.Hct(X, rho=float("nan")), "optimizer.rho"),
        (lambda: canopy.Hct(X, rho="a"), "optimizer.rho = 'a'"),
        (lambda: canopy.Hct(X, feedback="often"), 'optimizer.feedback = \'often\': must be "iid" or "correlated"'),
        (lambda: canopy.Hct(X, rho=2, nu1=-1), "optimizer.nu1 = -1.*; optimizer.rho = 2"),
        (lambda: canopy.Hct(X, reward_range=(1, 1)), "reward_range"),
        (lambda: canopy.Hct(X, reward_range=3), 'reward_range = 3: must be "auto" or two numbers'),
        (lambda: canopy.Hct(X, reward_range="automatic"), 'reward_range = .automatic.: must be "auto" or two numbers'),
        (lambda: canopy.Hct(X).set_reward_range((2, 1)), "reward_range = .*: the first number must be below"),
        (lambda: canopy.Hct(X).set_reward_range(3), 'reward_range = 3: must be "auto" or two numbers'),
        (lambda: canopy.Hct(X, confidence=1), "confidence = 1: must be between 0 and 1"),
        (lambda: canopy.Hct(X, confidence="high"), "confidence = 'high': must be a number"),
        (lambda: canopy.Hct(X).estimate({"x": 2}), "x = 2: must be a number from 0 to 1"),
        (lambda: canopy.Hct(X).estimate(None), "arm = None: must be a dictionary"),
        (lambda: canopy.Hct(X).estimate({"y": 0.5}), "x"),
        (lambda: canopy.Hct(X, direction="up"), "direction = 'up': must be"),
        (lambda: canopy.Hct(X, partition="thirds"), "partition"),
        (lambda: canopy.Hct({"x": canopy.integer(1, 1)}), "must be below high"),
        (lambda: canopy.Hct({"c": canopy.choice("a")}), "at least two arms"),
        (lambda: canopy.Thoo(X, horizon=0.5), "optimizer.horizon"),
        (lambda: canopy.Power(X, window=-1), "optimizer.window"),
        (lambda: canopy.make_optimizer("htc", X), "must be one of adaptive, hct"),
        (lambda: canopy.make_optimizer("grid", X, rho=0.5), "rho: grid has no such option; it belongs to hct, "),
        (lambda: canopy.make_optimizer(int, X), "must be one of adaptive, hct"),
        (lambda: canopy.Adaptive(X, settle=2.5), "settle = 2.5: must be a whole number"),
        (lambda: canopy.Adaptive(X, seed="a"), "seed = 'a': must be a whole number"),
        (lambda: canopy.Thompson(X, seed="a"), "seed = 'a': must be a whole number"),
        (lambda: canopy.Hct(None), "space = None"),
        (lambda: canopy.Hct(X, direction=None), "direction = None: must be"),
        (lambda: canopy.Hct(X, partition=3), "partition = 3: must be"),
        (lambda: canopy.Hct(X, feedback="\ud800"), "feedback"),
        (lambda: canopy.Thoo(X, horizon="\ud800"), "horizon"),
        (lambda: canopy.Hct(X, rho=10**400), "optimizer.rho = inf"),
        (lambda: canopy.Hct(X, reward_range="01"), "reward_range"),
        (lambda: canopy.Rewards(-1, 0, 0), "count = -1"),
        (lambda: canopy.Rewards(1, "a", 0), "sum = 'a'"),
        (lambda: canopy.Rewards(None, 0, 0), "count = None"),
        (lambda: canopy.Rewards(1, 0, 0, min="a"), "min = 'a'"),
        (lambda: canopy.make_optimizer("hct", X, mixingtime=1), 'did you mean "mixing_time"'),
    ],
)  # fmt: skip
def test_wrong_options_raise_the_message_of_the_library(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_misspelt_option_is_a_type_error_as_everywhere_in_python():
    with pytest.raises(TypeError, match="mixing"):
        canopy.Hct(X, mixing=1.0)


@st.composite
def conversations(draw):
    """An optimizer, some steps with it, and what is told after it was copied."""
    name = draw(st.sampled_from(NAMES))
    options = {"feedback": draw(st.sampled_from(["iid", "correlated"]))} if name == "hct" else {}
    space = draw(
        st.sampled_from(
            [
                X,
                {"x": canopy.real(1, 100, log=True), "k": canopy.integer(1, 5)},
                {"c": canopy.choice("a", "b", "c"), "x": canopy.real(-1, 1)},
            ]
        )
    )
    moves = draw(st.lists(st.tuples(st.sampled_from(["ask", "tell", "drop"]), st.floats(0, 1)), max_size=80))
    return canopy.make_optimizer(name, space, **options), moves, draw(st.lists(st.floats(0, 1), max_size=40))


def converse(opt, moves):
    """Asks, tells and drops; returns the open pulls."""
    open_pulls = []
    for move, number in moves:
        if move == "ask" or not open_pulls:
            open_pulls.append(opt.ask(1 + int(5 * number)))
        else:
            pull = open_pulls.pop(int(number * (len(open_pulls) - 1)))
            if move == "drop":
                opt.drop(pull)
            else:
                opt.tell(pull, [number] * pull.length)
    return open_pulls


@given(conversations())
def test_a_pickled_optimizer_goes_on_bit_for_bit_with_pulls_in_flight(conversation):
    opt, moves, later = conversation
    open_pulls = converse(opt, moves)
    again, pulls_again = pickle.loads(pickle.dumps((opt, open_pulls)))
    assert type(again) is type(opt) and again.space == opt.space and again.options == opt.options
    for mine, theirs in zip(open_pulls, pulls_again):
        assert (mine.ticket, mine.arm, mine.length) == (theirs.ticket, theirs.arm, theirs.length)
        opt.tell(mine, 0.25)
        again.tell(theirs, 0.25)
    assert play(opt, later) == play(again, later)
    assert opt.save() == again.save() and opt.best() == again.best() and opt.tree() == again.tree()


@given(conversations())
def test_arms_lie_in_their_space_and_their_cells(conversation):
    opt, moves, _ = conversation
    for pull in converse(opt, moves):
        for name, parameter in opt.space.items():
            value = pull.arm[name]
            if isinstance(parameter, canopy.Choice):
                assert value in parameter.choices
            else:
                assert parameter.low <= value <= parameter.high
    for node in opt.tree():
        for name, (low, high) in node.cell.items():
            if not isinstance(opt.space[name], canopy.Choice):
                assert low <= node.arm[name] <= high


@given(conversations())
def test_a_copy_goes_on_bit_for_bit_and_is_independent(conversation):
    opt, moves, later = conversation
    open_pulls = converse(opt, moves)
    before, best, tree = opt.save(), opt.best(), opt.tree()
    for copied in (opt.copy(), copy.copy(opt), copy.deepcopy(opt)):
        assert type(copied) is type(opt) and copied.space is opt.space and copied.options == opt.options
        assert copied.save() == before and copied.best() == best and copied.tree() == tree
        for pull in open_pulls:
            copied.tell(pull, 0.25)
        play(copied, later)
        assert opt.save() == before and opt.best() == best and opt.tree() == tree
    again = opt.copy()
    assert play(opt, later) == play(again, later) and opt.save() == again.save()


@given(conversations())
def test_looking_changes_nothing(conversation):
    opt, moves, later = conversation
    watched = opt.copy()
    for move in moves:
        converse(opt, [move])
        converse(watched, [move])
        watched.tree(), watched.best(), watched.summary(), watched.in_flight(), watched.save()
    assert play(opt, later) == play(watched, later) and opt.save() == watched.save()


def test_a_copy_outlives_what_it_was_copied_from():
    opt = canopy.Hct(X)
    play(opt, [0.5] * 300)
    other = opt.copy()
    del opt
    play(other, [0.9] * 300)
    assert other.summary().t == 601 and other.copy().copy().summary().t == 601


def test_copies_have_the_attributes_of_their_own():
    opt = canopy.Hct(X)
    opt.notes = ["mine"]
    opt.copy().notes.append("shared")
    copy.deepcopy(opt).notes.append("its own")
    assert opt.notes == ["mine", "shared"]


def test_what_it_was_made_of_cannot_be_changed():
    opt = canopy.Hct(X, direction="minimize", reward_range=(1, 3), confidence=0.9, partition="longest_side")
    assert (opt.direction, opt.reward_range, opt.partition) == ("minimize", (1.0, 3.0), "longest_side")
    assert opt.confidence == 0.9 and canopy.Hct(X).confidence == 0.95
    assert opt.space == canopy.Space(X) and opt.optimizer_name == opt.name == "hct"
    for name in ("space", "direction", "reward_range", "confidence", "partition", "options"):
        with pytest.raises(AttributeError):
            setattr(opt, name, None)


def test_every_optimizer_says_what_it_can():
    traits = {name: _canopy.optimizer_traits(name) for name in NAMES}
    assert [name for name in NAMES if traits[name]["takes_correlated_feedback"]] == ["hct"]
    grids = ["grid", "kl-ucb", "thompson", "lin-ucb", "successive-halving"]
    assert [name for name in NAMES if not traits[name]["has_tree"]] == ["power", *grids, "random"]
    assert all(each["revision"] >= 1 for each in traits.values())
    with pytest.raises(ValueError, match='did you mean "hct"'):
        _canopy.optimizer_traits("htc")


def test_a_damaged_state_is_refused():
    function, (cls, given, saved), _ = canopy.Hct(X).__reduce__()
    for wrong in (b"", saved[:-3], saved.replace(b"1", b"2"), b"\xff" * 100):
        with pytest.raises(ValueError):
            function(cls, given, wrong)


def test_threads_may_share_an_optimizer():
    opt = canopy.Hct(X)

    def work():
        for _ in range(2000):
            pull = opt.ask(1)
            opt.tell(pull, 1 - abs(pull.arm["x"] - 0.3))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert opt.summary().t == 8001 and opt.summary().in_flight == 0
    assert abs(opt.best().arm["x"] - 0.3) < 0.05


def test_after_a_fork_parent_and_child_go_their_own_ways():
    opt = canopy.Hct(X)
    play(opt, [0.5] * 10)
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        play(opt, [0.25] * 5)
        os.write(writes, str(opt.summary().t).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reads, 100) == b"16"
    assert opt.summary().t == 11


def test_pulls_of_others_and_pulls_made_up_are_refused():
    large, small = canopy.Hct(X), canopy.Hct(X)
    play(large, [0.5] * 300)
    with pytest.raises(ValueError, match="another optimizer"):
        small.path(large.ask(1))
    choices = canopy.Space({"c": canopy.choice("a", "b")})
    for arm in ([1e9], [-1.0], [float("nan")], [], [0.0, 0.0]):
        with pytest.raises(ValueError, match="arm"):
            canopy.Pull(choices, 1, arm, 1, 0, 0)
    with pytest.raises(ValueError, match="pull"):
        large.tell(canopy.Pull.__new__(canopy.Pull), 0.5)


def test_tickets_may_be_whole_numbers_of_numpy():
    opt = canopy.Hct(X)
    opt.tell(numpy.uint64(opt.ask(1).ticket), 0.5)
    assert opt.summary().t == 2


def test_copies_keep_the_attributes_of_a_subclass():
    class Named(canopy.Hct):
        pass

    opt = Named(X)
    opt.note = "mine"
    assert copy.copy(opt).note == "mine" and type(copy.copy(opt)) is Named
    for rewards in (canopy.Rewards(1, 0.5, 0.25), canopy.Rewards(2, 1.0, 0.58, min=0.2, max=0.8)):
        assert repr(pickle.loads(pickle.dumps(rewards))) == repr(rewards)


def test_long_values_are_cut_between_letters():
    pull = canopy.Grid({"c": canopy.choice("a" + "é" * 60, "b")}, points=2).ask(1)
    assert repr(pull).startswith("Pull(ticket=1, arm={'c': 'aé")
    with pytest.raises(ValueError, match="reward = 'ééé"):
        canopy.Hct(X).tell(1, "é" * 100)


def test_pulls_rewards_and_optimizers_print_what_they_are():
    opt = canopy.Hct(X)
    assert repr(opt.ask(1)) == "Pull(ticket=1, arm={'x': 0.25}, length=1, depth=1)"
    assert repr(canopy.Rewards(2, 1.0, 0.5)) == "Rewards(count=2, sum=1, sum_squares=0.5)"
    assert repr(canopy.Rewards(2, 1, 0.5, min=0.25, max=0.75)).endswith(", sum_squares=0.5, min=0.25, max=0.75)")
    assert repr(opt) == "<canopy.Hct of ['x'], 0 pulls, 3 nodes>"


def test_pulls_in_flight_are_listed_with_what_is_left_of_them():
    opt = canopy.Hct(X, feedback="correlated")
    pull = opt.ask()
    while pull.length < 3:
        opt.tell(pull, [0.5] * pull.length)
        pull = opt.ask()
    opt.tell(pull, 0.5)
    (open_pull,) = opt.in_flight()
    assert (open_pull.ticket, open_pull.arm, open_pull.length) == (pull.ticket, pull.arm, pull.length - 1)


@pytest.mark.parametrize(("option", "value"), [("mixing_time", 5.0), ("constants", "supplement")])
def test_options_without_effect_on_iid_feedback_are_said(option, value, recwarn):
    canopy.Hct(X, feedback="correlated", **{option: value})
    pickle.loads(pickle.dumps(canopy.Hct(X)))
    assert not recwarn
    with pytest.warns(UserWarning, match=f"{option} = .*: has no effect on iid feedback") as said:
        opt = canopy.Hct(X, **{option: value})
    assert said[0].filename == __file__
    with pytest.warns(UserWarning, match="no effect"):
        canopy.simulate("garland", "hct", steps=10, runs=1, **{option: value})
    pickle.loads(pickle.dumps(opt))
    assert not recwarn


def test_too_many_rewards_are_counted():
    opt = canopy.Hct({"x": canopy.real(0, 1)})
    pull = opt.ask(1)
    before = opt.save()
    with pytest.raises(
        ValueError, match=rf"ticket {pull.ticket}: 2 rewards, but the pull is good for 1 \(its length\)$"
    ):
        opt.tell(pull, [0.5, 0.6])
    with pytest.raises(ValueError, match=f"ticket {pull.ticket}: 2 rewards, but the pull is good for 1$"):
        opt.tell(pull.ticket, [0.5, 0.6])
    assert opt.save() == before
    opt = canopy.Stroquool({"x": canopy.real(0, 1)})
    pull = opt.ask(3)
    assert pull.length == 3
    opt.tell(pull, [0.5, 0.5])
    with pytest.raises(ValueError, match=r": 2 rewards, but the pull is good for 1 more \(its length is 3\)$"):
        opt.tell(pull, canopy.Rewards(2, 1.0, 0.5))


def test_a_level_that_jumps_is_noticed_and_followed():
    tree = canopy.Adaptive({"x": canopy.real(0.0, 1.0)}, drift="auto")
    noise = random.Random(3)
    for number in range(2_000):
        pull = tree.ask(1)
        level = 0.0 if number < 1_000 else -3.0
        tree.tell(pull, level + 1.0 - abs(pull.arm["x"] - 0.4) + noise.gauss(0.0, 0.1))
    summary = tree.summary()
    assert summary.system_changes >= 1
    assert summary.last_system_change is not None
    assert summary.last_system_change.pull >= 1_000
    assert summary.last_system_change.kind in ("level", "shape")
    best = tree.best()
    assert abs(best.arm["x"] - 0.4) < 0.05
    assert best.level_moves == (summary.followed_level is not None)
    assert best.since is not None and best.since >= 1_000
    assert "when the system changed" in str(best)


def test_after_a_change_the_interval_rests_on_rewards_since_then():
    tree = canopy.Adaptive({"x": canopy.real(0.0, 1.0)}, drift="auto")
    noise = random.Random(3)
    for number in range(3_000):
        pull = tree.ask(1)
        top = 0.2 if number < 1_500 else 0.4
        tree.tell(pull, 1.0 - 3.0 * abs(pull.arm["x"] - top) + noise.gauss(0.0, 0.1))
    best = tree.best()
    assert best.since is not None and best.since >= 1_500
    assert best.pulls <= 3_000 - best.since
    now = 1.0 - 3.0 * abs(best.arm["x"] - 0.4)
    assert best.lower is not None and best.lower <= now <= best.upper


def test_a_class_stands_for_its_name_wherever_an_optimizer_is_chosen(store):
    assert type(canopy.make_optimizer(canopy.Thoo, X, horizon=100)) is canopy.Thoo
    assert canopy.simulate("garland", canopy.Hct, steps=50, runs=1).optimizer == "hct"
    for made in (
        canopy.maximize(lambda x: x, X, pulls=5, optimizer=canopy.Hct, rho=0.3),
        canopy.minimize(lambda x: x, X, pulls=5, optimizer=canopy.Hct, rho=0.3),
    ):
        assert type(made.optimizer) is canopy.Hct and made.optimizer.options["rho"] == 0.3
    assert type(canopy.maximize(lambda x: x, X, pulls=5, optimizer=canopy.Stosoo).optimizer) is canopy.Stosoo
    with canopy.Study.open("a", store, space=X, optimizer=canopy.Grid, points=3) as study:
        assert study.optimizer_name == "grid"
    with canopy.Study.open("a", store, space=X, optimizer="grid", points=3):
        pass


def test_nodes_of_an_adaptive_tree_have_what_its_model_knows():
    opt = canopy.Adaptive({"x": canopy.real(0, 1)})
    for _ in range(100):
        pull = opt.ask(1)
        opt.tell(pull, 1 - abs(pull.arm["x"] - 0.3))
    nodes = opt.tree()
    assert all(node.model is not None and node.model[0] < node.model[1] for node in nodes)
    assert all(node.model is None for node in canopy.Hct({"x": canopy.real(0, 1)}).tree())
