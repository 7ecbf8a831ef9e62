"""Plots with matplotlib. Functions with one panel draw into `ax`, or into a new figure, and return the axes; those with
several panels, `experiment`, `pairs` and `slices`, draw into `figure`, or into a new one, and return it.

`estimate`, `pairs`, `slices` and `tree` take a Result, an optimizer, a study or a sampler for Optuna; `policy` and
`level_effect` take a Result, an optimizer, a study or a Policy; `pulls` and `switches` need a Result, because they show
the order of pulls; `canopy.load_result(name)` returns the Result of a study, even while another process writes to it.

Everything that differs by colour also differs by dashes, markers or hatching.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import MaxNLocator

from . import _canopy, _plot_estimate, _plot_policy
from ._optimizers import Node, arm_text
from ._plot_estimate import Look, children_of
from ._plot_parts import (
    COLOURS,
    GREY,
    NO_PULLS,
    checked_names,
    colours_of,
    count_text,
    draw_pulls,
    figure_for,
    label_of,
    label_pulls,
    legend_above,
    legend_name,
    line_style,
    new_axes,
    plain,
    require_one_panel,
    whole_figure,
    write_plain_numbers,
)
from ._policy import Policy
from ._result import Result
from ._simulation import Simulation
from ._space import Space

__all__ = [
    "estimate",
    "experiment",
    "level_effect",
    "pairs",
    "policy",
    "pulls",
    "regret",
    "slices",
    "switches",
    "tree",
]


def estimate(
    searched: Any,
    *,
    parameters: str | Sequence[str] | None = None,
    truth: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Draws the estimate of the function, and the pulls.

    One parameter: the estimate over each cell of the tree; the model's interval as a band; the intervals of the twenty
    arms with the most pulls, from their own rewards, as whiskers; the number of pulls as bars. For optimizers without a
    model, the band is the interval of the cell's arm, and cells without one are hatched. Wide intervals of arms with
    few pulls may be cut off. `truth`, a function of the parameter or two lists of values and means, is drawn as well.
    Two parameters: a map of the estimate, with dots for pulls; cells without pulls are hatched. More parameters: the
    grid of `pairs`; returns its first panel. `parameters="x"` or `parameters=("x", "y")` draws only these, with the
    other parameters as in the best arm.
    """
    optimizer = _optimizer_of(searched)
    names = _names_to_draw(optimizer, parameters)
    require_one_panel(names, ax)
    if truth is not None and len(names) > 1:
        raise ValueError("truth: can only be drawn for a single parameter")
    if len(names) > 2:
        return pairs(searched, parameters=parameters).axes[0]
    look = _look_at(searched, optimizer)
    ax = ax or new_axes()
    if len(names) == 1:
        _plot_estimate.draw_curve(look, names[0], ax, truth)
    else:
        cells = _plot_estimate.draw_map(look, names, ax)
        hatched = "\n(hatched: no pulls in the cell)" if NO_PULLS in ax.get_legend_handles_labels()[1] else ""
        ax.figure.colorbar(cells, ax=ax, label=f"{label_of(optimizer)}{hatched}")
        ax.set_title(count_text(look.pulls, "pull"))
    legend_above(ax, 3, but=NO_PULLS)
    if len(names) < len(optimizer.space):
        _say_cut(look, names, ax)
    return ax


def pairs(
    searched: Any, *, parameters: Sequence[str] | None = None, figure: Figure | SubFigure | None = None
) -> Figure:
    """Draws the estimate of several parameters: a map for each pair, and a curve for each on the diagonal.

    All panels are cuts through the best arm. By default at most six parameters are shown: the most important ones
    according to the model, or the first six.
    """
    look, names, note = _panels_of(searched, parameters)
    if len(names) < 2:
        raise ValueError("pairs: there is only one parameter; canopy.plot.estimate draws it")
    side = 2.3 * len(names)
    part = figure_for(figure, side + 1.6, side + 0.8)
    _plot_estimate.draw_pairs(look, names, part, note)
    return whole_figure(part)


def slices(
    searched: Any, *, parameters: Sequence[str] | None = None, figure: Figure | SubFigure | None = None
) -> Figure:
    """Draws the estimate along each parameter, with the other parameters as in the best arm, on a common scale.

    Bands, whiskers and bars are as in `estimate`, and `parameters` as in `pairs`.
    """
    look, names, note = _panels_of(searched, parameters)
    part = figure_for(figure, 4.0 * min(3, len(names)), 3.2 * math.ceil(len(names) / 3) + 0.7)
    _plot_estimate.draw_slices(look, names, part, note)
    return whole_figure(part)


