"""The functions of MuJoCo on models and states of ours."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import dynamics
from .._stiction import Error
from .._tables import Array
from . import _enums
from ._checks import into as _into
from ._checks import of as _of
from ._data import MjData
from ._exact import mjd_transitionFD  # noqa: F401
from ._guard import FatalError, NotOffered
from ._math import turned
from ._model import MjModel, body_of

_OBJ, _STATE = _enums.mjtObj, _enums.mjtState


# ------------------------------------------------------------------------------- time


def mj_step(m: MjModel, d: MjData, nstep: int = 1) -> None:
    """Advances by a time step. Optionally, repeat nstep times."""
    _of(m, d)
    d.step(nstep)


def mj_step1(m: MjModel, d: MjData) -> None:
    """The part of a step before controls are known: positions and velocities, which are computed when they are asked for."""
    _of(m, d)
    d._current()
    d._renew()


def mj_step2(m: MjModel, d: MjData) -> None:
    """The rest of a step: all of it."""
    _of(m, d)
    d.step(1)


def mj_forward(m: MjModel, d: MjData) -> None:
    """Accelerations, contacts, forces and sensors of the present state; see :class:`MjData`."""
    _of(m, d)
    d.forward()


def mj_forwardSkip(m: MjModel, d: MjData, skipstage: int, skipsensor: int) -> None:
    """The same: what is not asked for is not computed."""
    _of(m, d)
    d.forward()


def mj_inverse(m: MjModel, d: MjData) -> None:
    """Writes ``d.qfrc_inverse``: what actuators and applied forces exert for ``d.qacc``.

    Where nothing touches or holds the joints this is at the present state, as in MuJoCo. Rigid contact defines no force
    from an acceleration: elsewhere it is of the last step, with its impulses, and raises if the state was changed since.
    """
    _of(m, d)
    d.inverse()


def _stage(name: str, forces: bool) -> Any:
    def stage(m: MjModel, d: MjData) -> None:
        _of(m, d)
        d._current()
        d._renew(forces)

    stage.__name__ = stage.__qualname__ = name
    stage.__doc__ = f"Renews fields{'' if forces else ' of positions and velocities'} that were ever asked for."
    return stage


#: Stages of MuJoCo's computations, which have no order here: of positions and velocities, and of forces too.
STAGES = (
    "mj_kinematics", "mj_comPos", "mj_comVel", "mj_camlight", "mj_crb", "mj_fwdPosition", "mj_fwdVelocity", "mj_fwdKinematics",
    "mj_passive", "mj_tendon", "mj_transmission", "mj_subtreeVel", "mj_energyPos", "mj_energyVel", "mj_makeM", "mj_factorM",
    "mj_setConst", "mj_collision",
)
FORCES = ("mj_fwdActuation", "mj_sensorPos", "mj_sensorVel", "mj_rnePostConstraint")
globals().update({name: _stage(name, name in FORCES) for name in (*STAGES, *FORCES)})
mj_fwdAcceleration = mj_fwdConstraint = mj_sensorAcc = mj_forward


def _check(d: MjData, name: str, word: str) -> None:
    """Warns where a number is none, or is beyond all measure, and starts anew, as MuJoCo does."""
    numbers = getattr(d, name)
    bad = np.flatnonzero(~(np.abs(numbers) <= 1e10))
    if len(bad):
        warning = _enums.mjtWarning[f"mjWARN_{word}"]
        d.reset()
        d.warn(int(warning), int(bad[0]), f"Nan, Inf or huge value in {name.upper()} at DOF {bad[0]}. The simulation is unstable.")


def mj_checkPos(m: MjModel, d: MjData) -> None:
    """Warns of coordinates that are no numbers or beyond 1e10, and resets."""
    _of(m, d)
    _check(d, "qpos", "BADQPOS")


def mj_checkVel(m: MjModel, d: MjData) -> None:
    """The same of velocities."""
    _of(m, d)
    _check(d, "qvel", "BADQVEL")


def mj_checkAcc(m: MjModel, d: MjData) -> None:
    """The same of accelerations."""
    _of(m, d)
    _check(d, "qacc", "BADQACC")


def mj_resetData(m: MjModel, d: MjData) -> None:
    """Back to the reference configuration, at rest, at time 0, without controls and applied forces."""
    _of(m, d)
    d.reset()


def mj_resetDataKeyframe(m: MjModel, d: MjData, key: int) -> None:
    """Back to a keyframe."""
    _of(m, d)
    if not 0 <= key < m.nkey:
        raise IndexError(f"there is no keyframe {key}; there are {m.nkey}, counted from 0")
    d.reset(key)


def mj_setKeyframe(m: MjModel, d: MjData, key: int) -> None:
    """Writes the state into a keyframe of the model."""
    _of(m, d)
    if not 0 <= key < m.nkey:
        raise FatalError(f"mj_setKeyframe: index must be smaller than {m.nkey} (keyframes allocated in model)")
    m.key_qpos[key], m.key_qvel[key], m.key_ctrl[key], m.key_time[key] = d.qpos, d.qvel, d.ctrl, d.time


def mj_copyData(dest: MjData, m: MjModel, src: MjData) -> MjData:
    """Gives ``dest`` everything of ``src``."""
    _of(m, src)
    dest.simulation._restore(src.simulation._snapshot())
    dest._by(m)
    for name in ("ctrl", "qfrc_applied", "xfrc_applied", "qacc", "qfrc_inverse"):
        getattr(dest, name)[...] = getattr(src, name)
    dest._view.moved[:] = src._view.moved
    dest._changed()
    dest._renew()
    return dest


# ------------------------------------------------------------------------------ names


def mj_name2id(m: MjModel, type: int, name: str) -> int:
    """The number of a named object; −1 where there is none."""
    _of(m)
    return m.id_of(type, name)


def mj_id2name(m: MjModel, type: int, id: int) -> str | None:
    """The name of an object; None where there is none."""
    _of(m)
    names, _ = m._table(type)
    return names[id] or None if 0 <= id < len(names) else None


def mj_versionString() -> str:
    """The version of MuJoCo whose names these are, and ours."""
    from .._stiction import __version__

    return f"4.0.0 (stiction {__version__})"


def mj_version() -> int:
    """The version of MuJoCo whose names these are."""
    return 4000000


#: The words of MJCF for kinds of objects.
_WORDS = {
    "body": 1, "xbody": 2, "joint": 3, "dof": 4, "geom": 5, "site": 6, "camera": 7, "light": 8, "flex": 9, "mesh": 10, "skin": 11,
    "hfield": 12, "texture": 13, "material": 14, "pair": 15, "exclude": 16, "equality": 17, "tendon": 18, "actuator": 19,
    "sensor": 20, "numeric": 21, "text": 22, "tuple": 23, "key": 24, "plugin": 25, "frame": 100, "default": 101, "model": 102,
}


def mju_str2Type(str: str | bytes) -> int:
    """The number of a kind of object by MJCF's word; 0 where there is none."""
    return _WORDS.get(str.decode() if isinstance(str, bytes) else str, 0)


