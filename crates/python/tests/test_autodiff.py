"""Rollouts in PyTorch and JAX beside differences, and derivatives of many steps beside single ones."""

from __future__ import annotations

import sys
from typing import Any, Callable

import numpy as np
import pytest

import stiction
from stiction import autodiff, dynamics

STEPS = 5


def sliding() -> tuple[stiction.Simulation, np.ndarray, np.ndarray, np.ndarray]:
    """A quadruped whose feet come down on the ground, and controls of a rollout."""
    simulation = stiction.Simulation(stiction.load("quadruped"), tolerance=1e-12)
    simulation.run(0.4)
    q, v = simulation.q.copy(), simulation.v.copy()
    q[2] -= 2e-6
    v[:2] = 0.6, -0.2
    rng = np.random.default_rng(5)
    controls = simulation.control + 0.02 * rng.standard_normal((STEPS, simulation.model.nu))
    return simulation, q, v, controls


def cost_of(q: Any, v: Any, weights: tuple[np.ndarray, np.ndarray]) -> Any:
    return (q * weights[0]).sum() + (v * weights[1]).sum()


def weights(simulation: stiction.Simulation) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(6)
    model = simulation.model
    return rng.standard_normal((STEPS, model.nq)), rng.standard_normal((STEPS, model.nv))


def differences(cost: Callable[[np.ndarray], float], at: np.ndarray, columns: list[int], x: float = 1e-6) -> np.ndarray:
    out = []
    for k in columns:
        e = np.zeros(at.size)
        e[k] = x
        e = e.reshape(at.shape)
        out.append((cost(at + e) - cost(at - e)) / (2 * x))
    return np.array(out)


def hold(simulation: stiction.Simulation, start: Any, gradients: Any, scales: Any) -> None:
    """Gradients by v and controls beside differences of rollouts, and by q along the tangent."""
    q, v, controls = start

    def cost(q: np.ndarray, v: np.ndarray, u: np.ndarray) -> float:
        return float(cost_of(*autodiff._roll(simulation, q, v, u), scales))

    by_q, by_v, by_u = (np.asarray(g, dtype=np.float64) for g in gradients)
    columns = [0, 1, 4, 7, 12]
    near = differences(lambda v: cost(q, v, controls), v, columns)
    assert np.abs(by_v[columns] - near).max() < 1e-4 * np.abs(near).max()
    near = differences(lambda u: cost(q, v, u), controls, [0, 3, 13, 30])
    assert np.abs(by_u.ravel()[[0, 3, 13, 30]] - near).max() < 1e-4 * np.abs(near).max()
    model, x = simulation.model, 1e-7
    T = autodiff.tangent_map(simulation, q)
    for k in (1, 4, 8):
        e = np.zeros(model.nv)
        e[k] = x
        ahead, back = (cost(dynamics.integrate(model, q, s * e, 1.0), v, controls) for s in (1, -1))
        slope = (ahead - back) / (2 * x)
        assert abs(by_q @ T[:, k] - slope) < 1e-4 * max(1.0, abs(slope))
    # No part of the gradient leaves the unit sphere.
    assert abs(by_q[3:7] @ q[3:7]) < 1e-9


def test_the_tangent_map_is_the_derivative_of_integration() -> None:
    simulation, q, _, _ = sliding()
    model = simulation.model
    q = dynamics.integrate(model, q, 0.3 * np.cos(np.arange(model.nv)), 1.0)
    T = autodiff.tangent_map(simulation, q)
    for k in range(model.nv):
        e = np.zeros(model.nv)
        e[k] = 1e-6
        near = (dynamics.integrate(model, q, e, 1.0) - dynamics.integrate(model, q, -e, 1.0)) / 2e-6
        assert np.abs(T[:, k] - near).max() < 1e-9


def test_rollouts_of_pytorch() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    simulation, q, v, controls = sliding()
    before = simulation.q.copy(), simulation.control.copy()
    scales = weights(simulation)
    given = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (q, v, controls)]
    states = autodiff.torch_rollout(simulation, *given)
    assert states[0].shape == (STEPS, simulation.model.nq)
    cost_of(*states, tuple(torch.tensor(w) for w in scales)).backward()
    hold(simulation, (q, v, controls), [x.grad for x in given], scales)
    assert (simulation.q == before[0]).all() and (simulation.control == before[1]).all()


def test_rollouts_of_jax() -> None:
    jax = pytest.importorskip("jax", reason="jax is not installed")
    jax.config.update("jax_enable_x64", True)
    simulation, q, v, controls = sliding()
    scales = weights(simulation)
    rollout = autodiff.jax_rollout(simulation)

    def cost(q: Any, v: Any, u: Any) -> Any:
        return cost_of(*rollout(q, v, u), scales)

    gradients = jax.jit(jax.grad(cost, argnums=(0, 1, 2)))(q, v, controls)
    hold(simulation, (q, v, controls), gradients, scales)
    both = jax.vmap(lambda u: cost(q, v, u))(np.stack([controls, controls + 0.01]))
    assert both.shape == (2,) and both[0] == cost(q, v, controls) and both[1] != both[0]


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation, q, v, controls = sliding()
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match="torch is not installed.*pip install torch"):
        autodiff.torch_rollout(simulation, q, v, controls)
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(ImportError, match="jax is not installed.*pip install jax"):
        autodiff.jax_rollout(simulation)


def test_many_steps_at_once() -> None:
    simulation, q, v, controls = sliding()
    speeds = np.array([v, 1.5 * v, 2.0 * v])
    places = np.array([q, q, q])
    found = autodiff.linearize_many(simulation, places, speeds, controls[:3], threads=2)
    assert len(found) == 3
    for k, step in enumerate(found):
        simulation.set_state(places[k], speeds[k])
        simulation.control[:] = controls[k]
        alone = simulation.linearize()
        assert isinstance(step, stiction.Linearization)
        assert (step.A == alone.A).all() and (step.B == alone.B).all()
    with pytest.raises(stiction.Error, match=r"controls have the shape \(2, 12\); expected \(3, 12\)"):
        autodiff.linearize_many(simulation, places, speeds, controls[:2])
