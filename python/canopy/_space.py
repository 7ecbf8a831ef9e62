"""What is tuned: a box of named parameters."""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from . import _canopy


class Variable:
    """Something that has values: a parameter, or what is observed."""

    def _objects(self) -> tuple[Any, ...]:
        """The objects that the values stand for, if they are not the values themselves."""
        return ()


@dataclass(frozen=True)
class Parameter(Variable):
    """One of the things that are tuned.

    Each kind is a class with the name and the fields of its kind in study files, but that `log` stands for `scale`.
    """

    def _fields(self) -> dict[str, Any]:
        """The fields as study files have them."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        if "log" in fields:
            fields["scale"] = "log" if fields.pop("log") else "linear"
        return fields


@dataclass(frozen=True)
class Real(Parameter):
    """A real number in [low, high]; on a log scale, 1..10 gets as much attention as 10..100."""

    low: float
    high: float
    log: bool = False


@dataclass(frozen=True)
class Integer(Parameter):
    """A whole number: low, low + step, ... up to the last that is not above high; on a log scale, 1..9 gets as much
    attention as 10..99."""

    low: int
    high: int
    log: bool = False
    step: int = 1


@dataclass(frozen=True)
class Choice(Parameter):
    """One of a list of values. Neighbours share cells, so put similar values side by side."""

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
    """Something observed whose values repeat: those that differ by `period` are the same, as hours 0 and 24 are."""

    period: float


def periodic(period: float) -> Periodic:
    """A number whose values repeat: the hour of the day, an angle. For contexts; any number may be given.

    >>> canopy.periodic(24)
    Periodic(period=24.0)
    """
    length = number("period", period)
    if not (length > 0 and math.isfinite(length)):
        raise ValueError(f"period = {period!r}: must be above 0")
    return Periodic(length)


_Each = TypeVar("_Each")


class _Named(Generic[_Each]):
    """Looks at things by their names, as in a dictionary."""

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
        """The one of that name, or the default."""
        return self._things.get(name, default)

    def values(self) -> ValuesView[_Each]:
        """What has the names."""
        return self._things.values()

    def items(self) -> ItemsView[str, _Each]:
        """Names, and what has them."""
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
    """Named parameters, in the order given. Wherever a space is expected, a dictionary will do.

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
    """What is observed before each pull, by name, in the order given: three variables at most.

    Wherever contexts are expected, a dictionary will do.

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
    """None: nothing is observed. Raises ValueError."""
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
    """Contexts from the tables of a study file; None: there are none."""
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
    """A parameter from its fields as study files have them; those that are left out have their defaults."""
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
    """The same, if a space takes it. Raises ValueError: `real.low = 1: must be below high = 0`."""
    try:
        Space({type(parameter).__name__.lower(): parameter})
    except ValueError as error:
        raise ValueError(str(error).replace("space.", "")) from None
    return parameter


def _labels(choices: tuple[Any, ...]) -> list[str]:
    """The names of choices: strings name themselves, unless that would confuse "1" with 1."""
    labels = [value if isinstance(value, str) else repr(value) for value in choices]
    return labels if len(set(labels)) == len(labels) else [repr(value) for value in choices]


def _tuple_of(what: str, name: str, parameter: Variable) -> tuple[str, str, dict[str, Any]]:
    """As `_canopy` takes a parameter, or what is observed (`what`: "space" or "context")."""
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
    """The values that differ, as a parameter."""
    return Real(0.0, variable.period) if isinstance(variable, Periodic) else variable


def number(name: str, value: Any) -> float:
    """A number, not a string that looks like one. Raises ValueError."""
    try:
        if isinstance(value, (str, bytes, bytearray)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} = {value!r}: must be a number") from None


def whole(name: str, value: Any, least: int = -(2**53), most: int = 2**53) -> int:
    """A whole number; 1e3 and numpy's integers count as well. Raises ValueError."""
    found = None
    if hasattr(value, "__index__"):
        found = operator.index(value)
    elif isinstance(value, float) and value.is_integer():
        found = int(value)
    if found is None or not least <= found <= most:
        raise ValueError(f"{name} = {value!r}: must be a whole number from {least} to {most}")
    return found


AnySpace = Space | Mapping[str, Parameter]
#: what is observed before each pull, by name; None: nothing
AnyContexts = Contexts | Mapping[str, Variable] | None
Context = Mapping[str, Any]  #: what was observed: a value for each name
Direction = Literal["maximize", "minimize"]
RewardRange = Sequence[float] | Literal["auto"] | None


class Baseline(NamedTuple):
    """A setting that is known to be good, which the best arm is compared with while the search runs.

    After `every` pulls of the search on average comes a round: `pulls` pairs of the best arm and the baseline, right
    after each other, in an order that is tossed; `every=0` leaves them out. `seed` is that of the coin, by default a
    new one. Comparing begins after a quarter of `horizon` pulls, if it is given, from 20 to 100.

    With `max_loss=0.02`, tuning may cost 2 % of what the baseline would have earned meanwhile: an arm is called only if
    its worst plausible loss fits, and the baseline or a proven arm until then. `worst_loss` is the part of the
    baseline's reward that a call of an untried arm may lose at worst, 1 by default; when minimizing it must be given.
    Where rewards may be negative, `max_loss_per_pull` and `worst_loss_per_pull` say the same as rewards.
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
    """What a metric must be, on average over the calls with an arm: see `at_most`, `at_least` and `between`.

    Beyond it by `factor` in a single call, the adaptive tree leaves the arm at once.
    """

    min: float | None = None
    max: float | None = None
    factor: float = 2.0


def at_most(value: float, *, factor: float = 2.0) -> Limit:
    """A limit on a metric: no more than that.

    >>> canopy.at_most(60)
    Limit(min=None, max=60.0, factor=2.0)
    """
    return Limit(None, number("at_most", value), number("factor", factor))


def at_least(value: float, *, factor: float = 2.0) -> Limit:
    """A limit on a metric: no less than that.

    >>> canopy.at_least(0.9).min
    0.9
    """
    return Limit(number("at_least", value), None, number("factor", factor))


def between(low: float, high: float, *, factor: float = 2.0) -> Limit:
    """A limit on a metric at either end.

    >>> canopy.between(10, 60)
    Limit(min=10.0, max=60.0, factor=2.0)
    """
    return Limit(number("between", low), number("between", high), number("factor", factor))


Limits = Mapping[str, Limit] | None  #: by the names of the metrics

AnyBaseline = Mapping[str, Any] | Baseline | None  #: an arm, or with more about it; None: there is none
