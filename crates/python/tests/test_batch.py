"""Batches against simulations of the same, one at a time."""

from __future__ import annotations

import numpy as np
import pytest

import stiction


def test_a_batch_does_what_simulations_do(quadruped: stiction.Model) -> None:
    dice = np.random.default_rng(1)
    n = 12
    batch = stiction.Batch(quadruped, n, tolerance=1e-8, judge=True)
    assert batch.lanes == 4 and batch.alone_because is None and batch.n == len(batch) == n
    control = quadruped.control0 + 0.2 * dice.normal(size=(n, quadruped.nu))
    for _ in range(20):
        batch.step(control)
    assert batch.time == pytest.approx(20 * quadruped.dt)
    reports = batch.reports
    assert (reports.status <= 1).all() and reports.natural_map.max() < 1e-6 and not batch.failures()
    for i in (0, 5, 11):
        alone = stiction.Simulation(quadruped, tolerance=1e-8)
        alone.step(control[i], 20)
        assert batch.q[i] == pytest.approx(alone.q, abs=1e-7)
        assert batch.v[i] == pytest.approx(alone.v, abs=1e-4)
        assert batch.link("trunk").position[i] == pytest.approx(alone.link("trunk").position, abs=1e-7)


def test_threads_change_no_bit(quadruped: stiction.Model) -> None:
    ends = []
    for threads in (1, 2):
        batch = stiction.Batch(quadruped, 130, threads=threads)
        batch.control[:] += np.linspace(-0.3, 0.3, 130)[:, None]
        batch.step(steps=10)
        ends.append(batch.q.tobytes() + batch.v.tobytes())
    assert ends[0] == ends[1]


def test_environments_are_reset_one_by_one(quadruped: stiction.Model) -> None:
    batch = stiction.Batch(quadruped, 5)
    q, v = batch.q, batch.v
    batch.step(batch.control * 0, 30)
    assert q is batch.q and not (q[2] == quadruped.q0).all()
    batch.reset([2, -1])
    assert (q[[2, 4]] == quadruped.q0).all() and (v[4] == 0).all() and not (q[1] == quadruped.q0).all()
    assert (batch.control[2] == quadruped.control0).all() and (batch.control[1] == 0).all()
    assert batch.time == pytest.approx(30 * quadruped.dt * np.array([1, 1, 0, 1, 0]))
    mask = np.array([True, False, False, False, False])
    batch.reset(mask, q=dyn_lifted(quadruped))
    assert q[0][2] == quadruped.q0[2] + 1
    with pytest.raises(IndexError, match="there is no environment 7; there are 5"):
        batch.reset(7)
    with pytest.raises(stiction.Error, match="a mask of the shape"):
        batch.reset([True, False])
    with pytest.raises(ValueError, match="read-only"):
        batch.q[0, 0] = 1
    bad = quadruped.q0.copy()
    bad[3:7] = 2
    with pytest.raises(stiction.Error, match="environment 1: the quaternion of joint"):
        batch.reset(1, q=bad)
    with pytest.raises(stiction.Error, match=r"control has the shape \[5, 3\]; expected \[5, 12\]"):
        batch.step(np.zeros((5, 3)))


def dyn_lifted(model: stiction.Model) -> np.ndarray:
    """The start of a model, one metre up."""
    q = model.q0.copy()
    q[2] += 1
    return q


def sliders() -> stiction.Model:
    """A box on a plane, pushed off with 1 m/s."""
    scene = stiction.Scene("box", gravity=[0, 0, -9.81]).ground(friction=0.1)
    keys = {"size": [0.2, 0.2, 0.2], "mass": 1.0, "position": [0, 0, 0.1], "velocity": [1, 0, 0], "friction": 0.1}
    return scene.body("box", shape="box", **keys).build()


