"""Pictures with matplotlib. Every function draws into `ax`, or into a new figure, and returns the axes.

`estimate` and `tree` take a Result, an optimizer, a study or a sampler for Optuna; `pulls` and `switches` need a
Result, since they show what happened when; `canopy.load_result(name)` gives that of a study, even while somebody else
writes to it.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from . import _canopy
from ._canopy import Domain
from ._optimizers import Node
from ._result import Result
from ._simulation import Simulation
from ._space import Space

__all__ = ["estimate", "experiment", "pulls", "regret", "switches", "tree"]

# Colours that people who see few of them can tell apart (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f")
GREY = "#9a9a9a"


def estimate(
    searched: Any,
    *,
    parameters: str | Sequence[str] | None = None,
    truth: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """What is known about the function, and where the pulls went.

    One parameter: the mean of every leaf of the tree over its cell, with the interval of its arm, and how many
    pulls went where, as bars; choices stand apart. Wide intervals, of arms with few pulls, may run out of the picture.
    `truth`, a function of the parameter or two lists of values and
    means, is drawn as well.
    Two parameters: a heat map of the leaves' means; dots where pulls went. With more of them, say which two:
    `parameters=("x", "y")`.
    """
    optimizer = _optimizer_of(searched)
    names = _chosen_names(optimizer.space, parameters)
    nodes = optimizer.tree()
    if not nodes:
        raise ValueError(f"{optimizer!r} has no tree; canopy.plot.pulls shows where its pulls went")
    if not nodes[0].cell:
        raise ValueError(f"{optimizer!r} has a partition of its own; canopy.plot.pulls shows where its pulls went")
    if not any(node.pulls for node in nodes):
        raise ValueError(f"there is nothing to draw: {optimizer!r} has no pulls")
    if truth is not None and len(names) == 2:
        raise ValueError("truth: can only be drawn for a single parameter")
    ax = ax or _new_axes()
    if len(names) == 1:
        _estimate_1d(optimizer, nodes, names[0], truth, _pulls_by_arm(searched, optimizer, nodes, names[0]), ax)
    else:
        _estimate_2d(optimizer, nodes, names, ax)
    return ax


def pulls(result: Any, *, parameters: str | Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    """Where the pulls went: over time for one parameter, on a map for two; the colour is the mean reward.

    With more than two parameters, say which: `parameters="x"` or `parameters=("x", "y")`.
    """
    result = _result_of(result)
    names = _chosen_names(result.space, parameters, may_be_one=True)
    ax = ax or _new_axes()
    means = [sum(episode.rewards) / len(episode.rewards) for episode in result.episodes]
    sizes = [10 + 12 * math.log2(len(episode.rewards)) for episode in result.episodes]
    columns = [[_position(result.space, name, episode.arm[name]) for episode in result.episodes] for name in names]
    if len(names) == 1:
        xs, ys = [episode.first for episode in result.episodes], columns[0]
        _label_pulls(ax)
        _label_axis(ax, "y", result.space, names[0])
    else:
        xs, ys = columns
        _label_axis(ax, "x", result.space, names[0])
        _label_axis(ax, "y", result.space, names[1])
    dots = ax.scatter(
        xs, ys, s=sizes, c=means, cmap=_colours(result.optimizer), alpha=0.7, edgecolors="black", linewidths=0.15
    )
    ax.figure.colorbar(dots, ax=ax, label=f"{_label(result.optimizer)} of an episode")
    best = result.best_or_none()
    if best:
        if len(names) == 1:
            height = _position(result.space, names[0], best.arm[names[0]])
            ax.axhline(height, color=COLOURS[1], linewidth=1, zorder=0, label="best")
        else:
            _mark_best(ax, result.space, names, best.arm)
        _legend_above(ax)
    ax.set_title(f"{_count(result.pulls, 'pull')} in {_count(len(result.episodes), 'episode')}")
    return ax


def switches(results: Any, *, ax: Axes | None = None) -> Axes:
    """How often the arm has changed, over time; several Results in a dictionary become a line each."""
    ax = ax or _new_axes()
    named = _named(results, Result, "what maximize returned")
    for number, (name, result) in enumerate(named.items()):
        changes, last = [], None
        for episode in result.episodes:
            if episode.arm != last:
                changes.append(episode.first)
                last = episode.arm
        steps = [*changes, result.pulls]
        counts = [*range(1, len(changes) + 1), len(changes)]
        ax.step(steps, counts, where="post", color=COLOURS[number % len(COLOURS)], label=name or None)
    _label_pulls(ax)
    ax.set_ylabel("changes of arm")
    ax.set_xlim(left=0)
    ax.set_ylim(bottom=0)
    if any(named):
        ax.legend()
    return ax


def regret(runs: Any, *, optimum: float | None = None, realised: bool = False, ax: Axes | None = None) -> Axes:
    """Regret per step, with the mean over runs and its 95 % band.

    `runs` is a Simulation, or several in a list or a dictionary, which names them: their pseudo-regret, f* - f of the
    arms, or with `realised` that of the rewards. A Result, or several, can be drawn as well if `optimum`, the mean
    reward of the best arm, is given: then regret is that of the rewards. The axis says which it is; where both are
    drawn, the names do.
    """
    ax = ax or _new_axes()
    curves = _named(runs, (Simulation, Result), "what simulate or maximize returned")
    kinds = {_kind_of_regret(run, realised) for run in curves.values()}
    has_band = False
    for number, (name, run) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        if isinstance(run, Result):
            if optimum is None:
                raise ValueError("optimum: is missing; the regret of a Result needs the mean reward of the best arm")
            steps, means, lows, highs = _realised_curve(run, optimum)
        else:
            name = name or f"{run.optimizer} on {run.environment}"
            steps, means, lows, highs = _simulated_curve(run, realised)
        if len(kinds) > 1:
            name = f"{name} ({_kind_of_regret(run, realised)})"
        ax.plot(steps, means, color=colour, label=name or None)
        if lows:
            has_band = True
            ax.fill_between(steps, lows, highs, color=colour, alpha=0.2, linewidth=0)
    ax.set_xscale("log")
    lines: Any = ax.get_lines()
    if all(value > 0 for line in lines for value in line.get_ydata()):
        ax.set_yscale("log")
    ax.set_xlabel("steps")
    ax.set_ylabel(_REGRETS[kinds.pop()] if len(kinds) == 1 else "regret per step")
    if ax.get_legend_handles_labels()[1]:
        ax.legend(title="mean, with its 95 % band" if has_band else None, title_fontsize="small")
    return ax


def tree(searched: Any, *, ax: Axes | None = None) -> Axes:
    """The cover tree: a node is above the middle of what it covers; the more pulls, the larger its dot.

    With one real parameter, the axis has its values. With others the parts of a node lie side by side, all as wide.
    """
    optimizer = _optimizer_of(searched)
    nodes = optimizer.tree()
    if not nodes:
        raise ValueError(f"{optimizer!r} has no tree")
    ax = ax or _new_axes()
    has_values = _has_values(optimizer.space, nodes)
    middles = _middles_of_cells(optimizer.space, nodes) if has_values else _middles_of_parts(nodes)
    place = {node.path: (middles[node.path], node.depth) for node in nodes}
    edges = [(place[node.path[:-1]], place[node.path]) for node in nodes if node.path]
    ax.add_collection(LineCollection(edges, colors=GREY, linewidths=0.6, zorder=1))
    pulled = [node for node in nodes if node.pulls > 0]
    unpulled = [place[node.path] for node in nodes if node.pulls == 0]
    if unpulled:
        xs, ys = zip(*unpulled)
        ax.scatter(xs, ys, s=6, facecolors="white", edgecolors=GREY, linewidths=0.6, zorder=2)
    if pulled:
        xs, ys = zip(*(place[node.path] for node in pulled))
        dots = ax.scatter(
            xs,
            ys,
            s=[10 + 12 * math.log2(1 + node.pulls) for node in pulled],
            c=[node.mean for node in pulled],
            cmap=_colours(optimizer),
            linewidths=0,
            zorder=3,
        )
        ax.figure.colorbar(dots, ax=ax, label=_label(optimizer))
    ax.set_xlim(-0.02, 1.02)
    deepest = max(node.depth for node in nodes)
    ax.set_ylim(deepest + 0.7, -0.7)
    ax.set_ylabel("depth")
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    if has_values:
        _label_values(ax, optimizer.space)
    else:
        most = max((len(parts) for parts in _children(nodes).values()), default=2)
        ax.set_xlabel(
            "left half, right half" if most == 2 else f"up to {most} parts of each node, the first to the left"
        )
        ax.set_xticks([])
    ax.set_title(f"{_count(len(nodes), 'node')}, {_count(optimizer.summary().t - 1, 'pull')}")
    return ax


def experiment(measured: Any, *, realised: bool | None = None) -> Figure:
    """Regret per step of all algorithms of an `Experiment`, with 95 % bands, in a panel for every environment.

    Of the kind that was compared, unless `realised` says which. A new figure, which it returns. The legend of more than
    six algorithms is below the panels.
    """
    environments = measured.environments
    columns = min(3, len(environments))
    rows = math.ceil(len(environments) / columns)
    figure, axes = plt.subplots(rows, columns, figsize=(5.4 * columns, 3.9 * rows), layout="constrained", squeeze=False)
    for spare in axes.flat[len(environments) :]:
        spare.remove()
    for ax, environment in zip(axes.flat, environments):
        _draw_comparison(ax, measured, environment, realised)
    if len(measured.algorithms) > 6:
        lines, names = axes.flat[0].get_legend_handles_labels()
        figure.legend(lines, names, loc="outside lower center", ncols=min(len(names), 4 * columns), frameon=False)
    else:
        axes.flat[0].legend()
    return figure


# --- parts ---------------------------------------------------------------------------------------


def _new_axes() -> Axes:
    _, ax = plt.subplots(figsize=(7.0, 4.3), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _optimizer_of(searched: Any) -> Any:
    optimizer = getattr(searched, "optimizer", searched)
    if not hasattr(optimizer, "tree"):
        raise ValueError(f"{searched!r}: must be a Result, an optimizer, a study or a sampler with trials")
    return optimizer


def _result_of(result: Any) -> Result:
    if not isinstance(result, Result):
        raise ValueError(f"{result!r}: must be a Result; canopy.load_result returns that of a study")
    if not result.episodes:
        raise ValueError("there is nothing to draw: the result has no pulls")
    return result


def _label(optimizer: Any) -> str:
    return "mean reward" if optimizer.direction == "maximize" else "mean cost"


def _colours(optimizer: Any) -> str:
    """Bright is good."""
    return "viridis" if optimizer.direction == "maximize" else "viridis_r"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _legend_above(ax: Axes, columns: int = 2) -> None:
    """A legend that hides nothing."""
    ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=columns, frameon=False, fontsize="small")


def _named(given: Any, kinds: Any, what: str) -> dict[str, Any]:
    """One thing or several, by their names."""
    if isinstance(given, kinds):
        return {"": given}
    if isinstance(given, Mapping):
        named = dict(given)
    elif isinstance(given, Iterable):
        named = {}
        for number, each in enumerate(given):
            name = _name_of(each, number)
            named[f"{name}, number {number + 1}" if name in named else name] = each
    else:
        named = {}
    if not named or not all(isinstance(each, kinds) for each in named.values()):
        raise ValueError(f"{given!r}: must be {what}, or several of these")
    return named


def _name_of(each: Any, number: int) -> str:
    if isinstance(each, Simulation):
        feedback = each.optimizer_options.get("feedback")
        return f"{each.optimizer}{f' ({feedback})' if feedback else ''} on {each.environment}"
    return f"run {number + 1}"


def _chosen_names(space: Space, parameters: str | Sequence[str] | None, may_be_one: bool = False) -> list[str]:
    """The one or two parameters that are drawn."""
    names = [parameters] if isinstance(parameters, str) else list(parameters or space)
    for name in names:
        if name not in space:
            raise ValueError(f"parameters: the space has no {name!r}; it has {', '.join(space)}")
    is_one = len(names) == 1 and (may_be_one or len(space) == 1)
    if not is_one and (len(names) != 2 or len(set(names)) != 2):
        example = ", ".join(f'"{name}"' for name in list(space)[:2])
        least = "one or two" if may_be_one else "two"
        raise ValueError(f"parameters = {parameters!r}: name {least} of {', '.join(space)}, such as ({example})")
    return names


def _position(space: Space, name: str, value: Any) -> float:
    """A value as a number on an axis."""
    return space._coordinate(name, value)


def _ends(space: Space, name: str, node: Node) -> tuple[float, float]:
    """The ends of a cell on an axis; values with neighbours reach half-way to them."""
    low, high = (_position(space, name, end) for end in node.cell[name])
    half = space._domain(name).spacing / 2
    return (low - half, high + half)


def _label_axis(ax: Axes, which: str, space: Space, name: str) -> None:
    domain = space._domain(name)
    axis = ax.xaxis if which == "x" else ax.yaxis
    axis.set_label_text(name)
    set_scale, set_limits = (ax.set_xscale, ax.set_xlim) if which == "x" else (ax.set_yscale, ax.set_ylim)
    if not domain.is_ordered:
        places = _points(domain)
        labels = [str(space._value(name, place)) for place in places]
        axis.set_ticks(places, labels)
        if which == "x" and sum(map(len, labels)) > 40:
            plt.setp(ax.get_xticklabels(), rotation=25, ha="right")
    elif getattr(space[name], "log", False):
        set_scale("log")
    elif domain.spacing:
        axis.set_major_locator(MaxNLocator(integer=True))
    low, high = domain.ends
    set_limits(low - domain.spacing / 2, high + domain.spacing / 2)


def _points(domain: Domain, most: int = 1000) -> list[float]:
    """Places along an axis, from one end to the other: all values, or some where there are too many."""
    if domain.count is None:
        return [domain.at(i / most) for i in range(most + 1)]
    return domain.grid(most if domain.is_ordered else domain.count)


def _label_pulls(ax: Axes) -> None:
    ax.set_xlabel("pull")
    ax.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))


def _interval(optimizer: Any, node: Node) -> tuple[float, float]:
    """The interval of a node's arm; not numbers where there is none."""
    known = optimizer.estimate(node.arm)
    return (math.nan, math.nan) if known is None or known.lower is None else (known.lower, known.upper)


