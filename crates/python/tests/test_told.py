"""What Python refuses and warns of: attributes that nothing has, and files, each kind of doubt once."""

from __future__ import annotations

import importlib.metadata
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import stiction
import stiction.control
import stiction.mujoco
from shared import ARM, data
from stiction.randomisation import Adaptive, Randomiser

BOX = """<mujoco><worldbody><geom type="plane" size="5 5 .1"/>
<body name="box" pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="2"/></body></worldbody></mujoco>"""


def _locomotion() -> Any:
    scene = stiction.Scene("solo12").ground(friction=0.9).model(builtin="solo12", keyframe="home")
    return stiction.control.Locomotion(scene.build())


def _environment(single: bool = False) -> Any:
    pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    import stiction.gym

    return stiction.gym.make("CartPole-v0") if single else stiction.gym.make_vector("CartPole-v0", 2)


#: Objects, a name that is misspelt and the nearest that there is.
MISSPELT: dict[str, tuple[Callable[[], Any], str, str]] = {
    "batch": (lambda: stiction.Batch(stiction.loads(ARM), 2), "contol", "control"),
    "simulation": (lambda: stiction.Simulation(stiction.loads(ARM)), "conrol", "control"),
    "state": (lambda: stiction.Simulation(stiction.loads(ARM)).state, "time", "t"),
    "model": (lambda: stiction.loads(ARM), "gravty", "gravity"),
    "scene": (lambda: stiction.Scene("s"), "grund", "ground"),
    "table": (lambda: stiction.loads(ARM).joints, "name", "names"),
    "recording": (lambda: stiction.Simulation(stiction.loads(ARM)).record(), "abot", "about"),
    "viewer": (lambda: stiction.Simulation(stiction.loads(ARM)).viewer(live=False), "ulr", "url"),
    "randomiser": (lambda: Randomiser(stiction.loads(ARM), []), "adaptve", "adaptive"),
    "adaptive": (lambda: Adaptive(widen=1, narrow=0), "widem", "widen"),
    "locomotion": (_locomotion, "velcity", "velocity"),
    "environments": (_environment, "autorest", "autoreset"),
    "environment": (lambda: _environment(True), "render_mod", "render_mode"),
    "task": (lambda: _environment().task, "limt", "limit"),
    "fleet": (lambda: _environment().fleet, "mdel", "model"),
    "link": (lambda: stiction.Simulation(stiction.loads(ARM)).link(0), "positon", "position"),
    "report": (lambda: stiction.Simulation(stiction.loads(ARM)).step(), "statu", "status"),
    "mujoco's model": (lambda: stiction.mujoco.MjModel.from_xml_string(ARM), "body_mas", "body_mass"),
    "mujoco's data": (lambda: stiction.mujoco.MjData(stiction.mujoco.MjModel.from_xml_string(ARM)), "ctrll", "ctrl"),
}


@pytest.mark.parametrize("what", MISSPELT)
def test_an_attribute_that_nothing_has_is_refused(what: str) -> None:
    make, wrong, near = MISSPELT[what]
    made = make()
    with pytest.raises((AttributeError, TypeError)) as refused:
        setattr(made, wrong, np.zeros(2))
    assert not hasattr(made, wrong) and hasattr(made, near)
    if isinstance(refused.value, stiction.UnknownAttribute):
        assert f"no attribute `{wrong}`" in str(refused.value) and near in str(refused.value).partition(";")[2]


@pytest.mark.parametrize("what", ["batch", "simulation", "model", "environments", "fleet"])
def test_the_nearest_name_is_told(what: str) -> None:
    make, wrong, near = MISSPELT[what]
    with pytest.raises(stiction.UnknownAttribute, match=f"has no attribute `{wrong}`; did you mean `{near}`"):
        setattr(make(), wrong, 1.0)


def test_what_there_is_can_be_set_and_a_class_of_a_user_has_what_it_likes() -> None:
    class Mine(stiction.Simulation):
        """With a number of its own."""

    mine = Mine(stiction.loads(ARM))
    mine.extra = 3  # type: ignore[attr-defined]
    mine.time = 2.0
    simulation = stiction.Simulation(stiction.loads(ARM))
    simulation.time = 2.0
    simulation.state.t = 3.0
    assert simulation.time == 3.0 and mine.time == 2.0
    copied = simulation.copy()
    with pytest.raises(stiction.UnknownAttribute):
        copied.tme = 1.0  # type: ignore[attr-defined]
    task = _environment().task
    task.limit = 7
    assert task.limit == 7


