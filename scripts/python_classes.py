#!/usr/bin/env python3
"""Writes python/canopy/_classes.py, a typed class for every optimizer of the catalogue, and _options.py, typed options.

It also writes the table of these classes in docs/python.md. Run it with `make classes` after a change of the catalogue
in C++. A test compares these files with the catalogue.
"""

import importlib.util
import pathlib
import textwrap
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python/canopy"
DOCUMENT = ROOT / "docs/python.md"
WIDTH = 120

DEFAULT = "adaptive"  #: the default optimizer

#: classes whose names differ from those of their algorithms in the catalogue
NAMES = {"random": "RandomSearch"}

HEAD = '''\
"""{line}

Written by `make classes` (scripts/python_classes.py) from the catalogue in C++: change it there.
"""

from __future__ import annotations

{imports}
from ._partition import AnyPartition
from ._space import {types}
'''

CLASSES_HEAD = HEAD.format(
    line="The optimizers, one class each.",
    imports="from typing import Any, Literal\n\nfrom ._optimizers import CLASSES, Optimizer, check_seed",
    types="AnyBaseline, AnyContexts, AnySpace, Direction, Limits, RewardRange",
)
OPTIONS_HEAD = HEAD.format(
    line="The options of optimizers and environments as types.",
    imports="from typing import Literal, TypedDict\n",
    types="AnyBaseline, AnyContexts, Direction, Limits, RewardRange",
)

TAIL = '''\
class OptimizerOptions(AlgorithmOptions, total=False):
    """The options that `maximize` and similar functions pass on to an optimizer given by its name."""

    seed: int | None
    partition: AnyPartition
    reward_range: RewardRange
    confidence: float
    hard_range: bool
    baseline: AnyBaseline
    limits: Limits
    contexts: AnyContexts


class MakeOptions(OptimizerOptions, total=False):
    """The options that `make_optimizer` passes on."""

    direction: Direction


class StudyOptions(AlgorithmOptions, total=False):
    """The options that studies pass on."""

    seed: int | None
    partition: AnyPartition
    hard_range: bool
    baseline: AnyBaseline
    limits: Limits
    contexts: AnyContexts
'''

#: ranges that exclude no plausible number and are therefore not mentioned
WIDE = ("1e50", str(2**53))

#: options whose default depends on the study: an option that was not given stays unset
LEFT_OUT = ["settle_rule", "drift"]

#: arguments of all optimizers, after their own options
COMMON = [
    ("direction", "Direction", '"maximize"'),
    ("reward_range", "RewardRange", '"auto"'),
    ("confidence", "float", "0.95"),
    ("hard_range", "bool", "False"),
    ("baseline", "AnyBaseline", "None"),
    ("limits", "Limits", "None"),
]

PARTITION_HELP = (
    "how a cell is cut: cyclic (one parameter after the other), longest_side, random_side, random_cut or every_side, "
    'with a number of parts and a seed if you like: "cyclic/3", "random_cut/2@7"'
)
OWN_PARTITION_HELP = "; or a `Partition` of your own."
CONTEXTS_HELP = 'what is observed before each pull and decides on the best arm: {"load": canopy.real(0, 1)}.'

#: the markers around the table in the document
BEGIN = "<!-- The table is written by `make classes`. -->"
END = "<!-- End of the table. -->"

Entry = dict[str, Any]
Field = dict[str, Any]


def classes_text(optimizers: list[Entry]) -> str:
    """The file of the classes."""
    names = sorted(class_name(entry["name"]) for entry in optimizers)
    listed = "__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]\n"
    order = "".join(f"    {class_name(entry['name'])},\n" for entry in optimizers)
    parts = [CLASSES_HEAD + "\n" + listed, *(class_text(entry) for entry in optimizers)]
    registered = f"for _each in (\n{order}):\n    CLASSES[_each.name] = _each\n"
    return "\n\n".join([*parts, registered + "\n" + names_text(optimizers)])


def names_text(optimizers: list[Entry]) -> str:
    """The types that select an optimizer, by its name or class. _signatures.py explains why there are two of them."""
    lines = ["#: the names of all optimizers", "OptimizerName = Literal["]
    lines += [*(f'    "{entry["name"]}",' for entry in optimizers), "]"]
    lines += ["#: what chooses the default optimizer, and what chooses another one: a name, or a class"]
    lines += [f'DefaultOptimizer = Literal["{DEFAULT}"] | type[{class_name(DEFAULT)}]', "OtherOptimizer = ("]
    others = [entry["name"] for entry in optimizers if entry["name"] != DEFAULT]
    lines += ["    Literal[", *(f'        "{name}",' for name in others), "    ]"]
    lines += [*(f"    | type[{class_name(name)}]" for name in others), ")"]
    return "\n".join([*lines, "AnyOptimizer = DefaultOptimizer | OtherOptimizer"]) + "\n"


