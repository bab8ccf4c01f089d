"""Environments side by side, whatever they are stepped by: a batch, or simulations one after another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .._batch import Batch
from .._model import Model
from .._sealed import sealed
from .._simulation import Simulation
from .._tables import Array

#: A flag for each environment.
Flags = NDArray[np.bool_]


class Fleet(Protocol):
    """Environments of one model: q, v and controls are arrays with a row for each."""

    model: Model

    @property
    def n(self) -> int: ...
    @property
    def q(self) -> Array: ...
    @property
    def v(self) -> Array: ...
    @property
    def dt(self) -> float: ...
    @property
    def failed(self) -> Flags:
        """Where the last step failed."""
        ...

    def failures(self) -> list[tuple[int, str]]:
        """Environments whose last step failed, and why."""
        ...

    def model_of(self, i: int) -> Model:
        """The model of environment i, which may have sizes of its own."""
        ...

    def step(self, control: Array, steps: int) -> None: ...
    def set_state(self, ids: NDArray[np.intp], q: Array, v: Array) -> None: ...
    def set_parameters(self, ids: NDArray[np.intp], **values: Array) -> None: ...
    def push(self, body: str, wrenches: Array) -> None:
        """Lets moments and forces act at the origin of a body in the next call of ``step``."""
        ...


@sealed
class Lanes:
    """A fleet that is a batch: exact contact, many at a time."""

    def __init__(self, model: Model, n: int, **settings: Any) -> None:
        self.model = model
        self.batch = Batch(model, n, **settings)
        self.n, self.dt = n, self.batch.dt
        self.q, self.v = self.batch.q, self.batch.v

    @property
    def failed(self) -> Flags:
        """Where the last step failed."""
        return np.asarray(self.batch.reports.status == 3)

    def failures(self) -> list[tuple[int, str]]:
        """Environments whose last step failed, and why."""
        return self.batch.failures()

    def model_of(self, i: int) -> Model:
        """The model of all."""
        return self.model

    def step(self, control: Array, steps: int) -> None:
        """Advances by so many time steps."""
        self.batch.step(control, steps)

    def set_state(self, ids: NDArray[np.intp], q: Array, v: Array) -> None:
        """Sets states of some."""
        self.batch.set_state(ids, q, v)

    def set_parameters(self, ids: NDArray[np.intp], **values: Array) -> None:
        """Gives some numbers of their own."""
        self.batch.set_parameters(ids, **values)

    def push(self, body: str, wrenches: Array) -> None:
        """Lets moments and forces act in the next call of ``step``."""
        self.batch.apply_wrench(body, wrenches)


@sealed
class Row:
    """A fleet of simulations stepped one after another: any contact model, any stepper."""

    def __init__(self, model: Model, n: int, **settings: Any) -> None:
        self.model = model
        self._settings = settings
        self._models = [model] * n
        self.simulations = [Simulation(model, **settings) for _ in range(n)]
        self.n, self.dt = n, self.simulations[0].dt
        self.q, self.v = np.tile(model.q0, (n, 1)), np.tile(model.v0, (n, 1))
        self._failed = np.zeros(n, bool)
        self._why: list[tuple[int, str]] = []

    @property
    def failed(self) -> Flags:
        """Where the last step failed."""
        return self._failed

    def failures(self) -> list[tuple[int, str]]:
        """Environments whose last step failed, and why."""
        return self._why

    def model_of(self, i: int) -> Model:
        """The model of environment i."""
        return self._models[i]

    def step(self, control: Array, steps: int) -> None:
        """Advances by so many time steps; one that fails stays where it was."""
        self._why = []
        for i, simulation in enumerate(self.simulations):
            failure = simulation.step(control[i], steps).failure
            self._failed[i] = failure is not None
            if failure is not None:
                self._why.append((i, failure))
            self.q[i], self.v[i] = simulation.q, simulation.v

    def set_state(self, ids: NDArray[np.intp], q: Array, v: Array) -> None:
        """Sets states of some."""
        for i, q_i, v_i in zip(ids, q, v):
            self.simulations[i].set_state(q_i, v_i, 0.0)
            self.q[i], self.v[i] = q_i, v_i

    def set_parameters(self, ids: NDArray[np.intp], **values: Array) -> None:
        """Gives some numbers of their own: they start cold."""
        for k, i in enumerate(ids):
            model = self._models[i].replace(**{name: value[k] for name, value in values.items()})
            before = self.simulations[i]
            self._models[i], self.simulations[i] = model, Simulation(model, **self._settings)
            self.simulations[i].set_state(before.q, before.v, before.time)

    def push(self, body: str, wrenches: Array) -> None:
        """Lets moments and forces act in the next call of ``step``."""
        for simulation, wrench in zip(self.simulations, wrenches):
            simulation.apply_moment(body, wrench[:3])
            simulation.apply_force(body, wrench[3:])


@sealed
class Mixed:
    """A fleet of fleets: environments of models that differ in their sizes, environment i being of model i modulo their number."""

    def __init__(self, model: Model, parts: Sequence[Fleet]) -> None:
        self.model, self.parts = model, list(parts)
        self.n, self.dt = sum(part.n for part in parts), parts[0].dt
        self.q, self.v = np.zeros((self.n, model.nq)), np.zeros((self.n, model.nv))
        self._gather()

    def _gather(self) -> None:
        for k, part in enumerate(self.parts):
            self.q[k :: len(self.parts)], self.v[k :: len(self.parts)] = part.q, part.v

    def _shared(self, ids: NDArray[np.intp]) -> Iterator[tuple[Fleet, NDArray[np.bool_], NDArray[np.intp]]]:
        """The parts that some of these environments belong to: which of the rows, and their numbers there."""
        for k, part in enumerate(self.parts):
            own = np.asarray(ids) % len(self.parts) == k
            if own.any():
                yield part, own, np.asarray(ids)[own] // len(self.parts)

    @property
    def failed(self) -> Flags:
        """Where the last step failed."""
        failed = np.zeros(self.n, bool)
        for k, part in enumerate(self.parts):
            failed[k :: len(self.parts)] = part.failed
        return failed

    def failures(self) -> list[tuple[int, str]]:
        """Environments whose last step failed, and why."""
        parts = enumerate(self.parts)
        return sorted((i * len(self.parts) + k, why) for k, part in parts for i, why in part.failures())

    def model_of(self, i: int) -> Model:
        """The model of environment i."""
        return self.parts[i % len(self.parts)].model_of(i // len(self.parts))

    def step(self, control: Array, steps: int) -> None:
        """Advances by so many time steps."""
        for k, part in enumerate(self.parts):
            part.step(control[k :: len(self.parts)], steps)
        self._gather()

    def set_state(self, ids: NDArray[np.intp], q: Array, v: Array) -> None:
        """Sets states of some."""
        for part, own, numbers in self._shared(ids):
            part.set_state(numbers, q[own], v[own])
        self._gather()

    def set_parameters(self, ids: NDArray[np.intp], **values: Array) -> None:
        """Gives some numbers of their own."""
        for part, own, numbers in self._shared(ids):
            part.set_parameters(numbers, **{name: value[own] for name, value in values.items()})

    def push(self, body: str, wrenches: Array) -> None:
        """Lets moments and forces act in the next call of ``step``."""
        for k, part in enumerate(self.parts):
            part.push(body, wrenches[k :: len(self.parts)])


def fleet(model: Model, n: int, *, threads: int = 1, **settings: Any) -> Fleet:
    """A batch where the exact law is asked for and lanes take the model, else simulations one after another."""
    if settings.get("contact") is None and settings.get("stepper") is None:
        settings = {key: value for key, value in settings.items() if key not in ("contact", "stepper")}
        return Lanes(model, n, threads=threads, **settings)
    return Row(model, n, **settings)


def mixed(model: Model, models: Sequence[Model], n: int, *, threads: int = 1, **settings: Any) -> Fleet:
    """n environments of ``models``, in turn."""
    count = min(len(models), n)
    return Mixed(model, [fleet(m, len(range(k, n, count)), threads=threads, **settings) for k, m in enumerate(models[:count])])
