"""Elements of the spec itself, read from MJCF: assets, contacts, tendons, equalities, actuators, sensors, keyframes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import sections
from .actuators import SHORT, USUAL
from .parse import Read
from .parts import KINDS
from .values import numbers, wrong
from .words import WITH_DEFAULTS, number_of, words

if TYPE_CHECKING:
    from .spec import MjSpec


class Lists:
    """Reads what stands in no body."""

    spec: MjSpec
    find: Any
    include: Mapping[str, Any]
    models: dict[str, MjSpec]
    _fill: Callable[..., None]
    _of_class: Callable[..., Any]

    # -------------------------------------------------------------------- lists

    def _made(self, kind: str, node: Read, more: Iterable[str] = ()) -> Any:
        of = self._of_class(node, None) if kind in WITH_DEFAULTS else None
        made = KINDS[kind](self.spec, of)
        self._fill(made, node, more)
        self.spec._lists[kind].append(made)
        return made

    def _asset(self, node: Read) -> None:
        for child in node.children:
            assert isinstance(child, Read)
            if child.tag == "model":
                self._model(child)
            elif child.tag in ("mesh", "texture", "material"):
                self._made(child.tag, child)
            elif child.tag == "hfield":
                made = self._made("hfield", child)
                if len(made.userdata):
                    made.userdata = np.array(list(made.userdata)).reshape(made.nrow, made.ncol)[::-1].ravel()
            elif child.tag == "skin":
                made = self._made("skin", child)
                for bone in child.children:
                    assert isinstance(bone, Read)
                    made.bodyname = [*made.bodyname, bone.attributes.get("body", "")]
                    made.bindpos = [*made.bindpos, *numbers(bone, "bindpos")]
                    made.bindquat = [*made.bindquat, *numbers(bone, "bindquat")]
                    made.vertid = [*made.vertid, numbers(bone, "vertid", int)]
                    made.vertweight = [*made.vertweight, numbers(bone, "vertweight")]
            else:
                raise wrong(child, f"Schema violation: unrecognized element '{child.tag}'")

    def _model(self, node: Read) -> None:
        file = node.attributes.get("file", "")
        found = self.find(file)
        if found is None:
            raise wrong(node, f"Error opening file '{file}'")
        from .reader import read_text

        made = read_text(found, self.include, self.spec.assets, Path(self.spec.modelfiledir, file))
        made.__dict__["_called"] = node.attributes.get("name", made.modelname)
        self.models[made._called] = made

    def _contact(self, node: Read) -> None:
        for child in node.children:
            self._made(child.tag, child)  # type: ignore[arg-type]

    def _tendon(self, node: Read) -> None:
        for child in node.children:
            made = self._made("tendon", child)  # type: ignore[arg-type]
            for part in child.children:
                attributes = part.attributes
                assert isinstance(part, Read)
                if part.tag == "joint":
                    made.wrap_joint(attributes.get("joint", ""), numbers(part, "coef")[0])
                elif part.tag == "site":
                    made.wrap_site(attributes.get("site", ""))
                elif part.tag == "geom":
                    made.wrap_geom(attributes.get("geom", ""), attributes.get("sidesite", ""))
                elif part.tag == "pulley":
                    made.wrap_pulley(numbers(part, "divisor")[0])
            length = numbers(child, "springlength")  # type: ignore[arg-type]
            if len(length) == 1:
                made.springlength = length * 2

    def _equality(self, node: Read) -> None:
        for child in node.children:
            assert isinstance(child, Read)
            kind = number_of("mjtEq", child.tag)
            if kind is None:
                raise wrong(child, f"Schema violation: unrecognized element '{child.tag}'")
            ends = (f"{of}{i}" for of in ("body", "site", "joint", "tendon") for i in (1, 2))
            more = (*ends, "anchor", "relpose", "torquescale", "polycoef", "flex", "cell")
            made = self._made("equality", child, more)
            made.type, attributes = kind, child.attributes
            of = "site" if "site1" in attributes else "body" if child.tag in ("connect", "weld") else child.tag
            made.objtype = number_of("mjtObj", {"flexvert": "flex", "flexstrain": "flex"}.get(of, of)) or 0
            made.name1 = attributes.get("flex" if of.startswith("flex") else f"{of}1", "")
            made.name2 = attributes.get(f"{of}2", "")
            for name, start in (("anchor", 0), ("relpose", 3), ("torquescale", 10), ("polycoef", 0)):
                given = numbers(child, name)
                if name in ("anchor", "relpose") and child.tag == "weld" and not given:
                    made.data[start : start + (3 if name == "anchor" else 7)] = 0
                made.data[start : start + len(given)] = given

    def _actuator(self, node: Read) -> None:
        for child in node.children:
            assert isinstance(child, Read)
            if child.tag == "plugin":
                made = self._made("actuator", child, ("plugin", "instance"))
                made.plugin.plugin_name, made.plugin.active = child.attributes.get("plugin", ""), True
                made.plugin._name = child.attributes.get("instance", "")
            elif child.tag in SHORT or child.tag == "general":
                made = self._made("actuator", child)
            else:
                raise wrong(child, f"Schema violation: unrecognized element '{child.tag}'")
            for number, word in sections.INPUTS.items():
                if child.attributes.get("input") == word:
                    made.ctrlspec = number
            if "interp" in child.attributes:
                made.interp = sections.INTERP.index(child.attributes["interp"])
            for number, word in words("mjtTrn").items():
                if word in child.attributes and not (word == "site" and number == 6):
                    made.trntype, made.target = number, child.attributes[word]

    def _actuator_kind(self, a: Any, node: Read) -> None:
        """Gains and biases by the tag of an actuator, where the tag or an attribute of it says so."""
        if node.tag not in SHORT:
            return
        own = {name: node.attributes[name] for name in SHORT[node.tag] if name in node.attributes}
        given: dict[str, Any] = {name: found[0] if len(found) == 1 else found for name in own if (found := numbers(node, name))}
        if node.tag == "muscle" and "range" in given and np.ndim(given["range"]) == 0:
            given["range"] = [given["range"]] * 2
        class_says = a._class is not None and int(a.type) == number_of("mjtActuator", node.tag)
        if class_says and not given:
            return
        usual: dict[str, Any] = dict(USUAL.get(node.tag, {}))
        if class_says and node.tag in ("position", "intvelocity", "orientation"):
            usual["kp"] = float(a.gainprm[0])
            if "kv" not in given and "dampratio" not in given and a.biasprm[2]:
                usual["kv" if a.biasprm[2] < 0 else "dampratio"] = abs(float(a.biasprm[2]))
            if node.tag == "position" and int(a.dyntype) == 3:
                usual["timeconst"] = float(a.dynprm[0])
            usual["inheritrange"] = float(a.inheritrange)
        elif class_says and node.tag == "muscle":
            names = ("range", "force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax")
            held = a.gainprm.tolist()
            usual = dict(zip(names, [held[:2], *held[2:9]])) | {"timeconst": a.dynprm[:2].tolist(), "tausmooth": float(a.dynprm[2])}
        elif class_says and node.tag == "cylinder":
            usual = {"timeconst": float(a.dynprm[0]), "bias": float(a.biasprm[0]), "area": float(a.gainprm[0])}
        getattr(a, f"set_to_{node.tag}")(**{**usual, **given})

    def _sensor(self, node: Read) -> None:
        tags = {tag: n for n, tag in sections.TAGS.items()}
        for child in node.children:
            assert isinstance(child, Read)
            if child.tag not in tags:
                raise wrong(child, f"Schema violation: unrecognized element '{child.tag}'")
            kinds = ("site", "joint", "tendon", "actuator", "body", "geom", "camera", "mesh")
            more = (
                *kinds, "objtype", "objname", "reftype", "refname", *(f"{k}{i}" for k in ("geom", "body", "subtree") for i in (1, 2)), "data",
                "reduce", "num", "dim", "needstage", "datatype", "interp", "plugin", "instance",
            )
            made = self._made("sensor", child, more)
            made.type = tags[child.tag]
            if "interp" in child.attributes:
                made.interp = sections.INTERP.index(child.attributes["interp"])
            self._sensed(made, child)

    @staticmethod
    def _sensed(s: Any, node: Read) -> None:
        tag, given = node.tag, node.attributes

        def put(of: str, kind: str, name: str) -> None:
            s.__setattr__(f"{of}type", number_of("mjtObj", kind) or 0)
            s.__setattr__(f"{of}name", name)

        if "objname" in given:
            put("obj", given.get("objtype", ""), given["objname"])
        if "refname" in given:
            put("ref", given.get("reftype", ""), given["refname"])
        if tag == "camprojection":
            put("obj", "site", given.get("site", ""))
            put("ref", "camera", given.get("camera", ""))
        elif tag == "tactile":
            put("obj", "mesh", given.get("mesh", ""))
            put("ref", "geom", given.get("geom", ""))
        elif tag == "insidesite":
            put("ref", "site", given.get("site", ""))
        else:
            for kind in ("site", "joint", "tendon", "actuator", "body", "geom", "camera"):
                if kind in given:
                    put("obj", kind, given[kind])
            for i, of in ((1, "obj"), (2, "ref")):
                for kind in ("geom", "body", "subtree"):
                    if f"{kind}{i}" in given:
                        put(of, {"subtree": "xbody"}.get(kind, kind), given[f"{kind}{i}"])
        if tag in ("contact", "rangefinder"):
            words_of = sections.CONTACT_DATA if tag == "contact" else sections.RAY_DATA
            said = given.get("data", words_of[0]).split()
            s.intprm[0] = sum(1 << words_of.index(word) for word in said if word in words_of)
        if tag == "contact":
            s.intprm[1] = sections.REDUCE.index(given.get("reduce", "none"))
            s.intprm[2] = int(given.get("num", "1"))
        if tag == "user":
            s.dim = int(given.get("dim", "0"))
            s.needstage = number_of("mjtStage", given.get("needstage", "acc")) or 0
            s.datatype = number_of("mjtDataType", given.get("datatype", "real")) or 0

    def _custom(self, node: Read) -> None:
        for child in node.children:
            made = self._made(child.tag, child)  # type: ignore[arg-type]
            if child.tag == "numeric" and not made.size:
                made.size = len(made.data)
            for part in child.children:
                made.objtype = [*made.objtype, number_of("mjtObj", part.attributes.get("objtype", "")) or 0]
                made.objname = [*made.objname, part.attributes.get("objname", "")]
                made.objprm = [*made.objprm, float(part.attributes.get("prm", "0"))]

    def _keyframe(self, node: Read) -> None:
        for child in node.children:
            self._made("key", child)  # type: ignore[arg-type]
