"""The cost of the border: one call a step beside many steps a call, and a batch likewise; the least of many short samples.

    python crates/python/benchmarks/overhead.py
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

import stiction


def least(work: Callable[[], object], samples: int) -> float:
    """The least time of many calls [s]."""
    times = []
    for _ in range(samples):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times)


def step_calls() -> None:
    """Steps of single simulations."""
    print("| scene | a step inside of one call [µs] | a call a step [µs] | with controls [µs] | difference [µs] |")
    print("|---|---|---|---|---|")
    for scene in ("ball", "pendulum", "cube-slide", "quadruped"):
        simulation = stiction.Simulation(stiction.load(scene))
        simulation.step(steps=500)
        control = simulation.control.copy()
        rounds: list[list[float]] = []
        for _ in range(40):
            inside = least(lambda: simulation.step(None, 50), 10) / 50

            def calls() -> None:
                for _ in range(50):
                    simulation.step()

            def commanded() -> None:
                for _ in range(50):
                    simulation.step(control)

            rounds.append([inside, least(calls, 10) / 50, least(commanded, 10) / 50])
        a, b, c = (1e6 * np.min(rounds, axis=0)).tolist()
        print(f"| `{scene}` | {a:.2f} | {b:.2f} | {c:.2f} | {b - a:.2f}, {c - a:.2f} |")


def batches() -> None:
    """Steps of batches: a call a step with fresh controls and fresh arrays, beside ten steps a call."""
    print("\n| environments | threads | ten steps a call [µs/env] | a call a step [µs/env] | more |")
    print("|---|---|---|---|---|")
    model = stiction.load("quadruped")
    for n, threads in ((256, 1), (4096, 1), (4096, 2)):
        batch = stiction.Batch(model, n, threads=threads)
        batch.step(steps=50)
        control = batch.control.copy()

        def calls() -> None:
            for _ in range(10):
                batch.step(control)

        rounds = []
        for _ in range(200_000 // n):
            ten = least(lambda: batch.step(control, 10), 1) / 10
            rounds.append([ten, least(calls, 1) / 10])
        ten, one = (1e6 * np.min(rounds, axis=0) / n).tolist()
        print(f"| {n} | {threads} | {ten:.3f} | {one:.3f} | {100 * (one / ten - 1):.1f} % |")


if __name__ == "__main__":
    step_calls()
    batches()
