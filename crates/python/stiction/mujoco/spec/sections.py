"""Parts of the text of a spec: what is said of the whole, and elements whose tags depend on their fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _enums, _options, _structs
from .words import FIELDS, words
from .written import Node, Style, same, write_fields

if TYPE_CHECKING:
    from .writer import Writer

#: Prefixes of the sizes of user data, by kinds.
USERS = {
    "body": "body", "joint": "jnt", "geom": "geom", "site": "site", "camera": "cam", "tendon": "tendon", "actuator": "actuator",
    "sensor": "sensor",
}
#: Attributes of the compiler that only MuJoCo heeds.
_HOW = ("meshdir", "texturedir", "usethread", "eulerseq", "conflict", "passthrough", "discardvisual", "fusestatic")


def user_sizes(spec: Any) -> dict[str, int]:
    """How many numbers of user data elements of a kind have."""
    out = {}
    for kind, word in USERS.items():
        stated = int(spec.__dict__[f"nuser_{word}"])
        out[kind] = max([stated, *(len(e.userdata) for e in spec._all(kind))]) if stated < 0 else stated
    return {kind: n for kind, n in out.items() if n > 0}


def compiler(writer: Writer, root: Node) -> None:
    """The options of the compiler."""
    node = root.add("compiler", angle="radian")
    write_fields(writer.style, node, writer.spec.compiler, None, _HOW if writer.compiled else ("eulerseq",))


#: The order in which MuJoCo writes fields of structs.
_ORDER = """
    timestep impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance gravity wind magnetic density viscosity
    o_margin o_solref o_solimp o_friction integrator cone jacobian solver iterations ls_iterations noslip_iterations ccd_iterations
    sdf_initpoints sdf_iterations meaninertia meanmass meansize extent center cameraid orthographic fovy ipd azimuth elevation linewidth
    glow realtime offwidth offheight ellipsoidinertia bvactive shadowsize offsamples numslices numstacks numquads ambient diffuse
    specular active stiffness stiffnessrot force torque alpha fogstart fogend znear zfar haze shadowclip shadowscale actuatortendon
    forcewidth contactwidth contactheight connect com camera light selectpoint jointlength jointwidth actuatorlength actuatorwidth
    framelength framewidth constraint slidercrank frustum fog inertia joint actuator actuatornegative actuatorpositive contactpoint
    contactforce contactfriction contacttorque contactgap rangefinder crankbroken bv
