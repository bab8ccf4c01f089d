"""Simulations: a model in motion."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _stiction, dynamics
from ._contacts import CONTACT, CORRECTABLE
from ._linearization import Linearization, Parameter, RolloutGradient, _parameters
from ._model import Model
from ._recording import Recording
from ._sealed import seal, sealed, take_known
from ._steps import whole_steps
from ._stiction import Error, StepReport
from ._tables import Array, Surface, frozen
from ._viewer import Viewer

Contacts = NDArray[np.void]

#: Sets controls before a step; what it returns, if anything, are the controls.
Controller = Callable[["Simulation"], "ArrayLike | None"]


@dataclass(frozen=True)
class Certificate:
    """How far the impulses of a step are from the exact contact law, by a judge that knows no solver.

    ``natural_map`` [m/s] is the number to trust: zero if and only if the impulses satisfy the law. The others say what is
    wrong; the docs of ``stiction_contact::certificate`` state them as formulas.
    """

    natural_map: float
    natural_map_relative: float
    eps_p: float
    eps_d: float
    eps_c: float
    eps_abs: float
    signorini: float
    cone_excess: float
    dissipation_gap: float
    mdp_angle_max: float
    mdp_angle_mean: float
    lift: float
    worst: int | None


@dataclass(frozen=True)
class Energy:
    """Energy of a world [J]."""

    kinetic: float
    #: Gravity and joint springs.
    potential: float

    @property
    def total(self) -> float:
        """Kinetic and potential."""
        return self.kinetic + self.potential


@dataclass(frozen=True)
class Snapshot:
    """Everything that decides how a simulation goes on, bit for bit; can be pickled and kept in files."""

    data: bytes


@dataclass(frozen=True)
class LinkState:
    """Where a link is, and how it moves, in the world."""

    #: [m]
    position: Array
    #: (w, x, y, z)
    quaternion: Array
    #: [rad/s]
    angular_velocity: Array
    #: Of its origin [m/s].
    velocity: Array


@dataclass(frozen=True)
class Picture:
    """Colour (height, width, 3), depth along the axis of the camera [m], and the index of the geometry at every pixel.

    Indices are those of ``model.geometries``; behind them come the shapes that are only drawn, in the order of the file; −1:
    nothing. Depth of balls, ellipsoids, capsules and cylinders is that of the shape, exact to single precision; where one hides
    another is decided by triangles, which miss a third of a pixel.
    """

    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]
    segmentation: NDArray[np.int32]


@sealed
class State:
    """Time, coordinates and velocities of a simulation, as they are now; q and v are its own arrays, and can be written."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    @property
    def t(self) -> float:
        """Time [s]."""
        return self._simulation.time

    @t.setter
    def t(self, t: float) -> None:
        self._simulation.time = t

    @property
    def q(self) -> Array:
        """Coordinates."""
        return self._simulation.q

    @property
    def v(self) -> Array:
        """Velocities."""
        return self._simulation.v

    def __repr__(self) -> str:
        return f"State(t={self.t}, q={self.q!r}, v={self.v!r})"


def _settings(
    contact: Any,
    stepper: str | None,
    dt: float | None,
    tolerance: float | None,
    max_iterations: int | None,
    threads: int | None,
    effort: str | None,
    contact_params: Mapping[str, Any] | None,
    params: Mapping[str, Any],
) -> dict[str, Any]:
    table = dict(params)
    if effort is not None:
        contact_params = {**(contact_params or {}), "effort": effort}
    if stepper is not None:
        table["method"] = stepper
    if dt is not None:
        table["dt"] = float(dt)
    given: dict[str, Any] = {
        "contact": contact if isinstance(contact, str) else None,
        "contact_params": None if contact_params is None else dict(contact_params),
        "tolerance": tolerance,
        "max_iterations": max_iterations,
        "threads": threads,
        "stepper": table,
    }
    return {key: value for key, value in given.items() if value is not None}


