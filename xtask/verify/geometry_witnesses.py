"""What coal and MuJoCo say about the pairs and rays that crates/collision/examples/geometry_witness.rs printed.

    python geometry_witnesses.py CASES.json

Distances are signed; of overlapping shapes minus the depth. Every pair is asked of both libraries that know
its shapes; what counts is the difference from the nearer answer, since each of them stops somewhere. An
answer below the separation along our normal, which is written out here anew, is no distance: the distance
is the largest separation over all normals. Such answers are counted as refuted. Rays are MuJoCo's;
not those from inside a plane, which has one side there, or a height field, which has a box within.
Prints one JSON object: of every two kinds the number of cases, the worst difference from the nearer answer
and from each library [m], and how often ours misses what it finds.
"""

import json
import sys

import coal
import mujoco
import numpy as np

TOLERANCE = 1e-12
FAR = 10.0  # [m]


def mjcf(shapes):
    """One geometry per shape, twice, so that a shape can meet itself."""
    assets, geoms = [], []
    for i, shape in enumerate(shapes):
        kind, size = shape["type"], shape["size"]
        if kind == "cone":
            continue
        if kind == "convex":
            assets.append(f'<mesh name="m{i}" vertex="{" ".join(map(repr, size))}"/>')
            what = f'type="mesh" mesh="m{i}"'
        elif kind == "height field":
            rows, cols, x, y, depth = size[:5]
            heights = np.array(size[5:])
            low, high = heights.min(), heights.max()
            assets.append(
                f'<hfield name="h{i}" nrow="{int(rows)}" ncol="{int(cols)}" '
                f'size="{x / 2!r} {y / 2!r} {float(high - low)!r} {float(depth + low)!r}"/>'
            )
            what = f'type="hfield" hfield="h{i}"'
        else:
            what = f'type="{kind}" size="{" ".join(map(repr, size)) if size else "1 1 1"}"'
        geoms += [f'<body><freejoint/><geom name="g{i}{c}" mass="1" {what}/></body>' if kind not in ("plane", "height field")
                  else f'<geom name="g{i}{c}" {what}/>' for c in "ab"]
    option = f'<option ccd_tolerance="{TOLERANCE}" ccd_iterations="1000"/>'
    return f'<mujoco>{option}<asset>{"".join(assets)}</asset><worldbody>{"".join(geoms)}</worldbody></mujoco>'


def rotation(q):
    mat = np.zeros(9)
    mujoco.mju_quat2Mat(mat, np.array(q))
    return mat.reshape(3, 3)


class Mujoco:
    def __init__(self, shapes):
        self.shapes = shapes
        self.model = mujoco.MjModel.from_xml_string(mjcf(shapes))
        self.data = mujoco.MjData(self.model)
        for shape in shapes:
            if shape["type"] == "height field":
                heights = np.array(shape["size"][5:])
                self.model.hfield_data[:] = (heights - heights.min()) / np.ptp(heights)
        mujoco.mj_forward(self.model, self.data)

    def place(self, i, copy, X):
        """Puts a copy of shape i at X = (p, q); its index, None if MuJoCo has no such shape."""
        if self.shapes[i]["type"] == "cone":
            return None
        g = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_GEOM, f"g{i}{copy}")
        p, R = np.array(X[:3]), rotation(X[3:])
        kind = self.shapes[i]["type"]
        if kind == "convex":
            # The compiler moves a mesh to its centre of mass and main axes.
            mesh = self.model.geom_dataid[g]
            p = p + R @ self.model.mesh_pos[mesh]
            R = R @ rotation(self.model.mesh_quat[mesh])
        if kind == "height field":
            # Its heights are measured from the lowest.
            p = p + R @ np.array([0, 0, min(self.shapes[i]["size"][5:])])
        self.data.geom_xpos[g] = p
        self.data.geom_xmat[g] = R.reshape(9)
        return g

    def distance(self, pair):
        a, b = self.place(pair["a"], "a", pair["X_WA"]), self.place(pair["b"], "b", pair["X_WB"])
        if a is None or b is None:
            return None
        d = mujoco.mj_geomDistance(self.model, self.data, a, b, FAR, None)
        return None if d >= FAR else d

    def ray(self, ray):
        g = self.place(ray["shape"], "a", ray["X_WG"])
        if g is None:
            return None
        origin, direction = np.array(ray["origin"]), np.array(ray["direction"])
        kind = self.shapes[ray["shape"]]["type"]
        if kind == "convex":
            return mujoco.mj_rayMesh(self.model, self.data, g, origin, direction)
        if kind == "height field":
            return mujoco.mj_rayHfield(self.model, self.data, g, origin, direction)
        pos, mat = self.data.geom_xpos[g], self.data.geom_xmat[g]
        size = np.zeros(3) if kind == "plane" else self.model.geom_size[g]
        return mujoco.mju_rayGeom(pos, mat, size, origin, direction, self.model.geom_type[g])


