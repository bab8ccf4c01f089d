"""Write the MJCF file of a benchmark scene, which both engines then read.

    python scene_files.py SCENE OUT [--robots DIR] [--data DIR]

    box         a cube at rest on the plane
    pile        64 boxes of 1 kg fall in a heap
    packed      64 boxes side by side and on top of each other, neighbours overlapping at first
    solo12      Solo-12 stands under joint servos       (--robots: that of example-robot-data)
    go2         Go2 stands under joint servos           (the same)
    go2-rolling the same, on feet that resist spinning and rolling
    humanoid    MuJoCo's humanoid falls                 (--data: our folder of third-party data)
    allegro     an Allegro hand, palm up, holds a cube  (the same)

Robots lose their meshes; feet are the spheres that their makers give, or nearly. Servos: kp (q* - q) - kd v.
"""

import argparse
import math
import pathlib
import random
import re
import xml.etree.ElementTree as tree

try:
    import mujoco
    import numpy as np
except ImportError:  # boxes need neither
    mujoco = None

# URDF below the folder of robots; feet and their radius [m]; servo gains [N m/rad, N m s/rad]; posture by
# the end of the joint's name [rad].
LEGGED = {
    "solo12": (
        "solo_description/robots/solo12.urdf",
        {"FL_FOOT": 0.016, "FR_FOOT": 0.016, "HL_FOOT": 0.016, "HR_FOOT": 0.016},
        (20.0, 0.4),
        {"FL_HFE": 0.8, "FR_HFE": 0.8, "HL_HFE": -0.8, "HR_HFE": -0.8}
        | {"FL_KFE": -1.6, "FR_KFE": -1.6, "HL_KFE": 1.6, "HR_KFE": 1.6},
    ),
    "go2": (
        "go2_description/urdf/go2.urdf",
        {"FL_foot": 0.022, "FR_foot": 0.022, "RL_foot": 0.022, "RR_foot": 0.022},
        (100.0, 2.5),
        {f"{leg}_thigh_joint": 0.9 for leg in ("FL", "FR", "RL", "RR")}
        | {f"{leg}_calf_joint": -1.8 for leg in ("FL", "FR", "RL", "RR")},
    ),
}


def boxes(places, half, friction, mass=1):
    bodies = "".join(
        f'<body pos="{x} {y} {z}" euler="{a} {b} {c}"><freejoint/>'
        f'<geom type="box" size="{half} {half} {half}" mass="{mass}"/></body>'
        for x, y, z, a, b, c in places
    )
    return f"""<mujoco>
  <compiler angle="degree"/>
  <option gravity="0 0 -9.81"/>
  <default><geom condim="3" friction="{friction} 0 0"/></default>
  <worldbody><geom type="plane" size="0 0 1"/>{bodies}</worldbody>
</mujoco>
"""


def pile():
    """4 x 4 x 4 boxes, each moved and turned a little, always alike."""
    places = []
    for k in range(64):
        i, j, l = k % 4, k // 4 % 4, k // 16
        noise = [math.sin(12.9898 * k + 78.233 * n) for n in range(6)]
        at = (0.25 * i - 0.375, 0.25 * j - 0.375, 0.25 * l + 0.2)
        places.append([a + 0.01 * n for a, n in zip(at, noise)] + [20.0 * n for n in noise[3:]])
    return boxes(places, 0.08, 0.6)


def packed():
    """4 x 4 x 4 cubes, moved by up to a tenth of their edge and turned about the vertical, three tenths of it apart."""
    chance, half, places = random.Random(1), 0.05, []
    for k in range(64):
        i, j, l = k % 4, k // 4 % 4, k // 16
        turn = math.degrees(chance.uniform(-0.4, 0.4))
        x, y = (2.15 * half * (n - 2) + chance.uniform(-0.01, 0.01) for n in (i, j))
        places.append([x, y, 1.2 * half + 2.6 * half * l, 0, 0, turn])
    return boxes(places, half, 0.5, mass=0.5)


def without_meshes(urdf):
    """The robot of a URDF file, its meshes left out."""
    root = tree.fromstring(urdf.read_text())
    for link in root.iter("link"):
        for part in list(link):
            mesh = part.find("geometry/mesh") is not None
            if part.tag == "visual" or part.tag == "collision" and mesh:
                link.remove(part)
    return mujoco.MjSpec.from_string(tree.tostring(root, encoding="unicode"))


def servos(spec, gains, posture):
    kp, kd = gains
    for joint in spec.joints:
        if joint.type != mujoco.mjtJoint.mjJNT_HINGE:
            continue
        actuator = spec.add_actuator(name=joint.name, target=joint.name)
        actuator.trntype = mujoco.mjtTrn.mjTRN_JOINT
        actuator.set_to_position(kp=kp, kv=kd)
        posture.setdefault(joint.name, 0.0)


