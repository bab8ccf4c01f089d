"""When each of Gymnasium's MuJoCo environments, stepped by stiction, parts from MuJoCo under the same actions.

    python crates/python/benchmarks/gymnasium_apart.py [--contacts auto,mujoco] [--finer 1,10] [--apart 0.01] [--seconds 3]

Both begin in the state that MuJoCo's environment was reset to, and are given a third of the same random actions, each kept for
an environment's step. They part at the first time step after which a coordinate differs by more than ``--apart``. Beside
stands what MuJoCo saw until then: when its first contact began, and when a joint was first outside of its limits.
``--finer`` divides the time step of both.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import gymnasium
import mujoco
import numpy as np

import stiction.gym  # registers the environments
import stiction.mujoco as ours

NAMES = ("Ant-v5", "HalfCheetah-v5", "Hopper-v5", "Walker2d-v5", "Humanoid-v5")


@dataclass
class Parting:
    """When two runs part [s], in which coordinate, and what MuJoCo had seen; None: not until the end."""

    at: float | None
    coordinate: str
    contact: float | None
    limit: float | None


def outside(model: Any, data: Any) -> bool:
    """Whether a hinge or slide is outside of its limits."""
    scalar = (model.jnt_type >= int(mujoco.mjtJoint.mjJNT_SLIDE)) & (model.jnt_limited > 0)
    q = data.qpos[model.jnt_qposadr[scalar]]
    low, high = model.jnt_range[scalar].T
    return bool(((q < low) | (q > high)).any())


def coordinate(model: Any, i: int) -> str:
    """The joint that a coordinate belongs to."""
    joint = int(np.flatnonzero(model.jnt_qposadr <= i)[-1])
    return f"{mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, joint) or joint}[{i - model.jnt_qposadr[joint]}]"


def part(name: str, contact: str, finer: int, apart: float, seconds: float, seed: int) -> Parting:
    """Steps both side by side."""
    theirs = gymnasium.make(name).unwrapped
    mine = gymnasium.make(f"stiction/{name}", contact=contact).unwrapped
    theirs.reset(seed=seed)
    model, its, data = theirs.model, theirs.data, mine.data
    model.opt.timestep /= finer
    mine.model.opt.timestep = model.opt.timestep
    data._current().set_state(stiction.gym.of_mujoco.normalised(mine.model, its.qpos), its.qvel, 0.0)
    its.time = 0.0
    dice = np.random.default_rng(seed)
    low, high = theirs.action_space.low, theirs.action_space.high
    seen = Parting(None, "", None, None)
    for k in range(round(seconds / model.opt.timestep)):
        if k % (theirs.frame_skip * finer) == 0:
            its.ctrl[:] = data.ctrl[:] = dice.uniform(low, high) / 3
        mujoco.mj_step(model, its)
        ours.mj_step(mine.model, data)
        t = round(its.time, 9)
        if seen.contact is None and its.ncon:
            seen.contact = t
        if seen.limit is None and outside(model, its):
            seen.limit = t
        differs = np.abs(its.qpos - data.qpos)
        if differs.max() > apart:
            seen.at, seen.coordinate = t, coordinate(model, int(differs.argmax()))
            break
    return seen


def told(t: float | None) -> str:
    """A time, or that there is none."""
    return "–" if t is None else f"{t:.3f} s"


def main() -> None:
    """A line for each environment, contact model and time step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--contacts", default="auto,mujoco")
    parser.add_argument("--finer", default="1,10")
    parser.add_argument("--apart", type=float, default=0.01)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    print("| environment | contact | time step | parts at | in | first contact | first limit |")
    print("|---|---|---|---|---|---|---|")
    for name in NAMES:
        for contact in chosen.contacts.split(","):
            for finer in (int(n) for n in chosen.finer.split(",")):
                seen = part(name, contact, finer, chosen.apart, chosen.seconds, chosen.seed)
                step = "its own" if finer == 1 else f"1/{finer}"
                times = f"{told(seen.at)} | {seen.coordinate} | {told(seen.contact)} | {told(seen.limit)}"
                print(f"| `{name}` | `{contact}` | {step} | {times} |", flush=True)


if __name__ == "__main__":
    main()
