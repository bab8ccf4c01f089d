"""Pictures from the cameras of files: what is seen is where it should be."""

from __future__ import annotations

import numpy as np
import pytest

import stiction
import stiction.mujoco as ours

SCENE = """
<mujoco><compiler angle="degree"/>
  <default><default class="wide"><camera fovy="80"/></default></default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1" rgba=".8 .8 .8 1"/>
    <geom name="red" type="box" size=".1 .1 .1" pos="1 .5 .1" rgba="1 0 0 1"/>
    <geom name="blue" type="box" size=".1 .1 .1" pos="1 -.5 .1" rgba="0 0 1 1"/>
    <camera name="above" pos="0 0 3" fovy="60" resolution="320 240"/>
    <camera name="follows" mode="targetbody" target="arm"/>
    <body name="arm" pos="0 0 1"><joint name="turn" axis="0 0 1"/><geom type="box" size=".05 .05 .05" mass="1"/>
      <camera name="hand" class="wide" pos=".1 0 0" xyaxes="0 -1 0 0.6 0 0.8"/></body>
  </worldbody>
</mujoco>
"""


def pixel(point: np.ndarray, place: np.ndarray, turn: np.ndarray, fov: float, width: int, height: int) -> tuple[int, int, float]:
    """Row and column at which a camera (x right, y up, along −z) sees a point, and its depth."""
    x, y, z = turn.T @ (point - place)
    scale = 0.5 * height / np.tan(0.5 * fov)
    return round(0.5 * height + scale * y / z - 0.5), round(0.5 * width - scale * x / z - 0.5), -z


def matrix(q: tuple[float, ...]) -> np.ndarray:
    """Of a quaternion."""
    w, x, y, z = q
    u = np.array([x, y, z])
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return (w * w - u @ u) * np.eye(3) + 2 * np.outer(u, u) + 2 * w * cross


def test_a_coloured_box_is_seen_where_it_is() -> None:
    model = stiction.loads(SCENE, complete=False)
    simulation = stiction.Simulation(model)
    assert model.cameras.names == ["above", "follows", "hand"]
    assert model.cameras["above"].resolution == (320, 240)
    assert model.cameras["hand"].field_of_view == pytest.approx(np.radians(80))
    seen = 0
    for name, angle in (("above", 0.0), ("hand", 0.0), ("hand", 0.45), ("hand", -0.45)):
        simulation.set_state([angle], [0.0])
        picture = simulation.render(name, 320, 240)
        assert picture.rgb.shape == (240, 320, 3) and picture.depth.shape == (240, 320)
        camera = model.cameras[name]
        place, turn = np.array(camera.position), matrix(camera.quaternion)
        if camera.body is not None:
            c, s = np.cos(angle), np.sin(angle)
            R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
            place, turn = np.array([0, 0, 1]) + R @ place, R @ turn
        for point, channel in (([1, 0.5, 0.2], 0), ([1, -0.5, 0.2], 2)):
            row, column, depth = pixel(np.array(point), place, turn, camera.field_of_view, 320, 240)
            if not (5 <= row < 235 and 5 <= column < 315):
                continue
            colour = picture.rgb[row, column].astype(int)
            assert colour[channel] > 60 + max(np.delete(colour, channel)), (name, angle, point, colour)
            assert picture.depth[row, column] == pytest.approx(depth, abs=0.01)
            seen += 1
    assert seen >= 6, "too little was in view: a poor test"
    small = simulation.render("above", width=64)
    assert small.rgb.shape == (48, 64, 3)
    with pytest.raises(stiction.Error, match="camera `follows`: cameras that turn by themselves .mode `targetbody`. are not"):
        simulation.render("follows")
    with pytest.raises(stiction.UnknownName, match="no camera is called `abov`"):
        simulation.render("abov")


def test_mujoco_puts_cameras_in_the_same_place() -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    theirs = mujoco.MjModel.from_xml_string(SCENE)
    its = mujoco.MjData(theirs)
    mujoco.mj_kinematics(theirs, its)
    mujoco.mj_camlight(theirs, its)
    model = stiction.loads(SCENE, complete=False)
    for name in ("above", "hand"):
        i, camera = theirs.camera(name).id, model.cameras[name]
        offset = np.array([0, 0, 1.0]) if camera.body is not None else np.zeros(3)
        assert its.cam_xpos[i] == pytest.approx(offset + camera.position)
        assert its.cam_xmat[i].reshape(3, 3) == pytest.approx(matrix(camera.quaternion), abs=1e-12)
        assert theirs.cam_fovy[i] == pytest.approx(np.degrees(camera.field_of_view))
        assert ours.mj_name2id(ours.MjModel(model), ours.mjtObj.mjOBJ_CAMERA, name) == i