def test_every_environment_has_numbers_of_its_own() -> None:
    model, n = sliders(), 8
    batch = stiction.Batch(model, n, tolerance=1e-8)
    mu = np.linspace(0.1, 0.45, n)
    batch.set_parameters(friction=np.repeat(mu[:, None], 2, axis=1), mass=np.linspace(1, 3, n)[:, None])
    batch.set_parameters([3], gravity=[0, 0, -4.0])
    batch.step(steps=50)
    g = np.full(n, 9.81)
    g[3] = 4
    assert batch.v[:, 0] == pytest.approx(1 - mu * g * 0.05, abs=1e-6)
    kept = batch.parameters("friction", "mass", "gravity")
    assert kept["friction"].shape == (n, 2) and kept["friction"][:, 0] == pytest.approx(mu)
    assert kept["mass"][-1, 0] == pytest.approx(3) and kept["gravity"][3, 2] == -4
    batch.set_parameters(friction=0.0)
    assert (batch.parameters("friction")["friction"] == 0).all()
    with pytest.raises(stiction.Error, match=r"environment 2: friction.0. is -1"):
        batch.set_parameters([2], friction=-1)
    with pytest.raises(stiction.Error, match="no quantity is called `mas`"):
        batch.set_parameters(mas=1)


def test_forces_act_for_one_step() -> None:
    scene = stiction.Scene("ball", gravity=[0, 0, 0])
    model = scene.body("ball", shape="sphere", radius=0.1, mass=2.0).build()
    batch = stiction.Batch(model, 3, dt=0.01)
    batch.apply_wrench("ball", [[0, 0, 0, 2, 0, 0], [0, 0, 0.008, 0, 0, 0], [0] * 6])
    batch.step()
    assert batch.v[0] == pytest.approx([0.01, 0, 0, 0, 0, 0]) and batch.v[1][5] == pytest.approx(0.01)
    batch.apply_efforts(np.eye(3, 6) * 2)
    batch.step()
    assert batch.v[0][0] == pytest.approx(0.02) and batch.v[2][2] == pytest.approx(0.01)
    batch.step()
    assert batch.v[0][0] == pytest.approx(0.02)


def test_memory_is_shared_with_other_libraries(quadruped: stiction.Model) -> None:
    batch = stiction.Batch(quadruped, 4)
    shared = np.from_dlpack(batch.shared["q"])
    control = np.from_dlpack(batch.shared["control"])
    assert np.shares_memory(shared, batch.q) and np.shares_memory(control, batch.control)
    batch.step(steps=5)
    assert (shared == batch.q).all()


def test_single_precision_and_worlds_that_lanes_do_not_take(quadruped: stiction.Model) -> None:
    single = stiction.Batch(quadruped, 8, precision="f32")
    assert single.lanes == 8
    single.step(steps=10)
    double = stiction.Batch(quadruped, 8)
    double.step(steps=10)
    assert single.q == pytest.approx(double.q, abs=1e-5)
    loop = """<mujoco><worldbody><body name="a"><joint type="hinge"/><geom size=".1"/></body>
      <body name="b" pos="1 0 0"><joint type="hinge"/><geom size=".1"/></body></worldbody>
      <equality><connect body1="a" body2="b" anchor="0.5 0 0"/></equality></mujoco>"""
    batch = stiction.Batch(stiction.loads(loop, complete=False), 2)
    assert batch.lanes == 1 and batch.alone_because
    batch.step(steps=3)
    assert (batch.reports.path == 2).all()


SENSED = """
<mujoco model="cart">
  <option timestep="0.002"/>
  <worldbody>
    <geom type="plane" size="5 5 .1" friction="0.4"/>
    <body name="crate" pos="0 0 .1"><freejoint/><geom name="crate" type="sphere" size=".1" mass="2"/>
      <site name="imu" pos=".05 0 0" euler="10 20 30"/>
      <body name="arm" pos="0 0 .1"><joint name="hinge" axis="0 1 0" damping="0.2"/>
        <geom type="capsule" fromto="0 0 0 .1 0 .2" size=".02" mass=".3" contype="0" conaffinity="0"/>
        <site name="wrist" pos="0 0 0.02" euler="0 30 0"/></body></body>
  </worldbody>
  <actuator><motor name="motor" joint="hinge" gear="2" ctrlrange="-1 1"/></actuator>
  <sensor>
    <accelerometer name="imu" site="imu" cutoff="40"/><gyro name="gyro" site="imu"/><jointpos name="angle" joint="hinge"/>
    <force name="force" site="wrist"/><torque name="torque" site="wrist"/><actuatorfrc name="effort" actuator="motor"/>
    <framequat name="pose" objtype="site" objname="wrist"/><subtreecom name="com" body="crate"/><clock name="clock"/>
    <framepos name="centre" objtype="body" objname="arm"/><rangefinder name="range" site="wrist"/>
    <e_kinetic name="kinetic"/><e_potential name="potential"/>{more}
  </sensor>
</mujoco>
"""


