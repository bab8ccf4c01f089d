"""MuJoCo's and dm_control's own tests, and tasks of three suites, on MuJoCo and on stiction.mujoco: of what passes there, how much passes here.

    python others.py tests [--files FOLDER] [--page PAGE] [--write]
    python others.py dm_control [--page PAGE] [--write]
    python others.py tasks [--page PAGE] [--write]

The Python that runs it holds stiction, the rival, pytest and pytest-timeout. MuJoCo's tests are those of FOLDER, else those in its
wheel. Prints a row for every file, and what stops most of those that do not pass; fails where fewer pass than the page says, and
writes the rows into it with ``--write``.
"""

from __future__ import annotations

import argparse
import collections
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings

#: Files of dm_control's tests that need no display and no weights.
DM = """mujoco/engine mujoco/index mujoco/wrapper/core mujoco/wrapper/mjbindings mujoco/thread_safety mujoco/math mjcf/physics mjcf/attribute
mjcf/element composer/environment composer/observation/updater composer/observation/observable/mjcf
composer/initializers/prop_initializer composer/initializers/tcp_initializer suite/suite suite/loader suite/lqr
suite/utils/randomizers suite/utils/parse_amc suite/wrappers/action_noise suite/wrappers/action_scale rl/control
utils/inverse_kinematics manipulation/manipulation entities/props/position_detector entities/props/primitive
entities/manipulators/kinova/kinova locomotion/walkers/ant locomotion/walkers/cmu_humanoid locomotion/walkers/scaled_actuators
locomotion/tasks/reach locomotion/tasks/go_to_target locomotion/arenas/bowl""".split()
MUJOCO = ("bindings_test", "rollout_test", "specs_test")
TASKS = """FetchPickAndPlace-v4 FetchPush-v4 FetchSlide-v4 HandReach-v3 HandManipulateBlock-v1 AdroitHandDoor-v1 AdroitHandHammer-v1
AdroitHandPen-v1 AdroitHandRelocate-v1 FrankaKitchen-v1 PointMaze_UMaze-v3 AntMaze_UMaze-v5 meta:pick-place-v3 meta:door-open-v3
meta:drawer-close-v3 meta:peg-insert-side-v3 meta:hammer-v3 robosuite:Lift robosuite:Stack robosuite:NutAssembly robosuite:Door
robosuite:TwoArmLift robosuite:Wipe""".split()
#: Most seconds of a test, and of a task's sixty steps.
LONGEST, TASK_SECONDS = 100, 300

#: Lets a process that runs tests import ``mujoco`` as stiction's, and find the data of MuJoCo's tests in MuJoCo's wheel.
PLUGIN = """
import os
if os.environ.get("USE_STICTION"):
    import importlib.util, pathlib, warnings
    warnings.simplefilter("ignore")
    wheel = pathlib.Path(importlib.util.find_spec("mujoco").origin).parent
    import stiction.mujoco
    stiction.mujoco.install()
    try:
        from etils import epath
    except ImportError:
        pass
    else:
        found = epath.resource_path
        epath.resource_path = lambda name: epath.Path(wheel) if name == "mujoco" else found(name)
"""

Outcomes = dict[str, tuple[str, str]]


