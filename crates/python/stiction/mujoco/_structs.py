"""Structs that need no model: made with MuJoCo's defaults, set, copied, compared, printed and pickled."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _enums
from ._guard import Guarded, NotOffered

_FLOAT, _SINGLE, _WHOLE, _BYTE = np.float64, np.float32, np.int32, np.uint8


class Struct(Guarded):
    """A struct whose fields are those of :attr:`_defaults`: whole numbers, numbers, arrays that are written in place, structs."""

    _defaults: dict[str, Any] = {}

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls._called = cls.__name__

    def __init__(self) -> None:
        self._put(**{name: _fresh(value) for name, value in self._defaults.items()})

    def __getattr__(self, name: str) -> Any:
        columns = self.__dict__.get("_columns")
        if columns is not None and name in columns:
            return columns[name][self._i].item()
        return self._lacks(name)

    def __setattr__(self, name: str, value: Any) -> None:
        columns = self.__dict__.get("_columns")
        if columns is not None and name in columns:
            columns[name][self._i] = value
            return
        default = self._defaults.get(name)
        if isinstance(default, (int, np.integer)) and not name.startswith("_"):
            if isinstance(value, float):
                raise TypeError(f"{self._called}.{name} is {value}; expected a whole number")
            self._put(**{name: type(default)(value) if isinstance(default, bool) else int(value)})
        elif isinstance(default, float):
            self._put(**{name: float(value)})
        elif isinstance(default, str):
            self._put(**{name: str(value)})
        elif isinstance(default, np.ndarray):
            getattr(self, name)[...] = value
        elif not name.startswith("_") and isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)

    def _told(self) -> dict[str, Any]:
        """Fields with their values, by the alphabet."""
        return {name: getattr(self, name) for name in sorted(self._defaults)}

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return False
        mine, theirs = self._told(), other._told()
        return all(_equal(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        lines = []
        for name, value in self._told().items():
            told = repr(value)
            lines.append(f"  {name}: " + (told.replace("\n", "\n  ") if isinstance(value, Struct) else told))
        return "\n".join([f"<{type(self).__name__}", *lines, ">"])

    def __copy__(self) -> Any:
        made = type(self).__new__(type(self))
        own = self._told() if "_columns" in self.__dict__ else self.__dict__
        made._put(**{name: _fresh(value) for name, value in own.items()})
        return made

    def __deepcopy__(self, memory: Any) -> Any:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        return (_made_again, (type(self), dict(self.__copy__().__dict__)))


def _fresh(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, Struct):
        return value.__copy__()
    return value


def _made_again(kind: type[Struct], values: dict[str, Any]) -> Struct:
    made = kind.__new__(kind)
    made._put(**values)
    return made


def _equal(a: Any, b: Any) -> bool:
    return bool(np.array_equal(a, b)) if isinstance(a, np.ndarray) else bool(a == b)


def _zeros(*shape: int, of: Any = _FLOAT) -> Any:
    return np.zeros(shape, of)


class MjWarningStat(Struct):
    """How often something was warned of."""

    _defaults = {"lastinfo": 0, "number": 0}


class MjTimerStat(Struct):
    """How long something took, and how often it was done."""

    _defaults = {"duration": 0.0, "number": 0}


class MjSolverStat(Struct):
    """What an iteration of MuJoCo's solver did: there is none."""

    _defaults = {
        "gradient": 0.0, "improvement": 0.0, "lineslope": 0.0, "nactive": 0, "nchange": 0, "neval": 0, "nupdate": 0,
    }


class MjLROpt(Struct):
    """How ranges of lengths are found, which nothing here does."""

    _defaults = {
        "accel": 0.0, "interval": 0.0, "inttotal": 0.0, "maxforce": 0.0, "mode": 0, "timeconst": 0.0, "timestep": 0.0,
        "tolrange": 0.0, "useexisting": 0, "uselimit": 0,
    }


class MjStatistic(Struct):
    """Means of a model, and where its middle is, for pictures."""

    _defaults = {"center": _zeros(3), "extent": 0.0, "meaninertia": 0.0, "meanmass": 0.0, "meansize": 0.0}


class MjvGLCamera(Struct):
    """A camera of OpenGL, through which nothing here looks."""

    _defaults = {
        "forward": _zeros(3, of=_SINGLE), "frustum_bottom": 0.0, "frustum_center": 0.0, "frustum_far": 0.0,
        "frustum_near": 0.0, "frustum_top": 0.0, "frustum_width": 0.0, "orthographic": 0, "pos": _zeros(3, of=_SINGLE),
        "up": _zeros(3, of=_SINGLE),
    }


class MjvGeom(Struct):
    """A shape of a scene."""

    _defaults = {
        "camdist": 0.0, "castshadow": 1, "category": 0, "dataid": -1, "emission": 0.0, "label": "",
        "mat": np.eye(3, dtype=_SINGLE), "matid": -1, "modelrbound": 0.0, "objid": 0, "objtype": 0, "pos": _zeros(3, of=_SINGLE),
        "reflectance": 0.0, "rgba": np.array([0.5, 0.5, 0.5, 1.0], _SINGLE), "segid": 0, "shininess": 0.5,
        "size": np.full(3, 0.1, _SINGLE), "specular": 0.5, "texcoord": 0, "texid": -1, "texrepeat": _zeros(2, of=_SINGLE),
        "texuniform": 0, "transparent": 0, "type": int(_enums.mjtGeom["mjGEOM_NONE"]),
    }


class MjvLight(Struct):
    """A light of a scene, by which nothing here is seen."""

    _defaults = {
        "ambient": _zeros(3, of=_SINGLE), "attenuation": _zeros(3, of=_SINGLE), "bulbradius": 0.0, "castshadow": 0, "cutoff": 0.0,
        "diffuse": _zeros(3, of=_SINGLE), "dir": _zeros(3, of=_SINGLE), "exponent": 0.0, "headlight": 0, "id": 0,
        "intensity": 0.0, "pos": _zeros(3, of=_SINGLE), "range": 0.0, "softness": 0.0, "specular": _zeros(3, of=_SINGLE),
        "texid": 0, "type": 0,
    }


def _group() -> Any:
    return np.array([1, 1, 1, 0, 0, 0], _BYTE)


class List:
    """Structs of one kind, one by one or a field of all of them as an array: both are the same numbers."""

    def __init__(self, kind: type[Struct], number: int) -> None:
        self._kind = kind
        self._columns = {
            name: np.zeros(number, _FLOAT if isinstance(default, float) else _WHOLE) for name, default in kind._defaults.items()
        }
        self._items = []
        for i in range(number):
            item = kind.__new__(kind)
            item._put(_columns=self._columns, _i=i)
            self._items.append(item)

    def __getitem__(self, i: Any) -> Any:
        return self._items[i]

    def __len__(self) -> int:
        return len(self._items)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._columns:
            raise NotOffered(f"stiction.mujoco does not offer {self._kind.__name__}.{name}")
        return self._columns[name]

    def _zero(self) -> None:
        for column in self._columns.values():
            column[:] = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, List) and self._kind is other._kind and self._items == other._items

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        lines = [f"  {name}: {self._columns[name]!r}" for name in sorted(self._columns)]
        return "\n".join([f"<_{self._kind.__name__}List", *lines, ">"])
