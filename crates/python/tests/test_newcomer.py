"""The traps that a newcomer met, one test each, in the order in which they were ranked: right, or told."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import warnings
from typing import Any

import numpy as np
import pytest

import stiction

SLIDE = """<robot name="slide"><link name="base"/><link name="cart"><inertial><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="x" type="prismatic"><parent link="base"/><child link="cart"/><axis xyz="1 0 0"/>
<limit lower="-10" upper="10" effort="10" velocity="2"/></joint></robot>"""

BOX = """<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="5 5 .1"/>
<body name="box" pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="2"/></body></worldbody></mujoco>"""


def slide(**options: Any) -> stiction.Model:
    """A cart of a kilogram, whose notes tell of its velocity limit."""
    model = stiction.loads(SLIDE, complete=False, **options)
    assert any("velocity" in note for note in model.not_simulated)
    return model


def process(program: str) -> subprocess.CompletedProcess[str]:
    """A program in a process of its own."""
    command = [sys.executable, "-c", textwrap.dedent(program)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("every", [None, 1e-3, 2e-3, 10e-3])
def test_1_efforts_of_a_controller_act_until_it_is_called_again(every: float | None) -> None:
    model = slide()
    simulation = stiction.Simulation(model, dt=1e-3)
    simulation.run(1.0, lambda s: s.apply_efforts([1.0]), every=every)
    assert simulation.v[0] == pytest.approx(1.0, abs=1e-12), "1 N on 1 kg for 1 s"
    simulation.reset()
    simulation.run(1.0, lambda s: s.apply_force("cart", [1.0, 0, 0]), every=every)
    assert simulation.v[0] == pytest.approx(1.0, abs=1e-12)
    simulation.step()
    assert simulation.v[0] == pytest.approx(1.0, abs=1e-12), "and no longer"


def test_1_motors_for_a_urdf() -> None:
    motor = slide(actuators="motor")
    assert motor.actuators["x"].effort_limit == (-10, 10) and motor.nu == 1 and slide().nu == 0
    simulation = stiction.Simulation(motor)
    simulation.control[:] = 100.0
    simulation.run(0.1)
    assert simulation.v[0] == pytest.approx(1.0, rel=1e-9), "10 N, not 100, on 1 kg for 0.1 s"
    position = stiction.Simulation(slide(actuators="position"))
    position.control[:] = 0.5
    position.run(3.0)
    assert position.q[0] == pytest.approx(0.5, abs=1e-6)
    speed = stiction.Simulation(slide(actuators="velocity"))
    speed.control[:] = 5.0
    speed.run(2.0)
    assert speed.v[0] == pytest.approx(2.0, abs=1e-6), "the file's velocity limit"
    with pytest.raises(stiction.Error, match="actuators is 'torque'; expected one of motor, position, velocity"):
        stiction.loads(SLIDE, actuators="torque")


# Traps 2 and 3 are in test_mujoco_names.py.


def test_4_what_is_not_simulated_is_told() -> None:
    text = BOX.replace("</worldbody>", """<body name="arm" pos="1 0 1"><joint name="j" axis="0 1 0"/><geom size=".1"/></body></worldbody>
      <actuator><muscle name="m" joint="j"/></actuator>""")
    with pytest.warns(stiction.NotSimulated, match=r"(?s)without what its file says.*muscle") as told:
        model = stiction.loads(text)
    assert len(told) == 1 and "/tmp" not in str(told[0].message)
    assert len(model.not_simulated) == 1 and "1 word of the file not simulated" in repr(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "not simulated" not in repr(stiction.loads(BOX))


def test_unknown_words_are_told_at_load() -> None:
    misspelt = BOX.replace("</worldbody>", """<body name="arm" pos="1 0 1"><joint name="j" dampng="3"/><geom size=".1" damping="2"/></body></worldbody>""")
    with pytest.warns(stiction.UnknownWord, match=r"(?s)joint@dampng.*did you mean `damping`.*`damping` has no meaning in <geom>") as told:
        model = stiction.loads(misspelt)
    assert len(told) == 1 and len(model.unknown) == 2
    assert stiction.loads(BOX).unknown == []


@pytest.mark.skipif(sys.platform == "win32", reason="signals of another kind")
@pytest.mark.parametrize("call", ["simulation.run(1e9)", "simulation.advance(None, 10**12)", "batch.step(steps=10**12)"])
def test_5_ctrl_c_ends_what_takes_long(call: str) -> None:
    done = process(f"""
        import os, signal, threading, stiction
        signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background of a shell ignore it
        model = stiction.load("quadruped")
        simulation, batch = stiction.Simulation(model), stiction.Batch(model, 4)
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            {call}
        except KeyboardInterrupt:
            assert simulation.time + batch.time[0] > 0, "it had made steps"
            simulation.step(), batch.step()
            print("ended")
        """)
    assert done.stdout.strip() == "ended", done.stderr


def test_6_the_names_of_environments() -> None:
    pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    done = process("""
        import warnings
        warnings.simplefilter("error")
        import gymnasium, stiction.gym
        print(gymnasium.make("stiction/Quadruped-v0").action_space.shape)
        print(gymnasium.make_vec("stiction/Quadruped-v0", 2).num_envs)
        gymnasium.make("stiction/HumanoidRun-v0")
        """)
    assert done.stdout.split("\n")[:2] == ["(12,)", "2"], done.stderr
    alone = process('import gymnasium; print(gymnasium.make("stiction.gym:stiction/CartPole-v0").action_space.shape)')
    assert alone.stdout.strip() == "(1,)", alone.stderr


def test_7_and_8_what_batches_do_not_do_is_told() -> None:
    text = BOX.replace('mass="2"/>', 'mass="2"/><site name="s" size=".2"/>').replace(
        "</mujoco>", '<sensor><touch name="t" site="s"/></sensor></mujoco>'
    )
    batch = stiction.Batch(stiction.loads(text), 2)
    assert "contact forces are not kept" in batch.sensors_not_batched["t"]
    with pytest.raises(stiction.Error, match="a Simulation reads it"):
        batch.sensor("t")


def test_9_a_comparison_says_of_each_why_it_does_not_run() -> None:
    text = BOX.replace('mass="2"', 'mass="2" condim="6" friction="1 .01 .01"')
    rows = stiction.compare(stiction.loads(text), ["auto", "mujoco", "sap"], duration=0.01)
    auto, mujoco, sap = rows
    assert auto.failure is None and mujoco.failure is None and "condim" in str(sap.failure)


# Trap 10 is measured by benchmarks/gymnasium_pace.py.


def test_11_what_an_environment_needs_is_named() -> None:
    pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    done = process("""
        import sys
        sys.modules["mujoco"] = None
        import gymnasium, stiction.gym
        try:
            gymnasium.make("stiction/Ant-v5")
        except stiction.Error as error:
            print(error)
        """)
    assert "pip install 'stiction[mujoco]'" in done.stdout, done.stderr


def test_12_and_15_pictures_are_of_the_shapes_themselves() -> None:
    scene = stiction.Scene("two").fixed("wall", shape="box", size=[0.1, 2, 2], position=[4, 0, 0])
    model = scene.body("ball", shape="sphere", radius=0.1, mass=1, position=[0.9, 0, 0]).build()
    eye, n, angle = np.zeros(3), 201, 0.4
    picture = stiction.Simulation(model).picture(n, n, eye=eye, target=[1, 0, 0], field_of_view=angle)
    names = [model.geometries[i].name for i in np.unique(picture.segmentation) if i >= 0]
    assert names == ["wall", "ball"]
    # The ray of a pixel, with 1 ahead, meets the ball of radius r at a where t² (1 + s²) − 2 t a + a² = r².
    side = (np.arange(n) + 0.5 - 0.5 * n) * np.tan(0.5 * angle) / (0.5 * n)
    slope = side[:, None] ** 2 + side[None] ** 2
    inside = 0.9**2 - (1 + slope) * (0.9**2 - 0.1**2)
    ball = picture.segmentation == model.geometries.index("ball")
    exact = (0.9 - np.sqrt(np.maximum(inside, 0))) / (1 + slope)
    assert (inside[ball] >= 0).all() and np.abs(picture.depth - exact)[ball].max() < 2e-6
    assert ball.sum() >= 0.98 * (inside >= 0).sum()


def test_13_numbers_that_are_none() -> None:
    gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    import stiction.gym  # noqa: F401

    environment = gymnasium.make("stiction/Quadruped-v0")
    environment.reset(seed=1)
    observation, reward, terminated, _, info = environment.step(np.full(12, np.nan, np.float32))
    assert np.isfinite(observation).all() and reward == 0 and terminated and "the action is [nan" in info["failure"]
    many = gymnasium.make_vec("stiction/Quadruped-v0", 3)
    many.reset(seed=1)
    actions = np.zeros((3, 12))
    actions[1] = np.nan
    observation, reward, terminated, _, info = many.step(actions)
    assert np.isfinite(observation).all() and terminated.tolist() == [False, True, False]
    assert info["_failure"].tolist() == [False, True, False] and info["failure"][0] == ""

    batch = stiction.Batch(stiction.load("quadruped"), 4)
    control = batch.control.copy()
    control[2] = np.nan
    batch.step(control)
    assert [i for i, _ in batch.failures()] == [2]
    with pytest.raises(stiction.StepFailed, match="environment 2: "):
        batch.step(control, steps=10, strict=True)
    assert batch.time == pytest.approx(2 * batch.dt), "it ended with the first step that failed"


def test_16_what_is_wrong_is_said_in_the_words_of_who_wrote_it() -> None:
    model = stiction.loads(BOX, complete=False)
    simulation, batch = stiction.Simulation(model), stiction.Batch(model, 2)
    for wrong, told in {
        lambda: model.replace(mass=-1): r"mass\[0\] is -1; expected a number > 0 \[kg\]",
        lambda: simulation.run(np.nan): "seconds is nan; expected a finite number",
        lambda: simulation.run(1.0, lambda s: None, every=0.0): "every is 0.0; expected a finite number > 0",
        lambda: stiction.Simulation(stiction.load("quadruped")).step(np.zeros((1, 12))): r"found an array of the shape \(1, 12\)",
        lambda: simulation.set_state(q="high"): "could not convert|expected",
        lambda: batch.set_parameters(mass=np.ones((3, 5))): r"mass has the shape \(3, 5\); expected \(1,\) for all",
        lambda: batch.set_state(q=[1.0, 2.0]): r"q has the shape \(2,\); expected \(7,\) for all environments",
        lambda: batch.reset([1.7]): r"environments are \[1.7\]; expected whole numbers",
        lambda: batch.step(steps=0): "steps is 0; expected at least one",
        lambda: stiction.loads(BOX, hold="yes"): "hold is 'yes'; expected True, False, or a mapping",
        lambda: simulation.record().save("x.mp4"): r"expected .html or .mcap, or .npz, .parquet or .csv",
        lambda: __import__("copy").copy(batch): "a batch cannot be pickled or copied; make another",
        lambda: vary("mass", "set", -1.0): "mass.*-1.0",
        lambda: vary("friction", "scale", -0.5): "friction.*-0.5",
    }.items():
        with pytest.raises(ValueError, match=told):
            wrong()
    simulation.step()
    for copy in (model.q0, model.v0, model.control0, model.gravity, simulation.contacts["force"], simulation.body_positions,
                 simulation.body_quaternions, simulation.body_velocities, simulation.sensordata, batch.q):
        with pytest.raises(ValueError, match="read-only"):
            copy[...] = 1
    with pytest.raises(AttributeError):
        simulation.q = np.zeros(7)  # type: ignore[misc]


def vary(name: str, kind: str, low: float) -> None:
    """A range that no body can have."""
    from stiction.randomisation import Vary

    Vary(name, kind, "uniform", low, 1.0)


def test_a_list_of_seeds_seeds_every_row() -> None:
    gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    import stiction.gym  # noqa: F401

    many = gymnasium.make_vec("stiction/CartPole-v0", 3)
    first, _ = many.reset(seed=[1, 2, 3])
    again, _ = many.reset(seed=[3, 2, 1])
    assert (first[0] == again[2]).all() and (first[1] == again[1]).all() and (first[2] == again[0]).all()
    other, _ = many.reset(seed=[3, 7, 1])
    assert (other[[0, 2]] == again[[0, 2]]).all() and (other[1] != again[1]).any()
    with pytest.raises(stiction.Error, match="seed is a list of 2; expected 3"):
        many.reset(seed=[1, 2])


def test_environments_are_shown() -> None:
    gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    import stiction.gym  # noqa: F401

    many = gymnasium.make_vec("stiction/CartPole-v0", 2, render_mode="rgb_array")
    many.reset(seed=1)
    pictures = many.render()
    assert len(pictures) == 2 and pictures[0].shape == (360, 480, 3) and (pictures[0] != pictures[1]).any()
    shown = gymnasium.make("stiction/CartPole-v0", render_mode="human")
    shown.reset(seed=1)
    shown.step(np.zeros(1, np.float32))
    viewer = shown.unwrapped.vector._viewer
    assert viewer is not None and viewer.url and not viewer.closed
    shown.close()
    assert viewer.closed


def test_readings_of_a_state_that_no_step_led_to() -> None:
    text = """<mujoco><option timestep="0.002"/><worldbody><geom type="plane" size="5 5 .1"/>
      <body name="f" pos="0 0 5"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/><site name="f"/></body>
      <body name="r" pos="1 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/><site name="r" size=".2"/></body>
      <body name="a" pos="2 0 2"><joint name="j" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 .5 0 0" size=".02" mass="1" contype="0" conaffinity="0"/><site name="a" pos=".5 0 0"/></body>
      </worldbody><actuator><motor joint="j"/></actuator>
      <sensor><accelerometer name="fall" site="f"/><accelerometer name="rest" site="r"/><accelerometer name="arm" site="a"/>
      <touch name="touch" site="r"/><framelinacc name="acc" objtype="site" objname="a"/></sensor></mujoco>"""
    model = stiction.loads(text, complete=False)
    simulation, batch = stiction.Simulation(model), stiction.Batch(model, 2)
    # A rod of 0.5 m that hangs out level turns with 3 g/(2 l) but for its ends, which the mass matrix knows.
    M = stiction.dynamics.crba(model, model.q0)[12, 12]
    arm = 0.5 * (stiction.dynamics.bias(model, model.q0, model.v0)[12]) / M
    for begin in (lambda: None, lambda: simulation.set_state(model.q0, model.v0), simulation.reset):
        simulation.step()
        begin()
        if begin is not simulation.reset and simulation._stepped:
            simulation.reset()
        assert simulation.sensor("fall") == pytest.approx([0, 0, 0], abs=1e-9)
        assert simulation.sensor("rest") == pytest.approx([0, 0, 9.81], abs=1e-6)
        assert simulation.sensor("touch") == pytest.approx([9.81], rel=1e-6)
        assert simulation.sensor("arm") == pytest.approx([0, 0, 9.81 + arm], abs=1e-6)
        assert simulation.sensor("acc") == pytest.approx([0, 0, 9.81 + arm], abs=1e-6)
    assert batch.sensor("fall") == pytest.approx(np.zeros((2, 3)), abs=1e-9)
    assert batch.sensor("arm") == pytest.approx(np.tile([0, 0, 9.81 + arm], (2, 1)), abs=1e-6)
    batch.set_parameters([1], gravity=[0, 0, -4.0])
    assert batch.sensor("rest")[1] == pytest.approx([0, 0, 4.0], abs=1e-4)