def _leaf_means(nodes: list[Node]) -> list[tuple[Node, float]]:
    """Every leaf, with the mean of the deepest node on the way to it that has pulls, of its own or below it."""
    children = _children(nodes)
    known = {node.path: (0, 0.0) for node in nodes}  # pulls and their sum
    for node in reversed(nodes):
        if node.pulls > 0:
            known[node.path] = (node.pulls, node.pulls * node.mean)
        else:
            below = [known[path] for path in children.get(node.path, ())]
            known[node.path] = (sum(pulls for pulls, _ in below), sum(total for _, total in below))
    pairs = []
    for leaf in (node for node in nodes if node.leaf):
        pulls, total = next(
            known[leaf.path[:depth]] for depth in range(leaf.depth, -1, -1) if known[leaf.path[:depth]][0]
        )
        pairs.append((leaf, total / pulls))
    return pairs


def _pulls_by_arm(searched: Any, optimizer: Any, nodes: list[Node], name: str) -> dict[Any, int]:
    """How many pulls every value of the only parameter has had.

    What nodes count would not do: in some trees a pull counts at every node on its way, in others the middle part has
    the arm of the whole and its pulls.
    """
    counts: dict[Any, int] = {}
    if isinstance(searched, Result) and searched.pulls == optimizer.summary().t - 1:  # it has seen them all
        for episode in searched.episodes:
            counts[episode.arm[name]] = counts.get(episode.arm[name], 0) + len(episode.rewards)
        return counts
    for node in nodes:
        if node.arm[name] not in counts:
            known = optimizer.estimate(node.arm)
            counts[node.arm[name]] = known.pulls if known else 0
    return counts


