import gc
import math
import os
import pickle
import random
import threading
import time
import warnings
import weakref

import canopy
import pytest

LINE = {"x": canopy.real(0, 1)}
TREES = [canopy.Hct, canopy.Hoo, canopy.Thoo, canopy.Adaptive]


class Halves(canopy.Partition):
    """The unit interval, as canopy itself cuts it."""

    def __init__(self):
        self.asked = []

    def root(self):
        return (0, 1)

    def split(self, cell, depth):
        self.asked.append((cell, depth))
        low, high = cell
        middle = (low + high) / 2
        return [(low, middle), (middle, high)]

    def arm(self, cell):
        return {"x": (cell[0] + cell[1]) / 2}


class Broken(Halves):
    """Raises an exception on request."""

    def __init__(self, method):
        super().__init__()
        self.method, self.error = method, None

    def split(self, cell, depth):
        if self.error and self.method == "split":
            raise self.error
        return super().split(cell, depth)

    def arm(self, cell):
        if self.error and self.method == "arm":
            raise self.error
        return super().arm(cell)


def reward_of(pull, chance):
    return 1 - abs(pull.arm["x"] - 0.3) + chance.gauss(0, 0.1)


def play(opt, pulls, seed=1):
    chance = random.Random(seed)
    arms = []
    for _ in range(pulls):
        pull = opt.ask(1)
        arms.append(pull.arm["x"])
        opt.tell(pull, reward_of(pull, chance))
    return arms


@pytest.mark.parametrize("kind", [canopy.Hct, canopy.Hoo, canopy.Thoo])
def test_the_same_cells_give_the_same_search(kind):
    theirs, ours = kind(LINE), kind(LINE, partition=Halves())
    assert play(ours, 500) == play(theirs, 500)
    assert ours.best() == theirs.best()
    assert [node._replace(cell={}) for node in ours.tree()] == [node._replace(cell={}) for node in theirs.tree()]


@pytest.mark.parametrize("kind", TREES)
def test_every_tree_search_takes_one(kind):
    partition = Halves()
    opt = kind(LINE, partition=partition)
    play(opt, 500)
    assert opt.best().arm["x"] == pytest.approx(0.3, abs=0.15)
    assert opt.partition is partition and opt.summary().nodes > 10
    assert all(depth == round(-math.log2(high - low)) for (low, high), depth in partition.asked)


@pytest.mark.parametrize("kind", [canopy.Power, canopy.Grid, canopy.RandomSearch])
def test_others_refuse_it(kind):
    with pytest.raises((ValueError, TypeError), match="partition"):
        canopy.make_optimizer(kind.name, LINE, partition=Halves())


COMPOSITES = [
    (canopy.Poo, {}),
    (canopy.Gpo, {"horizon": 400}),
    (canopy.Pct, {"horizon": 400}),
    (canopy.Vpct, {"horizon": 400}),
    (canopy.Restarted, {"base": "hct", "every": 150}),
]


@pytest.mark.parametrize(("kind", "options"), COMPOSITES)
def test_optimizers_made_of_others_search_the_same_cells(kind, options):
    theirs, ours = kind(LINE, **options), kind(LINE, partition=Halves(), **options)
    assert play(ours, 200) == play(theirs, 200)
    for opt in (theirs, ours):  # which optimizers to come are told
        opt.observe({"x": 0.4}, [0.5, 0.6])
    ours = pickle.loads(pickle.dumps(ours)).copy()
    assert play(ours, 300, seed=2) == play(theirs, 300, seed=2)
    assert ours.best() == theirs.best()
    assert kind(LINE, partition="random_side/2@3").partition == "random_side/2@3"


@pytest.mark.parametrize(("kind", "options"), COMPOSITES)
def test_optimizers_made_of_others_outlive_exceptions(kind, options):
    partition = Broken("split")
    opt, chance, raised = kind(LINE, partition=partition, **options), random.Random(1), 0
    for step in range(600):
        partition.error = KeyError("mine") if chance.random() < 0.3 else None
        try:
            if step % 100 == 50:
                opt.observe({"x": chance.random()}, chance.random())
            pull = opt.ask(1)
            opt.tell(pull, reward_of(pull, chance))
        except KeyError:
            raised += 1
    partition.error = None
    assert raised > 0 and opt.best() is not None
    assert play(opt.copy(), 50) == play(opt, 50)