def outcomes(file: pathlib.Path, with_stiction: bool) -> Outcomes:
    """Of every test of a file, how it ended and the last line of what it raised."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "others_plugin.py").write_text(PLUGIN, encoding="utf-8")
        paths = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
        env = {**os.environ, "MUJOCO_GL": "disable", "PYTHONPATH": paths, "COLUMNS": "400"}
        if with_stiction:
            env["USE_STICTION"] = "1"
        if file.parent.name == "mujoco":
            # In the wheel a test is a part of the package that is replaced.
            file = pathlib.Path(shutil.copy(file, folder))
        line = [sys.executable, "-m", "pytest", "-p", "others_plugin", "-q", "--timeout", str(LONGEST)]
        line += [str(file.resolve()), "--tb=line", "-rA", "-p", "no:cacheprovider"]
        out = subprocess.run(line, capture_output=True, text=True, env=env, cwd=folder, check=False).stdout
    tests: Outcomes = {}
    for row in out.splitlines():
        if m := re.match(r"(PASSED|FAILED|ERROR) (\S+?)(?: - (.*))?$", row):
            tests[m[2].split("::", 1)[-1]] = (m[1], m[3] or "")
    return tests


def compare(files: dict[str, pathlib.Path]) -> list[tuple[str, int, int, str]]:
    """For every file, how many tests pass there, how many of these here, and what stops most of the rest."""
    rows = []
    for name, file in files.items():
        theirs, ours = outcomes(file, False), outcomes(file, True)
        passed = [t for t, (ended, _) in theirs.items() if ended == "PASSED"]
        held = [t for t in passed if ours.get(t, ("", ""))[0] == "PASSED"]
        why = collections.Counter(re.sub(r"0x\w+|\d+", "#", ours.get(t, ("", "not collected"))[1])[:90] for t in passed if t not in held)
        first = "; ".join(f"{n} × {cause}" for cause, n in why.most_common(2))
        rows.append((name, len(passed), len(held), first.replace("stiction.mujoco._guard.", "").replace("|", "/")))
        print(f"{name:48} {len(held):5} of {len(passed):5}   {first}", flush=True)
    return rows


def task(which: str, name: str) -> None:
    """Sixty random steps of a task: the sum of rewards, and milliseconds of processor time a step."""
    warnings.simplefilter("ignore")
    os.environ["MUJOCO_GL"] = "disable"
    if which == "stiction":
        import stiction.mujoco

        stiction.mujoco.install()
    import numpy as np

    if name.startswith("robosuite:"):
        import robosuite

        arms = ["Panda", "Panda"] if "TwoArm" in name else "Panda"
        env = robosuite.make(
            name[10:], robots=arms, has_renderer=False, has_offscreen_renderer=False, use_camera_obs=False, ignore_done=True, seed=3
        )
        env.reset()
        low, high = env.action_spec
        draw = np.random.default_rng(3)

        def step() -> float:
            return float(env.step(draw.uniform(low, high))[1])
    else:
        import gymnasium
        import gymnasium_robotics

        gymnasium.register_envs(gymnasium_robotics)
        if name.startswith("meta:"):
            import metaworld  # noqa: F401

            env = gymnasium.make("Meta-World/MT1", env_name=name[5:], seed=3)
        else:
            env = gymnasium.make(name)
        env.reset(seed=3)
        env.action_space.seed(3)

        def step() -> float:
            return float(env.step(env.action_space.sample())[1])

    start = time.process_time()
    reward = sum(step() for _ in range(60))
    print(json.dumps({"reward": reward, "ms": (time.process_time() - start) / 60 * 1e3}))


def tasks() -> list[tuple[str, int, int, str]]:
    """For every task, whether it runs there and here."""
    rows = []
    for name in TASKS:
        ran, told = [], []
        for which in ("mujoco", "stiction"):
            line = [sys.executable, __file__, "task", which, name]
            try:
                done = subprocess.run(line, capture_output=True, text=True, timeout=TASK_SECONDS, check=False)
                answer = json.loads(done.stdout.splitlines()[-1])
                told.append(f"{answer['ms']:.1f} ms")
                ran.append(1)
            except subprocess.TimeoutExpired:
                told.append(f"more than {TASK_SECONDS} s")
                ran.append(0)
            except (IndexError, ValueError):
                told.append((done.stderr.strip().splitlines() or ["?"])[-1][:90].replace("|", "/"))
                ran.append(0)
        rows.append((name, ran[0], ran[0] * ran[1], f"a step: {told[0]} there, {told[1]} here"))
        print(f"{name:32} {rows[-1][3]}", flush=True)
    return rows


def page(part: str, rows: list[tuple[str, int, int, str]], path: pathlib.Path, write: bool) -> list[str]:
    """What the page says that no longer holds; with ``write`` the rows of a part are written into it."""
    start, end = f"<!-- {part} -->", f"<!-- end of {part} -->"
    text = path.read_text(encoding="utf-8")
    before, _, rest = text.partition(start)
    inner, _, after = rest.partition(end)
    said = {m[1]: int(m[2]) for m in re.finditer(r"^\| `([^`]+)` \| \d+ \| (\d+) \|", inner, re.M)}
    fewer = [f"{name}: {held} pass, the page says {said[name]}" for name, _, held, _ in rows if held < said.get(name, 0)]
    if write:
        total = f"| all | {sum(r[1] for r in rows)} | {sum(r[2] for r in rows)} | |"
        table = ["| what | MuJoCo | stiction | what stops most of the rest |", "|---|--:|--:|---|"]
        table += [f"| `{name}` | {there} | {here} | {why} |" for name, there, here, why in rows]
        path.write_text(f"{before}{start}\n" + "\n".join([*table, total]) + f"\n{end}{after}", encoding="utf-8")
        return []
    return fewer


def main() -> None:
    """A part."""
    if sys.argv[1:2] == ["task"]:
        task(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("tests", "dm_control", "tasks"))
    parser.add_argument("--files", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    if chosen.part == "tasks":
        rows = tasks()
    else:
        of = importlib.util.find_spec("mujoco" if chosen.part == "tests" else "dm_control")
        if of is None or of.origin is None:
            raise SystemExit(f"the rival of the part {chosen.part} is not installed")
        root = chosen.files or pathlib.Path(of.origin).parent
        names = MUJOCO if chosen.part == "tests" else [f"{name}_test" for name in DM]
        rows = compare({name: root / f"{name}.py" for name in names})
    print(f"{chosen.part}: {sum(r[2] for r in rows)} of {sum(r[1] for r in rows)}")
    # The tests of the wheel are others than those of a folder: each has its rows.
    table = "wheel" if chosen.part == "tests" and chosen.files is None else chosen.part
    fewer = page(table, rows, chosen.page, chosen.write) if chosen.page else []
    if fewer:
        raise SystemExit("\n".join(fewer))


if __name__ == "__main__":
    main()
