"""Compiled specs: which object of a model each element is, and the numbers of several objects at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .attach import sizes_of
from .words import OF_BODIES, OF_SPECS

if TYPE_CHECKING:
    from .spec import MjSpec

def numbered(spec: MjSpec) -> dict[Any, int]:
    """The number of every element in a model that was made of the spec."""
    ids: dict[Any, int] = {}
    for kind in ("body", *OF_BODIES):
        ids.update({e: i for i, e in enumerate(_in_order(spec, kind))})
    for kind in OF_SPECS:
        ids.update({e: i for i, e in enumerate(spec._lists[kind])})
    return ids


def _in_order(spec: MjSpec, kind: str) -> list[Any]:
    if kind == "body":
        return list(spec._all("body"))
    return [e for body in spec._all("body") for e in body._children[kind]]


class Bound:
    """Objects of elements: an attribute has the numbers of all, one after the other."""

    def __init__(self, objects: Sequence[Any]) -> None:
        object.__setattr__(self, "_objects", list(objects))

    def __getattr__(self, name: str) -> Any:
        out: list[Any] = []
        for of in self._objects:
            try:
                value = getattr(of, name)
            except AttributeError:
                raise AttributeError(f"'{type(of).__name__}' object has no attribute '{name}'") from None
            if isinstance(value, (str, int, float)):
                out.append(value)
            else:
                out.extend(value.ravel().tolist() if value.ndim else [value.item()])
        return out

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            values = list(value)
        except TypeError:
            raise ValueError(f"Expected {len(self._objects)} values, got non-iterable {type(value).__name__}") from None
        if len(values) != len(self._objects):
            raise ValueError(f"Expected {len(self._objects)} values, got {len(values)}")
        for of, one in zip(self._objects, values):
            setattr(of, name, one)


def bind(of: Any, model: Any, elements: Any) -> Any:
    """The objects of elements in a model or a state: one of one, a :class:`Bound` of several."""
    if isinstance(elements, Sequence):
        return Bound([bind(of, model, e) for e in elements])
    if elements.signature == 0 or elements.signature != int(model.signature):
        raise ValueError("The mjSpec does not match mjModel. Please recompile the mjSpec.")
    return getattr(of, elements._kind)(elements.id)


def carried(spec: MjSpec, before: dict[Any, int], old: Any, state: Any, model: Any, data: Any) -> None:
    """Gives a new state what an old one has of the elements that both models have."""

    def starts(ids: dict[Any, int]) -> dict[Any, tuple[int, int]]:
        out, q, v = {}, 0, 0
        for joint in sorted((e for e in ids if e._kind == "joint"), key=lambda e: ids[e]):
            out[joint] = (q, v)
            nq, nv = sizes_of(joint)
            q, v = q + nq, v + nv
        return out

    was, now = starts(before), starts(spec._ids)
    for joint, (q, v) in now.items():
        if joint in was:
            (nq, nv), (q0, v0) = sizes_of(joint), was[joint]
            data.qpos[q : q + nq] = state.qpos[q0 : q0 + nq]
            data.qvel[v : v + nv] = state.qvel[v0 : v0 + nv]
    for e, i in spec._ids.items():
        if e._kind == "actuator" and e in before:
            data.ctrl[i] = state.ctrl[before[e]]
        elif e._kind == "body" and e.mocap and e in before:
            to, at = int(model.body_mocapid[i]), int(old.body_mocapid[before[e]])
            if to >= 0 and at >= 0:
                data.mocap_pos[to], data.mocap_quat[to] = state.mocap_pos[at], state.mocap_quat[at]
    data.time = state.time


_made = 0


def signature() -> int:
    """A number that no other compilation has."""
    global _made
    _made += 1
    return _made


def finish(spec: MjSpec, model: Any) -> None:
    """Gives wraps of tendons the types that geoms have."""
    from .. import _enums

    cylinder = int(_enums.mjtGeom["mjGEOM_CYLINDER"])
    for tendon in spec._lists["tendon"]:
        for wrap in tendon._path:
            if wrap._is("SPHERE", "CYLINDER") and wrap.target is not None:
                wrap.type = _enums.mjtWrap["mjWRAP_CYLINDER" if int(wrap.target.type) == cylinder else "mjWRAP_SPHERE"]
