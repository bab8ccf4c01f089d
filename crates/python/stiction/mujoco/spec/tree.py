"""Bodies and frames, what is added to them, and how they are walked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .. import _enums
from .._guard import NotOffered
from . import attach
from .element import Element, InBody, simple
from .words import OF_BODIES, plural

if TYPE_CHECKING:
    from .parts import MjsDefault

#: Kinds that are found in a body, in the order in which a message lists them.
_FOUND = ("body", "frame", "geom", "site", "joint", "light", "camera")


class Holder(InBody):
    """What elements of bodies are added to: a body, or a frame of one."""

    def _place(self) -> tuple[MjsBody, Any]:
        """The body to which elements are added, and the frame."""
        raise NotImplementedError

    def _add(self, kind: str, default: MjsDefault | None, given: dict[str, Any], valid: Any = None) -> Any:
        from .parts import CLASSES
        from .words import class_name

        body, frame = self._place()
        spec = body._owner
        of = None if kind == "frame" else default if default is not None else body._defaults()
        made = CLASSES[class_name(kind)](spec, of)
        made._body, made._frame = body, frame
        made._configure(given, valid)
        body._children[kind].append(made)
        spec._top._changed()
        return made

    def add_body(self, default: MjsDefault | None = None, **given: Any) -> MjsBody:
        """A body in this one."""
        return self._add("body", default, given)  # type: ignore[no-any-return]

    def add_geom(self, default: MjsDefault | None = None, **given: Any) -> Any:
        """A geom of the body."""
        return self._add("geom", default, given)

    def add_joint(self, default: MjsDefault | None = None, **given: Any) -> Any:
        """A joint by which the body moves in its parent."""
        return self._add("joint", default, given)

    def add_site(self, default: MjsDefault | None = None, **given: Any) -> MjsSite:
        """A site of the body."""
        return self._add("site", default, given)  # type: ignore[no-any-return]

    def add_camera(self, default: MjsDefault | None = None, **given: Any) -> Any:
        """A camera on the body."""
        return self._add("camera", default, given)

    def add_light(self, default: MjsDefault | None = None, **given: Any) -> Any:
        """A light on the body."""
        return self._add("light", default, given)

    def add_frame(self, parent: MjsFrame | None = None, **given: Any) -> MjsFrame:
        """A frame of the body, in another frame of it or in this."""
        made: MjsFrame = self._add("frame", None, given)
        if parent is not None:
            made._frame = parent
        return made


class MjsBody(Holder):
    """A body. The world is one."""

    _kind = "body"

    def __init__(self, spec: Any, default: MjsDefault | None = None) -> None:
        super().__init__(spec, default)
        self.__dict__["_children"] = {kind: [] for kind in ("body", "frame", *OF_BODIES)}
        #: Elements of a text that are read, but not made into objects.
        self.__dict__["_raw"] = []
        self.__dict__["childclass"] = self._class.name if self._class is not None else ""

    def _place(self) -> tuple[MjsBody, Any]:
        return self, None

    def _defaults(self) -> Any:
        """The class of what is added without one."""
        found = self._owner.find_default(self.childclass) if self.childclass else None
        return found if found is not None else self._class

    def add_freejoint(self, **given: Any) -> Any:
        """A joint that leaves the body free."""
        made = self._add("joint", None, given, ("align", "group", "name"))
        fresh = type(made)(made._spec, _no_class(made._spec))
        keep = {name: made.__dict__[name] for name in ("align", "group")}
        made._take(fresh)
        made.type = _enums.mjtJoint["mjJNT_FREE"]
        for name, value in keep.items():
            setattr(made, name, value)
        return made

    def make_flex(self, **given: Any) -> Any:
        """Refused: flexible bodies are not simulated."""
        raise NotOffered("stiction.mujoco does not offer MjsBody.make_flex: flexible bodies are not simulated")

    def attach_frame(self, frame: MjsFrame, prefix: str | None = None, suffix: str | None = None) -> MjsFrame:
        """Attaches a frame of another spec, with what stands in it."""
        return attach.attach_frame(self, None, frame, prefix or "", suffix or "")

    def to_frame(self) -> MjsFrame:
        """Makes the body a frame of its parent: what stood in the body stands in the frame."""
        parent: MjsBody = self._body
        frame: MjsFrame = parent._add("frame", None, {"pos": self.pos, "quat": self.quat})
        frame._frame = self._frame
        frame.alt._take(self.alt)
        for kind, of in self._children.items():
            for child in of:
                child._body = parent
                if child._frame is None:
                    child._frame = frame
            parent._children[kind].extend(of)
            of.clear()
        parent._children["body"].remove(self)
        self._owner._top._changed()
        return frame

    # ------------------------------------------------------------------- walks

    def _below(self, kind: str) -> Iterator[Any]:
        """All of a kind in the body and in those below, in MuJoCo's order; the body itself is none."""
        ahead = [self]
        while ahead:
            body = ahead.pop()
            if kind == "body" and body is not self:
                yield body
            elif kind != "body":
                yield from body._children[kind]
            ahead += reversed(body._children["body"])

    def find_all(self, kind: Any) -> list[Any]:
        """All of a kind in the body and in those below."""
        word = kind if isinstance(kind, str) else _enums.mjtObj(int(kind)).name.removeprefix("mjOBJ_").lower()
        if word not in _FOUND:
            raise ValueError("body.find_all supports the types: body, frame, geom, site, joint, light, camera.")
        return list(self._below(word))

    def find_child(self, name: str) -> MjsBody | None:
        """A body below by its name."""
        return next((b for b in self._below("body") if b._name == name), None)


