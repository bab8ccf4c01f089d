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


BALL = """
[ground]
restitution = 0.6
friction = 0.2
[[body]]
name = "ball"
shape = "sphere"
radius = 0.1
mass = 1.0
position = [0.0, 0.0, 0.113]
velocity = [0.7, -0.3, -1.4]
[stepper]
dt = 0.01
"""


def test_bounces_beside_differences() -> None:
    simulation = stiction.Simulation(stiction.loads(BALL), tolerance=1e-12)
    start, nv = simulation.snapshot(), simulation.model.nv
    steps, parts = 25, []
    for _ in range(steps):
        step = simulation.linearize()
        if simulation.step().parts == 2:
            parts.append(step)
    assert len(parts) == 2 and not parts[0].notes
    simulation.restore(start)
    A, _ = differences(simulation, 1e-6)
    assert np.abs(simulation.linearize().A - A).max() < 1e-6 * np.abs(A).max()
    gradients = np.zeros((steps, 2 * nv))
    gradients[-1, 2] = 1.0  # the cost is the last height
    found = simulation.rollout_vjp(np.zeros((steps, 0)), gradients)

    def height(by: float) -> float:
        q, v = simulation.q.copy(), simulation.v.copy()
        simulation.set_state(q, v + by * np.eye(nv)[2])
        simulation.run(steps * 0.01)
        z = float(simulation.q[2])
        simulation.restore(start)
        return z

    about = (height(1e-5) - height(-1e-5)) / 2e-5
    assert found.start[nv + 2] == pytest.approx(about, rel=1e-6)


def test_what_has_no_derivative_says_why() -> None:
    simulation = stiction.Simulation(stiction.load("pendulum"), method="variational")
    with pytest.raises(stiction.Error, match="variational"):
        simulation.linearize()


def test_moreau_beside_differences() -> None:
    simulation = stiction.Simulation(stiction.load("pendulum"), method="moreau")
    step = simulation.linearize()
    A, B = differences(simulation, 1e-6)
    assert np.abs(step.A - A).max() < 1e-6 and np.abs(step.B - B).max(initial=0) < 1e-6


def test_parameters_beside_differences() -> None:
    model = stiction.load("quadruped")
    simulation = standing()
    q, v = simulation.q.copy(), simulation.v.copy()
    body = model.bodies[0].name
    parameters = [stiction.Parameter("mass", body), stiction.Parameter("gravity", component=2)]
    found = simulation.linearize(parameters)
    assert found.C.shape == (2 * model.nv, 2) and found.dlambda_dparameters.shape[1] == 2

    def after(**fields: np.ndarray) -> np.ndarray:
        other = stiction.Simulation(model.replace(**fields), tolerance=1e-12)
        other.set_state(q, v)
        other.control[:] = simulation.control
        other.step()
        return other.v.copy()

    mass, gravity = model.fields()["mass"], model.gravity
    for k, x in enumerate([1e-4 * mass[0], 1e-4]):
        change = (np.arange(len(mass)) == 0) * x if k == 0 else np.array([0, 0, x])
        name, base = ("mass", mass) if k == 0 else ("gravity", gravity)
        slope = (after(**{name: base + change}) - after(**{name: base - change})) / (2 * x)
        assert np.abs(found.C[model.nv :, k] - slope).max() < 1e-5 * max(1e-2, np.abs(slope).max())
    controls = np.tile(simulation.control, (3, 1))
    gradient = simulation.rollout_vjp(controls, np.ones((3, 2 * model.nv)), parameters=parameters)
    assert gradient.parameters.shape == (2,)


def test_parameters_that_do_not_exist() -> None:
    simulation = standing()
    for parameter, told in [
        (stiction.Parameter("weight"), "kinds are"),
        (stiction.Parameter("friction", "ground"), "two geometries"),
        (stiction.Parameter("gravity"), "component"),
        (stiction.Parameter("mass", 99), "no such number"),
    ]:
        with pytest.raises(stiction.Error, match=told):
            simulation.linearize([parameter])


def test_smoothing_goes_to_the_exact_derivative() -> None:
    simulation = standing()
    exact = simulation.linearize()
    apart = [np.abs(simulation.linearize(smoothing=k).A - exact.A).max() for k in (1e-7, 1e-8, 1e-9)]
    assert apart[2] < 0.3 * apart[1] < 0.09 * apart[0] * 1.5
    with pytest.raises(stiction.Error, match="smoothing"):
        simulation.linearize(smoothing=-1.0)


def test_a_batch() -> None:
    model = stiction.load("quadruped")
    batch = stiction.Batch(model, 3)
    batch.set_state(0, q=standing().q)
    found = batch.linearize()
    assert found.A.shape == (3, 2 * model.nv, 2 * model.nv) and found.B.shape == (3, 2 * model.nv, model.nu)
    alone = stiction.Simulation(model)
    alone.set_state(batch.q[0], batch.v[0])
    alone.control[:] = batch.control[0]
    assert (found.A[0] == alone.linearize().A).all() and not found.errors
