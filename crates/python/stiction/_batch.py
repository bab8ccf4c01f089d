"""Batches: many environments of one model side by side."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _stiction
from ._model import Model
from ._simulation import Simulation
from ._sealed import seal, take_known
from ._stiction import Error, StepFailed
from ._tables import Array, frozen
from .autodiff import linearize_many

#: Environments: indices, a mask, one index, or None for all.
Ids = Union[ArrayLike, None]

#: The words for the codes of :attr:`BatchReports.status`.
STATUS = tuple(_stiction.STATUS_WORDS)


@dataclass(frozen=True)
class BatchReports:
    """What the last step said, an array (environments) for each quantity."""

    #: Codes: 0 converged, 1 rounding, 2 not converged, 3 failed.
    status: NDArray[np.int8]
    #: 0: in a lane; 1: a lane gave up, and it was stepped again alone; 2: alone.
    path: NDArray[np.int8]
    #: The solver's own stopping quantity [m/s].
    residual: Array
    #: The judge's natural map [m/s]; NaN unless the batch is judged.
    natural_map: Array
    contacts: NDArray[np.int64]
    #: Deepest overlap at the start of the step [m].
    penetration: Array


@dataclass(frozen=True)
class LinkStates:
    """Where a link is in every environment, and how it moves, in the world."""

    #: (environments, 3) [m]
    position: Array
    #: (environments, 4), w first
    quaternion: Array
    #: (environments, 3) [rad/s]
    angular_velocity: Array
    #: Of its origin (environments, 3) [m/s].
    velocity: Array


@dataclass(frozen=True)
class BatchLinearization:
    """Derivatives of a step of all environments of a batch, see :class:`stiction.Linearization`."""

    #: ∂(q⁺, v⁺)/∂(q, v) (n, 2 nv, 2 nv), and ∂(q⁺, v⁺)/∂u (n, 2 nv, nu); NaN where a step has no derivative.
    A: Array
    B: Array
    #: Per environment, where its step is not smooth.
    notes: tuple[tuple[dict[str, Any], ...], ...]
    #: Per environment without a derivative, why.
    errors: dict[int, Error]


class Batch(_stiction.Batch):
    """``n`` environments of one model, stepped in lanes and on threads, each certified by the same law.

    ``q`` (n, nq) and ``v`` (n, nv) are read-only views of what the last step wrote; they live as long as the batch, and
    :meth:`set_state` and :meth:`reset` change them. ``control`` (n, nu) is read by every step. ``precision``: f64 or f32,
    of the lanes. ``judge``: every step is judged, which is slow. Where lanes do not take the model, :attr:`alone_because`
    says why, and environments are stepped one by one; ``effort`` is how much such a step may cost, as of a simulation.
    """

    model: Model
    #: Time of every environment [s].
    time: Array
    _q_view: Array
    _v_view: Array
    _threads: int

    __setattr__ = take_known

    def __new__(
        cls,
        model: Model,
        n: int,
        *,
        threads: int = 1,
        precision: str = "f64",
        dt: float | None = None,
        tolerance: float | None = None,
        effort: str | None = None,
        judge: bool = False,
        stepper: str | None = None,
        **params: Any,
    ) -> Batch:
        """See the class."""
        if not isinstance(model, Model):
            raise Error(f"a batch needs a model, not {type(model).__name__}; stiction.load() makes one")
        table = dict(params)
        if dt is not None:
            table["dt"] = float(dt)
        if stepper is not None:
            table["method"] = stepper
        given = {"threads": threads, "precision": precision, "judge": judge, "stepper": table}
        if tolerance is not None:
            given["tolerance"] = tolerance
        if effort is not None:
            given["effort"] = effort
        made = super().__new__(cls, model._world, n, json.dumps(given))
        made.model = model
        made._threads = threads
        made.time = np.zeros(n)
        made._q_view, made._v_view = made._q.view(), made._v.view()
        made._q_view.flags.writeable = made._v_view.flags.writeable = False
        seal(made, Batch)
        return made

    @property
    def n(self) -> int:
        """How many environments there are."""
        return len(self)

    @property
    def q(self) -> Array:
        """Coordinates (n, nq), read-only."""
        return self._q_view

    @property
    def v(self) -> Array:
        """Velocities (n, nv), read-only."""
        return self._v_view

    @property
    def shared(self) -> dict[str, Array]:
        """q, v and control as writable arrays of the same memory, for ``torch.from_dlpack`` and ``jax.dlpack``.

        A step overwrites q and v: what is written into them is lost.
        """
        return {"q": self._q, "v": self._v, "control": self.control}

    @property
    def lanes(self) -> int:
        """How many environments a thread steps at a time."""
        return self._pace()[0]

    @property
    def alone_because(self) -> str | None:
        """Why environments are stepped one by one; None where lanes take the model."""
        return self._pace()[1]

    def step(self, control: ArrayLike | None = None, steps: int = 1, strict: bool = False) -> None:  # type: ignore[override]
        """Advances all environments by ``steps`` time steps; ``control`` (n, nu) is kept, as in :attr:`control`. Efforts and
        wrenches that were applied act in all of these steps.

        An environment whose step fails stays where it was, and :meth:`failures` says why; ``strict`` raises StepFailed after
        the first step in which one does. Ctrl-C ends it between two steps.
        """
        if steps < 1:
            raise Error(f"steps is {steps}; expected at least one")
        done, error = super().step(control, steps, strict)
        self.time += done * self.dt
        if error is not None:
            raise error
        if strict:
            failed = self.failures()
            if failed:
                i, cause = failed[0]
                others = f" (and {len(failed) - 1} others: failures())" if len(failed) > 1 else ""
                raise StepFailed(f"environment {i}{others}: {cause}")

    def linearize(self, simulation: Simulation | None = None) -> BatchLinearization:
        """The derivatives of the step from the present state of every environment, on the threads of the batch; states stay.

        They are those of steps alone of ``simulation``, one of :attr:`model` with the settings that are wanted (one with ``dt`` of the model without),
        from which contacts start cold. Where a step has no derivative, matrices are NaN and ``errors`` say why. Environments with parameters of
        their own are differentiated with those of the model.
        """
        one = simulation if simulation is not None else Simulation(self.model)
        found = linearize_many(one, self.q, self.v, self.control, threads=self._threads)
        n, nv, nu = self.n, self.model.nv, self.model.nu
        A, B = np.full((n, 2 * nv, 2 * nv), np.nan), np.full((n, 2 * nv, nu), np.nan)
        errors: dict[int, Error] = {}
        notes: list[tuple[dict[str, Any], ...]] = []
        for k, of in enumerate(found):
            if isinstance(of, Error):
                errors[k] = of
                notes.append(())
            else:
                A[k], B[k] = of.A, of.B
                notes.append(of.notes)
        return BatchLinearization(A, B, tuple(notes), errors)

    def _ids(self, ids: Ids) -> list[int]:
        if ids is None:
            return list(range(self.n))
        chosen = np.asarray(ids)
        if chosen.dtype == np.bool_:
            if chosen.shape != (self.n,):
                raise Error(f"a mask of the shape {chosen.shape}; expected ({self.n},), one for each environment")
            return [int(i) for i in np.flatnonzero(chosen)]
        if chosen.size and chosen.dtype.kind not in "iu":
            raise Error(f"environments are {ids!r}; expected whole numbers, or a mask")
        return [int(i) for i in np.atleast_1d(chosen)]

    def set_state(self, ids: Ids = None, q: ArrayLike | None = None, v: ArrayLike | None = None) -> None:
        """Sets states of some environments (all without ``ids``): a row for each, or one for all. They start cold, and forces
        that were applied to them are forgotten."""
        which = self._ids(ids)
        rows_q = self.q[which] if q is None else _rows("q", q, (len(which), self.model.nq))
        rows_v = self.v[which] if v is None else _rows("v", v, (len(which), self.model.nv))
        self._set_states(which, rows_q, rows_v)

    def reset(self, ids: Ids = None, q: ArrayLike | None = None, v: ArrayLike | None = None) -> None:
        """Some environments back to time 0: to the start of the model, or to q and v. Controls go back too."""
        which = self._ids(ids)
        self.set_state(which, self.model.q0 if q is None else q, self.model.v0 if v is None else v)
        self.time[which] = 0.0
        self.control[which] = self.model.control0

    def set_parameters(self, ids: Ids = None, **values: ArrayLike) -> None:
        """Gives environments numbers of their own, under the names of :meth:`Model.replace`.

        An array has a row for each of these environments, or is of one environment and stands for all.
        """
        which = self._ids(ids)
        shapes = {name: array.shape for name, array in self.model.fields().items()}
        given = {}
        for name, value in values.items():
            array = np.asarray(value, dtype=np.float64)
            if name in shapes and array.ndim == 1 and array.shape == (len(which),) and shapes[name] != array.shape:
                array = array.reshape((-1, *[1] * len(shapes[name])))
            if name in shapes:
                try:
                    array = np.broadcast_to(array, (len(which), *shapes[name]))
                except ValueError:
                    raise Error(
                        f"{name} has the shape {np.shape(value)}; expected {shapes[name]} for all environments, or a row for "
                        f"each, {(len(which), *shapes[name])}"
                    ) from None
            given[name] = array
        self._set_parameters(which, given)

    def parameters(self, *names: str) -> dict[str, Array]:
        """The numbers of all environments, a row for each; all quantities without ``names``."""
        return self._parameters(list(names or _stiction.QUANTITIES))

    def apply_wrench(self, body: str | int, wrenches: ArrayLike) -> None:
        """Adds a moment and a force at the origin of a body, in world axes (n, 6), for all steps of the next call of ``step``."""
        super().apply_wrench(self.model.bodies.index(body), wrenches)

    @property
    def reports(self) -> BatchReports:
        """What the last step said."""
        return BatchReports(**{name: frozen(values) for name, values in self._reports().items()})

    def link(self, link: str | int) -> LinkStates:
        """Where a link is in every environment, and how it moves."""
        all_ = frozen(self._link_states(self.model.links.index(link)))
        return LinkStates(all_[:, :3], all_[:, 3:7], all_[:, 7:10], all_[:, 10:])

    def sensor(self, sensor: str | int) -> Array:
        """The reading of a sensor in every environment, a row for each; one that cannot be read of a batch raises.

        As those of a :class:`Simulation`: accelerations are of the last step. Lanes keep no contact forces and no efforts
        of servos; :attr:`sensors_not_batched` says which sensors need them.
        """
        return self._sensors([self.model.sensors.index(sensor)], self.time)

    def sensors(self) -> dict[str, Array]:
        """The readings of all sensors that can be read of a batch, by name, a row for each environment."""
        missing = self._missing()
        which = [i for i in range(len(self.model.sensors)) if i not in missing]
        all_ = self._sensors(which, self.time)
        out: dict[str, Array] = {}
        start = 0
        for sensor in (self.model.sensors[i] for i in which):
            width = 0 if sensor.columns is None else sensor.columns.stop - sensor.columns.start
            out[sensor.name] = all_[:, start : start + width]
            start += width
        return out

    @property
    def sensordata(self) -> Array:
        """The readings of all sensors side by side, a row for each environment; raises if one cannot be read.

        ``sensordata[:, model.sensors["imu"].columns]`` are those of a sensor.
        """
        return frozen(self._sensors(list(range(len(self.model.sensors))), self.time))

    @property
    def sensors_not_batched(self) -> dict[str, str]:
        """Sensors that cannot be read of a batch, and why."""
        return {self.model.sensors[i].name: why for i, why in self._missing().items()}

    def _missing(self) -> dict[int, str]:
        return dict(self._sensors_not_batched())

    def __reduce__(self) -> tuple[Any, ...]:
        raise Error("a batch cannot be pickled or copied; make another of the same model, and set_state(q=…, v=…) on it")

    def __repr__(self) -> str:
        return f"<stiction.Batch of {self.n} × `{self.model.name}`, {self.lanes} at a time>"



def _rows(what: str, given: ArrayLike, shape: tuple[int, int]) -> Array:
    try:
        return np.broadcast_to(np.asarray(given, float), shape)
    except ValueError:
        raise Error(
            f"{what} has the shape {np.shape(given)}; expected {shape[1:]} for all environments, or a row for each, {shape}"
        ) from None
