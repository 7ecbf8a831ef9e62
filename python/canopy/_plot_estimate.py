"""Plots of the estimate of the function: curves, maps, and grids of both for many parameters."""

from __future__ import annotations

import bisect
import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import matplotlib
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from ._canopy import Domain
from ._optimizers import ArmEstimate, Node, arm_text
from ._plot_parts import (
    COLOURS,
    DARK_GREY,
    GREY,
    NO_PULLS,
    colours_of,
    count_text,
    draw_star,
    label_axis,
    label_of,
    legend_of,
    mark_best,
    plain,
    points_of,
    position,
)
from ._result import Result
from ._space import Space

INK = "#00395c"  # for whiskers: darker than the line, also in black and white
UNKNOWN = "#dadada"  # for hatched areas
MOST_WHISKERS = 20
MOST_PANELS = 6  # along each side of a grid


class Part(NamedTuple):
    """A leaf and the estimate of f in its cell.

    `level` is the model's estimate; without a model, the mean of the deepest node on the path to it that has pulls.
    `band` is the model's interval; without a model, the interval of the leaf's arm; None if there is neither.
    """

    leaf: Node
    level: float
    band: tuple[float, float] | None


class Look:
    """A snapshot of an optimizer's estimates, for all panels of a figure."""

    def __init__(self, searched: Any, optimizer: Any):
        self._searched = searched
        # Cached, because a study may change meanwhile, and each access to a study on a server is a request.
        self.optimizer = optimizer.copy() if hasattr(optimizer, "store") or hasattr(optimizer, "server") else optimizer
        self.space: Space = optimizer.space
        self.nodes: list[Node] = self.optimizer.tree()
        self.best = self.optimizer.best()
        self.pulls = self.optimizer.summary().t - 1
        self._known: dict[tuple[float, ...], ArmEstimate | None] = {}

    @property
    def has_model(self) -> bool:
        return self.nodes[0].model is not None

    def known(self, arm: dict[str, Any]) -> ArmEstimate | None:
        """The estimate of an arm from its own rewards."""
        key = self._places(arm)
        if key not in self._known:
            self._known[key] = self.optimizer.estimate(arm)
        return self._known[key]

    def _places(self, arm: dict[str, Any]) -> tuple[float, ...]:
        return tuple(position(self.space, name, arm[name]) for name in self.space)

    @functools.cached_property
    def parts(self) -> list[Part]:
        """Every leaf with its estimate of f."""
        return [self._part(leaf, mean) for leaf, mean in leaf_means(self.nodes)]

    def _part(self, leaf: Node, mean: float) -> Part:
        if leaf.model is not None:
            return Part(leaf, (leaf.model[0] + leaf.model[1]) / 2, leaf.model)
        own = self.known(leaf.arm) if leaf.pulls else None
        has_interval = own is not None and own.lower is not None and own.upper is not None
        return Part(leaf, mean, (own.lower, own.upper) if has_interval else None)  # type: ignore[union-attr,arg-type]

    @functools.cached_property
    def centre(self) -> tuple[str, dict[str, Any]]:
        """The arm that cuts go through, and its description."""
        if self.best:
            return "the best arm", self.best.arm
        nearest = self.optimizer.nearest()
        if nearest:
            return "the arm that violates its limits least", nearest.arm
        return "the arm with the most pulls", max(self.nodes, key=lambda node: node.pulls).arm

    def cut(self, names: Sequence[str]) -> list[Part]:
        """The leaves that contain the centre's values of all other parameters: they cover the cut without gaps."""
        others = {name: position(self.space, name, self.centre[1][name]) for name in self.space if name not in names}
        return [
            part for part in self.parts if all(_holds(self.space, name, part.leaf, at) for name, at in others.items())
        ]

    @functools.cached_property
    def pulls_by_arm(self) -> list[tuple[dict[str, Any], int]]:
        """Every arm with the number of its pulls; an arm may occur twice.

        The counts of nodes cannot be used: in some trees a pull counts at every node on its path, in others the middle
        part inherits the arm of its parent and its pulls.
        """
        searched = self._searched
        if isinstance(searched, Result) and searched.pulls == self.pulls:  # the result has all pulls
            return [(episode.arm, len(episode.rewards)) for episode in searched.episodes]
        arms = {self._places(node.arm): node.arm for node in self.nodes}
        estimates = [(arm, self.known(arm)) for arm in arms.values()]
        return [(arm, known.pulls) for arm, known in estimates if known is not None]

    def leading(self, most: int) -> tuple[list[str], str]:
        """The most important parameters, in the order of the space, and a note if there are more."""
        names = list(self.space)
        if len(names) <= most:
            return names, ""
        learnt = self.optimizer.learnt()
        if learnt is None or not learnt.shares:  # no model, or too early
            return names[:most], f"the first {most} of {len(names)} parameters"
        chosen = sorted(names, key=lambda name: -learnt.shares[name])[:most]
        return [name for name in names if name in chosen], f"the {most} of {len(names)} parameters that matter most"


