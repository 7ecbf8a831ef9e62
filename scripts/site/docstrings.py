"""For mkdocstrings: adds the docstrings of the compiled module, which its stub lacks, with examples as code."""

import json
import os
import pathlib
import re
import subprocess
from typing import Any

import griffe

ROOT = pathlib.Path(__file__).parents[2]
EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:^(?!>>> |\s*$).*\n?)*)+", re.MULTILINE)

#: Prints the docstrings of the compiled module by path. nanobind stores those of functions with their signatures.
PRINTER = """
import inspect, json
from canopy import _canopy

found = {}
for name, kind in vars(_canopy).items():
    if inspect.isclass(kind):
        found[f"canopy._canopy.{name}"] = kind.__doc__
        for member, value in vars(kind).items():
            told = getattr(value, "__nb_signature__", ())
            own = value.__doc__ if isinstance(value, property) else None
            found[f"canopy._canopy.{name}.{member}"] = next((doc for _, doc, *_ in told if doc), own)
print(json.dumps({path: inspect.cleandoc(doc) for path, doc in found.items() if doc}))
"""


def compiled_docstrings() -> dict[str, str]:
    """The docstrings of the installed package; empty if it is not installed."""
    python = os.environ.get("PYTHON", ROOT / "build/python/bin/python")
    if not pathlib.Path(python).exists():
        return {}
    return json.loads(subprocess.run([python, "-c", PRINTER], check=True, capture_output=True, text=True).stdout)


def with_code(text: str) -> str:
    return EXAMPLE.sub(lambda example: f"\n```pycon\n{example[0].rstrip()}\n```\n", text)


class Docstrings(griffe.Extension):
    """Adds docstrings, and puts fences around examples."""

    def __init__(self) -> None:
        self.compiled = compiled_docstrings()

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        for name, overloads in cls.overloads.items():  # overloads in a stub have no separate function
            if name not in cls.members:
                first = overloads[0]
                whole = griffe.Function(name, parameters=first.parameters, returns=first.returns, parent=cls)
                whole.overloads = list(overloads)
                cls.set_member(name, whole)
                self.on_object(obj=whole)

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if not obj.docstring and obj.path in self.compiled:
            obj.docstring = griffe.Docstring(self.compiled[obj.path], parent=obj)
        if obj.docstring:
            obj.docstring.value = with_code(obj.docstring.value)
