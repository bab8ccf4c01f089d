"""``MjData``: the names that MuJoCo scripts ask of a state, read from a simulation of ours.

A field is one array, made when it is first asked for. From then on every function that steps or computes writes into it, so
that whoever holds it, or a part of it, sees what MuJoCo's shows.
"""

from __future__ import annotations

import ctypes
import json
import warnings
import weakref
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from .. import _stiction, dynamics
from .._model import Model
from .._contacts import CONTACT
from .._simulation import Simulation
from .._stiction import Error
from .._tables import Array
from . import _enums, _fields
from ._callbacks import callbacks
from ._constants import chains, driven
from ._contact import MjContact, MjContacts
from ._guard import Guarded, Named, NotOffered
from ._math import quaternion_product, rotation_of
from ._geoms import fixed, matrix
from ._model import MjModel, body_of
from ._senses import reading
from ._structs import List, MjSolverStat, MjTimerStat, MjWarningStat

#: Geometries that are nearer touch, for ``mj_inverse`` [m].
CLEARANCE = 1e-6

def _list(kind: Any, words: Any, prefix: str) -> List:
    return List(kind, sum(word.startswith(prefix) for word in words.__members__))


class _Reading:
    """Readings of sensors one by one: others need not be offered."""

    def __init__(self, data: MjData) -> None:
        self._data = data

    def __getitem__(self, sensor: int) -> Array:
        data = self._data
        if sensor in data._acting._read_here:
            data._current()
            data._put(_now={})
            return reading(data, sensor)
        found: Array = data._sensed([sensor])[0]
        found.flags.writeable = False
        return found


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
        if not isinstance(model, MjModel):
            raise TypeError(f"expected a stiction.mujoco.MjModel, not {type(model).__module__}.{type(model).__name__}")
        ours = model.stiction
        view = _stiction.FrameView(ours._world)
        start = ours.starting_at(model.qpos0, np.zeros(model.nv))
        contact, dt, tolerance, iterations = self._settings_of(model)
        simulation = Simulation(start, contact, dt=dt, tolerance=tolerance, max_iterations=iterations)
        self._put(
            #: The model that this was made for, and that of the last call.
            model=model, _acting=model, simulation=simulation, _view=view,
            _known=(ours, (self._settings_of(model), b"", "[]", model.eq_active0.tobytes())),
            qpos=simulation.q, qvel=simulation.v, ctrl=simulation.control,
            qfrc_applied=np.zeros(model.nv), xfrc_applied=np.zeros((model.nbody, 6)),
            warning=_list(MjWarningStat, _enums.mjtWarning, "mjWARN_"),
            timer=_list(MjTimerStat, _enums.mjtTimer, "mjTIMER_"), solver=List(MjSolverStat, 0),
            act=np.zeros(0), act_dot=np.zeros(0), userdata=np.zeros(0),
            qacc=np.zeros(model.nv), qacc_warmstart=np.zeros(model.nv),
            solver_niter=np.zeros(20, np.int32), solver_nnz=np.zeros(20, np.int32), solver_fwdinv=np.zeros(2),
            #: What ``mj_inverse`` has computed last.
            qfrc_inverse=np.zeros(model.nv),
            eq_active=np.array(model.eq_active0, bool),
            #: Names of fields that were asked for, whether frames are among them, and what was computed since anything changed.
            _written={i: np.zeros(c.stop - c.start) for i, c in enumerate(model._columns)}, _live=[], _lost={}, _framed=False, _now={}, _views_of=weakref.WeakKeyDictionary(),
            _known_names={}, _contacts=None, _used=None, _stamp=0, _forced=None, _of_state=True,
            #: Whether anything was computed since the start.
            _reached=False,
            #: Whether fields are being written: then everything is as it must be.
            _renewing=False,
            _quaternions=_quaternions(model), _marks=model._marked, _elsewhere=[], _links_elsewhere={},
            _sites_elsewhere={}, _elsewhere_key="[]", _seen_elsewhere=False,
        )
        moved = view.moved.reshape(-1, 7)
        tied = [k for k, link in enumerate(model._mocap_links) if not _free_to_move(model, link + 1)]
        self._put(_moved_rows=moved, _tied=tied)
        self._put(mocap_pos=moved[: model.nmocap, :3], mocap_quat=moved[: model.nmocap, 3:])
        if tied:
            rest = (self._settings_of(model), moved[tied].tobytes(), "[]", self.eq_active.tobytes())
            self._put(_known=(ours, rest))
        self._put_views(view)
        view.set_masses(model.body_mass)
        view.refresh(simulation)

    @staticmethod
    def _settings_of(model: MjModel) -> tuple[str, float, float, int]:
        opt = model.opt.__dict__
        return model.contact, opt["timestep"], opt["tolerance"], opt["iterations"]

    def _put_views(self, view: _stiction.FrameView) -> None:
        """The arrays that the engine writes for all frames at once."""
        values, at = view.values, 0
        views: dict[str, Any] = {}
        for name, count, columns in view.layout():
            end = at + count * columns
            views[name], at = values[at:end].reshape(count, columns), end
        modes = self._acting.__dict__.get("cam_mode", self._acting.cam_mode if self._acting.ncam else None)
        if modes is not None and modes.any():
            # Cameras that look at bodies, or go with them without turning, are no frames of the engine.
            self._put(_fixed_cameras=(views.pop("cam_xpos"), views.pop("cam_xmat")))
        # What MuJoCo calls the root, in which a free body's quaternion counts, stays as it is.
        self._put(_views=views, _external=view.external.reshape(-1, 6))

    # ------------------------------------------------------------------ models

    def _by(self, model: MjModel) -> None:
        """Lets a model act, which need not be the one that this was made for."""
        before: MjModel = self._acting
        if model is before:
            return
        for name in _ALIKE:
            mine, given = getattr(before, name), getattr(model, name)
            if mine != given:
                raise Error(f"the model has {name} = {given}, and the state was made for one with {mine}")
        self._views_of[before] = (self._view, self._elsewhere)
        kept = self._views_of.get(model)
        view, elsewhere = kept or (_stiction.FrameView(model.stiction._world, self._view), [])
        if view.roots != self._view.roots:
            raise Error("the model has other bodies that stand in the world than the one that the state was made for")
        for k in range(model.nmocap, len(view.roots)):
            body = view.roots[k] + 1
            self._moved_rows[k, :3], self._moved_rows[k, 3:] = model.body_pos[body], model.body_quat[body]
        view.set_masses(model.body_mass)
        tied = [k for k, link in enumerate(model._mocap_links) if not _free_to_move(model, link + 1)]
        self._put(
            _acting=model, _view=view, _known=(None, None), _marks=None, _elsewhere=elsewhere, _links_elsewhere={},
            _sites_elsewhere={}, _elsewhere_key="[]", _quaternions=_quaternions(model), _tied=tied,
        )
        self._changed()

    # ---------------------------------------------------------------- stepping

    def _current(self) -> Simulation:
        """The simulation, in a world with the numbers that the model has now."""
        if self._renewing:
            return cast(Simulation, self.simulation)
        model = self._acting
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
            self.qpos[:] = dynamics.normalize(self._acting.stiction, self.qpos)

    def _go_on(self, ours: Model, contact: str, dt: float, tolerance: float, iterations: int) -> None:
        """Goes on in the same state under other numbers, or with something elsewhere."""
        model = self._acting
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
        on_others = any(model._base.links[link].body is None and model._base.links[link].parent is not None for link in links)
        if on_others or self._seen_elsewhere:
            # What is fixed to something that stands has moved there: frames are those of the world as it is now.
            self._put(_view=_stiction.FrameView(ours._world, self._view), _seen_elsewhere=on_others)
            for name, i in self._elsewhere:
                kind = name.partition("_")[0]
                if kind in ("geom", "site") and not name.endswith("size"):
                    self._view.place(kind, i, getattr(model, f"{kind}_pos")[i], getattr(model, f"{kind}_quat")[i])
        self._view.set_masses(model.body_mass)

    @property
    def _ours(self) -> Model:
        """The model of ours, with everything where it is now."""
        return self._current().model

    def _place(self) -> None:
        """Puts bodies, drawings and sites where the model has them now."""
        model, view = self._acting, self._view
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
        begun = callbacks.now()
        try:
            if callbacks.act:
                for _ in range(nstep):
                    self._advance_with_callbacks(simulation)
            else:
                self._advance(simulation, nstep)
        finally:
            self._changed()
        self._took("mjTIMER_STEP", begun, nstep)
        self.qacc[:] = self.qacc_warmstart[:] = simulation.acceleration
        self._put(_used=self._given(), _of_state=False)
        self._renew()

    def _advance_with_callbacks(self, simulation: Simulation) -> None:
        """One step, before which scripts say what acts."""
        exerted = self._called_back()
        if exerted is None:
            self._advance(simulation, 1)
            return
        given = self.qfrc_applied.copy()
        self.qfrc_applied += exerted
        try:
            self._advance(simulation, 1)
        finally:
            self.qfrc_applied[:] = given

    def _called_back(self) -> Array | None:
        """What scripts add to the passive efforts, after they have set controls; None: nothing."""
        exerted = None
        if callbacks.passive is not None:
            passive = self.qfrc_passive
            self._put(_now={})
            passive[:] = before = self._value("qfrc_passive").copy()
            callbacks.passive(self._acting, self)
            exerted = passive - before
        if callbacks.control is not None:
            callbacks.control(self._acting, self)
        self._current()
        return exerted

    def _took(self, timer: str, begun: float, times: int) -> None:
        kept = self.timer[int(_enums.mjtTimer[timer])]
        kept.number, kept.duration = kept.number + times, kept.duration + callbacks.now() - begun

    def _given(self) -> tuple[bytes, bytes, bytes]:
        """What acts from outside."""
        return self.ctrl.tobytes(), self.qfrc_applied.tobytes(), self.xfrc_applied.tobytes()

    def _advance(self, simulation: Simulation, nstep: int) -> None:
        if self.xfrc_applied.any() or self.qfrc_applied.any():
            self._apply(simulation)
        simulation.advance(None, nstep)

    def _apply(self, simulation: Simulation) -> None:
        """Lets the applied forces act in the steps of the next call."""
        simulation._set_efforts(self.qfrc_applied)
        pushed = np.flatnonzero(self.xfrc_applied.any(axis=1))
        if len(pushed):
            at = self._of_frames("xipos")
        for b in pushed:
            body = body_of(self._acting, int(b))
            if body is not None:
                simulation._apply_force(body, at[b], self.xfrc_applied[b, :3])
                simulation._apply_moment(body, self.xfrc_applied[b, 3:])

    def forward(self) -> None:
        """Accelerations, contacts and forces of the present state."""
        begun = callbacks.now()
        exerted = self._called_back() if callbacks.act else None
        if exerted is not None and exerted.any():
            given = self.qfrc_applied.copy()
            self.qfrc_applied += exerted
            try:
                self._forward_only()
            finally:
                self.qfrc_applied[:] = given
        else:
            self._forward_only()
        self._took("mjTIMER_FORWARD", begun, 1)

    def _forward_only(self) -> None:
        simulation = self._current()
        self._changed()
        if simulation._stepped and self._given() != self._used:
            # Other forces than those of the last step: it says nothing of the present.
            simulation.set_state()
        if not simulation._stepped:
            self._apply(simulation)
        self._put(_of_state=True)
        try:
            self.qacc[:] = self._forces()[0]
        finally:
            simulation._set_efforts(np.zeros(self._acting.nv))
        self._renew()

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
            simulation._set_efforts(np.zeros(self._acting.nv))
            contacts = self._that_touch(np.frombuffer(records, dtype=CONTACT))
            self._put(_forced=(key, (acceleration, contacts, efforts)))
        return cast("tuple[Array, Any, Array]", self._forced[1])

    def _sensed(self, sensors: list[int]) -> list[Array]:
        """Readings of the engine under the forces that are applied."""
        simulation = self._current()
        if simulation._stepped:
            return simulation._sensors(sensors)
        self._apply(simulation)
        try:
            return simulation._sensors(sensors)
        finally:
            simulation._set_efforts(np.zeros(self._acting.nv))

    def _that_touch(self, contacts: Any) -> Any:
        """Contacts that carry a force, or whose geoms overlap or are within their margins."""
        if not len(contacts):
            return contacts
        margins = self._acting.geom_margin[self._acting._geom_of[contacts["geometries"]]].sum(axis=1)
        return contacts[contacts["force"].any(axis=1) | (contacts["gap"] < margins - _NEAR)]

    def reset(self, key: int | None = None) -> None:
        """Back to the reference configuration, or to a keyframe."""
        simulation, model = self._current(), self._acting
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
        self._renew()

    def warn(self, warning: int, info: int, text: str) -> None:
        """Counts a warning, and tells it."""
        kept = self.warning[warning]
        kept.number, kept.lastinfo = kept.number + 1, info
        if callbacks.user_warning is None:
            warnings.warn(text, RuntimeWarning, stacklevel=3)
        else:
            # What comes of ctypes takes bytes, as C has them.
            of_c = isinstance(callbacks.user_warning, _OF_C)
            callbacks.user_warning(text.encode() if of_c else text)

    def set_state(self, q: Any, v: Any, t: float) -> None:
        """Sets the state."""
        self._current().set_state(q, v, t)
        self._changed()
        self._renew()

    def _changed(self) -> None:
        self._put(_stamp=self._stamp + 1, _contacts=None, _forced=None, _now={})

    def _renew(self, forces: bool = True) -> None:
        """Writes the present into every array that was ever asked for, those of forces and readings if ``forces``."""
        self._put(_now={}, _reached=True)
        if not self._framed and not self._live:
            if forces:
                _let_write(self)
            return
        self._view.refresh(self.simulation, True)
        self._put(_renewing=True)
        try:
            self._renew_fields(forces)
        finally:
            self._put(_renewing=False)
        if forces:
            _let_write(self)

    def _renew_fields(self, forces: bool) -> None:
        own = self.__dict__
        for name in tuple(self._live):
            if forces or name not in _OF_FORCES:
                try:
                    own[name][...] = self._value(name)
                except NotOffered:
                    # Who asks again is told why; who holds it sees that it is nothing.
                    own[name][...] = np.nan
                    self._lost[name] = own.pop(name)
                    self._live.remove(name)

    # ----------------------------------------------------------------- reading

    def _value(self, name: str) -> Array:
        """A quantity of the present, computed once."""
        now: dict[str, Array] = self._now
        found = now.get(name)
        if found is None:
            found = now[name] = _COMPUTED[name](self)
        return found

    def _of_frames(self, name: str) -> Array:
        """A quantity of frames of the present."""
        if not self._renewing:
            self._view.refresh(self._current())
        return cast(Array, self._views[name])

    def __getattr__(self, name: str) -> Any:
        # Reached where nobody has asked before.
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._views:
            array = self._of_frames(name)
            self._put(**{name: array}, _framed=True)
            return array
        if name in _COMPUTED:
            self._current()
            self._put(_now={})
            try:
                value = self._value(name)
                array = self._lost.pop(name, None)
                array = np.array(value) if array is None else array
                array[...] = value
            except NotOffered:
                if name in type(self).missing:
                    return self._lacks(name)
                raise
            self._put(**{name: array})
            self._live.append(name)
            return array
        if name in _fields.DATA_NUMBERS:
            # What is counted there is nothing that there is here: no arena, no rows of MuJoCo's solver, no sleeping islands of it.
            number = self._acting._size(_AWAKE[name]) if name in _AWAKE else 0
            self._put(**{name: number})
            return number
        if name in _STILL:
            array = _STILL[name](self._acting)
            self._put(**{name: array})
            return array
        field = _fields.DATA.get(name)
        if field is not None:
            shape = _fields.shape(field, lambda size: 0 if size in _fields.DATA_NUMBERS else self._acting._size(size))
            shape = (0, *shape[1:]) if name in _NONE else shape
            if not np.prod(shape) or name in _NOTHING:
                array = np.zeros(shape, _fields.KINDS[field[0]])
                self._put(**{name: array})
                return array
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
        """Contacts that carry a force or overlap, as they are now whenever they are looked at."""
        return MjContacts(self)

    def _contacts_now(self) -> list[MjContact]:
        """Contacts that carry a force or overlap; none before anything was computed."""
        if not self._reached:
            return []
        if self._contacts is None:
            geom_of, records = self._acting._geom_of, self._forces()[1]
            self._put(_contacts=[MjContact._of(record, geom_of, 3 * i, self._acting) for i, record in enumerate(records)])
        return cast("list[MjContact]", self._contacts)

    @property
    def ncon(self) -> int:
        """How many contacts there are."""
        known = self._contacts
        return len(self._contacts_now() if known is None else known)

    def inverse(self) -> None:
        """Computes ``qfrc_inverse``: at the present state with ``qacc`` where nothing touches or holds, and else of the last
        step, if state and ``qacc`` are still as it left them."""
        simulation = self._current()
        stepped = simulation._q_before is not None and (self.qacc == simulation.acceleration).all()
        held = simulation._held(CLEARANCE)
        self.qfrc_inverse[:] = simulation.inverse(None if held and stepped else self.qacc, clearance=CLEARANCE)

    def body_velocity(self, body: int, point: Any) -> tuple[Array, Array]:
        """Angular velocity of a body, and velocity of a point of it, in world axes."""
        cvel = self._of_frames("cvel")[body]
        at = self._of_frames("subtree_com")[self._acting.body_rootid[body]]
        return cvel[:3].copy(), cvel[3:] + np.cross(cvel[:3], np.asarray(point) - at)

    # ------------------------------------------------------------------- names

    def _named(self, called: str, asked: str | int, found: tuple[int, str], fields: dict[str, tuple[str, Any]]) -> Named:
        known = self._known_names.get((called, found[0]))
        if known is None:
            known = Named(self, f"MjData.{called}({found[1]!r})", *found, fields)
        self._known_names[called, found[0]] = self._known_names[called, asked] = known
        return cast(Named, known)

    def body(self, name: str | int = "") -> Named:
        """A body by name or number."""
        if (known := self._known_names.get(("body", name))) is not None:
            return cast(Named, known)
        found = self._acting._found("mjOBJ_BODY", name)
        return self._named("body", name, found, {key: (key, found[0]) for key in _OF_BODY})

    def joint(self, name: str | int = "") -> Named:
        """A joint by name or number: its coordinates, velocities and efforts."""
        if (known := self._known_names.get(("joint", name))) is not None:
            return cast(Named, known)
        found = self._acting._found("mjOBJ_JOINT", name)
        joint = self._acting._base.joints[found[0]]
        fields: dict[str, tuple[str, Any]] = {"qpos": ("qpos", joint.q)}
        fields |= {key: (key, joint.v) for key in _OF_DOF} | {key: (key, found[0]) for key in ("xanchor", "xaxis")}
        return self._named("joint", name, found, fields)

    jnt = joint

    def geom(self, name: str | int = "") -> Named:
        """A geom by name or number."""
        if (known := self._known_names.get(("geom", name))) is not None:
            return cast(Named, known)
        return self._frame("geom", "mjOBJ_GEOM", name, "geom")

    def site(self, name: str | int = "") -> Named:
        """A site by name or number."""
        if (known := self._known_names.get(("site", name))) is not None:
            return cast(Named, known)
        return self._frame("site", "mjOBJ_SITE", name, "site")

    def camera(self, name: str | int = "") -> Named:
        """A camera by name or number."""
        if (known := self._known_names.get(("camera", name))) is not None:
            return cast(Named, known)
        return self._frame("camera", "mjOBJ_CAMERA", name, "cam")

    cam = camera

    def _frame(self, called: str, kind: str, name: str | int, prefix: str) -> Named:
        found = self._acting._found(kind, name)
        return self._named(called, name, found, {key: (f"{prefix}_{key}", found[0]) for key in ("xpos", "xmat")})

    def actuator(self, name: str | int = "") -> Named:
        """An actuator by name or number."""
        if (known := self._known_names.get(("actuator", name))) is not None:
            return cast(Named, known)
        found = self._acting._found("mjOBJ_ACTUATOR", name)
        only = slice(found[0], found[0] + 1)
        fields: dict[str, tuple[str, Any]] = {
            key: (f"actuator_{key}", only) for key in ("force", "length", "velocity")
        }
        return self._named("actuator", name, found, {"ctrl": ("ctrl", only), "moment": ("actuator_moment", found[0]), **fields})

    def sensor(self, name: str | int = "") -> Named:
        """A sensor by name or number: its reading."""
        if (known := self._known_names.get(("sensor", name))) is not None:
            return cast(Named, known)
        found = self._acting._found("mjOBJ_SENSOR", name)
        if self._acting._columns[found[0]].start < 0 or any(c.start < 0 for c in self._acting._columns):
            return self._named("sensor", name, found, {"data": ("_reading", found[0])})
        columns = self._acting._columns[found[0]]
        return self._named("sensor", name, found, {"data": ("sensordata", columns)})

    @property
    def _reading(self) -> _Reading:
        return _Reading(self)

    def tendon(self, name: str | int = "") -> Named:
        """A tendon by name or number: length and velocity."""
        if (known := self._known_names.get(("tendon", name))) is not None:
            return cast(Named, known)
        found = self._acting._found("mjOBJ_TENDON", name)
        only = slice(found[0], found[0] + 1)
        return self._named("tendon", name, found, {"length": ("ten_length", only), "velocity": ("ten_velocity", only)})

    def __dir__(self) -> list[str]:
        known = {*object.__dir__(self), *self.__dict__, *self._views, *_COMPUTED}
        return sorted(known | {*_fields.DATA, *_fields.DATA_NUMBERS})

    def __reduce__(self) -> tuple[Any, ...]:
        kept = [np.array(getattr(self, name)) for name in _KEPT]
        return (_again, (self.model, self.time, self.simulation._snapshot(), kept, np.array(self._view.moved), self._reached))


