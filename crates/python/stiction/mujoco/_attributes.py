"""Attributes of a text, as arrays with a row for each object of a kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._tables import Array
from ._trees import Whole

if TYPE_CHECKING:
    from ._model import MjModel

#: MuJoCo's softness where nothing is said.
SOLREF, SOLIMP = (0.02, 1.0), (0.9, 0.95, 0.001, 0.5, 2.0)


def attribute_of(kind: str, count: str, attribute: str, dtype: Any, default: Any, columns: int = 1) -> Callable[[MjModel], Any]:
    """Numbers of an attribute of all objects of a kind."""

    def read(m: MjModel) -> NDArray[Any] | None:
        stated = m._stated_of(kind, getattr(m, count))
        if stated is None:
            return None
        out = np.zeros((len(stated), columns), dtype)
        out[:] = default
        for row, attributes in zip(out, stated):
            if attribute in attributes:
                given = numbers_in(attributes[attribute])
                row[: len(given)] = given[:columns]
        return out[:, 0] if columns == 1 else out

    return read


def numbers_in(text: str) -> list[float]:
    """Numbers of a text, and of words that are true or false."""
    return [{"true": 1.0, "false": 0.0, "enable": 1.0, "disable": 0.0}.get(word) or float(_bare(word)) for word in text.split()]


def _bare(word: str) -> str:
    return {"true": "1", "false": "0", "enable": "1", "disable": "0"}.get(word, word)


def places_of(kind: str, count: str, attribute: str, objects: str) -> Callable[[MjModel], Any]:
    """Numbers of the objects that an attribute names; −1 where it names none."""

    def read(m: MjModel) -> Whole | None:
        stated = m._stated_of(kind, getattr(m, count))
        if stated is None:
            return None
        names = ["world", *m._base.links.names] if objects == "body" else m._stated.names(objects)
        return np.array([names.index(a[attribute]) if a.get(attribute) in names else -1 for a in stated], np.int32)

    return read


def chosen(
    kind: str, count: str, attribute: str, words: Sequence[str], numbers: Sequence[int] | None = None
) -> Callable[[MjModel], Any]:
    """The number of an attribute's word among others, of which the first is the default."""

    def read(m: MjModel) -> Whole | None:
        stated = m._stated_of(kind, getattr(m, count))
        if stated is None:
            return None
        found = [words.index(a.get(attribute, words[0])) for a in stated]
        return np.array(found if numbers is None else [numbers[i] for i in found], np.int32)

    return read


def user(kind: str, count: str, size: str) -> Callable[[MjModel], Any]:
    """Numbers for users of all objects of a kind."""
    def read(m: MjModel) -> Array | None:
        stated = m._stated_of(kind, getattr(m, count))
        out = np.zeros((getattr(m, count), getattr(m, size)))
        for row, attributes in zip(out, stated or []):
            given = numbers_in(attributes.get("user", ""))
            row[: len(given)] = given
        return out

    return read


def user_size(m: MjModel, kind: str) -> int:
    """The most numbers that an object of a kind has for its user."""
    stated = int(m._stated.sizes.get(f"nuser_{SHORT.get(kind, kind)}", -1))
    if stated >= 0:
        return stated
    return max((len(a["user"].split()) for a in m._stated.of(kind) if "user" in a), default=0)


def user_sizes(kind: str) -> Callable[[MjModel], int]:
    """How many numbers objects of a kind have for users."""
    return lambda m: user_size(m, kind)


#: Kinds whose names in fields are short.
SHORT = {"joint": "jnt", "camera": "cam"}


def of_dofs(name: str) -> Callable[[MjModel], Any]:
    """Numbers of joints, for each of their velocities."""
    def read(m: MjModel) -> Array | None:
        of_joints = attribute_of("joint", "njnt", name, np.float64, *((SOLREF, 2) if "solref" in name else (SOLIMP, 5)))(m)
        return None if of_joints is None else np.array(of_joints[m.dof_jntid]).reshape(m.nv, -1)

    return read


def bodies_of(kind: str) -> Callable[[MjModel], Any]:
    """The bodies that objects of a kind are on."""
    def read(m: MjModel) -> Whole | None:
        stated = m._stated_of(kind, getattr(m, f"n{kind}"))
        return None if stated is None else np.array([int(a["of"]) for a in stated], np.int32)

    return read


def filled(*shape: Any, of: Any = 0.0, dtype: Any = np.float64) -> Callable[[MjModel], Any]:
    """One value everywhere."""
    return lambda m: np.full(tuple(getattr(m, s) if isinstance(s, str) else s for s in shape), of, dtype)
