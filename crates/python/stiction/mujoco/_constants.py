"""Constants of a model that are computed, or read from its text, when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import dynamics
from .._tables import Array
from . import _enums
from ._attributes import (
    SHORT,
    SOLIMP,
    SOLREF,
    attribute_of,
    bodies_of,
    chosen,
    filled,
    numbers_in,
    of_dofs,
    places_of,
    user,
    user_sizes,
)
from ._geoms import placed_at_rest
from ._math import rotation_of
from ._meshes import addresses, counted
from ._trees import (
    Whole,
    both_in_lower,
    chains,
    counts,
    dof_parents,
    flat,
    lower_in_both,
    of_trees,
    rows_of_bodies,
    rows_of_both,
    starts,
    trees_of_bodies,
)

if TYPE_CHECKING:
    from ._model import MjModel

#: What MuJoCo calls the coincidence of a frame with that of its body, or of the body's inertia.
_NONE, _BODY, _INERTIA, _BODYROT, _INERTIAROT = range(5)


# -------------------------------------------------------------------------------- frames


def _same_frames(m: MjModel, prefix: str) -> NDArray[np.uint8]:
    """How the frames of a kind lie to those of their bodies and of the bodies' inertia."""
    if prefix == "body":
        places, turns, bodies = m.body_ipos, m.body_iquat, None
    else:
        places, turns = getattr(m, f"{prefix}_pos"), getattr(m, f"{prefix}_quat")
        bodies = getattr(m, f"{prefix}_bodyid")
    out = np.zeros(len(places), np.uint8)
    for i, (p, q) in enumerate(zip(places, turns)):
        here, straight = bool((p == 0).all()), bool((q[1:] == 0).all())
        ip, iq = (p, q) if bodies is None else (m.body_ipos[bodies[i]], m.body_iquat[bodies[i]])
        if here and straight:
            out[i] = _BODY
        elif bodies is not None and np.abs(p - ip).max() == 0 and np.abs(q - iq).max() == 0:
            out[i] = _INERTIA
        elif straight:
            out[i] = _BODYROT
        elif bodies is not None and np.abs(q - iq).max() == 0:
            out[i] = _INERTIAROT
    return out


def _round(m: MjModel) -> Array:
    """Radii of balls about the geoms; 0 of planes."""
    out = np.zeros(m.ngeom)
    for i, (kind, size) in enumerate(zip(m.geom_type, m.geom_size)):
        word = _enums.mjtGeom(int(kind)).name if kind >= 0 else ""
        out[i] = {
            "mjGEOM_SPHERE": size[0], "mjGEOM_CAPSULE": size[0] + size[1], "mjGEOM_ELLIPSOID": size.max(),
            "mjGEOM_CYLINDER": np.hypot(size[0], size[1]), "mjGEOM_BOX": np.linalg.norm(size),
            "mjGEOM_MESH": np.linalg.norm(size),
        }.get(word, 0.0)
    return out


def _boxes(m: MjModel) -> Array:
    """Middles and half sizes of boxes about the geoms, in their frames."""
    out = np.zeros((m.ngeom, 6))
    for i, (kind, size) in enumerate(zip(m.geom_type, m.geom_size)):
        a, b, c = size
        word = _enums.mjtGeom(int(kind)).name if kind >= 0 else ""
        if word == "mjGEOM_PLANE":
            # A half-space, to MuJoCo's largest number.
            out[i] = 0, 0, -5e9, 1e10, 1e10, 5e9
            continue
        out[i, 3:] = {
            "mjGEOM_SPHERE": (a, a, a), "mjGEOM_CAPSULE": (a, a, a + b), "mjGEOM_CYLINDER": (a, a, b),
            "mjGEOM_ELLIPSOID": (a, b, c), "mjGEOM_BOX": (a, b, c), "mjGEOM_MESH": (a, b, c),
        }.get(word, (0.0, 0.0, 0.0))
    return out


# ----------------------------------------------------------------------------- reference


def _inverse_mass(m: MjModel) -> Array:
    inverse = getattr(m, "_inverse_mass0", None)
    if inverse is None:
        inverse = np.linalg.inv(dynamics.crba(m._base, m.qpos0)) if m.nv else np.zeros((0, 0))
        m._put(_inverse_mass0=inverse)
    return np.asarray(inverse, dtype=np.float64)


def _weights_of_dofs(m: MjModel) -> Array:
    """Diagonal of the inverse mass matrix, one number for all rotations of a joint and one for all of its translations."""
    diagonal = np.diag(_inverse_mass(m)).copy()
    for kind, start in zip(m.jnt_type, m.jnt_dofadr):
        for k, n in {0: ((0, 3), (3, 3)), 1: ((0, 3),)}.get(int(kind), ()):
            part = slice(start + k, start + k + n)
            diagonal[part] = diagonal[part].mean()
    return np.asarray(diagonal, dtype=np.float64)


