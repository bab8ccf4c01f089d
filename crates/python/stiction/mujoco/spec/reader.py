"""MJCF as a spec."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..._model import load, loads
from .. import _enums, _options
from . import attach, fields, poses, sections
from .actuators import SHORT, USUAL
from .element import TURNS
from .parse import Read, included, parse
from .parts import KINDS, MjsDefault, MjsWrap
from .spec import _NUMBERS, MjSpec
from .words import FIELDS, OF_BODIES, WITH_DEFAULTS, Field, number_of, words

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
    included(root, find)
    Reader(spec, find, dict(include)).read(root)
    return spec


def _of_urdf(xml: str | bytes, assets: Mapping[str, Any], path: Path | None) -> MjSpec:
    """A spec of a URDF, as the MJCF that it comes to."""
    if path is None:
        model = loads(xml.decode() if isinstance(xml, bytes) else xml, assets=assets, complete=False, warn="none")
    else:
        model = load(path, complete=False, warn="none")
    text, files, _ = model._world.written("mjcf", "robot")
    return MjSpec.from_string(text, {}, dict(files))


def numbers(node: Read, name: str, kind: type = float) -> list[Any]:
    """The numbers of an attribute."""
    try:
        return [kind(float(x)) if kind is int else kind(x) for x in node.attributes.get(name, "").split()]
    except ValueError:
        raise _wrong(node, f"problem reading attribute '{name}'") from None


def _wrong(node: Read, what: str) -> ValueError:
    return ValueError(f"XML Error: {what}\n{node.number()}")


def value_of(node: Read, of: Field) -> Any:
    """The value of a field by its attribute."""
    text = node.attributes[of.attribute]
    match of.kind[0]:
        case "s":
            return text
        case "c":
            return text.ljust(len(of.default), ".") if of.name == "gridlayout" else text
        case "b":
            if text not in ("true", "false"):
                raise _wrong(node, f"invalid keyword: '{text}' in attribute '{of.attribute}'")
            return text == "true"
        case "e":
            number = number_of(of.enumeration, text)
            if number is None:
                raise _wrong(node, f"invalid keyword: '{text}' in attribute '{of.attribute}'")
            return number
    if of.kind == "vs":
        return text.split()
    found = numbers(node, of.attribute, int if of.kind in ("i", "vi") else float)
    if of.kind[0] == "v":
        return found
    if of.count:
        if len(found) > of.count:
            raise _wrong(node, f"attribute '{of.attribute}' has too much data")
        return found
    if len(found) != 1:
        raise _wrong(node, f"attribute '{of.attribute}' does not have enough data" if not found else f"attribute '{of.attribute}' has too much data")
    return found[0]


class Reader:
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
                raise _wrong(nodes[0], f"Schema violation: unrecognized element '{tag}'")
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
            raise _wrong(node, "global coordinates no longer supported")
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
                raise _wrong(node, f"Schema violation: unrecognized attribute: '{name}'")
            if name in choices:
                if text not in choices[name]:
                    raise _wrong(node, f"invalid keyword: '{text}' in attribute '{name}'")
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
                raise _wrong(node, f"Schema violation: unrecognized attribute: '{name}'")

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
            raise _wrong(node, "empty class name")
        if above is None:
            of = self.spec.default
            of.name = name
        else:
            if self.spec.find_default(name) is not None:
                raise _wrong(node, "repeated default class name")
            of = self.spec.add_default(name, above)
        inner = []
        for child in node.children:
            assert isinstance(child, Read)
            if child.tag == "default":
                inner.append(child)
                continue
            kind = "actuator" if child.tag in SHORT or child.tag == "general" else child.tag
            if kind not in WITH_DEFAULTS:
                raise _wrong(child, f"Schema violation: unrecognized element '{child.tag}'")
            self._fill(of._elements[kind], child)
        for child in inner:
            self._default(child, of)

    def _of_class(self, node: Read, childclass: MjsDefault | None) -> MjsDefault:
        name = node.attributes.get("class")
        if name is None:
            return childclass or self.spec.default
        found = self.spec.find_default(name)
        if found is None:
            raise _wrong(node, f"unknown default class '{name}'")
        return found

    # ---------------------------------------------------------------- elements

    @staticmethod
    def _known(node: Read, names: Iterable[str]) -> None:
        for name in node.attributes:
            if name not in names:
                raise _wrong(node, f"Schema violation: unrecognized attribute: '{name}'")

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
                    raise _wrong(node, f"Schema violation: unrecognized attribute: '{name}'")
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
            bits = _enums.mjtCamOutBit  # type: ignore[attr-defined]
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
            raise _wrong(node, f"invalid keyword: '{shape}' in attribute 'builtin'")
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
                    raise _wrong(child, f"unknown default childclass '{name}'")
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
                raise _wrong(child, f"Schema violation: unrecognized element '{tag}'")

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
            raise _wrong(node, f"could not find model '{model}'")
        made = KINDS["frame"](self.spec)
        made._body, made._frame = body, frame
        body._children["frame"].append(made)
        child = child._copied({})
        try:
            if of_frame := node.attributes.get("frame"):
                found = child.frame(of_frame)
                if found is None:
                    raise _wrong(node, f"could not find frame '{of_frame}'")
                body.attach_frame(found, prefix)
            elif name:
                found = child.body(name)
                if found is None:
                    raise _wrong(node, f"could not find body '{name}'")
                made.attach_body(found, prefix)
            else:
                self.spec.attach(child, prefix=prefix, frame=made)
        except ValueError as wrong:
            raise ValueError(f"XML {wrong}\n{node.number()}") from None

    # -------------------------------------------------------------------- lists

    def _made(self, kind: str, node: Read, more: Iterable[str] = ()) -> Any:
        of = self._of_class(node, None) if kind in WITH_DEFAULTS else None
        made = KINDS[kind](self.spec, of)
        self._fill(made, node, more)
        self.spec._lists[kind].append(made)
        return made

    def _asset(self, node: Read) -> None:
        for child in node.children:
            assert isinstance(child, Read)
            if child.tag == "model":
                self._model(child)
            elif child.tag in ("mesh", "texture", "material"):
                self._made(child.tag, child)
            elif child.tag == "hfield":
                made = self._made("hfield", child)
                if len(made.userdata):
                    made.userdata = np.array(list(made.userdata)).reshape(made.nrow, made.ncol)[::-1].ravel()
            elif child.tag == "skin":
                made = self._made("skin", child)
                for bone in child.children:
                    assert isinstance(bone, Read)
                    made.bodyname = [*made.bodyname, bone.attributes.get("body", "")]
                    made.bindpos = [*made.bindpos, *numbers(bone, "bindpos")]
                    made.bindquat = [*made.bindquat, *numbers(bone, "bindquat")]
                    made.vertid = [*made.vertid, numbers(bone, "vertid", int)]
                    made.vertweight = [*made.vertweight, numbers(bone, "vertweight")]
            else:
                raise _wrong(child, f"Schema violation: unrecognized element '{child.tag}'")

    def _model(self, node: Read) -> None:
        file = node.attributes.get("file", "")
        found = self.find(file)
        if found is None:
            raise _wrong(node, f"Error opening file '{file}'")
        made = read_text(found, self.include, self.spec.assets, Path(self.spec.modelfiledir, file))
        made.__dict__["_called"] = node.attributes.get("name", made.modelname)
        self.models[made._called] = made

    def _contact(self, node: Read) -> None:
        for child in node.children:
            self._made(child.tag, child)  # type: ignore[arg-type]

    def _tendon(self, node: Read) -> None:
        for child in node.children:
            made = self._made("tendon", child)  # type: ignore[arg-type]
            for part in child.children:
                attributes = part.attributes
                assert isinstance(part, Read)
                if part.tag == "joint":
                    made.wrap_joint(attributes.get("joint", ""), numbers(part, "coef")[0])
                elif part.tag == "site":
                    made.wrap_site(attributes.get("site", ""))
                elif part.tag == "geom":
                    made.wrap_geom(attributes.get("geom", ""), attributes.get("sidesite", ""))
                elif part.tag == "pulley":
                    made.wrap_pulley(numbers(part, "divisor")[0])
            length = numbers(child, "springlength")  # type: ignore[arg-type]
            if len(length) == 1:
                made.springlength = length * 2

    def _equality(self, node: Read) -> None:
        for child in node.children:
            assert isinstance(child, Read)
            kind = number_of("mjtEq", child.tag)
            if kind is None:
                raise _wrong(child, f"Schema violation: unrecognized element '{child.tag}'")
            more = ("body1", "body2", "site1", "site2", "anchor", "relpose", "torquescale", "joint1", "joint2", "tendon1", "tendon2", "polycoef", "flex", "cell")
            made = self._made("equality", child, more)
            made.type, attributes = kind, child.attributes
            of = "site" if "site1" in attributes else "body" if child.tag in ("connect", "weld") else child.tag
            made.objtype = number_of("mjtObj", {"flexvert": "flex", "flexstrain": "flex"}.get(of, of)) or 0
            made.name1 = attributes.get("flex" if of.startswith("flex") else f"{of}1", "")
            made.name2 = attributes.get(f"{of}2", "")
            for name, start in (("anchor", 0), ("relpose", 3), ("torquescale", 10), ("polycoef", 0)):
                given = numbers(child, name)
                if name in ("anchor", "relpose") and child.tag == "weld" and not given:
                    made.data[start : start + (3 if name == "anchor" else 7)] = 0
                made.data[start : start + len(given)] = given

    def _actuator(self, node: Read) -> None:
        for child in node.children:
            assert isinstance(child, Read)
            if child.tag == "plugin":
                made = self._made("actuator", child, ("plugin", "instance"))
                made.plugin.plugin_name, made.plugin.active = child.attributes.get("plugin", ""), True
                made.plugin._name = child.attributes.get("instance", "")
            elif child.tag in SHORT or child.tag == "general":
                made = self._made("actuator", child)
            else:
                raise _wrong(child, f"Schema violation: unrecognized element '{child.tag}'")
            for number, word in sections.INPUTS.items():
                if child.attributes.get("input") == word:
                    made.ctrlspec = number
            if "interp" in child.attributes:
                made.interp = sections.INTERP.index(child.attributes["interp"])
            for number, word in words("mjtTrn").items():
                if word in child.attributes and not (word == "site" and number == 6):
                    made.trntype, made.target = number, child.attributes[word]

    def _actuator_kind(self, a: Any, node: Read) -> None:
        """Gains and biases by the tag of an actuator, where the tag or an attribute of it says so."""
        if node.tag not in SHORT:
            return
        own = {name: node.attributes[name] for name in SHORT[node.tag] if name in node.attributes}
        given: dict[str, Any] = {name: found[0] if len(found) == 1 else found for name in own if (found := numbers(node, name))}
        if node.tag == "muscle" and "range" in given and np.ndim(given["range"]) == 0:
            given["range"] = [given["range"]] * 2
        class_says = a._class is not None and int(a.type) == number_of("mjtActuator", node.tag)
        if class_says and not given:
            return
        usual: dict[str, Any] = dict(USUAL.get(node.tag, {}))
        if class_says and node.tag in ("position", "intvelocity", "orientation"):
            usual["kp"] = float(a.gainprm[0])
            if "kv" not in given and "dampratio" not in given and a.biasprm[2]:
                usual["kv" if a.biasprm[2] < 0 else "dampratio"] = abs(float(a.biasprm[2]))
            if node.tag == "position" and int(a.dyntype) == 3:
                usual["timeconst"] = float(a.dynprm[0])
            usual["inheritrange"] = float(a.inheritrange)
        elif class_says and node.tag == "muscle":
            names = ("range", "force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax")
            held = a.gainprm.tolist()
            usual = dict(zip(names, [held[:2], *held[2:9]])) | {"timeconst": a.dynprm[:2].tolist(), "tausmooth": float(a.dynprm[2])}
        elif class_says and node.tag == "cylinder":
            usual = {"timeconst": float(a.dynprm[0]), "bias": float(a.biasprm[0]), "area": float(a.gainprm[0])}
        getattr(a, f"set_to_{node.tag}")(**{**usual, **given})

    def _sensor(self, node: Read) -> None:
        tags = {tag: n for n, tag in sections.TAGS.items()}
        for child in node.children:
            assert isinstance(child, Read)
            if child.tag not in tags:
                raise _wrong(child, f"Schema violation: unrecognized element '{child.tag}'")
            kinds = ("site", "joint", "tendon", "actuator", "body", "geom", "camera", "mesh")
            more = (
                *kinds, "objtype", "objname", "reftype", "refname", *(f"{k}{i}" for k in ("geom", "body", "subtree") for i in (1, 2)), "data", "reduce",
                "num", "dim", "needstage", "datatype", "interp", "plugin", "instance",
            )
            made = self._made("sensor", child, more)
            made.type = tags[child.tag]
            if "interp" in child.attributes:
                made.interp = sections.INTERP.index(child.attributes["interp"])
            self._sensed(made, child)

    @staticmethod
    def _sensed(s: Any, node: Read) -> None:
        tag, given = node.tag, node.attributes

        def put(of: str, kind: str, name: str) -> None:
            s.__setattr__(f"{of}type", number_of("mjtObj", kind) or 0)
            s.__setattr__(f"{of}name", name)

        if "objname" in given:
            put("obj", given.get("objtype", ""), given["objname"])
        if "refname" in given:
            put("ref", given.get("reftype", ""), given["refname"])
        if tag == "camprojection":
            put("obj", "site", given.get("site", ""))
            put("ref", "camera", given.get("camera", ""))
        elif tag == "tactile":
            put("obj", "mesh", given.get("mesh", ""))
            put("ref", "geom", given.get("geom", ""))
        elif tag == "insidesite":
            put("ref", "site", given.get("site", ""))
        else:
            for kind in ("site", "joint", "tendon", "actuator", "body", "geom", "camera"):
                if kind in given:
                    put("obj", kind, given[kind])
            for i, of in ((1, "obj"), (2, "ref")):
                for kind in ("geom", "body", "subtree"):
                    if f"{kind}{i}" in given:
                        put(of, {"subtree": "xbody"}.get(kind, kind), given[f"{kind}{i}"])
        if tag in ("contact", "rangefinder"):
            words_of = sections.CONTACT_DATA if tag == "contact" else sections.RAY_DATA
            said = given.get("data", words_of[0]).split()
            s.intprm[0] = sum(1 << words_of.index(word) for word in said if word in words_of)
        if tag == "contact":
            s.intprm[1] = sections.REDUCE.index(given.get("reduce", "none"))
            s.intprm[2] = int(given.get("num", "1"))
        if tag == "user":
            s.dim = int(given.get("dim", "0"))
            s.needstage = number_of("mjtStage", given.get("needstage", "acc")) or 0
            s.datatype = number_of("mjtDataType", given.get("datatype", "real")) or 0

    def _custom(self, node: Read) -> None:
        for child in node.children:
            made = self._made(child.tag, child)  # type: ignore[arg-type]
            if child.tag == "numeric" and not made.size:
                made.size = len(made.data)
            for part in child.children:
                made.objtype = [*made.objtype, number_of("mjtObj", part.attributes.get("objtype", "")) or 0]
                made.objname = [*made.objname, part.attributes.get("objname", "")]
                made.objprm = [*made.objprm, float(part.attributes.get("prm", "0"))]

    def _keyframe(self, node: Read) -> None:
        for child in node.children:
            self._made("key", child)  # type: ignore[arg-type]

