"""Grasps in tasks of others: robosuite's Lift, Stack and NutAssembly, and Fetch pick-and-place, by MuJoCo and by this package.

    python crates/python/benchmarks/grasps.py [--seeds N] [--tasks NAME ...] [--page docs/grasps.md --picture docs/grasps.svg]

A script that knows where things are takes an object, lifts it, shakes it, holds it still for five seconds, and puts it down where
the task wants it. The tasks are the published ones, unchanged: `stiction.mujoco.install()` makes `import mujoco` mean this package.
What the object moves along the pads is measured in axes of the hand. Prints a row for each task and each law, or writes the rows
and the picture into a page. Needs robosuite 1.5, gymnasium-robotics 1.4 and MuJoCo 3.3 beside this package.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import pathlib
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

#: What steps: MuJoCo itself, and this package by contact solver.
LAWS = ("MuJoCo", "mujoco", "auto")
TASKS = ("Lift", "Stack", "NutAssembly", "NutAssembly, farther out", "FetchPickAndPlace")
#: Heights of a lift, half the width of a shake [m], and seconds of holding still, of which the last are judged for creep.
LIFTED, SHAKEN, STILL, JUDGED = 0.2, 0.08, 5.0, 4.0
#: An object is dropped where its centre is farther than this from where it was in the hand [m].
DROPPED = 0.03
#: How far from its centre a nut is held: at the site of its handle, where a finger is a quarter of a millimetre from the nut's
#: wall, and farther out [m].
HANDLES = {"NutAssembly": 0.054, "NutAssembly, farther out": 0.062}
#: What is to be put down hangs over its place at this height before it goes down [m]: a nut clears its peg.
ABOVE = 0.13

Pose = tuple[np.ndarray, np.ndarray]
Wish = tuple[np.ndarray, float, bool, int]


class Robosuite:
    """A task of robosuite with one Panda, whose hand goes where it is told by small steps, pointing down."""

    frequency = 20

    def __init__(self, name: str, seed: int, law: str) -> None:
        import robosuite

        # What the task places and shapes at random without a generator of its own.
        np.random.seed(seed)  # noqa: NPY002
        kinds = {"nut_type": "square", "single_object_mode": 2} if name in HANDLES else {}
        self.env = robosuite.make(
            name.partition(",")[0], robots="Panda", has_renderer=False, has_offscreen_renderer=False, use_camera_obs=False,
            ignore_done=True, seed=seed, **kinds,
        )  # fmt: skip
        self.env.reset()
        self.name, self.model, self.data = name, self.env.sim.model, self.env.sim.data
        set_law(self.model._model, law)
        self.hand = self.model.body_name2id("gripper0_right_eef")
        self.arm = self.env.robots[0]
        kept = {"Lift": "cube", "Stack": "cubeA"}.get(name)
        self.held = self.env.obj_body_id["SquareNut"] if kept is None else getattr(self.env, f"{kept}_body_id")

    def pose(self, body: int) -> Pose:
        return np.array(self.data.body_xpos[body]), np.array(self.data.body_xmat[body]).reshape(3, 3)

    def hand_pose(self) -> Pose:
        """The pose of the hand, whose first axis is that along which it closes."""
        return self.pose(self.hand)

    def object_pose(self) -> Pose:
        return self.pose(self.held)

    def to_grasp(self) -> tuple[np.ndarray, float]:
        """Where the hand is to close, and the angle of the axis along which it does."""
        at, turn = self.object_pose()
        if self.name in HANDLES:
            return at + turn @ (HANDLES[self.name], 0.0, 0.0), nearest(heading(turn[:, 1]), heading(self.hand_pose()[1][:, 0]), np.pi)
        return at, nearest(heading(turn[:, 0]), heading(self.hand_pose()[1][:, 0]), np.pi / 2)

    def to_place(self) -> tuple[np.ndarray, float] | None:
        """Where the object is to be let go, and by which angle it is turned there; nowhere in Lift."""
        if self.name == "Lift":
            return None
        turn = heading(self.object_pose()[1][:, 0])
        if self.name == "Stack":
            at, axes = self.pose(self.env.cubeB_body_id)
            return at + (0.0, 0.0, 0.047), nearest(heading(axes[:, 0]), turn, np.pi / 2)
        peg = np.array(self.data.body_xpos[self.env.peg1_body_id])
        return np.array([*peg[:2], self.env.table_offset[2] + 0.03]), nearest(0.0, turn, np.pi / 2)

    def step(self, to: np.ndarray, angle: float, closed: bool) -> None:
        at, axes = self.hand_pose()
        x, z = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([0.0, 0.0, -1.0])
        wanted = np.stack([x, np.cross(z, x), z], axis=1)
        move = np.concatenate([(to - at) / 0.05, 2.0 * rotation_vector(wanted @ axes.T)])
        self.env.step(np.array([*np.clip(move, -1.0, 1.0), 1.0 if closed else -1.0]))

    def succeeded(self) -> bool:
        return bool(self.env._check_success())


class Fetch:
    """Pick-and-place of gymnasium-robotics, whose hand points down and is moved by a weld."""

    frequency = 25

    def __init__(self, name: str, seed: int, law: str) -> None:
        import gymnasium
        import gymnasium_robotics

        gymnasium.register_envs(gymnasium_robotics)
        self.env = gymnasium.make("FetchPickAndPlace-v4", max_episode_steps=10_000).unwrapped
        set_law(self.env.model, law)
        self.env.reset(seed=seed)
        self.data, names = self.env.data, self.env._model_names
        self.hand, self.held = names.body_name2id["robot0:gripper_link"], names.body_name2id["object0"]

    def hand_pose(self) -> Pose:
        axes = np.array(self.data.xmat[self.hand]).reshape(3, 3)
        return np.array(self.data.site("robot0:grip").xpos), axes[:, [1, 2, 0]]

    def object_pose(self) -> Pose:
        return np.array(self.data.xpos[self.held]), np.array(self.data.xmat[self.held]).reshape(3, 3)

    def to_grasp(self) -> tuple[np.ndarray, float]:
        return self.object_pose()[0], 0.0

    def to_place(self) -> tuple[np.ndarray, float]:
        return np.array(self.env.goal), heading(self.object_pose()[1][:, 0])

    def step(self, to: np.ndarray, angle: float, closed: bool) -> None:
        move = np.clip((to - self.hand_pose()[0]) / 0.05, -1.0, 1.0)
        self.env.step(np.array([*move, -1.0 if closed else 1.0], np.float32))

    def succeeded(self) -> bool:
        return bool(self.env._is_success(self.object_pose()[0], self.env.goal))


def set_law(model: Any, law: str) -> None:
    """Gives a model the law of contact; MuJoCo has one."""
    if law != "MuJoCo":
        model.contact = law


def heading(axis: np.ndarray) -> float:
    """The angle of a vector about the vertical."""
    return float(np.arctan2(axis[1], axis[0]))


def nearest(angle: float, to: float, period: float) -> float:
    """The angle that is the same but for whole periods, nearest to another."""
    return to + (angle - to + period / 2) % period - period / 2


def rotation_vector(r: np.ndarray) -> np.ndarray:
    """Axis times angle of a rotation of less than half a turn."""
    axis = 0.5 * np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    sine = float(np.linalg.norm(axis))
    return axis * (np.arctan2(sine, 0.5 * (np.trace(r) - 1.0)) / sine) if sine > 1e-12 else axis


def grasp(task: Robosuite | Fetch) -> Iterator[Wish]:
    """Before the lift: where the hand is to be, how turned, whether closed, and for how many steps."""
    second = task.frequency
    at, angle = task.to_grasp()
    yield at + (0.0, 0.0, 0.1), angle, False, 2 * second
    at, angle = task.to_grasp()
    yield at, angle, False, 2 * second
    yield task.hand_pose()[0], angle, True, second


def hold(task: Robosuite | Fetch) -> Iterator[Wish]:
    """Lifts, shakes to both sides, and holds still."""
    second = task.frequency
    at, axes = task.hand_pose()
    angle, up = heading(axes[:, 0]), at + (0.0, 0.0, LIFTED)
    yield up, angle, True, 2 * second
    for side in (1, -1, 1, -1, 1, -1):
        yield up + (0.0, side * SHAKEN, 0.0), angle, True, second // 2
    yield up, angle, True, second + int(STILL * second)


def place(task: Robosuite | Fetch) -> Iterator[Wish]:
    """Brings the object to its place, and lets it go there where the task is to leave it."""
    goal = task.to_place()
    if goal is None:
        return
    second = task.frequency
    to, turned = goal
    for above, steps in ((ABOVE, 4), (ABOVE, 2), (0.0, 3)):
        at, axes = task.hand_pose()
        now, own = task.object_pose()
        by = turned - heading(own[:, 0])
        c, s = np.cos(by), np.sin(by)
        arm = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ (at - now)
        above = 0.0 if isinstance(task, Fetch) else above
        yield to + arm + (0.0, 0.0, above), heading(axes[:, 0]) + by, True, steps * second
    if isinstance(task, Robosuite):
        at, angle = task.hand_pose()[0], heading(task.hand_pose()[1][:, 0])
        yield at, angle, False, second
        yield at + (0.0, 0.0, 0.12), angle, False, 2 * second


def in_hand(task: Robosuite | Fetch) -> Pose:
    """The object in axes of the hand."""
    (at, axes), (place_, own) = task.hand_pose(), task.object_pose()
    return axes.T @ (place_ - at), axes.T @ own


def grasp_once(name: str, law: str, seed: int) -> dict[str, Any]:
    """One episode: what the object moves along the pads, in mm, at every control step of the hold."""
    kind = Fetch if name.startswith("Fetch") else Robosuite
    task = kind(name, seed, law)
    steps, begun = 0, time.process_time()
    first: Pose | None = None
    slips: list[float] = []
    turns: list[float] = []
    for phase in (grasp, hold, place):
        if phase is hold:
            first = in_hand(task)
        for to, angle, closed, count in phase(task):
            for _ in range(count):
                task.step(to, angle, closed)
                steps += 1
                if phase is hold and first is not None:
                    at, own = in_hand(task)
                    # Along the first axis fingers close: what moves there follows them.
                    slips.append(1e3 * float(np.linalg.norm((at - first[0])[1:])))
                    turns.append(float(np.degrees(np.linalg.norm(rotation_vector(own @ first[1].T)))))
    spent = (time.process_time() - begun) / steps * 1e3
    judged = int(JUDGED * task.frequency)
    rate = float(np.polyfit(np.arange(judged) / task.frequency, slips[-judged:], 1)[0])
    return {
        "seed": seed, "dropped": slips[-1] > 1e3 * DROPPED, "slip": slips[-1], "largest": max(slips), "rate": abs(rate),
        "turn": turns[-1], "success": task.succeeded(), "ms": spent, "slips": slips, "frequency": task.frequency,
    }  # fmt: skip


def episodes(name: str, law: str, seeds: int) -> None:
    """Prints a line for each episode."""
    warnings.simplefilter("ignore")
    logging.disable()
    os.environ["MUJOCO_GL"] = "disable"
    if law != "MuJoCo":
        import stiction.mujoco

        stiction.mujoco.install()
    for seed in range(seeds):
        print(json.dumps(grasp_once(name, law, seed)), flush=True)


def gathered(names: list[str], seeds: int) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """The episodes of every task under every law, each of which has a process of its own."""
    found = {}
    for name in names:
        for law in LAWS:
            line = [sys.executable, __file__, "--episodes", name, law, "--seeds", str(seeds)]
            out = subprocess.run(line, capture_output=True, text=True, check=False)
            if out.returncode:
                raise SystemExit(f"{name} under {law}: {out.stderr[-2000:]}")
            found[name, law] = [json.loads(row) for row in out.stdout.splitlines() if row.startswith("{")]
            print(row_of(name, law, found[name, law]), flush=True)
    return found


def row_of(name: str, law: str, runs: list[dict[str, Any]]) -> str:
    """A row of the table: of what is not dropped medians, and the largest in brackets."""
    held = [r for r in runs if not r["dropped"]]

    def told(key: str) -> str:
        values = [r[key] for r in held]
        return f"{np.median(values):.2g} ({max(values):.2g})" if values else "–"

    counts = f"{sum(r['dropped'] for r in runs)} of {len(runs)}", f"{sum(r['success'] for r in runs)} of {len(runs)}"
    cells = [name, law if law == "MuJoCo" else f"`{law}`", *counts, told("slip"), told("rate"), told("turn")]
    return "| " + " | ".join([*cells, f"{np.median([r['ms'] for r in runs]):.1f}"]) + " |"


COLOURS = {"MuJoCo": "#c05621", "mujoco": "#805ad5", "auto": "#2b6cb0"}
WIDE, HIGH, GAP = 300, 150, 60


def picture(found: dict[tuple[str, str], list[dict[str, Any]]]) -> str:
    """A panel for each task: the slip in the hand over time, the median of the seeds and what lies between quarters of them."""
    names = list(dict.fromkeys(name for name, _ in found))
    parts = []
    for k, name in enumerate(names):
        left, top = 45 + (k % 2) * (WIDE + GAP), 50 + (k // 2) * (HIGH + 55)
        parts.append(panel(name, {law: found[name, law] for law in LAWS if (name, law) in found}, left, top))
    size = f"{2 * WIDE + GAP + 60} {50 + (len(names) + 1) // 2 * (HIGH + 55)}"
    texts = "MuJoCo", "MuJoCo’s law here", "exact law here (auto)"
    legend = [f'<text x="{45 + 160 * i}" y="20" fill="{COLOURS[law]}">{text}</text>' for i, (law, text) in enumerate(zip(LAWS, texts))]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" font-family="sans-serif" font-size="12">'
    return "\n".join([head, *legend, *parts, "</svg>"]) + "\n"


def panel(name: str, runs: dict[str, list[dict[str, Any]]], left: int, top: int) -> str:
    """One task, on a scale of tenths: from a thousandth of a millimetre to a hundred."""
    low, high = 1e-3, 1e2
    lines = [f'<path d="M{left} {top}V{top + HIGH}H{left + WIDE}" fill="none" stroke="#888"/>']
    lines.append(f'<text x="{left}" y="{top - 8}" fill="#888">{name}: slip in the hand [mm]</text>')
    for power in range(-3, 3):
        y = top + HIGH * (1 - (power + 3) / 5)
        lines.append(f'<text x="{left - 6}" y="{y + 4:.0f}" text-anchor="end" fill="#888">{10.0**power:g}</text>')
    for law, all_runs in runs.items():
        table = np.clip([r["slips"] for r in all_runs], low, high)[:, ::4]
        x = left + WIDE * np.arange(table.shape[1]) / (table.shape[1] - 1)
        ways = [top + HIGH * (1 - (np.log10(np.quantile(table, share, axis=0)) + 3) / 5) for share in (0.25, 0.5, 0.75)]
        band = [*zip(x, ways[0], strict=True), *reversed([*zip(x, ways[2], strict=True)])]
        lines.append(f'<polygon points="{points(band)}" fill="{COLOURS[law]}" fill-opacity="0.2"/>')
        # What is nearly MuJoCo's would hide it.
        dashed = ' stroke-dasharray="6 5"' if law == "mujoco" else ""
        middle = points(zip(x, ways[1], strict=True))
        lines.append(f'<polyline points="{middle}" fill="none" stroke="{COLOURS[law]}" stroke-width="2"{dashed}/>')
        end = len(all_runs[0]["slips"]) / all_runs[0]["frequency"]
    lines.append(f'<text x="{left}" y="{top + HIGH + 16}" fill="#888">lift</text>')
    for at, word in ((2.0, "shake"), (5.0, f"still, to {end:.0f} s")):
        x_ = left + WIDE * at / end
        lines.append(f'<path d="M{x_:.0f} {top}v{HIGH}" stroke="#888" stroke-dasharray="2 4"/>')
        lines.append(f'<text x="{x_:.0f}" y="{top + HIGH + 16}" fill="#888">{word}</text>')
    return "\n".join(lines)


def points(pairs: Any) -> str:
    return " ".join(f"{x:.0f},{y:.1f}" for x, y in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", nargs=2, metavar=("TASK", "LAW"), help="one task under one law, a line for each seed")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--page", type=pathlib.Path, help="the page whose rows are written")
    parser.add_argument("--picture", type=pathlib.Path)
    args = parser.parse_args()
    if args.episodes:
        episodes(*args.episodes, args.seeds)
        return
    found = gathered(args.tasks, args.seeds)
    if args.picture:
        args.picture.write_text(picture(found), encoding="utf-8")
    if args.page:
        rows = "\n".join(row_of(*key, runs) for key, runs in found.items())
        text = args.page.read_text(encoding="utf-8")
        before, _, rest = text.partition("<!-- rows -->\n")
        _, mark, after = rest.partition("<!-- end of rows -->")
        args.page.write_text(f"{before}<!-- rows -->\n{HEAD}\n{rows}\n{mark}{after}", encoding="utf-8")


HEAD = """| task | stepped by | dropped | task done | slip in the hand [mm] | creep at rest [mm/s] | turn in the hand [°] | ms a step |
|---|---|--:|--:|--:|--:|--:|--:|"""

if __name__ == "__main__":
    main()
