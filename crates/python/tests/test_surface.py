"""What two geometries are to each other, and whence: beside the contacts of steps, and beside MuJoCo's rules."""

from __future__ import annotations

import numpy as np
import pytest

import stiction

BOXES = """<mujoco><worldbody><geom name="floor" type="plane" size="9 9 1" friction="0.4"/>
<body name="a" pos="0 0 .1"><freejoint/><geom name="a" type="box" size=".1 .1 .1" friction="0.7"/></body>
<body name="b" pos="1 0 .1"><freejoint/><geom name="b" type="box" size=".1 .1 .1" friction="0.2"/></body>
<body name="c" pos="2 0 .1"><freejoint/><geom name="c" type="box" size=".1 .1 .1" friction="0.1" priority="1"/></body>
<body name="d" pos="3 0 .1"><freejoint/><geom name="d" type="box" size=".1 .1 .1" friction="0.9"/></body>
<body name="e" pos="4 0 .1"><freejoint/><geom name="e" type="box" size=".1 .1 .1" condim="1"/></body>
</worldbody><contact><pair name="sole" geom1="d" geom2="floor" friction="0.55 0.55 0.01 0.001 0.001"/>
<exclude body1="a" body2="b"/></contact></mujoco>"""


def test_the_surface_of_a_pair_is_that_of_its_contacts() -> None:
    """Coefficients that are said are those of the contacts of a step, and of MuJoCo's rules by hand."""
    simulation = stiction.Simulation(stiction.loads(BOXES, complete=False))
    simulation.step(steps=2)
    expected = {
        "a": (0.7, "the larger of 0.4 (`floor`) and 0.7 (`a`)"),
        "b": (0.4, "the larger of 0.4 (`floor`) and 0.2 (`b`)"),
        "c": (0.1, "`c`, whose priority is higher"),
        "d": (0.55, "the pair `sole` of the file, with a rule of its own"),
    }
    of_steps = {}
    for contact in simulation.contacts_near():
        names = {simulation.model.geometries[int(g)].name for g in contact["geometries"]} - {"floor"}
        of_steps[names.pop()] = float(contact["friction"])
    for name, (friction, why) in expected.items():
        surface = simulation.surface(name, "floor")
        assert (surface.friction, surface.why_friction) == (friction, why) and surface.meet
        assert surface.friction == simulation.model.surface("floor", name).friction and of_steps[name] == friction
    # A contact of one direction on each side has no friction; with one of three it has.
    assert simulation.surface("e", "floor").friction == 1.0 and not simulation.surface("a", "b").meet
    assert simulation.surface("a", "floor").why_restitution == "the larger of 0.0 (`floor`) and 0.0 (`a`)".replace(".0 (", " (")


def test_formats_mix_by_their_own_rules_and_links_name_their_only_geometry() -> None:
    sdf = """<sdf version="1.9"><model name="m"><link name="block"><inertial><mass>1</mass></inertial><collision name="c">
    <geometry><box><size>.2 .2 .2</size></box></geometry><surface><friction><ode><mu>0.3</mu><mu2>0.3</mu2></ode></friction>
    <bounce><restitution_coefficient>0.25</restitution_coefficient><threshold>0.1</threshold></bounce></surface></collision></link></model></sdf>"""
    model = stiction.loads(sdf, ground=True, name="m.sdf")
    ground = next(i for i, g in enumerate(model.geometries) if g.body is None)
    link = next(link.name for link in model.links if link.name.endswith("block"))
    surface = model.surface(link, ground)
    assert surface.friction == pytest.approx(0.3) and surface.why_friction == "`block::c`, since `ground` says none"
    assert surface.restitution == 0.25 and surface.why_restitution.startswith("the larger of")
    # By Coulomb's law: 2 m/s are over after 2/(0.3 · 9.81) s, and 4/(2 · 0.3 · 9.81) m.
    simulation = stiction.Simulation(model)
    simulation.run(1.0)
    simulation.set_state(v=[2.0, 0, 0, 0, 0, 0], q=[0, *simulation.q[1:]])
    simulation.run(1.0)
    assert simulation.q[0] == pytest.approx(4 / (2 * 0.3 * 9.81), rel=1e-2)
    friction = model.fields()["friction"].copy()
    friction[ground] = 0.1
    stated = model.replace(friction=friction).surface(link, ground)
    assert stated.friction == 0.1 and stated.why_friction == "the smaller of 0.3 (`block::c`) and 0.1 (`ground`)"


def test_wrong_names_of_surfaces_are_refused() -> None:
    model = stiction.loads(BOXES, complete=False)
    with pytest.raises(stiction.Error, match="did you mean `floor`"):
        model.surface("flor", "a")
    with pytest.raises(stiction.Error, match="meets others, not itself"):
        model.surface("a", "a")
    two = BOXES.replace('<geom name="a" type="box"', '<geom name="more" type="sphere" size=".1"/><geom name="one" type="box"')
    with pytest.raises(stiction.Error, match="the link `a` has 2 geometries; expected one of more, one"):
        stiction.loads(two, complete=False).surface("a", "floor")


def test_replaced_friction_is_that_of_the_surface() -> None:
    model = stiction.loads(BOXES, complete=False)
    friction = model.fields()["friction"].copy()
    friction[model.geometries.index("a")] = 0.95
    assert model.replace(friction=friction).surface("a", "floor").friction == 0.95
    assert np.isclose(model.surface("a", "floor").friction, 0.7)


ROBOT = """<mujoco><worldbody><geom name="floor" type="plane" size="9 9 1"/><geom name="rail" type="box" size=".1 .1 .1" pos="5 0 .1"/>
<body name="ball" pos="0 0 1"><freejoint/><geom name="ball" size=".1" mass="1"/></body></worldbody>
<contact><pair geom1="ball" geom2="floor" friction="0.9 0.9 0 0 0"/><pair name="own" geom1="ball" geom2="rail" friction="0.25 0.25 0 0 0"/></contact></mujoco>"""


@pytest.mark.parametrize("shape", ["plane", "heightfield", "sphere"])
def test_the_floor_of_a_robot_is_left_out_over_a_terrain(shape: str) -> None:
    """A fixed plane or height field below is where the ball lands; a ball beside it is no ground. Pairs that are left keep their rules."""
    terrain = {"plane": {}, "heightfield": {"heights": [[0.0, 0.0], [0.0, 0.0]], "size": [8.0, 8.0, 1.0]}, "sphere": {"radius": 0.1}}[shape]
    position = [3.0, 0, -2] if shape == "sphere" else [0, 0, -0.5]
    scene = stiction.Scene("s").fixed("terrain", shape=shape, position=position, **terrain).model(text=ROBOT)
    model = scene.build()
    simulation = stiction.Simulation(model)
    simulation.run(1.5)
    lands, kept = (0.0, True) if shape == "sphere" else (-0.5, False)
    assert ("floor" in model.geometries.names) == kept
    assert simulation.body_positions[0, 2] == pytest.approx(lands + 0.1, abs=1e-3)
    assert any("ground plane" in note and ("stands instead" in note) != kept for note in model.notes)
    rail = next(name for name in model.geometries.names if name.endswith("rail"))
    ball = next(name for name in model.geometries.names if name.endswith("ball"))
    surface = model.surface(rail, ball)
    assert surface.friction == 0.25 and "the pair `own`" in surface.why_friction
    assert model.surface(ball, "terrain").friction == 1.0, "and no other"
