"""Derivatives of a step of MuJoCo's data, exact ones where there are some."""

from __future__ import annotations

import numpy as np

from .. import dynamics
from .._linearization import Linearization
from .._simulation import Simulation
from .._stiction import Error
from .._tables import Array
from ._checks import of
from ._data import MjData
from ._model import MjModel


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


def mjd_transitionFD(
    m: MjModel,
    d: MjData,
    eps: float,
    flg_centered: int,
    A: Array | None,
    B: Array | None,
    C: Array | None,
    D: Array | None,
) -> None:
    """Derivatives of a step: of the next state (2 nv) and of the sensors after it, with respect to state and controls.

    A and B are exact (:meth:`stiction.Simulation.linearize`), whatever ``eps`` is; the sensors', and those of steps that
    have no exact derivative or are at a switch, are finite differences."""
    of(m, d)
    nv, nu = m.nv, m.nu
    simulation = d._current()
    start, q, v, u = simulation._snapshot(), d.qpos.copy(), d.qvel.copy(), d.ctrl.copy()
    readings = C is not None or D is not None
    if (A is not None or B is not None) and (exact := exact_derivatives(d, simulation, start, (q, v, u))) is not None:
        if A is not None:
            A[:] = exact.A
        if B is not None:
            B[:] = exact.B
        if not readings:
            return
        A = B = None

    def after(dq: Array, dv: Array, du: Array) -> tuple[Array, Array, Array]:
        simulation._restore(start)
        simulation.set_state(dynamics.integrate(m.stiction, q, dq, 1.0), v + dv)
        simulation.control[:] = u + du
        d._apply(simulation)
        simulation.advance()
        read = simulation.sensordata if readings else np.zeros(0)
        return simulation.q.copy(), simulation.v.copy(), np.array(read)

    def change(a: tuple[Array, Array, Array], b: tuple[Array, Array, Array], h: float) -> tuple[Array, Array]:
        moved = np.concatenate([dynamics.difference(m.stiction, a[0], b[0]), b[1] - a[1]]) / h
        return moved, (b[2] - a[2]) / h

    zero, none = np.zeros(nv), np.zeros(nu)
    middle = after(zero, zero, none)
    try:
        for k in range(2 * nv + nu):
            step = np.zeros(2 * nv + nu)
            step[k] = eps
            parts = (step[:nv], step[nv : 2 * nv], step[2 * nv :])
            forward = after(*parts)
            if flg_centered:
                column, read = change(after(*(-p for p in parts)), forward, 2 * eps)
            else:
                column, read = change(middle, forward, eps)
            state, output, at = (A, C, k) if k < 2 * nv else (B, D, k - 2 * nv)
            if state is not None:
                state[:, at] = column
            if output is not None:
                output[:, at] = read
    finally:
        simulation._restore(start)
        d.ctrl[:] = u
        d._changed()
        d._renew()
