"""Robosimian's jump and walk in Drake, over the step: what stands beside the experiment `nmdp`.

    python nmdp_in_drake.py [--steps 0.001 0.005 0.02 0.05]

Our robot file and motions as they are, targets at the end of every step as in our scenes, by Drake's own PD controllers of
discrete plants, which are implicit. Its default contacts (compliant points) under `sap`, `lagged` and `similar`; no pair of the
robot's own shapes collides, as in our file. The torso starts with a roll of 0.01 rad in jumps. Prints what nmdp_in_mujoco.py
prints. Needs the package `drake`.
"""

import argparse
import logging
import tomllib
import xml.etree.ElementTree as ElementTree

import numpy as np
from nmdp_figures import ROLL, SCENES, Motion, report
from pydrake.geometry import CollisionFilterDeclaration, GeometrySet
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, ContactModel
from pydrake.multibody.plant import DiscreteContactApproximation as Law
from pydrake.multibody.tree import PdControllerGains
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

LAWS = {"sap": Law.kSap, "lagged": Law.kLagged, "similar": Law.kSimilar}
logging.getLogger("drake").setLevel(logging.ERROR)


def run(scene, law, h, duration=10.0):
    """Time, x, z and tilt of the torso after every step; None if it explodes."""
    file = SCENES / "robosimian.xml"
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, h)
    plant.set_discrete_contact_approximation(LAWS[law])
    plant.set_contact_model(ContactModel.kPoint)
    Parser(plant).AddModels(str(file))
    root = ElementTree.parse(file).getroot()
    servo = root.find("default/position").attrib
    gains = PdControllerGains(p=float(servo["kp"]), d=float(servo["kv"]))
    actuators = [plant.get_joint_actuator(index) for index in plant.GetJointActuatorIndices()]
    for actuator in actuators:
        actuator.set_controller_gains(gains)
    torso = plant.GetBodyByName("torso")
    robot = torso.model_instance()
    bodies = [plant.get_body(index) for index in plant.GetBodyIndices(robot)]
    shapes = [g for body in bodies if body != plant.world_body() for g in plant.GetCollisionGeometriesForBody(body)]
    within = CollisionFilterDeclaration().ExcludeWithin(GeometrySet(shapes))
    graph.collision_filter_manager().Apply(within)
    plant.Finalize()
    diagram = builder.Build()
    context = diagram.CreateDefaultContext()
    mine = plant.GetMyMutableContextFromRoot(context)
    key = np.array(root.find("keyframe/key").attrib["qpos"].split(), float)
    roll = ROLL if scene.endswith("jump") else 0.0
    # Joints stand in the key in the order of the file, as Drake's dofs do.
    joints = [element.attrib["name"] for element in root.find("worldbody").iter("joint")]
    for name, position in zip(joints, key[7:]):
        plant.GetJointByName(name).set_angle(mine, position)
    pose = np.concatenate([[np.cos(roll / 2), np.sin(roll / 2), 0, 0], key[:3]])
    first = torso.floating_positions_start()
    q = plant.GetPositions(mine)
    q[first : first + 7] = pose
    plant.SetPositions(mine, q)
    motion = Motion(tomllib.loads((SCENES / f"{scene}.toml").read_text())["motion"])
    port = plant.get_desired_state_input_port(robot)
    port.FixValue(mine, np.zeros(2 * len(actuators)))
    simulator = Simulator(diagram, context)
    simulator.Initialize()
    out = []
    for k in range(round(duration / h)):
        p, v = motion.at((k + 1) * h)
        port.FixValue(mine, np.concatenate([p, v]))
        try:
            simulator.AdvanceTo((k + 1) * h)
        except RuntimeError:
            return None
        q = plant.GetPositions(mine)[first : first + 7]
        if not np.all(np.isfinite(q)) or np.abs(q).max() > 10:
            return None
        out.append([(k + 1) * h, q[4], q[6], np.arccos(np.clip(1 - 2 * (q[1] ** 2 + q[2] ** 2), -1, 1))])
    return np.array(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=float, nargs="+", default=[0.001, 0.002, 0.005, 0.01, 0.02, 0.025, 0.05])
    parser.add_argument("--laws", nargs="+", default=list(LAWS), choices=list(LAWS))
    arguments = parser.parse_args()
    for law in arguments.laws:
        for h in arguments.steps:
            report(f"{law} {1e3 * h:g} ms", run("robosimian-walk", law, h), run("robosimian-jump", law, h))


if __name__ == "__main__":
    main()