def mju_type2Str(type: int) -> str | None:
    """MJCF's word for a kind of object."""
    return next((word for word, number in _WORDS.items() if number == int(type)), None)


# -------------------------------------------------------------------------- Jacobians


def mj_jac(m: MjModel, d: MjData, jacp: Array | None, jacr: Array | None, point: ArrayLike, body: int) -> None:
    """Writes the Jacobians (3, nv) of a point of a body, in the world, and of its rotation."""
    _of(m, d)
    _into("jacp", jacp, (3, m.nv))
    _into("jacr", jacr, (3, m.nv))
    carrier, ours = body_of(m, body), d._ours
    if jacp is not None:
        jacp[:] = 0.0 if carrier is None else dynamics.point_jacobian(ours, d.qpos, carrier, np.ravel(point))
    if jacr is not None:
        jacr[:] = 0.0 if carrier is None else dynamics.body_jacobian(ours, d.qpos, carrier)[:3]


def mj_jacBody(m: MjModel, d: MjData, jacp: Array | None, jacr: Array | None, body: int) -> None:
    """Of the origin of a body."""
    mj_jac(m, d, jacp, jacr, d.xpos[body], body)


def mj_jacBodyCom(m: MjModel, d: MjData, jacp: Array | None, jacr: Array | None, body: int) -> None:
    """Of the centre of mass of a body."""
    mj_jac(m, d, jacp, jacr, d.xipos[body], body)


