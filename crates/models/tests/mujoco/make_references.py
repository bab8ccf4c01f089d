"""Writes references.json: what MuJoCo makes of the files in features/.

Needs mujoco 4.0.0 (pip install mujoco==4.0.0). Run: python make_references.py
"""

import json
import pathlib

import mujoco
import numpy as np

HERE = pathlib.Path(__file__).parent


def mass_matrix(model, data):
    """[row, column, value] of the entries of M on and below the diagonal that are not 0."""
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    return [[int(i), int(j), M[i, j]] for i, j in zip(*np.nonzero(M)) if i >= j]


def state(model, q, v):
    """M, bias, sites, tendons and shapes at one state, without contacts and limits."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(model, data)
    return {
        "qpos": data.qpos.tolist(),
        "qvel": data.qvel.tolist(),
        "M": mass_matrix(model, data),
        "bias": data.qfrc_bias.tolist(),
        "sites": data.site_xpos.tolist(),
        "tendon_length": data.ten_length.tolist(),
        "geom_pos": data.geom_xpos.tolist(),
        "geom_mat": data.geom_xmat.tolist(),
        "gravcomp": data.qfrc_gravcomp.tolist(),
    }


def reference(path):
    """Everything that the test compares."""
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    random = np.random.default_rng(7)
    states = [state(model, model.qpos0, np.zeros(model.nv))]
    for _ in range(2):
        q = model.qpos0.copy()
        mujoco.mj_integratePos(model, q, random.normal(size=model.nv), 0.5)
        states.append(state(model, q, random.normal(size=model.nv)))

    def names(count, get):
        return [get(i).name for i in range(count)]

    first = lambda a: a.reshape(len(a), -1)[:, 0].tolist() if len(a) else []
    return {
        "nq": model.nq,
        "nv": model.nv,
        "timestep": model.opt.timestep,
        "gravity": model.opt.gravity.tolist(),
        "bodies": names(model.nbody, model.body)[1:],
        "body_mass": model.body_mass[1:].tolist(),
        "joints": names(model.njnt, model.joint),
        "joint_range": model.jnt_range.tolist(),
        "joint_limited": model.jnt_limited.tolist(),
        "joint_stiffness": first(model.jnt_stiffness),
        "joint_spring": [model.qpos_spring[a] for a in model.jnt_qposadr],
        "dof_damping": first(model.dof_damping),
        "dof_armature": model.dof_armature.tolist(),
        "dof_frictionloss": model.dof_frictionloss.tolist(),
        "geoms": names(model.ngeom, model.geom),
        "geom_type": [mujoco.mjtGeom(t).name[7:].lower() for t in model.geom_type],
        "geom_size": model.geom_size.tolist(),
        "geom_friction": model.geom_friction.tolist(),
        "sites": names(model.nsite, model.site),
        "tendons": names(model.ntendon, model.tendon),
        "actuators": names(model.nu, model.actuator),
        "actuator_gain": model.actuator_gainprm[:, :3].tolist(),
        "actuator_bias": model.actuator_biasprm[:, :3].tolist(),
        "actuator_gear": model.actuator_gear.tolist(),
        "actuator_control": np.where(
            model.actuator_ctrllimited[:, None], model.actuator_ctrlrange, np.nan
        ).tolist(),
        "actuator_force": np.where(
            model.actuator_forcelimited[:, None], model.actuator_forcerange, np.nan
        ).tolist(),
        "sensors": names(model.nsensor, model.sensor),
        "pairs": names(model.npair, model.pair),
        "pair_friction": model.pair_friction.tolist(),
        "pair_margin": model.pair_margin.tolist(),
        "pair_gap": model.pair_gap.tolist(),
        "pair_dim": model.pair_dim.tolist(),
        "pair_solref": model.pair_solref.tolist(),
        "pair_solimp": model.pair_solimp.tolist(),
        "excludes": model.nexclude,
        "equalities": model.neq,
        "keys": [{"name": model.key(i).name, "qpos": model.key_qpos[i].tolist(), "qvel": model.key_qvel[i].tolist(),
                  "ctrl": model.key_ctrl[i].tolist()} for i in range(model.nkey)],
        "hfield_heights": (model.hfield_data * (model.hfield_size[0, 2] if model.nhfield else 1)).tolist(),
        "states": states,
    }


def without_nan(value):
    """JSON has no NaN."""
    if isinstance(value, dict):
        return {k: without_nan(v) for k, v in value.items()}
    if isinstance(value, list):
        return [without_nan(v) for v in value]
    return None if isinstance(value, float) and value != value else value


if __name__ == "__main__":
    assert mujoco.__version__ == "4.0.0", mujoco.__version__
    files = sorted(p for p in (HERE / "features").glob("*.xml") if p.name != "child.xml")
    found = {p.stem: without_nan(reference(p)) for p in files}
    text = ",\n".join(f'"{name}": {json.dumps(value, separators=(",", ":"))}' for name, value in found.items())
    (HERE / "references.json").write_text("{\n" + text + "\n}\n")
