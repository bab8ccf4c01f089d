"""What an environment is about: its model, what is seen, what is rewarded, when it ends; for many at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._model import Model
from .._tables import Array
from .fleet import Fleet, Flags

#: Indices of environments.
Ids = NDArray[np.intp]


@dataclass
class Scratch:
    """What a task remembers of every environment between steps."""

    #: Actions of the last control step.
    action: Array
    #: Arrays by name, a row for each environment.
    more: dict[str, Array] = field(default_factory=dict)


class Task:
    """The base of tasks. Actions are in [−1, 1]; all arrays have a row for each environment."""

    #: Time steps of a control step.
    steps: int = 10
    #: Control steps of an episode, after which it is truncated.
    limit: int = 1000
    #: The body that domain randomisation pushes.
    trunk: str = ""

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def actions(self) -> int:
        """Numbers of an action."""
        return self.model.nu

    def scratch(self, n: int) -> Scratch:
        """Memory for n environments."""
        return Scratch(np.zeros((n, self.actions)))

    def begin(self, ids: Ids, dice: np.random.Generator, scratch: Scratch) -> tuple[Array, Array]:
        """q and v in which episodes begin; what else is drawn goes into the scratch."""
        raise NotImplementedError

    def control(self, action: Array) -> Array:
        """Controls of the actuators for an action."""
        raise NotImplementedError

    def observe(self, fleet: Fleet, scratch: Scratch) -> Array:
        """What is seen."""
        raise NotImplementedError

    def reward(self, fleet: Fleet, action: Array, control: Array, scratch: Scratch) -> dict[str, Array]:
        """The terms whose sum is rewarded, after a control step."""
        raise NotImplementedError

    def over(self, fleet: Fleet, scratch: Scratch) -> Flags:
        """Where an episode ends for good."""
        raise NotImplementedError

    def after(self, fleet: Fleet, dice: np.random.Generator, scratch: Scratch) -> None:
        """What happens after every control step, such as a new command."""


def turned_back(quaternion: Array, v: Array) -> Array:
    """Rᵀ v, of quaternions (n, 4) with w first and vectors (n, 3): world to body."""
    w, u = quaternion[:, :1], -quaternion[:, 1:]
    t = 2 * np.cross(u, v)
    return np.asarray(v + w * t + np.cross(u, t))


def settings_of(options: dict[str, Any]) -> dict[str, Any]:
    """Options that are not None."""
    return {key: value for key, value in options.items() if value is not None}