def leaf_means(nodes: list[Node]) -> list[tuple[Node, float]]:
    """Every leaf, with the mean of the deepest node on its path whose cell has pulls."""
    children = children_of(nodes)
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


def children_of(nodes: list[Node]) -> dict[str, list[str]]:
    """The paths of the children of every inner node, in order."""
    children: dict[str, list[str]] = {}
    for node in nodes:
        if node.path:
            children.setdefault(node.path[:-1], []).append(node.path)
    return {path: sorted(parts) for path, parts in children.items()}


def _ends(space: Space, name: str, node: Node) -> tuple[float, float]:
    """The ends of a cell on an axis; discrete values extend half-way to their neighbours."""
    low, high = (position(space, name, end) for end in node.cell[name])
    half = space._domain(name).spacing / 2
    return (low - half, high + half)


def _holds(space: Space, name: str, node: Node, place: float) -> bool:
    """Whether a cell contains a value; a boundary belongs to the upper cell."""
    low, high = _ends(space, name, node)
    last = space._domain(name).ends[1]
    return low <= place < high or place == high == last


# --- curves ---


def draw_curve(look: Look, name: str, ax: Axes, truth: Any = None) -> Axes:
    """Draws the estimate along a parameter, with the others as in the centre; returns the axes of the bars.

    Bars count all pulls, for any values of the other parameters.
    """
    space = look.space
    parts = sorted(look.cut([name]), key=lambda part: _ends(space, name, part.leaf))
    bars = _draw_counts(look, name, ax)
    label_axis(ax, "x", space, name)
    _draw_band(look, name, parts, ax)
    xs: list[float] = []
    levels: list[float] = []
    for part in parts:
        for end in _drawn_ends(space, name, part.leaf):
            xs.append(end)
            levels.append(math.nan if math.isnan(end) else part.level)
    ax.plot(xs, levels, color=COLOURS[0], linewidth=1.6, label="estimate")
    _draw_whiskers(look, name, parts, ax)
    shown = levels
    if truth is not None:
        places, values = _truth_curve(space, name, truth)
        is_line = space._domain(name).is_ordered
        style: dict[str, Any] = {"linewidth": 1.1, "linestyle": "--"} if is_line else {"marker": "x", "linestyle": ""}
        ax.plot(places, values, color="black", label="truth", **style)
        shown = [*levels, *values]
    limit_to(ax, shown, steady_ends(look, parts), [end for part in parts for end in part.leaf.model or ()])
    if look.best:
        place = position(space, name, look.best.arm[name])
        ax.axvline(place, color=COLOURS[1], linewidth=1.2, linestyle="-.", label="best")
        draw_star(ax, place, look.best.mean, None, size=11)
    ax.set_ylabel(label_of(look.optimizer))
    ax.set_zorder(bars.get_zorder() + 1)  # the bars stay behind
    ax.patch.set_visible(False)
    return bars


