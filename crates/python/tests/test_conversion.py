"""What is written as MJCF is loaded by MuJoCo, and moves there as it does here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stiction

LINK = """<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>
<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>"""


def link(name: str, mass: float = 1.0, com: str = "0 0 0") -> str:
    """A link of a URDF."""
    return LINK.format(name=name, mass=mass, com=com)


#: A free body below a fixed link, beside an arm that comes after it in the tree.
FLOATING = f"""<robot name="r"><link name="base"/>{link("drone", 2)}{link("arm", 1, "0.2 0 0")}{link("payload", 0.5)}
<joint name="mount" type="fixed"><origin xyz="0 0 1"/><parent link="base"/><child link="plate"/></joint>{link("plate")}
<joint name="fly" type="floating"><origin xyz="1 2 3" rpy="0 0 1.5"/><parent link="plate"/><child link="drone"/></joint>
<joint name="hang" type="continuous"><origin xyz="0.1 0 0"/><parent link="drone"/><child link="payload"/><axis xyz="0 1 0"/></joint>
<joint name="turn" type="continuous"><origin xyz="0 1 0"/><parent link="plate"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""

#: Screws of 20 mm a turn, one that lies on its side, and a steep one.
SCREWS = """<sdf version="1.10"><world name="w"><gravity>0 0 -9.8</gravity><model name="m">
<link name="a"><pose>0 0 1 0 0 0</pose><inertial><mass>1</mass><inertia><ixx>0.001</ixx><iyy>0.001</iyy><izz>0.001</izz></inertia></inertial></link>
<link name="b"><pose>1 0 1 1.57 0 0</pose><inertial><mass>1</mass><inertia><ixx>0.001</ixx><iyy>0.001</iyy><izz>0.001</izz></inertia></inertial></link>
<link name="c"><pose>2 0 1 0 0 0</pose><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
<joint name="ja" type="screw"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis><screw_thread_pitch>0.02</screw_thread_pitch></joint>
<joint name="jb" type="screw"><parent>world</parent><child>b</child><axis><xyz expressed_in="__model__">0 0 1</xyz></axis>
<screw_thread_pitch>0.02</screw_thread_pitch></joint>
<joint name="jc" type="screw"><parent>world</parent><child>c</child><axis><xyz>0 0 1</xyz></axis><screw_thread_pitch>12</screw_thread_pitch></joint>
</model></world></sdf>"""

#: A joint that follows another.
MIMIC = f"""<robot name="r"><link name="base"/>{link("a", 1, "0.2 0 0")}{link("b", 1, "0.1 0 0")}
<joint name="ja" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/></joint>
<joint name="jb" type="continuous"><origin xyz="0 1 0"/><parent link="base"/><child link="b"/><axis xyz="0 1 0"/>
<mimic joint="ja" multiplier="-1.5"/></joint></robot>"""


@pytest.mark.parametrize(
    ("text", "name", "near"),
    [(FLOATING, "floating.urdf", 2e-4), (SCREWS, "screws.sdf", 2e-3), (MIMIC, "mimic.urdf", 5e-3)],
    ids=["a floating joint below a fixed link", "screws", "mimic"],
)
def test_mujoco_moves_what_was_converted_alike(text: str, name: str, near: float) -> None:
    mujoco: Any = pytest.importorskip("mujoco", reason="mujoco is not installed")
    ours = stiction.loads(text, name=name, complete=False)
    written = ours.to_mjcf()
    theirs = mujoco.MjModel.from_xml_string(written)
    theirs.opt.timestep = 1e-4
    state, simulation, again = mujoco.MjData(theirs), stiction.Simulation(ours), None
    seconds = 0.3
    for _ in range(round(seconds / theirs.opt.timestep)):
        mujoco.mj_step(theirs, state)
    mujoco.mj_kinematics(theirs, state)
    simulation.run(seconds)
    again = stiction.Simulation(stiction.loads(written, complete=False))
    again.run(seconds)
    for one in ours.links:
        expected = simulation.link(one.name).position
        assert state.body(one.name).xpos == pytest.approx(expected, abs=near), one.name
        turned = simulation.link(one.name).quaternion
        assert abs(state.body(one.name).xquat @ turned) == pytest.approx(1.0, abs=near), one.name
        assert again.link(one.name).position == pytest.approx(expected, abs=1e-6), one.name
    assert np.abs(simulation.q - ours.q0).max() > 0.1, "something moves"