class Simulation(_stiction.Simulation):
    """A model, its state, a stepper and a contact solver: the thing to call :meth:`step` on.

    ``contact``: the name of a solver (:func:`stiction.solvers` lists them), or an object with a method
    ``solve(problem, start) -> impulses``; without, what the model asks for. ``effort``: how much a step of ``auto`` may cost,
    ``"fast"``, ``"balanced"`` (without) or ``"exact"``. ``stepper``: a name of
    :func:`stiction.steppers`. Further keywords are parameters of the stepper: ``baumgarte``, ``slop``, ``margin``,
    ``restitution_threshold``, ``continuous``, ``adaptive``, ``sleep``, …; ``nmdp`` is a mapping of those of the NMDP steppers,
    ``canon`` of those of docs/ways-to-step.md, and they change what they name.

    ``q``, ``v`` and ``control`` are arrays that live as long as the simulation. A step writes q and v. What you write into
    them counts: a new q or v is a new state, from which contacts start cold; controls are kept from step to step.
    """

    model: Model
    _given: tuple[Any, dict[str, Any]]

    __setattr__ = take_known

    def __new__(
        cls,
        model: Model,
        contact: str | Any | None = None,
        stepper: str | None = None,
        dt: float | None = None,
        *,
        tolerance: float | None = None,
        max_iterations: int | None = None,
        threads: int | None = None,
        effort: str | None = None,
        contact_params: Mapping[str, Any] | None = None,
        **params: Any,
    ) -> Simulation:
        """See the class."""
        if not isinstance(model, Model):
            raise Error(f"a simulation needs a model, not {type(model).__name__}; stiction.load() makes one")
        given = _settings(contact, stepper, dt, tolerance, max_iterations, threads, effort, contact_params, params)
        solver = None if contact is None or isinstance(contact, str) else contact
        made = super().__new__(cls, model._world, json.dumps(given), solver)
        made.model = model
        made._given = (solver, given)
        seal(made, Simulation)
        return made

    # ------------------------------------------------------------------ state

    @property
    def state(self) -> State:
        """Time, q and v as they are now; they can be written."""
        return State(self)

    def set_state(self, q: ArrayLike | None = None, v: ArrayLike | None = None, t: float | None = None) -> None:
        """Sets q, v and time at once; contacts start cold, and forces that were applied are forgotten."""
        # Copies: what is given may be the arrays that this writes.
        q = np.array(self.q if q is None else q, dtype=np.float64)
        v = np.array(self.v if v is None else v, dtype=np.float64)
        self._set_state(self.time if t is None else t, q, v)

    def reset(self, keyframe: str | int | None = None, *, q: ArrayLike | None = None, v: ArrayLike | None = None) -> None:
        """Back to the start of the model, at time 0: to a keyframe of its file, or to q and v. Forces that were applied are
        forgotten."""
        model = self.model
        control = np.array(model.control0)
        start_q, start_v = model.q0, model.v0
        if keyframe is not None:
            key = model.keyframes[keyframe]
            start_q, start_v = np.array(key.q), np.array(key.v)
            control[: len(key.control)] = key.control
        self._set_state(0.0, start_q if q is None else q, start_v if v is None else v)
        self.control[:] = control

    def snapshot(self) -> Snapshot:
        """Everything that decides the future."""
        return Snapshot(self._snapshot())

    def restore(self, snapshot: Snapshot) -> None:
        """Goes on from a snapshot of the same model and settings, bit for bit."""
        self._restore(snapshot.data)

    def linearize(self, parameters: Sequence[Parameter] = (), smoothing: float = 0.0) -> Linearization:
        """The derivatives of the step from the present state, which is done and taken back; those by ``parameters`` as well.

        They are those of the problem that the step solves, by the implicit function theorem, and exact where the step is
        smooth; ``notes`` say where it is not. With ``smoothing`` κ [J] they are those of the problem relaxed by κ, in which contacts press
        from a distance: biased in proportion to κ, and without switches. Raises Error where a step is of a kind that has no derivative, and says why.
        Forces that were applied count.
        """
        a, b, c, dlambda, by_parameters, q, v, notes = self._linearize(_parameters(self.model, parameters), smoothing)
        return Linearization(a, b, c, dlambda, by_parameters, q, v, tuple(json.loads(notes)))

    def rollout_vjp(
        self, controls: ArrayLike, gradients: ArrayLike, every: int | None = None, parameters: Sequence[Parameter] = ()
    ) -> RolloutGradient:
        """The gradient of a cost of a rollout from here, by the adjoint of every step; the state stays.

        ``controls`` (N, nu) act in N steps, and ``gradients`` (N, 2 nv) are those of the cost by the state after each step, in
        tangent coordinates of (q, v). The gradient by ``parameters``, which are the same in all steps, is found as well. There is a
        checkpoint every ``every`` steps (√N of them by default). Forces and motions that a scene states do not act.
        """
        u, g = np.asarray(controls, dtype=np.float64), np.asarray(gradients, dtype=np.float64)
        expected = [(len(g), self.model.nu), (len(g), 2 * self.model.nv)]
        for name, x, shape in zip(("controls", "gradients"), (u, g), expected):
            if x.shape != shape:
                raise Error(f"{name} have the shape {x.shape}; expected {shape}")
        if every is not None and every < 1:
            raise Error(f"every is {every}; expected at least 1 step")
        spacing = every if every is not None else max(1, round(len(g) ** 0.5))
        numbers = _parameters(self.model, parameters)
        start, by_control, by_parameters, notes = self._rollout_vjp(u.ravel(), g.ravel(), spacing, numbers)
        told = tuple((note["step"], note["of"]) for note in json.loads(notes))
        return RolloutGradient(start, by_control.reshape(u.shape), by_parameters, told)

    def copy(self) -> Simulation:
        """Another simulation that goes on the same."""
        return _simulation_made_again(self.model, *self._given, self._snapshot())

    def __reduce__(self) -> tuple[Any, ...]:
        return (_simulation_made_again, (self.model, *self._given, self._snapshot()))

    # ------------------------------------------------------------------- time

    def run(
        self,
        seconds: float,
        controller: Controller | None = None,
        every: float | None = None,
        until: Callable[[Simulation], bool] | None = None,
    ) -> StepReport | None:
        """Steps for so many seconds, or until ``until(self)`` is true; raises StepFailed where a step fails.

        ``controller(self)`` is called every ``every`` seconds (every step without), before the step. What it sets and applies
        acts until it is called again: the controls that it returns or writes, and the forces of :meth:`apply_efforts`,
        :meth:`apply_force` and :meth:`apply_moment`. What was applied before acts in the whole run where there is no
        controller. Ctrl-C ends the run between two steps.

        ``seconds`` and ``every`` are whole numbers of time steps. Others are refused, with the nearest that are and the time
        step that fits: 200 times a second is every 2.5 steps of 2 ms, and every second step of 2.5 ms.
        """
        steps = whole_steps("seconds", seconds, self.dt)
        chunk = 1 if every is None else whole_steps("every", every, self.dt)
        if chunk < 1:
            raise Error(f"every is {every}; expected a finite number > 0 [s]")
        if controller is None and until is None:
            return self.advance(None, steps) if steps else None
        report: StepReport | None = None
        done = 0
        try:
            while done < steps and not (until is not None and until(self)):
                control = None if controller is None else controller(self)
                now = min(chunk, steps - done)
                report = self._go_on(control, now, controller is None)
                done += now
        finally:
            if controller is None:
                self._drop_forces()
        return report

    # ---------------------------------------------------------------- readout

    @property
    def contacts(self) -> Contacts:
        """Contacts of the last step that carry a force, as a structured array of :data:`CONTACT`, which cannot be written."""
        return self.contacts_near(False)

    def contacts_near(self, open: bool = True) -> Contacts:
        """Contacts of the last step, with those that carry no force if ``open``."""
        return frozen(np.frombuffer(self._contact_records(open), dtype=CONTACT))

    @property
    def certificate(self) -> Certificate:
        """The judge's word on the last step."""
        return Certificate(**self._certificate())

    @property
    def energy(self) -> Energy:
        """Energy of the present state."""
        return Energy(*self._energy())

    @property
    def body_positions(self) -> Array:
        """Origins of the bodies in the world (bodies, 3) [m]."""
        return frozen(self._body_poses()[0])

    @property
    def body_quaternions(self) -> Array:
        """Orientations of the bodies in the world (bodies, 4), w first."""
        return frozen(self._body_poses()[1])

    @property
    def body_velocities(self) -> Array:
        """Velocities of the bodies (bodies, 6): angular, then of the origin, in world axes."""
        return frozen(self._body_velocities())

    @property
    def constraint_efforts(self) -> Array:
        """Mean efforts of constraints in the last step (nv): Jᵀ λ / dt of contacts, limits, dry friction, couplings and
        loops. Raises where no step led to the present state."""
        return frozen(self._constraint_efforts())

    def inverse(self, acceleration: ArrayLike | None = None, *, clearance: float = 1e-6) -> Array:
        """What actuators and applied forces exert on joints (nv), by inverse dynamics: M v̇ + b − passive − constraints.

        Without ``acceleration`` it is that of the last step: its mean acceleration and the impulses of its contacts, limits,
        dry friction, couplings and loops, at the middle of the step. It differs from the mean of what was exerted by
        O(dt²) where the motion is smooth, and by O(dt) in a step with an impact.

        With ``acceleration`` it is that of the present state. The law of rigid contact defines no force there, so this
        raises where something may hold the joints: geometries within ``clearance`` [m], joints at their limits, dry
        friction, couplings, loops.
        """
        model = self.model
        if acceleration is not None:
            held = self._held(clearance)
            if held:
                raise Error(
                    "the forces of constraints are not defined by a state and an acceleration, and "
                    + "; ".join(held)
                    + "; inverse() without acceleration takes those of the last step"
                )
            q, v = self.q, self.v
            a = np.asarray(acceleration, dtype=np.float64)
            return np.asarray(dynamics.rnea(model, q, v, a) - dynamics.passive(model, q, v), dtype=np.float64)
        constraints = self._constraint_efforts()
        before, a, h = self._q_before, self.acceleration, self.dt
        assert before is not None, "constraint efforts are those of a step"
        q = dynamics.integrate(model, before, dynamics.difference(model, before, self.q), 0.5)
        v = self.v - 0.5 * h * a
        inertial = dynamics.rnea(model, q, v, a) - dynamics.passive(model, q, v)
        return np.asarray(inertial - constraints, dtype=np.float64)

    def _held(self, clearance: float) -> list[str]:
        """What may hold the joints at the present state, in words."""
        held = self.model._world.held(self.q)
        if len(self.model.geometries) > 1:
            probe = self.__dict__.setdefault("_probe", Simulation(self.model))
            probe.set_state(self.q, self.v)
            failure = probe.step().failure
            if failure is not None:
                held.append(f"a step from here fails ({failure})")
            near = probe.contacts_near()
            touching = near[near["gap"] <= clearance]
            both = {int(g) for pair in touching["geometries"] for g in pair}
            names = {self.model.geometries[g].name or f"geometry {g}" for g in both}
            if names:
                held.append(f"geometries touch: {', '.join(sorted(names))}")
        return held

    def surface(self, a: str | int, b: str | int) -> Surface:
        """Friction and restitution of the contacts of two geometries, and whence they come; see :meth:`Model.surface`."""
        return self.model._surface(self._world, a, b)

    def link(self, link: str | int) -> LinkState:
        """Where a link is and how it moves."""
        position, quaternion, motion = self._link_state(self.model.links.index(link))
        return LinkState(frozen(position), frozen(quaternion), frozen(motion[:3]), frozen(motion[3:]))

    def sensor(self, sensor: str | int) -> Array:
        """The reading of a sensor of the file, by MuJoCo's definition; one that is not offered raises.

        Accelerations are those of the last step, contact forces its means. Where no step led to the present state, after
        loading, setting and resetting, both are those of the state itself: the limit of a short step, or where bodies meet
        with a speed, the means of one step. Noise is up to you.
        """
        return self._sensors([self.model.sensors.index(sensor)])[0]

    def sensors(self) -> dict[str, Array]:
        """The readings of all sensors that are offered, by name; :attr:`Model.sensors_not_offered` lists the others."""
        missing = self.model.sensors_not_offered
        table = [(i, s.name) for i, s in enumerate(self.model.sensors) if s.name not in missing]
        readings = self._sensors([i for i, _ in table])
        return {name: reading for (_, name), reading in zip(table, readings)}

    @property
    def sensordata(self) -> Array:
        """The readings of all sensors side by side: ``sensordata[model.sensors["imu"].columns]``. Raises if one is not
        offered."""
        readings = self._sensors(list(range(len(self.model.sensors))))
        return frozen(np.concatenate(readings) if readings else np.zeros(0))

    # ----------------------------------------------------------------- forces

    def apply_force(self, body: str | int, force: ArrayLike, point: ArrayLike | None = None) -> None:
        """Adds a force [N], in the world, for all steps of the next call of ``step``, ``advance`` or ``run``; at a point in
        the world, or at the body's origin. The point goes with the body, the force keeps its direction."""
        index = self.model.bodies.index(body)
        at = self.body_positions[index] if point is None else point
        self._apply_force(index, at, force)

    def apply_moment(self, body: str | int, moment: ArrayLike) -> None:
        """Adds a moment [N·m], in world axes, for all steps of the next call."""
        self._apply_moment(self.model.bodies.index(body), moment)

    def correct_contacts(self, correction: Callable[[Contacts], ArrayLike | None] | None) -> None:
        """Lets a function change contact impulses between solving and applying them; None takes it away.

        It is given the contacts as an array of :data:`CORRECTABLE` and returns their impulses (n, 3) [N·s] along their
        axes, or None. The certificate is that of what was applied.
        """
        if correction is None:
            self._correct_contacts(None)
            return
        chosen = correction

        def of_records(records: bytearray) -> Array | None:
            impulses = chosen(np.frombuffer(records, dtype=CORRECTABLE))
            return None if impulses is None else np.asarray(impulses, dtype=np.float64)

        self._correct_contacts(of_records)

    # --------------------------------------------------------------- pictures

    def picture(
        self,
        width: int = 640,
        height: int = 480,
        *,
        eye: ArrayLike | None = None,
        target: ArrayLike | None = None,
        on: str | int | None = None,
        axes: ArrayLike | None = None,
        field_of_view: float = 0.66,
    ) -> Picture:
        """A picture of the present state, made without a graphics card.

        From ``eye`` at ``target``, both in the world; or from ``eye`` along ``axes`` (rows: to the right of the picture,
        down, ahead), in the link ``on`` or in the world; without an eye from where all can be seen. ``field_of_view`` is
        vertical [rad].
        """
        place = None if eye is None else np.asarray(eye, dtype=np.float64)
        rows = None if axes is None else np.asarray(axes, dtype=np.float64)
        if on is not None:
            if place is None or rows is None:
                raise Error("a camera on a link needs an eye and axes in it")
            link = self.link(on)
            turn = _turn(link.quaternion)
            place, rows = link.position + turn @ place, rows @ turn.T
        return Picture(
            *self._picture(
                width,
                height,
                field_of_view,
                None if place is None else place.tolist(),
                None if target is None else np.asarray(target, dtype=np.float64).tolist(),
                None if rows is None else rows.tolist(),
            )
        )

    def render(self, camera: str | int, width: int | None = None, height: int | None = None) -> Picture:
        """What a camera of the file sees: colour, depth and segmentation.

        ``width`` and ``height`` are those that the file states, or 640 and 480; one alone keeps the ratio of both.
        """
        found = self.model.cameras[camera]
        if found.obstacle is not None:
            raise Error(f"camera `{found.name}`: {found.obstacle}")
        w, h = found.resolution or (640, 480)
        if width is None:
            width = w if height is None else max(1, round(height * w / h))
        if height is None:
            height = max(1, round(width * h / w))
        place, turn = np.array(found.position), _turn(found.quaternion)
        if found.body is not None:
            positions, quaternions = self._body_poses()
            R = _turn(quaternions[found.body])
            place, turn = positions[found.body] + R @ place, R @ turn
        right, up, back = turn.T
        return self.picture(
            width, height, eye=place, axes=np.array([right, -up, -back]), field_of_view=found.field_of_view
        )

    def viewer(
        self, live: bool | None = None, *, host: str = "127.0.0.1", port: int = 0, height: int = 520
    ) -> Viewer:
        """A page that shows what happens while you step; in a notebook the cell shows it, elsewhere open its ``url``.

        It is served from this process, by threads of its own that no step waits for; who has the address, with its token,
        can look. ``live=False``, or None where a notebook runs on another machine or no port can be had, makes a page of
        what is recorded from now on instead. A simulation has one live page: another call takes its place.
        """
        return Viewer(self, live, host, port, height)

    # -------------------------------------------------------------- recording

    def _recording_or_new(self) -> Recording:
        if not self._is_recording():
            self._start_recording(60.0, False)
        return Recording(self)

    def record(self, frames_per_second: float = 60.0, *, trajectory: bool = True) -> Recording:
        """Starts a recording: frames to be looked at and, if ``trajectory``, the numbers of every step."""
        self._start_recording(frames_per_second, trajectory)
        return Recording(self)

    def __iter__(self) -> Iterator[StepReport]:
        """Steps without end."""
        while True:
            yield self.step()


def _turn(quaternion: Any) -> Array:
    """The rotation matrix of a quaternion, w first."""
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _simulation_made_again(model: Model, solver: Any, given: dict[str, Any], snapshot: bytes) -> Simulation:
    given = dict(given)
    params = given.pop("stepper", {})
    contact = solver if solver is not None else given.pop("contact", None)
    given.pop("contact", None)
    made = Simulation(model, contact, **given, **params)
    made._restore(snapshot)
    return made
