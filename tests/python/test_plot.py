import itertools
import math
import random

import canopy
import matplotlib.pyplot as plt
import pytest
from canopy._plot_estimate import limit_to

X = {"x": canopy.real(0, 1)}
ONE_PARAMETER = {
    "real": canopy.real(0, 1),
    "log": canopy.real(0.01, 1, log=True),
    "integer": canopy.integer(1, 30),
    "many integers": canopy.integer(-1000, 5000),
    "integers in steps": canopy.integer(-7, 30, step=5),
    "many integers in steps": canopy.integer(0, 10_000, step=7),
    "few log integers": canopy.integer(1, 9, log=True),
    "log integers": canopy.integer(3, 65536, log=True),
    "choice": canopy.choice("a", "b", "c", "d"),
}


def number(value):
    return ord(value) / 100 if isinstance(value, str) else float(value)


def drawn(ax, path):
    """Checks that a figure is not blank."""
    ax.figure.savefig(path)
    assert path.stat().st_size > 5000
    return ax


def search(space, **options):
    return canopy.maximize(
        lambda **arm: 0.1 + 0.001 * sum(map(number, arm.values())) % 0.8, space, pulls=300, **options
    )


@pytest.mark.parametrize("parameter", ONE_PARAMETER.values(), ids=ONE_PARAMETER)
def test_one_parameter_of_any_kind(parameter, tmp_path):
    result = search({"p": parameter})
    ax = drawn(canopy.plot.estimate(result, truth=lambda p: 0.5), tmp_path / "estimate.png")
    assert ax.get_xlabel() == "p"
    assert ax.get_xscale() == ("log" if getattr(parameter, "log", False) else "linear")
    bars = next(axes for axes in ax.figure.axes if axes is not ax)
    assert sum(bar.get_height() for bar in bars.patches) == 300
    drawn(canopy.plot.pulls(result), tmp_path / "pulls.png")
    drawn(canopy.plot.tree(result), tmp_path / "tree.png")


def test_whole_numbers_reach_half_way_to_their_neighbours():
    ax = canopy.plot.estimate(search({"p": canopy.integer(0, 22, step=5)}))
    assert ax.get_xlim() == (-2.5, 22.5)
    ax = canopy.plot.estimate(search({"p": canopy.integer(1, 64, log=True)}))
    assert ax.get_xlim() == (0.5, 64.5)


@pytest.mark.parametrize("name", ["adaptive", "hct"])
def test_two_parameters_are_a_map(tmp_path, name):
    result = search({"x": canopy.real(0.1, 10, log=True), "c": canopy.choice("a", "b", "c")}, optimizer=name)
    ax = drawn(canopy.plot.estimate(result), tmp_path / "estimate.png")
    leaves = [node for node in result.optimizer.tree() if node.leaf]
    assert len(cells_of(ax)) == len(leaves)
    assert len(cells_of(ax, "no pulls in the cell")) == sum(leaf.pulls == 0 for leaf in leaves)
    drawn(canopy.plot.pulls(result), tmp_path / "pulls.png")


def cells_of(ax, label=""):
    """The boxes of a map, or those with a label, as (left, bottom, right, top)."""
    maps = [each for each in ax.collections if type(each).__name__ == "PatchCollection"]
    labels = [each.get_label() for each in maps]  # the default labels begin with an underscore
    chosen = [each for each, its in zip(maps, labels) if its == label or (its.startswith("_") and not label)]
    boxes = [path.get_extents() for each in chosen for path in each.get_paths()]
    return [(box.x0, box.y0, box.x1, box.y1) for box in boxes]


MANY = {"x": canopy.real(0, 1), "y": canopy.real(0, 1), "k": canopy.integer(1, 3), "c": canopy.choice("a", "b")}


