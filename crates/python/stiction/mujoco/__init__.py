"""The names that MuJoCo scripts use, backed by stiction: ``import stiction.mujoco as mujoco``.

What is not offered raises :class:`NotOffered`, read or written, never a silent zero; what stands for something that is not there has no
rows. A field is one array, which is made when it is first asked for and written by every function from then on: positions and
velocities of the present state, contacts and forces of the last step, or of the present state where no step led to it. Contacts are
rigid; ``solref`` and ``solimp`` count for ``model.contact = "mujoco"`` alone. A step that fails raises ``stiction.StepFailed``.

:func:`install` makes ``import mujoco`` mean this package, for libraries that import MuJoCo themselves.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any, Union

import numpy as np

from . import _callbacks, _enums, _functions, _linear, _listed, _math, _momenta, _pictures, _rays, _strings, rollout, spec
from ._callbacks import *  # noqa: F403
from ._data import MjContact, MjData
from ._enums import *  # noqa: F403
from ._functions import *  # noqa: F403
from ._guard import FatalError, NotOffered
from ._math import *  # noqa: F403
from ._model import MjModel
from ._options import MjOption
from ._pictures import (
    MjrContext,
    MjrRect,
    MjvCamera,
    MjvFigure,
    MjvOption,
    MjvPerturb,
    MjvScene,
    Renderer,
)
from ._structs import (
    MjLROpt,
    MjSolverStat,
    MjStatistic,
    MjTimerStat,
    MjvGeom,
    MjvGLCamera,
    MjvLight,
    MjWarningStat,
)
from .spec import MjSpec

#: Version of MuJoCo whose names these are.
__version__ = "4.0.0"

#: Modules whose names are MuJoCo's.
_MODULES = (_functions, _pictures, _callbacks, _math, _linear, _rays, _momenta, _strings, _enums)
for _module in _MODULES:
    globals().update({name: getattr(_module, name) for name in _module.NAMES})
globals().update(spec.CLASSES)

#: The kinds of elements of a spec.
MjStruct: Any = Union[tuple(spec.CLASSES.values())]


class UnexpectedError(RuntimeError):
    """What MuJoCo raises where something is wrong with it."""


#: The kind of all numbers.
MJTNUM_DTYPE = np.float64

#: The version whose names these are, as a number.
mjVERSION_HEADER = 4000000


def install() -> None:
    """Lets ``import mujoco`` import this package, in this process, until it ends.

    Call it before anything imports MuJoCo; where that has happened, this raises. dm_control asks every model and every state
    for all fields that it knows: those that are not offered are then objects that raise ``NotOffered`` when they are used.
    """
    there = sys.modules.get("mujoco")
    if there is not None and there is not sys.modules[__name__]:
        raise RuntimeError("MuJoCo is imported already; call stiction.mujoco.install() before what imports it")
    sys.modules["mujoco"] = sys.modules[__name__]
    _listed.list_fields()
    for part in ("rollout", "viewer"):
        sys.modules[f"mujoco.{part}"] = importlib.import_module(f"{__name__}.{part}")


__all__ = [
    "FatalError",
    "MjContact",
    "MjData",
    "MjLROpt",
    "MjModel",
    "MjOption",
    "MjSolverStat",
    "MjSpec",
    "MjStatistic",
    "MjTimerStat",
    "MjWarningStat",
    "MJTNUM_DTYPE",
    "MjrContext",
    "MjrRect",
    "MjvCamera",
    "MjvFigure",
    "MjvGLCamera",
    "MjvGeom",
    "MjvLight",
    "MjvOption",
    "MjvPerturb",
    "MjvScene",
    "NotOffered",
    "Renderer",
    "UnexpectedError",
    "install",
    "mjVERSION_HEADER",
    "rollout",
    "viewer",
    *(name for module in _MODULES for name in module.NAMES),
    *spec.CLASSES,
]


def __getattr__(name: str) -> Any:
    if name == "viewer":
        return importlib.import_module(f"{__name__}.viewer")
    if name.startswith("_"):
        raise AttributeError(name)
    raise NotOffered(f"stiction.mujoco does not offer `{name}`; what it offers is in stiction.mujoco.__all__")
