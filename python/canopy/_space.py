"""Search spaces: boxes of named parameters."""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from . import _canopy


class Variable:
    """Something that has values: a parameter, or a variable of the context."""

    def _objects(self) -> tuple[Any, ...]:
        """The objects that coordinates stand for; empty if the coordinates are the values themselves."""
        return ()


@dataclass(frozen=True)
class Parameter(Variable):
    """A parameter of the search space.

    Each kind is a class with the name and fields that it has in study files, except that `log` replaces `scale`.
    """

    def _fields(self) -> dict[str, Any]:
        """The fields as in study files."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        if "log" in fields:
            fields["scale"] = "log" if fields.pop("log") else "linear"
        return fields


@dataclass(frozen=True)
class Real(Parameter):
    """A real number in [low, high]; on a log scale, 1..10 is as wide as 10..100."""

    low: float
    high: float
    log: bool = False


@dataclass(frozen=True)
class Integer(Parameter):
    """A whole number: low, low + step, ... up to the largest that does not exceed high; on a log scale, 1..9 is as wide
    as 10..99."""

    low: int
    high: int
    log: bool = False
    step: int = 1


@dataclass(frozen=True)
class Choice(Parameter):
    """One of a list of values. Adjacent values share cells, so list similar values next to each other."""

    choices: tuple[Any, ...]

    def _fields(self) -> dict[str, Any]:
        return {"choices": _labels(self.choices)}

    def _objects(self) -> tuple[Any, ...]:
        return self.choices


_KINDS: dict[str, type[Parameter]] = {kind.__name__.lower(): kind for kind in Parameter.__subclasses__()}


def real(low: float, high: float, log: bool = False) -> Real:
    """A real number in [low, high].

    >>> canopy.real(1e-4, 1, log=True)
    Real(low=0.0001, high=1.0, log=True)
    """
    return _checked(Real(number("low", low), number("high", high), bool(log)))


def integer(low: int, high: int, log: bool = False, step: int = 1) -> Integer:
    """A whole number from low to high, on a log scale or in steps.

    >>> canopy.integer(1, 65536, log=True)
    Integer(low=1, high=65536, log=True, step=1)
    >>> canopy.integer(0, 100, step=5)
    Integer(low=0, high=100, log=False, step=5)
    """
    return _checked(Integer(whole("low", low), whole("high", high), bool(log), whole("step", step)))


def choice(*choices: Any) -> Choice:
    """One of some values: choice("lru", "lfu") or choice(["lru", "lfu"]).

    >>> canopy.choice(16, 32, 64)
    Choice(choices=(16, 32, 64))
    """
    if len(choices) == 1 and isinstance(choices[0], Iterable) and not isinstance(choices[0], (str, bytes)):
        choices = tuple(choices[0])
    return Choice(choices)


@dataclass(frozen=True)
class Periodic(Variable):
    """A cyclic variable: values that differ by `period` are the same, like the hours 0 and 24."""

    period: float


def periodic(period: float) -> Periodic:
    """A cyclic number for contexts, such as the hour of the day or an angle. Any number is valid.

    >>> canopy.periodic(24)
    Periodic(period=24.0)
    """
    length = number("period", period)
    if not (length > 0 and math.isfinite(length)):
        raise ValueError(f"period = {period!r}: must be above 0")
    return Periodic(length)


_Each = TypeVar("_Each")


class _Named(Generic[_Each]):
    """A read-only mapping by names."""

    _things: dict[str, _Each]

    def __getitem__(self, name: str) -> _Each:
        return self._things[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def __len__(self) -> int:
        return len(self._things)

    def __contains__(self, name: object) -> bool:
        return name in self._things

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._things.keys()

    def get(self, name: str, default: Any = None) -> Any:
        """The value with that name, or the default."""
        return self._things.get(name, default)

    def values(self) -> ValuesView[_Each]:
        """The values."""
        return self._things.values()

    def items(self) -> ItemsView[str, _Each]:
        """The pairs of a name and its value."""
        return self._things.items()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and list(self.items()) == list(other.items())

    def __hash__(self) -> int:
        return hash(tuple(self.items()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._things!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self._things,))


class Space(_Named[Parameter], _canopy.Space):
    """Named parameters, in the given order. A dictionary is accepted wherever a space is expected.

    >>> space = canopy.Space({"ttl": canopy.real(1, 3600, log=True), "policy": canopy.choice("lru", "lfu")})
    >>> list(space)
    ['ttl', 'policy']
    >>> space["ttl"].high
    3600.0
    """

    def __init__(self, parameters: Mapping[str, Parameter]):
        if not isinstance(parameters, Mapping):
            raise ValueError(f'space = {parameters!r}: must be a dictionary such as {{"x": canopy.real(0, 1)}}')
        super().__init__(
            [_tuple_of("space", name, parameter) for name, parameter in parameters.items()],
            [parameter._objects() for parameter in parameters.values()],
        )
        self._things = dict(parameters)


class Contexts(_Named[Variable], _canopy.Contexts):
    """The variables that are observed before each pull, by name, in the given order: at most three.

    A dictionary is accepted wherever contexts are expected.

    >>> contexts = canopy.Contexts({"hour": canopy.periodic(24), "tenant": canopy.choice("small", "large")})
    >>> contexts["hour"].period
    24.0
    """

    def __init__(self, variables: Mapping[str, Variable]):
        if not isinstance(variables, Mapping):
            raise ValueError(f'contexts = {variables!r}: must be a dictionary such as {{"load": canopy.real(0, 1)}}')
        plain = {name: _without_period(variable) for name, variable in variables.items()}
        super().__init__(
            [_tuple_of("context", name, variable) for name, variable in plain.items()],
            [variable._objects() for variable in plain.values()],
            [variable.period if isinstance(variable, Periodic) else 0.0 for variable in variables.values()],
        )
        self._things = dict(variables)


Mapping.register(Space)
Mapping.register(Contexts)


def space_from(space: Space | Mapping[str, Parameter]) -> Space:
    return space if isinstance(space, Space) else Space(space)


def contexts_from(contexts: AnyContexts) -> Contexts | None:
    """Converts to Contexts; None stays None. Raises ValueError."""
    if contexts is None or isinstance(contexts, Contexts):
        return contexts
    return Contexts(contexts) if contexts != {} else None


def space_from_tuples(parameters: Sequence[tuple[str, str, Mapping[str, Any]]]) -> Space:
    """A space from the tuples that `_canopy` uses: name, kind, fields."""
    return Space({name: _parameter_from(kind, fields) for name, kind, fields in parameters})


def space_from_documents(parameters: Iterable[Mapping[str, Any]]) -> Space:
    """A space from the tables of a study file."""
    return Space({each["name"]: _parameter_from(each["type"], each) for each in parameters})


def documents_from(space: Space) -> list[dict[str, Any]]:
    """The tables of a study file."""
    return [{"name": name, "type": kind, **fields} for name, kind, fields in space._tuples()]


def contexts_from_tuples(variables: Sequence[tuple[str, str, Mapping[str, Any], float]]) -> Contexts:
    """Contexts from the tuples that `_canopy` uses: name, kind, fields, period."""
    return Contexts(
        {
            name: Periodic(period) if period else _parameter_from(kind, fields)
            for name, kind, fields, period in variables
        }
    )


def contexts_from_documents(variables: Iterable[Mapping[str, Any]]) -> Contexts | None:
    """Contexts from the tables of a study file; None if there are none."""
    return contexts_from(
        {
            each["name"]: Periodic(each["period"]) if each.get("period") else _parameter_from(each["type"], each)
            for each in variables
        }
    )


def context_documents_from(contexts: Contexts) -> list[dict[str, Any]]:
    """The tables of a study file."""
    return [
        {"name": name, "type": kind, **fields, **({"period": period} if period else {})}
        for name, kind, fields, period in contexts._variables()
    ]


def _parameter_from(kind: str, fields: Mapping[str, Any]) -> Parameter:
    """A parameter from its fields as in study files; missing fields have their defaults."""
    made: dict[str, Any] = {}
    for field in dataclasses.fields(_KINDS[kind]):
        if field.name == "log":
            made["log"] = fields.get("scale") == "log"
        elif field.name in fields:
            value = fields[field.name]
            made[field.name] = tuple(value) if isinstance(value, list) else value
    return _KINDS[kind](**made)


_Kind = TypeVar("_Kind", bound=Parameter)


def _checked(parameter: _Kind) -> _Kind:
    """Checks a parameter and returns it. Raises ValueError: `real.low = 1: must be below high = 0`."""
    try:
        Space({type(parameter).__name__.lower(): parameter})
    except ValueError as error:
        raise ValueError(str(error).replace("space.", "")) from None
    return parameter


def _labels(choices: tuple[Any, ...]) -> list[str]:
    """The names of choices: strings are their own names, unless that would confuse "1" with 1."""
    labels = [value if isinstance(value, str) else repr(value) for value in choices]
    return labels if len(set(labels)) == len(labels) else [repr(value) for value in choices]


def _tuple_of(what: str, name: str, parameter: Variable) -> tuple[str, str, dict[str, Any]]:
    """The form of a parameter or variable that `_canopy` takes (`what`: "space" or "context")."""
    if not isinstance(name, str):
        raise ValueError(f"{what}.{name!r}: the name of a {_NOUNS[what]} must be a string")
    if not isinstance(parameter, Parameter):
        kinds = [f"canopy.{kind}(...)" for kind in _KINDS]
        if what == "context":
            kinds.append("canopy.periodic(...)")
        *others, last = kinds
        raise ValueError(f"{what}.{name} = {parameter!r}: must be {', '.join(others)} or {last}")
    return (name, type(parameter).__name__.lower(), parameter._fields())


_NOUNS = {"space": "parameter", "context": "context"}


def _without_period(variable: Variable) -> Variable:
    """One period of values, as a parameter."""
    return Real(0.0, variable.period) if isinstance(variable, Periodic) else variable


def number(name: str, value: Any) -> float:
    """Converts a number, but not a string. Raises ValueError."""
    try:
        if isinstance(value, (str, bytes, bytearray)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} = {value!r}: must be a number") from None


def whole(name: str, value: Any, least: int = -(2**53), most: int = 2**53) -> int:
    """Converts a whole number; 1e3 and numpy's integers are valid too. Raises ValueError."""
    found = None
    if hasattr(value, "__index__"):
        found = operator.index(value)
    elif isinstance(value, float) and value.is_integer():
        found = int(value)
    if found is None or not least <= found <= most:
        raise ValueError(f"{name} = {value!r}: must be a whole number from {least} to {most}")
    return found