""".split()


def _struct(style: Style, node: Node, struct: Any, usual: Any, choices: Any = None) -> None:
    told = struct._told()
    for name in sorted(told, key=lambda name: (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)):
        value = told[name]
        if isinstance(value, _structs.Struct) or same(value, getattr(usual, name)):
            continue
        if choices and name in choices:
            node.put(name, choices[name][int(value)] if int(value) < len(choices[name]) else str(value))
        else:
            node.put(name, style.numbers(np.ravel(value)))


def option(writer: Writer, root: Node) -> None:
    """Options and flags."""
    options, node = writer.spec.option, Node("option")
    usual = _options.MjOption()
    choices = {**_options._CHOICES, "integrator": (*_options._CHOICES["integrator"], "discrete")}
    _struct(writer.style, node, options, usual, choices)
    flags = Node("flag")
    for name in ("disableflags", "enableflags", "disableactuator"):
        node.attributes.pop(name, None)
    for prefix, bits, number, word in (
        ("mjDSBL_", _enums.mjtDisableBit, options.disableflags, "disable"), ("mjENBL_", _enums.mjtEnableBit, options.enableflags, "enable"),
    ):
        for name, bit in bits.__members__.items():
            if name.startswith(prefix) and int(number) & int(bit):
                flags.put(name.removeprefix(prefix).lower(), word)
    if options.disableactuator:
        node.put("actuatorgroupdisable", " ".join(str(i) for i in range(31) if int(options.disableactuator) >> i & 1))
    if flags.attributes:
        node.children.append(flags)
    if node.attributes or node.children:
        root.children.append(node)


def _bytes(n: int) -> str:
    """A number of bytes, in the largest unit that divides it."""
    for i, unit in reversed(list(enumerate(("", "K", "M", "G", "T")))):
        if n > 0 and n % (1 << 10 * i) == 0:
            return f"{n >> 10 * i}{unit}"
    return str(n)


def sizes(writer: Writer, root: Node) -> None:
    """Sizes."""
    spec, node = writer.spec, Node("size")
    keys = max(int(spec.nkey), len(spec._lists["key"]))
    values = {"memory": spec.memory, "njmax": spec.njmax, "nconmax": spec.nconmax, "nstack": spec.nstack}
    for name, value in values.items():
        node.put(name, _bytes(int(value)) if name == "memory" else str(int(value)))
        if value < 0:
            del node.attributes[name]
    node.put("nuserdata", str(spec.nuserdata) if spec.nuserdata else None)
    node.put("nkey", str(keys) if keys else None)
    for kind, n in user_sizes(spec).items():
        node.put(f"nuser_{USERS[kind]}", str(n))
    if node.attributes:
        root.children.append(node)


def visual(writer: Writer, root: Node) -> None:
    """What is said of pictures."""
    node, usual = Node("visual"), _options.MjVisual()
    for part in ("global_", "quality", "headlight", "map", "scale", "rgba"):
        child = Node(part.rstrip("_"))
        _struct(writer.style, child, getattr(writer.spec.visual, part), getattr(usual, part))
        if child.attributes:
            node.children.append(child)
    if node.children:
        root.children.append(node)


def statistic(writer: Writer, root: Node) -> None:
    """Means that are stated."""
    node = Node("statistic")
    _struct(writer.style, node, writer.spec.stat, _structs.MjStatistic())
    if node.attributes:
        root.children.append(node)


def extension(writer: Writer, root: Node) -> None:
    """Plugins."""
    spec = writer.spec
    names = dict.fromkeys([*spec._plugins, *(p.plugin_name for p in spec._lists["plugin"] if p.plugin_name)])
    if not names:
        return
    node = root.add("extension")
    for name in names:
        plugin = node.add("plugin", plugin=name)
        for instance in spec._lists["plugin"]:
            if instance.plugin_name == name and instance._name:
                child = plugin.add("instance", name=instance._name)
                for key, value in instance.config.items():
                    child.add("config", key=key, value=value)


# ------------------------------------------------------------------ elements by type


def equality(writer: Writer, e: Any) -> Node:
    """An equality."""
    style, kind = writer.style, words("mjtEq").get(int(e.type), "connect")
    node = Node(kind)
    default = writer._named(node, e)
    of = words("mjtObj").get(int(e.objtype), "body") if kind in ("connect", "weld") else kind
    node.put(f"{of}1" if kind in ("connect", "weld", "joint", "tendon") else "flex", e.name1)
    if kind in ("connect", "weld", "joint", "tendon"):
        node.put(f"{of}2", e.name2)
    data = np.array(e.data)
    if kind == "connect" and of == "body":
        node.put("anchor", style.numbers(data[:3]))
    elif kind == "weld":
        if of == "body":
            node.put("anchor", style.numbers(data[:3]) if data[:3].any() or writer.compiled else None)
            node.put("relpose", style.numbers(data[3:10]) if data[6:10].any() else None)
        node.put("torquescale", style.number(data[10]) if data[10] != 1 else None)
    elif kind in ("joint", "tendon") and not np.array_equal(data[:5], [0, 1, 0, 0, 0]):
        node.put("polycoef", style.numbers(data[:5]))
    write_fields(style, node, e, default)
    return node


#: Words for what a control is, by its signature.
INPUTS = {1: "pos", 2: "vel", 32: "pressure"}
INTERP = ("zoh", "linear", "cubic")


def input_of(node: Node, a: Any, default: Any) -> None:
    """Writes what the control is, before the gains."""
    if int(a.ctrlspec) not in INPUTS or (default is not None and int(default.ctrlspec) == int(a.ctrlspec)):
        return
    names = list(FIELDS["actuator"])
    after = {FIELDS["actuator"][name].attribute for name in names[names.index("dynprm") + 1 :]}
    tail = {name: node.attributes.pop(name) for name in list(node.attributes) if name in after}
    node.put("input", INPUTS[int(a.ctrlspec)])
    node.attributes.update(tail)


def actuator(writer: Writer, a: Any) -> Node:
    """An actuator: general, or the servo of position that says its damping as a ratio."""
    style = writer.style
    fixed = int(a.gaintype) == 0 and int(a.biastype) == 1 and a.gainprm[0] == -a.biasprm[1] and not a.biasprm[0]
    ratio = writer.compiled and fixed and a.biasprm[2] > 0 and int(a.dyntype) in (0, 3)
    node = Node("position" if ratio else "general")
    default = writer._named(node, a)
    trn = int(a.trntype)
    if trn in words("mjtTrn"):
        node.put(words("mjtTrn")[trn], a.target)
    if ratio:
        node.put("kp", style.number(a.gainprm[0]))
        node.put("dampratio", style.number(a.biasprm[2]))
        node.put("timeconst", style.number(a.dynprm[0]) if int(a.dyntype) == 3 else None)
    skip = ("gainprm", "biasprm", "gaintype", "biastype", "dynprm", "dyntype", "actdim", "actearly") if ratio else ()
    write_fields(style, node, a, default, skip)
    if not writer.compiled:
        input_of(node, a, default)
    node.put("interp", INTERP[int(a.interp)] if a.interp else None)
    if a.plugin.active or a.plugin.plugin_name:
        node.tag = "plugin"
        node.put("plugin", a.plugin.plugin_name)
        node.put("instance", a.plugin.name)
    return node


#: Tags of sensors that are not as the names of their types.
_TAGS = {
    "jointactfrc": "jointactuatorfrc", "tendonactfrc": "tendonactuatorfrc", "geomdist": "distance", "geomnormal": "normal",
    "geomfromto": "fromto",
}
#: Tags of sensors by the numbers of their types.
TAGS = {n: _TAGS.get(word, word) for n, word in words("mjtSensor").items()}
#: Fields of contacts and of rays, and ways to choose contacts, by their bits and numbers.
CONTACT_DATA = ("found", "force", "torque", "dist", "pos", "normal", "tangent", "linvel", "angvel")
RAY_DATA = ("dist", "dir", "origin", "point", "normal", "depth")
REDUCE = ("none", "mindist", "maxforce", "netforce")


def _bits(number: int, names: tuple[str, ...]) -> str:
    return " ".join(word for i, word in enumerate(names) if number >> i & 1)


def sensor(writer: Writer, s: Any) -> Node:
    """A sensor."""
    style, tag = writer.style, TAGS.get(int(s.type), "user")
    node = Node(tag)
    obj, ref = words("mjtObj").get(int(s.objtype), ""), words("mjtObj").get(int(s.reftype), "")
    if tag.startswith("frame") or tag in ("user", "plugin", "insidesite"):
        if tag == "insidesite":
            node.put("site", s.refname)
        node.put("objtype", obj if s.objname else None)
        node.put("objname", s.objname)
        if tag != "insidesite":
            node.put("reftype", ref if s.refname else None)
            node.put("refname", s.refname)
    elif tag in ("distance", "normal", "fromto", "contact"):
        for i, kind, name in ((1, obj, s.objname), (2, ref, s.refname)):
            word = {"xbody": "subtree"}.get(kind, kind)
            node.put("site" if word == "site" else f"{word}{i}", name)
    elif tag == "camprojection":
        node.put("site", s.objname)
        node.put("camera", s.refname)
    elif tag == "tactile":
        node.put("mesh", s.objname)
        node.put("geom", s.refname)
    elif s.objname:
        node.put({"xbody": "body"}.get(obj, obj), s.objname)
    node.put("name", s._name)
    if tag == "contact":
        node.put("num", str(int(s.intprm[2])) if s.intprm[2] != 1 else None)
        node.put("data", _bits(int(s.intprm[0]), CONTACT_DATA) if s.intprm[0] != 1 else None)
        node.put("reduce", REDUCE[int(s.intprm[1])] if s.intprm[1] else None)
    elif tag == "rangefinder" and int(s.intprm[0]) != 1:
        node.put("data", _bits(int(s.intprm[0]), RAY_DATA))
    elif tag == "user":
        node.put("dim", str(int(s.dim)))
        node.put("needstage", words("mjtStage")[int(s.needstage)])
        node.put("datatype", words("mjtDataType")[int(s.datatype)])
    elif tag == "plugin":
        node.put("plugin", s.plugin.plugin_name)
        node.put("instance", s.plugin.name)
    write_fields(style, node, s, None)
    node.put("interp", INTERP[int(s.interp)] if s.interp else None)
    return node


