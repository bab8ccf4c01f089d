"""What MuJoCo's Python answers to what scripts ask of it most, and what we answer: the table of docs/mujoco-names.md.

Every expression is evaluated in MuJoCo and here, after the same 500 steps of the same world. A verdict is one of

- right: the same answer, within the softness of MuJoCo's contacts;
- other: another answer, for a reason that is in :data:`OTHER`;
- not offered: ``NotOffered`` is raised, by a sentence;
- unclear: anything else. There must be none.
"""

from __future__ import annotations

import copy
import importlib
import pickle
from typing import Any

import numpy as np

XML = """<mujoco><option timestep="0.002"/><visual><global offwidth="640" offheight="480"/></visual>
<worldbody><light pos="0 0 3"/><geom name="floor" type="plane" size="2 2 .1"/>
<body name="torso" pos="0 0 .5"><freejoint name="root"/><geom name="box" type="box" size=".1 .1 .1" mass="1"/><site name="imu"/>
 <camera name="cam" pos="0 -1 .3" xyaxes="1 0 0 0 0.3 1"/>
 <body name="arm" pos=".1 0 0"><joint name="elbow" type="hinge" axis="0 1 0" range="-1 1" limited="true" damping=".1"/><geom name="rod" type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass=".2"/><site name="hand" pos=".3 0 0"/></body></body>
<body name="target" mocap="true" pos="1 0 1"/>
</worldbody>
<actuator><position name="servo" joint="elbow" kp="10" ctrlrange="-1 1"/></actuator>
<sensor><accelerometer name="acc" site="imu"/><gyro name="gyro" site="imu"/><jointpos name="jp" joint="elbow"/><touch name="touch" site="imu"/><framepos name="fp" objtype="site" objname="hand"/></sensor>
<keyframe><key name="home" qpos="0 0 .1 1 0 0 0 .2" ctrl=".2"/></keyframe></mujoco>"""