AnySpace = Space | Mapping[str, Parameter]
#: the variables that are observed before each pull, by name; None: none
AnyContexts = Contexts | Mapping[str, Variable] | None
Context = Mapping[str, Any]  #: an observed context: a value for each name
Direction = Literal["maximize", "minimize"]
RewardRange = Sequence[float] | Literal["auto"] | None


class Baseline(NamedTuple):
    """A known good setting with which the best arm is compared while the search runs.

    A round comes after `every` pulls of the search on average: `pulls` pairs of the best arm and the baseline, directly
    after each other, in random order; `every=0` disables rounds. `seed` seeds the order; by default it is random.
    The first round comes after a quarter of `horizon` pulls, but at least 20 and at most 100; without it, after 80.

    With `max_loss=0.02`, tuning may cost 2 % of what the baseline would have earned meanwhile: an arm is called only if
    its worst plausible loss is within that; otherwise the baseline or a proven arm is called. `worst_loss` is the part
    of the baseline's reward that a call of an untried arm may lose at worst, 1 by default; when minimizing it must be
    given. If rewards may be negative, give `max_loss_per_pull` and `worst_loss_per_pull` instead, in units of the
    reward.
    """

    setting: dict[str, Any]
    every: int = 10
    pulls: int = 4
    seed: int | None = None
    horizon: int | None = None
    max_loss: float | None = None
    worst_loss: float | None = None
    max_loss_per_pull: float | None = None
    worst_loss_per_pull: float | None = None


