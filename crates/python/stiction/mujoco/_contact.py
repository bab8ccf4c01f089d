"""``MjContact``: contacts under the names of MuJoCo."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ._geoms import fixed
from ._guard import Guarded, NotOffered
from ._model import MjModel


class MjContact(Guarded):
    """A contact of the last step, or of the present state where no step led to it."""

    _called = "MjContact"

    def __init__(self, record: Any, geom_of: Any, efc: int, model: MjModel) -> None:
        t1, t2, n = record["frame"]
        geoms = [int(geom_of[g]) for g in record["geometries"]]
        friction = record["friction"]
        self._put(
            _force=record["force"].copy(), _moment=record["moment"].copy(),
            pos=fixed(record["position"]),
            #: The normal, then two tangents, from geom1 to geom2.
            frame=fixed(np.concatenate([n, t1, t2])),
            dist=float(record["gap"]), geom1=geoms[0], geom2=geoms[1], geom=fixed(geoms, np.int32),
            friction=fixed([friction, friction, *model.geom_friction[geoms].max(axis=0)[1:][[0, 1, 1]]]),
            includemargin=float(model.geom_margin[geoms].sum()), efc_address=efc, exclude=0,
            dim=int(model.geom_condim[geoms].max()),
        )


class MjContacts:
    """Contacts, one by one or a quantity of all of them as an array."""

    def __init__(self, contacts: list[MjContact]) -> None:
        self._contacts = contacts

    def __getitem__(self, i: Any) -> Any:
        return self._contacts[i]

    def __len__(self) -> int:
        return len(self._contacts)

    def __iter__(self) -> Iterator[MjContact]:
        return iter(self._contacts)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in _OF_CONTACTS:
            raise NotOffered(f"stiction.mujoco does not offer MjData.contact.{name}")
        width, kind = _OF_CONTACTS[name]
        values = [getattr(c, name) for c in self._contacts]
        shape = (len(values),) if width == 1 else (len(values), width)
        return fixed(np.reshape(np.array(values, dtype=kind), shape), kind)

    def __repr__(self) -> str:
        return f"<{len(self)} contacts>"


#: Quantities of contacts, with their numbers and the kind of these.
_OF_CONTACTS: dict[str, tuple[int, Any]] = {
    "pos": (3, np.float64), "frame": (9, np.float64), "friction": (5, np.float64), "dist": (1, np.float64),
    "includemargin": (1, np.float64), "geom1": (1, np.int32), "geom2": (1, np.int32), "geom": (2, np.int32),
    "dim": (1, np.int32), "efc_address": (1, np.int32), "exclude": (1, np.int32),
}
