"""``MjData``: the names that MuJoCo scripts ask of a state, read from a simulation of ours.

A field is one array, made when it is first asked for. From then on every function that steps or computes writes into it, so
that whoever holds it, or a part of it, sees what MuJoCo's shows.
"""

from __future__ import annotations

import ctypes
import json
import warnings
import weakref
from typing import Any, cast

import numpy as np

from .. import _stiction, dynamics
from .._contacts import CONTACT
from .._model import Model
from .._simulation import Simulation
from .._stiction import Error
from .._tables import Array
from . import _enums, _fields
from ._callbacks import callbacks
from ._contact import MjContact, MjContacts
from ._data_names import NamedData
from ._guard import NotOffered
from ._model import MjModel, body_of
from ._quantities import (
    AWAKE,
    COMPUTED,
    NONE,
    NOTHING,
    OF_FORCES,
    STILL,
    let_write,
    quaternions,
)
from ._senses import Readings
from ._structs import List, MjSolverStat, MjTimerStat, MjWarningStat

#: Numbers of the timers of steps and of what is computed between them.
_STEP, _FORWARD = int(_enums.mjtTimer["mjTIMER_STEP"]), int(_enums.mjtTimer["mjTIMER_FORWARD"])
#: Geometries that are nearer touch, for ``mj_inverse`` [m].
CLEARANCE = 1e-6

def _list(kind: Any, words: Any, prefix: str) -> List:
    return List(kind, sum(word.startswith(prefix) for word in words.__members__))


