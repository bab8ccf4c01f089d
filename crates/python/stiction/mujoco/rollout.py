"""``mujoco.rollout`` on stiction: many runs from given states under given controls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._stiction import Error
from .._tables import Array
from . import _enums
from ._data import MjData
from ._functions import mj_getState, mj_setState, mj_stateSize
from ._guard import NotOffered
from ._model import MjModel

_FULL = int(_enums.mjtState["mjSTATE_FULLPHYSICS"])
_CONTROL = int(_enums.mjtState["mjSTATE_CTRL"])


class Rollout:
    """Rolls out; threads are of no use, for one after another is as fast as the engine is."""

    def __init__(self, *, nthread: int | None = None) -> None:
        if nthread:
            raise NotOffered("stiction.mujoco does not offer threads of rollouts; stiction.Batch has them")

    def __enter__(self) -> Rollout:
        return self

    def __exit__(self, *raised: Any) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is open."""

    def rollout(self, *given: Any, **named: Any) -> tuple[Array, Array]:
        """The same as :func:`rollout`."""
        return rollout(*given, **named)


def rollout(
    model: MjModel | Sequence[MjModel],
    data: MjData | Sequence[MjData],
    initial_state: ArrayLike,
    control: ArrayLike | None = None,
    *,
    control_spec: int = _CONTROL,
    skip_checks: bool = False,
    nstep: int | None = None,
    initial_warmstart: ArrayLike | None = None,
    state: Array | None = None,
    sensordata: Array | None = None,
    chunk_size: int | None = None,
    persistent_pool: bool = False,
) -> tuple[Array, Array]:
    """States (runs, steps, size of the full physics) and sensor readings (runs, steps, numbers) of runs under ``control``
    (runs, steps, numbers of ``control_spec``), into ``state`` and ``sensordata`` if these are given."""
    if initial_warmstart is not None:
        raise NotOffered("stiction.mujoco.rollout does not offer initial_warmstart: contacts start cold")
    if persistent_pool:
        raise NotOffered("stiction.mujoco.rollout does not offer persistent_pool: there are no threads")
    if chunk_size is not None and chunk_size < 1:
        raise ValueError("chunk_size must be a positive integer")
    models = [model] if isinstance(model, MjModel) else list(model)
    if not models:
        raise ValueError("model is an empty list; expected at least one model")
    size, given_size = mj_stateSize(models[0], _FULL), mj_stateSize(models[0], control_spec)
    start = _runs("initial_state", initial_state, (size,))
    steps = nstep
    if steps is None:
        steps = next((a.shape[-2] for a in (state, sensordata) if a is not None and a.ndim >= 2), None)
    many = max([a.shape[0] for a in (state, sensordata) if a is not None and a.ndim == 3], default=1)
    given: NDArray[Any] | None = None
    if control is not None:
        given = _runs("control", control, (steps or -1, given_size))
        steps = given.shape[1] if steps is None or given.shape[1] != 1 else steps
    steps = 1 if steps is None else steps
    runs = max(len(start), 1 if given is None else len(given), len(models), many)
    for what, found in (("initial_state", len(start)), ("control", 1 if given is None else len(given)), ("model", len(models))):
        if found not in (1, runs):
            raise ValueError(f"{what} has {found} runs; expected 1 or {runs}")
    states = _into("state", state, (runs, steps, size))
    readings = _into("sensordata", sensordata, (runs, steps, models[0].nsensordata))
    own: dict[int, MjData] = {}
    for i in range(runs):
        of = models[i % len(models)]
        one = own.setdefault(id(of), MjData(of))
        one.reset()
        mj_setState(of, one, start[i % len(start)], _FULL)
        for t in range(steps):
            if given is not None and given_size:
                mj_setState(of, one, given[i % len(given), min(t, given.shape[1] - 1)], control_spec)
            one.step()
            mj_getState(of, one, states[i, t], _FULL)
            if of.nsensordata:
                readings[i, t] = one.sensordata
    return states, readings


def _runs(what: str, given: ArrayLike, shape: tuple[int, ...]) -> NDArray[Any]:
    """Numbers with a row for each run, of which there may be one without saying so."""
    array = np.asarray(given, dtype=np.float64)
    if array.ndim > len(shape) + 1:
        raise ValueError(f"{what} has {array.ndim} dimensions; expected at most {len(shape) + 1}")
    while array.ndim < len(shape) + 1:
        array = array[None]
    if array.shape[-1] != shape[-1]:
        raise Error(f"{what} has the shape {np.shape(given)}; expected {shape[-1]} numbers in each row")
    return array


def _into(what: str, given: Array | None, shape: tuple[int, ...]) -> Array:
    if given is None:
        return np.zeros(shape)
    if given.size != int(np.prod(shape)):
        raise ValueError(f"{what} has the shape {given.shape}; expected {shape}")
    return given.reshape(shape)
