"""Domain randomisation as data: what varies, how and by how much; and ranges that widen as performance holds.

A randomiser draws numbers for environments that begin an episode, from a generator of its own for each environment: what
an environment draws depends on the seed, its index and its episodes alone. What was drawn last is kept in ``drawn``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _stiction
from ._model import Model
from ._stiction import Error
from ._tables import Array

#: Quantities that no body has less than none of.
_NOT_NEGATIVE = frozenset(("mass", "armature", "damping", "dry_friction", "friction", "restitution", "pair_friction"))

KINDS = ("scale", "add", "set")
DISTRIBUTIONS = ("uniform", "loguniform", "normal")


@dataclass(frozen=True)
class Vary:
    """A quantity of :meth:`Model.replace` that varies from environment to environment.

    ``kind``: the model's number is scaled by what is drawn, that is added to it, or it is set. ``distribution``: uniform or
    loguniform between ``low`` and ``high``, or normal with ``low`` and ``high`` two standard deviations from the mean.
    ``per``: one draw for the whole environment, or one for each element. ``only``: indices or names' indices of elements.
    """

    quantity: str
    kind: str = "scale"
    distribution: str = "uniform"
    low: float = 0.8
    high: float = 1.2
    per: str = "environment"
    only: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        for what, value, allowed in (
            ("quantity", self.quantity, tuple(_stiction.QUANTITIES)),
            ("kind", self.kind, KINDS),
            ("distribution", self.distribution, DISTRIBUTIONS),
            ("per", self.per, ("environment", "element")),
        ):
            if value not in allowed:
                raise Error(f"{what} is `{value}`; there are: {', '.join(allowed)}")
        if not self.low <= self.high:
            raise Error(f"`{self.quantity}` varies from {self.low} to {self.high}; expected the lower end first")
        if self.distribution == "loguniform" and self.low <= 0:
            raise Error(f"`{self.quantity}` is loguniform from {self.low}; expected a number > 0")

        least = self.low if self.kind in ("set", "scale") else 0.0
        if self.quantity in _NOT_NEGATIVE and self.kind != "add" and least < 0:
            raise Error(f"`{self.quantity}` is {self.kind} from {least}; expected a number >= 0")

    def at(self, share: Array, low: float | None = None, high: float | None = None) -> Array:
        """The number of a share: in [0, 1] of the range, or in standard deviations where it is normal."""
        low, high = self.low if low is None else low, self.high if high is None else high
        if self.distribution == "loguniform":
            return np.asarray(low * (high / low) ** share, dtype=np.float64)
        if self.distribution == "normal":
            return np.asarray(0.5 * (low + high) + 0.25 * (high - low) * share)
        return np.asarray(low + (high - low) * share)

    def applied(self, base: Array, drawn: Array) -> Array:
        """The model's numbers changed by what was drawn."""
        moved = base * drawn if self.kind == "scale" else base + drawn if self.kind == "add" else 0 * base + drawn
        changed = np.asarray(moved, dtype=np.float64)
        if self.only is None:
            return changed
        out: Array = np.array(base)
        out[list(self.only)] = changed[list(self.only)]
        return out


@dataclass(frozen=True)
class Disturbance:
    """What happens to observations and actions, and pushes.

    Uncorrelated noise is drawn every control step, correlated noise once an episode; numbers are standard deviations.
    """

    observation_noise: float = 0.0
    observation_bias: float = 0.0
    #: Probability that an environment sees what it saw a control step ago.
    observation_delay: float = 0.0
    #: Control steps between fresh observations.
    refresh: int = 1
    #: Probability that an environment sees what another sees: a random pose.
    injection: float = 0.0
    action_noise: float = 0.0
    action_bias: float = 0.0
    #: Probability that an action arrives a control step late.
    action_delay: float = 0.0
    #: Control steps by which all actions of an episode are late: drawn from 0 to this.
    latency: int = 0
    #: Probability of a push in a control step, and its impulse [N·s], in any horizontal direction.
    push_probability: float = 0.0
    push: float = 0.0

    def __post_init__(self) -> None:
        for name in ("observation_delay", "injection", "action_delay", "push_probability"):
            if not 0 <= getattr(self, name) <= 1:
                raise Error(f"{name} is {getattr(self, name)}; expected a probability")
        if self.refresh < 1 or self.latency < 0:
            raise Error(f"refresh is {self.refresh} and latency {self.latency}; expected at least 1 and 0 control steps")


