"""``MjModel``: the names that MuJoCo scripts ask of a model, read from ours."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .._model import Model, load, loads
from .._tables import Array
from .._told import WARNINGS, tell
from . import _enums, _fields
from ._constants import CONSTANTS, NUMBERS, statistics
from ._geoms import (
    body_inertias,
    geoms_of,
    rows,
)
from ._guard import NotOffered
from ._meshes import Files
from ._model_names import NamedModel
from ._options import MjOption, MjVisual
from ._structs import MjStatistic
from ._text import Attributes, Stated, with_included

#: Folders of assets.
_FOLDER = re.compile(r'\b(?:meshdir|texturedir|assetdir)\s*=\s*"([^"/][^"]*)"')


class MjModel(NamedModel):
    """A model under the names of MuJoCo. Bodies are the file's, the world first, and geoms are in its order, drawn ones too.

    Numbers that act can be written, and act at the next call: masses, friction, gains, gears, damping, armature, springs, ranges,
    ``opt.gravity``, keyframes, places of bodies and of sites, places, sizes, groups and softness of geoms (pictures show those of the
    file), coefficients of tendons, poses of welds. A number that does not act is refused by name at the next call after it was
    written. ``geom_rgba`` colours the pictures of :class:`Renderer`; sites, lights and materials of their own are not drawn, and what
    is written of them is kept. Whole numbers cannot be written. ``contact`` is the contact solver, which MuJoCo has
    no name for.
    """

    _called = "MjModel"
    _settable = frozenset({"contact"})
    contact: str

    def __init__(self, model: Model, texts: Mapping[str, str] = MappingProxyType({}), files: Files | None = None) -> None:
        described = model._described
        stated = Stated(texts)
        materials, lights = stated.of("material"), stated.of("light")

        def numbers(objects: list[Attributes], word: str, default: str) -> list[list[float]]:
            return [[float(x) for x in a.get(word, default).split()] for a in objects]

        self._put(
            _stated=stated, _texts=dict(texts), _files=files or Files({}, None), nlight=len(lights), nmat=len(materials),
            light_pos=rows(numbers(lights, "pos", "0 0 0"), 3), mat_rgba=rows(numbers(materials, "rgba", "1 1 1 1"), 4, np.float32),
        )
        self._put(_base=model, _current=model, _tendons=None, _known_names={}, contact="auto", opt=MjOption(model, stated.option), vis=MjVisual(stated.visual))
        links, joints = list(model.links), list(model.joints)
        geoms = geoms_of(model)
        self._put(
            _geoms=geoms,
            #: The geom of every geometry that touches.
            _geom_of=np.array([i for i, g in enumerate(geoms) if g["touches"]], np.int32),
            _mocap_links=list(described["mocap"]),
            nq=model.nq, nv=model.nv, nu=model.nu, na=0, nbody=len(links) + 1, njnt=len(joints), ngeom=len(geoms),
            nsite=len(model.sites), nsensor=len(model.sensors), nkey=max(len(model.keyframes), int(stated.sizes.get("nkey", 0))), ncam=len(model.cameras),
            ntendon=len(model.tendons), nmocap=len(described["mocap"]), neq=len(described["equalities"]),
            nuserdata=0, nplugin=0,
        )
        self._put_names(model)
        self._put_bodies(model)
        self._put_joints(model)
        self._put_frames(model)
        self._put_actuators(model)
        self._put_rest(model)
        self._put_together()
        self._put(_fixed=Kept(), _as_loaded=[a.copy() for a in self._watched], _stamped=self._stamp())
        for name in [name for name, array in self.__dict__.items() if isinstance(array, np.ndarray) and not array.flags.writeable]:
            self.__dict__[name] = self._fixed.keep(name, self.__dict__[name])
        self._put(_marks_loaded={name: array.copy() for name, array in self._marks.items()}, _marked=self._mark_stamp())
        self._put(_rgba_loaded=self.geom_rgba.copy())

    # ----------------------------------------------------------- other constants

    def _stated_of(self, kind: str, count: int) -> list[Attributes] | None:
        """What the text states of the objects of a kind; None where it does not list them all."""
        of_bodies = kind in ("body", "geom", "joint", "site", "camera", "light")
        found = self._stated.of(kind) if self._stated.whole or not of_bodies else []
        return found if len(found) == count else None

    def _size(self, name: str) -> int:
        return int(getattr(self, name))

    def _without_rows(self, field: _fields.Field) -> NDArray[Any] | None:
        """The array of a field, if it has no rows in this model."""
        shape = _fields.shape(field, self._size)
        return None if np.prod(shape) else np.zeros(shape, _fields.KINDS[field[0]])

    def __getattr__(self, name: str) -> Any:
        # Reached where nobody has asked before.
        if name.startswith("_"):
            raise AttributeError(name)
        if name in _SPATIAL and any(t.spatial for t in self._base.tendons):
            return self._lacks(name)
        if name in _fields.MODEL_NUMBERS or name in NUMBERS:
            number = NUMBERS[name](self) if name in NUMBERS else 0
            self._put(**{name: number})
            return number
        field = _fields.MODEL.get(name)
        if field is not None:
            array = self._without_rows(field)
            if array is None and name in CONSTANTS:
                try:
                    array = CONSTANTS[name](self)
                except NotOffered:
                    if name in type(self).missing:
                        return self._lacks(name)
                    raise
                if array is not None and name not in _DRAWN and name != "wrap_prm":
                    array = self._fixed.keep(name, np.asarray(array, _fields.KINDS[field[0]]))
            if array is not None:
                self._put(**{name: array})
                return array
        return self._lacks(name)

    # ------------------------------------------------------------------ numbers

    def _put_together(self) -> None:
        """Lets the numbers that may be written lie side by side, so that one look says whether some were."""
        for block, names in (("_block", _ARRAYS), ("_mark_block", _MARKS)):
            arrays = {name: self.opt.gravity if name == "gravity" else getattr(self, name) for name in names}
            memory, at = np.concatenate([a.ravel() for a in arrays.values()]), 0
            views = {}
            for name, array in arrays.items():
                views[name], at = memory[at : at + array.size].reshape(array.shape), at + array.size
            self._put(**{block: memory})
            if block == "_block":
                self.opt._put(gravity=views.pop("gravity"))
                self._put(_watched=[self.opt.gravity, *views.values()])
            else:
                self._put(_marks=views)
            self._put(**views)

    def _stamp(self) -> tuple[bytes, int, bytes, bytes]:
        return self._block.tobytes(), self.opt.disableflags, self._mark_block.tobytes(), self._bits.tobytes()

    def _mark_stamp(self) -> bytes:
        return self._mark_block.tobytes()  # type: ignore[no-any-return]

    @property
    def stat(self) -> MjStatistic:
        """Means of the model: those that the file states, else those that are computed; its middle is the origin otherwise."""
        known = self.__dict__.get("_stat")
        if known is None:
            known = MjStatistic()
            known._put(**statistics(self))
            self._put(_stat=known)
        return known

    @property
    def stiction(self) -> Model:
        """The model of ours, with the numbers as they are now."""
        return self._present(self._stamp())

    def _present(self, stamp: tuple[bytes, int, bytes, bytes]) -> Model:
        kept: Kept = self._fixed
        if kept.now() != kept.loaded:
            name = kept.changed()
            raise NotOffered(f"stiction.mujoco does not offer to set MjModel.{name}: it has no effect here")
        if stamp != self._stamped:
            self._put(_current=self._with_numbers(), _stamped=stamp)
        return self._current  # type: ignore[no-any-return]

    def _numbers(self) -> dict[str, Any]:
        """Those that are not as they were loaded, under the names of ``Model.replace``."""
        loaded = dict(zip(_WATCHED, self._as_loaded))
        now = dict(zip(_WATCHED, self._watched))
        new = {name: array for name, array in now.items() if not np.array_equal(array, loaded[name])}
        simple = {
            "gravity": "gravity", "damping": "damping", "armature": "armature", "frictionloss": "dry_friction",
            "stiffness": "stiffness",
        }
        out: dict[str, Any] = {ours: new[name] for name, ours in simple.items() if name in new}
        if "friction" in new:
            if not np.array_equal(new["friction"][:, 1:], loaded["friction"][:, 1:]) and (self.geom_condim > 3).any():
                raise NotOffered("stiction.mujoco does not offer to set friction against spinning and rolling")
            out["friction"] = new["friction"][self._geom_of, 0]
        if "gainprm" in new:
            self._only(new["gainprm"], loaded["gainprm"], 1, "actuator_gainprm")
            out["gain"] = new["gainprm"][:, 0]
        if "biasprm" in new:
            self._only(new["biasprm"], loaded["biasprm"], 3, "actuator_biasprm")
            for column, name in enumerate(("bias", "bias_length", "bias_velocity")):
                out[name] = new["biasprm"][:, column]
        if "forcerange" in new:
            limited = self.actuator_forcelimited[:, None]
            if not np.array_equal(np.where(limited, 0.0, new["forcerange"]), np.where(limited, 0.0, loaded["forcerange"])):
                raise NotOffered("stiction.mujoco does not offer to set actuator_forcerange of an actuator without a range")
            out["effort_limit"] = np.where(limited, new["forcerange"], [-np.inf, np.inf])
        if "mass" in new:
            out |= body_inertias(self._base, new["mass"])
        disabled, bits = self.opt.disableflags, _enums.mjtDisableBit
        if disabled & bits["mjDSBL_GRAVITY"]:
            out["gravity"] = np.zeros(3)
        if disabled & bits["mjDSBL_ACTUATION"]:
            out |= {name: np.zeros(self.nu) for name in ("gain", "bias", "bias_length", "bias_velocity")}
        if disabled & bits["mjDSBL_SPRING"]:
            out["stiffness"] = np.zeros(self.njnt)
        if disabled & bits["mjDSBL_DAMPER"]:
            out["damping"] = np.zeros(self.nv)
        if disabled & (bits["mjDSBL_FRICTIONLOSS"] | bits["mjDSBL_CONSTRAINT"]):
            out["dry_friction"] = np.zeros(self.nv)
        return out

    def _with_numbers(self) -> Model:
        """The model of ours with the numbers as they are now, without what is disabled."""
        model = self._base.replace(**self._numbers())
        disabled, bits = self.opt.disableflags, _enums.mjtDisableBit
        everything = disabled & bits["mjDSBL_CONSTRAINT"]
        without = [disabled & bits[f"mjDSBL_{word}"] | everything for word in ("CONTACT", "LIMIT")]
        without.append(disabled & bits["mjDSBL_CLAMPCTRL"])
        if any(without):
            model = Model(model._world.without(*(bool(x) for x in without)), model._recipe)
        adjusted = self._adjusted()
        return Model(model._world.adjusted(**adjusted), model._recipe) if adjusted else model

    def _adjusted(self) -> dict[str, Any]:
        """What of shapes, ranges and transmissions is not as it was loaded, in the words of ``World.adjusted``."""
        loaded, now = dict(zip(_WATCHED, self._as_loaded)), dict(zip(_WATCHED, self._watched))
        new = {name for name, array in now.items() if not np.array_equal(array, loaded[name])}
        moved = {i for name, i in self._moved_marks() if name.startswith("geom") and self._geoms[i]["touches"]}
        of_geom = {int(g): k for k, g in enumerate(self._geom_of)}
        out: dict[str, Any] = {}
        if new & {"solref", "solimp", "margin"}:
            rows = [now["solref"], now["solimp"], now["margin"][:, None]]
            out["softness"] = np.hstack(rows)[self._geom_of]
        if "range" in new:
            out["ranges"] = self._where("jnt_range", now["range"], loaded["range"], self.jnt_limited)
        if "ctrlrange" in new:
            out["controls"] = self._where("actuator_ctrlrange", now["ctrlrange"], loaded["ctrlrange"], self.actuator_ctrllimited)
        moment = self._moment0
        self._put(_tendons=None)
        if new & {"gear", "coefficients"}:
            self._only(now["gear"], loaded["gear"], 1, "actuator_gear")
            moment = self._moments(now["gear"][:, 0], now["coefficients"])
            out |= {"moments": moment, "coefficients": self._tendon_terms()[1]}
        self._put(_moment_now=moment)
        if not np.array_equal(self._bits, self._bits_loaded):
            bits = self._bits.view(np.uint32).T
            if bits[[not g["touches"] for g in self._geoms]].any():
                raise NotOffered("stiction.mujoco does not offer to set geom_contype and geom_conaffinity of geoms that were loaded without")
            out["groups"] = [(int(a), int(b)) for a, b in bits[self._geom_of]]
        if "eq_data" in new:
            out |= self._held_elsewhere(now["eq_data"], loaded["eq_data"])
        if out or moved:
            out["shaped"] = [of_geom[i] for i in sorted(moved)]
            rows = [np.concatenate([self.geom_size[i], self.geom_pos[i], self.geom_quat[i]]) for i in sorted(moved)]
            out["shapes"] = np.array(rows).reshape(-1, 10)
        return out

    @property
    def _moment(self) -> Array:
        """What an effort of every actuator comes to on every velocity."""
        self._present(self._stamp())
        return cast(Array, self._moment_now)

    def _moments(self, gear: Array, coefficients: Array) -> Array:
        """The same with other gears, and other coefficients of tendons."""
        out = np.zeros((self.nu, self.nv))
        for i, a in enumerate(self._base.actuators):
            on = int(self.actuator_trnid[i, 0])
            if int(self.actuator_trntype[i]) == 0:
                out[i, a.transmission[0][0]] = gear[i]
                continue
            if on < 0:
                raise NotOffered(f"stiction.mujoco does not offer to set actuator_gear[{i}]: it pulls at no tendon of the file")
            for (tendon, dof), c in zip(self._terms, coefficients):
                if tendon == on:
                    out[i, dof] = gear[i] * c
        return out

    def _held_elsewhere(self, now: Array, loaded: Array) -> dict[str, Any]:
        """Welds whose poses are others."""
        held, poses = [], []
        for i in np.flatnonzero((now != loaded).any(axis=1)):
            equality = self._base._described["equalities"][i]
            if equality["loop"] is None or self._base.loops[equality["loop"]].holds != "frame" or now[i, 10] < 0:
                raise NotOffered(f"stiction.mujoco does not offer to set eq_data[{i}], but point, pose and scale of welds")
            held.append(equality["loop"])
            pose = now[i, 3:10].copy()
            pose[3:] = pose[3:] / np.linalg.norm(pose[3:]) if pose[3:].any() else (1.0, 0.0, 0.0, 0.0)
            poses.append([*pose, *now[i, :3], now[i, 10]])
        return {"held": held, "poses": np.array(poses)}

    @staticmethod
    def _where(name: str, now: Array, loaded: Array, limited: NDArray[Any]) -> Array:
        """Ranges, of what has one."""
        changed = (now != loaded).any(axis=1) & ~limited
        if changed.any():
            raise NotOffered(f"stiction.mujoco does not offer to set {name}[{np.flatnonzero(changed)[0]}], which has no range")
        return now

    def _moved_marks(self) -> list[tuple[str, int]]:
        """What of the places and sizes of marks is not as it was loaded; raises for what is no mark."""
        out = []
        for name, array in self._marks.items():
            changed = (array != self._marks_loaded[name]).any(axis=1)
            for i in np.flatnonzero(changed):
                why = self._no_mark(name, int(i))
                if why is not None:
                    raise NotOffered(f"stiction.mujoco does not offer to set {name}[{i}]: {why}")
                out.append((name, int(i)))
        return out

    def _no_mark(self, name: str, i: int) -> str | None:
        """Why the place or the size of an object cannot be changed."""
        if name.startswith("geom"):
            fixed_shape = self._geoms[i]["shape"]["kind"] not in _PRIMITIVE
            return "the shape is given by points" if name == "geom_size" and fixed_shape and self._touches(self._geoms[i]) else None
        if name.startswith("site"):
            stated = self._stated_of("equality", self.neq)
            held = len(self._base.loops) > 0 and (stated is None or any("site1" in a for a in stated))
            tied = held or any(t.spatial for t in self._base.tendons)
            return "a constraint may refer to it" if tied else None
        links = self._base.links
        link = links[i - 1]
        if i == 0 or (link.body is not None and link.parent is not None and links[link.parent].body == link.body):
            return "the body is fixed to one that moves"
        return None

    def _sensed(self, site: int) -> bool:
        """Whether a sensor may refer to a site."""
        called = self._base.sites[site].name
        return any(called in s.of.values() for s in self._base.sensors)

    def _touches(self, geom: dict[str, Any]) -> bool:
        """Whether a geom may touch another; where the file disables contact none does, but by pairs."""
        paired = len(self._base.fields()["pair_friction"]) > 0
        return bool(geom["touches"] and (geom["contype"] or geom["conaffinity"] or paired))

    def ties(self, bodies: set[int]) -> str | None:
        """Why bodies are no marks that can be put elsewhere, if they are not."""
        if any(g["body"] in bodies and self._touches(g) for g in self._geoms):
            return "a geom on it touches"
        if any(link is not None and link + 1 in bodies for loop in self._base.loops for link in loop.links):
            return "a constraint holds it"
        return "something that moves hangs on it" if any(int(b) in bodies for b in self.jnt_bodyid) else None

    def senses(self, bodies: set[int]) -> bool:
        """Whether a sensor measures a body, or something on it."""
        links = ["world", *self._base.links.names]
        names = {links[b] for b in bodies} | {s.name for s in self._base.sites if s.link is not None and s.link + 1 in bodies}
        names |= {g["name"] for g in self._geoms if g["body"] in bodies} | {c.name for c in self._base.cameras if c.link is not None and c.link + 1 in bodies}
        return any(name in names for s in self._base.sensors for name in s.of.values() if name)

    @staticmethod
    def _only(new: Array, loaded: Array, columns: int, name: str) -> None:
        if not np.array_equal(new[:, columns:], loaded[:, columns:]):
            raise NotOffered(f"stiction.mujoco does not offer to set {name} beyond its first {columns} numbers")

    # -------------------------------------------------------------------- names

    @staticmethod
    def from_xml_path(filename: str | os.PathLike[str], assets: Mapping[str, bytes] | None = None) -> MjModel:
        """A model of an MJCF (or URDF) file, as it is."""
        text = Path(filename).read_text(encoding="utf-8")
        if assets:
            return MjModel.from_xml_string(text, assets)
        return MjModel(_told(lambda: load(filename, complete=False, warn="none")), with_included(Path(filename)), Files({}, Path(filename).parent))

    @staticmethod
    def from_xml_string(xml: str | bytes, assets: Mapping[str, bytes] | None = None) -> MjModel:
        """A model of a text, as it is."""
        text = xml.decode() if isinstance(xml, bytes) else xml
        last = [PurePosixPath(path).name for path in assets or {}]
        if repeated := next((name for name in last if last.count(name) > 1), None):
            raise ValueError(f"Repeated file name in assets dict: {repeated}")
        files = {path: content.encode() if isinstance(content, str) else content for path, content in (assets or {}).items()}
        texts = {"": text, **{path: content.decode() for path, content in files.items() if path.endswith(".xml")}}
        # MuJoCo finds assets by their names, in whatever folder the text says that they are.
        folders = {folder for t in texts.values() for folder in _FOLDER.findall(t)}
        laid = {f"{folder.rstrip('/')}/{path}": content for folder in folders for path, content in files.items()}
        return MjModel(_told(lambda: loads(text, assets={**laid, **files}, complete=False, warn="none")), texts, Files(files, None))

    @staticmethod
    def from_binary_path(filename: str, assets: Any = None) -> MjModel:
        """Refused: binary models are MuJoCo's own."""
        raise NotOffered("stiction.mujoco does not offer binary models; load the XML")

    def _tendon_lengths(self, q: Array) -> Array:
        return np.asarray(self._tendon_terms()[0] @ q, dtype=np.float64)

    def _tendon_terms(self) -> tuple[Array, Array]:
        """What tendons are as sums of coordinates, and of velocities."""
        if self._tendons is None:
            if any(t.spatial for t in self._base.tendons):
                raise NotOffered("stiction.mujoco does not offer lengths of spatial tendons")
            of_q, of_v = np.zeros((self.ntendon, self.nq)), np.zeros((self.ntendon, self.nv))
            for i in range(self.ntendon):
                for (of, dof), c in zip(self._terms, self._coefficients):
                    if of == i:
                        of_q[i, self._q_of(dof)] += c
                        of_v[i, dof] += c
            self._put(_tendons=(of_q, of_v))
        return self._tendons  # type: ignore[no-any-return]

    def _q_of(self, dof: int) -> int:
        joint = int(self.dof_jntid[dof])
        return int(self.jnt_qposadr[joint] + dof - self.jnt_dofadr[joint])

    def _kept(self) -> tuple[Array, ...]:
        return (*self._watched, self._bits, self.key_qpos, self.key_qvel, self.key_ctrl, *self._marks.values(), self.geom_rgba, self.site_rgba, self.mat_rgba, self.light_pos)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self.__dict__, *_fields.MODEL, *_fields.MODEL_NUMBERS})

    def __reduce__(self) -> tuple[Any, ...]:
        kept = [np.array(a) for a in self._kept()]
        options = (self.opt.timestep, self.opt.iterations, self.opt.tolerance, self.opt.disableflags, dict(self.opt._ends))
        return (_again, (self._base, self._texts, self.contact, options, kept, self._files))


