"""Runs a trained policy under every contact model and stepper: the gap between simulators.

    python crates/python/examples/gap.py out/walk [--episodes 3] [--contacts auto,ccp-pgs,mujoco] [--steps 0.001,0.002,0.004]
        [--steppers time-stepping,ne-nmdp-pgm,pbd-nmdp-pgm]

The policy that ``train_quadruped.py`` saved walks at 0.6 m/s under each contact solver, stepper and time step; the table shows
what it is rewarded with, how fast it walks, whether it falls, and how far its contact impulses are from the exact law.
The first stepper takes the contact solvers; each of the others has a law of its own, and a row of its own. A step that fails
ends the walk, and counts as a fall.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from train_quadruped import act

import stiction
import stiction.gym as sgym

SECONDS, COMMAND = 8.0, (0.6, 0.0, 0.0)


def walk(weights: object, settings: dict[str, str], dt: float, episode: int) -> tuple[float, float, bool, float]:
    """Reward, speed along x [m/s], whether it fell, and the median natural map at the ends of control steps [m/s]."""
    task = sgym.quadruped(command=np.array(COMMAND))
    task.steps = round(0.02 / dt)
    fleet = sgym.Row(task.model, 1, dt=dt, **settings)
    scratch = task.scratch(1)
    dice = np.random.default_rng(episode)
    q, v = task.begin(np.array([0]), dice, scratch)
    fleet.set_state(np.array([0]), q, v)
    reward, maps = 0.0, []
    steps = round(SECONDS / (task.steps * dt))
    for k in range(steps):
        action = np.clip(act(weights, task.observe(fleet, scratch)), -1, 1)
        control = task.control(action)
        fleet.step(control, task.steps)
        if fleet.failed[0]:
            return reward, float(fleet.q[0, 0]) / ((k + 1) * 0.02), True, float(np.median(maps or [np.nan]))
        maps.append(fleet.simulations[0].natural_map)
        reward += float(sum(t[0] for t in task.reward(fleet, action, control, scratch).values()))
        scratch.action[:] = action
        if task.over(fleet, scratch)[0]:
            return reward, float(fleet.q[0, 0]) / ((k + 1) * 0.02), True, float(np.median(maps))
    return reward, float(fleet.q[0, 0]) / SECONDS, False, float(np.median(maps))


def rows(contacts: list[str], steppers: list[str]) -> Iterator[tuple[str, str, dict[str, str]]]:
    """What stands in the table, the law, and the settings: contact solvers under the first stepper, then the others."""
    laws, first = {s.name: s.law for s in stiction.solvers()}, stiction.steppers()[0].name
    for stepper in steppers:
        if stepper != first:
            yield stepper, "its own", {"stepper": stepper}
            continue
        for contact in contacts:
            yield contact, laws[contact], {"contact": contact}


def main() -> None:
    """A line for each contact model and stepper, a column for each time step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--episodes", type=int, default=3)
    parser.add_argument("--contacts", default=",".join(s.name for s in stiction.solvers()))
    parser.add_argument("--steppers", default=stiction.steppers()[0].name)
    parser.add_argument("--steps", default="0.001,0.002,0.004", help="time steps [s]")
    chosen = parser.parse_args()
    weights = dict(np.load(chosen.folder / "policy.npz"))
    steps = [float(h) for h in chosen.steps.split(",")]
    print("| contact or stepper | law | " + " | ".join(f"return, speed, falls at {1e3 * h:g} ms" for h in steps) + " | natural map |")
    print("|---|---|" + "---|" * len(steps) + "---|")
    for name, law, settings in rows(chosen.contacts.split(","), chosen.steppers.split(",")):
        cells, maps = [], []
        for h in steps:
            runs = [walk(weights, settings, h, e) for e in range(chosen.episodes)]
            reward, speed = np.mean([r[0] for r in runs]), np.mean([r[1] for r in runs])
            cells.append(f"{reward:.2f}, {speed:.2f} m/s, {sum(r[2] for r in runs)} of {len(runs)}")
            maps.append(np.median([r[3] for r in runs]))
        print(f"| `{name}` | {law} | " + " | ".join(cells) + f" | {np.median(maps):.0e} m/s |", flush=True)


if __name__ == "__main__":
    main()
