"""Parameter sweeps, Monte-Carlo runs and data sets: a function of every point of a grid, here or on a cluster of Ray.

Every task is a point and an index. Results are kept as they come, in one file for each chunk of tasks, which is written
under another name and then renamed: a file that is there is whole. What is there is not computed again, so that a sweep
that was killed goes on where it was; nothing is lost, nothing is there twice. A worker that dies is replaced, and its
chunk is done again. Workers of this machine end with their driver.

The folder says what it holds results of (``sweep.json``, written first): the points by their bytes, the function by its
name and source, and how the tasks are cut into chunks. Another sweep is refused. The name of a chunk ends in the sum of
what is in it: one that is damaged, of another sweep or there twice is refused and named.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any

import numpy as np

from . import _store
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
    #: Tasks of them that an earlier call had done.
    old: int = 0

    def rows(self) -> list[dict[str, Any]]:
        """A row for every task that is done, in order: its index, its point, its results, or the error.

        A chunk that is damaged, of another sweep or there twice is an error that names it.
        """
        return _Chunks(self.folder).rows()

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
    lines. Calling it again with the same arguments goes on where it was; other points, another function (by its name and
    its source; what it calls is not looked at) or other chunks are refused. ``task``, ``error`` and the names of the point
    are no names for results.
    """
    tasks = _tasks(points, repeat, seed)
    if not isinstance(chunk, int) or chunk < 1:
        raise Error(f"chunk is {chunk!r}; expected a whole number >= 1")
    folder = Path(out)
    key = {
        "tasks": len(tasks), "chunk": chunk, "repeat": repeat, "seed": seed, "points": _fingerprint(tasks),
        "function": _store.name_of(function), "source": _fingerprint_of_function(function),
    }
    _store.manifest(folder / "sweep.json", KIND, key)
    chunks = [tasks[i : i + chunk] for i in range(0, len(tasks), chunk)]
    ending = _ending()
    files = _Chunks(folder)
    kept = {int(row["task"]) for row in files.rows()}
    left = [k for k in range(len(chunks)) if k not in files.names]
    show = _Show(len(tasks), len(kept), progress)

    def keep(k: int, rows: list[dict[str, Any]]) -> None:
        files.write(k, ending, rows)
        show.add(len(rows), sum(row["error"] is not None for row in rows))

    if on == "serial":
        for k in left:
            keep(k, _work(function, chunks[k]))
    elif on == "local":
        _locally(function, chunks, left, workers, retries, keep)
    else:
        _on_ray(function, chunks, left, on, retries, keep)
    finished = _Chunks(folder).rows()
    failed = sum(row["error"] is not None for row in finished)
    return Sweep(folder, len(tasks), len(finished), failed, len(kept))


Task = tuple[int, Point]

#: Kind and version of the results.
KIND = "sweep 1"

#: Names in a row that are neither the point's nor the function's.
OURS = ("task", "error")


def _tasks(points: Mapping[str, Iterable[Any]] | Sequence[Point], repeat: int, seed: int) -> list[Task]:
    every = grid(points) if isinstance(points, Mapping) else [dict(point) for point in points]
    if repeat > 1:
        seeds = np.random.SeedSequence(seed).generate_state(len(every) * repeat)
        every = [{**point, "seed": int(seeds[i * repeat + r])} for i, point in enumerate(every) for r in range(repeat)]
    for index, point in enumerate(every):
        for name in point:
            if name in OURS:
                raise Error(f"point {index}: `{name}` is the name of a column of the results; call it otherwise")
    return list(enumerate(every))


def _fingerprint(tasks: list[Task]) -> str:
    out = hashlib.sha256()
    for index, point in tasks:
        try:
            out.update(_store.digest(point).encode())
        except Error as error:
            raise Error(f"point {index}: {error}") from None
    return _store.CONTENTS + out.hexdigest()


def _fingerprint_of_function(function: Function) -> str:
    try:
        # An object that is called is what it holds, and what its class does.
        called = getattr(type(function), "__call__", None)
        return _store.digest([function, called if hasattr(called, "__code__") else None])
    except Error as error:
        raise Error(f"the function: {error}") from None


