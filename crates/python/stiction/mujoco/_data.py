"""``MjData``: the names that MuJoCo scripts ask of a state, read from a simulation of ours when they are asked for.

An array is the same object whenever it is asked for. While somebody holds it, it is renewed after every step, so that it
shows the present as MuJoCo's does.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from .. import _stiction, dynamics
from .._model import Model
from .._contacts import CONTACT
from .._simulation import Simulation
from .._tables import Array
from . import _enums
from ._contact import MjContact, MjContacts
from ._guard import Guarded, Named, NotOffered
from ._math import rotation_of
from ._geoms import fixed, matrix, seen
from ._model import MjModel, body_of

#: Geometries that are nearer touch, for ``mj_inverse`` [m].
CLEARANCE = 1e-6

Pair = tuple[Array, Array]


def _pair(values: Array) -> Pair:
    """An array of these values, and a view of it that cannot be written, which is what is handed out."""
    array = np.array(values)
    return array, seen(array)


def _references(pair: Pair) -> tuple[int, int]:
    """How many refer to the two: who holds a view, or a slice of it, is among them."""
    return sys.getrefcount(pair[0]), sys.getrefcount(pair[1])


#: References to a pair that nobody holds a part of.
_ALONE = _references(_pair(np.zeros(1)))


class _Warnings(Guarded):
    """Nothing is warned of: a step that fails raises."""

    _called = "MjData.warning"

    def __init__(self) -> None:
        number = len([w for w in _enums.mjtWarning if w.name.startswith("mjWARN_")])
        self._put(number=fixed([0] * number, np.int32), lastinfo=fixed([0] * number, np.int32))

    def __getitem__(self, i: int) -> Any:
        if not -len(self.number) <= int(i) < len(self.number):
            raise IndexError(f"there is no warning {i}")
        return _Warnings._of()

    @staticmethod
    def _of() -> Any:
        none = Guarded.__new__(Guarded)
        none._put(number=0, lastinfo=0)
        return none


class _Reading:
    """Readings of sensors one by one: others need not be offered."""

    def __init__(self, data: MjData) -> None:
        self._data = data

    def __getitem__(self, sensor: int) -> Array:
        reading: Array = self._data._current()._sensors([sensor])[0]
        reading.flags.writeable = False
        return reading


class MjData(Guarded):
    """A simulation under the names of MuJoCo.

    ``qpos``, ``qvel``, ``ctrl``, ``qfrc_applied``, ``xfrc_applied``, ``eq_active``, ``mocap_pos``, ``mocap_quat`` and ``qacc`` can be
    written; contacts start cold where an equality is switched.
    Positions and velocities are those of the present state. Contacts, forces and accelerations are the means of the last step
    where that led to the present state; after ``mj_forward`` of another state they are those of the state (the limit of a
    short step; where bodies meet with a speed, the means of one step). A body that is moved by hand and touches or holds others
    is put elsewhere between steps, without a speed of its own; contacts then start cold.
    """

    _called = "MjData"

    def __init__(self, model: MjModel) -> None:
        ours = model.stiction
        view = _stiction.FrameView(ours._world)
        start = ours.starting_at(model.qpos0, np.zeros(model.nv))
        contact, dt, tolerance, iterations = self._settings_of(model)
        simulation = Simulation(start, contact, dt=dt, tolerance=tolerance, max_iterations=iterations)
        self._put(
            model=model, simulation=simulation, _view=view, _known=(ours, (self._settings_of(model), b"", "[]", model.eq_active0.tobytes())),
            qpos=simulation.q, qvel=simulation.v, ctrl=simulation.control,
            qfrc_applied=np.zeros(model.nv), xfrc_applied=np.zeros((model.nbody, 6)),
            warning=_Warnings(),
            act=np.zeros(0), act_dot=fixed(np.zeros(0)), userdata=np.zeros(0),
            qacc=np.zeros(model.nv),
            #: What ``mj_inverse`` has computed last.
            qfrc_inverse=np.zeros(model.nv),
            eq_active=np.array(model.eq_active0, bool),
            _live={}, _known_names={}, _contacts=None, _used=None, _stamp=0, _forced=None,
            _quaternions=_quaternions(model), _marks=model._marked, _elsewhere=[], _links_elsewhere={},
            _sites_elsewhere={}, _elsewhere_key="[]",
        )
        moved = view.moved.reshape(-1, 7)
        tied = [k for k, link in enumerate(model._mocap_links) if not _free_to_move(model, link + 1)]
        self._put(_moved_rows=moved, _tied=tied)
        self._put(mocap_pos=moved[: model.nmocap, :3], mocap_quat=moved[: model.nmocap, 3:])
        if tied:
            rest = (self._settings_of(model), moved[tied].tobytes(), "[]", self.eq_active.tobytes())
            self._put(_known=(ours, rest))
        self._put_views(view)
        self._put(_nobody=self._viewed())
        view.set_masses(model.body_mass)
        view.refresh(simulation)

    @staticmethod
    def _settings_of(model: MjModel) -> tuple[str, float, float, int]:
        opt = model.opt.__dict__
        return model.contact, opt["_timestep"], opt["_tolerance"], opt["_iterations"]

    def _put_views(self, view: _stiction.FrameView) -> None:
        """The arrays that the engine writes for all frames at once."""
        values, at = view.values, 0
        views: dict[str, Any] = {}
        for name, count, columns in view.layout():
            end = at + count * columns
            views[name], at = seen(values[at:end].reshape(count, columns)), end
        # What MuJoCo calls the root, in which a free body's quaternion counts, stays as it is.
        self._put(_views=views, _values=values, _external=seen(view.external.reshape(-1, 6)))

    # ---------------------------------------------------------------- stepping

    def _current(self) -> Simulation:
        """The simulation, in a world with the numbers that the model has now."""
        model = self.model
        marks = model._mark_stamp()
        if marks != self._marks:
            self._place()
            self._put(_marks=marks)
        hand = self._moved_rows[self._tied].tobytes() if self._tied else b""
        ours, rest = model.stiction, (self._settings_of(model), hand, self._elsewhere_key, self.eq_active.tobytes())
        if ours is not self._known[0] or rest != self._known[1]:
            self._go_on(ours, *rest[0])
            self._put(_known=(ours, rest), _used=None)
        if len(self._quaternions):
            self._make_units()
        return cast(Simulation, self.simulation)

    def _make_units(self) -> None:
        """Gives quaternions that a script has written their unit norm, as MuJoCo's functions do."""
        rows = self.qpos[self._quaternions]
        squares = np.einsum("ij,ij->i", rows, rows)
        if np.abs(squares - 1.0).max() > _UNIT and np.isfinite(squares).all():
            self.qpos[:] = dynamics.normalize(self.model.stiction, self.qpos)

    def _go_on(self, ours: Model, contact: str, dt: float, tolerance: float, iterations: int) -> None:
        """Goes on in the same state under other numbers, or with something elsewhere."""
        model = self.model
        links, sites = dict(self._links_elsewhere), dict(self._sites_elsewhere)
        links |= {model._mocap_links[k]: self._moved_rows[k] for k in self._tied}
        if links or sites:
            rows = [np.array([*of.values()]).reshape(-1, 7) for of in (links, sites)]
            ours = Model(ours._world.placed([*links], rows[0], [*sites], rows[1]), ours._recipe)
        if not np.array_equal(self.eq_active, model.eq_active0):
            ours = Model(ours._world.switched(self.eq_active.astype(bool).tolist()), ours._recipe)
        given = {"contact": contact, "tolerance": tolerance, "max_iterations": iterations, "stepper": {"dt": dt}}
        simulation = self.simulation
        simulation._go_on_in(ours._world, json.dumps(given))
        simulation.model = ours
        self._view.set_masses(model.body_mass)

    @property
    def _ours(self) -> Model:
        """The model of ours, with everything where it is now."""
        return self._current().model

    def _place(self) -> None:
        """Puts bodies, drawings and sites where the model has them now."""
        model, view = self.model, self._view
        roots, changed = view.roots, model._moved_marks()
        links: dict[int, Array] = {}
        sites: dict[int, Array] = {}
        for name, i in changed + self._elsewhere:
            if name in ("geom_pos", "geom_quat"):
                view.place("geom", i, model.geom_pos[i], model.geom_quat[i])
            elif name in ("site_pos", "site_quat"):
                view.place("site", i, model.site_pos[i], model.site_quat[i])
                if (name, i) in changed and model._sensed(i):
                    sites[i] = np.concatenate([model.site_pos[i], model.site_quat[i]])
            elif name in ("body_pos", "body_quat") and i - 1 not in model._mocap_links:
                pose = np.concatenate([model.body_pos[i], model.body_quat[i]])
                if i - 1 in roots:
                    self._moved_rows[roots.index(i - 1)] = pose
                if (name, i) in changed and (i - 1 not in roots or not _free_to_move(model, i)):
                    links[i - 1] = pose
        # What is put back where it was loaded must be put there once more.
        self._put(_elsewhere=changed, _links_elsewhere=links, _sites_elsewhere=sites)
        self._put(_elsewhere_key=repr([(k, v.tolist()) for of in (links, sites) for k, v in of.items()]))

    def step(self, nstep: int = 1) -> None:
        """Steps; one that fails raises."""
        simulation = self._current()
        try:
            self._advance(simulation, nstep)
        finally:
            self._changed()
        self.qacc[:] = simulation.acceleration
        self._put(_used=(self.ctrl.tobytes(), self.qfrc_applied.tobytes(), self.xfrc_applied.tobytes()))
        self._publish()

    def _advance(self, simulation: Simulation, nstep: int) -> None:
        if self.xfrc_applied.any() or self.qfrc_applied.any():
            self._apply(simulation)
        simulation.advance(None, nstep)

    def _apply(self, simulation: Simulation) -> None:
        """Lets the applied forces act in the steps of the next call."""
        simulation._set_efforts(self.qfrc_applied)
        for b in np.flatnonzero(self.xfrc_applied.any(axis=1)):
            body = body_of(self.model, int(b))
            if body is not None:
                simulation._apply_force(body, self.xipos[b], self.xfrc_applied[b, :3])
                simulation._apply_moment(body, self.xfrc_applied[b, 3:])

    def forward(self) -> None:
        """Accelerations, contacts and forces of the present state."""
        simulation = self._current()
        self._changed()
        now = (self.ctrl.tobytes(), self.qfrc_applied.tobytes(), self.xfrc_applied.tobytes())
        if simulation._stepped and now != self._used:
            # Other forces than those of the last step: it says nothing of the present.
            simulation.set_state()
        if not simulation._stepped:
            self._apply(simulation)
        try:
            self.qacc[:] = self._forces()[0]
        finally:
            simulation._set_efforts(np.zeros(self.model.nv))
        self._publish()

    def _forces(self) -> tuple[Array, Any, Array]:
        """Accelerations, contacts and efforts, kept until something changes."""
        simulation = self._current()
        if self._view.refresh(simulation):
            self._changed()
        key = (self._stamp, self.ctrl.tobytes())
        if self._forced is None or self._forced[0] != key:
            if not simulation._stepped:
                self._apply(simulation)
            acceleration, records, efforts = simulation._forward()
            simulation._set_efforts(np.zeros(self.model.nv))
            self._put(_forced=(key, (acceleration, np.frombuffer(records, dtype=CONTACT), efforts)))
        return cast("tuple[Array, Any, Array]", self._forced[1])

    def reset(self, key: int | None = None) -> None:
        """Back to the reference configuration, or to a keyframe."""
        simulation, model = self._current(), self.model
        q = model.qpos0 if key is None else model.key_qpos[key]
        v = np.zeros(model.nv) if key is None else model.key_qvel[key]
        simulation.set_state(q, v, 0.0 if key is None else float(model.key_time[key]))
        self.eq_active[:] = model.eq_active0
        self.qacc[:] = 0.0
        simulation.control[:] = 0.0 if key is None else model.key_ctrl[key]
        self.qfrc_applied[:] = 0.0
        self.xfrc_applied[:] = 0.0
        if model.nmocap:
            of = [b for b in range(model.nbody) if model.body_mocapid[b] >= 0]
            self.mocap_pos[:], self.mocap_quat[:] = model.body_pos[of], model.body_quat[of]
        self._changed()
        self._publish()

    def set_state(self, q: Any, v: Any, t: float) -> None:
        """Sets the state."""
        self._current().set_state(q, v, t)
        self._changed()
        self._publish()

    def _changed(self) -> None:
        self._put(_stamp=self._stamp + 1, _contacts=None, _forced=None)

    def _viewed(self) -> list[int]:
        """How many refer to the arrays of frames, and to their memory."""
        views = self._views
        return [sys.getrefcount(self._values), *(sys.getrefcount(views[name]) for name in views)]

    def _publish(self) -> None:
        """Renews what somebody holds."""
        if self._viewed() != self._nobody:
            self._view.refresh(self.simulation)
        for name, pair in self._live.items():
            if _references(pair) != _ALONE:
                pair[0][...] = _COMPUTED[name](self)

    # ----------------------------------------------------------------- reading

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        views = self._views
        if name in views:
            self._view.refresh(self._current())
            return views[name]
        if name in _COMPUTED:
            try:
                value = _COMPUTED[name](self)
            except NotOffered:
                if name in type(self).missing:
                    return self._lacks(name)
                raise
            kept = self._live.get(name)
            if kept is None or kept[0].shape != value.shape:
                self._live[name] = kept = _pair(value)
            else:
                kept[0][...] = value
            return kept[1]
        return self._lacks(name)

    @property
    def time(self) -> float:
        """Time [s]."""
        return cast(float, self.simulation.time)

    @time.setter
    def time(self, t: float) -> None:
        self.simulation.time = t

    @property
    def contact(self) -> MjContacts:
        """Contacts that carry a force."""
        records = self._forces()[1]
        if self._contacts is None:
            geom_of = self.model._geom_of
            made = [MjContact(record, geom_of, 3 * i, self.model) for i, record in enumerate(records)]
            self._put(_contacts=MjContacts(made))
        return cast(MjContacts, self._contacts)

    @property
    def ncon(self) -> int:
        """How many there are."""
        return len(self._forces()[1])

    def inverse(self) -> None:
        """Computes ``qfrc_inverse``: at the present state with ``qacc`` where nothing touches or holds, and else of the last
        step, if state and ``qacc`` are still as it left them."""
        simulation = self._current()
        stepped = simulation._q_before is not None and (self.qacc == simulation.acceleration).all()
        held = simulation._held(CLEARANCE)
        self.qfrc_inverse[:] = simulation.inverse(None if held and stepped else self.qacc, clearance=CLEARANCE)

    def body_velocity(self, body: int, point: Any) -> tuple[Array, Array]:
        """Angular velocity of a body, and velocity of a point of it, in world axes."""
        cvel = self.cvel[body]
        at = self.subtree_com[self.model.body_rootid[body]]
        return cvel[:3].copy(), cvel[3:] + np.cross(cvel[:3], np.asarray(point) - at)

    # ------------------------------------------------------------------- names

    def _named(self, called: str, found: tuple[int, str], fields: dict[str, tuple[str, Any]]) -> Named:
        known = self._known_names.get((called, found[0]))
        if known is not None:
            return cast(Named, known)
        made = self._known_names[called, found[0]] = Named(self, f"MjData.{called}({found[1]!r})", *found, fields)
        return made

    def body(self, name: str | int = "") -> Named:
        """A body by name or number."""
        found = self.model._found("mjOBJ_BODY", name)
        return self._named("body", found, {key: (key, found[0]) for key in _OF_BODY})

    def joint(self, name: str | int = "") -> Named:
        """A joint by name or number: its coordinates, velocities and efforts."""
        found = self.model._found("mjOBJ_JOINT", name)
        joint = self.model._base.joints[found[0]]
        fields: dict[str, tuple[str, Any]] = {"qpos": ("qpos", joint.q)}
        fields |= {key: (key, joint.v) for key in _OF_DOF} | {key: (key, found[0]) for key in ("xanchor", "xaxis")}
        return self._named("joint", found, fields)

    jnt = joint

    def geom(self, name: str | int = "") -> Named:
        """A geom by name or number."""
        return self._frame("geom", "mjOBJ_GEOM", name, "geom")

    def site(self, name: str | int = "") -> Named:
        """A site by name or number."""
        return self._frame("site", "mjOBJ_SITE", name, "site")

    def camera(self, name: str | int = "") -> Named:
        """A camera by name or number."""
        return self._frame("camera", "mjOBJ_CAMERA", name, "cam")

    cam = camera

    def _frame(self, called: str, kind: str, name: str | int, prefix: str) -> Named:
        found = self.model._found(kind, name)
        return self._named(called, found, {key: (f"{prefix}_{key}", found[0]) for key in ("xpos", "xmat")})

    def actuator(self, name: str | int = "") -> Named:
        """An actuator by name or number."""
        found = self.model._found("mjOBJ_ACTUATOR", name)
        only = slice(found[0], found[0] + 1)
        fields: dict[str, tuple[str, Any]] = {
            key: (f"actuator_{key}", only) for key in ("force", "length", "velocity")
        }
        return self._named("actuator", found, {"ctrl": ("ctrl", only), "moment": ("actuator_moment", found[0]), **fields})

    def sensor(self, name: str | int = "") -> Named:
        """A sensor by name or number: its reading."""
        found = self.model._found("mjOBJ_SENSOR", name)
        if self.model._base.sensors_not_offered:
            return self._named("sensor", found, {"data": ("_reading", found[0])})
        columns = self.model._base.sensors[found[0]].columns
        return self._named("sensor", found, {"data": ("sensordata", columns)})

    @property
    def _reading(self) -> _Reading:
        return _Reading(self)

    def tendon(self, name: str | int = "") -> Named:
        """A tendon by name or number: length and velocity."""
        found = self.model._found("mjOBJ_TENDON", name)
        only = slice(found[0], found[0] + 1)
        return self._named("tendon", found, {"length": ("ten_length", only), "velocity": ("ten_velocity", only)})

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self.__dict__, *self._views, *_COMPUTED})

    def __reduce__(self) -> tuple[Any, ...]:
        kept = [np.array(getattr(self, name)) for name in _KEPT]
        return (_again, (self.model, self.time, self.simulation._snapshot(), kept, np.array(self._view.moved)))


