"""What MuJoCo's compiler refuses is refused, or warned of."""

from __future__ import annotations

import warnings

import pytest

import stiction
from malformed_mjcf import TEXTS

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")


def _refused_by_mujoco(text: str) -> str | None:
    try:
        mujoco.MjModel.from_xml_string(text)
    except ValueError as refused:
        return str(refused)
    return None


@pytest.mark.parametrize("name", TEXTS)
def test_what_mujoco_refuses_is_no_model_without_a_word(name: str) -> None:
    theirs = _refused_by_mujoco(TEXTS[name])
    if theirs is None:
        return
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            stiction.loads(TEXTS[name], complete=False)
        except stiction.Error as refused:
            assert str(refused).startswith("model.xml:1:"), "with its place"
            return
    assert told, f"taken without a word; MuJoCo: {theirs}"


def test_the_table_is_of_what_mujoco_refuses() -> None:
    """A table of sound files would test nothing."""
    assert sum(_refused_by_mujoco(text) is not None for text in TEXTS.values()) > 100
