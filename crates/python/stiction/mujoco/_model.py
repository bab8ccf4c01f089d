"""``MjModel``: the names that MuJoCo scripts ask of a model, read from ours."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._model import Model, load, loads
from .._stiction import Error
from .._tables import Array, Table


class NotOffered(Error, AttributeError):
    """A name of MuJoCo that is not offered here; nothing is a silent zero."""


class mjtObj(IntEnum):
    """Kinds of objects."""

    mjOBJ_UNKNOWN = 0
    mjOBJ_BODY = 1
    mjOBJ_XBODY = 2
    mjOBJ_JOINT = 3
    mjOBJ_DOF = 4
    mjOBJ_GEOM = 5
    mjOBJ_SITE = 6
    mjOBJ_CAMERA = 7
    mjOBJ_TENDON = 18
    mjOBJ_ACTUATOR = 19
    mjOBJ_SENSOR = 20
    mjOBJ_KEY = 24


class mjtJoint(IntEnum):
    """Kinds of joints."""

    mjJNT_FREE = 0
    mjJNT_BALL = 1
    mjJNT_SLIDE = 2
    mjJNT_HINGE = 3


class mjtState(IntEnum):
    """Parts of a state; the full physics is time, q and v here."""

    mjSTATE_TIME = 1
    mjSTATE_QPOS = 2
    mjSTATE_QVEL = 4
    mjSTATE_PHYSICS = 14
    mjSTATE_FULLPHYSICS = 15


_JOINTS = {
    "free": mjtJoint.mjJNT_FREE,
    "ball": mjtJoint.mjJNT_BALL,
    "slide": mjtJoint.mjJNT_SLIDE,
    "hinge": mjtJoint.mjJNT_HINGE,
}


def frozen(values: Any, dtype: Any = np.float64) -> NDArray[Any]:
    """An array that cannot be written: a model never changes."""
    array = np.array(values, dtype=dtype)
    array.flags.writeable = False
    return array


class MjOption:
    """Options of a model; the time step can be set, the rest is what the file says."""

    def __init__(self, model: Model) -> None:
        self.timestep = model.dt
        self.gravity = frozen(model.gravity)

    def __getattr__(self, name: str) -> Any:
        raise NotOffered(f"stiction.mujoco does not offer MjModel.opt.{name}")


@dataclass(frozen=True)
class Carried:
    """Frames on our bodies, as arrays: bodies of MuJoCo (the world first) or sites."""

    #: Our body, or −1 for the world.
    carrier: NDArray[np.int64]
    position: Array
    rotation: Array
    quaternion: Array
    #: Of bodies: mass, centre of mass, inertia about it.
    mass: Array
    com: Array
    inertia: Array
    #: Of bodies: the one at the root of the tree.
    root: NDArray[np.int64]

    @staticmethod
    def of_bodies(model: Model) -> Carried:
        """The world and the links."""
        links = list(model.links)
        carrier = [-1, *(-1 if b.body is None else b.body for b in links)]
        quaternion = np.array([(1.0, 0.0, 0.0, 0.0), *(b.quaternion for b in links)])
        roots = [0]
        for b, link in enumerate(links, start=1):
            roots.append(b if link.parent is None else roots[link.parent + 1])
        return Carried(
            np.array(carrier),
            np.array([(0.0, 0.0, 0.0), *(b.position for b in links)]),
            matrix(quaternion),
            quaternion,
            np.array([0.0, *(b.mass for b in links)]),
            np.array([(0.0, 0.0, 0.0), *(b.com for b in links)]),
            np.array([(0.0,) * 9, *(b.inertia for b in links)]).reshape(-1, 3, 3),
            np.array(roots),
        )

    @staticmethod
    def of_sites(model: Model) -> Carried:
        """The sites."""
        sites = list(model.sites)
        quaternion = np.array([s.quaternion for s in sites]).reshape(-1, 4)
        n = np.zeros(len(sites))
        return Carried(
            np.array([-1 if s.body is None else s.body for s in sites], np.int64),
            np.array([s.position for s in sites]).reshape(-1, 3),
            matrix(quaternion),
            quaternion,
            n,
            n,
            n,
            np.zeros(len(sites), np.int64),
        )


def matrix(quaternion: Array) -> Array:
    """Rotation matrices (…, 3, 3) of quaternions (…, 4), w first."""
    w, x, y, z = np.moveaxis(quaternion, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.asarray(np.moveaxis(np.array(rows), (0, 1), (-2, -1)))


class MjModel:
    """A model under the names of MuJoCo. Bodies are the file's, the world first; geoms are those that can touch.

    ``contact`` is the contact solver of simulations of it, which MuJoCo has no name for.
    """

    def __init__(self, model: Model) -> None:
        self.stiction = model
        self.contact: str = "auto"
        self.opt = MjOption(model)
        self.nq, self.nv, self.nu, self.na = model.nq, model.nv, model.nu, 0
        self.nbody, self.njnt, self.ngeom = len(model.links) + 1, len(model.joints), len(model.geometries)
        self.nsite, self.nsensor, self.nkey = len(model.sites), len(model.sensors), len(model.keyframes)
        self.ncam = len(model.cameras)
        self.ntendon = len(model.tendons)
        self.qpos0 = frozen(model.neutral())
        #: Pictures: sizes are kept, nothing is drawn.
        self.vis = SimpleNamespace(global_=SimpleNamespace(offwidth=0, offheight=0))
        self.bodies, self.sites = Carried.of_bodies(model), Carried.of_sites(model)
        links, joints, actuators = model.links, model.joints, model.actuators
        self.body_parentid = frozen([0] + [0 if b.parent is None else b.parent + 1 for b in links], np.int32)
        self.body_mass = frozen([0.0] + [b.mass for b in links])
        self.jnt_type = frozen([_JOINTS.get(j.kind, -1) for j in joints], np.int32)
        self.jnt_qposadr = frozen([j.q.start for j in joints], np.int32)
        self.jnt_dofadr = frozen([j.v.start for j in joints], np.int32)
        self.jnt_limited = frozen([j.limit is not None for j in joints], bool)
        self.jnt_range = frozen([j.limit or (0.0, 0.0) for j in joints]).reshape(-1, 2)
        self.jnt_axis = frozen([j.axis for j in joints]).reshape(-1, 3)
        fields = model.fields()
        self.dof_damping, self.dof_armature = frozen(fields["damping"]), frozen(fields["armature"])
        self.geom_friction = frozen([(g.friction, 0.0, 0.0) for g in model.geometries]).reshape(-1, 3)
        self.geom_bodyid = frozen([0 if g.link is None else g.link + 1 for g in model.geometries], np.int32)
        self.site_bodyid = frozen([0 if s.link is None else s.link + 1 for s in model.sites], np.int32)
        ends = [a.control_limit or (0.0, 0.0) for a in actuators]
        self.actuator_ctrllimited = frozen([a.control_limit is not None for a in actuators], bool)
        self.actuator_ctrlrange = frozen([[0.0 if e is None else e for e in end] for end in ends]).reshape(-1, 2)
        self.key_qpos = frozen([k.q for k in model.keyframes]).reshape(self.nkey, self.nq)
        self.key_qvel = frozen([k.v for k in model.keyframes]).reshape(self.nkey, self.nv)
        self.key_ctrl = frozen([k.control for k in model.keyframes]).reshape(self.nkey, self.nu)

    @staticmethod
    def from_xml_path(filename: str | os.PathLike[str], assets: Mapping[str, bytes] | None = None) -> MjModel:
        """A model of an MJCF (or URDF) file, as it is."""
        if assets:
            raise NotOffered("stiction.mujoco takes assets with from_xml_string only")
        return MjModel(load(filename, complete=False))

    @staticmethod
    def from_xml_string(xml: str, assets: Mapping[str, bytes] | None = None) -> MjModel:
        """A model of a text, as it is."""
        return MjModel(loads(xml, assets=assets, complete=False))

    def table(self, kind: int | mjtObj) -> tuple[Table[Any], int]:
        """The table of a kind of object, and the number of its first entry."""
        model, kind = self.stiction, mjtObj(int(kind))
        tables: dict[mjtObj, tuple[Table[Any], int]] = {
            mjtObj.mjOBJ_BODY: (model.links, 1),
            mjtObj.mjOBJ_XBODY: (model.links, 1),
            mjtObj.mjOBJ_JOINT: (model.joints, 0),
            mjtObj.mjOBJ_GEOM: (model.geometries, 0),
            mjtObj.mjOBJ_SITE: (model.sites, 0),
            mjtObj.mjOBJ_CAMERA: (model.cameras, 0),
            mjtObj.mjOBJ_TENDON: (model.tendons, 0),
            mjtObj.mjOBJ_ACTUATOR: (model.actuators, 0),
            mjtObj.mjOBJ_SENSOR: (model.sensors, 0),
            mjtObj.mjOBJ_KEY: (model.keyframes, 0),
        }
        if kind not in tables:
            raise NotOffered(f"stiction.mujoco offers no names for {kind.name}")
        return tables[kind]

    def id_of(self, kind: int | mjtObj, name: str | int) -> int:
        """The number of an object; −1 where there is none, as in MuJoCo."""
        table, first = self.table(kind)
        if isinstance(name, int):
            return name
        if first == 1 and name == "world":
            return 0
        return table.index(name) + first if name in table else -1

    def _named(self, kind: mjtObj, name: str | int) -> SimpleNamespace:
        i = self.id_of(kind, name)
        if i < 0:
            self.table(kind)[0].index(name)  # raises, with the names there are
        table, first = self.table(kind)
        return SimpleNamespace(id=i, name="world" if i < first else table[i - first].name)

    def body(self, name: str | int) -> SimpleNamespace:
        """Number and name of a body."""
        return self._named(mjtObj.mjOBJ_BODY, name)

    def joint(self, name: str | int) -> SimpleNamespace:
        """Number, name and addresses of a joint."""
        found = self._named(mjtObj.mjOBJ_JOINT, name)
        joint = self.stiction.joints[found.id]
        found.qposadr, found.dofadr = np.array([joint.q.start]), np.array([joint.v.start])
        return found

    def geom(self, name: str | int) -> SimpleNamespace:
        """Number and name of a geom."""
        return self._named(mjtObj.mjOBJ_GEOM, name)

    def site(self, name: str | int) -> SimpleNamespace:
        """Number and name of a site."""
        return self._named(mjtObj.mjOBJ_SITE, name)

    def actuator(self, name: str | int) -> SimpleNamespace:
        """Number and name of an actuator."""
        return self._named(mjtObj.mjOBJ_ACTUATOR, name)

    def sensor(self, name: str | int) -> SimpleNamespace:
        """Number and name of a sensor."""
        return self._named(mjtObj.mjOBJ_SENSOR, name)

    def key(self, name: str | int) -> SimpleNamespace:
        """Number and name of a keyframe."""
        return self._named(mjtObj.mjOBJ_KEY, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return (MjModel, (self.stiction,))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotOffered(f"stiction.mujoco does not offer MjModel.{name}")


def body_of(model: MjModel, body: int) -> tuple[int | None, Array, Array]:
    """The body of ours that carries MuJoCo's ``body``, and the place and the turn of the one in the other."""
    if body == 0:
        return None, np.zeros(3), np.array([1.0, 0, 0, 0])
    link = model.stiction.links[body - 1]
    return link.body, np.array(link.position), np.array(link.quaternion)
