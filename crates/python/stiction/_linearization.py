"""Derivatives of steps and of rollouts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._tables import Array


@dataclass(frozen=True)
class Linearization:
    """A step from (q, v) under the controls u, and its derivatives. Coordinates of q are tangent: those of v."""

    #: ∂(q⁺, v⁺)/∂(q, v) (2 nv, 2 nv).
    A: Array
    #: ∂(q⁺, v⁺)/∂u (2 nv, nu).
    B: Array
    #: ∂λ/∂(q, v, u), a row per impulse of the step [N·s].
    dlambda: Array
    #: Where the step led.
    q: Array
    v: Array
    #: Where the step is not smooth: mappings with a ``note`` each, ``at-switch``, ``hyperstatic``, ``inconsistent``,
    #: ``geometry-held``, ``started-anew`` or ``sleeps``.
    notes: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class RolloutGradient:
    """The gradient of a cost of a rollout."""

    #: By the first state, in tangent coordinates of (q, v) (2 nv).
    start: Array
    #: By the controls (N, nu).
    controls: Array
    #: The notes of :class:`Linearization`, each with the number of its step.
    notes: tuple[tuple[int, dict[str, Any]], ...]
