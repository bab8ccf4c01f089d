"""Sweeps: every task once, whatever dies."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shared_work as work
import stiction
from stiction import _store
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
    with pytest.raises(stiction.Error, match="results of another sweep: points: other contents; seed: 4 there, 0 now; .*tasks: 6 there, 3 now; choose another folder"):
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
    kept = {int(f.stem[6:12]) for f in (tmp_path / "out").glob("chunk-*")}
    assert 4 <= len(kept) < 20
    before = ran(tmp_path)
    points = [{"i": i, "folder": str(tmp_path)} for i in range(40)]
    done = sweep(work.slow, points, tmp_path / "out", workers=2, chunk=2, progress=False)
    assert [row["square"] for row in done.rows()] == [i * i for i in range(40)]
    after = ran(tmp_path)
    assert all(after[2 * k + j] == before[2 * k + j] for k in kept for j in (0, 1)), "what was kept is not done again"


def total(a: Any) -> dict[str, float]:
    """The sum of an array."""
    return {"s": float(np.sum(a))}


def other(a: Any) -> dict[str, float]:
    """Another function."""
    return {"s": -1.0}


def serial(function: Any, points: Any, out: Path) -> Any:
    """A sweep in this process, in chunks of two."""
    return sweep(function, points, out, on="serial", chunk=2, progress=False)


def test_points_are_told_apart_by_their_bytes(tmp_path: Path) -> None:
    one, two = np.zeros(5000), np.zeros(5000)
    two[2500] = 1
    near = [np.array([x]) for x in (0.1234567891, 0.1234567899)]
    for i, (first, second) in enumerate([(one, two), near, (one, one.astype(np.float32))]):
        assert serial(total, [{"a": first}], tmp_path / str(i)).rows()[0]["s"] == float(np.sum(first))
        with pytest.raises(stiction.Error, match="points: other contents; choose another folder"):
            serial(total, [{"a": second}], tmp_path / str(i))
    again = serial(total, [{"a": near[0].copy()}], tmp_path / "1")
    assert again.old == 1 and again.rows()[0]["s"] == near[0][0]

    class Plain:
        def __init__(self, x: float) -> None:
            self.x = x

    first, same, differs = Plain(1.0), Plain(1.0), Plain(2.0)
    assert _store.digest(first) == _store.digest(same) != _store.digest(differs)
    with pytest.raises(stiction.Error, match="point 0: a `_thread.lock` cannot be told from another"):
        serial(total, [{"a": threading.Lock()}], tmp_path / "lock")


def test_another_function_is_refused(tmp_path: Path) -> None:
    points = [{"a": [1.0]}, {"a": [2.0]}, {"a": [3.0]}]
    assert [row["s"] for row in serial(total, points, tmp_path).rows()] == [1.0, 2.0, 3.0]
    with pytest.raises(stiction.Error, match=r"function: .*total there, .*other now.*source: "):
        serial(other, points, tmp_path)
    with pytest.raises(stiction.Error, match="source: "):
        serial(lambda a: {"s": 2.0}, points, tmp_path)
    with pytest.raises(stiction.Error, match="chunk: 2 there, 3 now"):
        sweep(total, points, tmp_path, on="serial", chunk=3, progress=False)
    assert serial(total, points, tmp_path).old == 3


def test_closures_are_told_apart_by_what_they_hold() -> None:
    def scaled(by: float) -> Any:
        return lambda a: {"s": by * a}

    assert _store.digest(scaled(1.0)) == _store.digest(scaled(1.0)) != _store.digest(scaled(2.0))


@pytest.mark.parametrize("name", ["task", "error", "mu"])
def test_results_do_not_overwrite_the_row(tmp_path: Path, name: str) -> None:
    with pytest.raises(stiction.Error, match=f"task 0: the function gives a result called `{name}`"):
        serial(lambda mu: {name: 7}, {"mu": [1, 2]}, tmp_path)
    if name != "mu":
        with pytest.raises(stiction.Error, match=f"point 0: `{name}` is the name of a column"):
            serial(total, [{name: 1}], tmp_path / "point")


def test_chunks_and_manifest_are_what_was_written(tmp_path: Path) -> None:
    points = [{"a": [float(i)]} for i in range(5)]
    good = serial(total, points, tmp_path).rows()
    marker, files = tmp_path / "sweep.json", sorted(tmp_path.glob("chunk-*"))
    kept = marker.read_bytes()
    for text in (b"", b"{}", kept[:-20], kept.replace(b'"tasks": 5', b'"tasks": 4')):
        marker.write_bytes(text)
        with pytest.raises(stiction.Error, match="sweep.json: .*choose another folder, or remove this one"):
            serial(total, points, tmp_path)
    marker.write_bytes(kept)
    content = files[1].read_bytes()
    for spoilt in (b"", content[:-1], content.replace(b"2", b"7")):
        files[1].write_bytes(spoilt)
        with pytest.raises(stiction.Error, match=f"{files[1].name}: damaged, or of another sweep.*delete it"):
            serial(total, points, tmp_path)
    files[1].unlink()
    mended = serial(total, points, tmp_path)
    assert mended.rows() == good and mended.old == 3 and mended.done == mended.total == 5
    twice = tmp_path / f"chunk-000001-{'0' * 16}{files[1].suffix}"
    twice.write_bytes(content)
    with pytest.raises(stiction.Error, match="chunk 1 is there twice"):
        serial(total, points, tmp_path)
    twice.rename(tmp_path / f"chunk-000007-{'0' * 16}{files[1].suffix}")
    with pytest.raises(stiction.Error, match="no chunk of this sweep"):
        mended.rows()


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "fit.json"
    _store.write(path, b"old")
    path.chmod(0o640)

    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", full)
        with pytest.raises(OSError, match=r"No space left.*fit\.json"):
            _store.write(path, b"new and longer")
    assert [f.name for f in tmp_path.iterdir()] == ["fit.json"] and path.read_bytes() == b"old"
    _store.write(path, b"new")
    assert path.read_bytes() == b"new" and path.stat().st_mode & 0o777 == 0o640


def alive(process: int) -> bool:
    """Whether a process is there and is no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
def test_workers_end_with_their_driver(tmp_path: Path) -> None:
    driver = tmp_path / "driver.py"
    driver.write_text(DRIVER.replace("work.slow", "work.endless"))
    process = subprocess.Popen([sys.executable, str(driver), str(Path(__file__).parent), str(tmp_path)])
    limit = time.monotonic() + 60
    while len(list(tmp_path.glob("worker-*"))) < 2 and time.monotonic() < limit:
        time.sleep(0.05)
    workers = [int(f.name[7:]) for f in tmp_path.glob("worker-*")]
    assert len(workers) == 2 and all(map(alive, workers))
    process.kill()
    process.wait()
    while any(map(alive, workers)) and time.monotonic() < limit:
        time.sleep(0.05)
    assert not any(map(alive, workers))


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