class Coal:
    def __init__(self, shapes):
        self.shapes = [self.convert(s["type"], s["size"]) for s in shapes]
        self.request = coal.DistanceRequest()
        self.request.enable_signed_distance = True
        self.request.gjk_tolerance = self.request.epa_tolerance = TOLERANCE
        self.request.gjk_max_iterations = self.request.epa_max_iterations = 1000

    @staticmethod
    def convert(kind, size):
        if kind == "plane":
            return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
        if kind == "sphere":
            return coal.Sphere(*size)
        if kind == "box":
            return coal.Box(*[2 * s for s in size])
        if kind == "ellipsoid":
            return coal.Ellipsoid(*size)
        if kind in ("capsule", "cylinder", "cone"):
            return {"capsule": coal.Capsule, "cylinder": coal.Cylinder, "cone": coal.Cone}[kind](size[0], 2 * size[1])
        if kind == "convex":
            points = coal.StdVec_Vec3s()
            points.extend(np.array(size).reshape(-1, 3))
            return coal.Convex.convexHull(points, True, "Qt")
        return None

    def distance(self, pair):
        a, b = self.shapes[pair["a"]], self.shapes[pair["b"]]
        if a is None or b is None:
            return None
        place = lambda X: coal.Transform3s(rotation(X[3:]), np.array(X[:3]))
        result = coal.DistanceResult()
        return coal.distance(a, place(pair["X_WA"]), b, place(pair["X_WB"]), self.request, result)


def support(shape, d):
    """The point of the shape farthest along d, in its frame; of a plane, its origin."""
    kind, size = shape["type"], shape["size"]
    d = np.asarray(d)
    across = np.hypot(d[0], d[1])
    rim = d[:2] / across if across > 0 else np.array([1.0, 0.0])
    up = 1.0 if d[2] >= 0 else -1.0
    if kind == "sphere":
        return d * size[0]
    if kind == "box":
        return np.where(d >= 0, size, -np.array(size))
    if kind == "capsule":
        return d * size[0] + np.array([0, 0, up * size[1]])
    if kind == "cylinder":
        return np.array([*(rim * size[0]), up * size[1]])
    if kind == "cone":
        ends = np.array([[*(rim * size[0]), -size[1]], [0, 0, size[1]]])
        return ends[np.argmax(ends @ d)]
    if kind == "ellipsoid":
        scaled = d * size
        return scaled * size / np.linalg.norm(scaled)
    if kind == "convex":
        points = np.array(size).reshape(-1, 3)
        return points[np.argmax(points @ d)]
    return np.zeros(3)


def separation(shapes, pair):
    """Of the pair along our normal [m]."""
    n = np.array(pair["normal"])
    ends = []
    for which, X, sign in (("a", pair["X_WA"], 1.0), ("b", pair["X_WB"], -1.0)):
        R = rotation(X[3:])
        ends.append(n @ (R @ support(shapes[pair[which]], R.T @ n * sign) + np.array(X[:3])))
    return ends[1] - ends[0]


class Worst:
    def __init__(self):
        self.rows = {}

    def add(self, name, differences, case, missed=False):
        row = self.rows.setdefault(name, {"cases": 0, "missed": 0, "refuted": 0, "worst": 0.0, "by": {}, "case": None})
        row["cases"] += 1
        row["missed"] += missed
        attained = differences.pop("attained", 0.0)
        for who, d in differences.items():
            row["by"][who] = max(row["by"].get(who, 0.0), d)
        nearest = max(min(differences.values(), default=0.0), attained)
        if nearest > row["worst"]:
            row["worst"], row["case"] = nearest, case


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        task = json.load(file)
    kinds = [s["type"] for s in task["shapes"]]
    witnesses = {"coal": Coal(task["shapes"]), "MuJoCo": Mujoco(task["shapes"])}
    distances, rays = Worst(), Worst()
    for pair in task["pairs"]:
        ours = pair["distance"]
        theirs = {who: w.distance(pair) for who, w in witnesses.items()}
        if ours is None:
            continue  # Two planes.
        answers = {who: d for who, d in theirs.items() if d is not None and abs(d) < FAR}
        along = separation(task["shapes"], pair)
        # MuJoCo's vertices are in single precision.
        differences = {who: abs(d - ours) for who, d in answers.items() if d > along - 1e-7}
        # Our own number must be attained along our own normal.
        refuted = len(answers) - len(differences)
        differences["attained"] = abs(along - ours)
        side = "apart" if ours > 0 else "overlapping"
        case = {**pair, **theirs}
        name = f'{kinds[pair["a"]]} {kinds[pair["b"]]}, {side}'
        distances.add(name, differences, case)
        distances.rows[name]["refuted"] += refuted
    for ray in task["rays"]:
        theirs = witnesses["MuJoCo"].ray(ray)
        inside = np.dot(ray["normal"] or [0, 0, 0], ray["direction"]) > 0
        if theirs is None or inside and kinds[ray["shape"]] in ("plane", "height field"):
            continue
        ours = -1.0 if ray["distance"] is None else ray["distance"]
        missed = (ours < 0) != (theirs < 0)
        case = {**ray, "MuJoCo": theirs}
        rays.add(kinds[ray["shape"]], {"MuJoCo": 0.0 if missed else abs(ours - theirs)}, case, missed)
        if missed:
            rays.rows[kinds[ray["shape"]]].setdefault("missed_case", case)
    print(json.dumps({"distances": distances.rows, "rays": rays.rows}))


main()