#: What belongs to a body, a joint's velocities.
_OF_BODY = (
    "xpos", "xquat", "xmat", "xipos", "cvel", "cinert", "cfrc_ext", "subtree_com", "subtree_linvel", "subtree_angmom",
    "xfrc_applied",
)
_OF_DOF = (
    "qvel", "qacc", "qacc_smooth", "cdof", "qfrc_applied", "qfrc_actuator", "qfrc_bias", "qfrc_constraint", "qfrc_inverse",
    "qfrc_passive", "qfrc_smooth",
)
#: Squares of norms of quaternions are this near to one, or the quaternions are written anew.
_UNIT = 1e-10
_FREE, _BALL = (int(_enums.mjtJoint[name]) for name in ("mjJNT_FREE", "mjJNT_BALL"))


def _quaternions(model: MjModel) -> Array:
    """Places of the quaternions of free and of ball joints in qpos, a row each."""
    starts = [
        int(address) + (3 if kind == _FREE else 0)
        for kind, address in zip(model.jnt_type, model.jnt_qposadr)
        if kind in (_FREE, _BALL)
    ]
    return np.add.outer(np.array(starts, dtype=np.intp), np.arange(4))


_KEPT = ("eq_active", "qpos", "qvel", "ctrl", "qfrc_applied", "xfrc_applied", "qacc", "qfrc_inverse")