def pulls(result: Any, *, parameters: str | Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    """Draws the pulls: over time for one parameter, on a map for two; the colour is the mean reward.

    More parameters are drawn over time, each in its own panel; returns the first panel. `parameters="x"` or
    `parameters=("x", "y")` draws only these.
    """
    result = _result_of(result)
    names = checked_names(result.space, parameters)
    require_one_panel(names, ax)
    means = [sum(episode.rewards) / len(episode.rewards) for episode in result.episodes]
    scale = matplotlib.colors.Normalize(min(means), max(means))
    if len(names) > 2:
        _, panels = plt.subplots(
            len(names), 1, figsize=(7.0, 1.7 * len(names) + 0.6), layout="constrained", sharex=True, squeeze=False
        )
        drawn = list(panels.flat)
        for panel, name in zip(drawn, names):
            draw_pulls(result, [name], panel, scale)
            panel.spines[["top", "right"]].set_visible(False)
        for panel in drawn[:-1]:
            panel.set_xlabel("")
    else:
        drawn = [ax or new_axes()]
        draw_pulls(result, names, drawn[0], scale)
    ax = drawn[0]
    opaque = matplotlib.cm.ScalarMappable(scale, colours_of(result.optimizer))
    ax.figure.colorbar(opaque, ax=drawn, label=f"{label_of(result.optimizer)} of an episode")
    legend_above(ax)
    ax.set_title(f"{count_text(result.pulls, 'pull')} in {count_text(len(result.episodes), 'episode')}")
    return ax


def switches(results: Any, *, ax: Axes | None = None) -> Axes:
    """Draws the number of changes of the arm over time, a line for each Result."""
    ax = ax or new_axes()
    named = _named(results, Result, "what maximize returned")
    for number, (name, result) in enumerate(named.items()):
        changes, last = [], None
        for episode in result.episodes:
            if episode.arm != last:
                changes.append(episode.first)
                last = episode.arm
        steps = [*changes, result.pulls]
        counts = [*range(1, len(changes) + 1), len(changes)]
        style = line_style(number, len(named))
        ax.step(steps, counts, where="post", label=legend_name(name), **style)
    label_pulls(ax)
    ax.set_ylabel("changes of arm")
    ax.set_xlim(left=0)
    ax.set_ylim(bottom=0)
    if any(named):
        ax.legend(handlelength=3.5)
    return ax


def regret(runs: Any, *, optimum: float | None = None, realised: bool = False, ax: Axes | None = None) -> Axes:
    """Draws regret per step: the mean over runs and its 95 % band.

    `runs` is a Simulation, or several in a list or a dictionary with names. The pseudo-regret f* - f(arm) is drawn, or
    with `realised` the regret f* - reward. Results can be drawn as well if `optimum`, the mean reward of the best arm,
    is given: they only have the realised regret. The axis names the kind of regret; if both are drawn, the labels do.
    """
    ax = ax or new_axes()
    curves = _named(runs, (Simulation, Result), "what simulate or maximize returned")
    kinds = {_kind_of_regret(run, realised) for run in curves.values()}
    has_band = False
    for number, (name, run) in enumerate(curves.items()):
        if isinstance(run, Result):
            if optimum is None:
                raise ValueError("optimum: is missing; the regret of a Result needs the mean reward of the best arm")
            steps, means, lows, highs = _realised_curve(run, optimum)
        else:
            name = name or f"{run.optimizer} on {run.environment}"
            steps, means, lows, highs = _simulated_curve(run, realised)
        if len(kinds) > 1:
            name = f"{name} ({_kind_of_regret(run, realised)})"
        style = line_style(number, len(curves))
        (line,) = ax.plot(steps, means, label=legend_name(name), **style)
        if lows:
            has_band = True
            ax.fill_between(steps, lows, highs, color=line.get_color(), alpha=0.15, linewidth=0)
    _use_log_scales(ax)
    ax.set_xlabel("steps")
    ax.set_ylabel(_REGRETS[kinds.pop()] if len(kinds) == 1 else "regret per step")
    if ax.get_legend_handles_labels()[1]:
        title = "mean, with its 95 % band" if has_band else None
        ax.legend(title=title, title_fontsize="small", handlelength=3.5)
    return ax


def tree(searched: Any, *, ax: Axes | None = None) -> Axes:
    """Draws the cover tree: each node is above the middle of its cell; the size of its dot shows its pulls.

    With a single real parameter, the axis has its values. Otherwise the children of a node have equal widths.
    """
    optimizer = _optimizer_of(searched)
    _refuse_contexts(optimizer)
    nodes = optimizer.tree()
    if not nodes:
        raise ValueError(f"{optimizer!r} has no tree")
    ax = ax or new_axes()
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
            cmap=colours_of(optimizer),
            linewidths=0,
            zorder=3,
        )
        ax.figure.colorbar(dots, ax=ax, label=label_of(optimizer))
    ax.set_xlim(-0.02, 1.02)
    deepest = max(node.depth for node in nodes)
    ax.set_ylim(deepest + 0.7, -0.7)
    ax.set_ylabel("depth")
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    if has_values:
        _label_values(ax, optimizer.space)
    else:
        most = max((len(parts) for parts in children_of(nodes).values()), default=2)
        ax.set_xlabel(
            "left half, right half" if most == 2 else f"up to {most} parts of each node, the first to the left"
        )
        ax.set_xticks([])
    ax.set_title(f"{count_text(len(nodes), 'node')}, {count_text(optimizer.summary().t - 1, 'pull')}")
    return ax