def mj_jacSite(m: MjModel, d: MjData, jacp: Array | None, jacr: Array | None, site: int) -> None:
    """Of a site."""
    mj_jac(m, d, jacp, jacr, d.site_xpos[site], int(m.site_bodyid[site]))


def mj_jacGeom(m: MjModel, d: MjData, jacp: Array | None, jacr: Array | None, geom: int) -> None:
    """Of a geom."""
    mj_jac(m, d, jacp, jacr, d.geom_xpos[geom], int(m.geom_bodyid[geom]))


def mj_jacSubtreeCom(m: MjModel, d: MjData, jacp: Array, body: int) -> None:
    """Of the centre of mass of everything that hangs on a body."""
    _of(m, d)
    total, own = np.zeros((3, m.nv)), np.zeros((3, m.nv))
    mass = 0.0
    hangs = np.zeros(m.nbody, bool)
    hangs[body] = True
    for b in range(body, m.nbody):
        hangs[b] |= b > body and hangs[m.body_parentid[b]]
        if hangs[b]:
            mj_jacBodyCom(m, d, own, None, b)
            total += m.body_mass[b] * own
            mass += float(m.body_mass[b])
    jacp[:] = total / mass if mass > 0 else 0.0


def mj_jacDot(m: MjModel, d: MjData, jacp: Array | None, jacr: Array | None, point: ArrayLike, body: int) -> None:
    """Rates of the Jacobians of :func:`mj_jac`."""
    _of(m, d)
    _into("jacp", jacp, (3, m.nv))
    _into("jacr", jacr, (3, m.nv))
    carrier, ours = body_of(m, body), d._ours
    if jacp is not None:
        jacp[:] = 0.0 if carrier is None else dynamics.point_jacobian_rate(ours, d.qpos, d.qvel, carrier, np.ravel(point))
    if jacr is not None:
        jacr[:] = 0.0 if carrier is None else dynamics.body_jacobian_rate(ours, d.qpos, d.qvel, carrier)[:3]


# ----------------------------------------------------------------------------- forces


def mj_contactForce(m: MjModel, d: MjData, id: int, result: Array) -> None:
    """Writes force and moment (6) of a contact on its second geom, in the frame of the contact: normal first."""
    _of(m, d)
    contact = d.contact[id]
    frame = contact.frame.reshape(3, 3)
    result[:3], result[3:] = frame @ contact._force, frame @ contact._moment


def mj_applyFT(
    m: MjModel, d: MjData, force: ArrayLike, torque: ArrayLike, point: ArrayLike, body: int, qfrc_target: Array
) -> None:
    """Adds to ``qfrc_target`` what a force at a point and a torque come to on the joints, all in the world."""
    jacp, jacr = np.zeros((3, m.nv)), np.zeros((3, m.nv))
    mj_jac(m, d, jacp, jacr, point, body)
    qfrc_target += jacp.T @ np.ravel(force) + jacr.T @ np.ravel(torque)


def mj_fullM(m: MjModel, *given: Any) -> None:
    """Writes the mass matrix: ``mj_fullM(m, dst, d.qM)``, or ``mj_fullM(m, d, dst)`` as later versions have it."""
    _of(m)
    if isinstance(given[0], MjData):
        given[1][:] = given[0].qM
    else:
        given[0][:] = given[1]


def mj_mulM(m: MjModel, d: MjData, res: Array, vec: ArrayLike) -> None:
    """res = M vec."""
    _of(m, d)
    res[:] = d.qM @ np.asarray(vec, dtype=np.float64)


def mj_solveM(m: MjModel, d: MjData, x: Array, y: ArrayLike) -> None:
    """x = M⁻¹ y, row by row."""
    _of(m, d)
    x[:] = np.linalg.solve(d.qM, np.asarray(y, dtype=np.float64).reshape(-1, m.nv).T).T.reshape(x.shape)