def _again(model: MjModel, t: float, snapshot: bytes, kept: list[Array], moved: Array) -> MjData:
    data = MjData(model)
    data._view.moved[:] = moved
    data.eq_active[:] = kept[0]
    data._current()._restore(snapshot)
    for name, values in zip(_KEPT, kept):
        getattr(data, name)[...] = values
    return data


def _free_to_move(model: MjModel, body: int) -> bool:
    """Whether nothing that touches, holds or moves hangs on a body: then it is a mark in the world."""
    by_hand = {body}
    for b in range(body + 1, model.nbody):
        if int(model.body_parentid[b]) in by_hand:
            by_hand.add(b)
    return model.ties(by_hand) is None


def _external(d: MjData) -> Array:
    simulation = d._current()
    equalities = zip(d.model._base._described["equalities"], d.eq_active)
    held = [e["name"] or "one without a name" for e, active in equalities if active and e["loop"] is not None]
    if held:
        raise NotOffered(f"stiction.mujoco does not offer cfrc_ext where equalities hold bodies: {', '.join(held)}")
    if d._view.refresh(simulation):
        d._changed()
    if not simulation._stepped:
        d._forces()
    d._view.external_forces(simulation, d.xfrc_applied)
    return cast(Array, d._external)


def _smooth(d: MjData) -> Array:
    return d.qfrc_passive - d.qfrc_bias + d.qfrc_applied + d.qfrc_actuator + _of_wrenches(d)  # type: ignore[no-any-return]


