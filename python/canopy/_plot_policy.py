"""Plots of policies: the best setting in every context."""

from __future__ import annotations

import itertools
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FuncFormatter, MultipleLocator, NullFormatter

from ._plot_parts import (
    COLOURS,
    DARK_GREY,
    GREY,
    HATCHES,
    colours_of,
    count_text,
    label_axis,
    legend_name,
    plain,
    position,
    value_text,
)
from ._policy import Policy, PolicyRow
from ._result import Result
from ._space import Contexts, Periodic, Space


def label_context(ax: Axes, which: str, contexts: Contexts, name: str) -> None:
    """An axis with the values of a context; hours of a day have ticks every six hours."""
    label_axis(ax, which, contexts, name)
    variable = contexts[name]
    if isinstance(variable, Periodic):
        step = variable.period / 8 if variable.period in (24, 360) else None
        if step:
            (ax.xaxis if which == "x" else ax.yaxis).set_major_locator(MultipleLocator(step))


def _spans(found: Policy, row: PolicyRow, name: str) -> list[tuple[float, float]]:
    """The intervals of a region on the axis of a variable."""
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
    if low > high:  # wraps around the end of the period
        return [(first - half, high + half), (low - half, last + half)]
    return [(low - half, high + half)]


def _may_share(found: Policy, first: int, second: int) -> bool:
    """Whether two regions may have the same best setting."""
    return second in found.rows[first].may_share or first in found.rows[second].may_share


def draw_line(found: Policy, parameter: str, result: Result | None, ax: Axes) -> None:
    (name,) = found.contexts
    spans = [(number, *span) for number, row in enumerate(found.rows) for span in _spans(found, row, name)]
    spans.sort(key=lambda each: each[1])
    label_axis(ax, "y", found.space, parameter)
    label_context(ax, "x", found.contexts, name)
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
            heights = [position(found.space, parameter, arm[parameter])] * 2
            ax.plot([low, high], heights, color="white", linewidth=5, solid_capstyle="butt", zorder=3)
            ax.plot([low, high], heights, color=COLOURS[1], linewidth=3, solid_capstyle="butt", zorder=4, label=label)
            label = None
    ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.14), ncols=3, frameon=False, fontsize="small")


def _draw_region_bars(found: Policy, spans: list[tuple[int, float, float]], ax: Axes) -> None:
    """Draws the number of pulls in each region as bars above the plot."""
    strip = ax.inset_axes((0.0, 1.02, 1.0, 0.13), sharex=ax)
    strip.set_axis_off()
    most = max(1, *(row.pulls for row in found.rows))
    strip.set_ylim(0, 1.7 * most)
    has_number: set[int] = set()
    for number, low, high in sorted(spans, key=lambda each: each[1] - each[2]):  # the widest interval has the label
        pulls = found.rows[number].pulls
        strip.bar([low], [pulls], width=high - low, align="edge", color=GREY, alpha=0.45, edgecolor="white")
        (left, _), (right, top) = (strip.transData - strip.transAxes).transform([(low, 0), (high, pulls)])
        if number in has_number or right - left < 0.012 * (1 + len(str(pulls))):  # no room for the label
            continue
        has_number.add(number)
        words = count_text(pulls, "pull") if right - left > 0.15 else str(pulls)
        text = strip.text((left + right) / 2, top + 0.05, words, transform=strip.transAxes, ha="center")
        text.set(color=DARK_GREY, fontsize="small")


