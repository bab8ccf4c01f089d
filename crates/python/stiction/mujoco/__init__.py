"""The names that MuJoCo scripts use, backed by stiction: ``import stiction.mujoco as mujoco``.

What is not offered raises :class:`NotOffered`, never a silent zero. Where MuJoCo computes a quantity in ``mj_forward`` or
``mj_step`` and keeps it until the next, it is computed here when it is asked for: positions and velocities from the present
state, contacts and forces from the last step. Contacts are rigid; ``solref`` and ``solimp`` count for
``model.contact = "mujoco"`` alone. A step that fails raises ``stiction.StepFailed``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import dynamics
from .._tables import Array
from . import rollout
from ._data import MjContact, MjData
from ._model import MjModel, MjOption, NotOffered, body_of, mjtJoint, mjtObj, mjtState

__all__ = [
    "MjContact",
    "MjData",
    "MjModel",
    "MjOption",
    "NotOffered",
    "mj_contactForce",
    "mj_differentiatePos",
    "mj_forward",
    "mj_fullM",
    "mj_getState",
    "mj_id2name",
    "mj_integratePos",
    "mj_inverse",
    "mj_jac",
    "mj_jacBody",
    "mj_jacBodyCom",
    "mj_jacGeom",
    "mj_jacSite",
    "mj_kinematics",
    "mj_name2id",
    "mj_normalizeQuat",
    "mj_ray",
    "mj_resetData",
    "mj_resetDataKeyframe",
    "mj_rnePostConstraint",
    "mj_setState",
    "mj_stateSize",
    "mj_step",
    "mjtJoint",
    "mjtObj",
    "mjtState",
    "rollout",
]


def mj_step(m: MjModel, d: MjData, nstep: int = 1) -> None:
    """Advances by ``nstep`` time steps."""
    d.step(nstep)


def mj_forward(m: MjModel, d: MjData) -> None:
    """Nothing: positions and velocities are computed when they are asked for. Forces stay those of the last step."""


def mj_inverse(m: MjModel, d: MjData) -> None:
    """Writes ``d.qfrc_inverse``: what actuators and applied forces exert for ``d.qacc``.

    Where nothing touches or holds the joints this is at the present state, as in MuJoCo. Rigid contact defines no force
    from an acceleration: elsewhere it is of the last step, with its impulses, and raises if the state was changed since.
    """
    d.inverse()


def mj_kinematics(m: MjModel, d: MjData) -> None:
    """Nothing, likewise."""


def mj_rnePostConstraint(m: MjModel, d: MjData) -> None:
    """Nothing, likewise."""


def mj_resetData(m: MjModel, d: MjData) -> None:
    """Back to the reference configuration, at rest, at time 0, without controls and applied forces."""
    d.reset()


def mj_resetDataKeyframe(m: MjModel, d: MjData, key: int) -> None:
    """Back to a keyframe."""
    if not 0 <= key < m.nkey:
        raise IndexError(f"there is no keyframe {key}; there are {m.nkey}, counted from 0")
    d.reset(key)


def mj_name2id(m: MjModel, type: int, name: str) -> int:
    """The number of a named object; −1 where there is none."""
    return m.id_of(type, name)


def mj_id2name(m: MjModel, type: int, id: int) -> str | None:
    """The name of an object; None where there is none."""
    table, first = m.table(type)
    if first == 1 and id == 0:
        return "world"
    return table[id - first].name or None if 0 <= id - first < len(table) else None


def mj_jac(m: MjModel, d: MjData, jacp: Array | None, jacr: Array | None, point: ArrayLike, body: int) -> None:
    """Writes the Jacobians (3, nv) of a point of a body, in the world, and of its rotation."""
    carrier = body_of(m, body)[0]
    if carrier is None:
        J, W = np.zeros((3, m.nv)), np.zeros((3, m.nv))
    else:
        J = dynamics.point_jacobian(m.stiction, d.qpos, carrier, point)
        W = dynamics.body_jacobian(m.stiction, d.qpos, carrier)[:3]
    if jacp is not None:
        jacp[:] = J
    if jacr is not None:
        jacr[:] = W


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


def mj_contactForce(m: MjModel, d: MjData, id: int, result: Array) -> None:
    """Writes force and moment (6) of a contact on its second geom, in the frame of the contact: normal first."""
    contact = d.contact[id]
    frame = contact.frame.reshape(3, 3)
    result[:3], result[3:] = frame @ contact.force, frame @ contact.moment


def mj_fullM(m: MjModel, *given: Any) -> None:
    """Writes the mass matrix: ``mj_fullM(m, dst, d.qM)``, or ``mj_fullM(m, d, dst)`` as later versions have it."""
    if isinstance(given[0], MjData):
        given[1][:] = given[0].qM
    else:
        given[0][:] = given[1]


def mj_ray(
    m: MjModel,
    d: MjData,
    pnt: ArrayLike,
    vec: ArrayLike,
    geomgroup: Any = None,
    flg_static: int = 1,
    bodyexclude: int = -1,
    geomid: Any = None,
    *more: Any,
) -> float:
    """Distance along a ray to the first geom that can touch, in lengths of ``vec``; −1 if it meets none."""
    if geomgroup is not None or more:
        raise NotOffered("stiction.mujoco does not offer mj_ray with groups of geoms or normals")
    hits = dynamics.ray_all(m.stiction, d.qpos, pnt, vec)
    for hit in hits:
        body = int(m.geom_bodyid[hit.geometry])
        if body == bodyexclude or (not flg_static and body == 0):
            continue
        if geomid is not None:
            geomid[0] = hit.geometry
        return hit.distance / float(np.linalg.norm(np.asarray(vec, dtype=np.float64)))
    if geomid is not None:
        geomid[0] = -1
    return -1.0


def mj_integratePos(m: MjModel, qpos: Array, qvel: ArrayLike, dt: float) -> None:
    """Moves ``qpos`` along ``qvel`` for ``dt`` seconds, in place."""
    qpos[:] = dynamics.integrate(m.stiction, qpos, qvel, dt)


def mj_differentiatePos(m: MjModel, qvel: Array, dt: float, qpos1: ArrayLike, qpos2: ArrayLike) -> None:
    """Writes the velocity that leads from one configuration to the other in ``dt`` seconds."""
    qvel[:] = dynamics.difference(m.stiction, qpos1, qpos2) / dt


def mj_normalizeQuat(m: MjModel, qpos: Array) -> None:
    """Gives quaternions unit norm, in place."""
    qpos[:] = dynamics.normalize(m.stiction, qpos)


def mj_stateSize(m: MjModel, spec: int) -> int:
    """Numbers of the full physics: time, q and v."""
    _full(spec)
    return 1 + m.nq + m.nv


def mj_getState(m: MjModel, d: MjData, state: Array, spec: int) -> None:
    """Writes the full physics."""
    _full(spec)
    state[:] = np.concatenate([[d.time], d.qpos, d.qvel])


def mj_setState(m: MjModel, d: MjData, state: ArrayLike, spec: int) -> None:
    """Takes the full physics."""
    _full(spec)
    x = np.asarray(state, dtype=np.float64)
    d.simulation.set_state(x[1 : 1 + m.nq], x[1 + m.nq :], float(x[0]))


def _full(spec: int) -> None:
    if int(spec) != mjtState.mjSTATE_FULLPHYSICS:
        raise NotOffered(f"stiction.mujoco offers states of mjSTATE_FULLPHYSICS only, not {int(spec)}")


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotOffered(f"stiction.mujoco does not offer `{name}`; what it offers is in stiction.mujoco.__all__")
