"""Finds and seeds the random generators of this process."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import importlib
import random
import sys
from collections.abc import Iterator, Sequence
from typing import Any

Generators = Sequence[tuple[Any, str]]


def find_generators() -> Generators:
    """Instances of `random.Random`, numpy's bit generators and `RandomState`, each with a text of its state.

    The global ones of `random`, `numpy.random` and, if it was imported, torch have no text. numpy is imported here, so
    that its generators are found even if nothing has used it yet.
    """
    with contextlib.suppress(ImportError):
        importlib.import_module("numpy.random")
    numpy: Any = sys.modules.get("numpy.random")
    kinds = (random.Random, numpy.BitGenerator, numpy.RandomState) if numpy else (random.Random,)
    found = [each for each in gc.get_objects() if issubclass(type(each), kinds)]
    shared = [random.random.__self__]  # type: ignore[attr-defined]
    if numpy:
        shared += [numpy.mtrand._rand, numpy.mtrand._rand._bit_generator]
    torch = getattr(sys.modules.get("torch"), "default_generator", None)
    found_states = [
        (each, "" if any(each is one for one in shared) else repr(_state_of(each)))
        for each in sorted(found, key=lambda each: hasattr(each, "get_state"))  # RandomState after its bit generator
        if not isinstance(each, random.SystemRandom)
    ]
    return found_states if torch is None else [*found_states, (torch, "")]


@contextlib.contextmanager
def seeded(name: str, generators: Generators) -> Iterator[None]:
    """A block in which random numbers depend only on a name and on the texts of the generators.

    After the block, all generators have their earlier states again.
    """
    states = [_state_of(generator) for generator, _ in generators]
    seed_all(name, generators)
    try:
        yield
    finally:
        for (generator, _), state in zip(generators, states):
            _set_state(generator, state)


def seed_all(name: str, generators: Generators) -> None:
    """Seeds all generators, as `seeded` does, but permanently."""
    for generator, text in generators:
        digest = hashlib.sha256(f"{name} {text}".encode()).digest()
        _seed(generator, int.from_bytes(digest[:16], "little"))


def _is_of_torch(generator: Any) -> bool:
    return hasattr(generator, "manual_seed")


def _state_of(generator: Any) -> Any:
    if isinstance(generator, random.Random):
        return generator.getstate()
    if _is_of_torch(generator):
        return generator.get_state()
    return generator.get_state(legacy=False) if hasattr(generator, "get_state") else generator.state


def _set_state(generator: Any, state: Any) -> None:
    if isinstance(generator, random.Random):
        generator.setstate(state)
    elif hasattr(generator, "set_state"):  # also torch's
        generator.set_state(state)
    else:
        generator.state = state


def _seed(generator: Any, seed: int) -> None:
    if isinstance(generator, random.Random):
        generator.seed(seed)
    elif _is_of_torch(generator):
        generator.manual_seed(seed % 2**63)
    elif hasattr(generator, "set_state"):  # may keep one of a pair of normal numbers; the bit generator is seeded
        generator.set_state({**generator.get_state(legacy=False), "has_gauss": 0, "gauss": 0.0})
    else:
        generator.state = type(generator)(seed).state
