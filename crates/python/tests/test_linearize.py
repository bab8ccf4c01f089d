"""Derivatives of steps, beside differences of whole steps."""

from __future__ import annotations

import numpy as np
import pytest

import stiction
from stiction import dynamics


def differences(simulation: stiction.Simulation, x: float) -> tuple[np.ndarray, np.ndarray]:
    """A and B of the step from here by central differences; the state stays."""
    model, q, v, u = simulation.model, simulation.q.copy(), simulation.v.copy(), simulation.control.copy()
    nv = model.nv

    def after(step: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        simulation.set_state(dynamics.integrate(model, q, step[:nv], 1.0), v + step[nv : 2 * nv])
        simulation.control[:] = u + step[2 * nv :]
        simulation.step()
        return simulation.q.copy(), simulation.v.copy()

    columns = []
    for k in range(2 * nv + model.nu):
        step = np.zeros(2 * nv + model.nu)
        step[k] = x
        (q1, v1), (q0, v0) = after(step), after(-step)
        columns.append(np.concatenate([dynamics.difference(model, q0, q1), v1 - v0]) / (2 * x))
    simulation.set_state(q, v)
    simulation.control[:] = u
    both = np.array(columns).T
    return both[:, : 2 * nv], both[:, 2 * nv :]


def standing() -> stiction.Simulation:
    simulation = stiction.Simulation(stiction.load("quadruped"), tolerance=1e-12)
    simulation.run(0.5)
    # Feet that just touch open or close with the least displacement; 2 um deep they overlap by what is left alone.
    q = simulation.q.copy()
    q[2] -= 2e-6
    simulation.set_state(q, simulation.v)
    return simulation


def test_a_quadruped_beside_differences() -> None:
    simulation = standing()
    q, v = simulation.q.copy(), simulation.v.copy()
    step = simulation.linearize()
    assert not step.notes
    assert (simulation.q == q).all() and (simulation.v == v).all()
    A, B = differences(simulation, 1e-7)
    assert np.abs(step.A - A).max() < 1e-4 * np.abs(A).max()
    assert np.abs(step.B - B).max() < 1e-4 * np.abs(B).max()
    simulation.step()
    assert step.dlambda.shape == (len(simulation.impulses), 2 * simulation.model.nv + simulation.model.nu)
    assert (step.q == simulation.q).all() and (step.v == simulation.v).all()


def test_a_rollout() -> None:
    simulation = standing()
    model, n = simulation.model, 6
    controls = np.tile(simulation.control, (n, 1))
    gradients = np.zeros((n, 2 * model.nv))
    gradients[-1, model.nv] = 1.0  # the cost is the last velocity along x
    start = simulation.snapshot()
    found = simulation.rollout_vjp(controls, gradients)

    def cost(u: np.ndarray) -> float:
        simulation.restore(start)
        for row in u:
            simulation.control[:] = row
            simulation.step()
        return float(simulation.v[0])

    for k, i in ((0, 1), (3, 2), (5, 0)):
        x = np.zeros_like(controls)
        x[k, i] = 1e-6
        about = (cost(controls + x) - cost(controls - x)) / 2e-6
        assert found.controls[k, i] == pytest.approx(about, abs=1e-6, rel=1e-3)
    with pytest.raises(stiction.Error, match="shape"):
        simulation.rollout_vjp(controls[1:], gradients)


def test_what_has_no_derivative_says_why() -> None:
    simulation = stiction.Simulation(stiction.load("pendulum"), method="moreau")
    with pytest.raises(stiction.Error, match="moreau"):
        simulation.linearize()
