"""MuJoCo's own tests of its Python bindings, run on ``stiction.mujoco``: what passes, and why the others do not.

    python crates/python/benchmarks/mujoco_bindings_tests.py [--all]

The tests are those of the MuJoCo wheel that is installed (``bindings_test.py``, ``rollout_test.py``), which are read from there.
Prints a table of the tests that do not pass, by reason; with ``--all`` of all.
"""

from __future__ import annotations

import argparse
import collections
import importlib.util
import sys
import unittest
import warnings
from pathlib import Path
from typing import Any

FILES = ("bindings_test.py", "rollout_test.py")


class Told(unittest.TestResult):
    """Every test with its outcome."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[str, str]] = []

    def addSuccess(self, test: Any) -> None:
        self.rows.append((test.id(), "passes"))

    def addSkip(self, test: Any, reason: str) -> None:
        self.rows.append((test.id(), f"skipped: {reason}"))

    def addFailure(self, test: Any, err: Any) -> None:
        self.rows.append((test.id(), reason(err[1])))

    addError = addFailure

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        if err is not None:
            self.rows.append((test.id(), reason(err[1])))


def reason(error: BaseException) -> str:
    """The first line of what was raised."""
    first = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {first[:110]}"


def main() -> None:
    """The tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    found = importlib.util.find_spec("mujoco")
    if found is None or not found.submodule_search_locations:
        raise SystemExit("MuJoCo is not installed; its wheel has the tests")
    folder = Path(found.submodule_search_locations[0])
    import stiction.mujoco

    stiction.mujoco.install()
    from absl import flags

    flags.FLAGS(sys.argv[:1])
    for file in FILES:
        spec = importlib.util.spec_from_file_location(file[:-3], folder / file)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        sys.modules[file[:-3]] = module
        try:
            spec.loader.exec_module(module)
        except Exception as error:  # noqa: BLE001
            print(f"{file}: cannot be imported: {reason(error)}")
            continue
        told = Told()
        unittest.defaultTestLoader.loadTestsFromModule(module).run(told)
        last = dict(told.rows)
        outcomes = collections.Counter(last.values())
        print(f"\n{file}: {outcomes['passes']} of {len(last)} pass.\n\n| tests | outcome |\n|---|---|")
        if chosen.all:
            for name, outcome in last.items():
                print(f"| `{name.split('.', 1)[1]}` | {outcome} |")
        else:
            for outcome, count in outcomes.most_common():
                print(f"| {count} | {outcome} |")


if __name__ == "__main__":
    main()
