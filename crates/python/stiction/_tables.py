"""What a model is made of: records, and tables in which they are found by name or by index."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from ._sealed import sealed
from ._stiction import Error

Array = NDArray[np.float64]

Frozen = TypeVar("Frozen", bound="NDArray[Any]")


def frozen(array: Frozen) -> Frozen:
    """The array, which cannot be written: it is a copy of what the engine holds."""
    array.flags.writeable = False
    return array


class UnknownName(Error, KeyError):
    """Nothing has this name; the message lists what there is."""

    def __str__(self) -> str:
        return str(self.args[0])


class Named(Protocol):
    """Anything that has a name."""

    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)


@sealed
class Table(Sequence[T], Generic[T]):
    """Records in the order of their indices, found by index or by name."""

    def __init__(self, what: str, records: Sequence[T]) -> None:
        self._what = what
        self._records = tuple(records)
        self._places: dict[str, int] = {}
        for place, record in enumerate(self._records):
            self._places.setdefault(record.name, place)

    @property
    def names(self) -> list[str]:
        """Names, in order."""
        return [record.name for record in self._records]

    def index(self, name: object, start: int = 0, stop: int | None = None) -> int:
        """The index of the record called ``name``; an index stays what it is, a record is where it is."""
        if isinstance(name, str):
            place = self._places.get(name)
            if place is None:
                raise self._missing(name)
            return place
        if isinstance(name, (int, np.integer)):
            place = int(name)
            if not -len(self._records) <= place < len(self._records):
                raise IndexError(f"there is no {self._what} {place}; there are {len(self._records)}, counted from 0")
            return place % len(self._records)
        return self._records.index(name)

    def _missing(self, name: str) -> UnknownName:
        near = difflib.get_close_matches(name, self._places, n=1)
        guess = f" (did you mean `{near[0]}`?)" if near else ""
        return UnknownName(f"no {self._what} is called `{name}`{guess}; there are: {', '.join(self._places)}")

    @overload
    def __getitem__(self, at: int | str) -> T: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...

    def __getitem__(self, at: int | str | slice) -> T | Sequence[T]:
        if isinstance(at, slice):
            return self._records[at]
        return self._records[self.index(at)]

    def __contains__(self, name: object) -> bool:
        return name in self._places if isinstance(name, str) else name in self._records

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[T]:
        return iter(self._records)

    def __repr__(self) -> str:
        return f"<{len(self)} {self._what}s: {', '.join(self.names[:8])}{', …' if len(self) > 8 else ''}>"


@dataclass(frozen=True)
class Body:
    """A rigid body that can move on its own."""

    name: str
    #: Index of the body that carries it; None: the world.
    parent: int | None
    #: Number of the tree it belongs to.
    tree: int
    #: Pose in the parent with every joint at its reference: position [m] and quaternion (w, x, y, z).
    position: tuple[float, ...]
    quaternion: tuple[float, ...]
    #: Mass [kg], links that are fixed to it included.
    mass: float
    #: Centre of mass in the body [m].
    com: tuple[float, ...]
    #: Inertia about the centre of mass, in axes of the body, by rows [kg·m²].
    inertia: tuple[float, ...]
    #: Its joints and its velocities, as slices.
    joints: slice
    dofs: slice


@dataclass(frozen=True)
class Link:
    """A named frame of the file, which a body or the world carries."""

    name: str
    parent: int | None
    #: Index of the body; None: the world.
    body: int | None
    #: Pose in that body: position [m] and quaternion (w, x, y, z).
    position: tuple[float, ...]
    quaternion: tuple[float, ...]
    #: Mass [kg], centre of mass [m] and inertia about it, by rows [kg·m²], of the link alone, in its axes.
    mass: float
    com: tuple[float, ...]
    inertia: tuple[float, ...]


@dataclass(frozen=True)
class Joint:
    """A joint."""

    name: str
    #: hinge, slide, screw, ball or free.
    kind: str
    body: int
    #: Unit vector, and a point of the axis [m], in the body.
    axis: tuple[float, ...]
    anchor: tuple[float, ...]
    #: Travel along the axis per turning about it, of a screw [m/rad].
    pitch: float
    #: Coordinate at which the body stands as its pose says.
    reference: float
    #: Range of the coordinate [rad or m].
    limit: tuple[float, float] | None
    stiffness: float
    spring_rest: float
    #: Its coordinates in q and its velocities in v, as slices.
    q: slice
    v: slice


@dataclass(frozen=True)
class Geometry:
    """A shape that can touch others."""

    name: str
    link: int | None
    #: Index of the body that carries it; None: the world.
    body: int | None
    #: Pose in that body: position [m] and quaternion (w, x, y, z).
    position: tuple[float, ...]
    quaternion: tuple[float, ...]
    #: Kind and sizes [m].
    shape: dict[str, Any]
    #: Coulomb's coefficient [–].
    friction: float
    #: Newton's coefficient of restitution [–].
    restitution: float
    group: int
    mask: int
    rgba: tuple[float, ...]
    #: Friction against spinning and rolling, torque over normal force [m].
    spinning: float = 0.0
    rolling: float = 0.0
    #: Directions that its contacts resist in, as MJCF counts them: 1, 3, 4 or 6.
    condim: int = 3
    #: Thickness of a layer that belongs to the surface [m].
    margin: float = 0.0
    #: Softness, for the law ``mujoco``: time constant [s] and damping ratio; the five numbers of the impedance.
    solref: tuple[float, ...] = (0.02, 1.0)
    solimp: tuple[float, ...] = (0.9, 0.95, 0.001, 0.5, 2.0)


@dataclass(frozen=True)
class Surface:
    """What two geometries are to each other: friction and restitution of their contacts, and whence these come."""

    #: Names of the geometries.
    geometries: tuple[str, str]
    #: Coulomb's coefficient, of two directions the larger [–]; ``along``: those along the two tangents.
    friction: float
    along: tuple[float, float]
    #: Newton's coefficient of restitution [–].
    restitution: float
    #: Friction against spinning and rolling, torque over normal force [m]; 0 where contacts do not resist it.
    spinning: float
    rolling: float
    #: Whence friction and restitution come, in words.
    why_friction: str
    why_restitution: str
    #: Whether the two ever meet: groups, exclusions and joints may keep them apart.
    meet: bool


@dataclass(frozen=True)
class Actuator:
    """An effort along a transmission: gain u + bias + bias_length l + bias_velocity l̇."""

    name: str
    #: Pairs of a velocity's index and its coefficient.
    transmission: tuple[tuple[int, float], ...]
    gain: float
    bias: float
    bias_length: float
    bias_velocity: float
    #: Ranges of the effort [N or N·m] and of the control; None: no end.
    effort_limit: tuple[float | None, float | None] | None
    control_limit: tuple[float | None, float | None] | None


@dataclass(frozen=True)
class Site:
    """A named frame for sensors and tendons."""

    name: str
    link: int | None
    body: int | None
    position: tuple[float, ...]
    quaternion: tuple[float, ...]
    #: The file's word: sphere, capsule, ellipsoid, cylinder or box.
    shape: str
    size: tuple[float, ...]


@dataclass(frozen=True)
class Camera:
    """A place that pictures are taken from; see :meth:`Simulation.render`."""

    name: str
    link: int | None
    #: Index of the body that carries it; None: the world.
    body: int | None
    #: Pose in that body: x is to the right of the picture, y up, and it looks along −z.
    position: tuple[float, ...]
    quaternion: tuple[float, ...]
    #: Vertical [rad].
    field_of_view: float
    #: Width and height of its picture in pixels, where the file states them.
    resolution: tuple[int, int] | None
    #: Why no picture can be taken as the file asks; None if one can.
    obstacle: str | None


@dataclass(frozen=True)
class Sensor:
    """Something that is measured."""

    name: str
    #: The file's word, such as ``accelerometer``.
    kind: str
    #: What it refers to: the file's attribute and the name that it holds.
    of: dict[str, str]
    #: Readings are cut off at this magnitude; 0: not.
    cutoff: float
    #: Standard deviation of the noise, which is up to whoever reads it.
    noise: float
    #: Its numbers in ``sensordata``; None: it is not offered.
    columns: slice | None


@dataclass(frozen=True)
class Tendon:
    """A length that several joints share."""

    name: str
    terms: tuple[tuple[int, float], ...]
    #: Runs through sites: kept, not simulated yet.
    spatial: bool
    stiffness: float
    damping: float
    limit: tuple[float, float] | None


@dataclass(frozen=True)
class Coupling:
    """A sum of joint coordinates that stays what it is."""

    name: str
    terms: tuple[tuple[int, float], ...]
    offset: float


@dataclass(frozen=True)
class Loop:
    """Two links that are held together across the branches of the trees."""

    name: str
    #: point, frame, hinge, slide or distance.
    holds: str
    active: bool
    links: tuple[int | None, int | None]


@dataclass(frozen=True)
class Keyframe:
    """A named state of the file."""

    name: str
    q: tuple[float, ...]
    v: tuple[float, ...]
    control: tuple[float, ...]


@dataclass(frozen=True)
class LedgerEntry:
    """Something in the file that is kept, softness that only some laws read, unsupported or unknown."""

    fate: str
    what: str
    count: int
    place: str
    note: str


#: Keys whose two numbers are the ends of a slice.
_SLICES = {"Body": ("joints", "dofs"), "Joint": ("q", "v"), "Sensor": ("columns",)}

R = TypeVar("R")


def record(kind: type[R], values: dict[str, Any]) -> R:
    """A record of the values that came as JSON: lists become tuples, ends become slices."""
    slices = _SLICES.get(kind.__name__, ())
    made: dict[str, Any] = {
        key: slice(*value) if key in slices and value is not None else _frozen(value) for key, value in values.items()
    }
    if kind is Sensor:
        made["of"] = dict(made["of"])
    return kind(**made)


def _frozen(value: Any) -> Any:
    return tuple(_frozen(v) for v in value) if isinstance(value, list) else value


@dataclass(frozen=True)
class Tables:
    """All tables of a model."""

    bodies: Table[Body]
    links: Table[Link]
    joints: Table[Joint]
    geometries: Table[Geometry]
    actuators: Table[Actuator]
    sites: Table[Site]
    cameras: Table[Camera]
    sensors: Table[Sensor]
    tendons: Table[Tendon]
    couplings: Table[Coupling]
    loops: Table[Loop]
    keyframes: Table[Keyframe]
    ledger: tuple[LedgerEntry, ...] = field(default=())

    @staticmethod
    def of(described: dict[str, Any]) -> Tables:
        """The tables of a description."""
        kinds: dict[str, tuple[str, type[Any]]] = {
            "bodies": ("body", Body),
            "links": ("link", Link),
            "joints": ("joint", Joint),
            "geometries": ("geometry", Geometry),
            "actuators": ("actuator", Actuator),
            "sites": ("site", Site),
            "cameras": ("camera", Camera),
            "sensors": ("sensor", Sensor),
            "tendons": ("tendon", Tendon),
            "couplings": ("coupling", Coupling),
            "loops": ("loop", Loop),
            "keyframes": ("keyframe", Keyframe),
        }
        tables = {
            key: Table(what, [record(kind, values) for values in described[key]])
            for key, (what, kind) in kinds.items()
        }
        ledger = tuple(record(LedgerEntry, entry) for entry in described["ledger"])
        return Tables(**tables, ledger=ledger)