class MjData(NamedData):
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
            _quaternions=quaternions(model), _of_units=b"", _renewed=None, _marks=model._marked, _elsewhere=[], _links_elsewhere={},
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
        ends = opt["_ends"]
        return model.contact, opt["timestep"], ends["tolerance"], ends["iterations"]

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
            _sites_elsewhere={}, _elsewhere_key="[]", _quaternions=quaternions(model), _of_units=b"", _tied=tied,
        )
        self._changed()

    # ---------------------------------------------------------------- stepping

    def _current(self) -> Simulation:
        """The simulation, in a world with the numbers that the model has now."""
        if self._renewing:
            return cast(Simulation, self.simulation)
        model = self._acting
        stamp = model._stamp()
        if stamp[2] != self._marks:
            self._place()
            self._put(_marks=stamp[2])
        hand = self._moved_rows[self._tied].tobytes() if self._tied else b""
        ours, rest = model._present(stamp), (self._settings_of(model), hand, self._elsewhere_key, self.eq_active.tobytes())
        if ours is not self._known[0] or rest != self._known[1]:
            self._go_on(ours, None if self._known[1] is not None and rest[0] == self._known[1][0] else rest[0])
            self._put(_known=(ours, rest), _used=None)
        if len(self._quaternions) and self.qpos.tobytes() != self._of_units:
            self._make_units()
        return self.simulation  # type: ignore[no-any-return]

    def _make_units(self) -> None:
        """Gives quaternions that a script has written their unit norm, as MuJoCo's functions do."""
        rows = self.qpos[self._quaternions]
        squares = np.einsum("ij,ij->i", rows, rows)
        if np.abs(squares - 1.0).max() > _UNIT and np.isfinite(squares).all():
            self.qpos[:] = dynamics.normalize(self._acting.stiction, self.qpos)
        self._put(_of_units=self.qpos.tobytes())

    def _go_on(self, ours: Model, settings: tuple[str, float, float, int] | None) -> None:
        """Goes on in the same state under other numbers, or with something elsewhere; ``settings`` are those that are new."""
        model = self._acting
        links, sites = dict(self._links_elsewhere), dict(self._sites_elsewhere)
        links |= {model._mocap_links[k]: self._moved_rows[k] for k in self._tied}
        if links or sites:
            rows = [np.array([*of.values()]).reshape(-1, 7) for of in (links, sites)]
            ours = Model(ours._world.placed([*links], rows[0], [*sites], rows[1]), ours._recipe)
        if not np.array_equal(self.eq_active, model.eq_active0):
            ours = Model(ours._world.switched(self.eq_active.astype(bool).tolist()), ours._recipe)
        given: dict[str, Any] = {}
        if settings is not None:
            contact, dt, tolerance, iterations = settings
            given = {"contact": contact, "tolerance": tolerance, "max_iterations": iterations}
            given["stepper"] = {"dt": dt}
        simulation = self.simulation
        simulation._go_on_in(ours._world, json.dumps(given) if given else None)
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
        self._took(_STEP, begun, nstep)
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

    def _took(self, timer: int, begun: float, times: int) -> None:
        kept = self.timer[timer]
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
        self._took(_FORWARD, begun, 1)

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
        if not self._framed and not self._live:
            self._put(_now={}, _renewed=None, _reached=True)
            if forces:
                let_write(self)
            return
        key = self._of_what()
        self._put(_now=self._now if key == self._renewed else {}, _renewed=key, _reached=True)
        if self._acting._read_here:
            # Scripts write readings of their own.
            self._now.pop("sensordata", None)
        self._view.refresh(self.simulation, True)
        self._put(_renewing=True)
        try:
            self._renew_fields(forces)
        finally:
            self._put(_renewing=False)
        if forces:
            let_write(self)

    def _of_what(self) -> tuple[Any, ...]:
        """All that quantities of the present depend on: while it is the same they need not be computed again."""
        return (
            self._stamp, self._of_state, self._known, self._marks, self.simulation.time, self.qpos.tobytes(), self.qvel.tobytes(),
            self.qacc.tobytes(), self._moved_rows.tobytes(), *self._given(),
        )  # fmt: skip

    def _renew_fields(self, forces: bool) -> None:
        own = self.__dict__
        for name in tuple(self._live):
            if forces or name not in OF_FORCES:
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
            found = now[name] = COMPUTED[name](self)
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
        if name in COMPUTED:
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
            number = self._acting._size(AWAKE[name]) if name in AWAKE else 0
            self._put(**{name: number})
            return number
        if name in STILL:
            array = STILL[name](self._acting)
            self._put(**{name: array})
            return array
        field = _fields.DATA.get(name)
        if field is not None:
            shape = _fields.shape(field, lambda size: 0 if size in _fields.DATA_NUMBERS else self._acting._size(size))
            shape = (0, *shape[1:]) if name in NONE else shape
            if not np.prod(shape) or name in NOTHING and not (name == "qfrc_gravcomp" and self._acting.ngravcomp):
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
        self._renew(False)

    def body_velocity(self, body: int, point: Any) -> tuple[Array, Array]:
        """Angular velocity of a body, and velocity of a point of it, in world axes."""
        cvel = self._of_frames("cvel")[body]
        at = self._of_frames("subtree_com")[self._acting.body_rootid[body]]
        return cvel[:3].copy(), cvel[3:] + np.cross(cvel[:3], np.asarray(point) - at)

    # ------------------------------------------------------------------- others

    @property
    def _reading(self) -> Readings:
        return Readings(self)

    def __dir__(self) -> list[str]:
        known = {*object.__dir__(self), *self.__dict__, *self._views, *COMPUTED}
        return sorted(known | {*_fields.DATA, *_fields.DATA_NUMBERS})

    def __reduce__(self) -> tuple[Any, ...]:
        kept = [np.array(getattr(self, name)) for name in _KEPT]
        return (_again, (self.model, self.time, self.simulation._snapshot(), kept, np.array(self._view.moved), self._reached))


#: The kind of functions of ctypes.
_OF_C: Any = type(ctypes.CFUNCTYPE(None)()).__mro__[1]
#: Contacts that carry no force count where they are nearer than their margins by this [m].
_NEAR = 1e-7
#: Squares of norms of quaternions are this near to one, or the quaternions are written anew.
_UNIT = 1e-10


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


#: Sizes that two models have in common, of which one acts on the other's states.
_ALIKE = "nq nv nu nbody njnt ngeom nsite ncam neq nmocap ntendon nsensordata".split()


__all__ = ["MjContact", "MjContacts", "MjData", "body_of"]
