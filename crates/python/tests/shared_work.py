"""Functions that sweeps run in other processes."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import stiction


def slide(mu: float, v: float) -> dict[str, Any]:
    """How far a box slides [m], simulated and by Coulomb's law."""
    scene = stiction.Scene("box", gravity=[0, 0, -9.81]).ground(friction=mu)
    keys = {"size": [0.2, 0.2, 0.2], "mass": 1.0, "position": [0, 0, 0.1], "velocity": [v, 0, 0], "friction": mu}
    simulation = stiction.Simulation(scene.body("box", shape="box", **keys).build())
    simulation.run(0.6)
    return {"slid": float(simulation.q[0]), "expected": v * v / (2 * mu * 9.81), "worker": os.getpid()}


def seeded(seed: int, x: float = 0.0) -> dict[str, Any]:
    """What was drawn."""
    if x < 0:
        raise ValueError(f"x is {x}")
    return {"drawn": seed + x}


def dies_once(i: int, folder: str) -> dict[str, Any]:
    """Ends its worker the first time that it is asked for number 5."""
    mark = Path(folder, "died")
    if i == 5 and not mark.exists():
        mark.write_text("once")
        os._exit(1)
    with open(Path(folder, f"ran-{i}"), "a") as file:
        file.write("x")
    return {"square": i * i}


def slow(i: int, folder: str) -> dict[str, Any]:
    """Takes a little while, and says that it ran."""
    time.sleep(0.05)
    with open(Path(folder, f"ran-{i}"), "a") as file:
        file.write("x")
    return {"square": i * i}


def endless(i: int, folder: str) -> dict[str, Any]:
    """Says who works, and does not end."""
    Path(folder, f"worker-{os.getpid()}").touch()
    time.sleep(600)
    return {"square": i * i}
