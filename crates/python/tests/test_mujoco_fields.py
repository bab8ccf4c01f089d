"""Fields under MuJoCo's names: one array each, written by every function, of all that MuJoCo has, and beside MuJoCo."""

from __future__ import annotations

import contextlib
import copy
import pickle
import timeit
import weakref
from typing import Any

import numpy as np
import pytest

import stiction
import stiction.mujoco as ours
from stiction.mujoco import _fields

RICH = """<mujoco model="rich"><compiler angle="radian"/><option timestep=".003" cone="elliptic" impratio="2"/>
<visual><global offwidth="700"/><map znear=".02"/></visual>
<default><geom solmix="2"/><default class="a"><geom group="2" rgba="1 0 0 1"/><joint armature=".1" margin=".01"/></default></default>
<asset><texture name="t" type="2d" builtin="checker" width="8" height="8" rgb1="0 0 0" rgb2="1 1 1"/><material name="mm" texture="t" shininess=".1"/></asset>
<custom><numeric name="n" data="1 2 3"/><text name="tx" data="hello"/></custom>
<worldbody><light name="L" pos="0 0 3" dir="0 1 -1"/><camera name="c" pos="0 -2 1" mode="targetbody" target="b"/>
<geom name="floor" type="plane" size="3 3 .1" rgba=".1 .2 .3 1" material="mm"/>
<body name="b" pos="0 0 2" childclass="a"><freejoint name="f"/><geom name="g" type="box" size=".1 .2 .3" user="1 2" priority="1"/>
 <site name="s" pos=".1 0 0" group="3" user="4"/><camera name="t" pos="1 0 0" mode="trackcom"/>
 <body name="c" pos=".2 0 0"><joint name="h" axis="0 1 0" range="-1 1" limited="true" stiffness="3" damping=".2"/>
  <geom type="capsule" fromto="0 0 0 .3 0 0" size=".02"/>
  <body name="e" pos=".3 0 0" euler=".1 .2 .3"><joint name="bj" type="ball"/><geom type="ellipsoid" size=".1 .05 .02" pos=".1 0 0"/>
  <light name="L2" pos="0 0 .1"/></body></body></body>
<body name="p" pos="2 0 2"><joint name="sl" type="slide" axis="0 0 1" frictionloss=".1"/><geom type="cylinder" size=".1 .2" mass="2"/>
 <body name="q" pos="0 .3 0"><geom size=".05"/></body></body>
<body name="mo" mocap="true" pos="1 1 1"><geom size=".1" contype="0" conaffinity="0"/></body></worldbody>
<tendon><fixed name="te"><joint joint="h" coef="2"/><joint joint="sl" coef="-1"/></fixed></tendon>
<contact><exclude name="ex" body1="b" body2="p"/></contact>
<equality><joint name="eq" joint1="h" joint2="sl" polycoef="0 1 0 0 0" active="false"/><weld name="w" body1="b" body2="p" active="false"/></equality>
<actuator><motor name="m1" joint="h" gear="2" group="1"/><position name="p1" joint="sl" kp="10" kv="40" ctrlrange="-1 1"/><motor name="m2" tendon="te"/></actuator>
<sensor><gyro name="gy" site="s"/><jointpos name="jp" joint="h"/><framequat name="fq" objtype="xbody" objname="c"/><touch name="to" site="s"/>
<actuatorfrc name="af" actuator="p1"/></sensor>
<keyframe><key name="k0" time="1"/><key name="k1" ctrl=".1 .2 .3"/></keyframe></mujoco>"""

BALL = """<mujoco><option timestep="0.01" gravity="0 0 -{g}"/><worldbody><geom type="plane" size="5 5 .1"/>
<body name="b" pos="0 0 9"><freejoint/><geom name="ball" size=".1" mass="1"/></body></worldbody></mujoco>"""

#: What of MuJoCo's ways to compute is none here, and is told as nothing: memory, trees of boxes, hashes, rows of its solver, islands.
NONE_HERE = (
    "body_simple narena nbuffer nbvh nbvhstatic body_bvhadr body_bvhnum bvh_depth bvh_nodeid bvh_child bvh_aabb bvh_active nnames_map names_map nemax "
    "signature ntexdata tex_data qH qDeriv qLU efm_fluid wrap_obj wrap_xpos tree_island dof_island map_itree2tree map_dof2idof map_idof2dof "
    "parent_awake_ind"
).split()
#: A matrix (nu, nv), as before MuJoCo 3.2; rows of eleven, as before MuJoCo 4.
OTHER = ("actuator_moment", "eq_data")


