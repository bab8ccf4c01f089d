"""Texts of MJCF as elements that know their lines, with what they include."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from xml.parsers import expat

from .written import Node

#: Finds a file by its name and the name of the text that names it; the content, or None.
Find = Callable[[str], "str | bytes | None"]


class Read(Node):
    """An element of a text, and its line."""

    line = 0

    def number(self) -> str:
        """Where it is, as messages say it."""
        return f"Element '{self.tag}', line {self.line}\n"


def parse(text: str | bytes) -> Read:
    """The elements of a text."""
    top = Read("")
    stack = [top]
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        made = Read(tag, dict(attributes))
        made.line = parser.CurrentLineNumber
        stack[-1].children.append(made)
        stack.append(made)

    def comment(said: str) -> None:
        if len(stack) == 2 and not stack[-1].comment and not stack[-1].children:
            stack[-1].comment = said

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: stack.pop()
    parser.CommentHandler = comment
    try:
        parser.Parse(text, True)
    except expat.ExpatError as wrong:
        raise ValueError(f"XML parse error {wrong.code}:\n{expat.ErrorString(wrong.code)}, line number={wrong.lineno}\n") from None
    return top.children[0]  # type: ignore[return-value]


def included(root: Read, find: Find, within: str = "", above: tuple[str, ...] = ()) -> None:
    """Puts the elements of files in the place of what includes them."""
    out: list[Node] = []
    for child in root.children:
        assert isinstance(child, Read)
        if child.tag != "include":
            included(child, find, within, above)
            out.append(child)
            continue
        name = child.attributes.get("file", "")
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(within), name))
        if beside in above:
            raise ValueError(f"XML Error: File '{name}' already included\n{child.number()}")
        found = find(beside)
        if found is None:
            found = find(name)
        if found is None:
            raise ValueError(f"XML Error: Error opening file '{name}'\n{child.number()}")
        inner = parse(found)
        included(inner, find, beside, (*above, beside))
        out += inner.children
    root.children = out