def test_sensors_read_what_those_of_simulations_read() -> None:
    model, n = stiction.loads(SENSED.format(more="")), 6
    batch = stiction.Batch(model, n, tolerance=1e-12)
    dice = np.random.default_rng(3)
    mass = np.array([[2.0, 0.3], [3.0, 0.3], [2.0, 0.9], [1.0, 0.1], [2.0, 0.3], [2.0, 0.3]])
    batch.set_parameters(mass=mass)
    batch.set_parameters([5], gravity=[0, 0, -1.6])
    v = 0.3 * dice.normal(size=(n, model.nv))
    batch.set_state(v=v)
    start = batch.sensors()
    assert (start["effort"] == 0).all() and (start["clock"] == 0).all()
    control = np.linspace(-0.6, 1.4, n)[:, None]
    batch.step(control, 7)
    read = batch.sensordata
    assert read.shape == (n, 28) and not batch.sensors_not_batched
    for i in range(n):
        given = {"mass": mass[i]} | ({"gravity": [0, 0, -1.6]} if i == 5 else {})
        alone = stiction.Simulation(model.replace(**given), tolerance=1e-12)
        alone.set_state(v=v[i])
        alone.step(control[i], 7)
        # The same state exactly: what is left is the difference of two ways of stepping.
        assert batch.v[i] == pytest.approx(alone.v, abs=1e-7)
        expected = alone.sensordata
        for sensor in model.sensors:
            here, there = read[i, sensor.columns], expected[sensor.columns]
            # Accelerations are differences of velocities over 2 ms.
            assert here == pytest.approx(there, abs=2e-4 if sensor.kind in ("accelerometer", "force", "torque") else 1e-6)
            assert (batch.sensor(sensor.name)[i] == here).all() and (batch.sensors()[sensor.name][i] == here).all()
    potential = batch.sensor("potential")[:, 0]
    assert potential[2] > 1.3 * potential[0] > 5 * potential[5], "masses and gravity change nothing: a poor test"
    assert batch.sensor("effort")[-1] == pytest.approx([1.0]) and batch.sensor("clock")[:, 0] == pytest.approx(0.014)


def test_a_state_that_is_set_is_read_alike() -> None:
    model = stiction.loads(SENSED.format(more=""))
    batch = stiction.Batch(model, 3)
    batch.step(steps=4)
    v = np.random.default_rng(4).normal(size=(3, model.nv))
    batch.set_state(v=v)
    for i in range(3):
        alone = stiction.Simulation(model)
        alone.set_state(batch.q[i], batch.v[i], float(batch.time[i]))
        assert batch.sensordata[i] == pytest.approx(alone.sensordata, rel=1e-9, abs=1e-12)


def test_sensors_that_a_batch_cannot_read_say_why() -> None:
    more = """<touch name="touch" site="imu"/><force name="whole" site="imu"/><magnetometer name="north" site="imu"/>"""
    model = stiction.loads(SENSED.format(more=more))
    batch = stiction.Batch(model, 2)
    assert set(batch.sensors_not_batched) == {"touch", "whole", "north"} and model.sensors["north"].columns is None
    with pytest.raises(stiction.Error, match=r"`touch` \(touch\) cannot be read of a batch: contact forces are not kept"):
        batch.sensor("touch")
    with pytest.raises(stiction.Error, match="`crate` hangs on it and can touch"):
        batch.sensor("whole")
    with pytest.raises(stiction.Error, match="sensor `north` .magnetometer.: .*not offered"):
        batch.sensor("north")
    with pytest.raises(stiction.Error, match="sensor `touch`"):
        batch.sensordata  # noqa: B018
    assert "touch" not in batch.sensors() and batch.sensors()["gyro"].shape == (2, 3)