def test_a_set_without_order_can_be_searched():
    """Files by folder: a cell is a range of a sorted list."""
    names = [f"{folder}/{file}" for folder in "abcd" for file in "123"]

    class Folders(canopy.Partition):
        def root(self):
            return (0, len(names))

        def split(self, cell, depth):
            first, last = map(int, cell)
            middle = (first + last + 1) // 2
            return [(first, middle), (middle, last)] if last - first > 1 else None

        def arm(self, cell):
            return {"file": names[int(cell[0])]}

    opt = canopy.Hct({"file": canopy.choice(*names)}, partition=Folders())
    for _ in range(400):
        pull = opt.ask(1)
        opt.tell(pull, 1.0 if pull.arm["file"] == "c/2" else 0.5 if pull.arm["file"][0] == "c" else 0.0)
    assert opt.best().arm == {"file": "c/2"}


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("method", ["split", "arm"])
def test_an_exception_passes_through_and_the_optimizer_is_as_it_was(kind, method):
    partition = Broken(method)
    opt, twin = kind(LINE, partition=partition), kind(LINE, partition=Halves())
    chance, twins_chance = random.Random(3), random.Random(3)
    raised = 0
    for step in range(300):
        partition.error = KeyError("mine") if step % 3 == 0 else None
        before = opt.save()
        try:
            pull = opt.ask(1)
        except KeyError as error:
            assert error is partition.error and opt.save() == before
            raised += 1
            partition.error = None
            pull = opt.ask(1)
        before, reward = opt.save(), reward_of(pull, chance)
        try:
            opt.tell(pull, reward)
        except KeyError as error:
            assert error is partition.error and opt.save() == before
            raised += 1
            partition.error = None
            opt.tell(pull, reward)
        theirs = twin.ask(1)
        assert theirs.arm == pull.arm
        twin.tell(theirs, reward_of(theirs, twins_chance))
    assert raised > 1 and opt.best() == twin.best()


def test_looking_goes_on_while_it_is_broken():
    partition = Broken("split")
    opt = canopy.Hct(LINE, partition=partition)
    play(opt, 30)
    for _ in range(100):
        partition.error = ValueError("mine")
        try:
            play(opt, 1)
        except ValueError:
            break
    assert opt.best() is not None and opt.summary().t > 30 and opt.tree() and opt.save()


def narrow_zooming(space, **options):
    return canopy.Zooming(space, confidence_scale=0.25, reward_range=(0, 1), **options)


@pytest.mark.parametrize("kind", [*TREES, canopy.Soo, narrow_zooming])
def test_it_can_be_copied_pickled_and_restored(kind):
    opt = kind(LINE, partition=Halves())
    play(opt, 200)
    others = [opt.copy(), pickle.loads(pickle.dumps(opt))]
    expected = play(opt, 100, seed=2)
    for other in others:
        assert isinstance(other.partition, Halves)
        assert play(other, 100, seed=2) == expected


def test_it_is_compared_in_an_experiment():
    def mine(space, seed):
        return canopy.Hct(space, partition=Halves(), reward_range=(0, 1))

    result = canopy.experiment({"mine": mine, "hct": "hct"}, "garland", steps=500, runs=2)
    assert result.rows[0].regret.mean < 0.5


@pytest.mark.parametrize(
    ("method", "answer", "message"),
    [
        ("root", None, r"partition.root returned None"),
        ("root", (), r"partition.root returned \(\)"),
        ("root", ("a",), r"tuples of numbers"),
        ("split", 3, "partition.split returned 3: must be 2 cells, or None"),
        ("split", [(0, 1)], "must be 2 cells"),
        ("split", [(0, 1), (0, 1, 2)], "tuples of 2 numbers"),
        ("split", [(0, 1), (0, float("nan"))], "tuples of numbers"),
        ("arm", 0.5, "partition.arm returned 0.5: must be a dictionary"),
        ("arm", {"x": 2}, "x = 2: must be a number from 0 to 1"),
    ],
)
def test_wrong_answers_are_named(method, answer, message):
    wrong = type("Wrong", (Halves,), {method: lambda self, *_: answer})
    with pytest.raises(ValueError, match=message):
        canopy.Hct(LINE, partition=wrong())