#: Numbers of a world that can be written, by their names here and, in the same order, in ``Model.replace``'s way.
_ARRAYS = (
    "gravity", "body_mass", "dof_damping", "dof_armature", "dof_frictionloss", "jnt_stiffness", "geom_friction",
    "actuator_gainprm", "actuator_biasprm", "actuator_forcerange", "jnt_range", "actuator_ctrlrange", "actuator_gear",
    "geom_solref", "geom_solimp", "geom_margin", "eq_data", "_coefficients",
)
_WATCHED = (
    "gravity", "mass", "damping", "armature", "frictionloss", "stiffness", "friction", "gainprm", "biasprm", "forcerange",
    "range", "ctrlrange", "gear", "solref", "solimp", "margin", "eq_data", "coefficients",
)


#: Places and sizes, of which those of marks can be set.
_MARKS = ("body_pos", "body_quat", "geom_pos", "geom_quat", "geom_size", "site_pos", "site_quat", "site_size")


class Kept:
    """Arrays whose numbers have no effect: who writes into one of them is told so at the next call.

    They lie in one piece of memory, so that one look says whether one was written. Whole numbers cannot be written at all.
    """

    def __init__(self) -> None:
        self._places: dict[str, slice] = {}
        self._used = 0
        self._memory, self.loaded = np.zeros(1 << 18), b""

    def keep(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        """An array of the same numbers in this memory."""
        if array.dtype != np.float64 or self._used + array.size > len(self._memory):
            array.flags.writeable = False
            return array
        place = self._places[name] = slice(self._used, self._used + array.size)
        self._used = place.stop
        view: NDArray[Any] = self._memory[place].reshape(array.shape)
        view[...] = array
        self.loaded += view.tobytes()
        return view

    def now(self) -> bytes:
        """The numbers as they are."""
        return self._memory[: self._used].tobytes()

    def changed(self) -> str:
        """The first array that was written."""
        loaded = np.frombuffer(self.loaded)
        return next(name for name, place in self._places.items() if not np.array_equal(self._memory[place], loaded[place], equal_nan=True))


#: Shapes that sizes make.
_PRIMITIVE = ("sphere", "capsule", "cylinder", "box", "ellipsoid", "plane")
#: Constants that only pictures would show, or nobody, and hints for MuJoCo's ways to compute: they can be written.
_DRAWN = frozenset(
    name for name in _fields.MODEL
    if name.startswith(("light_", "mat_", "tex_", "cam_ipd", "cam_sensorsize")) or name.endswith(("_user", "_group", "_rgba", "_sameframe", "_simple"))
)
#: What is told of tendons that are sums of joints alone.
_SPATIAL = frozenset(
    """tendon_type tendon_adr tendon_num ten_J_rownnz ten_J_rowadr ten_J_colind wrap_type wrap_objid wrap_prm
    tendon_length0 tendon_invweight0""".split()
)


def _again(base: Model, texts: dict[str, str], contact: str, options: tuple[float, int, float, int, dict[str, Any]], kept: list[Array], files: Files) -> MjModel:
    model = MjModel(base, texts, files)
    model.contact = contact
    model.opt.timestep, model.opt.iterations, model.opt.tolerance, model.opt.disableflags, ends = options
    model.opt._ends.update(ends)
    for to, values in zip(model._kept(), kept):
        to[...] = values
    return model


def _told(read: Callable[[], Model]) -> Model:
    """What was read, after warnings as :func:`load` gives them: bodies that are moved by hand are, by who moves them."""
    model = read()
    tell(model, WARNINGS["all"], but="body@mocap")
    return model


def body_of(model: MjModel, body: int) -> int | None:
    """The body of ours that carries MuJoCo's ``body``."""
    known = model.__dict__.get("_carriers")
    if known is None:
        known = [None, *(link.body for link in model._base.links)]
        model._put(_carriers=known)
    return known[body]  # type: ignore[no-any-return]
