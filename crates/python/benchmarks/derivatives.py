"""What the derivatives of a step cost: ``Simulation.linearize`` beside ``mjd_transitionFD`` of MuJoCo, of the same robot that stands, in the same run.

    python crates/python/benchmarks/derivatives.py [ROBOT.xml ...] [--repeats 200]

Without files the built-in quadruped, whose text is read from the folder of scenes beside this package. Each robot first stands for a second under its
controls of the start (of a keyframe, if there is one). Times are medians [us], taken in turns. MuJoCo's differences are one-sided and centred; its contacts are soft, so that
the matrices are those of another law.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import perf_counter
from typing import Any, Callable

import numpy as np

import stiction

try:
    import mujoco
except ImportError as missing:
    sys.exit(f"*** NOT RUN: {missing}. Install it: pip install mujoco ***")

SCENES = Path(__file__).resolve().parents[2] / "lab" / "scenes"
SETTLING = 1.0


def medians(tasks: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Median time of each [us]; in turns, so that what else the machine does meets all."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(repeats):
        for name, task in tasks.items():
            begin = perf_counter()
            task()
            times[name].append(perf_counter() - begin)
    return {name: 1e6 * float(np.median(t)) for name, t in times.items()}


def measured(path: Path, repeats: int) -> dict[str, float]:
    model = stiction.load(str(path))
    ours = stiction.Simulation(model)
    ours.run(SETTLING)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    data.qpos[:], data.ctrl[:] = model.q0, model.control0
    for _ in range(round(SETTLING / theirs.opt.timestep)):
        mujoco.mj_step(theirs, data)
    n, nu = 2 * theirs.nv + theirs.na, theirs.nu
    A, B = np.zeros((n, n)), np.zeros((n, nu))
    def transition(centred: bool) -> Callable[[], None]:
        return lambda: mujoco.mjd_transitionFD(theirs, data, 1e-6, centred, A, B, None, None)

    ours.linearize()
    return medians(
        {
            # What stands goes on standing: one step is like the next.
            "step": ours.step,
            "linearize": ours.linearize,
            "mj_step": lambda: mujoco.mj_step(theirs, data),
            "mjd_transitionFD": transition(False),
            "centred": transition(True),
        },
        repeats,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("robots", nargs="*", type=Path, default=[SCENES / "quadruped.xml"])
    parser.add_argument("--repeats", type=int, default=200)
    given = parser.parse_args()
    print(f"stiction {stiction.__version__}, MuJoCo {mujoco.__version__}; medians of {given.repeats} [us]")
    for path in given.robots:
        t = measured(path, given.repeats)
        print(f"{path.stem}: " + ", ".join(f"{name} {x:.0f}" for name, x in t.items()))
        print(
            f"    linearize costs {t['linearize'] / t['step']:.1f} steps; mjd_transitionFD takes {t['mjd_transitionFD'] / t['linearize']:.1f} times as long,"
            f" centred {t['centred'] / t['linearize']:.1f} times"
        )


if __name__ == "__main__":
    main()
