"""MuJoCo's numbers for an MJCF file, as one JSON object on standard output.

    python mujoco_references.py FILE --states N --seed S

Coordinates and velocities are in MuJoCo's order, which is stiction's. Exit status 3: MuJoCo itself
does not compile the file (its reason on standard error); 4: the model has more than 200 dofs.
"""

import argparse
import json
import sys

import mujoco
import numpy as np


def state_numbers(model, data, rng):
    q = model.qpos0.copy()
    mujoco.mj_integratePos(model, q, rng.normal(size=model.nv), 1.0)
    v, a = rng.normal(size=model.nv), rng.normal(size=model.nv)
    mujoco.mj_resetData(model, data)
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(model, data)
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    mujoco.mj_energyPos(model, data)
    mujoco.mj_energyVel(model, data)
    # M a + bias, without constraints, springs and dampers.
    torque = np.zeros(model.nv)
    data.qacc[:] = a
    mujoco.mj_rne(model, data, 1, torque)
    torque += model.dof_armature * a
    out = {
        "q": q.tolist(),
        "v": v.tolist(),
        "a": a.tolist(),
        "M": mass.tolist(),
        "bias": data.qfrc_bias.tolist(),
        "torque": torque.tolist(),
        "kinetic": data.energy[1],
        "potential": data.energy[0],
        "poses": [],
    }
    # Bodies driven by mocap stand where the file puts them.
    for b in range(1, model.nbody):
        pose = np.hstack([data.xmat[b].reshape(3, 3), data.xpos[b][:, None]])
        out["poses"].append(pose.tolist())
    return out


def through_sites(model, tendon):
    """Not a sum of joint coordinates."""
    first = model.wrap_type[model.tendon_adr[tendon]]
    return first != mujoco.mjtWrap.mjWRAP_JOINT


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--states", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    try:
        model = mujoco.MjModel.from_xml_path(args.file)
    except ValueError as error:
        print(error, file=sys.stderr)
        sys.exit(3)
    if model.nv > 200:
        print(f"{model.nv} degrees of freedom", file=sys.stderr)
        sys.exit(4)
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    # Not simulated by stiction, which says so when it reads the file: not in the potential energy either.
    for tendon in filter(lambda t: through_sites(model, t), range(model.ntendon)):
        model.tendon_stiffness[tendon] = 0.0
    data = mujoco.MjData(model)
    rng = np.random.default_rng(args.seed)
    json.dump(
        {
            "file": args.file,
            "witness": f"MuJoCo {mujoco.__version__}",
            "base": "mjcf",
            "nq": model.nq,
            "nv": model.nv,
            "masses": model.body_mass[1:].tolist(),
            "neutral": model.qpos0.tolist(),
            "states": [state_numbers(model, data, rng) for _ in range(args.states)],
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
