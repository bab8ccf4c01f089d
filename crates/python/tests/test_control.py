"""The walking controller and iterative LQR, beside what they should do and beside Riccati's equation."""

from __future__ import annotations

import warnings

from typing import Any

import numpy as np
import pytest

import stiction
from stiction.control import Iteration, Locomotion, ilqr

CART = """<mujoco><option timestep="0.01"/><worldbody><body name="cart"><joint name="cart" type="slide" axis="1 0 0"/>
<geom type="box" size=".1 .05 .05" mass="1"/><body name="pole"><joint name="pole" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0 0 1" size=".02" mass=".2"/></body></body></worldbody>
<actuator><motor joint="cart" name="push"/></actuator></mujoco>"""

WHOLE: dict[str, Any] = {"sleep": "off", "higher_order": "passive", "impact_instants": 0, "continuous": False}


def solo() -> stiction.Model:
    scene = stiction.Scene("solo12").ground(friction=0.9).model(builtin="solo12", keyframe="home")
    return scene.build()


def test_solo12_walks_as_commanded() -> None:
    model = solo()
    simulation = stiction.Simulation(model)
    walk = Locomotion(model, velocity=(0.4, 0.0))
    simulation.run(2.0, walk)
    assert abs(simulation.q[0] - 0.8) < 0.15 and simulation.q[2] > 0.18
    assert len(walk.standing(0.0)) == 4 and sum(walk.standing(0.0)) >= 2
    assert sorted(walk.dofs) == list(range(6, 18))


def test_torques_are_the_controls_of_motors() -> None:
    model = solo()
    simulation = stiction.Simulation(model)
    one, other = (Locomotion(model, velocity=(0.2, 0.1)) for _ in range(2))
    torques, controls = one.torques(0.0, simulation.q, simulation.v), other(simulation)
    for dof, torque in zip(one.dofs, torques):
        (actuator,) = (i for i, a in enumerate(model.actuators) if a.transmission[0][0] == dof)
        assert controls[actuator] * model.actuators[actuator].gain == pytest.approx(torque)


def test_the_ground_is_asked_and_its_errors_come_back() -> None:
    model, asked = solo(), []

    def ground(x: float, y: float) -> float:
        asked.append((x, y))
        return 0.0

    walk = Locomotion(model, ground=ground)
    walk.torques(0.0, model.q0, model.v0)
    assert asked

    def broken(x: float, y: float) -> float:
        raise KeyError("no map")

    with pytest.raises(KeyError, match="no map"):
        Locomotion(model, ground=broken).torques(0.0, model.q0, model.v0)


def test_what_cannot_walk_is_told() -> None:
    model = solo()
    with pytest.raises(stiction.Error, match="no parameter"):
        Locomotion(model, gate=1)
    with pytest.raises(stiction.Error, match="mpc_step"):
        Locomotion(model, mpc_step=-1.0)
    with pytest.raises(stiction.Error, match="no link"):
        Locomotion(model, trunk="nothing")
    assert Locomotion.defaults()["horizon"] == 15
    Locomotion(model, horizon=np.int64(10), gait={"period": 0.4} if "period" in Locomotion.defaults()["gait"] else {})


def cart() -> tuple[stiction.Simulation, np.ndarray, np.ndarray]:
    simulation = stiction.Simulation(stiction.loads(CART, complete=False), **WHOLE)
    step = simulation.linearize()
    return simulation, step.A, step.B


def test_feedback_is_that_of_riccati() -> None:
    simulation, A, B = cart()
    Q, n = np.diag([1.0, 10, 0.1, 0.1]), 30
    found = ilqr(simulation, np.zeros((n, 1)), weights=np.diag(Q), control_weights=0.1, regularization=[0.0, 1e-6, 1e8])
    P = Q
    for _ in range(n):
        K = np.linalg.solve([[0.1]] + B.T @ P @ B, B.T @ P @ A)
        P = Q + A.T @ P @ (A - B @ K)
    assert np.abs(found.gains[0] + K).max() < 1e-8 * np.abs(K).max()
    assert found.end == "converged" and found.cost == 0.0
    assert found.q.shape == (n + 1, 2) and found.gains.shape == (n, 1, 4)