def mj_rne(m: MjModel, d: MjData, flg_acc: int, result: Array) -> None:
    """Efforts of inverse dynamics without those of springs and dampers; with ``flg_acc`` of ``d.qacc``, else of none."""
    _of(m, d)
    result[:] = dynamics.rnea(d._ours, d.qpos, d.qvel, d.qacc if flg_acc else np.zeros(m.nv))


def mj_getTotalmass(m: MjModel) -> float:
    """The mass of everything [kg]."""
    _of(m)
    return float(m.body_mass.sum())


def mj_setTotalmass(m: MjModel, newmass: float) -> None:
    """Scales all masses; inertias stay, where MuJoCo scales them too, and so this is refused."""
    raise NotOffered("stiction.mujoco does not offer mj_setTotalmass; write MjModel.body_mass")


# -------------------------------------------------------------------------- velocities


def _object(m: MjModel, d: MjData, type: int, id: int, local: int) -> tuple[int, Array, Array]:
    """The body that carries an object, its place, and the axes in which its motion is told."""
    kind = int(type)
    if kind == _OBJ["mjOBJ_BODY"]:
        return id, d.xipos[id], turned(d.ximat[id]) if local else np.eye(3)
    if kind == _OBJ["mjOBJ_XBODY"]:
        return id, d.xpos[id], turned(d.xmat[id]) if local else np.eye(3)
    places = {"mjOBJ_GEOM": ("geom", m.geom_bodyid), "mjOBJ_SITE": ("site", m.site_bodyid), "mjOBJ_CAMERA": ("cam", m.cam_bodyid)}
    for name, (prefix, bodies) in places.items():
        if kind == _OBJ[name]:
            axes = turned(getattr(d, f"{prefix}_xmat")[id]) if local else np.eye(3)
            return int(bodies[id]), getattr(d, f"{prefix}_xpos")[id], axes
    raise Error(f"objtype is {type}; expected a body, geom, site or camera")


def mj_objectVelocity(m: MjModel, d: MjData, objtype: int, objid: int, res: Array, flg_local: int) -> None:
    """Writes angular velocity and velocity (6) of an object, in the world's axes or in its own."""
    _of(m, d)
    body, point, axes = _object(m, d, objtype, objid, flg_local)
    w, v = d.body_velocity(body, point)
    res[:3], res[3:] = axes.T @ w, axes.T @ v


def mj_objectAcceleration(m: MjModel, d: MjData, objtype: int, objid: int, res: Array, flg_local: int) -> None:
    """Writes angular acceleration and acceleration (6) of an object on top of free fall, as an accelerometer feels it."""
    _of(m, d)
    body, point, axes = _object(m, d, objtype, objid, flg_local)
    cacc = d.cacc[body]
    arm = point - d.subtree_com[m.body_rootid[body]]
    w, v = d.body_velocity(body, point)
    res[:3], res[3:] = axes.T @ cacc[:3], axes.T @ (cacc[3:] + np.cross(cacc[:3], arm) + np.cross(w, v))


# ---------------------------------------------------------------------------- geometry


def mj_ray(
    m: MjModel,
    d: MjData,
    pnt: ArrayLike,
    vec: ArrayLike,
    geomgroup: Any = None,
    flg_static: int = 1,
    bodyexclude: int = -1,
    geomid: Any = None,
    normal: Any = None,
) -> float:
    """Distance along a ray to the first geom that can touch, in lengths of ``vec``, and the normal there; −1 if it meets none."""
    _of(m, d)
    groups = None if geomgroup is None else np.ravel(geomgroup)
    if normal is not None:
        normal[...] = 0
    for hit in dynamics.ray_all(d._ours, d.qpos, np.ravel(pnt), np.ravel(vec)):
        geom = int(m._geom_of[hit.geometry])
        body = int(m.geom_bodyid[geom])
        if body == bodyexclude or (not flg_static and m.body_weldid[body] == 0):
            continue
        if groups is not None and not groups[min(max(int(m.geom_group[geom]), 0), len(groups) - 1)]:
            continue
        if normal is not None:
            normal[...] = hit.normal
        if geomid is not None:
            geomid[0] = geom
        return hit.distance / float(np.linalg.norm(np.asarray(vec, dtype=np.float64)))
    if geomid is not None:
        geomid[0] = -1
    return -1.0