def _estimate_1d(optimizer: Any, nodes: list[Node], name: str, truth: Any, counts: dict[Any, int], ax: Axes) -> None:
    space = optimizer.space
    leaves = sorted(_leaf_means(nodes), key=lambda pair: _ends(space, name, pair[0]))
    xs: list[float] = []
    means: list[float] = []
    lows: list[float] = []
    highs: list[float] = []
    steady: list[float] = []  # the ends of the intervals of arms that have their share of the pulls
    share = sum(leaf.pulls for leaf, _ in leaves) / len(leaves)
    for leaf, mean in leaves:
        low, high = _interval(optimizer, leaf) if leaf.pulls else (math.nan, math.nan)
        if leaf.pulls >= max(2, share) and not math.isnan(low):
            steady += [low, high]
        for end in _drawn_ends(space, name, leaf):
            is_gap = math.isnan(end)
            xs.append(end)
            means.append(math.nan if is_gap else mean)
            lows.append(math.nan if is_gap else low)
            highs.append(math.nan if is_gap else high)
    bars = _count_bars(optimizer, counts, name, ax)

    _label_axis(ax, "x", space, name)
    ax.fill_between(
        xs, lows, highs, color=COLOURS[0], alpha=0.2, linewidth=0, label=f"{100 * optimizer.confidence:g} % intervals"
    )
    ax.plot(xs, means, color=COLOURS[0], linewidth=1.4, label="estimate")
    shown = means
    if truth is not None:
        places, values = _truth_curve(space, name, truth)
        is_line = space._domain(name).is_ordered
        style: dict[str, Any] = {"linewidth": 0.9, "linestyle": "--"} if is_line else {"marker": "x", "linestyle": ""}
        ax.plot(places, values, color="black", label="truth", **style)
        shown = [*means, *values]
    best = optimizer.best()
    if best:
        ax.axvline(_position(space, name, best.arm[name]), color=COLOURS[1], linewidth=1, label="best")
    _limit_to(ax, shown, steady)
    ax.set_ylabel(_label(optimizer))
    ax.set_zorder(bars.get_zorder() + 1)  # the bars stay behind
    ax.patch.set_visible(False)
    _legend_above(ax)