def made(text: str, mj: Any = ours) -> tuple[Any, Any]:
    model = mj.MjModel.from_xml_string(text)
    return model, mj.MjData(model)


def moving(mj: Any) -> tuple[Any, Any]:
    model, data = made(RICH, mj)
    data.qvel[:], data.ctrl[:] = np.linspace(-0.5, 0.5, model.nv), 0.1
    data.qpos[7:12] = 0.3, *(np.array([1.0, 0.2, 0.3, 0.1]) / np.sqrt(1.14))
    mj.mj_forward(model, data)
    mj.mj_subtreeVel(model, data)
    mj.mj_rnePostConstraint(model, data)
    return model, data


def test_fields_are_mujocos() -> None:
    """Every field that is offered has MuJoCo's shape and numbers."""
    theirs = pytest.importorskip("mujoco", reason="mujoco is not installed")
    if theirs.mj_version() < 4000000:
        pytest.skip("the fields are those of MuJoCo 4")
    wrong, missing = [], []
    for expected, found, names in zip(
        moving(theirs), moving(ours), ((*_fields.MODEL_NUMBERS, *_fields.MODEL), tuple(_fields.DATA)), strict=True
    ):
        for name in names:
            if not hasattr(expected, name) or name in (*NONE_HERE, *OTHER) or name.startswith(("efc_", "iefc_", "island", "ifrc", "iacc", "map_")):
                continue
            want = np.asarray(getattr(expected, name))
            try:
                have = np.asarray(getattr(found, name))
            except ours.NotOffered:
                missing.append(name)
                continue
            same = want.shape == have.shape and (want.dtype == have.dtype or want.shape == ())
            # Dry friction of the state is the limit of short steps here.
            near = 5e-4 if name == "qfrc_constraint" else 2e-6
            if not (same and np.allclose(want.astype(float), have.astype(float), atol=near, rtol=1e-5)):
                wrong.append((name, want.ravel()[:6], have.ravel()[:6]))
    assert wrong == []
    assert len(missing) <= 20, missing


def test_a_field_is_one_array_whoever_holds_it() -> None:
    model, data = made(RICH)
    held, weak, row = data.xpos, weakref.proxy(data.site_xpos), data.body("e").xpos
    bias, reading, force = data.qfrc_bias, data.sensordata, data.sensor("jp").data
    data.qpos[2], data.qpos[7] = 5.0, 0.5
    assert held[1, 2] == 2.0, "nothing was computed yet"
    ours.mj_fwdPosition(model, data)
    assert held[1, 2] == 5.0 and weak[0, 2] == 5.0 and row is data.body("e").xpos and (row == held[3]).all()
    ours.mj_step(model, data, 3)
    fresh = ours.MjData(model)
    fresh.set_state(data.qpos, data.qvel, data.time)
    assert (bias == fresh.qfrc_bias).all() and force[0] == data.qpos[7] and reading[3] == force[0]
    assert data.xpos is held and data.qfrc_bias is bias and model.geom("g").size is model.geom("g").size
    held[:] = 7.0
    ours.mj_forward(model, data)
    assert held[1, 2] == data.qpos[2], "what is written into a result lasts until the next call, as in MuJoCo"
    for field in ("data.xpos", "data.qpos", "data.sensordata", "model.body_mass"):
        microseconds = min(timeit.repeat(field, globals={"data": data, "model": model}, number=1000, repeat=5)) * 1e3
        assert microseconds < 1.0, field


def test_the_model_of_the_call_acts() -> None:
    light, data = made(BALL.format(g=1))
    heavy = ours.MjModel.from_xml_string(BALL.format(g=5))
    ours.mj_step(heavy, data, 20)
    assert data.qvel[2] == pytest.approx(-1.0) and data.model is light
    ours.mj_step(light, data, 20)
    assert data.qvel[2] == pytest.approx(-1.2)
    start = np.zeros(ours.mj_stateSize(light, ours.mjtState.mjSTATE_FULLPHYSICS))
    ours.mj_getState(light, ours.MjData(light), start, ours.mjtState.mjSTATE_FULLPHYSICS)
    states, _ = ours.rollout.rollout([light, heavy], [ours.MjData(light)], [start, start], nstep=10)
    assert states[:, -1, 10] == pytest.approx([-0.1, -0.5])
    with pytest.raises(stiction.Error, match="the model has nq = "):
        ours.mj_step(ours.MjModel.from_xml_string(RICH), data)