def _weights_of_bodies(m: MjModel) -> Array:
    """Mean inverse masses and inverse inertias that a force and a moment at the centre of mass of a body meet."""
    out, inverse = np.zeros((m.nbody, 2)), _inverse_mass(m)
    if not m.nv:
        return out
    for b in range(1, m.nbody):
        body = m._base.links[b - 1].body
        if body is None:
            continue
        link = m._base.links[b - 1]
        positions, turns = dynamics.body_poses(m._base, m.qpos0)
        at = positions[body] + rotation_of(turns[body]) @ (rotation_of(link.quaternion) @ link.com + link.position)
        along = dynamics.point_jacobian(m._base, m.qpos0, body, at)
        about = dynamics.body_jacobian(m._base, m.qpos0, body)[:3]
        out[b] = np.trace(along @ inverse @ along.T) / 3, np.trace(about @ inverse @ about.T) / 3
    return out


def _accelerations_of_actuators(m: MjModel) -> Array:
    return np.linalg.norm(_inverse_mass(m) @ m._moment.T, axis=0) if m.nv else np.zeros(m.nu)


def statistics(m: MjModel) -> dict[str, Any]:
    """Means of a model, its middle and its extent in the reference configuration."""
    stated = {k: [float(x) for x in v.split()] for k, v in m._stated.statistic.items()}
    mass = m.body_mass[1:]
    places, turns = placed_at_rest(m._base)

    def at(bodies: Whole, points: Array) -> Array:
        return np.array([places[b] + rotation_of(turns[b]) @ p for b, p in zip(bodies, points)]).reshape(-1, 3)

    geoms, around = at(m.geom_bodyid, m.geom_pos), m.geom_rbound[:, None].copy()
    for g in np.flatnonzero(m.geom_type == int(_enums.mjtGeom["mjGEOM_PLANE"])):
        around[g] = 0.1 * max(m.geom_size[g, 0], m.geom_size[g, 1])
    joints = at(m.jnt_bodyid, m.jnt_pos)
    sites = at(m.site_bodyid, m.site_pos)
    points = np.vstack([places, at(np.arange(m.nbody, dtype=np.int32), m.body_ipos), joints, sites, geoms - around, geoms + around])
    least, most = points.min(axis=0), points.max(axis=0)
    extent = float((most - least).max())
    sizes = np.linalg.norm(m.geom_aabb[m.geom_rbound > 0, 3:], axis=1)
    out: dict[str, Any] = {
        "meanmass": float(mass.mean()) if len(mass) else 0.0,
        "meaninertia": float(np.diag(dynamics.crba(m._base, m.qpos0)).mean()) if m.nv else 1.0,
        "extent": extent if extent > 1e-15 else 1.0, "center": (least + most) / 2,
        "meansize": float(sizes.mean()) if len(sizes) else 1.0,
    }
    return out | {k: np.array(v) if k == "center" else v[0] for k, v in stated.items()}


# --------------------------------------------------------------------------------- tables


def _datatypes(m: MjModel) -> Whole:
    """What readings are: numbers, positive numbers, directions, quaternions."""
    kinds = _enums.mjtSensor
    positive = {kinds[f"mjSENS_{name}"] for name in ("TOUCH",)}
    axes = {kinds[f"mjSENS_FRAME{a}AXIS"] for a in "XYZ"} | {kinds["mjSENS_GEOMNORMAL"]}
    turns = {kinds["mjSENS_BALLQUAT"], kinds["mjSENS_FRAMEQUAT"]}
    out = np.array([1 if k in positive else 2 if k in axes else 3 if k in turns else 0 for k in m.sensor_type], np.int32)
    return _of_users(m, out, "datatype", ("real", "positive", "axis", "quaternion"))


def _of_users(m: MjModel, out: Whole, word: str, words: Sequence[str]) -> Whole:
    """What sensors for users state themselves."""
    for i, a in enumerate(m._stated_of("sensor", m.nsensor) or []):
        if a["tag"] == "user" and a.get(word) in words:
            out[i] = words.index(a[word])
    return out


