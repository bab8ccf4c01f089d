"""Shapes and frames of a model as MuJoCo counts and tells them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import dynamics
from .._model import Model
from .._stiction import Error
from .._tables import Array
from ._math import quaternion_of, quaternion_product, rotation_of

#: MuJoCo's numbers of shapes.
SHAPES = {
    "plane": 0, "heightfield": 1, "sphere": 2, "capsule": 3, "ellipsoid": 4, "cylinder": 5, "box": 6, "mesh": 7, "convex": 7,
}


def fixed(values: Any, dtype: Any = np.float64) -> NDArray[Any]:
    """An array that cannot be written."""
    array: NDArray[Any] = np.array(values, dtype=dtype)
    array.flags.writeable = False
    return array


def rows(values: Any, columns: int, dtype: Any = np.float64) -> NDArray[Any]:
    """Rows that can be written, also where there are none."""
    array: NDArray[Any] = np.array(values, dtype=dtype)
    return np.reshape(array, (-1, columns))


def seen(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers, which cannot be written through this."""
    view: NDArray[Any] = array.view()
    view.flags.writeable = False
    return view


def matrix(quaternions: Array) -> Array:
    """Rotation matrices of quaternions."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    turned = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.asarray(np.moveaxis(np.array(turned), (0, 1), (-2, -1)))


def geoms_of(model: Model) -> list[dict[str, Any]]:
    """Everything that is a geom, in the order of the file."""
    touching: list[dict[str, Any]] = [
        {
            "name": g.name, "link": g.link, "position": g.position, "quaternion": g.quaternion, "shape": g.shape,
            "rgba": g.rgba, "touches": True, "contype": _signed(g.group), "conaffinity": _signed(g.mask), "condim": g.condim,
            "friction": (g.friction, g.spinning, g.rolling), "margin": g.margin, "solref": g.solref, "solimp": g.solimp,
        }
        for g in model.geometries
    ]
    out: list[dict[str, Any]] = []
    drawn = list(model._described["drawn"])
    for i, g in enumerate(touching):
        while drawn and drawn[0]["before"] <= i:
            out.append(_only_drawn(drawn.pop(0)))
        out.append(g)
    out.extend(_only_drawn(d) for d in drawn)
    for g in out:
        g["body"] = 0 if g["link"] is None else g["link"] + 1
    return out


def _only_drawn(g: dict[str, Any]) -> dict[str, Any]:
    never = {"touches": False, "contype": 0, "conaffinity": 0, "condim": 3, "friction": (1.0, 0.005, 0.0001), "margin": 0.0}
    return {**g, **never, "solref": (0.02, 1.0), "solimp": (0.9, 0.95, 0.001, 0.5, 2.0)}


def _signed(mask: int) -> int:
    return mask - (1 << 32) if mask >= 1 << 31 else mask


def size_of(shape: dict[str, Any]) -> list[float]:
    """MuJoCo's three sizes; those of planes are 0, for they have no end, and those of meshes are not told."""
    kind = shape["kind"]
    if kind == "sphere":
        return [shape["radius"], 0.0, 0.0]
    if kind in ("capsule", "cylinder"):
        return [shape["radius"], shape["half_length"], 0.0]
    if kind == "box":
        return list(shape["half"])
    if kind == "ellipsoid":
        return list(shape["radii"])
    return [0.0, 0.0, 0.0]


def principal(inertia: Array, stated: Sequence[float] | None = None) -> tuple[Array, Array]:
    """Principal moments of inertia and the quaternion of their axes: those that the file states, else the largest first."""
    if stated is not None:
        axes = rotation_of(stated)
        turned = axes.T @ inertia @ axes
        if np.abs(turned - np.diag(np.diag(turned))).max() <= 1e-9 * max(np.diag(turned).max(), 1e-300):
            return np.diag(turned).copy(), np.array(stated, dtype=np.float64)
    along = np.diag(inertia)
    if np.abs(inertia - np.diag(along)).max() <= 1e-12 * along.max() and (np.diff(along) <= 1e-12 * along.max()).all():
        return np.array(along), np.array([1.0, 0.0, 0.0, 0.0])
    moments, axes = np.linalg.eigh(inertia)
    moments, axes = moments[::-1], axes[:, ::-1]
    if np.linalg.det(axes) < 0:
        axes = axes * np.array([1.0, 1.0, -1.0])
    return np.maximum(moments, 0.0), quaternion_of(axes)


def placed_at_rest(model: Model) -> tuple[Array, Array]:
    """Positions and quaternions of the world and the links with every joint at its reference."""
    bodies = dynamics.body_poses(model, model.neutral())
    p, r = [np.zeros(3)], [np.array([1.0, 0, 0, 0])]
    for link in model.links:
        position, quaternion = np.array(link.position), np.array(link.quaternion)
        if link.body is not None:
            at, turn = bodies[0][link.body], bodies[1][link.body]
            position, quaternion = rotation_of(turn) @ position + at, quaternion_product(turn, quaternion)
        p.append(position)
        r.append(quaternion)
    return np.array(p), np.array(r)


def within(frame: tuple[Array, Array], pose: tuple[Array, Array]) -> tuple[Array, Array]:
    """A pose as seen from a frame."""
    (p, r), (x, q) = frame, pose
    back = np.array([r[0], -r[1], -r[2], -r[3]])
    quaternion = quaternion_product(back, q)
    return rotation_of(r).T @ (x - p), quaternion if quaternion[0] >= 0 else -quaternion


def sizes_of(geoms: list[dict[str, Any]], stated: Sequence[Mapping[str, str]]) -> list[list[float]]:
    """Sizes of geoms; those of planes, which have no end here, as the text states them: by name, or in order where all are listed."""
    sizes = [size_of(g["shape"]) for g in geoms]
    planes = [i for i, g in enumerate(geoms) if g["shape"]["kind"] == "plane"]
    listed = [a for a in stated if a.get("type") == "plane"]
    named = {a["name"]: a for a in listed if a.get("name")}
    of = {i: named[geoms[i]["name"]] for i in planes if geoms[i]["name"] in named}
    if len(listed) == len(planes):
        of |= dict(zip(planes, listed))
    for i, attributes in of.items():
        found = [float(x) for x in attributes.get("size", "").split()]
        sizes[i] = [*found, *[0.0] * 3][:3]
    return sizes


def body_inertias(base: Model, mass: Array) -> dict[str, Array]:
    """Mass, centre of mass and inertia of our bodies, of links whose masses are others and whose inertias stay."""
    numbers = base.fields()
    for b in range(len(base.bodies)):
        on = [(mass[i + 1], link) for i, link in enumerate(base.links) if link.body == b]
        if all(m == link.mass for m, link in on):
            continue
        if not all(m > 0 for m, link in on if link.mass > 0) or any(m < 0 for m, _ in on):
            raise Error(f"body_mass of {', '.join(link.name for _, link in on)} is {[m for m, _ in on]}; expected > 0 [kg]")
        total = sum(m for m, _ in on)
        centres = [rotation_of(link.quaternion) @ link.com + link.position for _, link in on]
        com = sum(m * c for (m, _), c in zip(on, centres)) / total
        inertia = np.zeros((3, 3))
        for (m, link), c in zip(on, centres):
            turn, arm = rotation_of(link.quaternion), c - com
            inertia += turn @ np.reshape(link.inertia, (3, 3)) @ turn.T
            inertia += m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        numbers["mass"][b], numbers["com"][b], numbers["inertia"][b] = total, com, inertia
    return {name: numbers[name] for name in ("mass", "com", "inertia")}
