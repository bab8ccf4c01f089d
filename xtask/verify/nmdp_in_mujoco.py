"""Robosimian's jump and walk in MuJoCo, over the step: what stands beside the experiment `nmdp`.

    python nmdp_in_mujoco.py [--steps 0.001 0.005 0.02 0.05]

Our robot file and motions as they are, targets at the end of every step as in our scenes: positions p and velocities v
become controls p + kv/kp v, at which a servo exerts nothing on its way. Default contacts, elliptic cones, Newton's method;
the integrators Euler, implicitfast and discrete (with `discrete` MuJoCo 4's own scheme, where it has it). The torso starts
with a roll of 0.01 rad in jumps. Prints a line for every integrator and step: speed of the walk by least squares from 1 s on
[m/s], greatest height of the torso in the jumps [m], how far the jumps after the first differ [m], and its largest tilt
[rad]; `explodes` if a number leaves 10 m or stops being finite.
"""

import argparse
import tomllib

import mujoco
import numpy as np
from nmdp_figures import ROLL, SCENES, Motion, report


def run(scene, integrator, h, duration=10.0):
    """Time, x, z and tilt of the torso after every step; None if it explodes."""
    text = (SCENES / "robosimian.xml").read_text()
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.timestep, model.opt.integrator = h, integrator
    motion = Motion(tomllib.loads((SCENES / f"{scene}.toml").read_text())["motion"])
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    if scene.endswith("jump"):
        data.qpos[3:7] = [np.cos(ROLL / 2), np.sin(ROLL / 2), 0, 0]
    lead = -model.actuator_biasprm[:, 2] / model.actuator_gainprm[:, 0]
    out = []
    for k in range(round(duration / h)):
        p, v = motion.at((k + 1) * h)
        data.ctrl[:] = p + lead * v
        mujoco.mj_step(model, data)
        q = data.qpos
        if not np.all(np.isfinite(q)) or np.abs(q).max() > 10:
            return None
        out.append([(k + 1) * h, q[0], q[2], np.arccos(np.clip(1 - 2 * (q[4] ** 2 + q[5] ** 2), -1, 1))])
    return np.array(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=float, nargs="+", default=[0.001, 0.002, 0.005, 0.01, 0.02, 0.025, 0.05])
    steps = parser.parse_args().steps
    kinds = {"Euler": "mjINT_EULER", "implicitfast": "mjINT_IMPLICITFAST", "discrete": "mjINT_DISCRETE"}
    print(f"MuJoCo {mujoco.__version__}")
    for name, kind in kinds.items():
        integrator = getattr(mujoco.mjtIntegrator, kind, None)
        if integrator is None:
            print(f"{name}: this MuJoCo has no such integrator")
            continue
        for h in steps:
            walk, jump = run("robosimian-walk", integrator, h), run("robosimian-jump", integrator, h)
            report(f"{name} {1e3 * h:g} ms", walk, jump)


if __name__ == "__main__":
    main()
