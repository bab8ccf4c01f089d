"""What would not fit into memory is an error with its size; the interpreter lives on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import stiction
from stiction.learn import ContactResidual


def many(count: int) -> stiction.Model:
    """So many free bodies."""
    body = '<body pos="{} 0 1"><freejoint/><geom size="0.1" mass="1"/></body>'
    return stiction.loads("<mujoco><worldbody>" + "".join(body.format(i) for i in range(count)) + "</worldbody></mujoco>")


def test_dense_matrices_that_do_not_fit() -> None:
    model = many(40_000)
    q, v = model.q0, model.v0
    for call in (
        lambda: stiction.dynamics.crba(model, q),
        lambda: stiction.dynamics.inverse_mass(model, q),
        lambda: stiction.dynamics.coriolis(model, q, v),
        lambda: stiction.dynamics.rnea_derivatives(model, q, v, v),
        lambda: stiction.dynamics.aba_derivatives(model, q, v, v),
    ):
        with pytest.raises(stiction.Error, match=r"240000 × 240000 numbers needs .* GB of memory, and .* GB are free"):
            call()
    assert np.isfinite(stiction.dynamics.aba(model, q, v, v)).all()


@pytest.mark.parametrize("count", [10**9, 10**12])
def test_batches_that_do_not_fit(count: int) -> None:
    with pytest.raises(stiction.Error, match=f"a batch of {count} environments .* GB are free: take fewer"):
        stiction.Batch(stiction.load("quadruped"), count)


def test_tolerances_whose_square_is_no_number() -> None:
    model = stiction.load("stack")
    with pytest.raises(stiction.Error, match="no more than 1e154"):
        stiction.Simulation(model, contact="nsgs", tolerance=1e200)
    with pytest.raises(stiction.Error, match="no more than 1e154"):
        stiction.Batch(model, 4, tolerance=1e200)


def test_a_fit_is_a_regular_file(tmp_path: Path) -> None:
    with pytest.raises(stiction.Error, match="not a regular file"):
        ContactResidual.load("/dev/zero")
    with pytest.raises(FileNotFoundError):
        ContactResidual.load(tmp_path / "none.json")
