"""Tosses of the cube and of the two boxes on a hinge in MuJoCo, fitted and judged as ``stiction learn cube`` and ``elbow`` do.

    python crates/python/benchmarks/tosses_in_mujoco.py cube|elbow DIR [--splits N] [--train N] [--frames N] [--generations N]

The splits, the number that is minimised, the starts, the search (CMA-ES with as many generations) and the errors are those of the
command; MuJoCo has its default solver, an elliptic cone, and steps of an eighth of a frame. In place of restitution both numbers of
`solref` are looked for. Prints means over splits. Needs mujoco and numpy beside this package.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import mujoco
import numpy as np

from stiction.learn import CmaEs, shuffled

FRAME = 6.743e-3
PARTS = 8

ELBOW = """<body name="second" pos="-0.035 0.06 0"><joint name="hinge" axis="0 1 0"/>
<inertial pos="0.035 0 0" mass="0.37" diaginertia="6.167e-4 6.167e-4 6.167e-4"/>
<geom type="box" size="0.05 0.025 0.025" pos="0.035 0 0"/></body>"""
SCENE = """<mujoco><option timestep="{step}" cone="elliptic"/><worldbody><geom type="plane" size="0 0 1"/>
<body name="first" pos="0 0 1"><freejoint/><inertial pos="0 0 0" mass="0.37" diaginertia="{about}"/>
<geom type="box" size="{size}"/>{second}</body></worldbody></mujoco>"""

CONTACT = {"friction": (0.0, 0.8), "time": (2e-3, 0.06), "damping_ratio": (0.05, 3.0)}
WORLD = {"gravity": (9.2, 10.2), "table": (-0.006, 0.006)}
HINGE = {"hinge_friction": (0.0, 0.02), "hinge_damping": (0.0, 2e-3)}
KINDS = {
    "cube": {
        "model": SCENE.format(step=FRAME / PARTS, about="8.1e-4 " * 3, size="0.0524 " * 3, second=""),
        "gyration": 0.0468,
        "given": {"friction": 0.18, "time": 0.02, "damping_ratio": 1.0, "half": 0.0524, "gyration": 0.0468},
        "fits": {
            "contact-fit": CONTACT,
            "contact-and-shape-fit": CONTACT | WORLD | {"half": (0.047, 0.058), "gyration": (0.036, 0.056)},
        },
    },
    "elbow": {
        "model": SCENE.format(step=FRAME / PARTS, about="6.167e-4 " * 3, size="0.05 0.025 0.025", second=ELBOW),
        "gyration": 0.0408,
        "given": {
            "friction": 0.3, "time": 0.02, "damping_ratio": 1.0, "half_length": 0.05, "half_width": 0.025,
            "gyration_ratio": 1.0, "gyration_across": 0.0408, "hinge_friction": 0.0, "hinge_damping": 0.0,
        },
        "fits": {
            "contact-fit": CONTACT,
            "contact-and-hinge-fit": CONTACT | HINGE,
            "contact-and-shape-fit": CONTACT | WORLD | HINGE | {
                "half_length": (0.045, 0.056), "half_width": (0.021, 0.029),
                "gyration_ratio": (0.4, 1.4), "gyration_across": (0.02, 0.05),
            },
        },
    },
}  # fmt: skip


class Scene:
    """What is thrown, with its parameters set."""

    def __init__(self, kind: str) -> None:
        self.kind = KINDS[kind]
        self.model = mujoco.MjModel.from_xml_string(self.kind["model"])
        self.data = mujoco.MjData(self.model)

    def set(self, p: dict[str, float]) -> None:
        m = self.model
        p = self.kind["given"] | {"gravity": 9.81, "table": 0.0} | p
        m.geom_friction[:, 0] = p["friction"]
        m.geom_solref[:] = p["time"], p["damping_ratio"]
        m.opt.gravity[:] = 0.0, 0.0, -p["gravity"]
        m.geom_pos[0, 2] = p["table"]
        if "half" in p:
            m.geom_size[1] = p["half"]
            m.body_inertia[1] = 0.37 * p["gyration"] ** 2
        else:
            m.geom_size[1:] = p["half_length"], p["half_width"], p["half_width"]
            m.body_inertia[1:] = 0.37 * p["gyration_across"] ** 2 * np.array([p["gyration_ratio"] ** 2, 1.0, 1.0])
            m.dof_frictionloss[6], m.dof_damping[6] = p["hinge_friction"], p["hinge_damping"]
        mujoco.mj_setConst(m, self.data)

    def errors(self, toss: tuple[np.ndarray, np.ndarray], frames: int) -> tuple[float, float]:
        """Means over frames and bodies of distance [m] and angle [rad]."""
        m, d = self.model, self.data
        q, v = toss
        q = q[:frames]
        mujoco.mj_resetData(m, d)
        d.qpos, d.qvel = q[0], v
        d.qvel[2] += 0.5 * FRAME * m.opt.gravity[2]
        track = [q[0].copy()]
        for _ in range(len(q) - 1):
            mujoco.mj_step(m, d, PARTS)
            track.append(d.qpos.copy())
        found = [apart(a, b) for a, b in zip(bodies(np.array(track)), bodies(q), strict=True)]
        return tuple(np.mean(found, axis=0))


def turned(q: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Vectors r turned by quaternions q (n, 4)."""
    u = q[:, 1:]
    t = 2.0 * np.cross(u, np.broadcast_to(r, u.shape))
    return r + q[:, :1] * t + np.cross(u, t)