def _stages(m: MjModel) -> Whole:
    """What must be known for a reading: positions, velocities, accelerations."""
    words = "VELOCIMETER GYRO JOINTVEL TENDONVEL ACTUATORVEL BALLANGVEL JOINTLIMITVEL TENDONLIMITVEL FRAMELINVEL FRAMEANGVEL SUBTREELINVEL SUBTREEANGMOM E_KINETIC"
    last = "TOUCH ACCELEROMETER FORCE TORQUE ACTUATORFRC JOINTACTFRC TENDONACTFRC JOINTLIMITFRC TENDONLIMITFRC FRAMELINACC FRAMEANGACC CONTACT TACTILE"
    kinds = _enums.mjtSensor
    second, third = ({int(kinds[f"mjSENS_{w}"]) for w in of.split()} for of in (words, last))
    out = np.array([2 if k in second else 3 if k in third else 1 for k in m.sensor_type], np.int32)
    return _of_users(m, out, "needstage", ("none", "pos", "vel", "acc"))


def _light_type(m: MjModel) -> Whole | None:
    stated = m._stated_of("light", m.nlight)
    if stated is None:
        return None
    words = ("spot", "directional", "point", "image")
    return np.array([words.index(a.get("type", "directional" if a.get("directional") == "true" else "spot")) for a in stated], np.int32)


def _directions(m: MjModel) -> Array:
    out = attribute_of("light", "nlight", "dir", np.float64, (0.0, 0.0, -1.0), 3)(m)
    return np.asarray(out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-15), dtype=np.float64)


def _pixels(column: int) -> Callable[[MjModel], Any]:
    """Height, or width, of textures that are made by their names: cubes have six squares one below the other."""

    def read(m: MjModel) -> Whole | None:
        stated = m._stated.of("texture")
        if any(a.get("builtin", "none") == "none" for a in stated):
            return None
        sizes = [(int(a.get("height", 0)) if a.get("type", "cube") == "2d" else 6 * int(a.get("width", 0)), int(a.get("width", 0))) for a in stated]
        return np.array([size[column] for size in sizes], np.int32)

    return read


def _materials(m: MjModel) -> Whole | None:
    """Materials of geoms: their own, or those of their meshes."""
    stated = m._stated_of("geom", m.ngeom)
    if stated is None:
        return None
    names, of_mesh = m._stated.names("material"), dict(zip(m._stated.names("mesh"), (a.get("material") for a in m._stated.of("mesh"))))
    said = [a.get("material") or of_mesh.get(a.get("mesh", "")) for a in stated]
    return np.array([names.index(name) if name in names else -1 for name in said], np.int32)


i4, f4 = np.int32, np.float32
_MODES = ("fixed", "track", "trackcom", "targetbody", "targetbodycom")