def _listed(kind: str) -> property:
    def read(self: MjsBody) -> list[Any]:
        return list(self._children[kind])

    read.__doc__ = f"Its {plural(kind)}."
    return property(read)


def _first(kind: str) -> Callable[[MjsBody], Any]:
    def first(self: MjsBody) -> Any:
        return next(iter(self._children[kind]), None)

    first.__doc__ = f"Its first {kind}."
    return first


def _next(kind: str) -> Callable[[MjsBody, Element], Any]:
    def following(self: MjsBody, element: Element) -> Any:
        of = self._children[kind]
        at = next((i for i, e in enumerate(of) if e is element), len(of))
        return of[at + 1] if at + 1 < len(of) else None

    following.__doc__ = f"The {kind} after another; None after the last."
    return following


for _kind in ("body", "frame", *OF_BODIES):
    setattr(MjsBody, plural(_kind), _listed(_kind))
    setattr(MjsBody, f"first_{_kind}", _first(_kind))
    setattr(MjsBody, f"next_{_kind}", _next(_kind))


def _no_class(spec: Any) -> Any:
    from .parts import MjsDefault

    return MjsDefault(spec, "main", None)


class MjsFrame(Holder):
    """A frame of a body: a place for elements."""

    _kind = "frame"

    def _place(self) -> tuple[MjsBody, Any]:
        return self._body, self

    def attach_body(self, body: MjsBody, prefix: str | None = None, suffix: str | None = None) -> MjsBody:
        """Attaches a body of another spec, with what of that spec speaks of it."""
        return attach.attach_body(self._body, self, body, prefix or "", suffix or "")


class MjsSite(InBody):
    """A site of a body."""

    _kind = "site"

    def attach_body(self, body: MjsBody, prefix: str | None = None, suffix: str | None = None) -> MjsBody:
        """Attaches a body of another spec at the site, with what of that spec speaks of it."""
        return attach.attach_body(self._body, attach.frame_at(self), body, prefix or "", suffix or "")


MjsJoint = simple("joint", InBody, "A joint of a body.")
MjsGeom = simple("geom", InBody, "A geom of a body.")
MjsCamera = simple("camera", InBody, "A camera on a body.")
MjsLight = simple("light", InBody, "A light on a body.")
