"""What the data of MuJoCo's names tell, as it is computed from the present state or the last step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from .. import dynamics
from .._simulation import Simulation
from .._tables import Array
from . import _enums
from ._callbacks import callbacks
from ._constants import driven
from ._geoms import matrix
from ._guard import NotOffered
from ._math import quaternion_product, rotation_of
from ._model import MjModel, body_of
from ._senses import reading
from ._trees import chains

if TYPE_CHECKING:
    from ._data import MjData


_FREE, _BALL = (int(_enums.mjtJoint[name]) for name in ("mjJNT_FREE", "mjJNT_BALL"))


def quaternions(model: MjModel) -> Array:
    """Places of the quaternions of free and of ball joints in qpos, a row each."""
    starts = [
        int(address) + (3 if kind == _FREE else 0)
        for kind, address in zip(model.jnt_type, model.jnt_qposadr)
        if kind in (_FREE, _BALL)
    ]
    return np.add.outer(np.array(starts, dtype=np.intp), np.arange(4))


def _external(d: MjData) -> Array:
    simulation = d._current()
    equalities = zip(d._acting._base._described["equalities"], d.eq_active)
    held = [e["name"] or "one without a name" for e, active in equalities if active and e["loop"] is not None]
    if held:
        raise NotOffered(f"stiction.mujoco does not offer cfrc_ext where equalities hold bodies: {', '.join(held)}")
    if d._view.refresh(simulation):
        d._changed()
    if not simulation._stepped:
        d._forces()
    d._view.external_forces(simulation, d.xfrc_applied)
    return cast(Array, d._external)


def _efforts(d: MjData) -> Array:
    """Efforts of actuators: those of the state after ``mj_forward``, the means of the step after one."""
    simulation = d._current()
    return simulation._efforts_now() if d._of_state else d._forces()[2]


def _smooth(d: MjData) -> Array:
    exerted = d._value("qfrc_passive") + d._value("qfrc_actuator") + d.qfrc_applied + _of_wrenches(d)
    return np.asarray(exerted - d._value("qfrc_bias"), dtype=np.float64)


def _of_wrenches(d: MjData) -> Array:
    """What the wrenches on bodies come to on the joints."""
    out = np.zeros(d._acting.nv)
    at = d._of_frames("xipos")
    for b in np.flatnonzero(d.xfrc_applied.any(axis=1)):
        body = body_of(d._acting, int(b))
        if body is not None:
            ours = d._ours
            out += dynamics.point_jacobian(ours, d.qpos, body, at[b]).T @ d.xfrc_applied[b, :3]
            out += dynamics.body_jacobian(ours, d.qpos, body)[:3].T @ d.xfrc_applied[b, 3:]
    return out


def _constraint(d: MjData) -> Array:
    """M q̈ + bias − everything else, with the means of the last step."""
    acceleration, _, efforts = d._forces()
    inertial = dynamics.rnea(d._ours, d.qpos, d.qvel, acceleration)
    exerted = d._acting._moment_now.T @ efforts + d._value("qfrc_passive") + d.qfrc_applied + _of_wrenches(d)
    return np.asarray(inertial - exerted, dtype=np.float64)


def _lengths(d: MjData) -> Array:
    scalar, places = _coordinates(d._acting)
    q = np.where(scalar, d.qpos[places], np.nan) if d._acting.nv else np.zeros(0)
    driven = d._acting._moment_now.any(axis=0)
    if not scalar[driven].all():
        raise NotOffered("stiction.mujoco does not offer lengths of actuators on ball and free joints")
    return np.asarray(d._acting._moment_now @ np.nan_to_num(q), dtype=np.float64)


def _coordinates(model: MjModel) -> tuple[Any, Any]:
    """Which velocities are rates of a coordinate, and the places of these."""
    known = model.__dict__.get("_coordinate_places")
    if known is None:
        scalar = np.isin(model.jnt_type[model.dof_jntid], (2, 3))
        places = np.array([model._q_of(dof) if one else 0 for dof, one in enumerate(scalar)], np.intp)
        known = (scalar, places)
        model._put(_coordinate_places=known)
    return known


def _energy(d: MjData) -> Array:
    energy = d._current().energy
    return np.array([energy.potential, energy.kinetic])


def _motions(d: MjData, name: str) -> Array:
    """Accelerations of bodies on top of free fall, and what follows from them, about the centres of mass of their trees."""
    if name == "cfrc_int":
        d._value("cfrc_ext")
    # No sum is asked twice for one state, but of forces, which need the external ones first.
    if "motions" not in d._now or name == "cfrc_int":
        acceleration = d._forces()[0]
        d._view.refresh(d._current())
        d._view.motions_of(d.simulation, acceleration, d._acting.opt.gravity)
        d._now["motions"] = d._view.motions
    out, nv, nbody = d._now["motions"], d._acting.nv, d._acting.nbody
    start, columns, rows = {
        "cdof_dot": (0, 6, nv), "cacc": (6 * nv, 6, nbody), "crb": (6 * nv + 6 * nbody, 10, nbody),
        "cfrc_int": (6 * nv + 16 * nbody, 6, nbody),
    }[name]
    return cast(Array, out[start : start + rows * columns].reshape(rows, columns))


def _motion(name: str) -> Callable[[MjData], Array]:
    return lambda d: _motions(d, name)


def _factored(d: MjData) -> tuple[Array, Array]:
    """M = Lᵀ D L: L with D on its diagonal, as MuJoCo stores it, and 1/D."""
    known: Any = d._now.get("factor")
    if known is None:
        # M = U Uᵀ, from Cholesky's factor of M with its rows and columns turned about.
        upper = np.linalg.cholesky(d._value("qM")[::-1, ::-1])[::-1, ::-1] if d._acting.nv else np.zeros((0, 0))
        root = np.diag(upper)
        left = (upper / root).T + np.diag(root**2 - 1.0)
        known = d._now["factor"] = (left[_lower(d._acting)], 1.0 / root**2)
    return cast("tuple[Array, Array]", known)


def _turned(d: MjData, name: str, quaternions: Array, bodies: Any) -> Array:
    """Quaternions in bodies as those in the world."""
    of = d._of_frames(name)
    of = of if bodies is None else of[bodies]
    return np.array([quaternion_product(a, b) for a, b in zip(of, quaternions)]).reshape(-1, 4)


def _lights(d: MjData) -> tuple[Array, Array]:
    """Places and directions of lights."""
    m = d._acting
    turns = d._of_frames("xmat").reshape(-1, 3, 3)[m.light_bodyid]
    along = np.einsum("bij,bj->bi", turns, m.light_dir)
    return d._of_frames("xpos")[m.light_bodyid] + np.einsum("bij,bj->bi", turns, m.light_pos), along


def _seen_from(d: MjData, name: str) -> Array:
    """Places or axes of cameras, some of which look at bodies or go with them without turning."""
    m = d._acting
    places, axes = (a.copy() for a in d._fixed_cameras)
    centres, bodies = d._of_frames("subtree_com"), d._of_frames("xpos")
    for i, mode in enumerate(m.cam_mode):
        of, target = int(m.cam_bodyid[i]), int(m.cam_targetbodyid[i])
        if mode in (1, 2):
            axes[i] = m.cam_mat0[i]
            places[i] = bodies[of] + m.cam_pos0[i] if mode == 1 else centres[of] + m.cam_poscom0[i]
        elif mode in (3, 4) and target >= 0:
            back = places[i] - (bodies if mode == 3 else centres)[target]
            back = back / np.linalg.norm(back)
            right = np.cross([0.0, 0.0, 1.0], back)
            right = right / np.linalg.norm(right) if right.any() else np.array([1.0, 0.0, 0.0])
            axes[i] = np.column_stack([right, np.cross(back, right), back]).ravel()
    return np.asarray(places if name == "cam_xpos" else axes, dtype=np.float64)


def _lower(m: MjModel) -> tuple[Array, Array]:
    """Rows and columns of the mass matrix that MuJoCo stores."""
    known = m.__dict__.get("_lower_places")
    if known is None:
        places = [(row[-1], column) for row in chains(m) for column in row]
        known = tuple(np.array(places, np.intp).reshape(-1, 2).T)
        m._put(_lower_places=known)
    return cast("tuple[Array, Array]", known)


def _places(counts: Any) -> Any:
    """The row of every number of rows of so many."""
    return np.repeat(np.arange(len(counts)), counts)


def _springs(d: MjData) -> Array:
    """Efforts of springs: those at rest."""
    return dynamics.passive(d._ours, d.qpos, np.zeros(d._acting.nv))


#: Quantities that are computed when they are first asked for, and from then on by every function.
COMPUTED: dict[str, Callable[[MjData], Array]] = {
    "cfrc_ext": _external,
    "actuator_force": _efforts,
    "qfrc_actuator": lambda d: np.asarray(d._acting._moment_now.T @ d._value("actuator_force"), dtype=np.float64),
    "qfrc_bias": lambda d: dynamics.bias(d._ours, d.qpos, d.qvel),
    "qfrc_passive": lambda d: dynamics.passive(d._ours, d.qpos, d.qvel),
    "qfrc_constraint": _constraint,
    "qfrc_smooth": _smooth,
    "qacc_smooth": lambda d: np.asarray(np.linalg.solve(d._value("qM"), d._value("qfrc_smooth")), dtype=np.float64) if d._acting.nv else np.zeros(0),
    "qM": lambda d: dynamics.crba(d._ours, d.qpos),
    "energy": _energy,
    "ten_length": lambda d: d._acting._tendon_lengths(d.qpos),
    "ten_velocity": lambda d: np.asarray(d._acting._tendon_terms()[1] @ d.qvel, dtype=np.float64),
    "actuator_length": _lengths,
    "actuator_velocity": lambda d: np.asarray(d._acting._moment_now @ d.qvel, dtype=np.float64),
    "actuator_moment": lambda d: cast(Array, d._acting._moment_now),
    "sensordata": lambda d: _readings(d),
    **{name: _motion(name) for name in ("cacc", "cfrc_int", "cdof_dot", "crb")},
    "qLD": lambda d: _factored(d)[0], "qLDiagInv": lambda d: _factored(d)[1],
    "ten_J": lambda d: d._acting._tendon_terms()[1][_places(d._acting.ten_J_rownnz), d._acting.ten_J_colind],
    "xiquat": lambda d: _turned(d, "xquat", d._acting.body_iquat, None),
    "geom_xquat": lambda d: _turned(d, "xquat", d._acting.geom_quat, d._acting.geom_bodyid),
    "site_xquat": lambda d: _turned(d, "xquat", d._acting.site_quat, d._acting.site_bodyid),
    "light_xpos": lambda d: _lights(d)[0], "light_xdir": lambda d: _lights(d)[1],
    "M": lambda d: d._value("qM")[_lower(d._acting)],
    "cam_xpos": lambda d: _seen_from(d, "cam_xpos"), "cam_xmat": lambda d: _seen_from(d, "cam_xmat"),
    "qfrc_spring": lambda d: _springs(d), "qfrc_damper": lambda d: d._value("qfrc_passive") - d._value("qfrc_spring"),
    "ximat": lambda d: (d._of_frames("xmat").reshape(-1, 3, 3) @ matrix(d._acting.body_iquat)).reshape(-1, 9),
}

#: Those of forces and accelerations, which functions of positions and velocities leave as they are.
OF_FORCES = frozenset(
    "cfrc_ext cfrc_int actuator_force qfrc_actuator qfrc_constraint qfrc_smooth qacc_smooth sensordata cacc".split()
)
#: Efforts that are zero: of media and of adhesion there are none here, and of compensated gravity where a model compensates none.
NOTHING = frozenset("qfrc_fluid qfrc_adhesion qfrc_gravcomp".split())
#: What is kept of MuJoCo's ways to compute, of which there is nothing here: arrays without rows.
NONE = frozenset("qH qDeriv qLU efm_fluid bvh_active wrap_obj wrap_xpos".split())
#: What stays as it is: columns of actuators; and of MuJoCo's islands, its sleep and effective masses: everything is awake and in no island, and no mass is another.
STILL: dict[str, Callable[[MjModel], Any]] = {
    **{name: (lambda m: np.zeros(m.nv)) for name in ("efm_c", "efm_diag", "efm_ck", "efm_sdiag", "efm_ca")},
    **{name: (lambda m: np.zeros(m.nv, np.int32)) for name in ("efm_K_rownnz", "efm_K_rowadr")},
    **{name: (lambda m: np.arange(m.nv, dtype=np.int32)) for name in ("dof_awake_ind", "map_dof2idof", "map_idof2dof")},
    "efm_tid": lambda m: np.zeros(m.ntendon, np.int32), "efm_ts": lambda m: np.zeros(m.ntendon), "efm_tk": lambda m: np.zeros(m.ntendon),
    "efm_aid": lambda m: np.zeros(m.nu, np.int32), "efm_as": lambda m: np.zeros(m.nu), "efm_ak": lambda m: np.zeros(m.nu),
    "moment_rownnz": lambda m: np.array([len(row) for row in driven(m)], np.int32),
    "moment_rowadr": lambda m: np.array(np.cumsum([0, *map(len, driven(m))])[: m.nu], np.int32),
    "moment_colind": lambda m: np.array([dof for row in driven(m) for dof in row], np.int32),
    "tree_asleep": lambda m: np.full(m.ntree, -11, np.int32), "tree_awake": lambda m: np.ones(m.ntree, np.int32),
    "tree_island": lambda m: np.full(m.ntree, -1, np.int32), "map_itree2tree": lambda m: np.arange(m.ntree, dtype=np.int32),
    "dof_island": lambda m: np.full(m.nv, -1, np.int32), "body_awake_ind": lambda m: np.arange(m.nbody, dtype=np.int32),
    "body_awake": lambda m: np.where(m.body_weldid == 0, -1, 1).astype(np.int32),
    "ten_wrapadr": lambda m: np.zeros(m.ntendon, np.int32), "ten_wrapnum": lambda m: np.zeros(m.ntendon, np.int32),
    "tendon_efcadr": lambda m: np.full(m.ntendon, -1, np.int32),
}
#: What is counted of them.
AWAKE = {"ntree_awake": "ntree", "nbody_awake": "nbody", "nv_awake": "nv"}
def _readings(d: MjData) -> Array:
    """Numbers of all sensors side by side; raises if nobody reads one."""
    d._current()
    m, simulation = d._acting, cast(Simulation, d.simulation)
    pushed = bool(d.xfrc_applied.any())
    if not m._read_here and not pushed and not d.qfrc_applied.any():
        return simulation.sensordata
    others = [i for i in range(m.nsensor) if i not in m._read_here]
    out = np.zeros(m.nsensordata)
    for i, numbers in zip(others, d._sensed(others)):
        out[m._columns[i]] = numbers
    for i in m._read_here:
        out[m._columns[i]] = reading(d, i)
    if pushed:
        for i, s in enumerate(m._base.sensors):
            if s.kind in ("force", "torque"):
                out[m._columns[i]] -= _pushed(d, s.kind, m.id_of(_enums.mjtObj["mjOBJ_SITE"], s.of["site"]))
    return out


def _pushed(d: MjData, kind: str, site: int) -> Array:
    """What wrenches on bodies that hang on a site's come to there, in its axes."""
    m = d._acting
    turn = rotation_of(d._of_frames("xquat")[m.site_bodyid[site]]) @ rotation_of(m.site_quat[site])
    at, centres = d._of_frames("site_xpos")[site], d._of_frames("xipos")
    hangs = np.zeros(m.nbody, bool)
    hangs[m.site_bodyid[site]] = True
    total = np.zeros(3)
    for b in range(m.nbody):
        hangs[b] |= b > 0 and hangs[m.body_parentid[b]]
        if hangs[b]:
            force, torque = d.xfrc_applied[b, :3], d.xfrc_applied[b, 3:]
            total += force if kind == "force" else torque + np.cross(centres[b] - at, force)
    return np.asarray(turn.T @ total, dtype=np.float64)


def let_write(d: MjData) -> None:
    """Lets a script write the readings of its own sensors, at the stages that they state."""
    m = d._acting
    own = [i for i in m._read_here if m._base.sensors[i].kind == "user"]
    if callbacks.sensor is None or not own:
        return
    numbers = d.sensordata
    for stage in sorted({int(m.sensor_needstage[i]) for i in own}):
        callbacks.sensor(m, d, stage)
    for i in own:
        d._written[i][:] = numbers[m._columns[i]]
