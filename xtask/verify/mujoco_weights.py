"""How deep random robots lie on a plane under the law `mujoco`, here and in MuJoCo: the test of the weights of soft rows.

    python mujoco_weights.py STICTION [--trees N] [--seed S]

STICTION is the command. Every tree has one to five joints (hinges, slides, balls, a free one) with springs and dampers, links
welded to links, armatures, and an end on the ground without friction; two thirds have a connection, a weld or a coupled pair
of joints, too. Springs make the place of rest one; both simulate 6 s towards it, and trees that still move then are left out.
Prints the trees whose places of rest differ by more than 1e-8 m or rad, 5e-8 where there is a weld (of which MuJoCo takes
the sine of half the angle), and the largest difference of the others. Exit status 1 if there are any of the former. Needs
mujoco.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import mujoco
import numpy as np

TIME, STEP, STILL = 6.0, 1e-3, 1e-9
SAME, SAME_WELD = 1e-8, 5e-8


def joint(rng, name):
    kind = rng.choice(["hinge", "hinge", "slide", "ball"])
    axis = rng.choice(["1 0 0", "0 1 0", "0 0 1", "0.6 0 0.8"])
    armature = rng.choice([0.0, 0.0, 0.05])
    limit = ' range="-0.05 0.4" limited="true"' if kind == "hinge" and rng.random() < 0.3 else ""
    return kind, (
        f'<joint name="{name}" type="{kind}" axis="{axis}" stiffness="{rng.uniform(20, 60):.3f}" '
        f'damping="{rng.uniform(4, 8):.3f}" armature="{armature}"{limit}/>'
    )


def tree(rng):
    """The text of a robot, and the kinds of its joints."""
    n, kinds, names, text, close = rng.integers(1, 6), [], [], "", ""
    for i in range(n):
        at = "0 0 0.3" if i == 0 else f"{rng.uniform(0.1, 0.3):.3f} {rng.uniform(-0.1, 0.1):.3f} 0"
        if i == 0 and rng.random() < 0.2:
            kind, j = "free", '<freejoint name="j0"/>'
            at = "0 0 0.1"
        else:
            kind, j = joint(rng, f"j{i}")
        kinds.append(kind)
        names.append(f"b{i}")
        com = "0 0 0" if rng.random() < 0.5 else f"{rng.uniform(0, 0.1):.3f} 0 {rng.uniform(-0.05, 0.05):.3f}"
        m = rng.uniform(0.2, 2.0)
        text += (
            f'<body name="b{i}" pos="{at}">{j}<inertial pos="{com}" mass="{m:.4f}" '
            f'diaginertia="{0.01 * m:.6f} {0.012 * m:.6f} {0.008 * m:.6f}"/>'
        )
        if rng.random() < 0.25:
            text += (
                '<body pos="0.05 0 0"><inertial pos="0 0 0.02" mass="0.3" diaginertia="0.001 0.001 0.001"/>'
                '<geom type="sphere" size="0.02" pos="0 0 -0.05" contype="0" conaffinity="0" mass="0"/></body>'
            )
        close += "</body>"
    # The last link lies on the ground.
    text += f'<geom type="sphere" size="0.1" pos="0 0 {-0.2 if kinds[0] != "free" else 0.0}" condim="1" mass="0"/>'
    equality = ""
    scalar = [i for i, k in enumerate(kinds) if k in ("hinge", "slide")]
    which = rng.integers(3)
    if which == 1:
        equality = f'<connect body1="{names[-1]}" anchor="0.02 0.01 0"/>'
        if rng.random() < 0.5:
            equality = f'<weld body1="{names[-1]}"/>'
    elif which == 2 and len(scalar) > 1:
        equality = f'<joint joint1="j{scalar[0]}" joint2="j{scalar[-1]}" polycoef="0 0.7 0 0 0"/>'
    xml = (
        f'<mujoco><option timestep="{STEP}" cone="elliptic"/><worldbody><geom type="plane" size="5 5 1" condim="1"/>'
        f"{text}{close}</worldbody><equality>{equality}</equality></mujoco>"
    )
    return xml, kinds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stiction")
    parser.add_argument("--trees", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    worst, wrong, rest = 0.0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tree.xml"
        for k in range(args.trees):
            xml, kinds = tree(np.random.default_rng([args.seed, k]))
            path.write_text(xml)
            model = mujoco.MjModel.from_xml_string(xml)
            model.opt.tolerance, model.opt.iterations = 0.0, 200
            data = mujoco.MjData(model)
            for _ in range(round(TIME / STEP)):
                mujoco.mj_step(model, data)
            command = [args.stiction, "run", str(path), "--contact", "mujoco", "--tolerance", "1e-12", "--json"]
            done = subprocess.run([*command, "--duration", str(TIME)], capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"tree {k}: {done.stderr.strip()[-300:]}")
                wrong += 1
                continue
            speed = np.abs(data.qvel).max()
            if speed > STILL:
                continue
            rest += 1
            q = np.array(json.loads(done.stdout)["final"]["q"])
            off = np.abs(q - data.qpos).max()
            if off > (SAME_WELD if "<weld" in xml else SAME):
                wrong += 1
                print(f"tree {k} ({' '.join(kinds)}): {off:.1e}\n{xml}")
            else:
                worst = max(worst, off)
    print(f"{rest} of {args.trees} trees came to rest; {wrong} differ; the others by {worst:.1e} at most")
    sys.exit(bool(wrong))


main()