@pytest.mark.parametrize("arity", [0, 1.5, 11, "2", 3])
def test_a_wrong_arity_is_named(arity):
    wrong = type("Wrong", (Halves,), {"arity": arity})
    with pytest.raises(ValueError, match="partition"):
        canopy.Hct(LINE, partition=wrong())


@pytest.mark.parametrize("given", ["cyclical", 3, None, Halves])
def test_what_is_no_partition_is_named(given):
    with pytest.raises(ValueError, match="partition"):
        canopy.Hct(LINE, partition=given)


def test_a_study_keeps_to_the_partitions_of_canopy(store):
    with pytest.raises((TypeError, ValueError), match="partition"):
        canopy.Study.open("mine", store=store, space=LINE, optimizer="hct", partition=Halves())


def test_a_server_keeps_to_them_as_well():
    server = canopy.connect("http://localhost:1", retry_seconds=0)
    with pytest.raises(ValueError, match="partition"):
        server.create("mine", space=LINE, optimizer="hct", partition=Halves())


def test_its_cells_cannot_be_drawn_but_its_tree_can():
    opt = canopy.Hct(LINE, partition=Halves())
    play(opt, 50)
    canopy.plot.tree(opt)
    with pytest.raises(ValueError, match="user-defined partition"):
        canopy.plot.estimate(opt)


def test_a_partition_that_holds_its_optimizer_is_collected():
    partition = Halves()
    partition.optimizer = canopy.Hct(LINE, partition=partition)
    partition.copy = partition.optimizer.copy()
    gone = weakref.ref(partition)
    del partition
    gc.collect()
    assert gone() is None


class Slow(Halves):
    """Releases the GIL to other threads in the middle of a call."""

    def split(self, cell, depth):
        time.sleep(0.0005)
        return super().split(cell, depth)

    def arm(self, cell):
        time.sleep(0)
        return super().arm(cell)


@pytest.mark.parametrize("kind", [*TREES, canopy.Soo, canopy.Zooming])
def test_threads_may_share_an_optimizer_over_it(kind):
    opt = kind(LINE, partition=Slow())
    errors, pulls = [], 60

    def work():
        try:
            for _ in range(pulls):
                pull = opt.ask(1)
                opt.tell(pull, 1 - abs(pull.arm["x"] - 0.3))
                opt.best(), opt.summary(), opt.save()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert opt.summary().t == 4 * pulls + 1 and opt.in_flight() == []


def test_copies_that_share_it_may_be_in_different_threads():
    opt = canopy.Hct(LINE, partition=Slow())
    others = [opt.copy() for _ in range(3)]
    found = {}
    threads = [threading.Thread(target=lambda o=o: found.setdefault(id(o), play(o, 150))) for o in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(found.values()) == [play(canopy.Hct(LINE, partition=Halves()), 150)] * 3


@pytest.mark.parametrize("method", ["split", "arm"])
def test_it_cannot_call_its_own_optimizer(method):
    class Curious(Halves):
        optimizer = None

        def look(self, which):
            if which == method and self.optimizer is not None:
                self.optimizer.best()

        def split(self, cell, depth):
            self.look("split")
            return super().split(cell, depth)

        def arm(self, cell):
            self.look("arm")
            return super().arm(cell)

    partition = Curious()
    opt = canopy.Hct(LINE, partition=partition)
    partition.optimizer = opt
    with pytest.raises(RuntimeError, match="cannot be called by its own partition"):
        play(opt, 100)
    partition.optimizer = None
    assert len(play(opt, 100)) == 100


def test_a_fork_in_the_middle_of_a_call_is_said():
    """Instead of waiting for a thread that the child does not have."""
    begun, goes_on = threading.Event(), threading.Event()

    class Waiting(Halves):
        waits = False

        def split(self, cell, depth):
            if self.waits:
                begun.set()
                goes_on.wait(60)
            return super().split(cell, depth)

    partition = Waiting()
    opt = canopy.Hct(LINE, partition=partition)
    partition.waits = True
    thread = threading.Thread(target=lambda: play(opt, 100))
    thread.start()
    assert begun.wait(60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks where there are threads
        child = os.fork()
    if child == 0:
        try:
            opt.best()
        except RuntimeError as error:
            os._exit(0 if "forked" in str(error) else 2)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    partition.waits = False
    goes_on.set()
    thread.join()
    assert os.waitstatus_to_exitcode(status) == 0 and opt.summary().t == 101