@dataclass
class Adaptive:
    """Automatic domain randomisation: ranges that widen as performance holds, and narrow where it does not.

    Every range starts at its middle (1 of a scale, 0 of an addition, where these are within). With ``probability`` an
    episode is spent at one end of one range; when ``episodes`` of an end are over, that end moves outwards by ``step`` of
    the full range if they performed on average better than ``widen``, and inwards if worse than ``narrow``.
    """

    widen: float
    narrow: float
    probability: float = 0.5
    episodes: int = 20
    step: float = 0.05
    #: (quantities, 2) ends as shares of the full range.
    ends: Array = field(default_factory=lambda: np.zeros((0, 2)))
    #: Episodes, moved end, and where it is now: a line for each change.
    log: list[dict[str, Any]] = field(default_factory=list)
    _results: dict[tuple[int, int], list[float]] = field(default_factory=dict)
    _episodes: int = 0

    def start(self, varies: Sequence[Vary]) -> None:
        """Takes up the ranges."""
        if len(self.ends) == len(varies):
            return
        starts = []
        for vary in varies:
            still = 1.0 if vary.kind == "scale" else 0.0
            if vary.kind == "set" or not vary.low <= still <= vary.high:
                starts.append(0.5)
            elif vary.distribution == "loguniform":
                starts.append(float(np.log(still / vary.low) / np.log(vary.high / vary.low)))
            else:
                starts.append((still - vary.low) / (vary.high - vary.low) if vary.high > vary.low else 0.5)
        self.ends = np.array([[s, s] for s in starts])

    def note(self, end: tuple[int, int], performance: float, varies: Sequence[Vary]) -> None:
        """An episode at an end is over."""
        self._episodes += 1
        results = self._results.setdefault(end, [])
        results.append(performance)
        if len(results) < self.episodes:
            return
        mean = float(np.mean(results))
        results.clear()
        k, side = end
        outwards = -1.0 if side == 0 else 1.0
        move = outwards if mean >= self.widen else -outwards if mean <= self.narrow else 0.0
        if move == 0:
            return
        low, high = (0.0, self.ends[k, 1]) if side == 0 else (self.ends[k, 0], 1.0)
        self.ends[k, side] = np.clip(self.ends[k, side] + move * self.step, low, high)
        self.log.append(
            {
                "episodes": self._episodes,
                "quantity": varies[k].quantity,
                "end": ("low", "high")[side],
                "value": float(varies[k].at(np.array(self.ends[k, side]))),
                "performance": mean,
            }
        )


class Randomiser:
    """Draws the numbers of environments that begin an episode.

    >>> import stiction
    >>> from stiction.randomisation import Randomiser, Vary
    >>> vary = [Vary("friction", "set", "uniform", 0.4, 1.2), Vary("mass", "scale", "loguniform", 0.8, 1.25)]
    >>> drawn = Randomiser(stiction.load("quadruped"), vary, seed=1).draw([0, 1])
    >>> drawn["mass"].shape
    (2, 13)
    """

    def __init__(
        self,
        model: Model,
        varies: Sequence[Vary],
        *,
        disturbance: Disturbance | None = None,
        adaptive: Adaptive | None = None,
        seed: int = 0,
    ) -> None:
        self.varies = list(varies)
        self.disturbance = disturbance or Disturbance()
        self.adaptive = adaptive
        if adaptive is not None:
            if any(v.distribution == "normal" for v in self.varies):
                raise Error("ranges that widen are uniform or loguniform, not normal")
            adaptive.start(self.varies)
        self.seed = seed
        self._base = model.fields()
        self._episodes: dict[int, int] = {}
        self._ends: dict[int, tuple[int, int]] = {}
        #: What each environment drew last, by index: a number or an array for each of ``varies``.
        self.drawn: dict[int, list[Array]] = {}

    def draw(self, ids: Sequence[int] | NDArray[np.intp]) -> dict[str, Array]:
        """The numbers of these environments, a row for each, by quantity: for ``Batch.set_parameters``."""
        rows: dict[str, list[Array]] = {}
        for i in (int(i) for i in ids):
            episode = self._episodes[i] = self._episodes.get(i, -1) + 1
            dice = np.random.default_rng([self.seed, i, episode])
            values = {vary.quantity: self._base[vary.quantity] for vary in self.varies}
            end = self._end(i, dice)
            self.drawn[i] = []
            for k, vary in enumerate(self.varies):
                base = values[vary.quantity]
                shape = base.shape if vary.per == "element" else ()
                share = dice.normal(size=shape) if vary.distribution == "normal" else dice.uniform(size=shape)
                if self.adaptive is not None:
                    low, high = self.adaptive.ends[k]
                    share = low + (high - low) * share
                    if end is not None and end[0] == k:
                        share = np.full(shape, self.adaptive.ends[k, end[1]])
                number = vary.at(np.asarray(share))
                self.drawn[i].append(number)
                values[vary.quantity] = vary.applied(base, number)
            for name, value in values.items():
                rows.setdefault(name, []).append(value)
        return {name: np.stack(values) for name, values in rows.items()}

    def _end(self, i: int, dice: np.random.Generator) -> tuple[int, int] | None:
        self._ends.pop(i, None)
        if self.adaptive is None or not self.varies or dice.uniform() >= self.adaptive.probability:
            return None
        self._ends[i] = (int(dice.integers(len(self.varies))), int(dice.integers(2)))
        return self._ends[i]

    def performed(self, i: int, performance: float) -> None:
        """An episode of environment i is over; what it achieved moves the ranges."""
        end = self._ends.pop(int(i), None)
        if self.adaptive is not None and end is not None:
            self.adaptive.note(end, float(performance), self.varies)

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """The present ranges by quantity."""
        if self.adaptive is None:
            return {v.quantity: (v.low, v.high) for v in self.varies}
        ends = self.adaptive.ends
        return {v.quantity: (float(v.at(ends[k, 0])), float(v.at(ends[k, 1]))) for k, v in enumerate(self.varies)}
