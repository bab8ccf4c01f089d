"""Texts of XML as MuJoCo writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from .element import Fields
from .words import FIELDS, Field, words


@dataclass
class Node:
    """An element of a text."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)
    comment: str = ""

    def put(self, name: str, text: str | None) -> None:
        """Sets an attribute, unless there is no text."""
        if text is not None and text != "":
            self.attributes[name] = text

    def add(self, tag: str, **attributes: str) -> Node:
        """A child."""
        self.children.append(Node(tag, attributes))
        return self.children[-1]

    def lines(self, depth: int = 0) -> Iterable[str]:
        """Its lines."""
        pad = "  " * depth
        if self.comment:
            yield f"{pad}<!--{self.comment}-->"
            return
        head = pad + "<" + " ".join([self.tag, *(f"{name}={_quoted(text)}" for name, text in self.attributes.items())])
        if not self.children:
            yield head + "/>"
            return
        yield head + ">"
        for i, child in enumerate(self.children):
            if depth == 0 and i and not self.children[i - 1].comment:
                yield ""
            yield from child.lines(depth + 1)
        yield f"{pad}</{self.tag}>"

    def text(self) -> str:
        """Its text."""
        return "\n".join(self.lines()) + "\n"


def _quoted(text: str) -> str:
    return '"' + quoteattr(text, {'"': "&quot;", "'": "&apos;"})[1:-1] + '"'


def short(x: float) -> str:
    """A number as MuJoCo writes it, with six digits."""
    x = float(x)
    return str(int(x)) if x.is_integer() and abs(x) < 2**31 else f"{x:.6g}"


def exact(x: float) -> str:
    """A number with all of its digits."""
    x = float(x)
    return str(int(x)) if x.is_integer() and abs(x) < 2**53 else repr(x)


@dataclass
class Style:
    """How numbers are written, and whether as they are compiled: in bodies, without classes of defaults."""

    compiled: bool

    def number(self, x: float) -> str:
        """A number."""
        return exact(x) if self.compiled else short(x)

    def numbers(self, values: Iterable[float]) -> str:
        """Numbers with spaces between."""
        return " ".join(map(self.number, values))

    def value(self, of: Field, value: Any, usual: Any = None) -> str:
        """The value of a field, where a class of defaults has another."""
        match of.kind[0]:
            case "s" | "c":
                return "".join(value).replace("\0", "")
            case "b":
                return "true" if value else "false"
            case "e":
                return words(of.enumeration).get(int(value), str(int(value)))
            case "v" if of.kind == "vs":
                return " ".join(value)
        if usual is not None and (of.kind[0] == "p" or of.name in _TRIMMED or of.name.startswith(("solref", "solimp"))):
            last = max(np.flatnonzero(value != usual), default=0)
            value = value[: int(last) + 1]
        return self.numbers(np.ravel(value))


#: Arrays that are written up to the last number that is not as in the class.
_TRIMMED = frozenset(("gear", "gainprm", "biasprm", "dynprm", "friction", "surfacevel", "fluid_coefs"))


def same(a: Any, b: Any) -> bool:
    """Whether two values of a field are the same."""
    if isinstance(a, np.ndarray):
        return bool(np.array_equal(a, b, equal_nan=True))
    if isinstance(a, float) and a != a:
        return bool(b != b)
    return bool(a == b)


def write_fields(
    style: Style, node: Node, element: Fields, default: Fields | None, skip: Iterable[str] = (), others: Mapping[str, Any] | None = None
) -> None:
    """Attributes of the fields that are not as in a class of defaults; of MuJoCo's own without one. Some may have other values."""
    others = others or {}
    for name, of in FIELDS[element._kind].items():
        if not of.attribute or name in skip or of.kind in ("o", "u", "y"):
            continue
        value = others[name] if name in others else element.__dict__[name]
        usual = of.default if default is None else default.__dict__[name]
        if usual is None:
            usual = []
        if not same(value, list(usual) if of.kind[0] in "vc" else usual):
            node.put(of.attribute, style.value(of, value, usual))