EXPRESSIONS = [
    "mujoco.__version__",
    "mujoco.mj_versionString()",
    "m.nq",
    "m.nv",
    "m.nu",
    "m.na",
    "m.nbody",
    "m.njnt",
    "m.ngeom",
    "m.nsite",
    "m.nsensor",
    "m.nsensordata",
    "m.nmocap",
    "m.ncam",
    "m.nmesh",
    "m.names",
    "m.opt.timestep",
    "m.opt.gravity",
    "m.opt.iterations",
    "m.opt.integrator",
    "m.opt.cone",
    "m.opt.solver",
    "m.opt.disableflags",
    "m.opt.tolerance",
    "m.stat.extent",
    "m.stat.center",
    "m.vis.global_.offwidth",
    'm.body("torso").id',
    'm.body("torso").mass',
    'm.body("torso").pos',
    'm.body("torso").name',
    'm.geom("box").size',
    'm.geom("box").friction',
    'm.geom("box").bodyid',
    'm.geom("box").rgba',
    'm.joint("elbow").range',
    'm.joint("elbow").qposadr',
    'm.joint("elbow").dofadr',
    'm.actuator("servo").ctrlrange',
    'm.actuator("servo").id',
    'm.sensor("acc").adr',
    'm.site("hand").pos',
    'm.camera("cam").id',
    'm.key("home").qpos',
    'm.key("home").id',
    "m.ntendon",
    "m.body_mass",
    "m.body_inertia",
    "m.body_ipos",
    "m.body_pos",
    "m.body_quat",
    "m.body_parentid",
    "m.body_rootid",
    "m.body_jntadr",
    "m.body_jntnum",
    "m.body_geomadr",
    "m.body_geomnum",
    "m.body_subtreemass",
    "m.body_mocapid",
    "m.body_weldid",
    "m.body_invweight0",
    "m.jnt_type",
    "m.jnt_range",
    "m.jnt_qposadr",
    "m.jnt_dofadr",
    "m.jnt_bodyid",
    "m.jnt_axis",
    "m.jnt_pos",
    "m.jnt_stiffness",
    "m.jnt_limited",
    "m.dof_damping",
    "m.dof_armature",
    "m.dof_frictionloss",
    "m.dof_jntid",
    "m.dof_bodyid",
    "m.geom_type",
    "m.geom_size",
    "m.geom_pos",
    "m.geom_quat",
    "m.geom_friction",
    "m.geom_bodyid",
    "m.geom_rgba",
    "m.geom_solref",
    "m.geom_contype",
    "m.geom_group",
    "m.site_pos",
    "m.site_bodyid",
    "m.actuator_ctrlrange",
    "m.actuator_gainprm",
    "m.actuator_biasprm",
    "m.actuator_forcerange",
    "m.actuator_trnid",
    "m.actuator_gear",
    "m.sensor_adr",
    "m.sensor_dim",
    "m.sensor_type",
    "m.qpos0",
    "m.qpos_spring",
    "m.key_qpos",
    "m.key_ctrl",
    "m.cam_fovy",
    "m.eq_data",
    "m.tendon_length0",
    "m.exclude_signature",
    "d.time",
    "d.qpos",
    "d.qvel",
    "d.qacc",
    "d.ctrl",
    "d.act",
    "d.qacc_warmstart",
    "d.qfrc_applied",
    "d.xfrc_applied",
    "d.mocap_pos",
    "d.mocap_quat",
    "d.xpos",
    "d.xquat",
    "d.xmat",
    "d.xipos",
    "d.ximat",
    "d.xanchor",
    "d.xaxis",
    "d.geom_xpos",
    "d.geom_xmat",
    "d.site_xpos",
    "d.site_xmat",
    "d.cam_xpos",
    "d.subtree_com",
    "d.subtree_linvel",
    "d.subtree_angmom",
    "d.cvel",
    "d.cdof",
    "d.cacc",
    "d.cfrc_int",
    "d.cfrc_ext",
    "d.cinert",
    "d.ncon",
    "d.contact",
    "d.contact.geom1",
    "d.contact.geom",
    "d.contact.dist",
    "d.contact.pos",
    "d.contact[0].geom1",
    "d.contact[0].dist",
    "d.contact[0].frame",
    "d.contact[0].friction",
    "d.contact[0].solref",
    "d.contact[0].includemargin",
    "d.contact[0].efc_address",
    "d.nefc",
    "d.efc_force",
    "d.efc_J",
    "d.qM",
    "d.qfrc_bias",
    "d.qfrc_passive",
    "d.qfrc_actuator",
    "d.qfrc_constraint",
    "d.qfrc_inverse",
    "d.qfrc_smooth",
    "d.qacc_smooth",
    "d.actuator_force",
    "d.actuator_length",
    "d.actuator_velocity",
    "d.actuator_moment",
    "d.sensordata",
    "d.energy",
    "d.warning",
    "d.solver_niter",
    "d.ten_length",
    "d.eq_active",
    "d.userdata",
    'd.body("torso").xpos',
    'd.body("torso").cvel',
    'd.body("torso").subtree_com',
    'd.geom("box").xpos',
    'd.site("hand").xpos',
    'd.site("hand").xmat',
    'd.joint("elbow").qpos',
    'd.joint("elbow").qvel',
    'd.joint("elbow").qacc',
    'd.joint("root").qpos',
    'd.sensor("acc").data',
    'd.sensor("touch").data',
    'd.actuator("servo").ctrl',
    'd.actuator("servo").force',
    'd.camera("cam").xpos',
    'd.qpos[m.joint("elbow").qposadr]',
    'mujoco.mj_name2id(m,mujoco.mjtObj.mjOBJ_BODY,"arm")',
    'mujoco.mj_name2id(m,mujoco.mjtObj.mjOBJ_BODY.value,"arm")',
    'mujoco.mj_name2id(m,1,"arm")',
    "mujoco.mj_id2name(m,mujoco.mjtObj.mjOBJ_GEOM,1)",
    'mujoco.mj_name2id(m,mujoco.mjtObj.mjOBJ_BODY,"none")',
    "mujoco.mj_step1(m,d)",
    "mujoco.mj_step2(m,d)",
    "mujoco.mj_forward(m,d)",
    "mujoco.mj_inverse(m,d)",
    "mujoco.mj_kinematics(m,d)",
    "mujoco.mj_comPos(m,d)",
    "mujoco.mj_comVel(m,d)",
    "mujoco.mj_fwdPosition(m,d)",
    "mujoco.mj_fwdVelocity(m,d)",
    "mujoco.mj_fwdActuation(m,d)",
    "mujoco.mj_fwdConstraint(m,d)",
    "mujoco.mj_collision(m,d)",
    "mujoco.mj_crb(m,d)",
    "mujoco.mj_rne(m,d,0,N.zeros(m.nv))",
    "mujoco.mj_rnePostConstraint(m,d)",
    "mujoco.mj_subtreeVel(m,d)",
    "mujoco.mj_energyPos(m,d)",
    "mujoco.mj_sensorPos(m,d)",
    "mujoco.mj_setConst(m,d)",
    "mujoco.mj_camlight(m,d)",
    "mujoco.mj_resetData(m,d)",
    "mujoco.mj_resetDataKeyframe(m,d,0)",
    "mujoco.mj_jac(m,d,N.zeros((3,m.nv)),None,N.zeros(3),1)",
    "mujoco.mj_jacBody(m,d,N.zeros((3,m.nv)),N.zeros((3,m.nv)),1)",
    "mujoco.mj_jacBodyCom(m,d,N.zeros((3,m.nv)),N.zeros((3,m.nv)),1)",
    "mujoco.mj_jacSite(m,d,N.zeros((3,m.nv)),N.zeros((3,m.nv)),1)",
    "mujoco.mj_jacGeom(m,d,N.zeros((3,m.nv)),None,1)",
    "mujoco.mj_jacSubtreeCom(m,d,N.zeros((3,m.nv)),1)",
    "mujoco.mj_jacDot(m,d,N.zeros((3,m.nv)),None,N.zeros(3),1)",
    "mujoco.mj_fullM(m,N.zeros((m.nv,m.nv)),d.qM)",
    "mujoco.mj_mulM(m,d,N.zeros(m.nv),N.zeros(m.nv))",
    "mujoco.mj_solveM(m,d,N.zeros((1,m.nv)),N.zeros((1,m.nv)))",
    "mujoco.mj_contactForce(m,d,0,N.zeros(6))",
    "mujoco.mj_objectVelocity(m,d,1,1,N.zeros(6),0)",
    "mujoco.mj_objectAcceleration(m,d,1,1,N.zeros(6),0)",
    "mujoco.mj_applyFT(m,d,N.zeros(3),N.zeros(3),N.zeros(3),1,N.zeros(m.nv))",
    "mujoco.mj_differentiatePos(m,N.zeros(m.nv),1.,d.qpos,d.qpos)",
    "mujoco.mj_integratePos(m,d.qpos.copy(),d.qvel,.01)",
    "mujoco.mj_normalizeQuat(m,d.qpos.copy())",
    "mujoco.mj_ray(m,d,N.array([0,0,3.]),N.array([0,0,-1.]),None,1,-1,N.zeros(1,N.int32))",
    "mujoco.mj_multiRay",
    "mujoco.mj_geomDistance(m,d,1,2,1.,N.zeros(6))",
    "mujoco.mj_getState(m,d,N.zeros(mujoco.mj_stateSize(m,mujoco.mjtState.mjSTATE_FULLPHYSICS)),mujoco.mjtState.mjSTATE_FULLPHYSICS)",
    "mujoco.mj_stateSize(m,mujoco.mjtState.mjSTATE_PHYSICS)",
    "mujoco.mj_stateSize(m,mujoco.mjtState.mjSTATE_INTEGRATION)",
    "mujoco.mj_copyData",
    "mujoco.mj_saveLastXML",
    "mujoco.mj_saveModel",
    "mujoco.mj_getTotalmass(m)",
    "mujoco.mjd_transitionFD",
    "mujoco.mjd_inverseFD",
    "mujoco.mju_mat2Quat(N.zeros(4),N.eye(3).ravel())",
    "mujoco.mju_quat2Mat(N.zeros(9),N.array([1.,0,0,0]))",
    "mujoco.mju_mulQuat(N.zeros(4),N.array([1.,0,0,0]),N.array([1.,0,0,0]))",
    "mujoco.mju_negQuat(N.zeros(4),N.array([1.,0,0,0]))",
    "mujoco.mju_quat2Vel(N.zeros(3),N.array([1.,0,0,0]),1.)",
    "mujoco.mju_subQuat(N.zeros(3),N.array([1.,0,0,0]),N.array([1.,0,0,0]))",
    "mujoco.mju_rotVecQuat(N.zeros(3),N.zeros(3),N.array([1.,0,0,0]))",
    "mujoco.mju_axisAngle2Quat(N.zeros(4),N.array([1.,0,0]),.1)",
    "mujoco.mju_euler2Quat",
    "mujoco.mju_str2Type",
    "mujoco.mjtObj.mjOBJ_GEOM",
    "mujoco.mjtGeom.mjGEOM_BOX",
    "mujoco.mjtJoint.mjJNT_FREE",
    "mujoco.mjtSensor.mjSENS_TOUCH",
    "mujoco.mjtDisableBit.mjDSBL_CONTACT",
    "mujoco.mjtIntegrator.mjINT_IMPLICITFAST",
    "mujoco.mjtCamera.mjCAMERA_FIXED",
    "mujoco.mjtVisFlag.mjVIS_CONTACTPOINT",
    "mujoco.mjtState.mjSTATE_FULLPHYSICS",
    "mujoco.mjMINVAL",
    "mujoco.Renderer(m,240,320)",
    "mujoco.MjSpec()",
    "mujoco.MjSpec.from_string(XML)",
    "mujoco.MjvOption()",
    "mujoco.MjvCamera()",
    "mujoco.MjvScene(m,100)",
    "mujoco.MjrContext",
    "mujoco.viewer",
    "mujoco.set_mjcb_control(None)",
    "mujoco.FatalError",
    "mujoco.rollout",
    "mujoco.MjVfs",
    "mujoco.minimize",
    'importlib.import_module(mujoco.__name__ + ".viewer")',
    "copy.copy(d)",
    "copy.deepcopy(m)",
    "pickle.loads(pickle.dumps(d))",
]