def _of_wrenches(d: MjData) -> Array:
    """What the wrenches on bodies come to on the joints."""
    out = np.zeros(d.model.nv)
    for b in np.flatnonzero(d.xfrc_applied.any(axis=1)):
        body = body_of(d.model, int(b))
        if body is not None:
            ours = d._ours
            out += dynamics.point_jacobian(ours, d.qpos, body, d.xipos[b]).T @ d.xfrc_applied[b, :3]
            out += dynamics.body_jacobian(ours, d.qpos, body)[:3].T @ d.xfrc_applied[b, 3:]
    return out


def _constraint(d: MjData) -> Array:
    """M q̈ + bias − everything else, with the means of the last step."""
    inertial = dynamics.rnea(d._ours, d.qpos, d.qvel, d._forces()[0])
    return np.asarray(inertial - d.qfrc_actuator - d.qfrc_passive - d.qfrc_applied - _of_wrenches(d), dtype=np.float64)


def _lengths(d: MjData) -> Array:
    q = np.array([d.qpos[d.model._q_of(dof)] if _scalar(d.model, dof) else np.nan for dof in range(d.model.nv)])
    driven = d.model._moment.any(axis=0)
    if np.isnan(q[driven]).any():
        raise NotOffered("stiction.mujoco does not offer lengths of actuators on ball and free joints")
    return np.asarray(d.model._moment @ np.nan_to_num(q), dtype=np.float64)


