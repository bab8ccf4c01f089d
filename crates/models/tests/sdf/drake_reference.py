"""Writes reference.json: what Drake makes of the SDF files beside it.

    python drake_reference.py          (in this folder, with Drake from PyPI: `pip install drake`)

Velocities are turned into ours, v_drake = T v: free bodies (linear and angular velocity, in world and body
axes; Drake: angular first, both in world axes), balls (body axes; Drake: parent axes). Inertia and bias,

    M = Tt M_drake T,   bias = Tt (C(q, v) v - tau_gravity)

hold because T v does not change where v does not: T' v = R (w x w) = 0.
"""
import json
from pathlib import Path

import numpy as np
from pydrake.all import (BallRpyJoint, BodyIndex, JointIndex, MultibodyPlant, Parser, PrismaticJoint, RevoluteJoint,
                         RigidTransform, RollPitchYaw, RotationMatrix, ScrewJoint, UniversalJoint, Quaternion)

STATES = 3


def plant_of(file):
    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    for folder in Path("models").iterdir():
        parser.package_map().Add(folder.name, str(folder.resolve()))
    parser.AddModels(str(Path(file).resolve()))
    plant.Finalize()
    return plant


def scoped(plant, element, lonely):
    name = plant.GetModelInstanceName(element.model_instance())
    return element.name() if lonely else f"{name}::{element.name()}"


def state(plant, rng, lonely):
    context = plant.CreateDefaultContext()
    nv = plant.num_velocities()
    q, v, T, names = {}, {}, np.zeros((nv, nv)), []
    column = 0
    u = lambda n: rng.uniform(-0.8, 0.8, n)
    v_drake = np.zeros(nv)

    def put(name, qs, vs, rows, block):
        nonlocal column
        q[name], v[name] = list(map(float, qs)), list(map(float, vs))
        n = len(vs)
        T[np.ix_(rows, range(column, column + n))] = block
        v_drake[rows] = block @ vs
        names.append([name, n])
        column += n

    for i in range(plant.num_bodies()):
        body = plant.get_body(BodyIndex(i))
        if not body.is_floating_base_body():
            continue
        quat, p = rng.normal(size=4), u(3)
        quat /= np.linalg.norm(quat)
        R = RotationMatrix(Quaternion(quat))
        plant.SetFloatingBaseBodyPoseInWorldFrame(context, body, RigidTransform(R, p))
        first = body.floating_velocities_start_in_v()
        rows = list(range(first, first + 6))
        block = np.zeros((6, 6))
        block[3:, :3] = np.eye(3)
        block[:3, 3:] = R.matrix()
        put(scoped(plant, body, lonely) + "_free", [*p, *quat], u(6), rows, block)
    for i in range(plant.num_joints()):
        joint = plant.get_joint(JointIndex(i))
        rows = list(range(joint.velocity_start(), joint.velocity_start() + joint.num_velocities()))
        name = scoped(plant, joint, lonely)
        if isinstance(joint, RevoluteJoint):
            qs = u(1)
            joint.set_angle(context, qs[0])
            put(name, qs, u(1), rows, np.eye(1))
        elif isinstance(joint, PrismaticJoint):
            qs = u(1)
            joint.set_translation(context, qs[0])
            put(name, qs, u(1), rows, np.eye(1))
        elif isinstance(joint, ScrewJoint):
            qs = u(1)
            plant.SetPositions(context, np.array([*plant.GetPositions(context)[:joint.position_start()], qs[0],
                                                  *plant.GetPositions(context)[joint.position_start() + 1:]]))
            put(name, qs, u(1), rows, np.eye(1))
        elif isinstance(joint, UniversalJoint):
            qs = u(2)
            joint.set_angles(context, qs)
            for k in range(2):
                put(f"{name}_{k + 1}", qs[k:k + 1], u(1), rows[k:k + 1], np.eye(1))
        elif isinstance(joint, BallRpyJoint):
            rpy = u(3)
            joint.set_angles(context, rpy)
            # Joint frames F and M stand like the child's where nothing has moved, but for a turn R_MC.
            R_MC = joint.frame_on_child().GetFixedPoseInBodyFrame().rotation().inverse()
            R_FM = RotationMatrix(RollPitchYaw(rpy))
            R = R_MC.inverse() @ R_FM @ R_MC
            w = u(3)
            put(name, R.ToQuaternion().wxyz(), w, rows, R_FM.matrix() @ R_MC.matrix())
    plant.SetVelocities(context, v_drake)
    M = T.T @ plant.CalcMassMatrix(context) @ T
    bias = T.T @ (plant.CalcBiasTerm(context) - plant.CalcGravityGeneralizedForces(context))
    poses = {}
    for i in range(1, plant.num_bodies()):
        body = plant.get_body(BodyIndex(i))
        X = plant.EvalBodyPoseInWorld(context, body)
        poses[scoped(plant, body, lonely)] = [*X.translation(), *X.rotation().ToQuaternion().wxyz()]
    kinetic = plant.CalcKineticEnergy(context)
    return dict(order=names, q=q, v=v, M=M.tolist(), bias=bias.tolist(), kinetic=kinetic, poses=poses)


def main():
    rng, reference = np.random.default_rng(0), {}
    for file in ["pair", "old", "joints", "world"]:
        plant = plant_of(f"{file}.sdf")
        reference[file] = [state(plant, rng, lonely=file != "world") for _ in range(STATES)]
        print(file, plant.num_velocities(), "velocities")
    Path("reference.json").write_text(json.dumps(reference))


main()
