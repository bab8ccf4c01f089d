"""What is applied acts in all steps of a call, is forgotten by a reset, and times are whole numbers of steps."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stiction

CART = """<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody><body name="cart">
<joint name="rail" type="slide" axis="1 0 0"/><geom type="box" size=".1 .1 .1" mass="2"/></body></worldbody></mujoco>"""

#: A free brick without gravity: its inertia is 1/3 m (b² + c²) about each axis.
BRICK = """<mujoco><option timestep="0.001" gravity="0 0 0"/><worldbody><body name="brick"><freejoint/>
<geom type="box" size=".1 .2 .3" mass="2"/></body></worldbody></mujoco>"""


def cart(dt: float = 0.01) -> stiction.Simulation:
    return stiction.Simulation(stiction.loads(CART), dt=dt)


#: How a simulation goes through 20 steps, 5 N being applied as often as the call asks.
CALLS: dict[str, Callable[[stiction.Simulation, Callable[[], None]], object]] = {
    "one step at a time": lambda s, push: [(push(), s.step()) for _ in range(20)],
    "step(steps=4)": lambda s, push: [(push(), s.step(steps=4)) for _ in range(5)],
    "step(steps=20)": lambda s, push: (push(), s.step(steps=20)),
    "advance(steps=10)": lambda s, push: [(push(), s.advance(steps=10)) for _ in range(2)],
    "run": lambda s, push: (push(), s.run(0.2)),
    "run until": lambda s, push: (push(), s.run(0.2, until=lambda s: False)),
    "run with a controller": lambda s, push: s.run(0.2, lambda s: push(), every=0.05),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", ["efforts", "force"])
def test_newtons_law_for_any_number_of_steps_in_a_call(call: str, kind: str) -> None:
    """5 N on 2 kg for 0.2 s are 0.5 m/s; then nothing acts any more."""
    simulation = cart()
    push = (lambda: simulation.apply_efforts([5.0])) if kind == "efforts" else (lambda: simulation.apply_force("cart", [5.0, 0, 0]))
    CALLS[call](simulation, push)
    assert simulation.v[0] == pytest.approx(0.5, abs=1e-12)
    simulation.step(steps=3)
    assert simulation.v[0] == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("steps", [1, 4, 10, 20])
@pytest.mark.parametrize("kind", ["efforts", "wrench"])
def test_batches_hold_forces_over_all_steps(steps: int, kind: str) -> None:
    """Row i gets i N on 2 kg, in lanes and one by one."""
    batch = stiction.Batch(stiction.loads(CART), 5, dt=0.01)
    newtons = np.arange(5.0)
    for _ in range(20 // steps):
        if kind == "efforts":
            batch.apply_efforts(newtons[:, None])
        else:
            batch.apply_wrench("cart", np.outer(newtons, [0, 0, 0, 1, 0, 0]))
        batch.step(steps=steps)
    assert np.allclose(batch.v[:, 0], 0.1 * newtons, atol=1e-12)
    batch.step(steps=2)
    assert np.allclose(batch.v[:, 0], 0.1 * newtons, atol=1e-12)


def _angular_momentum(simulation: stiction.Simulation) -> Any:
    """In the world, of the brick about its centre, by its inertia in closed form."""
    inertia = 2 / 3 * np.array([0.2**2 + 0.3**2, 0.1**2 + 0.3**2, 0.1**2 + 0.2**2])
    w, x, y, z = simulation.q[3:]
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    return turn @ (inertia * simulation.v[3:])


def test_a_moment_keeps_its_direction_in_the_world_while_the_body_turns() -> None:
    """The angular momentum grows by n t, however the brick tumbles."""
    errors = []
    for dt in (1e-3, 5e-4):
        simulation = stiction.Simulation(stiction.loads(BRICK, complete=False), dt=dt)
        simulation.set_state(v=[0, 0, 0, 4, 1, -3])
        moment, before = np.array([0.3, -0.2, 0.4]), _angular_momentum(simulation)
        simulation.apply_moment("brick", moment)
        simulation.step(steps=round(0.5 / dt))
        errors.append(np.abs(_angular_momentum(simulation) - before - 0.5 * moment).max())
        # Held as efforts of the joint, it would have turned with the brick by radians.
        assert np.linalg.norm(simulation.q[3:] - [1, 0, 0, 0]) > 0.5
    assert errors[0] < 6e-4 and 1.8 < errors[0] / errors[1] < 2.2


def test_a_force_goes_with_its_point() -> None:
    """Once for all steps, and once a step at the same point of the body, are alike."""
    model = stiction.loads(BRICK, complete=False)
    once, often = (stiction.Simulation(model) for _ in range(2))
    for simulation in (once, often):
        simulation.set_state(v=[0, 0, 0, 4, 1, -3])
    local, force = np.array([0.1, 0.2, 0.0]), [1.0, -2.0, 0.5]
    once.apply_force("brick", force, local)
    once.step(steps=50)
    for _ in range(50):
        pose = often.link("brick")
        w, r = pose.quaternion[0], pose.quaternion[1:]
        point = pose.position + local + 2 * np.cross(r, np.cross(r, local) + w * local)
        often.apply_force("brick", force, point)
        often.step()
    assert np.abs(once.v - often.v).max() < 1e-12


def test_copies_pickles_and_snapshots_keep_what_is_applied() -> None:
    simulation = stiction.Simulation(stiction.loads(BRICK, complete=False))
    simulation.set_state(v=[0, 0, 0, 4, 1, -3])
    simulation.apply_moment("brick", [0.3, -0.2, 0.4])
    simulation.apply_efforts([1, 0, 0, 0, 0, 0.5])
    others = [simulation.copy(), pickle.loads(pickle.dumps(simulation)), stiction.Simulation(simulation.model)]
    others[2].restore(simulation.snapshot())
    simulation.step(steps=30)
    for other in others:
        other.step(steps=30)
        assert np.array_equal(other.v, simulation.v)


def test_writing_the_state_keeps_what_is_applied_and_turns_it() -> None:
    """The effort of a force on a turned body is that of the pose that was written."""
    model = stiction.loads(BRICK, complete=False)
    written, set_before = (stiction.Simulation(model) for _ in range(2))
    turned = [0, 0, 0, np.sqrt(0.5), 0, 0, np.sqrt(0.5)]
    written.apply_moment("brick", [0.3, 0, 0])
    written.q[:] = turned
    set_before.set_state(q=turned)
    set_before.apply_moment("brick", [0.3, 0, 0])
    written.step(steps=3)
    set_before.step(steps=3)
    assert np.array_equal(written.v, set_before.v)


APPLIED: dict[str, Callable[[stiction.Simulation], None]] = {
    "force": lambda s: s.apply_force("brick", [0, 0, 50.0]),
    "moment": lambda s: s.apply_moment("brick", [0, 5.0, 0]),
    "efforts": lambda s: s.apply_efforts([1.0] * 6),
}


@pytest.mark.parametrize("applied", APPLIED)
@pytest.mark.parametrize("cleared", ["reset", "set_state"])
def test_a_reset_forgets_what_is_applied(applied: str, cleared: str) -> None:
    simulation = stiction.Simulation(stiction.loads(BRICK, complete=False))
    APPLIED[applied](simulation)
    getattr(simulation, cleared)()
    simulation.step(steps=2)
    assert not simulation.v.any()


def test_a_reset_of_rows_forgets_what_is_applied_to_them() -> None:
    batch = stiction.Batch(stiction.loads(CART), 3, dt=0.01)
    for apply in (lambda: batch.apply_efforts(np.full((3, 1), 5.0)), lambda: batch.apply_wrench("cart", np.tile([0, 0, 0, 5.0, 0, 0], (3, 1)))):
        batch.reset()
        apply()
        batch.reset([1])
        batch.step(steps=4)
        assert np.allclose(batch.v[:, 0], [0.1, 0, 0.1], atol=1e-12)
        apply()
        batch.set_state([0, 2], v=[0.0])
        batch.step(steps=4)
        assert np.allclose(batch.v[:, 0], [0, 0.1, 0], atol=1e-12)


def test_a_controller_runs_as_often_as_it_says() -> None:
    """200 times a second in steps of 2 ms is refused, and the step that is named runs it 200 times a second."""
    calls: list[float] = []
    simulation = cart(0.002)
    with pytest.raises(stiction.Error, match=r"2\.5 steps of 0\.002 s.*0\.004 and 0\.006 s.*dt=0\.00166667 or dt=0\.0025"):
        simulation.run(1.0, lambda s: calls.append(s.time), every=1 / 200)
    assert not calls and simulation.time == 0
    simulation = cart(0.0025)
    simulation.run(1.0, lambda s: calls.append(s.time), every=1 / 200)
    assert len(calls) == 200 and np.allclose(np.diff(calls), 0.005, atol=1e-12)
    assert simulation.time == pytest.approx(1.0, abs=1e-12)


def test_seconds_are_whole_steps() -> None:
    simulation = cart(0.003)
    with pytest.raises(stiction.Error, match=r"seconds is 1\.0 s, 333\.333 steps.*0\.999 and 1\.002 s"):
        simulation.run(1.0)
    with pytest.raises(stiction.Error, match=r"every is 0\.001 s.*the nearest is 0\.003 s.*dt=0\.001$"):
        simulation.run(0.3, lambda s: None, every=0.001)
    with pytest.raises(stiction.Error, match="duration is 0.1 s"):
        stiction.compare(simulation.model, ["auto"], duration=0.1, dt=0.003)
    # What is left of decimals is no part of a step.
    assert cart(1 / 240).run(1.0) is not None
    assert cart(0.0041666667).run(0.5) is not None
