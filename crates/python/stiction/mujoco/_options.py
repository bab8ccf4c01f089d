"""Options of a model that have a meaning here."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._model import Model
from .._stiction import Error
from . import _enums
from ._guard import Guarded, NotOffered

#: What may be disabled: gravity, and actuators.
_DISABLED = int(_enums.mjtDisableBit["mjDSBL_GRAVITY"]) | int(_enums.mjtDisableBit["mjDSBL_ACTUATION"])


class MjOption(Guarded):
    """Options of a model that have a meaning here: time step, gravity, and what ends the iterations of the contact solver.

    MuJoCo's solver and its cones are none of ours: they are neither told nor set. Of ``disableflags`` gravity and actuation act.
    """

    _called = "MjModel.opt"

    def __init__(self, model: Model) -> None:
        settings = model.settings
        self._put(
            _timestep=model.dt,
            _iterations=int(settings["max_iterations"]),
            _tolerance=float(settings["tolerance"]),
            gravity=np.array(model.gravity), disableflags=0, enableflags=0,
            #: That of Euler, the nearest to a step here that MuJoCo has a word for.
            integrator=0,
        )

    def __setattr__(self, name: str, value: Any) -> None:
        allowed = {"disableflags": _DISABLED, "enableflags": 0, "integrator": 0}.get(name)
        if allowed is None:
            super().__setattr__(name, value)
        elif int(value) & ~allowed:
            raise NotOffered(f"stiction.mujoco does not offer opt.{name} = {int(value)}, but {allowed}, or a part of it")
        else:
            self._put(**{name: int(value)})

    @property
    def timestep(self) -> float:
        """Time step [s]."""
        return float(self._timestep)

    @timestep.setter
    def timestep(self, step: float) -> None:
        if not 0 < step < np.inf:
            raise Error(f"opt.timestep is {step}; expected a finite number > 0 [s]")
        self._timestep = float(step)

    @property
    def iterations(self) -> int:
        """Iterations of the contact solver in a step, at most."""
        return int(self._iterations)

    @iterations.setter
    def iterations(self, most: int) -> None:
        if int(most) != most or most < 1:
            raise Error(f"opt.iterations is {most}; expected a whole number > 0")
        self._iterations = int(most)

    @property
    def tolerance(self) -> float:
        """Residual at which the contact solver stops [m/s]; MuJoCo's is of another quantity."""
        return float(self._tolerance)

    @tolerance.setter
    def tolerance(self, residual: float) -> None:
        if not 0 < residual < np.inf:
            raise Error(f"opt.tolerance is {residual}; expected a finite number > 0 [m/s]")
        self._tolerance = float(residual)


class _Global(Guarded):
    """Sizes of pictures."""

    _called = "MjModel.vis.global_"
    _settable = frozenset({"offwidth", "offheight"})

    def __init__(self) -> None:
        self._put(offwidth=640, offheight=480)


class MjVisual(Guarded):
    """Of pictures only their largest size, in ``global_``."""

    _called = "MjModel.vis"

    def __init__(self) -> None:
        self._put(global_=_Global())