def _work(function: Function, tasks: list[Task]) -> list[dict[str, Any]]:
    """A row for every task of a chunk."""
    rows = []
    for index, point in tasks:
        try:
            result, error = dict(function(**point)), None
        except Exception as raised:  # whatever a user's function raises is told in its row
            result, error = {}, f"{type(raised).__name__}: {raised}"
        for name in result:
            if name in point or name in OURS:
                whose = "is of the point" if name in point else "is ours"
                raise Error(f"task {index}: the function gives a result called `{name}`, a name that {whose}; call it otherwise")
        rows.append({"task": index, **point, **result, "error": error})
    return rows


def _end_with_the_driver() -> None:
    """Ends this process when the one that started it is gone, whatever ended it."""
    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


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
        with ProcessPoolExecutor(
            workers or os.cpu_count(), mp_context=get_context("spawn"), initializer=_end_with_the_driver
        ) as pool:
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
        if done and progress is True:
            print(f"{done} of {total} tasks are of an earlier call", file=sys.stderr)

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


class _Chunks:
    """The files of a folder's chunks: ``chunk-NUMBER-SUM`` with the ending of their format."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = _store.read_manifest(folder / "sweep.json")
        self.names: dict[int, Path] = {}
        key = self.manifest["key"]
        count = -(-key["tasks"] // key["chunk"])
        for file in sorted(folder.glob("chunk-*")):
            found = re.fullmatch(r"chunk-(\d{6,})-([0-9a-f]{16})", file.stem)
            if found is None or file.suffix not in _READERS or int(found[1]) >= count:
                raise Error(f"{file}: no chunk of this sweep; take it away")
            k = int(found[1])
            if k in self.names:
                raise Error(f"{file}: chunk {k} is there twice, here and as {self.names[k].name}; take one away")
            self.names[k] = file

    def _sum(self, content: bytes) -> str:
        return hashlib.sha256(self.manifest["digest"].encode() + content).hexdigest()[:16]

    def _tasks(self, k: int) -> list[int]:
        key = self.manifest["key"]
        return list(range(k * key["chunk"], min((k + 1) * key["chunk"], key["tasks"])))

    def read(self, k: int) -> list[dict[str, Any]]:
        """The rows of a chunk."""
        file = self.names[k]
        remedy = "delete it, and its tasks are done again"
        content = _store.read(file)
        if self._sum(content) != file.stem[-16:]:
            raise Error(f"{file}: damaged, or of another sweep: its sum is not that of its name; {remedy}")
        rows = _READERS[file.suffix](content)
        if [row.get("task") for row in rows] != self._tasks(k):
            raise Error(f"{file}: it does not hold the tasks of chunk {k}; {remedy}")
        return rows

    def rows(self) -> list[dict[str, Any]]:
        """All rows, in order."""
        return [row for k in sorted(self.names) for row in self.read(k)]

    def write(self, k: int, ending: str, rows: list[dict[str, Any]]) -> None:
        """Whole or not at all."""
        content = _content(ending, rows)
        name = f"chunk-{k:06}-{self._sum(content)}{ending}"
        _store.write(self.folder / name, content)
        self.names[k] = self.folder / name


def _content(ending: str, rows: list[dict[str, Any]]) -> bytes:
    plain = [{key: _plain(value) for key, value in row.items()} for row in rows]
    if ending == ".parquet":
        import pyarrow
        import pyarrow.parquet

        names = list(dict.fromkeys(name for row in plain for name in row))
        columns = {name: [row.get(name) for row in plain] for name in names}
        out = io.BytesIO()
        pyarrow.parquet.write_table(pyarrow.table(columns), out)
        return out.getvalue()
    return "".join(json.dumps(row) + "\n" for row in plain).encode()


def _read_parquet(content: bytes) -> list[dict[str, Any]]:
    import pyarrow.parquet

    rows: list[dict[str, Any]] = pyarrow.parquet.read_table(io.BytesIO(content)).to_pylist()
    return rows


def _read_lines(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.decode().splitlines()]


_READERS: dict[str, Callable[[bytes], list[dict[str, Any]]]] = {".parquet": _read_parquet, ".jsonl": _read_lines}


def _plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return value
