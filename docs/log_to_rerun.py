"""Logs a recording of stiction to Rerun: bodies, contact forces, and the numbers of every step.

    pip install mcap rerun-sdk
    stiction run quadruped --replay quadruped.mcap
    python log_to_rerun.py quadruped.mcap              # opens the viewer
    python log_to_rerun.py quadruped.mcap out.rrd      # writes a file for `rerun out.rrd`
"""

import json
import sys
from collections import Counter

import rerun as rr
from mcap.reader import make_reader


def xyz(of):
    return [of["x"], of["y"], of["z"]]


def turn(of):
    return rr.Quaternion(xyzw=[*xyz(of), of["w"]])


def colour(of):
    return [round(255 * of["color"][channel]) for channel in "rgba"]


def placed(of):
    """Centre, rotation and colour of a shape on its body."""
    pose = of["pose"]
    return {"centers": [xyz(pose["position"])], "quaternions": [turn(pose["orientation"])], "colors": [colour(of)]}


def halves(of):
    return [0.5 * length for length in xyz(of["size"])]


def shapes(entity):
    """The shapes of an entity for Rerun, by kind; cones, which it has not, become cylinders of their mean radius."""
    solid = {"fill_mode": "solid"}
    for cube in entity["cubes"]:
        yield rr.Boxes3D(half_sizes=[halves(cube)], **placed(cube), **solid)
    for sphere in entity["spheres"]:
        yield rr.Ellipsoids3D(half_sizes=[halves(sphere)], **placed(sphere), **solid)
    for cylinder in entity["cylinders"]:
        radius = halves(cylinder)[0] * 0.5 * (cylinder["bottom_scale"] + cylinder["top_scale"])
        yield rr.Cylinders3D(lengths=[cylinder["size"]["z"]], radii=[radius], **placed(cylinder), **solid)
    for mesh in entity["triangles"]:
        points = [xyz(p) for p in mesh["points"]]
        indices = mesh["indices"] or list(range(len(points)))
        faces = [indices[k : k + 3] for k in range(0, len(indices), 3)]
        pose = mesh["pose"]
        yield rr.Mesh3D(vertex_positions=points, triangle_indices=faces, albedo_factor=colour(mesh))
        yield rr.Transform3D(translation=xyz(pose["position"]), quaternion=turn(pose["orientation"]))


def log_scene(entities):
    for entity in entities:
        kinds = Counter()
        body = ["world"] if entity["frame_id"] == "world" else ["world", entity["frame_id"]]
        for shape in shapes(entity):
            kind = type(shape).__name__
            # A mesh and its pose share a path; other shapes have one each.
            path = "Mesh3D" if kind == "Transform3D" else kind
            count = kinds[kind]
            kinds[kind] += 1
            rr.log([*body, entity["id"].strip(), f"{path} {count}"], shape, static=True)


def log_forces(entities):
    """Every arrow of Foxglove is a shaft along x of its pose."""
    origins, vectors, colours = [], [], []
    for arrow in (arrow for entity in entities for arrow in entity["arrows"]):
        q = arrow["pose"]["orientation"]
        along = [1 - 2 * (q["y"] ** 2 + q["z"] ** 2), 2 * (q["x"] * q["y"] + q["z"] * q["w"]), 2 * (q["x"] * q["z"] - q["y"] * q["w"])]
        length = arrow["shaft_length"] + arrow["head_length"]
        origins.append(xyz(arrow["pose"]["position"]))
        vectors.append([length * a for a in along])
        colours.append(colour(arrow))
    rr.log(["world", "contact forces"], rr.Arrows3D(origins=origins, vectors=vectors, colors=colours))


def log_step(numbers, path=("step",)):
    for name, value in numbers.items():
        if isinstance(value, dict):
            log_step(value, (*path, name))
        elif isinstance(value, (int, float)) and not isinstance(value, bool) and name != "t":
            rr.log([*path, name], rr.Scalars(value))


def main(recording, out=None):
    rr.init("stiction", recording_id=recording, spawn=out is None)
    if out:
        rr.save(out)
    rr.log("world", rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
    with open(recording, "rb") as file:
        for _, channel, message in make_reader(file).iter_messages():
            content = json.loads(message.data)
            rr.set_time("time", duration=1e-9 * message.log_time)
            if channel.topic == "/scene":
                log_scene(content["entities"])
            elif channel.topic == "/tf":
                for body in content["transforms"]:
                    pose = {"translation": xyz(body["translation"]), "quaternion": turn(body["rotation"])}
                    rr.log(["world", body["child_frame_id"]], rr.Transform3D(**pose))
            elif channel.topic == "/contacts":
                log_forces(content["entities"])
            else:
                log_step(content)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
