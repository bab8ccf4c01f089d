"""``MjSpec``: a model put together in code. It is an MJCF text underneath, which ``compile`` reads."""

from __future__ import annotations

import copy
import os
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .._stiction import Error
from . import _enums
from ._guard import NotOffered
from ._model import MjModel

#: Attributes of MjSpec's elements that MJCF calls otherwise; all others have one name in both.
_OTHERWISE = {"frictionloss": "frictionloss", "classname": "class"}

#: What an element may hold, by the method that adds it: its tag.
_CHILDREN = {
    "body": "body", "geom": "geom", "joint": "joint", "freejoint": "freejoint", "site": "site", "camera": "camera",
    "light": "light", "frame": "frame",
}

#: Attributes that are numbers of an enumeration, and the words of MJCF for these.
_WORDS = {
    ("geom", "type"): ("mjtGeom", "mjGEOM_"), ("joint", "type"): ("mjtJoint", "mjJNT_"),
    ("site", "type"): ("mjtGeom", "mjGEOM_"),
}

#: MJCF's attributes of each element, as far as they may be set here.
_POSE = "pos quat axisangle xyaxes zaxis euler"
_ATTRIBUTES = {
    "body": f"name childclass mocap gravcomp {_POSE}",
    "geom": f"name type size fromto mass density friction rgba contype conaffinity condim group margin gap solref solimp "
            f"priority mesh hfield material class {_POSE}",
    "joint": "name type axis pos range limited damping stiffness armature frictionloss ref springref class",
    "freejoint": "name",
    "site": f"name type size rgba group class {_POSE}",
    "camera": f"name fovy mode resolution {_POSE}",
    "light": "name pos dir directional diffuse ambient specular castshadow",
    "frame": f"name childclass {_POSE}",
    "motor": "name joint tendon gear ctrlrange ctrllimited forcerange forcelimited",
    "position": "name joint tendon gear kp kv ctrlrange ctrllimited forcerange forcelimited",
    "velocity": "name joint tendon gear kv ctrlrange ctrllimited forcerange forcelimited",
    "key": "name qpos qvel ctrl",
    "exclude": "name body1 body2",
}


class Element:
    """An element that can be read, changed and added to."""

    def __init__(self, spec: MjSpec, element: ET.Element) -> None:
        object.__setattr__(self, "_spec", spec)
        object.__setattr__(self, "_element", element)

    def _attribute(self, name: str) -> str:
        tag = self._element.tag
        known = "worldbody" if tag == "worldbody" else tag
        if name not in _ATTRIBUTES.get(known, "").split():
            raise NotOffered(f"stiction.mujoco does not offer {name} of a <{tag}> of MjSpec")
        return _OTHERWISE.get(name, name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name.startswith("add_") and name[4:] in _CHILDREN and self._element.tag in ("worldbody", "body", "frame"):
            tag = _CHILDREN[name[4:]]
            return lambda **attributes: self._add(tag, attributes)
        if name in ("bodies", "geoms", "joints", "sites", "cameras", "frames"):
            tag = {"bodies": "body"}.get(name, name[:-1])
            return [Element(self._spec, e) for e in self._element if e.tag == tag]
        text = self._element.get(self._attribute(name))
        if text is None or name in ("name", "class", "type", "mesh", "joint"):
            return text
        try:
            numbers = [float(x) for x in text.split()]
        except ValueError:
            return text
        return numbers[0] if len(numbers) == 1 else np.array(numbers)

    def __setattr__(self, name: str, value: Any) -> None:
        self._element.set(self._attribute(name), self._text(name, value))

    def _text(self, name: str, value: Any) -> str:
        words = _WORDS.get((self._element.tag, name))
        if words is not None and not isinstance(value, str):
            found = getattr(_enums, words[0])(int(value)).name
            return str(found).removeprefix(words[1]).lower()
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str):
            return value
        return " ".join(repr(float(x)) if not float(x).is_integer() else str(int(x)) for x in np.ravel(value))

    def _add(self, tag: str, attributes: Mapping[str, Any]) -> Element:
        made = Element(self._spec, ET.SubElement(self._element, tag))
        for name, value in attributes.items():
            setattr(made, name, value)
        return made

    def attach_body(self, body: Element, prefix: str = "", suffix: str = "") -> Element:
        """Attaches a body of another spec here, with what of that spec speaks of it; names get prefix and suffix."""
        if suffix:
            raise NotOffered("stiction.mujoco does not offer suffixes of names; give a prefix")
        spec: MjSpec = self._spec
        return spec._attach(self._element, body, prefix)

    def __repr__(self) -> str:
        return f"<MjSpec {self._element.tag} {dict(self._element.attrib)}>"