def experiment(
    measured: Any,
    *,
    realised: bool | None = None,
    ax: Axes | None = None,
    figure: Figure | SubFigure | None = None,
) -> Figure:
    """Draws regret per step of all algorithms of an `Experiment`, with 95 % bands, in a panel for every environment.

    The kind of regret is the compared one unless `realised` is given. Draws into `figure`, or into a new one, and
    returns it; with a single environment it can also draw into `ax`, and returns its figure. With more than six
    algorithms, the legend is below the panels.
    """
    environments = measured.environments
    if ax is not None:
        if figure is not None:
            raise ValueError("ax: give ax or figure, not both")
        if len(environments) > 1:
            raise ValueError(f"ax: there is a panel for each of {', '.join(environments)}; give a figure instead")
        _draw_comparison(ax, measured, environments[0], realised)
        ax.legend(handlelength=3.5)
        return whole_figure(ax.figure)
    columns = min(3, len(environments))
    rows = math.ceil(len(environments) / columns)
    part = figure_for(figure, 5.4 * columns, 3.9 * rows)
    axes = part.subplots(rows, columns, squeeze=False)
    for spare in axes.flat[len(environments) :]:
        spare.remove()
    for panel, environment in zip(axes.flat, environments):
        _draw_comparison(panel, measured, environment, realised)
    if len(measured.algorithms) > 6:
        lines, names = axes.flat[0].get_legend_handles_labels()
        place: Any = {"loc": "outside lower center", "ncols": min(len(names), 4 * columns), "frameon": False}
        part.legend(lines, names, handlelength=3.5, **place)
    else:
        axes.flat[0].legend(handlelength=3.5)
    return whole_figure(part)


def policy(searched: Any, *, parameter: str | None = None, ax: Axes | None = None) -> Axes:
    """Draws the best setting in every context.

    One context: a line for the setting of each region, and bars for the number of pulls; the border of two regions is
    dotted if both may have the same best setting. The pulls of a Result are drawn as dots. Two contexts: a map of the
    regions, coloured by the setting, with its value and the number of pulls. With several parameters, `parameter`
    selects the one to draw. Without it, and with three contexts: a row for each region, with its ranges, its setting
    and its reward.
    """
    found, result = _policy_of(searched)
    if parameter is not None and parameter not in found.space:
        raise ValueError(f"parameter: the space has no {parameter!r}; it has {', '.join(found.space)}")
    if parameter is None and len(found.space) == 1:
        parameter = next(iter(found.space))
    if all(row.arm is None for row in found.rows):
        raise ValueError("there is nothing to draw: there are no rewards yet")
    if parameter is None or len(found.contexts) > 2:
        return _plot_policy.draw_rows(found, parameter, ax)
    ax = ax or new_axes()
    if len(found.contexts) == 1:
        _plot_policy.draw_line(found, parameter, result, ax)
    else:
        _plot_policy.draw_map(found, parameter, ax)
    return ax


def level_effect(searched: Any, *, variable: str | None = None, ax: Axes | None = None) -> Axes:
    """Draws the effect of a context on the rewards of all arms, which is subtracted before they are learnt.

    With several contexts, `variable` selects one.
    """
    found, _ = _policy_of(searched)
    if variable is None and len(found.contexts) == 1:
        variable = next(iter(found.contexts))
    if variable is None or variable not in found.contexts:
        raise ValueError(f"variable = {variable!r}: must be one of {', '.join(found.contexts)}")
    ax = ax or new_axes()
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
    _plot_policy.label_context(ax, "x", contexts, variable)
    ax.set_ylabel("added to all rewards")
    return ax


# --- arguments ---


def _optimizer_of(searched: Any) -> Any:
    optimizer = getattr(searched, "optimizer", searched)
    if not hasattr(optimizer, "tree"):
        raise ValueError(f"{searched!r}: must be a Result, an optimizer, a study or a sampler with trials")
    return optimizer


def _refuse_contexts(optimizer: Any) -> None:
    """Refuses optimizers with contexts, which have a tree for each region."""
    if getattr(optimizer, "contexts", None) is not None:
        raise ValueError(f"{optimizer!r} has contexts; canopy.plot.policy draws the best setting in each of them")