def test_copies_of_what_the_engine_holds_cannot_be_written() -> None:
    """Nothing that is written is swallowed (row 208)."""
    simulation, batch = stiction.Simulation(stiction.loads(ARM)), stiction.Batch(stiction.loads(ARM), 2)
    simulation.step()
    batch.step()
    link, links = simulation.link("lower"), batch.link("lower")
    for copy in (link.position, link.quaternion, link.angular_velocity, link.velocity, links.position, links.velocity,
                 simulation.efforts, simulation.acceleration, simulation.impulses, batch.reports.residual, batch.sensordata):
        with pytest.raises(ValueError, match="read-only"):
            copy[...] = 1.0


ODD = BOX.replace("</worldbody>", """<body name="arm" pos="1 0 1"><joint name="j" axis="0 1 0" dampng="3"/><geom size=".1"/></body></worldbody>
<actuator><muscle name="m" joint="j"/></actuator>""")


def _kinds(text: str, **options: Any) -> list[type[Warning]]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        stiction.loads(text, **options)
    assert all(w.filename == __file__ for w in told), "a warning points to who loads"
    return [w.category for w in told]


def test_warnings_can_be_chosen() -> None:
    assert _kinds(ODD) == [stiction.NotSimulated, stiction.UnknownWord]
    assert _kinds(ODD, warn="unknown") == [stiction.UnknownWord]
    assert _kinds(ODD, warn="none") == [] == _kinds(BOX)
    with pytest.raises(stiction.Error, match="warn is 'some'; expected one of all, unknown, none"):
        stiction.loads(BOX, warn="some")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stiction.Scene("s").ground().model(text=ODD).build(warn="none")
    with pytest.warns(stiction.UnknownWord):
        stiction.Scene("s").ground().model(text=ODD).build(warn="unknown")


def _urdf(joints: int, dynamics: str) -> str:
    links = "".join(f'<link name="l{i}"><inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
                    for i in range(joints + 1))
    chain = "".join(f'<joint name="j{i}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/><axis xyz="0 1 0"/>'
                    f'<limit lower="-1" upper="1" effort="9" velocity="2"/>{dynamics}</joint>' for i in range(joints))
    return f'<robot name="chain">{links}{chain}</robot>'


def test_a_clean_robot_loads_without_a_warning() -> None:
    """Limits of speed, which every URDF states, are in the notes."""
    for actuators in (None, "motor", "position"):
        assert _kinds(_urdf(3, ""), actuators=actuators) == []
    assert any("velocity" in note for note in stiction.loads(_urdf(3, "")).notes)


def test_what_the_command_warns_of_is_warned_of_and_folded() -> None:
    """Dry friction that no drive overcomes, of seven joints: one warning of one line, with the place of the first."""
    text = _urdf(7, '<dynamics friction="10"/>')
    with pytest.warns(stiction.DoubtfulFile) as told:
        model = stiction.loads(text, name="chain.urdf")
    lines = str(told[0].message).splitlines()
    assert len(told) == 1 and len(lines) == 2 and "chain.urdf:1:" in lines[1] and "(and 6 more like it)" in lines[1]
    assert sum("dry friction 10" in note for note in model.notes) == 7


def test_a_warning_of_mujocos_names_is_that_of_load() -> None:
    with pytest.warns(stiction.UnknownWord, match="dampng"):
        stiction.mujoco.MjModel.from_xml_string(ODD.replace("<muscle", "<motor"))


#: Robots of a public package: arms, hands, legs, humanoids, a base on wheels, flyers.
ROBOTS = (
    "a1_description/urdf/a1", "allegro_hand_description/urdf/allegro_left_hand", "anymal_b_simple_description/robots/anymal",
    "anymal_c_simple_description/urdf/anymal", "asr_twodof_description/urdf/TwoDofs", "b1_description/urdf/b1", "bolt_description/robots/bolt",
    "borinot_description/urdf/borinot_flying_arm_2", "centauro_description/urdf/centauro", "double_pendulum_description/urdf/double_pendulum",
    "finger_edu_description/robots/finger_edu", "g1_description/urdf/g1_29dof_rev_1_0", "go1_description/urdf/go1", "go2_description/urdf/go2",
    "human_description/robots/human", "hyq_description/robots/hyq_no_sensors", "icub_description/robots/icub", "iris_description/robots/iris",
    "kinova_description/robots/kinova", "laikago_description/urdf/laikago", "panda_description/urdf/panda", "solo_description/robots/solo12",
    "so_arm_description/urdf/so101", "ur_description/urdf/ur5_robot", "z1_description/urdf/z1",
)  # fmt: skip

