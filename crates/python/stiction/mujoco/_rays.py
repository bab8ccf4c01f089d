"""Where a ray meets a shape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._tables import Array
from . import _enums
from ._guard import NotOffered

_FAR = 1e-15


def _roots(a: float, b: float, c: float) -> list[float]:
    """Roots of a x² + 2 b x + c, the smaller first."""
    square = b * b - a * c
    if a < _FAR or square < 0:
        return []
    return [(-b - square**0.5) / a, (-b + square**0.5) / a]


def _plane(p: Array, v: Array, size: Array) -> Iterator[tuple[float, Array]]:
    if v[2] > -_FAR:
        return
    x = -p[2] / v[2]
    at = p + x * v
    if (size[0] <= 0 or abs(at[0]) <= size[0]) and (size[1] <= 0 or abs(at[1]) <= size[1]):
        yield x, np.array([0.0, 0, 1])


def _ellipsoid(p: Array, v: Array, size: Array) -> Iterator[tuple[float, Array]]:
    q, w = p / size, v / size
    for x in _roots(float(w @ w), float(w @ q), float(q @ q) - 1):
        yield x, (p + x * v) / size**2


def _cylinder(p: Array, v: Array, size: Array) -> Iterator[tuple[float, Array]]:
    for x in _roots(float(v[:2] @ v[:2]), float(v[:2] @ p[:2]), float(p[:2] @ p[:2]) - size[0] ** 2):
        at = p + x * v
        if abs(at[2]) <= size[1]:
            yield x, np.array([at[0], at[1], 0.0])
    if abs(v[2]) > _FAR:
        for side in (-1.0, 1.0):
            x = (side * size[1] - p[2]) / v[2]
            at = p + x * v
            if at[:2] @ at[:2] <= size[0] ** 2:
                yield x, np.array([0.0, 0, side])


def _capsule(p: Array, v: Array, size: Array) -> Iterator[tuple[float, Array]]:
    for x in _roots(float(v[:2] @ v[:2]), float(v[:2] @ p[:2]), float(p[:2] @ p[:2]) - size[0] ** 2):
        at = p + x * v
        if abs(at[2]) <= size[1]:
            yield x, np.array([at[0], at[1], 0.0])
    for side in (-1.0, 1.0):
        q = p - [0, 0, side * size[1]]
        for x in _roots(float(v @ v), float(v @ q), float(q @ q) - size[0] ** 2):
            at = q + x * v
            if at[2] * side >= 0:
                yield x, at


def _box(p: Array, v: Array, size: Array) -> Iterator[tuple[float, Array]]:
    for i in range(3):
        if abs(v[i]) < _FAR:
            continue
        for side in (-1.0, 1.0):
            x = (side * size[i] - p[i]) / v[i]
            at = np.abs(p + x * v)
            if all(at[k] <= size[k] for k in range(3) if k != i):
                yield x, side * np.eye(3)[i]


_SHAPES: dict[str, Any] = {
    "PLANE": _plane, "SPHERE": lambda p, v, size: _ellipsoid(p, v, np.full(3, size[0])), "CAPSULE": _capsule, "ELLIPSOID": _ellipsoid,
    "CYLINDER": _cylinder, "BOX": _box,
}


def mju_rayGeom(
    pos: ArrayLike, mat: ArrayLike, size: ArrayLike, pnt: ArrayLike, vec: ArrayLike, geomtype: int, normal: Array | None = None
) -> float:
    """Distance along a ray to a shape, in lengths of ``vec``, and the normal there; −1 if it meets none."""
    kind = _enums.mjtGeom(int(geomtype)).name.removeprefix("mjGEOM_")
    if kind not in _SHAPES:
        raise NotOffered(f"stiction.mujoco does not offer mju_rayGeom of {kind}")
    turn = np.asarray(mat, np.float64).reshape(3, 3)
    p = turn.T @ (np.ravel(pnt) - np.ravel(pos))
    v = turn.T @ np.ravel(vec)
    hits = [hit for hit in _SHAPES[kind](p, v, np.asarray(size, np.float64)) if hit[0] >= 0]
    x, n = min(hits, key=lambda hit: hit[0], default=(-1.0, np.zeros(3)))
    if normal is not None:
        length = float(np.linalg.norm(n))
        normal[...] = turn @ (n / length if length else n)
    return float(x)


#: Names that this module offers.
NAMES = ("mju_rayGeom",)