def _drawn_ends(space: Space, name: str, leaf: Node) -> list[float]:
    """Where the line of a leaf is drawn: over its cell, or apart for each choice, with gaps (not numbers) between."""
    if space._domain(name).is_ordered:
        return list(_ends(space, name, leaf))
    first, last = (round(_position(space, name, end)) for end in leaf.cell[name])
    return [end for i in range(first, last + 1) for end in (i - 0.25, i + 0.25, math.nan)]


def _count_bars(optimizer: Any, pulls_by_arm: dict[Any, int], name: str, ax: Axes) -> Axes:
    """How many pulls went where, as bars behind the picture; those of choices have their number."""
    bars = ax.twinx()
    domain = optimizer.space._domain(name)
    edges = _bin_edges(domain)
    counts = [0] * (len(edges) - 1)
    for value, number in pulls_by_arm.items():
        place = bisect.bisect_right(edges, _position(optimizer.space, name, value)) - 1
        counts[min(place, len(counts) - 1)] += number
    sides = [high - low for low, high in itertools.pairwise(edges)]
    gap = 0.0 if domain.is_ordered else 0.1
    drawn = bars.bar(
        [edge + gap for edge in edges[:-1]],
        counts,
        width=[side - 2 * gap for side in sides],
        align="edge",
        color=GREY,
        alpha=0.35,
        linewidth=0,
    )
    if not domain.is_ordered:
        bars.bar_label(drawn, color="#6a6a6a", fontsize="small", padding=1)
    bars.set_ylabel(f"pulls ({optimizer.summary().t - 1} in total)", color=GREY)
    bars.tick_params(axis="y", colors=GREY)
    bars.spines[["top"]].set_visible(False)
    most = max(1, *counts)
    bars.set_yticks([tick for tick in MaxNLocator(nbins=3, integer=True).tick_values(0, most) if 0 <= tick <= most])
    bars.set_ylim(0, 3.5 * most)  # low, so that they are not in the way
    return bars