#: Attributes of elements by the specification of URDF.
OF_URDF = {
    "limit": {"lower", "upper", "effort", "velocity"}, "dynamics": {"damping", "friction"}, "joint": {"name", "type"}, "geometry": set(),
}  # fmt: skip


def _robots() -> Path:
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("example-robot-data is not installed: no robots of public packages are loaded")
    return Path(str(next(f for f in files if f.name == "a1.urdf").locate())).parents[2]


def _impossible_inertias(root: ElementTree.Element) -> int:
    """Links of which a principal moment is larger than the sum of the others, by eigenvalues of what the file says."""
    count = 0
    for of in root.findall("link/inertial/inertia"):
        x, y, z, a, b, c = (float(of.get(name, 0)) for name in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
        low, middle, high = np.linalg.eigvalsh([[x, a, b], [a, y, c], [b, c, z]])
        # Below are rounding errors of a file that means 0.
        count += bool(max(high, -low) > 1e-30 and high > (low + middle) * (1 + 1e-3))
    return count


def _outside_of_ranges(root: ElementTree.Element) -> set[str]:
    found = set()
    for joint in root.findall("joint"):
        limit = joint.find("limit")
        if joint.get("type") in ("revolute", "prismatic") and limit is not None:
            low, high = float(limit.get("lower", 0)), float(limit.get("upper", 0))
            if not low - 1e-4 <= 0 <= high + 1e-4 and joint.find("mimic") is None:
                found.add(str(joint.get("name")))
    return found


@pytest.mark.parametrize("robot", ROBOTS)
def test_robots_of_public_packages_load_with_true_warnings(robot: str) -> None:
    """What is warned of is what numbers of the file say, and unknown words are not in the specification."""
    folder = _robots()
    file = folder / f"{robot}.urdf"
    root = ElementTree.parse(file).getroot()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = stiction.load(file, package_dirs=[folder.parents[1]])
    assert {w.category for w in told} <= {stiction.NotSimulated, stiction.UnknownWord, stiction.DoubtfulFile}
    assert all(len(str(w.message).splitlines()) <= 8 for w in told), "worth reading: short"
    inertias = [note for note in model.notes if "principal moment" in note]
    assert len(inertias) == _impossible_inertias(root)
    starts = {name for note in model.notes if "outside of their ranges" in note for name in re.findall(r"`([^`]+)` at", note)}
    assert starts == _outside_of_ranges(root)
    for note in model.unknown:
        element, _, attribute = note.partition("unknown: ")[2].partition(":")[0].partition("@")
        assert attribute not in OF_URDF[element] if attribute else element not in OF_URDF, note


def test_robots_of_the_shared_data_load_with_true_warnings() -> None:
    """By kind, as they were looked at one by one."""
    folder = data()
    if folder is None:
        pytest.skip("the third-party data is not there")
    found: dict[str, list[str]] = {}
    for file in (f for kind in ("urdf", "xml", "sdf") for f in sorted((folder / "robots").glob(f"*/*.{kind}"))):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            stiction.load(file)
        found[file.stem] = [w.category.__name__ for w in told]
    doubtful = ["DoubtfulFile"]
    expected = {
        "iiwa14": [], "robosimian_caesar_new_2D": [], "a1": [], "anymal_c": [], "allegro_right": doubtful, "robosimian_caesar_new": doubtful,
        "robosimian_caesar_new_all_active": doubtful, "solo12": doubtful, "cassie": ["NotSimulated"], "scene": ["NotSimulated"],
        "panda": ["NotSimulated"],
    }  # fmt: skip
    assert {name: kinds for name, kinds in found.items() if name in expected} == expected
    assert not any("UnknownWord" in kinds for kinds in found.values())


BALLS = """<sdf version="1.9"><model name="m"><joint name="hold" type="fixed"><parent>world</parent><child>base</child></joint>
<link name="base"/>{}</model></sdf>""".format(
    "".join(
        f"""<link name="l{kind}"><inertial><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.02</iyy><izz>0.05</izz></inertia></inertial></link>
        <joint name="{kind}" type="{kind}"><parent>base</parent><child>l{kind}</child>{axes}</joint>"""
        for kind, axes in (("ball", ""), ("revolute", "<axis><xyz>0 0 1</xyz></axis>"))
    )
)


def test_a_ball_joint_has_a_motor_for_each_axis_and_no_servo_of_position_without_a_word() -> None:
    """A unit of torque for 10 ms is 1/(100 I) about each axis (row 190)."""
    model = stiction.loads(BALLS, name="m.sdf", actuators="motor")
    assert [a.name for a in model.actuators] == ["ball_x", "ball_y", "ball_z", "revolute"]
    for i, inertia in enumerate((0.01, 0.02, 0.05, 0.05)):
        simulation = stiction.Simulation(model, dt=0.001)
        simulation.control[i] = 1.0
        simulation.run(0.01)
        expected = np.zeros(4)
        expected[i] = 0.01 / inertia
        assert simulation.v == pytest.approx(expected, abs=1e-9)
    turning = stiction.Simulation(stiction.loads(BALLS, name="m.sdf", actuators="velocity"), dt=0.001)
    turning.control[1] = 0.5
    turning.run(1.0)
    assert turning.v == pytest.approx([0, 0.5, 0, 0], abs=1e-3)
    for options in ({"actuators": "position"}, {"hold": True}):
        with pytest.warns(stiction.DoubtfulFile, match="ball joints get no servos of position, and turn freely: `ball`"):
            model = stiction.loads(BALLS, name="m.sdf", **options)
        assert model.nu == 1


def _urdf_of_world(world_link: str) -> str:
    return f"""<robot name="r">{world_link}<link name="arm"><inertial><origin xyz=".3 0 0"/><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1"
    ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="continuous"><parent link="world"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""


@pytest.mark.parametrize("options", [{}, {"free_base": True}])
def test_a_joint_on_the_world_needs_no_link_of_that_name(options: dict[str, Any]) -> None:
    """As in Drake, with a note; it swings as it does on a link of that name, and the world is no base that moves."""
    implied = stiction.loads(_urdf_of_world(""), name="r.urdf", complete=False, **options)
    stated = stiction.loads(_urdf_of_world('<link name="world"/>'), name="r.urdf", complete=False)
    assert implied.nv == stated.nv == 1 and any("the parent is the world itself" in note for note in implied.notes)
    simulations = [stiction.Simulation(model) for model in (implied, stated)]
    for simulation in simulations:
        simulation.run(0.5)
    assert np.array_equal(simulations[0].q, simulations[1].q) and abs(simulations[0].q[0]) > 1
    with pytest.raises(stiction.Error, match="base"):
        stiction.loads(_urdf_of_world("").replace('"world"', '"base"'), name="r.urdf")


LINK = '<sdf version="1.9">{}<model name="m"><link name="l"><inertial><mass>1</mass></inertial>{}</link></model>{}</sdf>'
BALL = "<geometry><sphere><radius>.1</radius></sphere></geometry>"

#: What is wrong with a file that is read all the same, and what is said of it.
DOUBTS = {
    "visual without geometry": (LINK.format("", '<visual name="v"/>', ""), "not drawn"),
    "visual without a name": (LINK.format("", f"<visual>{BALL}</visual>", ""), "a <visual> without a name"),
    "two visuals of a name": (LINK.format("", 2 * f'<visual name="v">{BALL}</visual>', ""), "a second <visual> of this link is called `v`"),
    "two collisions of a name": (LINK.format("", 2 * f'<collision name="v">{BALL}</collision>', ""), "a second <collision> of this link is called `v`"),
    "a world without a name": (LINK.format("<world>", "", "</world>"), "a <world> without a name"),
    "damping below 0": (
        LINK.format("", "", "").replace(
            "</model>",
            '<link name="k"/><joint name="j" type="revolute"><parent>l</parent><child>k</child><axis><xyz>0 0 1</xyz><dynamics><damping>-1</damping></dynamics></axis></joint></model>',
        ),
        "damping -1 < 0 is taken as 0",
    ),
    "visual of a URDF without geometry": (
        '<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial><visual/></link></robot>',
        "not drawn",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", DOUBTS)
def test_a_robot_is_read_with_what_is_wrong_about_it_warned_of(what: str) -> None:
    text, said = DOUBTS[what]
    with pytest.warns(stiction.DoubtfulFile, match=re.escape(said)):
        stiction.loads(text, complete=False)


def test_names_that_stand_twice_are_refused() -> None:
    """Links, joints and frames of one model, and models of one world, by the specification of SDF."""
    twice = {
        "links": LINK.format("", "", "").replace("</model>", '<link name="l"/></model>'),
        "a link and a joint": LINK.format("", "", "").replace(
            "</model>", '<link name="k"/><joint name="l" type="fixed"><parent>l</parent><child>k</child></joint></model>'
        ),
        "models": LINK.format('<world name="w">', "", "</world>").replace("</world>", '<model name="m"><link name="l"/></model></world>'),
    }
    for what, text in twice.items():
        with pytest.raises(stiction.Error, match="a second thing called `[lm]`"):
            stiction.loads(text, complete=False)
            pytest.fail(what)
