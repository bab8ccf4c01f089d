"""Inverse dynamics: against MuJoCo where nothing touches, and against the efforts that made a step."""

from __future__ import annotations

import numpy as np
import pytest

import stiction
import stiction.mujoco as ours

SPRUNG = """
<mujoco><option timestep="0.001"/>
  <worldbody>
    <body name="a" pos="0 0 2"><joint name="ball" type="ball" damping="0.3" stiffness="2"/>
      <geom type="capsule" fromto="0 0 0 .4 0 0" size=".03" mass="1" contype="0" conaffinity="0"/>
      <body name="b" pos=".4 0 0" gravcomp="0.6"><joint name="hinge" axis="0 1 .2" stiffness="3" springref="20" armature=".02"/>
        <geom type="box" size=".1 .03 .02" pos=".1 .02 0" mass=".5" contype="0" conaffinity="0"/>
        <body name="c" pos=".2 0 0"><joint name="slide" type="slide" axis="1 0 0" damping="1"/>
          <geom size=".03" mass=".2" contype="0" conaffinity="0"/></body></body></body>
    <body name="free" pos="3 0 2"><freejoint/><geom type="box" size=".1 .2 .3" mass="2"/></body>
  </worldbody>
  <tendon><fixed name="string" stiffness="40" damping="2" springlength="0.1"><joint joint="hinge" coef="0.5"/>
    <joint joint="slide" coef="1"/></fixed></tendon>
</mujoco>
"""


def test_mujoco_finds_the_same_where_nothing_touches() -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    theirs, model = mujoco.MjModel.from_xml_string(SPRUNG), ours.MjModel.from_xml_string(SPRUNG)
    its, data = mujoco.MjData(theirs), ours.MjData(model)
    dice = np.random.default_rng(5)
    for _ in range(20):
        q = stiction.dynamics.integrate(model.stiction, model.qpos0, 0.7 * dice.normal(size=model.nv))
        v, a = dice.normal(size=model.nv), 5 * dice.normal(size=model.nv)
        for library, m, d in ((mujoco, theirs, its), (ours, model, data)):
            d.qpos[:], d.qvel[:], d.qacc[:] = q, v, a
            library.mj_inverse(m, d)
        assert data.qfrc_inverse == pytest.approx(its.qfrc_inverse, abs=1e-9)
        assert data.qfrc_passive == pytest.approx(its.qfrc_passive, abs=1e-9)
    assert np.abs(its.qfrc_passive).min() >= 0 and np.abs(its.qfrc_passive[:5]).max() > 1, "a poor test"


PUSHED = """
<mujoco><worldbody><geom type="plane" size="5 5 .1" friction="0.3"/>
  <body name="crate" pos="0 0 .1"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
    <joint name="turn" axis="0 1 0"/><geom name="crate" type="box" size=".2 .1 .1" mass="2" friction="0.3"/>
    <body name="arm" pos="0 0 .1"><joint name="hinge" axis="0 1 0" damping=".1" range="-30 30"/>
      <geom type="capsule" fromto="0 0 0 0 0 .3" size=".02" mass=".5" contype="0" conaffinity="0"/></body></body>
  </worldbody>
  <actuator><motor name="push" joint="x"/><motor name="bend" joint="hinge"/></actuator></mujoco>
"""


def exerted(dt: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """What the inverse finds of a step, and what motors and an applied effort exerted in it."""
    simulation = stiction.Simulation(stiction.loads(PUSHED, complete=False), dt=dt, tolerance=1e-12)
    simulation.step([12.0, 0.4], steps)
    simulation.apply_efforts([0, 0, 0.1, 0])
    report = simulation.step()
    assert report.contacts >= 2 and simulation.v[0] > 0.02
    return simulation.inverse(), np.array([12.0, 0, 0.1, 0.4])


def test_a_step_is_explained_with_its_contact_forces() -> None:
    errors = [np.abs(np.subtract(*exerted(dt, round(0.05 / dt)))).max() for dt in (4e-3, 2e-3, 1e-3)]
    assert errors[0] < 0.05 and errors[2] < 2e-3, errors
    assert errors[1] < 0.6 * errors[0] and errors[2] < 0.6 * errors[1], errors


def test_what_holds_a_robot_up_is_found(quadruped: stiction.Model) -> None:
    simulation = stiction.Simulation(quadruped, tolerance=1e-10)
    simulation.run(0.3)
    found, motors = simulation.inverse(), np.zeros(quadruped.nv)
    for effort, actuator in zip(simulation.efforts, quadruped.actuators):
        for dof, gear in actuator.transmission:
            motors[dof] += gear * effort
    assert np.abs(motors).max() > 0.5
    assert found == pytest.approx(motors, abs=2e-3)
    held = simulation.constraint_efforts
    weight = 9.81 * sum(body.mass for body in quadruped.bodies)
    assert held[2] == pytest.approx(weight, rel=1e-3)


def test_what_is_not_defined_raises() -> None:
    model = stiction.loads(PUSHED, complete=False)
    simulation = stiction.Simulation(model)
    with pytest.raises(stiction.Error, match="none led to this state; step first"):
        simulation.inverse()
    with pytest.raises(stiction.Error, match="geometries touch: crate, geometry 0; inverse.. without acceleration takes those of the last"):
        simulation.inverse(np.zeros(4))
    simulation.q[1] = 1.0
    assert simulation.inverse(np.zeros(4)) == pytest.approx([0, 2.5 * 9.81, 0, 0])
    simulation.q[3] = 0.6
    with pytest.raises(stiction.Error, match="joint `hinge` is at its limit"):
        simulation.inverse(np.zeros(4))
    other = stiction.Simulation(model, stepper="ne-nmdp-pgm")
    other.step()
    with pytest.raises(stiction.Error, match="the stepper `ne-nmdp-pgm` keeps no impulses"):
        other.inverse()
    data = ours.MjData(ours.MjModel(model))
    ours.mj_step(data.model, data)
    ours.mj_inverse(data.model, data)
    assert data.qfrc_inverse == pytest.approx(np.zeros(4), abs=1e-6)
    data.qacc[0] = 1
    with pytest.raises(stiction.Error, match="geometries touch"):
        ours.mj_inverse(data.model, data)