def mj_multiRay(
    m: MjModel,
    d: MjData,
    pnt: ArrayLike,
    vec: ArrayLike,
    geomgroup: Any,
    flg_static: int,
    bodyexclude: int,
    geomid: Any,
    dist: Array,
    normal: Any = None,
    nray: int | None = None,
    cutoff: float = np.inf,
) -> None:
    """:func:`mj_ray` along several directions from one point."""
    if normal is not None and not isinstance(normal, np.ndarray):
        # Versions before normals have the number of rays here, and the cutoff behind it.
        normal, nray, cutoff = None, int(normal), np.inf if nray is None else float(nray)
    if normal is not None:
        raise NotOffered("stiction.mujoco does not offer mj_multiRay with normals")
    directions = np.asarray(vec, dtype=np.float64).reshape(-1, 3)
    found = np.full(1, -1, np.int32)
    for i, along in enumerate(directions[:nray]):
        away = mj_ray(m, d, pnt, along, geomgroup, flg_static, bodyexclude, found)
        beyond = away * float(np.linalg.norm(along)) > cutoff
        dist[i] = -1.0 if beyond else away
        if geomid is not None:
            geomid[i] = -1 if beyond else found[0]


def mj_geomDistance(m: MjModel, d: MjData, geom1: int, geom2: int, distmax: float, fromto: Array | None) -> float:
    """Signed distance of two geoms that can touch, and the nearest points (6); ``distmax`` if they are farther apart."""
    _of(m, d)
    pair = []
    for geom in (geom1, geom2):
        at = np.flatnonzero(m._geom_of == geom)
        if not len(at):
            raise NotOffered(f"stiction.mujoco does not offer distances of geoms that cannot touch, as {geom}")
        pair.append(int(at[0]))
    found = dynamics.distance(d._ours, d.qpos, pair[0], pair[1], distmax)
    if found is None:
        if fromto is not None:
            fromto[:] = 0.0
        return distmax
    if fromto is not None:
        fromto[:3], fromto[3:] = found[1], found[2]
    return found[0]


def mj_integratePos(m: MjModel, qpos: Array, qvel: ArrayLike, dt: float) -> None:
    """Moves ``qpos`` along ``qvel`` for ``dt`` seconds, in place."""
    _of(m)
    qpos[:] = dynamics.integrate(m.stiction, qpos, qvel, dt)


def mj_differentiatePos(m: MjModel, qvel: Array, dt: float, qpos1: ArrayLike, qpos2: ArrayLike) -> None:
    """Writes the velocity that leads from one configuration to the other in ``dt`` seconds."""
    _of(m)
    qvel[:] = dynamics.difference(m.stiction, qpos1, qpos2) / dt


def mj_normalizeQuat(m: MjModel, qpos: Array) -> None:
    """Gives quaternions unit norm, in place."""
    _of(m)
    qpos[:] = dynamics.normalize(m.stiction, qpos)


def mj_local2Global(
    d: MjData, xpos: Array, xmat: Array, pos: ArrayLike, quat: ArrayLike, body: int, sameframe: int
) -> None:
    """A pose in a body as one in the world."""
    from ._math import rotation_of

    if sameframe:
        raise NotOffered("stiction.mujoco does not offer mj_local2Global with a shared frame")
    R = turned(d.xmat[body])
    xpos[:] = d.xpos[body] + R @ np.ravel(pos)
    xmat[:] = (R @ rotation_of(quat)).reshape(np.shape(xmat))


# ------------------------------------------------------------------------------- state

#: Parts of a state that are offered, in MuJoCo's order.
_PARTS = (
    ("mjSTATE_TIME", "time"), ("mjSTATE_QPOS", "qpos"), ("mjSTATE_QVEL", "qvel"), ("mjSTATE_ACT", "act"),
    ("mjSTATE_WARMSTART", "qacc_warmstart"),
    ("mjSTATE_CTRL", "ctrl"), ("mjSTATE_QFRC_APPLIED", "qfrc_applied"), ("mjSTATE_XFRC_APPLIED", "xfrc_applied"),
    ("mjSTATE_EQ_ACTIVE", "eq_active"), ("mjSTATE_MOCAP_POS", "mocap_pos"), ("mjSTATE_MOCAP_QUAT", "mocap_quat"),
    ("mjSTATE_USERDATA", "userdata"),
)
#: Parts without numbers here: nothing is kept from step to step that they could hold.
_EMPTY = ("mjSTATE_HISTORY", "mjSTATE_PLUGIN", "mjSTATE_PLASTIC")


