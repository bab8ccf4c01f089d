"""Models and data that several tests use."""

from __future__ import annotations

import os
from pathlib import Path

#: A pendulum of two links and a free box, in MJCF: a ball, a hinge and a free joint, actuators and sensors.
ARM = """
<mujoco model="arm">
  <option timestep="0.001" gravity="0 0 -9.81"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1" friction="0.7"/>
    <body name="upper" pos="0 0 1.5">
      <joint name="shoulder" type="ball"/>
      <geom name="upper" type="capsule" fromto="0 0 0 0.4 0 0" size="0.03" mass="1.2" contype="0" conaffinity="0"/>
      <body name="lower" pos="0.4 0 0">
        <joint name="elbow" type="hinge" axis="0 1 0" damping="0.1" armature="0.02"/>
        <geom name="lower" type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="0.7" contype="0" conaffinity="0"/>
        <site name="hand" pos="0.3 0 0" euler="0 30 0"/>
      </body>
    </body>
    <body name="box" pos="1 0 0.1">
      <freejoint name="box"/>
      <geom name="box" type="box" size="0.1 0.1 0.1" mass="2"/>
    </body>
  </worldbody>
  <actuator><motor name="elbow" joint="elbow" gear="1"/></actuator>
</mujoco>
"""


def data() -> Path | None:
    """The folder of third-party data, if it is there."""
    folder = Path(os.environ.get("STICTION_DATA", Path(__file__).parents[4] / "shared" / "data"))
    return folder if folder.is_dir() else None
