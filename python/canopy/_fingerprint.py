"""What functions, classes and values are, as texts that can be compared in another process, on another day."""

from __future__ import annotations

import functools
import hashlib
import re
import types
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")
_SHOWN = 60  # letters of a text; of longer ones there is a hash


class Fingerprint(NamedTuple):
    """Of a function, a class or an object that is called.

    `code` changes when the code does. `values` has what the code carries along: default arguments, the variables of an
    enclosing function, attributes of a class and of an object. `left_out` names those that have no text of their own.
    What it reads from elsewhere, such as globals, is not in it.
    """

    code: str
    values: dict[str, str]
    left_out: list[str]


def fingerprint_of(thing: Any) -> Fingerprint:
    reader = _Reader()
    code, values = reader.read(thing)
    return Fingerprint(code, values, sorted(reader.left_out))


def text_of_value(value: Any) -> str | None:
    """A text that equal values share; None if there is none: two reprs with an address say nothing."""
    reader = _Reader()
    text = reader.text(value, "value")
    return None if reader.left_out else text


def _hash(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


class _Reader:
    """Walks through what a function holds. What holds itself is read once."""

    def __init__(self) -> None:
        self.left_out: set[str] = set()
        self._texts: dict[int, str] = {}
        self._holds: list[Any] = []  # so that no other object gets the number of one that was read

    def read(self, thing: Any, path: str = "") -> tuple[str, dict[str, str]]:
        """The hash of its code, and the texts of its values."""
        code, values = [], {}
        for name, part in parts_of(thing):
            if isinstance(part, types.FunctionType):
                code += [name, *_code_texts(part.__code__)]
            elif name not in values:  # the first class that has it
                values[name] = self.text(part.value, path + name)
        return _hash(*code), values

    def text(self, value: Any, path: str) -> str:
        if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
            return _shortened(repr(value))
        if id(value) not in self._texts:
            self._holds.append(value)
            self._texts[id(value)] = type(value).__name__  # until it is known: what holds itself
            self._texts[id(value)] = _shortened(self._text(value, path))
        return self._texts[id(value)]

    def _text(self, value: Any, path: str) -> str:
        if isinstance(value, types.ModuleType):
            return value.__name__
        if type(value) is object:  # a mark, which says nothing
            return "object"
        if isinstance(value, Mapping) and type(value).__module__ in ("builtins", "collections"):
            items = (f"{self.text(k, path)}: {self.text(v, f'{path}[{k!r}]')}" for k, v in value.items())
            return "{" + ", ".join(items) + "}"
        if isinstance(value, (set, frozenset)):
            return "{" + ", ".join(sorted(self.text(each, path) for each in value)) + "}"
        if type(value) in (list, tuple):
            inside = ", ".join(self.text(each, f"{path}[{i}]") for i, each in enumerate(value))
            return f"[{inside}]" if isinstance(value, list) else f"({inside})"
        if is_code(value):
            code, values = self.read(value, path + ".")
            name = getattr(value, "__qualname__", type(value).__qualname__).rpartition(".")[2]
            return f"{name} {_hash(code, repr(sorted(values.items())))}"
        return self._data(value) or self._repr(value, path)

    def _repr(self, value: Any, path: str) -> str:
        try:
            text = repr(value)
        except Exception:
            text = "at 0x0"
        if not _ADDRESS.search(text):
            return text
        self.left_out.add(path)
        return "?"

    @staticmethod
    def _data(value: Any) -> str | None:
        """Of arrays, whose reprs leave out what is in the middle."""
        try:
            data = memoryview(value if isinstance(value, (bytearray, memoryview)) else value.__array__())
        except Exception:
            return None
        if data.format == "O" or not data.shape:
            return None
        digest = hashlib.sha256(data.tobytes()).hexdigest()[:16]
        return f"{type(value).__name__} {data.format} {data.shape} {digest}"


class _Value(NamedTuple):
    value: Any


Part = tuple[str, "types.FunctionType | _Value"]


def is_code(thing: Any) -> bool:
    """Whether it is something to call whose code can be read."""
    if isinstance(thing, (types.FunctionType, types.MethodType, functools.partial, type)):
        return True
    if isinstance(getattr(thing, "__wrapped__", None), types.FunctionType):
        return True
    plain = type(thing).__repr__ is object.__repr__
    return plain and isinstance(getattr(type(thing), "__call__", None), types.FunctionType)  # noqa: B004


def parts_of(thing: Any, prefix: str = "") -> Iterator[Part]:
    """The functions of a thing, and the values that it carries along, by name."""
    if isinstance(thing, types.FunctionType):
        yield prefix, thing
        yield from _carried_by(thing, prefix)
    elif isinstance(thing, types.MethodType):
        yield from parts_of(thing.__func__, prefix)
        yield from _parts_of_object(thing.__self__, prefix)
    elif isinstance(thing, functools.partial):
        yield from parts_of(thing.func, prefix)
        for name, value in [*enumerate(thing.args), *sorted(thing.keywords.items())]:
            yield f"{prefix}{name}", _Value(value)
    elif isinstance(thing, type):
        for each in thing.__mro__:
            if each.__module__ != "builtins":
                yield from _parts_of_class(each, prefix)
    elif isinstance(wrapped := getattr(thing, "__wrapped__", None), types.FunctionType):
        yield from parts_of(wrapped, prefix)
    elif isinstance(thing, types.BuiltinFunctionType):
        yield f"{prefix}name", _Value(thing.__qualname__)
    elif thing is not None:
        yield from _parts_of_object(thing, prefix)


def _carried_by(function: types.FunctionType, prefix: str) -> Iterator[Part]:
    code = function.__code__
    defaults = function.__defaults__ or ()
    arguments = code.co_varnames[: code.co_argcount]
    for name, value in zip(arguments[len(arguments) - len(defaults) :], defaults):
        yield prefix + name, _Value(value)
    for name, value in (function.__kwdefaults__ or {}).items():
        yield prefix + name, _Value(value)
    for name, cell in zip(code.co_freevars, function.__closure__ or ()):
        if name == "__class__":  # that of a method which calls super
            continue
        try:
            yield prefix + name, _Value(cell.cell_contents)
        except ValueError:  # nothing is in it yet
            yield prefix + name, _Value(None)


def _parts_of_class(cls: type, prefix: str) -> Iterator[Part]:
    for name, value in vars(cls).items():
        function = getattr(value, "__func__", None) or getattr(value, "__wrapped__", None) or value
        if isinstance(value, property):
            for accessor in (value.fget, value.fset, value.fdel):
                if isinstance(accessor, types.FunctionType):
                    yield from parts_of(accessor, f"{prefix}{name}.")
        elif isinstance(function, types.FunctionType):
            yield from parts_of(function, f"{prefix}{name}.")
        elif not _is_machinery(name, value):
            yield prefix + name, _Value(value)


def _is_machinery(name: str, value: Any) -> bool:
    """Whether an attribute of a class is Python's own, or code that is written in C."""
    if (name.startswith("__") and name.endswith("__")) or name.startswith("_abc_"):
        return True
    return hasattr(type(value), "__get__") and not isinstance(value, type)


def _parts_of_object(thing: Any, prefix: str) -> Iterator[Part]:
    """What it holds, and its class, whose attributes it may hide."""
    if isinstance(thing, type):  # a method of a class
        yield from parts_of(thing, prefix)
        return
    for name, value in getattr(thing, "__dict__", {}).items():
        yield prefix + name, _Value(value)
    for each in type(thing).__mro__:
        slots = getattr(each, "__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(thing, name) and not name.startswith("__"):
                yield prefix + name, _Value(getattr(thing, name))
    yield from parts_of(type(thing), prefix)


def _code_texts(code: types.CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    yield repr(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _code_texts(constant)
        elif isinstance(constant, frozenset):
            yield repr(sorted(map(repr, constant)))
        else:
            yield repr(constant)


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]}... {_hash(text)}"
