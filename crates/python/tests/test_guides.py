"""The pages for those who come from elsewhere, and the page of the package: every block of code is executed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stiction
from shared import ARM
from test_dynamics import chain

DOCS = Path(__file__).parents[3] / "docs"
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)

SENSED = ARM.replace(
    "</mujoco>",
    """<sensor><gyro name="gyro" site="hand"/></sensor>
       <keyframe><key name="up" qpos="1 0 0 0 0.4 1 0 2 1 0 0 0" ctrl="0.7"/></keyframe></mujoco>""",
)


def executed(page: str, first: str, given: dict[str, Any], nears: dict[str, float]) -> int:
    """Runs both sides of a page in their own names, and compares what they call ``result``."""
    theirs, ours, compared = {"np": np, **given}, {"np": np, **given}, 0
    heading, expected = "", None
    for part in re.split(r"^## ", (DOCS / page).read_text(), flags=re.MULTILINE)[1:]:
        heading = part.splitlines()[0]
        blocks = BLOCK.findall(part)
        assert [b.split("\n")[0] for b in blocks] == [f"# {first}", "# stiction"], heading
        exec(compile(blocks[0], f"{page}: {heading}", "exec"), theirs)
        exec(compile(blocks[1], f"{page}: {heading}", "exec"), ours)
        expected = np.concatenate([np.ravel(x) for x in np.atleast_1d(theirs["result"])])
        found = np.concatenate([np.ravel(x) for x in np.atleast_1d(ours["result"])])
        near = nears.get(heading, 1e-9)
        assert found == pytest.approx(expected, abs=near * max(1.0, np.abs(expected).max())), heading
        compared += 1
    return compared


def test_coming_from_mujoco() -> None:
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    # What lies on a soft ground still sinks a little after a second.
    assert executed("coming-from-mujoco.md", "MuJoCo", {"XML": SENSED}, {"Contact forces": 5e-3}) == 10


def test_coming_from_pinocchio() -> None:
    pytest.importorskip("pinocchio", reason="pinocchio is not installed")
    dice = np.random.default_rng(4)
    # Their joints are in the order of names; those of this robot are in the order of both.
    given = {"URDF": chain(), "Q": dice.normal(size=7) * 0.3, "V": dice.normal(size=7), "A": dice.normal(size=7)}
    assert executed("coming-from-pinocchio.md", "Pinocchio", given, {"Inverse kinematics": 1e-6}) == 10


def test_the_page_of_the_package_and_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall((DOCS / "python.md").read_text())
    readme = (DOCS.parent / "README.md").read_text()
    section = readme[readme.index("## From Python") : readme.index("## From Rust")]
    blocks += BLOCK.findall(section)
    assert len(blocks) >= 2
    for block in blocks:
        # Smaller where size is all that differs.
        exec(compile(block.replace("1024", "8"), "documentation", "exec"), {})
    assert (tmp_path / "walk.html").stat().st_size > 1000
    assert stiction.__doc__


@pytest.mark.parametrize("name", ["first-steps", "contact-models", "train-and-randomise"])
def test_notebooks_run(name: str) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    matplotlib.use("agg")
    cells = json.loads((DOCS / "notebooks" / f"{name}.ipynb").read_text())["cells"]
    names: dict[str, Any] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), name, "exec"), names)
    assert sum(cell["cell_type"] == "code" for cell in cells) >= 5
