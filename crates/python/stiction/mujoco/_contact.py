"""``MjContact``: contacts under the names of MuJoCo."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ._guard import NotOffered
from ._model import MjModel
from ._structs import Struct


class MjContact(Struct):
    """A contact. Those of ``MjData.contact`` are of the last step, or of the present state where no step led to it.

    What a script writes into it stays until the next step, and acts nowhere.
    """

    _defaults = {
        "H": np.zeros(36), "adhesion": 0.0, "dim": 0, "dist": 0.0, "efc_address": 0, "elem": np.zeros(2, np.int32), "exclude": 0,
        "flex": np.zeros(2, np.int32), "frame": np.zeros(9), "friction": np.zeros(5), "geom": np.zeros(2, np.int32), "geom1": 0,
        "geom2": 0, "includemargin": 0.0, "mu": 0.0, "pos": np.zeros(3), "solimp": np.zeros(5), "solref": np.zeros(2),
        "solreffriction": np.zeros(2), "surfacevel": np.zeros(3), "vert": np.zeros(2, np.int32),
    }
    _force = _moment = np.zeros(3)

    @classmethod
    def _of(cls, record: Any, geom_of: Any, efc: int, model: MjModel) -> MjContact:
        t1, t2, n = record["frame"]
        geoms = [int(geom_of[g]) for g in record["geometries"]]
        friction = record["friction"]
        made = cls()
        made._put(
            _force=record["force"].copy(), _moment=record["moment"].copy(),
            pos=np.array(record["position"]),
            #: The normal, then two tangents, from geom1 to geom2.
            frame=np.concatenate([n, t1, t2]),
            dist=float(record["gap"]), geom1=geoms[0], geom2=geoms[1], geom=np.array(geoms, np.int32),
            friction=np.array([friction, friction, *model.geom_friction[geoms].max(axis=0)[1:][[0, 1, 1]]]),
            includemargin=float(model.geom_margin[geoms].sum()), efc_address=efc,
            solref=_mixed(model, geoms, "solref"), solimp=_mixed(model, geoms, "solimp"),
            dim=int(model.geom_condim[geoms].max()), mu=float(friction), flex=np.full(2, -1, np.int32),
            elem=np.full(2, -1, np.int32), vert=np.full(2, -1, np.int32),
        )
        return made


def _mixed(model: MjModel, geoms: list[int], name: str) -> Any:
    """What two geoms have in common, each by its share; the smaller ones where they say stiffness and damping."""
    a, b = getattr(model, f"geom_{name}")[geoms]
    try:
        first, second = model.geom_solmix[geoms]
    except NotOffered:
        first = second = 1.0
    share = first / (first + second) if first + second > 0 else 0.5
    return np.minimum(a, b) if name == "solref" and min(a[0], b[0]) <= 0 else share * a + (1 - share) * b


class MjContacts:
    """Contacts, one by one or a quantity of all of them as an array."""

    def __init__(self, data: Any) -> None:
        self._data = data

    @property
    def _contacts(self) -> list[MjContact]:
        return self._data._contacts_now()  # type: ignore[no-any-return]

    def __getitem__(self, i: Any) -> Any:
        return _Some(self._contacts[i]) if isinstance(i, slice) else self._contacts[i]

    def __len__(self) -> int:
        return len(self._contacts)

    def __iter__(self) -> Iterator[MjContact]:
        return iter(self._contacts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MjContacts) and self._contacts == other._contacts

    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        default = MjContact._defaults.get(name)
        if default is None:
            raise NotOffered(f"stiction.mujoco does not offer MjData.contact.{name}")
        kind = default.dtype if isinstance(default, np.ndarray) else np.float64 if isinstance(default, float) else np.int32
        shape = (len(self), *np.shape(default))
        array = np.array([getattr(c, name) for c in self._contacts], kind).reshape(shape)
        array.flags.writeable = False
        return array

    def __repr__(self) -> str:
        return f"<{len(self)} contacts>"


class _Some(MjContacts):
    """Some of them, as they were."""

    def __init__(self, contacts: list[MjContact]) -> None:
        self._kept = contacts

    @property
    def _contacts(self) -> list[MjContact]:
        return self._kept