def test_of_more_parameters_there_are_maps_of_all_pairs_and_a_curve_of_each(tmp_path):
    result = search(MANY)
    first = drawn(canopy.plot.estimate(result), tmp_path / "estimate.png")
    assert first is first.figure.axes[0]
    panels = [ax for ax in canopy.plot.pairs(result).axes if ax.get_subplotspec() is not None]
    maps = [ax for ax in panels if cells_of(ax)]
    curves = [ax for ax in panels if any(line.get_label() == "estimate" for line in ax.get_lines())]
    assert len(maps) == 6 and [ax.get_title() for ax in curves] == list(MANY)
    assert len({ax.get_ylim() for ax in curves}) == 1, "on one scale"
    figure = plt.figure()
    assert canopy.plot.pairs(result, parameters=["x", "y"], figure=figure) is figure
    assert sum(bool(cells_of(ax)) for ax in figure.axes) == 1
    with pytest.raises(ValueError, match="there is only one parameter"):
        canopy.plot.pairs(search(X))


@pytest.mark.parametrize("name", ["adaptive", "hct", "soo"])
def test_the_cells_of_a_cut_cover_it_once(name):
    ax = canopy.plot.estimate(search(MANY, optimizer=name), parameters=("y", "k"))
    boxes = cells_of(ax)
    area = sum((right - left) * (top - bottom) for left, bottom, right, top in boxes)
    assert area == pytest.approx(1.0 * 3.0), "y from 0 to 1, k from 0.5 to 3.5"
    for (left, bottom, right, top), other in itertools.combinations(boxes, 2):
        width = min(right, other[2]) - max(left, other[0])
        height = min(top, other[3]) - max(bottom, other[1])
        assert min(width, height) < 1e-9, "no two overlap"
    assert "as in the best arm: x = " in ax.get_xlabel()


def test_a_slice_has_the_values_of_the_best_arm(tmp_path):
    result = search(MANY)
    figure = canopy.plot.slices(result)
    figure.savefig(tmp_path / "slices.png")
    assert "cut through the best arm: x = " in figure.get_suptitle()
    best = result.best.arm
    leaves = [
        node
        for node in result.optimizer.tree()
        if node.leaf
        and all(low <= best[name] <= high for name, (low, high) in node.cell.items() if name in "yk")
        and best["c"] in ("ab" if node.cell["c"][0] != node.cell["c"][1] else node.cell["c"][0])
    ]
    ax = canopy.plot.estimate(result, parameters="x")
    line = next(line for line in ax.get_lines() if line.get_label() == "estimate")
    ends = {end for node in leaves for end in node.cell["x"]}
    assert set(line.get_xdata()) == ends
    bars = next(axes for axes in ax.figure.axes if axes is not ax)
    assert sum(bar.get_height() for bar in bars.patches) == 300


def test_of_more_than_six_parameters_those_that_matter_are_drawn():
    chance = random.Random(1)
    space = {f"x{i}": canopy.real(0, 1) for i in range(9)}
    result = canopy.maximize(lambda **arm: 3 * arm["x7"] + chance.gauss(0, 0.1), space, pulls=1000)
    shares = result.optimizer.learnt().shares
    figure = canopy.plot.slices(result)
    labels = [ax.get_xlabel() for ax in figure.axes if ax.get_xlabel()]
    assert labels == sorted(sorted(shares, key=shares.get)[-6:]) and "x7" in labels
    assert "the 6 of 9 parameters that matter most" in figure.get_suptitle()
    assert canopy.plot.slices(result, parameters=["x0"]).axes[0].get_xlabel() == "x0"
    without_model = canopy.maximize(lambda **arm: 3 * arm["x7"], space, pulls=20, optimizer="hct")
    assert "the first 6 of 9 parameters" in canopy.plot.slices(without_model).get_suptitle()


def test_pulls_of_many_parameters_are_a_panel_each(tmp_path):
    result = search(MANY)
    ax = drawn(canopy.plot.pulls(result), tmp_path / "pulls.png")
    panels = ax.figure.axes[:4]
    assert [panel.get_ylabel() for panel in panels] == list(MANY) and ax is panels[0]
    assert all(sum(len(dots.get_offsets()) for dots in panel.collections) == len(result.episodes) for panel in panels)
    drawn(canopy.plot.pulls(result, parameters=("y", "x")), tmp_path / "two.png")


