"""Forces of Drake's hydroelastic contact on the cases of a file, beside ours, as one JSON object; and a motion under it.

    python drake_pressure.py CASES.json
    python drake_pressure.py --motion

The file is what the example `pressure_witness` of stiction-collision prints. Drake's surfaces are inscribed in round shapes, and its
forces converge from below: every case is asked at twice the edge length of the file and at that, and extrapolated by the square of the
edge. Of every kind of case: the largest difference of force, and of moment over 0.1 m, over the size of the force, from what is
extrapolated, and the same of Drake's own answer at the edge of the file. The motion is that of a soft ball which falls on hard ground, slipping and spinning, bounces, and rolls on: the file of
the world, where it starts, and its q = (position, quaternion w x y z) at the times. Needs the package `drake`.
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
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, ContactModel, CoulombFriction
from pydrake.multibody.tree import SpatialInertia, UnitInertia
from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator
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


WORLD = """<?xml version="1.0"?>
<sdf version="1.9" xmlns:drake="http://drake.mit.edu"><world name="bounce">
<model name="ground"><static>true</static><link name="ground"><collision name="plane">
<geometry><plane><normal>0 0 1</normal></plane></geometry><drake:proximity_properties>
<drake:rigid_hydroelastic/><drake:mu_static>0.3</drake:mu_static><drake:mu_dynamic>0.3</drake:mu_dynamic>
</drake:proximity_properties></collision></link></model>
<model name="ball"><pose>0 0 0.15 0 0 0</pose><link name="ball"><inertial><mass>2</mass><inertia>
<ixx>0.008</ixx><iyy>0.008</iyy><izz>0.008</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial>
<collision name="shape"><geometry><sphere><radius>0.1</radius></sphere></geometry><drake:proximity_properties>
<drake:compliant_hydroelastic/><drake:hydroelastic_modulus>1e6</drake:hydroelastic_modulus>
<drake:mesh_resolution_hint>0.005</drake:mesh_resolution_hint>
<drake:hunt_crossley_dissipation>0.4</drake:hunt_crossley_dissipation>
<drake:mu_static>0.3</drake:mu_static><drake:mu_dynamic>0.3</drake:mu_dynamic>
</drake:proximity_properties></collision></link></model></world></sdf>"""
START = [0.5, 0.1, -0.2, 1.0, 3.0, 2.0]  # velocity, angular velocity in W
SLIP = 1e-3
TIMES = [0.02 * k for k in range(1, 26)]


def motion():
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, 0.0)
    plant.set_contact_model(ContactModel.kHydroelastic)
    plant.set_stiction_tolerance(SLIP)
    Parser(plant).AddModelsFromString(WORLD, "sdf")
    plant.Finalize()
    diagram = builder.Build()
    simulator = Simulator(diagram)
    ResetIntegratorFromFlags(simulator, "runge_kutta3", 1e-3)
    simulator.get_mutable_integrator().set_target_accuracy(1e-7)
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    ball = plant.GetBodyByName("ball")
    plant.SetFreeBodySpatialVelocity(context=context, body=ball, V_JpJc=SpatialVelocity(START[3:], START[:3]))
    samples = []
    for t in TIMES:
        simulator.AdvanceTo(t)
        pose = plant.EvalBodyPoseInWorld(context, ball)
        samples.append([*pose.translation(), *pose.rotation().ToQuaternion().wxyz()])
    print(json.dumps({"world": WORLD, "velocity": START, "slip": SLIP, "times": TIMES, "samples": samples}))


def main():
    if sys.argv[1] == "--motion":
        return motion()
    with open(sys.argv[1]) as file:
        cases = json.load(file)
    edge, record = cases["edge"], {}
    for case in cases["cases"]:
        coarse, fine = wrench(case, 2 * edge), wrench(case, edge)
        best = fine + (fine - coarse) / 3
        size = np.linalg.norm(best[:3])
        off = lambda w: max(np.linalg.norm(w[:3] - best[:3]), np.linalg.norm(w[3:] - best[3:]) / 0.1) / size
        row = record.setdefault(case["name"], {"cases": 0, "ours": 0.0, "drake": 0.0, "polygons": 0, "seconds": 0.0})
        ours = np.array(case["force"] + case["moment"])
        row["cases"] += 1
        row["ours"] = max(row["ours"], off(ours) if size > 0 else float("inf"))
        row["drake"] = max(row["drake"], off(fine) if size > 0 else float("inf"))
        row["polygons"] = max(row["polygons"], case["polygons"])
        row["seconds"] = max(row["seconds"], case["seconds"])
    print(json.dumps(record))


main()