#: What belongs to a body, a joint's velocities.
_OF_BODY = (
    "xpos", "xquat", "xmat", "xipos", "cvel", "cinert", "cfrc_ext", "subtree_com", "subtree_linvel", "subtree_angmom",
    "xfrc_applied",
)
_OF_DOF = (
    "qvel", "qacc", "qacc_smooth", "cdof", "qfrc_applied", "qfrc_actuator", "qfrc_bias", "qfrc_constraint", "qfrc_inverse",
    "qfrc_passive", "qfrc_smooth",
)
#: The kind of functions of ctypes.
_OF_C: Any = type(ctypes.CFUNCTYPE(None)()).__mro__[1]
#: Contacts that carry no force count where they are nearer than their margins by this [m].
_NEAR = 1e-7
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


def _again(model: MjModel, t: float, snapshot: bytes, kept: list[Array], moved: Array, reached: bool = True) -> MjData:
    data = MjData(model)
    data._view.moved[:] = moved
    data.eq_active[:] = kept[0]
    data._current()._restore(snapshot)
    for name, values in zip(_KEPT, kept):
        getattr(data, name)[...] = values
    data._put(_reached=reached)
    return data


def _free_to_move(model: MjModel, body: int) -> bool:
    """Whether nothing that touches, holds or moves hangs on a body: then it is a mark in the world."""
    by_hand = {body}
    for b in range(body + 1, model.nbody):
        if int(model.body_parentid[b]) in by_hand:
            by_hand.add(b)
    return model.ties(by_hand) is None and not model.senses(by_hand)


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
_COMPUTED: dict[str, Callable[[MjData], Array]] = {
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
_OF_FORCES = frozenset(
    "cfrc_ext cfrc_int actuator_force qfrc_actuator qfrc_constraint qfrc_smooth qacc_smooth sensordata cacc".split()
)
#: Efforts that are zero: of media, adhesion and of plugins there are none here, and gravity is nowhere compensated.
_NOTHING = frozenset("qfrc_fluid qfrc_adhesion qfrc_gravcomp".split())
#: What is kept of MuJoCo's ways to compute, of which there is nothing here: arrays without rows.
_NONE = frozenset("qH qDeriv qLU efm_fluid bvh_active wrap_obj wrap_xpos".split())
#: What stays as it is: columns of actuators; and of MuJoCo's islands, its sleep and effective masses: everything is awake and in no island, and no mass is another.
_STILL: dict[str, Callable[[MjModel], Any]] = {
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
_AWAKE = {"ntree_awake": "ntree", "nbody_awake": "nbody", "nv_awake": "nv"}
#: Sizes that two models have in common, of which one acts on the other's states.
_ALIKE = "nq nv nu nbody njnt ngeom nsite ncam neq nmocap ntendon nsensordata".split()


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


def _let_write(d: MjData) -> None:
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


def turned(mat: Any) -> Array:
    """A matrix (3, 3) of nine numbers."""
    return np.asarray(mat, dtype=np.float64).reshape(3, 3)


__all__ = ["MjContact", "MjContacts", "MjData", "body_of", "rotation_of", "turned"]