def _scalar(model: MjModel, dof: int) -> bool:
    return int(model.jnt_type[model.dof_jntid[dof]]) not in (0, 1)


def _energy(d: MjData) -> Array:
    energy = d._current().energy
    return np.array([energy.potential, energy.kinetic])


def _cacc(d: MjData) -> Array:
    """Accelerations of bodies about the centre of mass of their tree, on top of free fall."""
    model, ours = d.model, d._ours
    out = np.zeros((model.nbody, 6))
    out[:, 3:] = -model.opt.gravity
    a = d._forces()[0]
    for b in range(1, model.nbody):
        body = body_of(model, b)
        if body is None:
            continue
        com = d.subtree_com[model.body_rootid[b]]
        alpha = dynamics.body_jacobian(ours, d.qpos, body)[:3] @ a
        alpha = alpha + dynamics.body_jacobian_rate(ours, d.qpos, d.qvel, body)[:3] @ d.qvel
        point = dynamics.point_jacobian(ours, d.qpos, body, com) @ a
        point = point + dynamics.point_jacobian_rate(ours, d.qpos, d.qvel, body, com) @ d.qvel
        w, v = d.body_velocity(b, com)
        # MuJoCo's is of spatial algebra: without ω × v.
        out[b, :3], out[b, 3:] = alpha, point - np.cross(w, v) - model.opt.gravity
    return out


