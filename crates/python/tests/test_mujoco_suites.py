"""Libraries that are written for MuJoCo run on ``stiction.mujoco``."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

#: Tasks of dm_control that do not run, and what they are told.
REFUSED = {
    "quadruped.escape": "does not offer MjModel.hfield_nrow",
    # It asserts that every control has an activation.
    **{f"dog.{task}": "AssertionError" for task in ("stand", "walk", "trot", "run", "fetch")},
}


def test_tasks_of_dm_control_load_and_step() -> None:
    if importlib.util.find_spec("dm_control") is None:
        pytest.skip("dm_control is not installed")
    script = Path(__file__).parents[1] / "benchmarks/dm_control_suite.py"
    command = [sys.executable, str(script), "--side", "stiction", "--steps", "2"]
    done = subprocess.run(command, input="null", capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    refused = {task: row["why"] for task, row in found.items() if "why" in row}
    assert set(refused) <= set(REFUSED), {t: w for t, w in refused.items() if t not in REFUSED}
    assert all(REFUSED[task] in why for task, why in refused.items())
    assert len(found) - len(refused) >= 44


def test_the_names_are_installed_once() -> None:
    program = """
        import stiction.mujoco
        stiction.mujoco.install()
        import mujoco, mujoco.viewer, mujoco.rollout
        assert mujoco is stiction.mujoco and mujoco.viewer is stiction.mujoco.viewer
        model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>")
        try:
            model.dof_simplenum + 1
        except mujoco.NotOffered as told:
            print(told)
        """
    lines = "\n".join(line.strip() if "model.dof" not in line and "print" not in line else "    " + line.strip()
                      for line in program.splitlines())
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, timeout=60, check=False)
    assert "does not offer MjModel.dof_simplenum" in done.stdout, done.stderr