def _parts(m: MjModel, spec: int) -> list[tuple[str, int]]:
    """Names and sizes of the parts of a state."""
    left, out = int(spec), []
    sizes = {
        "time": 1, "qpos": m.nq, "qvel": m.nv, "act": 0, "qacc_warmstart": m.nv, "ctrl": m.nu, "qfrc_applied": m.nv, "xfrc_applied": 6 * m.nbody,
        "eq_active": m.neq, "mocap_pos": 3 * m.nmocap, "mocap_quat": 4 * m.nmocap, "userdata": 0,
    }
    for bit, name in _PARTS:
        if left & _STATE[bit]:
            out.append((name, sizes[name]))
            left &= ~_STATE[bit]
    for bit in _EMPTY:
        left &= ~_STATE[bit]
    if left:
        names = [s.name for s in _STATE if s & left and s & (s - 1) == 0]
        raise NotOffered(f"stiction.mujoco does not offer states with {', '.join(names) or left}")
    return out


def mj_stateSize(m: MjModel, spec: int) -> int:
    """Numbers of a state."""
    _of(m)
    if int(spec) >= 2 ** int(_STATE["mjNSTATE"]) or int(spec) < 0:
        raise FatalError(f"mj_stateSize: invalid state signature {int(spec)} >= 2^mjNSTATE")
    return sum(n for _, n in _parts(m, spec))


def mj_getState(m: MjModel, d: MjData, state: Array, spec: int) -> None:
    """Writes a state."""
    _of(m, d)
    found = [np.ravel(getattr(d, name)) for name, _ in _parts(m, spec)]
    if state.shape != (mj_stateSize(m, spec),):
        raise TypeError("state size should equal mj_stateSize(m, sig)")
    state[:] = np.concatenate(found) if found else []


def mj_setState(m: MjModel, d: MjData, state: ArrayLike, spec: int) -> None:
    """Takes a state."""
    _of(m, d)
    x, parts = np.asarray(state, dtype=np.float64), _parts(m, spec)
    if x.shape != (sum(n for _, n in parts),):
        raise Error(f"state has the shape {x.shape}; expected ({sum(n for _, n in parts)},)")
    given, at = {}, 0
    for name, n in parts:
        given[name], at = x[at : at + n], at + n
    moves = bool(given.keys() & {"qpos", "qvel", "time"})
    q, v = given.pop("qpos", d.qpos), given.pop("qvel", d.qvel)
    t = float(given.pop("time", [d.time])[0])
    for name, values in given.items():
        if values.size and not np.array_equal(np.ravel(getattr(d, name)), values):
            setattr(d, name, values.reshape(np.shape(getattr(d, name))))
    # Another state is one from which contacts start cold; other controls are not.
    if moves:
        d.set_state(q, v, t)


def mj_copyState(m: MjModel, src: MjData, dst: MjData, spec: int) -> None:
    """Gives ``dst`` a part of the state of ``src``."""
    state = np.zeros(mj_stateSize(m, spec))
    mj_getState(m, src, state, spec)
    mj_setState(m, dst, state, spec)


def mj_saveLastXML(filename: str | os.PathLike[str], m: MjModel) -> None:
    """Writes the model as MJCF, as ``stiction convert`` does, with its meshes beside it."""
    from pathlib import Path

    _of(m)
    path = Path(filename)
    text, files, _ = m.stiction._world.written("mjcf", path.stem)
    path.write_text(text, encoding="utf-8")
    for name, content in files:
        (path.parent / name).write_text(content, encoding="utf-8")


#: Names that this module offers.
NAMES = tuple(name for name in globals() if name.startswith(("mj_", "mjd_", "mju_")))