def test_wrong_parameters_are_named():
    result = search(MANY)
    for draw in (canopy.plot.estimate, canopy.plot.pulls, canopy.plot.pairs, canopy.plot.slices):
        with pytest.raises(ValueError, match="the space has no 'z'"):
            draw(result, parameters=("x", "z"))
        with pytest.raises(ValueError, match="each may be named once"):
            draw(result, parameters=("x", "x"))
    _, ax = plt.subplots()
    for draw in (canopy.plot.estimate, canopy.plot.pulls):
        with pytest.raises(ValueError, match="ax: has one panel, not one for each of x, y, k, c; try parameters="):
            draw(result, ax=ax)


def test_the_estimate_shows_means_and_bounds_of_the_leaves():
    result = canopy.minimize(lambda x: 20 + 10 * x, X, pulls=50, reward_range=(20, 30))
    ax = canopy.plot.estimate(result)
    line = next(line for line in ax.get_lines() if line.get_label() == "estimate")
    assert min(line.get_ydata()) >= 20 and max(line.get_ydata()) <= 30
    assert line.get_xdata()[0] == 0 and line.get_xdata()[-1] == 1
    levels = [sum(node.model) / 2 for node in result.optimizer.tree()]
    assert all(min(abs(level - each) for each in levels) < 1e-9 for level in line.get_ydata())
    best = next(line for line in ax.get_lines() if line.get_label() == "best")
    assert best.get_xdata()[0] == result.best.arm["x"]


def test_the_estimate_has_the_intervals_of_the_arms():
    chance = random.Random(1)
    result = canopy.minimize(lambda k: 1000 + 10 * k + chance.gauss(0, 1), {"k": canopy.integer(1, 3)}, pulls=300)
    ax = canopy.plot.estimate(result)
    (whiskers,) = [each for each in ax.containers if each.get_label() == "95 % intervals of arms"]
    (lines,) = whiskers.lines[2]
    heights = {segment[0][0]: (segment[0][1], segment[1][1]) for segment in lines.get_segments()}
    for k, (low, high) in heights.items():
        known = result.optimizer.estimate({"k": int(k)})
        assert (low, high) == (pytest.approx(known.lower), pytest.approx(known.upper))
    assert set(heights) == {k for k in (1, 2, 3) if result.optimizer.estimate({"k": k}).lower is not None}


class Modelled(canopy.Adaptive):
    """Has a band for each cell that is easy to recognize."""

    def tree(self):
        return [node._replace(model=(5.0 * len(node.path), 5.0 * len(node.path) + 2)) for node in super().tree()]


def band_of(ax, label):
    """The vertices of a band; none if there is no band."""
    return [
        tuple(vertex) for each in ax.collections if each.get_label() == label for vertex in each.get_paths()[0].vertices
    ]


def test_the_band_of_the_model_is_drawn_everywhere():
    opt = Modelled(X)
    result = canopy.maximize(lambda x: x, optimizer=opt, pulls=40)
    ax = canopy.plot.estimate(result)
    vertices = band_of(ax, "by the model (95 % at this look)")
    line = next(line for line in ax.get_lines() if line.get_label() == "estimate")
    for leaf in (node for node in opt.tree() if node.leaf):
        low, high = leaf.cell["x"]
        at = {y for x, y in vertices if x in (low, high)}
        assert set(leaf.model) <= at, "also where there are no pulls"
        assert sum(leaf.model) / 2 in [y for x, y in zip(*line.get_data()) if x in (low, high)]
    assert not cells_of(ax, "no interval yet")


def test_cells_without_an_interval_are_hatched():
    chance = random.Random(2)
    result = canopy.maximize(lambda x: x + chance.gauss(0, 0.1), X, pulls=300, optimizer="hct")
    opt = result.optimizer
    ax = canopy.plot.estimate(result)
    leaves = [node for node in opt.tree() if node.leaf]
    estimates = [opt.estimate(leaf.arm) if leaf.pulls else None for leaf in leaves]
    expected = {leaf.cell["x"] for leaf, known in zip(leaves, estimates) if known is None or known.lower is None}
    assert expected and len(expected) < len(leaves)
    assert {(left, right) for left, _, right, _ in cells_of(ax, "no interval yet")} == expected


