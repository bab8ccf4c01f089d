"""Sweeps: every task once, whatever dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import shared_work as work
import stiction
from stiction.sweep import grid, sweep


def test_grids_and_seeds(tmp_path: Path) -> None:
    assert grid({"a": [1, 2], "b": "xy"}) == [{"a": a, "b": b} for a in (1, 2) for b in "xy"]
    done = sweep(work.seeded, {"x": [0.5, -1.0]}, tmp_path / "s", on="serial", repeat=3, seed=4, progress=False)
    rows = done.rows()
    assert [row["task"] for row in rows] == list(range(6)) and done.failed == 3 and done.done == 6
    assert len({row["seed"] for row in rows}) == 6
    assert all(row["error"] == "ValueError: x is -1.0" for row in rows[3:]) and rows[0]["error"] is None
    again = sweep(work.seeded, {"x": [0.5, -1.0]}, tmp_path / "t", on="serial", repeat=3, seed=4, progress=False)
    assert again.rows() == rows
    with pytest.raises(stiction.Error, match="another sweep is there"):
        sweep(work.seeded, {"x": [0.7]}, tmp_path / "t", on="serial", repeat=3, progress=False)


def test_processes_share_the_work_and_report(tmp_path: Path) -> None:
    told: list[Any] = []
    done = sweep(work.slide, {"mu": [0.3, 0.5], "v": [0.5, 1.0]}, tmp_path, workers=2, chunk=1, progress=told.append)
    rows = done.rows()
    assert len(rows) == 4 and all(abs(row["slid"] - row["expected"]) < 1e-3 for row in rows)
    assert told[-1].done == told[-1].total == 4
    frame = pytest.importorskip("pandas", reason="pandas is not installed") and done.to_pandas()
    assert list(frame["mu"]) == [0.3, 0.3, 0.5, 0.5]


def ran(folder: Path) -> dict[int, int]:
    """How often each number ran."""
    return {int(f.name[4:]): len(f.read_text()) for f in folder.glob("ran-*")}


def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    points = [{"i": i, "folder": str(tmp_path)} for i in range(12)]
    done = sweep(work.dies_once, points, tmp_path / "out", workers=2, chunk=3, progress=False)
    assert [row["square"] for row in done.rows()] == [i * i for i in range(12)]
    assert (tmp_path / "died").exists() and set(ran(tmp_path)) == set(range(12))


DRIVER = """
import sys
sys.path.insert(0, sys.argv[1])
import shared_work as work
from stiction.sweep import sweep
if __name__ == "__main__":
    points = [{"i": i, "folder": sys.argv[2]} for i in range(40)]
    sweep(work.slow, points, sys.argv[2] + "/out", workers=2, chunk=2, progress=False)
"""


def test_a_driver_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    driver = tmp_path / "driver.py"
    driver.write_text(DRIVER)
    command = [sys.executable, str(driver), str(Path(__file__).parent), str(tmp_path)]
    process = subprocess.Popen(command, start_new_session=True)
    limit = time.monotonic() + 60
    while len(list((tmp_path / "out").glob("chunk-*"))) < 4 and time.monotonic() < limit:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    kept = {int(f.stem[6:]) for f in (tmp_path / "out").glob("chunk-*")}
    assert 4 <= len(kept) < 20
    before = ran(tmp_path)
    points = [{"i": i, "folder": str(tmp_path)} for i in range(40)]
    done = sweep(work.slow, points, tmp_path / "out", workers=2, chunk=2, progress=False)
    assert [row["square"] for row in done.rows()] == [i * i for i in range(40)]
    after = ran(tmp_path)
    assert all(after[2 * k + j] == before[2 * k + j] for k in kept for j in (0, 1)), "what was kept is not done again"


def test_a_cluster_of_ray_loses_a_node(tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="ray is not installed")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        second = cluster.add_node(num_cpus=1)
        path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
        ray.init(address=cluster.address, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": path}})
        killed: list[int] = []

        def kill(progress: Any) -> None:
            if progress.done >= 8 and not killed:
                killed.append(progress.done)
                cluster.remove_node(second, allow_graceful=False)

        points = [{"i": i, "folder": str(tmp_path)} for i in range(40)]
        done = sweep(work.slow, points, tmp_path / "out", on=cluster.address, chunk=2, progress=kill)
        assert killed and [row["square"] for row in done.rows()] == [i * i for i in range(40)]
    finally:
        ray.shutdown()
        cluster.shutdown()