def test_forces_after_forward_are_of_the_state() -> None:
    """A damper so stiff that a step takes it at its end."""
    model, data = made(RICH.replace('kv="40"', 'kv="400"'))
    data.qvel[10], data.ctrl[1] = 2.0, 0.5
    ours.mj_forward(model, data)
    expected = 10 * (0.5 - data.qpos[12]) - 400 * 2.0
    assert data.actuator_force[1] == pytest.approx(expected) and data.qfrc_actuator[10] == pytest.approx(expected)
    assert data.sensor("af").data[0] == pytest.approx(expected)
    ours.mj_step(model, data)
    assert abs(data.actuator_force[1]) < 700, "the mean of the step, in which it was slowed down"


def test_numbers_that_act_are_written_and_others_are_refused() -> None:
    text = """<mujoco><worldbody><geom type="plane" size="5 5 .1"/>
      <body name="b" pos="0 0 .5"><freejoint/><geom name="ball" size=".1" mass="1"/></body>
      <body name="c" pos="3 0 3"><joint name="j" type="slide" axis="1 0 0" range="-1 1"/><geom size=".1" mass="1" contype="0" conaffinity="0"/></body></worldbody>
      <actuator><motor name="m" joint="j" ctrlrange="-1 1" gear="1"/></actuator></mujoco>"""
    model, data = made(text)
    model.geom("ball").size[0] = 0.2
    model.actuator_gear[0, 0] = 3.0
    model.actuator("m").ctrlrange = [-5, 5]
    data.ctrl[0] = 4.0
    ours.mj_step(model, data)
    assert data.qvel[6] == pytest.approx(12 * 0.002)
    model.jnt_range[1] = [-0.01, 0.01]
    ours.mj_step(model, data, 1000)
    assert data.qpos[2] == pytest.approx(0.2, abs=1e-4) and data.qpos[7] == pytest.approx(0.01, abs=1e-3)
    flags = ours.mjtDisableBit
    model.opt.disableflags = flags.mjDSBL_CONTACT | flags.mjDSBL_LIMIT
    ours.mj_step(model, data, 50)
    assert data.qpos[2] < 0.18 and data.qpos[7] > 0.02 and data.ncon == 0
    model.opt.disableflags = 0
    model.jnt_axis[1] = [0, 1, 0]
    with pytest.raises(ours.NotOffered, match="to set MjModel.jnt_axis: it has no effect here"):
        ours.mj_step(model, data)
    with pytest.raises(ours.NotOffered, match="opt.cone of a model: it has no effect"):
        model.opt.cone = 1


def test_welds_are_given_other_poses() -> None:
    text = """<mujoco><option gravity="0 0 0"/><worldbody><body name="hand" mocap="true" pos="0 0 1"><geom size=".05" contype="0" conaffinity="0"/></body>
      <body name="held" pos="0 0 1.3"><freejoint/><geom size=".1" mass="1" contype="0" conaffinity="0"/></body></worldbody>
      <equality><weld body1="hand" body2="held"/></equality></mujoco>"""
    model, data = made(text)
    assert model.eq_type[0] == 1 and model.eq_data[0, 3:10] == pytest.approx([0, 0, 0.3, 1, 0, 0, 0])
    model.eq_data[0, 3:10] = [0, 0, 0.1, 1, 0, 0, 0]
    for _ in range(400):
        ours.mj_step(model, data)
    assert data.body("held").xpos == pytest.approx([0, 0, 1.1], abs=2e-3)
    model.eq_data[0, 10] = -3.0
    with pytest.raises(ours.NotOffered, match=r"to set eq_data\[0\]"):
        ours.mj_step(model, data)


def test_what_is_fixed_to_a_body_that_stands_is_put_elsewhere() -> None:
    text = """<mujoco><worldbody><body name="table" pos="0 0 1"><geom type="box" size=".5 .5 .1"/>
      <body name="block" pos="0 0 .2"><geom type="box" size=".1 .1 .1"/><site name="top" pos="0 0 .1"/></body></body>
      <body name="ball" pos="0.3 0 1.5"><freejoint/><geom size=".05" mass="1"/></body></worldbody></mujoco>"""
    model, data = made(text)
    model.body("block").pos = [0.3, 0, 0.2]
    ours.mj_forward(model, data)
    assert data.body("block").xpos == pytest.approx([0.3, 0, 1.2]) and data.site("top").xpos == pytest.approx([0.3, 0, 1.3])
    ours.mj_step(model, data, 500)
    assert data.body("ball").xpos[2] == pytest.approx(1.35, abs=1e-4), "it lies on the block where that is now"
    model.body("block").pos = [0, 0, 0.2]
    ours.mj_step(model, data, 500)
    assert data.body("block").xpos == pytest.approx([0, 0, 1.2]) and data.body("ball").xpos[2] == pytest.approx(1.15, abs=1e-4)


