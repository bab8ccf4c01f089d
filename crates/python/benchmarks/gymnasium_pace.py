"""Environment steps per second beside Gymnasium's vectorised MuJoCo environments, on the same processors.

    python crates/python/benchmarks/gymnasium_pace.py [--seconds 5] [--processes 2]

Gymnasium's Ant-v5 and Humanoid-v5 as ``AsyncVectorEnv`` (a process for each group of environments) and ``SyncVectorEnv``,
our quadruped (13 bodies and 12 servos; Ant has 13 and 8) and humanoid on a batch, random actions. A control step is 20 ms
of 10 steps for the quadruped, 50 ms of 5 steps for Ant: steps of physics are given beside.

Before that, one Gymnasium environment after another as it is, with MuJoCo and under our names (``stiction.mujoco.install()``):
processor time of a control step, observations and rewards included.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

import stiction.gym as sgym


def pace(make: Callable[[], Any], n: int, physics: int, seconds: float) -> tuple[float, float]:
    """Environment steps and steps of physics per second."""
    environment = make()
    environment.reset(seed=1)
    low, high = environment.single_action_space.low, environment.single_action_space.high
    dice = np.random.default_rng(1)
    actions = dice.uniform(low, high, (64, n, len(low))).astype(np.float32)
    for k in range(5):
        environment.step(actions[k])
    start, steps = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        environment.step(actions[steps % 64])
        steps += 1
    rate = steps * n / (time.perf_counter() - start)
    environment.close()
    return rate, rate * physics


AS_THEY_ARE = ["Ant-v5", "Humanoid-v5", "Hopper-v5", "HalfCheetah-v5", "Walker2d-v5", "Swimmer-v5"]


def alone(names: list[str], steps: int = 1500) -> None:
    """Prints the processor time of a control step of every environment, by the `mujoco` that is there [ms]."""
    for name in names:
        environment = gymnasium.make(name)
        environment.reset(seed=1)
        box = environment.action_space
        actions = np.random.default_rng(1).uniform(box.low, box.high, (64, *box.shape))
        start = 0.0
        for k in range(200 + steps):
            if k == 200:
                start = time.process_time()
            _, _, fell, ended, _ = environment.step(actions[k % 64])
            if fell or ended:
                environment.reset()
        print(1e3 * (time.process_time() - start) / steps, flush=True)


def beside_mujoco() -> None:
    """A table of Gymnasium's environments, each side in a process of its own."""
    code = "import sys; sys.path.insert(0, {folder!r}); {install}; import gymnasium_pace as g; g.alone(g.AS_THEY_ARE)"
    folder = __file__.rsplit("/", 1)[0]
    sides = []
    for install in ("pass", "import stiction.mujoco as m; m.install()"):
        run = [sys.executable, "-c", code.format(folder=folder, install=install)]
        sides.append([float(line) for line in subprocess.run(run, capture_output=True, text=True, check=True).stdout.split()])
    print("| environment | with MuJoCo [ms a control step] | under our names | ratio |")
    print("|---|---|---|---|")
    for name, theirs, mine in zip(AS_THEY_ARE, *sides):
        print(f"| `{name}` | {theirs:.3f} | {mine:.3f} | {mine / theirs:.2f} |")
    print()


def main() -> None:
    """A line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--processes", type=int, default=2)
    chosen = parser.parse_args()
    p = chosen.processes
    beside_mujoco()
    lines: list[tuple[str, Callable[[], Any], int, int]] = []
    for name in ("Ant-v5", "Humanoid-v5"):
        for mode in ("async", "sync"):
            n = 8 * p if mode == "async" else 8
            lines.append((f"Gymnasium's `{name}`, {mode}", lambda name=name, mode=mode, n=n: gymnasium.make_vec(
                name, num_envs=n, vectorization_mode=mode), n, 5))
    for name, physics in (("Quadruped-v0", 10), ("HumanoidRun-v0", 5)):
        lines.append((f"`stiction/{name}`", lambda name=name: sgym.make_vector(name, 1024, threads=p), 1024, physics))
    print("| environments | how many | environment steps/s | steps of physics/s |")
    print("|---|---|---|---|")
    for title, make, n, physics in lines:
        rates = [pace(make, n, physics, chosen.seconds) for _ in range(2)]
        rate, steps = max(rates)
        print(f"| {title} | {n} | {rate:,.0f} | {steps:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
