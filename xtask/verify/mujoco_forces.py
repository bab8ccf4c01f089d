"""MuJoCo's own constraint problems of an MJCF file and its forces, one JSON object per line.

    python mujoco_forces.py FILE --states N --seed S

Every line is a problem file of stiction with `primal`, `softness` and MuJoCo's impulses as `reference`.
States come from short simulations that random configurations and velocities start. Contacts of dimension
4 and 6 are lowered to 3. Constraints between things that cannot move are left out: of their forces, which
move nothing, no residual of a velocity can tell. States are passed over that have blown up, and those with
a compliance so small that rounding of a velocity is a large force (connections of weights of 1e-14). Impedance and reference are left to stiction, but for connections and welds,
whose rows share one impedance: there K, B and d are handed over as such. Exit status 3: MuJoCo does not
compile the file; 4: the model has more than 200 dofs; 5: no state has constraints.
"""

import argparse
import json
import sys

import mujoco
import numpy as np

(EQUALITY, FRICTION_DOF, FRICTION_TENDON, LIMIT_JOINT, LIMIT_TENDON, FRICTIONLESS, PYRAMIDAL, ELLIPTIC) = range(8)
MOST_ROWS = 400
FASTEST = 1e6  # m/s, rad/s
FIRMEST = 1e-12  # compliance over the diagonal of G


def prepare(model, rng):
    opt = model.opt
    opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    opt.tolerance, opt.ls_tolerance = 0.0, 1e-12
    opt.iterations, opt.ls_iterations = 200, 200
    opt.noslip_iterations = 0
    opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_REFSAFE)
    opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND) | int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    model.geom_condim[:] = np.minimum(model.geom_condim, 3)
    if model.npair:
        model.pair_dim[:] = np.minimum(model.pair_dim, 3)
    opt.cone = rng.integers(2)
    opt.impratio = [1.0, 1.0, 10.0][rng.integers(3)]


def jacobian(model, data):
    n, nv = data.nefc, model.nv
    if not mujoco.mj_isSparse(model) and data.efc_J.size == n * nv:
        return data.efc_J.reshape(n, nv).copy()
    dense = np.zeros((n, nv))
    for i in range(n):
        at, count = data.efc_J_rowadr[i], data.efc_J_rownnz[i]
        dense[i, data.efc_J_colind[at : at + count]] = data.efc_J[at : at + count]
    return dense


def csr(dense):
    start, column, value = [0], [], []
    for row in dense:
        for j in np.flatnonzero(row):
            column.append(int(j))
            value.append(float(row[j]))
        start.append(len(value))
    return {"start": start, "column": column, "value": value}


class Skip(Exception):
    pass


def scalar_parameters(model, data, i):
    """solref, solimp of a scalar row."""
    kind, which = data.efc_type[i], data.efc_id[i]
    if kind == FRICTION_DOF:
        return model.dof_solref[which], model.dof_solimp[which]
    if kind == FRICTION_TENDON:
        return model.tendon_solref_fri[which], model.tendon_solimp_fri[which]
    if kind == LIMIT_JOINT:
        return model.jnt_solref[which], model.jnt_solimp[which]
    if kind == LIMIT_TENDON:
        return model.tendon_solref_lim[which], model.tendon_solimp_lim[which]
    if kind == EQUALITY:
        if model.eq_type[which] in (int(mujoco.mjtEq.mjEQ_JOINT), int(mujoco.mjtEq.mjEQ_TENDON)):
            return model.eq_solref[which], model.eq_solimp[which]
        k, b, d, _ = data.efc_KBIP.reshape(-1, 4)[i]
        return np.array([-k * d * d, -b * d]), np.array([d, d, 0.0, 0.5, 2.0])
    contact = data.contact[which]
    return contact.solref, contact.solimp


def weight(model, contact):
    bodies = [model.geom_bodyid[g] if g >= 0 else 0 for g in contact.geom]
    return sum(model.body_invweight0[b, 0] for b in bodies)