def test_structs_need_no_model() -> None:
    for kind, name in (
        (ours.MjOption, "tolerance"), (ours.MjWarningStat, "number"), (ours.MjTimerStat, "number"), (ours.MjSolverStat, "neval"),
        (ours.MjContact, "dist"), (ours.MjStatistic, "extent"), (ours.MjLROpt, "maxforce"), (ours.MjvPerturb, "select"),
        (ours.MjvCamera, "fixedcamid"), (ours.MjvOption, "frame"), (ours.MjvScene, "ngeom"), (ours.MjvFigure, "subplot"),
    ):
        one, other = kind(), kind()
        assert one == other and one != 3
        setattr(one, name, 1)
        again = pickle.loads(pickle.dumps(one))
        assert one != other and copy.copy(one) == one == again and f"{name}: 1" in repr(one)
        with pytest.raises(ours.NotOffered):
            one.misspelt = 1
    theirs = pytest.importorskip("mujoco", reason="mujoco is not installed")
    if theirs.mj_version() >= 4000000:
        for name in ("MjOption", "MjContact", "MjStatistic", "MjvCamera", "MjvGeom", "MjvLight", "MjvOption", "MjvPerturb", "MjLROpt"):
            assert repr(getattr(ours, name)()) == repr(getattr(theirs, name)()), name
    model, data = made(RICH)
    assert model.opt.impratio == 2.0 and model.vis.map.znear == pytest.approx(0.02) and model.vis.global_.offwidth == 700
    assert len(data.warning) == ours.mjtWarning.mjNWARNING and data.warning[0].number == 0
    with pytest.raises(ours.NotOffered, match="pictures with MjvOption.geomgroup"):
        option = ours.MjvOption()
        option.geomgroup[4] = 1
        ours.Renderer(model, 10, 10).update_scene(data, scene_option=option)


def test_callbacks_act() -> None:
    model, data = made(RICH.replace("<sensor>", '<sensor><user name="u" dim="2" objtype="site" objname="s" datatype="real" needstage="vel"/>'))

    def control(m: Any, d: Any) -> None:
        d.ctrl[0] = 0.5

    def passive(m: Any, d: Any) -> None:
        d.qfrc_passive[10] += 7.0

    def sensor(m: Any, d: Any, stage: int) -> None:
        d.sensordata[:2] = stage, 17.0

    told: list[str] = []
    setters = (ours.set_mjcb_control, ours.set_mjcb_passive, ours.set_mjcb_sensor, ours.set_mju_user_warning)
    for setter, callback in zip(setters, (control, passive, sensor, told.append)):
        setter(callback)
    try:
        ours.mj_forward(model, data)
        other = ours.MjData(model)
        other.ctrl[0], other.qfrc_applied[10] = 0.5, 7.0
        for setter in setters[:3]:
            setter(None)
        ours.mj_forward(model, other)
        assert data.qacc == pytest.approx(other.qacc) and not data.qfrc_applied.any()
        assert data.sensordata[:2] == pytest.approx([2, 17]) and data.sensor("u").data == pytest.approx([2, 17])
        data.qpos[0] = np.nan
        ours.mj_checkPos(model, data)
        assert data.warning[ours.mjtWarning.mjWARN_BADQPOS].number == 1 and "QPOS" in told[0] and data.qpos[0] == 0.0
    finally:
        for setter in setters:
            setter(None)
    with pytest.raises(TypeError, match="Optional"):
        ours.set_mjcb_time(1)
    ours.mj_step(model, data, 3)
    assert data.timer[ours.mjtTimer.mjTIMER_STEP].number == 3 and data.timer[ours.mjtTimer.mjTIMER_STEP].duration > 0


def test_sensors_that_follow_from_frames() -> None:
    theirs = pytest.importorskip("mujoco", reason="mujoco is not installed")
    text = """<mujoco><worldbody><geom name="floor" type="plane" size="3 3 .1"/>
      <body name="a" pos="0 0 1" euler="10 20 30"><freejoint/><geom name="g" type="box" size=".1 .2 .3"/><site name="s" pos=".1 0 0"/></body>
      <body name="b" pos="1 0 1.5"><freejoint/><geom name="h" type="capsule" size=".1 .2"/><geom name="k" size=".1" pos=".3 0 0"/></body></worldbody>
      <sensor><distance geom1="g" geom2="h" cutoff="5"/><normal geom1="g" geom2="h" cutoff="5"/><fromto body1="a" body2="b" cutoff="5"/>
      <distance geom1="floor" geom2="k"/><magnetometer site="s"/><framequat objtype="body" objname="a"/><framezaxis objtype="body" objname="a"/>
      <torque site="s"/><force site="s"/><accelerometer site="s"/></sensor></mujoco>"""
    readings = []
    for mj in (theirs, ours):
        with pytest.warns() if mj is ours else contextlib.nullcontext():
            model, data = made(text, mj)
        data.xfrc_applied[1] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
        mj.mj_forward(model, data)
        readings.append(data.sensordata.copy())
    assert readings[1] == pytest.approx(readings[0], abs=1e-6)