def all_options_text(optimizers: list[Entry], environments: list[Entry]) -> str:
    """The file of the options."""
    parts = [OPTIONS_HEAD]
    parts += [
        options_text(class_name(entry["name"]) + "Options", f"The options of `{class_name(entry['name'])}`.", [entry])
        for entry in optimizers
    ]
    parts.append(options_text("AlgorithmOptions", "The options of all optimizers, without the seed.", optimizers))
    others = [entry for entry in optimizers if entry["name"] != DEFAULT]
    parts.append(options_text("OtherOptions", f"The options of all optimizers except `{class_name(DEFAULT)}`.", others))
    parts.append(options_text("EnvironmentOptions", "The options of all environments.", environments))
    parts.append(
        options_text(
            "SimulateOptions",
            "The options that `simulate` passes on to the optimizer or the environment.",
            optimizers + environments,
        )
    )
    return "\n\n".join([*parts, TAIL])


def class_name(name: str) -> str:
    """Hct for hct, SuccessiveHalving for successive-halving."""
    return NAMES.get(name) or "".join(word.capitalize() for word in name.replace("_", "-").split("-"))


def class_text(entry: Entry) -> str:
    """One class."""
    fields = entry["fields"]
    arguments = [
        (field["name"], type_of(field) + " | None", "None")
        if field["name"] in LEFT_OUT
        else (field["name"], type_of(field), default_of(field))
        for field in fields
    ]
    if entry["has_tree"]:
        arguments.append(("partition", "AnyPartition", '"cyclic"'))
    arguments += COMMON
    if entry.get("takes_contexts"):
        arguments.append(("contexts", "AnyContexts", "None"))
    if not any(field["name"] == "seed" for field in fields):
        arguments.append(("seed", "int | None", "None"))
    lines = [f"class {class_name(entry['name'])}(Optimizer):", *docstring(entry), ""]
    lines += [f'    name = "{entry["name"]}"', "", "    def __init__(", "        self,", "        space: AnySpace,"]
    lines += ["        *,", *(f"        {name}: {kind} = {default}," for name, kind, default in arguments), "    ):"]
    options = "{}"
    if fields:
        options = "options"
        always = [field["name"] for field in fields if field["name"] not in LEFT_OUT]
        kind = ": dict[str, Any]" if len(always) < len(fields) else ""
        lines += [f"        options{kind} = {{", *(f'            "{name}": {name},' for name in always), "        }"]
        for name in (field["name"] for field in fields if field["name"] in LEFT_OUT):
            lines += [f"        if {name} is not None:", f'            options["{name}"] = {name}']
    if not any(field["name"] == "seed" for field in fields):
        lines.append("        check_seed(seed)")
    rest = "partition, baseline, limits" if entry["has_tree"] else "baseline=baseline, limits=limits"
    if entry.get("takes_contexts"):
        rest += ", contexts" if entry["has_tree"] else ", contexts=contexts"
    call = f"super().__init__(space, {options}, direction, reward_range, confidence, hard_range, {rest})"
    if len(call) + 8 > WIDTH:
        given = call.partition("__(")[2][:-1]
        inner = [given] if len(given) + 12 <= WIDTH else [f"{each}," for each in given.split(", ")]
        call = "\n".join(["super().__init__(", *(f"            {line}" for line in inner), "        )"])
    lines.append(f"        {call}")
    return "\n".join(lines) + "\n"


def docstring(entry: Entry) -> list[str]:
    """The docstring of a class: the texts of the catalogue about an algorithm and its options."""
    line = entry["line"][0].upper() + entry["line"][1:]
    options = [(field["name"], option_help(field)) for field in entry["fields"]]
    if entry["has_tree"]:
        options.append(("partition", PARTITION_HELP + (OWN_PARTITION_HELP if entry["takes_partitions"] else ".")))
    if entry.get("takes_contexts"):
        options.append(("contexts", CONTEXTS_HELP))
    if not any(field["name"] == "seed" for field in entry["fields"]):
        options.append(("seed", "ignored, since nothing in it is random; accepted so that optimizers are alike."))
    lines = wrapped(f'"""{line}.', "")
    lines.append("")
    for name, words in options:
        lines += wrapped(f"- {name}: {words}", "  ")
    return [*lines, '    """']


def option_help(field: Field) -> str:
    """A sentence about an option: its meaning and its range."""
    text = field["help"]
    if field["kind"] != "word" and not any(wide in field["range"] for wide in WIDE):
        text += f"; {field['range']}"
    return text + field.get("resolved", "") + "."


def wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="    ", subsequent_indent="    " + indent, break_on_hyphens=False)