def test_regret_has_a_band_a_simulation(tmp_path):
    runs = {name: canopy.simulate("garland", name, steps=500, runs=3) for name in ("hct", "random")}
    ax = drawn(canopy.plot.regret(runs), tmp_path / "regret.png")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["hct", "random"]
    assert ax.get_legend().get_title().get_text() == "mean, with its 95 % band"
    assert len(ax.collections) == 2 and len(ax.get_lines()) == 2
    assert ax.get_lines()[0].get_ydata()[-1] == pytest.approx(runs["hct"].per_step_regret.mean)
    assert len(canopy.plot.regret(list(runs.values())).get_lines()) == 2
    alike = [canopy.simulate("garland", steps=100, runs=2, coverage=coverage) for coverage in (0, 1)]
    assert len(canopy.plot.regret(alike).get_lines()) == 2
    assert len(canopy.plot.regret(run for run in alike).get_lines()) == 2
    single = canopy.plot.regret(canopy.simulate("garland", steps=500, runs=1))
    assert not single.collections


def test_regret_of_a_result_needs_the_optimum():
    result = canopy.maximize(lambda x: x, X, pulls=20)
    with pytest.raises(ValueError, match="optimum"):
        canopy.plot.regret(result)
    line = canopy.plot.regret(result, optimum=1.0).get_lines()[0]
    assert line.get_ydata()[-1] == pytest.approx(1 - sum(result.rewards) / 20)


def test_switches_count_changes_of_arm(tmp_path):
    result = canopy.maximize(lambda x: 1 - abs(x - 0.3), X, pulls=300)
    ax = drawn(canopy.plot.switches({"adaptive": result}), tmp_path / "switches.png")
    assert ax.get_lines()[0].get_ydata()[-1] == result.summary.switches


def test_optimizers_and_studies_and_samplers_can_be_drawn(store):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with canopy.Study.open("a", store, space=X) as study:
        canopy.maximize(lambda x: x, optimizer=study, pulls=30)
        canopy.plot.estimate(study)
        canopy.plot.tree(study)
    canopy.plot.estimate(canopy.load_optimizer("a", store))
    canopy.plot.pulls(canopy.load_result("a", store))
    sampler = canopy.optuna.Sampler(seed=1)
    optuna.create_study(sampler=sampler).optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=20)
    canopy.plot.estimate(sampler)


def test_it_draws_into_given_axes_and_returns_them():
    _, ax = plt.subplots()
    assert canopy.plot.tree(search(X), ax=ax) is ax


def test_what_cannot_be_drawn_is_named():
    random = canopy.maximize(lambda x: x, X, pulls=20, optimizer="random")
    for draw in (canopy.plot.estimate, canopy.plot.tree):
        with pytest.raises(ValueError, match="has no tree"):
            draw(random)
        with pytest.raises(ValueError, match="must be"):
            draw(3)
    canopy.plot.pulls(random)
    for draw in (canopy.plot.pulls, canopy.plot.regret, canopy.plot.switches):
        with pytest.raises(ValueError, match="must be"):
            draw(3)
    with pytest.raises(ValueError, match="must be"):
        canopy.plot.regret([])
    for draw, empty in ((canopy.plot.pulls, canopy.Result(canopy.Hct(X))), (canopy.plot.estimate, canopy.Hct(X))):
        with pytest.raises(ValueError, match="nothing to draw"):
            draw(empty)
    with pytest.raises(ValueError, match="truth"):
        canopy.plot.estimate(search({"x": canopy.real(0, 1), "y": canopy.real(0, 1)}), truth=print)


def test_choices_that_are_equal_are_told_apart():
    ax = canopy.plot.estimate(canopy.maximize(lambda c: c is True, {"c": canopy.choice(1, True, 0, False)}, pulls=50))
    best = next(line for line in ax.get_lines() if line.get_label() == "best")
    assert best.get_xdata()[0] == 1