def _bin_edges(domain: Domain) -> list[float]:
    """Where the bars that count pulls begin and end: one for each value, or about 64 of them."""
    if domain.count is None:
        return _points(domain, 64)
    points = _points(domain, domain.count if domain.count < 128 else 64)
    half = domain.spacing / 2
    return [domain.ends[0] - half, *((a + b) / 2 for a, b in itertools.pairwise(points)), domain.ends[1] + half]


def _limit_to(ax: Axes, means: list[float], bounds: list[float]) -> None:
    """Shows all means, and these bounds unless they dwarf the means."""
    known = [mean for mean in means if not math.isnan(mean)]
    least, most = min(known), max(known)
    spread = most - least or 1.0
    lowest, highest = min([least, *bounds]), max([most, *bounds])
    ax.set_ylim(max(lowest, least - spread) - 0.05 * spread, min(highest, most + spread) + 0.05 * spread)


def _truth_curve(space: Space, name: str, truth: Any) -> tuple[list[float], list[float]]:
    if not callable(truth):
        values, means = truth
        return list(values), list(means)
    places = _points(space._domain(name))
    return places, [truth(space._value(name, place)) for place in places]


def _estimate_2d(optimizer: Any, nodes: list[Node], names: list[str], ax: Axes) -> None:
    space = optimizer.space
    pulled = [node for node in nodes if node.pulls > 0]
    values = [node.mean for node in pulled]
    scale = matplotlib.colors.Normalize(min(values, default=0.0), max(values, default=1.0))
    _label_axis(ax, "x", space, names[0])
    _label_axis(ax, "y", space, names[1])
    if len(space) == 2:
        boxes, means = [], []
        for leaf, mean in _leaf_means(nodes):
            (left, right), (bottom, top) = (_ends(space, name, leaf) for name in names)
            boxes.append(Rectangle((left, bottom), right - left, top - bottom))
            means.append(mean)
        cells = PatchCollection(boxes, cmap=_colours(optimizer), norm=scale, edgecolors="white", linewidths=0.15)
        cells.set_array(means)
        ax.add_collection(cells)
    xs, ys = ([_position(space, name, node.arm[name]) for node in pulled] for name in names)
    sizes = [2 + 5 * math.log2(1 + node.pulls) for node in pulled]
    if len(space) == 2:
        ax.scatter(xs, ys, s=[size / 3 for size in sizes], c="black", alpha=0.45, linewidths=0)
        ax.figure.colorbar(cells, ax=ax, label=_label(optimizer))
    else:  # cells overlap in what is left out, so only arms can be shown
        order = sorted(range(len(pulled)), key=lambda i: values[i])
        dots = ax.scatter(
            [xs[i] for i in order],
            [ys[i] for i in order],
            s=[3 * sizes[i] for i in order],
            c=[values[i] for i in order],
            cmap=_colours(optimizer),
            norm=scale,
            linewidths=0,
        )
        ax.figure.colorbar(dots, ax=ax, label=_label(optimizer))
    best = optimizer.best()
    if best:
        _mark_best(ax, space, names, best.arm)
        _legend_above(ax)
    ax.set_title(_count(optimizer.summary().t - 1, "pull"))


