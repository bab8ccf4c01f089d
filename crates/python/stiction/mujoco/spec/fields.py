"""What a field may hold: lists that are written in place, and how a value that is given becomes one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, SupportsIndex, SupportsInt

import numpy as np

from .. import _enums
from .words import Field


class Values(Sequence[Any]):
    """A list of a field, written in place. One of a fixed length says so where more is given."""

    def __init__(self, take: Callable[[Any], Any], values: Iterable[Any] = (), fixed: int | None = None, called: str = "") -> None:
        self._take, self._fixed, self._called = take, fixed, called
        self._values: list[Any] = []
        self.fill(values)

    def fill(self, values: Iterable[Any]) -> None:
        """Holds other values from now on."""
        new = [self._take(v) for v in values]
        if self._fixed is not None and len(new) != self._fixed:
            raise ValueError(f"{self._called} must have exactly {self._fixed} elements, got {len(new)}. Assign all of them, or one by its index.")
        self._values[:] = new

    def _at(self, i: SupportsIndex) -> int:
        at = i.__index__()
        if not 0 <= at < len(self._values):
            raise IndexError(f"index {at} is out of range; there are {len(self._values)}")
        return at

    def __getitem__(self, i: Any) -> Any:
        return self._values[i] if isinstance(i, slice) else self._values[self._at(i)]

    def __setitem__(self, i: SupportsIndex, value: Any) -> None:
        self._values[self._at(i)] = self._take(value)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self._values, dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Values, list, tuple)) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._values)


class Letters(Values):
    """A fixed number of letters."""

    def fill(self, values: Iterable[Any]) -> None:
        """Holds other letters from now on: a text, or a list of letters."""
        new = list(values)
        if self._fixed is not None and len(new) > self._fixed:
            raise ValueError(f"{self._called} may have at most {self._fixed} characters, got {len(new)}")
        new += ["\0"] * ((self._fixed or 0) - len(new))
        if any(not isinstance(v, str) or len(v) != 1 for v in new):
            raise ValueError(f"{self._called}: list elements must be single characters")
        self._values[:] = new


def _number(value: Any) -> float:
    if isinstance(value, (str, bytes)) or value is None:
        raise TypeError(f"{value!r} is no number")
    return float(value)


def _single(value: Any) -> float:
    return float(np.float32(_number(value)))


def _whole(value: Any) -> int:
    if isinstance(value, (str, bytes, float)) or not isinstance(value, (SupportsInt, SupportsIndex)):
        raise TypeError(f"{value!r} is no whole number")
    return int(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _list(value: Any) -> list[Any]:
    return [v.item() if isinstance(v, np.generic) else v for v in value]


_TAKES: dict[str, Callable[[Any], Any]] = {"f": _number, "g": _single, "i": _whole, "s": _text, "l": _list}
#: Lists of texts whose length is fixed.
_FIXED = {"textures": int(_enums.mjtTextureRole["mjNTEXROLE"])}


def fresh(kind: str, field: Field) -> Any:
    """The default of a field, which nobody else holds."""
    if field.kind[0] == "v":
        fixed = _FIXED.get(field.name)
        return Values(_TAKES[field.kind[1]], [""] * (fixed or 0), fixed, f"{kind}.{field.name}")
    if field.kind == "c":
        return Letters(_text, field.default, len(field.default), field.name)
    if isinstance(field.default, np.ndarray):
        return field.default.copy()
    if field.kind == "e":
        return member(field, field.default)
    return field.default


def member(field: Field, number: int) -> Any:
    """The member of an enumeration, or the number where there is none."""
    try:
        return getattr(_enums, field.enumeration)(number)
    except ValueError:
        return number


def _array(field: Field, value: Any, given: bool) -> Any:
    """A value as an array of the field's size. ``given`` says that it was an argument of a method, which raises otherwise."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{field.name} is {value!r}; expected numbers")
    least = 1 if field.kind[0] in "zp" else field.count
    if field.kind[0] in "ph" and np.ndim(value) == 0:
        value = [_number(value)] * (field.count if field.kind[0] == "h" else 1)
    numbers = np.asarray(value, field.default.dtype).ravel() if np.size(value) else np.zeros(0)
    if not (least if given or field.kind[0] == "p" else field.count) <= len(numbers) <= field.count:
        size = f"{least} to {field.count}" if field.kind[0] == "z" else str(field.count)
        raise (ValueError if given or field.kind[0] == "h" else TypeError)(f"{field.name} should be a list/array of size {size}.")
    return np.concatenate([numbers, np.zeros(field.count - len(numbers))])


def put(element: Any, field: Field, value: Any, given: bool = False) -> None:
    """Sets a field of an element."""
    held = element.__dict__[field.name]
    match field.kind[0]:
        case "f" | "g" | "i" | "z" | "p" | "h" if field.count:
            held[...] = _array(field, value, given)
        case "v" | "c":
            if field.kind[0] == "v" and isinstance(value, (str, bytes)):
                raise TypeError(f"{field.name} is {value!r}; expected a list")
            if field.kind == "c" and given and len(value) != len(field.default):
                raise ValueError(f"{field.name} should have length {len(field.default)}, got {len(value)}")
            held.fill(np.ravel(value).tolist() if isinstance(value, np.ndarray) else value)
        case "e":
            element.__dict__[field.name] = member(field, _whole(value))
        case "b":
            element.__dict__[field.name] = bool(_number(value))
        case "y":
            element.__dict__[field.name] = bytes(value)
        case kind:
            element.__dict__[field.name] = _TAKES[kind](value)
