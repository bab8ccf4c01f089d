"""Domain randomisation as data: what varies, how and by how much; and ranges that widen as performance holds.

A randomiser draws numbers for environments that begin an episode, from a generator of its own for each environment: what
an environment draws depends on the seed, its index and its episodes alone. What was drawn last is kept in ``drawn``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _stiction
from ._model import Model
from ._sealed import sealed
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
    ``also``: quantities that the same draw changes, as the stiffness of a servo is ``gain`` and ``bias_length``. ``initial``: the
    range with which :class:`Adaptive` begins; without it, it begins at the middle.
    """

    quantity: str
    kind: str = "scale"
    distribution: str = "uniform"
    low: float = 0.8
    high: float = 1.2
    per: str = "environment"
    only: tuple[int, ...] | None = None
    also: tuple[str, ...] = ()
    initial: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        for what, value, allowed in (
            *(("quantity", name, tuple(_stiction.QUANTITIES)) for name in self.changes),
            ("kind", self.kind, KINDS),
            ("distribution", self.distribution, DISTRIBUTIONS),
            ("per", self.per, ("environment", "element")),
        ):
            if value not in allowed:
                raise Error(f"{what} is `{value}`; there are: {', '.join(allowed)}")
        if not self.low <= self.high:
            raise Error(f"`{self.quantity}` varies from {self.low} to {self.high}; expected the lower end first")
        if self.initial is not None and not self.low <= self.initial[0] <= self.initial[1] <= self.high:
            raise Error(f"`{self.quantity}` begins from {self.initial[0]} to {self.initial[1]}; expected a range within {self.low} to {self.high}")
        if self.distribution == "loguniform" and self.low <= 0:
            raise Error(f"`{self.quantity}` is loguniform from {self.low}; expected a number > 0")

        least = self.low if self.kind in ("set", "scale") else 0.0
        if self.quantity in _NOT_NEGATIVE and self.kind != "add" and least < 0:
            raise Error(f"`{self.quantity}` is {self.kind} from {least}; expected a number >= 0")

    @property
    def changes(self) -> tuple[str, ...]:
        """All quantities that a draw changes."""
        return (self.quantity, *self.also)

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
class Range:
    """A number of a :class:`Disturbance` that every environment draws uniformly when an episode begins.

    ``initial``: the range with which :class:`Adaptive` begins; without it, it begins at ``low``, where a disturbance is least.
    """

    low: float
    high: float
    initial: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise Error(f"a range goes from {self.low} to {self.high}; expected the lower end first")
        if self.initial is not None and not self.low <= self.initial[0] <= self.initial[1] <= self.high:
            raise Error(f"a range begins from {self.initial[0]} to {self.initial[1]}; expected one within {self.low} to {self.high}")

    def at(self, share: Array) -> Array:
        """The number of a share of the range."""
        return np.asarray(self.low + (self.high - self.low) * share, dtype=np.float64)


#: A number, or a range from which every environment draws its own.
Drawn = Union[float, Range]

_PROBABILITIES = ("observation_delay", "injection", "action_delay", "push_probability", "adversary")