#: Assignments, after each of which what was assigned is read again.
ASSIGNMENTS = [
    "m.opt.timestep=.001",
    "m.opt.gravity[:]=0",
    "m.opt.gravity=N.zeros(3)",
    "m.body_mass[1]=2",
    "m.geom_friction[:]=.5",
    "m.dof_damping[:]=1",
    "m.actuator_gainprm[0,0]=20",
    "m.opt.iterations=50",
    "m.opt.integrator=0",
    "d.qpos[0]=.2",
    "d.qpos=m.qpos0",
    "d.qvel[:]=0",
    "d.ctrl[0]=.1",
    'd.ctrl="x"',
    "d.ctrl=N.zeros(7)",
    "d.xfrc_applied[1,:3]=[0,0,1]",
    "d.qfrc_applied[0]=1",
    'd.joint("elbow").qpos=.1',
    'd.joint("elbow").qpos[0]=.1',
    'd.actuator("servo").ctrl=.1',
    'd.body("torso").xfrc_applied[:]=0',
    "d.time=0",
    "d.qacc_warmstart[:]=0",
    "d.mocap_pos[0]=[1,2,3]",
    'm.body("torso").mass=3',
    "m.vis.map.znear=.1",
    "m.geom_rgba[0]=[1,0,0,1]",
    'm.geom("box").friction[:]=.3',
    "d.eq_active[:]=0",
    "m.key_qpos[0,0]=1",
]