#: Quantities that are computed when they are asked for.
_COMPUTED: dict[str, Callable[[MjData], Array]] = {
    "cfrc_ext": _external,
    "actuator_force": lambda d: d._forces()[2],
    "qfrc_actuator": lambda d: np.asarray(d.model._moment.T @ d._forces()[2], dtype=np.float64),
    "qfrc_bias": lambda d: dynamics.bias(d._ours, d.qpos, d.qvel),
    "qfrc_passive": lambda d: dynamics.passive(d._ours, d.qpos, d.qvel),
    "qfrc_constraint": _constraint,
    "qfrc_smooth": _smooth,
    "qacc_smooth": lambda d: np.linalg.solve(d.qM, _smooth(d)) if d.model.nv else np.zeros(0),
    "qM": lambda d: dynamics.crba(d._ours, d.qpos),
    "energy": _energy,
    "ten_length": lambda d: d.model._tendon_lengths(d.qpos),
    "ten_velocity": lambda d: np.asarray(d.model._tendon_terms()[1] @ d.qvel, dtype=np.float64),
    "actuator_length": _lengths,
    "actuator_velocity": lambda d: np.asarray(d.model._moment @ d.qvel, dtype=np.float64),
    "actuator_moment": lambda d: cast(Array, d.model._moment),
    "sensordata": lambda d: _readings(d),
    "cacc": _cacc,
    "ximat": lambda d: (d.xmat.reshape(-1, 3, 3) @ matrix(d.model.body_iquat)).reshape(-1, 9),
}


def _readings(d: MjData) -> Array:
    d._current()
    return cast(Simulation, d.simulation).sensordata


def turned(mat: Any) -> Array:
    """A matrix (3, 3) of nine numbers."""
    return np.asarray(mat, dtype=np.float64).reshape(3, 3)


__all__ = ["MjContact", "MjContacts", "MjData", "body_of", "rotation_of", "turned"]
