"""Parts that all plots share: colours and styles, axes, and checks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.patches import Patch
from matplotlib.patheffects import Normal, Stroke
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from ._canopy import Domain
from ._result import Result
from ._space import Contexts, Space

# A colour-blind safe palette (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f")
# Lines differ by more than colour, for colour-blind readers and black-and-white prints.
DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (6, 1.5, 1.5, 1.5, 1.5, 1.5)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
HATCHES = ("", "//", "..", "\\\\", "xx", "--", "oo")
NO_PULLS = "no pulls in the cell"
GREY = "#9a9a9a"
DARK_GREY = "#5a5a5a"


def line_style(number: int, count: int) -> dict[str, Any]:
    """The style of one of `count` lines: colour, dashes and markers, each of which is sufficient to identify it."""
    if count == 1:
        return {"color": COLOURS[0]}
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": DASHES[number % len(DASHES)],
        "marker": MARKERS[(number + number // len(MARKERS)) % len(MARKERS)],
        "markersize": 5,
        "markevery": (0.03 + 0.16 * number / count, 0.16),  # as shares of the axes; each line has its own offset
    }


def plain(text: Any) -> str:
    """Escapes a name, because matplotlib reads dollar signs as formulas."""
    return str(text).replace("$", r"\$")


def legend_name(text: Any) -> str | None:
    """A label of a legend, which would skip names that begin with an underscore; None for ""."""
    name = plain(text)
    return ("\u200a" + name if name.startswith("_") else name) or None  # a hair space


def new_axes() -> Axes:
    _, ax = plt.subplots(figsize=(7.0, 4.3), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def figure_for(figure: Figure | SubFigure | None, width: float, height: float) -> Figure | SubFigure:
    """The given figure, or a new one."""
    return plt.figure(figsize=(width, height), layout="constrained") if figure is None else figure


def whole_figure(part: Figure | SubFigure) -> Figure:
    while isinstance(part, SubFigure):
        part = part.figure
    return part


def label_of(optimizer: Any) -> str:
    return "mean reward" if optimizer.direction == "maximize" else "mean cost"


def colours_of(optimizer: Any) -> str:
    """The colour map: bright is good."""
    return "viridis" if optimizer.direction == "maximize" else "viridis_r"


def count_text(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def value_text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def legend_above(ax: Axes, columns: int = 2, but: str = "") -> None:
    """Adds a legend outside the axes, unless `NO_PULLS` would be its only entry."""
    entries = [(handle, label) for handle, label in zip(*legend_of([ax])) if label != but]
    if entries:
        place: Any = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": columns}
        ax.legend(*zip(*entries), frameon=False, fontsize="small", **place)


def legend_of(panels: Sequence[Axes]) -> tuple[list[Any], list[str]]:
    """The entries of the legends of some panels, without duplicates."""
    handles: dict[str, Any] = {}
    for ax in panels:
        for handle, label in zip(*ax.get_legend_handles_labels()):
            handles.setdefault(label, handle)
    if NO_PULLS in handles:  # its hatching is white
        handles[NO_PULLS] = Patch(facecolor="#8a8a8a", edgecolor="white", hatch="////")
    return list(handles.values()), list(handles)


def checked_names(space: Space, parameters: str | Sequence[str] | None) -> list[str]:
    """The parameters to draw: the named ones, or all."""
    names = [parameters] if isinstance(parameters, str) else list(parameters or space)
    for name in names:
        if name not in space:
            raise ValueError(f"parameters: the space has no {name!r}; it has {', '.join(space)}")
    if len(set(names)) < len(names):
        raise ValueError(f"parameters = {parameters!r}: each may be named once")
    return names


def require_one_panel(names: Sequence[str], ax: Axes | None) -> None:
    """Checks that `ax` is only given for one or two parameters."""
    if ax is not None and len(names) > 2:
        example = ", ".join(f'"{name}"' for name in names[:2])
        raise ValueError(f"ax: has one panel, not one for each of {', '.join(names)}; try parameters=({example})")


def position(space: Space | Contexts, name: str, value: Any) -> float:
    """The position of a value on an axis."""
    return space._coordinate(name, value)


def label_axis(ax: Axes, which: str, space: Space | Contexts, name: str, most_ticks: int | None = None) -> None:
    """Scale, ends and ticks of an axis, for the values of a parameter."""
    domain = space._domain(name)
    axis = ax.xaxis if which == "x" else ax.yaxis
    axis.set_label_text(plain(name))
    set_scale, set_limits = (ax.set_xscale, ax.set_xlim) if which == "x" else (ax.set_yscale, ax.set_ylim)
    if not domain.is_ordered:
        places = points_of(domain)
        labels = [plain(space._value(name, place)) for place in places]
        axis.set_ticks(places, labels)
        longest = 40 if most_ticks is None else 12
        if which == "x" and sum(map(len, labels)) > longest:
            plt.setp(ax.get_xticklabels(), rotation=25, ha="right")
    elif getattr(space[name], "log", False):
        set_scale("log")
        low, high = domain.ends
        write_plain_numbers(axis, low, high, most_ticks or 8)
    elif domain.spacing:
        axis.set_major_locator(MaxNLocator(most_ticks or "auto", integer=True))
    elif most_ticks is not None:
        axis.set_major_locator(MaxNLocator(most_ticks))
    low, high = domain.ends
    set_limits(low - domain.spacing / 2, high + domain.spacing / 2)


def write_plain_numbers(axis: Any, low: float, high: float, most_ticks: int = 8) -> None:
    """Formats numbers of a log axis as 0.01 and 100, unless powers are shorter."""
    if most_ticks < 8 or (low >= 1e-5 and high <= 1e5):
        subs = (1.0, 2.0, 5.0) if high / low < 50 else (1.0,)
        axis.set_major_locator(LogLocator(subs=subs, numticks=most_ticks + 1))
    if low >= 1e-5 and high <= 1e5:
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())


def points_of(domain: Domain, most: int = 1000) -> list[float]:
    """Positions along an axis, from one end to the other: all values, or some if there are too many."""
    if domain.count is None:
        return [domain.at(i / most) for i in range(most + 1)]
    return domain.grid(most if domain.is_ordered else domain.count)


def label_pulls(ax: Axes) -> None:
    ax.set_xlabel("pull")
    ax.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))


def draw_pulls(result: Result, names: Sequence[str], ax: Axes, scale: Any) -> None:
    """Draws the episodes, over time for one parameter, on a map for two; `scale` maps their means to colours."""
    space = result.space
    means = [sum(episode.rewards) / len(episode.rewards) for episode in result.episodes]
    sizes = [10 + 12 * math.log2(len(episode.rewards)) for episode in result.episodes]
    columns = [[position(space, name, episode.arm[name]) for episode in result.episodes] for name in names]
    if len(names) == 1:
        xs, ys = [float(episode.first) for episode in result.episodes], columns[0]
        label_pulls(ax)
    else:
        xs, ys = columns
        label_axis(ax, "x", space, names[0])
    label_axis(ax, "y", space, names[-1])
    best = result.best_or_none()
    if best and len(names) == 1:
        height = position(space, names[0], best.arm[names[0]])
        ax.axhline(height, color=COLOURS[1], linewidth=1, linestyle="-.", zorder=0, label="best")
    ax.scatter(
        xs,
        ys,
        s=sizes,
        c=means,
        cmap=colours_of(result.optimizer),
        norm=scale,
        alpha=0.7,
        edgecolors="black",
        linewidths=0.3,
    )
    if best and len(names) == 2:
        mark_best(ax, space, names, best.arm)


def mark_best(ax: Axes, space: Space, names: Sequence[str], arm: dict[str, Any], label: str = "best") -> None:
    x, y = (position(space, name, arm[name]) for name in names)
    draw_star(ax, x, y, label)


def draw_star(ax: Axes, x: float, y: float, label: str | None, size: float = 14) -> None:
    """Marks the best arm, with a black and a white edge for contrast on dark and bright areas."""
    halo = [Stroke(linewidth=2.6, foreground="white"), Normal()]
    style: Any = {"linestyle": "", "marker": "*", "clip_on": False, "zorder": 6, "path_effects": halo}
    ax.plot(
        [x], [y], markersize=size, color=COLOURS[1], markeredgecolor="black", markeredgewidth=0.7, label=label, **style
    )