#: Constants by name; None is not offered: the text does not say.
CONSTANTS: dict[str, Callable[[MjModel], Any]] = {
    "tex_height": _pixels(0), "tex_width": _pixels(1),
    "mesh_vertnum": lambda m: np.array(counted(m, 0), np.int32), "mesh_vertadr": lambda m: addresses(m, 0),
    "mesh_facenum": lambda m: np.array(counted(m, 1), np.int32), "mesh_faceadr": lambda m: addresses(m, 1),
    "dof_parentid": dof_parents,
    "dof_treeid": lambda m: np.array(trees_of_bodies(m)[m.dof_bodyid], np.int32),
    "body_treeid": trees_of_bodies,
    "dof_Madr": lambda m: starts(chains(m)),
    "M_rownnz": lambda m: counts(chains(m)), "M_rowadr": lambda m: starts(chains(m)),
    "M_colind": lambda m: flat(chains(m)), "mapM2M": lambda m: np.array([s + k for s, row in zip(starts(chains(m)), chains(m)) for k in range(len(row) - 1, -1, -1)], np.int32),
    "D_rownnz": lambda m: counts(rows_of_both(m)), "D_rowadr": lambda m: starts(rows_of_both(m)),
    "D_colind": lambda m: flat(rows_of_both(m)),
    "D_diag": lambda m: np.array([row.index(i) for i, row in enumerate(rows_of_both(m))], np.int32),
    "mapD2M": lower_in_both, "mapM2D": both_in_lower,
    "B_rownnz": lambda m: counts(rows_of_bodies(m)), "B_rowadr": lambda m: starts(rows_of_bodies(m)),
    "B_colind": lambda m: flat(rows_of_bodies(m)),
    "tree_bodyadr": lambda m: of_trees(m, "body")[0], "tree_bodynum": lambda m: of_trees(m, "body")[1],
    "tree_dofadr": lambda m: of_trees(m, "dof")[0], "tree_dofnum": lambda m: of_trees(m, "dof")[1],
    "body_sameframe": lambda m: _same_frames(m, "body"), "geom_sameframe": lambda m: _same_frames(m, "geom"),
    "site_sameframe": lambda m: _same_frames(m, "site"),
    "body_simple": filled("nbody", dtype=np.uint8),
    "body_plugin": filled("nbody", of=-1, dtype=i4), "geom_plugin": filled("ngeom", of=-1, dtype=i4),
    "actuator_plugin": filled("nu", of=-1, dtype=i4), "sensor_plugin": filled("nsensor", of=-1, dtype=i4),
    "body_bvhadr": filled("nbody", of=-1, dtype=i4), "body_bvhnum": filled("nbody", dtype=i4),
    "body_contype": lambda m: _over_geoms(m, m.geom_contype), "body_conaffinity": lambda m: _over_geoms(m, m.geom_conaffinity),
    "body_gravcomp": attribute_of("body", "nbody", "gravcomp", np.float64, 0.0),
    "body_user": user("body", "nbody", "nuser_body"), "jnt_user": user("joint", "njnt", "nuser_jnt"),
    "geom_user": user("geom", "ngeom", "nuser_geom"), "site_user": user("site", "nsite", "nuser_site"),
    "cam_user": user("camera", "ncam", "nuser_cam"), "tendon_user": user("tendon", "ntendon", "nuser_tendon"),
    "actuator_user": user("actuator", "nu", "nuser_actuator"), "sensor_user": user("sensor", "nsensor", "nuser_sensor"),
    "body_invweight0": _weights_of_bodies, "dof_invweight0": _weights_of_dofs,
    "dof_M0": lambda m: np.diag(dynamics.crba(m._base, m.qpos0)).copy() if m.nv else np.zeros(0),
    "actuator_acc0": _accelerations_of_actuators,
    "jnt_group": attribute_of("joint", "njnt", "group", i4, 0), "jnt_margin": attribute_of("joint", "njnt", "margin", np.float64, 0.0),
    "jnt_solref": attribute_of("joint", "njnt", "solreflimit", np.float64, SOLREF, 2),
    "jnt_solimp": attribute_of("joint", "njnt", "solimplimit", np.float64, SOLIMP, 5),
    "jnt_stiffnesspoly": filled("njnt", 2), "jnt_springyield": filled("njnt"),
    "jnt_plasticadr": filled("njnt", of=-1, dtype=i4),
    "dof_dampingpoly": filled("nv", 2), "dof_solref": of_dofs("solreffriction"), "dof_solimp": of_dofs("solimpfriction"),
    "geom_group": attribute_of("geom", "ngeom", "group", i4, 0), "geom_priority": attribute_of("geom", "ngeom", "priority", i4, 0),
    "geom_solmix": attribute_of("geom", "ngeom", "solmix", np.float64, 1.0), "geom_gap": attribute_of("geom", "ngeom", "gap", np.float64, 0.0),
    "geom_matid": _materials, "geom_rbound": _round, "geom_aabb": _boxes,
    "geom_adhesion": filled("ngeom"), "geom_surfacevel": filled("ngeom", 6), "geom_fluid": filled("ngeom", 12),
    "geom_castshadow": filled("ngeom", of=True, dtype=bool),
    "site_group": attribute_of("site", "nsite", "group", i4, 0), "site_matid": places_of("site", "nsite", "material", "material"),
    "site_dataid": filled("nsite", of=-1, dtype=i4),
    "cam_mode": chosen("camera", "ncam", "mode", _MODES), "cam_ipd": attribute_of("camera", "ncam", "ipd", np.float64, 0.068),
    "cam_targetbodyid": places_of("camera", "ncam", "target", "body"),
    "cam_projection": chosen("camera", "ncam", "projection", ("perspective", "orthographic")),
    "cam_resolution": attribute_of("camera", "ncam", "resolution", i4, (1, 1), 2),
    "cam_sensorsize": attribute_of("camera", "ncam", "sensorsize", f4, (0.0, 0.0), 2),
    "light_bodyid": bodies_of("light"), "light_mode": chosen("light", "nlight", "mode", _MODES), "light_type": _light_type,
    "light_targetbodyid": places_of("light", "nlight", "target", "body"), "light_texid": places_of("light", "nlight", "texture", "texture"),
    "light_castshadow": attribute_of("light", "nlight", "castshadow", bool, True), "light_active": attribute_of("light", "nlight", "active", bool, True),
    "light_bulbradius": attribute_of("light", "nlight", "bulbradius", f4, 0.02), "light_intensity": attribute_of("light", "nlight", "intensity", f4, 0.0),
    "light_range": attribute_of("light", "nlight", "range", f4, 10.0), "light_cutoff": attribute_of("light", "nlight", "cutoff", f4, 45.0),
    "light_exponent": attribute_of("light", "nlight", "exponent", f4, 10.0), "light_dir": _directions,
    "light_attenuation": attribute_of("light", "nlight", "attenuation", f4, (1.0, 0.0, 0.0), 3),
    "light_ambient": attribute_of("light", "nlight", "ambient", f4, 0.0, 3), "light_diffuse": attribute_of("light", "nlight", "diffuse", f4, 0.7, 3),
    "light_specular": attribute_of("light", "nlight", "specular", f4, 0.3, 3),
    "mat_texuniform": attribute_of("material", "nmat", "texuniform", bool, False),
    "mat_texrepeat": attribute_of("material", "nmat", "texrepeat", f4, 1.0, 2), "mat_emission": attribute_of("material", "nmat", "emission", f4, 0.0),
    "mat_specular": attribute_of("material", "nmat", "specular", f4, 0.5), "mat_shininess": attribute_of("material", "nmat", "shininess", f4, 0.5),
    "mat_reflectance": attribute_of("material", "nmat", "reflectance", f4, 0.0), "mat_metallic": attribute_of("material", "nmat", "metallic", f4, -1.0),
    "mat_roughness": attribute_of("material", "nmat", "roughness", f4, -1.0),
    "tendon_group": attribute_of("tendon", "ntendon", "group", i4, 0), "tendon_width": attribute_of("tendon", "ntendon", "width", np.float64, 0.003),
    "tendon_matid": places_of("tendon", "ntendon", "material", "material"),
    "tendon_margin": attribute_of("tendon", "ntendon", "margin", np.float64, 0.0),
    "tendon_frictionloss": attribute_of("tendon", "ntendon", "frictionloss", np.float64, 0.0),
    "tendon_armature": attribute_of("tendon", "ntendon", "armature", np.float64, 0.0),
    "tendon_stiffness": lambda m: np.array([t.stiffness for t in m._base.tendons]),
    "tendon_damping": lambda m: np.array([t.damping for t in m._base.tendons]),
    "tendon_limited": lambda m: np.array([t.limit is not None for t in m._base.tendons], bool),
    "tendon_range": lambda m: np.array([t.limit or (0.0, 0.0) for t in m._base.tendons]).reshape(-1, 2),
    "tendon_rgba": attribute_of("tendon", "ntendon", "rgba", f4, (0.5, 0.5, 0.5, 1.0), 4),
    "tendon_solref_lim": attribute_of("tendon", "ntendon", "solreflimit", np.float64, SOLREF, 2),
    "tendon_solimp_lim": attribute_of("tendon", "ntendon", "solimplimit", np.float64, SOLIMP, 5),
    "tendon_solref_fri": attribute_of("tendon", "ntendon", "solreffriction", np.float64, SOLREF, 2),
    "tendon_solimp_fri": attribute_of("tendon", "ntendon", "solimpfriction", np.float64, SOLIMP, 5),
    "tendon_stiffnesspoly": filled("ntendon", 2), "tendon_dampingpoly": filled("ntendon", 2),
    "tendon_springyield": filled("ntendon"), "tendon_plasticadr": filled("ntendon", of=-1, dtype=i4),
    "actuator_group": attribute_of("actuator", "nu", "group", i4, 0), "actuator_ctrladr": lambda m: np.arange(m.nu, dtype=np.int32),
    "actuator_ctrlnum": filled("nu", of=1, dtype=i4), "actuator_outadr": lambda m: np.arange(m.nu, dtype=np.int32),
    "actuator_outnum": filled("nu", of=1, dtype=i4), "actuator_actnum": filled("nu", dtype=i4),
    "actuator_actlimited": filled("nu", of=False, dtype=bool), "actuator_actearly": filled("nu", of=False, dtype=bool),
    "actuator_actrange": filled("nu", 2), "actuator_history": filled("nu", 2, dtype=i4),
    "actuator_historyadr": filled("nu", of=-1, dtype=i4), "actuator_delay": filled("nu"),
    "actuator_cranklength": filled("nu"), "actuator_dampingpoly": filled("nu", 2),
    "sensor_datatype": _datatypes, "sensor_needstage": _stages, "sensor_history": filled("nsensor", 2, dtype=i4),
    "sensor_historyadr": filled("nsensor", of=-1, dtype=i4), "sensor_delay": filled("nsensor"), "sensor_interval": filled("nsensor", 2),
    "body_margin": lambda m: _over_geoms_most(m), "jnt_actuatorid": filled("njnt", of=-1, dtype=i4),
    "jnt_actfrcrange": attribute_of("joint", "njnt", "actuatorfrcrange", np.float64, 0.0, 2),
    "jnt_actfrclimited": lambda m: _limited(m, "joint", "njnt", "actuatorfrclimited", "actuatorfrcrange"),
    "jnt_actgravcomp": attribute_of("joint", "njnt", "actuatorgravcomp", bool, False),
    "geom_dataid": lambda m: _meshes(m),
    "cam_output": filled("ncam", of=1, dtype=i4),
    "cam_pos0": lambda m: _cameras(m)[0], "cam_poscom0": lambda m: _cameras(m)[1], "cam_mat0": lambda m: _cameras(m)[2],
    "light_softness": attribute_of("light", "nlight", "softness", f4, 0.2),
    "light_pos0": lambda m: _lit(m)[0], "light_poscom0": lambda m: _lit(m)[1], "light_dir0": lambda m: _lit(m)[2],
    "exclude_signature": lambda m: _pairs(m),
    "eq_type": lambda m: _equalities(m)[0], "eq_obj1id": lambda m: _equalities(m)[1], "eq_obj2id": lambda m: _equalities(m)[2],
    "eq_objtype": lambda m: _equalities(m)[3],
    "eq_solref": attribute_of("equality", "neq", "solref", np.float64, SOLREF, 2), "eq_solimp": attribute_of("equality", "neq", "solimp", np.float64, SOLIMP, 5),
    "tendon_type": filled("ntendon", dtype=i4), "tendon_adr": lambda m: starts(_wraps(m)), "tendon_num": lambda m: counts(_wraps(m)),
    "tendon_actuatorid": filled("ntendon", of=-1, dtype=i4), "tendon_actfrcrange": filled("ntendon", 2),
    "tendon_actfrclimited": filled("ntendon", dtype=bool), "ten_J_rownnz": lambda m: counts(_jacobians(m)),
    "ten_J_rowadr": lambda m: starts(_jacobians(m)), "ten_J_colind": lambda m: flat(_jacobians(m)),
    "wrap_type": lambda m: np.full(m.nwrap, 1, np.int32), "wrap_objid": lambda m: np.array(m.dof_jntid[flat(_wraps(m))], np.int32),
    "wrap_prm": lambda m: m._coefficients,
    "tendon_length0": lambda m: m._tendon_lengths(m.qpos0),
    "tendon_invweight0": lambda m: np.einsum("ti,ij,tj->t", m._tendon_terms()[1], _inverse_mass(m), m._tendon_terms()[1]),
    "tendon_lengthspring": attribute_of("tendon", "ntendon", "springlength", np.float64, 0.0, 2),
    "actuator_damping": filled("nu"), "actuator_armature": filled("nu"), "actuator_dynprm": lambda m: np.tile([1.0, *[0.0] * 9], (m.nu, 1)),
    "actuator_length0": lambda m: m._moment @ np.where(np.isin(m.jnt_type[m.dof_jntid], (2, 3)), m.qpos0[[m._q_of(i) for i in range(m.nv)]], 0.0),
    "actuator_lengthrange": attribute_of("actuator", "nu", "lengthrange", np.float64, 0.0, 2),
    "sensor_objtype": lambda m: _sensed(m)[0], "sensor_objid": lambda m: _sensed(m)[1], "sensor_reftype": lambda m: _sensed(m)[2],
    "sensor_refid": lambda m: _sensed(m)[3], "sensor_intprm": filled("nsensor", 3, dtype=i4),
    "mat_texid": lambda m: _textures(m), "tex_type": chosen("texture", "ntex", "type", ("cube", "2d", "skybox"), (1, 0, 2)),
    "key_mpos": lambda m: _keyed(m, "mpos", m.body_pos, 3), "key_mquat": lambda m: _keyed(m, "mquat", m.body_quat, 4),
    "text_adr": lambda m: starts([list(range(len(a.get("data", "")) + 1)) for a in m._stated.of("text")]),
    "text_size": lambda m: np.array([len(a.get("data", "")) + 1 for a in m._stated.of("text")], np.int32),
}


