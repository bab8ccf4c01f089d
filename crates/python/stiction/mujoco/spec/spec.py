"""``MjSpec``: a model put together in code, which ``compile`` makes of it."""

from __future__ import annotations

import copy
import io
import os
import time
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from .. import _enums
from .._data import MjData
from .._guard import FatalError, NotOffered
from .._model import MjModel
from .._options import MjOption, MjVisual
from .._structs import MjStatistic
from . import attach, checks, compiled, poses
from .element import MjsCompiler, MjsOrientation, deep
from .parts import KINDS, MjsDefault
from .tree import MjsBody, MjsFrame
from .words import OF_BODIES, OF_SPECS, WITH_DEFAULTS, plural
from .writer import Writer

#: Whole numbers of a spec, and what they are where nothing is said.
_NUMBERS = {
    "memory": -1, "nemax": 0, "nuserdata": 0, "nuser_body": -1, "nuser_jnt": -1, "nuser_geom": -1, "nuser_site": -1, "nuser_cam": -1,
    "nuser_tendon": -1, "nuser_actuator": -1, "nuser_sensor": -1, "nkey": 0, "njmax": -1, "nconmax": -1, "nstack": -1,
}
_BOOLEANS = {"strippath": False, "hasImplicitPluginElem": False, "override_assets": True}
_TEXTS = {"comment": "", "modelfiledir": ""}
#: What may be set as it is.
_SETTABLE = frozenset({*_NUMBERS, *_BOOLEANS, *_TEXTS, "modelname", "assets"})
#: Functions of MuJoCo that change a spec as its compiler would.
_NOT_OFFERED = {
    "copy_back": "numbers of a model stay there", "dedup_assets": "assets stay as they are", "discard_visual": "visual elements stay",
    "fuse_static": "fixed bodies stay links", "adopt_inertial": "inertia is that of the compiled model",
}
#: Folders of files, by the kind of asset.
_FOLDERS = {"mesh": "meshdir", "hfield": "meshdir", "skin": "meshdir", "texture": "texturedir"}


class Authored:
    """Which options a text states, as bits of their fields."""

    def __init__(self) -> None:
        self.option = self.disableflags = self.enableflags = self.disableactuator = 0
        self.visual_global = self.visual_quality = self.visual_headlight = 0
        self.visual_map = self.visual_scale = self.visual_rgba = 0


