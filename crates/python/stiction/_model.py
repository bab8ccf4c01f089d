"""Models: what is loaded, built, changed and looked up."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from . import _stiction
from ._sealed import sealed
from ._stiction import Error
from ._tables import (
    Actuator,
    Array,
    Body,
    Camera,
    Coupling,
    Geometry,
    Joint,
    Keyframe,
    LedgerEntry,
    Link,
    Loop,
    Sensor,
    Site,
    Surface,
    Table,
    Tables,
    Tendon,
    frozen,
)
from ._told import WARNINGS, checked, tell

#: Kinds of actuators that :func:`load` adds.
ACTUATORS = ("motor", "position", "velocity")

#: How a model was made, so that it can be made again elsewhere.
Recipe = tuple[Any, ...]


@sealed
class Model:
    """A world, the state and the controls it starts with, and the settings of its file; it never changes.

    Made by :func:`load`, :func:`loads` and :meth:`Scene.build`. Units are SI, angles radians; how coordinates are
    counted is in CONVENTIONS.md (as in MuJoCo).
    """

    def __init__(self, world: _stiction.World, recipe: Recipe, folder: str = "") -> None:
        self._world = world
        self._recipe = recipe
        #: Where its texts lay while they were read, which no note names.
        self._folder = folder + os.sep if folder else ""

    def _words(self, notes: list[str]) -> list[str]:
        return [note.replace(self._folder, "") for note in notes] if self._folder else notes

    # ----------------------------------------------------------------- sizes

    @property
    def name(self) -> str:
        """Name of the scene or robot."""
        return self._world.name

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self._world.nq

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return self._world.nv

    @property
    def nu(self) -> int:
        """Number of actuators."""
        return self._world.nu

    @property
    def dt(self) -> float:
        """Time step that its file asks for [s]."""
        return float(self._described["dt"])

    @property
    def duration(self) -> float:
        """Simulated time that its scene asks for [s]."""
        return float(self._described["duration"])

    @property
    def gravity(self) -> Array:
        """Acceleration of gravity in the world [m/s²]."""
        return frozen(np.array(self._described["gravity"], dtype=np.float64))

    @property
    def settings(self) -> dict[str, Any]:
        """What its file simulates with: contact solver, tolerance, stepper."""
        return cast("dict[str, Any]", json.loads(json.dumps(self._described["settings"])))

    @property
    def not_simulated(self) -> list[str]:
        """What its file names, would change the motion, and is not simulated, in words; :func:`load` warns of it, but of
        speed limits of drives, which files state of all joints and which are seldom reached."""
        return self._words(self._world.not_simulated)

    @property
    def unknown(self) -> list[str]:
        """Words of its file that the format does not have where they stand, in words; :func:`load` warns of them."""
        return self._words(self._world.unknown)

    @property
    def notes(self) -> list[str]:
        """Everything that was left out, added or changed while it was loaded, in words."""
        return self._words(self._world.notes)

    # ---------------------------------------------------------------- tables

    @cached_property
    def _described(self) -> dict[str, Any]:
        return cast("dict[str, Any]", json.loads(self._world.describe()))

    @cached_property
    def _tables(self) -> Tables:
        return Tables.of(self._described)

    @property
    def bodies(self) -> Table[Body]:
        """Bodies that can move on their own."""
        return self._tables.bodies

    @property
    def links(self) -> Table[Link]:
        """Named frames of the file, moving or fixed."""
        return self._tables.links

    @property
    def joints(self) -> Table[Joint]:
        """Joints, in the order of their coordinates."""
        return self._tables.joints

    @property
    def geometries(self) -> Table[Geometry]:
        """Shapes that can touch."""
        return self._tables.geometries

    @property
    def actuators(self) -> Table[Actuator]:
        """Actuators, in the order of their controls."""
        return self._tables.actuators

    @property
    def sites(self) -> Table[Site]:
        """Named frames for sensors and tendons."""
        return self._tables.sites

    @property
    def cameras(self) -> Table[Camera]:
        """Cameras of the file, for :meth:`Simulation.render`."""
        return self._tables.cameras

    @property
    def sensors(self) -> Table[Sensor]:
        """What the file measures."""
        return self._tables.sensors

    @property
    def sensors_not_offered(self) -> dict[str, str]:
        """Sensors of the file that cannot be read, and why."""
        reasons = self._world.sensors_not_offered()
        return {self.sensors[i].name: why for i, why in reasons.items()}

    @property
    def tendons(self) -> Table[Tendon]:
        """Tendons."""
        return self._tables.tendons

    @property
    def couplings(self) -> Table[Coupling]:
        """Couplings of joints."""
        return self._tables.couplings

    @property
    def loops(self) -> Table[Loop]:
        """Loops."""
        return self._tables.loops

    @property
    def keyframes(self) -> Table[Keyframe]:
        """Named states of the file."""
        return self._tables.keyframes

    @property
    def ledger(self) -> Sequence[LedgerEntry]:
        """Everything in the file that is kept, unsupported or unknown: nothing is dropped silently."""
        return self._tables.ledger

    @property
    def warnings(self) -> list[str]:
        """What its reader warns of, with places."""
        return list(self._described["warnings"])

    def surface(self, a: str | int, b: str | int) -> Surface:
        """Friction and restitution of the contacts of two geometries, and whence they come.

        A geometry is called by its name or index, or by its link where that has one geometry only.
        """
        return self._surface(self._world, a, b)

    def _surface(self, world: _stiction.World, a: str | int, b: str | int) -> Surface:
        i, j = self._geometry(a), self._geometry(b)
        along, restitution, spinning, rolling, why_friction, why_restitution, meet = world.surface(i, j)
        names = (self.geometries[i].name, self.geometries[j].name)
        return Surface(
            names, max(along), (along[0], along[1]), restitution, spinning, rolling, why_friction, why_restitution, meet
        )

    def _geometry(self, which: str | int) -> int:
        """The index of a geometry, by its name or by that of its link."""
        if not isinstance(which, str) or which in self.geometries.names or which not in self.links.names:
            return self.geometries.index(which)
        link = self.links.index(which)
        own = [i for i, g in enumerate(self.geometries) if g.link == link]
        if len(own) != 1:
            called = [self.geometries[i].name or str(i) for i in own]
            raise Error(f"the link `{which}` has {len(own)} geometries; expected one of {', '.join(called)}" if own else
                        f"the link `{which}` has no geometry that can touch")
        return own[0]

    # ---------------------------------------------------------- state, edits

    @property
    def q0(self) -> Array:
        """Coordinates it starts with, which cannot be written: see :meth:`starting_at`."""
        return frozen(self._world.q0)

    @property
    def v0(self) -> Array:
        """Velocities it starts with, which cannot be written: see :meth:`starting_at`."""
        return frozen(self._world.v0)

    @property
    def control0(self) -> Array:
        """Controls it starts with, which cannot be written."""
        return frozen(self._world.control0)

    def neutral(self) -> Array:
        """Coordinates with every joint at its reference."""
        return self._world.neutral()

    def fields(self) -> dict[str, Array]:
        """The numbers that :meth:`replace` changes, by name, as arrays."""
        return self._world.fields()

    def replace(self, **fields: ArrayLike) -> Model:
        """The same model with other numbers.

        ``gravity`` (3), ``mass`` (bodies; the inertia scales with it), ``com`` (bodies, 3), ``inertia`` (bodies, 3, 3;
        about the centre of mass), ``armature``, ``damping``, ``dry_friction`` (velocities), ``stiffness``,
        ``spring_rest`` (joints), ``gain``, ``bias``, ``bias_length``, ``bias_velocity`` (actuators), ``effort_limit``
        (actuators, 2), ``friction``, ``restitution`` (geometries), ``pair_friction``. One number stands for all.
        """
        given = {name: np.asarray(value, dtype=np.float64) for name, value in fields.items()}
        return Model(self._world.replace(given), ("replace", self._recipe, given), self._folder.rstrip(os.sep))

    def resized(self, factor: float, bodies: Sequence[str | int] | None = None) -> Model:
        """The same model with bodies ``factor`` times as large: shapes, joints and frames on them; all bodies without ``bodies``.

        Masses stay, inertias grow with the square. Travels of slides and the state it starts in stay: what stands on something is to
        be started clear of it.
        """
        which = [self.bodies.index(b) for b in (range(len(self.bodies)) if bodies is None else bodies)]
        resized = self._world.resized(which, float(factor))
        return Model(resized, ("resized", self._recipe, float(factor), which), self._folder.rstrip(os.sep))

    def starting_at(self, q: ArrayLike, v: ArrayLike | None = None, t: float = 0.0) -> Model:
        """The same model, started elsewhere."""
        q, v = np.array(q, dtype=np.float64), np.array(self.v0 * 0 if v is None else v, dtype=np.float64)
        return Model(self._world.started_at(t, q, v), ("start", self._recipe, t, q, v), self._folder.rstrip(os.sep))

    def to_mjcf(self, stem: str = "model") -> str:
        """The model as MJCF; what MJCF cannot say is said by ``stiction convert``. Files it needs are not written."""
        return self._world.written("mjcf", stem)[0]

    def to_urdf(self, stem: str = "model") -> str:
        """The model as URDF, likewise."""
        return self._world.written("urdf", stem)[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return (_made_again, (self._recipe,))

    def __repr__(self) -> str:
        return (
            f"<stiction.Model `{self.name}`: nq = {self.nq}, nv = {self.nv}, nu = {self.nu}, "
            f"{len(self.bodies)} bodies, {len(self.geometries)} geometries{self._left_out()}>"
        )

    def _left_out(self) -> str:
        missing = len(self.not_simulated)
        return f", {missing} word{'s' if missing > 1 else ''} of the file not simulated" if missing else ""

    def _told(self, warn: str) -> Model:
        """Itself, after the warnings that ``warn`` asks for."""
        tell(self, WARNINGS[checked(warn)])
        return self


def load(
    source: str | os.PathLike[str],
    *,
    free_base: bool = False,
    keyframe: str | None = None,
    actuators: str | None = None,
    hold: bool | Mapping[str, float] = False,
    package_dirs: Sequence[str | os.PathLike[str]] = (),
    srdf: str | os.PathLike[str] | None = None,
    meshes: str = "hull",
    complete: bool = True,
    ground: bool = False,
    warn: str = "all",
) -> Model:
    """A built-in scene by name, a scene file (.toml) or a robot file (.urdf, .sdf, .world, .xml, .mjcf).

    ``free_base``: the root link of a URDF moves freely. ``actuators``: "motor", "position" or "velocity" gives every joint
    that the file drives with none an actuator of its name, whose control is an effort, a position or a speed. Its effort ends
    at the limit that the file states for the joint; controls end at the file's limits of effort, position and speed. A ball joint
    gets one for each axis, and no servo of position, which is warned of. Servos are of 10 Hz. A URDF and most SDF files have no actuators: without this, ``nu`` is 0. ``hold``: servos keep the starting posture on joints that
    nothing drives; a mapping gives ``stiffness`` and ``damping``, or a ``frequency``. ``package_dirs``: where ``package://`` names are
    looked up. ``meshes``: hull, decompose or triangles. ``ground=True`` adds the plane z = 0; without, it is added under
    one robot with a free base whose file has nothing to stand on, which is set down on it. ``complete=False``: what the
    robot file says and nothing else; no ground is added, and the model starts in its neutral posture.

    ``warn="all"``: what the file names and nothing simulates is warned of (:class:`NotSimulated`), words that its format does
    not have there (:class:`UnknownWord`), and what looks wrong (:class:`DoubtfulFile`): what the command warns of, each kind once,
    with what is alike folded into a line. ``"unknown"``: unknown words alone; ``"none"``: nothing; :attr:`Model.notes` has all.
    """
    checked(warn)
    options = _options(free_base, keyframe, actuators, hold, package_dirs, srdf, meshes, complete, ground)
    path = os.fspath(source)
    name = os.path.abspath(path) if os.path.splitext(path)[1] else path
    digest = _digest(name)
    return Model(_stiction.World.find(path, json.dumps(options)), ("file", name, options, digest))._told(warn)


def loads(
    text: str,
    *,
    assets: Mapping[str, bytes | str] | None = None,
    name: str | None = None,
    free_base: bool = False,
    keyframe: str | None = None,
    actuators: str | None = None,
    hold: bool | Mapping[str, float] = False,
    package_dirs: Sequence[str | os.PathLike[str]] = (),
    meshes: str = "hull",
    complete: bool = True,
    ground: bool = False,
    warn: str = "all",
) -> Model:
    """The same from a text: XML (URDF, SDF or MJCF) or a scene in TOML.

    ``assets`` maps relative paths to the contents of the files that the text names: meshes, height maps, includes.
    Messages call the text ``name``.
    """
    checked(warn)
    options = _options(free_base, keyframe, actuators, hold, package_dirs, None, meshes, complete, ground)
    files = {str(path): content.encode() if isinstance(content, str) else bytes(content)
             for path, content in (assets or {}).items()}
    xml = text.lstrip("\ufeff \t\r\n").startswith("<")
    name = name or ("model.xml" if xml else "scene.toml")
    if not os.path.splitext(name)[1]:
        name += ".xml" if xml else ".toml"
    return _from_text(text, name, files, options)._told(warn)


def _from_text(text: str, name: str, assets: dict[str, bytes], options: dict[str, Any]) -> Model:
    with tempfile.TemporaryDirectory(prefix="stiction-") as folder:
        for path, content in {name: text.encode(), **assets}.items():
            place = Path(folder, path)
            if os.path.isabs(path) or ".." in Path(path).parts:
                raise Error(f"asset `{path}`: expected a path below the text, without `..`")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        try:
            world = _stiction.World.find(os.path.join(folder, name), json.dumps(options))
        except Error as error:
            raise Error(str(error).replace(folder + os.sep, "")) from None
    return Model(world, ("text", text, name, assets, options), folder)


def _options(
    free_base: bool,
    keyframe: str | None,
    actuators: str | None,
    hold: bool | Mapping[str, float],
    package_dirs: Sequence[str | os.PathLike[str]],
    srdf: str | os.PathLike[str] | None,
    meshes: str,
    complete: bool,
    ground: bool,
) -> dict[str, Any]:
    if actuators not in (None, *ACTUATORS):
        raise Error(f"actuators is {actuators!r}; expected one of {', '.join(ACTUATORS)}, or None")
    if isinstance(hold, bool):
        hold = {} if hold else None  # type: ignore[assignment]
    elif not isinstance(hold, Mapping):
        raise Error(f"hold is {hold!r}; expected True, False, or a mapping of stiffness and damping, or of frequency")
    return {
        "free_base": free_base,
        "keyframe": keyframe,
        "actuators": actuators,
        "hold": hold if hold is None else dict(cast("Mapping[str, float]", hold)),
        "package_dirs": [os.path.abspath(p) for p in package_dirs],
        "srdf": None if srdf is None else os.path.abspath(srdf),
        "meshes": meshes,
        "complete": complete,
        "ground": ground,
    }


def _digest(path: str) -> str | None:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() if os.path.isfile(path) else None


def _made_again(recipe: Recipe) -> Model:
    """The model that a recipe makes."""
    kind, *rest = recipe
    if kind == "file":
        path, options, digest = rest
        if digest is not None and _digest(path) != digest:
            raise Error(f"{path}: the file is not there as it was when the model was loaded; pickle models made by loads()")
        return Model(_stiction.World.find(path, json.dumps(options)), recipe)
    if kind == "text":
        return _from_text(*rest)
    if kind == "scene":
        return Model(_stiction.World.scene(rest[0]), recipe)
    if kind == "scene texts":
        return _scene_with_texts(*rest)
    if kind == "replace":
        return _made_again(rest[0]).replace(**rest[1])
    if kind == "resized":
        return _made_again(rest[0]).resized(rest[1], rest[2])
    if kind == "start":
        return _made_again(rest[0]).starting_at(rest[2], rest[3], rest[1])
    raise Error(f"a pickled model is of the kind `{kind}`, which this version does not know")


@sealed
class Scene:
    """A scene put together in code: the sections of a scene file, which the guide lists key by key.

    >>> scene = Scene("stack").ground(friction=0.8)
    >>> scene = scene.body("box", shape="box", size=[0.2, 0.2, 0.2], mass=1.0, position=[0, 0, 0.1])
    >>> model = scene.build()
    """

    def __init__(self, name: str = "scene", *, gravity: ArrayLike | None = None, duration: float = 5.0) -> None:
        self._sections: dict[str, Any] = {"name": name, "duration": duration}
        self._texts: list[tuple[str, str, dict[str, bytes]]] = []
        if gravity is not None:
            self._sections["gravity"] = _plain(gravity)

    def ground(self, **keys: Any) -> Scene:
        """A plane: ``friction``, ``restitution``, ``slope`` [degrees], ``height``, ``soft``, ``rgba``."""
        self._sections["ground"] = _plain(keys)
        return self

    def fixed(self, name: str, *, shape: str, **keys: Any) -> Scene:
        """A shape that never moves: ``size`` or ``radius`` and ``length``, ``position``, ``rpy`` [degrees], ``friction``, …"""
        return self._append("fixed", {"name": name, "shape": shape, **keys})

    def body(self, name: str, *, shape: str, mass: float, **keys: Any) -> Scene:
        """A free body, or ``count`` copies of it: sizes as of a fixed shape, ``velocity``, ``angular_velocity``, …"""
        return self._append("body", {"name": name, "shape": shape, "mass": mass, **keys})

    def model(
        self,
        file: str | os.PathLike[str] | None = None,
        *,
        builtin: str | None = None,
        text: str | None = None,
        assets: Mapping[str, bytes | str] | None = None,
        **keys: Any,
    ) -> Scene:
        """A robot of a file, of a text or of our own: ``prefix``, ``position``, ``rpy``, ``keyframe``, ``joints``,
        ``free_base``, ``set_down``, ``friction``, ``hold``, …"""
        if sum(x is not None for x in (file, builtin, text)) != 1:
            raise Error("a model needs one of `file`, `builtin` and `text`")
        if text is not None:
            files = {str(path): content.encode() if isinstance(content, str) else bytes(content)
                     for path, content in (assets or {}).items()}
            place = f"model{len(self._texts)}"
            self._texts.append((place, text, files))
            keys["file"] = f"{place}/model.xml"
        elif file is not None:
            keys["file"] = os.path.abspath(file)
        else:
            keys["builtin"] = builtin
        return self._append("model", keys)

    def force(self, body: str, *, direction: ArrayLike, **keys: Any) -> Scene:
        """A force on a body: ``magnitude`` [N], ``ramp`` [N/s], ``cap``, ``start``, ``stop``, ``point``."""
        return self._append("force", {"body": body, "direction": direction, **keys})

    def contact(self, solver: str = "auto", **keys: Any) -> Scene:
        """Who solves contacts: ``tolerance`` [m/s], ``max_iterations``, ``effort``, ``params``."""
        self._sections["contact"] = _plain({"solver": solver, **keys})
        return self

    def stepper(self, **keys: Any) -> Scene:
        """Parameters of the stepper: ``dt`` [s], ``method``, ``baumgarte``, …"""
        self._sections["stepper"] = _plain(keys)
        return self

    def _append(self, section: str, keys: dict[str, Any]) -> Scene:
        self._sections.setdefault(section, []).append(_plain(keys))
        return self

    def build(self, warn: str = "all") -> Model:
        """The model of the scene, after warnings as :func:`load` gives them."""
        checked(warn)
        sections = json.loads(json.dumps(self._sections))
        if not self._texts:
            text = json.dumps(sections)
            return Model(_stiction.World.scene(text), ("scene", text))._told(warn)
        return _scene_with_texts(json.dumps(sections), list(self._texts))._told(warn)


def _scene_with_texts(sections: str, texts: list[tuple[str, str, dict[str, bytes]]]) -> Model:
    with tempfile.TemporaryDirectory(prefix="stiction-") as folder:
        for place, text, assets in texts:
            for path, content in {"model.xml": text.encode(), **assets}.items():
                if os.path.isabs(path) or ".." in Path(path).parts:
                    raise Error(f"asset `{path}`: expected a path below the text, without `..`")
                to = Path(folder, place, path)
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_bytes(content)
        read = json.loads(sections)
        for model in read.get("model", ()):
            if not os.path.isabs(model.get("file", os.sep)):
                model["file"] = os.path.join(folder, model["file"])
        try:
            world = _stiction.World.scene(json.dumps(read))
        except Error as error:
            raise Error(str(error).replace(folder + os.sep, "")) from None
    return Model(world, ("scene texts", sections, texts), folder)


def _plain(value: Any) -> Any:
    """Arrays as lists, nothing that is None."""
    if isinstance(value, Mapping):
        return {str(key): _plain(v) for key, v in value.items() if v is not None}
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value


def builtin_scenes() -> list[str]:
    """Names of the scenes that are carried along."""
    return list(_stiction.BUILTIN_SCENES)


def builtin_models() -> list[str]:
    """Names of the robots that are carried along."""
    return list(_stiction.BUILTIN_MODELS)
