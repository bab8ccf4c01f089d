"""``mujoco.rollout`` on stiction: many runs from given states under given controls."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._tables import Array
from . import _enums
from ._data import MjData
from ._functions import mj_getState, mj_setState, mj_stateSize
from ._model import MjModel

_FULL = int(_enums.mjtState["mjSTATE_FULLPHYSICS"])
_CONTROL = int(_enums.mjtState["mjSTATE_CTRL"])
_USER = int(_enums.mjtState["mjSTATE_USER"])


class Rollout:
    """Rolls out in threads of its own, as many as ``nthread``; without, in the one that calls."""

    def __init__(self, *, nthread: int | None = None) -> None:
        self._threads = int(nthread or 0)
        self._open = True

    def __enter__(self) -> Rollout:
        return self

    def __exit__(self, *raised: Any) -> None:
        self.close()

    def close(self) -> None:
        """The end of it: it rolls out no more."""
        self._open = False

    def rollout(
        self,
        model: MjModel | Sequence[MjModel],
        data: MjData | Sequence[MjData],
        initial_state: Any,
        control: Any = None,
        *,
        control_spec: int = _CONTROL,
        skip_checks: bool = False,
        nstep: int | None = None,
        initial_warmstart: Any = None,
        state: Array | None = None,
        sensordata: Array | None = None,
        chunk_size: int | None = None,
    ) -> tuple[Array, Array]:
        """States (runs, steps, size of the full physics) and sensor readings (runs, steps, numbers) of runs under ``control``
        (runs, steps, numbers of ``control_spec``), into ``state`` and ``sensordata`` if these are given.

        Every run starts cold: ``initial_warmstart`` is checked and has no effect. ``skip_checks`` and ``chunk_size`` have none either:
        whatever is given is checked, and runs are shared out evenly.
        """
        if not self._open:
            raise RuntimeError("rollout requested after thread pool shutdown")
        datas = [data] if isinstance(data, MjData) else list(data)
        if not datas:
            raise ValueError("The list of data instances is empty")
        if self._threads == 0 and len(datas) > 1:
            raise ValueError("More than one data instance passed but rollout is configured to run on main thread")
        if self._threads > 0 and len(datas) != self._threads:
            raise ValueError(f"Length of data: {len(datas)} not equal to nthread: {self._threads}")
        if chunk_size is not None and chunk_size < 1:
            raise ValueError("chunk_size must be a positive integer")
        models = [model] if isinstance(model, MjModel) else list(model)
        if not models:
            raise ValueError("The list of models is empty")
        if int(control_spec) & ~_USER:
            raise ValueError("control_spec can only contain bits in mjSTATE_USER")
        asked = _Asked(models, control_spec, nstep)
        start = asked.numbers("initial_state", initial_state, 2, (asked.size,))
        given = asked.numbers("control", control, 3, (None, asked.controls), steps=True)
        warm = asked.numbers("initial_warmstart", initial_warmstart, 2, (models[0].nv,))
        states = asked.numbers("state", state, 3, (None, asked.size), steps=True, whole=True)
        readings = asked.numbers("sensordata", sensordata, 3, (None, models[0].nsensordata), steps=True, whole=True)
        runs, steps = max(asked.runs, len(models) if not skip_checks else 1), asked.steps or 1
        for what, found in (("initial_state", start), ("control", given), ("initial_warmstart", warm), ("state", states), ("sensordata", readings)):
            if found is not None and len(found) not in (1, runs):
                raise ValueError(f"dimension 0 inferred as {runs} but {what} has {len(found)}")
        if len(models) not in (1, runs) and not skip_checks:
            raise ValueError(f"model has {len(models)} runs; expected 1 or {runs}")
        if states is None:
            states = np.zeros((runs, steps, asked.size))
        if readings is None:
            readings = np.zeros((runs, steps, models[0].nsensordata))
        if start is None:
            raise ValueError("initial_state is missing")
        for one in models:
            one.stiction  # noqa: B018
        work = _Work(models, start, given, int(control_spec), states, readings)
        if self._threads <= 1:
            work.run(range(runs))
        else:
            with ThreadPoolExecutor(self._threads) as pool:
                parts = [pool.submit(work.run, range(k, runs, self._threads)) for k in range(self._threads)]
                for part in parts:
                    part.result()
        return states, readings


class _Asked:
    """What the shapes of the arguments say of runs and steps."""

    def __init__(self, models: list[MjModel], control_spec: int, steps: int | None) -> None:
        self.size, self.controls = mj_stateSize(models[0], _FULL), mj_stateSize(models[0], int(control_spec))
        self.steps, self._stated, self.runs = steps, steps is not None, 1

    def numbers(
        self, what: str, given: Any, most: int, trailing: tuple[int | None, ...], steps: bool = False, whole: bool = False
    ) -> NDArray[Any] | None:
        """Numbers with a row for each run, of which there may be one without saying so."""
        if given is None:
            return None
        if not isinstance(given, (np.ndarray, float, int, list, tuple)):
            raise ValueError(f"{what} must be a numpy array or float")
        array: NDArray[Any] = np.asarray(given) if whole else np.asarray(given, dtype=np.float64)
        if array.ndim > most:
            raise ValueError(f"{what} can have at most {most} dimensions")
        if array.ndim < most:
            array = array.reshape((1,) * (most - array.ndim) + array.shape)
        if array.shape[-1] != trailing[-1] and array.size:
            raise ValueError(f"trailing dimension of {what} must be {trailing[-1]}, got {array.shape[-1]}")
        if steps:
            found = array.shape[1]
            if self.steps is None or self.steps == 1 and not self._stated:
                self.steps = found
            elif found != self.steps and (found != 1 or whole):
                raise ValueError(f"dimension 1 inferred as {self.steps} but {what} has {found}")
        self.runs = max(self.runs, array.shape[0])
        return array


class _Work:
    """Runs one after another, each thread in data of its own."""

    def __init__(
        self, models: list[MjModel], start: Array, control: Array | None, spec: int, states: Array, readings: Array
    ) -> None:
        self._models, self._start, self._control, self._spec = models, start, control, spec
        self._states, self._readings = states, readings

    def run(self, runs: range) -> None:
        """Rolls out some of them."""
        own: dict[int, MjData] = {}
        start, control = self._start, self._control
        for i in runs:
            of = self._models[i % len(self._models)]
            one = own.get(id(of))
            if one is None:
                one = own[id(of)] = MjData(of)
            one.reset()
            mj_setState(of, one, start[i % len(start)], _FULL)
            for t in range(self._states.shape[1]):
                if control is not None and control.shape[-1]:
                    mj_setState(of, one, control[i % len(control), min(t, control.shape[1] - 1)], self._spec)
                one.step()
                mj_getState(of, one, self._states[i, t], _FULL)
                if of.nsensordata:
                    self._readings[i, t] = one.sensordata


def rollout(
    model: MjModel | Sequence[MjModel],
    data: MjData | Sequence[MjData],
    initial_state: Any,
    control: Any = None,
    *,
    persistent_pool: bool = False,
    **named: Any,
) -> tuple[Array, Array]:
    """:meth:`Rollout.rollout` in as many threads as there are data; threads are made anew, whether ``persistent_pool`` or not."""
    datas = [data] if isinstance(data, MjData) else list(data)
    threads = len(datas) if len(datas) > 1 else 0
    return Rollout(nthread=threads).rollout(model, datas, initial_state, control, **named)


def shutdown_persistent_pool() -> None:
    """Nothing: no threads are kept."""
