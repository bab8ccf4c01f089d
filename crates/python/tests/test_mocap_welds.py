"""Welds to bodies that are moved by hand close at the pace of their ``solref``: beside MuJoCo, and in batches."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import stiction
import stiction.mujoco as ours

FREE = """<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody><body name="hand" mocap="true"/>
<body name="b"><freejoint/><inertial mass="2" pos="0 .02 0" diaginertia=".02 .03 .04"/></body></worldbody>
<equality><weld body1="hand" body2="b" {words}/></equality></mujoco>"""

ARM = """<mujoco><option timestep="0.002"/><default><geom contype="0" conaffinity="0" mass="1" size=".03" type="capsule"/><joint damping="1"/></default>
<worldbody><body name="hand" mocap="true" pos=".56 .1 1.05"/>
<body name="upper" pos="0 0 1"><joint axis="0 0 1"/><joint axis="0 1 0"/><geom fromto="0 0 0 .4 0 0"/>
<body name="fore" pos=".4 0 0"><joint axis="0 1 0"/><geom fromto="0 0 0 .4 0 0"/>
<body name="wrist" pos=".4 0 0"><joint axis="1 0 0"/><joint axis="0 1 0"/><joint axis="0 0 1"/><geom type="box" size=".04 .03 .02" mass=".3"/></body></body></body></worldbody>
<equality><weld body1="hand" body2="wrist" relpose="0 0 0 1 0 0 0" {words}/></equality></mujoco>"""


def course(mj: Any, text: str, start: dict[int, float], carried: float = 0.0) -> np.ndarray:
    """Positions over half a second, while the hand goes along x at the speed ``carried``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = mj.MjModel.from_xml_string(text)
    data = mj.MjData(model)
    for i, x in start.items():
        data.qpos[i] = x
    out = []
    for _ in range(250):
        if carried:
            data.mocap_pos[0, 0] += carried * model.opt.timestep
        mj.mj_step(model, data)
        out.append(np.array(data.qpos))
    return np.array(out)


#: The wrist is level, at (.66, 0, 1).
BENT = {1: -0.6, 2: 1.2, 4: -0.6}
TURNED = {3: float(np.cos(0.5)), 5: float(np.sin(0.5))}


@pytest.mark.parametrize(
    ("text", "words", "start", "carried"),
    [
        (FREE, "", {0: 0.3}, 0.0),
        (FREE, 'solref=".05 1"', {0: 0.3}, 0.0),
        (FREE, 'solref=".05 .5" solimp=".5 .8 .4"', {0: 0.3}, 0.0),
        (FREE, 'solref="-400 -20"', {0: 0.3}, 0.0),
        (FREE, 'solref=".05 1"', TURNED, 0.0),
        (FREE, 'solref=".02 1"', {}, 0.4),
        (ARM, 'solref=".1 1"', BENT, 0.0),
        (ARM, 'solref=".08 1" solimp=".8 .9 .01"', BENT, 0.1),
    ],
)
def test_a_weld_to_a_hand_closes_as_in_mujoco(text: str, words: str, start: dict[int, float], carried: float) -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    xml = text.format(words=words)
    theirs, mine = (course(mj, xml, start, carried) for mj in (mujoco, ours))
    way = np.abs(theirs - theirs[0]).max()
    assert way > 0.05
    assert np.abs(theirs - mine).max() < 0.05 * way


def test_a_batch_closes_a_weld_as_one_simulation_does() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = stiction.loads(FREE.format(words='solref=".05 1"'), complete=False)
    batch, one = stiction.Batch(model, 2, tolerance=1e-10), stiction.Simulation(model, tolerance=1e-10)
    start = one.q.copy()
    start[0] = 0.3
    batch.set_state(q=np.tile(start, (2, 1)))
    one.q[:] = start
    batch.step(steps=50)
    for _ in range(50):
        one.step()
    assert 0.01 < one.q[0] < 0.25
    assert batch.q[1] == pytest.approx(one.q, abs=1e-9)