def _draw_band(look: Look, name: str, parts: list[Part], ax: Axes) -> None:
    """Draws the interval of f in each cell; unknown intervals are hatched, since a blank area would look certain."""
    xs: list[float] = []
    lows: list[float] = []
    highs: list[float] = []
    unknown = []
    for part in parts:
        band = part.band or (math.nan, math.nan)
        for end in _drawn_ends(look.space, name, part.leaf):
            xs.append(end)
            lows.append(math.nan if math.isnan(end) else band[0])
            highs.append(math.nan if math.isnan(end) else band[1])
        if part.band is None:
            low, high = _ends(look.space, name, part.leaf)
            unknown.append(Rectangle((low, 0.0), high - low, 1.0))
    label = "by the model (95 % at this look)" if look.has_model else None  # else the whiskers have a label
    if len(unknown) < len(parts):
        ax.fill_between(xs, lows, highs, color=COLOURS[0], alpha=0.2, linewidth=0, label=label)
    if unknown:
        hatched = PatchCollection(
            unknown, transform=ax.get_xaxis_transform(), facecolor="none", edgecolor=UNKNOWN, hatch="///", linewidth=0
        )
        hatched.set_label("no interval yet")
        ax.add_collection(hatched, autolim=False)


def _draw_whiskers(look: Look, name: str, parts: list[Part], ax: Axes) -> None:
    """Draws the intervals of arms from their own rewards: of all arms, or of those in the cut cells.

    If there are many, only those of the arms with the most pulls are drawn: the others are wide and would hide them.
    """
    arms = [node.arm for node in look.nodes] if len(look.space) == 1 else [part.leaf.arm for part in parts]
    found: dict[float, ArmEstimate] = {}
    for arm in arms:
        own = look.known(arm)
        if own is not None and own.lower is not None and own.upper is not None:
            found[position(look.space, name, arm[name])] = own
    if not found:
        return
    shown = sorted(found.items(), key=lambda each: -each[1].pulls)[:MOST_WHISKERS]
    places, estimates = zip(*shown)
    means = [own.mean for own in estimates]
    lows = [own.mean - (own.lower or 0.0) for own in estimates]
    highs = [(own.upper or 0.0) - own.mean for own in estimates]
    label = f"{100 * look.optimizer.confidence:g} % intervals of arms"
    style: Any = {"fmt": "o", "markersize": 3, "color": INK, "elinewidth": 0.9, "capsize": 2}
    ax.errorbar(places, means, yerr=[lows, highs], label=label, **style)


def _drawn_ends(space: Space, name: str, leaf: Node) -> list[float]:
    """The points of the line of a leaf: over its cell, or separate for each choice, with NaN as gaps."""
    if space._domain(name).is_ordered:
        return list(_ends(space, name, leaf))
    first, last = (round(position(space, name, end)) for end in leaf.cell[name])
    return [end for i in range(first, last + 1) for end in (i - 0.25, i + 0.25, math.nan)]


def _draw_counts(look: Look, name: str, ax: Axes) -> Axes:
    """Draws the number of pulls as bars in the background; bars of choices are labelled."""
    bars = ax.twinx()
    domain = look.space._domain(name)
    edges = _bin_edges(domain)
    counts = [0] * (len(edges) - 1)
    for arm, number in look.pulls_by_arm:
        place = bisect.bisect_right(edges, position(look.space, name, arm[name])) - 1
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
        bars.bar_label(drawn, color=DARK_GREY, fontsize="small", padding=1)
    bars.set_ylabel(f"pulls ({look.pulls} in total)", color=DARK_GREY)
    bars.tick_params(axis="y", colors=DARK_GREY)
    bars.spines[["top"]].set_visible(False)
    most = max(1, *counts)
    bars.set_yticks([tick for tick in MaxNLocator(nbins=3, integer=True).tick_values(0, most) if 0 <= tick <= most])
    bars.set_ylim(0, 3.5 * most)  # low, to keep them in the background
    return bars


