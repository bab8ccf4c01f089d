"""``MjData``: the names that MuJoCo scripts ask of a state, read from a simulation of ours when they are asked for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from .. import dynamics
from .._simulation import Simulation
from .._tables import Array
from ._model import Carried, MjModel, NotOffered, body_of, matrix


#: Geometries that are nearer touch, for ``mj_inverse`` [m].
CLEARANCE = 1e-6


def product(a: Array, b: Array) -> Array:
    """Products of quaternions."""
    w, u, x, v = a[..., :1], a[..., 1:], b[..., :1], b[..., 1:]
    return np.concatenate([w * x - np.sum(u * v, -1, keepdims=True), w * v + x * u + np.cross(u, v)], -1)


class MjContact:
    """A contact of the last step."""

    def __init__(self, record: Any, efc: int) -> None:
        self.pos = record["position"].copy()
        t1, t2, n = record["frame"]
        #: The normal, then two tangents, from geom1 to geom2.
        self.frame = np.concatenate([n, t1, t2])
        self.dist = float(record["gap"])
        self.geom1, self.geom2 = (int(g) for g in record["geometries"])
        self.geom = np.array([self.geom1, self.geom2], np.int32)
        self.friction = np.array([record["friction"]] * 2 + [0.0] * 3)
        self.efc_address = efc
        self.dim = 3
        self.force, self.moment = record["force"].copy(), record["moment"].copy()


class MjBody:
    """A body of a state, of which a quantity is computed when it is asked for."""

    def __init__(self, data: MjData, id: int) -> None:
        self._data, self.id = data, id

    def __getattr__(self, name: str) -> Array:
        if name in ("xpos", "xquat", "xmat", "xipos", "cvel", "cinert", "cfrc_ext", "subtree_com", "xfrc_applied"):
            return np.asarray(getattr(self._data, name)[self.id])
        raise NotOffered(f"stiction.mujoco does not offer {name} of a body")


class MjData:
    """A simulation under the names of MuJoCo.

    ``qpos``, ``qvel`` and ``ctrl`` are live and can be written. Everything else is computed when asked for: positions and
    velocities from the present state, contacts, forces and ``qacc`` from the last step, of which they are means.
    ``qfrc_applied`` and ``xfrc_applied`` act until they are changed.
    """

    def __init__(self, model: MjModel) -> None:
        self.model = model
        self._make()
        self.qfrc_applied = np.zeros(model.nv)
        self.xfrc_applied = np.zeros((model.nbody, 6))
        self.act = np.zeros(0)
        #: What ``mj_inverse`` has computed last.
        self.qfrc_inverse = np.zeros(model.nv)

    def _make(self) -> None:
        self._contact, self._timestep = self.model.contact, self.model.opt.timestep
        self._qacc = np.zeros(self.model.nv)
        start = self.model.stiction.starting_at(self.model.qpos0, np.zeros(self.model.nv))
        self.simulation = Simulation(start, self._contact, dt=self._timestep)

    def _current(self) -> Simulation:
        """The simulation, made again if the model's time step or contact solver was changed."""
        if (self.model.contact, self.model.opt.timestep) != (self._contact, self._timestep):
            q, v, control, t = self.qpos.copy(), self.qvel.copy(), self.ctrl.copy(), self.time
            self._make()
            self.simulation.set_state(q, v, t)
            self.simulation.control[:] = control
        return self.simulation

    def step(self, nstep: int = 1) -> None:
        """Steps; one that fails raises."""
        simulation = self._current()
        self._advance(simulation, nstep)
        self._qacc[:] = simulation.acceleration

    def _advance(self, simulation: Simulation, nstep: int) -> None:
        pushed = np.flatnonzero(self.xfrc_applied.any(axis=1))
        if not len(pushed) and not self.qfrc_applied.any():
            simulation.advance(None, nstep)
            return
        for _ in range(nstep):
            simulation.apply_efforts(self.qfrc_applied)
            positions = self.xipos
            for b in pushed:
                body = body_of(self.model, int(b))[0]
                if body is not None:
                    simulation.apply_force(body, self.xfrc_applied[b, :3], positions[b])
                    simulation.apply_moment(body, self.xfrc_applied[b, 3:])
            simulation.advance()

    def reset(self, key: int | None = None) -> None:
        """Back to the reference configuration, or to a keyframe."""
        simulation, model = self._current(), self.model
        q = model.qpos0 if key is None else model.key_qpos[key]
        v = np.zeros(model.nv) if key is None else model.key_qvel[key]
        simulation.set_state(q, v, 0.0)
        self._qacc[:] = 0.0
        simulation.control[:] = 0.0 if key is None else model.key_ctrl[key]
        self.qfrc_applied[:] = 0.0
        self.xfrc_applied[:] = 0.0

    # ------------------------------------------------------------------ state

    @property
    def qpos(self) -> Array:
        """Coordinates; can be written."""
        return self.simulation.q

    @qpos.setter
    def qpos(self, q: Any) -> None:
        self.simulation.q[:] = q

    @property
    def qvel(self) -> Array:
        """Velocities; can be written."""
        return self.simulation.v

    @qvel.setter
    def qvel(self, v: Any) -> None:
        self.simulation.v[:] = v

    @property
    def ctrl(self) -> Array:
        """Controls; can be written."""
        return self.simulation.control

    @ctrl.setter
    def ctrl(self, u: Any) -> None:
        self.simulation.control[:] = u

    @property
    def time(self) -> float:
        """Time [s]."""
        return self.simulation.time

    @time.setter
    def time(self, t: float) -> None:
        self.simulation.time = t

    # -------------------------------------------------------------- positions

    def _placed(self, frames: Carried) -> tuple[Array, Array]:
        """Positions and quaternions of frames."""
        p, r = self.simulation._body_poses()
        # The last row is the world, which the index −1 takes.
        p, r = np.vstack([p, np.zeros(3)]), np.vstack([r, [1.0, 0.0, 0.0, 0.0]])
        P, R = p[frames.carrier], r[frames.carrier]
        turned = np.einsum("nij,nj->ni", matrix(R), frames.position)
        return P + turned, product(R, frames.quaternion)

    def _bodies(self) -> tuple[Array, Array]:
        return self._placed(self.model.bodies)

    @property
    def xpos(self) -> Array:
        """Origins of bodies (nbody, 3)."""
        return self._bodies()[0]

    @property
    def xquat(self) -> Array:
        """Orientations of bodies (nbody, 4)."""
        return self._bodies()[1]

    @property
    def xmat(self) -> Array:
        """The same as matrices (nbody, 9)."""
        return matrix(self.xquat).reshape(-1, 9)

    @property
    def xipos(self) -> Array:
        """Centres of mass of bodies (nbody, 3)."""
        p, r = self._bodies()
        return np.asarray(p + np.einsum("nij,nj->ni", matrix(r), self.model.bodies.com), dtype=np.float64)

    @property
    def geom_xpos(self) -> Array:
        """Positions of geoms (ngeom, 3)."""
        return self.simulation._geometry_poses()[0]

    @property
    def geom_xmat(self) -> Array:
        """Orientations of geoms (ngeom, 9)."""
        return matrix(self.simulation._geometry_poses()[1]).reshape(-1, 9)

    def _sites(self) -> tuple[Array, Array]:
        return self._placed(self.model.sites)

    @property
    def site_xpos(self) -> Array:
        """Positions of sites (nsite, 3)."""
        return self._sites()[0]

    @property
    def site_xmat(self) -> Array:
        """Orientations of sites (nsite, 9)."""
        return matrix(self._sites()[1]).reshape(-1, 9)

    # ------------------------------------------------- quantities of spatial algebra

    @property
    def subtree_com(self) -> Array:
        """Centres of mass of what hangs on a body (nbody, 3)."""
        still = self.xipos
        mass, moment = self.model.body_mass.copy(), self.model.body_mass[:, None] * still
        for b in range(len(mass) - 1, 0, -1):
            mass[self.model.body_parentid[b]] += mass[b]
            moment[self.model.body_parentid[b]] += moment[b]
        return np.asarray(np.where(mass[:, None] > 0, moment / np.where(mass > 0, mass, 1)[:, None], still), dtype=np.float64)

    @property
    def cvel(self) -> Array:
        """Velocities (nbody, 6): angular, and linear at the centre of mass of the tree."""
        v, p = self.simulation._body_velocities(), self.simulation._body_poses()[0]
        v, p = np.vstack([v, np.zeros(6)]), np.vstack([p, np.zeros(3)])
        frames = self.model.bodies
        at, V = self.subtree_com[frames.root], v[frames.carrier]
        linear = V[:, 3:] + np.cross(V[:, :3], at - p[frames.carrier])
        return np.where((frames.carrier >= 0)[:, None], np.hstack([V[:, :3], linear]), 0.0)

    @property
    def cinert(self) -> Array:
        """Inertias (nbody, 10) about the centre of mass of the tree, in world axes: xx yy zz xy xz yz, m c, m."""
        frames, turned = self.model.bodies, matrix(self.xquat)
        c, m = self.xipos - self.subtree_com[frames.root], frames.mass[:, None]
        I = turned @ frames.inertia @ np.swapaxes(turned, 1, 2)
        square = np.sum(c * c, axis=1)[:, None, None] * np.eye(3)
        I = I + m[:, :, None] * (square - c[:, :, None] * c[:, None, :])
        six = [I[:, 0, 0], I[:, 1, 1], I[:, 2, 2], I[:, 0, 1], I[:, 0, 2], I[:, 1, 2]]
        out = np.hstack([np.stack(six, axis=1), m * c, m])
        out[0] = 0.0
        return out

    @property
    def cfrc_ext(self) -> Array:
        """Moments and forces of contacts on bodies (nbody, 6), about the centre of mass of the tree."""
        at = self.subtree_com[self.model.bodies.root]
        out: Array = np.array(self.xfrc_applied[:, [3, 4, 5, 0, 1, 2]])
        if out.any():
            out[:, :3] += np.cross(self.xipos - at, out[:, 3:])
        contacts = self.simulation.contacts
        for side, sign in ((0, -1.0), (1, 1.0)):
            b = self.model.geom_bodyid[contacts["geometries"][:, side]]
            f = sign * contacts["force"]
            moment = sign * contacts["moment"] + np.cross(contacts["position"] - at[b], f)
            np.add.at(out, b, np.hstack([moment, f]))
        out[0] = 0.0
        return out

    # ----------------------------------------------------------------- forces

    @property
    def contact(self) -> list[MjContact]:
        """Contacts of the last step that carry a force."""
        return [MjContact(record, 3 * i) for i, record in enumerate(self.simulation.contacts)]

    @property
    def ncon(self) -> int:
        """How many there are."""
        return len(self.simulation.contacts)

    @property
    def actuator_force(self) -> Array:
        """Efforts of the actuators in the last step."""
        return self.simulation.efforts

    @property
    def qfrc_actuator(self) -> Array:
        """The same on the joints."""
        out = np.zeros(self.model.nv)
        for effort, actuator in zip(self.simulation.efforts, self.model.stiction.actuators):
            for dof, gear in actuator.transmission:
                out[dof] += gear * effort
        return out

    @property
    def qfrc_bias(self) -> Array:
        """Coriolis, centrifugal and gravity efforts at the present state."""
        return dynamics.bias(self.model.stiction, self.qpos, self.qvel)

    @property
    def qfrc_constraint(self) -> Array:
        """Mean efforts of everything but actuators, passive and applied forces in the last step: M q̈ + bias − these."""
        q, v = self.qpos, self.qvel
        inertial = dynamics.rnea(self.model.stiction, q, v, self.simulation.acceleration)
        return np.asarray(inertial - self.qfrc_actuator - self.qfrc_passive - self.qfrc_applied, dtype=np.float64)

    @property
    def qfrc_passive(self) -> Array:
        """Efforts of springs, dampers and tendons, and of compensated gravity, at the present state."""
        return dynamics.passive(self.model.stiction, self.qpos, self.qvel)

    @property
    def qacc(self) -> Array:
        """Mean accelerations of the last step; can be written, for ``mj_inverse``."""
        return self._qacc

    @qacc.setter
    def qacc(self, a: Any) -> None:
        self._qacc[:] = a

    def inverse(self) -> None:
        """Computes ``qfrc_inverse``: at the present state with ``qacc`` where nothing touches or holds, and else of the last
        step, if state and ``qacc`` are still as it left them."""
        simulation = self._current()
        stepped = simulation._q_before is not None and (self._qacc == simulation.acceleration).all()
        held = simulation._held(CLEARANCE)
        self.qfrc_inverse[:] = simulation.inverse(None if held and stepped else self._qacc, clearance=CLEARANCE)

    @property
    def qM(self) -> Array:
        """The mass matrix, dense (nv, nv), where MuJoCo keeps it sparse; for ``mj_fullM``."""
        return dynamics.crba(self.model.stiction, self.qpos)

    @property
    def energy(self) -> Array:
        """Potential and kinetic energy."""
        energy = self.simulation.energy
        return np.array([energy.potential, energy.kinetic])

    @property
    def ten_length(self) -> Array:
        """Lengths of tendons that are sums of joints."""
        return self._tendons(lambda dof: self.qpos[self._coordinate(dof)])

    @property
    def ten_velocity(self) -> Array:
        """Their rates."""
        return self._tendons(lambda dof: self.qvel[dof])

    def _coordinate(self, dof: int) -> int:
        joint = next(j for j in self.model.stiction.joints if j.v.start <= dof < j.v.stop)
        return int(joint.q.start + dof - joint.v.start)

    def _tendons(self, of: Any) -> Array:
        tendons = self.model.stiction.tendons
        if any(t.spatial for t in tendons):
            raise NotOffered("stiction.mujoco does not offer lengths of spatial tendons")
        return np.array([sum(c * of(dof) for dof, c in t.terms) for t in tendons], dtype=np.float64)

    @property
    def sensordata(self) -> Array:
        """Readings of all sensors; if one is not offered, this raises."""
        return self.simulation.sensordata

    # ------------------------------------------------------------------ names

    def body(self, name: str | int) -> MjBody:
        """A body by name: xpos, xquat, xmat, xipos, cvel."""
        return MjBody(self, self.model.body(name).id)

    def joint(self, name: str | int) -> SimpleNamespace:
        """A joint by name: qpos and qvel, which can be written."""
        joint = self.model.stiction.joints[self.model.joint(name).id]
        return SimpleNamespace(id=self.model.joint(name).id, qpos=self.qpos[joint.q], qvel=self.qvel[joint.v])

    def geom(self, name: str | int) -> SimpleNamespace:
        """A geom by name: xpos and xmat."""
        g = self.model.geom(name).id
        return SimpleNamespace(id=g, xpos=self.geom_xpos[g], xmat=self.geom_xmat[g])

    def site(self, name: str | int) -> SimpleNamespace:
        """A site by name: xpos and xmat."""
        s = self.model.site(name).id
        return SimpleNamespace(id=s, xpos=self.site_xpos[s], xmat=self.site_xmat[s])

    def actuator(self, name: str | int) -> SimpleNamespace:
        """An actuator by name: ctrl, which can be written, and force."""
        a = self.model.actuator(name).id
        return SimpleNamespace(id=a, ctrl=self.ctrl[a : a + 1], force=self.actuator_force[a : a + 1])

    def sensor(self, name: str | int) -> SimpleNamespace:
        """A sensor by name: data."""
        s = self.model.sensor(name).id
        return SimpleNamespace(id=s, data=self.simulation._sensors([s])[0])

    def __reduce__(self) -> tuple[Any, ...]:
        state = (self.qpos.copy(), self.qvel.copy(), self.ctrl.copy(), self.time)
        return (_again, (self.model, *state, self.qfrc_applied, self.xfrc_applied))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in MjData.__dict__:
            return MjData.__dict__[name].__get__(self)  # raises what it raised before
        raise NotOffered(f"stiction.mujoco does not offer MjData.{name}")


def _again(model: MjModel, q: Array, v: Array, u: Array, t: float, efforts: Array, wrenches: Array) -> MjData:
    data = MjData(model)
    data.simulation.set_state(q, v, t)
    data.ctrl[:], data.qfrc_applied[:], data.xfrc_applied[:] = u, efforts, wrenches
    return data