def _mark_best(ax: Axes, space: Space, names: list[str], arm: dict[str, Any]) -> None:
    x, y = (_position(space, name, arm[name]) for name in names)
    ax.plot([x], [y], marker="*", markersize=15, color=COLOURS[1], markeredgecolor="white", linestyle="", label="best")


def _children(nodes: list[Node]) -> dict[str, list[str]]:
    """The paths of the parts of every node that has some, from the first to the last."""
    children: dict[str, list[str]] = {}
    for node in nodes:
        if node.path:
            children.setdefault(node.path[:-1], []).append(node.path)
    return {path: sorted(parts) for path, parts in children.items()}


def _middles_of_parts(nodes: list[Node]) -> dict[str, float]:
    """The middle of every node's part of [0, 1], by its path: the parts of a node share its own equally."""
    ends = {"": (0.0, 1.0)}
    for path, parts in sorted(_children(nodes).items(), key=lambda pair: len(pair[0])):
        low, high = ends[path]
        width = (high - low) / len(parts)
        for number, part in enumerate(parts):
            ends[part] = (low + number * width, low + (number + 1) * width)
    return {path: (low + high) / 2 for path, (low, high) in ends.items()}


def _has_values(space: Space, nodes: list[Node]) -> bool:
    """Whether places in the tree are values of the only parameter."""
    return len(space) == 1 and space._domain(next(iter(space))).count is None and bool(nodes[0].cell)