@dataclass(frozen=True)
class Disturbance:
    """What happens to observations and actions, and pushes: each a number, or a :class:`Range` from which every environment draws.

    Uncorrelated noise is drawn every control step, correlated noise (``bias``) once an episode; numbers are standard deviations.
    """

    observation_noise: Drawn = 0.0
    observation_bias: Drawn = 0.0
    #: Probability that an environment sees what it saw a control step ago.
    observation_delay: Drawn = 0.0
    #: Control steps between fresh observations; what is drawn from a range is rounded.
    refresh: Drawn = 1
    #: Probability that an environment sees what another sees: a random pose.
    injection: Drawn = 0.0
    action_noise: Drawn = 0.0
    action_bias: Drawn = 0.0
    #: Probability that an action arrives a control step late.
    action_delay: Drawn = 0.0
    #: Control steps by which all actions of an episode are late: an integer is drawn from 0 to this number. From a range parts of steps
    #: are drawn as well: an action that is half a step late is half of it and half of the one before.
    latency: Drawn = 0
    #: Share α of actions that a network with random weights decides, drawn anew for every episode: (1 − α) a + α r(observation)
    #: (random network adversary).
    adversary: Drawn = 0.0
    #: Probability of a push in a control step, and its impulse [N·s], in any horizontal direction, by a force that acts all through it.
    push_probability: Drawn = 0.0
    push: Drawn = 0.0

    def __post_init__(self) -> None:
        for name in _PROBABILITIES:
            low, high = _ends(getattr(self, name))
            if not 0 <= low <= high <= 1:
                raise Error(f"{name} is {getattr(self, name)}; expected a probability")
        if _ends(self.refresh)[0] < 1 or _ends(self.latency)[0] < 0:
            raise Error(f"refresh is {self.refresh} and latency {self.latency}; expected at least 1 and 0 control steps")

    @property
    def ranges(self) -> dict[str, Range]:
        """The numbers that are drawn."""
        return {f.name: value for f in fields(self) if isinstance(value := getattr(self, f.name), Range)}

    def acts(self, name: str) -> bool:
        """Whether the number of this name can be another than 0."""
        return any(_ends(getattr(self, name)))

    def number(self, name: str) -> float:
        """The number of this name, or the lower end of its range."""
        return _ends(getattr(self, name))[0]


def _ends(value: Drawn) -> tuple[float, float]:
    return (value.low, value.high) if isinstance(value, Range) else (float(value), float(value))


@dataclass(frozen=True)
class Size:
    """The size of bodies, all of them without ``bodies``: a factor between ``low`` and ``high`` for all their lengths.

    Environments of a batch share shapes, so that sizes are not drawn anew for every episode: they belong to an environment as long as it lives, as in
    simulators whose shapes are made once. There are :func:`variants` of a model, evenly over the ranges.
    """

    low: float = 0.95
    high: float = 1.05
    bodies: tuple[str | int, ...] | None = None

    def __post_init__(self) -> None:
        if not 0 < self.low <= self.high:
            raise Error(f"a size goes from {self.low} to {self.high}; expected numbers > 0, the lower end first")


def variants(model: Model, sizes: Sequence[Size], count: int) -> tuple[list[Model], Array]:
    """So many models of other sizes, and the factors of each (count, sizes): every size takes ``count`` numbers evenly over its range, paired at
    random and always alike (a Latin hypercube)."""
    if count < 1:
        raise Error(f"variants are {count}; expected at least 1")
    dice = np.random.default_rng(0)
    places = (np.arange(count) + 0.5) / count
    factors = np.array([s.low + (s.high - s.low) * dice.permutation(places) for s in sizes]).reshape(len(sizes), count).T
    models = []
    for row in factors:
        resized = model
        for size, factor in zip(sizes, row):
            resized = resized.resized(float(factor), size.bodies)
        models.append(resized)
    return models, np.asarray(factors, dtype=np.float64)