#: Answers that are others, and why.
OTHER: dict[str, str] = {
    "m.opt.iterations": "those of our contact solver, a step at most",
    "m.body_ipos": "MuJoCo gives the moved body, which has no mass, a centre elsewhere",
    "d.xipos": "the same",
    "d.subtree_com": "the same",
    "d.contact.pos": "the same points in another order",
    "d.contact[0].frame": "other tangents of the same normal",
    "d.contact[0].efc_address": "counted among contacts; >= 0 where it carries a force",
    "d.ximat": "other axes of equal moments of inertia",
    "d.actuator_moment": "a matrix (nu, nv), as before MuJoCo 3.2",
    "m.eq_data": "rows of eleven, as before MuJoCo 4",
    "m.stat.extent": "MuJoCo counts the moved body, which has no mass, elsewhere too",
    "m.stat.center": "the same",
    "d.nefc": "rows of MuJoCo's solver: there are none",
    "d.efc_force": "the same",
    "d.efc_J": "the same",
    "d.solver_niter": "iterations of MuJoCo's solver: there are none",
    "d.energy": "computed always, where MuJoCo asks for a flag",
}


#: Nearness of answers: MuJoCo's contacts are soft.
ABSOLUTE, RELATIVE = 0.02, 0.08


def environment(mujoco: Any) -> dict[str, Any]:
    """Model and state after 500 steps, and the names that the expressions use."""
    m = mujoco.MjModel.from_xml_string(XML)
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    for _ in range(500):
        mujoco.mj_step(m, d)
    mujoco.mj_forward(m, d)
    return {"mujoco": mujoco, "m": m, "d": d, "N": np, "XML": XML, "copy": copy, "pickle": pickle, "importlib": importlib}


