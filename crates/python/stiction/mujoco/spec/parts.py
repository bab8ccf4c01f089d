"""Elements of the spec itself: classes of defaults, tendons and their paths, sensors, and those that are fields alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _enums
from .actuators import MjsActuator
from .element import Element, Fields, MjsCompiler, MjsOrientation, MjsPlugin, WithClass, simple
from .fields import Values
from .shapes import MjsMesh
from .tree import MjsBody, MjsCamera, MjsFrame, MjsGeom, MjsJoint, MjsLight, MjsSite
from .words import WITH_DEFAULTS

if TYPE_CHECKING:
    from .spec import MjSpec


class MjsDefault:
    """A class of defaults: an element of every kind, whose values elements of the class have when they are made."""

    _kind = "default"

    def __init__(self, spec: MjSpec, name: str, parent: MjsDefault | None) -> None:
        self.name = name
        self._spec, self._owner, self._parent = spec, spec, parent
        self._children: list[MjsDefault] = []
        self._elements: dict[str, Element] = {}
        for kind in WITH_DEFAULTS:
            made = KINDS[kind].__new__(KINDS[kind])
            Fields.__init__(made)
            made.__dict__.update(_spec=spec, _owner=None, _name="", _class=self, **_more(kind))
            if parent is not None:
                made._take(parent._elements[kind])
            self._elements[kind] = made

    def _below(self) -> list[MjsDefault]:
        return [self, *(d for child in self._children for d in child._below())]

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__.get("_elements", {}).get(name)
        if found is None:
            raise AttributeError(f"'MjsDefault' object has no attribute '{name}'")
        return found

    def __repr__(self) -> str:
        return f"<MjsDefault {self.name!r}>"


class MjsWrap:
    """A part of the path of a tendon."""

    def __init__(self, tendon: MjsTendon, type: str, name: str = "", side: str = "", number: float = 0.0) -> None:
        self.type, self.info = _enums.mjtWrap[f"mjWRAP_{type}"], ""
        self._tendon, self._name, self._side, self._number = tendon, name, side, number

    def _is(self, *types: str) -> bool:
        return self.type in [_enums.mjtWrap[f"mjWRAP_{t}"] for t in types]

    @property
    def target(self) -> Any:
        """The joint, the site or the geom; None of a pulley."""
        kind = "joint" if self._is("JOINT") else "site" if self._is("SITE") else "geom"
        return None if self._is("PULLEY") else self._tendon._owner._top._find(kind, self._name)

    @property
    def sidesite(self) -> Any:
        """The site that says on which side of a geom the tendon lies."""
        return self._tendon._owner._top._find("site", self._side) if self._side else None

    @property
    def coef(self) -> float | None:
        """The coefficient of a joint."""
        return self._number if self._is("JOINT") else None

    @property
    def divisor(self) -> float | None:
        """The divisor of a pulley."""
        return self._number if self._is("PULLEY") else None


class MjsTendon(WithClass):
    """A tendon: a sum of joints, or a path."""

    _kind = "tendon"

    def __init__(self, spec: MjSpec, default: MjsDefault | None = None) -> None:
        super().__init__(spec, default)
        self.__dict__["_path"] = []

    @property
    def path(self) -> Values:
        """What the tendon passes."""
        return Values(lambda x: x, self._path)

    def default(self) -> MjsDefault:
        """Its class of defaults."""
        return self._class

    def _wrap(self, *given: Any) -> MjsWrap:
        self._path.append(MjsWrap(self, *given))
        self._owner._top._changed()
        return self._path[-1]  # type: ignore[no-any-return]

    def wrap_site(self, name: str) -> MjsWrap:
        """Goes on through a site."""
        return self._wrap("SITE", name)

    def wrap_geom(self, name: str, sidesite: str) -> MjsWrap:
        """Goes on around a geom."""
        return self._wrap("SPHERE", name, sidesite)

    def wrap_joint(self, name: str, coef: float) -> MjsWrap:
        """Adds a joint with a coefficient."""
        return self._wrap("JOINT", name, "", float(coef))

    def wrap_pulley(self, divisor: float) -> MjsWrap:
        """Goes on with a pulley."""
        return self._wrap("PULLEY", "", "", float(divisor))


#: Sensors of more, or fewer, numbers than one.
_WIDTHS = {
    3: """ACCELEROMETER VELOCIMETER GYRO FORCE TORQUE MAGNETOMETER BALLANGVEL FRAMEPOS FRAMEXAXIS FRAMEYAXIS FRAMEZAXIS FRAMELINVEL
        FRAMEANGVEL FRAMELINACC FRAMEANGACC SUBTREECOM SUBTREELINVEL SUBTREEANGMOM GEOMNORMAL""",
    4: "BALLQUAT FRAMEQUAT", 2: "CAMPROJECTION", 6: "GEOMFROMTO",
}
_WIDTH = {f"mjSENS_{word}": n for n, words in _WIDTHS.items() for word in words.split()}
#: How many numbers the fields of contacts and of rays have, in the order of their bits.
_CONTACT, _RAY = (1, 3, 3, 1, 3, 3, 3, 3, 3), (1, 3, 3, 3, 3, 1)


class MjsSensor(Element):
    """A sensor."""

    _kind = "sensor"

    def get_data_size(self) -> int:
        """How many numbers it reads."""
        kind = _enums.mjtSensor(int(self.type)).name
        bits = int(self.intprm[0])
        if kind == "mjSENS_USER":
            return int(self.dim)
        if kind == "mjSENS_CONTACT":
            return int(self.intprm[2]) * sum(n for i, n in enumerate(_CONTACT) if bits >> i & 1)
        if kind == "mjSENS_RANGEFINDER":
            rays = 1
            if int(self.objtype) == _enums.mjtObj["mjOBJ_CAMERA"]:
                camera = self._owner._top._find("camera", self.objname)
                rays = 1 if camera is None else int(camera.resolution[0] * camera.resolution[1])
            return rays * sum(n for i, n in enumerate(_RAY) if bits >> i & 1)
        return _WIDTH.get(kind, 1)


def _more(kind: str) -> dict[str, Any]:
    return {"_path": []} if kind == "tendon" else {}


#: Classes of elements by their kinds.
KINDS: dict[str, Any] = {
    "body": MjsBody, "frame": MjsFrame, "joint": MjsJoint, "geom": MjsGeom, "site": MjsSite, "camera": MjsCamera, "light": MjsLight,
    "mesh": MjsMesh, "tendon": MjsTendon, "actuator": MjsActuator, "sensor": MjsSensor, "plugin": MjsPlugin,
    "hfield": simple("hfield", Element, "A height field."), "skin": simple("skin", Element, "A skin, which is not drawn."),
    "texture": simple("texture", WithClass, "A texture, which is not drawn."), "material": simple("material", WithClass, "A material."),
    "pair": simple("pair", WithClass, "A pair of geoms that touch."), "exclude": simple("exclude", Element, "A pair of bodies that do not touch."),
    "equality": simple("equality", WithClass, "An equality."), "numeric": simple("numeric", Element, "Numbers for other programs."),
    "text": simple("text", Element, "A text for other programs."), "tuple": simple("tuple", Element, "A list of elements for other programs."),
    "key": simple("key", Element, "A keyframe."), "flex": simple("flex", WithClass, "A flexible body, which is not simulated."),
}
#: The same by their names.
CLASSES: dict[str, Any] = {
    **{of.__name__: of for of in KINDS.values()},
    "MjsDefault": MjsDefault, "MjsWrap": MjsWrap, "MjsOrientation": MjsOrientation, "MjsCompiler": MjsCompiler,
}