def _over_geoms_most(m: MjModel) -> Array:
    out = np.zeros(m.nbody)
    np.maximum.at(out, m.geom_bodyid, m.geom_margin)
    return out


def _limited(m: MjModel, kind: str, count: str, word: str, range_word: str) -> NDArray[np.bool_] | None:
    stated = m._stated_of(kind, getattr(m, count))
    if stated is None:
        return None
    return np.array([a.get(word, "true" if range_word in a else "false") == "true" or a.get(word) == "auto" and range_word in a for a in stated])


def _meshes(m: MjModel) -> Whole | None:
    """Meshes and height fields of the geoms."""
    if not m.nmesh and not m.nhfield:
        return np.full(m.ngeom, -1, np.int32)
    stated = m._stated_of("geom", m.ngeom)
    if stated is None:
        return None
    meshes, fields = m._stated.names("mesh"), m._stated.names("hfield")
    return np.array(
        [meshes.index(a["mesh"]) if a.get("mesh") in meshes else fields.index(a["hfield"]) if a.get("hfield") in fields else -1 for a in stated],
        np.int32,
    )


def _textures(m: MjModel) -> Whole:
    """Textures of materials by their roles, of which the second is the colour."""
    out, names = np.full((m.nmat, 10), -1, np.int32), m._stated.names("texture")
    for row, attributes in zip(out, m._stated.of("material")):
        if attributes.get("texture") in names:
            row[1] = names.index(attributes["texture"])
    return out


