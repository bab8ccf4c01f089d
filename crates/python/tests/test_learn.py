"""Identification and fitted corrections."""

from __future__ import annotations

import warnings

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stiction
from stiction import Simulation, learn

BALL = """
[ground]
restitution = {restitution}
[[body]]
name = "ball"
shape = "sphere"
radius = 0.1
mass = 1.0
position = [0.0, 0.0, 0.3]
velocity = [0.0, 0.0, -1.0]
[stepper]
dt = 0.002
"""


def seen(restitution: float) -> dict[str, Any]:
    simulation = Simulation(stiction.loads(BALL.format(restitution=restitution)))
    rows = []
    for _ in range(150):
        simulation.step()
        rows.append((simulation.time, simulation.q[2]))
    t, z = np.array(rows).T
    return {"t": t, "ball z [m]": z + 1e-4 * np.random.default_rng(1).normal(size=len(z))}


def test_a_parameter_that_acts_on_nothing_is_warned_of() -> None:
    """Masses fall alike, and the friction of a ground under a ball that bounces straight up is nowhere felt."""
    ball = stiction.loads(BALL.format(restitution=0.3))
    ranges = {"ground.restitution": (0.0, 1.0), "ball.mass": (0.5, 3.0), "ground.friction": (0.0, 2.0)}
    with pytest.warns(UserWarning, match="acts on nothing that is measured: any value between") as told:
        found = learn.identify(ball, seen(0.62), ranges, samples=None, generations=20, restarts=0)
    assert found.idle == ("ball.mass", "ground.friction") and len(told) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alone = learn.identify(ball, seen(0.62), {"ground.restitution": (0.0, 1.0)}, samples=None, generations=20, restarts=0)
    assert alone.idle == () and alone.parameters["ground.restitution"] == pytest.approx(0.62, abs=5e-3)


def test_parameters_are_found() -> None:
    ball = stiction.loads(BALL.format(restitution=0.3))
    assert {"gravity", "ball.mass", "ground.restitution"} <= set(learn.parameters(ball))
    ranges = {"ground.restitution": (0.0, 1.0), "gravity": (9.0, 11.0)}
    found = learn.identify(ball, seen(0.62), ranges, samples=600, burn_in=300, chains=2, restarts=0)
    assert found.parameters["ground.restitution"] == pytest.approx(0.62, abs=2e-3)
    assert found.parameters["gravity"] == pytest.approx(9.81, abs=5e-3)
    assert found.rms["m"] == pytest.approx(1e-4, rel=0.2)
    marginal = found.posterior["gravity"]
    assert found.samples.shape == (600, 2) and marginal.deviation < 5e-3
    again = learn.identify(ball, seen(0.62), ranges, samples=600, burn_in=300, chains=2, restarts=0)
    assert np.array_equal(again.samples, found.samples)
    with pytest.raises(stiction.Error, match="did you mean `ball.mass`"):
        learn.identify(ball, seen(0.62), {"bal.mass": (0.1, 1.0)})
    with pytest.raises(stiction.Error, match="no column is a coordinate"):
        learn.identify(ball, {"t": [0.1], "z": [0.1]}, ranges)


def test_fitted_corrections_are_plugged_into_simulations(tmp_path: Path) -> None:
    """A restitution of 0.4 is taught by examples to a law that knows none."""
    model = stiction.loads(BALL.format(restitution=0.0))
    contacts = np.zeros(30, dtype=stiction.CORRECTABLE)
    contacts["friction"] = 1.0
    contacts["velocity_before"][:, 2] = -np.linspace(0.5, 3.0, 30)
    contacts["inverse_inertia"] = np.diag([3.5, 3.5, 1.0])
    impulses = np.zeros((30, 3))
    impulses[:, 2] = -1.4 * contacts["velocity_before"][:, 2]
    taught = learn.ContactResidual.fit(contacts, impulses)
    taught.save(tmp_path / "taught.json")
    kept = learn.ContactResidual.load(tmp_path / "taught.json")
    assert np.array_equal(kept(contacts), taught(contacts))
    simulation = Simulation(model)
    simulation.correct_contacts(kept)
    corrected = False
    fastest = 0.0
    for _ in range(150):
        corrected |= simulation.step().corrected
        fastest = max(fastest, float(simulation.v[2]))
    # It falls 0.2 m from 1 m/s downwards.
    assert corrected and fastest == pytest.approx(0.4 * (1.0 + 2 * 9.81 * 0.2) ** 0.5, rel=0.05)
    with pytest.raises(stiction.Error, match="no contact approaches"):
        learn.ContactResidual.fit(contacts[:0], impulses[:0])


def test_beliefs_are_propagated_from_contact_to_contact() -> None:
    """The speed after a bounce spreads as the impulse and the speed before it do, and the next impact spreads in time."""
    model = stiction.loads(BALL.format(restitution=0.5))
    ask = {"velocity_deviation": [0.0, 0.0, 0.02, 0.0, 0.0, 0.0], "impulse_deviation": 0.03, "samples": 300}
    first, second = learn.propagate(model, contacts=2, seed=4, **ask)
    assert first.q.shape == (300, model.nq) and first.v.shape == (300, model.nv)
    assert (first.hit == 1).all() and (second.hit == 1).all()
    # It falls 0.2 m from 1 m/s to 2.22 m/s; the time step of the impact (2 ms) adds gravity's 0.02 m/s and more.
    speed = np.sqrt(1.0 + 2.0 * 9.81 * 0.2)
    assert np.mean(first.v[:, 2]) == pytest.approx(0.5 * speed, abs=1.5 * 9.81 * 0.002)
    assert np.std(first.v[:, 2]) == pytest.approx(np.hypot(0.03 * speed, 0.5 * 0.02 / speed), rel=0.15)
    assert np.std(second.times) > 3.0 * np.std(first.times)
    again = learn.propagate(model, contacts=2, seed=4, **ask)
    assert np.array_equal(again[1].v, second.v)
    for wrong in ({"position_deviation": [1.0]}, {"samples": 0}, {"horizon": float("nan")}):
        with pytest.raises(stiction.Error, match="expected|not a number"):
            learn.propagate(model, **wrong)


def test_a_search_finds_a_minimum() -> None:
    search = learn.CmaEs([1.0, 1.0], 0.3, 0, 1)
    for _ in range(150):
        search.tell([float((x - 2) ** 2 + 10 * (y + 1) ** 2) for x, y in search.ask()])
    assert search.best[0] == pytest.approx([2.0, -1.0], abs=1e-6)
    with pytest.raises(stiction.Error, match="one for each of"):
        search.tell([1.0])
    assert sorted(learn.shuffled(10, 3)) == list(range(10))


def test_the_experiment_of_the_die_refuses_what_it_cannot_do(tmp_path: Path) -> None:
    with pytest.raises(stiction.Error, match="drop 3 is in train and in test"):
        learn.dice(tmp_path, "1-3", "3-4")
    with pytest.raises(stiction.Error, match="no model is called `gpp`"):
        learn.dice(tmp_path, "1-3", "4", ["gpp"])
    with pytest.raises(stiction.Error, match="dice_measured_"):
        learn.dice(tmp_path, "1-3", "4")
