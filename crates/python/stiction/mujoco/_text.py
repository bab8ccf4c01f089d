"""What an MJCF text states that the engine keeps nothing of: names of assets, materials, lights, attributes that act nowhere."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

Attributes = dict[str, str]

#: Sections whose children are objects of one kind, whatever their tags are.
_SECTIONS = ("equality", "tendon", "actuator", "sensor")
#: Sections whose children are of the kind that their tag says.
_MIXED = ("asset", "contact", "custom", "keyframe")
#: Elements of bodies, and the kind of each.
_OF_BODIES = {"geom": "geom", "joint": "joint", "freejoint": "joint", "site": "site", "camera": "camera", "light": "light"}
#: Elements that make objects that the text does not list.
_MAKERS = frozenset(("composite", "replicate", "attach", "flexcomp", "plugin"))


class Stated:
    """Objects of a text by their kind, in MuJoCo's order, with the attributes of their classes."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._classes: dict[str, dict[str, Attributes]] = {"main": {}}
        self._found: dict[str, list[Attributes]] = {}
        self._terms: list[list[tuple[str, float]] | None] = []
        #: Whether the text lists all objects of bodies itself.
        self.whole = True
        self.sizes: Attributes = {}
        self.visual: dict[str, Attributes] = {}
        self.statistic: Attributes = {}
        self.option: Attributes = {}
        self.compiler: Attributes = {}
        try:
            root = ET.fromstring(texts.get("", "<mujoco/>"))
        except ET.ParseError:
            root = ET.Element("unread")
        if root.tag == "mujoco":
            self._read(list(self._included(root, "")))
        self.whole = self.whole and root.tag == "mujoco"

    def of(self, kind: str) -> list[Attributes]:
        """The objects of a kind."""
        return self._found.get(kind, [])

    def names(self, kind: str) -> list[str]:
        """Their names; assets without one are called as their files."""
        return [found.get("name") or PurePosixPath(found.get("file", "")).stem for found in self.of(kind)]

    def _included(self, element: ET.Element, within: str) -> Iterator[ET.Element]:
        """The children of an element, with those of files in the place of what includes them."""
        for child in element:
            if child.tag != "include":
                yield child
                continue
            name = child.get("file", "")
            beside = str(PurePosixPath(within).parent / name)
            text = self._texts.get(beside, self._texts.get(name))
            if text is not None:
                yield from self._included(ET.fromstring(text), beside)

    def _read(self, sections: list[ET.Element]) -> None:
        for section in sections:
            if section.tag == "default":
                self._default(section, section.get("class", "main"), self._classes["main"])
            elif section.tag in ("size", "statistic", "option", "compiler"):
                into = {"size": self.sizes, "statistic": self.statistic, "option": self.option, "compiler": self.compiler}[section.tag]
                into.update(section.attrib)
            elif section.tag == "visual":
                for part in self._included(section, ""):
                    self.visual.setdefault(part.tag, {}).update(part.attrib)
        self._found.setdefault("body", []).append({"name": "world"})
        self._bodies([(section, None) for section in sections if section.tag == "worldbody"], "0")
        for section in sections:
            if section.tag in _SECTIONS or section.tag in _MIXED:
                for child in self._included(section, ""):
                    kind = section.tag if section.tag in _SECTIONS else child.tag
                    self._found.setdefault(kind, []).append({**self._with_class(child, kind, None), "tag": child.tag, "parts": str(len(child))})
                    if kind == "tendon":
                        terms = [(e.get("joint", ""), float(e.get("coef", "0"))) for e in child]
                        self._terms.append(terms if child.tag == "fixed" else None)

    def terms(self, tendon: int) -> list[tuple[str, float]] | None:
        """Joints of a tendon that is a sum of these, and their coefficients; None of another."""
        return self._terms[tendon] if tendon < len(self._terms) else None

    def _default(self, element: ET.Element, name: str, above: dict[str, Attributes]) -> None:
        own = {tag: dict(attributes) for tag, attributes in above.items()}
        own.update({tag: {**own.get(tag, {}), **attributes} for tag, attributes in self._classes.get(name, {}).items()})
        inner = []
        for child in self._included(element, ""):
            if child.tag == "default":
                inner.append(child)
            else:
                own[child.tag] = {**own.get(child.tag, {}), **child.attrib}
        self._classes[name] = own
        for child in inner:
            self._default(child, child.get("class", ""), own)

    def _with_class(self, element: ET.Element, kind: str, childclass: str | None) -> Attributes:
        of_class = self._classes.get(element.get("class", childclass or "main"), {})
        own = {} if element.tag == "freejoint" else of_class.get(kind, of_class.get(element.tag, {}))
        return {**own, **element.attrib}

    def _bodies(self, parts: list[tuple[ET.Element, str | None]], of: str) -> None:
        """What is in the elements of one body, and then in the bodies that it carries."""
        inner: list[tuple[ET.Element, str | None]] = []
        for part, childclass in parts:
            self._elements(part, childclass, inner, of)
        for child, childclass in inner:
            self._found["body"].append(dict(child.attrib))
            self._bodies([(child, child.get("childclass", childclass))], str(len(self._found["body"]) - 1))

    def _elements(
        self, body: ET.Element, childclass: str | None, inner: list[tuple[ET.Element, str | None]], of: str
    ) -> None:
        for child in self._included(body, ""):
            if child.tag == "body":
                inner.append((child, childclass))
            elif child.tag == "frame":
                self._elements(child, child.get("childclass", childclass), inner, of)
            elif child.tag in _OF_BODIES:
                kind = _OF_BODIES[child.tag]
                found = {**self._with_class(child, kind, childclass), "tag": child.tag, "of": of}
                self._found.setdefault(kind, []).append(found)
            elif child.tag in _MAKERS:
                self.whole = False


def with_included(path: Path) -> dict[str, str]:
    """The text of a file, and the texts that it includes, by their paths from its folder."""
    texts = {"": path.read_text(encoding="utf-8")}
    ahead = [("", texts[""])]
    while ahead:
        within, text = ahead.pop()
        try:
            found = ET.fromstring(text).iter("include")
        except ET.ParseError:
            continue
        for name in [include.get("file", "") for include in found]:
            for beside in (str(PurePosixPath(within).parent / name), name):
                if beside not in texts and (path.parent / beside).is_file():
                    texts[beside] = (path.parent / beside).read_text(encoding="utf-8")
                    ahead.append((beside, texts[beside]))
                    break
    return texts