@sealed
@dataclass
class Adaptive:
    """Automatic domain randomisation: ranges that widen as performance holds, and narrow where it does not.

    Every range starts as its ``initial`` says, else at its middle (1 of a scale, 0 of an addition, where these are within; the
    lower end of a :class:`Range`). What is normal keeps its distribution. With ``probability`` an
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

    def start(self, varies: Sequence[Vary | Range]) -> None:
        """Takes up the ranges."""
        if len(self.ends) == len(varies):
            return
        self.ends = np.array([_first_ends(vary) for vary in varies]).reshape(len(varies), 2)

    def note(self, end: tuple[int, int], performance: float, varies: Sequence[Vary | Range], names: Sequence[str]) -> None:
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
                "quantity": names[k],
                "end": ("low", "high")[side],
                "value": float(varies[k].at(np.array(self.ends[k, side]))),
                "performance": mean,
            }
        )


def _share(vary: Vary | Range, value: float) -> float:
    """Where a value is in the full range."""
    if vary.high <= vary.low:
        return 0.5
    if isinstance(vary, Vary) and vary.distribution == "loguniform":
        return float(np.log(value / vary.low) / np.log(vary.high / vary.low))
    return (value - vary.low) / (vary.high - vary.low)


def _first_ends(vary: Vary | Range) -> tuple[float, float]:
    """The ends with which a range begins, as shares of the full range."""
    if vary.initial is not None:
        return _share(vary, vary.initial[0]), _share(vary, vary.initial[1])
    if isinstance(vary, Range):
        return 0.0, 0.0
    still = 1.0 if vary.kind == "scale" else 0.0
    if vary.kind == "set" or not vary.low <= still <= vary.high:
        return 0.5, 0.5
    return _share(vary, still), _share(vary, still)


@sealed
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
        drawn = self.disturbance.ranges
        #: All ranges, those of the disturbance last, and their names.
        self._ranges: list[Vary | Range] = [*self.varies, *drawn.values()]
        self._names = [v.quantity for v in self.varies] + list(drawn)
        #: Those that widen: a normal distribution has no ends.
        self._widen = [k for k, v in enumerate(self._ranges) if not (isinstance(v, Vary) and v.distribution == "normal")]
        if adaptive is not None:
            adaptive.start(self._ranges)
        self.seed = seed
        self._base = model.fields()
        self._episodes: dict[int, int] = {}
        self._ends: dict[int, tuple[int, int]] = {}
        #: What each environment drew last, by index: a number or an array for each of ``varies``.
        self.drawn: dict[int, list[Array]] = {}
        #: What each environment drew last of the disturbance, by index: a number for each of its ranges.
        self.disturbed: dict[int, dict[str, float]] = {}

    def draw(self, ids: Sequence[int] | NDArray[np.intp]) -> dict[str, Array]:
        """The numbers of these environments, a row for each, by quantity: for ``Batch.set_parameters``."""
        rows: dict[str, list[Array]] = {}
        for i in (int(i) for i in ids):
            episode = self._episodes[i] = self._episodes.get(i, -1) + 1
            dice = np.random.default_rng([self.seed, i, episode])
            values = {name: self._base[name] for vary in self.varies for name in vary.changes}
            end = self._end(i, dice)
            self.drawn[i] = []
            for k, vary in enumerate(self.varies):
                base = values[vary.quantity]
                shape = base.shape if vary.per == "element" else ()
                normal = vary.distribution == "normal"
                share = dice.normal(size=shape) if normal else self._within(k, end, dice.uniform(size=shape))
                number = vary.at(np.asarray(share))
                self.drawn[i].append(number)
                values[vary.quantity] = vary.applied(base, number)
                for name in vary.also:
                    values[name] = vary.applied(values[name], number)
            own = {name: self._ranges[k] for k, name in enumerate(self._names) if k >= len(self.varies)}
            shares = {name: self._within(len(self.varies) + j, end, dice.uniform()) for j, name in enumerate(own)}
            self.disturbed[i] = {name: float(own[name].at(np.asarray(share))) for name, share in shares.items()}
            for name, value in values.items():
                rows.setdefault(name, []).append(value)
        return {name: np.stack(values) for name, values in rows.items()}

    def _within(self, k: int, end: tuple[int, int] | None, share: Any) -> Any:
        """A share of the present range as one of the full range."""
        if self.adaptive is None:
            return share
        low, high = self.adaptive.ends[k]
        if end is not None and end[0] == k:
            return np.full(np.shape(share), self.adaptive.ends[k, end[1]])
        return low + (high - low) * share

    def _end(self, i: int, dice: np.random.Generator) -> tuple[int, int] | None:
        self._ends.pop(i, None)
        if self.adaptive is None or not self._widen or dice.uniform() >= self.adaptive.probability:
            return None
        self._ends[i] = (self._widen[int(dice.integers(len(self._widen)))], int(dice.integers(2)))
        return self._ends[i]

    def performed(self, i: int, performance: float) -> None:
        """An episode of environment i is over; what it achieved moves the ranges."""
        end = self._ends.pop(int(i), None)
        if self.adaptive is not None and end is not None:
            self.adaptive.note(end, float(performance), self._ranges, self._names)

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """The present ranges by quantity."""
        out: dict[str, tuple[float, float]] = {}
        for k, (name, vary) in enumerate(zip(self._names, self._ranges)):
            if self.adaptive is None or k not in self._widen:
                out[name] = (vary.low, vary.high)
            else:
                out[name] = (float(vary.at(self.adaptive.ends[k, 0])), float(vary.at(self.adaptive.ends[k, 1])))
        return out
