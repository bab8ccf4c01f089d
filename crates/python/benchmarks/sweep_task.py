"""The task of `sweep_pace.py`, in a module of its own so that workers can import it."""

from __future__ import annotations

from functools import cache

import numpy as np

import stiction


@cache
def _simulation() -> stiction.Simulation:
    return stiction.Simulation(stiction.load("quadruped"), dt=0.002)


def fall(seconds: float, seed: int) -> dict[str, float]:
    """Lets the quadruped fall from up to 0.2 m for so many seconds."""
    simulation = _simulation()
    simulation.reset()
    simulation.q[2] += 0.2 * np.random.default_rng(seed).random()
    for _ in range(round(seconds / simulation.dt)):
        simulation.step()
    return {"height": float(simulation.q[2])}
