"""A spec as MJCF: as MuJoCo saves it, or as it is compiled, with every number exact, in bodies, and without classes of defaults."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _enums
from . import poses, sections
from .words import FIELDS, OF_BODIES, WITH_DEFAULTS, words
from .written import Node, Style, same, write_fields

if TYPE_CHECKING:
    from .spec import MjSpec

#: How many numbers the size of a geom has, by its type; three of others.
_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "mesh": 0, "sdf": 0, "hfield": 0}
#: What MuJoCo saves of elements alone, and of no class.
_OF_ELEMENTS = ("pos", "quat", "fromto", "mass")


class Writer:
    """Writes a spec."""

    def __init__(self, spec: MjSpec, compiled: bool) -> None:
        self.spec, self.style = spec, Style(compiled)
        #: Files that the text names, by the names that it has for them.
        self.files: dict[str, Any] = {}

    @property
    def compiled(self) -> bool:
        """Whether the text is for our reader."""
        return self.style.compiled

    def write(self) -> str:
        """The text."""
        spec = self.spec
        root = Node("mujoco", {"model": spec.modelname} if spec.modelname else {})
        if spec.comment and not self.compiled:
            root.children.append(Node("", comment=spec.comment))
        sections.compiler(self, root)
        sections.option(self, root)
        sections.sizes(self, root)
        sections.statistic(self, root)
        sections.visual(self, root)
        if not self.compiled:
            self._defaults(root)
        sections.extension(self, root)
        self._section(root, "asset", ("texture", "material", "mesh", "skin", "hfield"))
        world = Node("worldbody")
        self._fill_body(world, spec.worldbody)
        root.children.append(world)
        root.children += spec._raw.get("deformable", ())
        self._section(root, "contact", ("pair", "exclude"))
        self._section(root, "tendon", ("tendon",))
        self._section(root, "equality", ("equality",))
        self._section(root, "actuator", ("actuator",))
        self._section(root, "sensor", ("sensor",))
        self._section(root, "custom", ("numeric", "text", "tuple"))
        self._section(root, "keyframe", ("key",))
        return root.text()

    def _section(self, root: Node, tag: str, kinds: Iterable[str]) -> Node | None:
        elements = [e for kind in kinds for e in self.spec._lists[kind]]
        if not elements:
            return None
        section = root.add(tag)
        for e in elements:
            section.children.append(getattr(self, "_" + e._kind, self._other)(e))
        return section

    # ---------------------------------------------------------------- defaults

    def _defaults(self, root: Node) -> None:
        main = self.spec.default
        node = Node("default")
        self._default(node, main, None)
        if node.children:
            root.children.append(node)

    def _default(self, node: Node, of: Any, above: Any) -> None:
        for kind in WITH_DEFAULTS:
            element = of._elements[kind]
            tag = "general" if kind == "actuator" else kind
            child = Node(tag)
            write_fields(self.style, child, element, None if above is None else above._elements[kind], () if kind == "joint" else _OF_ELEMENTS)
            if kind in ("geom", "site") and "size" in child.attributes:
                child.attributes["size"] = self.style.numbers(element.size)
            if kind == "actuator":
                sections.input_of(child, element, None if above is None else above._elements[kind])
            if child.attributes:
                node.children.append(child)
        for below in of._children:
            self._default(node.add("default", **{"class": below.name}), below, of)

    # ------------------------------------------------------------------- names

    def _named(self, node: Node, e: Any, childclass: str | None = None) -> Any:
        """Writes name and class; returns the class of defaults that counts."""
        node.put("name", e._name)
        if self.compiled:
            return None
        of = e._class if e._kind in WITH_DEFAULTS else None
        if of is not None and of.name != (childclass or "main"):
            node.put("class", of.name)
        return of._elements[e._kind] if of is not None and e._kind in of._elements else None

    def _other(self, e: Any, tag: str = "") -> Node:
        node = Node(tag or e._kind)
        default = self._named(node, e)
        write_fields(self.style, node, e, default)
        return node

    # ------------------------------------------------------------------ bodies

    def _fill_body(self, node: Node, body: Any) -> None:
        """Writes what stands in a body: in its order, in frames unless it is compiled."""
        childclass = body.childclass if body.childclass not in ("", "main") else None
        if self.compiled:
            for kind in (*OF_BODIES, "body"):
                node.children += [self._of_body(kind, e, childclass) for e in body._children[kind]]
        else:
            self._fill_frame(node, body, None, childclass)
        node.children += body._raw

    def _fill_frame(self, node: Node, body: Any, frame: Any, childclass: str | None) -> None:
        for item in _ordered(body, frame):
            if item._kind == "frame":
                inner = node.add("frame")
                inner.put("name", item._name)
                of = item.childclass if item.childclass not in ("", "main") else None
                inner.put("childclass", of)
                self._pose(inner, np.array(item.pos), poses.orientation_of(item))
                self._fill_frame(inner, body, item, of or childclass)
            else:
                node.children.append(self._of_body(item._kind, item, childclass))

    def _of_body(self, kind: str, e: Any, childclass: str | None) -> Node:
        return getattr(self, "_" + kind)(e, childclass)  # type: ignore[no-any-return]

    def _pose(self, node: Node, p: Any, q: Any) -> None:
        if not np.array_equal(p, [0, 0, 0]):
            node.put("pos", self.style.numbers(p))
        if not np.array_equal(q, [1, 0, 0, 0]):
            node.put("quat", self.style.numbers(q))

    def _body(self, b: Any, childclass: str | None) -> Node:
        node = Node("body")
        node.put("name", b._name)
        if not self.compiled and b.childclass not in ("", "main", childclass):
            node.put("childclass", b.childclass)
        self._pose(node, *poses.pose_of(b, self.compiled))
        write_fields(self.style, node, b, None, ("pos", "quat", "childclass"))
        if "user" in node.attributes:
            self._user(node, b)
        geoms = self.compiled and not b._children["geom"] and b.mass > 0
        if not np.isnan(b.ipos[0]) or geoms:
            inertial = node.add("inertial", pos=self.style.numbers(np.nan_to_num(b.ipos)))
            q = poses.orientation_of(b, "iquat", "ialt")
            if not np.array_equal(q, [1, 0, 0, 0]):
                inertial.put("quat", self.style.numbers(q))
            inertial.put("mass", self.style.number(b.mass))
            if not np.isnan(b.fullinertia[0]):
                inertial.put("fullinertia", self.style.numbers(b.fullinertia))
            else:
                inertial.put("diaginertia", self.style.numbers(b.inertia))
        self._fill_body(node, b)
        return node

    def _user(self, node: Node, e: Any) -> None:
        """Data of a user, as many as all of the kind have, where they are saved."""
        count = sections.user_sizes(self.spec).get(e._kind, 0)
        data = [*e.userdata, *[0.0] * (count - len(e.userdata))]
        node.put("user", self.style.numbers(e.userdata if self.compiled else data))

    def _joint(self, j: Any, childclass: str | None) -> Node:
        node = Node("joint")
        default = self._named(node, j, childclass)
        kind = words("mjtJoint").get(int(j.type), "")
        scale = math.pi / 180 if j.compiler.degree and kind in ("hinge", "ball") else 1.0
        # A class keeps what it says in its unit: MuJoCo saves it so, and the compiled value with the joint.
        others = {"range": j.range * scale} | {name: j.__dict__[name] * scale for name in ("ref", "springref", "springyield")}
        others |= {"pos": j.pos, "axis": j.axis}
        outer = poses.frame_of(j) if self.compiled else None
        if outer is not None:
            others |= {"pos": outer[0] + poses.turned(outer[1], j.pos), "axis": poses.turned(outer[1], j.axis)}
        write_fields(self.style, node, j, default, ("align", "pos", "axis") if kind == "free" else ("align",), others)
        if kind == "free":
            if self.compiled and node.attributes.keys() <= {"name", "type", "group"}:
                node.tag = "freejoint"
                node.attributes.pop("type", None)
            if int(j.align) != 2 and (node.tag == "freejoint" or not self.compiled):
                node.put("align", words("mjtAlignFree")[int(j.align)])
            return node
        return node

    def _shape(self, node: Node, e: Any, default: Any) -> None:
        """Type, size, and the pose that these make."""
        kind = words("mjtGeom").get(int(e.type), "")
        size = np.array(e.size)
        count = 3 if e._kind == "site" and self.compiled else _SIZES.get(kind, 3)
        usual = FIELDS[e._kind]["size"].default if default is None else default.size
        if not np.isnan(e.fromto[0]) and kind in ("capsule", "cylinder", "box", "ellipsoid"):
            if self.compiled and e._frame is None:
                node.put("fromto", self.style.numbers(e.fromto))
                node.put("size", self.style.numbers(size[: 1 if _SIZES.get(kind, 3) == 2 else 2] if e._kind == "geom" else size))
                return
            p, q, half = poses.stretched(e)
            if self.compiled:
                p, q = poses.within_frame(e, p, q)
            if _SIZES.get(kind, 3) == 2:
                size[1] = half
            else:
                size[1] = size[1] if size[1] > 0 else size[0]
                size[2] = half
        else:
            p, q = poses.pose_of(e, self.compiled)
        if count and not same(size[:count], usual[:count]):
            node.put("size", self.style.numbers(size[:count]))
        self._pose(node, p, q)

    def _geom(self, g: Any, childclass: str | None) -> Node:
        node = Node("geom")
        default = self._named(node, g, childclass)
        self._shape(node, g, default)
        write_fields(self.style, node, g, default, ("size", "fromto", "pos", "quat", "mass"))
        if not np.isnan(g.mass):
            tail: dict[str, str] = {
                name: node.attributes.pop(name) for name in ("density", "material", "hfield", "mesh", "fitscale", "user") if name in node.attributes
            }
            node.put("mass", self.style.number(g.mass))
            node.attributes.update(tail)
        usual = default or g._owner._top._plain("geom")
        if not same(g.fluid_ellipsoid, usual.fluid_ellipsoid):
            node.put("fluidshape", "ellipsoid" if g.fluid_ellipsoid > 0 else "none")
        if int(g.typeinertia) != int(usual.typeinertia):
            node.put("shellinertia", words("mjtGeomInertia")[int(g.typeinertia)])
        self._plugin_of(node, g)
        return node

    def _site(self, s: Any, childclass: str | None) -> Node:
        node = Node("site")
        default = self._named(node, s, childclass)
        self._shape(node, s, default)
        write_fields(self.style, node, s, default, ("size", "fromto", "pos", "quat"))
        if "user" in node.attributes:
            self._user(node, s)
        return node

    def _camera(self, c: Any, childclass: str | None) -> Node:
        node = Node("camera")
        default = self._named(node, c, childclass)
        p, q = poses.pose_of(c, self.compiled)
        self._pose(node, p, q)
        write_fields(self.style, node, c, default, ("pos", "quat"))
        if int(c.output) != 1:
            bits = {int(n): name.removeprefix("mjCAMOUT_").lower() for name, n in _enums.mjtCamOutBit.__members__.items() if "NCAM" not in name}
            node.put("output", " ".join(word for bit, word in bits.items() if int(c.output) & bit))
        return node

    def _light(self, light: Any, childclass: str | None) -> Node:
        node = Node("light")
        default = self._named(node, light, childclass)
        write_fields(self.style, node, light, default)
        outer = poses.frame_of(light) if self.compiled else None
        if "dir" in node.attributes:
            node.put("dir", self.style.numbers(poses.unit(light.dir)))
        if outer is not None:
            node.put("pos", self.style.numbers(outer[0] + poses.turned(outer[1], light.pos)))
            node.put("dir", self.style.numbers(poses.turned(outer[1], light.dir)))
        return node

    # -------------------------------------------------------------------- parts

    def _plugin_of(self, node: Node, e: Any) -> None:
        if e.plugin.active or e.plugin.plugin_name:
            child = node.add("plugin")
            child.put("plugin", e.plugin.plugin_name)
            child.put("instance", e.plugin.name)

    def _file(self, node: Node, e: Any) -> None:
        """The file of an asset, under a name of its own where the text is compiled."""
        if not self.compiled or not e.file or e._kind in ("texture", "skin"):
            return
        found = e._spec._asset(e.file, e._kind)
        if found is None:
            where = e._spec._where(e.file, e._kind)
            raise ValueError(f"Error: error opening file '{where}' of {e._kind} '{e._name or Path(e.file).stem}'")
        name = f"{e._kind}{e.id}_{PurePosixPath(e.file.replace(chr(92), '/')).name}"
        self.files[name] = found
        node.attributes["file"] = name
        if not e._name:
            node.attributes = {"name": PurePosixPath(e.file).stem, **node.attributes}

    def _mesh(self, m: Any) -> Node:
        node = self._other(m)
        self._file(node, m)
        return node

    def _hfield(self, h: Any) -> Node:
        node = self._other(h)
        self._file(node, h)
        if len(h.userdata):
            rows = np.array(list(h.userdata)).reshape(-1, h.ncol)[::-1]
            node.attributes["elevation"] = self.style.numbers(rows.ravel())
        return node

    def _skin(self, s: Any) -> Node:
        node = self._other(s)
        for i, body in enumerate(s.bodyname):
            node.add(
                "bone", body=body, bindpos=self.style.numbers(list(s.bindpos)[3 * i : 3 * i + 3]),
                bindquat=self.style.numbers(list(s.bindquat)[4 * i : 4 * i + 4]), vertid=self.style.numbers(s.vertid[i]),
                vertweight=self.style.numbers(s.vertweight[i]),
            )
        return node

    def _texture(self, t: Any) -> Node:
        node = Node("texture", {"type": words("mjtTexture").get(int(t.type), "2d"), "colorspace": words("mjtColorSpace").get(int(t.colorspace), "auto")})
        default = self._named(node, t)
        write_fields(self.style, node, t, default, ("type", "colorspace"))
        for side, name in zip(("right", "left", "up", "down", "front", "back"), t.cubefiles):
            node.put(f"file{side}", name)
        return node

    def _material(self, m: Any) -> Node:
        node = self._other(m)
        named = [(i, name) for i, name in enumerate(m.textures) if name]
        rgb = int(_enums.mjtTextureRole["mjTEXROLE_RGB"])
        if [i for i, _ in named] == [rgb]:
            name = node.attributes.pop("name", "")
            node.attributes = {**({"name": name} if name else {}), "texture": named[0][1], **node.attributes}
        else:
            for i, name in named:
                node.add("layer", role=words("mjtTextureRole")[i], texture=name)
        return node

    def _pair(self, p: Any) -> Node:
        node = Node("pair", {"geom1": p.geomname1, "geom2": p.geomname2})
        default = self._named(node, p)
        write_fields(self.style, node, p, default, ("geomname1", "geomname2"))
        return node

    def _numeric(self, n: Any) -> Node:
        node = Node("numeric")
        node.put("name", n._name)
        size = max(int(n.size), len(n.data))
        node.put("size", str(size))
        data = list(n.data) if self.compiled else [*n.data, *[0.0] * (size - len(n.data))]
        node.put("data", self.style.numbers(data))
        return node

    def _tuple(self, t: Any) -> Node:
        node = Node("tuple")
        node.put("name", t._name)
        for kind, name, number in zip(t.objtype, t.objname, t.objprm):
            child = node.add("element", objtype=words("mjtObj").get(kind, ""), objname=name)
            child.put("prm", self.style.number(number) if number else None)
        return node

    def _tendon(self, t: Any) -> Node:
        fixed = bool(t._path) and t._path[0]._is("JOINT")
        node = Node("fixed" if fixed else "spatial")
        default = self._named(node, t)
        write_fields(self.style, node, t, default, ("springlength",))
        if not np.array_equal(t.springlength, [-1, -1]):
            both = t.springlength[0] != t.springlength[1]
            node.put("springlength", self.style.numbers(t.springlength if both else t.springlength[:1]))
        for w in t._path:
            if w._is("JOINT"):
                node.add("joint", joint=w._name, coef=self.style.number(w._number))
            elif w._is("PULLEY"):
                node.add("pulley", divisor=self.style.number(w._number))
            elif w._is("SITE"):
                node.add("site", site=w._name)
            else:
                node.add("geom", geom=w._name).put("sidesite", w._side)
        return node

    def _equality(self, e: Any) -> Node:
        return sections.equality(self, e)

    def _actuator(self, a: Any) -> Node:
        return sections.actuator(self, a)

    def _sensor(self, s: Any) -> Node:
        return sections.sensor(self, s)


def _ordered(body: Any, frame: Any) -> list[Any]:
    """Elements and frames that stand in a frame of a body, so that each kind keeps its order."""
    inner = {id(f): f for f in body._children["frame"]}

    def item(e: Any) -> Any:
        """The element, or the frame of this level that holds it; None where it stands elsewhere."""
        while e is not None:
            at = e._frame
            if at is frame:
                return e
            e = at if at is not None and id(at) in inner else None
        return None

    items: list[Any] = []
    after: dict[int, set[int]] = {}
    ranks: dict[int, tuple[int, int]] = {}
    for rank, kind in enumerate((*OF_BODIES, "body", "frame")):
        last = None
        for i, e in enumerate(body._children[kind]):
            found = item(e)
            if found is None or (kind == "frame" and found is not e):
                continue
            if id(found) not in ranks:
                items.append(found)
                after[id(found)] = set()
            where = (OF_BODIES + ("body", "body")).index("body") if found._kind in ("frame", "body") else rank
            ranks[id(found)] = min(ranks.get(id(found), (9, 1 << 30)), (where, i))
            if kind != "frame" and last is not None and last is not found and id(last) not in after[id(found)]:
                if id(found) not in after[id(last)]:
                    after[id(found)].add(id(last))
            last = found if kind != "frame" else last
    out: list[Any] = []
    done: set[int] = set()
    while len(out) < len(items):
        ready = [e for e in items if id(e) not in done and after[id(e)] <= done]
        left = ready or [e for e in items if id(e) not in done]
        chosen = min(left, key=lambda e: ranks[id(e)])
        out.append(chosen)
        done.add(id(chosen))
    return out