@pytest.mark.parametrize("optimizer", ["adaptive", "hct", "thoo"])
def test_the_estimate_clips_neither_its_curve_nor_the_truth(optimizer):
    chance = random.Random(3)
    for pulls in (5, 20, 60, 200):
        result = canopy.maximize(lambda x: -x + chance.gauss(0, 0.02), X, pulls=pulls, optimizer=optimizer)
        ax = canopy.plot.estimate(result, truth=lambda x: -2 * x)
        low, high = ax.get_ylim()
        for line in ax.get_lines():
            if line.get_label() in ("estimate", "truth"):
                assert low <= min(line.get_ydata()) and max(line.get_ydata()) <= high


def test_limits_hold_means_without_bounds():
    _, ax = plt.subplots()
    limit_to(ax, [0.0, 10.0, float("nan")], [8.0, 9.0])
    assert ax.get_ylim() == (-0.5, 10.5)
    limit_to(ax, [0.0, 10.0], [-100.0, 1.0, -1.0, 11.0])
    assert ax.get_ylim() == (-10.5, 11.5), "bounds that dwarf the means are cut"
    limit_to(ax, [0.0, 10.0], [], [-100.0, 12.0])
    assert ax.get_ylim() == (-5.5, 12.5), "a wide band even more"


def test_choices_stand_apart_and_every_bar_has_its_number():
    result = search({"c": canopy.choice("a", "b", "c")})
    ax = canopy.plot.estimate(result)
    line = next(line for line in ax.get_lines() if line.get_label() == "estimate")
    assert sum(math.isnan(x) for x in line.get_xdata()) == 3
    (bars,) = [each for each in ax.figure.axes if each is not ax]
    heights = [bar.get_height() for bar in bars.patches]
    assert sum(heights) == result.pulls
    assert [text.get_text() for text in bars.texts] == [f"{height:g}" for height in heights]
    drawn = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in bars.patches]
    assert all(low < -0.25 + i and 0.25 + i < high for i, (low, high) in enumerate(drawn)), "wider than the intervals"


def test_the_axis_says_which_regret_it_is():
    simulated = canopy.simulate("garland", steps=200, runs=2)
    found = canopy.maximize(lambda x: x, X, pulls=20)
    assert "f(arm)" in canopy.plot.regret(simulated).get_ylabel()
    assert canopy.plot.regret(simulated, realised=True).get_ylabel() == "realised regret per step: f* - reward"
    assert canopy.plot.regret(found, optimum=1.0).get_ylabel() == "realised regret per step: f* - reward"
    both = canopy.plot.regret({"a": simulated, "b": found}, optimum=1.0)
    assert both.get_ylabel() == "regret per step"
    assert [text.get_text() for text in both.get_legend().get_texts()] == ["a (pseudo)", "b (realised)"]


def test_one_parameter_may_be_named_without_a_list():
    result = search({"lr": canopy.real(0, 1), "momentum": canopy.real(0, 1)})
    assert canopy.plot.pulls(result, parameters="lr").get_ylabel() == "lr"
    assert canopy.plot.estimate(result, parameters="lr").get_xlabel().startswith("lr\n(others as in the best arm: ")
    with pytest.raises(ValueError, match="the space has no 'l'"):
        canopy.plot.pulls(result, parameters="l")
    canopy.plot.estimate(search({"lr": canopy.real(0, 1)}), parameters="lr")


def places(ax):
    """The positions of the nodes of a tree."""
    dots = [each for each in ax.collections if type(each).__name__ == "PathCollection"]
    return [(round(float(x), 12), int(y)) for each in dots for x, y in each.get_offsets()]


