"""The laboratory: contact problems, the solvers, the judge, and comparisons."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from . import _stiction
from ._model import Model
from ._simulation import Certificate, Simulation
from ._steps import whole_steps
from ._stiction import ContactProblem, Error
from ._tables import Array, Table

__all__ = [
    "Comparison",
    "Parameter",
    "Solution",
    "Solver",
    "SolverEntry",
    "StepperEntry",
    "certify",
    "compare",
    "friction_problem",
    "solve",
    "solvers",
    "steppers",
]


class Solver(Protocol):
    """A contact solver written in Python. It may also have a ``name``, a ``law`` ("ncp" without) and a ``tolerance``
    [m/s]: whether it has converged is for the judge to say, by that law."""

    def solve(self, problem: ContactProblem, start: Array) -> ArrayLike:
        """Impulses [N·s], one for each row of the problem; ``start`` holds those of the last step."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a solver."""

    name: str
    unit: str
    default: str
    allowed: str
    effect: str


@dataclass(frozen=True)
class SolverEntry:
    """A solver of the registry."""

    name: str
    law: str
    summary: str
    source: str
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True)
class StepperEntry:
    """A stepper of the catalogue."""

    name: str
    summary: str
    order: str
    source: str


def solvers() -> Table[SolverEntry]:
    """All contact solvers, the default first."""
    entries = [
        SolverEntry(name, law, summary, source, tuple(Parameter(*p) for p in parameters))
        for name, law, summary, source, parameters in _stiction.solvers()
    ]
    return Table("solver", entries)


def steppers() -> Table[StepperEntry]:
    """All steppers, the default first."""
    return Table("stepper", [StepperEntry(*entry) for entry in _stiction.steppers()])


def friction_problem(
    G: ArrayLike,
    g: ArrayLike,
    mu: ArrayLike,
    *,
    compliance: ArrayLike | None = None,
    time_step: float = 1.0,
    name: str = "problem",
) -> ContactProblem:
    """The problem of contacts with friction alone: rows (t₁, t₂, n) for each coefficient of ``mu``.

    Find λ with K ∋ λ ⟂ c + Γ(c) ∈ K*, c = (G + R) λ + g; ``compliance`` is the diagonal of R.
    """
    cones = [("friction", float(x), 0.0) for x in np.atleast_1d(np.asarray(mu, dtype=np.float64))]
    return ContactProblem(G, g, cones, compliance, time_step, name)


@dataclass(frozen=True)
class Solution:
    """The answer of a solver, judged."""

    #: [N·s]
    impulses: Array
    #: converged, rounding, iteration-limit, stalled or numerical-failure.
    status: str
    iterations: int
    #: The solver's own stopping quantity [m/s].
    residual: float
    solver: str
    law: str
    #: By the exact law.
    certificate: Certificate
    #: By the solver's own law [m/s].
    own_natural_map: float
    #: Wall-clock time of the solve [s].
    time: float
    #: Impulses at the start and after every iteration (iterations + 1, rows), if asked for.
    iterates: Array | None = None


def solve(
    problem: ContactProblem,
    solver: str | Solver = "auto",
    *,
    tolerance: float | None = None,
    max_iterations: int | None = None,
    threads: int | None = None,
    start: ArrayLike | None = None,
    iterates: bool = False,
    **params: Any,
) -> Solution:
    """Solves a contact problem, cold unless there is a ``start``, and has the answer judged."""
    told = {"tolerance": tolerance, "max_iterations": max_iterations, "threads": threads}
    text = json.dumps({**{k: v for k, v in told.items() if v is not None}, "params": params})
    begin = perf_counter()
    impulses, status, iterations, residual, (name, law), way = problem.solve(solver, text, start, iterates)
    time = perf_counter() - begin
    return Solution(
        impulses,
        status,
        iterations,
        residual,
        name,
        law,
        certify(problem, impulses),
        problem.natural_map(impulses, law),
        time,
        way,
    )


def certify(problem: ContactProblem, impulses: ArrayLike) -> Certificate:
    """The judge's word on impulses: how far they are from the exact law."""
    return Certificate(**problem.certify(impulses))


@dataclass(frozen=True)
class Comparison:
    """One solver's run of a model."""

    contact: str
    #: Steps that were made, and of these those that did not converge.
    steps: int
    not_converged: int
    #: Wall-clock time of a step [s], judging not counted.
    time_per_step: float
    #: Worst of all steps [m/s]: by the exact law, and by the solver's own.
    natural_map: float
    own_natural_map: float
    #: Deepest overlap [m].
    penetration: float
    #: Energy at the start and at the end [J].
    energy_start: float
    energy_end: float
    #: Coordinates at the end.
    q: Array
    #: Why it ended early.
    failure: str | None


def compare(
    model: Model,
    contacts: Iterable[str | Solver] | None = None,
    *,
    duration: float | None = None,
    contact_params: Mapping[str, Mapping[str, Any]] | None = None,
    **settings: Any,
) -> list[Comparison]:
    """Runs a model once with each contact solver (all of them without ``contacts``), every step judged.

    One that cannot run the model is told by :attr:`Comparison.failure`, and the others run. ``contact_params`` maps names of solvers to their parameters; ``settings`` go to every :class:`Simulation`.
    """
    chosen: Sequence[str | Solver] = list(contacts) if contacts is not None else solvers().names
    runs = []
    for contact in chosen:
        params = (contact_params or {}).get(contact) if isinstance(contact, str) else None
        try:
            simulation = Simulation(model, contact, contact_params=params, **settings)
        except Error as refused:
            if len(chosen) == 1:
                raise
            name = contact if isinstance(contact, str) else type(contact).__name__
            none = float("nan")
            failure = f"does not run: {refused}"
            runs.append(Comparison(name, 0, 0, none, none, none, none, none, none, model.q0, failure))
        else:
            dt = simulation.dt
            # The duration that a scene states is no promise of a caller.
            steps = round(model.duration / dt) if duration is None else whole_steps("duration", duration, dt)
            runs.append(_one_run(simulation, steps))
    return runs


def _one_run(simulation: Simulation, steps: int) -> Comparison:
    begin = simulation.energy.total
    done = flagged = 0
    worst = own = deepest = spent = 0.0
    failure = None
    for _ in range(steps):
        start = perf_counter()
        report = simulation.step()
        spent += perf_counter() - start
        if report.failure is not None:
            failure = report.failure
            break
        done += 1
        flagged += report.flagged
        worst = max(worst, simulation.natural_map)
        own = max(own, simulation.own_natural_map)
        deepest = max(deepest, report.penetration)
    return Comparison(
        simulation.contact,
        done,
        flagged,
        spent / max(done, 1),
        worst,
        own,
        deepest,
        begin,
        simulation.energy.total,
        simulation.q.copy(),
        failure,
    )

