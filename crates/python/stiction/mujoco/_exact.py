"""Exact derivatives of a step of MuJoCo's data."""

from __future__ import annotations

from .._linearization import Linearization
from .._simulation import Simulation
from .._stiction import Error
from .._tables import Array
from ._data import MjData


def exact_derivatives(
    d: MjData, simulation: Simulation, start: bytes, state: tuple[Array, Array, Array]
) -> Linearization | None:
    """The exact derivatives of the step from a state, which starts cold; None where there are none."""
    q, v, u = state
    try:
        simulation.set_state(q, v)
        simulation.control[:] = u
        d._apply(simulation)
        exact = simulation.linearize()
    except Error:
        return None
    finally:
        simulation._restore(start)
        d._changed()
        d._renew()
    smooth = all(note["note"] == "hyperstatic" for note in exact.notes)
    return exact if smooth else None
