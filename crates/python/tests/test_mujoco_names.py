"""Scripts for MuJoCo run with one changed line, and see what MuJoCo shows where the two must agree."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import stiction
import stiction.mujoco as ours
import mujoco_expressions
from shared import ARM

SENSED = ARM.replace(
    "</mujoco>",
    """<sensor><gyro name="gyro" site="hand"/><jointpos name="angle" joint="elbow"/></sensor>
       <keyframe><key name="up" qpos="1 0 0 0 0.4 1 0 2 1 0 0 0" ctrl="0.7"/></keyframe></mujoco>""",
)


def script(mujoco: Any) -> dict[str, Any]:
    """What a user of MuJoCo writes; free fall and joints, so that all laws of contact agree."""
    model = mujoco.MjModel.from_xml_string(SENSED)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_KEY, "up"))
    data.qvel[:] = np.linspace(-0.5, 0.5, model.nv)
    data.ctrl[0] = 0.3
    mujoco.mj_forward(model, data)
    out: dict[str, Any] = {"sizes": [model.nq, model.nv, model.nu, model.nbody, model.njnt, model.nkey]}
    lower = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, "lower")
    site = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, "hand")
    jacp, jacr, M = np.zeros((3, model.nv)), np.zeros((3, model.nv)), np.zeros((model.nv, model.nv))
    mujoco.mj_jacBody(model, data, jacp, jacr, lower)
    out["jacobian"] = np.vstack([jacp, jacr])
    mujoco.mj_jacSite(model, data, jacp, None, site)
    out["of the site"] = jacp.copy()
    mujoco.mj_jacBodyCom(model, data, jacp, None, lower)
    out["of the centre"] = jacp.copy()
    mujoco.mj_fullM(model, data, M)
    out |= {"M": M, "bias": data.qfrc_bias.copy(), "xpos": data.xpos.copy(), "xquat": data.xquat.copy()}
    out |= {"xmat": data.xmat.copy(), "xipos": data.xipos.copy(), "site": data.site_xpos.copy()}
    out |= {"site mat": data.site_xmat.copy(), "com": data.subtree_com.copy(), "cvel": data.cvel.copy()}
    out |= {"cinert": data.cinert.copy(), "sensors": data.sensordata.copy(), "passive": data.qfrc_passive.copy()}
    out["by name"] = np.concatenate([data.body("lower").xpos, data.joint("elbow").qpos, data.site("hand").xpos])
    data.qacc[:] = np.linspace(-2, 3, model.nv)
    mujoco.mj_inverse(model, data)
    out["inverse"] = data.qfrc_inverse.copy()
    geomid = np.zeros(1, np.int32)
    down = np.array([0.0, 0.0, -2.0])
    out["ray"] = mujoco.mj_ray(model, data, np.array([3.0, 0, 4]), down, None, 1, -1, geomid)
    out["mass"], out["range"] = model.body_mass.copy(), model.jnt_type.copy()
    data.qfrc_applied[3] = 0.2
    data.xfrc_applied[lower] = [0.1, 0.2, 0.3, 0.01, 0.02, 0.03]
    mujoco.mj_step(model, data, nstep=50)
    out["after"] = np.concatenate([[data.time], data.qpos, data.qvel])
    q = data.qpos.copy()
    mujoco.mj_integratePos(model, q, data.qvel, 0.1)
    v = np.zeros(model.nv)
    mujoco.mj_differentiatePos(model, v, 0.1, data.qpos, q)
    out["there and back"] = v - data.qvel
    return out


def test_one_changed_line() -> None:
    theirs = pytest.importorskip("mujoco", reason="mujoco is not installed")
    expected, found = script(theirs), script(ours)
    for key, value in expected.items():
        # Their step is of the first order; ours is not.
        near = 3e-3 if key == "after" else 1e-9
        assert np.asarray(found[key]) == pytest.approx(np.asarray(value), abs=near), key


def test_what_is_not_offered_says_so() -> None:
    model = ours.MjModel.from_xml_string(SENSED)
    data = ours.MjData(model)
    for ask in (lambda: ours.mj_implicit, lambda: model.dof_simplenum, lambda: data.qHDiagInv, lambda: setattr(model.opt, "cone", 1)):
        with pytest.raises(stiction.mujoco.NotOffered, match="does not offer"):
            ask()
    with pytest.raises(ValueError, match="read-only"):
        model.jnt_qposadr[0] = 2
    model.jnt_axis[0] = 2
    with pytest.raises(ours.NotOffered, match="to set MjModel.jnt_axis: it has no effect"):
        ours.mj_step(model, data)
    assert ours.mj_name2id(model, ours.mjtObj.mjOBJ_BODY, "nobody") == -1
    with pytest.raises(stiction.UnknownName, match="no link is called `nobody`"):
        data.body("nobody")


def test_contacts_forces_and_copies() -> None:
    text = """<mujoco><option timestep="0.002"/><worldbody><geom name="floor" type="plane" size="5 5 .1"/>
      <body name="box" pos="0 0 .1"><freejoint/><geom name="box" type="box" size=".1 .1 .1" mass="2"/></body></worldbody></mujoco>"""
    model = ours.MjModel.from_xml_string(text)
    data = ours.MjData(model)
    for _ in range(20):
        ours.mj_step(model, data)
    force = np.zeros(6)
    total = 0.0
    for i in range(data.ncon):
        ours.mj_contactForce(model, data, i, force)
        total += force[0]
        assert data.contact[i].frame[:3] == pytest.approx([0, 0, 1]) and abs(data.contact[i].dist) < 1e-6
    assert total == pytest.approx(2 * 9.81, rel=1e-6) and data.ncon >= 3
    assert data.cfrc_ext[1] == pytest.approx([0, 0, 0, 0, 0, 2 * 9.81], abs=1e-6)
    assert data.qfrc_constraint == pytest.approx([0, 0, 2 * 9.81, 0, 0, 0], abs=1e-6)
    other = pickle.loads(pickle.dumps(data))
    assert (other.qpos == data.qpos).all() and other.time == data.time
    model.opt.timestep, model.contact = 0.001, "nsgs"
    ours.mj_step(model, data)
    assert data.time == pytest.approx(0.041) and data.simulation.contact == "nsgs"
    with pytest.raises(stiction.StepFailed):
        data.qfrc_applied[:] = 1e308
        ours.mj_step(model, data, 5)


def test_rollouts_are_steps() -> None:
    model = ours.MjModel.from_xml_string(SENSED)
    data = ours.MjData(model)
    start = np.zeros(ours.mj_stateSize(model, ours.mjtState.mjSTATE_FULLPHYSICS))
    ours.mj_getState(model, data, start, ours.mjtState.mjSTATE_FULLPHYSICS)
    control = np.random.default_rng(1).normal(size=(3, 10, 1))
    states, readings = ours.rollout.rollout(model, data, start, control)
    assert states.shape == (3, 10, 1 + model.nq + model.nv) and readings.shape == (3, 10, 4)
    for t in range(10):
        data.ctrl[:] = control[2, t]
        ours.mj_step(model, data)
    assert states[2, -1] == pytest.approx(np.concatenate([[data.time], data.qpos, data.qvel]), abs=1e-12)


def test_no_assignment_is_swallowed() -> None:
    model = ours.MjModel.from_xml_string(SENSED.replace('<site name="hand"', '<body name="fixed"/><site name="hand"'))
    data = ours.MjData(model)

    def put(of: Any, name: str, value: Any = 1.0) -> None:
        setattr(of, name, value)

    for of, names in (
        (model, "nq body_parentid misspelt stat nmesh"),
        (data, "qvell ncon simulation contact"),
        (model.opt, "integrator iterationz cone"),
        (model.vis, "map"),
        (model.body("lower"), "mas parentid id"),
        (data.body("lower"), "xfrc"),
        (data.joint("elbow"), "qpo"),
        (ours.MjvOption(), "misspelt"),
        (ours.MjvCamera(), "lookatt"),
    ):
        for name in names.split():
            with pytest.raises(ours.NotOffered, match="does not offer"):
                put(of, name)
    with pytest.raises(ours.NotOffered, match="disableflags = 1024"):
        model.opt.disableflags = 1024
    kept, i = model.body_quat.copy(), model.body("fixed").id
    model.body_quat[i] = 2.0
    with pytest.raises(ours.NotOffered, match=rf"to set body_quat\[{i}\]: the body is fixed to one that moves"):
        ours.mj_step(model, data)
    model.body_quat = kept
    ours.mj_step(model, data)
    for name, wrong in (("timestep", -1.0), ("iterations", 0), ("tolerance", np.nan)):
        with pytest.raises(stiction.Error, match=f"opt.{name} is"):
            setattr(model.opt, name, wrong)


def test_what_is_assigned_acts() -> None:
    text = """<mujoco><worldbody><body name="b" pos="0 0 1"><joint name="x" type="slide" axis="1 0 0"/>
      <geom name="g" type="sphere" size=".1" mass="2"/></body></worldbody>
      <actuator><motor name="m" joint="x" ctrlrange="-10 10"/></actuator></mujoco>"""
    model = ours.MjModel.from_xml_string(text)
    data = ours.MjData(model)
    qpos, qvel = data.qpos, data.qvel
    data.actuator("m").ctrl = 3.0
    data.joint("x").qpos = 0.5
    ours.mj_step(model, data)
    h = model.opt.timestep
    assert data.ctrl[0] == 3.0 and qvel[0] == pytest.approx(3 / 2 * h)
    model.body("b").mass = 6.0
    assert model.body_mass[1] == 6.0
    data.qvel = 0.0
    ours.mj_step(model, data)
    assert qvel[0] == pytest.approx(3 / 6 * h), "the array that was held is that of the heavier model"
    model.opt.gravity = [-1.0, 0, 0]
    model.dof_damping[:] = 6.0
    model.actuator_gainprm[0, 0] = 2.0
    qvel[:] = 1.0
    ours.mj_forward(model, data)
    assert data.qacc[0] == pytest.approx((2 * 3 - 6 * 1 - 6 * 1) / 6)
    assert data.qpos is qpos and data.qvel is qvel
    again = pickle.loads(pickle.dumps(model))
    assert again.body_mass[1] == 6.0 and again.opt.gravity[0] == -1.0 and again.stiction.fields()["mass"][0] == 6.0
    model.body_mass[1] = -1.0
    with pytest.raises(stiction.Error, match=r"body_mass of b is \[.*-1.0.*\]; expected > 0"):
        ours.mj_step(model, data)


def test_forward_has_forces() -> None:
    text = """<mujoco><worldbody><geom type="plane" size="5 5 .1"/>
      <body name="box" pos="0 0 .1"><freejoint/><geom name="box" type="box" size=".1 .1 .1" mass="2"/><site name="s"/></body>
      <body name="arm" pos="2 0 2"><joint name="j" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 .5 0 0" size=".02" mass="1"/><site name="tip" pos=".5 0 0"/></body></worldbody>
      <actuator><position name="p" joint="j" kp="10" kv="1"/></actuator>
      <sensor><accelerometer name="a" site="s"/><accelerometer name="t" site="tip"/><actuatorfrc name="f" actuator="p"/></sensor>
      </mujoco>"""
    model = ours.MjModel.from_xml_string(text)
    data = ours.MjData(model)
    data.ctrl[0] = 0.4
    ours.mj_forward(model, data)
    assert data.qacc[:6] == pytest.approx(np.zeros(6), abs=1e-6), "it stands on the floor"
    assert data.ncon == 4 and sum(c._force[2] for c in data.contact) == pytest.approx(2 * 9.81, rel=1e-5)
    assert data.cfrc_ext[1] == pytest.approx([0, 0, 0, 0, 0, 2 * 9.81], abs=1e-4)
    assert data.actuator_force[0] == pytest.approx(10 * 0.4, rel=1e-6)
    turning = 10 * 0.4 - data.qfrc_bias[6]
    assert data.qacc[6] == pytest.approx(turning / data.qM[6, 6], rel=1e-5)
    assert data.sensor("a").data == pytest.approx([0, 0, 9.81], abs=1e-4)
    theirs = pytest.importorskip("mujoco", reason="mujoco is not installed")
    m = theirs.MjModel.from_xml_string(text)
    d = theirs.MjData(m)
    d.ctrl[0] = 0.4
    theirs.mj_forward(m, d)
    assert data.qacc[6] == pytest.approx(d.qacc[6], rel=1e-5)
    assert data.sensordata[3:] == pytest.approx(d.sensordata[3:], rel=1e-4)
    ours.mj_step(model, data)
    data.ctrl[0] = -0.4
    ours.mj_forward(model, data)
    assert data.actuator_force[0] < -3.9, "the force is that of the control as it is now"


def test_a_falling_body_meets_the_floor_in_forward() -> None:
    text = """<mujoco><option timestep="0.002"/><worldbody><geom type="plane" size="5 5 .1"/>
      <body pos="0 0 .1"><freejoint/><geom type="sphere" size=".1" mass="2"/></body></worldbody></mujoco>"""
    model = ours.MjModel.from_xml_string(text)
    data = ours.MjData(model)
    data.qvel[2] = -1.0
    ours.mj_forward(model, data)
    assert data.qacc[2] == pytest.approx(1 / 0.002, rel=1e-6), "an impact, told as the mean of a step"


def test_arrays_that_are_held_show_the_present() -> None:
    model = ours.MjModel.from_xml_string(SENSED)
    data = ours.MjData(model)
    place, reading, bias, named = data.xpos, data.sensordata, data.qfrc_bias, data.body("lower").xpos
    before = place.copy(), bias.copy()
    data.qvel[:] = 1.0
    ours.mj_step(model, data, 20)
    fresh = ours.MjData(model)
    fresh.set_state(data.qpos, data.qvel, data.time)
    assert (place == fresh.xpos).all() and (named == place[model.body("lower").id]).all() and (place != before[0]).any()
    assert (bias == fresh.qfrc_bias).all() and (bias != before[1]).any()
    assert reading[3] == data.qpos[model.joint("elbow").qposadr[0]]
    assert data.xpos is place


def test_bodies_that_are_moved_by_hand() -> None:
    text = """<mujoco><worldbody><geom type="plane" size="5 5 .1"/><body name="target" mocap="true" pos="1 0 1">
      <geom name="mark" type="sphere" size=".1" contype="0" conaffinity="0"/><site name="t" pos="0 0 .5"/></body>
      <body name="b" pos="0 0 .5"><freejoint/><geom type="sphere" size=".1"/></body></worldbody></mujoco>"""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ours.MjModel.from_xml_string(text)
    data = ours.MjData(model)
    assert model.nmocap == 1 and model.body("target").mocapid == 0
    data.mocap_pos[0] = [1, 2, 3]
    data.mocap_quat[0] = [np.cos(np.pi / 4), np.sin(np.pi / 4), 0, 0]
    ours.mj_forward(model, data)
    assert data.body("target").xpos == pytest.approx([1, 2, 3]) and data.site("t").xpos == pytest.approx([1, 1.5, 3])
    assert data.geom("mark").xpos == pytest.approx([1, 2, 3]) and model.geom("mark").id == 1
    ours.mj_resetData(model, data)
    assert data.mocap_pos[0] == pytest.approx([1, 0, 1])


def test_bodies_that_are_moved_by_hand_hold_and_touch() -> None:
    text = """<mujoco><option gravity="0 0 0"/><worldbody><body name="hand" mocap="true" pos="0 0 1">
      <geom name="palm" type="box" size=".1 .1 .1"/></body>
      <body name="held" pos="0 0 2"><freejoint/><geom type="sphere" size=".1" mass="1" contype="0" conaffinity="0"/></body>
      <body name="ball" pos="0.25 0 1"><freejoint/><geom type="sphere" size=".1" mass="1"/></body></worldbody>
      <equality><weld body1="hand" body2="held"/></equality></mujoco>"""
    model = ours.MjModel.from_xml_string(text)
    data = ours.MjData(model)
    for k in range(100):
        data.mocap_pos[0] = [0.001 * k, 0, 1]
        ours.mj_step(model, data)
    again = pickle.loads(pickle.dumps(data))
    for _ in range(200):
        ours.mj_step(model, data)
    assert data.body("held").xpos == pytest.approx([0.099, 0, 2], abs=1e-3)
    assert data.body("hand").xpos == pytest.approx([0.099, 0, 1])
    assert data.body("ball").xpos[0] >= 0.099 + 0.2 - 1e-3, "it was pushed away"
    assert again.body("hand").xpos == pytest.approx([0.099, 0, 1]) and again.time == pytest.approx(0.2)


def test_quaternions_and_poses() -> None:
    theirs = pytest.importorskip("mujoco", reason="mujoco is not installed")
    dice = np.random.default_rng(3)
    for _ in range(20):
        a, b = dice.normal(size=(2, 4))
        a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
        v, w = dice.normal(size=(2, 3))
        six, turn = dice.normal(size=6), np.zeros(9)
        ours.mju_quat2Mat(turn, b)
        calls: list[tuple[str, int, tuple[Any, ...]]] = [
            ("mju_mulQuat", 4, (a, b)), ("mju_negQuat", 4, (a,)), ("mju_quat2Mat", 9, (a,)), ("mju_mat2Quat", 4, (turn,)),
            ("mju_rotVecQuat", 3, (v, a)), ("mju_subQuat", 3, (a, b)), ("mju_quat2Vel", 3, (a, 0.3)),
            ("mju_axisAngle2Quat", 4, (v / np.linalg.norm(v), 0.7)), ("mju_derivQuat", 4, (a, v)),
            ("mju_quatZ2Vec", 4, (v,)), ("mju_euler2Quat", 4, (v, "xyz")), ("mju_euler2Quat", 4, (v, "ZyX")),
            ("mju_mulQuatAxis", 4, (a, v)), ("mju_trnVecPose", 3, (v, a, w)), ("mju_cross", 3, (v, w)),
            ("mju_transformSpatial", 6, (six, 0, v, w, turn)), ("mju_transformSpatial", 6, (six, 1, v, w, turn)),
        ]
        for name, n, given in calls:
            expected, found = np.zeros(n), np.zeros(n)
            getattr(theirs, name)(expected, *given)
            getattr(ours, name)(found, *given)
            assert found == pytest.approx(expected, abs=1e-12), name
        for name in ("mju_mulPose", "mju_negPose"):
            given = (v, a, w, b) if name == "mju_mulPose" else (v, a)
            results = [(np.zeros(3), np.zeros(4)), (np.zeros(3), np.zeros(4))]
            getattr(theirs, name)(*results[0], *given)
            getattr(ours, name)(*results[1], *given)
            assert np.concatenate(results[1]) == pytest.approx(np.concatenate(results[0]), abs=1e-12), name
        turned = [a.copy(), a.copy()]
        theirs.mju_quatIntegrate(turned[0], v, 0.4)
        ours.mju_quatIntegrate(turned[1], v, 0.4)
        assert turned[1] == pytest.approx(turned[0], abs=1e-12)


def test_enumerations_are_those_of_mujoco() -> None:
    theirs = pytest.importorskip("mujoco", reason="mujoco is not installed")
    for name in ours._enums.NAMES:
        expected = {key: int(value) for key, value in getattr(theirs, name).__members__.items()}
        found = {key: int(value) for key, value in getattr(ours, name).__members__.items()}
        # Later versions add members behind the others.
        assert {key: found.get(key) for key in expected if key in found} == {k: v for k, v in expected.items() if k in found}
        assert theirs.mj_version() < 4000000 or expected == found, name


def test_functions_agree() -> None:
    theirs = pytest.importorskip("mujoco", reason="mujoco is not installed")
    answers = []
    for mujoco in (theirs, ours):
        m = mujoco.MjModel.from_xml_string(SENSED)
        d = mujoco.MjData(m)
        mujoco.mj_resetDataKeyframe(m, d, 0)
        d.qvel[:] = np.linspace(-0.5, 0.5, m.nv)
        d.ctrl[0] = 0.3
        mujoco.mj_forward(m, d)
        mujoco.mj_subtreeVel(m, d)
        mujoco.mj_rnePostConstraint(m, d)
        lower, hand = m.body("lower").id, m.site("hand").id
        out: dict[str, Any] = {"qacc": d.qacc.copy(), "linvel": d.subtree_linvel.copy(), "angmom": d.subtree_angmom.copy()}
        out |= {"cdof": d.cdof.copy(), "anchor": d.xanchor[1:].copy(), "axis": d.xaxis[1:].copy(), "cacc": d.cacc.copy()}
        out |= {"smooth": d.qacc_smooth.copy(), "force": d.qfrc_smooth.copy(), "length": d.actuator_length.copy()}
        for kind in ("mjOBJ_XBODY", "mjOBJ_BODY", "mjOBJ_SITE"):
            for local in (0, 1):
                of = hand if kind == "mjOBJ_SITE" else lower
                if kind == "mjOBJ_BODY" and local:
                    continue
                velocity, acceleration = np.zeros(6), np.zeros(6)
                mujoco.mj_objectVelocity(m, d, getattr(mujoco.mjtObj, kind), of, velocity, local)
                mujoco.mj_objectAcceleration(m, d, getattr(mujoco.mjtObj, kind), of, acceleration, local)
                out |= {f"velocity of {kind} {local}": velocity, f"acceleration of {kind} {local}": acceleration}
        applied, rne, rate, mean = np.zeros(m.nv), np.zeros(m.nv), np.zeros((3, m.nv)), np.zeros((3, m.nv))
        mujoco.mj_applyFT(m, d, np.array([1.0, 2, 3]), np.array([0.1, 0.2, 0.3]), d.site_xpos[hand], lower, applied)
        mujoco.mj_rne(m, d, 0, rne)
        mujoco.mj_jacDot(m, d, rate, None, d.site_xpos[hand], lower)
        mujoco.mj_jacSubtreeCom(m, d, mean, lower)
        solved, product = np.zeros((1, m.nv)), np.zeros(m.nv)
        mujoco.mj_solveM(m, d, solved, np.arange(m.nv)[None].astype(float))
        mujoco.mj_mulM(m, d, product, np.arange(m.nv).astype(float))
        out |= {"applied": applied, "rne": rne, "rate": rate, "mean": mean, "solved": solved, "product": product}
        A, B = np.zeros((2 * m.nv, 2 * m.nv)), np.zeros((2 * m.nv, m.nu))
        mujoco.mjd_transitionFD(m, d, 1e-6, 1, A, B, None, None)
        out |= {"A": A, "B": B}
        answers.append(out)
    for key, expected in answers[0].items():
        near = 2e-3 if key in ("A", "B") else 1e-6
        assert answers[1][key] == pytest.approx(expected, abs=near, rel=1e-5), key


def test_states_by_their_parts() -> None:
    model = ours.MjModel.from_xml_string(SENSED)
    data, other = ours.MjData(model), ours.MjData(model)
    data.qvel[:], data.ctrl[:], data.time = 0.3, 0.7, 2.0
    parts = ours.mjtState.mjSTATE_FULLPHYSICS.value | ours.mjtState.mjSTATE_CTRL.value
    state = np.zeros(ours.mj_stateSize(model, parts))
    assert len(state) == 1 + model.nq + model.nv + model.nu
    ours.mj_getState(model, data, state, parts)
    ours.mj_setState(model, other, state, parts)
    assert (other.qvel == data.qvel).all() and other.ctrl[0] == 0.7 and other.time == 2.0
    ours.mj_resetData(model, other)
    ours.mj_copyData(other, model, data)
    assert (other.qvel == data.qvel).all() and other.time == 2.0
    with pytest.raises(ours.FatalError, match="invalid state signature"):
        ours.mj_stateSize(model, 1 << 20)


def test_pictures() -> None:
    text = """<mujoco><worldbody><geom name="floor" type="plane" size="5 5 .1"/>
      <body name="b" pos="0 0 1"><geom name="mark" type="box" size=".1 .1 .1" contype="0" conaffinity="0" rgba="1 0 0 1"/></body>
      <body name="ball" pos="0 0 2"><freejoint/><geom name="ball" type="sphere" size=".2"/></body>
      <camera name="top" pos="0 0 4" fovy="60"/></worldbody></mujoco>"""
    model = ours.MjModel.from_xml_string(text)
    data = ours.MjData(model)
    with ours.Renderer(model, 60, 80) as renderer:
        with pytest.raises(RuntimeError, match="update_scene first"):
            renderer.render()
        renderer.update_scene(data, camera="top")
        colours = renderer.render()
        assert colours.shape == (60, 80, 3) and colours.dtype == np.uint8
        renderer.enable_depth_rendering()
        depth = renderer.render()
        # Half a pixel aside of the middle, the ball of 0.2 m at 2 m is met a little farther down.
        slope = 2 * (0.5 / 30 * np.tan(np.pi / 6)) ** 2
        ball = (2 - np.sqrt(0.04 - slope * (4 - 0.04))) / (1 + slope)
        assert depth[30, 40] == pytest.approx(ball, abs=1e-6) and depth[0, 0] == pytest.approx(4.0, rel=1e-3)
        renderer.disable_depth_rendering()
        renderer.enable_segmentation_rendering()
        objects = renderer.render()
        assert tuple(objects[30, 40]) == (model.geom("ball").id, ours.mjtObj.mjOBJ_GEOM)
        assert tuple(objects[0, 0]) == (model.geom("floor").id, ours.mjtObj.mjOBJ_GEOM)
        data.qpos[0] = 1.0
        renderer.update_scene(data, camera="top")
        assert renderer.render()[30, 40, 0] == model.geom("mark").id
        renderer.disable_segmentation_rendering()
        assert renderer.render()[30, 40].argmax() == 0
        model.geom("mark").rgba = [0, 0, 1, 1]
        assert renderer.render()[30, 40].argmax() == 2 and (renderer.render()[0, 0] == colours[0, 0]).all()
        renderer.enable_segmentation_rendering()
        camera = ours.MjvCamera()
        camera.lookat[:] = (1.0, 0.0, 2.0)
        camera.distance, camera.elevation, camera.azimuth = 2.0, 0.0, 0.0
        renderer.update_scene(data, camera)
        renderer.enable_depth_rendering()
        assert renderer.render()[30, 40] == pytest.approx(1.8, abs=2e-3)
    with pytest.raises(ValueError, match="width is 700; expected 1 to 640"):
        ours.Renderer(model, 60, 700)


def test_a_page_shows_what_a_script_steps() -> None:
    import urllib.request

    model = ours.MjModel.from_xml_string(SENSED)
    data = ours.MjData(model)
    with ours.viewer.launch_passive(model, data) as viewer:
        assert viewer.is_running() and viewer.url
        with viewer.lock():
            ours.mj_step(model, data, 5)
        viewer.sync()
        with urllib.request.urlopen(viewer.url, timeout=10) as page:
            assert b"<html" in page.read(2000).lower()
        with pytest.raises(ours.NotOffered):
            viewer.cam.distance = 3.0
    assert not viewer.is_running()
    ours.viewer.launch(model, data, seconds=0.05)
    assert data.time >= 0.05


def test_the_table_of_expressions_has_nothing_unclear() -> None:
    import os
    from pathlib import Path

    theirs = pytest.importorskip("mujoco", reason="mujoco is not installed")
    if theirs.mj_version() < 4000000:
        pytest.skip("the table is of MuJoCo 4")
    rows = mujoco_expressions.table(theirs, ours)
    assert [row for row in rows if row[1] == "unclear"] == []
    assert sum(row[1] == "right" for row in rows) >= 270
    page = mujoco_expressions.page(rows)
    path = Path(__file__).parents[3] / "docs/mujoco-names.md"
    if os.environ.get("STICTION_WRITE_DOCS"):
        path.write_text(page, encoding="utf-8")
    assert page == path.read_text(encoding="utf-8"), "docs/mujoco-names.md is old; STICTION_WRITE_DOCS=1 writes it again"


def test_marks_are_put_elsewhere_and_flags_act() -> None:
    text = """<mujoco><worldbody><geom type="plane" size="5 5 .1"/>
      <geom name="mark" type="sphere" size=".1" contype="0" conaffinity="0" pos="1 0 1"/><site name="s" pos="0 1 0"/>
      <body name="goal" pos="2 0 0"><site name="g" pos="0 0 .5"/><geom name="flag" type="box" size=".1 .1 .1" contype="0" conaffinity="0"/></body>
      <body name="b" pos="0 0 1"><joint name="x" type="slide" axis="0 0 1"/><geom type="sphere" size=".1" mass="1"/></body></worldbody>
      <actuator><motor name="m" joint="x"/></actuator></mujoco>"""
    model = ours.MjModel.from_xml_string(text)
    data = ours.MjData(model)
    model.geom("mark").pos = [3, 0, 0]
    model.geom("mark").size[0] = 0.2
    model.site("s").pos[1] = 5.0
    model.body("goal").pos = [0, 7, 0]
    assert data.geom("mark").xpos == pytest.approx([3, 0, 0]) and data.site("s").xpos == pytest.approx([0, 5, 0])
    assert data.site("g").xpos == pytest.approx([0, 7, 0.5]) and data.geom("flag").xpos == pytest.approx([0, 7, 0])
    model.geom("mark").pos = [1, 0, 1]
    model.body("goal").pos = [2, 0, 0]
    ours.mj_forward(model, data)
    assert data.geom("mark").xpos == pytest.approx([1, 0, 1]) and data.site("g").xpos == pytest.approx([2, 0, 0.5])
    data.ctrl[0] = 5.0
    bits = ours.mjtDisableBit
    for flags, expected in ((0, 5 - 9.81), (bits.mjDSBL_ACTUATION, -9.81), (bits.mjDSBL_GRAVITY, 5.0)):
        model.opt.disableflags = flags
        ours.mj_forward(model, data)
        assert data.qacc[0] == pytest.approx(expected)


def test_places_of_bodies_and_of_sites_that_sensors_read() -> None:
    text = """<mujoco><worldbody><body name="shelf" pos="0 0 1"><geom type="box" size=".3 .3 .1"/>
      <body name="arm" pos="0 0 .5"><joint name="j" axis="0 1 0"/><geom type="sphere" size=".05" mass="1" pos=".2 0 0"/>
        <site name="tip" pos=".2 0 0"/></body></body>
      <body name="ball" pos="0 0 2"><freejoint/><geom type="sphere" size=".1" mass="1"/></body></worldbody>
      <sensor><framepos name="tip" objtype="site" objname="tip"/></sensor></mujoco>"""
    model = ours.MjModel.from_xml_string(text)
    data = ours.MjData(model)
    model.body("shelf").pos = [0, 0, 0.5]
    model.body("arm").pos = [1, 0, 0.5]
    model.site("tip").pos = [0.4, 0, 0]
    ours.mj_forward(model, data)
    assert data.body("arm").xpos == pytest.approx([1, 0, 1.0]) and data.xanchor[0] == pytest.approx([1, 0, 1.0])
    assert data.site("tip").xpos == pytest.approx([1.4, 0, 1.0]) and data.sensor("tip").data == pytest.approx([1.4, 0, 1.0])
    for _ in range(1000):
        ours.mj_step(model, data)
    assert data.body("ball").xpos[2] == pytest.approx(0.7, abs=1e-4), "it lies on the shelf where that is now"
    jacobian = np.zeros((3, model.nv))
    ours.mj_jacSite(model, data, jacobian, None, 0)
    arm = data.site("tip").xpos - data.body("arm").xpos
    assert jacobian[:, 0] == pytest.approx(np.cross([0, 1, 0], arm))
    model.body("shelf").pos = [0, 0, 1]
    ours.mj_forward(model, data)
    assert data.body("shelf").xpos == pytest.approx([0, 0, 1]) and data.body("arm").xpos == pytest.approx([1, 0, 1.5])


def test_quaternions_that_a_script_writes_are_given_unit_norm() -> None:
    """As Gymnasium's environments do, which add noise to all of qpos."""
    model = ours.MjModel.from_xml_string(SENSED)
    twice, once = ours.MjData(model), ours.MjData(model)
    places = twice._quaternions
    assert len(places) > 0
    twice.qpos[places] *= 2.0
    for data in (twice, once):
        ours.mj_forward(model, data)
        ours.mj_step(model, data, 3)
    assert np.abs(twice.qpos - once.qpos).max() < 1e-12
    twice.qpos[places] = np.nan
    with pytest.raises(stiction.Error):
        ours.mj_step(model, twice)


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
@pytest.mark.parametrize("condim", [4, 6])
def test_spinning_and_rolling_friction_is_mujocos(cone: str, condim: int) -> None:
    """A step of a ball that slides, spins and rolls, beside MuJoCo's, its cones and its pyramids."""
    theirs = pytest.importorskip("mujoco", reason="mujoco is not installed: the witness of condim 4 and 6 is missing")
    text = f"""<mujoco><option timestep=".002" cone="{cone}" tolerance="1e-14" iterations="200"/><worldbody>
      <geom type="plane" size="5 5 .1" condim="3" friction=".1 .001 .001"/>
      <body name="ball" pos="0 0 .0999"><freejoint/>
        <geom size=".1" mass="2" condim="{condim}" friction=".4 .02 .01"/></body></worldbody></mujoco>"""
    theirs_model = theirs.MjModel.from_xml_string(text)
    contact = "mujoco" if cone == "elliptic" else "mujoco-pyramidal"
    simulation = stiction.Simulation(stiction.loads(text), contact=contact, tolerance=1e-12, dt=0.002)
    random = np.random.default_rng(1)
    braked = 0.0
    for _ in range(50):
        theirs_data = theirs.MjData(theirs_model)
        start = random.normal(size=6) * [0.3, 0.3, 0.1, 3.0, 3.0, 10.0]
        theirs_data.qvel[:] = start
        theirs.mj_step(theirs_model, theirs_data)
        simulation.set_state(theirs_model.qpos0, start)
        simulation.step()
        assert np.abs(theirs_data.qvel - np.asarray(simulation.v)).max() < 1e-6, (start, theirs_data.qvel, simulation.v)
        braked = max(braked, abs(theirs_data.qvel[5] - start[5]))
    assert braked > 0.1