def type_of(field: Field) -> str:
    """The type of an option."""
    words = field["words"] + ([field["unset"]] if field["unset"] else [])
    kinds = [{"real": "float", "whole": "int"}[field["kind"]]] if field["kind"] != "word" else []
    if words:
        kinds.append(f"Literal[{', '.join(map(quoted, words))}]")
    if field["optional"] and not field["unset"]:
        kinds.append("None")
    return " | ".join(kinds)


def default_of(field: Field) -> str:
    """The default of an option as Python code."""
    value = field["default"]
    if value is None and field["unset"]:
        value = field["unset"]
    return quoted(value) if isinstance(value, str) else repr(value)


def quoted(word: str) -> str:
    return f'"{word}"'


def options_text(name: str, line: str, entries: list[Entry]) -> str:
    """A TypedDict with the options of all these entries, without the seed."""
    kinds: dict[str, list[str]] = {}
    for entry in entries:
        for field in entry["fields"]:
            known = kinds.setdefault(field["name"], [])
            known += [kind for kind in type_of(field).split(" | ") if kind not in known]
    kinds.pop("seed", None)
    lines = [f"class {name}(TypedDict, total=False):", f'    """{line}"""']
    lines += [""] if kinds else []
    for option, types in kinds.items():
        lines += typed_lines(option, " | ".join(sorted(types, key=lambda kind: kind == "None")))
    return "\n".join(lines) + "\n"


def typed_lines(option: str, kind: str) -> list[str]:
    """An option with its type. If the list of words is too long for a line, each word has its own line."""
    line = f"    {option}: {kind}"
    if len(line) <= WIDTH or kind.count("[") != 1 or not kind.endswith("]"):
        return [line]
    head, _, words = line[:-1].partition("[")
    return [head + "[", *(f"        {word}," for word in words.split(", ")), "    ]"]


def table_text(optimizers: list[Entry]) -> str:
    """The table of the classes."""
    lines = ["| class | name | what it is | `partition=` |", "|---|---|---|---|"]
    for entry in optimizers:
        cuts = "a rule, or your own" if entry["takes_partitions"] else "a rule" if entry["has_tree"] else ""
        line = entry["line"].replace("|", "\\|")
        lines.append(f"| `{class_name(entry['name'])}` | `{entry['name']}` | {line} | {cuts} |")
    return "\n".join(lines)


def with_table(document: str, optimizers: list[Entry]) -> str:
    """A document with the table between its marks."""
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin and end, f"docs/python.md: {BEGIN} and {END} must be around the table"
    return f"{before}{BEGIN}\n\n{table_text(optimizers)}\n\n{END}{after}"


def of_module(module: Any) -> dict[str, str]:
    """The contents of the files, from the catalogue of a built module."""
    optimizers = module.optimizer_catalogue()
    for entry in optimizers:
        for field in entry["fields"]:
            field["resolved"] = resolved_text(module, entry, field["name"])
    options = all_options_text(optimizers, module.environment_catalogue())
    return {"_classes.py": classes_text(optimizers), "_options.py": options}


def resolved_text(module: Any, entry: Entry, option: str) -> str:
    """The default of an option that depends on other options: `; by default 4, or 1 with preset "paper"`."""
    (field,) = (each for each in entry["fields"] if each["name"] == option)
    if field["default"] is not None or field["unset"] or option == "seed":
        return ""

    def resolved(preset: str | None = None, parameters: int = 1, steps: int = 1000) -> Any:
        box = module.Space([(f"x{i}", "real", {}) for i in range(parameters)], [()] * parameters)
        given = {} if preset is None else {"preset": preset}
        return module.checked_options(entry["name"], given, box, steps)[option]

    value = resolved()
    if value is None:  # an optimizer that runs other optimizers
        return "; by default that of its trees"
    if value != resolved(steps=100_000):
        return "; by default the number of pulls decides"
    text = f"; by default {shown(value)}"
    if value != resolved(parameters=2):
        text += f" for one parameter, {shown(resolved(parameters=2))} for two"
    for preset in (word for each in entry["fields"] if each["name"] == "preset" for word in each["words"]):
        other = resolved(preset)
        if other != value:
            text += f', or {shown(other)} with preset "{preset}"'
            if other != resolved(preset, parameters=2):
                text += f" ({shown(resolved(preset, parameters=2))} for two parameters)"
    return text


def shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def built_module() -> Any:
    """The compiled module of the installed package. The package itself needs the files that are to be written."""
    package = importlib.util.find_spec("canopy")
    assert package is not None and package.origin is not None, "canopy is not installed: make python"
    (path,) = pathlib.Path(package.origin).parent.glob("_canopy.*.so")
    spec = importlib.util.spec_from_file_location("_canopy", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    built = built_module()
    for name, text in of_module(built).items():
        (PACKAGE / name).write_text(text)
    DOCUMENT.write_text(with_table(DOCUMENT.read_text(), built.optimizer_catalogue()))
