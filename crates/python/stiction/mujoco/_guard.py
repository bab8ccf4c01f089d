"""Objects whose attributes are offered or refused: nothing that is assigned is lost without a word."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._stiction import Error


class NotOffered(Error, AttributeError):
    """A name of MuJoCo that is not offered here; nothing is a silent zero."""


class FatalError(RuntimeError):
    """What MuJoCo raises where it cannot go on; here steps that fail raise ``stiction.StepFailed``."""


class Missing:
    """A field that is not offered, where a library asks for all: it raises when it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def _refuse(self, *given: Any) -> Any:
        raise NotOffered(f"stiction.mujoco does not offer {self._name}")

    __getitem__ = __setitem__ = __iter__ = __len__ = __array__ = __float__ = __int__ = __bool__ = __call__ = _refuse
    __add__ = __sub__ = __mul__ = __truediv__ = __radd__ = __rsub__ = __rmul__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._refuse()

    def __repr__(self) -> str:
        return f"<{self._name}: not offered>"


class Listed(type):
    """Classes whose instances have attributes that ``dir`` of the class lists."""

    #: Attributes of instances, and those that are given as :class:`Missing`.
    fields: tuple[str, ...] = ()
    missing: frozenset[str] = frozenset()

    def __dir__(cls) -> list[str]:
        return sorted({*super().__dir__(), *cls.fields})


class Guarded(metaclass=Listed):
    """The base of all of them. Arrays are written in place; what else may be set is a property, or in ``_settable``."""

    #: How messages call it.
    _called = "?"
    _settable: frozenset[str] = frozenset()

    def __getattr__(self, name: str) -> Any:
        return self._lacks(name)

    def _lacks(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        of_class = getattr(type(self), name, None)
        if isinstance(of_class, property) and of_class.fget is not None:
            # It was refused there, which Python takes for a name that is missing: the sentence is the one to be told.
            return of_class.fget(self)
        if name in type(self).missing:
            return Missing(f"{self._called}.{name}")
        raise NotOffered(f"stiction.mujoco does not offer {self._called}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        of_class = getattr(type(self), name, None)
        if name.startswith("_") or name in self._settable:
            object.__setattr__(self, name, value)
        elif isinstance(of_class, property) and of_class.fset is not None:
            object.__setattr__(self, name, value)
        else:
            held = getattr(self, name)  # raises for a name that is not offered
            if isinstance(held, Missing):
                held._refuse()
            if not isinstance(held, np.ndarray):
                raise NotOffered(f"stiction.mujoco does not offer to set {self._called}.{name}")
            if not held.flags.writeable:
                raise NotOffered(f"stiction.mujoco does not offer to set {self._called}.{name}: it is read only")
            held[...] = value

    def _put(self, **values: Any) -> None:
        """Sets attributes that nobody else may set."""
        self.__dict__.update(values)


class Named(Guarded):
    """An object by its name: every attribute is a view of its rows in an array of the model or of the state."""

    def __init__(self, owner: Any, called: str, id: int, name: str, rows: dict[str, tuple[str, Any]]) -> None:
        self._put(_owner=owner, _called=called, id=id, name=name, _rows=rows)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        place = self._rows.get(name)
        if place is None:
            raise NotOffered(f"stiction.mujoco does not offer {self._called}.{name}")
        array, rows = place
        part = getattr(self._owner, array)[rows]
        # Fields are one array each: so are their parts.
        if isinstance(part, np.ndarray) and getattr(self._owner, "__dict__", {}).get(array) is not None:
            self._put(**{name: part})
        return part

    def __repr__(self) -> str:
        of, _, kind = self._called.partition("(")[0].partition(".")
        lines = [f"<_{of}{kind.capitalize()}Views", f"  id: {self.id}", f"  name: {self.name!r}"]
        for name in sorted(self._rows):
            try:
                lines.append(f"  {name}: {getattr(self, name)!r}")
            except NotOffered:
                continue
        return "\n".join([*lines, ">"])
