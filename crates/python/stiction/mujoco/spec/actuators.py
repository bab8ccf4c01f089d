"""What actuators are by their names: the gains, biases and dynamics of motors, servos, muscles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _enums
from .element import WithClass

#: Signatures of the control that MuJoCo writes for servos and cylinders.
_POSITION, _VELOCITY, _PRESSURE = 1, 2, 32


class MjsActuator(WithClass):
    """An actuator: ``set_to_motor`` and the like give it the numbers of one kind."""

    _kind = "actuator"

    def _become(self, name: str, dynamics: str, gain: str, bias: str, input: int = 0) -> None:
        self.type = _enums.mjtActuator[f"mjACTUATOR_{name}"]
        self.gainprm[:], self.biasprm[:], self.dynprm[:] = 0, 0, 0
        self.gainprm[0] = self.dynprm[0] = 1
        self.dyntype, self.gaintype = _enums.mjtDyn[f"mjDYN_{dynamics}"], _enums.mjtGain[f"mjGAIN_{gain}"]
        self.biastype, self.ctrlspec = _enums.mjtBias[f"mjBIAS_{bias}"], input

    def _damped(self, kp: float, kv: float, dampratio: float) -> None:
        self.gainprm[0], self.biasprm[1] = kp, -kp
        if kv >= 0 and dampratio >= 0:
            raise ValueError("kv and dampratio cannot both be defined")
        if kv >= 0:
            self.biasprm[2] = -kv
        elif dampratio >= 0:
            self.biasprm[2] = dampratio

    def set_to_motor(self) -> None:
        """A motor: its effort is its control."""
        self._become("MOTOR", "NONE", "FIXED", "NONE")

    def set_to_position(
        self, kp: float, kv: float = -1, dampratio: float = -1, timeconst: float = -1, inheritrange: float = False
    ) -> None:
        """A servo of position."""
        self._become("POSITION", "NONE", "FIXED", "AFFINE", _POSITION)
        self._damped(kp, kv, dampratio)
        if timeconst >= 0:
            self.dynprm[0] = timeconst
            if timeconst:
                self.dyntype = _enums.mjtDyn["mjDYN_FILTEREXACT"]
        self.inheritrange = float(inheritrange)

    def set_to_velocity(self, kv: float) -> None:
        """A servo of velocity."""
        self._become("VELOCITY", "NONE", "FIXED", "AFFINE", _VELOCITY)
        self.gainprm[0], self.biasprm[2] = kv, -kv

    def set_to_intvelocity(
        self, kp: float, kv: float = -1, dampratio: float = -1, timeconst: float = -1, inheritrange: float = False
    ) -> None:
        """A servo of position whose target moves at the control."""
        self._become("INTVELOCITY", "INTEGRATOR", "FIXED", "AFFINE", _VELOCITY)
        self._damped(kp, kv, dampratio)
        if timeconst >= 0:
            self.dynprm[0] = timeconst
        self.inheritrange = float(inheritrange)

    def set_to_orientation(self, kp: float, kv: float = -1, dampratio: float = -1, ctrlspec: int = 0) -> None:
        """A servo of orientation."""
        self._become("ORIENTATION", "NONE", "SO3", "SO3", ctrlspec)
        self._damped(kp, kv, dampratio)

    def set_to_pid(
        self, kp: float, kv: float = -1, dampratio: float = -1, ki: float = -1, imax: float = -1, slewmax: float = -1,
        inheritrange: float = 0, ctrlspec: int = 0,
    ) -> None:
        """A servo with an integral of its error."""
        self._become("PID", "NONE", "PID", "AFFINE", ctrlspec)
        self._damped(kp, kv, dampratio)
        self.gainprm[0], self.dynprm[0] = max(ki, 0), max(imax, 0)
        self.dynprm[1] = max(slewmax, 0)
        if ki > 0 or slewmax > 0:
            self.dyntype = _enums.mjtDyn["mjDYN_PID"]
        self.inheritrange = float(inheritrange)

    def set_to_damper(self, kv: float) -> None:
        """A damper, whose control is its coefficient."""
        self._become("DAMPER", "NONE", "AFFINE", "NONE")
        self.ctrllimited = _enums.mjtLimited["mjLIMITED_TRUE"]
        self.gainprm[0], self.gainprm[2] = 0, -kv
        if kv < 0:
            raise ValueError("damping coefficient cannot be negative")

    def set_to_cylinder(self, timeconst: float, bias: float, area: float, diameter: float = -1) -> None:
        """A hydraulic or pneumatic cylinder."""
        self._become("CYLINDER", "FILTER", "FIXED", "AFFINE", _PRESSURE)
        self.dynprm[0], self.biasprm[0] = timeconst, bias
        self.gainprm[0] = area if diameter < 0 else math.pi / 4 * diameter * diameter

    def set_to_muscle(
        self, timeconst: Sequence[float] = (-1.0, -1.0), *, tausmooth: float, range: Sequence[float] = (-1.0, -1.0), force: float = -1,
        scale: float = -1, lmin: float = -1, lmax: float = -1, vmax: float = -1, fpmax: float = -1, fvmax: float = -1,
    ) -> None:
        """A muscle."""
        self._become("MUSCLE", "MUSCLE", "MUSCLE", "MUSCLE")
        if tausmooth < 0:
            raise ValueError("muscle tausmooth cannot be negative")
        given = [*timeconst, *range, force, scale, lmin, lmax, vmax, fpmax, fvmax]
        usual = [0.01, 0.04, 0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2]
        numbers = [u if g < 0 else g for g, u in zip(given, usual)]
        self.dynprm[:3] = [*numbers[:2], tausmooth]
        self.gainprm[:9] = self.biasprm[:9] = numbers[2:]

    def set_to_adhesion(self, gain: float) -> None:
        """A surface that sticks."""
        self._become("ADHESION", "NONE", "FIXED", "NONE")
        self.ctrllimited = _enums.mjtLimited["mjLIMITED_TRUE"]
        self.gainprm[0] = gain
        if gain < 0:
            raise ValueError("adhesion gain cannot be negative")

    def set_to_dcmotor(
        self, motorconst: Sequence[float], resistance: float, nominal: Sequence[float] = (0.0,) * 3, saturation: Sequence[float] = (0.0,) * 3,
        inductance: Sequence[float] = (0.0,) * 2, cogging: Sequence[float] = (0.0,) * 3, controller: Sequence[float] = (0.0,) * 6,
        thermal: Sequence[float] = (0.0,) * 6, lugre: Sequence[float] = (0.0,) * 5, ctrlspec: int = 0,
    ) -> None:
        """A motor with a winding, of its constants, or of its nominal voltage, stall torque and speed."""
        self._become("DCMOTOR", "DCMOTOR", "DCMOTOR", "DCMOTOR", ctrlspec)
        constants = [k for k in motorconst if k > 0]
        constant = float(np.prod(constants)) ** (1 / len(constants)) if constants else 0.0
        voltage, stall, speed = nominal
        if not constant and speed > 0:
            constant = voltage / speed
        if not resistance and stall > 0:
            resistance = constant * voltage / stall
        heats, rubs = any(thermal[:3]), any(lugre)
        self.gainprm[:8] = [resistance, constant, thermal[3], thermal[4], *controller[:3], controller[5]]
        self.biasprm[:6] = [*cogging, *lugre[2:]]
        lag = inductance[0] / resistance if inductance[0] > 0 else inductance[1]
        warms = thermal[2] if thermal[2] > 0 else thermal[0] * thermal[1]
        self.dynprm[:] = [lag, saturation[2], thermal[0], warms, thermal[5], *lugre[:2], *controller[3:5], 0]
        self.actdim = int(lag > 0) + int(heats) + int(rubs) + int(controller[1] > 0) + int(controller[3] > 0)
        self.actearly, self.actlimited = True, _enums.mjtLimited["mjLIMITED_FALSE"]
        if saturation[0] > 0:
            self.forcerange = [-saturation[0], saturation[0]]


#: Methods by the tags of MJCF's actuators, with the attributes that are their arguments.
SHORT: dict[str, tuple[str, ...]] = {
    "motor": (), "position": ("kp", "kv", "dampratio", "timeconst", "inheritrange"), "velocity": ("kv",),
    "intvelocity": ("kp", "kv", "dampratio", "inheritrange"), "damper": ("kv",), "cylinder": ("timeconst", "bias", "area", "diameter"),
    "muscle": ("timeconst", "tausmooth", "range", "force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"), "adhesion": ("gain",),
    "pid": ("kp", "kv", "dampratio", "ki", "imax", "slewmax", "inheritrange"), "orientation": ("kp", "kv", "dampratio"),
    "dcmotor": (
        "motorconst", "resistance", "nominal", "saturation", "inductance", "cogging", "controller", "thermal", "lugre",
    ),
}
#: What these arguments are where neither the element nor its class says so.
USUAL: dict[str, dict[str, Any]] = {
    "position": {"kp": 1.0}, "velocity": {"kv": 1.0}, "intvelocity": {"kp": 1.0}, "damper": {"kv": 1.0},
    "cylinder": {"timeconst": 1.0, "bias": 0.0, "area": 1.0}, "muscle": {"tausmooth": 0.0}, "adhesion": {"gain": 1.0}, "pid": {"kp": 1.0},
    "orientation": {"kp": 1.0}, "dcmotor": {"motorconst": (0.0, 0.0), "resistance": 0.0},
}
