"""canopy finds and holds the best setting of a knob while the system runs.

Measurements may be noisy and may depend on the settings tried before. The search uses a tree over
the search space: the adaptive tree, which needs no parameters, or the High Confidence Tree (Azar,
Lazaric, Brunskill, ICML 2014).

>>> import canopy
>>> space = canopy.Space({"x": canopy.real(0, 1)})
>>> opt = canopy.Adaptive(space)
>>> for _ in range(1000):
...     pull = opt.ask(1)
...     opt.tell(pull, 1 - (pull.arm["x"] - 0.3) ** 2)
>>> round(opt.best().arm["x"], 1)
0.3

`maximize` and `minimize` run that loop, `policy_search` runs it on a Gymnasium environment,
`simulate` runs a whole simulation in C++, `experiment` compares algorithms on environments and
functions of your own, `Study` stores everything in a file, `connect` uses studies on a server.
`canopy.plot` draws, `canopy.optuna.Sampler` is a sampler for Optuna; both import their libraries
only when they are used.
"""

from __future__ import annotations

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING

from . import _canopy, _classes, functions, intervals
from ._canopy import Pull, Rewards, StoreError, StudyError
from ._classes import *  # noqa: F403 - one class for every optimizer
from ._classes import OptimizerName
from ._experiment import Algorithm, AskTell, Experiment, Function, experiment
from ._ledger import FailuresError
from ._limits import LimitCheck
from ._making import make_optimizer
from ._optimizers import (
    ArmEstimate,
    Best,
    Change,
    Learnt,
    Loss,
    MemoryWarning,
    Node,
    Optimizer,
    RangeWarning,
    Summary,
    Turn,
    Uplift,
)
from ._partition import Partition
from ._policy import ContextWeight, LevelEffect, Policy, PolicyRow
from ._remote import Command, RemoteStudy, Server, connect
from ._result import Episode, Result
from ._search import maximize, minimize
from ._simulation import (
    Environment,
    Estimate,
    Simulation,
    environments,
    optimizers,
    simulate,
)
from ._space import (
    Baseline,
    Choice,
    Contexts,
    Integer,
    Limit,
    Periodic,
    Real,
    Space,
    at_least,
    at_most,
    between,
    choice,
    integer,
    periodic,
    real,
)
from ._studies import Study, StudyRecord, load_optimizer, load_result, studies
from .gymnasium import policy_search

__version__ = _canopy.version
for _bound in (Pull, Rewards):
    _bound.__module__ = "canopy"

if _TYPE_CHECKING:
    from . import optuna as optuna
    from . import plot as plot

__all__ = [
    "Algorithm",
    "ArmEstimate",
    "AskTell",
    "Baseline",
    "Best",
    "Change",
    "Choice",
    "Command",
    "ContextWeight",
    "Contexts",
    "Environment",
    "Episode",
    "Estimate",
    "Experiment",
    "FailuresError",
    "Function",
    "Integer",
    "Learnt",
    "LevelEffect",
    "Limit",
    "LimitCheck",
    "Loss",
    "MemoryWarning",
    "Node",
    "Optimizer",
    "OptimizerName",
    "Partition",
    "Periodic",
    "Policy",
    "PolicyRow",
    "Pull",
    "RangeWarning",
    "Real",
    "RemoteStudy",
    "Result",
    "Rewards",
    "Server",
    "Simulation",
    "Space",
    "StoreError",
    "Study",
    "StudyError",
    "StudyRecord",
    "Summary",
    "Turn",
    "Uplift",
    "at_least",
    "at_most",
    "between",
    "choice",
    "connect",
    "environments",
    "experiment",
    "functions",
    "integer",
    "intervals",
    "load_optimizer",
    "load_result",
    "make_optimizer",
    "maximize",
    "minimize",
    "optimizers",
    "periodic",
    "policy_search",
    "real",
    "simulate",
    "studies",
]
__all__ += _classes.__all__


def __getattr__(name: str) -> object:
    """Imports `canopy.plot` and `canopy.optuna` when they are first used."""
    needs = {"plot": "matplotlib", "optuna": "optuna"}.get(name)
    if needs:
        try:
            return _importlib.import_module(f".{name}", __name__)
        except ModuleNotFoundError as error:
            if error.name != needs:
                raise
            raise ImportError(f"canopy.{name} needs {needs}: pip install {needs}") from None
    raise AttributeError(f"module 'canopy' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "optuna", "plot", "__version__"])
