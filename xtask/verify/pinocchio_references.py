"""Pinocchio's numbers for a URDF, as one JSON object on standard output.

    python pinocchio_references.py FILE --base fixed|free --states N --seed S --derivatives K

The free base is a translation joint followed by a spherical one: its velocity is then (linear in world
axes, angular in body axes), which is stiction's convention, so that every matrix compares entry by entry. (Two joints, not one
composite joint, whose derivatives Pinocchio 4.1 gets wrong.)
Coordinates are written joint by joint as stiction has them: angles for unlimited joints, quaternions
w first. The first K states carry the derivatives.
"""

import argparse
import json
import sys

import numpy as np
import pinocchio as pin

TRANSLATION, ROTATION = "floating_base translation", "floating_base rotation"


def load(file, base):
    """The model; a free base is two joints, with nothing between them."""
    robot = pin.buildModelFromUrdf(file)
    if base == "fixed":
        return robot
    root = pin.Model()
    place = pin.SE3.Identity()
    translation = root.addJoint(0, pin.JointModelTranslation(), place, TRANSLATION)
    root.addJoint(translation, pin.JointModelSpherical(), place, ROTATION)
    frame = root.addFrame(pin.Frame("root", root.getJointId(ROTATION), 0, place, pin.FrameType.OP_FRAME))
    # A joint and a link of one name are one too many for appendModel; only the names of links are used.
    for other in robot.frames:
        if other.type != pin.FrameType.BODY and other.name != "universe":
            other.name += " (no link)"
    whole = pin.appendModel(root, robot, frame, place)
    # Gravity is that of the first model.
    whole.gravity = robot.gravity
    return whole


def random_state(model, rng):
    """q of Pinocchio, and of every joint the coordinates of stiction."""
    q = pin.neutral(model)
    ours = []
    for name, joint in zip(model.names[1:], model.joints[1:]):
        kind, i = joint.shortname(), joint.idx_q
        if name == TRANSLATION:
            q[i : i + 3] = rng.normal(size=3)
            ours.append(list(q[i : i + 3]))
        elif name == ROTATION:
            w, x, y, z = normalized(rng.normal(size=4))
            q[i : i + 4] = [x, y, z, w]
            ours[-1] += [w, x, y, z]
        elif joint.nq == 2:
            angle = rng.uniform(-np.pi, np.pi)
            q[i : i + 2] = [np.cos(angle), np.sin(angle)]
            ours.append([angle])
        elif joint.nq == 1:
            q[i] = rng.uniform(-1.5, 1.5)
            ours.append([q[i]])
        else:
            sys.exit(f"joint `{name}` of kind {kind}: no counterpart is known")
    return q, ours


def normalized(vector):
    return vector / np.linalg.norm(vector)


def state_numbers(model, data, rng):
    q, ours = random_state(model, rng)
    v, a = rng.normal(size=model.nv), rng.normal(size=model.nv)
    out = {"q": ours, "v": v, "a": a}
    mass = pin.crba(model, data, q)
    mass = np.triu(mass) + np.triu(mass, 1).T
    out["M"] = mass
    out["bias"] = pin.nonLinearEffects(model, data, q, v)
    out["gravity"] = pin.computeGeneralizedGravity(model, data, q)
    out["torque"] = pin.rnea(model, data, q, v, a)
    out["kinetic"] = pin.computeKineticEnergy(model, data, q, v)
    out["potential"] = pin.computePotentialEnergy(model, data, q)
    out["com"] = pin.centerOfMass(model, data, q, v).copy()
    pin.computeCentroidalMomentum(model, data, q, v)
    out["centroidal_momentum"] = np.concatenate([data.hg.angular, data.hg.linear])
    pin.forwardKinematics(model, data, q, v, a)
    pin.updateFramePlacements(model, data)
    out["poses"] = [np.hstack([p.rotation, p.translation[:, None]]) for p in map(data.oMf.__getitem__, links(model))]
    out["velocities"] = [spatial(pin.getFrameVelocity(model, data, f, pin.LOCAL_WORLD_ALIGNED)) for f in links(model)]
    return q, v, a, out


def derivatives(model, data, q, v, a, torque, out):
    """∂τ/∂q, ∂τ/∂v of inverse, ∂a/∂q, ∂a/∂v, ∂a/∂τ of forward dynamics."""
    pin.computeRNEADerivatives(model, data, q, v, a)
    out["dtau_dq"], out["dtau_dv"] = data.dtau_dq.copy(), data.dtau_dv.copy()
    # A torque of its own: that of `a` would hide an error of forward dynamics.
    out["condition"] = np.linalg.cond(out["M"])
    if out["condition"] < 1e12:
        out["applied"] = torque
        out["acceleration"] = pin.aba(model, data, q, v, torque).copy()
        pin.computeABADerivatives(model, data, q, v, torque)
        out["da_dq"], out["da_dv"] = data.ddq_dq.copy(), data.ddq_dv.copy()
        inverse = data.Minv
        out["Minv"] = np.triu(inverse) + np.triu(inverse, 1).T
    out["coriolis"] = pin.computeCoriolisMatrix(model, data, q, v).copy()
    # Angular rows first, as stiction's. A robot without moving mass has no centre of it.
    if pin.computeTotalMass(model) > 0:
        out["centroidal_bias"] = swapped(pin.dccrba(model, data, q, v)) @ v
        out["centroidal_matrix"] = swapped(pin.ccrba(model, data, q, v))
        out["com_jacobian"] = pin.jacobianCenterOfMass(model, data, q).copy()
    # Ten columns for every joint that stands for one of ours.
    regressor = pin.computeJointTorqueRegressor(model, data, q, v, a)
    joints = [j for j, name in enumerate(model.names) if j > 0 and name != TRANSLATION]
    out["regressor"] = np.hstack([regressor[:, 10 * (j - 1) : 10 * j] for j in joints])
    pin.computeJointJacobiansTimeVariation(model, data, q, v)
    pin.updateFramePlacements(model, data)
    last = links(model)[-1]
    out["jacobian"] = swapped(pin.computeFrameJacobian(model, data, q, last, pin.LOCAL_WORLD_ALIGNED))
    out["jacobian_rate"] = swapped(pin.getFrameJacobianTimeVariation(model, data, last, pin.LOCAL_WORLD_ALIGNED))


def links(model):
    return [i for i, f in enumerate(model.frames) if f.type == pin.FrameType.BODY and f.name != "universe"]


def spatial(motion):
    return np.concatenate([motion.angular, motion.linear])


def swapped(matrix):
    return np.vstack([matrix[3:], matrix[:3]])


def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    # JSON has no NaN: a robot without moving mass has no centre of it.
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--base", choices=["fixed", "free"], required=True)
    parser.add_argument("--states", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--derivatives", type=int, required=True)
    args = parser.parse_args()

    model = load(args.file, args.base)
    data = model.createData()
    rng = np.random.default_rng(args.seed)
    states = []
    for k in range(args.states):
        q, v, a, out = state_numbers(model, data, rng)
        torque = rng.normal(size=model.nv)
        if k < args.derivatives and model.nv > 0:
            derivatives(model, data, q, v, a, torque, out)
        states.append(out)
    json.dump(
        plain(
            {
                "file": args.file,
                "witness": f"Pinocchio {pin.__version__}",
                "base": args.base,
                "joints": [n.removesuffix(" translation") for n in list(model.names)[1:] if n != ROTATION],
                "links": [model.frames[f].name for f in links(model)],
                "mass": sum(i.mass for i in list(model.inertias)[1:]),
                "states": states,
            }
        ),
        sys.stdout,
    )


if __name__ == "__main__":
    main()
