"""Environment steps per second beside Gymnasium's vectorised MuJoCo environments, on the same processors.

    python crates/python/benchmarks/gymnasium_pace.py [--seconds 5] [--processes 2]

Gymnasium's Ant-v5 and Humanoid-v5 as ``AsyncVectorEnv`` (a process for each group of environments) and ``SyncVectorEnv``,
our quadruped (13 bodies and 12 servos; Ant has 13 and 8) and humanoid on a batch, random actions. A control step is 20 ms
of 10 steps for the quadruped, 50 ms of 5 steps for Ant: steps of physics are given beside.
"""

from __future__ import annotations

import argparse
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


def main() -> None:
    """A line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--processes", type=int, default=2)
    chosen = parser.parse_args()
    p = chosen.processes
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
