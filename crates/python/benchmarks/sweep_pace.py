"""Ten thousand rollouts as a sweep: rate, efficiency of two workers over one, and what a task costs beside its work.

    python crates/python/benchmarks/sweep_pace.py [--rollouts 10000] [--seconds 0.2] [--workers 2] [--ray]

A task is a quadruped that falls from a random height for as long; its work is timed alone in this process first. With
``--ray`` the same on a local Ray cluster of as many nodes of one CPU as there are workers. Efficiency is the rate of all
workers over that of one times their number. Results go to a folder that is removed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parent))
import sweep_task

from stiction.sweep import sweep


def rate(rollouts: int, seconds: float, chunk: int, **how: object) -> float:
    """Rollouts per second by the wall clock."""
    with tempfile.TemporaryDirectory() as folder:
        points = {"seconds": [seconds]}
        start = perf_counter()
        done = sweep(
            sweep_task.fall, points, folder, repeat=rollouts, chunk=chunk, progress=False, **how
        )
        time = perf_counter() - start
        rows = done.rows()
    assert len(rows) == rollouts and len({row["seed"] for row in rows}) == rollouts, "a rollout is lost or twice"
    assert done.failed == 0
    return rollouts / time


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rollouts", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--chunk", type=int, default=50)
    parser.add_argument("--ray", action="store_true")
    args = parser.parse_args()
    sweep_task.fall(args.seconds, 0)
    start = perf_counter()
    for seed in range(200):
        sweep_task.fall(args.seconds, seed)
    alone = (perf_counter() - start) / 200
    print(f"a rollout alone          {1e3 * alone:.3f} ms")
    hows: list[tuple[str, int, dict[str, object]]] = [
        (f"processes, {n}", n, {"on": "local", "workers": n}) for n in (1, args.workers)
    ]
    found = {name: rate(args.rollouts, args.seconds, args.chunk, **how) for name, _, how in hows}
    if args.ray:
        import ray
        from ray.cluster_utils import Cluster

        path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
        for n in (1, args.workers):
            cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
            for _ in range(n - 1):
                cluster.add_node(num_cpus=1)
            ray.init(address=cluster.address, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": path}})
            # Workers start, and import what they need.
            rate(2 * args.chunk * n, args.seconds, args.chunk, on=cluster.address)
            name = f"Ray, {n}"
            hows.append((name, n, {}))
            found[name] = rate(args.rollouts, args.seconds, args.chunk, on=cluster.address)
            ray.shutdown()
            cluster.shutdown()
    for name, n, _ in hows:
        one = found[f"{name.split(',')[0]}, 1"]
        cost = n / found[name] - alone
        print(
            f"{name:24} {found[name]:8.0f} rollouts/s   efficiency {found[name] / (n * one):.2f}"
            f"   beside its work a task costs {1e6 * cost:.0f} us"
        )


if __name__ == "__main__":
    main()