def by_depth(place):
    return place[::-1]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("soo", {}),
        ("stosoo", {}),
        ("doo", {}),
        ("sequool", {}),
        ("stroquool", {}),
        ("soo", {"partition": "cyclic/5"}),
        ("soo", {"partition": "random_cut/4@3"}),
        ("hct", {}),
    ],
)
@pytest.mark.parametrize("parameter", [canopy.real(2, 6), canopy.real(0.01, 100, log=True)])
def test_a_node_is_drawn_above_the_middle_of_its_cell(name, options, parameter):
    result = canopy.maximize(lambda x: -x, {"x": parameter}, pulls=30, optimizer=name, **options)
    nodes = result.optimizer.tree()
    ax = canopy.plot.tree(result)
    scale = math.log if parameter.log else float

    def share(value):
        return (scale(value) - scale(parameter.low)) / (scale(parameter.high) - scale(parameter.low))

    expected = [(sum(map(share, node.cell["x"])) / 2, node.depth) for node in nodes]
    for (x, depth), (its_x, its_depth) in zip(sorted(places(ax), key=by_depth), sorted(expected, key=by_depth)):
        assert depth == its_depth and x == pytest.approx(its_x, abs=1e-9)
    assert len(set(places(ax))) == len(nodes), "no two at the same place"
    assert ax.get_xlabel() == "x"


@pytest.mark.parametrize(
    ("space", "options", "label"),
    [
        ({**X, "y": canopy.real(0, 1)}, {"optimizer": "hct"}, "left half, right half"),
        ({**X, "y": canopy.real(0, 1)}, {"optimizer": "soo"}, "up to 3 parts of each node, the first to the left"),
        (
            {**X, "y": canopy.integer(1, 4)},
            {"optimizer": "soo", "partition": "every_side"},
            "up to 4 parts of each node, the first to the left",
        ),
        ({"k": canopy.integer(1, 10)}, {"optimizer": "soo"}, "up to 3 parts of each node, the first to the left"),
    ],
)
def test_parts_of_a_node_lie_side_by_side(space, options, label, tmp_path):
    result = search(space, **options)
    ax = drawn(canopy.plot.tree(result), tmp_path / "tree.png")
    assert ax.get_xlabel() == label
    nodes = result.optimizer.tree()
    assert len(set(places(ax))) == len(nodes)
    at_depth = {depth: sorted(x for x, y in places(ax) if y == depth) for depth in (0, 1)}
    parts = sum(node.depth == 1 for node in nodes)
    assert at_depth[0] == [0.5]
    assert at_depth[1] == pytest.approx([(i + 0.5) / parts for i in range(parts)], abs=1e-6)
    drawn(canopy.plot.estimate(result), tmp_path / "estimate.png")


def test_places_of_a_partition_of_ones_own_are_not_values():
    class Thirds(canopy.Partition):
        arity = 3

        def root(self):
            return (0.0, 1.0)

        def split(self, cell, depth):
            low, high = cell
            ends = [low, low + 0.1 * (high - low), low + 0.2 * (high - low), high]
            return list(itertools.pairwise(ends))

        def arm(self, cell):
            return {"x": sum(cell) / 2}

    ax = canopy.plot.tree(canopy.maximize(lambda x: x, X, pulls=20, optimizer="soo", partition=Thirds()))
    assert ax.get_xlabel() == "up to 3 parts of each node, the first to the left"
    assert [x for x, depth in sorted(places(ax)) if depth == 1] == pytest.approx([1 / 6, 1 / 2, 5 / 6], abs=1e-6)


@pytest.mark.parametrize("name", ["adaptive", "hct", "hoo", "thoo", "poo", "zooming", "soo", "stosoo", "sequool"])
def test_bars_count_every_pull_once(name):
    chance = random.Random(4)
    result = canopy.maximize(lambda x: x + chance.gauss(0, 0.1), X, pulls=200, optimizer=name)
    ax = canopy.plot.estimate(result)
    bars = next(axes for axes in ax.figure.axes if axes is not ax)
    assert sum(bar.get_height() for bar in bars.patches) == 200
    assert max(bars.get_yticks()) <= max(bar.get_height() for bar in bars.patches)
    if name != "poo":  # its tree is one of many
        ax = canopy.plot.estimate(result.optimizer)
        bars = next(axes for axes in ax.figure.axes if axes is not ax)
        assert sum(bar.get_height() for bar in bars.patches) == 200