def _pairs(m: MjModel) -> Whole:
    names = ["world", *m._base.links.names]
    bodies = [[names.index(a[word]) for word in ("body1", "body2")] for a in m._stated.of("exclude")]
    return np.array([(min(pair) << 16) + max(pair) for pair in bodies], np.int32)


def _at_rest(m: MjModel) -> tuple[Array, Array, Array]:
    """Places and axes of bodies, and centres of mass of what hangs on them, in the reference configuration."""
    known = m.__dict__.get("_rest")
    if known is None:
        places, turns = placed_at_rest(m._base)
        axes = np.array([rotation_of(q) for q in turns])
        first = (places + np.einsum("bij,bj->bi", axes, m.body_ipos)) * m.body_mass[:, None]
        mass = m.body_mass.copy()
        for b in range(m.nbody - 1, 0, -1):
            mass[m.body_parentid[b]] += mass[b]
            first[m.body_parentid[b]] += first[b]
        centres = np.where(mass[:, None] > 0, first / np.where(mass > 0, mass, 1.0)[:, None], places)
        known = (places, axes, centres)
        m._put(_rest=known)
    return known


def _from_bodies(m: MjModel, bodies: Whole, points: Array) -> tuple[Array, Array]:
    """From origins, and from centres of mass, of bodies to points in them, in the world's axes."""
    places, axes, centres = _at_rest(m)
    out = np.einsum("bij,bj->bi", axes[bodies], points)
    return out, out + places[bodies] - centres[bodies]


