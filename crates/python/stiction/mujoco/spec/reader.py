"""MJCF as a spec."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from ..._model import load, loads
from .. import _enums, _options
from . import attach, fields, poses
from .actuators import SHORT
from .element import TURNS, deep
from .lists import Lists
from .parse import Read, included, parse
from .parts import KINDS, MjsDefault, MjsWrap
from .spec import _NUMBERS, MjSpec
from .values import numbers, value_of, wrong
from .words import FIELDS, OF_BODIES, WITH_DEFAULTS, number_of, words

#: Elements of bodies that are not made into objects: they stay as they are, and come to what a file's would.
_RAW = ("composite", "flexcomp")
#: Attributes that the table does not know, by tags: those of other fields, or without effect in MuJoCo 4 too.
_ASIDE: dict[str, tuple[str, ...]] = {
    "geom": ("fluidshape", "shellinertia", "class"), "light": ("directional", "class"), "camera": ("class", "output"), "texture": (
        "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback", "class",
    ),
    "material": ("texture", "class"), "mesh": ("builtin", "params", "class", "facenormal", "facetexcoord"), "numeric": (), "key": (),
}
_CUBE = ("right", "left", "up", "down", "front", "back")


def read_text(xml: str | bytes, include: Mapping[str, Any], assets: dict[str, Any] | None, path: Path | None) -> MjSpec:
    """A spec of a text, and of the file of it."""
    spec = MjSpec()
    folder = "" if path is None else str(path.parent)
    spec.assets = {} if assets is None else assets
    spec.modelfiledir = folder

    def find(name: str) -> str | bytes | None:
        for of in (include, spec.assets):
            if name in of:
                return of[name]  # type: ignore[no-any-return]
        there = Path(folder, name)
        return there.read_bytes() if there.is_file() else None

    root = parse(xml)
    if root.tag == "robot":
        return _of_urdf(xml, spec.assets, path)
    if root.tag != "mujoco":
        raise ValueError(f"XML Error: Unrecognized XML model type: '{root.tag}'\n")
    with deep():
        included(root, find)
        Reader(spec, find, dict(include)).read(root)
    spec._changed(names=True)
    return spec


def _of_urdf(xml: str | bytes, assets: Mapping[str, Any], path: Path | None) -> MjSpec:
    """A spec of a URDF, as the MJCF that it comes to."""
    if path is None:
        model = loads(xml.decode() if isinstance(xml, bytes) else xml, assets=assets, complete=False, warn="none")
    else:
        model = load(path, complete=False, warn="none")
    text, files, _ = model._world.written("mjcf", "robot")
    return MjSpec.from_string(text, {}, dict(files))


class Reader(Lists):
    """Reads the elements of a text into a spec."""

    def __init__(self, spec: MjSpec, find: Any, include: dict[str, Any]) -> None:
        self.spec, self.find, self.include = spec, find, include
        #: Other models that the text names, by their names.
        self.models: dict[str, MjSpec] = {}
        #: Ends of the names of what was replicated, by its kind and its name in the text.
        self.replicas: dict[tuple[str, str], list[str]] = {}

    def read(self, root: Read) -> None:
        """Reads all."""
        spec = self.spec
        spec.modelname = root.attributes.get("model", "MuJoCo Model")
        spec.comment = root.comment
        by_tag: dict[str, list[Read]] = {}
        for child in root.children:
            by_tag.setdefault(child.tag, []).append(child)  # type: ignore[arg-type]
        known = (
            "compiler", "option", "size", "visual", "statistic", "default", "extension", "asset", "worldbody", "deformable", "contact", "tendon",
            "equality", "actuator", "sensor", "custom", "keyframe",
        )
        for tag, nodes in by_tag.items():
            if tag not in known:
                raise wrong(nodes[0], f"Schema violation: unrecognized element '{tag}'")
        for tag in known:
            for node in by_tag.get(tag, ()):
                getattr(self, "_" + tag)(node)
        self._replicate_speakers()

    # ------------------------------------------------------------- of the whole

    def _compiler(self, node: Read) -> None:
        compiler = self.spec.compiler
        for i, (name, of) in enumerate(FIELDS["compiler"].items()):
            if of.attribute and of.attribute in node.attributes:
                fields.put(compiler, of, value_of(node, of))
                compiler.authored |= 1 << i
        if (angle := node.attributes.get("angle")) is not None:
            compiler.degree = angle == "degree"
        if (folder := node.attributes.get("assetdir")) is not None:
            compiler.meshdir = compiler.texturedir = folder
        if node.attributes.get("strippath") == "true":
            self.spec.strippath = True
        if node.attributes.get("coordinate", "local") != "local":
            raise wrong(node, "global coordinates no longer supported")
        own = {of.attribute for of in FIELDS["compiler"].values()}
        self._known(node, {*own, "angle", "assetdir", "strippath", "coordinate", "convexhull", "exactmeshinertia"})

    def _option(self, node: Read) -> None:
        option, authored = self.spec.option, self.spec.authored
        choices = {**_options._CHOICES, "integrator": (*_options._CHOICES["integrator"], "discrete")}
        for name, text in node.attributes.items():
            if name == "actuatorgroupdisable":
                option.disableactuator = sum(1 << i for i in numbers(node, name, int))
                authored.disableactuator = option.disableactuator
                continue
            default = option._defaults.get(name)
            if default is None:
                if name in ("collision", "apirate", "mpr_tolerance", "mpr_iterations"):
                    continue
                raise wrong(node, f"Schema violation: unrecognized attribute: '{name}'")
            if name in choices:
                if text not in choices[name]:
                    raise wrong(node, f"invalid keyword: '{text}' in attribute '{name}'")
                setattr(option, name, choices[name].index(text))
            else:
                setattr(option, name, numbers(node, name) if isinstance(default, np.ndarray) else type(default)(numbers(node, name)[0]))
            authored.option |= 1 << list(option._defaults).index(name)
        for flags in node.children:
            for name, word in flags.attributes.items():
                for prefix, bits, field, on in (
                    ("mjDSBL_", _enums.mjtDisableBit, "disableflags", "disable"), ("mjENBL_", _enums.mjtEnableBit, "enableflags", "enable"),
                ):
                    bit = bits.__members__.get(prefix + name.upper())
                    if bit is not None:
                        held = int(getattr(option, field)) & ~int(bit)
                        setattr(option, field, held | (int(bit) if word == on else 0))
                        setattr(authored, field, getattr(authored, field) | int(bit))

    def _size(self, node: Read) -> None:
        for name, text in node.attributes.items():
            if name == "memory" and text[-1:].upper() in "KMGTPE":
                scale = 1 << 10 * ("KMGTPE".index(text[-1].upper()) + 1)
                self.spec.memory = int(float(text[:-1]) * scale)
            elif name in _NUMBERS:
                setattr(self.spec, name, numbers(node, name, int)[0])
            else:
                raise wrong(node, f"Schema violation: unrecognized attribute: '{name}'")

    def _struct(self, struct: Any, node: Read) -> int:
        authored = 0
        for name, text in node.attributes.items():
            default = struct._defaults.get(name)
            if default is None:
                continue
            values = [{"true": 1.0, "false": 0.0}[x] if x in ("true", "false") else float(x) for x in text.split()]
            setattr(struct, name, values if isinstance(default, np.ndarray) else type(default)(values[0]))
            authored |= 1 << list(struct._defaults).index(name)
        return authored

    def _visual(self, node: Read) -> None:
        for part in node.children:
            struct = getattr(self.spec.visual, "global_" if part.tag == "global" else part.tag)
            bits = self._struct(struct, part)  # type: ignore[arg-type]
            name = f"visual_{part.tag}"
            setattr(self.spec.authored, name, getattr(self.spec.authored, name) | bits)

    def _statistic(self, node: Read) -> None:
        self._struct(self.spec.stat, node)

    def _extension(self, node: Read) -> None:
        for plugin in node.children:
            name = plugin.attributes.get("plugin", "")
            self.spec.activate_plugin(name)
            for instance in plugin.children:
                made = self.spec.add_plugin(plugin_name=name, active=True)
                made._name = instance.attributes.get("name", "")
                made.config = {c.attributes.get("key", ""): c.attributes.get("value", "") for c in instance.children}

    def _deformable(self, node: Read) -> None:
        self.spec._raw.setdefault("deformable", []).append(node)

    # ----------------------------------------------------------------- classes

    def _default(self, node: Read, above: MjsDefault | None = None) -> None:
        name = node.attributes.get("class", "main" if above is None else "")
        if not name:
            raise wrong(node, "empty class name")
        if above is None:
            of = self.spec.default
            of.name = name
        else:
            if self.spec.find_default(name) is not None:
                raise wrong(node, "repeated default class name")
            of = self.spec.add_default(name, above)
        inner = []
        for child in node.children:
            assert isinstance(child, Read)
            if child.tag == "default":
                inner.append(child)
                continue
            kind = "actuator" if child.tag in SHORT or child.tag == "general" else child.tag
            if kind not in WITH_DEFAULTS:
                raise wrong(child, f"Schema violation: unrecognized element '{child.tag}'")
            self._fill(of._elements[kind], child)
        for child in inner:
            self._default(child, of)

    def _of_class(self, node: Read, childclass: MjsDefault | None) -> MjsDefault:
        name = node.attributes.get("class")
        if name is None:
            return childclass or self.spec.default
        found = self.spec.find_default(name)
        if found is None:
            raise wrong(node, f"unknown default class '{name}'")
        return found

    # ---------------------------------------------------------------- elements

    @staticmethod
    def _known(node: Read, names: Iterable[str]) -> None:
        for name in node.attributes:
            if name not in names:
                raise wrong(node, f"Schema violation: unrecognized attribute: '{name}'")

    def _fill(self, e: Any, node: Read, more: Iterable[str] = ()) -> None:
        """Sets the fields of an element by the attributes of its node."""
        table = FIELDS[e._kind]
        by_attribute = {of.attribute: of for of in table.values() if of.attribute}
        if e._kind == "actuator":
            self._actuator_kind(e, node)
        for name in node.attributes:
            of = by_attribute.get(name)
            if of is None:
                allowed = {"name", "class", "childclass", *_ASIDE.get(node.tag, ()), *more, *(TURNS if "alt" in table else ())}
                if e._kind == "actuator":
                    allowed |= {"input", *words("mjtTrn").values(), "interp", *SHORT.get(node.tag, ())}
                if name not in allowed:
                    raise wrong(node, f"Schema violation: unrecognized attribute: '{name}'")
                continue
            value = value_of(node, of)
            if of.count:
                held = e.__dict__[of.name]
                held[: len(value)] = value
                continue
            fields.put(e, of, value, True)
        if "alt" in table:
            self._turn(e.alt, node)
        if "name" in node.attributes:
            e._name = node.attributes["name"]
        elif e._kind in ("mesh", "hfield", "texture", "skin") and e.file and e._owner is not None:
            # Only texts name assets after their files.
            e._name = PurePosixPath(e.file.replace("\\", "/")).stem
        getattr(self, f"_more_{e._kind}", self._nothing)(e, node)
        self._plugin_of(e, node)

    @staticmethod
    def _nothing(e: Any, node: Read) -> None:
        return None

    @staticmethod
    def _turn(orientation: Any, node: Read) -> None:
        for turn in TURNS:
            if turn in node.attributes:
                fields.put(orientation, FIELDS["orientation"][turn], numbers(node, turn), True)
                orientation.type = _enums.mjtOrientation[f"mjORIENTATION_{turn.upper()}"]

    def _plugin_of(self, e: Any, node: Read) -> None:
        for child in node.children:
            if child.tag == "plugin" and "plugin" in FIELDS[e._kind]:
                e.plugin.plugin_name = child.attributes.get("plugin", "")
                e.plugin._name = child.attributes.get("instance", "")
                e.plugin.active = True

    @staticmethod
    def _more_geom(g: Any, node: Read) -> None:
        if "fluidshape" in node.attributes:
            g.fluid_ellipsoid = float(node.attributes["fluidshape"] == "ellipsoid")
        if "shellinertia" in node.attributes:
            g.typeinertia = int(node.attributes["shellinertia"] == "true")
        if "mesh" in node.attributes and "type" not in node.attributes and int(g.type) == FIELDS["geom"]["type"].default:
            g.type = _enums.mjtGeom["mjGEOM_MESH"]

    @staticmethod
    def _more_light(light: Any, node: Read) -> None:
        if "directional" in node.attributes:
            light.type = int(node.attributes["directional"] == "true")

    @staticmethod
    def _more_camera(c: Any, node: Read) -> None:
        if "output" in node.attributes:
            bits = _enums.mjtCamOutBit
            c.output = sum(int(bits[f"mjCAMOUT_{word.upper()}"]) for word in node.attributes["output"].split())

    @staticmethod
    def _more_texture(t: Any, node: Read) -> None:
        sides = [node.attributes.get(f"file{side}", "") for side in _CUBE]
        if any(sides):
            t.cubefiles = sides

    @staticmethod
    def _more_material(m: Any, node: Read) -> None:
        if "texture" in node.attributes:
            m.textures[int(_enums.mjtTextureRole["mjTEXROLE_RGB"])] = node.attributes["texture"]
        for layer in node.children:
            role = number_of("mjtTextureRole", layer.attributes.get("role", ""))
            if role is not None:
                m.textures[role] = layer.attributes.get("texture", "")

    @staticmethod
    def _more_mesh(m: Any, node: Read) -> None:
        shape = node.attributes.get("builtin", "none")
        if shape == "none":
            return
        p = numbers(node, "params")
        arguments: dict[str, Any] = {
            "sphere": lambda: (int(p[0]),), "hemisphere": lambda: (int(p[0]),), "cone": lambda: (int(p[0]), p[1]),
            "supersphere": lambda: (int(p[0]), *p[1:3]), "supertorus": lambda: (int(p[0]), *p[1:4]), "plate": lambda: (p[:2],),
            "wedge": lambda: (p[:2], p[2:4], p[4] if len(p) > 4 else 0),
        }
        if shape not in arguments:
            raise wrong(node, f"invalid keyword: '{shape}' in attribute 'builtin'")
        getattr(m, f"make_{shape}")(*arguments[shape]())

    # ------------------------------------------------------------------ bodies

    def _worldbody(self, node: Read) -> None:
        self._elements(self.spec.worldbody, None, node, None, "")

    def _elements(self, body: Any, frame: Any, node: Read, childclass: MjsDefault | None, suffix: str) -> None:
        """Reads what stands in a body, or in a frame of it."""
        for child in node.children:
            assert isinstance(child, Read)
            tag = child.tag
            if tag == "inertial":
                self._inertial(body, child)
            elif tag in ("body", "frame"):
                name = child.attributes.get("childclass")
                of = childclass if name is None else self.spec.find_default(name)
                if name is not None and of is None:
                    raise wrong(child, f"unknown default childclass '{name}'")
                made = self._placed(tag, body, frame, child, of, suffix)
                inner = made if tag == "body" else body
                self._elements(inner, None if tag == "body" else made, child, of, suffix)
            elif tag in OF_BODIES:
                self._placed(tag, body, frame, child, self._of_class(child, childclass), suffix)
            elif tag == "freejoint":
                self._known(child, ("name", "group", "align"))
                joint = body.add_freejoint()
                joint._frame = frame
                if "group" in child.attributes:
                    joint.group = numbers(child, "group", int)[0]
                if "align" in child.attributes:
                    joint.align = number_of("mjtAlignFree", child.attributes["align"]) or 0
                joint._name = self._with("joint", child.attributes.get("name", ""), suffix)
            elif tag == "replicate":
                self._replicate(body, frame, child, childclass, suffix)
            elif tag == "attach":
                self._attach(body, frame, child)
            elif tag in _RAW:
                body._raw.append(child)
            elif tag != "plugin":
                raise wrong(child, f"Schema violation: unrecognized element '{tag}'")

    def _placed(self, kind: str, body: Any, frame: Any, node: Read, of: MjsDefault | None, suffix: str) -> Any:
        made = KINDS[kind](self.spec, of) if kind != "frame" else KINDS[kind](self.spec)
        made._body, made._frame = body, frame
        self._fill(made, node)
        if kind in ("body", "frame") and "childclass" in node.attributes:
            made.childclass = node.attributes["childclass"]
        made._name = self._with(kind, made._name, suffix)
        body._children[kind].append(made)
        return made

    def _inertial(self, body: Any, node: Read) -> None:
        self._known(node, ("pos", "quat", "mass", "diaginertia", "fullinertia", *TURNS))
        body.explicitinertial = True
        body.ipos = numbers(node, "pos") or [0, 0, 0]
        body.mass = numbers(node, "mass")[0] if "mass" in node.attributes else 0.0
        for name, field in (("quat", "iquat"), ("diaginertia", "inertia"), ("fullinertia", "fullinertia")):
            if name in node.attributes:
                setattr(body, field, numbers(node, name))
        self._turn(body.ialt, node)

    def _replicate(self, body: Any, frame: Any, node: Read, childclass: MjsDefault | None, suffix: str) -> None:
        count = numbers(node, "count", int)[0]
        offset = np.array(numbers(node, "offset") or [0, 0, 0], float)
        compiler = self.spec.compiler
        turn = np.array(numbers(node, "euler") or [0, 0, 0], float) * (math.pi / 180 if compiler.degree else 1)
        step = poses.of_euler(turn, compiler.eulerseq)
        digits, p, q = len(str(count - 1)), np.zeros(3), np.array([1.0, 0, 0, 0])
        for i in range(count):
            made = KINDS["frame"](self.spec)
            made._body, made._frame = body, frame
            made.pos, made.quat = p, q
            body._children["frame"].append(made)
            inner = Read(node.tag, {}, node.children)
            self._elements(body, made, inner, childclass, f"{node.attributes.get('sep', '')}{i:0{digits}d}{suffix}")
            p, q = p + poses.turned(q, offset), poses.product(q, step)

    def _with(self, kind: str, name: str, suffix: str) -> str:
        if name and suffix:
            self.replicas.setdefault((kind, name), []).append(suffix)
        return name + suffix if name else ""

    def _replicate_speakers(self) -> None:
        """Makes what speaks of something replicated as often as that is there."""
        if not self.replicas:
            return
        for kind in ("pair", "exclude", "tendon", "equality", "actuator", "sensor"):
            out = []
            for e in self.spec._lists[kind]:
                ends = next((self.replicas[said] for said in attach.references(e) if said in self.replicas), None)
                out += [e] if ends is None else [self._replica(e, end) for end in ends]
            self.spec._lists[kind][:] = out

    def _replica(self, e: Any, end: str) -> Any:
        made = type(e)(self.spec, e._class) if e._kind in WITH_DEFAULTS else type(e)(self.spec)
        made._take(e)
        made._name = e._name
        if e._kind == "tendon":
            made._path = [MjsWrap(made, w.type.name.removeprefix("mjWRAP_"), w._name, w._side, w._number) for w in e._path]
        if e._name:
            self.replicas.setdefault((e._kind, e._name), []).append(end)
        attach._renamed(made, lambda kind, name: name + end if end in self.replicas.get((kind, name), ()) else name)
        return made

    def _attach(self, body: Any, frame: Any, node: Read) -> None:
        model, name, prefix = (node.attributes.get(word, "") for word in ("model", "body", "prefix"))
        child = self.models.get(model)
        if child is None:
            raise wrong(node, f"could not find model '{model}'")
        made = KINDS["frame"](self.spec)
        made._body, made._frame = body, frame
        body._children["frame"].append(made)
        child = child._copied({})
        try:
            if of_frame := node.attributes.get("frame"):
                found = child.frame(of_frame)
                if found is None:
                    raise wrong(node, f"could not find frame '{of_frame}'")
                body.attach_frame(found, prefix)
            elif name:
                found = child.body(name)
                if found is None:
                    raise wrong(node, f"could not find body '{name}'")
                made.attach_body(found, prefix)
            else:
                self.spec.attach(child, prefix=prefix, frame=made)
        except ValueError as problem:
            raise ValueError(f"XML {problem}\n{node.number()}") from None