#: fields of `Baseline` that study files have in [budget]
LOSS_FIELDS = ("max_loss", "worst_loss", "max_loss_per_pull", "worst_loss_per_pull")


class Limit(NamedTuple):
    """A limit on the mean of a metric over the calls with an arm: see `at_most`, `at_least` and `between`.

    If a single call violates it by `factor`, the adaptive tree avoids the arm at once.
    """

    min: float | None = None
    max: float | None = None
    factor: float = 2.0


def at_most(value: float, *, factor: float = 2.0) -> Limit:
    """An upper limit on a metric.

    >>> canopy.at_most(60)
    Limit(min=None, max=60.0, factor=2.0)
    """
    return Limit(None, number("at_most", value), number("factor", factor))


def at_least(value: float, *, factor: float = 2.0) -> Limit:
    """A lower limit on a metric.

    >>> canopy.at_least(0.9).min
    0.9
    """
    return Limit(number("at_least", value), None, number("factor", factor))


def between(low: float, high: float, *, factor: float = 2.0) -> Limit:
    """A lower and an upper limit on a metric.

    >>> canopy.between(10, 60)
    Limit(min=10.0, max=60.0, factor=2.0)
    """
    return Limit(number("between", low), number("between", high), number("factor", factor))


Limits = Mapping[str, Limit] | None  #: by the names of the metrics

AnyBaseline = Mapping[str, Any] | Baseline | None  #: an arm, or a `Baseline` with more options; None: no baseline