def problem(model, data, name):
    n, h = data.nefc, model.opt.timestep
    if n > MOST_ROWS:
        raise Skip("rows")
    J = jacobian(model, data)
    # Not efc_vel, which knows of surfaces that move.
    vel, pos, aref = J @ data.qvel, data.efc_pos, data.efc_aref
    kbip = data.efc_KBIP.reshape(-1, 4)
    # What the reference holds beyond position and velocity: the derivative of J, surfaces that move.
    extra = aref + kbip[:, 1] * vel + kbip[:, 0] * kbip[:, 2] * (pos - data.efc_margin)
    force = data.efc_force * h

    contacts, scalars, i = [], [], 0
    while i < n:
        kind = data.efc_type[i]
        material = {"impratio": float(model.opt.impratio), "margin": float(data.efc_margin[i])}
        solref, solimp = scalar_parameters(model, data, i)
        material["solref"], material["solimp"] = solref.tolist(), solimp.tolist()
        softness = {"gap": float(pos[i]), "material": material}
        if kind in (ELLIPTIC, PYRAMIDAL):
            contact = data.contact[data.efc_id[i]]
            mu = contact.friction[0]
            if contact.dim != 3 or contact.friction[1] != mu:
                raise Skip("anisotropic or rolling")
            if kind == ELLIPTIC:
                material["solref_friction"] = contact.solreffriction.tolist()
                # Tangents first.
                take = np.zeros((3, n))
                take[[0, 1, 2], [i + 1, i + 2, i]] = 1.0
                impulse = [force[i], force[i + 1], force[i + 2]]
                softness["weight"], rows = float(data.efc_diagA[i]), 3
            else:
                take = np.zeros((3, n))
                take[0, i : i + 2] = 0.5 / mu, -0.5 / mu
                take[1, i + 2 : i + 4] = 0.5 / mu, -0.5 / mu
                take[2, i : i + 2] = 0.5, 0.5
                e = force[i : i + 4]
                impulse = [e.sum(), mu * (e[0] - e[1]), mu * (e[2] - e[3])]
                softness["weight"], rows = float(weight(model, contact) * (1.0 + mu * mu)), 4
            block = take @ J, take @ extra, take @ vel, impulse, float(mu)
            softness["velocity"] = block[2].tolist()
            contacts.append((block, softness))
            i += rows
            continue
        if kind == EQUALITY:
            cone = {"kind": "free"}
        elif kind in (FRICTION_DOF, FRICTION_TENDON):
            loss = float(data.efc_frictionloss[i]) * h
            cone = {"kind": "box", "lo": -loss, "hi": loss}
        else:
            cone = {"kind": "non-negative"}
        softness["velocity"] = [float(vel[i]), 0.0, 0.0]
        softness["weight"] = float(data.efc_diagA[i])
        scalars.append(((J[i : i + 1], extra[i : i + 1], vel[i : i + 1], [force[i]], cone), softness))
        i += 1

    moves = [[np.abs(b[0][0]).max() > 1e-12 for b in part] for part in (contacts, scalars)]
    contacts, scalars = ([b for b, m in zip(part, mask) if m] for part, mask in zip((contacts, scalars), moves))
    blocks = contacts + scalars
    if not blocks:
        raise Skip("nothing moves")
    J = np.vstack([b[0][0] for b in blocks])
    bias = -h * np.concatenate([b[0][1] for b in blocks])
    scale = 1.0 + np.abs(h * aref).max()
    bias[np.abs(bias) < 1e-13 * scale] = 0.0
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    free = data.qvel + h * data.qacc_smooth
    if np.abs(free).max() > FASTEST:
        raise Skip("blown up")
    G = J @ np.linalg.solve(mass, J.T)
    if data.efc_R[:n].min() < FIRMEST * np.diag(G).max():
        raise Skip("compliance below rounding")
    g = J @ free + bias
    # The file puts the normal first.
    rows = []
    for k in range(len(contacts)):
        rows += [3 * k + 2, 3 * k, 3 * k + 1]
    rows += range(3 * len(contacts), len(g))
    return {
        "name": name,
        "formulation": "local",
        "dim": 3,
        "W": {"shape": list(G.shape), "dense": G[np.ix_(rows, rows)].tolist()},
        "q": g[rows].tolist(),
        "mu": [b[0][4] for b in contacts],
        "time_step": h,
        "scalar": [b[0][4] for b in scalars],
        "primal": {
            "nv": model.nv,
            "mass": csr(mass),
            "jacobian": csr(J),
            "free_velocity": free.tolist(),
            "bias": bias.tolist(),
        },
        "softness": [b[1] for b in blocks],
        "reference": {"solver": "MuJoCo", "r": [float(x) for b in blocks for x in b[0][3]]},
    }


def states(model, data, rng):
    """Random starts, each followed for a while, without end."""
    while True:
        mujoco.mj_resetData(model, data)
        prepare(model, rng)
        spread = [0.0, 0.1, 1.0][rng.integers(3)]
        mujoco.mj_integratePos(model, data.qpos, spread * rng.normal(size=model.nv), 1.0)
        data.qvel[:] = spread * rng.normal(size=model.nv)
        data.ctrl[:] = rng.normal(size=model.nu)
        model.opt.iterations = 20
        for _ in range(int(rng.integers(0, 60))):
            mujoco.mj_step(model, data)
        model.opt.iterations = 200
        mujoco.mj_forward(model, data)
        yield


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
    if model.nv > 200 or model.nv == 0:
        print(f"{model.nv} degrees of freedom", file=sys.stderr)
        sys.exit(4)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(args.seed)
    written, skipped = 0, {}
    for tried, _ in enumerate(states(model, data, rng)):
        if written == args.states or tried == 4 * args.states:
            break
        try:
            if data.nefc == 0:
                raise Skip("no constraints")
            if not np.isfinite(data.efc_force).all():
                raise Skip("not finite")
            cone = ["pyramidal", "elliptic"][model.opt.cone]
            line = problem(model, data, cone)
        except Skip as reason:
            skipped[str(reason)] = skipped.get(str(reason), 0) + 1
            continue
        print(json.dumps(line))
        written += 1
    if written == 0:
        print(f"no states: {skipped}", file=sys.stderr)
        sys.exit(5)


main()
