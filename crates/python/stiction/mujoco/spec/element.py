"""Elements of a spec: objects whose fields are those of a table, with a name and a class of defaults."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .._enums import mjtOrientation
from . import fields
from .words import FIELDS, OF_SPECS, WITH_DEFAULTS, class_name

if TYPE_CHECKING:
    from .parts import MjsDefault
    from .spec import MjSpec
    from .tree import MjsBody

#: Ways to say an orientation, but for a quaternion.
TURNS = ("axisangle", "xyaxes", "zaxis", "euler")


@contextlib.contextmanager
def deep() -> Iterator[None]:
    """Lets functions call themselves as often as bodies lie in one another."""
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(max(usual, 100_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(usual)


class Fields:
    """An object with the fields of a kind."""

    _kind: ClassVar[str] = ""

    def __init__(self) -> None:
        for name, field in FIELDS[self._kind].items():
            if field.kind == "o":
                self.__dict__[name] = MjsOrientation()
            elif field.kind == "u":
                self.__dict__[name] = _plugin()
            else:
                self.__dict__[name] = fields.fresh(self._kind, field)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        field = FIELDS[self._kind].get(name)
        if field is None:
            of_class = getattr(type(self), name, None)
            if not name.startswith("_") and not (isinstance(of_class, property) and of_class.fset is not None):
                raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
            object.__setattr__(self, name, value)
        elif field.kind in ("o", "u"):
            self.__dict__[name]._take(value)
        else:
            fields.put(self, field, value)

    def _take(self, other: Any) -> None:
        """Takes the values of another of its kind."""
        if type(other) is not type(self):
            raise TypeError(f"{other!r} is no {type(self).__name__}")
        for name, field in FIELDS[self._kind].items():
            value = other.__dict__[name]
            if isinstance(value, np.ndarray):
                self.__dict__[name][...] = value
            elif field.kind[0] in "vc":
                self.__dict__[name].fill(value)
            elif field.kind in ("o", "u"):
                self.__dict__[name]._take(value)
            else:
                self.__dict__[name] = value

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *FIELDS[self._kind]})


class MjsOrientation(Fields):
    """An orientation that is no quaternion; ``type`` says which of its fields counts."""

    _kind = "orientation"


class MjsCompiler(Fields):
    """How a spec is compiled: the meaning of angles, folders, what inertia is made of."""

    _kind = "compiler"

    def __init__(self) -> None:
        super().__init__()
        from .._structs import MjLROpt

        self.__dict__["LRopt"] = MjLROpt()


def _plugin() -> Any:
    made = MjsPlugin.__new__(MjsPlugin)
    Fields.__init__(made)
    made.__dict__.update(_spec=None, _owner=None, _name="", config={})
    return made


class Element(Fields):
    """An element of a spec."""

    def __init__(self, spec: MjSpec, default: MjsDefault | None = None) -> None:
        super().__init__()
        # The spec in which it was made, whose compiler counts, and the one in which it is now.
        self.__dict__.update(_spec=spec, _owner=spec, _name="", _class=None)
        if self._kind in WITH_DEFAULTS or self._kind == "body":
            of = default if default is not None else spec.default
            self._class = of
            if self._kind in of._elements:
                self._take(of._elements[self._kind])

    # ------------------------------------------------------------------- names

    @property
    def name(self) -> str:
        """Its name; no other of its kind in the spec has the same."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{name!r} is no name")
        spec: MjSpec | None = self._owner
        if spec is not None and name:
            spec = spec._top
            names = spec._names_of(self._kind)
            if name in names and any(e._name == name and e is not self for e in spec._all(self._kind)):
                raise ValueError(f"Error: repeated name '{name}' in {self._kind}")
            names.add(name)
        self._name = name
        if spec is not None:
            spec._changed()

    @property
    def id(self) -> int:
        """Its number in the compiled model; −1 where there is none of the spec as it is."""
        spec: MjSpec = self._owner._top
        if self._kind in OF_SPECS:
            return next((i for i, e in enumerate(spec._lists[self._kind]) if e is self), -1)
        return spec._ids.get(self, -1) if spec._signature else -1

    @property
    def signature(self) -> int:
        """The number of the compilation that made the model of the spec as it is; 0 where there was none."""
        return self._owner._top._signature  # type: ignore[no-any-return]

    @property
    def compiler(self) -> MjsCompiler:
        """The compiler options of the spec in which it was made."""
        return self._spec.compiler  # type: ignore[no-any-return]

    # ----------------------------------------------------------------- defaults

    def _configure(self, given: Mapping[str, Any], valid: Iterable[str] | None = None) -> None:
        """Sets what a method was given by name."""
        names = list(valid) if valid is not None else ["name", *FIELDS[self._kind]]
        turns = {} if valid is not None else {turn: "alt" for turn in TURNS if "alt" in names}
        if "ialt" in names and valid is None:
            turns |= {f"i{turn}": "ialt" for turn in TURNS}
        for name in given:
            if name not in names and name not in turns:
                options = ", ".join(sorted([*names, *turns]))
                raise TypeError(f"Invalid {name} keyword argument. Valid options are: {options}.")
        for of in ("alt", "ialt"):
            if sum(turns.get(name) == of for name in given) > 1:
                begin = "i" if of == "ialt" else ""
                said = [begin + turn for turn in TURNS]
                raise ValueError(f"Only one of: {', '.join(said[:-1])}, or {said[-1]} can be set.")
        for name, value in given.items():
            if value is None:
                continue
            if name in turns:
                turn = name.removeprefix("i") if turns[name] == "ialt" else name
                orientation = self.__dict__[turns[name]]
                fields.put(orientation, FIELDS["orientation"][turn], value, True)
                orientation.type = mjtOrientation[f"mjORIENTATION_{turn.upper()}"]
            elif name == "name" or FIELDS[self._kind][name].kind in ("o", "u"):
                setattr(self, name, value)
            else:
                fields.put(self, FIELDS[self._kind][name], value, True)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._name!r}>"


class WithClass(Element):
    """An element with a class of defaults, whose values it had when it was made."""

    @property
    def classname(self) -> MjsDefault:
        """Its class of defaults."""
        return self._class

    @classname.setter
    def classname(self, default: MjsDefault) -> None:
        self._class = default


class InBody(WithClass):
    """An element that stands in a body."""

    @property
    def parent(self) -> MjsBody | None:
        """The body in which it stands."""
        return self.__dict__.get("_body")

    @property
    def frame(self) -> Any:
        """The frame in which it stands; None where it is the body's."""
        return self.__dict__.get("_frame")

    def set_frame(self, frame: Any) -> None:
        """Places it in a frame of its body."""
        self._frame = frame
        self._owner._top._changed()


def simple(kind: str, base: type[Element], what: str) -> type[Element]:
    """The class of a kind that has nothing but its fields."""
    return type(class_name(kind), (base,), {"_kind": kind, "__doc__": what, "__module__": __name__})


class MjsPlugin(Element):
    """A plugin: none is run, and a spec with one compiles with a warning."""

    _kind = "plugin"

    def __init__(self, spec: MjSpec, default: MjsDefault | None = None) -> None:
        super().__init__(spec, default)
        self.__dict__["config"] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "config":
            self.__dict__["config"] = dict(value)
        else:
            super().__setattr__(name, value)

    def _take(self, other: Any) -> None:
        super()._take(other)
        self.__dict__.update(_name=other._name, config=dict(other.config))