def _middles_of_cells(space: Space, nodes: list[Node]) -> dict[str, float]:
    """The middle of every node's cell as a share of the only parameter, by its path."""
    (name,) = space
    share = space._domain(name).share
    return {node.path: sum(share(end) for end in node.cell[name]) / 2 for node in nodes}


def _label_values(ax: Axes, space: Space) -> None:
    (name,) = space
    domain = space._domain(name)
    ticks = domain.ticks(6)
    ax.set_xticks([domain.share(tick) for tick in ticks], [f"{tick:.4g}" for tick in ticks])
    ax.set_xlabel(name)


_REGRETS = {"pseudo": "pseudo-regret per step: f* - f(arm)", "realised": "realised regret per step: f* - reward"}


def _kind_of_regret(run: Any, realised: bool) -> str:
    """Of the arms, or of the rewards that they happened to earn; a Result knows nothing else."""
    return "realised" if realised or isinstance(run, Result) else "pseudo"


def _draw_comparison(ax: Axes, measured: Any, environment: str, realised: bool | None) -> None:
    is_realised = measured.regrets[environment] == "realised" if realised is None else realised
    if not is_realised and any(row.regret is None for row in measured.rows if row.environment == environment):
        raise ValueError(f"realised = False: the pseudo regret on {environment} is not known, since its mean is not")
    curves = {name: measured.curve(environment, name, realised=is_realised) for name in measured.algorithms}
    for number, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        dash = ("-", "--", ":", "-.")[number // len(COLOURS) % 4]
        ax.plot(curve.steps, curve.means, color=colour, linestyle=dash, label=name)
        ax.fill_between(curve.steps, curve.lows, curve.highs, color=colour, alpha=0.2, linewidth=0)
    ax.set_xscale("log")
    if all(mean > 0 for curve in curves.values() for mean in curve.means):
        ax.set_yscale("log")
    ax.set_title(environment)
    ax.set_xlabel("steps")
    kind = "realised" if is_realised else "pseudo"
    known = measured.optima[environment] is not None
    ax.set_ylabel(_REGRETS[kind] if known else "minus the mean reward (f* unknown)")
    ax.spines[["top", "right"]].set_visible(False)


def _simulated_curve(run: Simulation, realised: bool) -> tuple[list[Any], list[float], list[Any], list[Any]]:
    column = 2 if realised else 1
    steps: list[int] = []
    means: list[float] = []
    lows: list[Any] = []
    highs: list[Any] = []
    for at in zip(*(each["checkpoints"] for each in run.runs)):
        mean, low, high = _canopy.estimate([checkpoint[column] for checkpoint in at])
        steps.append(at[0][0])
        means.append(mean)
        if low is not None:
            lows.append(low)
            highs.append(high)
    if not steps:
        raise ValueError("there is nothing to draw: the simulation has no checkpoints")
    return steps, means, lows, highs


def _realised_curve(result: Result, optimum: float) -> tuple[list[Any], list[float], list[Any], list[Any]]:
    sign = 1 if result.optimizer.direction == "maximize" else -1
    total, steps, means = 0.0, [], []
    for step, reward in enumerate(_result_of(result).rewards, start=1):
        total += sign * (optimum - reward)
        steps.append(step)
        means.append(total / step)
    return steps, means, [], []