def test_rollouts_check_what_they_are_given() -> None:
    model, data = made(BALL.format(g=1))
    start = np.zeros((2, 14))
    start[:, 4] = 1.0
    warm = np.zeros((2, 6))
    one, _ = ours.rollout.rollout(model, data, start, nstep=4, initial_warmstart=warm)
    with ours.rollout.Rollout(nthread=2) as pool:
        two, _ = pool.rollout(model, [data, copy.copy(data)], start, nstep=4)
    assert (one == two).all() and one.shape == (2, 4, 14)
    for given, why in (
        (dict(data=[]), "The list of data instances is empty"), (dict(initial_state=np.zeros(15)), "trailing dimension of initial_state must be 14, got 15"),
        (dict(control="string"), "control must be a numpy array or float"), (dict(state=np.zeros((3, 4, 14))), "dimension 0 inferred as 3"),
        (dict(control_spec=1), "control_spec can only contain bits in mjSTATE_USER"), (dict(model=[]), "The list of models is empty"),
    ):
        with pytest.raises(ValueError, match=why):
            ours.rollout.rollout(**{"model": model, "data": data, "initial_state": start, "nstep": 4, **given})


def test_what_has_not_changed_is_told_alike() -> None:
    text = RICH.replace('<geom size=".1" contype="0" conaffinity="0"/></body></worldbody>', '<site name="top"/></body></worldbody>')
    model, data = made(text)
    names = ("qM", "qfrc_bias", "qfrc_passive", "sensordata", "actuator_force", "qfrc_actuator", "xpos", "site_xpos", "energy", "ten_length")
    held = {name: getattr(data, name) for name in names}
    changes = (
        ("qpos", 9, 0.3), ("qvel", 3, 0.2), ("ctrl", 1, 0.4), ("qfrc_applied", 6, 0.5), ("xfrc_applied", (2, 0), 2.0), ("mocap_pos", (0, 1), 3.0),
    )
    for name, at, value in ((None, None, None), *changes):
        if name is not None:
            getattr(data, name)[at] = value
        for again in (False, True):
            if again:
                for array in held.values():
                    array += 1.0
            ours.mj_forward(model, data)
            fresh = ours.MjData(model)
            for field in ("qpos", "qvel", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos"):
                getattr(fresh, field)[:] = getattr(data, field)
            ours.mj_forward(model, fresh)
            for field, array in held.items():
                assert array == pytest.approx(getattr(fresh, field), abs=1e-12), f"{field} after {name}"
    model.opt.gravity[2], model.dof_damping[6] = -1.0, 2.0
    ours.mj_step1(model, data)
    ours.mj_step1(model, fresh)
    assert (held["qfrc_bias"] == fresh.qfrc_bias).all() and (held["qfrc_passive"] == fresh.qfrc_passive).all()


def test_what_stands_on_a_turning_plate_goes_with_it() -> None:
    text = """<mujoco><option timestep=".002"/><worldbody><body><joint axis="0 0 1"/><geom type="cylinder" size=".5 .05" mass="50"/></body>
      <body pos=".3 0 .1"><freejoint/><geom type="box" size=".05 .05 .05" mass=".1"/></body></worldbody></mujoco>"""
    model, data = made(text)
    data.qvel[:] = 1, 0, 0.3, 0, 0, 0, 1
    ours.mj_step(model, data, 500)
    assert abs(float(np.hypot(*data.qpos[1:3])) - 0.3) < 1e-5


def test_parts_of_the_world_are_one_body() -> None:
    text = """<mujoco><worldbody><body name="a"><freejoint/><geom name="of_a" size=".1"/></body><geom name="first" size=".2" group="1"/></worldbody>
      <worldbody><body name="b" pos="0 0 1"><freejoint/><geom name="of_b" size=".3" group="2"/></body><geom name="second" size=".4"/></worldbody></mujoco>"""
    model, _ = made(text)
    assert [model.geom(i).name for i in range(4)] == ["first", "second", "of_a", "of_b"]
    assert [model.body(i).name for i in range(3)] == ["world", "a", "b"] and model.geom_group.tolist() == [1, 0, 0, 2]
