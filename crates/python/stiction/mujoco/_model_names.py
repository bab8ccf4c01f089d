"""Objects of a model under MuJoCo's names by their names."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._model import Model
from .._tables import Table, UnknownName
from . import _enums, _fields
from ._guard import Named, NotOffered
from ._model_building import BuiltModel

#: The sizes whose objects the methods of the model give, by the prefix of their fields.
_ROWS = {
    "body_": "nbody", "jnt_": "njnt", "geom_": "ngeom", "site_": "nsite", "cam_": "ncam", "sensor_": "nsensor", "key_": "nkey",
    "tendon_": "ntendon", "light_": "nlight", "mat_": "nmat", "eq_": "neq", "mesh_": "nmesh", "hfield_": "nhfield",
    "tex_": "ntex", "pair_": "npair", "exclude_": "nexclude", "numeric_": "nnumeric",
}
#: Kinds of objects of which the text alone tells.
_STATED = {
    "mjOBJ_MATERIAL": "material", "mjOBJ_LIGHT": "light", "mjOBJ_MESH": "mesh", "mjOBJ_HFIELD": "hfield", "mjOBJ_TEXTURE": "texture",
    "mjOBJ_PAIR": "pair", "mjOBJ_EXCLUDE": "exclude", "mjOBJ_TEXT": "text", "mjOBJ_TUPLE": "tuple", "mjOBJ_SKIN": "none",
    "mjOBJ_FLEX": "none", "mjOBJ_PLUGIN": "none",
}


def _unknown(what: str, name: Any, names: list[str]) -> Exception:
    """What is raised for a name that is not there: with those there are as tables tell them, and in MuJoCo's words."""
    if isinstance(name, str):
        ours = Table(what, [_Name(n) for n in names])._missing(name)
        return UnknownName(f"{ours.args[0]}. Invalid name {name!r}. Valid names: {sorted(n for n in names if n)}")
    most = len(names) - 1
    return IndexError(f"there is no {what} {name}; there are {len(names)}. Invalid index {name}. Valid indices from 0 to {most}")


class _Name:
    def __init__(self, name: str) -> None:
        self.name = name