def answer(names: dict[str, Any], code: str, assigns: bool) -> tuple[str, Any]:
    """How code ends: ok with a value, or the name of the exception with its text."""
    try:
        if not assigns:
            value = eval(code, names)  # noqa: S307
        else:
            exec(code, names)  # noqa: S102
            value = eval(code.partition("=")[0], names)  # noqa: S307
    except Exception as wrong:  # noqa: BLE001
        return type(wrong).__name__, f"{wrong}"
    return "ok", value


def near(found: Any, expected: Any) -> bool:
    """Whether two answers are one: numbers by nearness, all else by kind."""
    if isinstance(expected, (bool, int, float, np.ndarray, np.generic)):
        if not isinstance(found, (bool, int, float, np.ndarray, np.generic)):
            return False
        a, b = np.asarray(found), np.asarray(expected)
        if a.shape != b.shape:
            return False
        if not np.issubdtype(b.dtype, np.number) and b.dtype != np.bool_:
            return True
        return bool(np.allclose(a.astype(float), b.astype(float), atol=ABSOLUTE, rtol=RELATIVE, equal_nan=True))
    if isinstance(expected, str):
        return isinstance(found, str)
    if expected is None:
        return found is None
    return found is not None or hasattr(expected, "__call__")


def table(theirs: Any, ours: Any) -> list[tuple[str, str, str]]:
    """Rows of expression, verdict and remark."""
    rows = []
    for code, assigns in [(e, False) for e in EXPRESSIONS] + [(a, True) for a in ASSIGNMENTS]:
        # Fresh for each assignment, and for what changes the state.
        if assigns or "(m,d" in code or not rows:
            expected_names, found_names = environment(theirs), environment(ours)
        (how, expected), (our_how, found) = answer(expected_names, code, assigns), answer(found_names, code, assigns)
        rows.append((code, *verdict(code, how, expected, our_how, found)))
    return rows


def verdict(code: str, how: str, expected: Any, our_how: str, found: Any) -> tuple[str, str]:
    """The verdict on an expression, with a remark."""
    if our_how == "NotOffered":
        return "not offered", str(found)
    if our_how == "ValueError" and "read-only" in str(found):
        return "not offered", "read only"
    if how != "ok":
        # What MuJoCo refuses is refused, or offered beside it.
        return "right", f"refused: {found}" if our_how != "ok" else f"MuJoCo: {how}"
    if our_how == "ok" and near(found, expected):
        return "right", ""
    if code in OTHER:
        return "other", OTHER[code]
    return "unclear", f"{our_how}: {found!r}; MuJoCo: {expected!r}"[:300]


HEAD = """\
# What of MuJoCo's Python is offered

Made by `crates/python/tests/test_mujoco_names.py`, which evaluates {n} expressions of scripts in MuJoCo 4 and in
`stiction.mujoco`, after the same 500 steps of the same world; `STICTION_WRITE_DOCS=1` writes it again. Right: {right}, other answers for the
reason that is told: {other}, not offered: {missing}, unclear: {unclear}. What is not offered raises `NotOffered`, read or assigned; arrays that cannot
be written raise numpy's `ValueError: assignment destination is read-only`.

| expression | answer | remark |
|---|---|---|
"""


def page(rows: list[tuple[str, str, str]]) -> str:
    """The page of the documents."""
    count = lambda verdict: sum(row[1] == verdict for row in rows)  # noqa: E731
    text = HEAD.format(
        n=len(rows), right=count("right"), other=count("other"), missing=count("not offered"), unclear=count("unclear")
    )
    for code, verdict, remark in rows:
        remark = remark.replace("stiction.mujoco does not offer ", "").replace("|", "\\|")
        told = remark if verdict == "other" or remark == "read only" else ""
        text += f"| `{code}` | {verdict} | {told} |\n".replace("|  |", "| |")
    return text