def _bin_edges(domain: Domain) -> list[float]:
    """The edges of the bars: one bar for each value, or about 64 bars."""
    if domain.count is None:
        return points_of(domain, 64)
    points = points_of(domain, domain.count if domain.count < 128 else 64)
    half = domain.spacing / 2
    return [domain.ends[0] - half, *((a + b) / 2 for a, b in itertools.pairwise(points)), domain.ends[1] + half]


def steady_ends(look: Look, parts: list[Part]) -> list[float]:
    """The ends of the intervals of arms with at least an average number of pulls."""
    share = sum(part.leaf.pulls for part in parts) / max(1, len(parts))
    ends: list[float] = []
    for part in parts:
        if part.leaf.pulls < max(2, share):
            continue
        own = look.known(part.leaf.arm)
        ends += [end for end in (own.lower, own.upper) if end is not None] if own else []
    return ends


def limit_to(ax: Axes, means: Sequence[float], bounds: Sequence[float], band: Sequence[float] = ()) -> None:
    """Sets the limits of an axis to show all means and these bounds. Bounds much wider than the means are cut off."""
    known = [mean for mean in means if not math.isnan(mean)]
    least, most = min(known), max(known)
    spread = most - least or 1.0
    lows = [max(low, least - reach * spread) for ends, reach in ((bounds, 1.0), (band, 0.5)) for low in ends]
    highs = [min(high, most + reach * spread) for ends, reach in ((bounds, 1.0), (band, 0.5)) for high in ends]
    ax.set_ylim(min([least, *lows]) - 0.05 * spread, max([most, *highs]) + 0.05 * spread)


def _truth_curve(space: Space, name: str, truth: Any) -> tuple[list[float], list[float]]:
    if not callable(truth):
        values, means = truth
        return list(values), list(means)
    places = points_of(space._domain(name))
    return places, [truth(space._value(name, place)) for place in places]


# --- maps ---


def level_scale(looks: Sequence[Part]) -> Any:
    """The colours of a map, from the least to the largest level."""
    levels = [part.level for part in looks]
    return matplotlib.colors.Normalize(min(levels), max(levels))


def draw_map(look: Look, names: Sequence[str], ax: Axes, scale: Any = None) -> Any:
    """Draws the estimate over two parameters, with the others as in the centre; dots are all arms with pulls.

    Cells without pulls are hatched, because their estimate comes from other cells. Returns the mappable of a colour
    bar.
    """
    space = look.space
    label_axis(ax, "x", space, names[0])
    label_axis(ax, "y", space, names[1])
    parts = look.cut(names)
    scale = scale or level_scale(parts)
    boxes, unpulled = [], []
    for part in parts:
        (left, right), (bottom, top) = (_ends(space, name, part.leaf) for name in names)
        boxes.append(Rectangle((left, bottom), right - left, top - bottom))
        if part.leaf.pulls == 0:
            unpulled.append(Rectangle((left, bottom), right - left, top - bottom))
    cells = PatchCollection(boxes, cmap=colours_of(look.optimizer), norm=scale, edgecolors="white", linewidths=0.3)
    cells.set_array([part.level for part in parts])
    ax.add_collection(cells)
    if unpulled:
        hatched = PatchCollection(unpulled, facecolor="none", edgecolor="#ffffff70", hatch="/", linewidth=0)
        hatched.set_label(NO_PULLS)
        ax.add_collection(hatched)
    arms: dict[tuple[float, float], int] = {}
    for node in look.nodes:
        if node.pulls > 0:
            place = (position(space, names[0], node.arm[names[0]]), position(space, names[1], node.arm[names[1]]))
            arms[place] = max(arms.get(place, 0), node.pulls)
    xs, ys = zip(*arms)
    sizes = [2.5 + 2.5 * math.log2(1 + pulls) for pulls in arms.values()]
    ax.scatter(xs, ys, s=sizes, c="black", alpha=0.75, edgecolors="white", linewidths=0.35)
    if look.best:
        mark_best(ax, space, names, look.best.arm)
    return cells


