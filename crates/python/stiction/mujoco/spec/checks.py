"""What does not compile, in MuJoCo's words; all else is for the reader of MJCF to say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .attach import parts, references
from .words import OF_BODIES, OF_SPECS, words

if TYPE_CHECKING:
    from .spec import MjSpec

#: How many numbers of the size must be positive, by the type of a geom.
_SIZES = {"plane": 0, "sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3}
#: Kinds of contacts' data, of ways to choose among contacts, and of rays' data.
_CONTACT, _REDUCE, _RAY = 9, 4, 6
_SITES = ("touch", "accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer")


def _fails(e: Any, what: str, number: int | None = None) -> ValueError:
    info = f", {e.info}" if e.info else ""
    return ValueError(f"Error: {what}\nElement name '{e._name}', id {number if number is not None else e.id}{info}")


def check(spec: MjSpec) -> None:
    """Raises for the first thing that does not compile."""
    if spec.worldbody._children["joint"]:
        raise ValueError("Error: joint found in world body")
    names: dict[str, set[str]] = {}
    for kind in ("body", "frame", *OF_BODIES, *OF_SPECS):
        seen: set[str] = set()
        for e in spec._all(kind):
            if e._name in seen:
                raise ValueError(f"Error: repeated name '{e._name}' in {kind}")
            seen |= {e._name} - {""}
        names[kind] = seen
    for kind in ("geom", "site", "camera", "light", "hfield", "pair", "exclude", "tendon", "equality", "actuator", "sensor", "key", "tuple"):
        for i, e in enumerate(spec._all(kind)):
            for what in _CHECKS.get(kind, _nothing)(spec, e, i):
                raise _fails(e, what, i)
            for of, name in references(e):
                if of in names and name not in names[of] and not (of == "body" and name == "world"):
                    raise _fails(e, _unknown(kind, of, name, i), i)


def _unknown(kind: str, of: str, name: str, i: int) -> str:
    if kind == "actuator":
        return f"unknown transmission target '{name}' for actuator id = {i}"
    if kind == "sensor":
        return f"unrecognized name '{name}' of sensorized object"
    if kind == "equality":
        return f"unknown element '{name}' in equality constraint"
    if kind in ("camera", "light") and of == "body":
        return f"unknown target body in {kind}"
    return f"{of} '{name}' not found in {'bodypair' if kind == 'exclude' else kind} {i}"


def _nothing(spec: MjSpec, e: Any, i: int) -> Iterator[str]:
    return iter(())


def _geom(spec: MjSpec, g: Any, i: int) -> Iterator[str]:
    kind = words("mjtGeom").get(int(g.type), "")
    if kind not in ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"):
        yield "invalid type in geom"
    if kind in ("mesh", "sdf") and not g.meshname:
        yield f"mesh geom '{g._name}' (id = {i}) must have valid meshid"
    if kind == "hfield" and not g.hfieldname:
        yield f"hfield geom '{g._name}' (id = {i}) must have valid hfieldid"
    stretched = not np.isnan(g.fromto[0])
    if stretched and kind not in ("capsule", "cylinder", "box", "ellipsoid") and not g.meshname:
        yield "fromto requires capsule, cylinder, box or ellipsoid in geom"
    if g.meshname:
        return
    for k in range(1 if stretched else _SIZES.get(kind, 0)):
        if not g.size[k] > 0:
            yield f"size {k} must be positive in geom"


def _hfield(spec: MjSpec, h: Any, i: int) -> Iterator[str]:
    if len(h.userdata) and len(h.userdata) != h.nrow * h.ncol:
        yield "elevation data length must match nrow*ncol"
    if not (h.file or h.nrow > 0 and h.ncol > 0):
        yield "hfield not specified"


def _actuator(spec: MjSpec, a: Any, i: int) -> Iterator[str]:
    if int(a.trntype) not in words("mjtTrn"):
        yield "invalid transmission type in actuator"


def _tendon(spec: MjSpec, t: Any, i: int) -> Iterator[str]:
    if not t._path:
        yield "path is empty in tendon"


def _key(spec: MjSpec, k: Any, i: int) -> Iterator[str]:
    for field, of in parts(spec).items():
        size = sum(n for _, n in of)
        if len(k.__dict__[field]) not in (0, size):
            yield f"keyframe '{k._name}': invalid {field} size, expected {size}, got {len(k.__dict__[field])}"


def _sensor(spec: MjSpec, s: Any, i: int) -> Iterator[str]:
    kind = words("mjtSensor").get(int(s.type), "")
    obj, ref, bits = words("mjtObj").get(int(s.objtype), "unknown"), words("mjtObj").get(int(s.reftype), "unknown"), int(s.intprm[0])
    if obj != "unknown" and not s.objname:
        yield "missing name of sensorized object in sensor"
    if ref != "unknown" and not s.refname:
        yield "missing name of reference frame object in sensor"
    if kind in _SITES and obj != "site":
        yield f"sensor of type {kind} must be attached to a site"
    if kind == "contact":
        if obj not in ("unknown", "body", "xbody", "geom", "site"):
            yield "first matching criterion: if set, must be (x)body, geom or site"
        if ref not in ("unknown", "body", "xbody", "geom"):
            yield "second matching criterion: if set, must be (x)body or geom"
        if bits <= 0:
            yield f"data spec (intprm[0]) must be positive, got {bits}"
        if not bits & (1 << _CONTACT) - 1:
            yield f"data spec intprm[0]={bits} must have at least one bit set of the first mjNCONDATA bits"
        if bits >> _CONTACT:
            yield f"data spec intprm[0]={bits} has bits set beyond the first mjNCONDATA bits"
        if not 0 <= int(s.intprm[1]) < _REDUCE:
            yield f"unknown reduction criterion. got {int(s.intprm[1])}"
        if s.intprm[2] <= 0:
            yield "num (intprm[2]) must be positive in sensor"
    if kind == "rangefinder" and bits <= 0:
        yield f"data spec (intprm[0]) must be positive, got {bits}"


_CHECKS: dict[str, Any] = {
    "geom": _geom, "hfield": _hfield, "actuator": _actuator, "tendon": _tendon, "key": _key, "sensor": _sensor,
}
