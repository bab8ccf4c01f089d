"""Options of a model: those that have a meaning here are set, the others are told and stay."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._model import Model
from .._stiction import Error
from . import _enums
from ._guard import NotOffered
from ._structs import Struct


def _bits(words: str) -> int:
    return sum(int(_enums.mjtDisableBit[f"mjDSBL_{word}"]) for word in words.split())


#: What may be disabled.
_DISABLED = _bits("CONSTRAINT EQUALITY FRICTIONLOSS LIMIT CONTACT SPRING DAMPER GRAVITY CLAMPCTRL ACTUATION SENSOR")
#: What may be disabled and changes nothing: how MuJoCo finds what is found otherwise here.
_IDLE = _bits("WARMSTART MIDPHASE REFSAFE EULERDAMP AUTORESET NATIVECCD ISLAND MULTICCD")
#: Of enabled, what changes nothing: energies are told when they are asked for.
_ENABLED = int(_enums.mjtEnableBit["mjENBL_ENERGY"]) | int(_enums.mjtEnableBit["mjENBL_FWDINV"])
#: Words of files for numbers of options.
_CHOICES = {
    "cone": ("pyramidal", "elliptic"), "jacobian": ("dense", "sparse", "auto"), "solver": ("PGS", "CG", "Newton"),
    "integrator": ("Euler", "RK4", "implicit", "implicitfast"),
}


class MjOption(Struct):
    """Options, with MuJoCo's defaults; those of a model are ``model.opt``.

    Of a model time step, gravity and what ends the iterations of the contact solver act, and of ``disableflags`` what is
    simulated. Those of MuJoCo's own solver and collisions, and media that are not simulated, are told as the file states them
    and cannot be set.
    """

    _defaults = {
        "ccd_iterations": 35, "ccd_tolerance": 1e-6, "cone": 0, "density": 0.0, "disableactuator": 0, "disableflags": 0,
        "enableflags": 0, "gravity": np.array([0.0, 0.0, -9.81]), "impratio": 1.0, "integrator": 0, "iterations": 100,
        "jacobian": 2, "ls_iterations": 50, "ls_tolerance": 0.01, "magnetic": np.array([0.0, -0.5, 0.0]), "noslip_iterations": 0,
        "noslip_tolerance": 1e-6, "o_friction": np.array([1.0, 1.0, 0.005, 1e-4, 1e-4]), "o_margin": 0.0,
        "o_solimp": np.array([0.9, 0.95, 0.001, 0.5, 2.0]), "o_solref": np.array([0.02, 1.0]), "sdf_initpoints": 40,
        "sdf_iterations": 10, "sleep_tolerance": 0.001, "solver": 2, "timestep": 0.002, "tolerance": 1e-8, "viscosity": 0.0,
        "wind": np.zeros(3),
    }
    _of_model = False

    def __init__(self, model: Model | None = None, stated: dict[str, str] | None = None) -> None:
        super().__init__()
        self._put(_ends={})
        if model is None:
            return
        for name, text in (stated or {}).items():
            default = self._defaults.get(name)
            if name in _CHOICES:
                self._put(**{name: _CHOICES[name].index(text) if text in _CHOICES[name] else default})
            elif isinstance(default, np.ndarray):
                self.__dict__[name][:] = [float(x) for x in text.split()]
            elif default is not None:
                self._put(**{name: type(default)(float(text))})
        settings = model.settings
        for name in ("magnetic", "o_friction", "o_solimp", "o_solref", "wind"):
            self.__dict__[name].flags.writeable = False
        self._put(
            _of_model=True, timestep=model.dt,
            #: What ends the iterations of the contact solver: its own numbers, until others are written.
            _ends={"iterations": int(settings["max_iterations"]), "tolerance": float(settings["tolerance"])},
            gravity=np.array(model.gravity), enableflags=0,
            #: That of Euler, the nearest to a step here that MuJoCo has a word for.
            integrator=0,
        )
        self._put(**{name: number for name, number in self._ends.items() if name not in (stated or {})})

    def __setattr__(self, name: str, value: Any) -> None:
        if not self._of_model:
            super().__setattr__(name, value)
            return
        allowed = {"disableflags": _DISABLED | _IDLE, "enableflags": _ENABLED}.get(name)
        if allowed is not None:
            if int(value) & ~allowed:
                raise NotOffered(f"stiction.mujoco does not offer opt.{name} = {int(value)}, but {allowed}, or a part of it")
        elif name in ("timestep", "tolerance"):
            if not 0 < value < np.inf:
                raise Error(f"opt.{name} is {value}; expected a finite number > 0 [{'s' if name == 'timestep' else 'm/s'}]")
        elif name == "iterations":
            if int(value) != value or value < 1:
                raise Error(f"opt.iterations is {value}; expected a whole number > 0")
            value = int(value)
        elif name in self._defaults and name != "gravity":
            if not np.array_equal(getattr(self, name), value):
                raise NotOffered(f"stiction.mujoco does not offer to set opt.{name} of a model: it has no effect here")
            return
        if name in self._ends and value != getattr(self, name):
            self._ends[name] = value
        super().__setattr__(name, value)


def _singles(*values: float) -> Any:
    return np.array(values, np.float32)


class _Global(Struct):
    """How the whole is seen. Of it only sizes of pictures count."""

    _defaults = {
        "azimuth": 90.0, "bvactive": 0, "cameraid": -1, "elevation": -45.0, "ellipsoidinertia": 0, "fovy": 45.0, "glow": 0.3,
        "ipd": 0.068, "linewidth": 1.0, "offheight": 480, "offwidth": 640, "orthographic": 0, "realtime": 1.0,
    }


class _Quality(Struct):
    """How finely MuJoCo draws."""

    _defaults = {"numquads": 4, "numslices": 28, "numstacks": 16, "offsamples": 4, "shadowsize": 4096}


class _Headlight(Struct):
    """The light at the camera."""

    _defaults = {
        "active": 1, "ambient": _singles(0.1, 0.1, 0.1), "diffuse": _singles(0.4, 0.4, 0.4), "specular": _singles(0.5, 0.5, 0.5),
    }


class _Map(Struct):
    """How MuJoCo draws and pulls."""

    _defaults = {
        "actuatortendon": 2.0, "alpha": 0.3, "fogend": 10.0, "fogstart": 3.0, "force": 0.005, "haze": 0.3, "shadowclip": 1.0,
        "shadowscale": 0.6, "stiffness": 100.0, "stiffnessrot": 500.0, "torque": 0.1, "zfar": 50.0, "znear": 0.01,
    }


class _Scale(Struct):
    """How large MuJoCo draws marks."""

    _defaults = {
        "actuatorlength": 0.7, "actuatorwidth": 0.2, "camera": 0.3, "com": 0.4, "connect": 0.2, "constraint": 0.1,
        "contactheight": 0.1, "contactwidth": 0.3, "forcewidth": 0.1, "framelength": 1.0, "framewidth": 0.1, "frustum": 10.0,
        "jointlength": 1.0, "jointwidth": 0.1, "light": 0.3, "selectpoint": 0.2, "slidercrank": 0.2,
    }


class _Rgba(Struct):
    """In what colours MuJoCo draws marks."""

    _defaults = {
        "actuator": _singles(0.2, 0.25, 0.2, 1), "actuatornegative": _singles(0.2, 0.6, 0.9, 1), "actuatorpositive": _singles(0.9, 0.4, 0.2, 1),
        "camera": _singles(0.6, 0.9, 0.6, 1), "com": _singles(0.9, 0.9, 0.9, 1), "connect": _singles(0.2, 0.2, 0.8, 1),
        "constraint": _singles(0.9, 0, 0, 1), "contactforce": _singles(0.7, 0.9, 0.9, 1), "contactfriction": _singles(0.9, 0.8, 0.4, 1),
        "contactgap": _singles(0.5, 0.8, 0.9, 1), "contactpoint": _singles(0.9, 0.6, 0.2, 1), "contacttorque": _singles(0.9, 0.7, 0.9, 1),
        "crankbroken": _singles(0.9, 0, 0, 1), "fog": _singles(0, 0, 0, 1), "force": _singles(1, 0.5, 0.5, 1),
        "frustum": _singles(1, 1, 0, 0.2), "haze": _singles(1, 1, 1, 1), "inertia": _singles(0.8, 0.2, 0.2, 0.6),
        "joint": _singles(0.2, 0.6, 0.8, 1), "light": _singles(0.6, 0.6, 0.9, 1), "rangefinder": _singles(1, 1, 0.1, 1),
        "selectpoint": _singles(0.9, 0.9, 0.1, 1), "slidercrank": _singles(0.5, 0.3, 0.8, 1),
    }


class MjVisual(Struct):
    """How MuJoCo draws a model, as its file states it: kept, and without effect but for the largest size of pictures."""

    _defaults = {
        "global_": _Global(), "headlight": _Headlight(), "map": _Map(), "quality": _Quality(), "rgba": _Rgba(), "scale": _Scale(),
    }

    def __getattr__(self, name: str) -> Any:
        # MuJoCo's name, a word of Python, is reached by `getattr` alone.
        return self.__dict__["global_"] if name == "global" else super().__getattr__(name)

    def __init__(self, stated: dict[str, dict[str, str]] | None = None) -> None:
        super().__init__()
        for part, attributes in (stated or {}).items():
            struct = self.__dict__.get("global_" if part == "global" else part)
            for name, text in attributes.items():
                default = struct._defaults.get(name) if struct is not None else None
                if default is not None:
                    values = [{"true": 1.0, "false": 0.0}.get(x) if x in ("true", "false") else float(x) for x in text.split()]
                    setattr(struct, name, values if isinstance(default, np.ndarray) else type(default)(values[0]))
