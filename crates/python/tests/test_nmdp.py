"""The NMDP steppers: chosen by name, their parameters, and what their steps say."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stiction
from stiction import Simulation

STEPPERS = ["ne-mdp", "ne-nmdp-pgm", "ne-nmdp-zopgm", "pbd-nmdp-pgm", "pbd-nmdp-zopgm"]


def test_a_robot_jumps_under_every_method_and_says_how() -> None:
    """Robosimian at 30 ms: every step says its work, and whether the conditions of the proofs held."""
    model = stiction.load("robosimian-jump")
    assert set(STEPPERS) < {entry.name for entry in stiction.steppers()}
    for stepper in STEPPERS:
        simulation = Simulation(model, stepper=stepper, dt=0.03)
        rows = []
        for _ in range(20):
            report = simulation.step()
            assert not report.flagged and report.nmdp is not None
            rows.append(report.nmdp)
        columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
        assert {"outer", "smallest_part", "pivot", "reduction", "contraction", "descent", "deepest"} <= set(columns)
        assert np.all((columns["pivot"] > 0) & (columns["pivot"] <= 1)), stepper
        assert np.all((columns["smallest_part"] > 0) & (columns["smallest_part"] <= 0.03)), stepper
        assert np.array_equal(columns["parts"] == 1, np.isclose(columns["smallest_part"], 0.03)), stepper
        if stepper.endswith("-pgm"):
            assert columns["outer"].max() >= 1 and columns["reduction"].max() < 1, stepper
            # The first step finds the feet where nothing presses them.
            assert np.all(columns["parts"][1:] == 1), stepper


def test_other_steppers_say_nothing_of_it() -> None:
    """The report of time stepping has no such columns."""
    assert Simulation(stiction.load("cube-slide")).step().nmdp is None


def test_parameters_change_what_they_name() -> None:
    """A ball of mass m rests √(m g/k) deep, and the scene's other numbers stay as they are."""
    model = stiction.load("robosimian-jump")
    for energy in ("whole-body", "contact-points"):
        simulation = Simulation(model, stepper="ne-nmdp-pgm", nmdp={"dissipated": energy})
        simulation.advance(steps=40)
        # The scene's stiffness of 1e7: four feet bear 99.9 kg.
        depth = simulation.step().nmdp
        assert depth is not None
        assert 0 < depth["deepest"] < 3 * math.sqrt(99.888 * 9.81 / 4 / 1e7), energy
    scene = stiction.Scene("ball", gravity=[0, 0, -10]).ground(friction=0.5)
    ball = scene.body("ball", shape="sphere", radius=0.1, mass=2.0, position=[0, 0, 0.1]).build()
    simulation = Simulation(ball, stepper="ne-nmdp-pgm", dt=0.001, nmdp={"contact": {"stiffness": 2e5}})
    simulation.q[2] = 0.1 - 0.01
    simulation.advance(steps=50)
    assert abs(simulation.q[2] - 0.09) < 1e-6
    with pytest.raises(stiction.Error, match="`nmdp.edges`.*3 to 64"):
        Simulation(ball, stepper="ne-nmdp-pgm", nmdp={"edges": 2})
    with pytest.raises(stiction.Error, match="unknown field `edge`"):
        Simulation(ball, stepper="ne-nmdp-pgm", nmdp={"edge": 5})


def test_contact_sets_are_named_here_too(tmp_path: Path) -> None:
    """The lander sinks in sand, and stands on cones; a file that holds no set is told."""
    model = stiction.load("sand")
    deep = []
    for kind in ("granular", "cone"):
        sets = {name: kind for name in ("foot_fl", "foot_fr", "foot_rl", "foot_rr")}
        simulation = Simulation(model, nmdp={"sets": sets})
        simulation.advance(steps=200)
        deep.append(0.3 - simulation.q[2])
    assert deep[0] > 0.03 and 0 < deep[1] < 0.01
    file = tmp_path / "sole.json"
    file.write_text(json.dumps({"format": "toast"}))
    with pytest.raises(stiction.Error, match="sole.json.*no learned contact set"):
        Simulation(model, nmdp={"sets": {"foot_fl": "learned"}, "learned": str(file)})


def test_the_page_runs() -> None:
    """The block of docs/implicit-steps.md does what it says."""
    page = (Path(__file__).parents[3] / "docs" / "implicit-steps.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, "implicit-steps.md", "exec"), names)
    assert len(blocks) == 1 and names["report"].nmdp["residual"] <= 1e-8
