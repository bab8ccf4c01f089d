"""Parameter sweeps, Monte-Carlo runs and data sets: a function of every point of a grid, here or on a cluster of Ray.

Every task is a point and an index. Results are kept as they come, in one file for each chunk of tasks, which is written
under another name and then renamed: a file that is there is whole. What is there is not computed again, so that a sweep
that was killed goes on where it was; nothing is lost, nothing is there twice. A worker that dies is replaced, and its
chunk is done again.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from ._stiction import Error

#: A point of a grid: values by name.
Point = dict[str, Any]

#: What a function makes of a point, and perhaps a seed: values by name.
Function = Callable[..., Mapping[str, Any]]


def grid(axes: Mapping[str, Iterable[Any]]) -> list[Point]:
    """All combinations of the values of every axis, the last axis fastest."""
    names = list(axes)
    return [dict(zip(names, values)) for values in itertools.product(*(list(axes[name]) for name in names))]


@dataclass(frozen=True)
class Progress:
    """How far a sweep is."""

    done: int
    failed: int
    total: int
    seconds: float


@dataclass(frozen=True)
class Sweep:
    """What a sweep has left in its folder."""

    folder: Path
    total: int
    done: int
    failed: int

    def rows(self) -> list[dict[str, Any]]:
        """A row for every task that is done, in order: its index, its point, its results, or the error."""
        rows = [row for file in sorted(self.folder.glob("chunk-*")) if file.suffix in _READERS for row in _read(file)]
        return sorted(rows, key=lambda row: int(row["task"]))

    def to_pandas(self) -> Any:
        """The same as a data frame of pandas."""
        import pandas

        return pandas.DataFrame(self.rows())


def sweep(
    function: Function,
    points: Mapping[str, Iterable[Any]] | Sequence[Point],
    out: str | os.PathLike[str],
    *,
    on: str = "local",
    workers: int | None = None,
    chunk: int = 16,
    repeat: int = 1,
    seed: int = 0,
    retries: int = 3,
    progress: Callable[[Progress], None] | bool = True,
) -> Sweep:
    """``function(**point)``, or ``function(seed=…, **point)`` where ``repeat`` is more than one, of every point.

    ``on``: ``"local"`` for processes of this machine, ``"serial"`` for this process, or the address of a Ray cluster
    (``"auto"``, ``"ray://host:10001"``). A function that raises leaves its error in the row; a worker that dies is given
    its chunk again, ``retries`` times. Results are written to ``out`` as Parquet where pyarrow is installed, else as JSON
    lines. Calling it again with the same arguments goes on where it was.
    """
    tasks = _tasks(points, repeat, seed)
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    plan = {"tasks": len(tasks), "chunk": chunk, "points": _fingerprint(tasks)}
    marker = folder / "sweep.json"
    if marker.exists() and json.loads(marker.read_text()) != plan:
        raise Error(f"{folder}: another sweep is there; choose another folder, or remove it")
    marker.write_text(json.dumps(plan))
    chunks = [tasks[i : i + chunk] for i in range(0, len(tasks), chunk)]
    ending = _ending()
    left = [k for k in range(len(chunks)) if not any((folder / f"chunk-{k:06}{e}").exists() for e in _READERS)]
    show = _Show(len(tasks), len(tasks) - sum(len(chunks[k]) for k in left), progress)

    def keep(k: int, rows: list[dict[str, Any]]) -> None:
        _write(folder / f"chunk-{k:06}{ending}", rows)
        show.add(len(rows), sum(row["error"] is not None for row in rows))

    if on == "serial":
        for k in left:
            keep(k, _work(function, chunks[k]))
    elif on == "local":
        _locally(function, chunks, left, workers, retries, keep)
    else:
        _on_ray(function, chunks, left, on, retries, keep)
    finished = Sweep(folder, len(tasks), 0, 0).rows()
    return Sweep(folder, len(tasks), len(finished), sum(row["error"] is not None for row in finished))


Task = tuple[int, Point]


def _tasks(points: Mapping[str, Iterable[Any]] | Sequence[Point], repeat: int, seed: int) -> list[Task]:
    every = grid(points) if isinstance(points, Mapping) else [dict(point) for point in points]
    if repeat > 1:
        seeds = np.random.SeedSequence(seed).generate_state(len(every) * repeat)
        every = [{**point, "seed": int(seeds[i * repeat + r])} for i, point in enumerate(every) for r in range(repeat)]
    return list(enumerate(every))


def _fingerprint(tasks: list[Task]) -> str:
    import hashlib

    return hashlib.sha256(repr(tasks).encode()).hexdigest()


def _work(function: Function, tasks: list[Task]) -> list[dict[str, Any]]:
    """A row for every task of a chunk."""
    rows = []
    for index, point in tasks:
        try:
            result, error = dict(function(**point)), None
        except Exception as raised:  # whatever a user's function raises is told in its row
            result, error = {}, f"{type(raised).__name__}: {raised}"
        rows.append({"task": index, **point, **result, "error": error})
    return rows


def _locally(
    function: Function,
    chunks: list[list[Task]],
    left: list[int],
    workers: int | None,
    retries: int,
    keep: Callable[[int, list[dict[str, Any]]], None],
) -> None:
    tries: dict[int, int] = {}
    waiting = list(left)
    while waiting:
        # A worker that dies takes its whole pool with it: the chunks that were not kept are given to another.
        with ProcessPoolExecutor(workers or os.cpu_count(), mp_context=get_context("spawn")) as pool:
            running = {pool.submit(_work, function, chunks[k]): k for k in waiting}
            broken = False
            while running:
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    k = running.pop(future)
                    try:
                        keep(k, future.result())
                        waiting.remove(k)
                    except OSError:
                        raise
                    except Exception as raised:
                        if type(raised).__name__ != "BrokenProcessPool":
                            raise
                        broken = True
            if broken:
                for k in waiting:
                    tries[k] = tries.get(k, 0) + 1
                worst = max(tries.values(), default=0)
                if worst > retries:
                    raise Error(f"workers died {worst} times over chunk {waiting[0]}; the results so far are kept")


def _on_ray(
    function: Function,
    chunks: list[list[Task]],
    left: list[int],
    address: str,
    retries: int,
    keep: Callable[[int, list[dict[str, Any]]], None],
) -> None:
    import ray

    if not ray.is_initialized():
        ray.init(address=address, log_to_driver=False)
    shared = ray.put(function)
    work = ray.remote(max_retries=retries)(_work)
    todo: Iterator[int] = iter(left)
    running: dict[Any, int] = {}
    # A few chunks for each processor are under way at a time, so that a long sweep does not fill the cluster's memory.
    most = 4 * max(1, int(ray.cluster_resources().get("CPU", 1)))
    for k in itertools.islice(todo, most):
        running[work.remote(shared, chunks[k])] = k
    while running:
        done, _ = ray.wait(list(running), num_returns=1)
        k = running.pop(done[0])
        keep(k, ray.get(done[0]))
        for more in itertools.islice(todo, 1):
            running[work.remote(shared, chunks[more])] = more


class _Show:
    """Tells how far it is, at most twice a second."""

    def __init__(self, total: int, done: int, progress: Callable[[Progress], None] | bool) -> None:
        self.total, self.done, self.failed = total, done, 0
        self.progress, self.begin, self.last = progress, time.monotonic(), 0.0

    def add(self, done: int, failed: int) -> None:
        """So many tasks more."""
        self.done, self.failed = self.done + done, self.failed + failed
        now = time.monotonic()
        if self.progress is False or (now - self.last < 0.5 and self.done < self.total):
            return
        self.last = now
        state = Progress(self.done, self.failed, self.total, now - self.begin)
        if callable(self.progress):
            self.progress(state)
        else:
            end = "\n" if self.done == self.total else ""
            text = f"\r{state.done} of {state.total} tasks, {state.failed} failed, {state.seconds:.0f} s{end}"
            print(text, end="", file=sys.stderr, flush=True)


def _ending() -> str:
    try:
        import pyarrow  # noqa: F401

        return ".parquet"
    except ImportError:
        return ".jsonl"


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    """Whole or not at all: under another name first."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    plain = [{key: _plain(value) for key, value in row.items()} for row in rows]
    if path.suffix == ".parquet":
        import pyarrow
        import pyarrow.parquet

        names = list(dict.fromkeys(name for row in plain for name in row))
        columns = {name: [row.get(name) for row in plain] for name in names}
        pyarrow.parquet.write_table(pyarrow.table(columns), part)
    else:
        part.write_text("".join(json.dumps(row) + "\n" for row in plain))
    os.replace(part, path)


def _read(path: Path) -> list[dict[str, Any]]:
    return _READERS[path.suffix](path)


def _read_parquet(path: Path) -> list[dict[str, Any]]:
    import pyarrow.parquet

    rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    return rows


def _read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


_READERS: dict[str, Callable[[Path], list[dict[str, Any]]]] = {".parquet": _read_parquet, ".jsonl": _read_lines}


def _plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return value
