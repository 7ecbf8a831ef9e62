"""For mkdocstrings: the examples in docstrings as code, which they would otherwise be only in sections of their own."""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:^(?!>>> |\s*$).*\n?)*)+", re.MULTILINE)


def with_code(text: str) -> str:
    return EXAMPLE.sub(lambda example: f"\n```pycon\n{example[0].rstrip()}\n```\n", text)


class Doctests(griffe.Extension):
    """Puts fences around examples."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = with_code(obj.docstring.value)