def _cameras(m: MjModel) -> tuple[Array, Array, Array]:
    axes = [(_at_rest(m)[1][b] @ rotation_of(q)).ravel() for b, q in zip(m.cam_bodyid, m.cam_quat)]
    along, beyond = _from_bodies(m, m.cam_bodyid, m.cam_pos)
    centres, target = _at_rest(m)[2], m.cam_targetbodyid
    if target is not None:
        beyond += np.where(target >= 0, 1.0, 0.0)[:, None] * (centres[m.cam_bodyid] - centres[target])
    return along, beyond, np.array(axes).reshape(-1, 9)


def _lit(m: MjModel) -> tuple[Array, Array, Array]:
    along = np.einsum("bij,bj->bi", _at_rest(m)[1][m.light_bodyid], m.light_dir)
    return *_from_bodies(m, m.light_bodyid, m.light_pos), along


def _wraps(m: MjModel) -> list[list[int]]:
    """Velocities of the terms of tendons that are sums of joints."""
    return [[dof for t, dof in m._terms if t == tendon] for tendon in range(m.ntendon)]


def _jacobians(m: MjModel) -> list[list[int]]:
    """Velocities that tendons depend on."""
    return [sorted(set(row)) for row in _wraps(m)]


def driven(m: MjModel) -> list[list[int]]:
    """Velocities that actuators drive."""
    tendons = _jacobians(m)
    return [
        tendons[int(m.actuator_trnid[i, 0])] if int(m.actuator_trntype[i]) == 3 and m.actuator_trnid[i, 0] >= 0 else sorted(np.flatnonzero(row))
        for i, row in enumerate(m._moment0)
    ]


def _equalities(m: MjModel) -> tuple[Whole, Whole, Whole, Whole] | tuple[None, None, None, None]:
    """Kind of every equality, and the numbers of what it holds together."""
    stated = m._stated_of("equality", m.neq)
    kinds = {"connect": 0, "weld": 1, "joint": 2, "tendon": 3}
    if stated is None or any(a["tag"] not in kinds for a in stated):
        return None, None, None, None
    places: dict[str, list[str]] = {
        "body": ["world", *m._base.links.names], "site": m._base.sites.names, "joint": m._base.joints.names, "tendon": m._base.tendons.names,
    }
    out = []
    for a in stated:
        words = ("body", "site") if a["tag"] in ("connect", "weld") else (a["tag"],)
        of = next((word for word in words if f"{word}1" in a), words[0])
        second = a.get(f"{of}2")
        nothing = 0 if of == "body" else -1
        kind = {"body": 1, "site": 6}.get(of, 0)
        out.append((kinds[a["tag"]], places[of].index(a[f"{of}1"]), places[of].index(second) if second else nothing, kind))
    columns = np.array(out, np.int32).reshape(-1, 4).T
    return columns[0].copy(), columns[1].copy(), columns[2].copy(), columns[3].copy()