# --- grids ---


def draw_pairs(look: Look, names: Sequence[str], figure: Any, note: str = "") -> list[Axes]:
    """Draws a map for each pair of parameters, and on the diagonal the curve of each, all through the centre."""
    size = len(names)
    panels = figure.subplots(size, size, squeeze=False)
    counts = []
    cuts = [part for pair in itertools.combinations(names, 2) for part in look.cut(pair)]
    scale = level_scale(cuts)
    mapped: Any = None
    for row, column in itertools.product(range(size), repeat=2):
        ax = panels[row][column]
        if row < column:
            ax.remove()
        elif row == column:
            counts.append(draw_curve(look, names[row], ax))
        else:
            mapped = draw_map(look, (names[column], names[row]), ax, scale)
    diagonal = [panels[i][i] for i in range(size)]
    _share_heights(diagonal, counts)
    for row, column in itertools.product(range(size), repeat=2):
        if row >= column:
            _make_small(panels[row][column], look.space, row, column, names)
    drawn = [panels[row][column] for row in range(size) for column in range(row + 1)]
    figure.colorbar(mapped, ax=drawn, label=label_of(look.optimizer), shrink=0.6, anchor=(0.0, 0.0))
    _say_centre(look, figure, note)
    figure.legend(*legend_of(drawn), loc="upper right", frameon=False, fontsize="small")
    return drawn


def _make_small(ax: Axes, space: Space, row: int, column: int, names: Sequence[str]) -> None:
    """Hides inner labels: only the left and bottom panels have them."""
    label_axis(ax, "x", space, names[column], most_ticks=3)
    if row == column:
        ax.set_title(plain(names[row]), fontsize="medium")
        ax.yaxis.tick_right()
        ax.set_ylabel("")
        ax.yaxis.set_major_locator(MaxNLocator(3))
    else:
        label_axis(ax, "y", space, names[row], most_ticks=3)
        if column > 0:
            ax.set_ylabel("")
            ax.tick_params(labelleft=False)
    if row < len(names) - 1:
        ax.set_xlabel("")
        ax.tick_params(labelbottom=False)
    ax.tick_params(labelsize="small")


def draw_slices(look: Look, names: Sequence[str], figure: Any, note: str = "") -> list[Axes]:
    """Draws a curve for each parameter through the centre, on a common scale."""
    columns = min(3, len(names))
    rows = math.ceil(len(names) / columns)
    panels = figure.subplots(rows, columns, squeeze=False)
    for spare in panels.flat[len(names) :]:
        spare.remove()
    drawn: list[Axes] = list(panels.flat[: len(names)])
    counts = [draw_curve(look, name, ax) for ax, name in zip(drawn, names)]
    _share_heights(drawn, counts)
    for ax in (ax for number, ax in enumerate(drawn) if number % columns):
        ax.set_ylabel("")
        ax.tick_params(labelleft=False)
    _say_centre(look, figure, note)
    figure.legend(*legend_of(drawn), loc="outside lower left", ncols=4, frameon=False, fontsize="small")
    return drawn


def _share_heights(panels: Sequence[Axes], counts: Sequence[Axes]) -> None:
    """Sets common limits of all vertical axes, and hides the axes of the bars."""
    lows, highs = zip(*(ax.get_ylim() for ax in panels))
    for ax, bars in zip(panels, counts):
        ax.set_ylim(min(lows), max(highs))
        bars.set_yticks([])
        bars.set_ylabel("")


def _say_centre(look: Look, figure: Any, note: str) -> None:
    """Sets the title, which names the arm that the panels go through."""
    what, arm = look.centre
    words = f"{count_text(look.pulls, 'pull')}; cut through {what}: {arm_text(arm)}"
    figure.suptitle(plain("\n".join(filter(None, [words, note]))), fontsize="medium", x=0.01, ha="left")