class NamedModel(BuiltModel):
    """A model, asked by names."""

    def _table(self, kind: int) -> tuple[list[str], str]:
        """Names of a kind of object, and our word for it."""
        found = self._spaces.get(int(kind))
        if found is None:
            raise NotOffered(f"stiction.mujoco offers no names for {_enums.mjtObj(int(kind)).name}")
        return found  # type: ignore[no-any-return]

    def _put_names(self, model: Model) -> None:
        """Names of all objects, by the number of their kind."""
        tables: dict[str, Table[Any]] = {
            "mjOBJ_JOINT": model.joints, "mjOBJ_SITE": model.sites, "mjOBJ_CAMERA": model.cameras, "mjOBJ_TENDON": model.tendons,
            "mjOBJ_ACTUATOR": model.actuators, "mjOBJ_SENSOR": model.sensors, "mjOBJ_KEY": model.keyframes,
        }
        of = {name: (table.names, table._what) for name, table in tables.items()}
        of["mjOBJ_BODY"] = of["mjOBJ_XBODY"] = ["world", *model.links.names], "link"
        of["mjOBJ_GEOM"] = [g["name"] for g in self._geoms], "geometry"
        of["mjOBJ_EQUALITY"] = [e["name"] or "" for e in model._described["equalities"]], "equality"
        of["mjOBJ_NUMERIC"] = [n["name"] for n in model._described["numeric"]], "numeric"
        for kind, word in _STATED.items():
            of[kind] = self._stated.names(word), word
        spaces = {int(_enums.mjtObj[name]): names for name, names in of.items()}
        numbers = {kind: {name: i for i, name in reversed(list(enumerate(names)))} for kind, (names, _) in spaces.items()}
        self._put(_spaces=spaces, _numbers_of=numbers)

    def id_of(self, kind: int, name: str | int) -> int:
        """The number of an object; −1 where there is none, as in MuJoCo."""
        # Members of MuJoCo's enumerations hash as their numbers.
        numbers = self._numbers_of.get(kind)
        if numbers is not None and type(name) is str:
            return numbers.get(name, -1)  # type: ignore[no-any-return]
        names, _ = self._table(kind)
        if isinstance(name, (int, np.integer)):
            return int(name) if 0 <= name < len(names) else -1
        return self._numbers_of[int(kind)].get(name, -1)  # type: ignore[no-any-return]

    def _found(self, kind: str, name: str | int) -> tuple[int, str]:
        names, what = self._table(_enums.mjtObj[kind])
        i = self.id_of(_enums.mjtObj[kind], name)
        if i < 0:
            raise _unknown(what, name, names)
        return i, names[i]

    def _named(self, kind: str, called: str, name: str | int, prefix: str) -> Named:
        known = self._known_names.get((called, name))
        if known is not None:
            return known  # type: ignore[no-any-return]
        i, found = self._found(kind, name)
        known = self._known_names.get((called, i))
        if known is not None:
            self._known_names[called, name] = known
            return known  # type: ignore[no-any-return]
        own = {
            key[len(prefix) :]: (key, i if len(sizes) > 1 else slice(i, i + 1))
            for key, (_, sizes) in _fields.MODEL.items() if key.startswith(prefix) and sizes[0] == _ROWS.get(prefix, sizes[0])
        }
        made = self._known_names[called, i] = self._known_names[called, name] = Named(self, f"MjModel.{called}({found!r})", i, found, own)
        return made

    def body(self, name: str | int = "") -> Named:
        """A body by name or number."""
        return self._named("mjOBJ_BODY", "body", name, "body_")

    def joint(self, name: str | int = "") -> Named:
        """A joint by name or number, with what is of its velocities and coordinates."""
        if (known := self._known_names.get(("joint", name))) is not None:
            return known  # type: ignore[no-any-return]
        found = self._named("mjOBJ_JOINT", "joint", name, "jnt_")
        joint = self._base.joints[found.id]
        of_dofs = {key[4:]: (key, joint.v) for key in _fields.MODEL if key.startswith("dof_")}
        of_q = {key: (key, joint.q) for key in ("qpos0", "qpos_spring")}
        found._rows.update({k: v for k, v in (of_dofs | of_q).items() if k not in found._rows})
        return found

    jnt = joint

    def geom(self, name: str | int = "") -> Named:
        """A geom by name or number."""
        return self._named("mjOBJ_GEOM", "geom", name, "geom_")

    def site(self, name: str | int = "") -> Named:
        """A site by name or number."""
        return self._named("mjOBJ_SITE", "site", name, "site_")

    def camera(self, name: str | int = "") -> Named:
        """A camera by name or number."""
        return self._named("mjOBJ_CAMERA", "camera", name, "cam_")

    cam = camera

    def actuator(self, name: str | int = "") -> Named:
        """An actuator by name or number."""
        return self._named("mjOBJ_ACTUATOR", "actuator", name, "actuator_")

    def sensor(self, name: str | int = "") -> Named:
        """A sensor by name or number."""
        return self._named("mjOBJ_SENSOR", "sensor", name, "sensor_")

    def key(self, name: str | int = "") -> Named:
        """A keyframe by name or number."""
        return self._named("mjOBJ_KEY", "key", name, "key_")

    keyframe = key

    def tendon(self, name: str | int = "") -> Named:
        """A tendon by name or number."""
        return self._named("mjOBJ_TENDON", "tendon", name, "tendon_")

    def light(self, name: str | int = "") -> Named:
        """A light by name or number."""
        return self._named("mjOBJ_LIGHT", "light", name, "light_")

    def material(self, name: str | int = "") -> Named:
        """A material by name or number."""
        return self._named("mjOBJ_MATERIAL", "material", name, "mat_")

    mat = material

    def equality(self, name: str | int = "") -> Named:
        """An equality by name or number."""
        return self._named("mjOBJ_EQUALITY", "equality", name, "eq_")

    eq = equality

    def mesh(self, name: str | int = "") -> Named:
        """A mesh by name or number."""
        return self._named("mjOBJ_MESH", "mesh", name, "mesh_")

    def hfield(self, name: str | int = "") -> Named:
        """A height field by name or number."""
        return self._named("mjOBJ_HFIELD", "hfield", name, "hfield_")

    def texture(self, name: str | int = "") -> Named:
        """A texture by name or number."""
        return self._named("mjOBJ_TEXTURE", "texture", name, "tex_")

    tex = texture

    def pair(self, name: str | int = "") -> Named:
        """A pair of geoms that touch by name or number."""
        return self._named("mjOBJ_PAIR", "pair", name, "pair_")

    def exclude(self, name: str | int = "") -> Named:
        """A pair of bodies that do not touch by name or number."""
        return self._named("mjOBJ_EXCLUDE", "exclude", name, "exclude_")

    def numeric(self, name: str | int = "") -> Named:
        """Numbers of the file by name or number."""
        if (known := self._known_names.get(("numeric", name))) is not None:
            return known  # type: ignore[no-any-return]
        found = self._named("mjOBJ_NUMERIC", "numeric", name, "numeric_")
        start = int(self.numeric_adr[found.id])
        found._rows["data"] = ("numeric_data", slice(start, start + int(self.numeric_size[found.id])))
        return found

    def text(self, name: str | int = "") -> Named:
        """A text of the file by name or number."""
        return self._named("mjOBJ_TEXT", "text", name, "text_")

    def tuple(self, name: str | int = "") -> Named:
        """A list of elements of the file by name or number."""
        return self._named("mjOBJ_TUPLE", "tuple", name, "tuple_")

    def bind(self, elements: Any) -> Any:
        """The objects of elements of the spec of which the model was compiled."""
        from .spec import compiled

        return compiled.bind(self, self, elements)

    @property
    def _address(self) -> int:
        return id(self)