def test_intervals_of_few_pulls_do_not_flatten_the_curve():
    chance = random.Random(2)
    result = canopy.maximize(lambda x: math.sin(9 * x) * x + chance.gauss(0, 0.3), X, pulls=2000)
    ax = canopy.plot.estimate(result)
    line = next(line for line in ax.get_lines() if line.get_label() == "estimate")
    low, high = ax.get_ylim()
    assert max(line.get_ydata()) - min(line.get_ydata()) > 0.45 * (high - low)
    known = result.optimizer.estimate(result.best.arm)
    assert low <= known.lower and known.upper <= high, "what matters is shown in full"


def test_a_long_legend_is_outside_of_the_panels(tmp_path):
    algorithms = ["hct", "random", "soo", "poo", "zooming", "thompson", "grid"]
    figure = canopy.experiment(algorithms, ["garland", "branin"], steps=50, runs=2).plot()
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == algorithms
    assert not any(ax.get_legend() for ax in figure.axes)
    figure.savefig(tmp_path / "figure.png")
    box = legend.get_window_extent()
    assert not any(box.overlaps(ax.get_window_extent()) for ax in figure.axes)
    few = canopy.experiment(algorithms[:6], "garland", steps=50, runs=2).plot()
    assert few.axes[0].get_legend() and not few.legends


def styles(lines):
    """The styles of lines, without their colours."""
    return [(line.get_linestyle(), line.get_marker()) for line in lines]


def test_lines_are_told_apart_without_colours():
    runs = {f"run {i}": canopy.simulate("garland", "random", steps=50, runs=2, seed=i) for i in range(9)}
    regret = canopy.plot.regret(runs).get_lines()
    results = {name: canopy.maximize(lambda x: x, X, pulls=20) for name in ("a", "b", "c")}
    switches = canopy.plot.switches(results).get_lines()
    algorithms = ["hct", "random", "soo", "poo"]
    compared = canopy.experiment(algorithms, "garland", steps=50, runs=2).plot().axes[0].get_lines()
    for lines in (regret, switches, compared):
        assert len(set(styles(lines))) == len(lines) >= 3
    assert styles(canopy.plot.switches(results["a"]).get_lines()) == [("-", "None")], "alone, it needs no marker"


def test_an_experiment_is_drawn_where_it_is_told(tmp_path):
    one = canopy.experiment(["hct", "random"], "garland", steps=50, runs=2)
    figure, (left, right) = plt.subplots(1, 2)
    assert one.plot(ax=right) is figure and canopy.plot.experiment(one, ax=left) is figure
    assert [ax.get_title() for ax in figure.axes] == ["garland", "garland"] and right.get_legend()
    two = canopy.experiment(["hct", "random"], ["garland", "branin"], steps=50, runs=2)
    whole = plt.figure()
    above, below = whole.subfigures(2, 1)
    assert two.plot(figure=above) is whole and two.plot(figure=below, realised=True) is whole
    assert [ax.get_title() for ax in whole.axes] == ["garland", "branin"] * 2
    with pytest.raises(ValueError, match="ax: there is a panel for each of garland, branin; give a figure"):
        two.plot(ax=left)
    with pytest.raises(ValueError, match="not both"):
        one.plot(ax=left, figure=whole)


def test_names_are_no_formulas(tmp_path):
    space = {"$x$": canopy.real(0, 1), r"\frac$": canopy.choice("$\\alpha$", "_b", "$$")}
    result = canopy.maximize(lambda **arm: arm["$x$"], space, pulls=60)
    for draw in (canopy.plot.estimate, canopy.plot.pulls, canopy.plot.slices):
        figure = draw(result)
        getattr(figure, "figure", figure).savefig(tmp_path / "picture.png")
    canopy.plot.estimate(result, parameters="$x$").figure.savefig(tmp_path / "picture.png")
    runs = canopy.experiment({"$a$": "hct", "_b": "random"}, "garland", steps=20, runs=2)
    figure = runs.plot()
    figure.savefig(tmp_path / "experiment.png")
    names = [text.get_text().strip("\u200a") for text in figure.axes[0].get_legend().get_texts()]
    assert names == [r"\$a\$", "_b"], "escaped, and none is left out"