class MjSpec:
    """A model put together in code: ``spec.worldbody.add_body(name="box", pos=[0, 0, 1]).add_geom(type=…, size=…)``.

    Elements are objects, whose fields are MuJoCo's; :meth:`compile` reads the MJCF text that they come to. What is not simulated
    compiles with the warnings that a file would give.
    """

    def __init__(self) -> None:
        put = self.__dict__.update
        put(_NUMBERS)
        put(_BOOLEANS)
        put(_TEXTS)
        put(
            modelname="MuJoCo Model", assets={}, parent=None, compiler=MjsCompiler(), option=MjOption(), visual=MjVisual(), stat=MjStatistic(),
            authored=Authored(), _lists={kind: [] for kind in OF_SPECS}, _raw={}, _plugins={}, _gone=set(), _warnings=[], _ids={}, _signature=0,
            _deep=False, _called="", _timer=np.zeros(int(_enums.mjtCTimer["mjNCTIMER"])), _plains={}, _used={},
        )
        self.__dict__["default"] = MjsDefault(self, "main", None)
        world = MjsBody(self)
        world.__dict__.update(_name="world", _body=None, _frame=None)
        self.__dict__["worldbody"] = world

    # ----------------------------------------------------------------- reading

    @staticmethod
    def from_string(
        xml: str, include: Mapping[str, bytes | str] | None = None, assets: dict[str, Any] | None = None, vfs: Any = None
    ) -> MjSpec:
        """Of a text of MJCF; ``include`` has the files that it includes, ``assets`` all others."""
        from .reader import read_text

        return read_text(xml, include or {}, assets, None)

    @staticmethod
    def from_file(
        filename: str | os.PathLike[str], include: Mapping[str, bytes | str] | None = None, assets: dict[str, Any] | None = None,
        vfs: Any = None,
    ) -> MjSpec:
        """Of a file of MJCF."""
        from .reader import read_text

        path = Path(filename)
        try:
            text = path.read_text(encoding="utf-8")
        except OSError:
            raise ValueError(f"ParseXML: Error opening file '{path}'") from None
        return read_text(text, include or {}, assets, path)

    @staticmethod
    def from_zip(file: Any) -> MjSpec:
        """Of a zip file with one MJCF text and the files that it names."""
        with zipfile.ZipFile(file) as archive:
            files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
        texts = [name for name in files if name.endswith(".xml")]
        if not texts:
            raise ValueError("the zip file has no XML file")
        main = min(texts, key=lambda name: (name.count("/"), name))
        folder = main.rpartition("/")[0]
        within = {name.removeprefix(folder + "/") if folder else name: content for name, content in files.items() if name != main}
        return MjSpec.from_string(files[main].decode(), within, within)

    # ----------------------------------------------------------------- writing

    def to_xml(self) -> str:
        """The spec as a text of MJCF."""
        with deep():
            return Writer(self, False).write()

    def to_file(self, filename: str | os.PathLike[str]) -> None:
        """Writes the text into a file."""
        Path(filename).write_text(self.to_xml(), encoding="utf-8")

    def to_zip(self, file: Any) -> None:
        """Writes a zip file with the text and the assets."""
        name = self.modelname or "model"
        if isinstance(file, (str, os.PathLike)) and not os.fspath(file).endswith(".zip"):
            raise ValueError(f"{os.fspath(file)} must end with .zip")
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            archive.writestr(f"{name}/{name}.xml", self.to_xml())
            for path, content in self.assets.items():
                archive.writestr(f"{name}/{path}", content)
        if isinstance(file, (str, os.PathLike)):
            Path(file).write_bytes(made.getvalue())
        else:
            file.write(made.getvalue())

    def encode(self, filename: str, model: Any = None, content_type: str | None = None) -> int:
        """Writes the text into a file whose name ends with .xml; how many bytes."""
        if not (str(filename).endswith(".xml") or content_type == "text/xml"):
            raise FatalError(f"no encoder for '{filename}'; there is one for .xml")
        self.to_file(filename)
        return len(Path(filename).read_bytes())

    # --------------------------------------------------------------- compiling

    def compile(self, vfs: Any = None) -> MjModel:
        """The model."""
        start = time.perf_counter()
        checks.check(self)
        writer = Writer(self, True)
        with deep():
            text = writer.write()
        assets = time.perf_counter()
        for warned in self._warnings:
            warnings.warn(warned, UserWarning, stacklevel=2)
        model = MjModel.from_xml_string(text, writer.files)
        self.__dict__["_signature"] = compiled.signature()
        self.__dict__["_ids"] = compiled.numbered(self)
        model._put(signature=self._signature)
        compiled.finish(self, model)
        self._timer[:] = 0
        self._timer[:3] = time.perf_counter() - start, assets - start, assets - start
        return model

    def recompile(self, m: MjModel, d: MjData, vfs: Any = None) -> tuple[MjModel, MjData]:
        """The model of the spec as it is now, and a state with that of ``d`` for elements that both models have."""
        before = self._ids
        model = self.compile(vfs)
        data = MjData(model)
        compiled.carried(self, before, m, d, model, data)
        return model, data

    @property
    def timer(self) -> Any:
        """Seconds that parts of the last compilation took."""
        return self._timer

    def _changed(self, names: bool = False) -> None:
        self.__dict__["_signature"] = 0
        if names:
            self._used.clear()

    # ------------------------------------------------------------------ assets

    def _where(self, file: str, kind: str) -> str:
        """The path of the file of an asset."""
        folder = getattr(self.compiler, _FOLDERS[kind])
        return file if not folder or os.path.isabs(file) else f"{folder.rstrip('/')}/{file}"

    def _asset(self, file: str, kind: str) -> Any:
        """The content of a file: of the assets, under its path or its name, or from the folder of the text."""
        path = self._where(file, kind)
        last = PurePosixPath(file).name
        for name in (file, path, os.path.normpath(path), last):
            if name in self.assets:
                return self.assets[name]
        by_name = {PurePosixPath(name).name: content for name, content in self.assets.items()}
        if last in by_name:
            return by_name[last]
        on_disk = Path(self.modelfiledir, path)
        return on_disk.read_bytes() if on_disk.is_file() else None

    @property
    def meshdir(self) -> str:
        """The folder of meshes and height fields."""
        return self.compiler.meshdir  # type: ignore[no-any-return]

    @meshdir.setter
    def meshdir(self, folder: str) -> None:
        self.compiler.meshdir = folder

    @property
    def texturedir(self) -> str:
        """The folder of textures."""
        return self.compiler.texturedir  # type: ignore[no-any-return]

    @texturedir.setter
    def texturedir(self, folder: str) -> None:
        self.compiler.texturedir = folder

    # ---------------------------------------------------------------- elements

    @property
    def _top(self) -> MjSpec:
        top = self
        while top.parent is not None:
            top = top.parent
        return top

    def _all(self, kind: str) -> Iterator[Any]:
        """All elements of a kind, in MuJoCo's order."""
        if kind in self._lists:
            yield from self._lists[kind]
        elif kind == "default":
            yield from self.default._below()
        else:
            if kind == "body":
                yield self.worldbody
            yield from self.worldbody._below(kind)

    def _names_of(self, kind: str) -> set[str]:
        """Names of a kind, and perhaps some that are no more."""
        if kind not in self._used:
            self._used[kind] = {e._name for e in self._all(kind)}
        return self._used[kind]  # type: ignore[no-any-return]

    def _find(self, kind: str, name: str) -> Any:
        return next((e for e in self._all(kind) if e._name == name), None)

    def _plain(self, kind: str) -> Any:
        """An element of a kind with the values that MuJoCo gives without any class."""
        if kind not in self._plains:
            self._plains[kind] = MjsDefault(self, "", None)._elements[kind]
        return self._plains[kind]

    def _class_like(self, of: MjsDefault) -> MjsDefault:
        return self.find_default(of.name) or self.default

    def _add(self, kind: str, default: MjsDefault | None, given: Mapping[str, Any]) -> Any:
        made = KINDS[kind](self, default)
        made._configure(given)
        self._lists[kind].append(made)
        self._changed()
        return made

    def add_default(self, name: str, parent: MjsDefault | None = None) -> MjsDefault:
        """A class of defaults within another."""
        if self.find_default(name) is not None:
            raise ValueError(f"Error: repeated default class name '{name}'")
        above = parent or self.default
        made = MjsDefault(self, name, above)
        above._children.append(made)
        return made

    def find_default(self, name: str) -> MjsDefault | None:
        """A class of defaults by its name."""
        return next((d for d in self.default._below() if d.name == name), None)

    def activate_plugin(self, name: str) -> None:
        """Names a plugin: it is not run, and the spec compiles with a warning."""
        self._plugins.setdefault(name)

    def delete(self, element: Any) -> None:
        """Deletes an element; a body with what stands in it and what speaks of that."""
        if self.parent is not None:
            raise ValueError("Cannot delete element from an attached mjSpec.")
        if isinstance(element, MjsDefault):
            if element._parent is None:
                raise ValueError("the main class of defaults cannot be deleted")
            element._parent._children.remove(element)
            gone = set(map(id, element._below()))
            for kind in WITH_DEFAULTS:
                for e in self._all(kind):
                    if id(e._class) in gone:
                        e._class = self.default
        elif element._kind in OF_SPECS:
            _remove(self._lists[element._kind], element)
        elif element is self.worldbody:
            raise ValueError("the world cannot be deleted")
        else:
            if element._body is None:
                raise ValueError(f"{element._kind} is not in this model")
            self._delete_in_body(element)
        self._changed()

    def _delete_in_body(self, element: Any) -> None:
        """Deletes an element of a body; a body or a frame with what stands in it, and what speaks of that."""
        body = element._body
        gone = [element]
        if element._kind == "frame":
            for of in body._children.values():
                gone += [e for e in of if e is not element and _stands_in(e, element)]
        for e in list(gone):
            _remove(body._children[e._kind], e)
            if e._kind == "body":
                gone += [inner for kind in ("body", "frame", *OF_BODIES) for inner in e._below(kind)]
        if element._kind in ("body", "frame"):
            self._forget({(e._kind, e._name) for e in gone if e._name})
        for e in gone:
            e._body = e._frame = None

    def _forget(self, gone: set[tuple[str, str]]) -> None:
        """Deletes what speaks of elements that are no more."""
        for kind in ("pair", "exclude", "tendon", "equality", "actuator", "sensor"):
            kept = [e for e in self._lists[kind] if not any(said in gone for said in attach.references(e))]
            gone |= {(e._kind, e._name) for e in self._lists[kind] if all(e is not k for k in kept)}
            self._lists[kind][:] = kept

    # ----------------------------------------------------------------- together

    def attach(
        self, child: MjSpec, prefix: str | None = None, suffix: str | None = None, site: Any = None, frame: Any = None
    ) -> MjsFrame:
        """Attaches all that stands in the world of another spec, in a frame or at a site; by reference, so that both hold it."""
        if (site is None) == (frame is None):
            raise ValueError("Frame and site cannot both be defined." if site is not None else "Frame or site must be defined.")
        if site is not None:
            found = self._find("site", site) if isinstance(site, str) else site
            if found is None:
                raise ValueError("Site not found.")
            made = attach.frame_at(found)
            try:
                return attach.attach_spec(self, child, found._body, made, prefix, suffix)
            except ValueError:
                _remove(found._body._children["frame"], made)
                raise
        found = self._find("frame", frame) if isinstance(frame, str) else frame
        if found is None:
            raise ValueError("Frame not found.")
        return attach.attach_spec(self, child, found._body, found, prefix, suffix)

    def copy(self) -> MjSpec:
        """A copy, with the same assets."""
        return self._copied({})

    def _copied(self, memo: dict[int, Any]) -> MjSpec:
        parent, assets, ids = self.parent, self.assets, self._ids
        self.__dict__.update(parent=None, assets={}, _ids={})
        try:
            with deep():
                made = copy.deepcopy(self, memo)
        finally:
            self.__dict__.update(parent=parent, assets=assets, _ids=ids)
        made.__dict__.update(assets=dict(assets), _signature=0, _gone=set(), _used={})
        return made

    @staticmethod
    def resolve_orientation(*, degree: bool, sequence: Iterable[str] | None = None, orientation: MjsOrientation) -> list[float]:
        """An orientation as a quaternion."""
        return poses.resolved(degree, sequence, orientation).tolist()  # type: ignore[no-any-return]

    @property
    def _address(self) -> int:
        return id(self)

    @property
    def copy_during_attach(self) -> bool:
        """Whether what is attached is copied. It can only be set."""
        raise ValueError("copy_during_attach can only be set.")

    @copy_during_attach.setter
    def copy_during_attach(self, deep: bool) -> None:
        self.__dict__["_deep"] = bool(deep)

    def __getattr__(self, name: str) -> Any:
        if name in _NOT_OFFERED:
            raise NotOffered(f"stiction.mujoco does not offer MjSpec.{name}: {_NOT_OFFERED[name]}")
        raise AttributeError(f"'MjSpec' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        of_class = getattr(type(self), name, None)
        if isinstance(of_class, property) and of_class.fset is not None:
            object.__setattr__(self, name, value)
        elif name in ("option", "visual", "stat"):
            self.__dict__[name] = copy.copy(value)
        elif name in _NUMBERS:
            self.__dict__[name] = int(value)
        elif name in _SETTABLE:
            self.__dict__[name] = value
        elif name == "parent" or name.startswith("_"):
            self.__dict__[name] = value
        else:
            raise AttributeError(f"'MjSpec' object has no attribute '{name}', or it cannot be set")

    def __repr__(self) -> str:
        return f"<MjSpec {self.modelname!r}>"


def _stands_in(e: Any, frame: MjsFrame) -> bool:
    at = e._frame
    while at is not None and at is not frame:
        at = at._frame
    return at is frame


def _remove(of: list[Any], element: Any) -> None:
    at = next((i for i, e in enumerate(of) if e is element), None)
    if at is None:
        raise ValueError(f"{element._kind} is not in this model")
    del of[at]


def _listed(kind: str) -> property:
    def read(self: MjSpec) -> list[Any]:
        return list(self._all(kind))

    read.__doc__ = f"All {plural(kind)}, in MuJoCo's order."
    return property(read)


def _finder(kind: str) -> Callable[[MjSpec, str], Any]:
    def find(self: MjSpec, name: str) -> Any:
        return self._find(kind, name)

    find.__doc__ = f"The {kind} of a name; None where there is none."
    return find


def _adder(kind: str) -> Callable[..., Any]:
    if kind in WITH_DEFAULTS:

        def add(self: MjSpec, default: MjsDefault | None = None, **given: Any) -> Any:
            return self._add(kind, default, given)
    else:

        def add(self: MjSpec, **given: Any) -> Any:  # type: ignore[misc]
            return self._add(kind, None, given)

    add.__doc__ = f"Adds a {kind}."
    return add


for _kind in ("body", "frame", *OF_BODIES, *OF_SPECS):
    setattr(MjSpec, plural(_kind), _listed(_kind))
    setattr(MjSpec, _kind, _finder(_kind))
for _kind in OF_SPECS:
    setattr(MjSpec, f"add_{_kind}", _adder(_kind))
