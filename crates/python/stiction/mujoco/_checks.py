"""Checks of what the functions of MuJoCo's names are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._data import MjData
from ._model import MjModel


def of(m: Any, d: Any = None) -> None:
    """Raises unless these are a model and a state of this package."""
    if type(m) is MjModel and type(d) is MjData and d._acting is m:
        return
    if not isinstance(m, MjModel):
        raise TypeError(f"expected a stiction.mujoco.MjModel, not {type(m).__module__}.{type(m).__name__}")
    if d is not None and not isinstance(d, MjData):
        raise TypeError(f"expected a stiction.mujoco.MjData, not {type(d).__module__}.{type(d).__name__}")
    if d is not None:
        d._by(m)


def into(what: str, array: Any, shape: tuple[int, ...]) -> None:
    """Raises unless results of this shape can be written into an array."""
    if array is not None and (not isinstance(array, np.ndarray) or array.dtype != np.float64 or array.shape != shape):
        raise TypeError(f"{what} is an array {np.shape(array)} of {getattr(array, 'dtype', type(array).__name__)}; expected {shape} of float64")
