"""What MuJoCo's collision detection costs per pair of shapes, for the pairs of a JSON file.

    python mujoco_pairs.py PAIRS.json

Of every pair a scene holds COPIES copies, far apart, each an explicit `pair`, so that no other geometries are
compared; the second shape of each belongs to a free body of its own. What is timed is `mj_collision` on fixed
poses: its cheap filter and its narrow phase, several contacts of flat shapes included (multiccd). Prints one JSON object: of
every name the fastest time per pair [ns] and the number of contacts of one copy.
"""

import json
import sys
import time

import mujoco
import numpy as np

COPIES = 64
RUNS = 300
APART = 5.0  # [m]


def geom(name, shape, index):
    """MJCF of one geometry; meshes refer to the asset of the same name."""
    kind, size = shape["type"], shape["size"]
    kind = {"convex": "mesh"}.get(kind, kind)
    text = f'<geom name="{name}{index}" type="{kind}" contype="0" conaffinity="0" '
    if kind == "mesh":
        return text + f'mesh="{name}"/>'
    if kind == "plane":
        size = [1, 1, 1]
    return text + f'size="{" ".join(map(repr, size))}"/>'


def scene(pair, margin):
    """COPIES of a pair in a row along x."""
    assets = "".join(
        f'<mesh name="{name}" vertex="{" ".join(map(repr, pair[name]["size"]))}"/>'
        for name in "ab"
        if pair[name]["type"] == "convex"
    )
    p, q = pair["pose"][:3], pair["pose"][3:]
    bodies, pairs = [], []
    for i in range(COPIES):
        x = APART * i
        bodies.append(f'<body pos="{x} 0 0">{geom("a", pair["a"], i)}</body>')
        there = f'{p[0] + x!r} {p[1]!r} {p[2]!r}'
        turn = " ".join(map(repr, q))
        bodies.append(f'<body pos="{there}" quat="{turn}"><freejoint/>')
        bodies.append(f'<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>{geom("b", pair["b"], i)}</body>')
        pairs.append(f'<pair geom1="a{i}" geom2="b{i}" margin="{margin}"/>')
    # A compiler that moved meshes to their centre of mass would be right too: ours are there already.
    return (
        f'<mujoco><option><flag multiccd="enable"/></option><asset>{assets}</asset>'
        f'<worldbody>{"".join(bodies)}</worldbody><contact>{"".join(pairs)}</contact></mujoco>'
    )


def measure(pair, margin):
    model = mujoco.MjModel.from_xml_string(scene(pair, margin))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_collision(model, data)
    contacts = data.ncon / COPIES
    fastest = np.inf
    for _ in range(RUNS):
        started = time.perf_counter_ns()
        mujoco.mj_collision(model, data)
        fastest = min(fastest, time.perf_counter_ns() - started)
    return {"ns": fastest / COPIES, "points": contacts}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        task = json.load(file)
    results = {pair["name"]: measure(pair, task["margin"]) for pair in task["pairs"]}
    print(json.dumps({"mujoco": mujoco.__version__, "pairs": results}))


main()
