"""The arrays of a model under MuJoCo's names, as it is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._model import Model
from .._tables import Array, Keyframe
from . import _enums
from ._geoms import SHAPES, fixed, placed_at_rest, principal, rows, sizes_of, within
from ._guard import Guarded
from ._math import quaternion_product, rotation_of
from ._senses import WORDS, width
from ._text import Stated

_JOINTS = {"free": 0, "ball": 1, "slide": 2, "hinge": 3}


def _own(values: Any) -> NDArray[Any]:
    return np.array(values, dtype=np.float64)


def _equality_data(model: Model, stated: Stated) -> Array:
    """Numbers of equalities as MuJoCo lays them out: points and pose, or coefficients."""
    out = np.zeros((len(model._described["equalities"]), 11))
    frames, texts = model._described["loop_frames"], stated.of("equality")
    for i, (row, equality) in enumerate(zip(out, model._described["equalities"])):
        row[10] = 1.0
        if equality["loop"] is None:
            row[1] = 1.0
            given = texts[i].get("polycoef", "") if len(texts) == len(out) else ""
            row[: len(given.split())] = [float(x) for x in given.split()]
            continue
        frame = frames[equality["loop"]]
        (p, q), (x, r) = frame["poses"]
        if model.loops[equality["loop"]].holds == "frame":
            back = np.array([r[0], -r[1], -r[2], -r[3]])
            turn = quaternion_product(q, back)
            row[:3], row[6:10] = x, turn
            row[3:6] = p - rotation_of(turn) @ x
            row[10] = frame["torque_scale"]
        else:
            row[:3], row[3:6] = p, x
    return out


class BuiltModel(Guarded):
    """A model with its arrays."""

    def _put_bodies(self, model: Model) -> None:
        links, joints = list(model.links), list(model.joints)
        parent = [0] + [0 if b.parent is None else b.parent + 1 for b in links]
        heads = [False] + [
            b.body is not None and (b.parent is None or links[b.parent].body != b.body) for b in links
        ]
        root, weld = [0], [0]
        for b in range(1, len(parent)):
            root.append(b if parent[b] == 0 else root[parent[b]])
            weld.append(b if heads[b] or b - 1 in self._mocap_links else weld[parent[b]])
        mass = [0.0] + [b.mass for b in links]
        subtree = list(mass)
        for b in range(len(parent) - 1, 0, -1):
            subtree[parent[b]] += subtree[b]
        of_body = {b.body: i + 1 for i, b in enumerate(links) if heads[i + 1]}
        numbers = np.zeros((len(parent), 4), np.int32)
        numbers[:, 0] = numbers[:, 2] = -1
        for b, body in enumerate(model.bodies):
            if b in of_body:
                n_joints, n_dofs = body.joints.stop - body.joints.start, body.dofs.stop - body.dofs.start
                numbers[of_body[b]] = (body.joints.start, n_joints, body.dofs.start, n_dofs)
        geom_body = [g["body"] for g in self._geoms]
        geom_adr = [geom_body.index(b) if b in geom_body else -1 for b in range(len(parent))]
        p, r = placed_at_rest(model)
        local = [within((p[a], r[a]), (p[b], r[b])) for b, a in enumerate(parent)]
        axes = [*model._described["inertial_axes"], *[None] * len(links)]
        inertias = [principal(np.zeros((3, 3))), *(principal(np.reshape(b.inertia, (3, 3)), q) for b, q in zip(links, axes))]
        self._put(
            _of_body=of_body,
            body_parentid=fixed(parent, np.int32), body_rootid=fixed(root, np.int32), body_weldid=fixed(weld, np.int32),
            body_mass=np.array(mass), body_subtreemass=fixed(subtree),
            body_inertia=fixed([x[0] for x in inertias]), body_iquat=fixed([x[1] for x in inertias]),
            body_ipos=fixed([(0.0, 0.0, 0.0), *(b.com for b in links)]),
            body_pos=rows([x[0] for x in local], 3), body_quat=rows([x[1] for x in local], 4),
            body_jntadr=fixed(numbers[:, 0], np.int32), body_jntnum=fixed(numbers[:, 1], np.int32),
            body_dofadr=fixed(numbers[:, 2], np.int32), body_dofnum=fixed(numbers[:, 3], np.int32),
            body_geomadr=fixed(geom_adr, np.int32),
            body_geomnum=fixed([geom_body.count(b) for b in range(len(parent))], np.int32),
            body_mocapid=fixed(
                [self._mocap_links.index(b - 1) if b - 1 in self._mocap_links else -1 for b in range(len(parent))], np.int32
            ),
            jnt_bodyid=fixed([of_body.get(j.body, 0) for j in joints], np.int32),
        )

    def _put_joints(self, model: Model) -> None:
        joints = list(model.joints)
        numbers = model.fields()
        of_dof = [i for i, j in enumerate(joints) for _ in range(j.v.stop - j.v.start)]
        spring = np.array(model.neutral())
        for j in joints:
            if j.q.stop - j.q.start == 1:
                spring[j.q] = j.spring_rest
        anchors = [
            self._in_body(model, j.body, j.anchor) if j.kind in ("hinge", "slide", "screw") else (0.0, 0.0, 0.0)
            for j in joints
        ]
        self._put(
            qpos0=fixed(model.neutral()), qpos_spring=fixed(spring),
            jnt_type=fixed([_JOINTS.get(j.kind, -1) for j in joints], np.int32),
            jnt_qposadr=fixed([j.q.start for j in joints], np.int32),
            jnt_dofadr=fixed([j.v.start for j in joints], np.int32),
            jnt_limited=fixed([j.limit is not None for j in joints], bool),
            jnt_range=_own([j.limit or (0.0, 0.0) for j in joints]).reshape(-1, 2),
            jnt_axis=fixed([j.axis if j.kind != "free" else (0.0, 0.0, 1.0) for j in joints]).reshape(-1, 3),
            jnt_pos=fixed(anchors).reshape(-1, 3),
            jnt_stiffness=np.array(numbers["stiffness"]),
            dof_damping=np.array(numbers["damping"]), dof_armature=np.array(numbers["armature"]),
            dof_frictionloss=np.array(numbers["dry_friction"]),
            dof_jntid=fixed(of_dof, np.int32), dof_bodyid=fixed([self.jnt_bodyid[i] for i in of_dof], np.int32),
        )

    def _in_body(self, model: Model, body: int, point: tuple[float, ...]) -> Array:
        """A point of a body of ours in the axes of MuJoCo's."""
        link = model.links[int(self._of_body[body]) - 1]
        return np.asarray(rotation_of(link.quaternion).T @ (np.array(point) - link.position), dtype=np.float64)

    def _local(self, model: Model, link: int | None, position: Any, quaternion: Any) -> tuple[Array, Array]:
        """A pose in a body of ours, or in the world, as one in MuJoCo's body."""
        if link is None:
            return np.array(position), np.array(quaternion)
        on = model.links[link]
        return within((np.array(on.position), np.array(on.quaternion)), (np.array(position), np.array(quaternion)))

    def _put_frames(self, model: Model) -> None:
        geoms = self._geoms
        poses = [self._local(model, g["link"], g["position"], g["quaternion"]) for g in geoms]
        sites = [self._local(model, s.link, s.position, s.quaternion) for s in model.sites]
        cameras = [self._local(model, c.link, c.position, c.quaternion) for c in model.cameras]

        def body(things: Iterable[Any]) -> NDArray[Any]:
            return fixed([0 if t.link is None else t.link + 1 for t in things], np.int32)

        bits = np.array([[g["contype"] for g in geoms], [g["conaffinity"] for g in geoms]], np.int32).reshape(2, -1)
        self._put(
            geom_type=fixed([SHAPES.get(g["shape"]["kind"], -1) for g in geoms], np.int32),
            geom_size=rows(sizes_of(geoms, self._stated.of("geom")), 3),
            geom_bodyid=fixed([g["body"] for g in geoms], np.int32),
            geom_pos=rows([p for p, _ in poses], 3), geom_quat=rows([r for _, r in poses], 4),
            geom_rgba=rows([g["rgba"] for g in geoms], 4, np.float32),
            _bits=bits, _bits_loaded=bits.copy(), geom_contype=bits[0], geom_conaffinity=bits[1],
            geom_condim=fixed([g["condim"] for g in geoms], np.int32),
            geom_margin=_own([g["margin"] for g in geoms]),
            geom_friction=rows([g["friction"] for g in geoms], 3),
            geom_solref=_own([g["solref"] for g in geoms]).reshape(-1, 2),
            geom_solimp=_own([g["solimp"] for g in geoms]).reshape(-1, 5),
            site_bodyid=body(model.sites), site_pos=rows([p for p, _ in sites], 3),
            site_quat=rows([r for _, r in sites], 4),
            site_size=rows([s.size for s in model.sites], 3),
            site_rgba=rows([(0.5, 0.5, 0.5, 1.0)] * len(model.sites), 4, np.float32),
            site_type=fixed([SHAPES.get(s.shape, 2) for s in model.sites], np.int32),
            cam_bodyid=body(model.cameras), cam_pos=fixed([p for p, _ in cameras]).reshape(-1, 3),
            cam_quat=fixed([r for _, r in cameras]).reshape(-1, 4),
            cam_fovy=fixed([np.degrees(c.field_of_view) for c in model.cameras]),
        )

    def _put_actuators(self, model: Model) -> None:
        actuators = list(model.actuators)
        joint_of = {j.v.start: i for i, j in enumerate(model.joints)}

        def ends(pair: Sequence[float | None] | None) -> list[float]:
            return [0.0 if e is None else e for e in pair or (0.0, 0.0)]

        trntype, trnid, gear = [], [], []
        for a in actuators:
            dofs = {dof for dof, _ in a.transmission}
            tendon = [i for i, t in enumerate(model.tendons) if {dof for dof, _ in t.terms} == dofs]
            on_joint = len(a.transmission) == 1
            trntype.append(0 if on_joint else 3)
            trnid.append((joint_of.get(a.transmission[0][0], -1) if on_joint else (tendon or [-1])[0], -1))
            ratio = a.transmission[0][1] if a.transmission else 0.0
            if tendon and a.transmission and not on_joint:
                ratio /= dict(model.tendons[tendon[0]].terms)[a.transmission[0][0]]
            gear.append([ratio, 0, 0, 0, 0, 0])
        moment = np.zeros((model.nu, model.nv))
        for i, a in enumerate(actuators):
            for dof, coefficient in a.transmission:
                moment[i, dof] = coefficient
        terms = [(t, dof, c) for t in range(len(model.tendons)) for dof, c in self._terms_of(model, t)]
        self._put(
            _moment0=moment, _moment_now=moment, _coefficients=_own([c for _, _, c in terms]), _terms=[(t, dof) for t, dof, _ in terms],
            actuator_trntype=fixed(trntype, np.int32), actuator_trnid=fixed(trnid, np.int32).reshape(-1, 2),
            actuator_gear=_own(gear).reshape(-1, 6),
            actuator_gaintype=fixed([0] * model.nu, np.int32),
            actuator_biastype=fixed([int(any((a.bias, a.bias_length, a.bias_velocity))) for a in actuators], np.int32),
            actuator_dyntype=fixed([0] * model.nu, np.int32),
            actuator_gainprm=rows([[a.gain, *[0.0] * 9] for a in actuators], 10),
            actuator_biasprm=rows([[a.bias, a.bias_length, a.bias_velocity, *[0.0] * 7] for a in actuators], 10),
            actuator_ctrllimited=fixed([a.control_limit is not None for a in actuators], bool),
            actuator_ctrlrange=_own([ends(a.control_limit) for a in actuators]).reshape(-1, 2),
            actuator_forcelimited=fixed([a.effort_limit is not None for a in actuators], bool),
            actuator_forcerange=rows([ends(a.effort_limit) for a in actuators], 2),
        )

    def _terms_of(self, model: Model, tendon: int) -> list[tuple[int, float]]:
        """Velocities and coefficients of a tendon that is a sum, those that are 0 too."""
        read, stated = list(model.tendons[tendon].terms), self._stated.terms(tendon)
        first = {j.name: j.v.start for j in model.joints}
        if stated is None or any(joint not in first for joint, _ in stated):
            return read
        found = [(first[joint], c) for joint, c in stated]
        return found if sorted(t for t in found if t[1]) == sorted(t for t in read if t[1]) else read

    def _put_rest(self, model: Model) -> None:
        sensors, keys = list(model.sensors), list(model.keyframes)
        # Keyframes that the file only counts are the reference.
        spare = Keyframe("", tuple(model.neutral()), (0.0,) * model.nv, (0.0,) * model.nu)
        keys += [spare] * (self.nkey - len(keys))
        numerics = model._described["numeric"]
        widths = [s.columns.stop - s.columns.start if s.columns else width(self, i) for i, s in enumerate(sensors)]
        starts = np.cumsum([0, *(w or 0 for w in widths)])
        columns = [slice(-1, -1) if w is None else slice(int(a), int(a) + w) for a, w in zip(starts, widths)]
        kinds = _enums.mjtSensor.__members__

        def filled(k: Sequence[float], n: int) -> list[float]:
            return [*k, *[0.0] * (n - len(k))][:n]

        self._put(
            _columns=columns, _read_here=[i for i, s in enumerate(sensors) if s.columns is None and widths[i] is not None],
            sensor_type=fixed([int(kinds.get(f"mjSENS_{WORDS.get(s.kind, s.kind.upper())}", -1)) for s in sensors], np.int32),
            sensor_adr=fixed([c.start for c in columns], np.int32),
            sensor_dim=fixed([c.stop - c.start for c in columns], np.int32),
            sensor_cutoff=fixed([s.cutoff for s in sensors]), sensor_noise=fixed([s.noise for s in sensors]),
            nsensordata=sum(c.stop - c.start for c in columns),
            key_qpos=rows([filled(k.q, self.nq) for k in keys], max(self.nq, 1)).reshape(self.nkey, self.nq),
            key_qvel=rows([filled(k.v, self.nv) for k in keys], max(self.nv, 1)).reshape(self.nkey, self.nv),
            key_ctrl=rows([filled(k.control, self.nu) for k in keys], max(self.nu, 1)).reshape(self.nkey, self.nu),
            key_time=np.array([*model._described["key_times"], *[0.0] * self.nkey][: self.nkey]),
            numeric_data=_own([x for n in numerics for x in n["data"]]),
            numeric_size=fixed([len(n["data"]) for n in numerics], np.int32),
            numeric_adr=fixed(np.cumsum([0, *(len(n["data"]) for n in numerics)])[: len(numerics)], np.int32),
            nnumeric=len(numerics), nnumericdata=sum(len(n["data"]) for n in numerics),
            actuator_actadr=fixed([-1] * self.nu, np.int32),
            eq_data=_equality_data(model, self._stated), eq_active0=fixed([e["active"] for e in model._described["equalities"]], bool),
        )
        stated = self._stated
        spaces: dict[str, list[str]] = {
            "body": ["world", *model.links.names], "jnt": model.joints.names, "geom": [g["name"] for g in self._geoms],
            "site": model.sites.names, "cam": model.cameras.names, "light": stated.names("light"), "mesh": stated.names("mesh"),
            "hfield": stated.names("hfield"), "tex": stated.names("texture"), "mat": stated.names("material"),
            "pair": stated.names("pair"), "exclude": stated.names("exclude"),
            "eq": [e["name"] or "" for e in model._described["equalities"]], "tendon": model.tendons.names,
            "actuator": model.actuators.names, "sensor": model.sensors.names, "numeric": [n["name"] for n in numerics],
            "text": stated.names("text"), "tuple": stated.names("tuple"), "key": [key.name for key in keys],
        }
        text = (model.name or "MuJoCo Model").encode() + b"\0"
        for kind, called in spaces.items():
            places = []
            for name in called:
                places.append(len(text))
                text += name.encode() + b"\0"
            self._put(**{f"name_{kind}adr": fixed(places, np.int32)})
        self._put(names=text, paths=b"\0", text_data="".join(a.get("data", "") + "\0" for a in stated.of("text")).encode())
