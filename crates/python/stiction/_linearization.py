"""Derivatives of steps and of rollouts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Sequence

from ._stiction import Error
from ._tables import Array

if TYPE_CHECKING:
    from ._model import Model

#: Per kind of a parameter: what it is a number of, under which key that goes, and which key its component has.
_KINDS = {
    "friction": ("pair", "geometries", None),
    "gravity": (None, None, "axis"),
    "mass": ("bodies", "body", None),
    "inertial": ("bodies", "body", "component"),
    "gain": ("actuators", "actuator", None),
    "bias-length": ("actuators", "actuator", None),
    "bias-velocity": ("actuators", "actuator", None),
    "joint-stiffness": ("joints", "joint", None),
    "joint-damping": ("dofs", "dof", None),
    "contact-stiffness": ("pair", "geometries", None),
    "contact-relaxation": ("pair", "geometries", None),
    "contact-dissipation": ("pair", "geometries", None),
    "contact-reference": ("pair", "geometries", "component"),
    "restitution": ("pair", "geometries", None),
    "offset": ("geometries", "geometry", "axis"),
}


@dataclass(frozen=True)
class Parameter:
    """A number of the model that a step can be differentiated by.

    | kind | of | is |
    | --- | --- | --- |
    | ``friction`` | two geometries | Coulomb's coefficient, after their surfaces were combined [–] |
    | ``restitution`` | two geometries | Newton's coefficient, after their surfaces were combined [–] |
    | ``contact-stiffness`` | two geometries | stiffness of surfaces that state one [N/m] |
    | ``contact-relaxation`` | two geometries | relaxation time of linear dissipation [s] |
    | ``contact-dissipation`` | two geometries | Hunt and Crossley's dissipation [s/m] |
    | ``contact-reference`` | two geometries | number ``component`` of MuJoCo's ``solref`` |
    | ``gravity`` |  | component ``component`` of gravity [m/s²] |
    | ``mass`` | a body | its mass [kg]; the inertia grows with it |
    | ``inertial`` | a body | number ``component`` of mass, first moments x, y, z and second moments xx, xy, yy, xz, yz, zz |
    | ``gain`` | an actuator | the factor of its control |
    | ``bias-length`` | an actuator | the factor of its length: minus the stiffness of a servo |
    | ``bias-velocity`` | an actuator | the factor of its rate: minus the damping of a servo |
    | ``joint-stiffness`` | a joint | the stiffness of its spring [N/m or N·m/rad] |
    | ``joint-damping`` | a velocity, or a joint that has one | its damping [N·s/m or N·m·s/rad] |
    | ``offset`` | a geometry | its place along axis ``component`` of its link [m] |

    Geometries, bodies, joints and actuators are names or indices, velocities indices.
    """

    kind: str
    of: Any = None
    component: int | None = None

    def _told(self, model: Model) -> dict[str, Any]:
        """The words of the extension."""
        if self.kind not in _KINDS:
            raise Error(f"no parameter is of the kind {self.kind!r}; the kinds are {', '.join(_KINDS)}")
        table, key, component = _KINDS[self.kind]
        told: dict[str, Any] = {"of": self.kind}
        if table == "pair":
            if isinstance(self.of, str) or not isinstance(self.of, Sequence) or len(self.of) != 2:
                raise Error(f"a parameter of the kind {self.kind!r} is of {self.of!r}; expected two geometries")
            told["geometries"] = [_index(model, "geometries", g) for g in self.of]
        elif table is not None and key is not None:
            told[key] = _index(model, table, self.of)
        elif self.of is not None:
            raise Error(f"a parameter of the kind {self.kind!r} is of {self.of!r}; expected nothing")
        if (component is None) != (self.component is None):
            expected = "none" if component is None else "one"
            raise Error(f"a parameter of the kind {self.kind!r} has the component {self.component}; expected {expected}")
        if component is not None:
            told[component] = self.component
        return told


def _index(model: Model, table: str, of: Any) -> int:
    """The index of what is named, or is an index."""
    if table == "dofs":
        if not isinstance(of, str):
            return int(of)
        velocities = model.joints[of].v
        if velocities.stop - velocities.start != 1:
            raise Error(f"joint {of!r} has {velocities.stop - velocities.start} velocities; name one by its index")
        return int(velocities.start)
    entries = getattr(model, table)
    if not isinstance(of, str):
        return int(of)
    entry = entries[of]
    return next(i for i, e in enumerate(entries) if e is entry)


def _parameters(model: Model, parameters: Sequence[Parameter]) -> str:
    return json.dumps([parameter._told(model) for parameter in parameters])


@dataclass(frozen=True)
class Linearization:
    """A step from (q, v) under the controls u, and its derivatives. Coordinates of q are tangent: those of v."""

    #: ∂(q⁺, v⁺)/∂(q, v) (2 nv, 2 nv).
    A: Array
    #: ∂(q⁺, v⁺)/∂u (2 nv, nu).
    B: Array
    #: ∂(q⁺, v⁺)/∂ parameters (2 nv, their number), in the order in which they were asked for.
    C: Array
    #: ∂λ/∂(q, v, u), a row per impulse of the step [N·s].
    dlambda: Array
    #: ∂λ/∂ parameters.
    dlambda_dparameters: Array
    #: Where the step led.
    q: Array
    v: Array
    #: Where the step is not smooth: mappings with a ``note`` each, ``at-switch``, ``hyperstatic``, ``inconsistent``,
    #: ``geometry-held``, ``started-anew``, ``in-one-part``, ``turns-back`` or ``sleeps``.
    notes: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class RolloutGradient:
    """The gradient of a cost of a rollout."""

    #: By the first state, in tangent coordinates of (q, v) (2 nv).
    start: Array
    #: By the controls (N, nu).
    controls: Array
    #: By the parameters that were asked for.
    parameters: Array
    #: The notes of :class:`Linearization`, each with the number of its step.
    notes: tuple[tuple[int, dict[str, Any]], ...]
