"""Writes one robot of example-robot-data for the three contestants of `cargo xtask bench dynamics`.

    robots.py NAME FOLDER

NAME.urdf   for us: the file as published, without meshes, on a floating joint where the robot has no base
NAME.pin    for Pinocchio: its own reading of the published file, as lines of numbers (driver_pinocchio.cpp
            is compiled from headers with the instructions of this machine; a prebuilt reader would not fit)
NAME.xml    for MuJoCo: the same bodies, links fixed to each other merged, as MJCF
"""

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pinocchio as pin

# File within example-robot-data, and whether the robot stands free.
ROBOTS = {
    "panda": ("panda_description/urdf/panda.urdf", False),
    "solo12": ("solo_description/robots/solo12.urdf", True),
    "go2": ("go2_description/urdf/go2.urdf", True),
    "g1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", True),
    "talos": ("talos_data/robots/talos_reduced.urdf", True),
}

HINGES = {"JointModelRX": "1 0 0", "JointModelRY": "0 1 0", "JointModelRZ": "0 0 1"}
SLIDES = {"JointModelPX": "1 0 0", "JointModelPY": "0 1 0", "JointModelPZ": "0 0 1"}


def text(numbers):
    return " ".join(f"{x:.17g}" for x in np.ravel(numbers))


def stripped(path, floating):
    """The URDF without what dynamics does not read."""
    root = ET.parse(path).getroot()
    for link in root.iter("link"):
        for tag in ("visual", "collision"):
            for element in link.findall(tag):
                link.remove(element)
    for joint in root.iter("joint"):
        for element in joint.findall("mimic"):  # Pinocchio reads it as a joint of its own
            joint.remove(element)
    if floating:
        children = {j.find("child").get("link") for j in root.iter("joint") if j.find("child") is not None}
        (base,) = [link.get("name") for link in root.findall("link") if link.get("name") not in children]
        ET.SubElement(root, "link", name="the ground")
        joint = ET.SubElement(root, "joint", name="root_joint", type="floating")
        ET.SubElement(joint, "parent", link="the ground")
        ET.SubElement(joint, "child", link=base)
    return ET.tostring(root, encoding="unicode")


def axis(joint):
    name = joint.shortname()
    return text(joint.extract().axis) if name.endswith("Unaligned") else (HINGES | SLIDES)[name]


def as_lines(model):
    """Joint by joint: name, type, parent, axis, placement (rotation, translation), mass, centre, inertia."""
    lines = [str(model.njoints - 1)]
    for j in range(1, model.njoints):
        joint, X, body = model.joints[j], model.jointPlacements[j], model.inertias[j]
        a = "0 0 0" if joint.shortname() == "JointModelFreeFlyer" else axis(joint)
        numbers = text(np.concatenate([X.rotation.ravel(), X.translation, [body.mass], body.lever, body.inertia.ravel()]))
        lines.append(f"{model.names[j]} {joint.shortname()} {model.parents[j]} {a} {numbers}")
    return "\n".join(lines) + "\n"


def as_mjcf(model):
    root = ET.Element("mujoco")
    ET.SubElement(root, "compiler", angle="radian", autolimits="false")
    elements = [ET.SubElement(root, "worldbody")]
    for j in range(1, model.njoints):
        joint, X, body = model.joints[j], model.jointPlacements[j], model.inertias[j]
        q = pin.Quaternion(X.rotation)
        element = ET.SubElement(elements[model.parents[j]], "body", name=f"body{j}", pos=text(X.translation))
        element.set("quat", text([q.w, q.x, q.y, q.z]))
        I = body.inertia
        full = text([I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])
        ET.SubElement(element, "inertial", pos=text(body.lever), mass=text(body.mass), fullinertia=full)
        if joint.shortname() == "JointModelFreeFlyer":
            ET.SubElement(element, "freejoint", name=model.names[j])
        else:
            kind = "slide" if joint.shortname().startswith("JointModelP") else "hinge"
            ET.SubElement(element, "joint", name=model.names[j], type=kind, axis=axis(joint))
        elements.append(element)
    return ET.tostring(root, encoding="unicode")


def main():
    name, folder = sys.argv[1], Path(sys.argv[2])
    file, floating = ROBOTS[name]
    prefix = Path(pin.__file__).parents[4]
    path = prefix / "share/example-robot-data/robots" / file
    base = [pin.JointModelFreeFlyer()] if floating else []
    model = pin.buildModelFromUrdf(str(path), *base)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.urdf").write_text(stripped(path, floating))
    (folder / f"{name}.pin").write_text(as_lines(model))
    (folder / f"{name}.xml").write_text(as_mjcf(model))


main()
