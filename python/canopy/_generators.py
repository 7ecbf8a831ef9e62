"""The random generators that functions and classes use, and their seeds."""

from __future__ import annotations

import contextlib
import hashlib
import random
import sys
import sysconfig
import types
from collections.abc import Iterator, Sequence
from typing import Any

from ._fingerprint import is_code, parts_of


@contextlib.contextmanager
def seeded(name: str, users: Sequence[Any]) -> Iterator[None]:
    """A block in which random numbers depend on a name alone.

    Those of `random`, of `numpy.random` if that is there, and of the generators that the users refer to. Each of these
    has a seed of its own. After the block all are as they were before.
    """
    with contextlib.ExitStack() as stack:
        stack.callback(random.setstate, random.getstate())
        random.seed(name)
        if numpy := sys.modules.get("numpy"):
            stack.callback(numpy.random.set_state, numpy.random.get_state())
            numpy.random.seed(random.getrandbits(32))
        for number, generator in enumerate(generators_of(users)):
            digest = hashlib.sha256(f"{number} {name}".encode()).digest()
            _seed(generator, int.from_bytes(digest[:16], "little"), stack)
        yield


def _seed(generator: Any, seed: int, stack: contextlib.ExitStack) -> None:
    if isinstance(generator, random.Random):
        stack.callback(generator.setstate, generator.getstate())
        generator.seed(seed)
    elif hasattr(generator, "get_state"):  # a RandomState
        stack.callback(generator.set_state, generator.get_state())
        generator.seed(seed % 2**32)
    else:  # a bit generator of numpy
        stack.callback(setattr, generator, "state", generator.state)
        generator.state = type(generator)(seed).state


def generators_of(users: Sequence[Any]) -> list[Any]:
    """Instances of `random.Random`, and of numpy's `RandomState` and bit generators. Their order is that of the code.

    Looked for in default arguments, in variables of enclosing functions, in globals that the code names, in attributes
    of classes and of objects found there, and in the same way in functions and classes found there, unless these are
    from an installed package.
    """
    search = _Search()
    for each in users:
        search.look(each, is_user=True)
    return search.found


class _Search:
    def __init__(self) -> None:
        self.found: list[Any] = []
        self._seen: dict[int, Any] = {}  # with what was seen, so that nothing else gets its number

    def look(self, value: Any, *, is_user: bool = False, is_attribute: bool = False) -> None:
        """`is_attribute`: of an object; those of its own are not looked at."""
        if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
            return
        generator = _generator_in(value)
        value = value if generator is None else generator
        if id(value) in self._seen or isinstance(value, types.ModuleType):
            return
        self._seen[id(value)] = value
        if generator is not None:
            self.found.append(generator)
        elif isinstance(value, (list, tuple)):
            for each in value[:1000]:  # a longer one holds data
                self.look(each, is_attribute=True)
        elif is_user or (not _is_installed(value) if is_code(value) else not is_attribute):
            self._open(value, is_user)
        else:
            del self._seen[id(value)]

    def _open(self, thing: Any, is_user: bool) -> None:
        is_object = not isinstance(thing, (types.FunctionType, type))
        for _, part in parts_of(thing):
            if not isinstance(part, types.FunctionType):
                self.look(part.value, is_attribute=is_object)
            elif is_user or not _is_installed(part):
                for value in _globals_of(part):
                    self.look(value)


def _generator_in(value: Any) -> Any:
    """The generator that a value is or that a method belongs to; None: there is none, or `seeded` has it anyway."""
    if isinstance(value, (types.MethodType, types.BuiltinMethodType)):
        value = value.__self__
    if isinstance(value, random.Random):
        is_ours = isinstance(value, random.SystemRandom) or value is random.random.__self__  # type: ignore[attr-defined]
        return None if is_ours else value
    numpy: Any = sys.modules.get("numpy.random")
    if not numpy:
        return None
    if isinstance(value, numpy.RandomState):
        is_legacy = isinstance(value._bit_generator, numpy.MT19937)
        return None if value is numpy.mtrand._rand else value if is_legacy else value._bit_generator
    if isinstance(value, numpy.Generator):
        return value.bit_generator
    return value if isinstance(value, numpy.BitGenerator) else None


def _globals_of(function: types.FunctionType) -> Iterator[Any]:
    """What its code names, also in modules that it names."""
    for names in _names_in(function.__code__):
        for name in names:
            value = function.__globals__.get(name)
            if isinstance(value, types.ModuleType):
                yield from (vars(value)[each] for each in names if each in vars(value))
            else:
                yield value


def _names_in(code: types.CodeType) -> Iterator[tuple[str, ...]]:
    """Those of a code, and of the functions in it."""
    yield code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)


_LIBRARY = sysconfig.get_paths()["stdlib"]


def _is_installed(thing: Any) -> bool:
    """Whether its code is Python's or that of a package, not of whoever calls."""
    name = getattr(thing, "__module__", None) or ""
    file = getattr(sys.modules.get(name), "__file__", None) or ""
    installed = file.startswith(_LIBRARY) or "site-packages" in file or "dist-packages" in file
    return installed or name in sys.builtin_module_names