def test_costs_of_ones_own_are_those_of_weights() -> None:
    simulation, _, _ = cart()
    simulation.set_state([0.2, 0.3], [0, 0])
    w, told = np.array([1.0, 10, 0.1, 0.1]), []

    def running(k: int, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> Any:
        x = np.concatenate([q, v])
        return 0.5 * (w * x * x).sum() + 0.05 * u @ u, w * x, 0.1 * u, np.diag(w), None, 0.1 * np.eye(1)

    def terminal(q: np.ndarray, v: np.ndarray) -> Any:
        x = np.concatenate([q, v])
        return 5 * (w * x * x).sum(), 10 * w * x, np.diag(10 * w)

    start, end = np.zeros((40, 1)), np.zeros(2)
    by_weights = ilqr(simulation, start, target=(end, end), weights=w, end_weights=10 * w, control_weights=0.1, bounds=(-5, 5))
    own = ilqr(simulation, start, control_weights=0.0, running=running, terminal=terminal, bounds=(-5, 5), tell=told.append)
    assert own.cost == pytest.approx(by_weights.cost, rel=1e-9)
    assert np.abs(own.controls - by_weights.controls).max() < 1e-6
    assert np.abs(own.controls).max() <= 5 and isinstance(told[0], Iteration) and len(told) == len(own.history)
    assert (simulation.q == [0.2, 0.3]).all()


def test_errors_of_costs_and_sizes_come_back() -> None:
    simulation, _, _ = cart()

    def broken(q: np.ndarray, v: np.ndarray) -> float:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        ilqr(simulation, np.zeros((3, 1)), terminal=broken)
    with pytest.raises(stiction.Error, match="l_x"):
        ilqr(simulation, np.zeros((3, 1)), terminal=lambda q, v: (1.0, np.zeros(3)), weights=1.0)
    with pytest.raises(stiction.Error, match="shape"):
        ilqr(simulation, np.zeros((3, 2)))
    with pytest.raises(stiction.Error, match="gradient"):
        ilqr(simulation, np.zeros((3, 1)), gradient="guess")
    stopped = ilqr(simulation, np.ones((3, 1)), weights=1.0, tell=lambda i: False)
    assert stopped.end == "interrupted" and len(stopped.history) == 1


@pytest.mark.parametrize("gradient", ["exact", {"by": "relaxed", "smoothing": 1e-5}])
def test_a_box_is_pushed(gradient: Any) -> None:
    model = stiction.Scene("push-box").model(builtin="push-box", keyframe="home").build()
    simulation = stiction.Simulation(model, dt=0.005, **WHOLE)
    target, weights = simulation.q.copy(), np.zeros(2 * model.nv)
    target[0] += 0.05
    weights[:2], weights[model.nv] = 4000, 10
    found = ilqr(
        simulation, np.tile([0.8, 0.0], (20, 1)), hold=4, target=(target, np.zeros(model.nv)), end_weights=weights, bounds=(-3, 3), gradient=gradient, iterations=25
    )
    assert found.cost < 0.2 * found.start_cost


def test_an_optimum_that_nothing_moves_says_so() -> None:
    """A pusher that stays clear of the box finds no slope: converged, with a word; where it touches there is none."""
    text = """<mujoco><option timestep="0.005" gravity="0 0 0"/><worldbody><body><joint name="push" type="slide" axis="1 0 0"/><geom size=".1" mass="1"/></body>
    <body pos="{} 0 0"><joint name="box" type="slide" axis="1 0 0"/><geom size=".1" mass="1"/></body></worldbody><actuator><motor joint="push"/></actuator></mujoco>"""
    outcomes = {}
    for apart in (0.5, 0.2):
        simulation = stiction.Simulation(stiction.loads(text.format(apart), complete=False), **WHOLE)
        ends = {"target": ([0, 0.05], [0, 0]), "end_weights": [0, 100, 0, 0], "hold": 2}
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            outcomes[apart] = (ilqr(simulation, np.full((20, 1), 0.1), iterations=30, **ends), told)
    found, told = outcomes[0.5]
    assert found.end == "converged" and "nothing touches along the trajectory" in found.notes[0]
    assert [str(w.message) for w in told] == [f"ilqr ends as converged, but {found.notes[0]}"]
    found, told = outcomes[0.2]
    assert found.notes == () and not told and found.cost < 0.7 * found.start_cost
