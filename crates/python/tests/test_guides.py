"""The pages for those who come from elsewhere, and the page of the package: every block of code is executed."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stiction
from shared import ARM
from test_dynamics import chain

DOCS = Path(__file__).parents[3] / "docs"
GUIDE = DOCS / "guide" / "src"
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
COMMANDS = re.compile(r"```sh\n(.*?)```", re.DOTALL)

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


def robot() -> dict[str, Any]:
    """A robot and numbers for the pages from Drake and PyBullet."""
    dice = np.random.default_rng(4)
    # PyBullet takes the inertial frame of a base for its axes.
    urdf = re.sub(r'rpy="[^"]*"', 'rpy="0 0 0"', chain(), count=1)
    return {"URDF": urdf, "Q": dice.normal(size=7) * 0.3, "V": dice.normal(size=7), "A": dice.normal(size=7)}


@pytest.mark.parametrize("page", ["coming-from-drake.md", "coming-from-pybullet.md"])
def test_our_half_runs_and_theirs_compiles(page: str) -> None:
    blocks = BLOCK.findall((DOCS / page).read_text())
    assert len(blocks) == 20
    names = {"np": np, **robot()}
    for theirs, ours in zip(blocks[::2], blocks[1::2], strict=True):
        compile(theirs, page, "exec")
        exec(compile(ours, page, "exec"), names)
        assert np.all(np.isfinite(np.concatenate([np.ravel(x) for x in np.atleast_1d(names["result"])])))


def test_coming_from_drake() -> None:
    pytest.importorskip("pydrake", reason="drake is not installed")
    assert executed("coming-from-drake.md", "Drake", robot(), {}) == 10


def test_coming_from_pybullet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pybullet", reason="pybullet is not installed")
    monkeypatch.chdir(tmp_path)
    # Its poses are of single precision, and its steps of first order.
    nears = {"Forward kinematics": 1e-6, "Step": 2e-3}
    assert executed("coming-from-pybullet.md", "PyBullet", robot(), nears) == 10


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


#: Pages of the guide that people wrote; the others are made or included.
WRITTEN = sorted(p.stem for p in GUIDE.glob("*.md") if p.stem not in ("SUMMARY", "api", "formats", "scenes"))

#: The robot that the commands of the guide name.
CRATE = """<robot name="crate"><link name="base"><inertial><mass value="2"/>
  <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial>
  <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link></robot>"""


@pytest.mark.parametrize("page", WRITTEN)
def test_the_guide_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in BLOCK.findall((GUIDE / f"{page}.md").read_text()):
        exec(compile(block, page, "exec"), {})


def command_line() -> str | None:
    """The program `stiction`: of STICTION, the newest that cargo has built here, or of the path."""
    places = (DOCS.parent / "target" / kind / "stiction" for kind in ("release", "debug"))
    built = sorted((p for p in places if p.is_file()), key=lambda p: p.stat().st_mtime, reverse=True)
    named = [os.environ.get("STICTION"), *(str(b) for b in built), shutil.which("stiction")]
    return next((n for n in named if n), None)


@pytest.mark.parametrize("page", WRITTEN)
def test_the_commands_of_the_guide_run(page: str, tmp_path: Path) -> None:
    assert len(WRITTEN) == 8
    lines = [w for b in COMMANDS.findall((GUIDE / f"{page}.md").read_text()) for w in b.splitlines()]
    assert all(line.startswith("stiction ") for line in lines)
    program = command_line()
    if not lines:
        return
    if program is None:
        warnings.warn(f"*** NOT RUN: {len(lines)} commands of {page}.md; name the program in $STICTION ***", stacklevel=1)
        pytest.skip("there is no program `stiction`; name it in $STICTION")
    (tmp_path / "robot.urdf").write_text(CRATE)
    for line in lines:
        done = subprocess.run([program, *shlex.split(line)[1:]], cwd=tmp_path, capture_output=True, text=True, check=False)
        if "is not built in" in done.stderr:
            warnings.warn(f"*** NOT RUN: {line}: the program here is built without the feature `full` ***", stacklevel=1)
            continue
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"


def script(name: str) -> Any:
    """A script of the guide, as a module."""
    spec = importlib.util.spec_from_file_location(name, DOCS / "guide" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_the_api_is_the_code() -> None:
    old = "docs/guide/src/api.md is old; `python docs/guide/make_api.py` writes it again"
    assert script("make_api").page() == (GUIDE / "api.md").read_text(), old


def test_the_pictures_of_the_guide_are_what_is_simulated() -> None:
    number = re.compile(r"-?\d+\.\d")
    for file, picture in script("draw").pictures().items():
        kept = (GUIDE / file).read_text()
        old = f"{file} is old; `python docs/guide/draw.py` draws it again"
        assert number.sub("", picture) == number.sub("", kept), old
        new = [float(x) for x in number.findall(picture)]
        assert new == pytest.approx([float(x) for x in number.findall(kept)], abs=0.5), old
