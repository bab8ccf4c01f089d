"""Sensors by hand, and against MuJoCo where it is installed."""

from __future__ import annotations

import numpy as np
import pytest

import stiction

#: A double pendulum with every sensor that is offered; its lower part touches nothing.
PENDULUM = """
<mujoco model="sensed">
  <option timestep="0.0001" integrator="Euler"><flag contact="disable"/></option>
  <worldbody>
    <geom name="ceiling" type="box" size="1 1 .1" pos="0 0 3"/>
    <site name="base" pos=".1 .2 .3" euler="10 20 30"/>
    <body name="upper" pos="0 0 2">
      <joint name="shoulder" type="ball" damping="0.1"/>
      <geom name="upper" type="capsule" fromto="0 0 0 0.5 0 0" size="0.03" mass="1.2"/>
      <site name="middle" pos="0.2 0.1 0" euler="20 -10 40"/>
      <body name="lower" pos="0.5 0 0">
        <joint name="elbow" type="hinge" axis="0 1 0.3" damping="0.1"/>
        <geom name="lower" type="capsule" fromto="0 0 0 0.3 0 0.1" size="0.02" mass="0.7"/>
        <body name="tip" pos="0.3 0 0.1" euler="0 40 0">
          <geom name="tip" type="box" size="0.02 0.05 0.03" mass="0.3"/>
          <site name="end" pos="0.02 0.01 0" euler="50 10 -30"/>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon><fixed name="string"><joint joint="elbow" coef="2"/></fixed></tendon>
  <actuator><motor name="motor" joint="elbow" gear="3"/></actuator>
  <sensor>
    {sensors}
  </sensor>
</mujoco>
"""

EXACT = """
    <velocimeter name="velocimeter" site="end"/> <gyro name="gyro" site="middle"/>
    <jointpos name="jointpos" joint="elbow"/> <jointvel name="jointvel" joint="elbow"/>
    <ballquat name="ballquat" joint="shoulder"/> <ballangvel name="ballangvel" joint="shoulder"/>
    <actuatorpos name="actuatorpos" actuator="motor"/> <actuatorvel name="actuatorvel" actuator="motor"/>
    <actuatorfrc name="actuatorfrc" actuator="motor"/> <jointactuatorfrc name="jointactuatorfrc" joint="elbow"/>
    <tendonpos name="tendonpos" tendon="string"/> <tendonvel name="tendonvel" tendon="string"/>
    <framepos name="framepos" objtype="site" objname="end"/>
    <framepos name="framepos_in" objtype="body" objname="tip" reftype="site" refname="middle"/>
    <framequat name="framequat" objtype="xbody" objname="tip" reftype="site" refname="base"/>
    <framexaxis name="framexaxis" objtype="geom" objname="tip"/>
    <frameyaxis name="frameyaxis" objtype="site" objname="end" reftype="site" refname="middle"/>
    <framezaxis name="framezaxis" objtype="site" objname="end"/>
    <framelinvel name="framelinvel" objtype="site" objname="end" reftype="site" refname="middle"/>
    <frameangvel name="frameangvel" objtype="site" objname="end" reftype="site" refname="middle"/>
    <subtreecom name="subtreecom" body="upper"/> <subtreelinvel name="subtreelinvel" body="lower"/>
    <subtreeangmom name="subtreeangmom" body="upper"/>
    <rangefinder name="range" site="end"/>
    <clock name="clock"/>
"""

OF_THE_STEP = """
    <accelerometer name="accelerometer" site="end"/>
    <force name="force" site="end"/> <torque name="torque" site="end"/>
    <framelinacc name="framelinacc" objtype="site" objname="middle"/>
    <frameangacc name="frameangacc" objtype="site" objname="end"/>
"""