def bodies(q: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Positions (n, 3) and quaternions (n, 4) of the bodies."""
    at, turn = q[:, :3], q[:, 3:7]
    if q.shape[1] == 7:
        return [(at, turn)]
    c, s = np.cos(0.5 * q[:, 7]), np.sin(0.5 * q[:, 7])
    w, x, y, z = turn.T
    second = np.stack([c * w - s * y, c * x - s * z, c * y + s * w, c * z + s * x], axis=1)
    centre = at + turned(turn, np.array([-0.035, 0.06, 0.0])) + turned(second, np.array([0.035, 0.0, 0.0]))
    return [(at, turn), (centre, second)]


def apart(a: tuple[np.ndarray, np.ndarray], b: tuple[np.ndarray, np.ndarray]) -> tuple[float, float]:
    distance = np.linalg.norm(a[0] - b[0], axis=1)
    along = np.abs(np.sum(a[1] * b[1], axis=1)).clip(0.0, 1.0)
    return float(distance.mean()), float((2.0 * np.arccos(along)).mean())


def read(kind: str, folder: Path) -> list[tuple[np.ndarray, np.ndarray]]:
    """Positions (frames, nq) and first velocity (nv) of every toss."""
    angles = [["theta"], ["thetadot"]] if kind == "elbow" else [[], []]
    tosses = []
    for file in sorted(folder.glob(f"{kind}_toss_*.csv")):
        table = np.genfromtxt(file, delimiter=",", names=True)
        q = np.stack([table[n] for n in ["x", "y", "z", "qw", "qx", "qy", "qz", *angles[0]]], axis=1)
        v = np.stack([table[n] for n in ["vx", "vy", "vz", "wx", "wy", "wz", *angles[1]]], axis=1)
        starts = np.flatnonzero(table["k"] == 0)
        tosses += [(q[a:b], v[a]) for a, b in zip(starts, [*starts[1:], len(q)], strict=True)]
    return tosses


def fit(scene: Scene, ranges: dict[str, tuple[float, float]], tosses, frames: int, generations: int, seed: int):
    low, high = np.array(list(ranges.values())).T
    given = scene.kind["given"] | {"gravity": 9.81, "table": 0.0}
    start = (np.array([given[n] for n in ranges]) - low) / (high - low)

    def parameters(x):
        return dict(zip(ranges, low + np.clip(x, 0.0, 1.0) * (high - low), strict=True))

    def cost(x):
        scene.set(parameters(x))
        found = np.array([scene.errors(t, frames) for t in tosses])
        outside = np.sum((np.array(x) - np.clip(x, 0.0, 1.0)) ** 2)
        return float(np.mean(found[:, 0] + scene.kind["gyration"] * found[:, 1]) + outside)

    search = CmaEs(start.tolist(), 0.15, 0, seed)
    for _ in range(generations):
        search.tell([cost(x) for x in search.ask()])
    return parameters(search.mean)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("data", type=Path)
    for name, default in [("splits", 1), ("train", 60), ("frames", 120), ("generations", 30), ("seed", 1)]:
        parser.add_argument(f"--{name}", type=int, default=default)
    args = parser.parse_args()
    tosses = read(args.kind, args.data)
    scene = Scene(args.kind)
    rows: dict[str, list] = {}
    for split in range(args.splits):
        order = shuffled(len(tosses), args.seed + split)
        train, test = ([tosses[i] for i in part] for part in (order[: args.train], order[args.train :]))
        for name, ranges in {"mujoco-default": {}, **scene.kind["fits"]}.items():
            found = fit(scene, ranges, train, args.frames, args.generations, args.seed + split) if ranges else {}
            scene.set(found)
            errors = np.array([scene.errors(t, len(t[0])) for t in test])
            row = [*errors.mean(axis=0), *np.median(errors, axis=0)]
            rows.setdefault(name, []).append((row, found))
            print(split, name, np.round(row, 4), found, flush=True)
    print(f"{'model':24} position [m]     rotation [deg]   medians")
    for name, all_found in rows.items():
        row = np.array([r for r, _ in all_found])
        row[:, [1, 3]] = np.rad2deg(row[:, [1, 3]])
        (p, r, pm, rm), spread = row.mean(axis=0), row.std(axis=0)
        print(f"{name:24} {p:.4f} ± {spread[0]:.4f}  {r:5.1f} ± {spread[1]:.1f}     {pm:.4f}  {rm:.1f}")


if __name__ == "__main__":
    main()
