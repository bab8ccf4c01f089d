"""Attributes of elements of a text as values of fields."""

from __future__ import annotations

from typing import Any

from .parse import Read
from .words import Field, number_of


def numbers(node: Read, name: str, kind: type = float) -> list[Any]:
    """The numbers of an attribute."""
    try:
        return [kind(float(x)) if kind is int else kind(x) for x in node.attributes.get(name, "").split()]
    except ValueError:
        raise wrong(node, f"problem reading attribute '{name}'") from None


def wrong(node: Read, what: str) -> ValueError:
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
                raise wrong(node, f"invalid keyword: '{text}' in attribute '{of.attribute}'")
            return text == "true"
        case "e":
            number = number_of(of.enumeration, text)
            if number is None:
                raise wrong(node, f"invalid keyword: '{text}' in attribute '{of.attribute}'")
            return number
    if of.kind == "vs":
        return text.split()
    found = numbers(node, of.attribute, int if of.kind in ("i", "vi") else float)
    if of.kind[0] == "v":
        return found
    if of.count:
        if of.kind[0] == "h" and len(found) == 1:
            found = found * of.count
        if len(found) > of.count:
            raise wrong(node, f"attribute '{of.attribute}' has too much data")
        return found
    if len(found) != 1:
        raise wrong(node, f"attribute '{of.attribute}' does not have enough data" if not found else f"attribute '{of.attribute}' has too much data")
    return found[0]