def _names_to_draw(optimizer: Any, parameters: str | Sequence[str] | None) -> list[str]:
    _refuse_contexts(optimizer)
    return checked_names(optimizer.space, parameters)


def _look_at(searched: Any, optimizer: Any) -> Look:
    """Takes a snapshot of an optimizer. Raises ValueError if there is nothing to draw."""
    look = Look(searched, optimizer)
    if not look.nodes:
        raise ValueError(f"{optimizer!r} has no tree; canopy.plot.pulls draws its pulls")
    if not look.nodes[0].cell:
        raise ValueError(f"{optimizer!r} has a user-defined partition; canopy.plot.pulls draws its pulls")
    if not any(node.pulls for node in look.nodes):
        raise ValueError(f"there is nothing to draw: {optimizer!r} has no pulls")
    return look


def _panels_of(searched: Any, parameters: Sequence[str] | None) -> tuple[Look, list[str], str]:
    """The parameters of a grid, and a note if there are more."""
    optimizer = _optimizer_of(searched)
    names = _names_to_draw(optimizer, parameters)
    look = _look_at(searched, optimizer)
    if parameters:
        return look, names, ""
    return look, *look.leading(_plot_estimate.MOST_PANELS)


def _say_cut(look: Look, names: Sequence[str], ax: Axes) -> None:
    """Labels the axis with the values of the parameters that are not shown."""
    what, arm = look.centre
    others = {name: value for name, value in arm.items() if name not in names}
    ax.set_xlabel(plain(f"{names[0]}\n(others as in {what}: {arm_text(others)})"))


def _policy_of(searched: Any) -> tuple[Policy, Result | None]:
    """A policy, and its pulls if they are known."""
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


def _named(given: Any, kinds: Any, what: str) -> dict[str, Any]:
    """One value or several, by their names."""
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


# --- parts ---


def _middles_of_parts(nodes: list[Node]) -> dict[str, float]:
    """The position of every node in [0, 1], by its path: the children of a node share its interval equally."""
    ends = {"": (0.0, 1.0)}
    for path, parts in sorted(children_of(nodes).items(), key=lambda pair: len(pair[0])):
        low, high = ends[path]
        width = (high - low) / len(parts)
        for number, part in enumerate(parts):
            ends[part] = (low + number * width, low + (number + 1) * width)
    return {path: (low + high) / 2 for path, (low, high) in ends.items()}


def _has_values(space: Space, nodes: list[Node]) -> bool:
    """Whether positions of nodes are values of the only parameter."""
    return len(space) == 1 and space._domain(next(iter(space))).count is None and bool(nodes[0].cell)


def _middles_of_cells(space: Space, nodes: list[Node]) -> dict[str, float]:
    """The middle of every node's cell as a share of the range of the only parameter, by its path."""
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
    """The kind of regret: of the arms, or of the rewards; a Result only has the second."""
    return "realised" if realised or isinstance(run, Result) else "pseudo"


def _draw_comparison(ax: Axes, measured: Any, environment: str, realised: bool | None) -> None:
    is_realised = measured.regrets[environment] == "realised" if realised is None else realised
    if not is_realised and any(row.regret is None for row in measured.rows if row.environment == environment):
        raise ValueError(f"realised = False: the pseudo-regret on {environment} is not known, because the mean is not")
    curves = {name: measured.curve(environment, name, realised=is_realised) for name in measured.algorithms}
    for number, (name, curve) in enumerate(curves.items()):
        style = line_style(number, len(curves))
        (line,) = ax.plot(curve.steps, curve.means, label=legend_name(name), **style)
        ax.fill_between(curve.steps, curve.lows, curve.highs, color=line.get_color(), alpha=0.15, linewidth=0)
    _use_log_scales(ax)
    ax.set_title(plain(environment))
    ax.set_xlabel("steps")
    kind = "realised" if is_realised else "pseudo"
    known = measured.optima[environment] is not None
    ax.set_ylabel(_REGRETS[kind] if known else "minus the mean reward (f* unknown)")
    ax.spines[["top", "right"]].set_visible(False)


def _use_log_scales(ax: Axes) -> None:
    """Sets log scales for steps and positive regret. Limits fit the lines, because a band may reach down to 0."""
    ax.set_xscale("log")
    lines: Any = ax.get_lines()
    values = [float(value) for line in lines for value in line.get_ydata()]
    if min(values, default=0.0) > 0:
        ax.set_yscale("log")
        ax.set_ylim(bottom=max(ax.get_ylim()[0], 0.5 * min(values)))
        write_plain_numbers(ax.yaxis, *ax.get_ylim())


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
