"""HTML representations for notebooks: sentences, a plot if matplotlib is installed, and a table.

Names of parameters and choices come from users, so every text is escaped. The classes
that are shown import this module, not the other way round.
"""

from __future__ import annotations

import base64
import html
import importlib
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import _canopy

_MOST_ARMS = 5


def best_html(best: Any) -> str:
    """A Best as a sentence and as a table."""
    heads = [*best.arm, "mean", "interval", "pulls", *best.limits]
    cells = [*map(_value_text, best.arm.values()), *_numbers_of(best.mean, best.lower, best.upper), str(best.pulls)]
    cells += [f"{check.estimate:.4g} ({check.state.replace('_', ' ')})" for check in best.limits.values()]
    return _block([best.text], "", _table([heads, cells]))


def result_html(result: Any) -> str:
    """The best arm of a search, a plot of it, and the arms with the most pulls."""
    failed = f", {result.failed} failed, the last at {result.last_failure}" if result.failed else ""
    ending = f"; stopped: {result.stopped}" if result.stopped else ""
    counts = f"{result.pulls} pulls in {len(result.episodes)} episodes{failed}{ending}"
    if result.optimizer.contexts is not None:
        return _policy_block([counts], result, result.policy)
    best = result.best_or_none()
    arms: dict[tuple[float, ...], tuple[int, dict[str, Any]]] = {}
    for episode in result.episodes:
        key = tuple(result.space._coordinates(episode.arm))
        arms[key] = (arms.get(key, (0, {}))[0] + len(episode.rewards), episode.arm)
    sentences = [counts] if best is None else [best.text, counts]
    most = sorted(arms.values(), key=lambda each: -each[0])[:_MOST_ARMS]
    return _block(sentences, _searched_picture(result), _arms_table(result.optimizer, [arm for _, arm in most]))


def optimizer_html(optimizer: Any) -> str:
    """The best arm of an optimizer or a study, a plot of its estimate, and the arms with the most pulls."""
    sentence = repr(optimizer).strip("<>")
    if optimizer.contexts is not None:
        policy = optimizer._policy_or_none()
        return _block([sentence], "", "") if policy is None else _policy_block([sentence], optimizer, policy)
    best = optimizer.best()
    sentences = [sentence] if best is None else [best.text, sentence]
    # In some trees a pull counts at all nodes on its path, so the nodes with the most pulls need not be leaves.
    nodes = sorted(optimizer.tree(), key=lambda node: -node.pulls)[: 10 * _MOST_ARMS]
    arms = {tuple(optimizer.space._coordinates(node.arm)): node.arm for node in nodes if node.pulls}
    return _block(sentences, _searched_picture(optimizer), _arms_table(optimizer, arms.values()))


def policy_html(policy: Any) -> str:
    """The regions of a policy as a plot and as a table."""
    return _policy_block([repr(policy).strip("<>")], policy, policy)


def experiment_html(experiment: Any) -> str:
    """The regret of all algorithms, at checkpoints and at the end."""
    lines = [["environment", "algorithm", "regret per step", "95 % interval", "chosen options"]]
    for row in experiment.rows:
        compared = row.regret if experiment.regrets[row.environment] == "pseudo" else row.realised_regret
        chosen = ", ".join(f"{name} = {value}" for name, value in row.options.items()) if row.candidates > 1 else ""
        lines.append([row.environment, row.algorithm, *_numbers_of(*compared), chosen])
    columns = min(3, len(experiment.environments))
    size = (4.2 * columns, 3.2 * -(-len(experiment.environments) // columns))
    picture = _picture(lambda plot, figure: plot.experiment(experiment, figure=figure), *size)
    return _block([repr(experiment).strip("<>")], picture, _table(lines))


def escaped(thing: Any) -> str:
    """The repr of an object, if there is nothing else to show."""
    return f"<pre>{html.escape(repr(thing))}</pre>"


# --- parts ---


def _policy_block(sentences: Sequence[str], searched: Any, policy: Any) -> str:
    picture = _picture(lambda plot, figure: plot.policy(searched, ax=figure.subplots()), 6.4, 3.6)
    return _block(sentences, picture, _table(policy._lines()))


def _searched_picture(searched: Any) -> str:
    """A plot of the estimate; for optimizers without a tree, a plot of the pulls."""
    space = searched.space

    def estimate(plot: Any, figure: Any) -> None:
        if len(space) <= 2:
            plot.estimate(searched, ax=figure.subplots())
        else:
            plot.slices(searched, figure=figure)

    def pulls(plot: Any, figure: Any) -> None:
        plot.pulls(searched, parameters=list(space)[:2], ax=figure.subplots())

    panels = min(6, len(space)) if len(space) > 2 else 1
    size = (6.0, 3.5) if panels == 1 else (9.0, 2.4 * -(-panels // 3) + 0.6)
    return _picture(estimate, *size) or _picture(pulls, 6.0, 3.5)


def _picture(draw: Callable[[Any, Any], Any], width: float, height: float) -> str:
    """A plot as an img element; empty without matplotlib, and if there is nothing to draw."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    # Imported by name to avoid a circular import.
    plot = importlib.import_module(".plot", __package__)
    figure = Figure(figsize=(width, height), layout="constrained")  # not from pyplot, which would show it again
    try:
        draw(plot, figure)
    except ValueError:
        return ""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=90)
    data = base64.b64encode(file.getvalue()).decode()
    return f'<img alt="" style="max-width: 100%" src="data:image/png;base64,{data}">'


def _arms_table(optimizer: Any, arms: Iterable[dict[str, Any]]) -> str:
    """The arms with the estimates from their own rewards, most pulls first."""
    pairs = [(arm, optimizer.estimate(arm)) for arm in arms]
    known = sorted((pair for pair in pairs if pair[1]), key=lambda pair: -pair[1].pulls)[:_MOST_ARMS]
    heads = [*optimizer.space, "mean", f"{100 * optimizer.confidence:g} % interval", "pulls"]
    lines = [
        [*map(_value_text, arm.values()), *_numbers_of(found.mean, found.lower, found.upper), str(found.pulls)]
        for arm, found in known
    ]
    return _table([heads, *lines]) if lines else ""


def _numbers_of(mean: float, lower: float | None, upper: float | None) -> list[str]:
    """A mean and its interval, rounded to the precision of the interval."""
    if lower is None or upper is None or upper <= lower:
        return [f"{mean:.4g}", ""]
    middle, low, high = (_canopy.rounded_text(number, 0.05 * (upper - lower)) for number in (mean, lower, upper))
    return [middle, f"{low} to {high}"]


def _value_text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _table(lines: Sequence[Sequence[str]]) -> str:
    """Makes a table; the first line has the headings."""

    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(row(line, "td") for line in lines[1:])
    return f"<table><thead>{row(lines[0], 'th')}</thead><tbody>{body}</tbody></table>"


def _block(sentences: Sequence[str], picture: str, table: str) -> str:
    return "<div>" + "".join(f"<p>{html.escape(each)}</p>" for each in sentences) + picture + table + "</div>"
