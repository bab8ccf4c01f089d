"""Readings of sensors that the engine does not read and that follow from what it tells: distances of geoms, principal axes of bodies,
the magnetic field, and what a callback writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import dynamics
from .._tables import Array
from . import _enums
from ._math import rotation_of

if TYPE_CHECKING:
    from ._data import MjData
    from ._model import MjModel

#: How many numbers they have.
_NUMBERS = {
    "distance": 1, "normal": 3, "fromto": 6, "magnetometer": 3, "framequat": 4, "framexaxis": 3, "frameyaxis": 3, "framezaxis": 3,
}
#: MuJoCo's names of kinds that files call otherwise.
WORDS = {"distance": "GEOMDIST", "normal": "GEOMNORMAL", "fromto": "GEOMFROMTO", "jointactuatorfrc": "JOINTACTFRC", "tendonactuatorfrc": "TENDONACTFRC"}


def width(m: Any, sensor: int) -> int | None:
    """How many numbers a sensor has that the engine does not read; None where nobody does."""
    s = m._base.sensors[sensor]
    stated = m._stated_of("sensor", m.nsensor)
    if s.kind == "user" and stated is not None:
        return int(stated[sensor].get("dim", 1))
    if s.kind in ("distance", "normal", "fromto") and _pairs(m, sensor) is None:
        return None
    if s.kind.startswith("frame") and (s.of.get("objtype") != "body" or "refname" in s.of):
        return None
    return _NUMBERS.get(s.kind)


def reading(d: MjData, sensor: int) -> Array:
    """What it reads."""
    m = d._acting
    s = m._base.sensors[sensor]
    if s.kind == "user":
        return d._written[sensor]  # type: ignore[no-any-return]
    out = _READ[s.kind](d, sensor)
    if s.cutoff > 0 and s.kind not in ("distance", "normal", "fromto"):
        out = np.clip(out, -s.cutoff, s.cutoff)
    return out


def _pairs(m: Any, sensor: int) -> list[tuple[int, int]] | None:
    """Geometries of which a sensor measures the nearest; None where one of them is only drawn."""
    of = m._base.sensors[sensor].of
    sides = []
    for k in (1, 2):
        if f"geom{k}" in of:
            geoms = [m.id_of(_enums.mjtObj["mjOBJ_GEOM"], of[f"geom{k}"])]
        else:
            body = m.id_of(_enums.mjtObj["mjOBJ_BODY"], of.get(f"body{k}", ""))
            geoms = [g for g in range(m.ngeom) if m.geom_bodyid[g] == body]
        places = [np.flatnonzero(m._geom_of == g) for g in geoms]
        if not geoms or any(len(p) == 0 for p in places):
            return None
        sides.append([int(p[0]) for p in places])
    return [(a, b) for a in sides[0] for b in sides[1]]


def _nearest(d: MjData, sensor: int) -> tuple[float, Array, Array] | None:
    """Signed distance and the nearest points, within the cutoff."""
    most = float(d._acting._base.sensors[sensor].cutoff)

    def found() -> Iterator[Any]:
        for a, b in _pairs(d._acting, sensor) or []:
            one = dynamics.distance(d._ours, d.qpos, a, b, most)
            if one is not None:
                yield one

    return min(found(), key=lambda one: one[0], default=None)


def _distance(d: MjData, sensor: int) -> Array:
    one = _nearest(d, sensor)
    return np.array([d._acting._base.sensors[sensor].cutoff if one is None else one[0]])


def _normal(d: MjData, sensor: int) -> Array:
    one = _nearest(d, sensor)
    if one is None:
        return np.zeros(3)
    along = (np.asarray(one[2]) - np.asarray(one[1])) * np.sign(one[0] or 1.0)
    return np.asarray(along / max(float(np.linalg.norm(along)), 1e-15), dtype=np.float64)


def _from_to(d: MjData, sensor: int) -> Array:
    one = _nearest(d, sensor)
    return np.zeros(6) if one is None else np.concatenate([one[1], one[2]])


def _axis(k: int) -> Callable[[MjData, int], Array]:
    return lambda d, sensor: np.asarray(d._value("ximat")[_body(d, sensor)].reshape(3, 3)[:, k], dtype=np.float64)


def _body(d: MjData, sensor: int) -> int:
    return int(d._acting.id_of(_enums.mjtObj["mjOBJ_BODY"], d._acting._base.sensors[sensor].of["objname"]))


def _magnetic(d: MjData, sensor: int) -> Array:
    m = d._acting
    site = m.id_of(_enums.mjtObj["mjOBJ_SITE"], m._base.sensors[sensor].of["site"])
    turn = rotation_of(d._of_frames("xquat")[m.site_bodyid[site]]) @ rotation_of(m.site_quat[site])
    return np.asarray(turn.T @ m.opt.magnetic, dtype=np.float64)


_READ: dict[str, Callable[[MjData, int], Array]] = {
    "distance": _distance, "normal": _normal, "fromto": _from_to, "magnetometer": _magnetic,
    "framequat": lambda d, sensor: d._value("xiquat")[_body(d, sensor)],
    "framexaxis": _axis(0), "frameyaxis": _axis(1), "framezaxis": _axis(2),
}


class Readings:
    """Readings of sensors one by one: others need not be offered."""

    def __init__(self, data: MjData) -> None:
        self._data = data

    def __getitem__(self, sensor: int) -> Array:
        data = self._data
        if sensor in data._acting._read_here:
            data._current()
            data._put(_now={})
            return reading(data, sensor)
        found: Array = data._sensed([sensor])[0]
        found.flags.writeable = False
        return found
