"""Optimal control: a walking controller for four-legged robots, and trajectories through contact by iterative LQR.

:class:`Locomotion` finds joint torques from a commanded velocity by model predictive control; it is a controller for :meth:`stiction.Simulation.run`.
:func:`ilqr` finds controls that make a cost least, with gradients of the contact law itself.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _stiction, dynamics
from ._sealed import sealed
from ._stiction import Error

if TYPE_CHECKING:
    from ._model import Model
    from ._simulation import Simulation
    from ._tables import Array

__all__ = ["Iteration", "Locomotion", "Optimum", "ilqr"]


@sealed
class Locomotion:
    """Walks a quadruped with torque motors: its trunk on a free joint, legs of three hinges, a link at each foot.

    ``feet`` are the links of the feet, front left, front right, hind left, hind right, and ``home`` the posture that it walks in (``model.q0`` without).
    ``ground(x, y)`` tells the height of the ground (0 without). Other keywords are parameters, see :meth:`defaults`; those in groups come as mappings.
    The command is in ``velocity``, ``yaw_rate`` and ``height``, which may be written at any time::

        scene = stiction.Scene("solo12").ground(friction=0.9).model(builtin="solo12", keyframe="home")
        model = scene.build()
        stiction.Simulation(model).run(4.0, Locomotion(model, velocity=(0.5, 0.0)))
    """

    #: Velocity of the trunk ahead and to the left, along the ground [m/s].
    velocity: tuple[float, float]
    #: Rate of the heading, to the left [rad/s].
    yaw_rate: float
    #: Height of the trunk above the ground [m].
    height: float

    def __init__(
        self,
        model: Model,
        *,
        trunk: str = "trunk",
        feet: Sequence[str] = ("FL_foot", "FR_foot", "HL_foot", "HR_foot"),
        home: ArrayLike | None = None,
        ground: Callable[[float, float], float] | None = None,
        velocity: tuple[float, float] = (0.0, 0.0),
        yaw_rate: float = 0.0,
        height: float = 0.24,
        **parameters: Any,
    ) -> None:
        if len(feet) != 4:
            raise Error(f"{len(feet)} feet are named; expected 4: front left, front right, hind left, hind right")
        values = _over(self.defaults(), parameters, "")
        posture = model.q0 if home is None else home
        self._inner = _stiction.Locomotion(model._world, trunk, list(feet), posture, json.dumps(values))
        self._ground = ground
        self.velocity, self.yaw_rate, self.height = velocity, yaw_rate, height
        self._controls = [_motor(model, dof) for dof in self._inner.dofs]
        self._nu = model.nu

    @staticmethod
    def defaults() -> dict[str, Any]:
        """All parameters with the values they have for Solo-12."""
        values: dict[str, Any] = json.loads(_stiction.Locomotion.defaults())
        return values

    @property
    def dofs(self) -> Array:
        """Velocities that the torques are of, per leg from the trunk to the foot (12)."""
        return np.array(self._inner.dofs)

    def standing(self, t: float) -> tuple[bool, ...]:
        """Feet that stand by the gait at ``t`` [s]."""
        return tuple(self._inner.standing(t))

    def torques(self, t: float, q: ArrayLike, v: ArrayLike) -> Array:
        """Torques of the joints in the state (q, v) at ``t``, in the order of :attr:`dofs` (12) [N·m]. Times may not go back."""
        x, y = self.velocity
        command = [float(x), float(y), float(self.yaw_rate), float(self.height)]
        return self._inner.torques(t, (q, v), command, self._ground)

    def __call__(self, simulation: Simulation) -> Array:
        """Controls that exert the torques of the present state: :meth:`stiction.Simulation.run` calls this in every step."""
        controls: Array = simulation.control.copy()
        for (actuator, share), torque in zip(self._controls, self.torques(simulation.time, simulation.q, simulation.v)):
            controls[actuator] = share * torque
        return controls


def _motor(model: Model, dof: int) -> tuple[int, float]:
    """The motor of a joint, and what of its control makes a unit of torque."""
    for index, actuator in enumerate(model.actuators):
        if len(actuator.transmission) == 1 and actuator.transmission[0][0] == dof:
            if actuator.bias_length or actuator.bias_velocity or actuator.bias or not actuator.gain:
                raise Error(f"actuator {actuator.name!r} is a servo; the torques of a walking controller need motors")
            return index, 1.0 / (actuator.gain * actuator.transmission[0][1])
    raise Error(f"no actuator drives velocity {dof} alone; a walking controller needs a motor at every joint of the legs")


def _over(base: dict[str, Any], given: Mapping[str, Any], within: str) -> dict[str, Any]:
    """The mapping ``base`` with what is given in its place."""
    out = dict(base)
    for name, value in given.items():
        if name not in base:
            raise Error(f"{within}{name} is no parameter; there are {', '.join(base)}")
        inner = isinstance(base[name], dict) and isinstance(value, Mapping)
        out[name] = _over(base[name], value, f"{within}{name}.") if inner else _plain(value)
    return out


def _plain(value: Any) -> Any:
    """Numbers that JSON knows."""
    if isinstance(value, Mapping):
        return {name: _plain(x) for name, x in value.items()}
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


@dataclass(frozen=True)
class Iteration:
    """An iteration of :func:`ilqr`."""

    #: From 1.
    number: int
    #: The cost after it.
    cost: float
    #: By how much the model promised to lower it.
    expected: float
    #: The share of the step that was taken; 0: none gained.
    taken: float
    regularization: float


@dataclass(frozen=True)
class Optimum:
    """Controls that :func:`ilqr` found, and the trajectory under them."""

    #: Controls of the knots (N, nu).
    controls: Array
    #: States at the knots and at the end (N + 1, nq) and (N + 1, nv).
    q: Array
    v: Array
    #: Feedback that keeps to the trajectory, u = controls + gains · (x ⊖ x̂), in tangent coordinates of (q, v) (N, nu, 2 nv).
    gains: Array
    start_cost: float
    cost: float
    history: tuple[Iteration, ...]
    #: ``converged``, ``stalled``, ``iteration-limit`` or ``interrupted``.
    end: str
    #: Steps, and how they were differentiated.
    work: dict[str, int]
    #: Why the end may not be one: where no control acts on what is weighted, the cost is as flat as at an optimum.
    notes: tuple[str, ...] = ()


def ilqr(
    simulation: Simulation,
    controls: ArrayLike,
    *,
    hold: int = 1,
    target: tuple[ArrayLike, ArrayLike] | None = None,
    weights: ArrayLike | None = None,
    end_weights: ArrayLike | None = None,
    control_target: ArrayLike | None = None,
    control_weights: ArrayLike = 1e-3,
    bounds: tuple[ArrayLike, ArrayLike] = (-np.inf, np.inf),
    running: Callable[[int, Array, Array, Array], Any] | None = None,
    terminal: Callable[[Array, Array], Any] | None = None,
    gradient: str | Mapping[str, Any] = "exact",
    tell: Callable[[Iteration], bool | None] | None = None,
    **parameters: Any,
) -> Optimum:
    """Controls that make a cost least, from the present state of the simulation, which stays.

    ``controls`` (N, nu) are those to start from; each is kept for ``hold`` steps, and stays within ``bounds``. The cost is the sum of

    - ½ Σ w e² at every knot, with the weights ``weights`` (2 nv), and at the end with ``end_weights``: e is how far the state is from ``target`` (q, v), in
      tangent coordinates of the target. Targets and weights may be given per knot, with N + 1 rows, the last one for the end.
    - ½ Σ r (u − û)² of the controls, with r ``control_weights`` and û ``control_target``.
    - ``running(k, q, v, u)`` of every knot and ``terminal(q, v)`` of the end. They answer with a cost and its derivatives by the state (2 nv, tangent) and by
      the control: ``(l, l_x, l_u, l_xx, l_ux, l_uu)`` and ``(l, l_x, l_xx)``, where what is None or left out is zero.

    ``gradient`` is ``"exact"``, ``"differences"``, or a mapping with the key ``by`` and numbers: ``{"by": "smoothed", "samples": 8, "deviations": [0.01, 0.1,
    0.0], "seed": 1}`` feels contacts from afar, and so does ``{"by": "relaxed", "smoothing": 1e-4}``. Other keywords are parameters: ``iterations``,
    ``tolerance``, ``least_cost``, ``regularization``, ``factor``, ``halvings`` and ``accept``. ``tell(iteration)`` may answer False to end it.

    Where it ends as ``converged`` and no control acts on what is weighted, as where nothing touches what is to be moved, ``notes`` say so, and a
    warning does.

    Steps that have no derivative are differentiated by differences, as where fast bodies are swept and a step ends where they meet something
    (``continuous=False`` has none of these).
    """
    model = simulation.model
    nq, nv, nu = model.nq, model.nv, model.nu
    u = np.asarray(controls, dtype=np.float64)
    if u.ndim != 2 or u.shape[1] != nu:
        raise Error(f"controls have the shape {u.shape}; expected (knots, {nu})")
    n = len(u)

    def per_knot(what: str, given: ArrayLike, width: int) -> Array:
        x = np.asarray(given, dtype=np.float64)
        if x.shape not in ((), (width,), (n + 1, width)):
            raise Error(f"{what} have the shape {x.shape}; expected ({width},) or ({n + 1}, {width})")
        return np.array(np.broadcast_to(x, (n + 1, width)))

    def of_control(what: str, given: ArrayLike) -> Array:
        x = np.asarray(given, dtype=np.float64)
        if x.shape not in ((), (nu,)):
            raise Error(f"{what} have the shape {x.shape}; expected ({nu},)")
        return np.array(np.broadcast_to(x, (nu,)))

    def asked(*numbers: Any) -> bool | None:
        return None if tell is None else tell(Iteration(*numbers))

    q, v = (simulation.q, np.zeros(nv)) if target is None else target
    w = per_knot("weights", 0.0 if weights is None else weights, 2 * nv)
    if end_weights is not None:
        w[n] = np.broadcast_to(np.asarray(end_weights, dtype=np.float64), (2 * nv,))
    kinds = {"exact": {"by": "exact", "displacement": 1e-6}, "differences": {"by": "differences", "displacement": 1e-6}}
    if isinstance(gradient, str) and gradient not in kinds:
        raise Error(f"gradient is {gradient!r}; expected 'exact', 'differences', or a mapping with the key 'by'")
    chosen = kinds[gradient] if isinstance(gradient, str) else gradient
    found = simulation._ilqr(
        (u, hold),
        (per_knot("targets of q", q, nq), per_knot("targets of v", v, nv), w),
        (of_control("control targets", 0.0 if control_target is None else control_target), of_control("control weights", control_weights)),
        (of_control("lowest controls", bounds[0]), of_control("highest controls", bounds[1])),
        (running, terminal),
        (json.dumps(_plain(chosen)), json.dumps(_plain(parameters))),
        None if tell is None else asked,
    )
    controls_found, q_found, v_found, gains, costs, told = found
    notes = json.loads(told)
    weighted = np.ones(2 * nv, bool) if running is not None or terminal is not None else (w != 0).any(axis=0)
    flat = _flat(simulation, (u, hold), (q_found, v_found), weighted) if notes["end"] == "converged" else ()
    for note in flat:
        warnings.warn(f"ilqr ends as converged, but {note}", stacklevel=2)
    return Optimum(
        controls=controls_found,
        q=q_found,
        v=v_found,
        gains=gains.reshape(-1, nu, 2 * nv),
        start_cost=costs[0],
        cost=costs[1],
        history=tuple(Iteration(**of) for of in notes["history"]),
        end=notes["end"],
        work=notes["work"],
        notes=flat,
    )


def _flat(simulation: Simulation, start: tuple[Array, int], found: tuple[Array, Array], weighted: NDArray[np.bool_]) -> tuple[str, ...]:
    """That the controls found move nothing weighted otherwise than those at the start, or than none, and whether anything touches."""
    model = simulation.model
    (u, hold), (q, v) = start, found
    touches = False
    for controls in (u, np.zeros_like(u)):
        tried = simulation.copy()
        for k, control in enumerate(controls):
            if tried.step(control, steps=hold).failure is not None:
                return ()
            touches |= len(tried.contacts) > 0
            apart = np.concatenate([dynamics.difference(model, q[k + 1], tried.q), v[k + 1] - tried.v])
            if np.abs(apart[weighted]).max(initial=0.0) > 1e-9:
                return ()
    why = "something touches, but not what moves it" if touches else "nothing touches along the trajectory"
    return (f"no control acts on what is weighted ({why}): gradient={{'by': 'smoothed', …}} or {{'by': 'relaxed', …}} feels contacts from afar",)
