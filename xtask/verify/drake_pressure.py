"""Forces of Drake's hydroelastic contact on the cases of a file, beside ours, as one JSON object.

    python drake_pressure.py CASES.json

The file is what the example `pressure_witness` of stiction-collision prints. Drake's surfaces are inscribed in round shapes, and its
forces converge from below: every case is asked at the edge length of the file and at half of it, and extrapolated by the square of the
edge. Of every kind of case: the largest difference of force, and of moment over 0.1 m, over the size of the force, from what is
extrapolated, and the same of Drake's own answer at the edge of the file. Needs the package `drake`.
"""

import json
import sys

import numpy as np
from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddContactMaterial,
    AddRigidHydroelasticProperties,
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    HydroelasticContactRepresentation,
    ProximityProperties,
    Sphere,
)
from pydrake.common.eigen_geometry import Quaternion
from pydrake.math import RigidTransform
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, ContactModel, CoulombFriction
from pydrake.multibody.tree import SpatialInertia, UnitInertia
from pydrake.systems.framework import DiagramBuilder

MAKE = {
    "plane": lambda: HalfSpace(),
    "sphere": lambda r: Sphere(r),
    "box": lambda *half: Box(*(2 * np.array(half))),
    "capsule": lambda r, half: Capsule(r, 2 * half),
    "cylinder": lambda r, half: Cylinder(r, 2 * half),
    "ellipsoid": lambda *radii: Ellipsoid(*radii),
}


def properties(modulus, edge):
    found = ProximityProperties()
    if modulus > 0:
        AddCompliantHydroelasticProperties(edge, modulus, found)
    else:
        AddRigidHydroelasticProperties(edge, found)
    AddContactMaterial(dissipation=0.0, friction=CoulombFriction(0.5, 0.5), properties=found)
    return found


def wrench(case, edge):
    """Force and moment about the origin on B, at rest."""
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, 0.0)
    plant.set_contact_model(ContactModel.kHydroelastic)
    plant.set_contact_surface_representation(HydroelasticContactRepresentation.kTriangle)
    bodies = []
    for side in "ab":
        body = plant.AddRigidBody(side, SpatialInertia(1.0, np.zeros(3), UnitInertia.SolidSphere(0.1)))
        shape = MAKE[case[side]["kind"]](*case[side]["numbers"])
        modulus = case["moduli"]["ab".index(side)]
        plant.RegisterCollisionGeometry(body, RigidTransform(), shape, side, properties(modulus, edge))
        bodies.append(body)
    plant.WeldFrames(plant.world_frame(), bodies[0].body_frame())
    plant.Finalize()
    diagram = builder.Build()
    context = diagram.CreateDefaultContext()
    own = plant.GetMyMutableContextFromRoot(context)
    x, q = case["pose"][:3], np.array(case["pose"][3:])
    plant.SetFreeBodyPose(own, bodies[1], RigidTransform(Quaternion(q / np.linalg.norm(q)), x))
    results = plant.get_contact_results_output_port().Eval(own)
    force, moment = np.zeros(3), np.zeros(3)
    mine = plant.GetCollisionGeometriesForBody(bodies[1])
    for i in range(results.num_hydroelastic_contacts()):
        info = results.hydroelastic_contact_info(i)
        surface, F = info.contact_surface(), info.F_Ac_W()
        sign = 1 if surface.id_M() in mine else -1
        force += sign * F.translational()
        moment += sign * (F.rotational() + np.cross(surface.centroid(), F.translational()))
    return np.concatenate([force, moment])


def main():
    with open(sys.argv[1]) as file:
        cases = json.load(file)
    edge, record = cases["edge"], {}
    for case in cases["cases"]:
        coarse, fine = wrench(case, edge), wrench(case, edge / 2)
        best = fine + (fine - coarse) / 3
        size = np.linalg.norm(best[:3])
        off = lambda w: max(np.linalg.norm(w[:3] - best[:3]), np.linalg.norm(w[3:] - best[3:]) / 0.1) / size
        row = record.setdefault(case["name"], {"cases": 0, "ours": 0.0, "drake": 0.0, "polygons": 0, "seconds": 0.0})
        ours = np.array(case["force"] + case["moment"])
        row["cases"] += 1
        row["ours"] = max(row["ours"], off(ours) if size > 0 else float("inf"))
        row["drake"] = max(row["drake"], off(coarse) if size > 0 else float("inf"))
        row["polygons"] = max(row["polygons"], case["polygons"])
        row["seconds"] = max(row["seconds"], case["seconds"])
    print(json.dumps(record))


main()