def floor(spec, friction):
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], condim=3, friction=[friction, 0, 0]
    )


def finished(spec, qpos):
    """MJCF with `qpos` (a function of the model) as its keyframe and the servos' targets."""
    model = spec.compile()
    q, control = qpos(model)
    spec.add_key(name="home", qpos=q, ctrl=control)
    spec.compile()
    # The servos again as what they are: <general> says less.
    general = re.compile(r'<general (name="\S+" joint="\S+").* gainprm="(\S+)" biasprm="0 -\S+ -(\S+)"/>')
    return general.sub(r'<position \1 kp="\2" kv="\3"/>', spec.to_xml())


def legged(name, robots, resists=False):
    path, feet, gains, posture = LEGGED[name]
    contact = {"condim": 6, "friction": [0.8, 0.02, 0.01]} if resists else {"condim": 3, "friction": [0.8, 0, 0]}
    spec = without_meshes(robots / path)
    for geom in list(spec.geoms):
        spec.delete(geom)
    base = spec.worldbody.first_body()
    base.add_freejoint(name="root")
    for foot, radius in feet.items():
        spec.body(foot).add_geom(
            type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[radius, 0, 0], mass=0, **contact
        )
    floor(spec, 0.8)
    posture = dict(posture)
    servos(spec, gains, posture)

    def standing(model):
        data = mujoco.MjData(model)
        for joint, q in posture.items():
            data.joint(joint).qpos[:] = q
        mujoco.mj_kinematics(model, data)
        lowest = min(data.geom_xpos[g][2] - model.geom_size[g][0] for g in range(model.ngeom) if model.geom_type[g] == 2)
        data.joint("root").qpos[2] -= lowest
        return data.qpos.copy(), [posture[model.actuator(a).name] for a in range(model.nu)]

    return finished(spec, standing)


def allegro(data):
    spec = without_meshes(data / "robots/allegro_hand/allegro_right.urdf")
    # The palm has become part of the world: turned to face up, with what it is joined to left alone.
    up = [math.sqrt(0.5), 0, -math.sqrt(0.5), 0]
    for part in [*spec.worldbody.bodies, *spec.worldbody.geoms]:
        part.pos, part.quat = turn(part.pos), product(up, part.quat)
    for link in ("link_0", "link_4", "link_8", "link_12", "link_13"):
        spec.add_exclude(bodyname1="world", bodyname2=link)
    for geom in spec.geoms:
        geom.condim, geom.friction = 3, [0.8, 0, 0]
    for joint in spec.joints:
        joint.frictionloss = 0  # its 10 N m hold against servos of 0.7
    cube = spec.worldbody.add_body(name="cube", pos=[-0.086, 0.026, 0.059])
    cube.add_freejoint(name="cube")
    cube.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.03] * 3, mass=0.1, condim=3, friction=[0.8, 0, 0])
    posture = {}
    servos(spec, (2.0, 0.05), posture)
    # Of the range, but for the fingers' flexion; and the joints that do not close.
    shares = {"joint_0": 0.5, "joint_4": 0.5, "joint_8": 0.5, "joint_12": 0.57, "joint_13": 0.2, "joint_14": 0.35, "joint_15": 0.35}
    across = ("joint_0", "joint_4", "joint_8", "joint_12")

    def around(model):
        data = mujoco.MjData(model)
        for name in posture:
            low, high = model.joint(name).range
            data.joint(name).qpos[:] = posture[name] = low + shares.get(name, 0.54) * (high - low)
        names = [model.actuator(a).name for a in range(model.nu)]
        return data.qpos.copy(), [posture[n] + (0.0 if n in across else 0.3) for n in names]

    return finished(spec, around)


def turn(x):
    """By -90 degrees about y."""
    return [-x[2], x[1], x[0]]


def product(a, b):
    """Of two quaternions."""
    out = np.zeros(4)
    mujoco.mju_mulQuat(out, np.array(a), np.array(b))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scene")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--robots", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path)
    args = parser.parse_args()
    if args.scene == "box":
        text = boxes([(0, 0, 0.1, 0, 0, 0)], 0.1, 0.5)
    elif args.scene == "pile":
        text = pile()
    elif args.scene == "packed":
        text = packed()
    elif args.scene in LEGGED:
        text = legged(args.scene, args.robots)
    elif args.scene == "go2-rolling":
        text = legged("go2", args.robots, resists=True)
    elif args.scene == "humanoid":
        text = (args.data / "mjcf/model/humanoid/humanoid.xml").read_text()
    elif args.scene == "allegro":
        text = allegro(args.data)
    else:
        raise SystemExit(f"no scene `{args.scene}`")
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(text)


if __name__ == "__main__":
    main()