class MjSpec:
    """A model put together in code: ``spec.worldbody.add_body(name="box", pos=[0, 0, 1]).add_geom(type=…, size=…)``."""

    def __init__(self) -> None:
        self._root = ET.Element("mujoco", model="MuJoCo Model")
        ET.SubElement(self._root, "worldbody")
        self.assets: dict[str, bytes] = {}

    @staticmethod
    def from_string(xml: str, include: Any = None, assets: Mapping[str, bytes] | None = None) -> MjSpec:
        """Of a text of MJCF."""
        if include:
            raise NotOffered("stiction.mujoco does not offer include of MjSpec; give assets")
        spec = MjSpec()
        try:
            spec._root = ET.fromstring(xml)
        except ET.ParseError as wrong:
            raise Error(f"no XML: {wrong}") from None
        if spec._root.tag != "mujoco":
            raise NotOffered(f"stiction.mujoco does not offer MjSpec of <{spec._root.tag}>; MjModel reads it")
        if spec._root.find("worldbody") is None:
            ET.SubElement(spec._root, "worldbody")
        spec.assets = dict(assets or {})
        return spec

    @staticmethod
    def from_file(filename: str | os.PathLike[str], include: Any = None, assets: Mapping[str, bytes] | None = None) -> MjSpec:
        """Of a file of MJCF, without the files that it names: these are ``assets``."""
        with open(filename, encoding="utf-8") as file:
            return MjSpec.from_string(file.read(), include, assets)

    @property
    def modelname(self) -> str:
        """Name of the model."""
        return self._root.get("model", "")

    @modelname.setter
    def modelname(self, name: str) -> None:
        self._root.set("model", name)

    @property
    def worldbody(self) -> Element:
        """The world."""
        return Element(self, self._section("worldbody"))

    def _section(self, tag: str) -> ET.Element:
        found = self._root.find(tag)
        return ET.SubElement(self._root, tag) if found is None else found

    def _all(self, *tags: str) -> Iterator[Element]:
        return (Element(self, e) for e in self._section("worldbody").iter() if e.tag in tags)

    def _called(self, name: str, *tags: str) -> Element | None:
        return next((e for e in self._all(*tags) if e._element.get("name") == name), None)

    def body(self, name: str) -> Element | None:
        """A body by name; None where there is none."""
        return self.worldbody if name == "world" else self._called(name, "body")

    def geom(self, name: str) -> Element | None:
        """A geom by name."""
        return self._called(name, "geom")

    def joint(self, name: str) -> Element | None:
        """A joint by name."""
        return self._called(name, "joint", "freejoint")

    def site(self, name: str) -> Element | None:
        """A site by name."""
        return self._called(name, "site")

    def camera(self, name: str) -> Element | None:
        """A camera by name."""
        return self._called(name, "camera")

    @property
    def bodies(self) -> list[Element]:
        """The world and all bodies."""
        return [self.worldbody, *self._all("body")]

    @property
    def geoms(self) -> list[Element]:
        """All geoms."""
        return list(self._all("geom"))

    @property
    def joints(self) -> list[Element]:
        """All joints."""
        return list(self._all("joint", "freejoint"))

    @property
    def sites(self) -> list[Element]:
        """All sites."""
        return list(self._all("site"))

    def add_key(self, **attributes: Any) -> Element:
        """A keyframe."""
        return Element(self, self._section("keyframe"))._add("key", attributes)

    def add_exclude(self, *, bodyname1: str, bodyname2: str, name: str = "") -> Element:
        """A pair of bodies that never touch."""
        given = {"body1": bodyname1, "body2": bodyname2, **({"name": name} if name else {})}
        return Element(self, self._section("contact"))._add("exclude", given)

    def add_actuator(self, *, name: str, target: str, kind: str = "motor", **attributes: Any) -> Element:
        """An actuator on a joint: a motor, or a position or velocity servo by ``kind``, a word that MuJoCo has not."""
        if kind not in ("motor", "position", "velocity"):
            raise NotOffered(f"stiction.mujoco does not offer actuators of the kind {kind!r} in MjSpec")
        given = {"name": name, "joint": target, **attributes}
        return Element(self, self._section("actuator"))._add(kind, given)

    def attach(self, child: MjSpec, *, prefix: str = "", suffix: str = "", frame: Any = None, site: Any = None) -> Element:
        """Attaches everything that stands in the world of another spec, in a frame of this one."""
        if suffix or site is not None:
            raise NotOffered("stiction.mujoco does not offer suffixes and sites of MjSpec.attach; give prefix and frame")
        where = self._section("worldbody") if frame is None else frame._element
        made = ET.SubElement(where, "frame")
        for body in child.worldbody.bodies:
            self._attach(made, body, prefix)
        return Element(self, made)

    def _attach(self, where: ET.Element, body: Element, prefix: str) -> Element:
        """A copy of a body, and of what of its spec names something in it."""
        theirs = body._spec._root
        for other in ("default", "asset"):
            if theirs.find(other) is not None and body._spec is not self:
                raise NotOffered(f"stiction.mujoco does not offer to attach a spec with <{other}>")
        made = copy.deepcopy(body._element)
        names = {e.get("name") for e in made.iter() if e.get("name")}
        if prefix:
            _rename(made, names, prefix)
        where.append(made)
        for section in ("actuator", "sensor", "contact", "equality", "tendon"):
            for element in theirs.findall(section):
                for part in element:
                    spoken = {v for e in part.iter() for k, v in e.attrib.items() if k in _REFERENCES}
                    if spoken and spoken <= names:
                        own = copy.deepcopy(part)
                        if prefix:
                            _rename(own, names | {own.get("name")}, prefix)
                        self._section(section).append(own)
        return Element(self, made)

    def to_xml(self) -> str:
        """The text."""
        root = copy.deepcopy(self._root)
        ET.indent(root)
        return ET.tostring(root, encoding="unicode")

    def compile(self) -> MjModel:
        """The model."""
        return MjModel.from_xml_string(self.to_xml(), self.assets)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotOffered(f"stiction.mujoco does not offer MjSpec.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in ("_root", "assets", "modelname"):
            raise NotOffered(f"stiction.mujoco does not offer to set MjSpec.{name}")
        object.__setattr__(self, name, value)


#: Attributes that hold the name of something else.
_REFERENCES = frozenset(
    ("joint", "joint1", "joint2", "body", "body1", "body2", "site", "site1", "site2", "geom", "geom1", "geom2", "tendon",
     "actuator", "objname", "refname", "target", "camera")
)


def _rename(element: ET.Element, names: Any, prefix: str) -> None:
    """Gives names a prefix, where they are given and where they are spoken of."""
    for e in element.iter():
        for key, value in e.attrib.items():
            if (key == "name" or key in _REFERENCES) and value in names:
                e.set(key, prefix + value)
