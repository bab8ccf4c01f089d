"""What a contact law cannot know, from data: identified parameters, corrections of contact impulses, the die's experiment.

>>> import stiction
>>> scene = stiction.Scene("drop").ground(restitution=0.5)
>>> ball = scene.body("ball", shape="sphere", radius=0.1, mass=1.0, position=[0, 0, 0.5]).build()
>>> seen = {"t": [0.1, 0.2], "ball z [m]": [0.5 - 0.005 * 9.7, 0.5 - 0.02 * 9.7]}
>>> found = stiction.learn.identify(ball, seen, {"gravity": (9.0, 11.0)}, samples=None)
>>> round(found.parameters["gravity"], 6)
9.7
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from . import _stiction, _store
from ._model import Model
from ._sealed import sealed
from ._stiction import CmaEs, Error, shuffled
from ._tables import Array

__all__ = [
    "BeliefStep",
    "CmaEs",
    "ContactResidual",
    "DiceRow",
    "Identified",
    "Marginal",
    "dice",
    "identify",
    "parameters",
    "propagate",
    "shuffled",
]


@dataclass(frozen=True)
class Marginal:
    """The distribution of one parameter, and what the chains are worth."""

    name: str
    median: float
    mean: float
    deviation: float
    #: 5 % and 95 % quantiles.
    interval: tuple[float, float]
    #: Of all chains together.
    effective_samples: float
    #: Near 1 where the chains agree.
    r_hat: float


@dataclass(frozen=True)
class Identified:
    """What explains the measurements."""

    #: The most likely values.
    parameters: dict[str, float]
    #: Root mean square of measured less predicted, by unit.
    rms: dict[str, float]
    #: Standard deviation of the noise that the distribution was sampled with, by unit.
    noise: dict[str, float]
    #: Distributions by parameter; empty where they were not asked for.
    posterior: dict[str, Marginal] = field(default_factory=dict)
    #: The part of proposals that was accepted, chain by chain.
    acceptance: tuple[float, ...] = ()
    #: (samples, parameters) after burn-in, of all chains.
    samples: Array = field(default_factory=lambda: np.zeros((0, 0)))
    #: Parameters that no measured number depends on: their values mean nothing.
    idle: tuple[str, ...] = ()


@dataclass(frozen=True)
class BeliefStep:
    """A belief after a contact event, as states drawn from it."""

    #: (n,) seconds from the last event of each sample to this one.
    times: Array
    #: (n,) contacts that were hit; 0: none within the horizon.
    hit: Array
    #: Impulses that were drawn and not used: ``entering``, ``gaining_energy``; ``given_up``: draws that ended with the mean.
    discarded: dict[str, int]
    #: (n, nq) and (n, nv).
    q: Array
    v: Array


@dataclass(frozen=True)
class DiceRow:
    """How a model predicts drops of the die: means over drops, lengths in metres."""

    model: str
    rmse_mean: float
    rmse_median: float
    crps: float
    energy_score: float
    coverage50: float
    coverage90: float
    n_train: int
    n_test: int
    seconds: float


def parameters(model: Model) -> list[str]:
    """The names of what can be identified of a model, such as ``ball.mass`` and ``ground.friction``."""
    return _stiction.parameter_names(model._world)


Data = os.PathLike[str] | str | Mapping[str, ArrayLike]


def identify(
    model: Model,
    data: Data | Sequence[Data],
    parameters: Mapping[str, tuple[float, float]],
    *,
    start: Literal["scene", "data"] = "scene",
    noise: float | None = None,
    generations: int = 100,
    restarts: int = 2,
    samples: int | None = 3000,
    burn_in: int = 1000,
    chains: int = 4,
    temperatures: int = 1,
    proposal_variance: float | None = None,
    seed: int = 1,
) -> Identified:
    """The values of parameters within their ranges that explain measured trajectories, and their distribution.

    ``data``: one or several files (``.csv``, ``.npz``) or mappings from columns to numbers: ``t`` [s], and such positions and
    velocities as `stiction run --out` writes, by these names. They start in the state of the model, or with
    ``start="data"`` in their first row. ``noise``: its standard deviation in every column; without, it is found.
    ``samples=None``: no distribution. ``temperatures``: of every chain, 1, 2, 4, …; with hotter companions it crosses between
    the peaks of a rugged distribution (parallel tempering). A parameter that acts on nothing is warned of, and in ``idle``. ``proposal_variance``: of a proposal that stays the same; without, it is adapted.
    """
    all_data: list[Data] = [data] if isinstance(data, str | os.PathLike | Mapping) else list(data)
    tables = [
        [(str(name), np.asarray(x, dtype=np.float64).ravel().tolist()) for name, x in d.items()]
        for d in all_data
        if isinstance(d, Mapping)
    ]
    files = [Path(d) for d in all_data if not isinstance(d, Mapping)]
    if start not in ("scene", "data"):
        raise Error(f"start is `{start}`; expected scene or data")
    proposal: Any = "adaptive" if proposal_variance is None else {"fixed": float(proposal_variance)}
    sampling = {
        "samples": samples,
        "burn_in": burn_in,
        "proposal": proposal,
        "chains": chains,
        "temperatures": temperatures,
        "seed": seed,
    }
    if samples is not None and burn_in >= samples:
        raise Error(f"burn_in is {burn_in}, which leaves none of {samples} samples")
    settings = {
        "noise": noise,
        "generations": generations,
        "restarts": restarts,
        "sampling": None if samples is None else sampling,
        "seed": seed,
    }
    asked = [(name, float(low), float(high)) for name, (low, high) in parameters.items()]
    text = _stiction.identify_parameters(
        model._world, files, tables, asked, start == "data", json.dumps(settings)
    )
    found = json.loads(text)
    for name in found["idle"]:
        warnings.warn(
            f"`{name}` acts on nothing that is measured: any value between {parameters[name][0]} and {parameters[name][1]} explains it as well",
            stacklevel=2,
        )
    posterior = found["posterior"] or {"marginals": [], "acceptance": [], "samples": []}
    marginals = [Marginal(**{**m, "interval": tuple(m["interval"])}) for m in posterior["marginals"]]
    return Identified(
        parameters={p["name"]: p["value"] for p in found["parameters"]},
        rms=found["rms"],
        noise=found["noise"],
        posterior={m.name: m for m in marginals},
        acceptance=tuple(posterior["acceptance"]),
        samples=np.asarray(posterior["samples"], dtype=np.float64).reshape(-1, len(asked)),
        idle=tuple(found["idle"]),
    )


def propagate(
    model: Model,
    *,
    position_deviation: ArrayLike = 0.0,
    velocity_deviation: ArrayLike = 0.0,
    impulse_deviation: float = 0.1,
    residual: ContactResidual | None = None,
    contacts: int = 2,
    samples: int = 100,
    horizon: float = 1.0,
    approach: float = 0.05,
    seed: int = 1,
) -> list[BeliefStep]:
    """Propagates a belief about the model's state from contact event to contact event [Fazeli2020, IV].

    It starts normal about the model's own state; deviations are numbers or one for each degree of freedom. A contact that
    approaches faster than ``approach`` [m/s] is hit: its impulse is that of Newton's restitution and Coulomb's friction with a
    standard deviation of ``impulse_deviation`` times the impulse that stops its approach, or what ``residual`` says. A sample that
    is not hit within ``horizon`` [s] is taken as it is then.
    """
    n = model.nv
    deviations = []
    for name, given in (("position_deviation", position_deviation), ("velocity_deviation", velocity_deviation)):
        x = np.asarray(given, dtype=np.float64)
        if x.shape not in ((), (n,)) or not np.isfinite(x).all() or (x < 0.0).any():
            raise Error(f"{name} is not a number >= 0 or {n} of them")
        deviations.append(np.broadcast_to(x, (n,)).tolist())
    for what, value, least in (
        ("impulse_deviation", impulse_deviation, 0.0),
        ("contacts", contacts, 1),
        ("samples", samples, 1),
        ("horizon", horizon, 0.0),
        ("approach", approach, 0.0),
    ):
        if not np.isfinite(value) or value < least:
            raise Error(f"{what} is {value}; expected a number >= {least}")
    how = (contacts, samples, horizon, approach, seed)
    fitted = None if residual is None else residual._fitted
    text = _stiction.propagate_belief(
        model._world, (deviations[0], deviations[1]), impulse_deviation, fitted, how
    )
    return [
        BeliefStep(
            times=np.asarray(s["times"]),
            hit=np.asarray(s["hit"]),
            discarded=s["discarded"],
            q=np.asarray(s["q"]),
            v=np.asarray(s["v"]),
        )
        for s in json.loads(text)
    ]


def dice(
    data: os.PathLike[str] | str,
    train: str,
    test: str,
    models: Sequence[str] = (),
    *,
    members: int = 64,
    seed: int = 1,
    out: os.PathLike[str] | str | None = None,
) -> list[DiceRow]:
    """Fits models to some drops of the die and judges them by others, as `stiction learn dice` does.

    ``train`` and ``test`` are numbers such as ``"1-300,350"``; without ``models`` all are fitted; what is fitted is kept in the
    folder ``out``, if one is given.
    """
    folder = None if out is None else Path(out)
    rows = json.loads(_stiction.dice(Path(data), train, test, list(models), (members, seed), folder))
    return [DiceRow(**row) for row in rows]


@sealed
class ContactResidual:
    """Gaussian processes that correct contact impulses, for :meth:`Simulation.correct_contacts`.

    What they ask for is put into the friction cone, does not move the point into the surface and makes no energy.
    """

    def __init__(self, fitted: _stiction.ContactResidual) -> None:
        self._fitted = fitted

    @classmethod
    def fit(cls, contacts: Array, impulses: ArrayLike, *, approach: float = 0.1, seed: int = 1) -> ContactResidual:
        """Fitted to contacts, an array of :data:`stiction.CORRECTABLE`, and the impulses (n, 3) [N·s] along their axes that
        explain what was seen; contacts that approach more slowly than ``approach`` [m/s] are left to the law."""
        wanted = np.asarray(impulses, dtype=np.float64).ravel().tolist()
        return cls(_stiction.ContactResidual.fit(_rows(contacts), wanted, approach, seed))

    @classmethod
    def load(cls, path: os.PathLike[str] | str) -> ContactResidual:
        """What :meth:`save` wrote."""
        return cls(_stiction.ContactResidual.of(_store.read(Path(path)).decode("utf-8")))

    def save(self, path: os.PathLike[str] | str) -> None:
        """Writes a JSON file."""
        _store.write(path, self._fitted.text().encode("utf-8"))

    def __call__(self, contacts: Array) -> Array:
        """The corrected impulses (n, 3) [N·s]."""
        return np.asarray(self._fitted.correct(_rows(contacts)), dtype=np.float64).reshape(-1, 3)


def _rows(contacts: Any) -> list[float]:
    """Friction, velocity before, inverse inertia and impulse of every contact, one after another."""
    widths = {"friction": 1, "velocity_before": 3, "inverse_inertia": 9, "impulse": 3}
    parts = [np.reshape(contacts[name], (len(contacts), width)) for name, width in widths.items()]
    rows: list[float] = np.hstack(parts).ravel().tolist()
    return rows
