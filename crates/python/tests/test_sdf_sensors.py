"""Sensors of SDF files, by Gazebo's definitions."""

from __future__ import annotations

import numpy as np
import pytest

import stiction

INERTIA = "<inertia><ixx>.01</ixx><iyy>.01</iyy><izz>.01</izz></inertia>"
WORLD = f"""
<sdf version="1.9"><world name="lab"><gravity>0 0 -9.81</gravity>
  <model name="ground"><static>true</static><link name="link"><collision name="plane"><geometry><plane><normal>0 0 1</normal>
    <size>9 9</size></plane></geometry></collision></link></model>
  <model name="box"><pose>0 0 0.1 0 0 0</pose>
    <link name="body"><inertial><mass>2</mass>{INERTIA}</inertial>
      <collision name="hull"><geometry><box><size>.2 .2 .2</size></box></geometry></collision>
      <sensor name="imu" type="imu"><pose>0.05 0 0 0.5 0 0</pose></sensor>
      <sensor name="bumper" type="contact"><contact><collision>hull</collision></contact></sensor>
      <sensor name="beam" type="lidar"/>
      <sensor name="eye" type="camera"><pose>0.2 0 0.3 0 0 0</pose><camera><horizontal_fov>1.2</horizontal_fov>
        <image><width>160</width><height>120</height></image></camera></sensor>
    </link>
  </model>
  <model name="crane"><pose>3 0 2 0 0 0</pose><joint name="held" type="fixed"><parent>world</parent><child>arm</child></joint>
    <link name="arm"><inertial><mass>1</mass>{INERTIA}</inertial></link>
    <link name="load"><pose>0.5 0 -0.2 0 0 0.7</pose><inertial><pose>0 0.1 0 0 0 0</pose><mass>3</mass>{INERTIA}</inertial></link>
    <joint name="wrist" type="fixed"><parent>arm</parent><child>load</child>
      <sensor name="default" type="force_torque"/>
      <sensor name="sensor" type="force_torque"><pose>0 0 0 1.5707963267948966 0 0</pose>
        <force_torque><frame>sensor</frame><measure_direction>parent_to_child</measure_direction></force_torque></sensor>
      <sensor name="parent" type="force_torque"><force_torque><frame>parent</frame></force_torque></sensor>
    </joint>
  </model>
</world></sdf>
"""


@pytest.fixture(scope="module")
def rested() -> stiction.Simulation:
    """After a while at rest."""
    simulation = stiction.Simulation(stiction.loads(WORLD), tolerance=1e-12)
    simulation.run(0.05)
    return simulation


def name(simulation: stiction.Simulation, end: str) -> str:
    """The sensor whose name ends so."""
    return next(s.name for s in simulation.model.sensors if s.name.endswith(end))


def test_a_resting_imu_reads_gravity(rested: stiction.Simulation) -> None:
    reading = rested.sensor(name(rested, "::imu"))
    assert reading[:4] == pytest.approx([np.cos(0.25), np.sin(0.25), 0, 0], abs=1e-9)
    assert reading[4:7] == pytest.approx([0, 0, 0], abs=1e-9)
    assert reading[7:] == pytest.approx([0, 9.81 * np.sin(0.5), 9.81 * np.cos(0.5)], abs=1e-6)


def test_a_contact_sensor_reads_the_weight(rested: stiction.Simulation) -> None:
    assert rested.sensor(name(rested, "::bumper")) == pytest.approx([0, 0, 2 * 9.81], abs=1e-6)


def test_a_fixed_joint_reads_what_hangs_on_it(rested: stiction.Simulation) -> None:
    weight = 3 * 9.81
    # The child pulls its parent down, and turns it about the joint's origin, the load's: r × f, r = (0, 0.1, 0) in the load.
    down, turned = [0, 0, -weight], [-0.1 * weight, 0, 0]
    assert rested.sensor(name(rested, "wrist::default")) == pytest.approx([*down, *turned], abs=1e-9)
    c, s = np.cos(0.7), np.sin(0.7)
    in_parent = [turned[0] * c, turned[0] * s, 0]
    assert rested.sensor(name(rested, "wrist::parent")) == pytest.approx([*down, *in_parent], abs=1e-9)
    # The joint's frame is the load's, turned by 90° about x: up is along its y. What the parent does has the other sign.
    assert rested.sensor(name(rested, "wrist::sensor")) == pytest.approx([0, weight, 0, 0.1 * weight, 0, 0], abs=1e-9)


def test_what_is_not_read_says_so_and_cameras_see(rested: stiction.Simulation) -> None:
    model = rested.model
    assert [n.split("::")[-1] for n in model.sensors_not_offered] == ["beam"]
    camera = next(c for c in model.cameras if c.name.endswith("::eye"))
    assert camera.resolution == (160, 120)
    assert camera.field_of_view == pytest.approx(2 * np.arctan(np.tan(0.6) * 0.75))
    picture = rested.render(camera.name)
    assert picture.depth.shape == (120, 160)
    # 0.4 m above the ground, looking along it: the lowest row sees the ground, the upper half does not.
    lowest = 59.5 / 60 * np.tan(0.5 * camera.field_of_view)
    assert picture.depth[119, 80] == pytest.approx(0.4 / lowest, rel=0.01)
    assert not np.isfinite(picture.depth[10, 80]) or picture.depth[10, 80] == 0 or picture.depth[10, 80] > 5
