"""Rigid-body dynamics of a model without its contacts, under the names that Pinocchio and the literature use.

Coordinates q and velocities v are those of the model (CONVENTIONS.md). Spatial motions, forces and Jacobians are angular
first, in world axes, about the origin of the body or link, unless ``axes`` says otherwise. Derivatives by q are by the
coordinates of v: ∂f/∂q_j = d/dε f(q ⊕ ε e_j).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple as _NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._model import Model
from ._tables import Array

__all__ = [
    "Centroidal",
    "Hit",
    "IkReport",
    "Target",
    "aba",
    "aba_derivatives",
    "bias",
    "body_jacobian",
    "body_jacobian_rate",
    "body_poses",
    "body_rotations",
    "body_velocities",
    "centroidal",
    "coriolis",
    "crba",
    "difference",
    "distance",
    "energy",
    "frame_acceleration",
    "frame_jacobian",
    "frame_pose",
    "frame_velocity",
    "gravity",
    "integrate",
    "inverse_kinematics",
    "inverse_mass",
    "momentum",
    "neutral",
    "normalize",
    "point_jacobian",
    "point_jacobian_rate",
    "ray",
    "ray_all",
    "rays",
    "rnea",
    "rnea_derivatives",
]


def _number(model: Model, body: str | int) -> int:
    """The number of a body; numbers need no table of names."""
    return body if type(body) is int else model.bodies.index(body)


def rnea(model: Model, q: ArrayLike, v: ArrayLike, a: ArrayLike, external: ArrayLike | None = None) -> Array:
    """Inverse dynamics: efforts τ = M a + C v + g − Σ Jᵀ F. ``external`` (bodies, 6): moments and forces at the origins."""
    return model._world.rnea(q, v, a, external)


def aba(model: Model, q: ArrayLike, v: ArrayLike, tau: ArrayLike, external: ArrayLike | None = None) -> Array:
    """Forward dynamics: accelerations under efforts. Springs, damping and limits of joints are not counted."""
    return model._world.aba(q, v, tau, external)


def crba(model: Model, q: ArrayLike) -> Array:
    """Mass matrix M (nv, nv), armature on its diagonal."""
    return model._world.crba(q)


def inverse_mass(model: Model, q: ArrayLike) -> Array:
    """M⁻¹ (nv, nv)."""
    return model._world.inverse_mass(q)


def bias(model: Model, q: ArrayLike, v: ArrayLike) -> Array:
    """C v + g, the efforts that keep v̇ at zero (Pinocchio's ``nonLinearEffects``, MuJoCo's ``qfrc_bias``)."""
    return model._world.bias(q, v)


def passive(model: Model, q: ArrayLike, v: ArrayLike) -> Array:
    """The efforts of springs, dampers and tendons, and what carries weight unseen (MuJoCo's ``qfrc_passive``)."""
    return model._world.passive_efforts(q, v)


def gravity(model: Model, q: ArrayLike) -> Array:
    """g(q), the efforts that carry the weight at rest."""
    return model._world.gravity_efforts(q)


def coriolis(model: Model, q: ArrayLike, v: ArrayLike) -> Array:
    """The Coriolis matrix C (nv, nv) for which Ṁ − 2 C is skew-symmetric."""
    return model._world.coriolis_matrix(q, v)


def rnea_derivatives(model: Model, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> tuple[Array, Array, Array]:
    """∂τ/∂q, ∂τ/∂v and ∂τ/∂a = M of inverse dynamics."""
    dq, dv, da = model._world.rnea_derivatives(q, v, a)
    return dq, dv, da


def aba_derivatives(model: Model, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> tuple[Array, Array, Array]:
    """∂v̇/∂q, ∂v̇/∂v and ∂v̇/∂τ = M⁻¹ of forward dynamics."""
    dq, dv, dtau = model._world.aba_derivatives(q, v, tau)
    return dq, dv, dtau


def body_poses(model: Model, q: ArrayLike) -> tuple[Array, Array]:
    """Origins (bodies, 3) and quaternions (bodies, 4) of the bodies in the world."""
    return model._world.body_poses(q)


def body_rotations(model: Model, q: ArrayLike) -> Array:
    """Rotation matrices of the bodies (bodies, 3, 3)."""
    return model._world.body_rotations(q)


def body_velocities(model: Model, q: ArrayLike, v: ArrayLike) -> Array:
    """Velocities of the bodies (bodies, 6): angular, then of the origin, in world axes."""
    return model._world.body_velocities(q, v)


def frame_pose(model: Model, q: ArrayLike, link: str | int) -> tuple[Array, Array]:
    """Position and quaternion of a link in the world."""
    return model._world.frame_pose(q, model.links.index(link))


def frame_velocity(model: Model, q: ArrayLike, v: ArrayLike, link: str | int, axes: str = "aligned") -> Array:
    """Velocity of a link (6). ``axes``: aligned (about its origin, world axes), local (its own axes), or world (about the
    world's origin), which are Pinocchio's LOCAL_WORLD_ALIGNED, LOCAL and WORLD."""
    return model._world.frame_velocity(q, v, model.links.index(link), axes)


def frame_acceleration(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    link: str | int,
    axes: str = "aligned",
    *,
    classical: bool = False,
) -> Array:
    """Spatial acceleration of a link (6); ``classical``: its linear part is the acceleration of the origin."""
    return model._world.frame_acceleration(q, v, a, model.links.index(link), axes, classical)


def frame_jacobian(model: Model, q: ArrayLike, link: str | int, axes: str = "aligned") -> Array:
    """Jacobian of :func:`frame_velocity` (6, nv)."""
    return model._world.frame_jacobian(q, model.links.index(link), axes)


def body_jacobian(model: Model, q: ArrayLike, body: str | int) -> Array:
    """Jacobian (6, nv) of a body: angular velocity and velocity of the origin, in world axes."""
    return model._world.body_jacobian(q, _number(model, body))


def body_jacobian_rate(model: Model, q: ArrayLike, v: ArrayLike, body: str | int) -> Array:
    """Its rate as the bodies move (6, nv)."""
    return model._world.body_jacobian_rate(q, v, _number(model, body))


def point_jacobian(model: Model, q: ArrayLike, body: str | int, point: ArrayLike) -> Array:
    """Jacobian (3, nv) of the point of a body that is now at ``point`` in the world."""
    return model._world.point_jacobian(q, _number(model, body), point)


def point_jacobian_rate(model: Model, q: ArrayLike, v: ArrayLike, body: str | int, point: ArrayLike) -> Array:
    """Its rate, the point being fixed in the body (3, nv)."""
    return model._world.point_jacobian_rate(q, v, _number(model, body), point)


class Centroidal(_NamedTuple):
    """All bodies as one about their centre of mass, in world axes."""

    #: Centre of mass [m].
    com: Array
    #: Jacobian of the centre of mass (3, nv).
    com_jacobian: Array
    #: Momentum h = A v (6, nv), angular first.
    momentum_matrix: Array
    #: Ȧ v (6).
    bias: Array
    #: About the centre of mass (3, 3) [kg·m²].
    inertia: Array


def centroidal(model: Model, q: ArrayLike, v: ArrayLike) -> Centroidal:
    """Centroidal dynamics."""
    return Centroidal(*model._world.centroidal(q, v))


def momentum(model: Model, q: ArrayLike, v: ArrayLike) -> Array:
    """Angular momentum about the centre of mass, and linear momentum (6)."""
    return model._world.momentum(q, v)


def energy(model: Model, q: ArrayLike, v: ArrayLike) -> tuple[float, float]:
    """Kinetic and potential energy [J]; joint springs are counted."""
    return model._world.energy(q, v)


def integrate(model: Model, q: ArrayLike, v: ArrayLike, h: float = 1.0) -> Array:
    """q ⊕ h v: along v for h seconds, on the manifold of configurations."""
    return model._world.integrate(q, v, h)


def difference(model: Model, q0: ArrayLike, q1: ArrayLike) -> Array:
    """The v with q0 ⊕ v = q1."""
    return model._world.difference(q0, q1)


def normalize(model: Model, q: ArrayLike) -> Array:
    """q with quaternions of unit norm."""
    return model._world.normalized(q)


def neutral(model: Model) -> Array:
    """q with every joint at its reference."""
    return model.neutral()


@dataclass(frozen=True)
class Target:
    """Where a link is asked to be: a position, a quaternion, or both."""

    link: str | int
    position: ArrayLike | None = None
    quaternion: ArrayLike | None = None


@dataclass(frozen=True)
class IkReport:
    """How well a configuration meets its targets, measured afresh."""

    #: converged, limits-reached, stalled, iteration-limit or numerical-failure.
    status: str
    position_error: float
    rotation_error: float
    iterations: int
    restarts: int


def inverse_kinematics(
    model: Model,
    q: ArrayLike,
    targets: Target | Sequence[Target],
    *,
    posture: ArrayLike | None = None,
    position_tolerance: float = 1e-9,
    rotation_tolerance: float = 1e-9,
    iterations: int = 100,
    restarts: int = 0,
    seed: int = 0,
) -> tuple[Array, IkReport]:
    """A configuration within the limits that puts links where they are asked to be, and how well it does.

    Starts from q, then from ``restarts`` random ones. Where the targets leave freedom, the solution slides towards
    ``posture``.
    """
    asked = [targets] if isinstance(targets, Target) else list(targets)
    given = [(model.links.index(t.link), t.position, t.quaternion) for t in asked]
    solution, report = model._world.inverse_kinematics(
        q, given, posture, position_tolerance, rotation_tolerance, iterations, restarts, seed
    )
    return solution, IkReport(**report)


@dataclass(frozen=True)
class Hit:
    """Where a ray crosses a surface."""

    #: Index of the geometry.
    geometry: int
    #: From the origin of the ray [m].
    distance: float
    point: Array
    #: Outward unit normal of the surface.
    normal: Array


def _hit(found: tuple[int, float, Sequence[float], Sequence[float]]) -> Hit:
    geometry, distance_, point, normal = found
    return Hit(geometry, distance_, np.array(point), np.array(normal))


def ray(
    model: Model,
    q: ArrayLike,
    origin: ArrayLike,
    direction: ArrayLike,
    limit: float = np.inf,
    exclude: Sequence[str | int] = (),
) -> Hit | None:
    """What a ray meets first; geometries of the bodies of ``exclude`` are left out."""
    return rays(model, q, origin, [direction], limit, exclude)[0]


def rays(
    model: Model,
    q: ArrayLike,
    origin: ArrayLike,
    directions: ArrayLike | Sequence[ArrayLike],
    limit: float = np.inf,
    exclude: Sequence[str | int] = (),
) -> list[Hit | None]:
    """The same for several rays from one origin."""
    bodies = [_number(model, body) for body in exclude]
    all_ = np.asarray(directions, dtype=np.float64).reshape(-1, 3).tolist()
    found = model._world.rays_first(q, origin, all_, float(limit), bodies)
    return [None if hit is None else _hit(hit) for hit in found]


def ray_all(
    model: Model,
    q: ArrayLike,
    origin: ArrayLike,
    direction: ArrayLike,
    limit: float = np.inf,
    exclude: Sequence[str | int] = (),
) -> list[Hit]:
    """All that a ray crosses, by distance."""
    bodies = [_number(model, body) for body in exclude]
    along = np.asarray(direction, dtype=np.float64).reshape(3).tolist()
    return [_hit(hit) for hit in model._world.ray_all(q, origin, along, float(limit), bodies)]


def distance(
    model: Model, q: ArrayLike, a: str | int, b: str | int, limit: float = np.inf
) -> tuple[float, Array, Array, Array] | None:
    """Signed distance of two geometries, their nearest points, and the normal from a to b; None beyond ``limit``."""
    found = model._world.geometry_distance(q, model.geometries.index(a), model.geometries.index(b), float(limit))
    if found is None:
        return None
    apart, on_a, on_b, normal = found
    return apart, np.array(on_a), np.array(on_b), np.array(normal)