def test_mujoco_reads_the_same() -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    text = PENDULUM.format(sensors=EXACT + OF_THE_STEP)
    theirs = mujoco.MjModel.from_xml_string(text)
    its = mujoco.MjData(theirs)
    model = stiction.loads(text, complete=False)
    assert not model.sensors_not_offered
    simulation = stiction.Simulation(model)
    dice = np.random.default_rng(2)
    q = stiction.dynamics.integrate(model, model.q0, dice.normal(size=model.nv))
    simulation.set_state(q, dice.normal(size=model.nv))
    simulation.step([0.4])
    its.qpos[:], its.qvel[:], its.ctrl[:], its.time = simulation.q, simulation.v, 0.4, simulation.time
    mujoco.mj_forward(theirs, its)
    readings = simulation.sensors()
    for i in range(theirs.nsensor):
        name = mujoco.mj_id2name(theirs, mujoco.mjtObj.mjOBJ_SENSOR, i)
        at = theirs.sensor_adr[i]
        reference = its.sensordata[at : at + theirs.sensor_dim[i]]
        # Accelerations are those of the step, half of which (50 µs) ago they were a little different.
        largest = np.abs(reference).max()
        near = 5e-3 * largest if f'name="{name}"' in OF_THE_STEP else 1e-9
        assert readings[name] == pytest.approx(reference, abs=near), name
        assert largest > 1e-5, f"{name} reads nothing here: a poor test"


def test_a_standing_box_is_weighed() -> None:
    text = """<mujoco><worldbody><geom type="plane" size="5 5 .1"/>
      <body name="box" pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="2"/><site name="here" pos="0 0 -.05"/>
        <site name="all" type="box" size=".2 .2 .2"/><site name="corner" type="sphere" size=".02" pos=".1 .1 -.1"/>
        <body name="lid" pos="0 0 .1"><geom type="box" size=".1 .1 .01" mass=".5" contype="0" conaffinity="0"/>
          <site name="lid" pos="0 0 0"/></body></body></worldbody>
      <sensor><accelerometer name="up" site="here"/><touch name="all" site="all"/><touch name="corner" site="corner"/>
        <force name="lid" site="lid"/><magnetometer name="north" site="here"/><e_kinetic name="moving"/></sensor></mujoco>"""
    model = stiction.loads(text)
    simulation = stiction.Simulation(model)
    simulation.run(0.05)
    assert simulation.sensor("up") == pytest.approx([0, 0, 9.81], abs=1e-6)
    assert simulation.sensor("all") == pytest.approx([2.5 * 9.81], rel=1e-6)
    assert 0 < simulation.sensor("corner")[0] < 2.5 * 9.81
    assert simulation.sensor("lid") == pytest.approx([0, 0, 0.5 * 9.81], abs=1e-6)
    assert simulation.sensor("moving") == pytest.approx([0], abs=1e-9)
    assert set(model.sensors_not_offered) == {"north"}
    with pytest.raises(stiction.Error, match="sensor `north` .magnetometer.: .*not offered yet"):
        simulation.sensor("north")
    assert "north" not in simulation.sensors()


def test_links_weigh_what_their_bodies_are_made_to() -> None:
    text = """<mujoco><worldbody><body name="base" pos="0 0 1"><joint type="slide" axis="1 0 0"/><geom size=".1" mass="1"/>
        <body name="arm" pos=".2 0 0" euler="0 0 40"><joint type="slide" axis="1 0 0"/>
          <geom size=".1" pos=".3 .1 0" mass="2" contype="0" conaffinity="0"/><site name="s" pos="0 0 0"/></body></body></worldbody>
      <sensor><force name="force" site="s"/><subtreecom name="com" body="arm"/></sensor></mujoco>"""
    model = stiction.loads(text, complete=False)
    heavier = stiction.Simulation(model.replace(mass=[1, 5]))
    heavier.step()
    assert heavier.sensor("force") == pytest.approx([0, 0, 5 * 9.81])
    moved = stiction.Simulation(model.replace(com=[[0, 0, 0], [0.0, 0.0, 0.1]]))
    assert moved.sensor("com") == pytest.approx([0.2, 0, 1.1])
