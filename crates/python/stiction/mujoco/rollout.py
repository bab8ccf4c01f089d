"""``mujoco.rollout`` on stiction: many runs from given states under given controls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._tables import Array
from ._data import MjData
from ._model import MjModel, NotOffered


def rollout(
    model: MjModel,
    data: MjData | Sequence[MjData],
    initial_state: ArrayLike,
    control: ArrayLike | None = None,
    *,
    nstep: int | None = None,
    **more: Any,
) -> tuple[Array, Array]:
    """States (runs, steps, 1 + nq + nv) and sensor readings (runs, steps, numbers) of runs under ``control``
    (runs, steps, nu)."""
    if more:
        raise NotOffered(f"stiction.mujoco.rollout does not offer {', '.join(more)}")
    first = data if isinstance(data, MjData) else data[0]
    start = np.atleast_2d(np.asarray(initial_state, dtype=np.float64))
    runs = len(start)
    if control is None:
        given = np.zeros((runs, 1 if nstep is None else nstep, model.nu))
    else:
        given = np.asarray(control, dtype=np.float64)
        given = given.reshape(-1, *given.shape[-2:])
        runs = max(runs, len(given))
    start, given = np.broadcast_to(start, (runs, start.shape[1])), np.broadcast_to(given, (runs, *given.shape[1:]))
    steps = given.shape[1]
    states, readings = np.zeros((runs, steps, start.shape[1])), np.zeros((runs, steps, len(first.sensordata)))
    own = MjData(model)
    for i in range(runs):
        own.simulation.set_state(start[i, 1 : 1 + model.nq], start[i, 1 + model.nq :], float(start[i, 0]))
        for t in range(steps):
            own.ctrl[:] = given[i, t]
            own.step()
            states[i, t] = np.concatenate([[own.time], own.qpos, own.qvel])
            if model.nsensor:
                readings[i, t] = own.sensordata
    return states, readings
