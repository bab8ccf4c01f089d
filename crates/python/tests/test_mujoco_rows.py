"""Names of MuJoCo that richer models ask for, beside MuJoCo: frames of inertia, equalities that are switched, keyframes with a time, views."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import stiction.mujoco as ours

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

FRAMES = """<mujoco><option timestep="0.001" gravity="0 0 0"/><worldbody>
<body name="stated"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.3 0.25"/></body>
<body name="turned" pos="1 0 0"><freejoint/><inertial pos="0 .1 0" euler="30 40 50" mass="1" diaginertia="0.1 0.3 0.25"/></body>
<body name="box" pos="2 0 0" euler="10 20 30"><freejoint/><geom type="box" size=".1 .2 .3" euler="0 90 20" mass="2"/></body>
<body name="massless beside" pos="3 0 0"><freejoint/><geom type="capsule" size=".1 .3" mass="1"/><geom size=".5" mass="0" contype="0" conaffinity="0"/></body>
<body name="two" pos="4 0 0"><freejoint/><geom type="box" size=".1 .2 .3" mass="2"/><geom pos=".4 .1 .2" size=".1" mass="1"/></body>
</worldbody></mujoco>"""

EQUALITIES = """<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="9 9 1"/>
<body name="hand" pos="0 0 1"><joint name="z" type="slide" axis="0 0 1" damping="5"/><geom size=".05" mass="1" contype="0" conaffinity="0"/></body>
<body name="box" pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>
<body pos="2 0 1"><joint name="a" axis="0 1 0" damping=".3"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass="1"/></body>
<body pos="2 1 1"><joint name="b" axis="0 1 0" damping=".3"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass="1"/></body></worldbody>
<equality><joint name="j" joint1="a" joint2="b" polycoef="0 1 0 0 0" active="false"/><weld name="w" body1="hand" body2="box" relpose="0 0 -.7 1 0 0 0" active="false"/>
<joint name="held" joint1="a" polycoef="0 0 0 0 0"/></equality>
<actuator><position joint="z" kp="500" kv="50"/></actuator></mujoco>"""

CAR = """<mujoco><compiler angle="radian"/><worldbody><body name="held" pos="0 0 1"><freejoint/><geom size=".1"/></body>
<body name="car" pos="4 0 1" euler="0 0 .4"><joint type="slide" axis="1 0 0" pos="0 .1 0"/><joint axis="0 0 1" pos=".02 0 0"/><joint axis="0 1 0" pos="0 .3 0"/>
<joint type="slide" axis="0 1 0"/><geom size=".1"/></body></worldbody>
<keyframe><key name="a" time="2.5" qpos="0 0 1 1 0 0 0 .3 .5 -.4 .2"/></keyframe></mujoco>"""


def made(mj: Any, text: str) -> tuple[Any, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = mj.MjModel.from_xml_string(text)
    return model, mj.MjData(model)


def test_inertia_is_told_in_the_axes_in_which_the_file_states_it() -> None:
    (m, d), (m_ours, d_ours) = made(mujoco, FRAMES), made(ours, FRAMES)
    assert m_ours.body_inertia[:5] == pytest.approx(m.body_inertia[:5], abs=1e-12)
    assert np.sort(m_ours.body_inertia[5]) == pytest.approx(np.sort(m.body_inertia[5]), abs=1e-9)
    for body in range(1, 5):
        # Quaternions of one orientation may differ in sign.
        assert abs(m_ours.body_iquat[body] @ m.body_iquat[body]) == pytest.approx(1, abs=1e-12), body
    for mj, model, data in ((mujoco, m, d), (ours, m_ours, d_ours)):
        data.qvel[:] = np.linspace(-2, 3, model.nv)
        mj.mj_forward(model, data)
    for body in range(1, 5):
        for function in ("mj_objectVelocity", "mj_objectAcceleration"):
            theirs, mine = np.zeros(6), np.zeros(6)
            for kind in ("mjOBJ_BODY", "mjOBJ_XBODY"):
                if function == "mj_objectAcceleration":
                    mujoco.mj_rnePostConstraint(m, d)
                getattr(mujoco, function)(m, d, getattr(mujoco.mjtObj, kind), body, theirs, 1)
                getattr(ours, function)(m_ours, d_ours, getattr(ours.mjtObj, kind), body, mine, 1)
                assert mine == pytest.approx(theirs, abs=1e-7), (body, function, kind)


def test_equalities_are_switched_while_the_world_runs() -> None:
    """In the order of the file, as in MuJoCo: what is off, is on, and goes back with a reset."""
    results = []
    for mj in (mujoco, ours):
        model, data = made(mj, EQUALITIES)
        assert model.neq == 3 and np.array(data.eq_active).tolist() == [0, 0, 1]
        data.ctrl[0] = -0.2
        data.qpos[9] = 0.4
        out = []
        for change in ((), ((2, 0),), ((0, 1), (1, 1)), ((1, 0),)):
            for i, value in change:
                data.eq_active[i] = value
            mj.mj_step(model, data, 400)
            out += [data.qpos[0], data.qpos[3], data.qpos[8], data.qpos[9]]
        mj.mj_resetData(model, data)
        assert np.array(data.eq_active).tolist() == [0, 0, 1]
        results.append(out)
    # Theirs are springs: what is held together gives way by millimetres.
    assert results[1] == pytest.approx(results[0], abs=2e-2)
    assert results[1][2] == pytest.approx(0, abs=1e-9) and abs(results[1][6]) > 0.1, "held, then let go"


def test_switched_equalities_are_copied_and_set_back_by_states() -> None:
    model, data = made(ours, EQUALITIES)
    data.eq_active[:] = [1, 0, 0]
    ours.mj_step(model, data, 20)
    again = pickle.loads(pickle.dumps(data))
    ours.mj_step(model, data, 20)
    ours.mj_step(again.model, again, 20)
    assert np.array_equal(again.qpos, data.qpos) and again.eq_active.tolist() == [1, 0, 0]
    kind = ours.mjtState.mjSTATE_EQ_ACTIVE
    state = np.zeros(ours.mj_stateSize(model, kind))
    ours.mj_getState(model, data, state, kind)
    other = ours.MjData(model)
    ours.mj_setState(model, other, state, kind)
    assert other.eq_active.tolist() == [1, 0, 0]


def test_keyframes_have_their_time_and_anchors_are_counted_joint_by_joint() -> None:
    (m, d), (m_ours, d_ours) = made(mujoco, CAR), made(ours, CAR)
    assert m_ours.key_time.tolist() == m.key_time.tolist() == [2.5]
    for mj, model, data in ((mujoco, m, d), (ours, m_ours, d_ours)):
        mj.mj_resetDataKeyframe(model, data, 0)
        mj.mj_forward(model, data)
    assert d_ours.time == d.time == 2.5
    assert d_ours.xanchor[1:] == pytest.approx(d.xanchor[1:], abs=1e-12)
    assert d_ours.xaxis[1:] == pytest.approx(d.xaxis[1:], abs=1e-12)


def test_a_reading_by_name_goes_on_and_forces_of_equalities_are_refused() -> None:
    text = EQUALITIES.replace("</mujoco>", '<sensor><jointpos name="p" joint="a"/></sensor></mujoco>')
    model, data = made(ours, text)
    data.eq_active[2] = 0
    kept, before = data.sensor("p").data, float(data.sensor("p").data[0])
    ours.mj_step(model, data, 100)
    ours.mj_forward(model, data)
    assert kept[0] == data.qpos[8] != before
    assert data.cfrc_ext.shape == (model.nbody, 6)
    data.eq_active[1] = 1
    ours.mj_forward(model, data)
    with pytest.raises(ours.NotOffered, match="cfrc_ext where equalities hold bodies: w"):
        data.cfrc_ext  # noqa: B018
