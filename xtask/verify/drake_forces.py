"""Drake's contact problems of two of its test cases, and its forces, one JSON object per line.

    python drake_forces.py --states N --seed S

A box that slides and a disc on three feet that is twisted (Drake's sliding and pizza-saver cases), both on
point contacts with the ground, under `sap`, `lagged` and `similar`, as problem files with `primal`,
`softness` and Drake's impulses as `reference`. Needs the package `drake`.
"""

import argparse
import json

import numpy as np
from pydrake.geometry import AddContactMaterial, HalfSpace, ProximityProperties, Sphere
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, ContactModel, CoulombFriction
from pydrake.multibody.plant import DiscreteContactApproximation as Law
from pydrake.multibody.tree import JacobianWrtVariable, SpatialInertia, UnitInertia
from pydrake.systems.framework import DiagramBuilder

LAWS = {"sap": Law.kSap, "lagged": Law.kLagged, "similar": Law.kSimilar}
BIG = 1e30


def surface(stiffness, relaxation, dissipation, mu):
    properties = ProximityProperties()
    AddContactMaterial(
        dissipation=dissipation,
        point_stiffness=stiffness,
        friction=CoulombFriction(mu, mu),
        properties=properties,
    )
    properties.AddProperty("material", "relaxation_time", relaxation)
    return properties


def csr(dense):
    start, column, value = [0], [], []
    for row in dense:
        for j in np.flatnonzero(row):
            column.append(int(j))
            value.append(float(row[j]))
        start.append(len(value))
    return {"start": start, "column": column, "value": value}


class Case:
    def __init__(self, law, feet, radius, mass, inertia, k, tau, d, mu, h):
        self.law, self.feet, self.radius, self.h, self.mu = law, feet, radius, h, mu
        # Springs in series; relaxation times add up; the ground dissipates nothing.
        self.material = {"stiffness": k * BIG / (k + BIG), "relaxation": tau, "dissipation": d}
        builder = DiagramBuilder()
        plant, _ = AddMultibodyPlantSceneGraph(builder, h)
        plant.set_discrete_contact_approximation(LAWS[law])
        plant.set_contact_model(ContactModel.kPoint)
        plant.SetUseSampledOutputPorts(False)
        plant.set_stiction_tolerance(1e-4)
        body = plant.AddRigidBody("body", SpatialInertia(mass, np.zeros(3), UnitInertia(*inertia)))
        ground = surface(BIG, 0.0, 0.0, mu)
        plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "ground", ground)
        for i, foot in enumerate(feet):
            at = RigidTransform(foot)
            plant.RegisterCollisionGeometry(body, at, Sphere(radius), f"foot{i}", surface(k, tau, d, mu))
        plant.Finalize()
        self.plant, self.body, self.diagram = plant, body, builder.Build()
        self.context = self.diagram.CreateDefaultContext()

    def line(self, turn, height, velocity, torque):
        plant, body, h = self.plant, self.body, self.h
        context = plant.GetMyMutableContextFromRoot(self.context)
        pose = RigidTransform(RotationMatrix.MakeZRotation(turn), [0.0, 0.0, height])
        plant.SetFreeBodyPose(context, body, pose)
        plant.SetVelocities(context, velocity)
        applied = np.zeros(6)
        applied[2] = torque
        plant.get_applied_generalized_force_input_port().FixValue(context, applied)
        M = plant.CalcMassMatrix(context)
        tau = plant.CalcGravityGeneralizedForces(context) - plant.CalcBiasTerm(context) + applied
        free = velocity + h * np.linalg.solve(M, tau)
        results = plant.get_contact_results_output_port().Eval(context)
        rows, impulses, softness = [], [], []
        for i in range(results.num_point_pair_contacts()):
            info = results.point_pair_contact_info(i)
            # The force acts on B; the ground is at rest.
            sign = 1.0 if info.bodyB_index() == body.index() else -1.0
            n = -sign * info.point_pair().nhat_BA_W
            t1 = np.cross([0.0, 1.0, 0.0], n)
            R = np.vstack([t1, np.cross(n, t1), n])
            p = pose.inverse() @ info.contact_point()
            J = plant.CalcJacobianTranslationalVelocity(
                context,
                JacobianWrtVariable.kV,
                body.body_frame(),
                p,
                plant.world_frame(),
                plant.world_frame(),
            )
            J = R @ J
            rows.append(J)
            impulses.append(h * sign * R @ info.contact_force())
            softness.append(
                {
                    "gap": -info.point_pair().depth,
                    "velocity": (J @ velocity).tolist(),
                    # Drake scales by the diagonal of M alone.
                    "weight": float(np.linalg.norm(J @ np.diag(1.0 / np.diag(M)) @ J.T) / 3.0),
                    "material": self.material,
                }
            )
        J, count = np.vstack(rows), len(rows)
        G, g = J @ np.linalg.solve(M, J.T), J @ free
        order = [3 * k + j for k in range(count) for j in (2, 0, 1)]
        return {
            "name": self.law,
            "formulation": "local",
            "dim": 3,
            "W": {"shape": list(G.shape), "dense": G[np.ix_(order, order)].tolist()},
            "q": g[order].tolist(),
            "mu": [self.mu] * count,
            "time_step": h,
            "primal": {
                "nv": 6,
                "mass": csr(M),
                "jacobian": csr(J),
                "free_velocity": free.tolist(),
                "bias": [0.0] * (3 * count),
            },
            "softness": softness,
            "reference": {"solver": "Drake", "r": np.concatenate(impulses)[order].tolist()},
        }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--states", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    box = [[x, y, -0.1] for x in (-0.2, 0.2) for y in (-0.15, 0.15)]
    pizza = [[0.5 * np.cos(a), 0.5 * np.sin(a), -0.05] for a in (0.0, 2.0 * np.pi / 3.0, 4.0 * np.pi / 3.0)]
    for law in LAWS:
        for k, tau in ((1e4, 0.0), (1e5, 0.1), (1e8, 0.1)):
            sliding = Case(law, box, 0.02, 1.5, (0.02, 0.03, 0.04), k, tau, 5.0, 0.5, 5e-3)
            saver = Case(law, pizza, 0.01, 4.0, (0.1, 0.1, 0.2), k, tau, 5.0, 1.0, 1e-2)
            for _ in range(args.states):
                depth = rng.uniform(0.0, 2.0 * 1.5 * 9.81 / (4.0 * k))
                velocity = np.concatenate([0.1 * rng.normal(size=3), rng.normal(size=3) * [1.0, 1.0, 0.01]])
                print(json.dumps(sliding.line(rng.uniform(0.0, 6.0), 0.12 - depth, velocity, 0.0)))
                depth = 4.0 * 9.81 / (3.0 * k)
                spin = np.zeros(6)
                spin[2] = rng.choice([0.0, 1e-4, 0.3])
                torque = rng.uniform(0.0, 30.0)
                print(json.dumps(saver.line(rng.uniform(0.0, 6.0), 0.06 - depth, spin, torque)))


main()