def _draw_pulls(result: Result, name: str, parameter: str, ax: Axes) -> None:
    """Draws every pull, coloured by its reward."""
    contexts = result.optimizer.contexts
    shown = [episode for episode in result.episodes if episode.context is not None]
    if not shown:
        return
    means = [sum(episode.rewards) / len(episode.rewards) for episode in shown]
    ranked = sorted(means)
    scale = matplotlib.colors.Normalize(ranked[len(ranked) // 50], ranked[-1 - len(ranked) // 50])
    xs = [contexts._within(name, context[name]) for context in (episode.context for episode in shown) if context]
    ys = [position(result.space, parameter, episode.arm[parameter]) for episode in shown]
    colours = colours_of(result.optimizer)
    ax.scatter(xs, ys, s=9, c=means, cmap=colours, norm=scale, alpha=0.55, linewidths=0)
    what = "reward" if result.optimizer.direction == "maximize" else "cost"
    ax.figure.colorbar(matplotlib.cm.ScalarMappable(scale, colours), ax=ax, label=f"{what} of a pull", extend="both")


def draw_map(found: Policy, parameter: str, ax: Axes) -> None:
    across, up = found.contexts
    settings = [position(found.space, parameter, row.arm[parameter]) for row in found.rows if row.arm]
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
        place = position(found.space, parameter, row.arm[parameter])
        return colours(scale(place)) if scale is not None else COLOURS[round(place) % len(COLOURS)]

    def hatch_of(row: PolicyRow) -> str:
        """The hatching of a choice, in addition to its colour."""
        if row.arm is None or scale is not None:
            return ""
        return HATCHES[round(position(found.space, parameter, row.arm[parameter])) % len(HATCHES)]

    label_context(ax, "x", found.contexts, across)
    label_context(ax, "y", found.contexts, up)
    for row in found.rows:
        labelled = False
        for (left, right), (bottom, top) in itertools.product(_spans(found, row, across), _spans(found, row, up)):
            style: Any = {"facecolor": colour_of(row), "edgecolor": "white", "hatch": hatch_of(row)}
            ax.add_patch(Rectangle((left, bottom), right - left, top - bottom, **style))
            if not labelled:
                labelled = _label_box(found, row, parameter, (left, right, bottom, top), colour_of(row), ax)
    if scale is not None:
        mapped = matplotlib.cm.ScalarMappable(scale, colours)
        bar = ax.figure.colorbar(mapped, ax=ax, label=plain(parameter))
        places = sorted(set(settings))
        if len(places) <= 8:
            bar.set_ticks(places)
        bar.ax.yaxis.set_minor_formatter(NullFormatter())
        bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.4g}"))
    else:
        patches = [
            Patch(
                facecolor=COLOURS[place % len(COLOURS)],
                edgecolor="white",
                hatch=HATCHES[place % len(HATCHES)],
                label=legend_name(found.space._value(parameter, place)),
            )
            for place in sorted({round(place) for place in settings})
        ]
        ax.legend(handles=patches, title=plain(parameter), loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)


def _label_box(
    found: Policy, row: PolicyRow, parameter: str, box: tuple[float, float, float, float], colour: Any, ax: Axes
) -> bool:
    """Writes the setting and the number of pulls into a box of a map, if there is room."""
    to_share = ax.transData - ax.transAxes  # share of the axes, for any scale
    (left, bottom), (right, top) = to_share.transform([(box[0], box[2]), (box[1], box[3])])
    if right - left < 0.1 or top - bottom < 0.09:
        return False
    red, green, blue, _ = matplotlib.colors.to_rgba(colour)
    ink = "black" if 0.3 * red + 0.59 * green + 0.11 * blue > 0.5 else "white"
    text = "nothing yet" if row.arm is None else f"{value_text(row.arm[parameter])}\n{count_text(row.pulls, 'pull')}"
    where = ((left + right) / 2, (bottom + top) / 2)
    ax.text(
        *where,
        plain(text),
        transform=ax.transAxes,
        ha="center",
        va="center",
        color=ink,
        fontsize="small",
        bbox={"facecolor": colour, "edgecolor": "none", "pad": 2},  # text on hatching is not readable
    )
    return True


def draw_rows(found: Policy, parameter: str | None, ax: Axes | None) -> Axes:
    """Draws a row for each region: its contexts, its setting, its reward and the number of pulls."""
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
        ax.text(column + 0.44, -0.62, plain(head), ha="center", va="center", fontsize="small", weight=weight)
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
    """Draws the range of a region on a track that stands for the whole variable."""
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
        low_text, high_text = (value_text(end) for end in extent)
        text = low_text if extent[0] == extent[1] else f"{low_text} to {high_text}"
    ax.text(column + 0.44, height + 0.08, plain(text), ha="center", va="center", fontsize="small", color=DARK_GREY)


def _draw_count(pulls: int, most: int, at: tuple[float, float], ax: Axes) -> None:
    column, height = at
    ax.add_patch(Rectangle((column, height - 0.36), 0.88 * pulls / most, 0.22, color=GREY, alpha=0.6, linewidth=0))
    ax.text(column + 0.44, height + 0.08, str(pulls), ha="center", va="center", fontsize="small", color=DARK_GREY)


def _draw_setting(space: Space, name: str, value: Any, at: tuple[float, float], ax: Axes) -> None:
    """Draws a setting as a dot on the track of its parameter."""
    column, height = at
    share = space._domain(name).share(position(space, name, value))
    ax.add_patch(Rectangle((column, height - 0.27), 0.88, 0.04, color=TRACK, linewidth=0))
    ax.plot([column + 0.88 * share], [height - 0.25], marker="o", color=COLOURS[1], markersize=6)
    ax.text(
        column + 0.44,
        height + 0.08,
        plain(value_text(value)),
        ha="center",
        va="center",
        fontsize="small",
        weight="bold",
    )


def _draw_mean(found: Policy, row: PolicyRow, at: tuple[float, float], ax: Axes) -> None:
    """Draws the mean reward of a setting with its interval, on the scale of all rows."""
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
        column + 0.44, height + 0.08, f"{row.mean:.4g}", ha="center", va="center", fontsize="small", color=DARK_GREY
    )