def _sensed(m: MjModel) -> tuple[Whole, Whole, Whole, Whole]:
    """Kind and number of what every sensor measures, and of what it refers to."""
    out = []
    for s in m._base.sensors:
        row = [0, -1, 0, -1]
        for k, (kind_word, name_word) in enumerate((("objtype", "objname"), ("reftype", "refname"))):
            if name_word in s.of:
                kind = _enums.mjtObj[f"mjOBJ_{s.of.get(kind_word, 'xbody').upper()}"]
                row[2 * k : 2 * k + 2] = [int(kind), m.id_of(kind, s.of[name_word])]
        for k in (1, 2):
            for word, name in ((f"geom{k}", "GEOM"), (f"body{k}", "BODY")):
                if word in s.of:
                    kind = _enums.mjtObj[f"mjOBJ_{name}"]
                    row[2 * k - 2 : 2 * k] = [int(kind), m.id_of(kind, s.of[word])]
        for word, name in (("site", "SITE"), ("joint", "JOINT"), ("actuator", "ACTUATOR"), ("tendon", "TENDON"), ("body", "BODY")):
            if word in s.of and "objname" not in s.of:
                kind = _enums.mjtObj[f"mjOBJ_{name}"]
                row[:2] = [int(kind), m.id_of(kind, s.of[word])]
        out.append(row)
    columns = np.array(out, np.int32).reshape(-1, 4).T
    return columns[0].copy(), columns[1].copy(), columns[2].copy(), columns[3].copy()


def _over_geoms(m: MjModel, bits: Whole) -> Whole:
    out = np.zeros(m.nbody, np.int32)
    np.bitwise_or.at(out, m.geom_bodyid, bits)
    return out


def _keyed(m: MjModel, word: str, at_rest: Array, columns: int) -> Array | None:
    """Places of bodies that are moved by hand in keyframes."""
    keys = m._stated_of("key", m.nkey)
    if keys is None:
        return None
    rest = at_rest[[b for b in range(m.nbody) if m.body_mocapid[b] >= 0]].ravel()
    out = np.tile(rest, (m.nkey, 1)).reshape(m.nkey, m.nmocap * columns)
    for row, attributes in zip(out, keys):
        if word in attributes:
            row[:] = numbers_in(attributes[word])
    return out


def _ntree(m: MjModel) -> int:
    return int(trees_of_bodies(m).max(initial=-1)) + 1


#: Sizes and other whole numbers by name. What is in neither this nor the model is 0: there is nothing of it here.
NUMBERS: dict[str, Callable[[MjModel], int]] = {
    "nactuator": lambda m: int(m.nu), "nout": lambda m: int(m.nu), "ntree": _ntree,
    "nC": lambda m: sum(map(len, chains(m))), "nM": lambda m: sum(map(len, chains(m))),
    "nD": lambda m: sum(map(len, rows_of_both(m))), "nB": lambda m: sum(map(len, rows_of_bodies(m))),
    "nJmom": lambda m: sum(map(len, driven(m))),
    "npaths": lambda m: len(m.paths), "nwrap": lambda m: sum(int(a["parts"]) for a in m._stated.of("tendon")), "nJten": lambda m: 0 if any(t.spatial for t in m._base.tendons) else sum(map(len, _jacobians(m))),
    "nmesh": lambda m: len(m._stated.of("mesh")), "nmeshvert": lambda m: sum(counted(m, 0)), "nmeshface": lambda m: sum(counted(m, 1)), "nhfield": lambda m: len(m._stated.of("hfield")),
    "ntex": lambda m: len(m._stated.of("texture")), "npair": lambda m: len(m._stated.of("pair")),
    "nexclude": lambda m: len(m._stated.of("exclude")), "ntext": lambda m: len(m._stated.of("text")),
    "ntuple": lambda m: len(m._stated.of("tuple")),
    "ntextdata": lambda m: sum(len(a.get("data", "")) + 1 for a in m._stated.of("text")),
    "nnames": lambda m: len(m.names), "njmax": lambda m: int(m._stated.sizes.get("njmax", -1)),
    "nconmax": lambda m: int(m._stated.sizes.get("nconmax", -1)),
    "ngravcomp": lambda m: sum(float(a.get("gravcomp", 0)) != 0 for a in m._stated.of("body")),
    "flg_gravcomp": lambda m: int(m.ngravcomp > 0),
    **{f"nuser_{SHORT.get(k, k)}": user_sizes(k) for k in ("body", "joint", "geom", "site", "camera", "tendon", "actuator", "sensor")},
}
