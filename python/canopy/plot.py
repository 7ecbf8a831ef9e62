"""Pictures with matplotlib. Every function draws into `ax`, or into a new figure, and returns the axes.

`estimate` and `tree` take a Result, an optimizer, a study or a sampler for Optuna; `policy` and `level_effect` take
these but the sampler, or a Policy; `pulls` and `switches` need a Result, since they show what happened when;
`canopy.load_result(name)` gives that of a study, even while somebody else writes to it.
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
from matplotlib.ticker import MaxNLocator, MultipleLocator

from . import _canopy
from ._canopy import Domain
from ._optimizers import Node
from ._policy import Policy, PolicyRow
from ._result import Result
from ._simulation import Simulation
from ._space import Contexts, Periodic, Space

__all__ = ["estimate", "experiment", "level_effect", "policy", "pulls", "regret", "switches", "tree"]

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
    _refuse_contexts(optimizer)
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
    _refuse_contexts(optimizer)
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


def policy(searched: Any, *, parameter: str | None = None, ax: Axes | None = None) -> Axes:
    """What to set in every context, as it was learnt.

    One context: the setting over it, a line for each region, and as bars how many pulls were there; borders are dotted
    where both sides may have the same best setting. Of a Result, dots are its pulls. Two contexts: a map of the
    regions, coloured by the setting, with its value and the number of pulls. Of several parameters, `parameter` says
    which one is drawn. Without that, and with three contexts: a row for each region, with its ranges, its setting and
    what that earns.
    """
    found, result = _policy_of(searched)
    if parameter is not None and parameter not in found.space:
        raise ValueError(f"parameter: the space has no {parameter!r}; it has {', '.join(found.space)}")
    if parameter is None and len(found.space) == 1:
        parameter = next(iter(found.space))
    if all(row.arm is None for row in found.rows):
        raise ValueError("there is nothing to draw: nothing was told yet")
    if parameter is None or len(found.contexts) > 2:
        return _policy_rows(found, parameter, ax)
    ax = ax or _new_axes()
    if len(found.contexts) == 1:
        _policy_1d(found, parameter, result, ax)
    else:
        _policy_2d(found, parameter, ax)
    return ax


def level_effect(searched: Any, *, variable: str | None = None, ax: Axes | None = None) -> Axes:
    """What a context adds to the rewards of all arms alike, over its values: this is taken off before they are learnt.

    With several contexts, `variable` says which one.
    """
    found, _ = _policy_of(searched)
    if variable is None and len(found.contexts) == 1:
        variable = next(iter(found.contexts))
    if variable is None or variable not in found.contexts:
        raise ValueError(f"variable = {variable!r}: name one of {', '.join(found.contexts)}")
    ax = ax or _new_axes()
    contexts = found.contexts
    effects = found.effects[variable]
    ax.axhline(0, color=GREY, linewidth=0.8, zorder=0)
    domain = contexts._domain(variable)
    if not effects:
        ax.text(0.5, 0.55, "no level effect was found", transform=ax.transAxes, ha="center", va="bottom", color=GREY)
        ax.set_ylim(-1, 1)
    elif domain.is_ordered:
        half = domain.spacing / 2 if all(each.low == each.high for each in effects) else 0.0
        edges = [float(each.low) - half for each in effects]
        edges.append(float(effects[-1].high) + half)
        ax.stairs([each.effect for each in effects], edges, baseline=None, color=COLOURS[2], linewidth=1.6)
    else:
        places = [contexts._coordinate(variable, each.low) for each in effects]
        ax.bar(places, [each.effect for each in effects], width=0.6, color=COLOURS[2])
    _label_context(ax, "x", contexts, variable)
    ax.set_ylabel("added to all rewards")
    return ax


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


def _refuse_contexts(optimizer: Any) -> None:
    """With contexts there is a tree for each region of them."""
    if getattr(optimizer, "contexts", None) is not None:
        raise ValueError(f"{optimizer!r} has contexts; canopy.plot.policy shows what to set in each of them")


def _policy_of(searched: Any) -> tuple[Policy, Result | None]:
    """A policy, and the pulls that led to it if they are known."""
    if isinstance(searched, Policy):
        return searched, None
    if isinstance(searched, Result):
        return searched.policy, searched
    if not hasattr(searched, "policy"):
        raise ValueError(f"{searched!r}: must be a Result, an optimizer, a study or a Policy")
    return searched.policy(), None


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


def _position(space: Space | Contexts, name: str, value: Any) -> float:
    """A value as a number on an axis."""
    return space._coordinate(name, value)


def _ends(space: Space, name: str, node: Node) -> tuple[float, float]:
    """The ends of a cell on an axis; values with neighbours reach half-way to them."""
    low, high = (_position(space, name, end) for end in node.cell[name])
    half = space._domain(name).spacing / 2
    return (low - half, high + half)


def _label_axis(ax: Axes, which: str, space: Space | Contexts, name: str) -> None:
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


# --- policies ---


def _label_context(ax: Axes, which: str, contexts: Contexts, name: str) -> None:
    """An axis with the values of a context; the hours of a day in quarters of it."""
    _label_axis(ax, which, contexts, name)
    variable = contexts[name]
    if isinstance(variable, Periodic):
        step = variable.period / 8 if variable.period in (24, 360) else None
        if step:
            (ax.xaxis if which == "x" else ax.yaxis).set_major_locator(MultipleLocator(step))


def _spans(found: Policy, row: PolicyRow, name: str) -> list[tuple[float, float]]:
    """Where a region is on the axis of a variable: one stretch or several."""
    contexts = found.contexts
    domain = contexts._domain(name)
    first, last = domain.ends
    half = domain.spacing / 2
    extent = found.extent(row, name)
    if isinstance(extent, list):
        places = sorted(contexts._coordinate(name, value) for value in extent)
        spans: list[tuple[float, float]] = []
        for place in places:
            if spans and spans[-1][1] == place - 0.5:
                spans[-1] = (spans[-1][0], place + 0.5)
            else:
                spans.append((place - 0.5, place + 0.5))
        return spans
    low, high = (float(end) for end in extent)
    if low > high:  # through the end of the period
        return [(first - half, high + half), (low - half, last + half)]
    return [(low - half, high + half)]


def _may_share(found: Policy, first: int, second: int) -> bool:
    """Whether two regions may have the same best setting."""
    return second in found.rows[first].may_share or first in found.rows[second].may_share


def _policy_1d(found: Policy, parameter: str, result: Result | None, ax: Axes) -> None:
    (name,) = found.contexts
    spans = [(number, *span) for number, row in enumerate(found.rows) for span in _spans(found, row, name)]
    spans.sort(key=lambda each: each[1])
    _label_axis(ax, "y", found.space, parameter)
    _label_context(ax, "x", found.contexts, name)
    _draw_region_bars(found, spans, ax)
    if result is not None:
        _draw_pulls(result, name, parameter, ax)
    labels = {True: "may be the same", False: ""}
    for (number, _, border), (other, _, _) in itertools.pairwise(spans):
        is_dotted = _may_share(found, number, other)
        style: Any = (0, (1, 2.5)) if is_dotted else "-"
        ax.axvline(border, color="#6a6a6a", linewidth=0.8, linestyle=style, zorder=2, label=labels[is_dotted] or None)
        labels[is_dotted] = ""
    label: str | None = "best setting"
    for number, low, high in spans:
        arm = found.rows[number].arm
        if arm is not None:
            heights = [_position(found.space, parameter, arm[parameter])] * 2
            ax.plot([low, high], heights, color="white", linewidth=5, solid_capstyle="butt", zorder=3)
            ax.plot([low, high], heights, color=COLOURS[1], linewidth=3, solid_capstyle="butt", zorder=4, label=label)
            label = None
    ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.14), ncols=3, frameon=False, fontsize="small")


def _draw_region_bars(found: Policy, spans: list[tuple[int, float, float]], ax: Axes) -> None:
    """How many pulls were in each region, as bars above the picture."""
    strip = ax.inset_axes((0.0, 1.02, 1.0, 0.13), sharex=ax)
    strip.set_axis_off()
    most = max(1, *(row.pulls for row in found.rows))
    strip.set_ylim(0, 1.7 * most)
    has_number: set[int] = set()
    for number, low, high in sorted(spans, key=lambda each: each[1] - each[2]):  # the widest part has the number
        pulls = found.rows[number].pulls
        strip.bar([low], [pulls], width=high - low, align="edge", color=GREY, alpha=0.45, edgecolor="white")
        (left, _), (right, top) = (strip.transData - strip.transAxes).transform([(low, 0), (high, pulls)])
        if number in has_number or right - left < 0.012 * (1 + len(str(pulls))):  # or there is no room
            continue
        has_number.add(number)
        words = _count(pulls, "pull") if right - left > 0.15 else str(pulls)
        text = strip.text((left + right) / 2, top + 0.05, words, transform=strip.transAxes, ha="center")
        text.set(color="#5a5a5a", fontsize="small")


def _draw_pulls(result: Result, name: str, parameter: str, ax: Axes) -> None:
    """Every pull, coloured by what it earned."""
    contexts = result.optimizer.contexts
    shown = [episode for episode in result.episodes if episode.context is not None]
    if not shown:
        return
    means = [sum(episode.rewards) / len(episode.rewards) for episode in shown]
    ranked = sorted(means)
    scale = matplotlib.colors.Normalize(ranked[len(ranked) // 50], ranked[-1 - len(ranked) // 50])
    xs = [contexts._within(name, context[name]) for context in (episode.context for episode in shown) if context]
    ys = [_position(result.space, parameter, episode.arm[parameter]) for episode in shown]
    colours = _colours(result.optimizer)
    ax.scatter(xs, ys, s=9, c=means, cmap=colours, norm=scale, alpha=0.55, linewidths=0)
    what = "reward" if result.optimizer.direction == "maximize" else "cost"
    ax.figure.colorbar(matplotlib.cm.ScalarMappable(scale, colours), ax=ax, label=f"{what} of a pull", extend="both")


def _policy_2d(found: Policy, parameter: str, ax: Axes) -> None:
    across, up = found.contexts
    settings = [_position(found.space, parameter, row.arm[parameter]) for row in found.rows if row.arm]
    domain = found.space._domain(parameter)
    is_log = bool(getattr(found.space[parameter], "log", False))
    kind: Any = matplotlib.colors.LogNorm if is_log else matplotlib.colors.Normalize
    scale: Any = kind(*domain.ends) if domain.is_ordered else None
    if scale is not None and max(settings) > min(settings):
        scale = kind(min(settings), max(settings))
    colours = matplotlib.colormaps["viridis"]

    def colour_of(row: PolicyRow) -> Any:
        if row.arm is None:
            return "#e8e8e8"
        place = _position(found.space, parameter, row.arm[parameter])
        return colours(scale(place)) if scale is not None else COLOURS[round(place) % len(COLOURS)]

    _label_context(ax, "x", found.contexts, across)
    _label_context(ax, "y", found.contexts, up)
    for row in found.rows:
        labelled = False
        for (left, right), (bottom, top) in itertools.product(_spans(found, row, across), _spans(found, row, up)):
            ax.add_patch(
                Rectangle((left, bottom), right - left, top - bottom, facecolor=colour_of(row), edgecolor="white")
            )
            if not labelled:
                labelled = _label_box(found, row, parameter, (left, right, bottom, top), colour_of(row), ax)
    if scale is not None:
        mapped = matplotlib.cm.ScalarMappable(scale, colours)
        ax.figure.colorbar(mapped, ax=ax, label=parameter)
    else:
        places = sorted({round(place) for place in settings})
        patches = [
            Rectangle(
                (0, 0), 1, 1, color=COLOURS[place % len(COLOURS)], label=str(found.space._value(parameter, place))
            )
            for place in places
        ]
        ax.legend(handles=patches, title=parameter, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)


def _label_box(
    found: Policy, row: PolicyRow, parameter: str, box: tuple[float, float, float, float], colour: Any, ax: Axes
) -> bool:
    """Writes the setting and the number of pulls into a box of a map, if there is room."""
    to_share = ax.transData - ax.transAxes  # of the axes, whatever their scales
    (left, bottom), (right, top) = to_share.transform([(box[0], box[2]), (box[1], box[3])])
    if right - left < 0.1 or top - bottom < 0.09:
        return False
    red, green, blue, _ = matplotlib.colors.to_rgba(colour)
    ink = "black" if 0.3 * red + 0.59 * green + 0.11 * blue > 0.5 else "white"
    text = "nothing yet" if row.arm is None else f"{_text_of(row.arm[parameter])}\n{_count(row.pulls, 'pull')}"
    where = ((left + right) / 2, (bottom + top) / 2)
    ax.text(*where, text, transform=ax.transAxes, ha="center", va="center", color=ink, fontsize="small")
    return True


def _text_of(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _policy_rows(found: Policy, parameter: str | None, ax: Axes | None) -> Axes:
    """A row for each region: where it is, its setting, what that earns and how many pulls there were."""
    names = list(found.space) if parameter is None else [parameter]
    columns = [*found.contexts, *names, "mean", "pulls"]
    if ax is None:
        size = (1.9 * len(columns) + 0.6, 0.42 * len(found.rows) + 1.1)
        _, ax = plt.subplots(figsize=size, layout="constrained")
    ax.set_axis_off()
    ax.set_xlim(-0.05, len(columns))
    ax.set_ylim(len(found.rows) - 0.4, -1.0)
    for column, head in enumerate(columns):
        weight = "bold" if head in names else "normal"
        ax.text(column + 0.44, -0.62, head, ha="center", va="center", fontsize="small", weight=weight)
    most = max(1, *(row.pulls for row in found.rows))
    for height, row in enumerate(found.rows):
        for column, name in enumerate(found.contexts):
            _draw_extent(found, row, name, (column, height), ax)
        for column, name in enumerate(names, start=len(found.contexts)):
            if row.arm:
                _draw_setting(found.space, name, row.arm[name], (column, height), ax)
        _draw_mean(found, row, (len(columns) - 2, height), ax)
        _draw_count(row.pulls, most, (len(columns) - 1, height), ax)
    return ax


TRACK = "#ececec"


def _draw_extent(found: Policy, row: PolicyRow, name: str, at: tuple[float, float], ax: Axes) -> None:
    """The range of a region along a variable, on a track that is all of it."""
    column, height = at
    domain = found.contexts._domain(name)
    ax.add_patch(Rectangle((column, height - 0.36), 0.88, 0.22, color=TRACK, linewidth=0))
    first, last = domain.ends
    half = domain.spacing / 2

    def share(place: float) -> float:
        if domain.count is None:
            return domain.share(min(max(place, first), last))
        return (place - first + half) / (last - first + 2 * half)

    for low, high in _spans(found, row, name):
        colour = COLOURS[0] if name in row.where else "#bcd3e6"
        left, right = share(low), share(high)
        ax.add_patch(
            Rectangle((column + 0.88 * left, height - 0.36), 0.88 * (right - left), 0.22, color=colour, linewidth=0)
        )
    extent = row.where.get(name)
    if extent is None:
        text = "any"
    elif isinstance(extent, list):
        text = ", ".join(map(str, extent))
    else:
        low_text, high_text = (_text_of(end) for end in extent)
        text = low_text if extent[0] == extent[1] else f"{low_text} to {high_text}"
    ax.text(column + 0.44, height + 0.08, text, ha="center", va="center", fontsize="small", color="#4a4a4a")


def _draw_count(pulls: int, most: int, at: tuple[float, float], ax: Axes) -> None:
    column, height = at
    ax.add_patch(Rectangle((column, height - 0.36), 0.88 * pulls / most, 0.22, color=GREY, alpha=0.6, linewidth=0))
    ax.text(column + 0.44, height + 0.08, str(pulls), ha="center", va="center", fontsize="small", color="#4a4a4a")


def _draw_setting(space: Space, name: str, value: Any, at: tuple[float, float], ax: Axes) -> None:
    """A setting as a dot on the track of its parameter."""
    column, height = at
    share = space._domain(name).share(_position(space, name, value))
    ax.add_patch(Rectangle((column, height - 0.27), 0.88, 0.04, color=TRACK, linewidth=0))
    ax.plot([column + 0.88 * share], [height - 0.25], marker="o", color=COLOURS[1], markersize=6)
    ax.text(column + 0.44, height + 0.08, _text_of(value), ha="center", va="center", fontsize="small", weight="bold")


def _draw_mean(found: Policy, row: PolicyRow, at: tuple[float, float], ax: Axes) -> None:
    """What the setting has earned, with the interval, on the scale of all rows."""
    if row.mean is None:
        return
    known = [each for each in found.rows if each.mean is not None]
    ends = [end for each in known for end in (each.lower, each.upper, each.mean) if end is not None]
    least, most = min(ends), max(ends)
    column, height = at

    def across(number: float) -> float:
        return column + 0.88 * ((number - least) / (most - least) if most > least else 0.5)

    if row.lower is not None and row.upper is not None:
        ends_here = [across(row.lower), across(row.upper)]
        ax.plot(ends_here, [height - 0.25] * 2, color=COLOURS[2], linewidth=2, alpha=0.5, solid_capstyle="butt")
    ax.plot([across(row.mean)], [height - 0.25], marker="|", color=COLOURS[2], markersize=9, markeredgewidth=2)
    ax.text(
        column + 0.44, height + 0.08, f"{row.mean:.4g}", ha="center", va="center", fontsize="small", color="#4a4a4a"
    )
