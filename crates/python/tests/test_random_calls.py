"""Random calls with arguments that programs stumble over: an error of ours or of Python's, or an answer; no panic, and no number
that is not finite without a word. ``STICTION_CALLS`` says how many, ``STICTION_SEED`` of which random numbers."""

from __future__ import annotations

import inspect
import os
import random
from typing import Any

import numpy as np
import pytest

import stiction

TOLD = (
    stiction.Error, stiction.StepFailed, ValueError, TypeError, IndexError, KeyError, AttributeError, OverflowError, OSError,
    NotImplementedError, MemoryError,
)
SCALARS: list[Any] = [
    0, 1, -1, 7, 10**6, -(10**9), 2**31, 2**63, 2**64, 10**30, -0.0, 0.5, 1e-320, 1e308, float("nan"), float("inf"), None, True,
    "", "a", "trunk", "nsgs", "\ud800", "\0", b"x", (), [], {}, object(), np.float32(1), np.int64(3),
]


def array(draw: random.Random, size: int) -> Any:
    """Numbers, mostly of the size that is asked for."""
    n = size if draw.random() < 0.7 else draw.choice([0, 1, 2, 3, 6, 7, 19, 100])
    some = np.random.default_rng(draw.randrange(2**32)).normal(size=2 * n)
    kinds = [
        np.full(n, np.nan), np.full(n, np.inf), 1e300 * some[:n], some[:n].astype(np.float32), np.arange(n), some.reshape(n, 2),
        list(some[:n]), some[::2], some[:n].astype(complex), np.array(["a"] * n), np.array([None] * n, dtype=object),
        some[:n].astype(">f8"), np.zeros(n, bool), some[:n], some[:n], np.zeros(n),
    ]
    return draw.choice(kinds)


def value(draw: random.Random, name: str, model: stiction.Model) -> Any:
    """For an argument of this name, mostly something like it."""
    sizes = {"q": model.nq, "q0": model.nq, "q1": model.nq, "v": model.nv, "a": model.nv, "tau": model.nv}
    if name == "model":
        return model if draw.random() < 0.95 else draw.choice(SCALARS)
    if name in ("body", "link", "sensor", "camera"):
        return draw.choice([0, -1, 1, "trunk", *SCALARS])
    if name in ("width", "height", "steps", "n"):
        return draw.choice([0, 1, 2, -1, 32, 1.5, None, "a"])
    if name in ("seconds", "duration"):
        return draw.choice([0.01, 0, -1, float("nan"), "x", None])
    if name == "q" and draw.random() < 0.5:
        return model.q0
    return array(draw, sizes.get(name, draw.choice([3, model.nu, model.nv]))) if draw.random() < 0.6 else draw.choice(SCALARS)


def call(draw: random.Random, function: Any, model: stiction.Model) -> None:
    """One call, which may be refused."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError:
        return
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.default is not parameter.empty and draw.random() < 0.5:
            continue
        drawn = value(draw, parameter.name, model)
        if parameter.kind is parameter.KEYWORD_ONLY or parameter.default is not parameter.empty or named:
            named[parameter.name] = drawn
        else:
            positional.append(drawn)
    try:
        function(*positional, **named)
    except TOLD:
        pass
    except Exception as error:
        raise AssertionError(f"{function}: {type(error).__name__}: {error}\n{positional!r:.400} {named!r:.400}") from error


@pytest.mark.filterwarnings("ignore")
def test_random_calls() -> None:
    calls, seed = int(os.environ.get("STICTION_CALLS", "2000")), int(os.environ.get("STICTION_SEED", "1"))
    draw = random.Random(seed)
    models = [stiction.load(name) for name in ("quadruped", "stack", "cube-slide", "pendulum")]
    functions = [f for name, f in vars(stiction.dynamics).items() if inspect.isfunction(f) and not name.startswith("_")]
    # What waits for somebody, or writes files, is not for dice.
    left_out = ("viewer", "save", "record", "recording")
    methods = [name for name in dir(stiction.Simulation) if not name.startswith("_") and name not in left_out]
    for _ in range(calls):
        model = draw.choice(models)
        if draw.random() < 0.5:
            call(draw, draw.choice(functions), model)
            continue
        simulation = stiction.Simulation(model)
        for name in draw.choices(methods, k=3):
            try:
                found = getattr(simulation, name)
            except TOLD:
                continue
            if callable(found):
                call(draw, found, model)
            elif draw.random() < 0.3:
                try:
                    setattr(simulation, name, value(draw, name, model))
                except TOLD:
                    pass
        try:
            report = simulation.step()
        except TOLD:
            continue
        fine = bool(np.isfinite(simulation.q).all() and np.isfinite(simulation.v).all())
        assert fine or "failed" in str(report.status), report
